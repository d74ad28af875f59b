"""Scores of several systems in the order of the same items."""

import numpy as np
import pandas as pd
import pytest

from skbayeseval import compare_items, compare_many_items
from skbayeseval.compare.item_alignment import with_estimates

A, B = [0.1, 0.2, 0.3], [0.4, 0.5, 0.6]
X, Z = list("xyz"), list("zxy")
FRAME = pd.DataFrame({"r1": A, "r2": B}, X)


def matched(a, b, ids=None, **options):
    return compare_items(a, b, item=ids, n_draws=100, **options).evidence.scores


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
        (A[:2], B[:2], ["xx", "yy"]),
        (pd.Series(A, X), pd.Series(B, X[::-1]), [1, 2, 3]),
    ],
)
def test_items_are_matched(a, b, ids):
    np.testing.assert_array_equal(matched(a, b, ids)[..., 0], [A[: len(a)], B[: len(a)]])


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
        (A, B[:2], None, r"scores_a has 3, scores_b has 2. Pass item="),
        (A, [[[1]]], None, r"shape \(items,\) or \(items, runs\)"),
        (A, [1, np.inf, 2], None, "scores_b contains infinity"),
        (A, [1, None, 2], None, "no score for 1 of 3 items, first the one at position 1"),
        (A, [1, None, 2], list("xyz"), "with id 'y'"),
        (A, B, list("xyx"), "'x' occurs more than once. Pass several runs"),
        (A, B, (list("xyz"), list("xyw")), r"2 are in both, 1 only in scores_a \('z'\), and 1"),
        (A, B, list("xy"), "item has 2, scores_a has 3"),
        (A, B, {"A": list("xyz")}, r"item must have the keys \['A', 'B'\]"),
        (A, B, [1, None, 3], "ids of scores_a contain NaN"),
        (pd.Series(A, [1, 2, np.nan]), pd.Series(B, [np.nan, 2, 1]), None, "contain NaN or None"),
        (pd.Series(A), pd.Series(B[:2]), None, r"1 only in scores_a \(2\)"),
        (pd.Series(A, list("xyz")), pd.Series(B, list("xxy")), None, "occurs more than once"),
    ],
)  # fmt: skip
def test_errors(a, b, ids, message):
    with pytest.raises(ValueError, match=message):
        matched(a, b, ids)


@pytest.mark.parametrize(
    ("a", "ids", "message"),
    [
        (A, 3, "item must be a sequence"),
        (A, "xyz", "item must be a sequence"),
        ("new.jsonl", None, "scores_a must be scores; a file is a long table, passed alone"),
        (["good", "bad", "good"], None, "scores_a must contain numbers"),
    ],
)
def test_other_types(a, ids, message):
    with pytest.raises(TypeError, match=message):
        matched(a, B, ids)


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
    for groups in (["u"], [[1, 2]] * 3, "uvw", 3):
        with pytest.raises((TypeError, ValueError), match="groups"):
            compare_items(A, B, groups=groups)


def test_indexes_in_two_orders_beside_a_list():
    scores = {"a": pd.Series(A, X), "b": pd.Series(B, Z), "c": B}
    with pytest.raises(ValueError, match=r"indexes of \['a', 'b'\] differ.* Pass item="):
        compare_many_items(scores)


