"""Scores of several systems in the order of the same items."""

import numpy as np
import pandas as pd
import pytest

from skbayeseval.compare.items import align_groups, align_items

A, B = [0.1, 0.2, 0.3], [0.4, 0.5, 0.6]


def aligned(a, b, ids=None):
    return align_items({"scores_a": a, "scores_b": b}, ids, keys=["A", "B"])[0]


def plain(a, b):
    return np.array([a, b], dtype=float)[:, :, None]


def test_by_position():
    np.testing.assert_array_equal(aligned(A, np.array(B)), plain(A, B))
    np.testing.assert_array_equal(aligned([True, False], [0, 1]), plain([1, 0], [0, 1]))


def test_by_index():
    a, b = pd.Series(A, list("xyz")), pd.Series([0.5, 0.6, 0.4], list("yzx"))
    np.testing.assert_array_equal(aligned(a, b), plain(A, B))


def test_an_index_of_numbers_is_an_index():
    a, b = pd.Series(A), pd.Series([0.6, 0.5, 0.4], [2, 1, 0])
    np.testing.assert_array_equal(aligned(a, b), plain(A, B))


def test_an_index_that_counts_fits_any_other():
    np.testing.assert_array_equal(aligned(pd.Series(A, list("xyz")), pd.Series(B)), plain(A, B))
    np.testing.assert_array_equal(aligned(pd.Series(A, list("xyz")), B), plain(A, B))


def test_an_equal_index_with_duplicates_is_paired_by_position():
    index = ["x", "x", "y"]
    np.testing.assert_array_equal(aligned(pd.Series(A, index), pd.Series(B, index)), plain(A, B))


def test_data_frames_of_runs():
    a = pd.DataFrame({"r1": A, "r2": B}, list("xyz"))
    found = aligned(a, a.iloc[::-1])
    np.testing.assert_array_equal(found[0], found[1])
    np.testing.assert_array_equal(found[0], a.to_numpy())


@pytest.mark.parametrize(
    "ids",
    [
        (["x", "y", "z"], ["z", "x", "y"]),
        [np.array([1, 2, 3]), [3, 1, 2]],
        {"A": pd.Series(["x", "y", "z"]), "B": ["z", "x", "y"]},
        {"B": [(0, 2), (0, 0), (0, 1)], "A": [(0, 0), (0, 1), (0, 2)]},
    ],
)
def test_by_ids(ids):
    np.testing.assert_array_equal(aligned(A, [0.6, 0.4, 0.5], ids), plain(A, B))


def test_ids_for_both_are_in_the_same_order():
    np.testing.assert_array_equal(aligned(A, B, ["x", "y", "z"]), plain(A, B))


def test_ids_of_two_items_are_not_ids_of_two_systems():
    np.testing.assert_array_equal(aligned(A[:2], B[:2], ["xx", "yy"]), plain(A[:2], B[:2]))


def test_ids_come_before_indexes():
    a, b = pd.Series(A, list("xyz")), pd.Series(B, list("zyx"))
    np.testing.assert_array_equal(aligned(a, b, [1, 2, 3]), plain(A, B))


def test_different_numbers_of_runs():
    found = aligned([[1, 2], [3, np.nan]], [5, 6])
    np.testing.assert_array_equal(found, [[[1, 2], [3, np.nan]], [[5, np.nan], [6, np.nan]]])


def test_runs_without_any_score_are_dropped():
    assert aligned([[1, np.nan], [3, np.nan]], [5, 6]).shape == (2, 2, 1)


@pytest.mark.parametrize(
    ("a", "b", "ids", "message"),
    [
        (A, B[:2], None, r"scores_a has 3, scores_b has 2. Pass ids="),
        (A, [[[1]]], None, r"shape \(items,\) or \(items, runs\)"),
        ([], [], None, "one score per item"),
        (A, [1, np.inf, 2], None, "scores_b contains infinity"),
        (A, [1, None, 2], None, "no score for 1 of 3 items, first the one at position 1"),
        (A, [1, None, 2], list("xyz"), "with id 'y'"),
        (A, B, list("xyx"), "'x' occurs more than once. Pass several runs"),
        (A, B, (list("xyz"), list("xyy")), "ids of scores_b must differ"),
        (A, B, (list("xyz"), list("xyw")), r"2 are in both, 1 only in scores_a \('z'\), and 1"),
        (A, B[:2], (list("xyz"), list("xy")), "1 only in scores_a .*, and 0 only in scores_b."),
        (A, B, list("xy"), "ids has 2, scores_a has 3"),
        (A, B, {"A": list("xyz")}, r"ids must have the keys \['A', 'B'\]"),
        (A, B, [1, None, 3], "ids contains NaN"),
        (pd.Series(A, list("xyz")), pd.Series(B, list("xyw")), None, "have different items"),
        (pd.Series(A), pd.Series(B[:2]), None, r"1 only in scores_a \(2\)"),
        (pd.Series(A, list("xyz")), pd.Series(B, list("xxy")), None, "occurs more than once"),
    ],
)  # fmt: skip
def test_errors(a, b, ids, message):
    with pytest.raises(ValueError, match=message):
        aligned(a, b, ids)


@pytest.mark.parametrize("ids", [3, "xyz"])
def test_ids_that_are_no_sequence(ids):
    with pytest.raises(TypeError, match="ids must be a sequence"):
        aligned(A, B, ids)


def test_scores_that_are_no_numbers():
    with pytest.raises(TypeError, match="scores_a must contain numbers"):
        aligned(["good", "bad"], [1, 2])


def groups_of(groups, order=None, by_position=False):
    return align_groups(groups, 3, order, by_position=by_position).tolist()


def test_groups():
    order = pd.Index([2, 1, 0])
    assert groups_of(["u", "v", "u"]) == [0, 1, 0]
    assert groups_of(pd.Series([7, 8, 7], list("abc"))) == [0, 1, 0]
    assert groups_of(pd.Series(["u", "v", "v"]), order) == [0, 0, 1]
    assert groups_of(pd.Series(["u", "v", "v"]), order, by_position=True) == [0, 1, 1]
    assert groups_of(pd.Series(["u", "v", "v"]), pd.Index(list("abc"))) == [0, 1, 1]


@pytest.mark.parametrize("groups", [["u"], [[1, 2]] * 3, "uvw", 3])
def test_groups_that_do_not_fit(groups):
    with pytest.raises((TypeError, ValueError), match="groups"):
        groups_of(groups)
