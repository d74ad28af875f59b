"""Posteriors of single quantities that are known partly or fully in closed form."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from skbayeseval._validation import check_probability
from skbayeseval.judgement.decision import Probabilities
from skbayeseval.judgement.distribution import Distribution
from skbayeseval.judgement.intervals import Interval
from skbayeseval.models.data_sets import region_probabilities
from skbayeseval.models.margins import (
    BetaMargin,
    StudentMargin,
    difference_interval,
    difference_probability,
)

Array = NDArray[Any]


class BetaValue(Distribution):
    """A metric that has a Beta distribution, or is an increasing function of such a variable."""

    def __init__(self, draws: Array, margin: BetaMargin) -> None:
        super().__init__(draws)
        self.margin = margin

    def interval(self, prob: float = 0.95) -> Interval:
        """Return the equal-tailed interval, in closed form."""
        return Interval(*self.margin.interval(check_probability(prob)))

    def mass(self, low: float, high: float) -> float:
        """Return the probability of the values from `low` to `high`, in closed form."""
        return float(self.margin.mass(low, high))

    def around(self, region: Interval) -> Probabilities:
        """Return the probabilities of values left of, in and right of a region."""
        worse, better = self.mass(0.0, region.low), self.mass(region.high, 1.0)
        return Probabilities(worse, max(0.0, 1.0 - worse - better), better)


class BetaDifference(Distribution):
    """The difference of two independent quantities that are both `BetaValue`."""

    def __init__(self, draws: Array, a: BetaMargin, b: BetaMargin) -> None:
        super().__init__(draws)
        self.margins = (a, b)

    def interval(self, prob: float = 0.95) -> Interval:
        """Return the equal-tailed interval, by quadrature."""
        return Interval(*difference_interval(*self.margins, check_probability(prob)))

    def mass(self, low: float, high: float) -> float:
        """Return the probability of the values from `low` to `high`, by quadrature."""
        low, high = max(low, -1.0), min(high, 1.0)
        return difference_probability(*self.margins, low, high) if low < high else 0.0

    def around(self, region: Interval) -> Probabilities:
        """Return the probabilities of values left of, in and right of a region."""
        worse, better = self.mass(-1.0, region.low), self.mass(region.high, 1.0)
        inside = self.mass(*region) if region.low < region.high else 0.0
        total = worse + inside + better
        return Probabilities(worse / total, inside / total, better / total)


class StudentQuantity(Distribution):
    """A quantity with a Student t distribution: a mean split score, or a difference of two.

    A t distribution extends beyond the values that a metric such as ROC AUC can have. Draws and
    intervals are cut at these.
    """

    def __init__(
        self, draws: Array, law: StudentMargin, bounds: tuple[float, float] | None = None
    ) -> None:
        super().__init__(draws if bounds is None else np.clip(draws, *bounds), mcse=0.0)
        self.law = law
        self.bounds = bounds

    @property
    def mean(self) -> float:
        """The mean."""
        return self.law.mean

    @property
    def sd(self) -> float:
        """The standard deviation."""
        return self.law.sd

    def hdi(self, prob: float = 0.95) -> Interval:
        """Return the highest-density interval, which equals the equal-tailed one by symmetry."""
        return self.interval(prob)

    def hdi_mcse(self, prob: float = 0.95) -> float:
        """Return 0, because the ends are known in closed form."""
        return 0.0

    def interval(self, prob: float = 0.95) -> Interval:
        """Return the equal-tailed interval, in closed form."""
        low, high = self.law.interval(check_probability(prob))
        least, most = (-np.inf, np.inf) if self.bounds is None else self.bounds
        return Interval(float(np.clip(low, least, most)), float(np.clip(high, least, most)))

    def mass(self, low: float, high: float) -> float:
        """Return the probability of the values from `low` to `high`, in closed form."""
        return max(0.0, 1.0 - self.law.below(low) - self.law.above(high))

    def around(self, region: Interval) -> Probabilities:
        """Return the probabilities of values left of, in and right of a region."""
        worse, better = self.law.below(region.low), self.law.above(region.high)
        return Probabilities(worse, max(0.0, 1.0 - worse - better), better)


def difference_bounds(bounds: tuple[float, float] | None) -> tuple[float, float] | None:
    """Return the limits of the difference of two quantities that have the same limits."""
    return None if bounds is None else (bounds[0] - bounds[1], bounds[1] - bounds[0])


class SignedRankDifference(Distribution):
    """The pseudo-median of differences on data sets (Benavoli et al. 2014).

    As in the paper, the probabilities are the fractions of draws in which the mean difference of
    two data sets is most probably below, inside or above the region.
    """

    def __init__(self, draws: Array, weights: Array, differences: Array) -> None:
        super().__init__(draws)
        self.weights = weights
        self.differences = differences

    def around(self, region: Interval) -> Probabilities:
        """Return the probabilities of values left of, in and right of a region."""
        return Probabilities(*region_probabilities(self.weights, self.differences, *region))

    def mass(self, low: float, high: float) -> float:
        """Return the probability of the values from `low` to `high`."""
        if np.isinf(high):
            return 1.0 - self.around(Interval(low, low)).worse
        return self.around(Interval(low, high)).equivalent
