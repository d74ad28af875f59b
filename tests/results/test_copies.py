"""Results and what they answer can be pickled and copied."""

import copy
import pickle
import warnings

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.model_selection import GridSearchCV
from sklearn.tree import DecisionTreeClassifier

from skbayeseval import (
    PyMCEngine,
    compare_counts,
    count_scorer,
    power_analysis,
    refit_simplest,
    report_search,
)
from skbayeseval.models.pymc import Trace
from skbayeseval.posterior.build import sample
from skbayeseval.results.comparison import ComparisonResult
from tests.results.gallery import chains


def copied(value):
    return pickle.loads(pickle.dumps(value))


def test_what_has_a_closed_form_is_copied_after_it_was_printed():
    result = compare_counts((88, 10, 12), (80, 14, 20), random_state=0)
    printed = str(result)
    again = copied(result)
    assert str(again) == printed
    np.testing.assert_array_equal(again.draws, result.draws)


def test_searches_and_plans():
    X, y = load_iris(return_X_y=True)
    refit = refit_simplest("max_depth", rope=0.1, cv=5)
    tree, grid = DecisionTreeClassifier(random_state=0), {"max_depth": [1, 2, 3]}
    search = GridSearchCV(tree, grid, scoring=count_scorer([0, 1, 2]), refit=refit).fit(X, y)
    report = report_search(search, rope=0.1, random_state=0)
    again = copied(report)
    assert str(again) == str(report)
    assert again.details() == report.details()
    np.testing.assert_array_equal(again.draws, report.draws)
    assert again.candidates == report.candidates
    assert repr(copied(refit)) == repr(refit)
    options = {"rope": 0.05, "goal": ">>", "n_replications": 4, "random_state": 0}
    plan = power_analysis(np.full((2, 2, 2), 1 / 8), [50], **options)
    assert str(copied(plan)) == str(plan)


def at_the_level_of_a_module():
    return {}


class MadeUp(PyMCEngine):
    """Returns chains that were not sampled."""

    trace = None

    def draw(self, *_):
        return self.trace

    def draw_prior(self, *_):
        return Trace(self.trace.parameters).flat()


def sampled(prior):
    """A result with a callable prior."""
    with warnings.catch_warnings(action="ignore"):
        like, engine = chains(), MadeUp(prior=prior)
        engine.trace = like._posterior.trace
        found = sample(like._posterior, engine)
        return ComparisonResult(found, like.names, like._metrics)


def test_callable_priors_are_pickled_by_reference_and_saved_by_name(tmp_path):
    result = sampled(at_the_level_of_a_module)
    again = copied(result)
    assert again._posterior.build_prior is at_the_level_of_a_module
    assert again.prior == {"callable": "at_the_level_of_a_module"}
    result = sampled(lambda: {"mu": 1})
    with pytest.raises((pickle.PicklingError, AttributeError), match="<lambda>"):
        pickle.dumps(result)
    assert copy.deepcopy(result).to_dict() == result.to_dict()
    result.save(tmp_path / "file")
    with pytest.warns():
        assert ComparisonResult.load(tmp_path / "file").prior == result.prior
