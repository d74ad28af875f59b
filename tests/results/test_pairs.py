"""A pair of a ranking agrees with the ranking; alone, it does not depend on the others."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest

from skbayeseval import (
    BayesianComparer,
    ComparisonResult,
    compare_many,
    compare_many_items,
    compare_predictions,
    compare_scores,
    load_result,
)

N = 300
RNG = np.random.default_rng(0)
Y = RNG.integers(0, 2, N)
WRONG = {"a": 0.1, "b": 0.14, "c": 0.17, "d": 0.3, "e": 0.13}
SAID = {name: np.where(RNG.random(N) < wrong, 1 - Y, Y) for name, wrong in WRONG.items()}
SCORES = {name: np.clip(0.6 * one + 0.4 * RNG.random(N), 0, 1) for name, one in SAID.items()}
QUICK = {"random_state": 0, "n_draws": 4000}
MAKERS = {
    "classes": lambda: compare_many(Y, SAID, scoring=["accuracy", "f1"], **QUICK),
    "groups": lambda: compare_many(Y, SAID, groups=np.arange(N) // 5, **QUICK),
    "scores": lambda: compare_many(Y, None, scores=SCORES, scoring="roc_auc", **QUICK),
    "items": lambda: compare_many_items(
        {name: RNG.lognormal(0, 1.5, 40) - wrong for name, wrong in WRONG.items()}, **QUICK
    ),
    "splits": lambda: compare_scores(
        {name: (one == Y).reshape(10, -1).mean(axis=1) for name, one in SAID.items()},
        test_fraction=0.1,
        **QUICK,
    ),
    "copies": lambda: compare_many(
        Y, {"a": SAID["a"], "b": SAID["b"], "again": SAID["a"], "d": SAID["d"]}, **QUICK
    ),
}
ROPES = (0.0, 0.01, 0.05)


@pytest.fixture(scope="module", params=MAKERS)
def ranking(request):
    return MAKERS[request.param]()


def test_a_ranking_and_its_pairs_agree(ranking):
    means = ranking.table["mean"]
    first = ranking.table.index[0]
    for (i, j), pair in ranking.pairs.items():
        a, b = ranking.names[i], ranking.names[j]
        assert pair.draws_a.mean() == pytest.approx(means[a])
        assert pair.draws_b.mean() == pytest.approx(means[b])
        if ranking.evidence.family == "classes" and pair.draws.any():
            assert pair.draws.mean() == pytest.approx(means[a] - means[b], abs=3e-4)
    for rope in ROPES:
        states, tiers = ranking.decision(rope).states(), ranking.tiers(rope).numbers()
        for name in ranking.names:
            if name == first:
                continue
            pair = ranking.pairs[first, name]
            decision, probabilities = pair.decision(rope), pair.probability(rope)
            assert decision.probabilities == probabilities
            assert (states[name] == "worse") == (decision.code == ">>") == (tiers[name] > 1)
            if states[name] == "equivalent":
                assert probabilities.better < 0.21
        table = ranking.summary(rope)
        for i, j in combinations(range(len(ranking.names)), 2):
            pair, row = ranking.pairs[i, j], table.loc[(ranking.names[i], ranking.names[j])]
            chances = row[["p_worse", "p_rope", "p_better"]].tolist()
            assert chances == list(pair.probability(rope))
            assert (row["hdi_low"], row["hdi_high"]) == pair.hdi() == pair.decision(rope).hdi
            code = pair.decision(rope).code if pair.decision(rope).settled else "?"
            assert row["decision"] == code == pair.summary(rope)["decision"].iloc[0]
            margin = rope + 0.001
            asked = ranking.non_inferiority(margin, j)[ranking.names[i]]
            assert asked.probability == pair.non_inferiority(margin).probability


def test_the_mirror_is_exact(ranking):
    pair, mirror = ranking.pairs[0, 1], ranking.pairs[1, 0]
    for one, other in ((pair, mirror), (pair.alone, mirror.alone)):
        np.testing.assert_array_equal(one.draws, -other.draws)
        np.testing.assert_array_equal(one.draws_a, other.draws_b)
        low, high = one.hdi()
        assert other.hdi() == pytest.approx((-high, -low))
        assert one.probability(0.01) == pytest.approx(tuple(reversed(other.probability(0.01))))


def test_what_rests_on_the_data_is_the_same_alone(ranking):
    pair = ranking.pairs[0, 1]
    alone = pair.alone
    assert isinstance(alone, ComparisonResult)
    assert alone.alone is alone
    assert pair.metric(pair.metrics[0]).alone.hdi() == alone.hdi()
    assert (pair.observed_a, pair.observed_b) == (alone.observed_a, alone.observed_b)
    for ask in (
        lambda one: one.frequentist(),
        lambda one: one.disagreements(),
        lambda one: one.prior_sensitivity(0.01),
        lambda one: pd.Series(one.bayes_factor(0.01)),
    ):
        said = []
        for one in (pair, alone):
            try:
                said.append(ask(one).to_csv())
            except ValueError as error:  # no such test or factor
                said.append(str(error))
        assert said[0] == said[1]
    line = f"one pair of {len(ranking.names)} classifiers, allowing for all of them"
    assert line in str(pair)
    assert line in pair.details()
    assert "allowing" in pair.explain()
    assert "one pair of" not in str(alone)


def test_a_saved_pair_keeps_which_it_is(ranking, tmp_path):
    pair = ranking.pairs[1, 0]
    for one in (pair, pair.alone):
        one.save(tmp_path / "pair")
        for loaded in (ComparisonResult.load(tmp_path / "pair"), load_result(tmp_path / "pair")):
            assert str(loaded) == str(one)
            for of in ("difference", "a", "b"):
                assert loaded.hdi(of=of) == one.hdi(of=of)
            assert str(loaded.decision(0.01)) == str(one.decision(0.01))
            np.testing.assert_array_equal(loaded.alone.draws, one.alone.draws)
    if ranking.evidence.family == "classes":
        pair.save(tmp_path / "pair")
        loaded = load_result(tmp_path / "pair")
        with pytest.raises(ValueError, match=r"only in \['accuracy'.*not in 'recall'.*alone"):
            loaded.metric("recall").hdi()
        recalls = (one.alone.metric("recall").interval() for one in (loaded, pair))
        assert next(recalls) == pytest.approx(next(recalls), abs=0.01)


def test_pairs_of_copies_are_equal():
    ranking = MAKERS["copies"]()
    for name in ("b", "d"):
        pairs = [ranking.pairs[copy, name] for copy in ("a", "again")]
        np.testing.assert_array_equal(pairs[0].draws, pairs[1].draws)
        np.testing.assert_array_equal(pairs[0].draws_a, pairs[1].draws_a)
    copies = ranking.pairs["a", "again"]
    assert "identical" in str(copies)
    assert copies.hdi() == copies.alone.hdi()


def test_of_two_the_pair_is_the_pair_alone():
    two = {name: SAID[name] for name in "ab"}
    ranking = compare_many(Y, two, **QUICK)
    given = compare_predictions(Y, *two.values(), names=tuple(two), **QUICK)
    for pair in (ranking.pairs[0, 1], ranking.pairs[1, 0]):
        assert pair.alone is pair
        assert "one pair of" not in pair.details()
    np.testing.assert_array_equal(ranking.pairs[0, 1].draws, given.draws)
    # Alone, a pair does not depend on the others, but for its draws.
    alone = compare_many(Y, SAID, **QUICK).pairs["a", "b"].alone
    assert alone.draws.mean() == pytest.approx(given.draws.mean(), abs=5 * given.draws.std() / 60)
    assert alone.interval() == pytest.approx(given.interval(), abs=0.004)
    assert alone.bayes_factor(0.01).value == pytest.approx(given.bayes_factor(0.01).value, rel=0.1)


def test_the_first_pair_of_a_comparer_allows_for_the_others():
    from sklearn.naive_bayes import GaussianNB
    from sklearn.neighbors import KNeighborsClassifier
    from sklearn.tree import DecisionTreeClassifier

    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 2)) + Y[:120, None]
    estimators = [GaussianNB(), KNeighborsClassifier(), DecisionTreeClassifier(random_state=0)]
    comparer = BayesianComparer(estimators, n_draws=1000, random_state=0).fit(X, Y[:120])
    pair = comparer.ranking_.pairs[0, 1]
    assert comparer.result_.hdi() == pair.hdi() != pair.alone.hdi()
    assert comparer.hdi() == pair.hdi()
    two = BayesianComparer(estimators[:2], n_draws=1000, random_state=0).fit(X, Y[:120])
    assert two.result_.alone is two.result_


@pytest.mark.slow
@pytest.mark.parametrize(
    ("number", "lead", "boards", "least", "most"),
    [(5, 0.0, 200, 0.0, 0.09), (20, 0.0, 60, 0.0, 0.2), (5, 0.55, 100, 0.85, 1.0)],
)
def test_how_often_the_first_is_said_to_be_better(number, lead, boards, least, most):
    """Than the worst of equal ones; or, if it is ahead by four standard deviations, the next."""
    said = alone = 0
    for seed in range(boards):
        rng = np.random.default_rng(seed)
        y, skill = np.arange(400) % 2, np.append(1.2 + lead, np.full(number - 1, 1.2))
        hard, luck = rng.normal(size=(400, 1)), rng.normal(size=(400, number))
        right = skill - hard + luck > 0
        predictions = {f"s{k}": np.where(right[:, k], y, 1 - y) for k in range(number)}
        ranking = compare_many(y, predictions, n_draws=2000, random_state=seed)
        order = ranking.table.index
        pair = ranking.pairs[order[0], order[1 if lead else -1]]
        said += pair.probability().better > 0.95
        alone += pair.alone.probability().better > 0.95
    assert least <= said / boards <= most
    assert lead or alone / boards > 0.3
