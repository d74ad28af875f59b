import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn.dummy import DummyClassifier

from skbayeseval import (
    bayesian_cross_validate,
    compare_counts,
    compare_items,
    compare_many,
    compare_predictions,
    compare_scores,
    metrics,
)
from skbayeseval.judgement import Interval
from skbayeseval.judgement.decision import format_probability


@pytest.fixture
def result(votes):
    return compare_predictions(
        *votes, scoring=["f1", "accuracy", "recall"], names=("new", "old"), random_state=0
    )


def test_another_metric_sees_the_same_draws(result):
    recall = result.metric("recall")
    np.testing.assert_array_equal(recall.draws, result.metric("recall").draws)
    # Recall is a factor of F1 in the same table: strongly correlated only if draws are shared.
    assert np.corrcoef(recall.draws_a, result.draws_a)[0, 1] > 0.5
    assert recall.hdi() == result.hdi(metric="recall")
    f2 = result.metric(metrics.fbeta(2))
    between = np.sort([result.draws_a, recall.draws_a], axis=0)
    assert (f2.draws_a >= between[0] - 1e-12).all()
    assert (f2.draws_a <= between[1] + 1e-12).all()
    with pytest.raises(ValueError, match="is not a known metric"):
        result.metric("nonsense")
    with pytest.raises(TypeError, match="metric must be a name"):
        result.metric(3)


def test_hdi_and_interval(result):
    for of in ("difference", "a", "b"):
        low, high = result.hdi(of=of)
        assert low < high
        assert result.hdi(0.5, of=of).high < high
    recall = result.interval(0.9, of="a", metric="recall")
    cells = result.evidence.margin(0).table
    exact = stats.beta(cells[1, 1] + 0.5, cells[1, 0] + 0.5).ppf([0.05, 0.95])  # Jeffreys
    np.testing.assert_allclose(recall, exact)
    np.testing.assert_allclose(result.interval(of="a"), np.quantile(result.draws_a, [0.025, 0.975]))
    assert isinstance(recall, Interval)
    with pytest.raises(ValueError, match="of='c' is not a known quantity"):
        result.hdi(of="c")
    with pytest.raises(ValueError, match="prob == 1.2"):
        result.interval(1.2, of="a", metric="recall")


def test_bcv_interval_of_the_difference_is_free_of_noise():
    one = compare_counts((88, 10, 12), (80, 14, 20), random_state=0)
    two = compare_counts((88, 10, 12), (80, 14, 20), random_state=1)
    assert one.interval() == two.interval()
    np.testing.assert_allclose(
        one.interval(), np.quantile(one.draws, [0.025, 0.975]), atol=0.1 * one.draws.std()
    )


COLUMNS = ["mean", "sd", "mcse", "p_worse", "p_rope", "p_better"]
COLUMNS += ["hdi_low", "hdi_high", "hdi_mcse", "decision"]


def test_summary(result):
    table = result.summary(rope=0.01)
    assert isinstance(table, pd.DataFrame)
    assert list(table.index) == ["f1", "accuracy", "recall"]
    assert list(table.columns) == COLUMNS
    row = table.loc["f1"]
    assert row["mean"] == pytest.approx(result.draws.mean())
    assert row["sd"] == pytest.approx(result.draws.std(), rel=1e-3)
    assert row["mcse"] == pytest.approx(row["sd"] / np.sqrt(20_000))
    assert row["hdi_mcse"] == pytest.approx(0.04 * row["sd"], rel=0.7)
    assert row["decision"] == result.decision(0.01).code == ">>"
    # Every sentence calls this "not settled".
    assert result.decision(0.07).code in ("<", ">")
    assert result.summary(rope=0.07).loc["f1", "decision"] == "?"


def test_bayes_factors_on_request(result, monkeypatch):
    assert not result.bayes_factor(0.01).reliable
    assert np.isnan(result.summary(rope=0.01, bayes_factor=True).loc["f1", "bf"])
    wide = result.bayes_factor(0.1)
    assert wide.reliable
    assert result.summary(0.1, bayes_factor=True).loc["f1", "bf"] == pytest.approx(wide.value)
    table = result.summary(bayes_factor=True)
    assert np.isnan(table.loc["f1", "bf"])
    assert table.loc["recall", "bf"] == pytest.approx(result.bayes_factor(metric="recall").value)
    assert np.isnan(result.summary(rope=0.0, bayes_factor=True).loc["f1", "bf"])
    with pytest.raises(TypeError, match="bayes_factor"):
        result.summary(bayes_factor="yes")
    # Otherwise they are not even computed.
    monkeypatch.setattr("skbayeseval.results.summaries._factor", None)
    assert "bf" not in result.summary(0.1)


