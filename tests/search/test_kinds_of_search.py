"""Every kind of search can be reported on, with the data and without them."""

import numpy as np
import pytest
from scipy.stats import randint
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import RandomForestClassifier
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.model_selection import (
    GridSearchCV,
    HalvingGridSearchCV,
    HalvingRandomSearchCV,
    StratifiedKFold,
    cross_val_score,
    cross_validate,
)
from sklearn.tree import DecisionTreeClassifier

from skbayeseval import count_scorer, report_search

X, Y = load_breast_cancer(return_X_y=True)
TREE = DecisionTreeClassifier(random_state=0)
FOLDS = StratifiedKFold(3)
DEPTHS = {"max_depth": [1, 2, 3, 5]}
OPTIONS = {"rope": 0.03, "n_draws": 1000, "random_state": 0}
SEARCHES = {
    "grid": GridSearchCV(TREE, DEPTHS, cv=FOLDS),
    "halving grid": HalvingGridSearchCV(
        TREE, DEPTHS, cv=FOLDS, factor=2, min_resources=150, random_state=0
    ),
    "halving random trees": HalvingRandomSearchCV(
        RandomForestClassifier(random_state=0),
        {"max_depth": randint(1, 8)},
        resource="n_estimators",
        n_candidates=4,
        min_resources=2,
        max_resources=4,
        factor=2,
        cv=FOLDS,
        random_state=0,
    ),
}


def assert_scores_are_those_of_candidates(search, report, X=X, Y=Y):
    """Each candidate of a report on predictions has the scores of a run of its own."""
    for parameters, of_one in zip(
        report.candidates.values(), report.ranking.cv_results.values(), strict=True
    ):
        estimator = clone(search.estimator).set_params(**parameters)
        again = cross_val_score(estimator, X, Y, cv=search.cv, scoring=report.metric)
        np.testing.assert_allclose(of_one["test_score"], again)


@pytest.mark.parametrize("kind", SEARCHES)
def test_scores_and_candidates_are_those_of_the_search(kind):
    search = SEARCHES[kind].fit(X, Y)
    results = search.cv_results_
    last = np.arange(len(results["params"]))
    if "iter" in results:
        last = np.flatnonzero(results["iter"] == results["iter"].max())
        assert 1 < len(last) < (results["iter"] == 0).sum()
    recorded = report_search(search, **OPTIONS)
    paired = report_search(search, X, Y, **OPTIONS)
    assert (recorded.source, paired.source) == ("scores", "predictions")
    for report in (recorded, paired):
        assert report.metric == "accuracy"
        assert report.candidates == {i: results["params"][i] for i in last}
    observed = recorded.summary()["observed"]
    np.testing.assert_allclose(observed, results["mean_test_score"][observed.index])
    assert_scores_are_those_of_candidates(search, paired)
    of_last = f"the {getattr(search, 'n_resources_', [0])[-1]} instances of the last iteration"
    assert (of_last in str(recorded)) == (of_last in str(paired)) == (kind == "halving grid")
    dropped = "other candidates before the last iteration of the search"
    for report in (recorded, paired):
        assert (dropped in report.details()) == kind.startswith("halving")
    if "trees" in kind:  # a resource that is a parameter is one of the candidate, too
        assert {one["n_estimators"] for one in recorded.candidates.values()} == {
            search.n_resources_[-1]
        }


def test_inner_searches_of_a_nested_cross_validation():
    scoring = count_scorer([0, 1], also="f1")
    search = GridSearchCV(TREE, DEPTHS, cv=FOLDS, scoring=scoring, refit="f1")
    nested = cross_validate(
        search, X, Y, cv=2, scoring="f1", return_estimator=True, return_indices=True
    )
    inner, train = nested["estimator"][0], nested["indices"]["train"][0]
    recorded = report_search(inner, **OPTIONS)
    paired = report_search(inner, X[train], Y[train], **OPTIONS)
    assert (recorded.source, recorded.metric, paired.metric) == ("counts", "f1", "f1")
    assert_scores_are_those_of_candidates(inner, paired, X[train], Y[train])
    with pytest.warns(UserWarning, match="differ from those that the search recorded"):
        report_search(inner, X, Y, **OPTIONS)
