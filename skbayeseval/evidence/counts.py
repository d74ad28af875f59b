"""Immutable counts of predictions, the data that most models are given.

`ConfusionCounts` holds the counts of one classifier, `PairedCounts` the joint counts of several
classifiers on the same instances. Both have the labels, the positive class, and the weight of one
count. The weight is below 1 if instances are counted more than once, as in repeated
cross-validation. Use ``+`` to add the counts of parts of the data.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from skbayeseval._arrays import as_numbers
from skbayeseval._labels import check_labels, encode_labels, resolve_pos_label
from skbayeseval._validation import check_weight
from skbayeseval.evidence.base import (
    Correctness,
    Evidence,
    ObservedArray,
    count_in_words,
    tables_or_totals,
)
from skbayeseval.evidence.stored import stored_codes, stored_flag, stored_labels, stored_numbers

__all__ = [
    "ConfusionCounts",
    "Evidence",
    "MarginalCounts",
    "PairedCounts",
    "as_evidence",
    "check_counts",
    "check_paired",
    "margins_of",
]

Array = NDArray[Any]


@dataclass(frozen=True, eq=False)
class ConfusionCounts:
    """Counts of (true class, predicted class) for one classifier.

    Parameters
    ----------
    table : ndarray of shape (n_classes, n_classes)
        Whole numbers; rows are true classes. With two classes, the true negatives may be NaN, which
        means that they are not counted, as in retrieval and chunking.
    labels : tuple
        The classes, in the order of rows and columns.
    weight : float, default=1.0
        The weight of one count.
    pos_label : object, default=None
        The positive class of two classes. By default 1 if it is a label, otherwise there is none.
    declared : bool, default=True
        Whether every label is known to be a class. Otherwise labels are those that occur, and one
        that is never the true class is only a wrong prediction.

    Examples
    --------
    >>> from skbayeseval.evidence import ConfusionCounts
    >>> counts = ConfusionCounts.from_labels(["no", "yes", "yes"], ["no", "no", "yes"])
    >>> counts.table
    array([[1., 0.],
           [1., 1.]])
    >>> (counts + counts).total
    6.0
    """

    table: Array
    labels: tuple[Any, ...]
    weight: float = 1.0
    pos_label: Any = None
    declared: bool = True

    def __post_init__(self) -> None:
        table = _frozen(np.array(self.table, dtype=float))
        check_counts(table[~np.isnan(table)], "table")
        labels = tuple(self.labels)
        if table.shape != (len(labels), len(labels)):
            raise ValueError(
                f"labels has {len(labels)} classes, but table has shape {table.shape}."
            )
        object.__setattr__(self, "table", table)
        object.__setattr__(self, "labels", labels)
        object.__setattr__(self, "weight", check_weight(self.weight))
        object.__setattr__(self, "pos_label", resolve_pos_label(labels, self.pos_label))

    @classmethod
    def from_labels(
        cls,
        y_true: ArrayLike,
        y_pred: ArrayLike,
        *,
        labels: ArrayLike | None = None,
        pos_label: Any = None,
        weight: float = 1.0,
    ) -> ConfusionCounts:
        """Return the counts of two label vectors of any dtype."""
        classes, (truth, predicted) = encode_labels(
            [("y_true", y_true), ("y_pred", y_pred)], labels
        )
        counts = cls.from_codes(truth, predicted, classes, pos_label, weight)
        return replace(counts, declared=labels is not None)

    @classmethod
    def from_codes(
        cls,
        truth: Array,
        predicted: Array,
        classes: tuple[Any, ...],
        pos_label: Any = None,
        weight: float = 1.0,
    ) -> ConfusionCounts:
        """Count labels that are given as positions among the classes."""
        size = len(classes)
        pairs = truth * size + predicted
        table = np.bincount(pairs, minlength=size * size).reshape(size, size)
        return cls(table, classes, weight, pos_label)

    @classmethod
    def from_cells(
        cls,
        tp: float,
        fp: float,
        fn: float,
        tn: float | None = None,
        *,
        weight: float = 1.0,
        name: str = "counts",
    ) -> ConfusionCounts:
        """Return the counts of the four cells, or of three if true negatives are not counted."""
        known = check_counts([tp, fp, fn] if tn is None else [tp, fp, fn, tn], name)
        rest = np.nan if tn is None else known[3]
        return cls(np.array([[rest, known[1]], [known[2], known[0]]]), (0, 1), weight, 1)

    @classmethod
    def from_matrix(
        cls,
        matrix: ArrayLike,
        *,
        labels: ArrayLike | None = None,
        pos_label: Any = None,
        weight: float = 1.0,
        name: str = "matrix",
    ) -> ConfusionCounts:
        """Return the counts of a square confusion matrix, rows being true classes."""
        table = check_counts(matrix, name)
        if table.ndim != 2 or table.shape[0] != table.shape[1] or len(table) < 2:
            raise ValueError(
                f"{name} must be a square matrix with at least two rows, one per true class, "
                f"got shape {table.shape}."
            )
        classes = tuple(range(len(table))) if labels is None else check_labels(labels)
        return cls(table, classes, weight, pos_label)

    @property
    def hits(self) -> Array:
        """The number of correctly predicted instances of each class."""
        return np.diagonal(self.table)

    @property
    def true(self) -> Array:
        """The number of instances of each class."""
        return self.table.sum(axis=1)

    @property
    def predicted(self) -> Array:
        """The number of instances predicted as each class."""
        return self.table.sum(axis=0)

    @property
    def possible(self) -> Array:
        """Whether each label can be the true class."""
        return (self.true > 0) | self.declared | np.isnan(self.true)

    @property
    def averaged(self) -> Array:
        """Whether each label is part of macro averages, as in scikit-learn."""
        return self.possible | (self.predicted > 0)

    @property
    def effective(self) -> Array:
        """The counts times their weight."""
        return self.table * self.weight

    # Whether there is one label per instance, so that there is a table.
    has_table = True

    def cells(self) -> tuple[Array, Array, Array]:
        """Return true class, predicted class and count of all cells that are not 0."""
        truth, predicted = np.nonzero(self.table)
        return truth, predicted, self.table[truth, predicted]

    @property
    def total(self) -> float:
        """The number of counts."""
        return float(np.nansum(self.table))

    @property
    def has_true_negatives(self) -> bool:
        """Whether true negatives are counted."""
        return not bool(np.isnan(self.table).any())

    @property
    def positive(self) -> int | None:
        """The index of the positive class; None if there is none."""
        return None if self.pos_label is None else self.labels.index(self.pos_label)

    def __add__(self, other: ConfusionCounts) -> ConfusionCounts:
        if not isinstance(other, ConfusionCounts):
            return NotImplemented
        _check_addable(self, other)
        table = self.table + other.table
        declared = self.declared or other.declared
        return ConfusionCounts(table, self.labels, self.weight, self.pos_label, declared)

    def with_weight(self, weight: float) -> ConfusionCounts:
        """Return the same counts with another weight."""
        return replace(self, weight=weight)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ConfusionCounts):
            return NotImplemented
        same = _header(self) == _header(other)
        return same and np.array_equal(self.table, other.table, equal_nan=True)

    def __hash__(self) -> int:
        return hash((_header(self), self.table.tobytes()))


class SparseCounts(ConfusionCounts):
    """Counts of one classifier, whose table is only built on demand.

    A table of 20,000 classes takes 3 GB, and nearly all of it is 0.
    """

    @classmethod
    def of_outcomes(
        cls,
        truth: Array,
        predicted: Array,
        counts: Array,
        labels: tuple[Any, ...],
        weight: float,
        pos_label: Any,
        declared: bool,
    ) -> SparseCounts:
        """Sum up counts by true and predicted class; the values were checked before."""
        found = object.__new__(cls)
        size = len(labels)
        distinct, inverse = np.unique(truth * size + predicted, return_inverse=True)
        sums = np.bincount(np.ravel(inverse), counts, len(distinct))
        found.__dict__.update(labels=labels, weight=weight, pos_label=pos_label, declared=declared)
        found.__dict__["_cells"] = (*np.divmod(distinct[sums != 0], size), sums[sums != 0])
        return found

    def with_weight(self, weight: float) -> SparseCounts:
        """Return the same counts with another weight."""
        found = object.__new__(SparseCounts)
        found.__dict__.update(self.__dict__, weight=check_weight(weight))
        return found

    @cached_property
    def table(self) -> Array:
        """The counts of all cells."""
        truth, predicted, counts = self.cells()
        table = np.zeros((len(self.labels), len(self.labels)))
        table[truth, predicted] = counts
        return _frozen(table)

    def cells(self) -> tuple[Array, Array, Array]:
        """Return true class, predicted class and count of all cells that are not 0."""
        found: tuple[Array, Array, Array] = self.__dict__["_cells"]
        return found

    @property
    def hits(self) -> Array:
        """The number of correctly predicted instances of each class."""
        truth, predicted, counts = self.cells()
        right = truth == predicted
        return np.bincount(truth[right], counts[right], len(self.labels))

    @property
    def true(self) -> Array:
        """The number of instances of each class."""
        truth, _, counts = self.cells()
        return np.bincount(truth, counts, len(self.labels))

    @property
    def predicted(self) -> Array:
        """The number of instances predicted as each class."""
        _, predicted, counts = self.cells()
        return np.bincount(predicted, counts, len(self.labels))

    @property
    def total(self) -> float:
        """The number of counts."""
        return float(self.cells()[2].sum())

    @property
    def has_true_negatives(self) -> bool:
        """Whether true negatives are counted."""
        return True


@dataclass(frozen=True, eq=False)
class PairedCounts(Evidence):
    """Joint counts of the true class and the predictions of several classifiers.

    Only outcomes that were observed are stored.

    Parameters
    ----------
    truth : ndarray of shape (n_outcomes,)
        The index of the true class of each distinct outcome.
    predictions : ndarray of shape (n_outcomes, n_classifiers)
        The index of the class that each classifier predicted.
    counts : ndarray of shape (n_outcomes,)
        How often the outcome occurred.
    labels, weight, pos_label, declared
        As in `ConfusionCounts`.

    Examples
    --------
    >>> from skbayeseval.evidence import PairedCounts
    >>> counts = PairedCounts.from_labels([1, 1, 0, 1], {"a": [1, 0, 0, 1], "b": [1, 1, 0, 1]})
    >>> counts.truth, counts.counts
    (array([0, 1, 1]), array([1., 1., 2.]))
    >>> counts.margin(0).table
    array([[1., 0.],
           [1., 2.]])
    """

    truth: Array
    predictions: Array
    counts: Array
    labels: tuple[Any, ...]
    weight: float = 1.0
    pos_label: Any = None
    declared: bool = True

    kind = "paired"
    family = "classes"
    has_independent_instances = True
    has_independent_counts = True

    def __post_init__(self) -> None:
        labels = tuple(self.labels)
        # One row per outcome, sorted, so that draws do not depend on the order of the instances.
        outcomes, inverse = np.unique(
            np.column_stack([self.truth, self.predictions]), axis=0, return_inverse=True
        )
        counts = np.bincount(np.ravel(inverse), weights=self.counts, minlength=len(outcomes))
        object.__setattr__(self, "truth", _frozen(outcomes[:, 0]))
        object.__setattr__(self, "predictions", _frozen(outcomes[:, 1:]))
        object.__setattr__(self, "counts", _frozen(counts.astype(float)))
        object.__setattr__(self, "labels", labels)
        object.__setattr__(self, "weight", check_weight(self.weight))
        object.__setattr__(self, "pos_label", resolve_pos_label(labels, self.pos_label))

    @classmethod
    def from_labels(
        cls,
        y_true: ArrayLike,
        predictions: Mapping[str, ArrayLike],
        *,
        labels: ArrayLike | None = None,
        pos_label: Any = None,
        weight: float = 1.0,
    ) -> PairedCounts:
        """Count label vectors of any dtype; error messages use the keys of `predictions`."""
        classes, (truth, *predicted) = encode_labels(
            [("y_true", y_true), *predictions.items()], labels
        )
        return cls(
            truth,
            np.column_stack(predicted),
            np.ones(len(truth)),
            classes,
            weight,
            pos_label,
            labels is not None,
        )

    @property
    def n_classifiers(self) -> int:  # type: ignore[override]
        """The number of classifiers."""
        return int(self.predictions.shape[1])

    @property
    def total(self) -> float:
        """The number of counts."""
        return float(self.counts.sum())

    @property
    def positive(self) -> int | None:
        """The index of the positive class; None if there is none."""
        return None if self.pos_label is None else self.labels.index(self.pos_label)

    def margin(self, classifier: int) -> ConfusionCounts:
        """Return the confusion counts of one classifier."""
        return SparseCounts.of_outcomes(
            self.truth,
            self.predictions[:, classifier],
            self.counts,
            self.labels,
            self.weight,
            self.pos_label,
            self.declared,
        )

    def pair(self, i: int, j: int) -> PairedCounts:
        """Return the counts of two of the classifiers."""
        return replace(self, predictions=self.predictions[:, [i, j]])

    def with_weight(self, weight: float) -> PairedCounts:
        """Return the same counts with another weight."""
        return replace(self, weight=weight)

    def describe(self) -> str:
        """Return a short description of the counts."""
        return count_in_words(self.margins())

    def saved(self) -> dict[str, Any]:
        """Return the state for `restored`."""
        return {
            "labels": list(self.labels),
            "pos_label": self.pos_label,
            "truth": self.truth,
            "predictions": self.predictions,
            "counts": self.counts,
            "weight": self.weight,
            "declared": self.declared,
        }

    @classmethod
    def restored(cls, saved: Mapping[str, Any]) -> PairedCounts:
        """Return the counts from the output of `saved`."""
        labels, n = stored_labels(saved), len(saved["counts"])
        return cls(
            stored_codes(saved["truth"], "truth", (n,), len(labels)),
            stored_codes(saved["predictions"], "predictions", (n, None), len(labels)),
            check_counts(stored_numbers(saved["counts"], "counts", (n,)), "counts"),
            labels,
            saved["weight"],
            saved["pos_label"],
            stored_flag(saved, "declared"),
        )

    def what_is_identical(self, metric: str) -> str | None:
        """Return "predictions" if all classifiers made the same predictions."""
        same = (self.predictions == self.predictions[:, :1]).all()
        return "predictions" if same else None

    def observed_data(self) -> dict[str, ObservedArray]:
        """Return the confusion tables and, for two binary classifiers, their joint outcomes."""
        found = {}
        if self.n_classifiers == 2 and len(self.labels) == 2:
            cube = self.cube()
            outcomes = (cube if self.positive == 0 else cube[:, ::-1, ::-1]).reshape(2, 4)
            found["outcomes"] = ObservedArray(("true", "outcome"), outcomes)
        return found | tables_or_totals(self.margins())

    def correctness(self) -> Correctness:
        """Return whether each classifier was right, per instance."""
        right = (self.predictions == self.truth[:, None]).T.astype(float)
        return Correctness("accuracy", np.repeat(right, self.counts.astype(int), axis=1))

    def cube(self) -> Array:
        """Return the counts as an array indexed by (truth, prediction, prediction, ...)."""
        cube = np.zeros((len(self.labels),) * (1 + self.n_classifiers))
        cube[(self.truth, *self.predictions.T)] = self.counts
        return cube

    def __add__(self, other: PairedCounts) -> PairedCounts:
        if not isinstance(other, PairedCounts):
            return NotImplemented
        _check_addable(self, other)
        if self.n_classifiers != other.n_classifiers:
            raise ValueError(
                "Counts with different numbers of classifiers cannot be added: "
                f"{self.n_classifiers} and {other.n_classifiers}."
            )
        return replace(
            self,
            truth=np.concatenate([self.truth, other.truth]),
            predictions=np.concatenate([self.predictions, other.predictions]),
            counts=np.concatenate([self.counts, other.counts]),
            declared=self.declared or other.declared,
        )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, PairedCounts):
            return NotImplemented
        return _header(self) == _header(other) and all(
            np.array_equal(getattr(self, name), getattr(other, name))
            for name in ("truth", "predictions", "counts")
        )

    def __hash__(self) -> int:
        return hash((_header(self), self.counts.tobytes(), self.predictions.tobytes()))


@dataclass(frozen=True)
class MarginalCounts(Evidence):
    """Separate counts of several classifiers: a sequence of `ConfusionCounts`.

    Examples
    --------
    >>> from skbayeseval.evidence import ConfusionCounts, MarginalCounts
    >>> counts = ConfusionCounts.from_cells(8, 2, 3, 7)
    >>> MarginalCounts((counts, counts)).n_classifiers
    2
    """

    counts: tuple[ConfusionCounts, ...]

    kind = "marginal"
    family = "classes"
    is_paired = False
    has_independent_instances = True
    has_independent_counts = True

    @property
    def n_classifiers(self) -> int:  # type: ignore[override]
        """The number of classifiers."""
        return len(self.counts)

    def __len__(self) -> int:
        return len(self.counts)

    def __getitem__(self, classifier: int) -> ConfusionCounts:
        return self.counts[classifier]

    def __iter__(self) -> Iterator[ConfusionCounts]:
        return iter(self.counts)

    def __add__(self, other: MarginalCounts) -> MarginalCounts:
        if not isinstance(other, MarginalCounts):
            return NotImplemented
        pairs = zip(self.counts, other.counts, strict=True)
        return MarginalCounts(tuple(mine + theirs for mine, theirs in pairs))

    def margin(self, classifier: int) -> ConfusionCounts:
        """Return the confusion counts of one classifier."""
        return self.counts[classifier]

    def pair(self, i: int, j: int) -> MarginalCounts:
        """Return the counts of two of the classifiers."""
        return MarginalCounts((self.counts[i], self.counts[j]))

    def with_weight(self, weight: float) -> MarginalCounts:
        """Return the same counts with another weight."""
        return MarginalCounts(tuple(counts.with_weight(weight) for counts in self.counts))

    def describe(self) -> str:
        """Return a short description of the counts."""
        return count_in_words(self.counts)

    def saved(self) -> dict[str, Any]:
        """Return the state for `restored`."""
        return {
            "labels": list(self.counts[0].labels),
            "pos_label": self.counts[0].pos_label,
            "tables": np.stack([counts.table for counts in self.counts]),
            "weights": [counts.weight for counts in self.counts],
            "declared": self.counts[0].declared,
        }

    @classmethod
    def restored(cls, saved: Mapping[str, Any]) -> MarginalCounts:
        """Return the counts from the output of `saved`."""
        labels = stored_labels(saved)
        return cls(
            tuple(
                ConfusionCounts(
                    table, labels, weight, saved["pos_label"], stored_flag(saved, "declared")
                )
                for table, weight in zip(saved["tables"], saved["weights"], strict=True)
            )
        )

    def observed_data(self) -> dict[str, ObservedArray]:
        """Return the confusion tables."""
        return tables_or_totals(self.counts)


def as_evidence(given: Evidence | Sequence[ConfusionCounts]) -> Evidence:
    """Return `given` as evidence; confusion counts become `MarginalCounts`."""
    return given if isinstance(given, Evidence) else MarginalCounts(tuple(given))


def margins_of(evidence: Evidence | Sequence[ConfusionCounts]) -> tuple[Any, ...]:
    """Return the evidence of each classifier on its own."""
    return as_evidence(evidence).margins()


def check_paired(evidence: Evidence | Sequence[ConfusionCounts]) -> PairedCounts:
    """Raise unless the predictions of all classifiers are known for each instance."""
    if not isinstance(evidence, PairedCounts):
        raise ValueError(
            "model='paired' requires the predictions of both classifiers for each instance, but "
            "only separate counts were given. Use compare_predictions or model='unpaired'."
        )
    return evidence


def check_counts(values: ArrayLike, name: str) -> Array:
    """Return `values` as a float array; raise unless they are non-negative whole numbers."""
    array = as_numbers(values, name)
    if not np.isfinite(array).all():
        raise ValueError(f"Input {name} contains NaN or infinity. Counts must be finite.")
    if (array < 0).any():
        raise ValueError(f"{name} must not be negative, got {array.min():g}.")
    if (array != np.round(array)).any():
        wrong = array[array != np.round(array)].flat[0]
        raise ValueError(
            f"{name} must contain whole numbers, got {wrong:g}. To weight the counts, pass whole "
            "numbers and weight=."
        )
    return array


def _frozen(array: Array) -> Array:
    array.flags.writeable = False
    return array


def _header(counts: ConfusionCounts | PairedCounts) -> tuple[Any, ...]:
    return counts.labels, counts.weight, counts.pos_label, counts.declared


def _check_addable(a: Any, b: Any) -> None:
    for name in ("labels", "weight", "pos_label"):
        left, right = getattr(a, name), getattr(b, name)
        if left != right:
            raise ValueError(
                f"Counts with different {name} cannot be added: {left!r} and {right!r}."
            )
