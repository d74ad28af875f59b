import numpy as np
import pandas as pd
import pytest
from hypothesis import strategies as st
from sklearn.metrics import confusion_matrix

from skbayeseval.evidence import ConfusionCounts


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


labels = st.lists(st.tuples(*[st.integers(0, 1)] * 3), min_size=2, max_size=40)