def test_prior_sensitivity(result):
    table = result.prior_sensitivity(rope=0.2)
    assert list(table.columns) == COLUMNS
    models = {"paired", "unpaired", "hierarchical", "bcv"}
    assert set(table.index.get_level_values("model")) == models
    assert table.index[0] == ("paired", "mu=1.0, theta=1.0")  # the published one
    own = table.loc[("paired", "mu=1.0, theta=0.25")]
    assert own["mean"] == pytest.approx(result.draws.mean())
    # 400 instances outweigh every prior, and pairing narrows.
    assert table["mean"].std() < 0.1 * own["sd"]
    assert table.loc["unpaired", "sd"].min() > table.loc["paired", "sd"].max()


@pytest.mark.parametrize(
    "ask",
    [
        lambda result, **metric: result.decision(0.01, **metric),
        lambda result, **metric: result.non_inferiority(0.01, **metric),
        lambda result, **metric: result.superiority(**metric),
        lambda result, **metric: result.expected_loss(0.01, **metric),
    ],
)
def test_answers_about_the_first_metric_say_so(result, ask):
    said = "Only about F1; for other metrics, pass metric='accuracy' or 'recall'."
    assert said in str(ask(result))
    assert ask(result) == ask(result, metric="f1")
    for asked in (ask(result, metric="f1"), ask(result.metric("f1"))):
        assert "metric=" not in str(asked)


@pytest.mark.parametrize(
    ("scoring", "of_class"),
    [("f1", "bad"), ("f1_macro", "bad"), ("f1[bad]", "bad"), ("roc_auc", "bad"),
     ("specificity", None), ("f1[good]", None), ("accuracy", None)],
)  # fmt: skip
def test_more_instances_of_a_scarce_class(scoring, of_class):
    rng = np.random.default_rng(2)
    truth, a, b = rng.random((3, 120)) < 0.1
    y, a, b = (np.where(rows, "bad", "good") for rows in (truth, truth ^ a, truth ^ b))
    scores = dict(zip(("y_score_a", "y_score_b"), truth + rng.normal(0, 1, (2, 120)), strict=True))
    given = scores if scoring in ("average_precision", "roc_auc") else {}
    options = {"scoring": scoring, "pos_label": "bad", "n_draws": 500, "random_state": 0}
    said = str(compare_predictions(y, a, b, **given, **options).decision(0.01))
    assert ("instances of class bad could settle it" in said) == (of_class == "bad"), said


# Every method, sentence, table and figure gives the same answer to the same question.
RNG = np.random.default_rng(3)
Y = (RNG.random(200) < 0.4).astype(int)
A, B, C = (np.where(RNG.random(200) < p, Y, 1 - Y) for p in (0.85, 0.75, 0.8))
SPLITS = RNG.normal(0.8, 0.05, (3, 10)) + np.array([[0.02], [0.0], [0.01]])
SETS = RNG.normal(0.8, 0.03, (2, 9)) + np.array([[0.015], [0.0]])
FEW = {"n_draws": 2000, "random_state": 0}
RESULTS = {
    "paired": compare_predictions(Y, A, B, scoring="f1", **FEW),
    "bcv": compare_counts((88, 10, 12), (80, 14, 20), **FEW),
    "unpaired": compare_predictions(Y, A, B, scoring="recall", model="unpaired", **FEW),
    "scores": compare_scores(*SPLITS[:2], test_fraction=0.1, **FEW),
    "signed-rank": compare_scores(*SETS, test_fraction=None, model="signed-rank", **FEW),
}


@pytest.mark.parametrize("name", RESULTS)
def test_one_answer_of_figure_table_and_methods(name):
    result = RESULTS[name]
    rope = 0.01
    probabilities, row = result.probability(rope), result.summary(rope).iloc[0]
    assert tuple(row[["p_worse", "p_rope", "p_better"]]) == probabilities
    assert tuple(row[["hdi_low", "hdi_high"]]) == result.hdi()
    assert result.bayes_test().p_h1 == pytest.approx(result.probability().worse, abs=1e-9)
    decision = result.decision(rope)
    assert (decision.hdi, decision.probabilities) == (result.hdi(), probabilities)
    shown = " ".join(text.get_text() for text in result.plot(rope=rope).ax_.texts)
    for probability in probabilities:
        assert format_probability(probability) in shown
    if name != "signed-rank":
        joint = " ".join(text.get_text() for text in result.plot("joint", rope=rope).ax_.texts)
        for probability in probabilities:
            assert format_probability(probability) in joint


@pytest.mark.parametrize("name", ["", " "])
def test_empty_names(name):
    y = [0, 1] * 10
    for compare in (
        lambda: compare_predictions(y, y, y, names=(name, "b")),
        lambda: compare_many(y, {name: y, "b": y}),
        lambda: compare_items(y, y, names=(name, "b")),
        lambda: bayesian_cross_validate((name, DummyClassifier()), DummyClassifier(), y, y),
    ):
        with pytest.raises(ValueError, match=rf"must not be empty, got '{name}'"):
            compare()
