"""Numbers and lists in sentences and tables."""

from __future__ import annotations

import math
from collections.abc import Sequence

from skbayeseval.judgement.intervals import Interval

__all__ = ["decimals", "join_words", "plain"]


def decimals(interval: Interval) -> int:
    """Return how many decimals are worth writing, given how far a quantity is known."""
    width = interval.high - interval.low
    magnitude = math.floor(math.log10(width)) if 0 < width < math.inf else 0
    return min(max(1 - magnitude, 3), 8) if magnitude < 1 else 1


def plain(value: float, digits: int) -> str:
    """Return a number with so many decimals, without a minus sign before zero."""
    return f"{round(float(value), digits) + 0.0:,.{digits}f}"


def join_words(words: Sequence[str], last: str = " and ") -> str:
    """Return "a", "a and b", or "a, b and c"."""
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])}{last}{words[-1]}"
