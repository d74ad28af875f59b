"""Mean scores of estimators, known by the splits of a cross-validation."""

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
    """Student's t around a mean: of a mean score, or of the difference of two.

    Parameters
    ----------
    mean, scale : float
        Where it is, and how wide; a scale of 0 is a point.
    df : float
        The degrees of freedom.
    """

    mean: float
    scale: float
    df: float

    @property
    def sd(self) -> float:
        """The standard deviation; infinite for two degrees of freedom or fewer."""
        if self.scale == 0:
            return 0.0
        return self.scale * np.sqrt(self.df / (self.df - 2)) if self.df > 2 else np.inf

    def interval(self, prob: float) -> tuple[float, float]:
        """Return the equal-tailed interval, which is the highest-density one as well."""
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


def law_of_scores(specification: ScoreSpecification, metric: str, contrast: Array) -> StudentMargin:
    """Return the law of a combination of mean scores, such as a difference."""
    splits = contrast @ specification.scores[metric]
    mean, scale = splits.mean(), np.sqrt(specification.inflation) * splits.std(ddof=1)
    # Equal differences leave rounding errors behind, which are no spread.
    negligible = 1e-12 * np.abs(specification.scores[metric]).max()
    mean, scale = (float(x) if abs(x) > negligible else 0.0 for x in (mean, scale))
    return StudentMargin(mean, scale, len(splits) - 1.0)
