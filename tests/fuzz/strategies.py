"""Strategies for labels, numbers and whatever else users may pass."""

import math

import numpy as np
import pandas as pd
from hypothesis import strategies as st
from scipy import sparse

WORDS = np.array(["ab", "b", "c c", "ä"])

# Ways to write classes 0, 1, 2, 3 in one kind of label.
NUMBERS = {
    **{name: np.dtype(name).type for name in ("int8", "int16", "int32", "int64")},
    **{name: np.dtype(name).type for name in ("uint8", "uint16", "uint32", "uint64")},
    "float32": np.float32,
    "float64": np.float64,
}
SPELLINGS = {
    **{name: (lambda codes, kind=kind: codes.astype(kind)) for name, kind in NUMBERS.items()},
    "list": lambda codes: codes.tolist(),
    "tuple": lambda codes: tuple(codes.tolist()),
    "series": pd.Series,
    "nullable": lambda codes: pd.array(codes, dtype="Int64"),
    "categorical": pd.Categorical,
    "column": lambda codes: codes[:, None],
    "frame": lambda codes: pd.DataFrame({"label": codes}),
    "object": lambda codes: codes.astype(object),
    "unmasked": lambda codes: np.ma.masked_array(codes, mask=np.zeros(len(codes), dtype=bool)),
    "sparse column": lambda codes: sparse.csr_matrix(codes[:, None]),
}
STRINGS = {
    "str": lambda codes: WORDS[codes],
    "str list": lambda codes: WORDS[codes].tolist(),
    "str object": lambda codes: WORDS[codes].astype(object),
    "str series": lambda codes: pd.Series(WORDS[codes]),
    "str categorical": lambda codes: pd.Categorical(WORDS[codes]),
    "str dtype": lambda codes: pd.Series(WORDS[codes], dtype="string"),
}


DATES = {
    "days": lambda codes: codes.astype("M8[D]"),
    "nanoseconds": lambda codes: codes.astype("M8[D]").astype("M8[ns]"),
    "date series": lambda codes: pd.Series(codes.astype("M8[D]").astype("M8[s]")),
}


anything = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 400),
    st.floats(),
    st.text(max_size=4),
    st.binary(max_size=3),
    st.complex_numbers(max_magnitude=3),
    st.lists(st.one_of(st.integers(-2, 5), st.floats(), st.text(max_size=2)), max_size=5),
    st.dictionaries(st.text(max_size=2), st.integers(-1, 3), max_size=2),
    st.sampled_from(
        [object(), np.array(2), np.array([1, 2]), pd.NA, np.nan, dict, len, range(3), {1, 2}]
    ),
    st.sampled_from([math, 10**400, -(10**400), 2**63, [10**400, 1], [[1], [2, 3]]]),
    st.sampled_from([np.ones((2, 2)), np.array([]), pd.DataFrame({"a": [1, 2]}), {"a": [1]}]),
)


def mostly(valid):
    """Return a strategy of valid arguments, and half as often of anything."""
    return st.integers(0, 2).flatmap(lambda i: valid if i else anything)


probabilities = st.floats(0.75, 0.99)
ropes = mostly(st.one_of(st.floats(0, 0.5), st.tuples(st.floats(-0.5, 0), st.floats(0, 0.5))))
# Prior probabilities of ROPEs are simulated and kept: a few, none of them very narrow.
seeds = st.integers(0, 2**32)


@st.composite
def codes_of(draw, n_vectors, max_classes=4, max_size=24):
    """Draw the number of classes and vectors of codes of equal length; truth has two classes."""
    n_classes = draw(st.integers(2, max_classes))
    size = draw(st.integers(4, max_size))
    code = st.integers(0, n_classes - 1)
    truth = draw(st.lists(code, min_size=size, max_size=size))
    truth[:2] = [0, 1]
    vectors = [np.array(truth)]
    for _ in range(n_vectors - 1):
        wrong = draw(st.lists(st.tuples(st.integers(0, size - 1), code), max_size=size))
        said = np.array(truth)
        for place, value in wrong:
            said[place] = value
        vectors.append(said)
    return n_classes, vectors


@st.composite
def spelled(draw, vectors, tables=(SPELLINGS, SPELLINGS, STRINGS, DATES)):
    """Draw a way to write each vector, all as numbers, as strings or as dates."""
    table = draw(st.sampled_from(tables))
    return [table[draw(st.sampled_from(sorted(table)))](codes) for codes in vectors]


@st.composite
def numbers(draw, size, low=0.0, high=1.0):
    """Draw an array-like of numbers, of one of several types."""
    values = draw(st.lists(st.floats(low, high, width=32), min_size=size, max_size=size))
    way = draw(st.sampled_from([list, tuple, np.array, pd.Series, np.float32, "object"]))
    return np.array(values, dtype=object) if way == "object" else way(values)
