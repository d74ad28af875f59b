"""Tasks for joblib that run under the configuration and the warnings filters of their caller."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable
from threading import current_thread, main_thread
from typing import Any

from sklearn import config_context, get_config

__all__ = ["SharedList", "Task", "shared"]


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
    >>> from skbayeseval.splitting.parallel import Task
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
