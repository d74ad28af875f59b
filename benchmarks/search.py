"""Grid searches that record confusion counts, and reports on them."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.datasets import load_digits
from sklearn.model_selection import GridSearchCV
from sklearn.svm import SVC

from benchmarks.measuring import Bench, Row
from skbayeseval import BlockRegularizedCV, count_scorer, report_search


def recorded_search(bench: Bench) -> list[Row]:
    """Measure a grid of SVMs on the digits data, with f1_macro alone and with counts."""
    X, y = load_digits(return_X_y=True)
    n = bench.size(600, 100)
    X, y = X[:n], y[:n]
    grid = {"C": np.geomspace(0.1, 1000, bench.size(10)), "gamma": np.geomspace(1e-5, 1e-2, 4)}
    n_candidates = 4 * len(grid["C"])
    cv = BlockRegularizedCV(3, random_state=0)
    finished: dict[str, Any] = {}

    def searched(scoring: Any, refit: Any) -> Any:
        return GridSearchCV(SVC(), grid, cv=cv, scoring=scoring, refit=refit).fit(X, y)

    def with_counts() -> object:
        counts = count_scorer(range(10), also="f1_macro")
        finished["search"] = searched(counts, "f1_macro")
        return finished["search"]

    def told() -> object:
        report = report_search(finished["search"], rope=0.02, random_state=0)
        return report.summary(), str(report)

    job = f"{n_candidates} SVMs, {cv.get_n_splits()} splits of {n:,} instances"
    return [
        bench.ratio(
            f"grid search that records counts, {job}",
            "the same search with f1_macro alone",
            with_counts,
            lambda: searched("f1_macro", True),
        ),
        bench.ratio(f"report on the search, {job}", "the search", told, with_counts),
    ]
