"""Run work in parallel, and show its progress."""

from __future__ import annotations

import os
import time
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from datetime import timedelta
from functools import partial
from html import escape
from threading import current_thread, main_thread
from typing import Any, Self

from joblib import Parallel
from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from sklearn import config_context, get_config

__all__ = [
    "ProgressParallel",
    "SharedList",
    "Task",
    "has_bar",
    "parallel_with_progress",
    "progress_display",
    "progress_if_long",
    "shared",
]


# Seconds after which work is long.
PATIENCE = 1.0


def parallel_with_progress(
    *, total: int, show: bool, doing: str = "fitting", as_they_come: bool = False, **options: Any
) -> Parallel:
    """Return joblib's `Parallel`, one that shows progress if `show`.

    With `as_they_come`, it gives results as soon as they are there, in any order; where the backend
    cannot do that, all at the end.
    """
    make = partial(ProgressParallel, total=total, show=True, doing=doing) if show else Parallel
    if as_they_come:
        with suppress(ValueError):  # of backends that cannot
            return make(return_as="generator_unordered", **options)
    return make(**options)


class ProgressParallel(Parallel):
    """joblib's `Parallel` with a display of progress and remaining time.

    Terminals and notebooks show a progress bar. Otherwise, for example in a log file, one line is
    printed to standard error for every tenth of the tasks.

    Parameters
    ----------
    total : int
        The number of tasks.
    show : bool
        Whether to show progress.
    doing : str, default="fitting"
        The description of the tasks.
    **options
        Options of `joblib.Parallel`.
    """

    def __init__(self, *, total: int, show: bool, doing: str = "fitting", **options: Any) -> None:
        super().__init__(**options)
        self.total = total
        self.show = show
        self.doing = doing
        self.advance: Callable[[int], None] | None = None

    def __call__(self, iterable: Iterable[Any]) -> Any:
        """Run all tasks and return their results."""
        if not self.show:
            return super().__call__(iterable)
        if self.return_as != "list":
            return self._as_they_come(iterable)
        with progress_display(self.doing, self.total) as self.advance:
            return super().__call__(iterable)

    def _as_they_come(self, iterable: Iterable[Any]) -> Iterator[Any]:
        with progress_display(self.doing, self.total) as self.advance:
            yield from super().__call__(iterable)

    def print_progress(self) -> None:
        """Update the display; joblib calls this whenever a task has finished."""
        if self.advance is not None:
            self.advance(self.n_completed_tasks)


@contextmanager
def progress_if_long(doing: str, total: int, *, show: bool) -> Iterator[Callable[[int], None]]:
    """Show progress, if `show`, of work that takes longer than a second.

    The function that is given is to be called with how much is done.
    """
    start = time.monotonic()
    with ExitStack() as stack:
        shown: Callable[[int], None] | None = None

        def advance(done: int) -> None:
            nonlocal shown
            if shown is None and show and done < total and time.monotonic() - start > PATIENCE:
                shown = stack.enter_context(progress_display(doing, total, start))
            if shown is not None:
                shown(done)

        yield advance


def has_bar() -> bool:
    """Return whether there is a terminal or a notebook, for a progress bar."""
    console = Console(stderr=True)
    # `console.is_terminal` is not used: environment variables can force it to be true.
    return console.is_jupyter or console.file.isatty()


@contextmanager
def progress_display(
    doing: str, total: int, start: float | None = None
) -> Iterator[Callable[[int], None]]:
    """Show progress; the function that is given is to be called with how much is done.

    `start` is when the work began, on the clock of `time.monotonic`; by default now.
    """
    start = time.monotonic() if start is None else start
    console = Console(stderr=True)
    if console.is_jupyter:
        with _NotebookBar(doing, total, start) as bar:
            yield bar
        return
    if not has_bar():
        yield _Lines(doing, total, start, console.file)
        return
    with Progress(
        TextColumn(doing),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
        console=console,
    ) as progress:
        task = progress.add_task(doing, total=total)
        yield lambda done: progress.update(task, completed=done)


class _NotebookBar:
    """A bar in the output of a notebook's cell, which is gone when all tasks are done.

    rich would need ipywidgets for that, and would leave one bar per call behind.
    """

    def __init__(self, doing: str, total: int, start: float) -> None:
        self.doing = doing
        self.total = total
        self.percent = 0
        self.start = start

    def __enter__(self) -> Self:
        from IPython.display import HTML, display

        self.handle = display(HTML(self._bar(0)), display_id=True)
        return self

    def __call__(self, done: int) -> None:
        from IPython.display import HTML

        percent = 100 * done // self.total
        if percent > self.percent:
            self.percent = percent
            self.handle.update(HTML(self._bar(done)))

    def __exit__(self, *_: object) -> None:
        from IPython.display import HTML

        self.handle.update(HTML(""))

    def _bar(self, done: int) -> str:
        words = f"{self.doing}: {done} of {self.total}"
        if done:
            spent = time.monotonic() - self.start
            left = spent * (self.total - done) / done
            words += f", {_clock(spent)} elapsed, {_clock(left)} left"
        bar = f'<progress value="{done}" max="{self.total}"></progress>'
        return f"<div>{bar} {escape(words)}</div>"


class _Lines:
    """Print a line at the start and after every tenth of the tasks."""

    def __init__(self, doing: str, total: int, start: float, file: Any) -> None:
        self.doing = doing
        self.total = total
        self.write = partial(print, file=file, flush=True)
        self.start = start
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


class Task:
    """A function that runs in joblib's workers as it would run in the caller's thread.

    It is what `sklearn.utils.parallel.delayed` gives, with one difference: warnings filters are
    set only in the main thread of worker processes. All threads of a process share its filters.
    Threads that set and restore them at the same time leave them changed, for the rest of the
    process. The workers of Dask run tasks in threads.

    Parameters
    ----------
    function : callable
        The function.

    Examples
    --------
    >>> from joblib import Parallel, delayed
    >>> from skbayeseval._running import Task
    >>> double = delayed(Task(lambda x: 2 * x))
    >>> Parallel(n_jobs=2, prefer="threads")(double(x) for x in (1, 2))
    [2, 4]
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function
        self.config = get_config()
        self.filters: list[Any] = list(warnings.filters)
        self.process = os.getpid()

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the function."""
        with config_context(**self.config):
            if os.getpid() == self.process or current_thread() is not main_thread():
                return self.function(*args, **kwargs)
            with warnings.catch_warnings():
                self._set_filters()
                return self.function(*args, **kwargs)

    def _set_filters(self) -> None:
        warnings.resetwarnings()
        for action, message, category, module, line in self.filters:
            if message is None and module is None:
                warnings.simplefilter(action, category, line, append=True)
            else:
                warnings.filterwarnings(
                    action, _pattern(message), category, _pattern(module), line, append=True
                )


class SharedList(list[Any]):
    """A list to which weak references are possible, so that backends can recognise it.

    Dask's backend sends an object to the workers once, and not with each task, if it can have weak
    references, as arrays and data frames, but not lists, can.
    """


def shared(data: Any) -> Any:
    """Return data that tasks have in common in a form that backends can send once."""
    return SharedList(data) if type(data) is list else data


def _pattern(given: Any) -> str:
    """Return the regular expression of a filter, which is compiled, a string or None."""
    return given if isinstance(given, str) else getattr(given, "pattern", "")
