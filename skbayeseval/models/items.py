"""Models of one score per item: right or wrong, in groups or not, and scores of any kind."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from skbayeseval._arrays import in_short
from skbayeseval.evidence.items import ItemScores, Units
from skbayeseval.metrics.registry import item_bounds
from skbayeseval.models.binary import log_density_of_equality
from skbayeseval.models.margins import BetaMargin
from skbayeseval.models.specification import AnySpecification, Model, Shapes, check_concentration

__all__ = [
    "ClusteredItems",
    "ClusteredSpecification",
    "ItemWeightSpecification",
    "ItemWeights",
    "RightOrWrong",
    "RightOrWrongSpecification",
]

Array = NDArray[Any]

# What the prior of right-or-wrong scores weighs for `theta=1`, in items: that of two systems has 1
# in each of the four outcomes.
PRIOR_MASS = 4.0


@dataclass(frozen=True)
class ItemWeightSpecification(AnySpecification):
    """Normalised Gamma(1) weights of units, and the weighted mean score of each system.

    Parameters
    ----------
    units : Units
        The sums of scores and the sizes of items, or of groups of items.
    sign : {1.0, -1.0}
        The sign of the mean score in the metric.
    """

    units: Units
    sign: float


@dataclass(frozen=True)
class RightOrWrongSpecification(AnySpecification):
    """The probabilities of who is right, for several systems on the same items.

    Parameters
    ----------
    right : ndarray of shape (n_systems, n_items)
        1 where a system is right, 0 elsewhere.
    theta : ndarray of shape (4,)
        Dirichlet prior of two systems: both right, only A, only B, both wrong. Of K systems, the
        prior of each outcome is sum(theta) / 2^K.
    sign : {1.0, -1.0}
        The sign of the mean score in the metric.
    """

    right: Array
    theta: Array
    sign: float

    @property
    def draws_cost_one(self) -> bool:
        """Whether a draw costs no more than that of two classes."""
        return True

    def shapes(self, *, prior: bool) -> dict[str, Array]:
        """Return the Dirichlet shapes of the four outcomes of two systems; empty for more."""
        if len(self.right) != 2:
            return {}
        a, b = self.right
        counts = np.array([a @ b, a @ (1 - b), (1 - a) @ b, (1 - a) @ (1 - b)])
        return {"theta": self.theta if prior else self.theta + counts}


@dataclass(frozen=True)
class ClusteredSpecification(AnySpecification):
    """The probabilities of who is right, for two systems on groups of items that are alike.

    Parameters
    ----------
    counts : ndarray of shape (n_groups, 4)
        The numbers of items with each outcome: both right, only A, only B, both wrong.
    theta : ndarray of shape (4,)
        Dirichlet prior of the mean probabilities of the outcomes.
    d : ndarray of shape (2,)
        Gamma prior, as (shape, rate), of how much groups are alike.
    sign : {1.0, -1.0}
        The sign of the mean score in the metric.
    """

    counts: Array
    theta: Array
    d: Array
    sign: float

    @property
    def draws_cost_one(self) -> bool:
        """Whether a draw costs no more than that of two classes."""
        return True


class RightOrWrong(Model):
    """Systems that are right or wrong on the same items: the paired model, without a truth.

    For two systems, theta ~ Dirichlet holds the probabilities of the outcomes of an item: both
    right, only A, only B, both wrong. This is the model of one true class in `Paired`. Of K systems
    the 2^K outcomes have the prior 4 `theta` / 2^K each, so that the margin of every pair is the
    model of two.

    Parameters
    ----------
    theta : float or array-like of shape (4,), default=1.0
        Dirichlet prior of the outcomes. For more than two systems, a number. The default of
        ``model="paired"`` is 0.5.

    Examples
    --------
    >>> from skbayeseval import compare_items
    >>> result = compare_items([1, 1, 1, 0, 1, 1], [1, 0, 1, 0, 0, 1], random_state=0)
    >>> result.model, result.prior
    ('paired', {'theta': 0.5})
    """

    name = "paired"
    needs_pairs = True
    needs_true_negatives = False

    def __init__(self, theta: ArrayLike = 1.0) -> None:
        self.theta = theta

    def specification(self, evidence: Any) -> RightOrWrongSpecification:
        """Return the specification of the posterior, given the evidence."""
        items = check_items(evidence)
        theta = check_concentration(self.theta, (4,), "theta")
        if items.n_classifiers > 2 and np.ptp(theta) > 0:
            raise ValueError(
                f"prior 'theta' must be a number for more than two systems, got "
                f"{in_short(self.theta)}."
            )
        return RightOrWrongSpecification(items.means, theta, items.sign)

    def margin(self, formula: str | None, shapes: Shapes, classifier: int) -> BetaMargin | None:
        """Return the distribution of one system's mean score, None if not in closed form."""
        if item_bounds(formula) != (0.0, 1.0) or not shapes:
            return None
        outcomes = shapes["theta"].reshape(2, 2)
        return BetaMargin(*outcomes.sum(axis=1 - classifier))

    def log_density_at_zero(self, formula: str | None, shapes: Shapes) -> float | None:
        """Return the log density of the difference at 0; inf if infinite, None if unknown."""
        return log_density_of_equality(shapes["theta"]) if shapes else None


