"""Bayes factors of equality over difference, with their Monte Carlo error.

The interval null compares posterior with prior odds of a difference inside the ROPE. Savage-Dickey
compares posterior with prior density at 0; for most metrics the prior density there is infinite,
and the kernel estimates that the papers print then depend on the bandwidth.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp
from scipy.stats import gaussian_kde, norm

__all__ = [
    "BayesFactor",
    "Estimate",
    "density_by_kde",
    "density_by_smoothing",
    "density_of_independent_draws",
    "density_of_shares",
    "odds_of_draws",
    "odds_of_probabilities",
    "odds_of_shares",
    "ratio",
]

Array = NDArray[Any]

# Fewer draws than this on either side make an estimate of odds unreliable (10% error).
FEW_DRAWS = 100

# Fewer shares than this do not know their own error.
FEW_SHARES = 128


@dataclass(frozen=True)
class BayesFactor:
    """How much the data move the odds towards equality.

    Above 3 is substantial evidence for equality, below 1/3 against it.

    Attributes
    ----------
    value : float
        The factor.
    log10 : float
        Its logarithm, which stays finite in the tails.
    mcse : float
        The Monte Carlo standard error of `value`.
    reliable : bool
        False where too few draws fall where they are needed, or where the answer depends on a
        bandwidth.
    method : {"interval", "savage-dickey", "kde"}
        How it was computed.
    bandwidth : float or None
        The bandwidth of the prior's kernel density estimate, for ``method="kde"``.

    Examples
    --------
    >>> from skbayeseval import compare_counts
    >>> factor = compare_counts((400, 50, 60), (401, 51, 59)).bayes_factor(rope=0.01)
    >>> factor.value > 3, factor.reliable
    (True, True)
    """

    value: float
    log10: float
    mcse: float
    reliable: bool
    method: str
    bandwidth: float | None = None

    @property
    def log10_mcse(self) -> float:
        """The Monte Carlo standard error of `log10`."""
        return self.mcse / (self.value * math.log(10)) if self.value > 0 else math.nan


class Estimate(NamedTuple):
    """The logarithm of odds or of a density, and its Monte Carlo variance."""

    log: float
    variance: float = 0.0
    reliable: bool = True


def odds_of_draws(inside: int, outside: int, share: float = 1.0) -> Estimate:
    """Estimate log odds from how many draws fall inside and outside.

    `share` is what one draw of a Markov chain is worth in independent ones.
    """
    # Half a draw on either side keeps the logarithm finite where one side is empty.
    k, rest = inside + 0.5, outside + 0.5
    variance = (1 / k + 1 / rest) / share
    return Estimate(math.log(k / rest), variance, share * min(inside, outside) >= FEW_DRAWS)


def odds_of_probabilities(inside: float, outside: float) -> Estimate:
    """Return the log odds of probabilities known by quadrature, each to relative precision."""
    # Quadrature leaves out nodes of smaller weight than exp(-600).
    smallest = 1e-200
    reliable = inside > smallest and outside > smallest
    return Estimate(math.log(max(inside, smallest) / max(outside, smallest)), 0.0, reliable)


def odds_of_shares(blocks: Iterable[Array], precision: float = 0.002) -> Estimate:
    """Estimate log odds from unbiased estimates of a probability, until the error is small.

    Parameters
    ----------
    blocks : iterable of ndarray of shape (2, n)
        Two independent estimates from each of n strata; where they end, the error is what it is.
    precision : float
        The standard error of the log odds at which to stop.
    """
    probability, variance, n = _mean_of_shares(blocks, precision)
    if not 0 < probability < 1:
        inside = n if probability > 0 else 0
        return odds_of_draws(inside, n - inside)
    relative = variance / (probability * (1 - probability)) ** 2
    return Estimate(math.log(probability / (1 - probability)), relative, relative < 1 / FEW_DRAWS)


def density_of_shares(blocks: Iterable[Array], width: float, precision: float = 0.002) -> Estimate:
    """Estimate a log density from the probability of an interval of that width around 0."""
    probability, variance, _ = _mean_of_shares(blocks, precision)
    if probability <= 0:
        return Estimate(-math.inf, math.inf, False)
    relative = variance / probability**2
    return Estimate(math.log(probability / width), relative, relative < 1 / FEW_DRAWS)


def _mean_of_shares(blocks: Iterable[Array], precision: float) -> tuple[float, float, int]:
    """Return the mean, its variance and how many shares it took."""
    n, total, noise = 0, 0.0, 0.0
    for first, second in blocks:
        n += first.size + second.size
        total += float(first.sum() + second.sum())
        # The square of a difference has the mean of both variances together.
        noise += float(np.sum((first - second) ** 2))
        mean, error = total / n, math.sqrt(noise) / n
        if n >= FEW_SHARES and 0 < error < precision * mean * (1 - mean):
            break
    return mean, error**2, n


def density_of_independent_draws(a: Array, b: Array, half_width: float) -> Estimate:
    """Estimate the log density at 0 of A - B, where it is finite, from all pairs of draws.

    The mean over all pairs (a U-statistic) has the variance of its two projections, which does not
    grow as the interval around 0 gets narrow, and that of so many pairs.
    """
    a, b = np.sort(a), np.sort(b)

    def share_near(values: Array, centres: Array) -> Array:
        above = np.searchsorted(values, centres + half_width, "right")
        return (above - np.searchsorted(values, centres - half_width, "left")) / len(values)

    given_a, given_b = share_near(b, a), share_near(a, b)
    inside = float(given_a.mean())
    if inside == 0:
        return Estimate(-math.inf, math.inf, False)
    # Both projections have the noise of single pairs, which counts once.
    variance = given_a.var() / len(a) + given_b.var() / len(b) - inside / (len(a) * len(b))
    return Estimate(math.log(inside / (2 * half_width)), float(variance) / inside**2)


def density_by_smoothing(draws: Array, share: float = 1.0) -> Estimate:
    """Estimate the log density at 0 by a kernel around a normal start (Hjort and Glad 1995).

    The normal that fits the draws is multiplied by a kernel estimate of how far the density
    departs from it. Where the posterior is nearly normal, as it is for all but tiny samples, the
    bias of the plain kernel estimate, which in the tails is many times its error, is gone. What is
    left of it, judged by what twice the bandwidth changes, is added to the variance. `share` is
    what one draw of a Markov chain is worth in independent ones.
    """
    n, mean, sd = len(draws), float(draws.mean()), float(draws.std(ddof=1))
    if sd == 0:
        return Estimate(math.inf if mean == 0 else -math.inf, math.inf, False)
    log_start = norm.logpdf(draws, mean, sd)

    def smoothed(bandwidth: float) -> tuple[float, float]:
        log_terms = norm.logpdf(0.0, draws, bandwidth) - log_start
        log_mean = float(logsumexp(log_terms) - math.log(n))
        return log_mean, float(np.exp(log_terms - log_mean).var() / n)

    bandwidth = sd * n**-0.2
    log_mean, variance = smoothed(bandwidth)
    # The bias grows with the square of the bandwidth: from h to 2 h by three times that of h.
    bias = (smoothed(2 * bandwidth)[0] - log_mean) / 3
    near = np.count_nonzero(np.abs(draws) < bandwidth)
    log_density = float(norm.logpdf(0.0, mean, sd)) + log_mean
    return Estimate(log_density, variance / share + bias**2, bool(share * near >= FEW_DRAWS))


def density_by_kde(draws: Array) -> tuple[Estimate, float]:
    """Estimate the log density at 0 as the papers do, and return the bandwidth too.

    A Gaussian kernel with Scott's bandwidth. Never called reliable: where the true density is
    infinite the estimate is a statement about the bandwidth.
    """
    kde = gaussian_kde(draws)
    bandwidth = float(np.sqrt(kde.covariance[0, 0]))
    log_density = float(kde.logpdf(0.0)[0])
    # The variance of a kernel estimate: density * roughness of the kernel / (n * bandwidth). Far
    # in a tail it has no meaning, and must not overflow.
    log_variance = -log_density - math.log(2 * math.sqrt(math.pi) * len(draws) * bandwidth)
    return Estimate(log_density, math.exp(min(log_variance, 600.0)), False), bandwidth


def ratio(
    posterior: Estimate, prior: Estimate, method: str, bandwidth: float | None = None
) -> BayesFactor:
    """Return posterior over prior."""
    log = posterior.log - prior.log
    value = math.exp(min(log, 709.0))
    mcse = value * math.sqrt(posterior.variance + prior.variance)
    reliable = posterior.reliable and prior.reliable
    return BayesFactor(value, log / math.log(10), mcse, reliable, method, bandwidth)
