"""Scores of instances as evidence, and how estimators are asked for them."""

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from skbayeseval.evidence.instance_scores import ScoredInstances, respond
from skbayeseval.metrics import get_metric
from skbayeseval.metrics.instance_scores import SCORE_METRICS
from tests.evidence.bootstrap import slopes

RNG = np.random.default_rng(0)
X = RNG.normal(size=(120, 3))
TWO = (X[:, 0] + RNG.normal(size=120) > 0).astype(int)
THREE = np.digitize(X[:, 0] + RNG.normal(size=120), [-0.5, 0.5])
MANY = (X + RNG.normal(size=(120, 3)) > 0).astype(int)


def test_classes_unseen_in_training_come_last():
    estimator = LogisticRegression().fit(X[THREE > 0], THREE[THREE > 0])
    probability = respond(estimator, X, "probability", (0, 1, 2), False)
    np.testing.assert_array_equal(probability[:, 0], 0)
    np.testing.assert_allclose(probability.sum(axis=1), 1)
    ridge = RidgeClassifier().fit(X[THREE > 0], THREE[THREE > 0])
    ranking = respond(ridge, X, "ranking", (0, 1, 2), False)
    assert (ranking[:, 0] < ranking[:, 1:].min(axis=1)).all()


def test_labels_that_training_never_or_always_had():
    forest = RandomForestClassifier(5, random_state=0).fit(X, MANY * [1, 0, 0] + [0, 0, 1])
    probability = respond(forest, X, "probability", (0, 1, 2), True)
    np.testing.assert_array_equal(probability[:, 0], forest.predict_proba(X)[0][:, 1])
    np.testing.assert_array_equal(probability[:, 1:], np.tile([0.0, 1.0], (120, 1)))


def test_runs_are_averaged_never_pooled():
    scores = RNG.normal(size=120) + TWO
    run = np.repeat([0, 1], 60)
    shifted = scores + 5 * run
    ours = ScoredInstances.from_scores(TWO, {"a": shifted}, run=run)
    of_runs = ours.of_runs(get_metric("roc_auc"))
    assert of_runs.shape == (1, 2)
    plain = ScoredInstances.from_scores(TWO, {"a": scores}, run=run)
    np.testing.assert_allclose(of_runs, plain.of_runs(get_metric("roc_auc")))
    pooled = ScoredInstances.from_scores(TWO, {"a": shifted}).observed(get_metric("roc_auc"))
    assert ours.observed(get_metric("roc_auc"))[0] == pytest.approx(of_runs.mean())
    assert pooled[0] < ours.observed(get_metric("roc_auc"))[0]


@pytest.mark.parametrize(
    ("y", "scores", "error", "message"),
    [
        (TWO, ["high"] * 120, TypeError, "a must contain numbers"),
        (TWO, TWO[:5], ValueError, r"y_true has 120, a has shape \(5,\)"),
        (TWO, np.full(120, np.nan), ValueError, "Input a contains NaN or infinity"),
        (TWO, np.zeros((120, 3)), ValueError, "there are 2 classes. Pass one column"),
        (THREE, np.zeros(120), ValueError, "there are 3 classes. Pass 3 columns"),
        (MANY, np.zeros((120, 2)), ValueError, "there are 3 labels. Pass 3 columns"),
    ],
)
def test_bad_scores(y, scores, error, message):
    with pytest.raises(error, match=message):
        ScoredInstances.from_scores(y, {"a": scores})


@pytest.mark.parametrize("pos_label", [None, "spam", "ham"])
def test_a_single_column_must_be_that_of_the_positive_class(pos_label):
    truth = np.where(TWO == 1, "spam", "ham")
    frames = {name: pd.DataFrame({name: np.zeros(120)}) for name in ("spam", "ham")}
    positive = frames.pop(pos_label or "spam")
    (other,) = frames.values()
    ScoredInstances.from_scores(truth, {"a": positive}, pos_label=pos_label)
    with pytest.raises(ValueError, match="but the scores of the positive class '"):
        ScoredInstances.from_scores(truth, {"a": other}, pos_label=pos_label)


def test_columns_must_be_those_of_the_classes():
    class OneShort(LogisticRegression):
        def decision_function(self, X):
            return super().decision_function(X)[:, :2]

    with pytest.raises(
        ValueError, match="returned 2 columns that do not correspond to the 3 classes"
    ):
        respond(OneShort().fit(X, THREE), X, "ranking", (0, 1, 2), False)
    pipeline = make_pipeline(StandardScaler(), SVC(decision_function_shape="ovo")).fit(X, THREE)
    with pytest.raises(ValueError, match="decision_function_shape='ovr'"):
        respond(pipeline, X, "ranking", (0, 1, 2), False)


@pytest.mark.parametrize("metric", sorted(SCORE_METRICS))
def test_influence_is_the_derivative_of_the_bootstrap(metric):
    """One more weight of a row moves the average over runs by its influence."""
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2 if metric == "roc_auc" else 3, 60)
    scores = np.round(rng.dirichlet(np.ones(3), 60) + 0.3 * np.eye(3)[truth], 1)
    scores = scores / scores.sum(axis=1, keepdims=True)
    if metric == "roc_auc":
        scores = np.round(rng.normal(size=60) + truth, 1)
    scored = ScoredInstances.from_scores(truth, {"a": scores}, run=np.repeat([0, 1, 2], 20))
    rows = [0, 13, 25, 47, 59]
    influence = scored.influence(get_metric(metric))[0, rows]
    assert influence == pytest.approx(slopes(scored, get_metric(metric), 0, rows), abs=1e-7)


def test_two_columns_that_do_not_sum_to_one_are_no_probabilities():
    positive = RNG.random(120).astype(np.float32)
    both = np.column_stack([1 - positive, positive])
    for columns, valid in ((both, True), (both * [[1, 0.9]], False)):
        scored = ScoredInstances.from_scores(TWO, {"a": columns, "b": both})
        scored.check_metric(get_metric("roc_auc"))  # they rank the instances all the same
        assert set(scored.responses[0]) == ({"ranking", "probability"} if valid else {"ranking"})
        assert scored.are_copies(0, 1, "roc_auc") == valid
        if valid:
            scored.check_metric(get_metric("neg_log_loss"))
            continue
        with pytest.raises(ValueError, match="'neg_log_loss' requires prob.* do not sum to one"):
            scored.check_metric(get_metric("neg_log_loss"))
