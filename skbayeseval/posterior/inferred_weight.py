"""The weight of cross-validated counts, inferred from the cross-validation itself.

The variance of a cross-validated metric is kappa times its test noise, the variance due to the
choice of test instances. kappa - 1 is what the choice of training sets adds. A single
cross-validation cannot tell it exactly (Bengio and Grandvalet 2004), so kappa gets a posterior: a
scaled inverse chi-squared distribution. Its scale and degrees of freedom were fitted to simulated
learning problems with known truth; docs/calibration.md has the method and what it is worth.

The weight of cross-validated counts is inferred. The published weight assumes how correlated splits
are, and was too large in 46% of the cells of our laboratory (docs/calibration.md). The test noise
of any metric follows from influence values, which are derivatives of the metric that we take
numerically for functions of tables and in closed form for ROC AUC and average precision; what
training sets add has a posterior (docs/models.md). We chose its form among a dozen on simulated
problems: the simplest of those that were not too narrow. The posterior is then a mixture over a
dozen weights of the same evidence, so that models and engines need not know of it. Since each
metric and each classifier has its own weight, draws of a difference are not differences of draws;
we preferred intervals that are right to sums that agree. `model="bcv"` keeps the published weight,
which is part of the paper: for `BlockRegularizedCV` the calibrated one, a function of the number of
repeats that were kept; for every other splitter Kish's sum(r) / sum(r^2), r being how often each
instance was validated. A failed fit under `error_score=np.nan` drops its repeat (elsewhere its
split) for both classifiers, so that pairs stay pairs, and the weight follows.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammainc
from scipy.stats import chi2
from scipy.stats import t as student

from skbayeseval._running import progress_if_long
from skbayeseval._validation import check_whole_number
from skbayeseval.evidence.base import Evidence
from skbayeseval.evidence.validated_rows import Spread, ValidatedRows
from skbayeseval.judgement.halves import variance_with_halves
from skbayeseval.metrics.confusion import Metric
from skbayeseval.posterior.full_size import N_SHIFTS, FullSize, TrainingSizes, extrapolate

Array = NDArray[Any]

# The degrees of freedom of kappa, for one pass over the data and for several.
DF_ONE_PASS, DF_SEVERAL_PASSES = 5.0, 8.0

# What kappa has beside what the number of instances and the spread of the splits add.
LEAST = 0.6

# With more and more contributing instances, training sets add up to this much to kappa ...
MOST_FROM_SIZE = 3.0
# ... and half of that with so many.
HALFWAY = 1000.0

# The score of a single classifier varies more than its share of a difference.
SINGLE_FACTOR = 1.25

# With comparisons of halves, kappa is at least this large. Halves have the same share of each
# class, which hides a part of the variance of a single metric, but hardly any of a difference.
LEAST_WITH_HALVES, LEAST_SINGLE_WITH_HALVES = 0.25, 1.0

# The number of weights in a mixture.
N_STRATA = 12


class WeightPosterior(NamedTuple):
    """The posterior of the weight of one count: `test_only` divided by kappa.

    Attributes
    ----------
    test_only : float
        The weight at which the model has the variance of the test noise.
    scale, df : float
        The scale and the degrees of freedom of kappa; infinite degrees of freedom if it is known.
    most : float
        The largest possible weight.

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
    most: float = 1.0

    @property
    def is_proper(self) -> bool:
        """Whether it is the posterior of a weight, with a variance."""
        return (
            all(0 < x < math.inf for x in (self.test_only, self.scale, self.most)) and self.df > 2
        )

    @property
    def median(self) -> float:
        """The median weight."""
        return self._at(0.5)

    @property
    def matching_variance(self) -> float:
        """The single weight with the variance of the whole mixture."""
        heavier = 1.0 if math.isinf(self.df) else self.df / (self.df - 2)
        return min(self.most, self.test_only / (self.scale * heavier))

    def interval(self, prob: float = 0.95) -> tuple[float, float]:
        """Return the equal-tailed interval of the weight."""
        return self._at((1 - prob) / 2), self._at((1 + prob) / 2)

    def strata(self, number: int = N_STRATA) -> list[float]:
        """Return weights that represent equally probable parts of the posterior.

        Each has the mean kappa of its part, so that the variance of the mixture is exact.
        """
        if math.isinf(self.df):
            return [self._at(0.5)]
        # With x = chi2 / 2 of shape a, the mean of a / x between two quantiles of x is a ratio of
        # incomplete gamma functions of shape a - 1.
        shape = self.df / 2
        edges = chi2.ppf(np.linspace(0, 1, number + 1), self.df) / 2
        kappa = self.scale * number * shape / (shape - 1) * np.diff(gammainc(shape - 1, edges))
        return np.minimum(self.test_only / kappa, self.most).tolist()

    def _at(self, prob: float) -> float:
        precision = 1.0 if math.isinf(self.df) else chi2.ppf(prob, self.df) / self.df
        return float(min(self.most, self.test_only / self.scale * precision))


