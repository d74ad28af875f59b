import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import confusion_matrix

from skbayeseval.evidence import ConfusionCounts, PairedCounts


@pytest.mark.parametrize(
    "kind",
    [
        list,
        np.array,
        pd.Series,
        lambda y: np.array(y, dtype=object),
        lambda y: pd.Series(y, dtype="category"),
        lambda y: pd.Series(y).astype("string"),
        lambda y: np.array(y)[:, None],
        pd.Categorical,
        tuple,
    ],
)
def test_labels_of_any_container(kind):
    y, p = ["no", "yes", "yes", "no"], ["yes", "yes", "no", "no"]
    counts = ConfusionCounts.from_labels(kind(y), kind(p), pos_label="yes")
    assert counts.labels == ("no", "yes")
    assert counts.positive == 1
    np.testing.assert_array_equal(counts.table, confusion_matrix(y, p))


@pytest.mark.parametrize(
    ("negative", "positive"), [(0, 1), (False, True), (-1, 1), (0.0, 1.0), (2, 1)]
)
def test_one_is_positive(negative, positive):
    y = np.array([negative, positive, positive])
    counts = ConfusionCounts.from_labels(y, y)
    assert counts.pos_label == 1
    assert counts.table[counts.positive, counts.positive] == 2


@pytest.mark.parametrize("dtype", ["Int64", "boolean", "Float64", object])
def test_nullable_dtypes(dtype):
    y, p = pd.Series([0, 1, 1, 0]).astype(dtype), np.array([0, 1, 0, 0])
    counts = ConfusionCounts.from_labels(y, p)
    np.testing.assert_array_equal(counts.table, [[2, 0], [1, 1]])
    assert counts.positive == 1
    y.iloc[0] = None
    with pytest.raises(ValueError, match="Input y_true contains NaN"):
        ConfusionCounts.from_labels(y, p)


def test_strings_have_no_positive_class_of_their_own():
    assert ConfusionCounts.from_labels(["a", "b"], ["a", "b"]).positive is None


def test_explicit_labels_give_the_order():
    counts = ConfusionCounts.from_labels([1, 1, 0], [1, 0, 0], labels=[1, 0])
    np.testing.assert_array_equal(counts.table, [[1, 1], [0, 1]])
    assert counts.positive == 0


def test_from_cells_and_from_matrix_agree():
    cells = ConfusionCounts.from_cells(8, 2, 1, 5)
    assert cells == ConfusionCounts.from_matrix([[5, 2], [1, 8]])
    assert hash(cells) == hash(ConfusionCounts.from_matrix([[5, 2], [1, 8]]))
    assert cells != ConfusionCounts.from_cells(8, 1, 2, 5)
    assert not ConfusionCounts.from_cells(8, 2, 1).has_true_negatives
    assert ConfusionCounts.from_cells(8, 2, 1).total == 11


def test_a_count_is_worth_one():
    plain = ConfusionCounts([[3, 1], [2, 4]], (0, 1))
    paired = PairedCounts([0, 1], [[0, 1], [1, 1]], [5, 6], (0, 1))
    cells, matrix = (
        ConfusionCounts.from_cells(4, 1, 2, 3),
        ConfusionCounts.from_matrix(plain.table),
    )
    labels = ConfusionCounts.from_labels([0, 1], [1, 1])
    codes = ConfusionCounts.from_codes(np.array([0, 1]), np.array([1, 1]), (0, 1))
    for counts in (plain, cells, matrix, labels, codes, paired):
        assert counts.weight == 1
    assert PairedCounts.from_labels([0, 1], {"a": [0, 1], "b": [1, 1]}).weight == 1
    np.testing.assert_array_equal(plain.effective, plain.table)


def test_weight_travels():
    counts = ConfusionCounts.from_cells(8, 2, 1, 5, weight=0.5)
    np.testing.assert_array_equal(counts.effective, [[2.5, 1], [0.5, 4]])
    assert (counts + counts).weight == 0.5


labels = st.lists(st.tuples(*[st.integers(0, 1)] * 3), min_size=2, max_size=40)


@given(labels, st.data())
def test_shards_add_up(rows, data):
    cut = data.draw(st.integers(1, len(rows) - 1))
    y, a, b = np.array(rows).T

    def count(part):
        return PairedCounts.from_labels(y[part], {"a": a[part], "b": b[part]}, labels=[0, 1])

    whole = count(slice(None))
    assert count(slice(cut)) + count(slice(cut, None)) == whole
    shuffled = np.random.default_rng(0).permutation(len(y))
    assert count(shuffled) == whole
    assert hash(count(shuffled)) == hash(whole)
    for k, predicted in enumerate((a, b)):
        single = ConfusionCounts.from_labels(y, predicted, labels=[0, 1])
        assert whole.margin(k) == single
    assert whole.cube().sum() == len(y)


