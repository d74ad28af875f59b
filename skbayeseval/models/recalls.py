"""Models of more than two classes whose recalls share a distribution.

In the published model (`Hierarchical`) one number is both the mean recall and the sparsity of the
errors, so that every score of many classes is drawn towards it. Here both are separate: recalls
have a mean and a spread of their own, and errors a distribution of their own.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from skbayeseval.evidence.counts import ConfusionCounts, Evidence, check_paired, margins_of
from skbayeseval.models.multiclass import class_proportions
from skbayeseval.models.specification import (
    Model,
    Outcomes,
    OutcomeSpecification,
    Recall,
    Shapes,
    check_concentration,
)

__all__ = ["PairedRecalls", "Recalls"]

Array = NDArray[Any]


class _SharedRecalls(Model):
    """The prior of both models."""

    infers_weight = True

    def __init__(
        self, mu: ArrayLike | None = None, eta: ArrayLike = 1.0, icc: ArrayLike = 1.0
    ) -> None:
        self.mu = mu
        self.eta = eta
        self.icc = icc

    def has_finite_prior_density(self, formula: str | None, shapes: Shapes) -> bool | None:
        """Return whether the prior density of the difference is finite at 0; None if unknown."""
        # With an intraclass correlation near 1 every recall is near 0 or 1, for both classifiers.
        return None if formula is None else False

    def _outcomes(
        self, truth: Array, predictions: Array, counts: Array, margins: tuple[ConfusionCounts, ...]
    ) -> Outcomes:
        return Outcomes(
            class_proportions(1.0 if self.mu is None else self.mu, margins[0]),
            truth,
            predictions,
            counts,
            tuple(self._recall(margin) for margin in margins),
            estimates_mu=self.mu is None,
        )

    def _recall(self, counts: ConfusionCounts) -> Recall:
        right, true = counts.hits * counts.weight, counts.true * counts.weight
        return Recall(
            check_concentration(self.eta, (2,), "eta"),
            check_concentration(self.icc, (2,), "icc"),
            right,
            np.maximum(true - right, 0.0),
        )


class PairedRecalls(_SharedRecalls):
    """Classifiers on the same instances, for more than two classes.

    All classifiers share the class proportions mu. The recall of class j is Beta(s eta,
    s (1 - eta)), and the wrong predictions of the class are divided by a Dirichlet distribution of
    mass 1. Each classifier has its own eta and intraclass correlation 1 / (1 + s), inferred from
    its own confusion counts. In a draw, the etas of two classifiers are as correlated as their
    errors, and the observed outcomes are shared.

    Parameters
    ----------
    mu : float, array-like of shape (n_classes,) or None, default=None
        Dirichlet prior of the class proportions, in the order of the labels. With None, the
        distribution of the proportions is learned from all classes.
    eta : float or array-like of shape (2,), default=1.0
        Beta prior of each eta, the mean recall, as (correct, incorrect).
    icc : float or array-like of shape (2,), default=1.0
        Beta prior of each intraclass correlation. 0: all classes have the same recall. 1: in each
        class, all instances are right or all are wrong.

    Examples
    --------
    >>> from skbayeseval import compare_predictions
    >>> y, a, b = [0, 1, 2] * 4, [0, 1, 2, 0, 1, 1] * 2, [0, 1, 1, 0, 2, 2] * 2
    >>> result = compare_predictions(y, a, b, random_state=0)
    >>> result.model, result.prior
    ('paired', {'eta': 1.0, 'icc': 1.0, 'mu': None})
    """

    name = "paired"
    needs_pairs = True

    def specification(self, evidence: Evidence) -> OutcomeSpecification:
        """Return the specification of the posterior, given the evidence."""
        paired = check_paired(evidence)
        counts = paired.counts * paired.weight
        group = self._outcomes(paired.truth, paired.predictions, counts, margins_of(paired))
        return OutcomeSpecification((group,))


class Recalls(_SharedRecalls):
    """One classifier, or independent ones, for more than two classes, as in `PairedRecalls`.

    Parameters
    ----------
    mu : float, array-like of shape (n_classes,) or None, default=None
        Dirichlet prior of the class proportions, in the order of the labels. With None, the
        distribution of the proportions is learned from all classes.
    eta : float or array-like of shape (2,), default=1.0
        Beta prior of each eta, the mean recall, as (correct, incorrect).
    icc : float or array-like of shape (2,), default=1.0
        Beta prior of each intraclass correlation. 0: all classes have the same recall. 1: in each
        class, all instances are right or all are wrong.

    Examples
    --------
    >>> from skbayeseval import score_posterior
    >>> result = score_posterior([0, 1, 2] * 4, [0, 1, 2, 0, 1, 1] * 2, random_state=0)
    >>> result.model
    'recalls'
    """

    name = "recalls"

    def specification(self, evidence: Evidence) -> OutcomeSpecification:
        """Return the specification of the posterior, given the evidence."""
        groups = []
        for counts in margins_of(evidence):
            truth, predicted, number = counts.cells()
            effective = number * counts.weight
            groups.append(self._outcomes(truth, predicted[:, None], effective, (counts,)))
        return OutcomeSpecification(tuple(groups))
