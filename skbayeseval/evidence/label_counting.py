"""How often each combination of labels occurs in several vectors of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from skbayeseval._labels import check_label_vectors

Array = NDArray[Any]


# Whole numbers in a range below this are codes as they are.
WIDEST = 2**17


# Numbers that most caches hold.
BLOCK = 2**17


# Strings with more bytes, 4 per character, are left to pandas.
LONGEST = 80


# Of the hash of a string: odd, with irregular bits.
MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)


# Vectors of labels by name.
Vectors = Sequence[tuple[str, ArrayLike]]


def tally(chunks: Iterable[Vectors]) -> tuple[list[str], Counter[tuple[Any, ...]]]:
    """Return the names of vectors in chunks, and how often each combination of labels occurs."""
    names: list[str] = []
    total: Counter[tuple[Any, ...]] = Counter()
    for number, vectors in enumerate(chunks):
        named = dict(vectors)
        names = names or list(named)
        if set(named) != set(names):
            raise ValueError(
                f"All chunks must hold the predictions of {names[1:]}, got {list(named)[1:]} in "
                f"chunk {number}."
            )
        arrays = check_label_vectors([(name, named[name]) for name in names])
        values, codes, counts, _ = count_outcomes(arrays, keeps_rows=False)
        for row, count in zip(codes.tolist(), counts.tolist(), strict=True):
            total[tuple([of_one[code] for of_one, code in zip(values, row, strict=True)])] += count
    if not names:
        raise ValueError("Found no chunk: chunks is empty.")
    return names, total


def count_outcomes(
    arrays: Sequence[Array], *, keeps_rows: bool
) -> tuple[list[list[Any]], Array, Array, Array | None]:
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
        # Few cells have small numbers, which are several times faster to combine.
        dtype: Any = np.uint8 if sum(bits) <= 8 else np.intp
        cells = columns[0].astype(dtype)
        for column, width in zip(columns[1:], bits[1:], strict=True):
            cells <<= width
            cells |= column.astype(dtype, copy=False)
        if 2 ** sum(bits) <= 4 * max(len(cells), 256):
            of_all = _occurrences(cells, 2 ** sum(bits))
            seen = np.flatnonzero(of_all)
            counts = of_all[seen]
            place = np.zeros(len(of_all), dtype=np.min_scalar_type(len(seen)))
            place[seen] = np.arange(len(seen))
            rows = place.take(cells) if keeps_rows else cells
        else:
            seen, rows, counts = np.unique(cells, return_inverse=True, return_counts=True)
        places = np.cumsum([0, *bits[:0:-1]])[::-1]
        codes = (seen[:, None] >> places) & (2 ** np.array(bits) - 1)
    values = []
    for column, of_one in zip(codes.T, labels, strict=True):
        occurring, place = np.unique(column, return_inverse=True)
        values.append([of_one[code] for code in occurring.tolist()])
        column[:] = np.ravel(place)
    smallest = np.min_scalar_type(len(codes))
    return values, codes, counts, rows.astype(smallest, copy=False) if keeps_rows else None


def _occurrences(cells: Array, n_cells: int) -> Array:
    """Return how often each number below `n_cells` occurs.

    Of large arrays, blocks that fit the cache, and two numbers of six bits or less as one, take
    half the time (``counting-integers`` in benchmarks/bench.py).
    """
    if n_cells > 64 or len(cells) < BLOCK:
        return np.bincount(cells, minlength=n_cells)
    even = len(cells) // 2 * 2
    counts = np.bincount(cells[even:], minlength=n_cells)
    for start in range(0, even, BLOCK):
        two = cells[start : min(start + BLOCK, even)].view(np.uint16)
        pairs = np.bincount(two, minlength=256 * n_cells).reshape(n_cells, 256)[:, :n_cells]
        counts += pairs.sum(axis=0) + pairs.sum(axis=1)
    return counts


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
    if labels.dtype.kind == "U":
        return _codes_of_text(labels)
    codes, distinct = pd.factorize(labels)
    return codes, distinct.tolist()


def _codes_of_text(labels: Array) -> tuple[Array, Sequence[Any]]:
    """Return the codes and labels of numpy's strings, which are rows of 32-bit characters.

    pandas makes an object of each. Numbers that are mixed from the characters are four times as
    fast for "yes" and "no", twice for ten characters (``counting-strings`` in benchmarks/bench.py),
    and slower for long strings.
    """
    if labels.dtype.itemsize > LONGEST:
        codes, distinct = pd.factorize(labels)
        return codes, distinct.tolist()
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
