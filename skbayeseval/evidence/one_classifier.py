"""Counts of one classifier: its confusion table, or totals of each class.

Label order is the user's. Tables keep the order of `labels`; the index of the positive class goes
to the metric. So a cost matrix written in label order means what it says.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from skbayeseval._arrays import Array, as_numbers
from skbayeseval._labels import check_distinct, check_labels, encode_labels, resolve_pos_label
from skbayeseval._validation import check_weight


class Margin:
    """What is known of one classifier: its size and, where there are classes, totals of each.

    Attributes
    ----------
    total : float
        The size, such as the number of counts.
    labels, pos_label, weight, declared
        As in `ConfusionCounts`.
    hits, true, predicted : ndarray of shape (n_classes,)
        The number of instances of each class that are correctly predicted, that there are, and that
        are predicted.
    cells : tuple of three ndarrays, or None
        True class, predicted class and count of all cells of the table that are not 0; None if
        there may be several labels per instance, and so no table.
    has_true_negatives : bool
        Whether true negatives are counted.
    positive : int or None
        The index of the positive class; None if there is none.
    possible : ndarray of shape (n_classes,)
        Whether each label can be the true class.
    averaged : ndarray of shape (n_classes,)
        Whether each label is part of macro averages, as in scikit-learn.
    """

    def __init__(
        self,
        total: float,
        labels: tuple[Any, ...] = (),
        pos_label: Any = None,
        weight: float = 1.0,
        declared: bool = True,
        *,
        hits: Any = (),
        true: Any = (),
        predicted: Any = (),
        cells: tuple[Array, Array, Array] | None = None,
        has_true_negatives: bool = False,
    ) -> None:
        self.total, self.labels, self.pos_label = total, labels, pos_label
        self.weight, self.declared = weight, declared
        self.hits, self.true, self.predicted = map(np.asarray, (hits, true, predicted))
        self.cells: Any = cells
        self.has_table = cells is not None
        self.has_true_negatives = has_true_negatives
        self.positive = None if pos_label is None else labels.index(pos_label)
        self.possible = (self.true > 0) | declared | np.isnan(self.true)
        self.averaged = self.possible | (self.predicted > 0)

    @cached_property
    def table(self) -> Array:
        """The counts of all cells, by true and by predicted class.

        A table of 20,000 classes takes 3 GB, and nearly all of it is 0: it is built on demand.
        """
        truth, predicted, counts = self.cells
        table = np.zeros((len(self.labels), len(self.labels)))
        table[truth, predicted] = counts
        return frozen(table)

    @property
    def effective(self) -> Array:
        """The counts times their weight."""
        return self.table * self.weight


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


@dataclass(eq=False)
class ConfusionCounts(ByContent, Margin):
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

    table: Array = field()
    labels: tuple[Any, ...]
    weight: float = 1.0
    pos_label: Any = None
    declared: bool = True

    def __post_init__(self) -> None:
        table, labels = frozen(np.array(self.table, dtype=float)), tuple(self.labels)
        check_counts(table[~np.isnan(table)], "table")
        check_distinct(labels)
        if table.shape != (len(labels), len(labels)):
            raise ValueError(
                f"labels has {len(labels)} classes, but table has shape {table.shape}."
            )
        self.table, pos_label = table, resolve_pos_label(labels, self.pos_label)
        cells = cells_of(table)
        self._count(cells, labels, check_weight(self.weight), pos_label, self.declared)
        unknown, positive = np.argwhere(np.isnan(table)).tolist(), self.positive
        if unknown and (len(labels) != 2 or positive is None or unknown != [[1 - positive] * 2]):
            raise ValueError("Only the true negatives of two classes may be NaN in table.")

    def _count(
        self,
        cells: tuple[Array, Array, Array],
        labels: tuple[Any, ...],
        weight: float,
        pos_label: Any,
        declared: bool,
    ) -> None:
        """Keep the totals of cells, and values that were checked."""
        (truth, predicted, counts), n = cells, len(labels)
        right = truth == predicted
        super().__init__(
            float(np.nansum(counts)),
            labels,
            pos_label,
            weight,
            declared,
            hits=frozen(np.bincount(truth[right], counts[right], n)),
            true=frozen(np.bincount(truth, counts, n)),
            predicted=frozen(np.bincount(predicted, counts, n)),
            cells=cells,
            has_true_negatives=not np.isnan(counts).any(),
        )

    @classmethod
    def of_cells(cls, cells: tuple[Array, Array, Array], *checked: Any) -> ConfusionCounts:
        """Return the counts of cells, and of the other values, which were checked before."""
        counts = cls.__new__(cls)
        counts._count(cells, *checked)
        return counts

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

    def with_weight(self, weight: float) -> ConfusionCounts:
        """Return the same counts with another weight."""
        others = check_weight(weight), self.pos_label, self.declared
        return ConfusionCounts.of_cells(self.cells, self.labels, *others)


def cells_of(table: Array) -> tuple[Array, Array, Array]:
    """Return true class, predicted class and count of all cells that are not 0."""
    truth, predicted = np.nonzero(table)
    return truth, predicted, table[truth, predicted]


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
