"""Cross-validation that compares plain scores, and metrics of scores, of any estimator."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator
from sklearn.datasets import load_breast_cancer, load_diabetes, make_multilabel_classification
from sklearn.dummy import DummyRegressor
from sklearn.linear_model import Lasso, LogisticRegression, Ridge
from sklearn.metrics import average_precision_score, make_scorer, max_error, mean_pinball_loss
from sklearn.model_selection import (
    GridSearchCV,
    KFold,
    ShuffleSplit,
    StratifiedKFold,
    cross_val_predict,
    cross_validate,
)
from sklearn.multioutput import MultiOutputClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from skbayeseval import (
    BayesianComparer,
    BlockRegularizedCV,
    bayesian_cross_validate,
    compare_many,
    compare_predictions,
    compare_scores,
    count_scorer,
    load_result,
    score_posterior,
)
from skbayeseval.models import CorrelatedT

X, Y = load_diabetes(return_X_y=True)
XC, YC = load_breast_cancer(return_X_y=True)
TREE, NB = DecisionTreeClassifier(max_depth=3, random_state=0), GaussianNB()
FEW = {"n_draws": 1000, "random_state": 0}
SCORED = {"model": "scores", "random_state": 0}


@pytest.mark.parametrize(
    "cv",
    [BlockRegularizedCV(random_state=0), 4, list(ShuffleSplit(6, random_state=0).split(X))],
    ids=["blocks", "folds", "list"],
)
@pytest.mark.parametrize("scoring", [None, ["r2", "neg_mean_absolute_error"]])
def test_regressors(cv, scoring):
    result = bayesian_cross_validate(Ridge(), Lasso(), X, Y, cv=cv, scoring=scoring, **SCORED)
    theirs = [cross_validate(e, X, Y, cv=cv, scoring=scoring) for e in (Ridge(), Lasso())]
    keys = [key for key in theirs[0] if key.startswith("test_")]
    for key, name in zip(keys, result.metrics, strict=True):
        a, b = (of_one[key] for of_one in theirs)
        np.testing.assert_allclose(result.cv_results["Ridge"][key], a)
        fraction = {4: 1 / 4}.get(cv) if isinstance(cv, int) else None
        if fraction is None:
            splits = cv if isinstance(cv, list) else list(cv.split(X, Y))
            fraction = np.mean([len(te) for _, te in splits]) / len(X)
        alone = compare_scores(a, b, test_fraction=fraction)
        assert result.probability(metric=name) == pytest.approx(alone.probability())


def test_any_scorer():
    scoring = {
        "pinball": make_scorer(mean_pinball_loss, greater_is_better=False),
        "worst": make_scorer(max_error, greater_is_better=False),
        "n": lambda estimator, X, y: float(len(y) % 3),
    }
    result = bayesian_cross_validate(Ridge(), Lasso(), X, Y, scoring=scoring, **SCORED)
    assert result.metrics == ("pinball", "worst", "n")
    assert result.probability(metric="n") == pytest.approx((0.5, 0, 0.5))
    one = bayesian_cross_validate(Ridge(), Lasso(), X, Y, scoring=scoring["worst"], **SCORED)
    assert one.metrics == ("score",)
    np.testing.assert_array_equal(one.draws, result.metric("worst").draws)


def test_comparer_of_regressors():
    comparer = BayesianComparer(
        [Ridge(), Lasso(), DummyRegressor()], scoring="r2", model=CorrelatedT(), refit=True,
        random_state=0,
    ).fit(pd.DataFrame(X).rename(columns=str), Y)  # fmt: skip
    assert comparer.ranking_.table["p_best"].sum() == pytest.approx(1)
    assert comparer.best_name_ == "Ridge"
    assert not hasattr(comparer, "classes_")
    assert comparer.score(pd.DataFrame(X).rename(columns=str), Y) == pytest.approx(
        Ridge().fit(X, Y).score(X, Y)
    )
    assert comparer.set_params(scoring=None).fit(X, Y).score(X, Y) == pytest.approx(
        Ridge().fit(X, Y).score(X, Y)
    )
    comparer.set_params(scoring="neg_mean_absolute_error", model="auto", n_draws=500).fit(X, Y)
    assert comparer.score(X, Y) == pytest.approx(-np.abs(Y - comparer.predict(X)).mean())


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"scoring": 3}, TypeError, "neither a name, a metric nor a scorer"),
        ({"scoring": lambda *_: np.nan}, ValueError, "gave nan, not a finite number"),
        ({"scoring": lambda *_: {"a": 1}}, ValueError, "gave .'a': 1., not a finite number"),
        ({"scoring": ["r2", "r2"]}, ValueError, "several scorers of the same name"),
        ({"scoring": [max, min]}, ValueError, "Pass a dict of names to scorers"),
        ({"model": "bcv"}, ValueError, "models predicted classes, but the predictions are numbers"),
        ({"prior": {"mu": 1}}, ValueError, "no parameter 'mu'"),
    ],
)
def test_bad_input(change, error, message):
    with pytest.raises(error, match=message):
        bayesian_cross_validate(Ridge(), Lasso(), X, Y, **(SCORED | change))


# Metrics of scores.


def test_auc_beside_f1():
    both = bayesian_cross_validate(TREE, NB, XC, YC, scoring=["f1", "roc_auc"], **FEW)
    alone = {
        name: bayesian_cross_validate(TREE, NB, XC, YC, scoring=name, **FEW)
        for name in both.metrics
    }
    for name, of_one in alone.items():
        np.testing.assert_allclose(both.metric(name).draws, of_one.draws, atol=1e-12)
        assert both.metric(name).observed_a == pytest.approx(of_one.observed_a)
    assert (both.model, alone["roc_auc"].model) == ("paired", "instance weights")
    assert "weights of instances for roc_auc" in both.details()
    with pytest.raises(
        ValueError, match="'roc_auc' has no proper prior under model='instance weights'"
    ):
        both.bayes_factor(0.01, metric="roc_auc")
    with pytest.raises(ValueError, match="cannot be simulated"):
        both.required_sample_size(1e-9, metric="roc_auc")


def test_labels_any_of_many():
    data, labels = make_multilabel_classification(200, n_classes=3, random_state=0)
    a = MultiOutputClassifier(LogisticRegression())
    b = DecisionTreeClassifier(max_depth=2, random_state=0)
    result = bayesian_cross_validate(
        a, b, data, labels, scoring=["f1_macro", "average_precision"], cv=KFold(4), random_state=0
    )
    theirs = cross_validate(b, data, labels, cv=KFold(4), scoring="average_precision")
    np.testing.assert_allclose(
        result.cv_results["DecisionTreeClassifier"]["test_average_precision"], theirs["test_score"]
    )


def test_scores_made_elsewhere():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 300)
    a, b = (1 / (1 + np.exp(-(2 * y - 1 + rng.normal(size=300) * s))) for s in (1, 2))
    result = compare_predictions(
        y, a > 0.5, b > 0.5, y_score_a=a, y_score_b=b, **FEW,
        scoring=["accuracy", "roc_auc", "neg_log_loss", "neg_brier_score"],
    )  # fmt: skip
    alone = compare_predictions(
        y, None, None, y_score_a=a, y_score_b=np.column_stack([1 - b, b]), scoring="roc_auc",
        **FEW,
    )  # fmt: skip
    np.testing.assert_allclose(result.metric("roc_auc").draws, alone.draws, atol=1e-12)
    assert alone.model == "instance weights"
    ranking = compare_many(
        y, {"a": a > 0.5, "b": b > 0.5}, scores={"a": a, "b": b}, scoring="roc_auc", **FEW
    )
    np.testing.assert_allclose(ranking.pairs["a", "b"].draws, alone.draws, atol=1e-12)
    one = score_posterior(y, None, y_score=a, scoring="roc_auc", **FEW)
    np.testing.assert_allclose(one.draws, alone.draws_a, atol=1e-12)
    groups = np.repeat(np.arange(30), 10)
    grouped = compare_predictions(
        y, None, None, y_score_a=a, y_score_b=b, scoring="roc_auc", groups=groups, **FEW
    )
    assert grouped.draws.std() != alone.draws.std()
    assert (grouped.model, alone.model) == ("group weights", "instance weights")
    assert "300 scored instances in 30 groups" in grouped.details()
    with pytest.raises(ValueError, match="prevalence= does not apply to"):
        compare_predictions(
            y, a > 0.5, b > 0.5, y_score_a=a, y_score_b=b, scoring=["f1", "roc_auc"], prevalence=0.1
        )
    with pytest.raises(ValueError, match="must be given together, got y_pred_b=None"):
        compare_predictions(y, a > 0.5, None, scoring="accuracy")
    with pytest.raises(ValueError, match="Pass predictions as well"):
        compare_predictions(y, None, None, y_score_a=a, y_score_b=b, scoring="f1")


def test_the_positive_class_is_heard_everywhere():
    cv = StratifiedKFold(3)
    common = {"scoring": "average_precision", "cv": cv, **FEW}
    counted = bayesian_cross_validate(TREE, NB, XC, YC, pos_label=0, **common)
    scored = bayesian_cross_validate(TREE, NB, XC, YC, pos_label=0, model="scores", **common)
    assert scored.observed_b == pytest.approx(counted.observed_b)
    words = np.where(YC == 0, "malignant", "benign")
    named = bayesian_cross_validate(
        TREE, NB, XC, words, pos_label="malignant", model="scores", **common
    )
    assert named.observed_b == pytest.approx(counted.observed_b)
    comparer = BayesianComparer([TREE, NB], pos_label=0, refit=True, **common).fit(XC, YC)
    recorded = count_scorer([0, 1], also="average_precision", pos_label=0)
    best = comparer.best_estimator_
    by_hand = average_precision_score(YC, best.predict_proba(XC)[:, 0], pos_label=0)
    assert comparer.score(XC, YC) == pytest.approx(by_hand)
    assert recorded(best, XC, YC)["average_precision"] == pytest.approx(by_hand)


def test_splits_without_a_class_are_told_before_a_fit():
    rare = np.r_[np.zeros(60, int), np.ones(3, int)]
    with pytest.raises(ValueError, match="'roc_auc' is not defined in split 0.*stratified"):
        bayesian_cross_validate(TREE, NB, XC[:63], rare, scoring="roc_auc", cv=KFold(5))


# Searches as estimators.


def test_chosen_parameters_are_reported(tmp_path):
    search = GridSearchCV(TREE, {"max_depth": [1, 3]}, cv=2)
    pipeline = make_pipeline(StandardScaler(), search)
    for model in ("auto", "scores"):
        result = bayesian_cross_validate(
            ("search", search), ("pipe", pipeline), XC, YC, model=model, **FEW
        )
        for name in result.names:
            chosen = result.cv_results[name]["best_params"]
            assert len(chosen) == 6
            assert all(one["max_depth"] in (1, 3) for one in chosen)
        assert "  chosen by   search: max_depth=" in result.details()
        result.save(tmp_path / "nested.npz")
        assert load_result(tmp_path / "nested.npz").cv_results["search"]["best_params"] == list(
            result.cv_results["search"]["best_params"]
        )
    comparer = BayesianComparer([("search", search), NB], **FEW).fit(XC, YC)
    assert set(comparer.cv_results_["search"]["best_params"][0]) == {"max_depth"}
    assert "best_params" not in comparer.cv_results_["GaussianNB"]


# Numbers, of which predictions are kept.

MAE = "neg_mean_absolute_error"


@pytest.mark.parametrize("cv", [BlockRegularizedCV(random_state=0), 4])
@pytest.mark.parametrize("scoring", [None, ["r2", MAE, "neg_median_absolute_error"]])
def test_scores_of_numbers_are_those_of_cross_validate(cv, scoring):
    result = bayesian_cross_validate(
        Ridge(), Lasso(), X[:120], Y[:120], cv=cv, scoring=scoring, random_state=0
    )
    theirs = cross_validate(Ridge(), X[:120], Y[:120], cv=cv, scoring=scoring)
    ours = result.cv_results["Ridge"]
    keys = [key for key in theirs if key.startswith("test_")]
    for key, metric in zip(keys, result.metrics, strict=True):
        np.testing.assert_allclose(ours[key], theirs[key], rtol=1e-12)
        assert result.metric(metric).observed_a == pytest.approx(theirs[key].mean())
    assert result.metrics[0] == "r2"


def test_instance_weights_are_the_default_and_scores_are_there():
    options = {"cv": KFold(5), "scoring": MAE, "random_state": 0}
    result = bayesian_cross_validate(Ridge(), DummyRegressor(), X[:120], Y[:120], **options)
    assert (result.model, result.evidence.kind) == ("instance weights", "numbers")
    assert 0 < result.weight < 1
    assert "that of most learners" in result.details()
    scores = bayesian_cross_validate(
        Ridge(), DummyRegressor(), X[:120], Y[:120], model="scores", **options
    )
    assert scores.model == "scores"
    assert scores.observed_a == pytest.approx(result.observed_a)


def test_evidence_is_that_of_the_predictions():
    """A mean over equal test sets is a mean over instances: the same draws without splits."""
    cv = KFold(4)
    said = [cross_val_predict(one, X[:120], Y[:120], cv=cv) for one in (Ridge(), Lasso())]
    # So few draws are one block; larger blocks fit into memory if test sets are smaller.
    options = {"scoring": MAE, "weight": 0.5, "n_draws": 500, "random_state": 0}
    plain = compare_predictions(Y[:120], *said, **options)
    result = bayesian_cross_validate(Ridge(), Lasso(), X[:120], Y[:120], cv=cv, **options)
    assert result.observed_a == pytest.approx(plain.observed_a)
    np.testing.assert_allclose(result.draws, plain.draws, atol=1e-9)


class TooFew(BaseEstimator):
    def fit(self, X, y):
        return self

    def predict(self, X):
        return np.zeros(3)


@pytest.mark.parametrize(
    ("estimator", "options", "message"),
    [
        (Lasso(), {"cv": KFold(120)}, "y_true is constant.*split 0: use fewer splits"),
        (Lasso(), {"labels": [1, 2]}, "labels and pos_label do not apply to metrics of numbers"),
        (Lasso(), {"scoring": "f1"}, "requires class labels, but the predictions are numbers"),
        (Lasso(), {"engine": "pymc"}, "no PyMC model"),
        (TooFew(), {}, "predict returned 3 predictions for 60 instances"),
    ],
)
def test_refuses_numbers(estimator, options, message):
    with pytest.raises(ValueError, match=message):
        bayesian_cross_validate(Ridge(), estimator, X[:120], Y[:120], **options)