class TestMissing:
    a = pd.Series([1, 0, 1, 1, 0, 1], list("uvwxyz"), dtype=float)
    b = pd.Series([1, 0, 0, 1, 1, np.nan], list("tzwxvy"))

    def compared(self, missing, a=None, b=None, **options):
        a, b = self.a if a is None else a, self.b if b is None else b
        options = {"n_draws": 200, "random_state": 0, **options}
        return compare_items(a, b, missing=missing, **options)

    def test_they_are_refused(self):
        with pytest.raises(ValueError, match="1 only in scores_a .*Pass missing='drop' to com"):
            self.compared("raise")
        with pytest.raises(ValueError, match="missing must be one of .*, got 'skip'"):
            self.compared("skip")
        with pytest.raises(ValueError, match="no score for 1 of 6 .*, first the one with id 'y'"):
            self.compared("raise", b=self.b.rename({"t": "u"}))
        scores = ([2, 0, 1], {}), ([-1, 0, 1], {}), ([1, 0, 1], {"higher_is_better": False})
        for a, options in scores:  # of which 0 is not the worst
            with pytest.raises(ValueError, match="requires scores between 0 and 1 of which high"):
                self.compared("wrong", a, [1, np.nan, 0], **options)
        apart = pd.Series([1, 0], [1, 2]), pd.Series([1, 0], [3, 4])
        for missing in ("drop", "wrong"):
            for pair in (apart, ([1, 0], [np.nan, np.nan])):
                with pytest.raises(ValueError, match="scores_a and scores_b have no items in com"):
                    self.compared(missing, *pair)

    def test_they_are_dropped(self):
        result = self.compared("drop", names=("new", "old"))
        common = list("vwxz")
        assert (result.draws == self.compared("raise", self.a[common], self.b[common]).draws).all()
        line = "of 7 items, new has no score for 1, old has no score for 2: these are left out"
        assert line in str(result)
        assert line in result.explain()
        expected = {"how": "drop", "n_items": 7, "items": {"new": 1, "old": 2}}
        found = result.to_dict()["evidence"]["missing"]
        assert found == {**expected, "runs": {"new": 0, "old": 0}}

    def test_they_are_wrong(self):
        result = self.compared("wrong", names=("new", "old"))
        ids = list("uvwxyzt")
        filled = [one.reindex(ids).fillna(0) for one in (self.a, self.b)]
        assert (result.draws == self.compared("raise", *filled).draws).all()
        assert "new has no score for 1, old has no score for 2: these count as wrong" in str(result)

    def test_runs(self):
        a = pd.DataFrame({0: [1, 1, 0.5], 1: [0, np.nan, 1]}, list("xyz"))
        b = pd.DataFrame({0: [1, 0], 1: [1, 1], 2: [0, np.nan]}, list("xw"))
        found = self.compared("wrong", a, b)
        expected = [
            [[1, 0, np.nan], [1, 0, np.nan], [0.5, 1, np.nan], [0, 0, np.nan]],
            [[1, 1, 0], [0, 0, 0], [0, 0, 0], [0, 1, 0]],
        ]
        np.testing.assert_array_equal(found.evidence.scores, expected)
        assert "A has no score for 1 and in 1 runs of others" in str(found)
        found = self.compared("drop", a, b.rename({"w": "y"})[[1, 2]]).evidence.scores
        np.testing.assert_array_equal(found, [[[1, 0], [1, np.nan]], [[1, 0], [1, np.nan]]])

    def test_arrays(self):
        """Without ids, an item is missing where there is NaN."""
        a, b = [1, np.nan, 0, 1, 1], [0, 1, 1, np.nan, 0]
        evidence = self.compared("drop", a, b, groups=list("pqpqr")).evidence
        np.testing.assert_array_equal(evidence.scores[..., 0], [[1, 0, 1], [0, 1, 0]])
        assert evidence.group.tolist() == [0, 0, 1]

    def test_groups(self):
        groups = pd.Series(list("ppqqrrs"), list("tuvwxyz"))
        by_id = self.compared("drop", groups=groups).evidence
        in_order = self.compared("drop", groups=groups[self.a.index].to_numpy()).evidence
        assert by_id.group.tolist() == in_order.group.tolist() == [0, 0, 1, 2]
        assert self.compared("wrong", groups=groups).evidence.n_groups == 4
        with pytest.raises(ValueError, match="groups must be a Series .*: 1 items are not among"):
            self.compared("wrong", groups=list("uvwxyz"))
        with pytest.raises(ValueError, match="scores and groups have different items: 3 are in"):
            self.compared("drop", groups=groups[:-1])


LARGE = 1_800_000_000_000_000_000  # floats do not tell it from the next


