"""Tasks for joblib that run under the configuration and the warnings filters of their caller."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable
from typing import Any

from sklearn import config_context, get_config

__all__ = ["Task"]


class Task:
    """A function that runs in joblib's workers as it would run in the caller's thread.

    It is what `sklearn.utils.parallel.delayed` gives, with one difference: warnings filters are
    set only in worker processes. All threads of a process share its filters. Threads that set and
    restore them at the same time leave them changed, for the rest of the process.

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
            if os.getpid() == self.process:
                return self.function(*args, **kwargs)
            with warnings.catch_warnings():  # in a worker process, which runs one task at a time
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


def _pattern(given: Any) -> str:
    """Return the regular expression of a filter, which is compiled, a string or None."""
    return given if isinstance(given, str) else getattr(given, "pattern", "")
