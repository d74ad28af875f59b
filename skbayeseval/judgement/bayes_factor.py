"""Bayes factors of equality over difference, with their Monte Carlo error.

The interval-null Bayes factor is the ratio of the posterior odds to the prior odds that the
difference lies in the ROPE. The Savage-Dickey Bayes factor is the ratio of the posterior density to
the prior density at 0. For most metrics the prior density at 0 is infinite, and kernel density
estimates of it, as used in the papers, depend on the bandwidth.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.special import logsumexp
from scipy.stats import gaussian_kde, norm

from skbayeseval._arrays import Array
from skbayeseval.judgement.intervals import Interval


@dataclass(frozen=True)
class BayesTest:
    """Posterior probabilities of H0 (B is not better than A) and H1 (B is better than A).

    Attributes
    ----------
    p_h0, p_h1 : float
        The posterior probabilities of H0 and H1, which sum to 1.
    favoured : {"H0", "H1"}
        The more probable hypothesis.

    Examples
    --------
    >>> from skbayeseval import compare_counts
    >>> test = compare_counts((400, 50, 60), (410, 45, 50)).bayes_test()
    >>> test.favoured, round(test.p_h1, 3)
    ('H1', 0.861)
    """

    p_h0: float
    p_h1: float
    favoured: str


def favour(p_h0: float) -> BayesTest:
    """Return the test for P(H0) = P(B <= A), as in eq. 31 of Wang and Li (2019).

    Lines 16 to 18 of Algorithm 1 in the paper have the opposite sign; the tables in the paper agree
    with eq. 31.
    """
    p_h1 = 1 - p_h0
    # Accept H0 if P(H0) >= P(H1), with a tolerance for the error of quadrature.
    return BayesTest(p_h0, p_h1, "H0" if p_h0 >= p_h1 - 1e-9 else "H1")


# With fewer draws inside or outside, an estimate of odds is unreliable (10% error).
FEW_DRAWS = 100


# By how much, relative to it, a finite density at 0 changes in the interval where draws count as
# close to 0.
BIAS = 0.005


PRIOR_DRAWS = "draws of the prior"


NO_DRAWS = "no draw is close to 0"


BY_BANDWIDTH = "a kernel density estimate at 0 depends on its bandwidth; pass rope= instead"


@dataclass(frozen=True)
class BayesFactor:
    """The Bayes factor of equality over difference.

    It is the factor by which the data change the odds of equality. Values above 3 are substantial
    evidence for equality, values below 1/3 substantial evidence against it.

    Attributes
    ----------
    value : float
        The Bayes factor.
    log10 : float
        The logarithm to base 10 of the Bayes factor. It remains finite where `value` overflows or
        underflows.
    mcse : float
        The Monte Carlo standard error of `value`.
    reliable : bool
        False if too few draws contribute to the estimate, or if the estimate depends on a
        bandwidth.
    method : {"interval", "savage-dickey", "kde"}
        The method of computation.
    bandwidth : float or None
        The bandwidth of the prior's kernel density estimate, for ``method="kde"``.
    reason : str
        Why the estimate is not reliable; empty if it is.
    published_prior : str
        The published prior, if the result has the default one, which Bayes factors do not use;
        otherwise empty.

    Examples
    --------
    >>> from skbayeseval import compare_counts
    >>> factor = compare_counts((400, 50, 60), (401, 51, 59)).bayes_factor(rope=0.01)
    >>> factor.value > 3, factor.favours, factor.reliable
    (True, 'equality', True)
    >>> str(factor).split(":")[0]
    '40 for equality'
    """

    value: float
    log10: float
    mcse: float
    reliable: bool
    method: str
    bandwidth: float | None = None
    reason: str = ""
    published_prior: str = ""

    @property
    def log10_mcse(self) -> float:
        """The Monte Carlo standard error of `log10`."""
        return self.mcse / (self.value * math.log(10)) if self.value > 0 else math.nan

    @property
    def favours(self) -> str:
        """The hypothesis that the data make more probable: "equality" or "a difference"."""
        return "equality" if self.log10 >= 0 else "a difference"

    def __str__(self) -> str:
        times = _times(abs(self.log10))
        if not self.reliable:
            about = "" if math.isnan(self.log10) else f", about {times} for {self.favours}"
            return f"not reliable{about}: {self.reason}{self._prior}"
        equality = ("is 0", "is not 0")
        if self.method == "interval":
            equality = ("is inside the ROPE", "is outside the ROPE")
        first, second = equality if self.favours == "equality" else equality[::-1]
        return (
            f"{times} for {self.favours}: the data are {times} times as probable if the "
            f"difference {first} as if it {second}{self._prior}"
        )

    @property
    def _prior(self) -> str:
        prior = self.published_prior
        return f". Bayes factors use the published prior: {prior}" if prior else ""

    __repr__ = __str__


def _times(log10: float) -> str:
    """Return 10 to this power, at least 1, in words."""
    if log10 > 6:
        return "more than a million"
    value = 10**log10
    return f"{value:.1f}" if value < 9.95 else f"{value:,.0f}"


class Estimate(NamedTuple):
    """The logarithm of odds or of a density, with its Monte Carlo variance.

    `reason` says why it is not reliable; it is empty for a reliable estimate.
    """

    log: float
    variance: float = 0.0
    reason: str = ""

    @property
    def reliable(self) -> bool:
        """Whether the estimate is reliable."""
        return not self.reason


def odds_of_draws(inside: int, outside: int, share: float = 1.0, what: str = "draws") -> Estimate:
    """Estimate log odds from the number of draws inside and outside an interval.

    `share` is the effective sample size per draw of a Markov chain, `what` the draws in words.
    """
    # Adding half a draw to both counts keeps the logarithm finite if one of them is 0.
    k, rest = inside + 0.5, outside + 0.5
    variance = (1 / k + 1 / rest) / share
    reason = ""
    if share * min(inside, outside) < FEW_DRAWS:
        fewer, where = (inside, "inside") if inside < outside else (outside, "outside")
        effective = "" if share == 1 else f", worth {share * fewer:.0f} independent ones,"
        reason = f"only {fewer} of {inside + outside:,} {what}{effective} are {where} the ROPE"
    return Estimate(math.log(k / rest), variance, reason)


def odds_of_probabilities(inside: float, outside: float) -> Estimate:
    """Return the log odds of probabilities computed by quadrature with small relative error."""
    # The quadrature omits nodes with a weight below exp(-600).
    smallest = 1e-200
    where = "inside" if inside < outside else "outside"
    reason = f"the probability {where} the ROPE is too small to be computed"
    if inside > smallest and outside > smallest:
        reason = ""
    return Estimate(math.log(max(inside, smallest) / max(outside, smallest)), 0.0, reason)


def odds_of_pairs(a: Array, b: Array, region: Interval) -> Estimate:
    """Estimate the log odds that A - B is in the region from all pairs of independent draws."""
    inside, variance = _share_of_pairs(a, b, region)
    if not 0 < inside < 1:
        n = len(a)
        return odds_of_draws(round(inside) * n, n - round(inside) * n, what=PRIOR_DRAWS)
    relative = variance / (inside * (1 - inside)) ** 2
    reason = ""
    if relative > 1 / FEW_DRAWS:
        reason = f"the prior probability of the ROPE has an error of {math.sqrt(relative):.0%}"
    return Estimate(math.log(inside / (1 - inside)), relative, reason)


def density_of_pairs(a: Array, b: Array, half_width: float) -> Estimate:
    """Estimate the log density of A - B at 0 from all pairs of draws; it must be finite."""
    inside, variance = _share_of_pairs(a, b, Interval(-half_width, half_width))
    if inside == 0:
        return Estimate(-math.inf, math.inf, NO_DRAWS)
    return Estimate(math.log(inside / (2 * half_width)), variance / inside**2)


def _share_of_pairs(a: Array, b: Array, region: Interval) -> tuple[float, float]:
    """Return the share of all pairs whose difference is in the region, and its variance.

    It is a U-statistic. Its variance is the sum of the variances of its two projections, which do
    not grow as the region becomes narrow, and a variance due to the finite number of pairs.
    """
    a, b = np.sort(a), np.sort(b)

    def between(values: Array, low: Array, high: Array) -> Array:
        up_to = np.searchsorted(values, high, "right")
        return (up_to - np.searchsorted(values, low, "left")) / len(values)

    given_a = between(b, a - region.high, a - region.low)
    given_b = between(a, b + region.low, b + region.high)
    inside, of_one_pair = float(given_a.mean()), float(given_a.mean()) / (len(a) * len(b))
    # Both projections include the variance of single pairs, which must be counted only once.
    variance = given_a.var() / len(a) + given_b.var() / len(b) - of_one_pair
    return inside, max(float(variance), of_one_pair)


def density_of_draws(inside: int, n: int, half_width: float) -> Estimate:
    """Estimate the log density at 0 from the number of draws of the prior that are close to it.

    The density is taken to change by less than `BIAS` in between.
    """
    if inside == 0:
        return Estimate(-math.inf, math.inf, NO_DRAWS)
    reason = "" if inside >= FEW_DRAWS else f"only {inside} of {n:,} {PRIOR_DRAWS} are close to 0"
    return Estimate(math.log(inside / n / (2 * half_width)), 1 / inside + BIAS**2, reason)


def density_by_smoothing(draws: Array, share: float = 1.0) -> Estimate:
    """Estimate the log density at 0 by a kernel estimate with a normal start.

    The fitted normal density is multiplied by a kernel estimate of the ratio of the density to it
    (Hjort and Glad 1995). In the tails, the bias of an ordinary kernel estimate is many times its
    standard error. This method removes that bias if the posterior is nearly normal, as it is except
    for very small samples. The remaining bias is estimated by doubling the bandwidth; its square is
    added to the variance. `share` is the effective sample size per draw of a Markov chain.
    """
    n, mean, sd = len(draws), float(draws.mean()), float(draws.std(ddof=1))
    if sd == 0:
        return Estimate(math.inf if mean == 0 else -math.inf, math.inf, "all draws are equal")
    log_start = norm.logpdf(draws, mean, sd)

    def smoothed(bandwidth: float) -> tuple[float, float]:
        log_terms = norm.logpdf(0.0, draws, bandwidth) - log_start
        log_mean = float(logsumexp(log_terms) - math.log(n))
        return log_mean, float(np.exp(log_terms - log_mean).var() / n)

    bandwidth = sd * n**-0.2
    log_mean, variance = smoothed(bandwidth)
    # The bias is proportional to h^2, so doubling h adds three times the bias at h.
    bias = (smoothed(2 * bandwidth)[0] - log_mean) / 3
    near = np.count_nonzero(np.abs(draws) < bandwidth)
    log_density = float(norm.logpdf(0.0, mean, sd)) + log_mean
    reason = "" if share * near >= FEW_DRAWS else f"only {near} of {n:,} draws are close to 0"
    return Estimate(log_density, variance / share + bias**2, reason)


def density_by_kde(draws: Array) -> tuple[Estimate, float]:
    """Estimate the log density at 0 as in the papers, and return it with the bandwidth.

    The estimate uses a Gaussian kernel with Scott's bandwidth. It is always marked as unreliable,
    because it depends only on the bandwidth if the true density is infinite.
    """
    if np.ptp(draws) == 0:
        return Estimate(
            math.inf if draws[0] == 0 else -math.inf, math.inf, "all draws are equal"
        ), 0.0
    kde = gaussian_kde(draws)
    bandwidth = float(np.sqrt(kde.covariance[0, 0]))
    log_density = float(kde.logpdf(0.0)[0])
    # The variance of a kernel estimate is density * roughness of the kernel / (n * bandwidth). The
    # minimum avoids overflow far in the tails, where the variance is meaningless.
    log_variance = -log_density - math.log(2 * math.sqrt(math.pi) * len(draws) * bandwidth)
    return Estimate(log_density, math.exp(min(log_variance, 600.0)), BY_BANDWIDTH), bandwidth


def ratio(
    posterior: Estimate, prior: Estimate, method: str, bandwidth: float | None = None
) -> BayesFactor:
    """Return the Bayes factor as the ratio of posterior to prior."""
    log = posterior.log - prior.log
    value = math.exp(min(log, 709.0))
    mcse = value * math.sqrt(posterior.variance + prior.variance)
    reason = posterior.reason or prior.reason
    return BayesFactor(value, log / math.log(10), mcse, not reason, method, bandwidth, reason)
