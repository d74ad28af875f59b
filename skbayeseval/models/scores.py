"""The model of mean scores of estimators, given their split scores in a cross-validation."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skbayeseval.evidence.split_scores import SplitScores
from skbayeseval.models.specification import Model, ScoreSpecification

__all__ = ["CorrelatedT", "without_noise"]

Array = NDArray[Any]


class CorrelatedT(Model):
    """The correlated Bayesian t-test, for any metric known by its split scores (model "scores").

    Split scores are normal around the mean score of each estimator. The correlation between splits
    is assumed to equal the share of test instances (Nadeau and Bengio 2003; Corani and Benavoli
    2015). The means have a flat prior, and the covariance of K estimators has a prior density
    proportional to det^(-K). Every difference then has the prior of the two papers, 1 / variance,
    regardless of the other estimators. The prior is improper, so there is no Bayes factor. Where
    halves of the data were compared as well, they correct the variance.

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
            raise ValueError("CorrelatedT needs split scores.")
        scores = {name: without_noise(values, values) for name, values in evidence.scores.items()}
        return ScoreSpecification(scores, evidence.test_fraction, evidence.halves)


def without_noise(values: Array, scores: Array) -> Array:
    """Round values to thirteen significant digits of the largest score, to drop rounding errors."""
    largest = float(np.abs(scores).max())
    if largest == 0:
        return values
    return np.round(values, 13 - math.ceil(math.log10(largest)))