class ClusteredItems(Model):
    """Two systems that are right or wrong on items in groups: a model of few groups.

    Each group has its own probabilities of the outcomes (both right, only A, only B, both wrong),
    which are Dirichlet(d theta). theta ~ Dirichlet holds the mean probabilities over groups, and
    d ~ Gamma says how much groups are alike. This is the paired form of the model of Bowyer et al.
    (2025), in which theta and the probabilities of a group have two outcomes.

    Parameters
    ----------
    theta : float or array-like of shape (4,), default=1.0
        Dirichlet prior of the mean probabilities of the outcomes.
    d : (float, float), default=(1.0, 1.0)
        Gamma prior of d, as (shape, rate).

    Examples
    --------
    >>> from skbayeseval import compare_items
    >>> groups = ["x", "x", "y", "y", "z", "z"]
    >>> a, b = [1, 1, 1, 0, 1, 1], [1, 0, 1, 0, 0, 1]
    >>> compare_items(a, b, groups=groups, model="clustered", random_state=0).model
    'clustered'
    """

    name = "clustered"
    needs_pairs = True
    needs_true_negatives = False

    def __init__(self, theta: ArrayLike = 1.0, d: ArrayLike = (1.0, 1.0)) -> None:
        self.theta = theta
        self.d = d

    def specification(self, evidence: Any) -> ClusteredSpecification:
        """Return the specification of the posterior, given the evidence."""
        items = check_items(evidence)
        if items.n_classifiers != 2:
            raise ValueError(
                f"model='clustered' compares two systems, but there are {items.n_classifiers}. Use "
                "model='bootstrap', or compare_items for each pair."
            )
        check_several_units(items)
        assert items.group is not None  # other items are of another family
        a, b = items.means
        outcomes = np.stack([a * b, a * (1 - b), (1 - a) * b, (1 - a) * (1 - b)])
        counts = np.stack([np.bincount(items.group, of_one) for of_one in outcomes], axis=1)
        return ClusteredSpecification(
            counts,
            check_concentration(self.theta, (4,), "theta"),
            check_concentration(self.d, (2,), "d"),
            items.sign,
        )

    def log_density_at_zero(self, formula: str | None, shapes: Shapes) -> float | None:
        """Return None: the density of the difference is not known in closed form."""
        return None


class ItemWeights(Model):
    """Random weights of items, or of groups of items, shared by all systems.

    Weights are normalised Gamma(1) variables (the Bayesian bootstrap). For few items or groups, two
    things are added: half an item that was not seen, with the same score for all systems, uniform
    between the `limits`, and the spread of Student's t.

    Parameters
    ----------
    limits : (float, float), default=None
        The smallest and the largest possible score. By default, 0 and 1 if all scores are 0 or 1,
        and otherwise the smallest and the largest score that was seen. With known limits, the
        posterior is inside them.

    Examples
    --------
    >>> from skbayeseval import compare_items
    >>> a, b = [4, 5, 3, 4, 5, 5], [4, 3, 3, 5, 4, 2]
    >>> result = compare_items(a, b, prior={"limits": (1, 5)}, random_state=0)
    >>> result.model, result.prior
    ('bootstrap', {'limits': (1, 5)})
    """

    name = "bootstrap"
    needs_pairs = True
    needs_true_negatives = False
    has_proper_prior = False
    weights_units = True

    def __init__(self, limits: Any = None) -> None:
        self.limits = limits

    def specification(self, evidence: Any) -> ItemWeightSpecification:
        """Return the specification of the posterior, given the evidence."""
        items = check_items(evidence)
        check_several_units(items)
        low, high = items.range_seen
        known = self.known_limits(items)
        if known is not None and not (known[0] <= low and high <= known[1]):
            raise ValueError(
                f"prior 'limits' is {in_short(self.limits)}, but there are scores from {low:g} to "
                f"{high:g}."
            )
        if known is None and low == high:
            raise ValueError(
                f"All scores are {low:g}, which does not tell by how much scores can differ. Pass "
                "prior={'limits': (low, high)}, the smallest and the largest possible score."
            )
        return ItemWeightSpecification(items.units(), items.sign)

    def known_limits(self, items: ItemScores) -> tuple[float, float] | None:
        """Return the smallest and the largest possible score; None if they are not known."""
        if self.limits is None:
            return (0.0, 1.0) if items.is_right_or_wrong else None
        try:
            low, high = (float(end) for end in self.limits)
        except (TypeError, ValueError) as error:
            raise ValueError(
                f"prior 'limits' must be a pair of numbers, got {in_short(self.limits)}."
            ) from error
        if not -np.inf < low < high < np.inf:
            raise ValueError(
                f"prior 'limits' must be two finite numbers, the smaller one first, got "
                f"{in_short(self.limits)}."
            )
        return low, high


def check_items(evidence: Any) -> ItemScores:
    """Return the evidence; raise unless it is one score per item."""
    if not isinstance(evidence, ItemScores):
        raise ValueError("Models of items require one score per item. Use compare_items.")
    return evidence


def check_several_units(items: ItemScores) -> None:
    """Raise if there is a single item or group, which says nothing about how much units vary."""
    if items.group is None and items.n_items == 1:
        raise ValueError(
            "There is a single item, which does not tell how much items vary. Pass at least two "
            "items, better 20 or more."
        )
    if items.n_groups == 1:
        raise ValueError(
            "groups has a single group, which does not tell how much groups vary. Pass at least "
            "two groups, better 20 or more; or omit groups= if the items are independent."
        )
