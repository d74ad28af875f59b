from itertools import pairwise

import numpy as np
import pytest

from skbayeseval import compare_many, compare_many_items
from skbayeseval.judgement import Interval, Tiers


@pytest.fixture
def ranking(votes):
    y, a, b = votes
    c = np.roll(y, 1)
    return compare_many(y, {"a": a, "b": b, "c": c}, scoring=["f1", "accuracy"], random_state=0)


def test_table(ranking):
    table = ranking.table
    columns = "observed mean hdi_low hdi_high p_best expected_rank rank_low rank_high"
    assert list(ranking.ranking().columns) == columns.split()
    assert list(table.columns) == [*columns.split(), "tier"]
    assert table["tier"].to_dict() == ranking.tiers().numbers()
    wide = ranking.ranking(rope=0.3)["tier"].to_dict()
    assert wide == ranking.tiers(0.3).numbers() != ranking.tiers().numbers()
    assert table["mean"].is_monotonic_decreasing
    assert sorted(table.index) == ["a", "b", "c"]
    table = table.loc[["a", "b", "c"]]
    np.testing.assert_allclose(table["observed"], ranking.observed)
    pooled = ranking._rivals(ranking._metric(None))
    np.testing.assert_allclose(table["mean"], pooled.mean(axis=1))
    with pytest.raises(ValueError, match="read-only"):
        pooled[0] = 0
    assert np.ptp(table["mean"]) < np.ptp(ranking.draws.mean(axis=1))
    np.testing.assert_allclose(
        table["p_best"], np.bincount(pooled.argmax(axis=0), minlength=3) / 20_000
    )
    better = (pooled[:, None] < pooled[None]).mean(axis=2).sum(axis=1)
    np.testing.assert_allclose(table["expected_rank"], 1 + better)
    assert ranking.metric("accuracy").table.loc["a", "mean"] != table.loc["a", "mean"]


def test_pairs(ranking):
    pair, mirror = ranking.pairs[0, 2], ranking.pairs[2, 0]
    assert (pair.names, pair.metrics) == (("a", "c"), ("f1", "accuracy"))
    assert pair.observed_a == mirror.observed_b
    np.testing.assert_array_equal(ranking.pairs["a", -1].draws, pair.draws)
    assert list(ranking.pairs) == [(0, 1), (0, 2), (1, 2)]
    for wrong in ((0, 0), (0, 3), ("a", "z"), 1, (0, 1, 2)):
        with pytest.raises(KeyError):
            ranking.pairs[wrong]


def test_questions_about_two_point_to_pairs(ranking):
    for name in ("by", "superiority", "observed_a"):
        with pytest.raises(AttributeError, match=rf"Ask a pair of them: pairs\[i, j\]\.{name}, "):
            getattr(ranking, name)
    with pytest.raises(AttributeError, match="^'Ranking' object has no attribute 'nothing'$"):
        ranking.nothing  # noqa: B018
    said = "Only about F1; for other metrics, pass metric='accuracy'."
    assert str(ranking.decision(0.02)).splitlines()[-1].strip() == said
    assert said not in str(ranking.decision(0.02, metric="f1"))


def test_one_sided_questions(ranking):
    pooled = ranking._rivals(ranking._metric(None))
    found = ranking.non_inferiority(0.05)
    assert list(found) == ["a", "b", "c"]
    for row, decision in zip(pooled, found.values(), strict=True):
        assert decision.probability == pytest.approx((pooled.max(axis=0) - row <= 0.05).mean())
    assert "c is worse than the best by more than 0.05" in str(found["c"])
    for reference in (None, "b"):
        decision = ranking.non_inferiority(0.05, reference, planned=10**6)["c"]
        assert decision.plan.planned == 10**6
        assert decision.prob > 0.9999
    for reference in ("b", 1, -2):
        against = ranking.non_inferiority(0.05, reference)
        assert list(against) == ["a", "c"]
        assert against["c"] == ranking.pairs["c", "b"].non_inferiority(0.05)
    with pytest.raises(KeyError, match=r"'z' is not the name or position .* \['a', 'b', 'c'\]"):
        ranking.non_inferiority(0.05, "z")
    loss = ranking.expected_loss(0.01)
    assert (loss.names, loss.choice) == (ranking.names, "a")
    assert loss.losses[2] == pytest.approx((pooled[0] - pooled[2]).mean(), rel=0.05)
    assert "Only about F1; for other metrics, pass" in str(loss)


