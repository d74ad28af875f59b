"""How much the scores of candidates vary by chance: alone, and all together.

Candidates are tested on the same instances, so that a large part of the noise is common to all of
them and does not tell them apart. Pooling needs to know which part.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skbayeseval.posterior.inferred_weight import WeightPosterior

__all__ = ["N_BEST", "covariance_of_draws", "draws_of_splits", "own_share", "share_noise"]

Array = NDArray[Any]

# Noise is inferred from the differences between so many of the best candidates.
N_BEST = 10

# Independence of recorded counts counts as much as so many degrees of freedom.
DF_INDEPENDENT = 4.0


def own_share(weight: WeightPosterior, n_candidates: int, n_splits: int) -> float:
    """Return the share of the variance of a candidate's counts that is not common to all.

    Differences between candidates would have the weight inferred from the splits if it were not
    at most the published weight, which is that of a single candidate. What the limit adds to their
    variance is common to all candidates.

    Parameters
    ----------
    weight : WeightPosterior
        The weight inferred from differences between the best candidates.
    n_candidates, n_splits : int
        The numbers of candidates and splits, which tell how precisely it is known.

    Examples
    --------
    >>> from skbayeseval.posterior.inferred_weight import WeightPosterior
    >>> from skbayeseval.search.noise import own_share
    >>> own_share(WeightPosterior(0.5, scale=1.0, df=10.0), n_candidates=10, n_splits=10)
    1.0
    >>> round(own_share(WeightPosterior(5.0, scale=1.0, df=10.0), 10, 10), 3)
    0.311
    """
    if math.isinf(weight.df):
        return 1.0
    limited = float(np.mean(1 / np.array(weight.strata())))
    inferred = 1 / weight._replace(most=math.inf).matching_variance
    # Splits of one pass have a degree of freedom less than splits; two folds are the worst case.
    df = (min(n_candidates, N_BEST) - 1) * n_splits / 2
    if inferred >= limited * (1 - 1e-9):
        return 1.0
    return (df * inferred / limited + DF_INDEPENDENT) / (df + DF_INDEPENDENT)


def share_noise(draws: Array, own: float, rng: np.random.Generator) -> tuple[Array, Array]:
    """Return independent draws with a part of their variance common to all, and their covariance.

    Parameters
    ----------
    draws : ndarray of shape (n_candidates, n_draws)
        Independent draws of the candidates.
    own : float
        The share of the variance that is not common to all.
    rng : numpy.random.Generator
        The source of randomness.

    Examples
    --------
    >>> import numpy as np
    >>> from skbayeseval.search.noise import share_noise
    >>> rng = np.random.default_rng(0)
    >>> draws, covariance = share_noise(rng.standard_normal((2, 40_000)), 0.2, rng)
    >>> round(float((draws[0] - draws[1]).var()), 1)
    0.4
    """
    means, sd = draws.mean(axis=1, keepdims=True), draws.std(axis=1, keepdims=True)
    common = (1 - own) * sd * sd.T
    covariance = common + np.diag(own * sd[:, 0] ** 2)
    if own == 1:
        return draws, covariance
    together = sd * rng.standard_normal(draws.shape[1])
    return means + math.sqrt(own) * (draws - means) + math.sqrt(1 - own) * together, covariance


def draws_of_splits(
    scores: Array, inflation: float, n_draws: int, rng: np.random.Generator
) -> tuple[Array, Array]:
    """Return draws of mean split scores with one variance and one correlation, and the covariance.

    A few splits do not tell the covariance of many candidates: the sample covariance is singular.
    So all candidates get the variance and the correlation of the best ones. As they may vary
    unequally, draws keep the heavy tails of the correlated t-test; for two candidates, the
    difference is that of the test.

    Parameters
    ----------
    scores : ndarray of shape (n_candidates, n_splits)
        The split scores of at least two candidates.
    inflation : float
        The variance of a mean score divided by that of a split score.
    n_draws : int
        The number of draws.
    rng : numpy.random.Generator
        The source of randomness.

    Examples
    --------
    >>> import numpy as np
    >>> from skbayeseval.search.noise import draws_of_splits
    >>> scores = np.array([[0.8, 0.9, 0.7], [0.7, 0.8, 0.7]])
    >>> draws, covariance = draws_of_splits(scores, 0.5, 100, np.random.default_rng(0))
    >>> (covariance * 1000).round(3)
    array([[3.333, 2.5  ],
           [2.5  , 3.333]])
    """
    means = scores.mean(axis=1)
    best = np.argsort(-means, kind="stable")[:N_BEST]
    centred = scores[best] - means[best, None]
    n_best, df = len(best), scores.shape[1] - 1.0
    # The two-way layout of candidates and splits: what is left of their interaction is own noise.
    own = inflation * ((centred - centred.mean(axis=0)) ** 2).sum() / (df * (n_best - 1))
    common = max(inflation * (centred**2).sum() / (df * n_best) - own, 0.0)
    draws = math.sqrt(own) * rng.standard_normal((len(means), n_draws))
    draws += math.sqrt(common) * rng.standard_normal(n_draws)
    draws /= np.sqrt(rng.chisquare(df, n_draws) / df)
    return means[:, None] + draws, common + own * np.eye(len(means))


def covariance_of_draws(draws: Array) -> Array:
    """Return the covariance of draws, halfway to equal variances and equal correlations.

    Candidates that predict the same differ by nothing, with no variance. This would be taken as
    evidence that other candidates differ by nothing, too; a variance of their own prevents it.

    Parameters
    ----------
    draws : ndarray of shape (n_candidates, n_draws)
        Joint draws of the candidates.

    Examples
    --------
    >>> import numpy as np
    >>> from skbayeseval.search.noise import covariance_of_draws
    >>> covariance_of_draws(np.array([[1.0, 2.0, 3.0], [1.0, 2.0, 3.0], [3.0, 2.0, 1.0]]))
    array([[ 1.        ,  0.33333333, -0.66666667],
           [ 0.33333333,  1.        , -0.66666667],
           [-0.66666667, -0.66666667,  1.        ]])
    """
    covariance = np.atleast_2d(np.cov(draws))
    n_candidates = len(covariance)
    if n_candidates == 1:
        return covariance
    variance = np.trace(covariance) / n_candidates
    common = (covariance.sum() / n_candidates - variance) / (n_candidates - 1)
    equal = np.full_like(covariance, common)
    np.fill_diagonal(equal, variance)
    return (covariance + equal) / 2
