from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from seqeval.metrics import f1_score, precision_score, recall_score

from skbayeseval import chunk_counter, metrics
from skbayeseval.evidence import ChunkCounts
from skbayeseval.evidence.chunks import CELLS
from skbayeseval.sequences import chunk_frequencies, convert_tags
from tests.sequences.test_tags import PREFIXES

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
    by_type = counter.by_type(y_true, y_pred_a, y_pred_b)
    total = sum((one.cells for one in by_type.values()), np.zeros(7))
    np.testing.assert_array_equal(total, counts.cells)
    for kind in TYPES:
        only = chunk_counter("IOB2", "IOBES", types=kind)(y_true, y_pred_a, y_pred_b)
        assert only == by_type.get(kind, ChunkCounts(np.zeros(7)))
    for k, y_pred in enumerate((y_pred_a, y_pred_b)):
        assert counter.count_one(y_true, y_pred, k) == counts.margin(k)


@given(tagged(schemes=("IOB2", "IOB2")))
def test_scores_are_those_of_seqeval(case):
    y_true, y_pred_a, y_pred_b = case
    counts = chunk_counter("IOB2")(y_true, y_pred_a, y_pred_b)
    for k, y_pred in enumerate((y_pred_a, y_pred_b)):
        table = counts.margin(k).table
        for name, score in (
            ("precision", precision_score),
            ("recall", recall_score),
            ("f1", f1_score),
        ):
            expected = score(y_true, y_pred, zero_division=0)
            assert metrics.get_metric(name)(table) == pytest.approx(expected)


@given(tagged(schemes=("IOBES", "IOB2")))
def test_swapped(case):
    y_true, y_pred_a, y_pred_b = case
    counts = chunk_counter("IOBES", "IOB2")(y_true, y_pred_a, y_pred_b)
    mirrored = chunk_counter("IOB2", "IOBES")(
        convert_tags(y_true, "IOBES", "IOB2"), y_pred_b, y_pred_a
    )
    assert counts.pair(1, 0) == mirrored
    assert counts.pair(0, 1) == counts
    assert counts.margin(0) == mirrored.margin(1)


def test_by_hand():
    y_true = [["B-PER", "I-PER", "O", "B-ORG", "O"], ["B-ORG", "B-PER"]]
    y_pred_a = [["B-PER", "I-PER", "O", "B-ORG", "B-ORG"], ["O", "B-ORG"]]
    y_pred_b = [["B-PER", "O", "O", "B-ORG", "B-ORG"], ["B-ORG", "B-ORG"]]
    counts = chunk_counter("IOB2")(y_true, y_pred_a, y_pred_b)
    # both: ORG; only A: PER; only B: the second ORG; neither: the last PER (wrong type). Shared
    # false alarms: ORG at 4 and ORG for PER; only B: the PER that stops too early.
    assert dict(zip(CELLS, counts.cells, strict=True)) == {
        "both": 1, "only_a": 1, "only_b": 1, "neither": 1,
        "false_both": 2, "false_a": 0, "false_b": 1,
    }  # fmt: skip
    assert counts.total == 7


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"scheme_a": "IOB"}, r"scheme_a='IOB' is not a known scheme. Valid schemes are \['IOB1'"),
        ({"scheme_a": "IOB2", "scheme_b": "iobes"}, "scheme_b='iobes' is not a known scheme"),
        ({"scheme_a": "IOB2", "types": []}, r"types must be a chunk type .* got \[\]"),
        ({"scheme_a": "IOB2", "types": [3]}, r"types must be a chunk type .* got \[3\]"),
    ],
)
def test_bad_counters(arguments, message):
    with pytest.raises(ValueError, match=message):
        chunk_counter(**arguments)


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


def test_frequencies_by_hand():
    table = chunk_frequencies([["I-A", "I-A", "B-A"], ["O"], ["I-B", "I-A"]], "IOB1")
    assert table.to_numpy().tolist() == [[2, 0], [0, 0], [1, 1]]
