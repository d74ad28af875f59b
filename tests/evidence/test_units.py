import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from skbayeseval import compare_predictions
from skbayeseval.evidence.units import UnitCounts

TRUE = np.array([[1, 0, 1], [0, 0, 1], [1, 1, 0], [0, 1, 0]])
PRED = np.array([[1, 1, 1], [0, 0, 0], [1, 0, 0], [0, 1, 0]])


@pytest.mark.parametrize(
    "kind", [np.array, sparse.csr_matrix, pd.DataFrame, list, sparse.coo_array]
)
def test_indicators_of_any_kind(kind):
    counts = UnitCounts.from_indicators(kind(TRUE), {"a": kind(PRED)})
    one = counts.margin(0)
    np.testing.assert_array_equal(one.hits, (TRUE * PRED).sum(0))
    np.testing.assert_array_equal(one.true, TRUE.sum(0))
    np.testing.assert_array_equal(one.predicted, PRED.sum(0))
    assert one.total == 4
    assert not counts.cells
    np.testing.assert_array_equal(
        counts.label_tables(0), [[2, 0, 0, 2], [1, 1, 1, 1], [1, 0, 1, 2]]
    )


def test_instances_that_occur_more_than_once():
    rows = np.array([0, 1, 2, 3, 0, 1, 2, 3, 0])
    counts = UnitCounts.from_indicators(TRUE[rows], {"a": PRED[rows]}, weight=0.4, instances=rows)
    np.testing.assert_allclose(counts.shape, [1.2, 0.8, 0.8, 0.8])
    np.testing.assert_allclose(counts.true.toarray(), TRUE)
    np.testing.assert_allclose(counts.hits[0].toarray(), TRUE * PRED)


def test_groups():
    y, p = np.array([0, 1, 1, 0, 2]), np.array([0, 1, 0, 0, 2])
    counts = UnitCounts.from_labels(y, {"a": p}, ["u", "v", "u", "v", "u"], weight=0.5)
    np.testing.assert_array_equal(counts.true.toarray(), [[1, 1, 1], [1, 1, 0]])
    np.testing.assert_array_equal(counts.hits[0].toarray(), [[1, 0, 1], [1, 1, 0]])
    np.testing.assert_array_equal(counts.predicted[0].toarray(), [[2, 0, 1], [1, 1, 0]])
    np.testing.assert_array_equal(counts.shape, [0.5, 0.5])
    np.testing.assert_array_equal(counts.sizes, [3, 2])
    np.testing.assert_array_equal(counts.margin(0).table, [[2, 0, 0], [1, 1, 0], [0, 0, 1]])
    assert counts.cells


def test_labels_without_instances_are_reported():
    empty = TRUE * np.array([1, 0, 1])
    with pytest.warns(UserWarning, match=r"Labels \['b'\] have no positive instance"):
        compare_predictions(empty, PRED, PRED, labels=["a", "b", "c"], scoring="f1_macro")


def alike(n, seed, flip=0.3):
    """Two labels and two classifiers: at most 64 kinds of instances."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, (n, 2))
    a, b = (np.where(rng.random((n, 2)) < flip, 1 - y, y) for _ in range(2))
    return y, a, b


def test_instances_with_the_same_labels_and_predictions_are_alike():
    y, a, b = alike(300, 0)
    counts = UnitCounts.from_indicators(y, {"a": a, "b": b})
    rows = np.hstack([y, a, b])
    first = [next(i for i in range(300) if (rows[i] == row).all()) for row in rows]
    np.testing.assert_array_equal(counts.first_alike, first)
    distinct = counts.distinct()
    assert distinct.shape.tolist() == [first.count(i) for i in sorted(set(first))]
    np.testing.assert_array_equal(distinct.true.toarray(), y[sorted(set(first))])
    np.testing.assert_array_equal(distinct.predicted[1].toarray(), b[sorted(set(first))])


def test_who_is_alike_depends_on_no_order():
    y, a, b = alike(100, 1)
    first = UnitCounts.from_indicators(y, {"a": a, "b": b}).first_alike
    exchanged = UnitCounts.from_indicators(y[:, ::-1], {"a": b[:, ::-1], "b": a[:, ::-1]})
    np.testing.assert_array_equal(first, exchanged.first_alike)
    # Sparse matrices may hold entries in any order, and zeros.
    columns, data = np.tile([1, 0], 100), np.column_stack([a[:, 1], a[:, 0]]).ravel()
    unordered = sparse.csr_matrix((data, columns, np.arange(0, 201, 2)), (100, 2))
    other = UnitCounts.from_indicators(y, {"a": unordered, "b": b})
    np.testing.assert_array_equal(first, other.first_alike)


def test_groups_of_different_sizes_are_not_alike():
    # Instances without any label add to the size only.
    y = np.array([[1, 0], [1, 0], [0, 0], [0, 1], [1, 0]])
    counts = UnitCounts.from_indicators(y, {"a": y}, groups=[0, 1, 1, 2, 3])
    np.testing.assert_array_equal(counts.first_alike, [0, 1, 2, 0])


def test_groups_with_the_same_totals_are_alike_if_their_tables_are():
    y, groups = [0, 1, 2, 0, 1, 2, 0, 1, 2], np.repeat([0, 1, 2], 3)
    cyclic, other, again = [1, 2, 0], [2, 0, 1], [1, 2, 0]
    counts = UnitCounts.from_labels(y, {"a": cyclic + other + again}, groups)
    np.testing.assert_array_equal(counts.first_alike, [0, 1, 0])


@pytest.mark.parametrize("options", [{}, {"groups": np.arange(90) // 2 % 40}])
def test_alike_units_of_unequal_shapes_leave_totals_as_they_are(options):
    y, a, b = alike(90, 2, flip=0.1)
    instances = np.concatenate([np.arange(60), np.arange(30)])
    if options:
        instances = np.arange(90)
    counts = UnitCounts.from_indicators(
        y[instances],
        {"a": a[instances], "b": b[instances]},
        weight=0.4,
        instances=instances,
        **options,
    )
    for units in (counts, counts.with_weight(0.1)):
        distinct = units.distinct()
        assert len(distinct.shape) < len(units.shape)
        assert distinct.shape.sum() == pytest.approx(units.shape.sum())
        for k in (0, 1):
            for name in ("hits", "true", "predicted", "total"):
                found, expected = getattr(distinct.margin(k), name), getattr(units.margin(k), name)
                np.testing.assert_allclose(found, expected)
