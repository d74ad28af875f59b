import numpy as np
import pytest

from skbayeseval import compare_many
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


@pytest.mark.parametrize("level", [-5.0, 0.0, 5.0])
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
    assert "the best or practically equivalent to it: a, b" in str(found)
    assert "surely worse than the best: d" in str(found)
    assert found.best_alone is None


def test_one_that_is_equivalent_while_others_are_open_need_not_be_the_best():
    draws = np.array([[0.8, 0.8, 0.8, 0.8], [0.5, 0.5, 0.801, 0.801]])
    found = decided(draws, ("a", "b"))
    assert (found.equivalent, found.open) == (("a",), ("b",))
    assert found.best_alone is None
    assert "the best or practically equivalent to it: a" in str(found)


def test_it_is_at_most_as_sure_as_the_pair():
    rng = np.random.default_rng(1)
    pooled = rng.normal([[0.9], [0.9], [0.8]], 0.001, (3, 4000))
    found = decided(pooled, ("a", "b", "c"))
    assert found.states() == {"a": "equivalent", "b": "equivalent", "c": "worse"}
    unpooled = rng.normal([[0.9], [0.9], [0.8]], 0.04, (3, 4000))
    found = decided(pooled, ("a", "b", "c"), unpooled)
    assert found.states() == {"a": "equivalent", "b": "open", "c": "open"}
    for k, name in ((1, "b"), (2, "c")):
        behind = (unpooled[0] - unpooled[k] > 0.01).mean()
        assert found.p_equivalent[name] == pytest.approx(1 - behind)


def test_groups_can_overlap():
    differ = np.array([[0, 0, 1, 1], [0, 0, 0, 1], [1, 0, 0, 1], [1, 1, 1, 0]], dtype=bool)
    assert tied_groups("abcd", differ) == (("a", "b"), ("b", "c"))
    assert tied_groups("abcd", ~np.eye(4, dtype=bool)) == ()
    assert tied_groups("abcd", np.zeros((4, 4), dtype=bool)) == (("a", "b", "c", "d"),)


def test_a_ranking_decides_and_is_sorted():
    y = np.arange(1000) % 2
    rng = np.random.default_rng(1)
    predictions = {
        name: np.where(rng.random(1000) < accuracy, y, 1 - y)
        for name, accuracy in (("poor", 0.6), ("good", 0.95), ("fair", 0.8))
    }
    ranking = compare_many(y, predictions, random_state=0)
    assert ranking.table.index.tolist() == ["good", "fair", "poor"]
    assert ranking.table["rank_low"].tolist() == ranking.table["rank_high"].tolist() == [1, 2, 3]
    expected = [(predictions[name] == y).mean() for name in ranking.table.index]
    np.testing.assert_allclose(ranking.table["observed"], expected)
    found = ranking.decision(rope="2%")
    assert (found.equivalent, found.worse, found.settled) == (("good",), ("fair", "poor"), True)
    assert found.tied == ()
    assert found.best_alone == "good"
    assert str(found).splitlines()[1:] == [
        "  the best: good",
        "  surely worse than the best: fair, poor",
    ]
    assert "The best is good." in ranking.explain(rope="2%")
    assert ranking.decision(rope=0.4).best_alone is None
    with pytest.raises(ValueError, match="must contain 0"):
        ranking.decision(rope=(0.01, 0.02))


def test_with_two_classifiers_it_agrees_with_the_pair():
    y = np.arange(2000) % 2
    rng = np.random.default_rng(2)
    a, b = (np.where(rng.random(2000) < accuracy, y, 1 - y) for accuracy in (0.9, 0.7))
    ranking = compare_many(y, {"b": b, "a": a}, random_state=0)
    probabilities = ranking.pairs["a", "b"].probability(0.15)
    found = ranking.decision(0.15)
    assert found.p_equivalent["b"] == pytest.approx(1 - probabilities.better, abs=0.02)


def test_nobody_is_ahead_of_the_best():
    draws = np.tile([[3.0, 1.0], [2.0, 2.0], [0.0, 1.0]], 50)
    table = behind_the_best(draws, 0.95)
    assert table["behind"].tolist() == [-0.5, -0.5, -2.0]
    assert table["behind_low"].tolist() == [-1.0, -1.0, -3.0]
    assert table["behind_high"].tolist() == [0.0, 0.0, -1.0]
