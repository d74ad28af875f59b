"""Sizes that memory cannot hold are refused before any fit, by every function that takes them."""

import numpy as np
import pytest
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB

from skbayeseval import (
    BayesianComparer,
    PyMCEngine,
    bayesian_cross_validate,
    compare_predictions,
    compare_scores,
    count_scorer,
    power_analysis,
    refit_simplest,
    report_search,
)

Y = np.arange(60) % 2
X = np.random.default_rng(0).normal(size=(60, 2))


class NeverFitted(GaussianNB):
    def fit(self, X, y, sample_weight=None):
        raise AssertionError("fitted")


def pilot():
    return compare_predictions(Y, Y, 1 - Y, n_draws=100, random_state=0)


def search():
    found = GridSearchCV(
        GaussianNB(),
        {"var_smoothing": [1e-9, 0.1]},
        scoring=count_scorer([0, 1]),
        refit=False,
    ).fit(X, Y)
    found.estimator = NeverFitted()
    return found


REFUSED = {
    "n_draws": [
        lambda n: compare_predictions(Y, Y, 1 - Y, n_draws=n),
        lambda n: compare_scores([1, 2, 3], [1, 2, 2], test_fraction=0.1, n_draws=n),
        lambda n: bayesian_cross_validate(NeverFitted(), NeverFitted(), X, Y, n_draws=n),
        lambda n: BayesianComparer([NeverFitted(), NeverFitted()], n_draws=n).fit(X, Y),
        lambda n: report_search(search(), rope=0.01, n_draws=n),
        lambda n: report_search(search(), X, Y, rope=0.01, n_draws=n),
        lambda n: refit_simplest("var_smoothing", rope=0.01, n_draws=n),
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
