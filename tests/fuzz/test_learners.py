"""Cross-validation, searches and plans, with cheap estimators and few examples."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.model_selection import GridSearchCV
from sklearn.tree import DecisionTreeClassifier

from skbayeseval import (
    BlockRegularizedCV,
    count_scorer,
    report_search,
)
from tests.fuzz.harness import attempt, examples
from tests.fuzz.strategies import anything, mostly, probabilities, ropes

N = 32
Y = np.arange(N) % 2
X = np.column_stack([Y + np.sin(np.arange(N)), np.cos(np.arange(N))])
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
