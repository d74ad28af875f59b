"""Exact draws of mean scores of items: by random weights of items, or of outcomes.

Weighted sums over very many items are drawn in two parts. Items far from the mean have weights of
their own. The sum over the others is normal, with its exact mean and covariance: a sum of so many
independent variables, none of which stands out, is normal for all that draws can tell.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import gammaln

from skbayeseval.engines.blocks import stream_blocks
from skbayeseval.engines.gammas import GammaRows
from skbayeseval.models.items import (
    ClusteredSpecification,
    ItemWeightSpecification,
    RightOrWrongSpecification,
)

__all__ = [
    "WeightedSums",
    "draw_clustered",
    "log_posterior",
    "stream_item_means",
    "stream_right_or_wrong",
]


Array = NDArray[Any]


# The most draws in a block, and its approximate memory. Changing them changes the draws of a given
# seed.
BLOCK = 25_000


BLOCK_BYTES = 2**24


# Up to this number, all units have weights of their own.
MOST_UNITS = 2**14


# If there are more, this number of those farthest from the mean.
FARTHEST = 2**12


# The share of the prior that is left to the last stick, on average.
REMAINDER = 1e-6


class WeightedSums:
    """Sums over units, weighted by independent Gamma(1) variables.

    Equal units share one weight: the sum of k Gamma(1) variables is a Gamma(k) variable.

    Parameters
    ----------
    rows : ndarray of shape (n_rows, n_units)
        What is summed.
    most, farthest : int
        The most units that all have weights of their own, and the number of those that have if
        there are more.

    Examples
    --------
    >>> import numpy as np
    >>> from skbayeseval.engines.items import WeightedSums
    >>> sums = WeightedSums(np.array([[1.0, 1.0, 1.0, 1.0], [0.0, 0.0, 0.0, 3.0]]))
    >>> sums.n_own  # three of the four units are equal
    2
    >>> sums.draw(np.random.default_rng(0), 5).shape
    (2, 5)
    """

    def __init__(self, rows: Array, most: int = MOST_UNITS, farthest: int = FARTHEST) -> None:
        rows, times = _distinct(rows)
        self._mean = self._root = None
        if len(times) > most:
            own = _farthest(rows, times, farthest)
            rest = ~own
            self._mean = rows[:, rest] @ times[rest]
            values, vectors = np.linalg.eigh((rows[:, rest] * times[rest]) @ rows[:, rest].T)
            self._root = vectors * np.sqrt(np.maximum(values, 0.0))
            rows, times = rows[:, own], times[own]
        self._gammas = GammaRows(times)
        self._rows = np.ascontiguousarray(rows[:, self._gammas.order])

    @property
    def n_own(self) -> int:
        """The number of weights that are drawn."""
        return self._rows.shape[1]

    def draw(self, rng: np.random.Generator, n_draws: int) -> Array:
        """Return draws of the sums, of shape (n_rows, n_draws)."""
        sums = self._rows @ self._gammas.draw(rng, n_draws)
        if self._root is not None and self._mean is not None:
            sums += self._mean[:, None] + self._root @ rng.standard_normal((len(sums), n_draws))
        return sums

    @property
    def block(self) -> int:
        """The number of draws in a block."""
        return max(1, min(BLOCK, BLOCK_BYTES // (8 * (self.n_own + 1))))


def stream_item_means(
    specification: ItemWeightSpecification, rng: np.random.Generator, n_draws: int
) -> Iterator[Array]:
    """Yield blocks of draws of the weighted mean score of each system, (n_systems, n)."""
    sums, sizes = specification.units
    means = sums.sum(axis=1) / sizes.sum()
    # Deviations from the mean, so that large scores with small differences lose no digits.
    weighted = WeightedSums(np.vstack([sizes, sums - np.outer(means, sizes)]))

    def draw(rng: np.random.Generator, size: int) -> Array:
        total, *deviations = weighted.draw(rng, size)
        return specification.sign * (means[:, None] + np.stack(deviations) / total)

    return stream_blocks(draw, rng, n_draws, weighted.block)


def stream_right_or_wrong(
    specification: RightOrWrongSpecification,
    rng: np.random.Generator,
    n_draws: int,
    *,
    prior: bool,
) -> Iterator[Array]:
    """Yield blocks of draws of the probability of being right of each system, (n_systems, n)."""
    shapes = specification.shapes(prior=prior)
    if shapes:
        return stream_blocks(partial(_of_two, specification, shapes["theta"]), rng, n_draws, BLOCK)
    right, mass = specification.right, float(specification.theta.sum())
    rows = np.vstack([np.ones(right.shape[1]), right])
    weighted = WeightedSums(rows[:, :0] if prior else rows)

    def draw(rng: np.random.Generator, size: int) -> Array:
        total, *hits = weighted.draw(rng, size)
        unseen = rng.standard_gamma(mass, size)
        expected = _right_under_the_prior(len(right), mass, rng, size)
        return specification.sign * (np.stack(hits) + unseen * expected) / (total + unseen)

    return stream_blocks(draw, rng, n_draws, weighted.block)


def _of_two(
    specification: RightOrWrongSpecification, theta: Array, rng: np.random.Generator, size: int
) -> Array:
    both, only_a, only_b, _ = rng.dirichlet(theta, size).T
    return specification.sign * np.stack([both + only_a, both + only_b])


def _right_under_the_prior(
    n_systems: int, mass: float, rng: np.random.Generator, n_draws: int
) -> Array:
    """Return draws of the prior: a Dirichlet of that mass, uniform over the 2^K outcomes.

    Sticks are broken off (Sethuraman 1994), and each has an outcome in which every system is right
    or wrong with equal probability. So the 2^K outcomes need not be listed.
    """
    n_sticks = int(np.ceil(np.log(REMAINDER) / np.log(mass / (1 + mass))))
    found, remaining = np.zeros((n_systems, n_draws)), np.ones(n_draws)
    for last in range(n_sticks, 0, -1):
        taken = remaining * (1.0 if last == 1 else 1 - rng.random(n_draws) ** (1 / mass))
        found += taken * rng.integers(0, 2, (n_systems, n_draws), dtype=np.int8)
        remaining = remaining - taken
    return found


def _distinct(rows: Array) -> tuple[Array, Array]:
    """Return the distinct columns and how often each occurs; as they are if few are equal.

    They are in the order in which they occur first, which does not change if rows are exchanged.
    """
    n = rows.shape[1]
    codes = np.zeros(n, dtype=np.int64)
    for row in rows:
        values, own = np.unique(row, return_inverse=True)
        distinct, first, codes, times = np.unique(
            codes * len(values) + own, return_index=True, return_inverse=True, return_counts=True
        )
        if 2 * len(distinct) > n:
            return rows, np.ones(n)
    order = np.argsort(first)
    return rows[:, first[order]], times[order].astype(float)


def _farthest(rows: Array, times: Array, number: int) -> Array:
    """Return a mask of the units that are farthest from the mean in any of the rows."""
    total = times.sum()
    deviations = rows - (rows @ times / total)[:, None]
    spread = np.sqrt(deviations**2 @ times / total)
    distance = np.sqrt(times) * np.max(
        np.abs(deviations) / np.where(spread > 0, spread, 1.0)[:, None], axis=0
    )
    own = np.zeros(len(times), dtype=bool)
    own[np.argpartition(distance, -number)[-number:]] = True
    return own


# Tails of the proposal that are heavier than those of the posterior.
DF = 5.0


# The rounds in which the proposal is fitted, and the number of draws in each.
ROUNDS = 3


FITTED = 2000


# Proposals per draw.
PROPOSALS = 4


def draw_clustered(
    specification: ClusteredSpecification, rng: np.random.Generator, n_draws: int, *, prior: bool
) -> Array:
    """Return draws of the probability of being right of each of two systems, (2, n_draws)."""
    if prior:
        theta = rng.dirichlet(specification.theta, n_draws).T
    else:
        theta = _draw_theta(specification, rng, n_draws)
    both, only_a, only_b, _ = theta
    return specification.sign * np.stack([both + only_a, both + only_b])


def log_posterior(specification: ClusteredSpecification, log_alpha: Array) -> Array:
    """Return the log density of the posterior of log(alpha), up to a constant.

    Parameters
    ----------
    specification : ClusteredSpecification
        The model and the counts.
    log_alpha : ndarray of shape (4, n)
        Where to evaluate it.
    """
    counts, theta, (shape, rate) = specification.counts, specification.theta, specification.d
    alpha = np.exp(log_alpha)
    d = alpha.sum(axis=0)
    log_d = np.log(d)
    found = theta @ (log_alpha - log_d) + shape * log_d - rate * d
    for of_one, concentration in zip(counts.T, alpha, strict=True):
        found += _log_rising(of_one, concentration)
    return found - _log_rising(counts.sum(axis=1), d)


def _log_rising(counts: Array, concentration: Array) -> Array:
    """Return the sum over counts c of log(Gamma(concentration + c) / Gamma(concentration))."""
    found, start = np.zeros_like(concentration), gammaln(concentration)
    for c, times in zip(*np.unique(counts[counts > 0], return_counts=True), strict=True):
        found += times * (gammaln(concentration + c) - start)
    return found


def _draw_theta(
    specification: ClusteredSpecification, rng: np.random.Generator, n_draws: int
) -> Array:
    shares = specification.counts.sum(axis=0) + specification.theta
    mode = minimize(
        lambda x: -float(log_posterior(specification, x[:, None])[0]), np.log(shares / shares.sum())
    )
    centre, covariance = mode.x, mode.hess_inv
    for _ in range(ROUNDS):
        x, weights = _proposed(specification, centre, covariance, rng, FITTED)
        # Weights are tempered until the proposal is close enough for the rest to be noise.
        weights = np.sqrt(weights) if _effective(weights) < FITTED / 20 else weights
        weights /= weights.sum()
        centre = x @ weights
        covariance = (weights * (x - centre[:, None])) @ (x - centre[:, None]).T
    x, weights = _proposed(specification, centre, covariance, rng, PROPOSALS * n_draws)
    # Systematic resampling: each proposal is taken as often as its weight says, up to rounding.
    steps = (np.arange(n_draws) + rng.random()) / n_draws
    ends = np.cumsum(weights)
    chosen = np.minimum(np.searchsorted(ends / ends[-1], steps), x.shape[1] - 1)
    alpha = np.exp(x[:, rng.permutation(chosen)])
    return np.asarray(alpha / alpha.sum(axis=0))


def _proposed(
    specification: ClusteredSpecification,
    centre: Array,
    covariance: Array,
    rng: np.random.Generator,
    n: int,
) -> tuple[Array, Array]:
    """Return proposals of log(alpha), of shape (4, n), and their weights."""
    root = np.linalg.cholesky(covariance + 1e-9 * np.eye(len(centre)))
    normal = rng.standard_normal((len(centre), n))
    chi = rng.chisquare(DF, n) / DF
    x = centre[:, None] + root @ normal / np.sqrt(chi)
    log_proposal = -(DF + len(centre)) / 2 * np.log1p((normal**2).sum(axis=0) / chi / DF)
    log_weights = log_posterior(specification, x) - log_proposal
    return x, np.exp(log_weights - log_weights.max())


def _effective(weights: Array) -> float:
    return float(weights.sum() ** 2 / (weights**2).sum())
