import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, make_classification
from sklearn.metrics import make_scorer
from sklearn.model_selection import GridSearchCV
from sklearn.tree import DecisionTreeClassifier

from skbayeseval import BlockRegularizedCV, count_scorer, metrics, refit_simplest, report_search
from skbayeseval.judgement.intervals import Interval
from skbayeseval.search.candidates import Recorded
from skbayeseval.search.report_recorded import Settings, Unknown, report_recorded

CV = BlockRegularizedCV(3, random_state=0)


def fitted(refit, also="f1", **options):
    X, y = load_breast_cancer(return_X_y=True)
    return GridSearchCV(
        DecisionTreeClassifier(random_state=0),
        {"max_depth": [None, 3, 2, 1], "min_samples_leaf": [1]},
        cv=CV,
        scoring=count_scorer([0, 1], also=also),
        refit=refit,
        **options,
    ).fit(X, y)


@pytest.mark.slow
@pytest.mark.parametrize("also", ["f1", ()])
def test_the_choice_is_the_reports(also):
    key = ["max_depth", "min_samples_leaf"]
    search = fitted(refit_simplest(key, rope=0.05, cv=CV), also=also)
    report = report_search(search, rope=0.05, random_state=0)
    assert report.source == "counts"
    assert search.best_index_ == report.simplest_index(key)
    assert search.best_params_ == report.simplest(key)
    assert search.best_params_["max_depth"] in (1, 2)
    assert search.best_estimator_.get_depth() == search.best_params_["max_depth"]


def test_no_room_for_the_simple():
    with pytest.warns(UserWarning, match="No candidate is practically equivalent to the best"):
        search = fitted(refit_simplest("max_depth", rope=0.0, cv=CV))
    report = report_search(search, rope=0.0, random_state=0)
    assert len(report.equivalent()) == 0
    assert search.best_index_ == report.summary().index[0]


@pytest.mark.slow
def test_splits_that_nobody_told():
    results = fitted(False).cv_results_
    key = ["max_depth", "min_samples_leaf"]
    untold, told = (refit_simplest(key, rope=0.05, **cv) for cv in ({}, {"cv": CV}))
    assert untold(results) == told(results)
    assert repr(untold) == f"refit_simplest({key}, rope=0.05)"
    assert fitted(untold).best_index_ == told(results)
    # Six halves taken for six folds would be too sure.
    tables = []
    for cv in (Unknown, 6):
        settings = Settings(
            rope=Interval(-0.05, 0.05), prob=0.95, measure="f1", key="f1", cv=cv,
            test_fraction=None, labels=(0, 1), pos_label=1, n_draws=None, entropy=0,
        )  # fmt: skip
        tables.append(report_recorded(Recorded(results), settings).summary())
    widths = [(table["hdi_high"] - table["hdi_low"]).mean() for table in tables]
    assert widths[0] > 1.3 * widths[1]
    assert np.ptp(tables[0]["mean"]) < np.ptp(tables[1]["mean"])


def test_other_scoring():
    results = fitted(False).cv_results_
    index = refit_simplest("max_depth", rope=0.05, cv=CV, scoring="accuracy")(results)
    assert 0 <= index < 4
    with pytest.warns(UserWarning, match="second of the counted classes is assumed"):
        refit_simplest("max_depth", rope=0.05, cv=CV, scoring="recall")(results)
    with pytest.raises(ValueError, match="has 10 splits, but 6 were recorded"):
        refit_simplest("max_depth", rope=0.02, cv=10)(results)


def test_pickle_clone_and_repr():
    refit = refit_simplest("max_depth", rope=0.02, cv=6, scoring="f1")
    assert repr(refit) == "refit_simplest('max_depth', rope=0.02, cv=6, scoring='f1')"
    results = fitted(False).cv_results_
    assert pickle.loads(pickle.dumps(refit))(results) == refit(results)
    search = clone(GridSearchCV(DecisionTreeClassifier(), {}, refit=refit))
    assert search.refit(results) == refit(results)


@pytest.mark.parametrize("scoring", ["roc_auc", None])
def test_a_single_score_is_what_scoring_says(scoring):
    """cv_results_ calls any single score "score"."""
    X, y = load_breast_cancer(return_X_y=True)
    name = scoring or "accuracy"
    chosen = []
    for refit in (name, None):
        search = GridSearchCV(
            DecisionTreeClassifier(random_state=0),
            {"max_depth": [1, 2, 4]},
            scoring=scoring,
            refit=refit_simplest("max_depth", rope=0.1, cv=5, scoring=refit),
        ).fit(X, y)
        chosen.append(search.best_index_)
        report = report_search(search, rope=0.1, random_state=0)
        assert (report.metric, report.simplest_index("max_depth")) == (name, search.best_index_)
    assert chosen[0] == chosen[1]


def test_several_scores_without_scoring():
    results = {
        f"{prefix}_test_{key}": np.array([0.9, 0.8])
        for key in ("f1", "recall")
        for prefix in ("mean", "split0", "split1")
    }
    results["params"] = [{"k": 1}, {"k": 2}]
    with pytest.raises(ValueError, match="several scores"):
        refit_simplest("k", rope=0.1, test_fraction=0.5)(results)
    with pytest.raises(ValueError, match=r"'accuracy' was not recorded, .*'f1', 'recall'"):
        refit_simplest("k", rope=0.1, test_fraction=0.5, scoring="accuracy")(results)


def test_functions_are_recorded_by_the_search():
    """They are compared by their split scores; the error says how."""

    def cost(y_true, y_pred):
        return np.mean((y_true != y_pred) * np.where(y_true == 1, 5.0, 1.0))

    with pytest.raises(
        TypeError, match=r"pass its scorer \(sklearn.metrics.make_scorer\) to the s"
    ):
        refit_simplest("max_depth", rope=0.1, scoring=metrics.resampled(cost))
    X, y = make_classification(100, random_state=0)
    search = GridSearchCV(
        DecisionTreeClassifier(random_state=0),
        {"max_depth": [1, 3]},
        scoring={"cost": make_scorer(cost, greater_is_better=False)},
        refit=refit_simplest("max_depth", rope=0.8, cv=5, scoring="cost", prob=0.5),
        cv=5,
    ).fit(X, y)
    assert search.best_params_ == {"max_depth": 1}
