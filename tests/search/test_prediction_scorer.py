import pickle

import numpy as np
import pandas as pd
import pytest
import sklearn
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import Ridge
from sklearn.metrics import fbeta_score, make_scorer
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    HalvingGridSearchCV,
    RandomizedSearchCV,
    RepeatedStratifiedKFold,
    ShuffleSplit,
    cross_val_score,
)
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeClassifier

from skbayeseval import BlockRegularizedCV, metrics, prediction_scorer, report_search

TREE = DecisionTreeClassifier(random_state=0)
FBETA = make_scorer(fbeta_score, beta=2)
DEPTHS = {"max_depth": [1, 3, None]}
REPEATED = RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=0)
KW = {"rope": 0.02, "random_state": 0, "n_draws": 200}


@pytest.fixture(scope="module")
def cancer():
    X, y = load_breast_cancer(return_X_y=True)
    return X[:300], y[:300]


def as_names(y):
    return np.array(["yes", "no", "maybe"])[y]


def assert_same(report, expected):
    """The same report, but for the order of instances, which draws of weights depend on."""
    assert report.source == expected.source == "predictions"
    assert report.ranking.train_size == pytest.approx(expected.ranking.train_size)
    assert "predictions that the search kept" in report.details()
    table, other = report.summary().sort_index(), expected.summary().sort_index()
    np.testing.assert_allclose(table["observed"], other["observed"])
    if report.ranking._metric(None).source == "instances":
        np.testing.assert_allclose(table["mean"], other["mean"], atol=0.05)
    else:
        np.testing.assert_array_equal(report.draws, expected.draws)


@pytest.mark.parametrize(
    ("scoring", "cv", "kind"),
    [
        ("f1", BlockRegularizedCV(2, random_state=0), GridSearchCV),
        ("roc_auc", REPEATED, GridSearchCV),
        (["accuracy", "neg_log_loss"], 3, RandomizedSearchCV),
        ({"f": FBETA, "a": "accuracy"}, ShuffleSplit(3, random_state=0), GridSearchCV),
    ],
    ids=["f1", "auc", "several", "scorer"],
)
def test_it_is_what_fitting_again_says(cancer, scoring, cv, kind):
    options = {"n_iter": 2, "random_state": 0} if kind is RandomizedSearchCV else {}
    search = kind(
        TREE, DEPTHS, cv=cv, scoring=prediction_scorer(scoring), refit="score", n_jobs=2, **options
    ).fit(*cancer)
    several = not isinstance(scoring, str)
    plain = clone(search).set_params(
        scoring=scoring, refit=next(iter(scoring)) if several else True, n_jobs=None
    )
    plain.fit(*cancer)
    for key in scoring if several else ["score"]:
        means = f"mean_test_{key}"
        np.testing.assert_allclose(search.cv_results_[means], plain.cv_results_[means])
    expected = report_search(plain, *cancer, **KW)
    assert_same(report_search(search, **KW), expected)
    assert_same(report_search(pickle.loads(pickle.dumps(search)), **KW), expected)
    with_data = report_search(search, *cancer, **KW)
    assert "predictions that the search kept" in with_data.details()
    np.testing.assert_array_equal(with_data.draws, expected.draws)


@pytest.mark.parametrize("form", ["array", "frame", "sparse", "texts"])
def test_rows_are_recognised_in_repeats(form):
    """Also where some are equal; the names of classes are those of the data."""
    X, y = load_iris(return_X_y=True)
    X, names = np.round(X), as_names(y)
    estimator = make_pipeline(KNeighborsClassifier())
    data = {"array": X, "frame": pd.DataFrame(X), "sparse": sparse.csr_array(X)}.get(form)
    if form == "texts":
        data = [" ".join(f"w{j}{value:.0f}" for j, value in enumerate(row)) for row in X]
        estimator = make_pipeline(CountVectorizer(), KNeighborsClassifier())
    grid = {"kneighborsclassifier__n_neighbors": [1, 9]}
    search = GridSearchCV(
        estimator, grid, cv=REPEATED, scoring=prediction_scorer("f1_macro"), refit="f1_macro"
    ).fit(data, names)
    kept, again = report_search(search, **KW), report_search(search, data, names, **KW)
    assert kept.ranking.evidence.labels == ("maybe", "no", "yes")
    assert kept.ranking.weight == pytest.approx(again.ranking.weight, rel=0.05)
    np.testing.assert_allclose(kept.ranking.observed, again.ranking.observed)
    if form == "frame":  # whose index tells equal rows apart
        np.testing.assert_array_equal(kept.draws, again.draws)


def test_regressors():
    X, y = load_diabetes(return_X_y=True)
    search = GridSearchCV(
        Ridge(), {"alpha": [0.1, 1, 10]}, scoring=prediction_scorer(), refit="score"
    ).fit(X, y)
    plain = GridSearchCV(Ridge(), {"alpha": [0.1, 1, 10]}).fit(X, y)
    report = report_search(search, **KW)
    assert report.metric == "r2"
    assert_same(report, report_search(plain, X, y, **KW))
    other = report_search(search, scoring="neg_mean_absolute_error", **KW)
    errors = [
        cross_val_score(Ridge(alpha=a), X, y, scoring="neg_mean_absolute_error").mean()
        for a in (0.1, 1, 10)
    ]
    np.testing.assert_allclose(other.ranking.observed, errors)


