"""Required size of a test set, estimated from simulated decisions."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri
from scipy.stats import binomtest

from skbayeseval.judgement.decision import Decision, format_probability
from skbayeseval.judgement.intervals import Interval

__all__ = [
    "SampleSize",
    "crossing",
    "proportion_interval",
    "smallest_size",
    "smoothed",
    "two_digits",
]

Array = NDArray[Any]

# A size that is more than so many times the present one is not told in words.
MOST_TIMES = 10


@dataclass(frozen=True)
class SampleSize:
    """The number of labelled instances required for a clear decision; `str` returns a summary.

    A decision is clear if it is "significantly better", "significantly worse" or "practically
    equivalent".

    Attributes
    ----------
    n_total : int or None
        The required total number of instances; None if even `largest` is not enough.
    n_more : int or None
        The number of additional instances to label.
    n_now : int
        The current number of instances.
    assurance : float
        The requested probability of a clear decision.
    reached : float
        The estimated probability of a clear decision at `n_total`, or at `largest`.
    mcse : float
        The Monte Carlo standard error of `reached`.
    interval : Interval or None
        The 95% Monte Carlo interval of `n_total`.
    largest : int
        The largest total number of instances that was simulated.
    decision : Decision
        The decision from the current instances.

    Examples
    --------
    >>> from skbayeseval import compare_counts
    >>> result = compare_counts((900, 50, 60), (700, 150, 260), random_state=0)
    >>> size = result.required_sample_size(rope=0.01)
    >>> size.n_total, size.n_more
    (1110, 0)
    """

    n_total: int | None
    n_more: int | None
    n_now: int
    assurance: float
    reached: float
    mcse: float
    interval: Interval | None
    largest: int
    decision: Decision

    @property
    def never(self) -> bool:
        """Whether even the largest simulated number of instances is not enough."""
        return self.n_total is None

    def __str__(self) -> str:
        sure = f"{100 * self.assurance:.3g}%"
        now = f"The decision now: {self.decision.in_short()}"
        if self.n_more == 0:
            return f"The decision is already clear: {self.decision.in_short()}"
        if (self.n_total or self.largest) > MOST_TIMES * self.n_now:
            return (
                f"More than {MOST_TIMES} times the present {self.n_now:,} labelled instances, far "
                f"more than can usually be collected, would be needed for a clear decision with "
                f"probability {sure}: consider a wider or a narrower ROPE. {now}"
            )
        if self.n_total is None or self.n_more is None or self.interval is None:
            reached = format_probability(self.reached, threshold=self.assurance)
            return (
                f"Not reached: even {self.largest:,} labelled instances in total would give a "
                f"clear decision only with probability {reached}, not {sure}. {now}"
            )
        low, high = (f"{two_digits(end):,}" for end in self.interval)
        return (
            f"About {two_digits(self.n_total):,} labelled instances in total, "
            f"{two_digits(self.n_more):,} more than now, would give a clear decision with "
            f"probability {sure} (95% Monte Carlo interval: {low} to {high}). {now}"
        )


def two_digits(number: float) -> int:
    """Round to two significant digits, the precision of simulations."""
    digits = max(math.floor(math.log10(number)) - 1, 0) if number >= 1 else 0
    return round(number / 10**digits) * 10**digits


def proportion_interval(successes: int, trials: int, prob: float = 0.95) -> Interval:
    """Return Wilson's interval of a simulated proportion, which is not degenerate at 0 and 1."""
    found = binomtest(successes, trials).proportion_ci(prob, method="wilson")
    return Interval(float(found.low), float(found.high))


def smoothed(fractions: Array) -> Array:
    """Return the isotonic regression of each row of fractions, which increase with the size.

    It is the maximum, over all sizes up to a size, of the smallest mean from there to that size or
    a larger one (Robertson, Wright and Dykstra 1988, section 1.4).
    """
    found = np.zeros_like(fractions, dtype=float)
    n_sizes = fractions.shape[-1]
    for start in range(n_sizes):
        means = np.cumsum(fractions[..., start:], axis=-1) / np.arange(1, n_sizes - start + 1)
        smallest = np.minimum.accumulate(means[..., ::-1], axis=-1)[..., ::-1]
        np.maximum(found[..., start:], smallest, out=found[..., start:])
    return found


def smallest_size(
    settled: Array, sizes: Array, assurance: float, rng: np.random.Generator, n_resamples: int = 500
) -> tuple[float, Interval]:
    """Return the size at which the fraction of clear decisions reaches the assurance.

    Parameters
    ----------
    settled : ndarray of bool of shape (n_replications, n_sizes)
        Whether the decision is clear. Each row is one test set of increasing size.
    sizes : ndarray of shape (n_sizes,)
        The sizes, in increasing order.
    assurance : float
        The required fraction of clear decisions.
    rng : numpy.random.Generator
        The random number generator of the bootstrap over replications.
    n_resamples : int
        The number of bootstrap resamples.

    Returns
    -------
    size : float
        The required size.
    interval : Interval
        The 95% bootstrap interval of the size.
    """
    n = len(settled)
    times = rng.multinomial(n, np.full(n, 1 / n), n_resamples)
    found = [crossing(rising, sizes, assurance, n) for rising in smoothed(times @ settled / n)]
    low, high = np.quantile(found, [0.025, 0.975])
    size = crossing(smoothed(settled.mean(axis=0)), sizes, assurance, n)
    return size, Interval(float(low), float(high))


def crossing(rising: Array, sizes: Array, assurance: float, n: int) -> float:
    """Return the size at which fractions of n replications reach the assurance, or the last size.

    Between sizes, the normal quantile of the fraction is interpolated, which is nearly linear in
    log(size): a decision is clear if an estimate, whose error decreases with the size, is beyond a
    limit. Fractions of 0 and 1 count as half a replication more and less.
    """
    above = np.flatnonzero(rising >= assurance)
    if len(above) == 0:
        return float(sizes[-1])
    i = above[0]
    if i == 0:
        return float(sizes[0])
    fractions = np.array([rising[i - 1], assurance, rising[i]])
    before, here, after = ndtri(np.clip(fractions, 1 / (2 * n), 1 - 1 / (2 * n)))
    share = (here - before) / (after - before) if after > before else 1.0
    return float(sizes[i - 1] * (sizes[i] / sizes[i - 1]) ** share)
