"""Two binary classifiers on the same instances: a region of differences given all rates but one.

For each class let x be the probability that A is right, u that B is right where A is, and v that B
is right where A is wrong: independent Beta variables. B is right with probability
x u + (1 - x) v, and every registered score rises with it. So given all of these but one u or v, a
region of differences is an interval of that one, whose probability is a Beta's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import betainc, betaincinv

from skbayeseval.judgement.intervals import Interval
from skbayeseval.metrics.confusion import Metric
from skbayeseval.models.specification import Specification

__all__ = ["is_paired", "shares_given_rates"]

Array = NDArray[Any]

STRATA = 2**12
MOST_BLOCKS = 2**9


def is_paired(specification: Specification) -> bool:
    """Whether the specification is that of two binary classifiers on the same instances."""
    return any(simplex.name == "theta+" for simplex in specification.simplexes)


def shares_given_rates(
    specification: Specification,
    metric: Metric,
    positive: int,
    rng: np.random.Generator,
    region: Interval,
) -> Iterator[Array]:
    """Yield estimates of P(A - B in the region) before the data, in blocks of shape (2, n).

    The n strata are of mu. Its ends, where scores such as F1 are small and nearly equal, get more
    strata than their probability, and each share is weighted by what its stratum is worth.
    """
    shapes = specification.shapes(prior=True)
    # Of each class, positive first: whether A is right, then whether B is.
    theta = np.stack([shapes["theta+"], shapes["theta-"][::-1]]).reshape(2, 2, 2)
    for _ in range(MOST_BLOCKS):
        even = (np.arange(STRATA) + rng.random((2, STRATA))).ravel() / STRATA
        if "mu" in shapes:
            mu, worth = _proportions(shapes["mu"], even), 6 * even * (1 - even)
        else:
            mu, worth = np.tile(specification.fixed["mu"][:, None], len(even)), np.ones_like(even)
        x = _beta(rng, theta.sum(axis=2), 2 * STRATA)
        rates = _beta(rng, theta, 2 * STRATA)
        shares = worth * _shares(theta, mu, x, rates, metric, positive, region)
        yield shares.reshape(2, STRATA)


def _proportions(shapes: Array, even: Array) -> Array:
    """Return quantiles of a Beta variable and of its complement, drawn towards both ends.

    The slope of t^2 (3 - 2 t), 6 t (1 - t), is what the quantile at t is worth.
    """
    first, second = (
        betaincinv(p, q, t**2 * (3 - 2 * t))
        for (p, q), t in ((shapes, even), (shapes[::-1], 1 - even))
    )
    return np.maximum([first, second], 1e-300)  # below which rates of a class are 0 / 0


def _beta(rng: np.random.Generator, shapes: Array, n: int) -> Array:
    """Return draws of shape (..., n) for Beta shapes in the last axis."""
    return rng.beta(shapes[..., 0, None], shapes[..., 1, None], (*shapes.shape[:-1], n))


def _shares(
    theta: Array,
    mu: Array,
    x: Array,
    rates: Array,
    metric: Metric,
    positive: int,
    region: Interval,
) -> Array:
    """Return the probability of the region given all but one of the `rates`, draw by draw.

    `mu` and `x` are of shape (class, n), `rates` of shape (class, whether A is wrong, n).
    """

    def score(right: Array) -> Array:
        """Return the score of a classifier that is right with probability `right`."""
        hits, misses = mu * right, mu * (1 - right)
        tables = np.array([[hits[0], misses[0]], [misses[1], hits[1]]])
        if positive != 0:
            tables = tables[::-1, ::-1]
        return metric(np.moveaxis(tables, -1, 0), positive)

    # In each class the rate that counts most is a candidate to be left out.
    chances = np.stack([x, 1 - x], axis=1)
    candidate = chances.argmax(axis=1)[:, None]
    reach = np.take_along_axis(chances, candidate, axis=1)[:, 0]
    y = (chances * rates).sum(axis=1)
    least = y - reach * np.take_along_axis(rates, candidate, axis=1)[:, 0]

    # Of the two the one that moves B's score further: judged with the other in the middle of its
    # range, since the choice must not look at what is left out.
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
    """Return where in [0, 1] a rising function meets the target, or the end nearest to it.

    Scores are ratios of linear functions of a rate, or sums of a few. Each step halves the bracket
    and puts a ratio of linear functions through its ends and its middle, which always meets the
    target inside.
    """
    low, high = np.zeros_like(target), np.ones_like(target)
    at_low, at_high = rising(low), rising(high)
    below_all, above_all = target <= at_low, target >= at_high
    with np.errstate(divide="ignore", invalid="ignore"):
        for _ in range(n_steps):
            middle = (low + high) / 2
            at_middle = rising(middle)
            # The middle being half way, (root - low) / (high - root) is this cross-ratio.
            ratio = (target - at_low) * (at_high - at_middle)
            ratio = ratio / ((at_high - target) * (at_middle - at_low))
            # Negative by rounding only; not a number where the function is flat.
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
