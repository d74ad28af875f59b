import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.tree import DecisionTreeClassifier

from skbayeseval import BlockRegularizedCV, count_scorer, refit_simplest, report_search

TREE = DecisionTreeClassifier(random_state=0)
CV = BlockRegularizedCV(3, random_state=0)


def fitted(refit):
    grid = {"max_depth": [None, 3, 2, 1], "min_samples_leaf": [1]}
    options = {"scoring": count_scorer([0, 1], also="f1"), "refit": refit, "cv": CV}
    return GridSearchCV(TREE, grid, **options).fit(*load_breast_cancer(return_X_y=True))


def test_the_choice_is_the_reports():
    key = ["max_depth", "min_samples_leaf"]
    search = fitted(refit_simplest(key, rope=0.05, cv=CV))
    report = report_search(search, rope=0.05, random_state=0)
    assert report.source == "counts"
    assert search.best_index_ == report.simplest_index(key)
    assert search.best_params_ == report.simplest(key)
    assert search.best_estimator_.get_depth() == search.best_params_["max_depth"] <= 2


@pytest.fixture(scope="module")
def results():
    return fitted(False).cv_results_


def test_no_room_for_the_simple(results):
    with pytest.warns(UserWarning, match="No candidate is practically equivalent to the best"):
        chosen = refit_simplest("max_depth", rope=0.0, cv=CV)(results)
    report = report_search(results, rope=0.0, random_state=0)
    assert len(report.equivalent()) == 0
    assert chosen == report.summary().index[0]


def test_other_scoring(results):
    index = refit_simplest("max_depth", rope=0.05, cv=CV, scoring="accuracy")(results)
    assert 0 <= index < 4
    with pytest.warns(UserWarning, match="second of the counted classes is assumed"):
        refit_simplest("max_depth", rope=0.05, cv=CV, scoring="recall")(results)
    for cv in (10, StratifiedKFold(10)):
        with pytest.raises(ValueError, match="has 10 splits, but 6 were recorded"):
            refit_simplest("max_depth", rope=0.02, cv=cv)(results)


@pytest.mark.parametrize("scoring", ["roc_auc", None])
def test_a_single_score_is_what_scoring_says(scoring):
    """cv_results_ calls any single score "score"."""
    X, y = load_breast_cancer(return_X_y=True)
    name = scoring or "accuracy"
    refit = refit_simplest("max_depth", rope=0.1, cv=5, scoring=name)
    search = GridSearchCV(TREE, {"max_depth": [1, 2, 4]}, scoring=scoring, refit=refit).fit(X, y)
    report = report_search(search, rope=0.1, random_state=0)
    assert (report.metric, report.simplest_index("max_depth")) == (name, search.best_index_)
    unnamed = refit_simplest("max_depth", rope=0.1, cv=5)
    assert unnamed(search.cv_results_) == search.best_index_
