"""Results of long computations, which are kept for a while."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, TypeVar

__all__ = ["Memory", "T"]

T = TypeVar("T")


class Memory:
    """The most recent results of long computations, by key.

    As `functools.lru_cache`, it may be used by several threads, which may compute a result twice;
    unlike that, it keeps nothing alive but keys and results, and can be pickled.
    """

    def __init__(self, size: int = 256) -> None:
        self._size = size
        self._found: dict[Hashable, Any] = {}

    def get(self, key: Hashable, compute: Callable[[], T]) -> T:
        """Return the result under the key, computed only if it is not there."""
        found = self._found.pop(key, self)  # itself is never a result
        if found is self:
            found = compute()
        self._found[key] = found  # the most recently used comes last
        for oldest in list(self._found)[: -self._size]:
            self._found.pop(oldest, None)
        return found