def simulated(accuracies, n=400, seed=0):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 2
    right = rng.random((n, len(accuracies))) < accuracies
    names = [f"s{k}" for k in range(len(accuracies))]
    predictions = {name: np.where(right[:, k], y, 1 - y) for k, name in enumerate(names)}
    return compare_many(y, predictions, n_draws=1000, random_state=seed)


def test_tiers_of_different_classifiers():
    ranking = simulated([0.6, 0.95, 0.6, 0.78, 0.95])
    tiers = ranking.tiers(rope=0.02)
    assert [set(names) for names in tiers.groups] == [{"s1", "s4"}, {"s3"}, {"s0", "s2"}]
    assert [tiers.numbers()[f"s{k}"] for k in range(5)] == [3, 1, 3, 2, 1]
    assert tiers.groups[0] == tuple(ranking.table.index[:2])
    said = str(tiers).splitlines()
    assert said[2] == "  tier 2: s3"
    assert said[-1].endswith("those in lower tiers are surely worse than it by more than 0.02")
    assert str(ranking.tiers()).startswith(
        "accuracy, 95% intervals; any difference counts; allowing"
    )
    assert "cannot be told apart from s1 on accuracy, the other 3 are worse" in tiers.in_short()


def test_each_tier_is_surely_worse_than_the_first_of_those_above():
    ranking = simulated(np.linspace(0.6, 0.95, 9), seed=3)
    for rope in (0.0, 0.01, 0.05):
        groups = ranking.tiers(rope).groups
        assert len(groups) > 2
        for above, below in pairwise(groups):
            for name in below:
                assert ranking.pairs[above[0], name].decision(rope).code == ">>"
        # A tier is the first of what the tiers above leave, and all that is not told apart from it.
        means = ranking.table["mean"]
        assert all(means[names[0]] == means[list(names)].max() for names in groups)
        # Those below the first tier are called surely worse.
        assert set(ranking.decision(rope).worse) == {name for tier in groups[1:] for name in tier}


def test_equal_classifiers_are_in_one_tier():
    """Without pooling, the best and the worst of 12 equal ones differ in most of these."""
    together = [len(simulated([0.8] * 12, seed=seed).tiers().groups) == 1 for seed in range(12)]
    assert sum(together) >= 11


def test_tiers_in_words():
    def said(*groups, rope=0.01):
        return Tiers(groups, Interval(-rope, rope), "f1").in_short()

    assert said(("a", "b", "c")) == "None of 3 is surely worse than a on f1 by more than 0.01"
    assert said(("a",), ("b",), rope=0.0) == "a is surely better than the other on f1"
    assert said(("a",), ("b", "c"), rope=0.0) == "a is surely better than all 2 others on f1"
    apart = "cannot be told apart from a on f1, the other is worse by more than 0.01"
    assert said(("a", "b", "c"), ("d",)) == f"b and c {apart}"
    assert said(("a", "b"), ("d",)) == f"b {apart}"
    assert said(tuple("abcdef"), ("g",)) == f"5 of 7 {apart}"


def test_few_items_that_carry_the_mean_widen_rows_of_a_ranking():
    rng = np.random.default_rng(0)
    base = rng.lognormal(0, 2, 60)
    scores = {name: base * rng.lognormal(0, 1, 60) for name in "abc"}
    ranking = compare_many_items(scores, random_state=0, n_draws=4000)
    joint = dict(zip(ranking.names, ranking.draws, strict=True))
    for name, other in (("b", "a"), ("c", "a")):
        row, alone = ranking.table.loc[name], ranking.pairs[name, other].hdi(of="a")
        width = row["hdi_high"] - row["hdi_low"]
        assert alone.high - alone.low > 5 * joint[name].std()
        assert 0.7 < width / (alone.high - alone.low) < 1.1
