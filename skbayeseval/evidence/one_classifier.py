"""Counts of one classifier: its confusion table, only the cells that are not 0, or totals.

Label order is the user's. Tables keep the order of `labels`; the index of the positive class goes
to the metric. So a cost matrix written in label order means what it says.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from skbayeseval._arrays import Array, as_numbers
from skbayeseval._labels import check_distinct, check_labels, encode_labels, resolve_pos_label
from skbayeseval._validation import check_weight


class _Labelled:
    """What the counts of one classifier say about its labels."""

    labels: tuple[Any, ...]
    pos_label: Any
    declared: bool
    true: Any
    predicted: Any

    @property
    def positive(self) -> int | None:
        """The index of the positive class; None if there is none."""
        return None if self.pos_label is None else self.labels.index(self.pos_label)

    @property
    def possible(self) -> Array:
        """Whether each label can be the true class."""
        return (np.asarray(self.true) > 0) | self.declared | np.isnan(self.true)

    @property
    def averaged(self) -> Array:
        """Whether each label is part of macro averages, as in scikit-learn."""
        return self.possible | (self.predicted > 0)


@dataclass(frozen=True, eq=False)
class Margin(_Labelled):
    """The size of the evidence of one classifier, with the attributes of `ConfusionCounts`.

    Evidence without counts of classes has a size, and some of it labels.
    """

    total: float
    labels: tuple[Any, ...] = ()
    pos_label: Any = None
    weight: float = 1.0
    hits: Any = ()
    true: Any = ()
    predicted: Any = ()
    table: Array | None = None
    has_true_negatives: bool = False
    declared: bool = True

    @property
    def has_table(self) -> bool:
        """Whether there is one label per instance, so that there is a table."""
        return self.table is not None


class ByContent:
    """Counts that are equal if all that is saved of them is."""

    total: Any
    weight: Any

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ByContent):
            return NotImplemented
        mine, theirs = self._content(), other._content()
        return mine.keys() == theirs.keys() and all(
            np.array_equal(mine[name], theirs[name], equal_nan=name == "table") for name in mine
        )

    def __hash__(self) -> int:
        return hash((self.total, self.weight))

    def _content(self) -> dict[str, Any]:
        names = {field.name for field in fields(self)}  # type: ignore[arg-type]
        return {
            name: getattr(self, name) for name in names.difference(getattr(self, "unsaved", ()))
        }


@dataclass(frozen=True, eq=False)
class ConfusionCounts(ByContent, _Labelled):
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
    >>> counts.total
    3.0
    """

    table: Array
    labels: tuple[Any, ...]
    weight: float = 1.0
    pos_label: Any = None
    declared: bool = True

    def __post_init__(self) -> None:
        table = frozen(np.array(self.table, dtype=float))
        check_counts(table[~np.isnan(table)], "table")
        labels = tuple(self.labels)
        check_distinct(labels)
        if table.shape != (len(labels), len(labels)):
            raise ValueError(
                f"labels has {len(labels)} classes, but table has shape {table.shape}."
            )
        object.__setattr__(self, "table", table)
        object.__setattr__(self, "labels", labels)
        object.__setattr__(self, "weight", check_weight(self.weight))
        object.__setattr__(self, "pos_label", resolve_pos_label(labels, self.pos_label))
        unknown, positive = np.argwhere(np.isnan(table)).tolist(), self.positive
        if unknown and (len(labels) != 2 or positive is None or unknown != [[1 - positive] * 2]):
            raise ValueError("Only the true negatives of two classes may be NaN in table.")

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
        m = len(classes)
        table = np.bincount(truth * m + predicted, minlength=m * m).reshape(m, m)
        return cls(table, classes, weight, pos_label, declared=labels is not None)

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

    @cached_property
    def hits(self) -> Array:
        """The number of correctly predicted instances of each class."""
        truth, predicted, counts = self._cells
        right = truth == predicted
        return frozen(np.bincount(truth[right], counts[right], len(self.labels)))

    @cached_property
    def true(self) -> Array:
        """The number of instances of each class."""
        return frozen(np.bincount(self._cells[0], self._cells[2], len(self.labels)))

    @cached_property
    def predicted(self) -> Array:
        """The number of instances predicted as each class."""
        return frozen(np.bincount(self._cells[1], self._cells[2], len(self.labels)))

    @property
    def effective(self) -> Array:
        """The counts times their weight."""
        return self.table * self.weight

    # Whether there is one label per instance, so that there is a table.
    has_table = True

    def cells(self) -> tuple[Array, Array, Array]:
        """Return true class, predicted class and count of all cells that are not 0."""
        return self._cells

    @cached_property
    def _cells(self) -> tuple[Array, Array, Array]:
        truth, predicted = np.nonzero(self.table)
        return truth, predicted, self.table[truth, predicted]

    @property
    def total(self) -> float:
        """The number of counts."""
        return float(np.nansum(self._cells[2]))

    @property
    def has_true_negatives(self) -> bool:
        """Whether true negatives are counted."""
        return not bool(np.isnan(self._cells[2]).any())

    def with_weight(self, weight: float) -> ConfusionCounts:
        """Return the same counts with another weight."""
        return replace(self, weight=weight)


class SparseCounts(ConfusionCounts):
    """Counts of one classifier, whose table is only built on demand.

    A table of 20,000 classes takes 3 GB, and nearly all of it is 0.
    """

    saved_as = "ConfusionCounts"

    def __init__(
        self,
        cells: tuple[Array, Array, Array],
        labels: tuple[Any, ...],
        weight: float,
        pos_label: Any,
        declared: bool,
    ) -> None:
        """Take cells, and values that were checked before."""
        self.__dict__.update(
            _cells=cells, labels=labels, weight=weight, pos_label=pos_label, declared=declared
        )

    def with_weight(self, weight: float) -> SparseCounts:
        """Return the same counts with another weight."""
        weight = check_weight(weight)
        return SparseCounts(self._cells, self.labels, weight, self.pos_label, self.declared)

    @cached_property
    def table(self) -> Array:
        """The counts of all cells."""
        truth, predicted, counts = self._cells
        table = np.zeros((len(self.labels), len(self.labels)))
        table[truth, predicted] = counts
        return frozen(table)


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


def frozen(array: Array) -> Array:
    """Return the array, which can no longer be changed."""
    array.flags.writeable = False
    return array
