"""Curves of instance scores, vectorised over draws of instance weights.

Each function maps weights of shape (n, n_draws) to the heights of a curve at fixed points. With
integer weights, a curve is that of repeated instances, as scikit-learn's with `sample_weight`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from skbayeseval._arrays import Array

# The points of curves, and the number of bins of predicted probabilities.
FALSE_POSITIVE_RATES = np.linspace(0.0, 1.0, 101)
RECALLS = np.linspace(0.01, 1.0, 100)
N_BINS = 10


class Part(NamedTuple):
    """What one run adds to a curve: the curve is the sum of `top` over that of `bottom`.

    Attributes
    ----------
    top, bottom : ndarray of shape (n_points, n_draws)
        Numerators and denominators.
    """

    top: Array
    bottom: Array


class Curve(NamedTuple):
    """A kind of curve.

    Attributes
    ----------
    needs : {"ranking", "probability"}
        The instance scores that it is made of.
    metric : str
        The metric that sums it up, or that depends on the same scores.
    """

    needs: str
    metric: str


CURVES = {
    "roc": Curve("ranking", "roc_auc"),
    "precision_recall": Curve("ranking", "average_precision"),
    "calibration": Curve("probability", "neg_brier_score"),
    "calibration_difference": Curve("probability", "neg_brier_score"),
    "net_benefit": Curve("probability", "neg_brier_score"),
    "net_benefit_difference": Curve("probability", "neg_brier_score"),
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
    >>> part = roc(np.array([0, 0, 1, 1]), np.array([0.1, 0.4, 0.35, 0.8]), np.ones((4, 1)))
    >>> (part.top / part.bottom)[[0, 50, 100], 0]
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
    return Part(heights * share, share)


def precision_recall(truth: Array, scores: Array, weights: Array) -> Part:
    """Return the precision at the highest threshold that reaches each recall of `RECALLS`.

    A run counts in proportion to the weight of its positives, as in average precision.

    Examples
    --------
    >>> import numpy as np
    >>> from skbayeseval.metrics.curves import precision_recall
    >>> truth, scores = np.array([0, 0, 1, 1]), np.array([0.1, 0.4, 0.35, 0.8])
    >>> part = precision_recall(truth, scores, np.ones((4, 1)))
    >>> (part.top / part.bottom)[[0, 49, 99], 0].round(3)
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
    return Part(heights * share, share)


def calibration(truth: Array, bins: Array, weights: Array, n_bins: int) -> Part:
    """Return the weight of positives and of all instances in each bin of predicted probabilities.

    Of any other value of each instance than 0 and 1, it is the sum.

    Examples
    --------
    >>> import numpy as np
    >>> from skbayeseval.metrics.curves import calibration
    >>> part = calibration(np.array([0, 1, 1]), np.array([0, 0, 1]), np.ones((3, 1)), 2)
    >>> (part.top / part.bottom)[:, 0]
    array([0.5, 1. ])
    """
    member = bins == np.arange(n_bins)[:, None]
    return Part((member * truth) @ weights, member @ weights)


def net_benefit(truth: Array, scores: Array, weights: Array, thresholds: Array) -> Part:
    """Return the net benefit at each threshold (Vickers and Elkin 2006).

    That is the rate of true positives less the rate of false positives, weighted by the odds of
    the threshold.

    Examples
    --------
    >>> import numpy as np
    >>> from skbayeseval.metrics.curves import net_benefit
    >>> thresholds = np.array([0.5, 0.8])
    >>> part = net_benefit(np.array([0, 1]), np.array([0.6, 0.9]), np.ones((2, 1)), thresholds)
    >>> (part.top / part.bottom)[:, 0].round(3)
    array([0. , 0.5])
    """
    odds = thresholds / (1 - thresholds)
    worth = np.where(truth == 1, 1.0, -odds[:, None]) * (scores >= thresholds[:, None])
    return Part(
        worth @ weights, np.broadcast_to(weights.sum(axis=0), (len(odds), weights.shape[1]))
    )
