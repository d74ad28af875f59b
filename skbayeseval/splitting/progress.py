"""Progress over the units of a joblib pass: a bar in a terminal, lines in a log."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from datetime import timedelta
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
    """scikit-learn's `Parallel` that shows how far it is and how much time is left.

    Terminals and notebooks show a bar. Elsewhere, as in a log file, every tenth of the work prints
    a line to standard error.

    Parameters
    ----------
    total : int
        The number of units of work.
    show : bool
        Whether to show progress at all.
    doing : str, default="fitting"
        The name of the work.
    **options
        As of `sklearn.utils.parallel.Parallel`.
    """

    def __init__(self, *, total: int, show: bool, doing: str = "fitting", **options: Any) -> None:
        super().__init__(**options)
        self.total = total
        self.show = show
        self.doing = doing
        self.advance: Callable[[int], None] | None = None

    def __call__(self, iterable: Iterable[Any]) -> Any:
        """Run all units and return their results."""
        if not self.show:
            return super().__call__(iterable)
        console = Console(stderr=True)
        # Not `console.is_terminal`, which an environment variable can force.
        if not (console.file.isatty() or console.is_jupyter):
            self.advance = _Lines(self.doing, self.total, console.file)
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
            self.advance = lambda done: progress.update(task, completed=done)
            return super().__call__(iterable)

    def print_progress(self) -> None:
        """Report what is done; joblib calls this whenever a unit has finished."""
        if self.advance is not None:
            self.advance(self.n_completed_tasks)


class _Lines:
    """Print a line at the start and whenever another tenth of the work is done."""

    def __init__(self, doing: str, total: int, file: Any) -> None:
        self.doing = doing
        self.total = total
        self.write = partial(print, file=file, flush=True)
        self.start = time.monotonic()
        self.tenths = 0
        self.write(f"{doing}: 0 of {total} done")

    def __call__(self, done: int) -> None:
        tenths = 10 * done // self.total
        if tenths <= self.tenths:
            return
        self.tenths = tenths
        spent = time.monotonic() - self.start
        left = spent * (self.total - done) / done
        self.write(
            f"{self.doing}: {done} of {self.total} done, {_clock(spent)} elapsed, "
            f"{_clock(left)} left"
        )


def _clock(seconds: float) -> str:
    return str(timedelta(seconds=round(seconds)))