def infer_weight(
    spread: Spread, *, single: bool = False, halves: Array | None = None
) -> WeightPosterior:
    """Return the posterior of the weight, given how a metric varies in a cross-validation.

    Parameters
    ----------
    spread : Spread
        How the metric of one classifier, or a difference of two, varies.
    single : bool, default=False
        Whether it is the metric of one classifier.
    halves : ndarray of shape (n_comparisons,), default=None
        Differences of the quantity between disjoint halves of the data.
    """
    noise = spread.test_noise
    if noise <= 0:  # no instance tells the classifiers apart
        return WeightPosterior(spread.test_only, 1.5, DF_ONE_PASS)
    size = spread.contributing
    # The more instances training sets share, the less splits tell of what training sets do: two
    # halves of the data share none.
    scale = LEAST + 2 * spread.test_share * spread.between_splits
    scale += MOST_FROM_SIZE * size / (size + HALFWAY)
    scale *= SINGLE_FACTOR if single else 1.0
    df = DF_SEVERAL_PASSES if spread.n_passes > 1 else DF_ONE_PASS
    if halves is not None and len(halves):
        scale, df = variance_with_halves(scale, halves / math.sqrt(noise))
        scale = max(scale, LEAST_SINGLE_WITH_HALVES if single else LEAST_WITH_HALVES)
    return _rounded(spread.test_only, scale, df)


def _rounded(test_only: float, scale: float, df: float) -> WeightPosterior:
    """Round to ten digits, so that draws do not depend on the order of A and B, or a processor."""
    return WeightPosterior(float(f"{test_only:.10g}"), float(f"{scale:.10g}"), df)


def shift_by_other_splits(sd: float, n_passes: int, prob: float = 0.8) -> float:
    """Return how far other splits of the same data move a difference at most.

    Parameters
    ----------
    sd : float
        The standard deviation due to the choice of splits, estimated from how repeats differ.
    n_passes : int
        The number of repeats.
    prob : float, default=0.8
        The probability of not moving it further.

    Examples
    --------
    >>> from skbayeseval.posterior.inferred_weight import shift_by_other_splits
    >>> round(shift_by_other_splits(0.002, n_passes=3), 4)
    0.0038
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
    full_size : FullSize or None
        How it continues to training sets of all instances, where that is asked for.
    noise : float
        Its test noise, where the weight is inferred.
    """

    weight: WeightPosterior
    resplitting: tuple[float, int] | None = None
    full_size: FullSize | None = None
    noise: float = 0.0

    @property
    def is_known(self) -> bool:
        """Whether all numbers, beside those of the weight, are finite, and no size is negative."""
        sd, n_passes = self.resplitting or (0.0, 1)
        positive = [sd, n_passes, self.noise]
        numbers: list[float] = []
        if self.full_size is not None:
            *numbers, sizes = self.full_size
            positive += [*sizes, self.full_size.rate]
        return all(map(math.isfinite, positive + numbers)) and min(positive) >= 0 and n_passes > 0


