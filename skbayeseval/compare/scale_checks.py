"""Scores of systems that are probably on different scales, such as shares and percentages."""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skbayeseval._validation import UnlikelyDataWarning

__all__ = ["warn_of_other_scales"]

Array = NDArray[Any]

# Percentages are 100 times as large as shares; two systems are hardly apart by such a factor.
LIKE_PERCENTAGES = (30, 300)


def warn_of_other_scales(
    scores: Mapping[str, Array], *, shares: bool = True, hint: str = "", stacklevel: int = 2
) -> None:
    """Warn if one system's scores are right or wrong, or shares, and another's are not.

    Grades or counts of which one system has only 0 and 1 are no reason to warn, if another has 1
    besides larger ones.

    Parameters
    ----------
    scores : mapping of str to ndarray
        The scores of each system, by argument; NaN where there is none.
    shares : bool, default=True
        Whether scores in [0, 1] are taken for shares; times and errors have no such limit.
    hint : str, default=""
        What to do if the scores are on the same scale.
    stacklevel : int, default=2
        As in `warnings.warn`.
    """
    known = {name: values[np.isfinite(values)] for name, values in scores.items()}
    for (name, small), (other, large) in itertools.permutations(known.items(), 2):
        if _is_right_or_wrong(small):
            differ = _is_other_pair(large) or _leaves_out_one(large)
        else:
            differ = shares and _are_shares_and_percentages(small, large)
        if differ:
            warnings.warn(
                f"{name} and {other} may be on different scales: {name} contains "
                f"{_described(small)}, {other} contains {_described(large)}. Bring them to the "
                f"same scale, for example by dividing percentages by 100.{hint}",
                UnlikelyDataWarning,
                stacklevel=stacklevel + 1,
            )
            return


def _is_right_or_wrong(scores: Array) -> bool:
    return _is_pair(scores, 0, 1)


def _is_other_pair(scores: Array) -> bool:
    """Return whether 1 stands for right and -1 for wrong."""
    return _is_pair(scores, -1, 1)


def _is_pair(scores: Array, low: int, high: int) -> bool:
    """Return whether both values occur, and no other."""
    if scores.min() != low or scores.max() != high:
        return False
    return bool(((scores == low) | (scores == high)).all())


def _leaves_out_one(scores: Array) -> bool:
    """Return whether scores exceed 1, but none is 1 or a part of it."""
    return bool(scores.max() > 1 and not ((scores > 0) & (scores <= 1)).any())


def _are_shares_and_percentages(small: Array, large: Array) -> bool:
    if min(small.min(), large.min()) < 0 or not 0 < small.max() <= 1 < large.max() <= 100:
        return False
    least, most = LIKE_PERCENTAGES
    return bool(least <= np.median(large[large > 0]) / np.median(small[small > 0]) <= most)


def _described(scores: Array) -> str:
    values = np.unique(scores)
    if len(values) <= 2:
        return " and ".join(f"{value:g}" for value in values)
    return f"numbers from {values[0]:g} to {values[-1]:g}"
