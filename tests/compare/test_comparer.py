import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.ensemble import StackingClassifier
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression, Perceptron, Ridge, RidgeClassifier
from sklearn.metrics import f1_score, precision_score
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, SVR
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

from skbayeseval import (
    BayesianComparer,
    BlockRegularizedCV,
    bayesian_cross_val_score,
    bayesian_cross_validate,
    metrics,
)
from skbayeseval.models import Paired

X, Y = make_classification(160, n_informative=4, flip_y=0.2, random_state=0)
NB, LR = GaussianNB(), LogisticRegression()


CHECKED = {"n_draws": 200, "refit": True, "random_state": 0}
HALVES = BlockRegularizedCV(2, random_state=0)


@parametrize_with_checks(
    [BayesianComparer([RidgeClassifier(), Perceptron()], cv=HALVES, n_draws=100, refit=True)]
)
def test_scikit_learns_checks(estimator, check):
    check(estimator)


MAE = "neg_mean_absolute_error"


def expected_failures(comparer):
    """Return the checks that cannot pass, and why."""
    if comparer.scoring == MAE:
        return {"check_regressors_train": "the score is minus an error, and not above 0.5"}
    if isinstance(comparer.estimators[0], Ridge) and comparer.model == "auto":
        return {"check_fit2d_1feature": "y is constant in a test set, where R2 is not defined"}
    return {}


@pytest.mark.slow
@parametrize_with_checks(
    [
        BayesianComparer([RidgeClassifier(), Perceptron()], estimand="full", **CHECKED),
        BayesianComparer([Ridge(), SVR()], **CHECKED),
        BayesianComparer([Ridge(), SVR()], model="scores", **CHECKED),
        # Test sets of the check's 20 numbers, some of them equal, are too small for R2.
        BayesianComparer([Ridge(), SVR()], estimand="full", scoring=MAE, **CHECKED),
    ],
    expected_failed_checks=expected_failures,
)
def test_scikit_learns_checks_of_others(estimator, check):
    check(estimator)


def in_a_pipeline(estimator):
    return make_pipeline(StandardScaler(), estimator)


def in_a_search(estimator):
    return GridSearchCV(estimator, {"passthrough": [False]}, cv=2)


@pytest.fixture
def comparer():
    return BayesianComparer([NB, LR], scoring="f1", random_state=0)


@pytest.mark.parametrize(
    "options",
    [
        {"scoring": "f1"},
        {"cv": 4, "model": "unpaired"},
        {"model": Paired(theta=3.0), "n_draws": 300},
        {"labels": [1, 0], "pos_label": 0, "scoring": ["recall", "f1"], "random_state": 5},
    ],
    ids=str,
)
def test_fit(options):
    options = {"random_state": 0} | options
    comparer = BayesianComparer([NB, LR], **options)
    assert comparer.fit(X, Y) is comparer
    result = bayesian_cross_validate(NB, LR, X, Y, **options)
    np.testing.assert_array_equal(comparer.result_.draws, result.draws)
    assert comparer.result_.to_dict()["evidence"] == result.to_dict()["evidence"]
    assert comparer.result_.metrics == result.metrics
    assert comparer.best_index_ == int(result.draws.mean() < 0)
    assert comparer.best_name_ == result.names[comparer.best_index_]
    assert comparer.n_splits_ == result.n_splits
    assert comparer.n_features_in_ == 20
    assert not hasattr(comparer, "feature_names_in_")
    np.testing.assert_array_equal(comparer.classes_, [0, 1])
    ours, theirs = comparer.cv_results_["GaussianNB"], result.cv_results["GaussianNB"]
    for key in [key for key in theirs if key.startswith("test_")]:
        np.testing.assert_array_equal(ours[key], theirs[key])
    assert comparer.hdi(0.9) == result.hdi(0.9)
    assert comparer.decision(0.01) == result.decision(0.01)
    pd.testing.assert_frame_equal(comparer.summary(0.01), result.summary(0.01))
    assert comparer.plot(rope=0.01).rope == (-0.01, 0.01)