class Weights(ABC):
    """Where a posterior gets the weights of its counts from.

    Attributes
    ----------
    n_classifiers : int
        The number of all classifiers.
    chosen : (int, int) or None
        Two of the classifiers; None for all of them.
    sizes : TrainingSizes or None
        The training sizes, where quantities continue to all instances.
    basis : str
        What the weights rest on, in words.
    are_own : bool
        Whether every classifier and every pair has its own weight.
    n_strata : int
        The number of weights in a mixture.
    """

    n_classifiers: int
    chosen: tuple[int, int] | None
    sizes: TrainingSizes | None
    basis: str
    are_own: bool = True
    n_strata: int = N_STRATA

    @abstractmethod
    def difference(self, metric: Metric) -> WeightPosterior:
        """Return the weight for differences; of several classifiers, one for all pairs."""

    @abstractmethod
    def _of(self, metric: Metric, i: int, j: int | None) -> QuantityWeight:
        """Return what is known of classifier i of all, or of its difference to a later one."""

    def quantity(self, metric: Metric, i: int, j: int | None = None) -> QuantityWeight:
        """Return what is known of the metric of classifier i, or of its difference to j."""
        classifiers = self.chosen or range(self.n_classifiers)
        if j is None:
            return self._of(metric, classifiers[i], None)
        first, second = sorted((classifiers[i], classifiers[j]))
        known = self._of(metric, first, second)
        full = known.full_size
        if full is None or first == classifiers[i]:
            return known
        return known._replace(full_size=full._replace(step=-full.step))

    def full_size(self, metric: Metric, classifier: int | None = None) -> FullSize | None:
        """Return how the difference of two, or the metric of one, continues to all instances.

        None unless that is what the weights are for.
        """
        if self.sizes is None:
            return None
        if classifier is None and (self.chosen or self.n_classifiers > 1):
            return self.quantity(metric, 0, 1).full_size
        return self.quantity(metric, classifier or 0).full_size

    def shifts(self, metric: Metric) -> Array:
        """Return by how much the metrics of all classifiers move to get to all instances.

        Differences move as those of pairs, and the mean over classifiers as those of single ones.
        The columns are equally probable.
        """
        n = 2 if self.chosen else self.n_classifiers
        singles: list[Any] = [self.full_size(metric, k) for k in range(n)]
        moves = np.zeros((n, N_SHIFTS))
        for i, j in combinations(range(n), 2):
            of_pair: Any = self.quantity(metric, i, j).full_size
            moves[i] += of_pair.shifts / n
            moves[j] -= of_pair.shifts / n
        return moves + np.mean([single.shifts for single in singles], axis=0)

    def pair(self, i: int, j: int) -> Self:
        """Return the weights of two of the classifiers."""
        classifiers = self.chosen or range(self.n_classifiers)
        return replace(self, chosen=(classifiers[i], classifiers[j]))  # type: ignore[type-var]

    def for_model(self, *, paired: bool) -> Weights:
        """Return the weights for a model that does, or does not, know the pairs."""
        return self

    def of_rows(self, rows: Array) -> Weights:
        """Return the weights of some of the rows of the evidence, given by their positions."""
        return self


class ObservedRows(NamedTuple):
    """What a cross-validation observed, for metrics of counts or for those of instance scores.

    Attributes
    ----------
    rows : ValidatedRows
        The rows of the splits.
    halves : sequence of (Evidence, Evidence)
        The evidence of two disjoint halves of the data, per comparison of halves.
    resized : (ValidatedRows, Evidence, Evidence) or None
        The rows of further splits, with training sets of another size; the evidence of the splits;
        and that of the further splits.
    """

    rows: ValidatedRows
    halves: Sequence[tuple[Evidence, Evidence]] = ()
    resized: tuple[ValidatedRows, Evidence, Evidence] | None = None

    def of_rows(self, rows: Array) -> ObservedRows:
        """Return what was observed of some of the rows; halves, which have others, are left out."""
        own = self.rows.of_rows(rows)
        if self.resized is None:
            return ObservedRows(own)
        further, of_splits, of_further = self.resized
        chosen = np.flatnonzero(np.isin(further.instance, own.instance))
        resized = further.of_rows(chosen), of_splits.of_rows(rows), of_further.of_rows(chosen)
        return ObservedRows(own, (), resized)


