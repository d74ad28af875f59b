"""The weight of cross-validated counts, inferred from the cross-validation itself.

The variance of a cross-validated metric is kappa times its test noise, the variance due to the
choice of test instances. kappa - 1 is what the choice of training sets adds. A single
cross-validation cannot tell it exactly (Bengio and Grandvalet 2004), so kappa gets a posterior: a
scaled inverse chi-squared distribution. Its scale and degrees of freedom were fitted to simulated
learning problems with known truth; docs/calibration.md has the method and what it is worth.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Any, NamedTuple

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
from skbayeseval.posterior.full_size import FullSize, TrainingSizes, extrapolate, shifts_of_all

__all__ = [
    "CommonWeight",
    "InferredWeights",
    "Resplitting",
    "StoredWeights",
    "WeightPosterior",
    "Weights",
    "infer_weight",
    "pooled_weight_posterior",
]

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
        return WeightPosterior(1 / spread.n_passes, 1.5, DF_ONE_PASS)
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
    return _rounded(spread.counts_noise / noise, scale, df)


def _rounded(test_only: float, scale: float, df: float) -> WeightPosterior:
    """Round to ten digits, so that draws do not depend on the order of A and B, or a processor."""
    return WeightPosterior(float(f"{test_only:.10g}"), float(f"{scale:.10g}"), df)


def pooled_weight_posterior(found: Sequence[tuple[float, WeightPosterior]]) -> WeightPosterior:
    """Return one weight for several quantities, given the test noise and the weight of each."""
    noise = np.array([one for one, _ in found])
    first = found[0][1]
    if not noise.any():
        return first
    test_only, scale = noise @ np.array([weight[:2] for _, weight in found]) / noise.sum()
    return _rounded(test_only, scale, first.df)


class Resplitting(NamedTuple):
    """How much the difference would move if the same data were split anew.

    Attributes
    ----------
    sd : float
        The standard deviation of the difference due to the choice of splits, estimated from how
        much repeats differ.
    n_passes : int
        The number of repeats.

    Examples
    --------
    >>> from skbayeseval.posterior.inferred_weight import Resplitting
    >>> round(Resplitting(sd=0.002, n_passes=3).shift(), 4)
    0.0038
    """

    sd: float
    n_passes: int

    def shift(self, prob: float = 0.8) -> float:
        """Return how far other splits move the difference at most, with the given probability."""
        return float(self.sd * student.ppf((1 + prob) / 2, self.n_passes - 1))


class Weights:
    """Where a posterior gets the weights of its counts from.

    Attributes
    ----------
    basis : str
        What the weights rest on, in words.
    are_own : bool
        Whether every classifier and every pair has its own weight.
    n_strata : int
        The number of weights in a mixture.
    """

    basis: str
    are_own: bool = True
    n_strata: int = N_STRATA

    def difference(self, metric: Metric) -> WeightPosterior:
        """Return the weight for differences; of several classifiers, one for all pairs."""
        raise NotImplementedError

    def value(self, metric: Metric, classifier: int) -> WeightPosterior:
        """Return the weight for the metric of one classifier."""
        raise NotImplementedError

    def resplitting(self, metric: Metric) -> Resplitting | None:
        """Return what other splits would do to the difference of two; None if unknown."""
        return None

    def full_size(self, metric: Metric, classifier: int | None = None) -> FullSize | None:
        """Return how the difference of two, or the metric of one, continues to all instances.

        None unless that is what the weights are for.
        """
        return None

    def shifts(self, metric: Metric) -> Array | None:
        """Return by how much the metrics of all classifiers move to get to all instances.

        The columns are equally probable. None unless that is what the weights are for.
        """
        return None

    def pair(self, i: int, j: int) -> Weights:
        """Return the weights of two of the classifiers."""
        raise NotImplementedError

    def for_model(self, *, paired: bool) -> Weights:
        """Return the weights for a model that does, or does not, know the pairs."""
        return self

    def of_rows(self, rows: Array) -> Weights:
        """Return the weights of some of the rows of the evidence, given by their positions."""
        return self


class FurtherSplits(NamedTuple):
    """What splits with training sets of another size observed.

    Attributes
    ----------
    sizes : TrainingSizes
        The training sizes.
    rows, scored_rows : ValidatedRows or None
        The rows of the further splits, for metrics of counts and of instance scores.
    evidence, scored : (Evidence, Evidence) or None
        The evidence of the splits and of the further splits, for both kinds of metrics.
    """

    sizes: TrainingSizes
    rows: ValidatedRows | None
    scored_rows: ValidatedRows | None
    evidence: tuple[Evidence, Evidence] | None
    scored: tuple[Evidence, Evidence] | None

    def of_rows(self, rows: Array, instances: Array) -> FurtherSplits:
        """Return what was observed of some rows of the splits, and of their instances."""
        known = self.rows if self.rows is not None else self.scored_rows
        assert known is not None
        chosen = np.flatnonzero(np.isin(known.instance, instances))
        counted, scored = (
            None if one is None else one.of_rows(chosen) for one in (self.rows, self.scored_rows)
        )
        evidence, of_scores = (
            None if both is None else (both[0].of_rows(rows), both[1].of_rows(chosen))
            for both in (self.evidence, self.scored)
        )
        return FurtherSplits(self.sizes, counted, scored, evidence, of_scores)


@dataclass(frozen=True, eq=False)
class InferredWeights(Weights):
    """Weights inferred from validated rows and, if there are any, from comparisons on halves.

    Parameters
    ----------
    counted, scored : ValidatedRows or None
        The rows, for metrics of counts and for metrics of instance scores.
    n_classifiers : int
        The number of classifiers.
    paired : bool
        Whether the model knows that the classifiers were tested on the same instances.
    estimand : {"full", "learner", "fitted"}
        With "fitted", kappa is 1.
    halves : sequence of (Evidence, Evidence)
        The evidence of both halves, per comparison, for metrics of counts.
    scored_halves : sequence of (Evidence, Evidence)
        The same for metrics of instance scores.
    shows_progress : bool
        Whether it shows progress if there are so many pairs that they take long.
    further : FurtherSplits or None
        What splits with another training size observed, to extrapolate to all instances.
    """

    counted: ValidatedRows | None
    scored: ValidatedRows | None
    n_classifiers: int
    paired: bool = True
    estimand: str = "learner"
    halves: Sequence[tuple[Evidence, Evidence]] = ()
    scored_halves: Sequence[tuple[Evidence, Evidence]] = ()
    rows_of_pair: tuple[int, ...] | None = None
    shows_progress: bool = False
    further: FurtherSplits | None = None
    _known: dict[Any, tuple[float, WeightPosterior]] = field(default_factory=dict)
    _full: dict[Any, FullSize] = field(default_factory=dict)

    @property
    def basis(self) -> str:  # type: ignore[override]
        """What the weights rest on, in words."""
        if self.estimand == "fitted":
            return "from the variation between instances alone"
        rows = self.counted if self.counted is not None else self.scored
        assert rows is not None
        n_splits, n_passes = len(rows.passes), int(rows.passes.max()) + 1
        words = "by a fitted formula"
        if n_passes > 1:
            words += f" and from the spread of {n_splits} splits in {n_passes} repeats"
        elif rows.has_spread:
            words += f" and from the spread of {n_splits} splits"
        n_halves = max(len(self.halves), len(self.scored_halves))
        return f"{words} and {n_halves} comparisons of halves" if n_halves else words

    def difference(self, metric: Metric) -> WeightPosterior:
        """Return the weight for differences; of several classifiers, one for all pairs."""
        if len(self._classifiers) == 1:
            return self.value(metric, 0)
        pairs, found = list(combinations(self._classifiers, 2)), []
        words = f"weighting pairs by {metric.name}"
        with progress_if_long(words, len(pairs), show=self.shows_progress) as advance:
            for pair in pairs:
                found.append(self._of(metric, self._contrast(*pair)))
                advance(len(found))
        return found[0][1] if len(found) == 1 else pooled_weight_posterior(found)

    def value(self, metric: Metric, classifier: int) -> WeightPosterior:
        """Return the weight for the metric of one classifier."""
        which = self._classifiers[classifier]
        return self._of(metric, np.eye(self.n_classifiers)[which], single=True)[1]

    def resplitting(self, metric: Metric) -> Resplitting | None:
        """Return what other splits would do to the difference of two; None if unknown."""
        if len(self._classifiers) != 2:
            return None
        spread = self._spread(metric, self._contrast(*self._classifiers))
        if spread.n_passes == 1:
            return None
        return Resplitting(math.sqrt(spread.between_passes), spread.n_passes)

    def full_size(self, metric: Metric, classifier: int | None = None) -> FullSize | None:
        """Return how the difference of two, or the metric of one, continues to all instances."""
        if self.further is None:
            return None
        chosen = self._classifiers
        if classifier is None and len(chosen) > 1:
            return self._full_size(metric, self._contrast(*chosen))
        which = chosen[classifier or 0]
        return self._full_size(metric, np.eye(self.n_classifiers)[which], single=True)

    def shifts(self, metric: Metric) -> Array | None:
        """Return by how much the metrics of all classifiers move to get to all instances."""
        if self.further is None:
            return None
        chosen, eye = self._classifiers, np.eye(self.n_classifiers)
        return shifts_of_all(
            len(chosen),
            lambda i, j: self._full_size(metric, self._contrast(chosen[i], chosen[j])),
            lambda k: self._full_size(metric, eye[chosen[k]], single=True),
        )

    def _full_size(self, metric: Metric, contrast: Array, *, single: bool = False) -> FullSize:
        key = (metric, tuple(contrast))
        if key not in self._full:
            further = self.further
            assert further is not None
            rows, other, both = self.counted, further.rows, further.evidence
            if metric.weighs_instances:
                rows, other, both = self.scored, further.scored_rows, further.scored
            assert rows is not None
            assert other is not None
            assert both is not None
            splits, resized = (np.array(one.observed(metric)) for one in both)
            self._full[key] = extrapolate(
                *rows.influences_with(other, metric, contrast),
                float(contrast @ (resized - splits)),
                self._kappa(metric, contrast, single=single).scale,
                further.sizes,
            )
        return self._full[key]

    def pair(self, i: int, j: int) -> InferredWeights:
        """Return the weights of two of the classifiers."""
        chosen = self._classifiers
        return replace(self, rows_of_pair=(chosen[i], chosen[j]))

    def for_model(self, *, paired: bool) -> InferredWeights:
        """Return the weights for a model that does, or does not, know the pairs."""
        return replace(self, paired=paired, _known={}, _full={})

    def of_rows(self, rows: Array) -> InferredWeights:
        """Return the weights of some of the rows of the evidence, given by their positions.

        They are inferred from these rows alone; halves, which have other rows, are left out.
        """
        counted, scored = (
            None if one is None else one.of_rows(rows) for one in (self.counted, self.scored)
        )
        further, known = self.further, counted if counted is not None else scored
        if further is not None:
            assert known is not None
            further = further.of_rows(rows, known.instance)
        return replace(
            self,
            counted=counted,
            scored=scored,
            halves=(),
            scored_halves=(),
            further=further,
            _known={},
            _full={},
        )

    @property
    def _classifiers(self) -> tuple[int, ...]:
        chosen = self.rows_of_pair
        return tuple(range(self.n_classifiers)) if chosen is None else chosen

    def _contrast(self, i: int, j: int) -> Array:
        contrast = np.zeros(self.n_classifiers)
        contrast[[i, j]] = 1.0, -1.0
        return contrast

    def _spread(self, metric: Metric, contrast: Array) -> Spread:
        rows = self.scored if metric.weighs_instances else self.counted
        assert rows is not None
        return rows.spread(metric, contrast, paired=self.paired)

    def _of(
        self, metric: Metric, contrast: Array, *, single: bool = False
    ) -> tuple[float, WeightPosterior]:
        """Return the test noise of a contrast, and its weight."""
        key = (metric, tuple(np.abs(contrast)))
        if key not in self._known:
            weight = self._kappa(metric, contrast, single=single)
            if self.further is not None:
                full = self._full_size(metric, contrast, single=single)
                weight = _rounded(weight.test_only / full.inflation, weight.scale, weight.df)
            self._known[key] = self._spread(metric, contrast).test_noise, weight
        return self._known[key]

    def _kappa(self, metric: Metric, contrast: Array, *, single: bool) -> WeightPosterior:
        """Return the weight for the training sizes of the splits."""
        spread = self._spread(metric, contrast)
        if self.estimand == "fitted":
            only = spread.counts_noise / spread.test_noise if spread.test_noise > 0 else 1.0
            return _rounded(only, 1.0, math.inf)
        return infer_weight(spread, single=single, halves=self._halves(metric, contrast))

    def _halves(self, metric: Metric, contrast: Array) -> Array:
        pairs = self.scored_halves if metric.weighs_instances else self.halves
        found = [
            contrast @ (np.array(one.observed(metric)) - np.array(other.observed(metric)))
            for one, other in pairs
        ]
        return np.array(found)


@dataclass(frozen=True, eq=False)
class CommonWeight(Weights):
    """One weight for all classifiers, pairs and metrics, of which there may be hundreds."""

    weight: WeightPosterior
    basis: str

    are_own = False
    n_strata = 4

    def difference(self, metric: Metric) -> WeightPosterior:
        """Return the weight."""
        return self.weight

    def value(self, metric: Metric, classifier: int) -> WeightPosterior:
        """Return the weight."""
        return self.weight

    def pair(self, i: int, j: int) -> CommonWeight:
        """Return the weights of two of the classifiers."""
        return self


@dataclass(frozen=True, eq=False)
class StoredWeights(Weights):
    """Weights of a saved result, by the name of the metric.

    Metrics that the result did not have get the weights of its first metric.

    Parameters
    ----------
    joint : mapping of str to WeightPosterior
        The weight for differences of all classifiers.
    pairs : mapping of str to sequence of WeightPosterior
        The weight for the difference of each pair, in the order of `itertools.combinations`.
    values : mapping of str to sequence of WeightPosterior
        The weight for the metric of each classifier.
    basis : str
        What the weights rest on, in words.
    are_own, n_strata
        As in `Weights`. Without weights of their own, pairs and classifiers have that of all.
    splits : mapping of str to sequence of (Resplitting or None)
        What other splits would do to the difference of each pair.
    """

    joint: Mapping[str, WeightPosterior]
    pairs: Mapping[str, Sequence[WeightPosterior]]
    values: Mapping[str, Sequence[WeightPosterior]]
    basis: str
    are_own: bool = True
    n_strata: int = N_STRATA
    splits: Mapping[str, Sequence[Resplitting | None]] = field(default_factory=dict)
    sizes: TrainingSizes | None = None
    full_pairs: Mapping[str, Sequence[FullSize]] = field(default_factory=dict)
    full_values: Mapping[str, Sequence[FullSize]] = field(default_factory=dict)

    @classmethod
    def of(cls, weights: Weights, metrics: Mapping[str, Metric], n: int) -> StoredWeights:
        """Take the weights of some metrics of n classifiers."""
        joint = {name: weights.difference(m) for name, m in metrics.items()}
        if not weights.are_own:
            return cls(joint, {}, {}, weights.basis, False, weights.n_strata)
        pairs = list(combinations(range(n), 2))
        full_pairs, full_values, sizes = {}, {}, None
        for name, metric in metrics.items():
            of_each = [weights.full_size(metric, k) for k in range(n)]
            of_pairs = [weights.pair(*p).full_size(metric) for p in pairs]
            full_values[name] = [one for one in of_each if one is not None]
            full_pairs[name] = [one for one in of_pairs if one is not None]
            sizes = full_values[name][0].sizes if full_values[name] else None
        return cls(
            joint,
            {name: [weights.pair(*p).difference(m) for p in pairs] for name, m in metrics.items()},
            {name: [weights.value(m, k) for k in range(n)] for name, m in metrics.items()},
            weights.basis,
            splits={
                name: [weights.pair(*p).resplitting(m) for p in pairs]
                for name, m in metrics.items()
            },
            sizes=sizes,
            full_pairs={} if sizes is None else full_pairs,
            full_values={} if sizes is None else full_values,
        )

    def difference(self, metric: Metric) -> WeightPosterior:
        """Return the weight for differences; of several classifiers, one for all pairs."""
        return _found(self.joint, metric)

    def full_size(self, metric: Metric, classifier: int | None = None) -> FullSize | None:
        """Return how the difference of two, or the metric of one, continues to all instances."""
        if self.sizes is None:
            return None
        self._check_known(metric)
        if classifier is None and self.full_pairs[metric.name]:
            return self.full_pairs[metric.name][0]
        return self.full_values[metric.name][classifier or 0]

    def shifts(self, metric: Metric) -> Array | None:
        """Return by how much the metrics of all classifiers move to get to all instances."""
        if self.sizes is None:
            return None
        self._check_known(metric)
        of_pairs, values = self.full_pairs[metric.name], self.full_values[metric.name]
        place = {pair: k for k, pair in enumerate(combinations(range(len(values)), 2))}
        return shifts_of_all(len(values), lambda i, j: of_pairs[place[i, j]], lambda k: values[k])

    def _check_known(self, metric: Metric) -> None:
        if metric.name not in self.full_values:
            raise ValueError(
                f"{metric.name!r} was not computed before the result was saved, and the file does "
                f"not tell how it continues to all instances. It has {list(self.full_values)}."
            )

    def value(self, metric: Metric, classifier: int) -> WeightPosterior:
        """Return the weight for the metric of one classifier."""
        return _found(self.values, metric)[classifier] if self.are_own else self.difference(metric)

    def resplitting(self, metric: Metric) -> Resplitting | None:
        """Return what other splits would do to the difference of two; None if unknown."""
        known = self.splits.get(metric.name, ())
        return known[0] if len(known) == 1 else None

    def pair(self, i: int, j: int) -> StoredWeights:
        """Return the weights of two of the classifiers."""
        if not self.are_own:
            return self
        n = len(next(iter(self.values.values())))
        place = list(combinations(range(n), 2)).index((min(i, j), max(i, j)))
        chosen = {name: of_each[place] for name, of_each in self.pairs.items()}
        values = {name: [of_each[i], of_each[j]] for name, of_each in self.values.items()}
        splits = {name: [of_each[place]] for name, of_each in self.splits.items()}
        pairs = {name: [one] for name, one in chosen.items()}
        sign = 1 if i < j else -1
        full_pairs = {
            name: [of_each[place]._replace(step=sign * of_each[place].step)]
            for name, of_each in self.full_pairs.items()
        }
        full_values = {name: [of_each[i], of_each[j]] for name, of_each in self.full_values.items()}
        return StoredWeights(
            chosen,
            pairs,
            values,
            self.basis,
            splits=splits,
            sizes=self.sizes,
            full_pairs=full_pairs,
            full_values=full_values,
        )

    def saved(self) -> dict[str, Any]:
        """Return the weights as plain values, for `restored`."""
        return {
            "joint": {name: _plain(one) for name, one in self.joint.items()},
            "pairs": {name: [_plain(one) for one in each] for name, each in self.pairs.items()},
            "values": {name: [_plain(one) for one in each] for name, each in self.values.items()},
            "basis": self.basis,
            "are_own": self.are_own,
            "n_strata": self.n_strata,
            "splits": {
                name: [None if one is None else list(one) for one in each]
                for name, each in self.splits.items()
            },
            "sizes": None if self.sizes is None else list(self.sizes),
            "full_pairs": {
                n: [list(one[:5]) for one in each] for n, each in self.full_pairs.items()
            },
            "full_values": {
                n: [list(one[:5]) for one in each] for n, each in self.full_values.items()
            },
        }

    @classmethod
    def restored(cls, saved: Mapping[str, Any], metrics: Sequence[str], n: int) -> StoredWeights:
        """Return the weights of some metrics of n classifiers from the output of `saved`."""
        basis, are_own = saved["basis"], saved["are_own"]
        if not isinstance(basis, str) or not isinstance(are_own, bool):
            raise ValueError("the description of its weights is not one.")
        pairs, values = (
            {name: [_weight(one) for one in each] for name, each in saved[key].items()}
            for key in ("pairs", "values")
        )
        joint = {name: _weight(one) for name, one in saved["joint"].items()}
        splits = {
            name: [None if one is None else _resplitting(one) for one in each]
            for name, each in saved["splits"].items()
        }
        sizes = None if saved["sizes"] is None else _sizes(saved["sizes"])
        full_pairs, full_values = (
            {name: [_full_size(one, sizes) for one in each] for name, each in saved[key].items()}
            for key in ("full_pairs", "full_values")
        )
        n_pairs = n * (n - 1) // 2
        checked: list[tuple[Mapping[str, Sequence[Any]], int]]
        checked = [(pairs, n_pairs), (values, n), (splits, n_pairs)]
        if sizes is not None:
            checked += [(full_pairs, n_pairs), (full_values, n)]
        elif full_pairs or full_values:
            raise ValueError("its weights continue to all instances, but have no training sizes.")
        for found, number in checked:
            own = metrics if are_own else ()
            if list(found) != list(own) or any(len(each) != number for each in found.values()):
                raise ValueError(f"its weights must be those of {n} classifiers by {metrics}.")
        if list(joint) != list(metrics):
            raise ValueError(f"its weights must be those of {metrics}.")
        n_strata = check_whole_number(saved["n_strata"], "n_strata")
        if n_strata > N_STRATA:
            raise ValueError(f"its weights must have at most {N_STRATA} strata, got {n_strata}.")
        return cls(
            joint, pairs, values, basis, are_own, n_strata, splits, sizes, full_pairs, full_values
        )


def _plain(weight: WeightPosterior) -> list[float | None]:
    return [None if math.isinf(one) else one for one in weight]


def _weight(saved: Sequence[float | None]) -> WeightPosterior:
    weight = WeightPosterior(*(math.inf if one is None else float(one) for one in saved))
    if not all(one > 0 for one in weight) or weight.df <= 2:
        raise ValueError(f"a weight must be positive, and have more than 2 df, got {saved}.")
    return weight


def _resplitting(saved: Sequence[Any]) -> Resplitting:
    sd, n_passes = saved
    if not 0 <= sd < math.inf or not 2 <= n_passes < 2**31:
        raise ValueError(f"{saved} are not a standard deviation and a number of repeats.")
    return Resplitting(float(sd), check_whole_number(n_passes, "n_passes"))


def _sizes(saved: Sequence[Any]) -> TrainingSizes:
    sizes = TrainingSizes(*map(float, saved))
    if not all(0 < one < math.inf for one in sizes) or sizes.splits == sizes.further:
        raise ValueError(f"{saved} are not training sizes.")
    return sizes


def _full_size(saved: Sequence[Any], sizes: TrainingSizes | None) -> FullSize:
    if sizes is None or len(saved) != 5:
        raise ValueError(f"{saved} does not tell how a metric continues to all instances.")
    step, rate, slope, inflation, further = map(float, saved)
    finite = all(map(math.isfinite, (step, slope, inflation, further)))
    if not finite or not 0 <= rate < math.inf or inflation <= 0 or further < 0:
        raise ValueError(f"{saved} does not tell how a metric continues to all instances.")
    return FullSize(step, rate, slope, inflation, further, sizes)


def _found(by_metric: Mapping[str, Any], metric: Metric) -> Any:
    return by_metric.get(metric.name, next(iter(by_metric.values())))