def test_only_like_counts_add_up():
    one = ConfusionCounts.from_cells(8, 2, 1, 5)
    with pytest.raises(ValueError, match="different weight cannot be added: 1.0 and 0.5"):
        one + ConfusionCounts.from_cells(8, 2, 1, 5, weight=0.5)
    with pytest.raises(ValueError, match="different labels"):
        one + ConfusionCounts.from_matrix([[1, 2], [3, 4]], labels=["a", "b"])
    with pytest.raises(TypeError):
        one + 3
    two = PairedCounts.from_labels([0, 1], {"a": [0, 1], "b": [0, 1]})
    three = PairedCounts.from_labels([0, 1], {"a": [0, 1], "b": [0, 1], "c": [0, 1]})
    with pytest.raises(ValueError, match="different numbers of classifiers"):
        two + three


def test_counts_are_frozen():
    counts = PairedCounts.from_labels([0, 1], {"a": [0, 1], "b": [0, 1]})
    with pytest.raises(ValueError, match="read-only"):
        counts.counts[0] = 7
    with pytest.raises(AttributeError):
        counts.weight = 2.0
    with pytest.raises(ValueError, match="read-only"):
        counts.margin(0).table[0, 0] = 7


@pytest.mark.parametrize(
    ("y_true", "y_pred", "options", "message"),
    [
        ([0, 1, 1], [0, 1], {}, "inconsistent numbers of samples: y_true has 3, y_pred has 2"),
        ([0, np.nan], [0, 1], {}, "Input y_true contains NaN"),
        ([0, 1], [0, None], {}, "Input y_pred contains NaN"),
        ([1, 1], [1, 1], {}, "only one class in y_true and y_pred, 1,"),
        ([0, 1], [0, 2], {"labels": [0, 1]}, r"y_pred contains labels .* labels=\[0, 1\]: \[2\]"),
        ([0, 1], [0, 1], {"labels": [1]}, "labels must be at least two distinct classes"),
        ([0, 1], [0, 1], {"labels": [1, 1]}, "labels must be at least two distinct classes"),
        (["1", "0"], ["1", "0"], {"labels": [0, 1]}, "Mix of label input types"),
        ([0, 1], [0, 1], {"pos_label": 2}, "pos_label=2 is not a valid label"),
        ([0.2, 0.7], [0, 1], {}, "y_true must contain class labels, got continuous"),
        ([0.0, np.inf], [0, 1], {}, "Input y_true contains infinity"),
        ([{"a": 1}, {"a": 2}], [0, 1], {}, "Unknown label type"),
        ([[0, 1], [1, 0]], [0, 1], {}, r"y_true must be a 1-D array .* shape \(2, 2\)"),
        ([], [], {}, "y_true is empty"),
        ([0, 1], [0, 1], {"weight": 0}, "weight == 0"),
    ],
)
def test_bad_labels(y_true, y_pred, options, message):
    with pytest.raises(ValueError, match=message):
        ConfusionCounts.from_labels(y_true, y_pred, **options)


@pytest.mark.parametrize(
    ("matrix", "message"),
    [
        ([[1, 2, 3], [4, 5, 6]], "matrix must be a square matrix"),
        ([[1, -2], [4, 5]], "matrix must not be negative, got -2"),
        ([[1, 2.5], [4, 5]], "matrix must contain whole numbers, got 2.5"),
        ([[1, np.nan], [4, 5]], "Input matrix contains NaN"),
        ([[1]], "at least two rows"),
    ],
)
def test_bad_matrices(matrix, message):
    with pytest.raises(ValueError, match=message):
        ConfusionCounts.from_matrix(matrix)


def test_matrix_of_words():
    with pytest.raises(TypeError, match="matrix must contain numbers"):
        ConfusionCounts.from_matrix([["a", "b"], ["c", "d"]])
    with pytest.raises(ValueError, match="labels has 3 classes"):
        ConfusionCounts.from_matrix([[1, 2], [3, 4]], labels=[1, 2, 3])


def test_margins_of_a_classifier_can_be_weighted_and_added():
    paired = PairedCounts.from_labels([0, 1, 2, 2], {"a": [0, 1, 2, 0]})
    margin = paired.margin(0)
    lighter = margin.with_weight(0.5)
    assert (lighter.weight, lighter.declared) == (0.5, False)
    np.testing.assert_array_equal(lighter.hits, [1, 1, 1])
    np.testing.assert_array_equal(lighter.effective, margin.table / 2)
    np.testing.assert_array_equal((margin + margin).true, [2, 2, 4])
