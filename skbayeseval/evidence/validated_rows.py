"""Validated rows: what each classifier got right, row by row and split by split.

A row is an instance in one test set; an instance that is tested three times has three rows. Rows
show how much of the variation is due to the choice of instances, and how much to training sets.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import Any, NamedTuple, Self, cast

import numpy as np
from scipy import sparse

from skbayeseval._arrays import Array
from skbayeseval.evidence.chunks import OUTCOMES, tables_of_tagger
from skbayeseval.evidence.instance_scores import WeightedInstances
from skbayeseval.evidence.unit_numbers import cell_influence, total_influence
from skbayeseval.metrics.metric import Metric, Totals

# A noise smaller than this, relative to others, is a rounding error.
TINY = 1e-9

# A share of the predictions that is nearly all of them.
NEARLY_ALL = 0.97


class Spread(NamedTuple):
    """How a metric, or a difference between two, varies in a cross-validation.

    Attributes
    ----------
    test_noise : float
        The variance due to the choice of test instances (or groups), for the models fitted here.
    counts_noise : float
        The variance that a model of counts has at weight 1, treating counts as independent.
    between_splits : float
        The variance between two halves of the data, each tested by what was trained on the other,
        divided by what test noise explains of it; 1 if splits are not halves.
    between_passes : float
        The variance of the mean due to differences between passes; 0 for a single pass.
    n_passes : int
        The number of passes over the data.
    times : float
        How often an instance was tested: sum(r^2) / sum(r), where instance i was tested r_i times.
    """

    test_noise: float
    counts_noise: float
    between_splits: float
    between_passes: float
    n_passes: int
    times: float = 1.0

    @property
    def test_only(self) -> float:
        """The weight at which a model of counts has the variance of the test noise."""
        # Where no instance has an influence, the next one may have it whenever it is tested.
        return self.counts_noise / self.test_noise if self.test_noise > 0 else 1 / self.times


@dataclass(frozen=True, eq=False)
class ValidatedRows(ABC):
    """The test sets of a cross-validation, row by row.

    Parameters
    ----------
    instance : ndarray of shape (n_rows,)
        The instance of each row.
    unit : ndarray of shape (n_rows,)
        The unit of each row: its instance, or a group of instances that belong together.
    split : ndarray of shape (n_rows,)
        The split in which the row was tested, numbered from 0.
    weighs_units : bool
        Whether the model weights units at random.
    """

    instance: Array
    unit: Array
    split: Array
    weighs_units: bool = field(default=False, kw_only=True)
    _known: dict[Hashable, Any] = field(default_factory=dict, init=False, repr=False)

    def influence(self, metric: Metric) -> Array:
        """Return the influence of each row on each classifier's metric, (n_classifiers, n_rows).

        The error of the metric is approximately the sum of the influences.
        """
        if metric not in self._known:
            self._known[metric] = self._influence(metric)
        return cast(Array, self._known[metric])

    @abstractmethod
    def _influence(self, metric: Metric) -> Array:
        """Compute the influence."""

    def of_rows(self, rows: Array) -> Self:
        """Return some of the rows, given by their positions; splits are numbered anew."""
        chosen: dict[str, Any] = {}
        for attribute in fields(self):
            values = getattr(self, attribute.name)
            if isinstance(values, WeightedInstances):
                chosen[attribute.name] = values.of_rows(rows)
            elif isinstance(values, tuple):
                chosen[attribute.name] = tuple(of_classifier[rows] for of_classifier in values)
            elif np.ndim(values):
                chosen[attribute.name] = values[rows]
        chosen["split"] = np.ravel(np.unique(chosen["split"], return_inverse=True)[1])
        return replace(self, **chosen)

    def spread(self, metric: Metric, contrast: Array, *, paired: bool = True) -> Spread:
        """Return how a combination of the classifiers' metrics varies.

        With ``paired=False``, the model treats the classifiers as independent.
        """
        key = metric, contrast.tobytes(), paired  # each learner is asked about in all its pairs
        if key in self._known:
            return cast(Spread, self._known[key])
        used = np.flatnonzero(contrast)  # mostly two of many classifiers
        influence = np.asarray(contrast[used] @ self.influence(metric)[used])
        sums = np.bincount(self._unit, weights=influence)
        n_units = len(sums)
        factor, deviation = self._deviations(metric, contrast, influence)
        if self.weighs_units:
            # Random weights are Gamma variables of shape r, if a unit was tested r times.
            counts_noise = float((sums**2 / self._times).sum())
        else:
            counts_noise = self._counts_noise(metric, contrast, influence, paired=paired)
        found = Spread(
            float((sums**2).sum()) * n_units / max(n_units - 1, 1),
            counts_noise,
            *self._between(influence, factor, deviation),
            int(self.passes.max()) + 1,
            float(np.square(self._times).sum() / self._times.sum()),
        )
        self._known[key] = found
        return found

    def _counts_noise(
        self, metric: Metric, contrast: Array, influence: Array, *, paired: bool
    ) -> float:
        """Return the variance of a contrast if every count were an independent instance."""
        if not paired:
            return float(contrast**2 @ (self.influence(metric) ** 2).sum(axis=1))
        return float((influence**2).sum())

    def _deviations(self, metric: Metric, contrast: Array, influence: Array) -> tuple[Array, Array]:
        """Return how much an influence counts in the value of its split, and these values.

        The values are deviations from that of all splits.
        """
        factor = len(self.split) / np.bincount(self.split)
        return factor, factor * np.bincount(self.split, weights=influence)

    def _between(self, influence: Array, factor: Array, deviation: Array) -> tuple[float, float]:
        """Return the variation between halves and between passes, as in `Spread`."""
        n_passes, sizes = int(self.passes.max()) + 1, np.bincount(self.split)
        sums = np.bincount(self.passes, weights=sizes * deviation)
        means = sums / np.bincount(self.passes, weights=sizes)
        between_passes = float(np.var(means, ddof=1) / n_passes) if n_passes > 1 else 0.0
        if not self.are_of_halves:
            return 1.0, between_passes
        # The variance of each half's value due to test noise.
        split, place = self._units_of_splits
        sums = factor[split] * np.bincount(place, weights=influence)
        n_units = np.bincount(split)
        centred = sums - (np.bincount(split, weights=sums) / n_units)[split]
        within = np.bincount(split, weights=centred**2) * n_units / (n_units - 1)
        noise = within.reshape(-1, 2).mean(axis=1)
        between = np.diff(deviation.reshape(-1, 2)).ravel() ** 2 / 2
        has_noise = noise > TINY * within.max()  # no rounding error
        ratios = between[has_noise] / noise[has_noise]
        return float(ratios.mean()) if len(ratios) else 1.0, between_passes

    @cached_property
    def are_of_halves(self) -> bool:
        """Whether each pass has two disjoint splits, each with several instances or groups."""
        per_pass = np.bincount(self.passes)
        once = len(self.instance) == len(per_pass) * len(np.unique(self.instance))
        several = np.bincount(self._units_of_splits[0]).min() > 1
        return bool((per_pass == 2).all() and once and several)

    def says_one_class(self, classifier: int) -> bool:
        """Whether a split has one class predicted nearly throughout that is rarer in truth."""
        return False

    @cached_property
    def _times(self) -> Array:
        """How often the instances of each unit were tested."""
        _, first = np.unique(self.instance, return_index=True)
        return np.bincount(self._unit) / np.bincount(self._unit[first])

    @cached_property
    def _unit(self) -> Array:
        """The units, numbered from 0."""
        return np.ravel(np.unique(self.unit, return_inverse=True)[1])

    @cached_property
    def _units_of_splits(self) -> tuple[Array, Array]:
        """The split of each unit in each split, and the place of each row among these units."""
        n_units = int(self._unit.max()) + 1
        keys, place = np.unique(self.split * n_units + self._unit, return_inverse=True)
        return keys // n_units, np.ravel(place)

    @cached_property
    def passes(self) -> Array:
        """The pass over the data that each split belongs to.

        A pass is a series of splits with disjoint test sets. If passes do not cover the same rows,
        as with random test sets, all splits form one pass.
        """
        instance = np.ravel(np.unique(self.instance, return_inverse=True)[1])
        ends = np.cumsum(np.bincount(self.split))[:-1]
        tests = np.split(instance[np.argsort(self.split, kind="stable")], ends)
        covered = [np.zeros(int(instance.max()) + 1, dtype=bool)]
        numbers = []
        for test in tests:
            if covered[-1][test].any():
                covered.append(np.zeros_like(covered[0]))
            covered[-1][test] = True
            numbers.append(len(covered) - 1)
        if any((seen != covered[0]).any() for seen in covered):
            return np.zeros(len(tests), dtype=int)
        return np.array(numbers)


@dataclass(frozen=True, eq=False)
class ClassRows(ValidatedRows):
    """Rows with one class each: `truth` of shape (n_rows,), `said` of (n_rows, n_classifiers).

    With `sample_weight`, whose mean is 1, rows count by their weights.
    """

    truth: Array
    said: Array
    n_classes: int
    positive: int
    sample_weight: Array | None = None

    def _influence(self, metric: Metric) -> Array:
        m, influences, weights = self.n_classes, [], self.sample_weight
        for said in self.said.T:
            cells = self.truth * m + said
            table = np.bincount(cells, weights, minlength=m * m).reshape(m, m).astype(float)
            influences.append(cell_influence(metric, table, self.positive).ravel()[cells])
        each = 1.0 if weights is None else weights
        return each * np.array(influences) / len(self.truth)

    def says_one_class(self, classifier: int) -> bool:
        """Whether a split has one class predicted nearly throughout that is rarer in truth."""
        cells = self.split * self.n_classes + self.said[:, classifier]
        said = np.bincount(cells, minlength=(self.split.max() + 1) * self.n_classes)
        shares = said.reshape(-1, self.n_classes) / np.bincount(self.split)[:, None]
        truth = np.bincount(self.truth, minlength=self.n_classes) / len(self.truth)
        return bool(((shares > NEARLY_ALL) & (truth < shares - 0.02)).any())


@dataclass(frozen=True, eq=False)
class LabelRows(ValidatedRows):
    """Rows with several labels each: sparse indicators of truth and of each classifier.

    With `sample_weight`, whose mean is 1, rows count by their weights.
    """

    truth: Any
    said: tuple[Any, ...]
    sample_weight: Array | None = None
    weighs_units: bool = field(default=True, kw_only=True)

    def _influence(self, metric: Metric) -> Array:
        n_rows, influences = self.truth.shape[0], []
        each = np.ones(n_rows) if self.sample_weight is None else self.sample_weight
        for said in self.said:
            hits = self.truth.multiply(said)
            parts = [sparse.diags(each) @ part for part in (hits, self.truth, said)]
            parts = [part.tocsr() for part in parts]
            sums = Totals(*(np.asarray(part.sum(axis=0), dtype=float).ravel() for part in parts))
            slopes = total_influence(metric, sums, n_rows)
            rows = sum(part @ slope for part, slope in zip(parts, slopes, strict=True))
            influences.append((rows - each * rows.mean()) / n_rows)
        return np.array(influences)


@dataclass(frozen=True, eq=False)
class ScoreRows(ValidatedRows):
    """Rows with instance scores or predicted numbers, whose metrics are averages over splits."""

    scored: WeightedInstances
    weighs_units: bool = field(default=True, kw_only=True)

    def _influence(self, metric: Metric) -> Array:
        return self.scored.influence(metric)

    def _deviations(self, metric: Metric, contrast: Array, influence: Array) -> tuple[Array, Array]:
        if ("values", metric) not in self._known:  # which is slow, and pairs are many
            self._known["values", metric] = self.scored.of_runs(metric)
        values = contrast @ self._known["values", metric]
        return np.full(len(values), float(len(values))), values - values.mean()


@dataclass(frozen=True, eq=False)
class ChunkRows(ValidatedRows):
    """Sentences: `cells` of shape (n_rows, 7) as in `ChunkCounts`."""

    cells: Array

    def _influence(self, metric: Metric) -> Array:
        return np.array([self.cells @ slopes for slopes in self._slopes(metric)])

    def _counts_noise(
        self, metric: Metric, contrast: Array, influence: Array, *, paired: bool
    ) -> float:
        """Return the variance of a contrast if every chunk were independent."""
        slopes, totals = self._slopes(metric), self.cells.sum(axis=0)
        if not paired:
            return float(contrast**2 @ (slopes**2 @ totals))
        return float((contrast @ slopes) ** 2 @ totals)

    def _slopes(self, metric: Metric) -> Array:
        """Return the influence of one chunk in each of the seven cells, per tagger."""
        totals, influences = self.cells.sum(axis=0), []
        for tagger in (0, 1):
            table = tables_of_tagger(totals, tagger).reshape(2, 2)
            table[0, 0] = np.nan
            influence = cell_influence(metric, table, 1) / np.nansum(table)
            influences.append([influence[int(one[0]), int(one[1 + tagger])] for one in OUTCOMES])
        return np.array(influences)
