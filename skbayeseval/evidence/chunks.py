"""Counts of the chunks that two taggers found in the same sentences."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skbayeseval._validation import check_weight
from skbayeseval.evidence.base import (
    Correctness,
    Evidence,
)
from skbayeseval.evidence.confusion import ConfusionCounts, check_counts

Array = NDArray[Any]

# Gold chunks by the taggers that found them, then false alarms by the taggers that predicted them.
CELLS = ("both", "only_a", "only_b", "neither", "false_both", "false_a", "false_b")

# The same cells as (gold, predicted by A, predicted by B), and their order with A and B swapped.
OUTCOMES = [(gold, a, b) for gold in (True, False) for a in (True, False) for b in (True, False)][
    :-1
]
_SWAPPED = [0, 2, 1, 3, 4, 6, 5]


def tables_of_tagger(cells: Array, tagger: int) -> Array:
    """Return (0, fp, fn, tp) of one tagger, of shape (..., 4), given cells of shape (..., 7)."""
    tables = np.zeros((*cells.shape[:-1], 4))
    for column, outcome in enumerate(OUTCOMES):
        tables[..., 2 * outcome[0] + outcome[1 + tagger]] += cells[..., column]
    return tables


@dataclass(frozen=True, eq=False)
class ChunkCounts(Evidence):
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
    kind = "chunks"
    family = "chunks"
    has_independent_counts = True
    unsaved = ("sentences", "types")

    def __post_init__(self) -> None:
        cells = check_counts(self.cells, "cells").copy()
        if cells.shape != (len(CELLS),):
            raise ValueError(
                f"cells must contain {len(CELLS)} counts, {CELLS}, got {self.cells!r}."
            )
        cells.flags.writeable = False
        object.__setattr__(self, "cells", cells)
        object.__setattr__(self, "weight", check_weight(self.weight))

    @classmethod
    def of_sentences(
        cls, sentences: Array, weight: float = 1.0, types: Mapping[str, Array] | None = None
    ) -> ChunkCounts:
        """Count the chunks of all sentences, given the cells of each, and keep these."""
        smallest = np.min_scalar_type(int(sentences.max(initial=0)))
        return cls(sentences.sum(axis=0), weight, sentences.astype(smallest), types or {})

    @property
    def by_type(self) -> dict[str, Evidence]:
        """The counts of each type of chunk; empty if types are not kept."""
        return {kind: ChunkCounts(cells, self.weight) for kind, cells in self.types.items()}

    @property
    def n_rows(self) -> int | None:
        """The number of sentences; None if they are not kept."""
        return None if self.sentences is None else len(self.sentences)

    def of_rows(self, rows: Array) -> ChunkCounts:
        """Return the counts of some of the sentences, given by their positions."""
        if self.sentences is None:
            return super().of_rows(rows)
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
        if (i, j) == (0, 1):
            return self
        sentences = None if self.sentences is None else self.sentences[:, _SWAPPED]
        types = {kind: cells[_SWAPPED] for kind, cells in self.types.items()}
        return ChunkCounts(self.cells[_SWAPPED], self.weight, sentences, types)

    def what_is_identical(self, metric: str) -> str | None:
        """Return "chunks" if both taggers found the same chunks."""
        _, only_a, only_b, _, _, false_a, false_b = self.cells
        return None if only_a or only_b or false_a or false_b else "chunks"

    def correctness(self) -> Correctness:
        """Return which gold chunks each tagger found."""
        right = np.array([[1.0, 1.0, 0.0, 0.0], [1.0, 0.0, 1.0, 0.0]])
        return Correctness("recall", np.repeat(right, self.cells[:4].astype(int), axis=1))

    def __add__(self, other: ChunkCounts) -> ChunkCounts:
        if not isinstance(other, ChunkCounts):
            return NotImplemented
        if self.weight != other.weight:
            raise ValueError(
                f"Counts with different weight cannot be added: {self.weight} and {other.weight}."
            )
        return ChunkCounts(self.cells + other.cells, self.weight)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ChunkCounts):
            return NotImplemented
        return self.weight == other.weight and np.array_equal(self.cells, other.cells)

    def __hash__(self) -> int:
        return hash((self.cells.tobytes(), self.weight))
