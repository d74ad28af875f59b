"""Wrong arguments are told before a search, or a report on one, fits anything."""

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.model_selection import GridSearchCV
from sklearn.tree import DecisionTreeClassifier

from skbayeseval import count_scorer, refit_simplest, report_search

X, Y = load_iris(return_X_y=True)


class Tree(DecisionTreeClassifier):
    """Cannot be fitted any more once the search is done."""

    may_be_fitted = True

    def fit(self, X, y, sample_weight=None, check_input=True):
        assert Tree.may_be_fitted, "fitted although an argument is wrong"
        return super().fit(X, y, sample_weight, check_input)


@pytest.fixture(scope="module")
def search():
    Tree.may_be_fitted = True
    found = GridSearchCV(Tree(random_state=0), {"max_depth": [1, 2, 3]}, cv=3).fit(X, Y)
    Tree.may_be_fitted = False
    return found


def each(table):
    return [
        pytest.param({name: value}, id=f"{name}={value!r}"[:40])
        for name, values in table.items()
        for value in values
    ]


COMMON = {
    "rope": ["x", -1, (1, 2), None],
    "scoring": [3, ["f1"]],
    "test_fraction": [0, "x"],
    "labels": [[0], "x", [0, 0, 1]],
    "pos_label": [[1]],
    "prob": [1, "x"],
    "n_draws": [1, "x"],
    "random_state": ["x", -1],
}
OF_REPORT = COMMON | {
    "X": [None, X[:5]],
    "y": [None, Y[:5]],
    "top": [0, 2.5],
    "scoring": [3, ["f1"], max, "nonsense"],
    "labels": [[0], "x", [0, 0, 1], [0, 1, 3]],
    "pos_label": [[1], 7],
    "groups": [[1, 2]],
    "params": [3],
    "n_jobs": [0],
    "verbose": ["x"],
}
OF_REFIT = COMMON | {
    "key": [3, [], None, [1]],
    "cv": [1, "x"],
}


@pytest.mark.filterwarnings("ignore:.*instances of one group are in both")
@pytest.mark.parametrize("options", each(OF_REPORT))
def test_report(search, options):
    options = {"rope": 0.05, "X": X, "y": Y, **options}
    with pytest.raises((ValueError, TypeError)) as caught:
        report_search(search, **options)
    assert "fitted although" not in str(caught.value)


@pytest.mark.parametrize("options", each(OF_REFIT))
def test_refit(options):
    options = {"key": "max_depth", "rope": 0.05, **options}
    with pytest.raises((ValueError, TypeError)):
        refit_simplest(options.pop("key"), **options)


def test_refit_of_known_labels():
    with pytest.raises(ValueError, match="pos_label=7 is not a valid label"):
        refit_simplest("max_depth", rope=0.1, labels=[0, 1], pos_label=7)
    splits = [(np.arange(75), np.arange(75, 150)), (np.arange(75, 150), np.arange(75))]
    refit = refit_simplest("max_depth", rope=0.1, cv=iter(splits))
    assert len(refit.settings.cv) == 2
    generator = np.random.default_rng(0)
    refit_simplest("max_depth", rope=0.1, random_state=generator)
    assert generator.random() == np.random.default_rng(0).random()


@pytest.mark.parametrize("options", [{"scoring": "never recorded"}, {"labels": [0, 1]}])
def test_results_of_a_search_outlive_a_choice_that_fails(options):
    Tree.may_be_fitted = True
    scoring = count_scorer([0, 1, 2])
    refit = refit_simplest("max_depth", rope=0.1, cv=3, **options)
    search = GridSearchCV(
        Tree(random_state=0), {"max_depth": [1, 2]}, cv=3, scoring=scoring, refit=refit
    )
    with pytest.raises(ValueError, match=r".") as caught:
        search.fit(X, Y)
    assert "All fits of the search were done" in caught.value.__notes__[0]
    kept = search.refit.cv_results_
    assert [one["max_depth"] for one in kept["params"]] == [1, 2]
    again = refit_simplest("max_depth", rope=0.1, cv=3)(kept)
    assert again in (0, 1)
