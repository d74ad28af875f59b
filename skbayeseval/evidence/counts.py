"""Counts of predicted classes, the data that most models are given: of one classifier, or several.

Those of one are its confusion table, or totals of each class (`ConfusionCounts`, `Margin`). Those
of several are of the same instances (`PairedCounts`), or of each classifier alone
(`MarginalCounts`). The weight of one count is below 1 if instances are counted more than once, as
in repeated cross-validation.

Label order is the user's. Tables keep the order of `labels`; the index of the positive class goes
to the metric. So a cost matrix written in label order means what it says.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from skbayeseval._arrays import Array, as_numbers, check_same_length
from skbayeseval._labels import (
    check_distinct,
    check_label_vectors,
    check_labels,
    merged_classes,
    resolve_pos_label,
)
from skbayeseval._validation import check_weight
from skbayeseval.evidence.interface import Evidence, ObservedArray, still_declared
from skbayeseval.splitting.out_of_fold import OutOfFold


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
        options: Any = {"labels": labels, "pos_label": pos_label, "weight": weight}
        return PairedCounts.from_labels(y_true, {"y_pred": y_pred}, **options).margin(0)

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


# Whole numbers in a range below this are codes as they are.
WIDEST = 2**17


# Strings with more bytes, 4 per character, are left to pandas.
LONGEST = 80


# Of the hash of a string: odd, with irregular bits.
MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)


def count_outcomes(arrays: Sequence[Array]) -> tuple[list[list[Any]], Array, Array, Array]:
    """Return the labels in each vector, the combinations of them, their counts, and the rows.

    Combinations are rows of positions among the labels of each vector.
    """
    columns, labels = zip(*map(_small_codes, arrays), strict=True)
    bits = [(len(of_one) - 1).bit_length() for of_one in labels]
    if sum(bits) > 62:  # a number per row would not fit in 64 bits
        codes, rows = np.unique(np.column_stack(columns), axis=0, return_inverse=True)
        rows = np.ravel(rows)
        counts = np.bincount(rows)
    else:
        cells = columns[0].astype(np.intp)
        for column, width in zip(columns[1:], bits[1:], strict=True):
            cells <<= width
            cells |= column.astype(np.intp, copy=False)
        if 2 ** sum(bits) <= 4 * max(len(cells), 256):
            of_all = np.bincount(cells, minlength=2 ** sum(bits))
            seen = np.flatnonzero(of_all)
            counts = of_all[seen]
            place = np.zeros(len(of_all), dtype=np.min_scalar_type(len(seen)))
            place[seen] = np.arange(len(seen))
            rows = place.take(cells)
        else:
            seen, rows, counts = np.unique(cells, return_inverse=True, return_counts=True)
        places = np.cumsum([0, *bits[:0:-1]])[::-1]
        codes = (seen[:, None] >> places) & (2 ** np.array(bits) - 1)
    values = []
    for column, of_one in zip(codes.T, labels, strict=True):
        occurring, place = np.unique(column, return_inverse=True)
        values.append([of_one[code] for code in occurring.tolist()])
        column[:] = np.ravel(place)
    return values, codes, counts, rows.astype(np.min_scalar_type(len(codes)), copy=False)


def _small_codes(labels: Array) -> tuple[Array, Sequence[Any]]:
    """Return a number from 0 for each label, and the labels that these numbers stand for."""
    if labels.dtype == bool:
        return labels.view(np.uint8), (False, True)
    if labels.dtype.kind in "iu":
        # A negative number is a large one without its sign.
        largest = int(labels.view(labels.dtype.str.replace("i", "u")).max())
        if largest < WIDEST and largest <= np.iinfo(labels.dtype).max:
            return labels, range(largest + 1)
        low, high = int(labels.min()), int(labels.max())
        if high - low < WIDEST:
            return (labels - labels.dtype.type(low)).astype(np.intp), range(low, high + 1)
    if labels.dtype.kind == "f":  # whole numbers
        codes, values = _small_codes(labels.astype(np.int64))
        return codes, np.array(values, dtype=labels.dtype).tolist()
    if labels.dtype.kind == "U" and labels.dtype.itemsize <= LONGEST:
        return _codes_of_text(labels)
    codes, distinct = pd.factorize(labels)
    return codes, distinct.tolist()


def _codes_of_text(labels: Array) -> tuple[Array, Sequence[Any]]:
    """Return the codes and labels of numpy's strings, which are rows of 32-bit characters.

    pandas makes an object of each. Numbers that are mixed from the characters are four times as
    fast for "yes" and "no", twice for ten characters (``counting-strings`` in benchmarks/bench.py),
    and slower for long strings.
    """
    characters = np.ascontiguousarray(labels).view(np.uint32).reshape(len(labels), -1)
    mixed = np.zeros(len(labels), dtype=np.uint64)
    for character in characters.T:
        mixed *= MULTIPLIER
        mixed += character
    codes, _ = pd.factorize(mixed)
    first = np.zeros(codes.max() + 1, dtype=np.intp)
    first[codes[::-1]] = np.arange(len(labels) - 1, -1, -1)
    distinct = labels[first]
    if (distinct[codes] != labels).any():  # two strings with the same number
        codes, distinct = pd.factorize(labels)
    return codes, distinct.tolist()


# Rows of more instances are counted, but not kept: one byte each, for few outcomes.
MOST_ROWS = 10**7


@dataclass(frozen=True, eq=False)
class PairedCounts(ByContent, Evidence):
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
    outcome : ndarray of shape (n_rows,), default=None
        The position of the outcome of each counted row, such as an instance; None if rows are not
        kept. Two classes take one byte per row.

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
    outcome: Array | None = None

    identical_in = "predictions"
    family = "classes"
    unsaved = ("outcome",)

    def __post_init__(self) -> None:
        labels = tuple(self.labels)
        check_distinct(labels)
        outcomes, counts, position = _in_order(
            np.column_stack([self.truth, self.predictions]).astype(np.intp), np.asarray(self.counts)
        )
        self.__dict__.update(
            truth=frozen(outcomes[:, 0]),
            predictions=frozen(outcomes[:, 1:]),
            counts=frozen(counts.astype(float)),
            labels=labels,
            weight=check_weight(self.weight),
            pos_label=resolve_pos_label(labels, self.pos_label),
            n_classifiers=outcomes.shape[1] - 1,
        )
        if self.outcome is not None:
            smallest = np.min_scalar_type(len(outcomes))
            outcome = position.astype(smallest).take(self.outcome)
            self.__dict__.update(outcome=frozen(outcome), n_rows=len(outcome))

    @classmethod
    def from_labels(
        cls,
        y_true: ArrayLike,
        predictions: Mapping[str, ArrayLike],
        *,
        labels: ArrayLike | None = None,
        pos_label: Any = None,
        weight: float = 1.0,
        counts: ArrayLike | None = None,
        most_rows: float = MOST_ROWS,
    ) -> PairedCounts:
        """Count label vectors of any dtype; error messages use the keys of `predictions`.

        `counts` says how many instances each row stands for; rows are then not kept, nor are they
        if there are more than `most_rows`.
        """
        vectors = [("y_true", y_true), *predictions.items()]
        arrays = check_label_vectors(vectors)
        times = None if counts is None else check_counts(counts, "counts")
        if times is not None:
            if times.ndim != 1:
                raise ValueError(f"counts must be 1D array, got {times.ndim}D array.")
            check_same_length(y_true=arrays[0], counts=times)
            if not times.any():
                raise ValueError("counts must contain a count greater than 0, got only zeros.")
            arrays, times = [array[times > 0] for array in arrays], times[times > 0]
        values, codes, totals, rows = count_outcomes(arrays)
        kept = rows if len(rows) <= most_rows else None
        if times is not None:
            totals, kept = np.bincount(rows, times), None
        classes = merged_classes([name for name, _ in vectors], values, labels)
        position = {label: i for i, label in enumerate(classes)}
        for column, of_one in zip(codes.T, values, strict=True):
            column[:] = np.array([position[value] for value in of_one])[column]
        declared = labels is not None
        return cls(codes[:, 0], codes[:, 1:], totals, classes, weight, pos_label, declared, kept)

    @property
    def total(self) -> float:
        """The number of counts."""
        return float(self.counts.sum())

    def margin(self, classifier: int) -> ConfusionCounts:
        """Return the confusion counts of one classifier."""
        size = len(self.labels)
        codes, inverse = np.unique(
            self.truth * size + self.predictions[:, classifier], return_inverse=True
        )
        sums = np.bincount(np.ravel(inverse), self.counts, len(codes))
        cells = (*np.divmod(codes[sums != 0], size), sums[sums != 0])
        labels, weight = self.labels, self.weight
        return ConfusionCounts.of_cells(cells, labels, weight, self.pos_label, self.declared)

    def pair(self, i: int, j: int) -> PairedCounts:
        """Return the counts of two of the classifiers."""
        return replace(self, predictions=self.predictions[:, [i, j]])

    def given(self, names: Sequence[str]) -> OutOfFold | None:
        """Return the truth and the predictions of each row; None if they are not kept."""
        if self.outcome is None:
            return None
        said = zip(names, self.predictions[self.outcome].T, strict=True)
        return OutOfFold.of_rows(self.truth[self.outcome], dict(said), classes=self.labels)

    def row_losses(self) -> Array | None:
        """Return whether each classifier was wrong, per row; None if rows are not kept."""
        wrong = (self.predictions != self.truth[:, None]).T.astype(float)
        return None if self.outcome is None else wrong[:, self.outcome]

    def of_rows(self, rows: Array) -> PairedCounts:
        """Return the counts of some of the rows, given by their positions."""
        assert self.outcome is not None
        seen, outcome, counts = np.unique(
            self.outcome[rows], return_inverse=True, return_counts=True
        )
        return replace(
            self,
            truth=self.truth[seen],
            predictions=self.predictions[seen],
            counts=counts,
            declared=still_declared(self.margins()[0]),
            outcome=np.ravel(outcome),
        )

    def are_copies(self, i: int, j: int, metric: str) -> bool:
        """Return whether two classifiers made the same predictions."""
        return np.array_equal(self.predictions[:, i], self.predictions[:, j])

    def observed_data(self) -> dict[str, ObservedArray]:
        """Return the confusion tables and, for two binary classifiers, their joint outcomes."""
        tables = super().observed_data()
        if self.n_classifiers != 2 or len(self.labels) != 2:
            return tables
        cube = self.cube()
        outcomes = (cube if self.positive == 0 else cube[:, ::-1, ::-1]).reshape(2, 4)
        return {"outcomes": (("true", "outcome"), outcomes), **tables}

    def correctness(self) -> tuple[str, Array]:
        """Return whether each classifier was right, per instance."""
        right = (self.predictions == self.truth[:, None]).T.astype(float)
        return "accuracy", np.repeat(right, self.counts.astype(int), axis=1)

    def cube(self) -> Array:
        """Return the counts as an array indexed by (truth, prediction, prediction, ...)."""
        cube = np.zeros((len(self.labels),) * (1 + self.n_classifiers))
        cube[(self.truth, *self.predictions.T)] = self.counts
        return cube


def _in_order(outcomes: Array, counts: Array) -> tuple[Array, Array, Array]:
    """Return distinct outcomes in order, their counts, and the position of each given one.

    So draws do not depend on the order of the instances. Outcomes that are in order stay as they
    are, which those of a part, or with another weight, are.
    """
    steps = np.diff(outcomes, axis=0)
    first = (steps != 0).argmax(axis=1)
    if (np.take_along_axis(steps, first[:, None], axis=1) > 0).all():
        return outcomes, counts, np.arange(len(outcomes))
    m, columns = int(outcomes.max()) + 1, outcomes.shape[1]
    if m**columns < WIDEST:  # counted, which is much faster than sorted
        codes = np.ravel_multi_index(tuple(outcomes.T), (m,) * columns)
        seen = np.bincount(codes, minlength=m**columns) > 0
        distinct = np.column_stack(np.unravel_index(np.flatnonzero(seen), (m,) * columns))
        position = (np.cumsum(seen) - 1)[codes]
    else:
        distinct, position = np.unique(outcomes, axis=0, return_inverse=True)
        position = np.ravel(position)
    return distinct, np.bincount(position, weights=counts, minlength=len(distinct)), position


@dataclass(frozen=True)
class MarginalCounts(Evidence):
    """Separate counts of several classifiers: a sequence of `ConfusionCounts`.

    Parameters
    ----------
    counts : tuple of ConfusionCounts
        The counts of each classifier.
    joint : PairedCounts, default=None
        The same counts of a single classifier, if its rows are kept.

    Examples
    --------
    >>> from skbayeseval.evidence import ConfusionCounts, MarginalCounts
    >>> counts = ConfusionCounts.from_cells(8, 2, 3, 7)
    >>> MarginalCounts((counts, counts)).n_classifiers
    2
    """

    counts: tuple[ConfusionCounts, ...]
    joint: PairedCounts | None = field(default=None, repr=False, compare=False)

    family = "classes"
    is_paired = False
    of_each = ("counts",)
    unsaved = ("joint",)

    def __getitem__(self, classifier: int) -> ConfusionCounts:
        return self.counts[classifier]

    def margin(self, classifier: int) -> ConfusionCounts:
        """Return the confusion counts of one classifier."""
        return self.counts[classifier]

    def with_weight(self, weight: float) -> MarginalCounts:
        """Return the same counts with another weight."""
        joint = None if self.joint is None else self.joint.with_weight(weight)
        return MarginalCounts(tuple(counts.with_weight(weight) for counts in self.counts), joint)

    @property
    def n_rows(self) -> int | None:
        """The number of rows that are kept; None if none are kept."""
        return None if self.joint is None else self.joint.n_rows

    def of_rows(self, rows: Array) -> MarginalCounts:
        """Return the counts of some of the rows, given by their positions."""
        assert self.joint is not None
        part = self.joint.of_rows(rows)
        return MarginalCounts(part.margins(), part)

    def given(self, names: Sequence[str]) -> OutOfFold | None:
        """Return the truth and the predictions of each row; None if they are not kept."""
        return None if self.joint is None else self.joint.given(names)

    def row_losses(self) -> Array | None:
        """Return whether the classifier was wrong, per row; None if rows are not kept."""
        return None if self.joint is None else self.joint.row_losses()
