"""A live bar over the units of a joblib pass."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from sklearn.utils.parallel import Parallel

__all__ = ["ProgressParallel"]


class ProgressParallel(Parallel):
    """scikit-learn's `Parallel` with a bar that tells the time left.

    The bar shows in terminals and notebooks; nothing is written where output is neither.

    Parameters
    ----------
    total : int
        The number of units of work.
    show : bool
        Whether to show the bar at all.
    doing : str, default="fitting"
        What stands before the bar.
    **options
        As of `sklearn.utils.parallel.Parallel`.
    """

    def __init__(self, *, total: int, show: bool, doing: str = "fitting", **options: Any) -> None:
        super().__init__(**options)
        self.total = total
        self.show = show
        self.doing = doing
        self.advance: Callable[..., None] | None = None

    def __call__(self, iterable: Iterable[Any]) -> Any:
        """Run all units and return their results."""
        console = Console(stderr=True)
        # Not `console.is_terminal`, which an environment variable can force.
        if not (self.show and (console.file.isatty() or console.is_jupyter)):
            return super().__call__(iterable)
        with Progress(
            TextColumn(self.doing),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TextColumn("left"),
            TimeRemainingColumn(),
            console=console,
        ) as progress:
            task = progress.add_task(self.doing, total=self.total)
            self.advance = partial(progress.update, task)
            return super().__call__(iterable)

    def print_progress(self) -> None:
        """Move the bar; joblib calls this whenever a unit is done."""
        if self.advance is not None:
            self.advance(completed=self.n_completed_tasks)
