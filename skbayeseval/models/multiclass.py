"""Models of any number of classes, and of any number of classifiers on the same instances.

The hierarchical model (Zhang et al. 2015, section III) lets the classes of one classifier share
strength through eta, the concentration of their prior on the diagonal. The paired models put
several classifiers on the same instances: the prior of an outcome is the product of the
classifiers' own, so that each alone is exactly its own model, and what is said of a pair does not
depend on who else was compared.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from skbayeseval.evidence.counts import (
    ConfusionCounts,
    Evidence,
    PairedCounts,
    check_paired,
    margins_of,
)
from skbayeseval.models.binary import Paired
from skbayeseval.models.specification import (
    Eta,
    Model,
    Outcomes,
    OutcomeSpecification,
    Shapes,
    Simplex,
    check_concentration,
)

__all__ = ["Hierarchical", "PairedHierarchical", "PairedMany"]

Array = NDArray[Any]


class Hierarchical(Model):
    """Each classifier on its own, its classes tied by eta (Zhang et al. 2015, section III).

    mu ~ Dirichlet, the class proportions; eta ~ Beta; row j of the confusion table ~ Dirichlet with
    eta on class j and (1 - eta) / (M - 1) on every other class.

    Parameters
    ----------
    mu : float or array-like of shape (n_classes,), default=1.0
        Dirichlet prior of the class proportions, in the order of the labels; of two classes the
        positive one first.
    eta : float or array-like of shape (2,), default=1.0
        Beta prior of eta: (right, wrong).

    Examples
    --------
    >>> from skbayeseval import compare_predictions
    >>> from skbayeseval.models import Hierarchical
    >>> y, a, b = [0, 1, 2] * 4, [0, 1, 2, 0, 1, 1] * 2, [0, 1, 1, 0, 2, 2] * 2
    >>> compare_predictions(y, a, b, model=Hierarchical(), random_state=0).model
    'hierarchical'
    """

    name = "hierarchical"

    def __init__(self, mu: ArrayLike = 1.0, eta: ArrayLike = 1.0) -> None:
        self.mu = mu
        self.eta = eta

    def specification(self, evidence: Evidence) -> OutcomeSpecification:
        """Return what is to be sampled, given the evidence."""
        groups = []
        for counts in margins_of(evidence):
            truth, predicted = np.nonzero(counts.table)
            groups.append(
                Outcomes(
                    _proportions(self.mu, counts),
                    truth,
                    predicted[:, None],
                    counts.effective[truth, predicted],
                    (_eta(self.eta, counts),),
                )
            )
        return OutcomeSpecification(tuple(groups))

    def has_finite_prior_density(self, formula: str | None, shapes: Shapes) -> bool | None:
        """Whether the density of the difference at 0 is finite before the data."""
        return _finite_density(formula)


class PairedHierarchical(Model):
    """Classifiers on the same instances, more than two classes.

    One mu for all; for true class j the tuple of predictions ~ Dirichlet with the product of the
    classifiers' hierarchical priors. Each eta has its own margin's posterior, independently of the
    others (a modular, "cut" posterior), so that every classifier alone is exactly `Hierarchical`.

    Parameters
    ----------
    mu : float or array-like of shape (n_classes,), default=1.0
        Dirichlet prior of the class proportions, in the order of the labels; of two classes the
        positive one first.
    eta : float or array-like of shape (2,), default=1.0
        Beta prior of each eta: (right, wrong).

    Examples
    --------
    >>> from skbayeseval import compare_predictions
    >>> y, a, b = [0, 1, 2] * 4, [0, 1, 2, 0, 1, 1] * 2, [0, 1, 1, 0, 2, 2] * 2
    >>> result = compare_predictions(y, a, b, random_state=0)
    >>> result.model, result.prior
    ('paired', {'eta': 1.0, 'mu': 1.0})
    """

    name = "paired"
    needs_pairs = True

    def __init__(self, mu: ArrayLike = 1.0, eta: ArrayLike = 1.0) -> None:
        self.mu = mu
        self.eta = eta

    def specification(self, evidence: Evidence) -> OutcomeSpecification:
        """Return what is to be sampled, given the evidence."""
        paired = check_paired(evidence)
        margins = margins_of(paired)
        etas = tuple(_eta(self.eta, counts) for counts in margins)
        return _joint(paired, _proportions(self.mu, margins[0]), etas, mass=1.0)

    def has_finite_prior_density(self, formula: str | None, shapes: Shapes) -> bool | None:
        """Whether the density of the difference at 0 is finite before the data."""
        return _finite_density(formula)


class PairedMany(Model):
    """Three or more classifiers of two classes on the same instances.

    theta ~ Dirichlet over the 2^K outcomes of each true class, with 4 `theta` / 2^K in each: every
    pair's margin is exactly the paired model of two (Zhang et al. 2016).

    Parameters
    ----------
    mu : float or array-like of shape (2,), default=1.0
        Beta prior of mu: (positive, negative).
    theta : float, default=1.0
        Dirichlet prior of each of the four outcomes of a pair.

    Examples
    --------
    >>> from skbayeseval import compare_many
    >>> y = [0, 1, 1, 0]
    >>> predictions = {"a": [0, 1, 1, 0], "b": [0, 0, 1, 0], "c": [1, 1, 1, 0]}
    >>> compare_many(y, predictions, random_state=0).model
    'paired'
    """

    name = "paired"
    needs_pairs = True

    def __init__(self, mu: ArrayLike = 1.0, theta: float = 1.0) -> None:
        self.mu = mu
        self.theta = theta

    def specification(self, evidence: Evidence) -> OutcomeSpecification:
        """Return what is to be sampled, given the evidence."""
        paired = check_paired(evidence)
        theta = float(check_concentration(self.theta, (), "theta"))
        proportions = _proportions(self.mu, paired.margin(0))
        return _joint(paired, proportions, (None,) * paired.n_classifiers, mass=4 * theta)

    def of_pair(self) -> Model:
        """Return the model of two classifiers that is the margin of this one."""
        return Paired(mu=self.mu, theta=self.theta)


def _finite_density(formula: str | None) -> bool | None:
    """Return False for every registered score.

    As eta goes to 1 tables get perfect, and so quickly that P(1 - score < e) falls like a power of
    1 / log(1 / e) only, far slower than e.
    """
    return None if formula is None else False


def _joint(
    paired: PairedCounts, mu: Simplex, etas: tuple[Eta | None, ...], mass: float
) -> OutcomeSpecification:
    counts = paired.counts * paired.weight
    return OutcomeSpecification(
        (Outcomes(mu, paired.truth, paired.predictions, counts, etas, mass),)
    )


def _proportions(mu: ArrayLike, counts: ConfusionCounts) -> Simplex:
    """Return the class proportions; a prior of two classes has the positive one first."""
    n_classes = len(counts.labels)
    prior = check_concentration(mu, (n_classes,), "mu")
    if n_classes == 2 and counts.positive != 0:
        if counts.positive is None and prior[0] != prior[1]:
            raise ValueError(
                "prior 'mu' tells the positive class from the negative one, but neither class is "
                "1: say which is positive with pos_label=."
            )
        prior = prior[::-1]
    return Simplex("mu", prior, counts.effective.sum(axis=1))


def _eta(prior: ArrayLike, counts: ConfusionCounts) -> Eta:
    table = counts.effective
    diagonal = np.eye(len(table), dtype=bool)
    right, wrong = (
        np.unique(cells[cells > 0], return_counts=True)
        for cells in (table[diagonal], table[~diagonal])
    )
    return Eta(check_concentration(prior, (2,), "eta"), len(table), right, wrong)