def test_halving_searches(cancer):
    search = HalvingGridSearchCV(
        KNeighborsClassifier(), {"n_neighbors": [1, 3, 5, 9]}, cv=3, factor=2, random_state=0,
        min_resources=60, max_resources=120, scoring=prediction_scorer("f1"), refit="score",
        n_jobs=2,
    ).fit(*cancer)  # fmt: skip
    report, last = report_search(search, **KW), search.cv_results_["iter"].max()
    at_last = search.cv_results_["iter"] == last
    assert [*report.candidates] == np.flatnonzero(at_last).tolist()
    means = search.cv_results_["mean_test_f1"][at_last]
    np.testing.assert_allclose(report.ranking.observed, means, atol=0.02)
    again = report_search(search, *cancer, **KW)  # on all instances
    assert again.ranking.train_size > 1.2 * report.ranking.train_size


def test_metrics_of_ours_and_others_than_in_the_search(cancer):
    X, y = cancer
    fbeta = metrics.fbeta(2)
    search = GridSearchCV(
        TREE, DEPTHS, cv=4, scoring=prediction_scorer([fbeta, "specificity"]), refit="specificity"
    ).fit(X, y)
    assert report_search(search, **KW).metric == "specificity"
    for scoring in (fbeta, "recall", make_scorer(fbeta_score, beta=3)):
        report = report_search(search, scoring=scoring, **KW)
        again = report_search(search, X, y, scoring=scoring, **KW)
        np.testing.assert_array_equal(report.draws, again.draws)
    with pytest.raises(ValueError, match=r"'roc_auc' needs what the search did not keep"):
        report_search(search, scoring="roc_auc", **KW)
    again = report_search(search, X, y, scoring="roc_auc", **KW)
    assert "kept" not in again.details()
    other = report_search(clone(search).fit(X, 1 - y), scoring="recall", **KW)
    assert other.ranking.observed != again.ranking.observed


def test_failures_are_left_out(cancer):
    for error_score in (np.nan, 0.0):
        search = GridSearchCV(
            TREE, {"max_depth": [1, 3, -1]}, cv=3, scoring=prediction_scorer("f1"), refit="f1",
            error_score=error_score,
        )  # fmt: skip
        with pytest.warns((sklearn.exceptions.FitFailedWarning, UserWarning)):
            search.fit(*cancer)
        assert report_search(search, **KW).failed == (2,)
    scorer = prediction_scorer("roc_auc")
    with pytest.warns(UserWarning, match="could not be computed: AttributeError"):
        scores = scorer(Ridge().fit(*cancer), *cancer)
    assert np.isnan([*scores.values()]).all()


def test_searches_that_do_not_tell_which_rows_they_tested(cancer):
    X, y = cancer
    groups = np.arange(len(y)) // 3
    search = GridSearchCV(
        TREE, DEPTHS, cv=GroupKFold(3), scoring=prediction_scorer(), refit="score"
    ).fit(X, y, groups=groups)
    with pytest.raises(ValueError, match="Pass X and y as well, and groups="):
        report_search(search, **KW)
    report = report_search(search, X, y, groups=groups, **KW)
    assert "kept" in report.details()
    plain = clone(search).set_params(scoring="accuracy", refit=True).fit(X, y, groups=groups)
    expected = report_search(plain, X, y, groups=groups, **KW)
    np.testing.assert_array_equal(report.draws, expected.draws)
    kernel = clone(search).set_params(
        estimator=KNeighborsClassifier(metric="precomputed"), cv=REPEATED
    )
    kernel.set_params(param_grid={"n_neighbors": [1, 5]})
    distances = np.abs(X[:, None] - X).sum(axis=2)
    kernel.fit(distances, y)
    with pytest.raises(ValueError, match="Rows of X cannot be recognised"):
        report_search(kernel, **KW)
    assert "kept" in report_search(kernel, distances, y, **KW).details()


def test_bad_input():
    with pytest.raises(ValueError, match="'ff1' is not"):
        prediction_scorer("ff1")
    with pytest.raises(ValueError, match="called 'kept_predictions'"):
        prediction_scorer({"kept_predictions": "f1"})
    with sklearn.config_context(enable_metadata_routing=True):
        weighted = make_scorer(fbeta_score, beta=2).set_score_request(sample_weight=True)
        with pytest.raises(ValueError, match="requests.*sample_weight"):
            prediction_scorer(weighted)


def test_a_scorer_is_of_one_search(cancer):
    """Copies keep their own; what others keep is not lost."""
    search = GridSearchCV(
        TREE, DEPTHS, cv=3, scoring=prediction_scorer("f1"), refit="score", n_jobs=2
    ).fit(*cancer)
    before = report_search(search, **KW).draws
    again = pickle.loads(pickle.dumps(search))
    fresh = clone(search)
    assert len(fresh.scoring.kept) == 0
    for one in (again, fresh):
        report = report_search(one.fit(*cancer), **KW)
        np.testing.assert_array_equal(report.draws, before)
    assert len(search.scoring.kept) == len(fresh.scoring.kept) == 9
    assert repr(search.scoring) == "prediction_scorer('f1')"
