"""Counts per unit, for models that weight instances or groups of instances.

Units that are alike share one weight. Instances with the same labels and predictions, and groups
with the same counts, matter only through the sum of their weights, and the sum of k Gamma(w)
variables is a Gamma(kw) variable. So a draw costs as many variables as there are distinct units
(`UnitCounts.distinct`), as with items. They are numbered by their first occurrence, not by their
contents: A and B, or the labels, can be exchanged, and the draws follow. Who is alike depends on
all classifiers, so the draws of a pair among several are not those of a comparison of the two with
the same seed, but have the same distribution. Evidence, files, and the numbers of units that the
correction for few units needs are still of instances and groups.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from skbayeseval._arrays import (
    Array,
    as_numbers,
    check_same_length,
    columns_in_order,
)
from skbayeseval._labels import (
    check_distinct,
    check_indicator,
    check_label_vector,
    indicator_labels,
    resolve_pos_label,
)
from skbayeseval._validation import check_weight
from skbayeseval.evidence.chunks import tables_of_tagger
from skbayeseval.evidence.counts import Margin, PairedCounts, cells_of, count_outcomes
from skbayeseval.evidence.interface import Evidence, still_declared
from skbayeseval.evidence.unit_numbers import UnitNumbers, count_units, over_classes
from skbayeseval.metrics.metric import Metric
from skbayeseval.splitting.out_of_fold import OutOfFold

# Gamma variables with a smaller shape underflow often enough to bias ratios of their sums.
SMALLEST_SHAPE = 0.01


@dataclass(frozen=True, eq=False, kw_only=True)
class WeightedUnits(Evidence):
    """Base class of evidence whose units have random weights.

    Parameters
    ----------
    shape : ndarray of shape (n_units,)
        The Gamma shape of each unit's weight.
    unit : ndarray of shape (n_rows,), default=None
        The unit of each row: an instance, or a group of instances. None if rows are not kept.
    weight : float, default=1.0
        The weight of one count.
    grouped : bool, default=False
        Whether units are groups.
    sample_weight : ndarray of shape (n_rows,), default=None
        How much each row counts in a metric, as in scikit-learn; None if all count alike.
    block_length : int, default=None
        The number of rows of a block, if groups are blocks of consecutive rows.
    """

    shape: Array
    unit: Array | None = None
    weight: float = 1.0
    grouped: bool = False
    sample_weight: Array | None = None
    block_length: int | None = None

    def __post_init__(self) -> None:
        check_weight(self.weight)

    def remarks(self, names: Sequence[str] = ()) -> list[tuple[str, str]]:
        """Return how many instances of equal weight those with sample weights are worth."""
        weights = self.sample_weight
        if weights is None or np.ptp(weights) == 0:
            return []
        effective = weights.sum() ** 2 / np.square(weights).sum()
        words = f"instances count like {effective:,.0f} of equal weight (Kish's effective size)"
        return [("weights", f"with sample_weight, {len(weights):,} {words}")]

    @property
    def n_groups(self) -> int:
        """The number of groups that are weighted together; 0 if there are none."""
        return len(self.shape) if self.grouped else 0

    @property
    def n_rows(self) -> int | None:
        """The number of rows that are kept; None if none are kept."""
        return None if self.unit is None else len(self.unit)

    @property
    def group_of_rows(self) -> Array | None:
        """The number of the group of each row that is kept; None if there are no groups."""
        return self.unit if self.grouped else None

    def with_weight(self, weight: float) -> Self:
        """Return the same evidence with another weight."""
        changed: Any = {"weight": weight, "shape": self.shape * (weight / self.weight)}
        return replace(self, **changed)

    @property
    def units_in_words(self) -> str:
        """What units are called, such as "instances"."""
        return self.noun_of_groups if self.grouped else "instances"


@dataclass(frozen=True, eq=False)
class UnitCounts(WeightedUnits):
    """Counts of several classifiers per unit: an instance, or a group of instances.

    Parameters
    ----------
    true : sparse matrix of shape (n_units, n_labels)
        The number of instances of each class, or with each label, per unit.
    hits, predicted : tuple of sparse matrix of shape (n_units, n_labels)
        For each classifier, the numbers of true positives and of predicted instances.
    cells : tuple of sparse matrix of shape (n_units, n_labels ** 2)
        For each classifier, the confusion table of each unit. Empty for multi-label indicators.
    sizes : ndarray of shape (n_units,)
        The number of instances in each unit.
    labels, pos_label, declared
        As in `ConfusionCounts`.
    has_true_negatives : bool
        Whether true negatives are counted.
    shape, unit, weight, grouped, sample_weight, block_length
        As in `WeightedUnits`.
    losses : ndarray of shape (n_classifiers, n_instances), default=None
        Whether each classifier was wrong, where groups are blocks: the instances in their order.
    types : mapping of str to UnitCounts, default={}
        The counts of each type of chunk; empty if there are none, or they are not kept.

    Examples
    --------
    >>> from skbayeseval.evidence.units import UnitCounts
    >>> y = [[1, 0], [1, 1], [0, 1]]
    >>> counts = UnitCounts.from_indicators(y, {"a": [[1, 0], [1, 0], [0, 1]]})
    >>> counts.margin(0).hits
    array([2., 1.])
    """

    true: Any
    hits: tuple[Any, ...]
    predicted: tuple[Any, ...]
    cells: tuple[Any, ...]
    sizes: Array
    labels: tuple[Any, ...]
    pos_label: Any = None
    has_true_negatives: bool = True
    declared: bool = True
    losses: Array | None = None
    types: Mapping[str, UnitCounts] = field(default_factory=dict)

    of_each = ("hits", "predicted", "cells", "losses")
    unsaved = ("unit", "types")

    def __post_init__(self) -> None:
        super().__post_init__()
        check_distinct(self.labels)
        resolve_pos_label(self.labels, self.pos_label)

    @property
    def family(self) -> str:
        """The family of models that fit: "groups", "sentences", "weighted" or "labels"."""
        if self.grouped:
            return "groups"
        of_instances = "labels" if self.sample_weight is None else "weighted"
        return of_instances if self.has_true_negatives else "sentences"

    @property
    def noun(self) -> str:  # type: ignore[override]
        """What is counted, in words."""
        return "counts" if self.has_true_negatives else "chunks"

    @property
    def units_in_words(self) -> str:
        """What units are called, such as "instances"."""
        return "sentences" if self.family == "sentences" else super().units_in_words

    @property
    def groups_in_words(self) -> str:
        """The number of groups, blocks or sentences, in words; "" if there are none."""
        if self.family == "sentences":
            return f" in {len(self.shape):,} sentences"
        return super().groups_in_words

    @property
    def identical_in(self) -> str:  # type: ignore[override]
        """In what classifiers may be identical."""
        return "predictions" if self.has_true_negatives else "counts in each sentence"

    @property
    def by_type(self) -> dict[str, Evidence]:
        """The counts of each type of chunk; empty if types are not kept."""
        return {kind: counts.with_weight(self.weight) for kind, counts in self.types.items()}

    def pair(self, i: int, j: int) -> UnitCounts:
        """Return the counts of two of the classifiers."""
        types = {kind: counts.pair(i, j) for kind, counts in self.types.items()}
        return replace(super().pair(i, j), types=types)

    @classmethod
    def from_indicators(
        cls,
        y_true: Any,
        predictions: Mapping[str, Any],
        *,
        labels: ArrayLike | None = None,
        weight: float = 1.0,
        groups: ArrayLike | None = None,
        instances: Array | None = None,
        sample_weight: Array | None = None,
    ) -> UnitCounts:
        """Count multi-label indicators.

        Pass `instances`, the instance of each row, if instances occur more than once, as in
        repeated cross-validation. The rows of an instance share one weight with a larger shape.
        """
        truth = check_indicator(y_true, "y_true")
        classes = indicator_labels(
            y_true if hasattr(y_true, "columns") else truth, labels, "y_true"
        )
        indicators = {
            name: check_indicator(columns_in_order(p, classes, name), name)
            for name, p in predictions.items()
        }
        for name, matrix in indicators.items():
            if matrix.shape != truth.shape:
                raise ValueError(
                    f"y_true has shape {truth.shape}, but {name} has shape {matrix.shape}."
                )
        to_unit, units = _units(truth.shape[0], groups, instances, weight, sample_weight)
        return cls(
            to_unit @ truth,
            tuple(to_unit @ truth.multiply(p) for p in indicators.values()),
            tuple(to_unit @ p for p in indicators.values()),
            (),
            labels=classes,
            **units,
        )

    @classmethod
    def from_chunks(
        cls,
        cells: Array,
        groups: ArrayLike | None,
        *,
        weight: float = 1.0,
        instances: Array | None = None,
        types: Mapping[str, Array] | None = None,
    ) -> UnitCounts:
        """Count chunks per sentence or group of sentences, given the cells of each sentence.

        Cells are those of `ChunkCounts`. `types` has the cells of the chunks of each type.
        """
        options: Any = {"weight": weight, "instances": instances}
        to_unit, units = _units(len(cells), groups, instances, weight)
        units |= {"sizes": np.ravel(to_unit @ cells.sum(axis=1)), "has_true_negatives": False}
        tables = [to_unit @ sparse.csr_matrix(tables_of_tagger(cells, k)) for k in (0, 1)]
        gold = tables[0][:, [2, 3]].sum(axis=1)
        return cls(
            sparse.csr_matrix(np.hstack([np.zeros_like(gold), gold])),
            tuple(table[:, [0, 3]] for table in tables),
            tuple(table[:, [0, 1]] + table[:, [2, 3]] for table in tables),
            tuple(tables),
            labels=(0, 1),
            pos_label=1,
            types={
                kind: cls.from_chunks(of_type, groups, **options)
                for kind, of_type in (types or {}).items()
            },
            **units,
        )

    def margin(self, classifier: int) -> Margin:
        """Return the counts of one classifier, summed over units."""
        m = len(self.labels)
        times = self.shape / self.weight  # how often the unit was counted
        cells = None
        if self.cells:
            cells = cells_of((self.cells[classifier].T @ times).reshape(m, m))
        return Margin(
            float(self.sizes @ times),
            self.labels,
            self.pos_label,
            self.weight,
            self.declared,
            hits=self.hits[classifier].T @ times,
            true=self.true.T @ times,
            predicted=self.predicted[classifier].T @ times,
            cells=cells,
            has_true_negatives=self.has_true_negatives,
        )

    def are_copies(self, i: int, j: int, metric: str) -> bool:
        """Return whether two classifiers made the same predictions; unknown within groups."""
        compared = self.predicted if self.has_true_negatives else self.cells
        return not self.grouped and (compared[i] != compared[j]).nnz == 0

    def given(self, names: Sequence[str]) -> OutOfFold | None:
        """Return true and predicted label indicators; None if units are not single rows."""
        one_each = self.unit is not None and len(self.unit) == len(self.shape)
        if not one_each or self.grouped or not self.has_true_negatives:
            return None
        truth, *predictions = (
            matrix[self.unit].toarray().astype(np.int8) for matrix in (self.true, *self.predicted)
        )
        said = dict(zip(names, predictions, strict=True))
        return OutOfFold.of_rows(truth, said, labels=self.labels)

    def row_losses(self) -> Array | None:
        """Return how often each classifier was wrong, per row; None if rows are not known."""
        if self.unit is None or self.grouped:
            return None
        if self.has_true_negatives:
            both = zip(self.predicted, self.hits, strict=True)
            errors = [(self.true + said - 2 * hits).sum(axis=1) / 2 for said, hits in both]
        else:
            errors = [table[:, [1, 2]].sum(axis=1) for table in self.cells]
        return np.stack([np.ravel(of_one) for of_one in errors])[:, self.unit]

    def of_rows(self, rows: Array) -> UnitCounts:
        """Return the counts of some of the rows, given by their positions."""
        assert self.unit is not None
        seen, unit = np.unique(self.unit[rows], return_inverse=True)
        return replace(
            self._of_units(seen, self.shape[seen]),
            declared=still_declared(self.margins()[0]),
            unit=np.ravel(unit),
            sample_weight=None if self.sample_weight is None else self.sample_weight[rows],
        )

    @cached_property
    def first_alike(self) -> Array:
        """For each unit, the first one with the same counts and size."""
        counts = sparse.hstack(
            [self.true, *self.hits, *self.predicted, *self.cells, self.sizes[:, None]], "csr"
        )
        counts.eliminate_zeros()
        counts.sort_indices()
        first: dict[bytes, int] = {}
        alike = []
        for unit, (start, end) in enumerate(pairwise(counts.indptr.tolist())):
            content = counts.indices[start:end].tobytes() + counts.data[start:end].tobytes()
            alike.append(first.setdefault(content, unit))
        return np.array(alike)

    def distinct(self) -> UnitCounts:
        """Return the counts with one unit in place of all that are alike.

        Their weights matter only as a sum, and a sum of Gamma variables is one Gamma variable whose
        shape is the sum of theirs. Units keep their order, so exchanging classifiers or labels
        changes nothing else.
        """
        units, kind = np.unique(self.first_alike, return_inverse=True)
        return self._of_units(units, np.bincount(np.ravel(kind), self.shape))

    def _of_units(self, units: Array, shape: Array) -> UnitCounts:
        """Return the counts of some of the units, with other shapes and without rows."""
        return replace(
            self,
            true=self.true[units],
            hits=tuple(matrix[units] for matrix in self.hits),
            predicted=tuple(matrix[units] for matrix in self.predicted),
            cells=tuple(matrix[units] for matrix in self.cells),
            shape=shape,
            sizes=self.sizes[units],
            unit=None,
            sample_weight=None,
            losses=None,
            types={},
        )

    def with_weight(self, weight: float) -> UnitCounts:
        """Return the same counts with another weight."""
        weighted = super().with_weight(weight)
        weighted.__dict__["first_alike"] = self.first_alike  # found once for all weights
        return weighted

    def unit_numbers(self, metric: Metric) -> UnitNumbers:
        """Return how many units the metric rests on.

        These are the units with instances of the positive class, of the class or classes that the
        metric is about, or with any label; for accuracy, all units. Only the true labels count, so
        that the numbers are the same for all classifiers.
        """
        what = self.units_in_words
        times = self.shape / self.weight
        counts = sparse.csc_matrix(self.true)
        is_indicator = not self.cells
        classes = metric.classes_in_it(len(self.labels), self.positive)
        if classes is None:
            masses = np.ravel(counts.sum(axis=1)) if is_indicator else self.sizes
            numbers = count_units(masses * times, self.shape, self.weight, what)
            return numbers._replace(instances=self.weight * float(self.sizes @ times))
        of_classes = []
        for c in classes:
            entries = slice(*counts.indptr[c : c + 2])
            units = counts.indices[entries]
            masses = counts.data[entries] * times[units]
            of_classes.append(count_units(masses, self.shape[units], self.weight, what))
        return over_classes(of_classes, what)

    def label_tables(self, classifier: int) -> Array:
        """Return the effective counts (tp, fp, fn, tn) per label, of shape (n_labels, 4)."""
        margin = self.margin(classifier)
        tp, fp, fn = margin.hits, margin.predicted - margin.hits, margin.true - margin.hits
        return np.stack([tp, fp, fn, margin.total - tp - fp - fn], axis=1) * self.weight


def count_codes(
    truth: Array,
    predictions: Array,
    classes: tuple[Any, ...],
    *,
    groups: ArrayLike | None = None,
    pos_label: Any = None,
    weight: float = 1.0,
    declared: bool = True,
    instances: Array | None = None,
    sample_weight: Array | None = None,
) -> Any:
    """Count labels that are given as positions among the classes, and keep the rows.

    Without `groups` and `sample_weight`, these are `PairedCounts`, otherwise `UnitCounts` of the
    groups, or instances. `instances` is as in `UnitCounts.from_indicators`.
    """
    if groups is None and sample_weight is None:
        values, codes, counts, of_row = count_outcomes([truth, *predictions.T])
        pairs = zip(values, codes.T, strict=True)
        first, *others = (np.array(of_one)[column] for of_one, column in pairs)
        said = np.column_stack(others)
        return PairedCounts(first, said, counts, classes, weight, pos_label, declared, of_row)
    m, times, rows = len(classes), np.ones(len(truth)), np.arange(len(truth))
    to_unit, units = _units(len(truth), groups, instances, weight, sample_weight)

    def sums(columns: Array, n_columns: int, which: Any = slice(None)) -> Any:
        entries = (times[which], (rows[which], columns[which]))
        return to_unit @ sparse.csr_matrix(entries, (len(truth), n_columns))

    return UnitCounts(
        sums(truth, m),
        tuple(sums(truth, m, truth == p) for p in predictions.T),
        tuple(sums(p, m) for p in predictions.T),
        tuple(sums(truth * m + p, m * m) for p in predictions.T),
        labels=classes,
        pos_label=resolve_pos_label(classes, pos_label),
        declared=declared,
        **units,
    )


def assign_units(
    n_rows: int, groups: ArrayLike | None, instances: Array | None, weight: float
) -> tuple[Array, Array, Array]:
    """Return the unit of each row, and the Gamma shape and the number of instances of each unit.

    The unit is a group or an instance. Its shape is r times `weight` for an instance, or a group of
    instances, that occur r times.
    """
    rows = np.arange(n_rows) if instances is None else instances
    labels = rows if groups is None else check_label_vector(groups, "groups", classes=False)
    check_same_length(groups=labels, y_true=rows)
    unit = np.ravel(np.unique(labels, return_inverse=True)[1])
    _, first = np.unique(rows, return_index=True)
    sizes = np.bincount(unit[first]).astype(float)
    shape: Array = weight * np.bincount(unit) / sizes
    if shape.min() < SMALLEST_SHAPE:
        raise ValueError(
            f"weight == {weight} is too small for groups, multi-label indicators and instance "
            f"scores, whose models have no prior: must be >= {SMALLEST_SHAPE}, or >= "
            f"{SMALLEST_SHAPE} / r if every instance is counted r times."
        )
    return unit, shape, sizes


def _units(
    n_rows: int,
    groups: ArrayLike | None,
    instances: Array | None,
    weight: float,
    sample_weight: Array | None = None,
) -> tuple[Any, dict[str, Any]]:
    """Return the matrix that sums rows into units, and what `UnitCounts` keep of units."""
    weight = check_weight(weight)
    unit, shape, sizes = assign_units(n_rows, groups, instances, weight)
    share = (sizes / np.bincount(unit))[unit]
    if sample_weight is not None:
        share = share * sample_weight
        sizes = np.bincount(unit, share)
    to_unit = sparse.csr_matrix((share, (unit, np.arange(n_rows))), (len(shape), n_rows))
    unit = unit.astype(np.min_scalar_type(len(shape)))
    grouped = groups is not None
    units = {"shape": shape, "sizes": sizes, "weight": weight, "grouped": grouped, "unit": unit}
    return to_unit, units | {"sample_weight": sample_weight}


def check_sample_weight(sample_weight: Any, n_rows: int) -> Array | None:
    """Return weights whose mean is 1; None if there are none, or if all are equal."""
    if sample_weight is None:
        return None
    weights = as_numbers(sample_weight, "sample_weight")
    if weights.ndim != 1:
        raise ValueError(f"Sample weights must be 1D array, got {weights.ndim}D array.")
    check_same_length(y_true=range(n_rows), sample_weight=weights)
    if not np.isfinite(weights).all():
        what = "NaN" if np.isnan(weights).any() else "infinity"
        raise ValueError(f"Input sample_weight contains {what}.")
    if (weights < 0).any():
        raise ValueError("Negative values in data passed to `sample_weight`.")
    if not weights.any():
        raise ValueError("Sample weights must contain at least one non-zero number.")
    return None if np.ptp(weights) == 0 else weights / weights.mean()
