"""Curves of instance scores, vectorised over draws of instance weights.

Each function maps weights of shape (n, n_draws) to the heights of a curve at fixed points. With
integer weights, a curve is that of repeated instances, as scikit-learn's with `sample_weight`.
"""

from __future__ import annotations

import numpy as np

from skbayeseval._arrays import Array

# The points of curves, and the number of bins of predicted probabilities.
FALSE_POSITIVE_RATES = np.linspace(0.0, 1.0, 101)
RECALLS = np.linspace(0.01, 1.0, 100)
N_BINS = 10

# What a run adds to a curve, numerators and denominators of shape (n_points, n_draws): the curve is
# the ratio of their sums.
Part = tuple[Array, Array]


# For each kind of curve, the instance scores that it is made of, and the metric that sums it up or
# depends on the same scores.
CURVES = {
    "roc": ("ranking", "roc_auc"),
    "precision_recall": ("ranking", "average_precision"),
    "calibration": ("probability", "neg_brier_score"),
    "calibration_difference": ("probability", "neg_brier_score"),
    "net_benefit": ("probability", "neg_brier_score"),
    "net_benefit_difference": ("probability", "neg_brier_score"),
}


def _cumulated(truth: Array, scores: Array, weights: Array) -> tuple[Array, Array]:
    """Return the weight of positives and negatives at or above each distinct score."""
    order = np.argsort(-scores, kind="stable")
    ends = np.append(np.flatnonzero(np.diff(scores[order])), len(scores) - 1)
    positive = truth[order, None] * weights[order]
    hits = np.cumsum(positive, axis=0)[ends]
    alarms = np.cumsum(weights[order] - positive, axis=0)[ends]
    return hits, alarms


def roc(truth: Array, scores: Array, weights: Array) -> Part:
    """Return the true positive rate at each false positive rate of `FALSE_POSITIVE_RATES`.

    A run counts in proportion to the weight of its pairs of a positive and a negative, as in
    ROC AUC, so that the area under the mean curve is that metric.

    Examples
    --------
    >>> import numpy as np
    >>> from skbayeseval.metrics.curves import roc
    >>> top, bottom = roc(np.array([0, 0, 1, 1]), np.array([0.1, 0.4, 0.35, 0.8]), np.ones((4, 1)))
    >>> (top / bottom)[[0, 50, 100], 0]
    array([0.5, 1. , 1. ])
    """
    hits, alarms = _cumulated(truth, scores, weights)
    start = np.zeros((1, weights.shape[1]))
    tpr = np.concatenate([start, hits / hits[-1]])
    fpr = np.concatenate([start, alarms / alarms[-1]])
    heights = np.stack(
        [np.interp(FALSE_POSITIVE_RATES, x, y) for x, y in zip(fpr.T, tpr.T, strict=True)], axis=1
    )
    n_pairs = truth.sum() * (1 - truth).sum()
    share = np.broadcast_to(hits[-1] * alarms[-1] / n_pairs, heights.shape)
    return heights * share, share


def precision_recall(truth: Array, scores: Array, weights: Array) -> Part:
    """Return the precision at the highest threshold that reaches each recall of `RECALLS`.

    A run counts in proportion to the weight of its positives, as in average precision.

    Examples
    --------
    >>> import numpy as np
    >>> from skbayeseval.metrics.curves import precision_recall
    >>> truth, scores = np.array([0, 0, 1, 1]), np.array([0.1, 0.4, 0.35, 0.8])
    >>> top, bottom = precision_recall(truth, scores, np.ones((4, 1)))
    >>> (top / bottom)[[0, 49, 99], 0].round(3)
    array([1.   , 1.   , 0.667])
    """
    hits, alarms = _cumulated(truth, scores, weights)
    found = hits + alarms
    precision = np.divide(hits, found, out=np.zeros_like(hits), where=found > 0)
    recall = hits / hits[-1]
    heights = np.stack(
        [
            column[np.minimum(np.searchsorted(reached, RECALLS - 1e-12), len(column) - 1)]
            for reached, column in zip(recall.T, precision.T, strict=True)
        ],
        axis=1,
    )
    share = np.broadcast_to(hits[-1] / truth.sum(), heights.shape)
    return heights * share, share


def calibration(truth: Array, bins: Array, weights: Array, n_bins: int) -> Part:
    """Return the weight of positives and of all instances in each bin of predicted probabilities.

    Of any other value of each instance than 0 and 1, it is the sum.

    Examples
    --------
    >>> import numpy as np
    >>> from skbayeseval.metrics.curves import calibration
    >>> top, bottom = calibration(np.array([0, 1, 1]), np.array([0, 0, 1]), np.ones((3, 1)), 2)
    >>> (top / bottom)[:, 0]
    array([0.5, 1. ])
    """
    member = bins == np.arange(n_bins)[:, None]
    return (member * truth) @ weights, member @ weights


def net_benefit(truth: Array, scores: Array, weights: Array, thresholds: Array) -> Part:
    """Return the net benefit at each threshold (Vickers and Elkin 2006).

    That is the rate of true positives less the rate of false positives, weighted by the odds of
    the threshold.

    Examples
    --------
    >>> import numpy as np
    >>> from skbayeseval.metrics.curves import net_benefit
    >>> thresholds = np.array([0.5, 0.8])
    >>> truth, scores = np.array([0, 1]), np.array([0.6, 0.9])
    >>> top, bottom = net_benefit(truth, scores, np.ones((2, 1)), thresholds)
    >>> (top / bottom)[:, 0].round(3)
    array([0. , 0.5])
    """
    odds = thresholds / (1 - thresholds)
    worth = np.where(truth == 1, 1.0, -odds[:, None]) * (scores >= thresholds[:, None])
    return worth @ weights, np.broadcast_to(weights.sum(axis=0), (len(odds), weights.shape[1]))
