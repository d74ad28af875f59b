"""Laws: closed-form posteriors of a metric of one classifier, and of the difference of two.

Of two paired binary classifiers, the density of the difference at 0 is closed as well.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import brentq
from scipy.special import (
    betainc,
    betaincinv,
    betaln,
    expit,
    gammaln,
    log_expit,
    logit,
    logsumexp,
    ndtr,
    ndtri,
    polygamma,
    psi,
    roots_jacobi,
    roots_legendre,
    stdtr,
    stdtrit,
)

from skbayeseval._arrays import Array
from skbayeseval._validation import check_probability
from skbayeseval.judgement.decision import Probabilities
from skbayeseval.judgement.distribution import Distribution
from skbayeseval.judgement.intervals import Interval
from skbayeseval.metrics.metric import CellRatio


def log_density_of_equality(pairs: Array) -> float:
    """Log density at 0 of theta(1,0) - theta(0,1) when theta ~ Dirichlet(pairs)."""
    differ = pairs[1] + pairs[2]
    if differ <= 1:
        return np.inf
    # theta(1,0) and theta(0,1) are a Beta variable and its complement, times their sum. The density
    # of the former at 1/2, and the mean of the inverse of the latter:
    share = BetaMargin(pairs[1], pairs[2])
    at_half = share.log_density_by_mode(np.zeros(1))[0] - share.log_integral_by_mode()
    return float(at_half + np.log(2 * (pairs.sum() - 1) / (differ - 1)))


def log_density_of_equal_accuracy(shapes: Mapping[str, Array], balanced: bool) -> float | None:
    """Log density at 0 of the difference in accuracy under a smooth, weak (prior) Dirichlet.

    With X = theta+(1,0) - theta+(0,1) and Y likewise of theta-, the difference is
    mu X - (1 - mu) Y, or (X - Y) / 2 for the balanced accuracy. Returns None for large shapes, as
    in posteriors, because they would need more quadrature nodes.
    """
    x_shapes, y_shapes = shapes["theta+"], shapes["theta-"]
    if min(x_shapes.min(), y_shapes.min()) < 1 or max(x_shapes.sum(), y_shapes.sum()) > 50:
        return None
    if not balanced and "mu" not in shapes:  # the class proportions are fixed
        return None
    nodes, weights = roots_legendre(200)
    unit, unit_weights = (nodes + 1) / 2, weights / 2
    x = np.concatenate([-unit, unit])
    x_weights = np.concatenate([unit_weights, unit_weights])
    if balanced:
        density = _difference_density(x, x_shapes) * _difference_density(x, y_shapes)
        return float(np.log(2 * np.sum(x_weights * density)))

    a, b = shapes["mu"]
    if a + b > 50:
        return None
    total = 0.0
    for (small, large), (p, q) in (
        ((x_shapes, y_shapes), (a, b)),
        ((y_shapes, x_shapes), (b, a)),
    ):
        # Integrate over the smaller of mu and 1 - mu, so that the partner stays in [-1, 1]. The
        # factor mu^(p - 1) is part of the weights because it is singular at 0 for p < 1.
        nodes, weights = roots_jacobi(100, 0.0, p - 1)
        mu, mu_weights = (nodes + 1) / 4, weights / 4**p
        partner = mu[:, None] * x / (1 - mu[:, None])
        inner = _difference_density(x, small) * _difference_density(partner, large)
        given_mu = np.sum(x_weights * inner, axis=1) / (1 - mu)
        rest = np.exp((q - 1) * np.log1p(-mu) - betaln(p, q))
        total += float(np.sum(mu_weights * rest * given_mu))
    return float(np.log(total))


def _difference_density(x: Array, pairs: Array) -> Array:
    """Density of theta(1,0) - theta(0,1) at `x` when theta ~ Dirichlet(pairs)."""
    result = np.empty_like(x)
    same = pairs[0] + pairs[3]
    for sign, (first, second) in ((1, (pairs[1], pairs[2])), (-1, (pairs[2], pairs[1]))):
        here = x >= 0 if sign > 0 else x < 0
        size = np.abs(x[here])
        nodes, weights = roots_jacobi(40, same - 1, second - 1)
        u = (nodes + 1) / 2
        weights = weights / 2 ** (same + second - 1)
        larger = size[:, None] + (1 - size[:, None]) * u / 2
        integral = np.sum(weights * larger ** (first - 1), axis=1)
        scale = (1 - size) ** (second + same - 1) / 2**second
        result[here] = scale * integral
    log_constant = gammaln(pairs.sum()) - gammaln([pairs[1], pairs[2], same]).sum()
    return result * np.exp(log_constant)


# Beta variables with larger shapes are normal, but for a little skewness.
LARGE = 1e8

# With larger shapes, two terms of Stirling's series are exact for all that a computer can tell.
STIRLING = 1e4


class Law:
    """A distribution in closed form."""

    def mass(self, low: Any, high: Any) -> Any:
        """Return the probability of the values from `low` to `high`."""
        raise NotImplementedError

    def interval(self, prob: float) -> tuple[float, float]:
        """Return the equal-tailed interval."""
        raise NotImplementedError

    def below(self, value: float) -> float:
        """Return the probability of a smaller value."""
        return float(self.mass(-np.inf, value))

    def above(self, value: float) -> float:
        """Return the probability of a larger value."""
        return float(self.mass(value, np.inf))

    def known(
        self, draws: Array | Callable[[], Array], bounds: tuple[float, float] | None
    ) -> Distribution:
        """Return the distribution with this law, of which there are draws, within bounds."""
        return InClosedForm(draws, self)


@dataclass(frozen=True)
class BetaMargin(Law):
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
        if min(self.a, self.b) < LARGE:
            return self.score(betaincinv(self.a, self.b, prob))
        # betaincinv loses digits. The distribution is normal but for its skewness, which is the
        # first term of the expansion of Cornish and Fisher; the next is below 1 / LARGE.
        a, b, total = self.a, self.b, self.a + self.b
        skewness = 2 * (b - a) * np.sqrt((total + 1) / (a * b)) / (total + 2)
        z = ndtri(prob)
        return self.score(a / total + self.sd * (z + skewness * (z**2 - 1) / 6))

    def interval(self, prob: float) -> tuple[float, float]:
        """Return the equal-tailed interval of the metric."""
        low, high = self.ppf([(1 - prob) / 2, (1 + prob) / 2])
        return float(low), float(high)

    def mass(self, low: ArrayLike, high: ArrayLike) -> Array:
        """Return P(low <= metric <= high), with full relative precision in both tails."""
        x_low, x_high = self.variable(low), self.variable(high)
        if min(self.a, self.b) >= LARGE:
            low, high = self._normal_score(x_low), self._normal_score(x_high)
            return np.where(low > 0, ndtr(-low) - ndtr(-high), ndtr(high) - ndtr(low))
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
        logit_x = centre + np.arange(-40 * spread, 40 * spread, step)
        log_density = self.log_density_by_mode(logit_x)
        kept = log_density > log_density.max() - 600
        weights = np.exp(log_density[kept])
        return self.score(expit(logit_x[kept])), weights / weights.sum()

    def _normal_score(self, x: Array) -> Array:
        """Return what a standard normal variable exceeds as often as the Beta variable exceeds `x`.

        This is Barndorff-Nielsen's r*, with an error of the order of 1 / shape, in the tails too.
        """
        a, b, total = self.a, self.b, self.a + self.b
        logit_x = logit(np.atleast_1d(x))
        log_density = self.log_density_by_mode(logit_x)
        distance = np.atleast_1d(x) - a / total
        root = np.sign(distance) * np.sqrt(np.maximum(-2 * log_density, 0.0))
        # Near 0, the correction is its own limit; far away, it does not matter.
        correction = np.full_like(root, (b - a) / (3 * np.sqrt(a * b * total)))
        some = (np.abs(root) > 0.1) & (np.abs(root) < 100)
        slope = total * distance * np.sqrt(total / (a * b))
        correction[some] = np.log(slope[some] / root[some]) / root[some]
        return (root + correction).reshape(np.shape(x))

    def log_density_by_mode(self, logit_x: Array) -> Array:
        """Return the log density of the logit of the Beta variable, minus that at the mode."""
        mode = np.log(self.a / self.b)
        distance = logit_x - mode
        log_x = log_expit(logit_x) - log_expit(mode)
        log_rest = log_expit(-logit_x) - log_expit(-mode)
        # Large shapes magnify the rounding errors of both near the mode.
        near = np.abs(distance) < 0.1
        total = self.a + self.b
        log_x[near] = -np.log1p(np.expm1(-distance[near]) * (self.b / total))
        log_rest[near] = -np.log1p(np.expm1(distance[near]) * (self.a / total))
        return self.a * log_x + self.b * log_rest

    def log_integral_by_mode(self) -> float:
        """Return the log of the integral over what `log_density_by_mode` is the log of."""
        a, b = self.a, self.b
        if min(a, b) > STIRLING:
            corrections = (1 / a + 1 / b - 1 / (a + b)) / 12
            return float(np.log(2 * np.pi * (1 / a + 1 / b)) / 2 + corrections)
        return float(betaln(a, b) + a * np.log1p(b / a) + b * np.log1p(a / b))


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


def margin_of_ratio(ratio: CellRatio, shapes: Array) -> BetaMargin | None:
    """Return the distribution of a ratio of Dirichlet cells; None if it is not in closed form.

    With X the sum of the cells above the line and Y of those below it alone, X / (X + Y) is Beta,
    and 2 X / (2 X + Y) is F1 (Wang and Li 2019, eqs. 25 to 27).

    Parameters
    ----------
    ratio : CellRatio
        The weight of each cell (tp, fp, fn, tn) above and below the line.
    shapes : ndarray of shape (4,)
        The Dirichlet shapes of these cells; NaN where a cell is not counted.

    Examples
    --------
    >>> import numpy as np
    >>> from skbayeseval.metrics import get_metric
    >>> from skbayeseval.models.margins import margin_of_ratio
    >>> margin_of_ratio(get_metric("f1").ratio, np.array([8.0, 2.0, 3.0, np.nan]))
    F1Margin(a=8.0, b=5.0)
    """
    top, bottom = np.array(ratio.top, dtype=float), np.array(ratio.bottom, dtype=float)
    above = top > 0
    below = (bottom > 0) & ~above
    used = above | below
    if not (above.any() and below.any()) or np.isnan(shapes[used]).any():
        return None
    weights = np.unique(bottom[above]), np.unique(bottom[below])
    if np.any(top[above] != bottom[above]) or any(len(unique) > 1 for unique in weights):
        return None
    kinds = {1.0: BetaMargin, 2.0: F1Margin}
    kind = kinds.get(float(weights[0][0] / weights[1][0]))
    return None if kind is None else kind(float(shapes[above].sum()), float(shapes[below].sum()))


@dataclass(frozen=True)
class BetaDifference(Law):
    """The difference A - B of independent metrics of the same class."""

    a: BetaMargin
    b: BetaMargin

    def mass(self, low: float, high: float) -> float:
        """Return P(low <= A - B <= high), by quadrature."""
        low, high = max(low, -1.0), min(high, 1.0)
        a, b = self.a, self.b
        if low >= high:
            return 0.0

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

    def interval(self, prob: float) -> tuple[float, float]:
        """Return the equal-tailed interval."""
        tail = (1 - prob) / 2
        accuracy = {
            "xtol": 1e-9 * min(self.a.sd, self.b.sd),
            "rtol": 4 * np.finfo(float).eps,
        }
        low = brentq(lambda x: self.below(x) - tail, -1.0, 1.0, **accuracy)
        return low, brentq(lambda x: self.above(x) - tail, low, 1.0, **accuracy)

    def log_density_at_zero(self) -> float:
        """Return the log density at 0."""
        a, b = self.a, self.b
        if min(a.a + b.a, a.b + b.b) <= 1:
            return np.inf
        terms = []
        for power in range(len(a.inverse_slope)):
            both = BetaMargin(a.a + b.a - 1 + power, a.b + b.b - 1)
            mode = np.array([np.log(both.a / both.b)])
            # B(both) / (B(a) B(b)), where huge terms that cancel each other are left out.
            densities = a.log_density_by_mode(mode) + b.log_density_by_mode(mode)
            rest = (power - 1) * log_expit(mode) - log_expit(-mode)
            terms.append(both.log_integral_by_mode() + float((densities + rest)[0]))
        integral = logsumexp(terms, b=a.inverse_slope)
        return float(integral - a.log_integral_by_mode() - b.log_integral_by_mode())


@dataclass(frozen=True)
class StudentMargin(Law):
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

    def mass(self, low: float, high: float) -> float:
        """Return the probability of the values from `low` to `high`."""
        return max(0.0, 1.0 - self.below(low) - self.above(high))

    def below(self, value: float) -> float:
        """Return the probability of a smaller value."""
        if self.scale == 0:
            return float(self.mean < value)
        return float(stdtr(self.df, (value - self.mean) / self.scale))

    def above(self, value: float) -> float:
        """Return the probability of a larger value."""
        return StudentMargin(-self.mean, self.scale, self.df).below(-value)

    def known(
        self, draws: Array | Callable[[], Array], bounds: tuple[float, float] | None
    ) -> Distribution:
        """Return the distribution with this law, of which there are draws, within bounds."""
        return StudentQuantity(draws, self, bounds)


class InClosedForm(Distribution):
    """A quantity whose probabilities and equal-tailed intervals are known, beside its draws."""

    def __init__(
        self, draws: Array | Callable[[], Array], law: Law, mcse: float | None = None
    ) -> None:
        super().__init__(draws, mcse)
        self.law = law

    def interval(self, prob: float = 0.95) -> Interval:
        """Return the equal-tailed interval, in closed form or by quadrature."""
        return Interval(*self.law.interval(check_probability(prob)))

    def mass(self, low: float, high: float) -> float:
        """Return the probability of the values from `low` to `high`."""
        return float(self.law.mass(low, high))

    def around(self, region: Interval) -> Probabilities:
        """Return the probabilities of values left of, in and right of a region."""
        worse, better = self.law.below(region.low), self.law.above(region.high)
        return Probabilities(worse, max(0.0, 1.0 - worse - better), better)


class StudentQuantity(InClosedForm):
    """A quantity with a Student t distribution: a mean split score, or a difference of two.

    A t distribution extends beyond the values that a metric such as ROC AUC can have. Draws and
    intervals are cut at these.
    """

    law: StudentMargin

    def __init__(
        self,
        draws: Array | Callable[[], Array],
        law: StudentMargin,
        bounds: tuple[float, float] | None = None,
    ) -> None:
        self.bounds = bounds or (-np.inf, np.inf)
        super().__init__(draws, law, mcse=0.0)

    @cached_property
    def draws(self) -> Array:
        """The draws, which are read-only."""
        draws = np.clip(super().draws, *self.bounds)
        draws.flags.writeable = False
        return draws

    @property
    def mean(self) -> float:
        """The mean."""
        return self.law.mean

    @property
    def sd(self) -> float:
        """The standard deviation."""
        return self.law.sd

    def hdi(self, prob: float = 0.95) -> Interval:
        """Return the highest-density interval, which equals the equal-tailed one by symmetry."""
        return self.interval(prob)

    def hdi_mcse(self, prob: float = 0.95) -> float:
        """Return 0, because the ends are known in closed form."""
        return 0.0

    def interval(self, prob: float = 0.95) -> Interval:
        """Return the equal-tailed interval, in closed form."""
        low, high = np.clip(super().interval(prob), *self.bounds)
        return Interval(float(low), float(high))


def difference_bounds(bounds: tuple[float, float] | None) -> tuple[float, float] | None:
    """Return the limits of the difference of two quantities that have the same limits."""
    return None if bounds is None else (bounds[0] - bounds[1], bounds[1] - bounds[0])
