"""How run times grow as one size does, the others being the same: exponents, and where cliffs are.

An exponent hides a step. The rows of `steps` therefore have one size each, and its time as a ratio
to that of the size before.
"""

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


# Steps: the time of each size as a ratio to that of the size before.

ROWS = (10_000, 40_000, 160_000, 640_000)


def rows(bench: Bench, scoring: str, sizes: tuple[int, ...] = ROWS) -> list[Row]:
    """Measure the difference of two learners on more and more rows."""

    def compared(n: int) -> Callable[[], object]:
        rng = np.random.default_rng(0)
        if scoring == "f1_macro":
            data = labels(20, n)
            return lambda: compare_predictions(*data, **OPTIONS).hdi()
        y = rng.normal(size=n) if scoring == "r2" else np.arange(n) % 2
        a, b = (y + noise * rng.normal(size=n) for noise in (1.0, 1.2))
        options = {"scoring": scoring, "random_state": 0}
        if scoring == "r2":
            return lambda: compare_predictions(y, a, b, **options).hdi()
        if scoring == "neg_log_loss":
            a, b = (1 / (1 + np.exp(-one)) for one in (a, b))
        scores = {"y_score_a": a, "y_score_b": b}
        return lambda: compare_predictions(y, None, None, **scores, **options).hdi()

    return _steps(bench, f"difference in {scoring}", "rows", compared, sizes)


def systems(bench: Bench) -> list[Row]:
    """Measure printed rankings of more and more systems."""
    n = bench.size(5000, 200)

    def ranked(n_systems: int) -> Callable[[], object]:
        y, *predicted = labels(2, n, tuple(np.linspace(0.6, 0.8, n_systems)))
        predictions = {f"s{k}": values for k, values in enumerate(predicted)}
        return lambda: str(compare_many(y, predictions, random_state=0))

    return _steps(bench, f"compare_many, {n:,} rows, printed", "systems", ranked, (5, 20, 80))


def _steps(
    bench: Bench,
    job: str,
    what: str,
    call_of: Callable[[int], Callable[[], object]],
    sizes: tuple[int, ...],
) -> list[Row]:
    """Measure the time of each size as a ratio to that of the size before."""
    sizes = tuple(bench.size(size, 3 + k) for k, size in enumerate(sizes))
    calls = {str(k): call_of(size) for k, size in enumerate(sizes)}
    took = bench.times(calls, rounds=2, warm_up=False)
    rows = []
    for k in range(1, len(sizes)):
        ratios = took[str(k)] / took[str(k - 1)]
        rows.append(
            Row(
                f"{job}: {sizes[k]:,} {what}",
                f"{sizes[k - 1]:,} {what}",
                value=float(np.median(ratios)),
                rounds=len(ratios),
                low=float(ratios.min()),
                high=float(ratios.max()),
                seconds=float(np.median(took[str(k)])),
            )
        )
    return rows
