"""How much the scores of candidates vary by chance: alone, and all together.

Candidates are tested on the same instances, so that a large part of the noise is common to all of
them and does not tell them apart. Pooling needs to know which part.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skbayeseval.evidence.validated_rows import Spread, cell_influence
from skbayeseval.metrics.confusion import Metric
from skbayeseval.posterior.inferred_weight import WeightPosterior

Array = NDArray[Any]

# Test sets with more in common do not tell how much others would vary.
MOST_IN_COMMON = 0.9


def spread_of_tables(
    metric: Metric, tables: Array, positive: int, n_folds: int, weight: float
) -> Spread:
    """Return how the difference between two of several classifiers varies, on average over pairs.

    The test noise of a difference is estimated from how much the difference varies between the
    splits of a pass; that of a single classifier from its counts. Random test sets have instances
    in common, so that they vary less, and their mean more, than disjoint ones (Nadeau and Bengio
    2003).

    Parameters
    ----------
    metric : Metric
        The metric.
    tables : ndarray of shape (n_classifiers, n_splits, M, M)
        The confusion table of each split.
    positive : int
        The index of the positive class.
    n_folds : int
        The number of consecutive splits that make up one pass over the data.
    weight : float
        The published weight of one count.

    Examples
    --------
    >>> import numpy as np
    >>> from skbayeseval.search.noise import spread_of_tables
    >>> from skbayeseval.metrics import get_metric
    >>> tables = np.array([[[[40, 10], [10, 40]], [[45, 5], [5, 45]]]])
    >>> spread = spread_of_tables(get_metric("accuracy"), tables, 1, n_folds=2, weight=1.0)
    >>> round(spread.test_noise * 200, 4)  # p (1 - p) for an accuracy of 0.85
    0.1275
    """
    k, n_splits = tables.shape[:2]
    pooled = tables.sum(axis=1).astype(float)
    slopes = np.stack([cell_influence(metric, one, positive) for one in pooled])
    noise = (pooled * slopes**2).sum(axis=(1, 2)) / pooled.sum(axis=(1, 2)) ** 2
    values = (tables * slopes[:, None]).sum(axis=(2, 3)) / tables.sum(axis=(2, 3))
    n_passes = n_splits // n_folds
    by_pass = values.reshape(k, n_passes, n_folds)
    between = _mean_over_pairs(by_pass.mean(axis=2)) / n_passes if n_passes > 1 else 0.0
    if k == 1:
        own = float(noise[0])
        return Spread(own / weight, own, 1.0, between, n_passes)
    within = [_mean_over_pairs(by_pass[:, p]) / n_folds for p in range(n_passes)]
    of_counts = float(2 * noise.mean())
    # The share that two test sets have in common; with J of them, 1 / weight is 1 + (J - 1) share.
    share = (1 / weight - 1) / (n_splits - 1) if n_passes == 1 < n_splits else 0.0
    share = min(share, MOST_IN_COMMON)
    test_noise = float(np.mean(within)) * (1 + n_splits * share / (1 - share))
    return Spread(test_noise, of_counts, 1.0, between, n_passes)


def _mean_over_pairs(values: Array) -> float:
    """Return the sample variance along the last axis, of differences on average over pairs.

    `values` has shape (n_classifiers, n); of a single classifier it is its own variance.
    """
    k, n = values.shape
    if n < 2:
        return 0.0
    covariance = np.atleast_2d(np.cov(values))
    if k == 1:
        return float(covariance[0, 0])
    # The sum over pairs of var(i) + var(j) - 2 cov(i, j).
    total = k * np.trace(covariance) - covariance.sum()
    return float(max(total, 0.0) / (k * (k - 1) / 2))


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
    >>> round(own_share(WeightPosterior(0.5, scale=1.0, df=10.0), 10, n_splits=10), 2)
    1.0
    >>> round(own_share(WeightPosterior(5.0, scale=1.0, df=10.0), 10, 10), 3)
    0.311
    """
    if math.isinf(weight.df):
        return 1.0
    limited = 1 / weight.matching_variance
    inferred = 1 / weight._replace(most=math.inf).matching_variance
    # Splits of one pass have a degree of freedom less than splits; two folds are the worst case.
    df = (min(n_candidates, N_BEST) - 1) * n_splits / 2
    if inferred >= limited * (1 - 1e-9):
        return 1.0
    return (df * inferred / limited + DF_INDEPENDENT) / (df + DF_INDEPENDENT)


def first_copies(recorded: Array) -> tuple[Array, Array]:
    """Return for each candidate the first one with the same counts or scores in all splits.

    The second array has the candidates that are no copies of others; all if they are all alike.

    Parameters
    ----------
    recorded : ndarray of shape (n_candidates, ...)
        The counts or scores.

    Examples
    --------
    >>> import numpy as np
    >>> from skbayeseval.search.noise import first_copies
    >>> first_copies(np.array([[0.8, 0.9], [0.7, 0.8], [0.8, 0.9]]))
    (array([0, 1, 0]), array([0, 1]))
    """
    rows = recorded.reshape(len(recorded), -1)
    _, first, inverse = np.unique(rows, axis=0, return_index=True, return_inverse=True)
    distinct = np.sort(first) if len(first) > 1 else np.arange(len(rows))
    return np.asarray(first[inverse.ravel()]), distinct


def share_noise(draws: Array, own: float, rng: np.random.Generator) -> Array:
    """Return independent draws with a part of their variance common to all.

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
    >>> draws = share_noise(rng.standard_normal((2, 40_000)), 0.2, rng)
    >>> round(float((draws[0] - draws[1]).var()), 1)
    0.4
    """
    if own == 1:
        return draws
    means, sd = draws.mean(axis=1, keepdims=True), draws.std(axis=1, keepdims=True)
    together = sd * rng.standard_normal(draws.shape[1])
    return np.asarray(means + math.sqrt(own) * (draws - means) + math.sqrt(1 - own) * together)


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
