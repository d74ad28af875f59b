"""Run work in parallel, and show its progress.

Nothing that the process shares is changed. Threads share warnings filters, the levels of loggers,
numpy's global random state and rcParams; two threads that set and restore them at the same time
leave them changed. So conditions are checked instead of warnings silenced, warnings of estimators
and of PyMC pass, and PyMC's log is muted by a filter for one thread. scikit-learn's own parallel
tasks and `type_of_target` set filters, so tasks (`_running.py`) and the kind of labels
(`_labels.py`) are our own. What its estimators, splitters and scorers do is theirs.
"""

from __future__ import annotations

import os
import sys
import time
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from datetime import timedelta
from html import escape
from threading import current_thread, main_thread
from typing import Any

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

# Seconds after which work is long, and those from which on it is said beforehand how many.
SHOW_AFTER, ANNOUNCE_FROM = 1.0, 10.0


def in_parallel(
    calls: Iterable[Any],
    *,
    total: int,
    show: bool,
    doing: str = "fitting",
    ordered: bool = True,
    **options: Any,
) -> Iterator[Any]:
    """Yield the results of joblib's `Parallel`, and show progress if `show`.

    Terminals and notebooks show a progress bar. Otherwise, for example in a log file, one line is
    printed to standard error for every tenth of the tasks.

    Parameters
    ----------
    calls : iterable
        The delayed calls.
    total : int
        The number of calls.
    show : bool
        Whether to show progress.
    doing : str, default="fitting"
        The description of the calls.
    ordered : bool, default=True
        Whether results come in the order of the calls, or as soon as they are there. Where the
        backend cannot do either, all come at the end.
    **options
        Options of `joblib.Parallel`.
    """
    try:
        order = "generator" if ordered else "generator_unordered"
        parallel = Parallel(return_as=order, **options)
    except ValueError:  # of backends that cannot
        parallel = Parallel(**options)
    with ExitStack() as stack:
        advance = stack.enter_context(progress_display(doing, total)) if show else None
        for done, result in enumerate(parallel(calls), start=1):
            if advance is not None:
                advance(done)
            yield result


def seconds_of(call: Callable[[], Any]) -> float:
    """Return how long a call takes."""
    start = time.monotonic()
    call()
    return time.monotonic() - start


@contextmanager
def progress_if_long(
    doing: str, total: int, *, show: bool, expected: float = 0.0
) -> Iterator[Callable[[int], None]]:
    """Show progress, if `show`, of work that takes longer than a second.

    The function that is given is to be called with how much is done. Where the work is expected to
    take many seconds, how long it will take is said before it starts, always: by a bar, or in one
    line where there can be none.
    """
    start = time.monotonic()
    with ExitStack() as stack:
        shown: Callable[[int], None] | None = None
        if expected > ANNOUNCE_FROM:
            minutes = f"{expected / 60:,.0f} minutes"
            words = minutes if expected >= 90 else f"{expected:.0f} seconds"
            doing = f"{doing}, about {words}"
            if has_bar():
                shown = stack.enter_context(progress_display(doing, total, start))
            else:
                print(doing, file=sys.stderr, flush=True)

        def advance(done: int) -> None:
            nonlocal shown
            if shown is None and show and done < total and time.monotonic() - start > SHOW_AFTER:
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
        with _notebook_bar(doing, total, start) as advance:
            yield advance
        return
    if not has_bar():

        def write(done: int) -> None:
            words = f"{doing}: {done} of {total} done{_times(start, done, total)}"
            print(words, file=console.file, flush=True)

        write(0)
        yield _after_each_part(10, total, write)
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


@contextmanager
def _notebook_bar(doing: str, total: int, start: float) -> Iterator[Callable[[int], None]]:
    """Show a bar in the output of a notebook's cell, which is gone when all tasks are done.

    rich would need ipywidgets for that, and would leave one bar per call behind.
    """
    from IPython.display import HTML, display

    def bar(done: int) -> Any:
        words = f"{doing}: {done} of {total}{_times(start, done, total)}"
        drawn = f'<progress value="{done}" max="{total}"></progress>'
        return HTML(f"<div>{drawn} {escape(words)}</div>")

    handle = display(bar(0), display_id=True)
    try:
        yield _after_each_part(100, total, lambda done: handle.update(bar(done)))
    finally:
        handle.update(HTML(""))


def _after_each_part(
    n_parts: int, total: int, show: Callable[[int], None]
) -> Callable[[int], None]:
    """Return a function of how much is done that calls `show` whenever a part is."""
    reached = 0

    def advance(done: int) -> None:
        nonlocal reached
        if n_parts * done // total > reached:
            reached = n_parts * done // total
            show(done)

    return advance


def _times(start: float, done: int, total: int) -> str:
    """Return the time since the start and the time left, in words; nothing if nothing is done."""
    if not done:
        return ""
    spent = time.monotonic() - start
    elapsed, left = (
        timedelta(seconds=round(seconds)) for seconds in (spent, spent * (total - done) / done)
    )
    return f", {elapsed} elapsed, {left} left"


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
                warnings.resetwarnings()
                for action, message, category, module, line in self.filters:
                    # Compiled, texts or None.
                    patterns = [getattr(one, "pattern", one) or "" for one in (message, module)]
                    warnings.filterwarnings(
                        action, patterns[0], category, patterns[1], line, append=True
                    )
                return self.function(*args, **kwargs)


class SharedList(list[Any]):
    """A list to which weak references are possible, so that backends can recognise it.

    Dask's backend sends an object to the workers once, and not with each task, if it can have weak
    references, as arrays and data frames, but not lists, can.
    """
