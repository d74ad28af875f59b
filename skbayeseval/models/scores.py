"""The model of mean scores of estimators, given their split scores in a cross-validation."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skbayeseval.evidence.split_scores import SplitScores
from skbayeseval.models.specification import Model, ScoreSpecification

__all__ = ["CorrelatedT", "missing_variance", "step_seen", "without_noise"]

Array = NDArray[Any]

# A split's difference has a standard deviation of at least this many steps of the score: that of
# the error of rounding to whole steps.
LEAST_STEPS = 12**-0.5


class CorrelatedT(Model):
    """The correlated Bayesian t-test, for any metric known by its split scores (model "scores").

    Split scores are normal around the mean score of each estimator. The correlation between splits
    is assumed to equal the share of test instances (Nadeau and Bengio 2003; Corani and Benavoli
    2015). The means have a flat prior, and the covariance of K estimators has a prior density
    proportional to det^(-K). Every difference then has the prior of the two papers, 1 / variance,
    regardless of the other estimators. The prior is improper, so there is no Bayes factor. Where
    halves of the data were compared as well, they correct the variance.

    A score of n_test instances moves in steps of 1 / n_test, so all splits may give the same
    difference although the learners do not always differ by that much. The standard deviation of a
    split's difference is therefore taken to be at least that of rounding to whole steps,
    1 / (n_test sqrt(12)). Where n_test is unknown, the step is the smallest difference between two
    scores that was seen. If all scores are the same, there is none, and the posterior of the
    difference is a point.

    Examples
    --------
    >>> from skbayeseval import compare_scores
    >>> a, b = [0.81, 0.79, 0.84, 0.80, 0.82], [0.78, 0.77, 0.80, 0.79, 0.78]
    >>> result = compare_scores(a, b, test_fraction=0.2, random_state=0)
    >>> result.model
    'scores'
    """

    name = "scores"
    needs_pairs = True
    needs_true_negatives = False
    has_proper_prior = False

    def specification(self, evidence: Any) -> ScoreSpecification:
        """Return the specification of the posterior, given the evidence."""
        if not isinstance(evidence, SplitScores):
            raise ValueError(
                "CorrelatedT requires split scores. Use compare_scores or bayesian_cross_validate."
            )
        scores = {name: without_noise(values, values) for name, values in evidence.scores.items()}
        steps = evidence.steps or {}
        added = {
            name: missing_variance(values, steps.get(name, step_seen(values)))
            for name, values in scores.items()
        }
        return ScoreSpecification(scores, evidence.test_fraction, evidence.halves, added)


def step_seen(scores: Array) -> float:
    """Return the smallest difference between two scores that are not equal; 0 if all are.

    Examples
    --------
    >>> import numpy as np
    >>> from skbayeseval.models.scores import step_seen
    >>> step_seen(np.array([[0.75, 0.5, 0.625], [0.75, 0.75, 0.625]]))
    0.125
    """
    gaps = np.diff(np.unique(scores))
    return float(gaps.min()) if len(gaps) else 0.0


def missing_variance(scores: Array, step: float) -> Array:
    """Return what the variance of each estimator's split scores lacks.

    With it, the difference of any two estimators varies by `LEAST_STEPS` steps or more; it is 0
    where they do so already.

    Parameters
    ----------
    scores : ndarray of shape (n_estimators, n_splits)
        The split scores.
    step : float
        The smallest possible difference of two scores.
    """
    least = (LEAST_STEPS * step) ** 2
    lacks = np.zeros(len(scores))
    for i, own in enumerate(scores):
        variances = np.var(own - scores, axis=1, ddof=1)
        lacks[i] = max(0.0, least - np.delete(variances, i).min(initial=least)) / 2
    return lacks


def without_noise(values: Array, scores: Array) -> Array:
    """Round values to thirteen significant digits of the largest score, to drop rounding errors."""
    largest = float(np.abs(scores).max())
    if largest == 0:
        return values
    return np.round(values, 13 - math.ceil(math.log10(largest)))
