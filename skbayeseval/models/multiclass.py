"""Models for any number of classes, and for any number of classifiers on the same instances.

In the hierarchical model (Zhang et al. 2015, section III) the classes of one classifier share
information through eta, the concentration of their prior on the diagonal. The paired models
describe several classifiers on the same instances. The prior of a tuple of predictions is the
product of the classifiers' own priors. The marginal posterior of each classifier is therefore that
of its own model, and the comparison of two classifiers does not depend on which others are
included.

Each eta from its own margin. In the paired model of many classes the etas are drawn from each
classifier's own confusion counts, not from the joint outcomes: a modular ("cut") posterior. Every
classifier alone is then exactly the hierarchical model, and a pair's answer is the same whatever
else is compared.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from skbayeseval._arrays import Array
from skbayeseval.engines.gammas import Simplex
from skbayeseval.engines.rows import Eta, Outcomes, Recall
from skbayeseval.evidence.joint_counts import PairedCounts
from skbayeseval.evidence.one_classifier import ConfusionCounts
from skbayeseval.metrics.metric import Metric
from skbayeseval.models.base import Model, check_concentration, check_positive_class
from skbayeseval.models.binary import Paired
from skbayeseval.models.outcomes import OutcomeModel


class _SharedPrior(OutcomeModel):
    """Classes share what is known of a classifier; classifiers share instances, if in pairs."""

    def _observe(self, evidence: Any) -> None:
        if self.needs_pairs:
            counts = evidence.counts * evidence.weight
            outcomes = (evidence.truth, evidence.predictions, counts, evidence.margins())
            self.groups = (self._outcomes(*outcomes),)
            return
        groups = []
        for margin in evidence.margins():
            truth, predicted, number = margin.cells()
            counts = number * margin.weight
            groups.append(self._outcomes(truth, predicted[:, None], counts, (margin,)))
        self.groups = tuple(groups)

    def _outcomes(
        self, truth: Array, predictions: Array, counts: Array, margins: tuple[ConfusionCounts, ...]
    ) -> Outcomes:
        """Return one group of classifiers, given their outcomes and the table of each."""
        raise NotImplementedError

    def has_finite_prior_density(self, metric: Metric) -> bool | None:
        """Return whether the prior density of the difference is finite at 0; None if unknown."""
        # As eta approaches 1, tables approach perfection so quickly that P(1 - metric < e)
        # decreases only like a power of 1 / log(1 / e), far more slowly than e. With an intraclass
        # correlation near 1, every recall is near 0 or 1, for both classifiers.
        return False if metric.is_of_totals else None


class _SharedEta(_SharedPrior):
    """The prior of both hierarchical models."""

    def __init__(self, mu: ArrayLike = 1.0, eta: ArrayLike = 1.0) -> None:
        self.mu = mu
        self.eta = eta

    def _outcomes(
        self, truth: Array, predictions: Array, counts: Array, margins: tuple[ConfusionCounts, ...]
    ) -> Outcomes:
        mu = class_proportions(self.mu, margins[0])
        etas = tuple(_eta(self.eta, margin) for margin in margins)
        return Outcomes(mu, truth, predictions, counts, etas)


class Hierarchical(_SharedEta):
    """Independent classifiers whose classes share eta (Zhang et al. 2015, section III).

    Each classifier has its own class proportions mu ~ Dirichlet and its own eta ~ Beta. Row j of
    its confusion table is Dirichlet with eta on class j and (1 - eta) / (M - 1) on every other
    class.

    Parameters
    ----------
    mu : float or array-like of shape (n_classes,), default=1.0
        Dirichlet prior of the class proportions, in the order of the labels. With two classes,
        the positive class comes first.
    eta : float or array-like of shape (2,), default=1.0
        Beta prior of eta, as (correct, incorrect).

    Examples
    --------
    >>> from skbayeseval import compare_predictions
    >>> from skbayeseval.models import Hierarchical
    >>> y, a, b = [0, 1, 2] * 4, [0, 1, 2, 0, 1, 1] * 2, [0, 1, 1, 0, 2, 2] * 2
    >>> compare_predictions(y, a, b, model=Hierarchical(), random_state=0).model
    'hierarchical'
    """

    name = "hierarchical"
    has_independent_classifiers = True
    prior_pulls_classes = True


class PairedHierarchical(_SharedEta):
    """Classifiers on the same instances, with the published prior of more than two classes.

    All classifiers share the class proportions mu. For true class j, the probabilities of the
    tuples of predictions are Dirichlet, with the product of the classifiers' hierarchical priors.
    Each classifier's eta is inferred from that classifier's own confusion counts, independently of
    the others (a modular, "cut" posterior). The marginal posterior of every classifier is therefore
    that of `Hierarchical`.

    Parameters
    ----------
    mu : float or array-like of shape (n_classes,), default=1.0
        Dirichlet prior of the class proportions, in the order of the labels. With two classes,
        the positive class comes first.
    eta : float or array-like of shape (2,), default=1.0
        Beta prior of each eta, as (correct, incorrect).

    Examples
    --------
    >>> from skbayeseval import compare_predictions
    >>> from skbayeseval.models import PairedHierarchical
    >>> y, a, b = [0, 1, 2] * 4, [0, 1, 2, 0, 1, 1] * 2, [0, 1, 1, 0, 2, 2] * 2
    >>> result = compare_predictions(y, a, b, model=PairedHierarchical(), random_state=0)
    >>> result.model, result.prior
    ('paired hierarchical', {'eta': 1.0, 'mu': 1.0})
    """

    name = "paired hierarchical"
    needs_pairs = True


class PairedMany(OutcomeModel):
    """Three or more classifiers on the same instances, for two classes.

    For each true class, the probabilities of the 2^K tuples of predictions are Dirichlet with
    4 `theta` / 2^K in each. The marginal posterior of every pair of classifiers is therefore that
    of `Paired` (Zhang et al. 2016).

    Parameters
    ----------
    mu : float or array-like of shape (2,), default=1.0
        Beta prior of mu, as (positive, negative).
    theta : float, default=1.0
        Dirichlet prior of each of the four pairs of predictions of two classifiers. The default of
        ``model="paired"`` is 0.25.

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
    default_prior: ClassVar[dict[str, Any]] = {"theta": 0.25}

    def __init__(self, mu: ArrayLike = 1.0, theta: float = 1.0) -> None:
        self.mu = mu
        self.theta = theta

    def _observe(self, evidence: PairedCounts) -> None:
        theta = float(check_concentration(self.theta, (), "theta"))
        self.groups = (
            Outcomes(
                class_proportions(self.mu, evidence.margin(0)),
                evidence.truth,
                evidence.predictions,
                evidence.counts * evidence.weight,
                (None,) * evidence.n_classifiers,
                mass=4 * theta,
            ),
        )

    def of_pair(self) -> Model:
        """Return the model of two classifiers that is the margin of this one."""
        pair = Paired(mu=self.mu, theta=self.theta)
        pair.published = None if self.published is None else self.published.of_pair()
        return pair


