from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skbayeseval import chunk_counter
from tests.sequences.test_sequences import PREFIXES

TYPES = ("PER", "ORG")


@st.composite
def tagged(draw, schemes=("IOB2", "IOBES")):
    """Sentences with true tags and two predictions, many of them partly right."""
    lengths = draw(st.lists(st.integers(1, 8), min_size=1, max_size=5))
    of_each = []
    for scheme in (schemes[0], *schemes):
        tags = ["O", *(f"{prefix}-{kind}" for prefix in PREFIXES[scheme] for kind in TYPES)]
        of_each.append(
            [draw(st.lists(st.sampled_from(tags), min_size=n, max_size=n)) for n in lengths]
        )
    return of_each


def is_chunk(tags, start, stop, kind):
    """Whether a chunk stands there: conlleval's rules, asked of a place instead of read along."""

    def at(i):
        prefix, _, of = tags[i].partition("-") if 0 <= i < len(tags) else ("O", "", "")
        return prefix, of

    def goes_on(i):  # from token i - 1 to token i
        (before, old), (now, new) = at(i - 1), at(i)
        return before in "BI" and now in "IE" and old == new

    inside = all(at(i)[1] == kind and at(i)[0] != "O" for i in range(start, stop))
    whole = all(goes_on(i) for i in range(start + 1, stop))
    return inside and whole and not goes_on(start) and not goes_on(stop)


@settings(max_examples=50)
@given(tagged())
def test_paired_counts_by_brute_force(case):
    y_true, y_pred_a, y_pred_b = case
    expected = dict.fromkeys(product([True, False], repeat=3), 0)
    for of_sentence in zip(*case, strict=True):
        n = len(of_sentence[0])
        for start, stop, kind in product(range(n), range(1, n + 1), TYPES):
            if start < stop:
                expected[tuple(is_chunk(tags, start, stop, kind) for tags in of_sentence)] += 1
    counter = chunk_counter("IOB2", "IOBES")
    counts = counter(y_true, y_pred_a, y_pred_b)
    assert list(counts.cells) == list(expected.values())[:7]
    sentences, by_type = counter.cells_and_types(y_true, y_pred_a, y_pred_b)
    np.testing.assert_array_equal(sentences.sum(axis=0), counts.cells)
    np.testing.assert_array_equal(sum(by_type.values(), 0 * sentences), sentences)
    for kind in TYPES:
        only = chunk_counter("IOB2", "IOBES", types=kind)(y_true, y_pred_a, y_pred_b)
        np.testing.assert_array_equal(only.cells, by_type.get(kind, np.zeros((1, 7))).sum(axis=0))
    for k, y_pred in enumerate((y_pred_a, y_pred_b)):
        assert counter.count_one(y_true, y_pred, k) == counts.margin(k)


@pytest.mark.parametrize(
    ("a", "b", "message"),
    [
        ([["O"]], [["O", "O"], ["O"]], "y_true has 2 sentences, y_pred_a has 1"),
        ([["O", "O"], ["O"]], [["O", "O"], ["O", "O"]], r"y_true\[1\] has 1 tags and y_pred_b\[1"),
        ([["O", "O"], ["S-A"]], [["O", "O"], ["O"]], r"y_pred_a\[1\] contains 'S-A'.*'IOB2'"),
        ([["O", "O"], ["O"]], [["O", "O"], ["I"]], r"y_pred_b\[1\] contains 'I'.*'BMES'"),
    ],
)
def test_bad_predictions(a, b, message):
    with pytest.raises(ValueError, match=message):
        chunk_counter("IOB2", "BMES")([["B-A", "O"], ["O"]], a, b)
