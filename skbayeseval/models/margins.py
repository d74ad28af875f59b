"""Closed-form posteriors of a metric of one classifier, and of the difference of two."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import brentq
from scipy.special import (
    betainc,
    betaincinv,
    betaln,
    expit,
    log_expit,
    logsumexp,
    polygamma,
    psi,
    stdtr,
    stdtrit,
)

__all__ = [
    "BetaMargin",
    "F1Margin",
    "StudentMargin",
    "difference_interval",
    "difference_log_density_at_zero",
    "difference_probability",
]

Array = NDArray[Any]


@dataclass(frozen=True)
class BetaMargin:
    """A metric that is Beta(a, b), or (`F1Margin`) an increasing function of such a variable."""

    a: float
    b: float

    # 1 / (d metric / d x) as a polynomial in x, lowest power first.
    inverse_slope: ClassVar[tuple[float, ...]] = (1.0,)

    @staticmethod
    def score(x: ArrayLike) -> Array:
        """Return the metric value at the Beta variable `x`."""
        return np.asarray(x, dtype=float)

    @staticmethod
    def variable(score: ArrayLike) -> Array:
        """Return the Beta variable at the metric value `score`, clipped to [0, 1]."""
        return np.clip(score, 0.0, 1.0)

    @property
    def sd(self) -> float:
        """The standard deviation of the Beta variable."""
        total = self.a + self.b
        return float(np.sqrt(self.a * self.b / (total + 1)) / total)

    def ppf(self, prob: ArrayLike) -> Array:
        """Return quantiles of the metric."""
        return self.score(betaincinv(self.a, self.b, prob))

    def interval(self, prob: float) -> tuple[float, float]:
        """Return the equal-tailed interval of the metric."""
        low, high = self.ppf([(1 - prob) / 2, (1 + prob) / 2])
        return float(low), float(high)

    def mass(self, low: ArrayLike, high: ArrayLike) -> Array:
        """Return P(low <= metric <= high), with full relative precision in both tails."""
        x_low, x_high = self.variable(low), self.variable(high)
        below_low = betainc(self.a, self.b, x_low)
        # The complement by symmetry: scipy's betaincc is a hundred times slower.
        from_right = betainc(self.b, self.a, 1 - x_low) - betainc(self.b, self.a, 1 - x_high)
        from_left = betainc(self.a, self.b, x_high) - below_low
        return np.where(below_low > 0.5, from_right, from_left)

    def nodes(self) -> tuple[Array, Array]:
        """Return metric values and weights for integrating a smooth function against the density.

        As a function of the logit, the density of a Beta variable is analytic and falls off
        exponentially for all shapes, so the trapezoidal rule converges faster than any power of
        the step. The range of forty standard deviations leaves out less than exp(-40).
        """
        centre = psi(self.a) - psi(self.b)
        spread = np.sqrt(polygamma(1, self.a) + polygamma(1, self.b))
        step = min(0.1 * spread, 0.05)
        logit = centre + np.arange(-40 * spread, 40 * spread, step)
        log_density = self.a * log_expit(logit) + self.b * log_expit(-logit)
        log_density -= betaln(self.a, self.b)
        kept = log_density > log_density.max() - 600
        return self.score(expit(logit[kept])), step * np.exp(log_density[kept])


class F1Margin(BetaMargin):
    """F1 = 2 J / (1 + J), where Jaccard's J is Beta(a, b).

    The same distribution as 2 / (2 + X) with X ~ BetaPrime(b, a) (Wang and Li 2019, eq. 27).
    """

    inverse_slope: ClassVar[tuple[float, ...]] = (0.5, 1.0, 0.5)

    @staticmethod
    def score(x: ArrayLike) -> Array:
        """Return the F1 that corresponds to Jaccard's index `x`."""
        x = np.asarray(x, dtype=float)
        return 2 * x / (1 + x)

    @staticmethod
    def variable(score: ArrayLike) -> Array:
        """Return Jaccard's index that corresponds to the F1 `score`."""
        score = np.clip(score, 0.0, 1.0)
        return score / (2 - score)


def difference_probability(a: BetaMargin, b: BetaMargin, low: float, high: float) -> float:
    """Return P(low <= A - B <= high) for independent metrics A and B, by quadrature."""

    def over_a() -> float:
        score, weights = a.nodes()
        return float(min(np.sum(weights * b.mass(score - high, score - low)), 1.0))

    def over_b() -> float:
        score, weights = b.nodes()
        return float(min(np.sum(weights * a.mass(score + low, score + high)), 1.0))

    if a == b:
        return (over_a() + over_b()) / 2
    # Integrate over the narrower density, so that the other factor is smooth between its nodes.
    # The choice is the same if A and B are swapped.
    return over_a() if (a.sd, a.a, a.b) < (b.sd, b.a, b.b) else over_b()


def difference_interval(a: BetaMargin, b: BetaMargin, prob: float) -> tuple[float, float]:
    """Return the equal-tailed interval of A - B for independent metrics A and B."""
    tail = (1 - prob) / 2

    def too_much_below(x: float) -> float:
        return difference_probability(a, b, -1.0, x) - tail

    def too_much_above(x: float) -> float:
        return difference_probability(a, b, x, 1.0) - tail

    low = brentq(too_much_below, -1.0, 1.0, xtol=1e-10, rtol=1e-10)
    return low, brentq(too_much_above, low, 1.0, xtol=1e-10, rtol=1e-10)


def difference_log_density_at_zero(a: BetaMargin, b: BetaMargin) -> float:
    """Return the log density of A - B at 0, for independent A and B of the same class."""
    if min(a.a + b.a, a.b + b.b) <= 1:
        return np.inf
    powers = np.arange(len(a.inverse_slope))
    terms = betaln(a.a + b.a - 1 + powers, a.b + b.b - 1)
    log_integral = logsumexp(terms, b=a.inverse_slope)
    return float(log_integral - betaln(a.a, a.b) - betaln(b.a, b.b))


@dataclass(frozen=True)
class StudentMargin:
    """Student's t around a mean: of a mean score, or of the difference of two.

    Parameters
    ----------
    mean, scale : float
        Where it is, and how wide; a scale of 0 is a point.
    df : float
        The degrees of freedom.
    """

    mean: float
    scale: float
    df: float

    @property
    def sd(self) -> float:
        """The standard deviation; infinite for two degrees of freedom or fewer."""
        if self.scale == 0:
            return 0.0
        return self.scale * np.sqrt(self.df / (self.df - 2)) if self.df > 2 else np.inf

    def interval(self, prob: float) -> tuple[float, float]:
        """Return the equal-tailed interval, which is the highest-density one as well."""
        half = float(stdtrit(self.df, (1 + prob) / 2)) * self.scale
        return self.mean - half, self.mean + half

    def below(self, value: float) -> float:
        """Return the probability of a smaller value."""
        if self.scale == 0:
            return float(self.mean < value)
        return float(stdtr(self.df, (value - self.mean) / self.scale))

    def above(self, value: float) -> float:
        """Return the probability of a larger value."""
        return StudentMargin(-self.mean, self.scale, self.df).below(-value)