def test_a_rope_of_its_own(comparer):
    comparer.set_params(rope=0.02).fit(X, Y)
    assert comparer.decision().rope == (-0.02, 0.02)
    assert comparer.decision(0.05).rope == (-0.05, 0.05)
    assert comparer.summary()["decision"].item() == comparer.decision().settled_code
    assert comparer.plot().rope == (-0.02, 0.02)
    with pytest.raises(ValueError, match="decision requires rope="):
        comparer.set_params(rope=None).decision()


def test_refit():
    comparer = BayesianComparer([NB, LR], scoring="f1", refit=True, random_state=0).fit(X, Y)
    best = clone([NB, LR][comparer.best_index_]).fit(X, Y)
    np.testing.assert_array_equal(comparer.predict(X), best.predict(X))
    np.testing.assert_array_equal(comparer.predict_proba(X), best.predict_proba(X))
    assert comparer.score(X, Y) == pytest.approx(f1_score(Y, best.predict(X)))
    assert comparer.refit_time_ > 0
    assert hasattr(comparer, "decision_function") == hasattr(best, "decision_function")


@pytest.mark.parametrize("wrap", [lambda one: one, in_a_pipeline, in_a_search])
@pytest.mark.parametrize("scoring", ["accuracy", "roc_auc"])
def test_stacking_has_its_methods_only_once_it_is_fitted(wrap, scoring):
    """Without a final estimator of its own, it has no predict before."""
    tree = DecisionTreeClassifier(max_depth=1, random_state=0)
    stacked = StackingClassifier([("nb", NB), ("tree", tree)], cv=2)
    named, final = (
        clone(stacked).set_params(final_estimator=one) for one in (LogisticRegression(), None)
    )
    options = {"scoring": scoring, "cv": HALVES, **CHECKED}
    comparers = [
        BayesianComparer([("stack", wrap(one)), NB], **options).fit(X, Y) for one in (final, named)
    ]
    for one in comparers:
        np.testing.assert_array_equal(one.result_.draws, comparers[0].result_.draws)
    assert len(comparers[0].predict(X)) == 160
    score = bayesian_cross_val_score(wrap(final), X, Y, model="scores", cv=HALVES, scoring=scoring)
    assert score.observed == pytest.approx(np.mean(comparers[0].cv_results_["stack"]["test_score"]))


def test_methods_only_where_they_can_be(comparer):
    comparer.fit(X, Y)
    assert not hasattr(comparer, "predict")
    with pytest.raises(AttributeError, match="no attribute 'predict', because .* set refit=True"):
        comparer.predict(X)
    unfitted = BayesianComparer([RidgeClassifier(), LR], refit=True)
    assert hasattr(unfitted, "predict")
    assert not hasattr(unfitted, "predict_proba")


@pytest.mark.parametrize("form", [list, tuple, dict])
def test_deep_parameters(form):
    """Of a list of estimators, or of pairs, or a dict."""
    pipeline, bayes = make_pipeline(StandardScaler(), SVC()), GaussianNB()
    pairs = [("SVC", pipeline), ("GaussianNB", bayes)]
    entries = {list: [pipeline, bayes], tuple: pairs, dict: dict(pairs)}[form]
    comparer = BayesianComparer(entries, model=Paired(theta=2.0))
    params = comparer.get_params()
    assert params["SVC"] is pipeline
    assert params["SVC__svc__C"] == 1.0
    assert params["GaussianNB__var_smoothing"] == 1e-9
    assert params["model__theta"] == 2.0
    assert "SVC" not in comparer.get_params(deep=False)
    comparer = clone(comparer).set_params(
        SVC__svc__C=7.0, model__theta=3.0, n_draws=300, GaussianNB=LR
    )
    changed = comparer.get_params()
    assert (changed["SVC"][-1].C, pipeline[-1].C) == (7.0, 1.0)
    assert comparer.model == Paired(theta=3.0)
    assert comparer.n_draws == 300
    assert changed["LogisticRegression" if form is list else "GaussianNB"] is LR
    assert isinstance(comparer.estimators, type(entries))
    assert form is dict or isinstance(comparer.estimators[1], tuple) == (form is tuple)
    replaced = comparer.set_params(estimators=[bayes, LR], GaussianNB__var_smoothing=0.1)
    assert replaced.estimators[0].var_smoothing == 0.1
    with pytest.raises(ValueError, match="Invalid parameter 'nonsense'"):
        comparer.set_params(nonsense=3)


