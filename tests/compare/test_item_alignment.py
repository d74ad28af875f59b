"""Scores of several systems in the order of the same items."""

import numpy as np
import pandas as pd
import pytest

from skbayeseval import compare_items, compare_many_items

A, B = [0.1, 0.2, 0.3], [0.4, 0.5, 0.6]
X, Z = list("xyz"), list("zxy")
FRAME = pd.DataFrame({"r1": A, "r2": B}, X)


def matched(a, b, ids=None):
    return compare_items(a, b, ids=ids, n_draws=100).evidence.scores


@pytest.mark.parametrize(
    ("a", "b", "ids"),
    [
        (A, np.array(B), None),
        (pd.Series(A, X), pd.Series([0.5, 0.6, 0.4], list("yzx")), None),
        # An index of numbers is an index; one that counts fits any other.
        (pd.Series(A), pd.Series(B[::-1], [2, 1, 0]), None),
        (pd.Series(A, X), pd.Series(B), None),
        (pd.Series(A, X), B, None),
        # An equal index with duplicates is paired by position.
        (pd.Series(A, list("xxy")), pd.Series(B, list("xxy")), None),
        # Ids of each system, or of both in the same order; they come before indexes.
        (A, [0.6, 0.4, 0.5], (X, Z)),
        (A, [0.6, 0.4, 0.5], [np.array([1, 2, 3]), [3, 1, 2]]),
        (A, [0.6, 0.4, 0.5], {"A": pd.Series(X), "B": Z}),
        (A, [0.6, 0.4, 0.5], {"B": [(0, 2), (0, 0), (0, 1)], "A": [(0, 0), (0, 1), (0, 2)]}),
        (A, B, X),
        (pd.Series(A, X), pd.Series(B, X[::-1]), [1, 2, 3]),
    ],
)
def test_items_are_matched(a, b, ids):
    np.testing.assert_array_equal(matched(a, b, ids)[..., 0], [A, B])


def test_ids_of_two_items_are_not_ids_of_two_systems():
    np.testing.assert_array_equal(matched(A[:2], B[:2], ["xx", "yy"])[..., 0], [A[:2], B[:2]])


def test_runs():
    both = matched(FRAME, FRAME.iloc[::-1] + 0.1)
    np.testing.assert_allclose(both, [FRAME, FRAME + 0.1])
    # Different numbers of them; those without any score are dropped.
    found = matched([[1, 2], [3, np.nan]], [5, 6])
    np.testing.assert_array_equal(found, [[[1, 2], [3, np.nan]], [[5, np.nan], [6, np.nan]]])
    assert matched([[1, np.nan], [3, np.nan]], [5, 6]).shape == (2, 2, 1)


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
        matched(a, b, ids)


@pytest.mark.parametrize("ids", [3, "xyz"])
def test_ids_that_are_no_sequence(ids):
    with pytest.raises(TypeError, match="ids must be a sequence"):
        matched(A, B, ids)


def test_scores_that_are_no_numbers():
    with pytest.raises(TypeError, match="scores_a must contain numbers"):
        matched(["good", "bad"], [1, 2])


@pytest.mark.parametrize(
    ("groups", "n_groups"),
    [(["u", "v", "u"], [0, 1, 0]), (pd.Series([7, 8, 8], Z), [0, 0, 1])],
)
@pytest.mark.parametrize("b", [FRAME["r2"], B, pd.Series(B)])
def test_groups(groups, n_groups, b):
    for first, second in ((FRAME["r1"], b), (b, FRAME["r1"])):
        found = compare_items(first, second, groups=groups, n_draws=100).evidence.group
        assert found.tolist() == n_groups


def test_groups_of_other_items():
    with pytest.raises(ValueError, match=r"scores and groups have different items.*\('w'\)"):
        compare_items(FRAME["r1"], B, groups=pd.Series([1, 2, 2], list("xyw")))
    by_position = compare_items(A, B, groups=pd.Series([1, 2, 2], list("xyw")), n_draws=100)
    assert by_position.evidence.group.tolist() == [0, 1, 1]


def test_indexes_in_two_orders_beside_a_list():
    scores = {"a": pd.Series(A, X), "b": pd.Series(B, Z), "c": B}
    with pytest.raises(ValueError, match=r"indexes of \['a', 'b'\] differ.* Pass ids="):
        compare_many_items(scores)


@pytest.mark.parametrize("groups", [["u"], [[1, 2]] * 3, "uvw", 3])
def test_groups_that_do_not_fit(groups):
    with pytest.raises((TypeError, ValueError), match="groups"):
        compare_items(A, B, groups=groups)
