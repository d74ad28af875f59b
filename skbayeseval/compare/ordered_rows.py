"""Rows in order of time: blocks of consecutive rows, which are weighted together.

Neighbours in time are often right or wrong together, so that n rows say less than n independent
ones. Blocks of consecutive rows are groups, and groups are nearly independent if blocks are long
enough. With ``blocks="auto"``, the length is twice the one that estimates the variance of a mean
with the smallest mean squared error (Politis and White 2004, as corrected by Patton, Politis and
White 2009): coverage wants longer blocks than that, because short ones have too small a variance.
It is that of the losses of a classifier or of a difference of two, whichever is largest, so that it
depends on no metric. There are at least five blocks, and blocks have about n^(1/3) rows even
where no correlation is seen. What was measured is in docs/calibration.md.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import norm
from sklearn.model_selection import TimeSeriesSplit

from skbayeseval._arrays import Array, in_short, wrong
from skbayeseval._validation import check_whole_number, warn_caller
from skbayeseval.evidence.interface import Evidence
from skbayeseval.evidence.units import UnitCounts

FEWEST_BLOCKS = 5

# How many times as long as for the smallest error of a variance.
LONGER = 2.0

# How often independent rows are taken for correlated ones.
LEVEL = 0.005


def check_blocks(blocks: Any, groups: Any, n_rows: int) -> None:
    """Raise unless `blocks` is "auto", or a number of rows that is at most half of them."""
    if groups is not None:
        raise ValueError(
            f"blocks={in_short(blocks)} and groups= were both given, but either blocks of "
            "consecutive rows are weighted together, or groups. Omit one of them."
        )
    if isinstance(blocks, str):
        if blocks != "auto":
            raise wrong("blocks", "'auto', a number of consecutive rows, or None", blocks)
        if n_rows < 2 * FEWEST_BLOCKS:
            raise ValueError(
                f"blocks='auto' requires {2 * FEWEST_BLOCKS} or more rows, got {n_rows}. Pass the "
                "number of rows of a block."
            )
        return
    if check_whole_number(blocks, "blocks") > max(1, n_rows // 2):
        raise ValueError(
            f"blocks == {blocks}, must be <= {max(1, n_rows // 2)}, so that there are two or more "
            f"blocks of the {n_rows} rows. Use blocks='auto', or shorter blocks."
        )


def length_of_blocks(
    evidence: Evidence, blocks: Any, instance: Array | None = None
) -> tuple[int, Array | None]:
    """Return the number of rows of a block, 1 if there are none, and the losses of instances.

    Parameters
    ----------
    evidence : Evidence
        The evidence without blocks.
    blocks : "auto", int or None
        What the user gave. With None, rows are in order, and it is a warning if they are
        correlated.
    instance : ndarray, default=None
        The instance that each row of the evidence is of. By default, each is one.
    """
    if blocks == 1:
        return 1, None
    losses, share = evidence.row_losses(), 1.0
    if losses is not None and instance is not None:
        tested, place, times = np.unique(instance, return_inverse=True, return_counts=True)
        place = np.ravel(place)
        losses = np.stack([np.bincount(place, one, len(tested)) / times for one in losses])
        share = (tested[-1] - tested[0] + 1) / len(tested)  # there may be others between these
    if blocks is None:
        if losses is not None:
            _warn_of_order(losses)
        return 1, None
    if blocks != "auto":
        return int(blocks), losses
    if losses is None:
        raise ValueError(
            f"blocks='auto' requires the loss of each row, which {evidence.describe()} do not "
            "have. Pass the number of rows of a block."
        )
    return int(np.ceil(longest_block(losses) * share)), losses


def blocks_of_evidence(evidence: Evidence, length: int, losses: Array | None = None) -> Any:
    """Return evidence whose groups are blocks, and which keeps the losses of instances."""
    known: Any = {"block_length": length}
    if isinstance(evidence, UnitCounts) and evidence.cells:
        known["losses"] = losses
    return replace(evidence, **known)


def are_in_order(objects: Iterable[Any], blocks: Any, cv: Any = None) -> bool:
    """Return whether one of the indexes, or of pandas objects with an index, has sorted times.

    Times that are not sorted are an error if there are to be blocks, and give a warning if `cv` is
    a TimeSeriesSplit, whose rows are taken to be in order in any case.
    """
    times = (pd.DatetimeIndex, pd.PeriodIndex, pd.TimedeltaIndex)
    indexes = [getattr(one, "index", one) for one in objects]
    are_sorted = [
        bool(index.is_monotonic_increasing or index.is_monotonic_decreasing)
        for index in indexes
        if isinstance(index, times)
    ]
    if blocks not in (None, 1) and not all(are_sorted):
        raise ValueError(
            f"blocks={blocks!r} takes rows that are in order of time, but the times in an index "
            "are not sorted. Sort all data by time, or pass groups= instead."
        )
    if not isinstance(cv, TimeSeriesSplit):
        return any(are_sorted)
    if not all(index.is_monotonic_increasing for index in indexes if isinstance(index, times)):
        warn_caller(
            "cv=TimeSeriesSplit trains on rows that come before those of the test set, but the "
            "times in an index are not sorted, so that some of them are later. Sort all data by "
            "time."
        )
    return True


def warn_of_neighbours(splits: Iterable[Any], n_rows: int, blocks: Any) -> None:
    """Warn if there are to be blocks, but most test rows lie between rows of training."""
    length = max(4, round(n_rows ** (1 / 3)) if blocks == "auto" else blocks)
    n_tested = n_between = 0
    for train, test in splits:
        trained = np.sort(train)
        after = np.searchsorted(trained, test)
        inside = after[(after > 0) & (after < len(trained))]
        n_tested += len(test)
        n_between += int(np.sum(trained[inside] - trained[inside - 1] <= length))
    if 2 * n_between > n_tested:
        warn_caller(
            f"blocks={blocks!r} takes neighbouring rows to be alike, but most rows of the test "
            "sets of cv lie between rows of the training sets, so that scores are too high. Pass "
            "a cv that does not shuffle the rows."
        )


def longest_block(losses: Array | None) -> int:
    """Return the number of rows of a block that the losses of all classifiers want.

    Examples
    --------
    >>> import numpy as np
    >>> from skbayeseval.compare.ordered_rows import longest_block
    >>> rng = np.random.default_rng(0)
    >>> longest_block(rng.random((2, 300)))  # independent rows
    7
    >>> longest_block(np.repeat(rng.random((2, 30)), 10, axis=1))
    35
    """
    assert losses is not None
    n = losses.shape[1]
    longest = max(1, n // FEWEST_BLOCKS)
    wanted = max(map(_best_length, [*losses, *_differences(losses)]))
    return int(np.clip(np.ceil(LONGER * wanted), min(round(n ** (1 / 3)), longest), longest))


def _differences(losses: Array) -> list[Array]:
    """Return the differences of the losses of each pair."""
    return [a - b for a, b in itertools.combinations(losses, 2)]


def _best_length(values: Array) -> float:
    """Return the length of blocks of Politis and White (2004), corrected in 2009."""
    n = len(values)
    values = values - values.mean()
    spread = float(values @ values) / n
    if n < 4 or spread <= 1e-12 * float(np.abs(values).max()) ** 2:
        return 1.0
    # Correlations are taken for 0 from the first of K_N = 5 small ones in a row on.
    last = min(int(np.ceil(np.sqrt(n))) + 5, n - 1)
    covariance = np.array([values[: n - lag] @ values[lag:] for lag in range(last + 1)]) / n
    small = np.abs(covariance[1:]) < 2 * np.sqrt(np.log10(n) / n) * covariance[0]
    opening = (lag for lag in range(1, last - 3) if small[lag - 1 : lag + 4].all())
    lags = np.arange(1, min(2 * next(opening, last), last) + 1)
    flat_top = np.clip(2 * (1 - lags / lags[-1]), 0, 1)
    slope = 2 * float(np.sum(flat_top * lags * covariance[lags]))
    variance = covariance[0] + 2 * float(np.sum(flat_top * covariance[lags]))
    if variance <= 0:
        return 1.0
    return float((1.5 * n * (slope / variance) ** 2) ** (1 / 3))


def _warn_of_order(losses: Array) -> None:
    """Warn if neighbours are alike: in the differences of a pair, or in the losses of one.

    The sum of products of neighbours, divided by the root of the sum of their squares, is nearly
    normal for independent rows, and never large because of a few products.
    """
    series = [one - one.mean() for one in _differences(losses) or losses]
    limit, found = norm.isf(LEVEL / len(series)), 0.0
    for values in series:
        products = values[1:] * values[:-1]
        if products.any() and products.sum() > limit * np.sqrt(np.square(products).sum()):
            found = max(found, float(products.sum() / np.square(values).sum()))
    if found:
        what = "the losses" if len(losses) == 1 else "the differences of the losses"
        warn_caller(
            f"The rows are in order of time, and {what} of neighbours are correlated (lag-1 "
            f"correlation {found:.2f}), so that intervals are too short. Pass blocks='auto' to "
            "weight blocks of consecutive rows together."
        )