def test_score_of_labels_that_are_drawn_anew():
    metric = metrics.resampled(lambda y_true, y_pred: np.mean(y_true[y_pred == 1]))
    options = {"weight": "published", "refit": True, "n_draws": 100, "random_state": 0}
    few = X[:40], Y[:40]  # the function is called for every draw
    comparer = BayesianComparer([NB, LR], scoring=metric, cv=2, **options).fit(*few)
    precision = precision_score(few[1], comparer.predict(few[0]))
    assert comparer.score(*few) == pytest.approx(precision)


def test_inside_scikit_learn():
    comparer = BayesianComparer([NB, LR], refit=True, n_draws=200, random_state=0)
    assert (cross_val_score(comparer, X, Y, cv=2) > 0.4).all()
    grid = {"LogisticRegression__C": [0.01, 1.0]}
    search = GridSearchCV(comparer, grid, cv=2).fit(X, Y)
    assert search.best_params_["LogisticRegression__C"] in (0.01, 1.0)
    make_pipeline(StandardScaler(), comparer).fit(X, Y).predict(X)


@pytest.mark.parametrize(
    ("estimators", "error", "message"),
    [
        ([NB], ValueError, "estimators must be two or more"),
        (NB, ValueError, "estimators must be two or more"),
        ([("cv", NB), LR], ValueError, "conflict with constructor arguments: 'cv'"),
        ([("a__b", NB), LR], ValueError, "must not contain __"),
        ([("a", NB), ("a", LR)], ValueError, "not unique"),
    ],
)
def test_bad_estimators_are_told_in_fit(estimators, error, message):
    comparer = BayesianComparer(estimators)
    with pytest.raises(error, match=message):
        comparer.fit(X, Y)


class FailsOnAll(GaussianNB):
    """Cannot be fitted on all data."""

    def __init__(self, error=MemoryError):
        super().__init__()
        self.error = error

    def fit(self, X, y):
        if len(X) == len(Y):
            raise self.error("too much")
        return super().fit(X, y)


@pytest.mark.parametrize("error", [MemoryError, KeyboardInterrupt])
def test_a_failing_refit_keeps_the_comparison(error):
    both = [("one", FailsOnAll(error)), ("other", FailsOnAll(error))]
    comparer = BayesianComparer(both, refit=True, rope=0.01, n_draws=200, random_state=0)
    fitted_before = clone(comparer).set_params(refit=False).fit(X, Y)
    # Equal predictions: which of the two has the better draws is up to chance.
    refit = f"comparison is complete.*refit of '{fitted_before.best_name_}'"
    said = "^too much" if error is KeyboardInterrupt else refit
    with pytest.raises(error, match=said):
        comparer.fit(X, Y)
    assert not hasattr(comparer, "best_estimator_")
    np.testing.assert_array_equal(comparer.result_.draws, fitted_before.result_.draws)
    np.testing.assert_array_equal(comparer.ranking_.draws, fitted_before.ranking_.draws)
    assert comparer.decision() == fitted_before.decision()
    assert comparer.best_name_ == fitted_before.best_name_
    assert comparer.n_features_in_ == 20
    with pytest.raises(NotFittedError):
        comparer.predict(X)
    # Nothing stale is left of an earlier fit.
    comparer.set_params(estimators=[NB, LR]).fit(X, Y)
    assert hasattr(comparer, "best_estimator_")
    comparer.set_params(refit=False).fit(X[:, :3].tolist(), Y)
    assert not hasattr(comparer, "best_estimator_")
    assert not hasattr(comparer, "n_features_in_")


class TakesSparse(GaussianNB):
    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


def test_tags():
    both = [TakesSparse(), TakesSparse()]
    sparse = BayesianComparer(both, refit=True).__sklearn_tags__().input_tags
    dense = BayesianComparer([TakesSparse(), GaussianNB()]).__sklearn_tags__().input_tags
    assert (sparse.sparse, dense.sparse) == (True, False)
    several = BayesianComparer([Ridge(), Ridge(2.0)], refit=True).__sklearn_tags__()
    assert not several.target_tags.multi_output  # y of one output only
    kernels = BayesianComparer([LR, SVC(kernel="precomputed")]).__sklearn_tags__().input_tags
    assert (kernels.pairwise, dense.pairwise) == (True, False)
