"""Wrong arguments are told before anything is fitted."""

from inspect import signature

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.datasets import make_classification
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB

from skbayeseval import (
    BayesianComparer,
    PyMCEngine,
    bayesian_cross_val_score,
    bayesian_cross_validate,
    compare_predictions,
    compare_scores,
    count_scorer,
    power_analysis,
    report_search,
)
from skbayeseval.models import Paired

X, Y = make_classification(80, random_state=0)


class NeverFitted(BaseEstimator):
    def fit(self, X, y):
        pytest.fail("fitted although an argument is wrong")

    def predict(self, X):
        pytest.fail("asked although an argument is wrong")


class Classifier(ClassifierMixin, NeverFitted):
    pass


class Regressor(RegressorMixin, NeverFitted):
    pass


# The wrong values of each argument that cross-validation takes.
WRONG = {
    "scoring": ["nonsense", 3, [], ["f1", "f1"], "roc_auc", lambda y, p: 0],
    "cv": [1, 2.5, "x", [], 1000, [([0, 1], [2, 900])], [(["a"], [2])], [([], [1, 2])], [3]],
    "model": ["nonsense", 3, None, Paired, "signed-rank"],
    "engine": ["nonsense", "auto", 3, PyMCEngine, PyMCEngine(prior=3), PyMCEngine(prior={"x": 1})],
    "n_draws": [10, "x", 2.5, True],
    "labels": [[0], [0, 2], "x", 3, [[0, 1]]],
    "pos_label": [7, [1], "x"],
    "counter": [3],
    "weight": ["x", -1, 0, np.nan, [1]],
    "estimand": ["x", "fitted", 3, None, ["learner"]],
    "blocks": ["auto ", 0, 2.5, True, 41, [3], np.nan],
    "n_jobs": ["x", 0, True],
    "verbose": ["x", None, -1],
    "error_score": ["x", 0, None],
    "checkpoint": [3, "", {}, {"path": 3}, {"path": "x", "keys": 3}],
    "random_state": ["x", -1, 2.5, True],
}  # fmt: skip

# Those of the function alone, and of the estimator alone.
OF_FUNCTION = {
    "groups": [[1, 2], "x", np.zeros((80, 2)), np.full(80, np.nan)],
    "params": [3, "x", ["x"]],
    "return_estimator": ["x", 3, None],
    "return_indices": ["x", 3, None],
}
OF_ESTIMATOR = {
    "estimators": [None, [], [Classifier()], [Classifier(), 3], [Classifier(), Classifier]],
    "rope": ["x", -1, (1, 0), np.nan, (1, 2, 3), np.inf],
    "refit": ["x", 3, None],
}


def each(*tables):
    return [
        pytest.param({name: value}, id=f"{name}-{i}")
        for table in tables
        for name, values in table.items()
        for i, value in enumerate(values)
    ]


def refused(call):
    with pytest.raises((ValueError, TypeError)) as caught:
        call()
    assert str(caught.value)


@pytest.mark.parametrize("options", each(WRONG, OF_FUNCTION))
@pytest.mark.parametrize("model", ["auto", "scores"])
def test_function(model, options):
    options = {"model": model} | options
    refused(lambda: bayesian_cross_validate(Classifier(), Classifier(), X, Y, **options))


@pytest.mark.parametrize("options", each(OF_ESTIMATOR))
def test_estimator(options):
    options = {"estimators": [Classifier(), Classifier()]} | options
    refused(lambda: BayesianComparer(**options).fit(X, Y))


def test_every_argument_is_tried():
    known = set(WRONG) | {"estimators", "rope", "refit"}
    assert set(BayesianComparer([]).get_params(deep=False)) == known
    data = {"estimator", "estimator_a", "estimator_b", "X", "y", "others"}
    of_two, of_one = (
        set(signature(function).parameters) - data
        for function in (bayesian_cross_validate, bayesian_cross_val_score)
    )
    assert of_two == set(WRONG) | set(OF_FUNCTION)
    assert of_one == of_two - {"counter"}


@pytest.mark.parametrize("name", [*WRONG, *OF_FUNCTION])
def test_every_function_and_the_estimator_take_each(name):
    """An option that is renamed in one place, and so not passed on, would be ignored."""
    options = {name: (WRONG | OF_FUNCTION)[name][0]}
    if name != "counter":
        refused(lambda: bayesian_cross_val_score(Classifier(), X, Y, **options))
    if name in WRONG:
        refused(lambda: BayesianComparer([Classifier(), Classifier()], **options).fit(X, Y))


@pytest.mark.parametrize(
    ("data", "labels"),
    [(X, Y[:-1]), (X, np.zeros(80)), (X, np.full(80, np.nan)), (X[:0], Y[:0]), (X, X), (X, None)],
    ids=["lengths", "one class", "nan", "empty", "numbers", "none"],
)
def test_data(data, labels):
    refused(lambda: bayesian_cross_validate(Classifier(), Classifier(), data, labels))
    refused(lambda: BayesianComparer([Classifier(), Classifier()]).fit(data, labels))
    refused(lambda: bayesian_cross_val_score(Classifier(), data, labels))


def test_messages():
    for options, message in (
        ({"cv": [(np.arange(40), np.arange(40, 80))]}, "at least two splits"),
        ({"pos_label": 7}, "pos_label=7 is not a valid label"),
        ({"scoring": "roc_auc"}, "needs decision_function or predict_proba"),
        ({"scoring": lambda y, p: 0}, "takes a fitted estimator, X and y"),
    ):
        with pytest.raises((ValueError, TypeError), match=message):
            bayesian_cross_validate(Classifier(), Classifier(), X, Y, model="scores", **options)
    options = {"model": "scores", "scoring": "nonsense"}
    with pytest.raises(ValueError, match="scoring='nonsense' is not a known metric"):
        bayesian_cross_validate(Regressor(), Regressor(), X, X[:, 0], **options)


# Sizes that memory cannot hold.


def pilot():
    return compare_predictions(Y, Y, 1 - Y, n_draws=100, random_state=0)


def search():
    grid = {"var_smoothing": [1e-9, 0.1]}
    found = GridSearchCV(GaussianNB(), grid, scoring=count_scorer([0, 1]), refit=False).fit(X, Y)
    found.estimator = Classifier()
    return found


REFUSED = {
    "n_draws": [
        lambda n: compare_predictions(Y, Y, 1 - Y, n_draws=n),
        lambda n: compare_scores([1, 2, 3], [1, 2, 2], test_fraction=0.1, n_draws=n),
        lambda n: bayesian_cross_validate(Classifier(), Classifier(), X, Y, n_draws=n),
        lambda n: report_search(search(), X, Y, rope=0.01, n_draws=n),
    ],
    "n_replications": [
        lambda n: power_analysis(pilot(), [100], rope=0.05, goal="~", n_replications=n),
        lambda n: pilot().required_sample_size(0.05, n_replications=n),
    ],
    "draws": [lambda n: compare_predictions(Y, Y, 1 - Y, engine=PyMCEngine(draws=n))],
    "chains": [lambda n: compare_predictions(Y, Y, 1 - Y, engine=PyMCEngine(chains=n))],
}


@pytest.mark.parametrize("size", [10**9, 10**400])
@pytest.mark.parametrize(
    ("name", "call"), [(name, call) for name, calls in REFUSED.items() for call in calls]
)
def test_sizes_beyond_memory_are_refused(name, call, size):
    with pytest.raises(ValueError, match=rf"^{name} == .* GB of memory.*Use {name} <= \d+"):
        call(size)
