"""Cross-validation, searches and plans, with cheap estimators and few examples."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.dummy import DummyClassifier
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from skbayeseval import (
    BayesianComparer,
    BlockRegularizedCV,
    bayesian_cross_validate,
    count_scorer,
    power_analysis,
    report_search,
)
from tests.fuzz.harness import attempt, check_comparison, examples
from tests.fuzz.strategies import SPOILED, anything, mostly, probabilities, ropes, spoiled

N = 32
Y = np.arange(N) % 2
X = np.column_stack([Y + np.sin(np.arange(N)), np.cos(np.arange(N))])
QUICK = {"n_draws": 200, "random_state": 0}

indices = st.lists(st.integers(-N - 2, N + 2), min_size=0, max_size=12)
splits = st.one_of(
    st.integers(-1, 5),
    st.lists(st.tuples(indices, indices), max_size=3),
    st.lists(st.tuples(indices, indices).map(lambda p: tuple(map(np.array, p))), max_size=3),
    anything,
)


@examples(100)
@given(st.data())
def test_bayesian_cross_validate_refuses(data):
    how = data.draw(st.sampled_from([*SPOILED, "cv", "groups", "X", "weight"]))
    arguments = {"X": X, "y": Y}
    if how == "cv":
        arguments["cv"] = data.draw(splits)
    elif how in SPOILED:
        arguments["y"] = spoiled(Y)[how]
    else:
        arguments[how] = data.draw(anything)
    result = attempt(
        "bayesian_cross_validate",
        lambda: bayesian_cross_validate(DummyClassifier(), GaussianNB(), **arguments, **QUICK),
    )
    if how in SPOILED:
        assert result is None
    elif result is not None:
        check_comparison(result)


@examples(25)
@given(st.data())
def test_comparer(data):
    name = data.draw(
        st.sampled_from(["estimators", "cv", "scoring", "model", "rope", "labels", "estimand"])
    )
    valid = {
        "estimators": [GaussianNB(), ("c", DummyClassifier()), GaussianNB(var_smoothing=0.1)],
        "cv": 2,
        "scoring": ["f1", "accuracy"],
        "model": "unpaired",
        "rope": (-0.1, 0.2),
        "labels": [1, 0],
        "estimand": "full",
    }
    value = data.draw(mostly(st.just(valid[name])))
    options = {"estimators": [GaussianNB(), DummyClassifier()], "rope": 0.1, **QUICK, name: value}
    fitted = attempt("BayesianComparer", lambda: BayesianComparer(**options).fit(X, Y))
    if fitted is not None:
        check_comparison(fitted.result_)
        assert fitted.best_name_ in fitted.ranking_.names


SEARCHES = {
    scoring: GridSearchCV(
        DecisionTreeClassifier(random_state=0),
        {"max_depth": [1, 2, 3]},
        cv=BlockRegularizedCV(random_state=0),
        scoring=count_scorer([0, 1], also="f1") if scoring == "counts" else scoring,
        refit="f1" if scoring == "counts" else True,
    ).fit(X, Y)
    for scoring in ("counts", "accuracy")
}
SEARCHES |= {
    "results": SEARCHES["accuracy"].cv_results_,
    "table": pd.DataFrame(SEARCHES["counts"].cv_results_),
}


@examples(60)
@given(st.data())
def test_report_search(data):
    search = SEARCHES[data.draw(st.sampled_from(sorted(SEARCHES)))]
    options = {"rope": data.draw(ropes), "n_draws": 200, "random_state": 0}
    name = data.draw(
        st.sampled_from(["prob", "scoring", "test_fraction", "labels", "top", "n_draws", "prob"])
    )
    if data.draw(st.booleans()):
        options[name] = data.draw(st.one_of(probabilities, st.just("f1"), anything))
    report = attempt("report_search", lambda: report_search(search, **options))
    if report is not None:
        table = report.summary()
        alike = table.duplicated(["mean", "hdi_low", "hdi_high", "p_best"])  # copies share one
        assert table["p_best"][~alike].sum() == pytest.approx(1)
        assert table["p_equivalent"].between(0, 1).all()
        key = data.draw(mostly(st.just("max_depth")))
        attempt("SearchReport.simplest", lambda: report.simplest(key))


@examples(30)
@given(st.data())
def test_power_analysis(data):
    scenario = {"mu": 0.4, "theta+": [0.7, 0.1, 0.1, 0.1], "theta-": [0.1, 0.1, 0.1, 0.7]}
    truth = data.draw(mostly(st.just(scenario)))
    sizes = data.draw(mostly(st.lists(st.integers(5, 40), min_size=1, max_size=2)))
    goal = data.draw(mostly(st.sampled_from(["~", ">>", "<", ["<", ">"]])))
    options = {"rope": data.draw(ropes), "goal": goal, "n_replications": 20, "random_state": 0}
    found = attempt("power_analysis", lambda: power_analysis(truth, sizes, **options))
    if found is not None:
        assert found.table["power"].between(0, 1).all()