def class_proportions(mu: ArrayLike, counts: ConfusionCounts) -> Simplex:
    """Return the class proportions. The prior of two classes has the positive class first.

    A label that cannot be the true class has the proportion 0.
    """
    n_classes = len(counts.labels)
    prior = check_concentration(mu, (n_classes,), "mu")
    if n_classes == 2 and counts.positive != 0:
        check_positive_class(counts.positive, prior[0] == prior[1])
        prior = prior[::-1]
    return Simplex("mu", np.where(counts.possible, prior, 0.0), counts.true * counts.weight)


def _eta(prior: ArrayLike, counts: ConfusionCounts) -> Eta:
    truth, predicted, number = counts.cells()
    right, effective = truth == predicted, number * counts.weight
    prior = check_concentration(prior, (2,), "eta")
    return Eta(prior, len(counts.labels), effective[right], effective[~right])


class _SharedRecalls(_SharedPrior):
    """The prior of both models of recalls."""

    def __init__(
        self, mu: ArrayLike | None = None, eta: ArrayLike = 1.0, icc: ArrayLike = 1.0
    ) -> None:
        self.mu = mu
        self.eta = eta
        self.icc = icc

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


class Recalls(_SharedRecalls):
    """One classifier, or independent ones, for more than two classes.

    Parameters
    ----------
    mu, eta, icc
        As in `PairedRecalls`.

    Examples
    --------
    >>> from skbayeseval import score_posterior
    >>> result = score_posterior([0, 1, 2] * 4, [0, 1, 2, 0, 1, 1] * 2, random_state=0)
    >>> result.model
    'recalls'
    """

    name = "recalls"
    has_independent_classifiers = True
