"""Models of one score per item: right or wrong, in groups or not, and scores of any kind.

Groups of right-or-wrong items are bootstrapped. A model of outcomes within groups (Bowyer et al.
2025, paired) has a proper prior, but expects groups to be much alike: it covered 0.98 to 0.99 from
5 to 20 groups of ten items with moderate differences between groups, the group bootstrap 0.94 to
0.95, with shorter intervals.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike

from skbayeseval._arrays import Array, in_short
from skbayeseval.evidence.item_scores import ItemScores, unseen_errors
from skbayeseval.metrics.metric import Metric
from skbayeseval.models.base import (
    Blocks,
    Model,
    check_concentration,
    check_several,
    with_swapped_theta,
)
from skbayeseval.models.blocks import BLOCK, stream_blocks
from skbayeseval.models.bootstrap import WeightedSums
from skbayeseval.models.few_units import UNSEEN_INSTANCE
from skbayeseval.models.margins import BetaMargin, log_density_of_equality

# The share of the prior that is left to the last stick, on average.
REMAINDER = 1e-6


class ItemModel(Model):
    """What the models of items have in common."""

    takes = ItemScores
    needs_pairs = True
    most_classifiers = None
    needs_true_negatives = False
    no_graph = "Models of one score per item have no PyMC model."

    # The sign of the mean score in the metric.
    sign: float


def _right_under_the_prior(n_systems: int, mass: float, rng: Generator, n_draws: int) -> Array:
    """Return draws of the prior: a Dirichlet of that mass, uniform over the 2^K outcomes.

    Sticks are broken off (Sethuraman 1994), and each has an outcome in which every system is right
    or wrong with equal probability. So the 2^K outcomes need not be listed.
    """
    n_sticks = int(np.ceil(np.log(REMAINDER) / np.log(mass / (1 + mass))))
    right, remaining = np.zeros((n_systems, n_draws)), np.ones(n_draws)
    for last in range(n_sticks, 0, -1):
        taken = remaining * (1.0 if last == 1 else 1 - rng.random(n_draws) ** (1 / mass))
        right += taken * rng.integers(0, 2, (n_systems, n_draws), dtype=np.int8)
        remaining = remaining - taken
    return right


class RightOrWrong(ItemModel):
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
    draws_cost_one = True
    default_prior: ClassVar[dict[str, Any]] = {"theta": 0.5}

    # The Dirichlet prior of the four outcomes of two systems.
    concentration: Array

    # 1 where a system is right, 0 elsewhere, of shape (n_systems, n_items).
    right: Array

    def __init__(self, theta: ArrayLike = 1.0) -> None:
        self.theta = theta

    def _observe(self, items: ItemScores) -> None:
        self.right, self.sign = items.means, items.sign
        self.concentration = check_concentration(self.theta, (4,), "theta")
        if items.n_classifiers > 2 and np.ptp(self.concentration) > 0:
            raise ValueError(
                f"prior 'theta' must be a number for more than two systems, got "
                f"{in_short(self.theta)}."
            )

    def mirrored(self) -> Model:
        """Return the model with A and B swapped."""
        return with_swapped_theta(self)

    def shapes(self, *, prior: bool) -> dict[str, Array]:
        """Return the Dirichlet shapes of the four outcomes of two systems; empty for more."""
        if len(self.right) != 2:
            return {}
        a, b = self.right
        counts = np.array([a @ b, a @ (1 - b), (1 - a) @ b, (1 - a) @ (1 - b)])
        return {"theta": self.concentration if prior else self.concentration + counts}

    def stream(self, metric: Metric, rng: Generator, number: int, *, prior: bool = False) -> Blocks:
        """Yield blocks of draws of the probability that each system is right, (n_systems, n)."""
        shapes = self.shapes(prior=prior)
        if shapes:

            def draw_two(rng: Generator, size: int) -> Array:
                both, only_a, only_b, _ = rng.dirichlet(shapes["theta"], size).T
                return self.sign * np.stack([both + only_a, both + only_b])

            return stream_blocks(draw_two, rng, number, BLOCK)
        right, mass = self.right, float(self.concentration.sum())
        rows = np.vstack([np.ones(right.shape[1]), right])
        weighted = WeightedSums(rows[:, :0] if prior else rows)

        def draw(rng: Generator, size: int) -> Array:
            total, *hits = weighted.draw(rng, size)
            unseen = rng.standard_gamma(mass, size)
            expected = _right_under_the_prior(len(right), mass, rng, size)
            return self.sign * (np.stack(hits) + unseen * expected) / (total + unseen)

        return stream_blocks(draw, rng, number, weighted.block)

    def margin(self, metric: Metric, which: int, *, prior: bool = False) -> BetaMargin | None:
        """Return the distribution of one system's mean score, None if not in closed form."""
        shapes = self.shapes(prior=prior)
        if metric.limits != (0.0, 1.0) or not shapes:
            return None
        outcomes = shapes["theta"].reshape(2, 2)
        return BetaMargin(*outcomes.sum(axis=1 - which))

    def log_density_at_zero(self, metric: Metric, *, prior: bool = False) -> float | None:
        """Return the log density of the difference at 0; inf if infinite, None if unknown."""
        shapes = self.shapes(prior=prior)
        return log_density_of_equality(shapes["theta"]) if shapes else None


