"""Cross-validation that compares plain scores, and metrics of scores, of any estimator."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator
from sklearn.datasets import load_breast_cancer, load_diabetes
from sklearn.linear_model import Lasso, Ridge
from sklearn.metrics import average_precision_score
from sklearn.model_selection import (
    KFold,
    ShuffleSplit,
    StratifiedKFold,
    cross_val_predict,
    cross_validate,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KernelDensity
from sklearn.tree import DecisionTreeClassifier

from skbayeseval import (
    BayesianComparer,
    BlockRegularizedCV,
    bayesian_cross_val_score,
    bayesian_cross_validate,
    compare_predictions,
    compare_scores,
    count_scorer,
)

X, Y = load_diabetes(return_X_y=True)
XC, YC = load_breast_cancer(return_X_y=True)
TREE, NB = DecisionTreeClassifier(max_depth=3, random_state=0), GaussianNB()
FEW = {"n_draws": 1000, "random_state": 0}
SCORED = {"model": "scores", "random_state": 0}


BLOCKS = BlockRegularizedCV(random_state=0)
SHUFFLES = list(ShuffleSplit(6, random_state=0).split(X))
MAE = "neg_mean_absolute_error"


@pytest.mark.parametrize(
    ("cv", "scoring", "fraction"),
    [(BLOCKS, None, 1 / 2), (4, ["r2", MAE], 1 / 4), (SHUFFLES, ["r2", MAE], 45 / 442)],
    ids=["blocks", "folds", "list"],
)
def test_regressors(cv, scoring, fraction):
    result = bayesian_cross_validate(Ridge(), Lasso(), X, Y, cv=cv, scoring=scoring, **SCORED)
    theirs = [cross_validate(e, X, Y, cv=cv, scoring=scoring) for e in (Ridge(), Lasso())]
    keys = [key for key in theirs[0] if key.startswith("test_")]
    for key, name in zip(keys, result.metrics, strict=True):
        a, b = (of_one[key] for of_one in theirs)
        np.testing.assert_allclose(result.cv_results["Ridge"][key], a)
        alone = compare_scores(a, b, test_fraction=fraction)
        assert result.probability(metric=name) == pytest.approx(alone.probability())


def errors(estimator, X, y):
    error = np.abs(y - estimator.predict(X))
    return {"mean": -error.mean(), "worst": -error.max()}


def test_scorers_that_give_several_scores():
    """By name, as `cross_validate` takes them, although names are known after the fits."""
    options = {"cv": KFold(4), "scoring": errors}
    result = bayesian_cross_validate(Ridge(), Lasso(), X, Y, **options, **SCORED)
    assert result.metrics == ("mean", "worst")
    theirs = cross_validate(Ridge(), X, Y, **options)
    assert result.cv_results["Ridge"].keys() == theirs.keys()
    for key in ("test_mean", "test_worst"):
        np.testing.assert_allclose(result.cv_results["Ridge"][key], theirs[key])
    comparer = BayesianComparer([Ridge(), Lasso()], refit=True, **options, **SCORED).fit(X, Y)
    assert comparer.score(X, Y) == errors(comparer.best_estimator_, X, Y)["mean"]
    options["scoring"] = lambda *data: {"worst": errors(*data)["worst"]}
    one = bayesian_cross_val_score(Ridge(), X, Y, **options, **SCORED)
    assert one.metrics == ("worst",)
    assert one.cv_results["Ridge"].keys() == cross_validate(Ridge(), X, Y, **options).keys()


def test_estimators_that_do_not_predict():
    """Their own method `score` tells how good they are."""
    a, b = KernelDensity(), KernelDensity(bandwidth=0.1)
    options = {"cv": KFold(4, shuffle=True, random_state=0)}
    result = bayesian_cross_validate(("a", a), ("b", b), X, Y, **options, **SCORED)
    theirs = cross_validate(b, X, Y, **options)["test_score"]
    np.testing.assert_allclose(result.cv_results["b"]["test_score"], theirs)
    comparer = BayesianComparer([a, b], refit=True, **options, **SCORED).fit(X, Y)
    assert comparer.score(X, Y) == comparer.best_estimator_.score(X)
    with pytest.raises(TypeError, match="must be an instance with fit and predict, or a pair"):
        bayesian_cross_validate(a, b, X, Y)


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"scoring": 3}, TypeError, "neither a name, a metric nor a scorer"),
        ({"scoring": lambda *_: np.nan}, ValueError, "gave nan, not a finite number"),
        ({"scoring": lambda *_: {"a": "b"}}, ValueError, "'a' gave 'b', not a finite number"),
        (
            {"scoring": lambda estimator, X, y: {f"of {y[0]:.0f}": 1.0}},
            ValueError,
            r"scoring must return the same scores for each split, got \[\['of \d+'\], \['of",
        ),
        ({"scoring": ["r2", "r2"]}, ValueError, "several scorers of the same name"),
        ({"scoring": [max, min]}, ValueError, "Pass a dict of names to scorers"),
        ({"model": "bcv"}, ValueError, "models predicted classes, but the predictions are numbers"),
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
    with pytest.raises(ValueError, match="'roc_auc' has no proper prior under model='instance wei"):
        both.bayes_factor(0.01, metric="roc_auc")
    with pytest.raises(ValueError, match="cannot be simulated"):
        both.required_sample_size(1e-9, metric="roc_auc")


def test_the_positive_class_is_heard_everywhere():
    common = {"scoring": "average_precision", "cv": StratifiedKFold(3), **FEW}
    counted = bayesian_cross_validate(TREE, NB, XC, YC, pos_label=0, **common)
    words = np.where(YC == 0, "malignant", "benign")
    for y, pos_label in ((YC, 0), (words, "malignant")):
        options = {"pos_label": pos_label, "model": "scores", **common}
        scored = bayesian_cross_validate(TREE, NB, XC, y, **options)
        assert scored.observed_b == pytest.approx(counted.observed_b)
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


# Numbers, of which predictions are kept.

PART = X[:120], Y[:120]


@pytest.mark.parametrize(
    ("cv", "scoring"), [(4, None), (BLOCKS, ["r2", MAE, "neg_median_absolute_error"])]
)
def test_scores_of_numbers_are_those_of_cross_validate(cv, scoring):
    options = {"cv": cv, "scoring": scoring}
    result = bayesian_cross_validate(Ridge(), Lasso(), *PART, random_state=0, **options)
    theirs = cross_validate(Ridge(), *PART, **options)
    ours = result.cv_results["Ridge"]
    keys = [key for key in theirs if key.startswith("test_")]
    for key, metric in zip(keys, result.metrics, strict=True):
        np.testing.assert_allclose(ours[key], theirs[key], rtol=1e-12)
        assert result.metric(metric).observed_a == pytest.approx(theirs[key].mean())
    assert result.metrics[0] == "r2"


def test_evidence_is_that_of_the_predictions():
    """A mean over equal test sets is a mean over instances: the same draws without splits."""
    cv = KFold(4)
    said = [cross_val_predict(one, *PART, cv=cv) for one in (Ridge(), Lasso())]
    # So few draws are one block; larger blocks fit into memory if test sets are smaller.
    options = {"scoring": MAE, "weight": 0.5, "n_draws": 500, "random_state": 0}
    plain = compare_predictions(PART[1], *said, **options)
    result = bayesian_cross_validate(Ridge(), Lasso(), *PART, cv=cv, **options)
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
        bayesian_cross_validate(Ridge(), estimator, *PART, **options)
