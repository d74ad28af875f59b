import numpy as np
import pytest

from skbayeseval import compare_many, compare_many_items, compare_scores
from skbayeseval.judgement.distribution import Distribution, decision_of
from skbayeseval.judgement.intervals import Interval
from skbayeseval.judgement.ranking_decision import behind_the_best, decide_ranking, tied_groups

ROPE = Interval(-0.01, 0.01)


def decided(draws, names, unpooled=None, rope=ROPE):
    """The decision about draws in their order, given draws of pairs."""
    unpooled = draws if unpooled is None else unpooled
    return decide_ranking(
        draws, range(len(draws)), names, rope, 0.95, "f1",
        lambda k: decision_of(
            Distribution(unpooled[0] - unpooled[k]), rope, 0.95, (names[0], names[k]), "f1"
        ),
    )  # fmt: skip


@pytest.mark.parametrize("level", [-5.0, 5.0])
def test_ties_do_not_depend_on_the_level(level):
    draws = level + 0.03 * np.random.default_rng(0).standard_normal((3, 4000))
    near, far = (np.add(draws, [[0.0], [0.0], [gap]]) for gap in (0.05, 0.2))
    assert decided(near, ("a", "b", "c")).tied == (("a", "b", "c"),)
    # Who comes last may be ahead: pairs differ in either direction.
    assert decided(far, ("a", "b", "c")).tied == (("a", "b"),)
    wide = Interval(-1.0, 0.01)
    assert decided(far, ("a", "b", "c"), rope=wide).tied == (("a", "b", "c"),)


def test_cases():
    rng = np.random.default_rng(0)
    means = np.array([0.8, 0.799, 0.79, 0.6])
    sds = np.array([0.001, 0.001, 0.01, 0.001])
    draws = means[:, None] + sds[:, None] * rng.standard_normal((4, 4000))
    found = decided(draws, ("a", "b", "c", "d"))
    assert (found.equivalent, found.open, found.worse) == (("a", "b"), ("c",), ("d",))
    assert found.tied == (("a", "b", "c"),)
    assert not found.settled
    # P(c within 0.01 of the best of a, b and itself), the best being about 0.8004.
    assert found.p_equivalent["c"] == pytest.approx(0.48, abs=0.05)
    assert str(found) == repr(found)
    assert "\n  the best or within 0.01 of it: a, b\n" in str(found)
    assert "\n  not settled (probability of being the best or within 0.01 of it): c (4" in str(
        found
    )
    assert "surely worse than the best by more than 0.01: d" in str(found)
    assert found.best_alone is None


def test_it_is_at_most_as_sure_as_the_pair():
    rng = np.random.default_rng(1)
    pooled = rng.normal([[0.9], [0.9], [0.8]], 0.001, (3, 4000))
    found = decided(pooled, ("a", "b", "c"))
    assert found.states() == {"a": "equivalent", "b": "equivalent", "c": "worse"}
    unpooled = rng.normal([[0.9], [0.9], [0.8]], 0.04, (3, 4000))
    found = decided(pooled, ("a", "b", "c"), unpooled)
    assert found.states() == {"a": "equivalent", "b": "open", "c": "open"}
    behind = (unpooled[0] - unpooled[1] > 0.01).mean()
    assert found.p_equivalent["b"] == pytest.approx(1 - behind)


QUICK = {"random_state": 0, "n_draws": 2000}
MAKERS = {
    "compare_many": lambda y, said: compare_many(y, said, **QUICK),
    "scores": lambda y, said: compare_many(
        y, None, scores=said, scoring="neg_brier_score", **QUICK
    ),
    "items": lambda y, said: compare_many_items(
        {name: (one == y).astype(float) for name, one in said.items()}, **QUICK
    ),
    "splits": lambda y, said: compare_scores(
        {name: (one == y).reshape(10, -1).mean(axis=1) for name, one in said.items()},
        test_fraction=0.1,
        **QUICK,
    ),
}


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
def test_copies_count_once(make):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 400)
    said = {
        name: np.where(rng.random(400) < wrong, 1 - y, y).astype(float)
        for name, wrong in (("a", 0.2), ("b", 0.21), ("c", 0.23), ("d", 0.4))
    }
    copies = {f"{name}{i}": said[name] for name in "ad" for i in range(3)}
    alone, ranking = make(y, said), make(y, said | copies)
    table = ranking.table
    for name in "ad":
        group = [name, *(f"{name}{i}" for i in range(3))]
        assert len(table.loc[group].drop_duplicates()) == 1
        for rope in (0.01, 0.1):
            decision, tiers = ranking.decision(rope), ranking.tiers(rope).numbers()
            for told in (decision.states(), decision.p_equivalent, tiers):
                assert len({told[one] for one in group}) == 1
    once = table.loc[list("abcd")]
    assert once["p_best"].sum() == pytest.approx(1)
    assert once["rank_high"].max() <= 4
    # Draws are others, or Monte Carlo error would be 0.
    error = 5 * np.sqrt(0.5 / 2000)
    np.testing.assert_allclose(once["p_best"], alone.table["p_best"][list("abcd")], atol=error)
    assert "(a (with 3 exact copies) the best with probability" in str(ranking)
    assert "  copies      8 of 10 have exactly the same" in ranking.details()
    assert "copies" not in alone.details()


def test_all_copies():
    y = np.arange(40) % 2
    ranking = compare_many(y, {"a": y, "b": y}, **QUICK)
    assert ranking.table["p_best"].tolist() == [1, 1]
    assert str(ranking).startswith("No winner of 2 on accuracy: they are exact copies of each")
    # A few instances do not tell that they are equal on others.
    assert not ranking.pairs["a", "b"].decision(0.001).settled
    assert ranking.decision(0.001).open == ("a", "b")
    assert ranking.decision(0.5 - 1e-9).equivalent == ("a", "b")


def test_groups_of_ties_can_overlap_and_nobody_is_ahead_of_the_best():
    differ = np.array([[0, 0, 1, 1], [0, 0, 0, 1], [1, 0, 0, 1], [1, 1, 1, 0]], dtype=bool)
    assert tied_groups("abcd", differ) == (("a", "b"), ("b", "c"))
    found = decided(np.array([[0.8] * 4, [0.5, 0.5, 0.801, 0.801]]), ("a", "b"))
    assert (found.equivalent, found.open, found.best_alone) == (("a",), ("b",), None)
    table = behind_the_best(np.tile([[3.0, 1.0], [2.0, 2.0], [0.0, 1.0]], 50), 0.95)
    assert table.T.to_numpy().tolist() == [[-0.5, -0.5, -2], [-1, -1, -3], [0, 0, -1]]
