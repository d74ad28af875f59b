"""How large a test set must be: from simulated decisions to a size, with its uncertainty."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binomtest
from sklearn.isotonic import isotonic_regression

from skbayeseval.judgement.decision import Decision, format_interval
from skbayeseval.judgement.intervals import Interval

__all__ = ["SETTLED", "SampleSize", "proportion_interval", "smallest_size", "smoothed"]

Array = NDArray[Any]

# The decisions after which nobody needs more data.
SETTLED = ("<<", "~", ">>")


@dataclass(frozen=True)
class SampleSize:
    """How many labelled instances would probably settle a comparison; `str` says it in words.

    Attributes
    ----------
    n_total : int or None
        The number of instances in all; None where even `largest` would not do.
    n_more : int or None
        How many of them are still to be labelled.
    n_now : int
        How many there are.
    assurance : float
        The probability that was asked for.
    reached : float
        The probability of a settled decision at `n_total`, or at `largest`.
    mcse : float
        Its Monte Carlo standard error.
    interval : Interval or None
        Where `n_total` lies with probability 95%, as far as Monte Carlo error goes.
    largest : int
        The largest number of instances in all that was tried.
    decision : Decision
        What the instances at hand say.

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
        """Whether even the largest number of instances that was tried would not do."""
        return self.n_total is None

    def __str__(self) -> str:
        if self.n_total is None or self.n_more is None or self.interval is None:
            return (
                f"Never, within reason: {self.largest:,} instances in all "
                f"({self.largest / self.n_now:,.0f} times as many as now) would settle it with "
                f"probability {self.reached:.0%} only, not {self.assurance:.0%}. The difference "
                f"may well lie on the edge of the ROPE {format_interval(self.decision.rope)}: ask "
                "whether a wider or a narrower one would serve."
            )
        if self.n_more == 0:
            return f"Settled already: {self.decision}"
        low, high = (f"{_rounded(end):,}" for end in self.interval)
        return (
            f"About {_rounded(self.n_total):,} labelled instances in all, "
            f"{_rounded(self.n_more):,} more than now, would settle it with probability "
            f"{self.assurance:.0%} ({low} to {high}, as far as the simulation tells). "
            f"Now: {self.decision}"
        )


def _rounded(number: float) -> int:
    """Return the number with the two digits that a simulation supports."""
    digits = max(math.floor(math.log10(number)) - 1, 0) if number >= 1 else 0
    return round(number / 10**digits) * 10**digits


def proportion_interval(successes: int, trials: int, prob: float = 0.95) -> Interval:
    """Return Wilson's interval of a simulated proportion, which has a width at 0 and 1 too."""
    found = binomtest(successes, trials).proportion_ci(prob, method="wilson")
    return Interval(float(found.low), float(found.high))


def smoothed(fractions: Array) -> Array:
    """Return fractions by size, made to rise with it."""
    return np.asarray(isotonic_regression(fractions, y_min=0, y_max=1))


def smallest_size(
    settled: Array, sizes: Array, assurance: float, rng: np.random.Generator, n_resamples: int = 500
) -> tuple[float, Interval]:
    """Return the size at which the settled fraction reaches the assurance, and its interval.

    Parameters
    ----------
    settled : ndarray of bool of shape (n_replications, n_sizes)
        Each row is one test set as it grows.
    sizes : ndarray of shape (n_sizes,)
        Increasing.
    assurance : float
        The fraction to be reached.
    rng : numpy.random.Generator
        Resamples the replications, for the interval.
    n_resamples : int
        How often.
    """
    n = len(settled)
    times = rng.multinomial(n, np.full(n, 1 / n), n_resamples)
    found = [_crossing(f, sizes, assurance) for f in times @ settled / n]
    low, high = np.quantile(found, [0.025, 0.975])
    return _crossing(settled.mean(axis=0), sizes, assurance), Interval(float(low), float(high))


def _crossing(fractions: Array, sizes: Array, assurance: float) -> float:
    """Interpolate on the scale of log(size); the last size where the assurance is not reached."""
    rising = smoothed(fractions)
    above = np.flatnonzero(rising >= assurance)
    if len(above) == 0:
        return float(sizes[-1])
    i = above[0]
    if i == 0:
        return float(sizes[0])
    share = (assurance - rising[i - 1]) / (rising[i] - rising[i - 1])
    return float(sizes[i - 1] * (sizes[i] / sizes[i - 1]) ** share)
