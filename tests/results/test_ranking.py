import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

from skbayeseval import (
    compare_many,
    compare_predictions,
    compare_scores,
)


@pytest.fixture(scope="module")
def twenty():
    """Predictions of twenty classifiers on digits."""
    X, y = load_digits(return_X_y=True)
    X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.4, random_state=0)
    models = {f"knn-{k}": KNeighborsClassifier(k) for k in range(1, 11)}
    models |= {
        f"tree-{d}": DecisionTreeClassifier(max_depth=d, random_state=0) for d in range(3, 13)
    }
    return y_test, {
        name: model.fit(X_train, y_train).predict(X_test) for name, model in models.items()
    }


@pytest.fixture
def ranking(votes):
    y, a, b = votes
    c = np.roll(y, 1)
    return compare_many(y, {"a": a, "b": b, "c": c}, scoring=["f1", "accuracy"], random_state=0)


def test_twenty_classifiers(twenty):
    y, predictions = twenty
    ranking = compare_many(y, predictions, scoring="f1_macro", n_draws=4000, random_state=0)
    table = ranking.table
    assert table["p_best"].sum() == pytest.approx(1)
    assert table["expected_rank"].sum() == pytest.approx(20 * 21 / 2)
    assert len(ranking.pairs) == 190
    for a, b in (("knn-1", "tree-12"), ("knn-3", "knn-9"), ("tree-5", "tree-9")):
        pair = ranking.pairs[a, b]
        two = compare_predictions(
            y, predictions[a], predictions[b], scoring="f1_macro", n_draws=20_000, random_state=1
        )
        p = two.probability().better
        error = 4 * np.sqrt(max(p * (1 - p), 1e-3) * (1 / 4000 + 1 / 20_000))
        assert pair.probability().better == pytest.approx(p, abs=error)


def test_table(ranking):
    table = ranking.table
    assert list(table.columns) == [
        "observed",
        "mean",
        "hdi_low",
        "hdi_high",
        "p_best",
        "expected_rank",
        "rank_low",
        "rank_high",
    ]
    assert table["mean"].is_monotonic_decreasing
    assert sorted(table.index) == ["a", "b", "c"]
    table = table.loc[["a", "b", "c"]]
    np.testing.assert_allclose(table["observed"], ranking.observed)
    np.testing.assert_allclose(table["mean"], ranking.draws.mean(axis=1))
    pooled = ranking._pooled(ranking._metric(None))
    np.testing.assert_allclose(
        table["p_best"], np.bincount(pooled.argmax(axis=0), minlength=3) / 20_000
    )
    better = (pooled[:, None] < pooled[None]).mean(axis=2).sum(axis=1)
    np.testing.assert_allclose(table["expected_rank"], 1 + better)
    assert ranking.metric("accuracy").table.loc["a", "mean"] != table.loc["a", "mean"]


def test_pairs(ranking):
    pair, mirror = ranking.pairs[0, 2], ranking.pairs[2, 0]
    assert pair.names == ("a", "c")
    np.testing.assert_array_equal(pair.draws, -mirror.draws)
    assert pair.observed_a == mirror.observed_b
    np.testing.assert_array_equal(pair.draws, ranking.draws[0] - ranking.draws[2])
    np.testing.assert_array_equal(ranking.pairs["a", -1].draws, pair.draws)
    assert list(ranking.pairs) == [(0, 1), (0, 2), (1, 2)]
    assert pair.metrics == ("f1", "accuracy")
    assert pair.interval(of="a", metric="recall") == mirror.interval(of="b", metric="recall")
    for wrong in ((0, 0), (0, 3), ("a", "z"), 1, (0, 1, 2)):
        with pytest.raises(KeyError):
            ranking.pairs[wrong]


def test_questions_about_two_point_to_pairs(ranking):
    for name in ("by", "superiority", "frequentist", "observed_a"):
        with pytest.raises(AttributeError, match=rf"Ask a pair of them: pairs\[i, j\]\.{name}, "):
            getattr(ranking, name)
    with pytest.raises(AttributeError, match="^'Ranking' object has no attribute 'nothing'$"):
        ranking.nothing  # noqa: B018
    said = "This is about f1 only: for other metrics, pass metric='accuracy'."
    assert str(ranking.decision(0.02)).splitlines()[-1].strip() == said
    assert said not in str(ranking.decision(0.02, metric="f1"))


def test_one_sided_questions(ranking):
    pooled = ranking._pooled(ranking._metric(None))
    found = ranking.non_inferiority(0.05)
    assert list(found) == ["a", "b", "c"]
    for row, decision in zip(pooled, found.values(), strict=True):
        assert decision.probability == pytest.approx((pooled.max(axis=0) - row <= 0.05).mean())
    assert "c is worse than the best by more than 0.05" in str(found["c"])
    for reference in ("b", 1, -2):
        against = ranking.non_inferiority(0.05, reference)
        assert list(against) == ["a", "c"]
        assert against["c"] == ranking.pairs["c", "b"].non_inferiority(0.05)
    with pytest.raises(KeyError, match=r"'z' is not the name or position .* \['a', 'b', 'c'\]"):
        ranking.non_inferiority(0.05, "z")
    loss = ranking.expected_loss(0.01)
    assert (loss.names, loss.choice) == (ranking.names, "a")
    assert loss.losses[2] == pytest.approx((pooled[0] - pooled[2]).mean(), rel=0.05)
    assert "This is about f1 only" in str(loss)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("model", ["paired", "unpaired", "hierarchical", "bcv"])
def test_every_model_of_three_classifiers(model, n_classes):
    if model == "bcv" and n_classes > 2:
        pytest.skip("bcv is of two classes")
    rng = np.random.default_rng(0)
    y = rng.integers(0, n_classes, 200)
    predictions = {
        name: np.where(rng.random(200) < p, y, rng.integers(0, n_classes, 200))
        for name, p in (("a", 0.9), ("b", 0.7), ("c", 0.5))
    }
    ranking = compare_many(y, predictions, model=model, scoring="f1_macro", random_state=0)
    assert list(ranking.table.sort_values("expected_rank").index) == ["a", "b", "c"]
    assert len(ranking.summary(rope=0.02)) == 3
    two = compare_predictions(
        y, predictions["b"], predictions["c"], model=model, scoring="f1_macro", random_state=1
    )
    pair = ranking.pairs["b", "c"]
    error = 4 * np.hypot(two.draws.std(), pair.draws.std()) / np.sqrt(20_000)
    assert pair.draws.mean() == pytest.approx(two.draws.mean(), abs=error)
    assert pair.draws.std() == pytest.approx(two.draws.std(), rel=0.04)


def test_equal_systems_are_not_called_worse():
    # Eight systems without any difference: the best of each draw is far ahead of some by chance.
    rng = np.random.default_rng(0)
    worse = 0
    for seed in range(10):
        table = pd.DataFrame(rng.normal(size=(5, 8)) + rng.normal(size=(5, 1)))
        ranking = compare_scores(table.rename(columns=str), n_draws=600, random_state=seed)
        worse += len(ranking.decision(0.5).worse)
        # Pairs are not pooled.
        draws = ranking.draws
        np.testing.assert_allclose(ranking.pairs[0, 1].draws, draws[0] - draws[1])
    assert worse <= 4  # 14 of 80 without pooling
