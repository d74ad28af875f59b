"""`chunk_counter`: from tags of sentences to counts of chunks."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from skbayeseval._parameters import ParameterObject
from skbayeseval.evidence.chunks import CELLS, OUTCOMES, ChunkCounts
from skbayeseval.evidence.counts import ConfusionCounts
from skbayeseval.sequences.frequencies import check_types, chunk_frequencies
from skbayeseval.sequences.tags import (
    Chunk,
    check_scheme,
    check_sentences,
    convert_tags,
    tags_to_chunks,
)

__all__ = ["ChunkCounter", "chunk_counter"]

Array = NDArray[Any]


class ChunkCounter(ParameterObject):
    """From tags to counts of chunks; made by `chunk_counter`.

    Parameters
    ----------
    scheme_a : {"IOB1", "IOB2", "IOBES", "BMES"}
        The scheme of the true tags and of A's predictions.
    scheme_b : {"IOB1", "IOB2", "IOBES", "BMES"}, default=None
        The scheme of B's predictions; None is that of A.
    types : str or list of str, default=None
        Which types of chunks count; None is all.

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
        """Count what two taggers found.

        Parameters
        ----------
        y_true, y_pred_a : sequence of sequences of str
            True tags and A's, in `scheme_a`.
        y_pred_b : sequence of sequences of str
            B's tags, in `scheme_b`.
        weight : float, default=1.0
            What one count is worth.

        Returns
        -------
        counts : ChunkCounts
        """
        by_type = self._cells(y_true, y_pred_a, y_pred_b)
        return ChunkCounts(sum(by_type.values(), np.zeros(len(CELLS))), weight)

    def by_type(
        self, y_true: Any, y_pred_a: Any, y_pred_b: Any, *, weight: float = 1.0
    ) -> dict[str, ChunkCounts]:
        """Count for each type of chunk what two taggers found of it.

        Parameters
        ----------
        y_true, y_pred_a, y_pred_b, weight
            As in the call.

        Returns
        -------
        counts : dict of str to ChunkCounts
            The types that occur, in alphabetical order; they sum to the counts of the call.
        """
        by_type = self._cells(y_true, y_pred_a, y_pred_b)
        return {kind: ChunkCounts(by_type[kind], weight) for kind in sorted(by_type)}

    def count_one(self, y_true: Any, y_pred: Any, classifier: int = 0) -> ConfusionCounts:
        """Count what one tagger found: (tp, fp, fn).

        Parameters
        ----------
        y_true : sequence of sequences of str
            True tags, in `scheme_a`.
        y_pred : sequence of sequences of str
            The tagger's.
        classifier : {0, 1}, default=0
            Whether the tagger is A or B, and so writes `scheme_a` or `scheme_b`.

        Returns
        -------
        counts : ConfusionCounts
        """
        scheme = self._schemes()[classifier]
        gold, found = self._sets(y_true, ("y_pred", y_pred, scheme))
        tp = sum(len(true & said) for true, said in zip(gold, found, strict=True))
        return ConfusionCounts.from_cells(
            tp, sum(map(len, found)) - tp, sum(map(len, gold)) - tp, name="y_pred"
        )

    def perfect(self, y_true: Any) -> tuple[Any, list[list[str]]]:
        """Return the true tags as A and as B would write them."""
        return y_true, convert_tags(y_true, *self._schemes(), name="y_true")

    def frequencies(self, X: Any, y: Any) -> pd.DataFrame:
        """Return how many chunks of each type a sentence has: balances the blocks of a splitter.

        Parameters
        ----------
        X : object
            Ignored, there for the splitter's sake.
        y : sequence of sequences of str
            True tags, in `scheme_a`.

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

    def _cells(self, y_true: Any, y_pred_a: Any, y_pred_b: Any) -> dict[str, Array]:
        """Return the seven cells of each type."""
        first, second = self._schemes()
        sets = self._sets(y_true, ("y_pred_a", y_pred_a, first), ("y_pred_b", y_pred_b, second))
        cells: dict[str, Array] = defaultdict(lambda: np.zeros(len(CELLS)))
        for true, a, b in zip(*sets, strict=True):
            for chunk in true | a | b:
                cells[chunk.type][OUTCOMES.index((chunk in true, chunk in a, chunk in b))] += 1
        return cells

    def _sets(self, y_true: Any, *predictions: tuple[str, Any, str]) -> list[list[set[Chunk]]]:
        """Return a set of chunks a sentence: of the truth, and of (name, tags, scheme) of each."""
        wanted = check_types(self.types)
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
    """Return what turns tags into counts of chunks, for ``counter=``.

    Precision, recall and F1 of chunks then stand on the chunks that both taggers found, only one
    or neither, and on shared and separate false alarms.

    Parameters
    ----------
    scheme_a : {"IOB1", "IOB2", "IOBES", "BMES"}
        The scheme of the true tags and of A's predictions.
    scheme_b : {"IOB1", "IOB2", "IOBES", "BMES"}, default=None
        The scheme of B's predictions; None is that of A. Chunks are compared, not tags.
    types : str or list of str, default=None
        Which types of chunks count, such as "ORG"; None is all.

    Returns
    -------
    counter : ChunkCounter
        Called with true tags, A's and B's, it gives `ChunkCounts`.

    See Also
    --------
    ConvertTags : An estimator that learns the tags of another scheme.

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
    check_types(types)
    return counter


def _check_lengths(truth: list[Any], predicted: list[Any], name: str) -> None:
    if len(truth) != len(predicted):
        raise ValueError(
            "Found input variables with inconsistent numbers of samples: y_true has "
            f"{len(truth)} sentences, {name} has {len(predicted)}."
        )
    for i, (true, given) in enumerate(zip(truth, predicted, strict=True)):
        if len(true) != len(given):
            raise ValueError(
                f"Every token needs a tag: y_true[{i}] has {len(true)} tags, but {name}[{i}] has "
                f"{len(given)}."
            )