class TestTypesOfIds:
    """Ids are the same if Python calls them equal, whatever their types."""

    a, b = np.arange(300) % 10 < 8, np.arange(300) % 7 < 3
    order = np.random.default_rng(0).permutation(300)

    @pytest.mark.parametrize("missing", ["raise", "drop"])
    @pytest.mark.parametrize("kinds", [["Int64", "UInt64"], ["uint64", "object", "int64"]])
    def test_numbers(self, missing, kinds):
        ids = [pd.Index(np.arange(300) + LARGE).astype(kind) for kind in kinds]
        ids[1:] = [own[self.order] for own in ids[1:]]
        given = zip([self.a, *[self.b[self.order]] * (len(ids) - 1)], ids, strict=True)
        named = {name: pd.Series(*one) for name, one in zip("abc", given, strict=False)}
        evidence = compare_many_items(named, missing=missing, n_draws=100).evidence
        expected = [self.a, *[self.b] * (len(ids) - 1)]
        np.testing.assert_array_equal(evidence.scores[..., 0], expected)
        assert evidence.missing is None

    @pytest.mark.parametrize("missing", ["drop", "wrong"])
    def test_numbers_and_texts(self, missing):
        for ids in (([1, 2, 3], ["1", "2", "3"]), ([1, 2, 3], [1, 2, "3"])):
            with pytest.raises(ValueError, match=r"ids (1|3) and '(1|3)' are those of two items"):
                compare_items(A, B, item=ids, missing=missing)
        with pytest.raises(ValueError, match=r"only in scores_a \(1, 2, 3\).* \('1', '2', '3'\)"):
            compare_items(A, B, item=([1, 2, 3], ["1", "2", "3"]))

    def test_floats_that_cannot_tell_ids_apart(self):
        ids = [2**53, 2**53 + 1, 2**53 + 2], np.array([2**53, 2**53 + 2, 2**53 + 4], dtype=float)
        for missing in ("raise", "drop"):
            with pytest.raises(ValueError, match="ids of scores_b are floats of 2\\*\\*53 or more"):
                compare_items(A, B, item=ids, missing=missing)


# Boards with holes: scores that are missing are estimated from systems that share items.


def board(seed=0, n_systems=6, n_items=30, holes=0.3, additive=False):
    rng = np.random.default_rng(seed)
    scores = rng.normal(size=(n_systems, 1)) + rng.normal(size=n_items)
    scores += 0.0 if additive else rng.normal(size=scores.shape)
    scores[rng.random(scores.shape) < holes] = np.nan
    return scores[:, np.isfinite(scores).any(axis=0)]


def means_by_least_squares(scores, weights):
    """The weighted mean of each system, from a design with a column per system and per item."""
    k, n = scores.shape
    system, item = np.nonzero(np.isfinite(scores))
    design = np.zeros((len(system), k + n))
    design[np.arange(len(system)), system] = design[np.arange(len(system)), k + item] = 1
    root = np.sqrt(weights[item])
    found = np.linalg.lstsq(design * root[:, None], root * scores[system, item], rcond=None)[0]
    filled = np.where(np.isfinite(scores), scores, found[:k, None] + found[k:])
    return filled @ weights / weights.sum()


def test_means_are_those_of_least_squares():
    scores = board()
    expected = means_by_least_squares(scores, np.ones(scores.shape[1]))
    np.testing.assert_allclose(with_estimates(scores).mean(axis=1), expected, atol=1e-12)


def test_the_spread_is_that_of_the_mean():
    """An item changes the weighted mean by its estimate, to the first order in its weight."""
    scores, step = board(), 1e-6
    estimates, n = with_estimates(scores), scores.shape[1]
    for i in (0, 7, n - 1):
        more, less = (np.ones(n) + sign * step * (np.arange(n) == i) for sign in (1, -1))
        change = means_by_least_squares(scores, more) - means_by_least_squares(scores, less)
        expected = (estimates[:, i] - estimates.mean(axis=1)) / n
        np.testing.assert_allclose(change / (2 * step), expected, atol=1e-7)
