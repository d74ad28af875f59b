"""Immutable counts of predictions, the data that most models are given.

`ConfusionCounts` holds the counts of one classifier, `PairedCounts` the joint counts of several
classifiers on the same instances. Both have the labels, the positive class, and the weight of one
count. The weight is below 1 if instances are counted more than once, as in repeated
cross-validation. Use ``+`` to add the counts of parts of the data.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from skbayeseval._labels import resolve_pos_label
from skbayeseval._validation import check_weight
from skbayeseval.evidence.base import (
    Correctness,
    Evidence,
    ObservedArray,
    still_declared,
)
from skbayeseval.evidence.confusion import (
    ByContent,
    ConfusionCounts,
    SparseCounts,
    frozen,
)
from skbayeseval.evidence.label_counter import count_chunks, count_labels

Array = NDArray[Any]


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

    kind = "paired"
    family = "classes"
    has_independent_instances = True
    has_independent_counts = True
    unsaved = ("outcome",)

    def __post_init__(self) -> None:
        labels = tuple(self.labels)
        # One row per outcome, sorted, so that draws do not depend on the order of the instances.
        outcomes, inverse = np.unique(
            np.column_stack([self.truth, self.predictions]), axis=0, return_inverse=True
        )
        counts = np.bincount(np.ravel(inverse), weights=self.counts, minlength=len(outcomes))
        object.__setattr__(self, "truth", frozen(outcomes[:, 0]))
        object.__setattr__(self, "predictions", frozen(outcomes[:, 1:]))
        object.__setattr__(self, "counts", frozen(counts.astype(float)))
        object.__setattr__(self, "labels", labels)
        object.__setattr__(self, "weight", check_weight(self.weight))
        object.__setattr__(self, "pos_label", resolve_pos_label(labels, self.pos_label))
        if self.outcome is not None:
            smallest = np.min_scalar_type(len(outcomes))
            outcome = np.ravel(inverse).astype(smallest).take(self.outcome)
            object.__setattr__(self, "outcome", frozen(outcome))

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
        vectors = [("y_true", y_true), *predictions.items()]
        classes, codes, counts, rows = count_labels(vectors, labels)
        declared = labels is not None
        return cls(codes[:, 0], codes[:, 1:], counts, classes, weight, pos_label, declared, rows)

    @classmethod
    def from_chunks(
        cls,
        chunks: Iterable[tuple[ArrayLike, Mapping[str, ArrayLike]]],
        *,
        labels: ArrayLike | None = None,
        pos_label: Any = None,
        weight: float = 1.0,
    ) -> PairedCounts:
        """Count chunks, each a pair of true labels and predictions by name, one at a time."""
        classes, codes, counts, _ = count_chunks(chunks, labels)
        declared = labels is not None
        return cls(codes[:, 0], codes[:, 1:], counts, classes, weight, pos_label, declared)

    @classmethod
    def from_codes(
        cls,
        truth: Array,
        predictions: Array,
        classes: tuple[Any, ...],
        weight: float = 1.0,
        pos_label: Any = None,
        declared: bool = True,
    ) -> PairedCounts:
        """Count labels that are given as positions among the classes, and keep the rows."""
        rows = np.arange(len(truth))
        ones = np.ones(len(truth))
        return cls(truth, predictions, ones, classes, weight, pos_label, declared, rows)

    @property
    def n_classifiers(self) -> int:
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
        size = len(self.labels)
        codes, inverse = np.unique(
            self.truth * size + self.predictions[:, classifier], return_inverse=True
        )
        sums = np.bincount(np.ravel(inverse), self.counts, len(codes))
        cells = (*np.divmod(codes[sums != 0], size), sums[sums != 0])
        return SparseCounts(cells, self.labels, self.weight, self.pos_label, self.declared)

    def pair(self, i: int, j: int) -> PairedCounts:
        """Return the counts of two of the classifiers."""
        return replace(self, predictions=self.predictions[:, [i, j]])

    @property
    def n_rows(self) -> int | None:
        """The number of rows that are kept; None if none are kept."""
        return None if self.outcome is None else len(self.outcome)

    def given_predictions(self) -> list[Array] | None:
        """Return for each classifier the label of each row; None if rows are not kept."""
        if self.outcome is None:
            return None
        labels = np.empty(len(self.labels), dtype=object)
        labels[:] = self.labels
        return [labels[codes][self.outcome] for codes in self.predictions.T]

    def of_rows(self, rows: Array) -> PairedCounts:
        """Return the counts of some of the rows, given by their positions."""
        if self.outcome is None:
            return super().of_rows(rows)
        seen, outcome, counts = np.unique(
            self.outcome[rows], return_inverse=True, return_counts=True
        )
        return replace(
            self,
            truth=self.truth[seen],
            predictions=self.predictions[seen],
            counts=counts,
            declared=still_declared(self.margin(0)),
            outcome=np.ravel(outcome),
        )

    def what_is_identical(self, metric: str) -> str | None:
        """Return "predictions" if all classifiers made the same predictions."""
        same = (self.predictions == self.predictions[:, :1]).all()
        return "predictions" if same else None

    def observed_data(self) -> dict[str, ObservedArray]:
        """Return the confusion tables and, for two binary classifiers, their joint outcomes."""
        tables = super().observed_data()
        if self.n_classifiers != 2 or len(self.labels) != 2:
            return tables
        cube = self.cube()
        outcomes = (cube if self.positive == 0 else cube[:, ::-1, ::-1]).reshape(2, 4)
        return {"outcomes": ObservedArray(("true", "outcome"), outcomes), **tables}

    def correctness(self) -> Correctness:
        """Return whether each classifier was right, per instance."""
        right = (self.predictions == self.truth[:, None]).T.astype(float)
        return Correctness("accuracy", np.repeat(right, self.counts.astype(int), axis=1))

    def cube(self) -> Array:
        """Return the counts as an array indexed by (truth, prediction, prediction, ...)."""
        cube = np.zeros((len(self.labels),) * (1 + self.n_classifiers))
        cube[(self.truth, *self.predictions.T)] = self.counts
        return cube


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
    of_each = ("counts",)

    def __getitem__(self, classifier: int) -> ConfusionCounts:
        return self.counts[classifier]

    def margin(self, classifier: int) -> ConfusionCounts:
        """Return the confusion counts of one classifier."""
        return self.counts[classifier]

    def with_weight(self, weight: float) -> MarginalCounts:
        """Return the same counts with another weight."""
        return MarginalCounts(tuple(counts.with_weight(weight) for counts in self.counts))


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
