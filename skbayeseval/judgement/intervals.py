"""Highest-density intervals of draws, and the Monte Carlo error of their ends."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from skbayeseval._arrays import Array, as_numbers
from skbayeseval._validation import check_probability

# The number of batches from which the Monte Carlo error of an HDI is estimated.
N_BATCHES = 25


class Interval(NamedTuple):
    """The lower and upper end of an interval.

    Examples
    --------
    >>> from skbayeseval.judgement import Interval
    >>> low, high = Interval(0.1, 0.3)
    >>> low
    0.1
    """

    low: float
    high: float


def hdi(draws: ArrayLike, prob: float = 0.95) -> Interval:
    """Return the highest-density interval (HDI): the narrowest interval with the given mass.

    Parameters
    ----------
    draws : array-like of shape (n_draws,)
        Draws from the distribution, in any order.
    prob : float, default=0.95
        The probability mass of the interval, strictly between 0 and 1.

    Returns
    -------
    interval : Interval
        The interval, whose ends are draws. If several intervals are equally narrow, the middle one
        is returned.

    Examples
    --------
    >>> import numpy as np
    >>> from skbayeseval import hdi
    >>> hdi(np.arange(101) ** 2, prob=0.5)
    Interval(low=0.0, high=2500.0)
    """
    (low,), (high,) = hdi_of_rows(check_draws(draws)[None], check_probability(prob))
    return Interval(float(low), float(high))


def hdi_of_rows(draws: Array, prob: float) -> tuple[Array, Array]:
    """Return the lower and upper ends of the highest-density interval of each row."""
    n_rows, size = draws.shape
    # Without the tolerance, prob * size = 7.000000000000001 would be rounded up to 8 draws.
    inside = max(math.ceil(prob * size - 1e-9), 1)
    # The interval begins at one of the smallest draws, and ends at one of as many largest.
    n_ends = size - inside + 1
    values = np.sort(draws, axis=1)
    lows, highs = values[:, :n_ends], values[:, size - n_ends :]
    widths = highs - lows
    rank = np.cumsum(widths == widths.min(axis=1, keepdims=True), axis=1)
    start = np.argmax(rank == (rank[:, -1:] + 1) // 2, axis=1)
    row = np.arange(n_rows)
    return lows[row, start], highs[row, start]


def count_inside(draws: Array, interval: Interval) -> int:
    """Return the number of draws in the closed interval."""
    return int(np.count_nonzero((draws >= interval.low) & (draws <= interval.high)))


def hdi_mcse(draws: Array, prob: float) -> float:
    """Return the larger Monte Carlo standard error of the two ends of an HDI.

    The error is estimated from the standard deviation between batches. The ends of an HDI converge
    at a cube-root rate, because the width of the interval is constant to first order when the
    interval is shifted. The error therefore decreases with the cube root of the number of draws.
    """
    size, n_longer = divmod(len(draws), N_BATCHES)
    if size < 20:
        return math.nan
    longer, others = np.split(draws, [n_longer * (size + 1)])
    batches = [longer.reshape(n_longer, size + 1), others.reshape(-1, size)]
    ends = np.hstack([hdi_of_rows(rows, prob) for rows in batches if len(rows)])
    return float(ends.std(axis=1, ddof=1).max() / N_BATCHES ** (1 / 3))


def check_draws(draws: ArrayLike) -> Array:
    """Return draws as an array, or raise."""
    values = as_numbers(draws, "draws")
    if values.ndim != 1 or len(values) == 0:
        raise ValueError(f"draws must be a non-empty 1-D array, got shape {values.shape}.")
    if np.isnan(values).any():
        raise ValueError("Input draws contains NaN.")
    return values
