"""Models of one score per item: right or wrong, in groups or not, and scores of any kind.

Groups of right-or-wrong items are bootstrapped. The clustered model (Bowyer et al. 2025, paired)
has a proper prior, but expects groups to be much alike: it covered 0.98 to 0.99 from 5 to 20 groups
of ten items with moderate differences between groups, the group bootstrap 0.94 to 0.95, with
shorter intervals (docs/calibration.md). So the bootstrap is the default.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike
from scipy.optimize import minimize

from skbayeseval._arrays import Array, in_short
from skbayeseval.engines.blocks import BLOCK, stream_blocks
from skbayeseval.engines.bootstrap import UNSEEN, WeightedSums
from skbayeseval.engines.gammas import log_rising
from skbayeseval.evidence.item_scores import ItemScores, Units, unseen_errors
from skbayeseval.metrics.metric import Metric
from skbayeseval.models.base import (
    Blocks,
    Model,
    check_concentration,
    check_several,
    with_swapped_theta,
)
from skbayeseval.models.margins import BetaMargin, log_density_of_equality

# The share of the prior that is left to the last stick, on average.
REMAINDER = 1e-6

# Tails of the proposal that are heavier than those of the posterior.
DF = 5.0

# The step of differences, on the log scale.
STEP = 0.01

# The rounds in which the proposal is fitted, and the number of draws in each.
ROUNDS = 3
FITTED = 2000

# Proposals per draw.
PROPOSALS = 4


class ItemModel(Model):
    """What the models of items have in common."""

    takes = ItemScores
    needs_pairs = True
    most_classifiers = None
    needs_true_negatives = False
    no_graph = "Models of one score per item have no PyMC model."

    # The sign of the mean score in the metric.
    sign: float


class OutcomesOfItems(ItemModel):
    """The probabilities of who is right: both, only A, only B, or neither, of two systems."""

    draws_cost_one = True

    # The Dirichlet prior of the four outcomes.
    concentration: Array

    def mirrored(self) -> Model:
        """Return the model with A and B swapped."""
        return with_swapped_theta(self)

    def _scores(self, theta: Array) -> Array:
        """Return the mean scores of two systems, given draws of theta, of shape (4, n)."""
        both, only_a, only_b, _ = theta
        return self.sign * np.stack([both + only_a, both + only_b])


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


class RightOrWrong(OutcomesOfItems):
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
    default_prior: ClassVar[dict[str, Any]] = {"theta": 0.5}

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
                return self._scores(rng.dirichlet(shapes["theta"], size).T)

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


class ClusteredItems(OutcomesOfItems):
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

    # The numbers of items with each outcome in each group, of shape (n_groups, 4), and the Gamma
    # prior, as (shape, rate), of how much groups are alike.
    counts: Array
    alikeness: Array

    def __init__(self, theta: ArrayLike = 1.0, d: ArrayLike = (1.0, 1.0)) -> None:
        self.theta = theta
        self.d = d

    def _observe(self, items: ItemScores) -> None:
        if items.n_classifiers != 2:
            raise ValueError(
                f"model='clustered' compares two systems, but there are {items.n_classifiers}. Use "
                "model='bootstrap', or compare_items for each pair."
            )
        check_several(items.n_groups, "group")
        assert items.group is not None  # other items are of another family
        a, b = items.means
        outcomes = np.stack([a * b, a * (1 - b), (1 - a) * b, (1 - a) * (1 - b)])
        self.counts = np.stack([np.bincount(items.group, of_one) for of_one in outcomes], axis=1)
        self.concentration = check_concentration(self.theta, (4,), "theta")
        self.alikeness = check_concentration(self.d, (2,), "d")
        self.sign = items.sign

    def stream(self, metric: Metric, rng: Generator, number: int, *, prior: bool = False) -> Blocks:
        """Yield draws of the probability of being right of each of two systems, (2, number)."""
        yield self._scores(
            rng.dirichlet(self.concentration, number).T if prior else self._draw_theta(rng, number)
        )

    def log_posterior(self, log_alpha: Array) -> Array:
        """Return the log density of log(alpha), of shape (4, n), up to a constant."""
        shape, rate = self.alikeness
        alpha = np.exp(log_alpha)
        d = alpha.sum(axis=0)
        log_d = np.log(d)
        log_density = self.concentration @ (log_alpha - log_d) + shape * log_d - rate * d
        for counts, concentration in zip(self.counts.T, alpha, strict=True):
            log_density += log_rising(concentration, counts)
        return log_density - log_rising(d, self.counts.sum(axis=1))

    def _draw_theta(self, rng: Generator, n_draws: int) -> Array:
        """Return draws of theta, of shape (4, n_draws), by importance resampling."""
        shares = self.counts.sum(axis=0) + self.concentration
        mode = minimize(
            lambda x: -float(self.log_posterior(x[:, None])[0]),
            np.log(shares / shares.sum()),
            jac=lambda x: self._derivatives(x)[0],
            hess=lambda x: self._derivatives(x)[1],
            method="trust-exact",
        )
        centre, covariance = mode.x, np.linalg.pinv(mode.hess, hermitian=True)
        for _ in range(ROUNDS):
            x, weights = self._proposed(centre, covariance, rng, FITTED)
            # Weights are tempered until the proposal is close enough for the rest to be noise.
            n_effective = weights.sum() ** 2 / (weights**2).sum()
            weights = np.sqrt(weights) if n_effective < FITTED / 20 else weights
            weights /= weights.sum()
            centre = x @ weights
            covariance = (weights * (x - centre[:, None])) @ (x - centre[:, None]).T
        x, weights = self._proposed(centre, covariance, rng, PROPOSALS * n_draws)
        # Systematic resampling: each proposal is taken as often as its weight says, up to rounding.
        steps = (np.arange(n_draws) + rng.random()) / n_draws
        ends = np.cumsum(weights)
        chosen = np.minimum(np.searchsorted(ends / ends[-1], steps), x.shape[1] - 1)
        alpha = np.exp(x[:, rng.permutation(chosen)])
        return np.asarray(alpha / alpha.sum(axis=0))

    def _derivatives(self, x: Array) -> tuple[Array, Array]:
        """Return the first and second derivatives of minus the log density, by differences."""
        step = STEP * np.eye(len(x))
        both, apart = (step[:, :, None] + sign * step[:, None] for sign in (1, -1))
        points = np.stack([both, apart, -apart, -both], axis=1)
        up, right, left, down = -self.log_posterior(
            x[:, None] + points.reshape(len(x), -1)
        ).reshape(4, *step.shape)
        return np.diag(up - down) / (4 * STEP), (up - right - left + down) / (2 * STEP) ** 2

    def _proposed(
        self, centre: Array, covariance: Array, rng: Generator, n: int
    ) -> tuple[Array, Array]:
        """Return proposals of log(alpha), of shape (4, n), and their weights."""
        root = np.linalg.cholesky(covariance + 1e-9 * np.eye(len(centre)))
        normal = rng.standard_normal((len(centre), n))
        chi = rng.chisquare(DF, n) / DF
        x = centre[:, None] + root @ normal / np.sqrt(chi)
        log_proposal = -(DF + len(centre)) / 2 * np.log1p((normal**2).sum(axis=0) / chi / DF)
        with np.errstate(over="ignore", invalid="ignore"):  # proposals far outside
            log_weights = self.log_posterior(x) - log_proposal
        log_weights[np.isnan(log_weights)] = -np.inf
        return x, np.exp(log_weights - log_weights.max())


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
    units: Units

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
        check_several(len(self.units.sizes), "item" if items.group is None else "group")
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
                for k, (error, n_graded) in enumerate(zip(*self.unseen, strict=True)):
                    _, kind, strict = rng.dirichlet([n_graded, UNSEEN / 2, UNSEEN / 2], size).T
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
