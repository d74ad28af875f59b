"""The prior of the difference of two paired binary classifiers: regions, and density at 0.

For each class, let x be the probability that A is right, u the probability that B is right if A is
right, and v the probability that B is right if A is wrong. These are independent Beta variables. B
is right with probability x u + (1 - x) v, and every registered metric increases with it. So given
all of these variables except one u or v, a region of differences is an interval of that variable,
whose probability is a difference of Beta CDFs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray
from scipy.special import betainc, betaincinv, betaln, gammaln, roots_jacobi, roots_legendre

from skbayeseval.engines.blocks import child_of, in_order
from skbayeseval.judgement.intervals import Interval
from skbayeseval.metrics.confusion import Metric
from skbayeseval.models.margins import BetaMargin

Array = NDArray[Any]

STRATA = 2**12
MOST_BLOCKS = 2**9


def shares_given_rates(
    shapes: Mapping[str, Array],
    fixed: Mapping[str, Array],
    metric: Metric,
    positive: int,
    rng: Generator,
    region: Interval,
) -> Iterator[Array]:
    """Yield estimates of P(A - B in the region), given the shapes of the prior or a known mu.

    The n strata divide the range of mu. There are more strata near its ends, where metrics such as
    F1 are small and nearly equal, and each estimate is weighted to correct for that.
    """
    # Axes: class (the positive one first), whether A is right, whether B is right.
    theta = np.stack([shapes["theta+"], shapes["theta-"][::-1]]).reshape(2, 2, 2)

    def draw(rng: Generator) -> Array:
        even = (np.arange(STRATA) + rng.random((2, STRATA))).ravel() / STRATA
        if "mu" in shapes:
            mu, worth = _proportions(shapes["mu"], even), 6 * even * (1 - even)
        else:
            mu, worth = np.tile(fixed["mu"], len(even)), np.ones_like(even)
        x = _beta(rng, theta.sum(axis=2), 2 * STRATA)
        rates = _beta(rng, theta, 2 * STRATA)
        shares = worth * _shares(theta, mu, x, rates, metric, positive, region)
        return shares.reshape(2, STRATA)

    return in_order(draw, ((child_of(rng),) for _ in range(MOST_BLOCKS)))


def _proportions(shapes: Array, even: Array) -> Array:
    """Return quantiles of a Beta variable and of its complement, denser near both ends.

    The levels are t^2 (3 - 2 t), and the weight of the quantile at t is their slope, 6 t (1 - t).
    """
    first, second = (
        betaincinv(p, q, t**2 * (3 - 2 * t))
        for (p, q), t in ((shapes, even), (shapes[::-1], 1 - even))
    )
    return np.maximum([first, second], 1e-300)  # smaller values lead to 0 / 0


def _beta(rng: Generator, shapes: Array, n: int) -> Array:
    """Return draws of shape (..., n), given the Beta shapes on the last axis."""
    return rng.beta(shapes[..., 0, None], shapes[..., 1, None], (*shapes.shape[:-1], n))


def _shares(
    theta: Array, mu: Array, x: Array, rates: Array, metric: Metric, positive: int, region: Interval
) -> Array:
    """Return the probability of the region given all but one of the `rates`, for each draw.

    `mu` and `x` have shape (class, n), `rates` has shape (class, whether A is wrong, n).
    """

    def score(right: Array) -> Array:
        """Return the metric of a classifier that is right with probability `right`."""
        hits, misses = mu * right, mu * (1 - right)
        tables = np.array([[hits[0], misses[0]], [misses[1], hits[1]]])
        if positive != 0:
            tables = tables[::-1, ::-1]
        return metric(np.moveaxis(tables, -1, 0), positive)

    # In each class, the rate with the larger weight is a candidate for integration.
    chances = np.stack([x, 1 - x], axis=1)
    candidate = chances.argmax(axis=1)[:, None]
    reach = np.take_along_axis(chances, candidate, axis=1)[:, 0]
    y = (chances * rates).sum(axis=1)
    least = y - reach * np.take_along_axis(rates, candidate, axis=1)[:, 0]

    # Of the two candidates, take the one with the larger effect on B's metric, evaluated with the
    # other in the middle of its range: the choice must not depend on the draws of the candidates.
    middle = least + reach / 2
    is_first = np.array([[True], [False]])
    spans = [
        score(np.where(mask, least + reach, middle)) - score(np.where(mask, least, middle))
        for mask in (is_first, ~is_first)
    ]
    moving = np.stack([spans[0] >= spans[1], spans[0] < spans[1]])

    def score_of_b(rate: Array) -> Array:
        return score(np.where(moving, least + reach * rate, y))

    score_of_a = score(x)
    left_out = np.argmax(moving, axis=0)
    shapes = theta[left_out, np.take_along_axis(candidate[:, 0], left_out[None], axis=0)[0]]
    low, high = (
        betainc(shapes[:, 0], shapes[:, 1], _solve(score_of_b, score_of_a - difference))
        for difference in (region.high, region.low)
    )
    return high - low


def _solve(rising: Callable[[Array], Array], target: Array, n_steps: int = 5) -> Array:
    """Return where in [0, 1] an increasing function equals the target, or the nearest end.

    Metrics are ratios of linear functions of a rate, or sums of a few such ratios. Each step
    bisects the bracket and fits a ratio of linear functions to its ends and its middle, which
    always has a root inside the bracket.
    """
    low, high = np.zeros_like(target), np.ones_like(target)
    at_low, at_high = rising(low), rising(high)
    below_all, above_all = target <= at_low, target >= at_high
    with np.errstate(divide="ignore", invalid="ignore"):
        for _ in range(n_steps):
            middle = (low + high) / 2
            at_middle = rising(middle)
            # Since the middle bisects the bracket, (root - low) / (high - root) is a cross-ratio.
            ratio = (target - at_low) * (at_high - at_middle)
            ratio = ratio / ((at_high - target) * (at_middle - at_low))
            # The ratio is negative only by rounding, and NaN where the function is constant.
            root = high - (high - low) / (1 + np.maximum(ratio, 0.0))
            root = np.where(np.isnan(root), middle, root)
            at_root = rising(root)
            first, second = np.minimum(root, middle), np.maximum(root, middle)
            at_first = np.where(root < middle, at_root, at_middle)
            at_second = np.where(root < middle, at_middle, at_root)
            below, above = target < at_first, target >= at_second
            low, high, at_low, at_high = (
                np.where(below, low, np.where(above, second, first)),
                np.where(below, first, np.where(above, high, second)),
                np.where(below, at_low, np.where(above, at_second, at_first)),
                np.where(below, at_first, np.where(above, at_high, at_second)),
            )
        root = low + (high - low) * (target - at_low) / (at_high - at_low)
    root = np.where(np.isnan(root), low, np.clip(root, low, high))
    return np.where(above_all, 1.0, np.where(below_all, 0.0, root))


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
