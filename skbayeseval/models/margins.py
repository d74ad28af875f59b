"""Posteriors of single scores that are known in closed form, and of their differences."""

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
    """A score that is Beta(a, b), or (`F1Margin`) an increasing function of such a variable."""

    a: float
    b: float

    # 1 / (d score / d x) as a polynomial in x, lowest power first.
    inverse_slope: ClassVar[tuple[float, ...]] = (1.0,)

    @staticmethod
    def score(x: ArrayLike) -> Array:
        """Return the score at the Beta variable `x`."""
        return np.asarray(x, dtype=float)

    @staticmethod
    def variable(score: ArrayLike) -> Array:
        """Return the Beta variable at `score`, which is clipped to [0, 1]."""
        return np.clip(score, 0.0, 1.0)

    @property
    def sd(self) -> float:
        """The standard deviation of the Beta variable."""
        total = self.a + self.b
        return float(np.sqrt(self.a * self.b / (total + 1)) / total)

    def ppf(self, prob: ArrayLike) -> Array:
        """Return the quantiles of the score."""
        return self.score(betaincinv(self.a, self.b, prob))

    def interval(self, prob: float) -> tuple[float, float]:
        """Return the equal-tailed interval of the score."""
        low, high = self.ppf([(1 - prob) / 2, (1 + prob) / 2])
        return float(low), float(high)

    def mass(self, low: ArrayLike, high: ArrayLike) -> Array:
        """Return P(low <= score <= high), to full relative precision in both tails."""
        x_low, x_high = self.variable(low), self.variable(high)
        below_low = betainc(self.a, self.b, x_low)
        # The complement, mirrored: scipy's betaincc is a hundred times slower.
        from_right = betainc(self.b, self.a, 1 - x_low) - betainc(self.b, self.a, 1 - x_high)
        from_left = betainc(self.a, self.b, x_high) - below_low
        return np.where(below_low > 0.5, from_right, from_left)

    def nodes(self) -> tuple[Array, Array]:
        """Return scores and weights that integrate a smooth function against the density.

        In the logit of a Beta variable its density is analytic and falls off exponentially for
        all shapes, so that the trapezoidal rule converges faster than any power of the step.
        Forty standard deviations leave out less than exp(-40).
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

    The same law as 2 / (2 + X) with X ~ BetaPrime(b, a) (Wang and Li 2019, eq. 27).
    """

    inverse_slope: ClassVar[tuple[float, ...]] = (0.5, 1.0, 0.5)

    @staticmethod
    def score(x: ArrayLike) -> Array:
        """Return F1 at Jaccard's index `x`."""
        x = np.asarray(x, dtype=float)
        return 2 * x / (1 + x)

    @staticmethod
    def variable(score: ArrayLike) -> Array:
        """Return Jaccard's index at the F1 `score`."""
        score = np.clip(score, 0.0, 1.0)
        return score / (2 - score)


def difference_probability(a: BetaMargin, b: BetaMargin, low: float, high: float) -> float:
    """Return P(low <= A - B <= high) for independent scores A and B, by quadrature."""

    def over_a() -> float:
        score, weights = a.nodes()
        return float(min(np.sum(weights * b.mass(score - high, score - low)), 1.0))

    def over_b() -> float:
        score, weights = b.nodes()
        return float(min(np.sum(weights * a.mass(score + low, score + high)), 1.0))

    if a == b:
        return (over_a() + over_b()) / 2
    # Over the narrower density, so that the other factor is smooth between its nodes; the same
    # one when A and B are swapped.
    return over_a() if (a.sd, a.a, a.b) < (b.sd, b.a, b.b) else over_b()


def difference_interval(a: BetaMargin, b: BetaMargin, prob: float) -> tuple[float, float]:
    """Return the equal-tailed interval of A - B for independent scores A and B."""
    tail = (1 - prob) / 2

    def too_much_below(x: float) -> float:
        return difference_probability(a, b, -1.0, x) - tail

    def too_much_above(x: float) -> float:
        return difference_probability(a, b, x, 1.0) - tail

    low = brentq(too_much_below, -1.0, 1.0, xtol=1e-10, rtol=1e-10)
    return low, brentq(too_much_above, low, 1.0, xtol=1e-10, rtol=1e-10)


def difference_log_density_at_zero(a: BetaMargin, b: BetaMargin) -> float:
    """Return the log density at 0 of A - B for independent A and B of the same kind."""
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
