"""Models of labels, any of many: weights of instances, and independent labels."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from skbayeseval.evidence.instance_scores import ScoredInstances
from skbayeseval.evidence.units import UnitCounts
from skbayeseval.models.specification import (
    LabelSpecification,
    Model,
    RankSpecification,
    Shapes,
    WeightSpecification,
    check_concentration,
)

__all__ = [
    "GroupScoreWeights",
    "GroupWeights",
    "IndependentLabels",
    "IndependentLabelsBCV",
    "InstanceWeights",
    "ScoreWeights",
]

Array = NDArray[Any]


class InstanceWeights(Model):
    """Instances are weighted, the same for all labels and classifiers (the Bayesian bootstrap).

    One weight ~ Gamma(1) an instance, normalised. An instance that is hard on all its labels, or
    for all classifiers, then moves them together, which independent labels cannot know.

    Examples
    --------
    >>> from skbayeseval import compare_predictions
    >>> y, a, b = [[1, 0], [1, 1], [0, 1]], [[1, 0], [1, 0], [0, 1]], [[0, 1], [1, 1], [0, 1]]
    >>> compare_predictions(y, a, b, scoring="f1_micro", random_state=0).model
    'paired'
    """

    name = "paired"
    needs_pairs = True
    has_proper_prior = False

    def specification(self, evidence: Any) -> WeightSpecification:
        """Return what is to be sampled, given the evidence."""
        check_units(evidence)
        return WeightSpecification(
            evidence.true,
            evidence.hits,
            evidence.predicted,
            evidence.cells,
            evidence.shape,
            evidence.sizes,
        )


class GroupWeights(InstanceWeights):
    """Groups of instances that belong together are weighted together, whatever the metric.

    Examples
    --------
    >>> from skbayeseval import compare_predictions
    >>> y, a, b = [0, 1, 1, 0], [0, 1, 1, 1], [0, 1, 0, 0]
    >>> result = compare_predictions(y, a, b, groups=["x", "x", "y", "z"], random_state=0)
    >>> result.model
    'group weights'
    """

    name = "group weights"


class ScoreWeights(InstanceWeights):
    """Instances are weighted for metrics of scores: AUC, average precision, log loss, Brier score.

    Examples
    --------
    >>> from skbayeseval import compare_predictions
    >>> y, a, b = [0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], [0.2, 0.3, 0.1, 0.6]
    >>> result = compare_predictions(
    ...     y, None, None, y_score_a=a, y_score_b=b, scoring="roc_auc", random_state=0
    ... )
    >>> result.model
    'instance weights'
    """

    name = "instance weights"
    needs_true_negatives = False

    def specification(self, evidence: Any) -> RankSpecification:  # type: ignore[override]
        """Return what is to be sampled, given the evidence."""
        if not isinstance(evidence, ScoredInstances):
            raise ValueError("ScoreWeights needs the scores of instances.")
        return RankSpecification(evidence.prepared, evidence.shape, evidence.n_classifiers)


class GroupScoreWeights(ScoreWeights):
    """Groups of instances are weighted together, for metrics of scores.

    Examples
    --------
    >>> from skbayeseval import compare_predictions
    >>> y, a, b = [0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], [0.2, 0.3, 0.1, 0.6]
    >>> scores = {"y_score_a": a, "y_score_b": b, "scoring": "neg_brier_score"}
    >>> compare_predictions(y, None, None, **scores, groups=["x", "y", "y", "z"]).model
    'group weights'
    """

    name = "group weights"


class IndependentLabels(Model):
    """Independent binary models, one a label, as published (Zhang et al. 2015, section V).

    Parameters
    ----------
    mu : float or array-like of shape (2,), default=1.0
        Beta prior of each label's frequency: (present, absent).
    rho : float or array-like of shape (2,) or (2, 2), default=1.0
        Beta prior of the rates, as in `Unpaired`.

    Examples
    --------
    >>> from skbayeseval import compare_predictions
    >>> y, a, b = [[1, 0], [1, 1], [0, 1]], [[1, 0], [1, 0], [0, 1]], [[0, 1], [1, 1], [0, 1]]
    >>> result = compare_predictions(y, a, b, scoring="f1_micro", model="unpaired")
    >>> result.model
    'unpaired'
    """

    name = "unpaired"

    def __init__(self, mu: ArrayLike = 1.0, rho: ArrayLike = 1.0) -> None:
        self.mu = mu
        self.rho = rho

    def specification(self, evidence: Any) -> LabelSpecification:
        """Return what is to be sampled, given the evidence."""
        units = check_units(evidence)
        mu = check_concentration(self.mu, (2,), "mu")
        rho = check_concentration(self.rho, (2, 2), "rho")
        cells = np.stack([units.label_tables(k) for k in range(units.n_classifiers)])
        return LabelSpecification(cells, mu=mu, rho=rho)

    def has_finite_prior_density(self, formula: str | None, shapes: Shapes) -> bool | None:
        """Whether the density of the difference at 0 is finite before the data."""
        smooth = min(np.min(self.mu), np.min(self.rho)) >= 1
        return True if smooth and formula is not None else None


class IndependentLabelsBCV(Model):
    """The model of `BCV`, one a label.

    Parameters
    ----------
    lambda_ : float, default=1.0
        The prior's count in each cell.

    Examples
    --------
    >>> from skbayeseval import compare_predictions
    >>> y, a, b = [[1, 0], [1, 1], [0, 1]], [[1, 0], [1, 0], [0, 1]], [[0, 1], [1, 1], [0, 1]]
    >>> compare_predictions(y, a, b, scoring="f1_micro", model="bcv").prior
    {'lambda': 1.0}
    """

    name = "bcv"

    def __init__(self, lambda_: float = 1.0) -> None:
        self.lambda_ = lambda_

    def specification(self, evidence: Any) -> LabelSpecification:
        """Return what is to be sampled, given the evidence."""
        units = check_units(evidence)
        concentration = check_concentration(self.lambda_, (4,), "lambda")
        cells = np.stack([units.label_tables(k) for k in range(units.n_classifiers)])
        return LabelSpecification(cells, cell_prior=concentration)

    def has_finite_prior_density(self, formula: str | None, shapes: Shapes) -> bool | None:
        """Whether the density of the difference at 0 is finite before the data."""
        return True if self.lambda_ >= 1 and formula is not None else None

    def prior(self) -> dict[str, Any]:
        """Return the prior as `prior=` takes it."""
        return {"lambda": self.lambda_}


def check_units(evidence: Any) -> UnitCounts:
    """Raise unless the evidence is known unit by unit."""
    if not isinstance(evidence, UnitCounts):
        raise ValueError("Weights of instances need predictions, instance by instance.")
    return evidence
