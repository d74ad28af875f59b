"""How run times grow as one size is doubled three times, the others being the same."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from sklearn.datasets import make_classification
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier

from benchmarks.measuring import Bench, Row
from benchmarks.simulated import labels
from skbayeseval import compare_many, compare_predictions, count_scorer, report_search

OPTIONS = {"scoring": "f1_macro", "random_state": 0}


def draws(bench: Bench) -> Row:
    """Measure comparisons of twenty classes."""
    data = labels(20, bench.size(5000, 200))

    def compared(n_draws: int) -> Callable[[], object]:
        return lambda: compare_predictions(*data, n_draws=n_draws, **OPTIONS).hdi()

    return bench.growth("growth with draws, 20 classes", compared, 2500, 100)


def classes(bench: Bench) -> Row:
    """Measure comparisons of as many labels, spread over more classes."""
    n, n_draws = bench.size(20_000, 1000), bench.size(1000, 100)

    def compared(n_classes: int) -> Callable[[], object]:
        data = labels(n_classes, n)
        return lambda: compare_predictions(*data, n_draws=n_draws, **OPTIONS).hdi()

    return bench.growth(f"growth with classes, {n:,} labels", compared, 50, 5)


def instances(bench: Bench) -> Row:
    """Measure comparisons of more labels of as many classes."""
    n_classes, n_draws = bench.size(100, 20), bench.size(1000, 100)

    def compared(n: int) -> Callable[[], object]:
        data = labels(n_classes, n)
        return lambda: compare_predictions(*data, n_draws=n_draws, **OPTIONS).hdi()

    return bench.growth(f"growth with labels, {n_classes} classes", compared, 2500, 200)


def classifiers(bench: Bench) -> Row:
    """Measure rankings of more and more classifiers."""
    n_classes, n, n_draws = bench.size(100, 20), bench.size(2000, 200), bench.size(1000, 100)

    def ranked(n_classifiers: int) -> Callable[[], object]:
        y, *predicted = labels(n_classes, n, tuple(np.linspace(0.6, 0.8, n_classifiers)))
        predictions = {f"c{k}": values for k, values in enumerate(predicted)}
        return lambda: compare_many(y, predictions, n_draws=n_draws, **OPTIONS).table

    return bench.growth(f"growth with classifiers, {n_classes} classes", ranked, 4)


def candidates(bench: Bench) -> Row:
    """Measure reports on searches that recorded counts."""
    X, y = make_classification(1000, random_state=0)
    counts = count_scorer([0, 1])

    def reported(n_candidates: int) -> Callable[[], object]:
        grid = {"n_neighbors": range(1, n_candidates + 1)}
        search = GridSearchCV(KNeighborsClassifier(), grid, scoring=counts, refit="score")
        search.fit(X, y)
        return lambda: report_search(search, rope=0.01, random_state=0).summary()

    return bench.growth("growth with candidates of a search", reported, 25, 4)
