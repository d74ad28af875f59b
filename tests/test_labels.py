"""Class labels are compared exactly, whatever their dtypes are; indicators, however stored."""

import itertools

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.metrics import f1_score

from skbayeseval import compare_predictions, score_posterior
from skbayeseval._labels import encode_labels

INTEGERS = [np.dtype(kind + size) for kind in "iu" for size in "1248"]
BIG = 2**63 - 1


@settings(max_examples=40)
@given(st.data())
def test_integers_of_any_dtypes(data):
    """Against Python's own comparison of whole numbers."""
    vectors = []
    for _ in range(3):
        dtype = data.draw(st.sampled_from(INTEGERS))
        low, high = int(np.iinfo(dtype).min), int(np.iinfo(dtype).max)
        near = [v for v in (low, 0, 1, 2**53, 2**53 + 1, BIG - 1, BIG, BIG + 1) if low <= v <= high]
        values = st.sampled_from(near) | st.integers(low, high)
        vectors.append(np.array(data.draw(st.lists(values, min_size=6, max_size=6)), dtype=dtype))
    plain = [vector.tolist() for vector in vectors]
    expected = sorted(set(itertools.chain(*plain)))
    if len(expected) < 2:
        return
    classes, codes = encode_labels(list(zip("abc", vectors, strict=True)))
    assert list(classes) == expected
    assert [[classes[i] for i in of_one] for of_one in codes] == plain


@pytest.mark.parametrize("as_list", [False, True])
def test_ids_that_differ_in_the_last_bits(as_list):
    """As floats, the ids of truth and predictions are the same."""
    truth = np.array([BIG, BIG - 2] * 20, dtype=np.int64)
    said = np.array([BIG + 1, BIG + 3] * 20, dtype=np.uint64)
    given = (truth.tolist(), said.tolist()) if as_list else (truth, said)
    with pytest.raises(ValueError, match="y_pred and y_true have no label in common"):
        score_posterior(*given)
    classes = [BIG - 2, BIG, BIG + 1, BIG + 3]
    assert score_posterior(*given, labels=classes).observed == 0.0
    assert compare_predictions(given[0], given[1], given[0], labels=classes).observed_b == 1.0


@pytest.mark.parametrize(
    "floats",
    [
        np.array([2.0**24, 1.0] * 5, dtype=np.float32),
        pd.Series([2**53 + 1, None] * 5).ffill(),
        [2**53 + 1, 1.0] * 5,
    ],
)
def test_floats_that_cannot_tell_integers_apart(floats):
    truth = [2**53 + 1, 1] * 5
    with pytest.raises(ValueError, match="y_pred contains float.* cannot tell all whole numbers"):
        score_posterior(truth, floats)
    with pytest.raises(ValueError, match="groups contains float"):
        compare_predictions([0, 1] * 5, [0, 1] * 5, [1, 1] * 5, groups=floats)


def test_floats_booleans_and_integers():
    truth = np.array([True, False] * 10)
    for said in (np.array([1, 1] * 10), np.array([1.0, 1.0] * 10), np.array([1, 1] * 10, "u8")):
        assert score_posterior(truth, said, scoring=["accuracy", "f1"]).observed == 0.5
        assert score_posterior(said * 0 + [1, 0] * 10, said).observed == 0.5
    assert score_posterior([2**52 + 1, 0] * 5, [2.0**52 + 1, 0.0] * 5).observed == 1.0


RNG = np.random.default_rng(0)
TAGS = RNG.integers(0, 2, (60, 3))
SAID = np.where(RNG.random(TAGS.shape) < 0.8, TAGS, 1 - TAGS)


def in_parts(dense, dtype, parts):
    """Return a CSR matrix that stores every entry in parts, such as 1, 0 or 2, -1."""
    rows, columns = np.nonzero(dense)
    entries = np.lexsort((columns, rows))
    data = np.tile(np.array(parts, dtype=dtype), len(entries))
    indptr = np.r_[0, len(parts) * np.cumsum(dense.sum(axis=1))]
    return sparse.csr_matrix((data, np.repeat(columns[entries], len(parts)), indptr), dense.shape)


def with_zeros(dense):
    rows, columns = np.indices(dense.shape).reshape(2, -1)
    return sparse.csr_matrix((dense[rows, columns], (rows, columns)), dense.shape)


STORED = {
    **{kind: getattr(sparse, kind) for kind in ("csr_array", "coo_matrix", "dok_matrix")},
    "bool": lambda dense: sparse.csr_matrix(dense.astype(bool)),
    "explicit zeros": with_zeros,
    "one and zero": lambda dense: in_parts(dense, np.int64, [1, 0]),
    "twice true": lambda dense: in_parts(dense, bool, [True, True]),
    "columns in parts": lambda dense: in_parts(dense.T, np.int64, [0, 1]).T,
}


@pytest.mark.parametrize("kind", STORED)
def test_indicators_however_they_are_stored(kind):
    store = STORED[kind]
    assert (store(TAGS).toarray() == TAGS).all()
    result = compare_predictions(store(TAGS), store(SAID), TAGS, scoring=["f1_micro", "f1_macro"])
    for name in ("micro", "macro"):
        found = result.metric(f"f1_{name}")
        assert found.observed_a == pytest.approx(f1_score(TAGS, SAID, average=name))
        assert found.observed_b == 1.0


@pytest.mark.parametrize("parts", [[1, 1], [0.5], [np.nan], [1j]])
def test_entries_other_than_0_and_1(parts):
    """Two ones for the same entry are a two."""
    wrong = in_parts(TAGS, np.asarray(parts).dtype, parts)
    message = "contains NaN" if np.isnan(parts).any() else "must contain only 0 and 1"
    for stored in (wrong, wrong.tocoo(), wrong.toarray()):
        with pytest.raises(ValueError, match=f"y_pred.* {message}"):
            score_posterior(TAGS, stored, scoring="f1_micro")
