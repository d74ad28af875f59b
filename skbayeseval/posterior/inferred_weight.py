"""The weight of cross-validated counts, inferred from the cross-validation itself.

The variance of a cross-validated metric is kappa times its test noise, the variance due to the
choice of test instances. kappa - 1 is what the choice of training sets adds. A single
cross-validation cannot tell it exactly (Bengio and Grandvalet 2004), so kappa gets a posterior: a
scaled inverse chi-squared distribution. What tells most of it is the instability of the learners:
how much the results on two halves of the data differ, each tested by what was trained on the other,
relative to what test noise explains. Folds whose training sets are nearly all instances cannot see
it. Scale, powers and degrees of freedom were fitted to real data sets with a known truth, by
benchmarks/coverage/weight.py; docs/calibration.md says what they are worth.

The test noise of any metric follows from influence values, which are derivatives of the metric that
we take numerically for functions of tables and in closed form for ROC AUC and average precision.
Draws are made at the weight at which the model has the variance of the test noise, and their
distances from the mean are multiplied by the square roots of values of kappa. Since each metric
and each classifier has its own weight, draws of a difference are not differences of draws; we
preferred intervals that are right to sums that agree. `model="bcv"` keeps the published weight
(`splitting.splits`), which is part of the paper.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Any, NamedTuple, Self

import numpy as np
from scipy.special import expit
from scipy.stats import chi2
from scipy.stats import t as student

from skbayeseval._arrays import Array
from skbayeseval.evidence.validated_rows import ValidatedRows
from skbayeseval.metrics.metric import Metric

# kappa of one stable learner, and of the difference of two: in halves that balance the classes,
# and in folds, beside halves drawn at random.
STABLE = {1: 1.4, 3: 1.2}
STABLE_IN_FOLDS = {1: 1.3, 3: 1.1}

# It grows with these powers of the instability: of one learner; of a difference and both learners.
POWERS = {1: (0.7,), 3: (0.2, 0.35, 0.35)}

# The variance of a mean score relative to what the scores of folds tell of it.
OF_FOLDS = 2.0

# kappa of most learners, where the splits do not tell their instability.
KAPPA_UNKNOWN = 1.6

# How much larger kappa is for metrics to which classes contribute unequally, such as F1: splits
# that balance the classes hide how class shares of training sets move what is predicted. Halves
# drawn at random show most of it.
BY_CLASS = 1.4
BY_CLASS_IN_FOLDS = 1.15

# The degrees of freedom of kappa.
DF = 10.0

# With more instability than this, kappa may be much larger than the formula says.
UNSTABLE = 4.0

# The number of Newton steps after which the mean of draws is what it was.
N_STEPS = 6

# The number of values of kappa that stand for its posterior, if there are as many draws.
N_VALUES = 1000


class WeightPosterior(NamedTuple):
    """The posterior of the weight of one count: `test_only` divided by kappa.

    Attributes
    ----------
    test_only : float
        The weight at which the model has the variance of the test noise.
    scale, df : float
        The scale and the degrees of freedom of kappa.

    Examples
    --------
    >>> from skbayeseval.posterior.inferred_weight import WeightPosterior
    >>> weight = WeightPosterior(0.5, scale=1.6, df=10.0)
    >>> round(weight.median, 3)
    0.292
    """

    test_only: float
    scale: float
    df: float

    @property
    def of_tests(self) -> float:
        """The weight at which draws have the variance of the test noise; 1 at most."""
        return min(self.test_only, 1.0)

    @property
    def median(self) -> float:
        """The median weight."""
        return float(self._at(0.5))

    @property
    def matching_variance(self) -> float:
        """The single weight with the variance of all draws."""
        scale = self.scale / self.test_only
        # The mean of 1 / weight: 1 where the weight is limited, else inverse chi-squared.
        limit = self.df * scale
        limited = chi2.sf(limit, self.df)
        free = scale * self.df / (self.df - 2) * chi2.cdf(limit, self.df - 2)
        return float(1 / (limited + free))

    def interval(self, prob: float = 0.95) -> tuple[float, float]:
        """Return the equal-tailed interval of the weight."""
        low, high = self._at(np.array([1 - prob, 1 + prob]) / 2)
        return float(low), float(high)

    def values(self, number: int = N_VALUES) -> Array:
        """Return equally probable values of the weight, in increasing order."""
        return self._at((np.arange(number) + 0.5) / number)

    def factors(self, rng: np.random.Generator, n_draws: int, drawn_at: float) -> Array:
        """Return by how much each draw is spread, as a factor of its standard deviation.

        `drawn_at` is the weight at which the draws were made.
        """
        times, rest = divmod(n_draws, N_VALUES)
        # Values increase, so the first of them alone would be small weights: wide draws.
        values = np.concatenate([np.tile(self.values(), times), self.values(rest)])
        return rng.permutation(np.sqrt(drawn_at / values))

    def _at(self, prob: Any) -> Any:
        precision = chi2.ppf(prob, self.df) / self.df
        return np.minimum(1.0, self.test_only / self.scale * precision)


def spread_out(
    draws: Array, factors: Array, extent: tuple[float, float], *, together: bool
) -> Array:
    """Return draws whose distances from their mean are multiplied, within what is possible.

    Parameters
    ----------
    draws : ndarray of shape (n_rows, n_draws)
        The draws.
    factors : ndarray of shape (n_draws,)
        The factor of each draw.
    extent : (float, float)
        The smallest and the largest possible value; infinite if there is none.
    together : bool
        Whether differences between rows are multiplied exactly. If not, distances are those of log
        odds, or of logarithms if there is only one limit, so that draws near a limit keep their
        skew.

    Examples
    --------
    >>> import numpy as np
    >>> from skbayeseval.posterior.inferred_weight import spread_out
    >>> draws = np.array([[0.7, 0.8, 0.9]])
    >>> spread_out(draws, np.full(3, 2.0), (0.0, 1.0), together=True).round(3)
    array([[0.6, 0.8, 1. ]])
    >>> spread_out(draws, np.full(3, 2.0), (0.0, 1.0), together=False).round(3)
    array([[0.616, 0.825, 0.96 ]])
    """
    means, (low, high) = np.nanmean(draws, axis=1, keepdims=True), extent
    if together or np.isinf(extent).all():
        spread = means + factors * (draws - means)
        # All rows are moved together, so that differences stay as they are.
        spread -= np.maximum(spread.max(axis=0) - high, 0.0)
        spread += np.maximum(low - spread.min(axis=0), 0.0)
        return np.clip(spread, low, high)

    def stretched(values: Array) -> Array:
        with np.errstate(divide="ignore"):
            if math.isinf(low):
                return -np.log(high - values)
            above = np.log(values - low)
            return above if math.isinf(high) else above - np.log(high - values)

    def restored(places: Array) -> tuple[Array, Array]:
        """Return values and their derivatives."""
        if math.isinf(low):
            return high - np.exp(-places), np.exp(-places)
        if math.isinf(high):
            return low + np.exp(places), np.exp(places)
        share = expit(places)
        return low + (high - low) * share, (high - low) * share * (1 - share)

    centres, places = stretched(means), stretched(draws)
    inside = np.isfinite(centres) & np.isfinite(places)  # others are at a limit, and stay there
    distances = factors * (np.where(inside, places, 0.0) - np.where(inside, centres, 0.0))
    centres = np.where(np.isfinite(centres), centres, 0.0)
    for _ in range(N_STEPS):  # the mean stays where it is
        spread, slopes = restored(centres + distances)
        off = np.sum(draws - spread, axis=1, keepdims=True, where=inside)
        slope = np.sum(slopes, axis=1, keepdims=True, where=inside)
        centres = centres + np.clip(off / np.where(slope > 0, slope, 1.0), -1.0, 1.0)
    return np.where(inside, restored(centres + distances)[0], draws)


def infer_weight(
    test_only: float,
    *,
    instability: Sequence[float] = (),
    by_class: bool = False,
    beside_folds: bool = False,
) -> WeightPosterior:
    """Return the posterior of the weight of one classifier, or of a difference of two.

    Parameters
    ----------
    test_only : float
        The weight at which the model has the variance of the test noise.
    instability : sequence of float, default=()
        The variance between halves of the data, each tested by what was trained on the other,
        divided by what test noise explains of it: of one learner; or of a difference and of both
        learners. By default, it is not known.
    by_class : bool, default=False
        Whether instances contribute to the metric unequally by true and predicted class, as in F1.
    beside_folds : bool, default=False
        Whether the halves were drawn at random, beside folds.

    Examples
    --------
    >>> from skbayeseval.posterior.inferred_weight import infer_weight
    >>> round(infer_weight(0.5, instability=[3.0]).scale, 3)
    3.021
    """
    scale, factor = KAPPA_UNKNOWN, BY_CLASS
    if instability:
        powers, stable = POWERS[len(instability)], STABLE
        if beside_folds:
            stable, factor = STABLE_IN_FOLDS, BY_CLASS_IN_FOLDS
        scale = stable[len(powers)] * float(np.prod(np.maximum(instability, 1.0) ** powers))
    return _rounded(test_only, scale * (factor if by_class else 1.0), DF)


def _rounded(test_only: float, scale: float, df: float) -> WeightPosterior:
    """Round to ten digits, so that draws do not depend on the order of A and B, or a processor."""
    return WeightPosterior(float(f"{test_only:.10g}"), float(f"{scale:.10g}"), df)


def shift_by_other_splits(sd: float, n_passes: int, prob: float = 0.94) -> float:
    """Return how far other splits of the same data move a difference at most.

    Parameters
    ----------
    sd : float
        The standard deviation due to the choice of splits, estimated from how repeats differ.
    n_passes : int
        The number of repeats.
    prob : float, default=0.94
        The probability of not moving it further.

    Examples
    --------
    >>> from skbayeseval.posterior.inferred_weight import shift_by_other_splits
    >>> round(shift_by_other_splits(0.002, n_passes=3), 4)
    0.0078
    """
    return float(sd * student.ppf((1 + prob) / 2, n_passes - 1))


class QuantityWeight(NamedTuple):
    """What is known of the metric of one classifier, or of the difference of two.

    Attributes
    ----------
    weight : WeightPosterior
        The weight of its counts.
    resplitting : (float, int) or None
        Its standard deviation due to the choice of splits, and the number of repeats that tell it;
        None for a single pass.
    noise : float
        Its test noise, where the weight is inferred.
    at_half : (float, float) or None
        Its value in splits into halves, and the standard deviation of this value; None if there are
        no such splits beside others.
    """

    weight: WeightPosterior
    resplitting: tuple[float, int] | None = None
    noise: float = 0.0
    at_half: tuple[float, float] | None = None


class Weights(ABC):
    """Where a posterior gets the weights of its counts from.

    Attributes
    ----------
    n_classifiers : int
        The number of all classifiers.
    chosen : (int, int) or None
        Two of the classifiers; None for all of them.
    basis : str
        What the weights rest on, in words.
    are_own : bool
        Whether every classifier and every pair has its own weight.
    """

    n_classifiers: int
    chosen: tuple[int, int] | None
    basis: str
    are_own: bool = True

    @abstractmethod
    def difference(self, metric: Metric) -> WeightPosterior:
        """Return the weight for the difference of two; of one, its own; of more, an average."""

    @abstractmethod
    def _of(self, metric: Metric, i: int, j: int | None) -> QuantityWeight:
        """Return what is known of classifier i of all, or of its difference to a later one."""

    @property
    def classifiers(self) -> Sequence[int]:
        """The chosen classifiers, or all of them."""
        return self.chosen or range(self.n_classifiers)

    def quantity(self, metric: Metric, i: int, j: int | None = None) -> QuantityWeight:
        """Return what is known of the metric of classifier i, or of its difference to j."""
        if j is None:
            return self._of(metric, self.classifiers[i], None)
        first, second = self.classifiers[i], self.classifiers[j]
        known = self._of(metric, *sorted((first, second)))
        if first < second or known.at_half is None:
            return known
        return known._replace(at_half=(-known.at_half[0], known.at_half[1]))

    def each(self, metric: Metric) -> list[WeightPosterior]:
        """Return the weight of each classifier; none if draws of two are spread by that of both."""
        if len(self.classifiers) == 2 or not self.are_own:
            return []
        return [self._of(metric, k, None).weight for k in self.classifiers]

    def together(self, metric: Metric, draws: Array, rng: np.random.Generator) -> Array:
        """Return draws of the classifiers in an order in which they vary together."""
        return draws

    def pair(self, i: int, j: int) -> Self:
        """Return the weights of two of the classifiers."""
        chosen = self.classifiers[i], self.classifiers[j]
        return replace(self, chosen=chosen)  # type: ignore[type-var]

    def for_model(self, *, paired: bool) -> Weights:
        """Return the weights for a model that does, or does not, know the pairs."""
        return self

    def of_rows(self, rows: Array) -> Weights:
        """Return the weights of some of the rows of the evidence, given by their positions."""
        return self


def mean_of_weights(each: Sequence[WeightPosterior]) -> WeightPosterior:
    """Return the mean of weights with the same degrees of freedom."""
    return each[0]._replace(scale=float(np.mean([one.scale for one in each])))


def _contrast(n: int, i: int, j: int | None) -> Array:
    """Return the factors of n classifiers that make up one of them, or a difference of two."""
    one_each = np.eye(n)
    return one_each[i] if j is None else one_each[i] - one_each[j]


class ObservedRows(NamedTuple):
    """What a cross-validation observed, for metrics of counts or for those of instance scores.

    Attributes
    ----------
    rows : ValidatedRows
        The rows of the splits.
    halved : ValidatedRows or None
        The rows of splits into halves, which tell the instability of the learners; None if there
        are none beside those of the splits.
    values : callable or None
        Maps a metric to its values in the splits into halves, one for each classifier.
    """

    rows: ValidatedRows
    halved: ValidatedRows | None = None
    values: Callable[[Metric], Sequence[float]] | None = None

    @property
    def telling(self) -> ValidatedRows | None:
        """The rows that tell the instability; None if there are none."""
        halved = self.rows if self.halved is None else self.halved
        return halved if halved.are_of_halves else None

    def instability(self, metric: Metric, i: int, j: int | None) -> list[float]:
        """Return what `infer_weight` takes, of classifier i or of its difference to j."""
        halved = self.telling
        if halved is None:
            return []
        n = len(halved.influence(metric))
        asked = [(i, None)] if j is None else [(i, j), (i, None), (j, None)]
        return [halved.spread(metric, _contrast(n, *pair)).between_splits for pair in asked]

    def of_rows(self, rows: Array) -> ObservedRows:
        """Return what was observed of some of the rows."""
        chosen, halved = self.rows.of_rows(rows), self.halved
        if halved is not None:
            halved = halved.of_rows(np.flatnonzero(np.isin(halved.instance, chosen.instance)))
        return ObservedRows(chosen, halved)

    def at_half(self, metric: Metric, contrast: Array, kappa: float) -> tuple[float, float] | None:
        """Return the value of a contrast in the splits into halves, and its standard deviation."""
        if self.halved is None or self.values is None:
            return None
        noise = self.halved.spread(metric, contrast).test_noise
        return float(contrast @ np.array(self.values(metric))), math.sqrt(kappa * noise)


@dataclass(frozen=True, eq=False)
class InferredWeights(Weights):
    """Weights inferred from validated rows.

    Parameters
    ----------
    counted, scored : ObservedRows or None
        What was observed, for metrics of counts and for metrics of instance scores.
    n_classifiers : int
        The number of classifiers.
    paired : bool
        Whether the model knows that the classifiers were tested on the same instances.
    """

    counted: ObservedRows | None
    scored: ObservedRows | None
    n_classifiers: int
    paired: bool = True
    chosen: tuple[int, int] | None = None
    _known: dict[Any, QuantityWeight] = field(default_factory=dict)

    @property
    def basis(self) -> str:  # type: ignore[override]
        """What the weights rest on, in words."""
        observed = self.counted or self.scored
        telling = None if observed is None else observed.telling
        if telling is None:
            return "that of most learners, as the splits do not tell how much training sets matter"
        return f"from how much {len(telling.passes)} halves of the data differ"

    def difference(self, metric: Metric) -> WeightPosterior:
        """Return the weight for the difference of two; of one, its own; of more, an average."""
        chosen = sorted(self.classifiers)
        if len(chosen) < 3:
            return self._of(metric, chosen[0], chosen[1] if len(chosen) == 2 else None).weight
        # An average of all, by their test noise.
        quantities = [self._of(metric, k, None) for k in chosen]
        noise = np.array([quantity.noise for quantity in quantities])
        if not noise.any():
            return quantities[0].weight
        weights = np.array([quantity.weight[:2] for quantity in quantities])
        test_only, scale = noise @ weights / noise.sum()
        return _rounded(test_only, scale, quantities[0].weight.df)

    def _observed(self, metric: Metric) -> ObservedRows | None:
        return self.scored if metric.weighs_instances else self.counted

    def _of(self, metric: Metric, i: int, j: int | None) -> QuantityWeight:
        if (metric, i, j) in self._known:
            return self._known[metric, i, j]
        observed = self._observed(metric)
        assert observed is not None
        contrast = _contrast(self.n_classifiers, i, j)
        spread = observed.rows.spread(metric, contrast, paired=self.paired)
        told = observed.instability(metric, i, j)
        weight = infer_weight(
            spread.test_only,
            instability=told,
            by_class=metric.counts_alike != "instances",
            beside_folds=observed.halved is not None,
        )
        # A single pass does not tell how much other splits would change; three repeats of halves
        # change as much as ten folds do (benchmarks/coverage/weight.py).
        repeated, resplitting = spread, None
        if spread.n_passes == 1 and observed.halved is not None:
            repeated = observed.halved.spread(metric, contrast)
        if repeated.n_passes > 1:
            resplitting = math.sqrt(repeated.between_passes), repeated.n_passes
        mean_kappa = weight.of_tests / weight.matching_variance
        at_half = observed.at_half(metric, contrast, mean_kappa)
        found = QuantityWeight(weight, resplitting, spread.test_noise, at_half)
        self._known[metric, i, j] = found
        return found

    def cautions(self, names: Sequence[str], metrics: Iterable[Metric]) -> dict[str, str]:
        """Return why intervals of classifiers may be too narrow, by their names."""
        cautions: dict[str, str] = {}
        for metric in metrics:
            observed = self._observed(metric)
            halved = observed and observed.telling
            if observed is None or halved is None:
                continue
            for k, name in enumerate(names):
                (differ,) = observed.instability(metric, k, None)
                if metric.counts_alike != "instances" and halved.says_one_class(k):
                    cautions[name] = "predicts one class for nearly all instances in some splits"
                elif differ > UNSTABLE:
                    cautions[name] = (
                        "depends strongly on its training set (results of two halves of the data "
                        f"differ more than {UNSTABLE:.0f} times as much as testing explains)"
                    )
        return cautions

    def for_model(self, *, paired: bool) -> InferredWeights:
        """Return the weights for a model that does, or does not, know the pairs."""
        return replace(self, paired=paired, _known={})

    def of_rows(self, rows: Array) -> InferredWeights:
        """Return the weights of some of the rows of the evidence, inferred from these alone."""
        return replace(
            self,
            counted=self.counted and self.counted.of_rows(rows),
            scored=self.scored and self.scored.of_rows(rows),
            _known={},
        )


@dataclass(frozen=True, eq=False)
class KnownWeights(Weights):
    """Weights by metric, such as those of a saved result; of others, those of the first metric.

    Parameters
    ----------
    n_classifiers : int
        The number of classifiers.
    basis : str
        What the weights rest on, in words.
    joint : mapping of str to WeightPosterior
        The weight for differences of all classifiers.
    values, pairs : mapping of str to sequence of QuantityWeight
        What is known of each classifier, and of each pair in the order of `itertools.combinations`.
        Without pairs, these have the mean of both. Without values, all have the weight in `joint`:
        many types of chunks share one.
    """

    n_classifiers: int
    basis: str
    joint: Mapping[str, WeightPosterior]
    values: Mapping[str, Sequence[QuantityWeight]] = field(default_factory=dict)
    pairs: Mapping[str, Sequence[QuantityWeight]] = field(default_factory=dict)
    chosen: tuple[int, int] | None = None

    @property
    def are_own(self) -> bool:  # type: ignore[override]
        """Whether every classifier and every pair has its own weight."""
        return bool(self.pairs)

    @classmethod
    def of(cls, weights: Weights, metrics: Mapping[str, Metric], n: int) -> KnownWeights:
        """Take the weights of some metrics of n classifiers."""
        joint = {name: weights.difference(metric) for name, metric in metrics.items()}
        if not weights.are_own:
            each = {name: weights.each(metric) for name, metric in metrics.items()}
            known = {name: list(map(QuantityWeight, some)) for name, some in each.items() if some}
            return cls(n, weights.basis, joint, known)
        values, pairs = (
            {
                name: [weights.quantity(metric, *some) for some in combinations(range(n), k)]
                for name, metric in metrics.items()
            }
            for k in (1, 2)
        )
        return cls(n, weights.basis, joint, values, pairs)

    def difference(self, metric: Metric) -> WeightPosterior:
        """Return the weight for the difference of two, or that of all."""
        if self.chosen is not None and self.are_own:
            return self.quantity(metric, 0, 1).weight
        if self.chosen is not None and self.values:
            return mean_of_weights(self.each(metric))
        return self.joint.get(metric.name, next(iter(self.joint.values())))

    def each(self, metric: Metric) -> list[WeightPosterior]:
        """Return the weight of each classifier, as that of which the file was written does."""
        if self.are_own or not self.values:
            return super().each(metric)
        return [self._of(metric, k, None).weight for k in self.classifiers]

    def _of(self, metric: Metric, i: int, j: int | None) -> QuantityWeight:
        if not self.are_own and (j is not None or not self.values):
            return QuantityWeight(self.difference(metric))
        by_metric, place = self.values, i
        if j is not None:
            by_metric = self.pairs
            # The place of (i, j) among the pairs, which are in lexicographic order.
            place = i * (2 * self.n_classifiers - i - 3) // 2 + j - 1
        if metric.name in by_metric:
            return by_metric[metric.name][place]
        return QuantityWeight(next(iter(by_metric.values()))[place].weight)
