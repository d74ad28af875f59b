"""Counting of label vectors: one pass over blocks that fit the cache, or over given chunks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from skbayeseval._labels import check_label_vectors, merged_classes

Array = NDArray[Any]

# Rows counted at a time: three columns of 64-bit labels take 3 MB, which most caches hold.
BLOCK = 2**17

# Outcomes that may be kept before equal ones are added up.
KEPT = 2**20

# Rows of more instances are counted, but not kept: one byte each, for few outcomes.
MOST_ROWS = 10**7

# Of the hash of a string: odd, with irregular bits.
MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)


class Outcomes(NamedTuple):
    """How often each combination of true and predicted labels occurred.

    Attributes
    ----------
    classes : tuple
        The labels.
    codes : ndarray of shape (n_outcomes, n_vectors)
        The index of the label in each vector.
    counts : ndarray of shape (n_outcomes,)
        How often the combination occurred.
    rows : ndarray of shape (n_rows,) or None
        The position of each row's combination; None if rows are not kept.
    """

    classes: tuple[Any, ...]
    codes: Array
    counts: Array
    rows: Array | None


def count_labels(
    vectors: Sequence[tuple[str, ArrayLike]], labels: ArrayLike | None = None
) -> Outcomes:
    """Count the combinations of labels in named vectors, and keep up to `MOST_ROWS` rows."""
    arrays = check_label_vectors(vectors)
    counter = _Counter([name for name, _ in vectors], keeps_rows=len(arrays[0]) <= MOST_ROWS)
    counter.add(arrays)
    return counter.outcomes(labels)


def count_chunks(
    chunks: Iterable[tuple[ArrayLike, Mapping[str, ArrayLike]]],
    labels: ArrayLike | None = None,
) -> Outcomes:
    """Count chunks, each the true labels and the predictions by name; one is held at a time."""
    return _counted(_named(chunks)).outcomes(labels)


def tally(chunks: Iterable[Sequence[tuple[str, ArrayLike]]]) -> Counter[tuple[Any, ...]]:
    """Return how often each combination of labels occurs in chunks of named vectors."""
    counter = _counted(chunks)
    counter.compress()
    (codes, counts), *_ = counter.parts
    labels = list(counter.numbers)
    return Counter(
        {
            tuple(labels[number] for number in row): int(count)
            for row, count in zip(codes.tolist(), counts, strict=True)
        }
    )


def _named(
    chunks: Iterable[tuple[ArrayLike, Mapping[str, ArrayLike]]],
) -> Iterator[list[tuple[str, ArrayLike]]]:
    for number, chunk in enumerate(chunks):
        try:
            y_true, predictions = chunk
            yield [("y_true", y_true), *predictions.items()]
        except (AttributeError, TypeError, ValueError) as error:
            raise TypeError(
                "Each chunk must be a pair of y_true and a dict of predictions by name, got "
                f"{type(chunk).__name__} as chunk {number}."
            ) from error


def _counted(chunks: Iterable[Sequence[tuple[str, ArrayLike]]]) -> _Counter:
    counter = None
    for number, vectors in enumerate(chunks):
        given = dict(vectors)
        if counter is None:
            counter = _Counter(list(given), keeps_rows=False)
        elif set(given) != set(counter.names):
            raise ValueError(
                f"All chunks must hold the predictions of {counter.names[1:]}, got "
                f"{list(given)[1:]} in chunk {number}."
            )
        counter.add(check_label_vectors([(name, given[name]) for name in counter.names]))
    if counter is None:
        raise ValueError("Found no chunk: chunks is empty.")
    return counter


class _Counter:
    """Counts of labels that are known by number, in the order in which they were met."""

    def __init__(self, names: list[str], *, keeps_rows: bool) -> None:
        self.names = names
        self.keeps_rows = keeps_rows
        # For each part, the position in it of each row's outcome.
        self.rows: list[Array] = []
        self.numbers: dict[Any, int] = {}
        self.met: list[set[int]] = [set() for _ in names]
        self.parts: list[tuple[Array, Array]] = []
        self.kept = 0

    def add(self, arrays: list[Array]) -> None:
        """Count vectors of the same length, which are given in the order of the names."""
        for start in range(0, len(arrays[0]), BLOCK):
            self._add_block([array[start : start + BLOCK] for array in arrays])
            if self.kept > KEPT:
                self.compress()

    def outcomes(self, labels: ArrayLike | None) -> Outcomes:
        """Return the counts, with labels known by their position among the classes."""
        values = list(self.numbers)
        of_each = [[values[number] for number in sorted(met)] for met in self.met]
        classes = merged_classes(self.names, of_each, labels)
        position = {label: i for i, label in enumerate(classes)}
        self.compress()
        (codes, counts), *_ = self.parts
        codes = np.array([position[value] for value in values])[codes]
        return Outcomes(classes, codes, counts, self.rows[0] if self.keeps_rows else None)

    def _add_block(self, block: list[Array]) -> None:
        columns, values = zip(*map(_small_codes, block), strict=True)
        codes, counts, rows = _distinct(
            columns, [len(of_one) for of_one in values], keeps_rows=self.keeps_rows
        )
        if rows is not None:
            self.rows.append(rows)
        for column, of_one, met in zip(codes.T, values, self.met, strict=True):
            number = np.zeros(len(of_one), dtype=np.intp)
            for place in set(column.tolist()):
                number[place] = self.numbers.setdefault(of_one[place], len(self.numbers))
                met.add(int(number[place]))
            column[:] = number[column]
        self.parts.append((codes, counts))
        self.kept += len(counts)

    def compress(self) -> None:
        """Add up equal outcomes, so that there is one part."""
        codes = np.concatenate([codes for codes, _ in self.parts])
        counts = np.concatenate([counts for _, counts in self.parts])
        found, summed, position = _distinct(
            list(codes.T), [len(self.numbers)] * codes.shape[1], counts, keeps_rows=self.keeps_rows
        )
        if position is not None:
            ends = np.cumsum([len(counts) for _, counts in self.parts])
            places = np.split(position, ends[:-1])
            rows = [place.take(rows) for place, rows in zip(places, self.rows, strict=True)]
            self.rows = [np.concatenate(rows)]
        self.parts, self.kept = [(found, summed)], len(summed)


def _small_codes(block: Array) -> tuple[Array, Sequence[Any]]:
    """Return a number from 0 for each label, and the labels that these numbers stand for.

    Integers in a narrow range are their own numbers, so that not all of these labels need occur.
    Labels are Python's numbers, which compare exactly: numpy makes floats of int64 and uint64.
    """
    if block.dtype == bool:
        return block.view(np.uint8), (False, True)
    if block.dtype.kind in "iu":
        # A negative number is a large one without its sign.
        largest = int(block.view(f"u{block.itemsize}").max())
        if largest < BLOCK and largest <= np.iinfo(block.dtype).max:
            return block, range(largest + 1)
        low, high = int(block.min()), int(block.max())
        if high - low < BLOCK:
            return (block - block.dtype.type(low)).astype(np.intp), range(low, high + 1)
    if block.dtype.kind == "f":  # whole numbers
        codes, values = _small_codes(block.astype(np.int64))
        return codes, np.array(values, dtype=block.dtype).tolist()
    if block.dtype.kind == "U":
        return _codes_of_text(block)
    codes, distinct = pd.factorize(block)
    return codes, distinct.tolist()


def _codes_of_text(block: Array) -> tuple[Array, Sequence[Any]]:
    """Return the codes and labels of numpy's strings, which are rows of 32-bit characters.

    A number per row is several times faster to tell apart than a Python string per row.
    """
    characters = np.ascontiguousarray(block).view(np.uint32).reshape(len(block), -1)
    mixed = np.zeros(len(block), dtype=np.uint64)
    for character in characters.T:
        mixed *= MULTIPLIER
        mixed += character
    codes, _ = pd.factorize(mixed)
    first = np.zeros(codes.max() + 1, dtype=np.intp)
    first[codes[::-1]] = np.arange(len(block) - 1, -1, -1)
    labels = block[first]
    if (labels[codes] != block).any():  # two strings with the same number
        codes, labels = pd.factorize(block)
    return codes, labels.tolist()


def _distinct(
    columns: Sequence[Array],
    sizes: Sequence[int],
    weights: Array | None = None,
    *,
    keeps_rows: bool,
) -> tuple[Array, Array, Array | None]:
    """Return the distinct rows, given by columns of codes below `sizes`, and their counts.

    The third is the position of each row among these, or None.
    """
    bits = [(size - 1).bit_length() for size in sizes]
    total = sum(bits)
    if total > 62:  # a number per row would not fit in 64 bits
        found, inverse = np.unique(np.column_stack(columns), axis=0, return_inverse=True)
        inverse = np.ravel(inverse)
        position = inverse.astype(np.min_scalar_type(len(found))) if keeps_rows else None
        return found, np.bincount(inverse, weights), position
    # Few cells have small numbers, which are several times faster to combine.
    dtype: Any = np.uint8 if total <= 8 else np.intp
    cells = columns[0].astype(dtype)
    for column, width in zip(columns[1:], bits[1:], strict=True):
        cells <<= width
        cells |= column.astype(dtype, copy=False)
    if 2**total <= 4 * max(len(cells), 256):
        counts = _occurrences(cells, total) if weights is None else np.bincount(cells, weights)
        found = np.flatnonzero(counts)
        counts = counts[found]
        if keeps_rows:
            position = np.zeros(2**total, dtype=np.min_scalar_type(len(found)))
            position[found] = np.arange(len(found))
            inverse = position.take(cells)
    else:
        found, inverse = np.unique(cells, return_inverse=True)
        counts = np.bincount(inverse, weights)
        inverse = inverse.astype(np.min_scalar_type(len(found)))
    places = np.cumsum([0, *bits[:0:-1]])[::-1]
    rows = [found >> place & (1 << width) - 1 for place, width in zip(places, bits, strict=True)]
    return np.column_stack(rows), counts, inverse if keeps_rows else None


def _occurrences(cells: Array, bits: int) -> Array:
    """Return how often each number of `bits` bits occurs.

    Two numbers of up to six bits are counted as one, which takes about half the time.
    """
    n_cells = 2**bits
    if bits > 6 or len(cells) < BLOCK // 2:
        return np.bincount(cells, minlength=n_cells)
    even = len(cells) // 2 * 2
    pairs = np.bincount(cells[:even].view(np.uint16), minlength=256 * n_cells)
    pairs = pairs.reshape(n_cells, 256)[:, :n_cells]
    return pairs.sum(axis=0) + pairs.sum(axis=1) + np.bincount(cells[even:], minlength=n_cells)
