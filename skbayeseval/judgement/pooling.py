"""Partial pooling: scores of many candidates or subgroups, shrunk towards their common mean.

The best of many equal candidates looks better than the others by chance. This is so in each
posterior draw, too, if the prior takes all candidates for unrelated. Here, the true scores of the
candidates vary around a common mean with a standard deviation that is learned from them. The same
holds for the differences between two classifiers in many subgroups of the data.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["Pooled", "pool_draws"]

Array = NDArray[Any]

# The number of standard deviations between candidates that are considered.
N_GRID = 200


class Pooled(NamedTuple):
    """Draws after pooling.

    Attributes
    ----------
    draws : ndarray of shape (n_candidates, n_draws)
        The pooled draws.
    shrinkage : float
        The posterior mean of the share of the variance between observed scores that is noise: 0
        leaves the draws as they are, 1 gives all candidates the same score.
    tau : ndarray of shape (n_draws,)
        Draws of the standard deviation of the true scores; NaN where there is nothing to pool.
    """

    draws: Array
    shrinkage: float
    tau: Array


def pool_draws(draws: Array, covariance: Array, rng: np.random.Generator) -> Pooled:
    """Shrink draws of scores towards their common mean, as far as their differences may be noise.

    The true scores are normal around a mean mu, with standard deviation tau. mu has a flat prior,
    and the share of noise, s^2 / (s^2 + tau^2), a uniform one (Daniels 1999), where s^2 is the
    average variance of a draw around the mean of all candidates. Each draw is then updated by
    conditional simulation: with tau and mu drawn from their posterior, and p drawn from
    N(mu, tau^2), it moves from p towards the given draw by the fraction
    tau^2 (covariance + tau^2)^-1. This is exact if the draws are normal, and keeps their tails
    otherwise.

    Parameters
    ----------
    draws : ndarray of shape (n_candidates, n_draws)
        Draws from a posterior with a flat prior of the scores.
    covariance : ndarray of shape (n_candidates, n_candidates)
        The covariance of the noise in the observed scores.
    rng : numpy.random.Generator
        The source of randomness.

    Returns
    -------
    pooled : Pooled
        The pooled draws and the average shrinkage. Draws of a single candidate, or without
        noise, are returned as they are.

    Examples
    --------
    >>> import numpy as np
    >>> from skbayeseval.judgement.pooling import pool_draws
    >>> rng = np.random.default_rng(0)
    >>> observed = rng.normal(0.9, 0.01, (50, 1))  # equal candidates, observed with noise
    >>> draws = rng.normal(observed, 0.01, (50, 4000))
    >>> pooled = pool_draws(draws, 0.01**2 * np.eye(50), rng)
    >>> pooled.shrinkage > 0.7
    True
    >>> bool(np.ptp(pooled.draws.mean(axis=1)) < 0.5 * np.ptp(observed))
    True
    """
    n_candidates, n_draws = draws.shape
    if n_candidates == 1:
        return Pooled(draws, 0.0, np.full(n_draws, np.nan))
    # What all candidates have in common does not tell them apart.
    noise = (np.trace(covariance) - covariance.sum() / n_candidates) / (n_candidates - 1)
    if not noise > 0:
        return Pooled(draws, 0.0, np.full(n_draws, np.nan))
    eigenvalues, vectors = np.linalg.eigh(covariance)
    share = (np.arange(N_GRID) + 0.5) / N_GRID
    tau2 = noise * (1 - share) / share
    precision = 1 / (np.maximum(eigenvalues, 0) + tau2[:, None])
    ones, means = vectors.sum(axis=0), vectors.T @ draws.mean(axis=1)
    of_mu = precision @ ones**2
    mu = precision @ (ones * means) / of_mu
    log_likelihood = (
        np.log(precision).sum(axis=1)
        - np.log(of_mu)
        - (precision * (means - mu[:, None] * ones) ** 2).sum(axis=1)
    ) / 2
    weights = np.exp(log_likelihood - log_likelihood.max())
    weights /= weights.sum()
    # Every tau as often as its probability says, in random order.
    spaced = (np.arange(n_draws) + rng.random()) / n_draws
    chosen = np.minimum(np.searchsorted(np.cumsum(weights), spaced), N_GRID - 1)
    chosen = rng.permutation(chosen)
    prior = rng.standard_normal(draws.shape)
    prior *= np.sqrt(tau2[chosen])
    prior += mu[chosen] + rng.standard_normal(n_draws) / np.sqrt(of_mu[chosen])
    moved = vectors.T @ (draws - prior)
    moved *= (tau2[:, None] * precision)[chosen].T
    pooled = prior + vectors @ moved
    # A normal prior knows no bounds, but many metrics do.
    np.clip(pooled, draws.min(), draws.max(), out=pooled)
    return Pooled(pooled, float(weights @ share), np.sqrt(tau2[chosen]))
