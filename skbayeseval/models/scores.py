"""Mean scores of estimators, known by the splits of a cross-validation."""

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
    """The correlated Bayesian t-test: any score, known only by the splits (model "scores").

    Scores of splits are normal around the means of the estimators, with a correlation between
    splits that is the share of instances tested (Nadeau and Bengio 2003; Corani and Benavoli
    2015). Means have a flat prior and the covariance of K estimators has density
    proportional to det^(-K), for which every difference has exactly the prior of the two papers,
    1 / variance, whoever else is compared. There is no proper prior, so no Bayes factor.

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
        """Return what is to be sampled, given the evidence."""
        if not isinstance(evidence, SplitScores):
            raise ValueError("CorrelatedT needs the scores of splits.")
        scores = {name: without_noise(values, values) for name, values in evidence.scores.items()}
        return ScoreSpecification(scores, evidence.test_fraction)


def without_noise(values: Array, scores: Array) -> Array:
    """Return values to thirteen digits of the largest score: what is beyond comes from rounding."""
    largest = float(np.abs(scores).max())
    if largest == 0:
        return values
    return np.round(values, 13 - math.ceil(math.log10(largest)))
