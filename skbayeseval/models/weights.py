"""Models that weight instances or groups of instances, and models of independent labels."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from skbayeseval.evidence.instance_scores import WeightedInstances
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
    """Random instance weights, shared by all labels and classifiers (the Bayesian bootstrap).

    Each instance has one Gamma(1) weight; the weights are normalised. An instance that is hard for
    all labels or all classifiers therefore affects them together, which models of independent
    labels cannot represent.

    Examples
    --------
    >>> from skbayeseval import compare_predictions
    >>> y, a, b = [[1, 0], [1, 1], [0, 1]], [[1, 0], [1, 0], [0, 1]], [[0, 1], [1, 1], [0, 1]]
    >>> compare_predictions(y, a, b, scoring="f1_micro", random_state=0).model
    'paired'
    """

    name = "paired"
    infers_weight = True
    needs_pairs = True
    has_proper_prior = False
    weights_units = True

    def specification(self, evidence: Any) -> WeightSpecification:
        """Return the specification of the posterior, given the evidence."""
        units = check_units(evidence)
        check_several(units)
        return WeightSpecification(units)


class GroupWeights(InstanceWeights):
    """Random weights of groups of instances that belong together, for any metric.

    Examples
    --------
    >>> from skbayeseval import compare_predictions
    >>> y, a, b = [0, 1, 1, 0], [0, 1, 1, 1], [0, 1, 0, 0]
    >>> result = compare_predictions(y, a, b, groups=["x", "x", "y", "z"], random_state=0)
    >>> result.model
    'group weights'
    """

    name = "group weights"
    needs_true_negatives = False


class ScoreWeights(InstanceWeights):
    """Random instance weights, for metrics of instance scores (ROC AUC) or of numbers (R2).

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
        """Return the specification of the posterior, given the evidence."""
        if not isinstance(evidence, WeightedInstances):
            raise ValueError(
                "ScoreWeights requires instance scores, such as y_score_a= and y_score_b=, or "
                "predictions of numbers."
            )
        check_several(evidence)
        return RankSpecification(evidence.prepared, evidence.shape, evidence.n_classifiers)


class GroupScoreWeights(ScoreWeights):
    """Random weights of groups of instances, for metrics of instance scores or of numbers.

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
    """Independent binary models, one per label (Zhang et al. 2015, section V).

    Parameters
    ----------
    mu : float or array-like of shape (2,), default=1.0
        Beta prior of the frequency of each label, as (present, absent).
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
        """Return the specification of the posterior, given the evidence."""
        units = check_units(evidence)
        mu = check_concentration(self.mu, (2,), "mu")
        rho = check_concentration(self.rho, (2, 2), "rho")
        cells = np.stack([units.label_tables(k) for k in range(units.n_classifiers)])
        return LabelSpecification(cells, mu=mu, rho=rho)

    def has_finite_prior_density(self, formula: str | None, shapes: Shapes) -> bool | None:
        """Return whether the prior density of the difference is finite at 0; None if unknown."""
        smooth = min(np.min(self.mu), np.min(self.rho)) >= 1
        return True if smooth and formula is not None else None


class IndependentLabelsBCV(Model):
    """Independent `BCV` models, one per label.

    Parameters
    ----------
    lambda_ : float, default=1.0
        The prior count in each cell.

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
        """Return the specification of the posterior, given the evidence."""
        units = check_units(evidence)
        concentration = check_concentration(self.lambda_, (4,), "lambda")
        cells = np.stack([units.label_tables(k) for k in range(units.n_classifiers)])
        return LabelSpecification(cells, cell_prior=concentration)

    def has_finite_prior_density(self, formula: str | None, shapes: Shapes) -> bool | None:
        """Return whether the prior density of the difference is finite at 0; None if unknown."""
        return True if self.lambda_ >= 1 and formula is not None else None

    def prior(self) -> dict[str, Any]:
        """Return the prior in the form that `prior=` accepts."""
        return {"lambda": self.lambda_}


def check_several(evidence: UnitCounts | WeightedInstances) -> None:
    """Raise if there is a single unit, which says nothing about how much units vary."""
    if len(evidence.shape) > 1:
        return
    if evidence.grouped:
        raise ValueError(
            "groups has a single group, which does not tell how much groups vary. Pass at least "
            "two groups, better 20 or more; or omit groups= if the instances are independent."
        )
    raise ValueError(
        "y_true has a single instance, which does not tell how much instances vary. Pass at least "
        "two instances, better 20 or more."
    )


def check_units(evidence: Any) -> UnitCounts:
    """Return the evidence; raise unless it has predictions for each unit."""
    if not isinstance(evidence, UnitCounts):
        raise ValueError(
            "Models of instance weights require the predictions for each instance. Use "
            "compare_predictions."
        )
    return evidence
