"""Draws from the model of right-or-wrong items in groups, by importance sampling.

The posterior has four parameters, alpha = d theta, in whose logarithms it is nearly normal. Draws
of a Student t distribution that is fitted to it in a few rounds are resampled in proportion to the
ratio of the two densities.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import gammaln

from skbayeseval.models.items import ClusteredSpecification

__all__ = ["draw_clustered", "log_posterior"]

Array = NDArray[Any]

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