class ItemWeights(ItemModel):
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
    >>> result = compare_items(a, b, limits=(1, 5), random_state=0)
    >>> result.model, result.prior
    ('bootstrap', {'limits': (1, 5)})
    """

    name = "bootstrap"
    has_proper_prior = False
    weights_units = True

    # The sums of scores and the sizes of items, or of groups of items.
    units: tuple[Array, Array]

    # How far a judge may be off unseen, and how many items of each system people graded.
    unseen: tuple[Array, Array] | None

    def __init__(self, limits: Any = None) -> None:
        self.limits = limits

    def _observe(self, items: ItemScores) -> None:
        self.unseen = None
        if items.human is not None:
            items.check_people()
            errors = unseen_errors(items.over_runs, items.human)
            self.unseen = (errors, np.isfinite(items.human).sum(axis=1)) if errors.any() else None
        self.units, self.sign = items.units(), items.sign
        check_several(len(self.units[1]), "item" if items.group is None else "group")
        low, high = items.range_seen
        known = self.known_limits(items)
        if known is not None and not (known[0] <= low and high <= known[1]):
            raise ValueError(
                f"limits is {in_short(self.limits)}, but there are scores from {low:g} to {high:g}."
            )
        if low == high and items.human is not None and not items.is_right_or_wrong:
            raise ValueError(
                f"All grades, those of people, too, are {low:g}: there is nothing to compare."
            )
        if known is None and low == high:
            raise ValueError(
                f"All scores are {low:g}, which does not tell by how much scores can differ. Pass "
                "limits=(low, high), the smallest and the largest possible score."
            )

    def stream(self, metric: Metric, rng: Generator, number: int, *, prior: bool = False) -> Blocks:
        """Yield blocks of draws of the weighted mean score of each system, (n_systems, n)."""
        sums, sizes = self.units
        means = sums.sum(axis=1) / sizes.sum()
        # Deviations from the mean, so that large scores with small differences lose no digits.
        weighted = WeightedSums(np.vstack([sizes, sums - np.outer(means, sizes)]))

        def draw(rng: Generator, size: int) -> Array:
            total, *deviations = weighted.draw(rng, size)
            scores = means[:, None] + np.stack(deviations) / total
            if self.unseen is not None:
                # Half an unseen grade of two systems, as in the prior of the paired model.
                each = UNSEEN_INSTANCE / 2
                for k, (error, n_graded) in enumerate(zip(*self.unseen, strict=True)):
                    _, kind, strict = rng.dirichlet([n_graded, each, each], size).T
                    scores[k] += error * (kind - strict)
            return self.sign * scores

        return stream_blocks(draw, rng, number, weighted.block)

    def known_limits(self, items: ItemScores) -> tuple[float, float] | None:
        """Return the smallest and the largest possible score; None if they are not known."""
        if self.limits is None:
            return (0.0, 1.0) if items.is_right_or_wrong else None
        try:
            low, high = (float(end) for end in self.limits)
        except (TypeError, ValueError) as error:
            raise ValueError(
                f"limits must be a pair of numbers, got {in_short(self.limits)}."
            ) from error
        if not -np.inf < low < high < np.inf:
            raise ValueError(
                f"limits must be two finite numbers, the smaller one first, got "
                f"{in_short(self.limits)}."
            )
        return low, high
