"""The model of mean scores of estimators, given their split scores in a cross-validation."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtr, stdtrit

from skbayeseval.evidence.split_scores import SplitScores
from skbayeseval.models.specification import Model, ScoreSpecification

__all__ = ["CorrelatedT", "StudentMargin", "law_of_scores"]

Array = NDArray[Any]


@dataclass(frozen=True)
class StudentMargin:
    """Student's t distribution of a mean score, or of the difference of two mean scores.

    Parameters
    ----------
    mean, scale : float
        The location and the scale. A scale of 0 means a point mass.
    df : float
        The degrees of freedom.
    """

    mean: float
    scale: float
    df: float

    @property
    def sd(self) -> float:
        """The standard deviation, infinite for two or fewer degrees of freedom."""
        if self.scale == 0:
            return 0.0
        return self.scale * np.sqrt(self.df / (self.df - 2)) if self.df > 2 else np.inf

    def interval(self, prob: float) -> tuple[float, float]:
        """Return the equal-tailed interval, which is also the highest-density interval."""
        half = float(stdtrit(self.df, (1 + prob) / 2)) * self.scale
        return self.mean - half, self.mean + half

    def below(self, value: float) -> float:
        """Return the probability of a smaller value."""
        if self.scale == 0:
            return float(self.mean < value)
        return float(stdtr(self.df, (value - self.mean) / self.scale))

    def above(self, value: float) -> float:
        """Return the probability of a larger value."""
        return StudentMargin(-self.mean, self.scale, self.df).below(-value)


class CorrelatedT(Model):
    """The correlated Bayesian t-test, for any metric known by its split scores (model "scores").

    Split scores are normal around the mean score of each estimator. The correlation between splits
    is assumed to equal the share of test instances (Nadeau and Bengio 2003; Corani and Benavoli
    2015). The means have a flat prior, and the covariance of K estimators has a prior density
    proportional to det^(-K). Every difference then has the prior of the two papers, 1 / variance,
    regardless of the other estimators. The prior is improper, so there is no Bayes factor.

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
        return ScoreSpecification(scores, evidence.test_fraction)


def without_noise(values: Array, scores: Array) -> Array:
    """Round values to thirteen significant digits of the largest score, to drop rounding errors."""
    largest = float(np.abs(scores).max())
    if largest == 0:
        return values
    return np.round(values, 13 - math.ceil(math.log10(largest)))


def law_of_scores(specification: ScoreSpecification, metric: str, contrast: Array) -> StudentMargin:
    """Return the posterior of a linear combination of mean scores, such as a difference."""
    splits = contrast @ specification.scores[metric]
    mean, scale = splits.mean(), np.sqrt(specification.inflation) * splits.std(ddof=1)
    # If all splits are equal, what remains is rounding error, not spread.
    negligible = 1e-12 * np.abs(specification.scores[metric]).max()
    mean, scale = (float(x) if abs(x) > negligible else 0.0 for x in (mean, scale))
    return StudentMargin(mean, scale, len(splits) - 1.0)
