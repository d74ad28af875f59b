"""How metrics vary between the confusion tables of splits, where instances are not known."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from skbayeseval.evidence.influence import cell_influence
from skbayeseval.evidence.validated_rows import Spread
from skbayeseval.metrics.confusion import Metric

__all__ = ["spread_of_tables"]

Array = NDArray[Any]


def spread_of_tables(
    metric: Metric, tables: Array, positive: int, n_folds: int, weight: float
) -> Spread:
    """Return how the difference between two of several classifiers varies, on average over pairs.

    The test noise of a difference is estimated from how much the difference varies between the
    splits of a pass; that of a single classifier from its counts.

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
    >>> from skbayeseval.evidence.split_tables import spread_of_tables
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
        return Spread(own / weight, own, 0.0, 1.0, between, n_passes, 0.5)
    within = [_mean_over_pairs(by_pass[:, p]) / n_folds for p in range(n_passes)]
    of_counts = float(2 * noise.mean())
    return Spread(float(np.mean(within)), of_counts, 0.0, 1.0, between, n_passes, 0.5)


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