@dataclass(frozen=True, eq=False)
class InferredWeights(Weights):
    """Weights inferred from validated rows and, if there are any, from comparisons on halves.

    Parameters
    ----------
    counted, scored : ObservedRows or None
        What was observed, for metrics of counts and for metrics of instance scores.
    n_classifiers : int
        The number of classifiers.
    paired : bool
        Whether the model knows that the classifiers were tested on the same instances.
    estimand : {"full", "learner", "fitted"}
        With "fitted", kappa is 1.
    sizes : TrainingSizes or None
        The training sizes, to extrapolate from further splits to all instances.
    shows_progress : bool
        Whether it shows progress if there are so many pairs that they take long.
    """

    counted: ObservedRows | None
    scored: ObservedRows | None
    n_classifiers: int
    paired: bool = True
    estimand: str = "learner"
    sizes: TrainingSizes | None = None
    shows_progress: bool = False
    chosen: tuple[int, int] | None = None
    _known: dict[Any, QuantityWeight] = field(default_factory=dict)

    @property
    def basis(self) -> str:  # type: ignore[override]
        """What the weights rest on, in words."""
        if self.estimand == "fitted":
            return "from the variation between instances alone"
        observed = self.counted or self.scored
        assert observed is not None
        passes = observed.rows.passes
        n_splits, n_passes = len(passes), int(passes.max()) + 1
        words = "by a fitted formula"
        if n_passes > 1:
            words += f" and from the spread of {n_splits} splits in {n_passes} repeats"
        elif observed.rows.has_spread:
            words += f" and from the spread of {n_splits} splits"
        n_halves = len(observed.halves)
        return f"{words} and {n_halves} comparisons of halves" if n_halves else words

    def difference(self, metric: Metric) -> WeightPosterior:
        """Return the weight for differences; of several classifiers, one for all pairs."""
        if self.n_classifiers == 1:
            return self.quantity(metric, 0).weight
        pairs = list(combinations(sorted(self.chosen or range(self.n_classifiers)), 2))
        found: list[QuantityWeight] = []
        words = f"weighting pairs by {metric.name}"
        with progress_if_long(words, len(pairs), show=self.shows_progress) as advance:
            for pair in pairs:
                found.append(self._of(metric, *pair))
                advance(len(found))
        noise = np.array([known.noise for known in found])
        if len(found) == 1 or not noise.any():
            return found[0].weight
        # One weight for all pairs: the average by their test noise.
        weights = np.array([known.weight[:2] for known in found])
        test_only, scale = noise @ weights / noise.sum()
        return _rounded(test_only, scale, found[0].weight.df)

    def _of(self, metric: Metric, i: int, j: int | None) -> QuantityWeight:
        if (metric, i, j) in self._known:
            return self._known[metric, i, j]
        observed = self.scored if metric.weighs_instances else self.counted
        assert observed is not None
        contrast = np.zeros(self.n_classifiers)
        contrast[i] = 1.0
        if j is not None:
            contrast[j] = -1.0
        spread = observed.rows.spread(metric, contrast, paired=self.paired)
        if self.estimand == "fitted":
            weight = _rounded(spread.test_only, 1.0, math.inf)
        else:
            halves = [
                contrast @ (np.array(one.observed(metric)) - np.array(other.observed(metric)))
                for one, other in observed.halves
            ]
            weight = infer_weight(spread, single=j is None, halves=np.array(halves))
        full = None
        if self.sizes is not None:
            assert observed.resized is not None
            further, *both = observed.resized
            of_splits, of_further = (np.array(one.observed(metric)) for one in both)
            full = extrapolate(
                *observed.rows.influences_with(further, metric, contrast),
                float(contrast @ (of_further - of_splits)),
                weight.scale,
                self.sizes,
            )
            weight = _rounded(weight.test_only / full.inflation, weight.scale, weight.df)
        resplitting = None
        if spread.n_passes > 1:
            resplitting = math.sqrt(spread.between_passes), spread.n_passes
        self._known[metric, i, j] = QuantityWeight(weight, resplitting, full, spread.test_noise)
        return self._known[metric, i, j]

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
    """Weights by the name of the metric, such as those of a saved result.

    Metrics that are not among them get the weights of the first metric.

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
        Without these, all have the weight in `joint`.
    sizes : TrainingSizes or None
        The training sizes, where quantities continue to all instances.
    n_strata : int
        The number of weights in a mixture.
    """

    n_classifiers: int
    basis: str
    joint: Mapping[str, WeightPosterior]
    values: Mapping[str, Sequence[QuantityWeight]] = field(default_factory=dict)
    pairs: Mapping[str, Sequence[QuantityWeight]] = field(default_factory=dict)
    sizes: TrainingSizes | None = None
    n_strata: int = N_STRATA
    chosen: tuple[int, int] | None = None

    def __post_init__(self) -> None:
        n = check_whole_number(self.n_classifiers, "n_classifiers")
        check_whole_number(self.n_strata, "n_strata")
        known = [*self.values.values(), *self.pairs.values()]
        if list(map(len, known)) != [n] * len(self.values) + [n * (n - 1) // 2] * len(self.pairs):
            raise ValueError(f"There must be weights of {n} classifiers and of all their pairs.")
        of_each = [quantity for quantities in known for quantity in quantities]
        posteriors = [*self.joint.values(), *(quantity.weight for quantity in of_each)]
        if not posteriors or not all(weight.is_proper for weight in posteriors):
            raise ValueError("Weights must be finite numbers greater than 0.")
        if not all(quantity.is_known for quantity in of_each):
            raise ValueError("What is known of the repeats and of training sizes must be finite.")
        if self.sizes is not None and not all(quantity.full_size for quantity in of_each):
            raise ValueError("It is not known how all quantities continue to all instances.")

    @property
    def are_own(self) -> bool:  # type: ignore[override]
        """Whether every classifier and every pair has its own weight."""
        return bool(self.values)

    @classmethod
    def of(cls, weights: Weights, metrics: Mapping[str, Metric], n: int) -> KnownWeights:
        """Take the weights of some metrics of n classifiers."""
        joint = {name: weights.difference(metric) for name, metric in metrics.items()}
        if not weights.are_own:
            return cls(n, weights.basis, joint, n_strata=weights.n_strata)
        values, pairs = {}, {}
        for name, metric in metrics.items():
            values[name] = [weights.quantity(metric, k) for k in range(n)]
            pairs[name] = [weights.quantity(metric, *p) for p in combinations(range(n), 2)]
        return cls(n, weights.basis, joint, values, pairs, weights.sizes)

    def difference(self, metric: Metric) -> WeightPosterior:
        """Return the weight for differences; of several classifiers, one for all pairs."""
        if self.chosen is not None and self.are_own:
            return self.quantity(metric, 0, 1).weight
        return self.joint.get(metric.name, next(iter(self.joint.values())))

    def full_size(self, metric: Metric, classifier: int | None = None) -> FullSize | None:
        """Return how the difference of two, or the metric of one, continues to all instances."""
        if self.sizes is not None and metric.name not in self.values:
            raise ValueError(
                f"{metric.name!r} was not computed before the result was saved, and the file does "
                f"not tell how it continues to all instances. It has {list(self.values)}."
            )
        return super().full_size(metric, classifier)

    def _of(self, metric: Metric, i: int, j: int | None) -> QuantityWeight:
        if not self.are_own:
            return QuantityWeight(self.difference(metric))
        by_metric, place = self.values, i
        if j is not None:
            by_metric = self.pairs
            # The place of (i, j) among the pairs, which are in lexicographic order.
            place = i * (2 * self.n_classifiers - i - 3) // 2 + j - 1
        if metric.name in by_metric:
            return by_metric[metric.name][place]
        return QuantityWeight(next(iter(by_metric.values()))[place].weight)


def common_weight(weight: WeightPosterior, basis: str, n_classifiers: int) -> KnownWeights:
    """Return one weight for all classifiers, pairs and metrics, of which there may be hundreds."""
    return KnownWeights(n_classifiers, basis, {"": weight}, n_strata=4)
