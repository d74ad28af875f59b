"""Counts of the chunks that two taggers found in the same sentences."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import product
from typing import Any

import numpy as np
import pandas as pd

from skbayeseval._arrays import Array, wrong
from skbayeseval._validation import ParameterObject, check_weight
from skbayeseval.evidence.counts import ByContent, ConfusionCounts, check_counts, frozen
from skbayeseval.evidence.interface import Evidence
from skbayeseval.sequences import (
    Chunk,
    check_chunk_types,
    check_scheme,
    check_sentences,
    chunk_frequencies,
    convert_tags,
    tags_to_chunks,
)

# Gold chunks by the taggers that found them, then false alarms by the taggers that predicted them.
CELLS = ("both", "only_a", "only_b", "neither", "false_both", "false_a", "false_b")


# The same cells as (gold, predicted by A, predicted by B), and their order with A and B swapped.
OUTCOMES = list(product((True, False), repeat=3))[:-1]
_SWAPPED = [0, 2, 1, 3, 4, 6, 5]


def tables_of_tagger(cells: Array, tagger: int) -> Array:
    """Return (0, fp, fn, tp) of one tagger, of shape (..., 4), given cells of shape (..., 7)."""
    tables = np.zeros((*cells.shape[:-1], 4))
    for column, outcome in enumerate(OUTCOMES):
        tables[..., 2 * outcome[0] + outcome[1 + tagger]] += cells[..., column]
    return tables


@dataclass(frozen=True, eq=False)
class ChunkCounts(ByContent, Evidence):
    """Counts of the chunks that two taggers found in the same sentences, without true negatives.

    A tagger finds a gold chunk if it predicts a chunk of the same tokens and type. A predicted
    chunk that is not a gold chunk is a false alarm. It is shared if both taggers predict it.

    Parameters
    ----------
    cells : ndarray of shape (7,)
        Gold chunks found by both taggers, only A, only B and neither, then false alarms of both
        taggers, only A and only B.
    weight : float, default=1.0
        The weight of one count.
    sentences : ndarray of shape (n_sentences, 7), default=None
        The cells of each sentence; None if sentences are not kept.
    types : mapping of str to ndarray of shape (7,), default={}
        The cells of each type of chunk; empty if types are not kept.

    Examples
    --------
    >>> from skbayeseval.evidence import ChunkCounts
    >>> counts = ChunkCounts([80, 8, 3, 9, 4, 6, 10])
    >>> counts.margin(0).table  # rows are true classes: (tn, fp), (fn, tp)
    array([[nan, 10.],
           [12., 88.]])
    """

    cells: Array
    weight: float = 1.0
    sentences: Array | None = None
    types: Mapping[str, Array] = field(default_factory=dict)

    labels = (0, 1)
    pos_label = 1
    n_classifiers = 2
    noun = "chunks"
    identical_in = "chunks"
    family = "chunks"
    unsaved = ("sentences", "types")

    def __post_init__(self) -> None:
        cells = check_counts(self.cells, "cells").copy()
        if cells.shape != (len(CELLS),):
            raise wrong("cells", f"{len(CELLS)} counts, {CELLS}", self.cells)
        object.__setattr__(self, "cells", frozen(cells))
        object.__setattr__(self, "weight", check_weight(self.weight))

    @classmethod
    def of_sentences(
        cls, sentences: Array, weight: float = 1.0, types: Mapping[str, Array] | None = None
    ) -> ChunkCounts:
        """Count the chunks of all sentences, given the cells of each, and keep these.

        `types` has the cells of each sentence for each type of chunk.
        """
        smallest = np.min_scalar_type(int(sentences.max(initial=0)))
        totals = {kind: of_type.sum(axis=0) for kind, of_type in (types or {}).items()}
        return cls(sentences.sum(axis=0), weight, sentences.astype(smallest), totals)

    @property
    def by_type(self) -> dict[str, Evidence]:
        """The counts of each type of chunk; empty if types are not kept."""
        return {kind: ChunkCounts(cells, self.weight) for kind, cells in self.types.items()}

    @property
    def n_rows(self) -> int | None:
        """The number of sentences; None if they are not kept."""
        return None if self.sentences is None else len(self.sentences)

    def row_losses(self) -> Array | None:
        """Return the number of errors of each tagger per sentence; None if these are not kept."""
        if self.sentences is None:
            return None
        errors = [tables_of_tagger(self.sentences, k)[:, [1, 2]] for k in (0, 1)]
        return np.stack([of_one.sum(axis=1) for of_one in errors])

    def of_rows(self, rows: Array) -> ChunkCounts:
        """Return the counts of some of the sentences, given by their positions."""
        assert self.sentences is not None
        return ChunkCounts.of_sentences(self.sentences[rows], self.weight)

    @property
    def effective(self) -> Array:
        """The counts times their weight."""
        return self.cells * self.weight

    @property
    def total(self) -> float:
        """The number of distinct chunks, gold or predicted."""
        return float(self.cells.sum())

    def margin(self, classifier: int) -> ConfusionCounts:
        """Return the counts (tp, fp, fn) of one tagger."""
        _, fp, fn, tp = tables_of_tagger(self.cells, classifier)
        return ConfusionCounts.from_cells(tp, fp, fn, weight=self.weight)

    def pair(self, i: int, j: int) -> ChunkCounts:
        """Return the counts with the taggers in the order i, j."""
        order = _SWAPPED if i > j else slice(None)
        sentences = None if self.sentences is None else self.sentences[:, order]
        types = {kind: cells[order] for kind, cells in self.types.items()}
        return ChunkCounts(self.cells[order], self.weight, sentences, types)

    def are_copies(self, i: int, j: int, metric: str) -> bool:
        """Return whether both taggers found the same chunks."""
        return i == j or not self.cells[[1, 2, 5, 6]].any()

    def correctness(self) -> tuple[str, Array]:
        """Return which gold chunks each tagger found."""
        right = np.array([[1.0, 1.0, 0.0, 0.0], [1.0, 0.0, 1.0, 0.0]])
        return "recall", np.repeat(right, self.cells[:4].astype(int), axis=1)


class ChunkCounter(ParameterObject):
    """Count chunks in tagged sentences; created by `chunk_counter`.

    Parameters
    ----------
    scheme_a : {"IOB1", "IOB2", "IOBES", "BMES"}
        The scheme of the true tags and of A's predictions.
    scheme_b : {"IOB1", "IOB2", "IOBES", "BMES"}, default=None
        The scheme of B's predictions. None means `scheme_a`.
    types : str or list of str, default=None
        The types of chunks to count. None means all types.

    Examples
    --------
    >>> from skbayeseval import chunk_counter
    >>> counter = chunk_counter("IOB2", types="ORG")
    >>> counter
    ChunkCounter(scheme_a='IOB2', types='ORG')
    >>> counter.count_one([["B-ORG", "O", "B-PER"]], [["B-ORG", "B-ORG", "O"]]).table
    array([[nan,  1.],
           [ 0.,  1.]])
    """

    def __init__(
        self,
        scheme_a: str,
        scheme_b: str | None = None,
        types: str | Iterable[str] | None = None,
    ) -> None:
        self.scheme_a = scheme_a
        self.scheme_b = scheme_b
        self.types = types

    def __call__(
        self, y_true: Any, y_pred_a: Any, y_pred_b: Any, *, weight: float = 1.0
    ) -> ChunkCounts:
        """Count the chunks that two taggers found.

        Parameters
        ----------
        y_true, y_pred_a : sequence of sequences of str
            The true tags and the tags predicted by A, in `scheme_a`.
        y_pred_b : sequence of sequences of str
            The tags predicted by B, in `scheme_b`.
        weight : float, default=1.0
            The weight of one count.

        Returns
        -------
        counts : ChunkCounts
        """
        cells, _ = self.cells_and_types(y_true, y_pred_a, y_pred_b)
        return ChunkCounts(cells.sum(axis=0), weight)

    def cells_and_types(
        self, y_true: Any, y_pred_a: Any, y_pred_b: Any
    ) -> tuple[Array, dict[str, Array]]:
        """Return the cells of `ChunkCounts` for each sentence, of all chunks and of each type."""
        first, second = self._schemes()
        sets = self._sets(y_true, ("y_pred_a", y_pred_a, first), ("y_pred_b", y_pred_b, second))
        shape = len(sets[0]), len(CELLS)
        cells = np.zeros(shape)
        types: dict[str, Array] = defaultdict(lambda: np.zeros(shape, dtype=np.uint32))
        for i, (true, a, b) in enumerate(zip(*sets, strict=True)):
            for chunk in true | a | b:
                outcome = OUTCOMES.index((chunk in true, chunk in a, chunk in b))
                cells[i, outcome] += 1
                types[chunk.type][i, outcome] += 1
        return cells, {kind: types[kind] for kind in sorted(types)}

    def count_one(self, y_true: Any, y_pred: Any, classifier: int = 0) -> ConfusionCounts:
        """Count the chunks that one tagger found: (tp, fp, fn).

        Parameters
        ----------
        y_true : sequence of sequences of str
            The true tags, in `scheme_a`.
        y_pred : sequence of sequences of str
            The predicted tags.
        classifier : {0, 1}, default=0
            0 if the predicted tags are in `scheme_a`, 1 if they are in `scheme_b`.

        Returns
        -------
        counts : ConfusionCounts
        """
        scheme = self._schemes()[classifier]
        gold, predicted = self._sets(y_true, ("y_pred", y_pred, scheme))
        tp = sum(len(true & said) for true, said in zip(gold, predicted, strict=True))
        return ConfusionCounts.from_cells(
            tp, sum(map(len, predicted)) - tp, sum(map(len, gold)) - tp, name="y_pred"
        )

    def perfect(self, y_true: Any) -> tuple[Any, list[list[str]]]:
        """Return the true tags in `scheme_a` and in `scheme_b`."""
        return y_true, convert_tags(y_true, *self._schemes(), name="y_true")

    def frequencies(self, X: Any, y: Any) -> pd.DataFrame:
        """Return the number of chunks per sentence and type, to balance the blocks of a splitter.

        Parameters
        ----------
        X : object
            Ignored. Present because splitters pass it.
        y : sequence of sequences of str
            The true tags, in `scheme_a`.

        Returns
        -------
        table : pandas.DataFrame of shape (n_sentences, n_types)

        Examples
        --------
        >>> from skbayeseval import BlockRegularizedCV, chunk_counter
        >>> cv = BlockRegularizedCV(regularize=chunk_counter("IOB2").frequencies)
        """
        return chunk_frequencies(y, self.scheme_a, types=self.types)

    def _schemes(self) -> tuple[str, str]:
        first = check_scheme(self.scheme_a, "scheme_a")
        return first, first if self.scheme_b is None else check_scheme(self.scheme_b, "scheme_b")

    def _sets(self, y_true: Any, *predictions: tuple[str, Any, str]) -> list[list[set[Chunk]]]:
        """Return one set of chunks per sentence, for `y_true` and each (name, tags, scheme)."""
        wanted = check_chunk_types(self.types)
        truth = check_sentences(y_true, "y_true")
        for name, y, _ in predictions:
            _check_lengths(truth, check_sentences(y, name), name)
        return [
            [
                {chunk for chunk in chunks if wanted is None or chunk.type in wanted}
                for chunks in tags_to_chunks(y, scheme, name=name)
            ]
            for name, y, scheme in (("y_true", truth, self._schemes()[0]), *predictions)
        ]


def chunk_counter(
    scheme_a: str, scheme_b: str | None = None, *, types: str | Iterable[str] | None = None
) -> ChunkCounter:
    """Return a callable that counts chunks in tagged sentences, for ``counter=``.

    Precision, recall and F1 of chunks are then compared. All chunks of a sentence are weighted
    together, because a hard sentence is hard in all of them; with ``groups=``, those of a group.

    Parameters
    ----------
    scheme_a : {"IOB1", "IOB2", "IOBES", "BMES"}
        The scheme of the true tags and of A's predictions.
    scheme_b : {"IOB1", "IOB2", "IOBES", "BMES"}, default=None
        The scheme of B's predictions. None means `scheme_a`. Chunks are compared, not tags.
    types : str or list of str, default=None
        The types of chunks to count, such as "ORG". None means all types.

    Returns
    -------
    counter : ChunkCounter
        Returns `ChunkCounts` when called with the true tags, A's tags and B's tags.

    See Also
    --------
    ConvertTags : An estimator that is trained on tags of another scheme.

    Examples
    --------
    >>> from skbayeseval import chunk_counter
    >>> counter = chunk_counter("IOB2", "IOBES")
    >>> y_true = [["B-PER", "I-PER", "O", "B-ORG"]]
    >>> y_pred_a = [["B-PER", "I-PER", "O", "O"]]
    >>> y_pred_b = [["B-PER", "E-PER", "S-ORG", "S-ORG"]]
    >>> counter(y_true, y_pred_a, y_pred_b).cells
    array([1., 0., 1., 0., 0., 0., 1.])
    """
    counter = ChunkCounter(scheme_a, scheme_b, types)
    counter._schemes()
    check_chunk_types(types)
    return counter


def check_counter(counter: Any) -> None:
    """Raise unless the counter was made by `chunk_counter`."""
    if not isinstance(counter, ChunkCounter):
        raise wrong("counter", "made by chunk_counter", counter, TypeError)


def _check_lengths(truth: list[Any], predicted: list[Any], name: str) -> None:
    if len(truth) != len(predicted):
        raise ValueError(
            "Found input variables with inconsistent numbers of samples: y_true has "
            f"{len(truth)} sentences, {name} has {len(predicted)}."
        )
    for i, (true, given) in enumerate(zip(truth, predicted, strict=True)):
        if len(true) != len(given):
            raise ValueError(
                f"Every token must have a tag, but y_true[{i}] has {len(true)} tags and "
                f"{name}[{i}] has {len(given)}."
            )
