"""Comparisons, counts, searches and cross-validations, each against the least that it takes.

Each function is a job of `bench.py`.
"""

from __future__ import annotations

import importlib
import time
from collections.abc import Callable
from itertools import count
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn import config_context
from sklearn.datasets import load_digits, make_classification
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import RandomForestClassifier
from sklearn.metrics import (
    accuracy_score,
    average_precision_score,
    make_scorer,
    precision_recall_curve,
    roc_auc_score,
)
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_validate
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC

from benchmarks.measuring import Bench, Row
from benchmarks.simulated import indicators, labels, tables
from skbayeseval import (
    BlockRegularizedCV,
    bayesian_cross_validate,
    compare_predictions,
    count_scorer,
    metrics,
    prediction_scorer,
    report_search,
)
from skbayeseval.evidence import PairedCounts

Array = NDArray[Any]


# Comparisons of two classifiers, against numpy drawing the random numbers that they stand on.


def paired_binary(bench: Bench, n_draws: int) -> Row:
    """Measure two classes: the posterior is a Beta and two Dirichlet vectors of four."""
    n, n_draws = bench.size(5000, 50), bench.size(n_draws, 100)
    y, a, b = labels(2, n)
    mu = np.bincount(y, minlength=2) + 1.0
    theta = np.bincount(4 * y + 2 * a + b, minlength=8).reshape(2, 4) + 0.25

    def ours() -> object:
        result = compare_predictions(y, a, b, scoring="f1", n_draws=n_draws, random_state=0)
        return result.hdi(), result.decision(rope=0.01)

    def variates() -> object:
        rng = np.random.default_rng(0)
        drawn = [rng.beta(*mu, n_draws), *(rng.dirichlet(shape, n_draws) for shape in theta)]
        return drawn, np.sort(drawn[0])

    return bench.ratio(
        f"2 classes, paired, {n:,} labels, {n_draws:,} draws: HDI and decision",
        "numpy drawing the same Beta and Dirichlet variates and sorting once",
        ours,
        variates,
        two_threads=True,
    )


def ten_classes(bench: Bench, model: str) -> Row:
    """Measure ten classes, against all cells of both tables and the class proportions as gammas."""
    n, n_draws = bench.size(10_000, 100), bench.size(10_000, 100)
    y, a, b = labels(10, n)
    cells = tables(y, [a, b], 10)
    shapes = np.concatenate([cells.ravel(), cells.sum(axis=2).ravel()]) + 1.0

    def ours() -> object:
        result = compare_predictions(
            y, a, b, scoring="f1_macro", model=model, n_draws=n_draws, random_state=0
        )
        return result.hdi(), result.decision(rope=0.01)

    def dense_gammas() -> object:
        rng = np.random.default_rng(0)
        return [rng.standard_gamma(shape, n_draws) for shape in shapes]

    return bench.ratio(
        f"10 classes, {model}, {n:,} labels, macro-F1, {n_draws:,} draws: HDI and decision",
        "numpy drawing a gamma for every cell of both tables and every class",
        ours,
        dense_gammas,
        two_threads=True,
    )


def multilabel(bench: Bench) -> Row:
    """Measure label sets, against one weight per instance."""
    n, n_draws = bench.size(3299, 60), bench.size(20_000, 100)
    y, a, b = indicators(n, 10)
    n_patterns = len(np.unique(np.hstack([y, a, b]), axis=0))

    def ours() -> object:
        result = compare_predictions(y, a, b, scoring="f1_macro", n_draws=n_draws, random_state=0)
        return result.hdi(), result.decision(rope=0.01)

    return bench.ratio(
        f"10 labels, {n:,} instances ({n_patterns:,} distinct), macro-F1, {n_draws:,} draws",
        "a Bayesian bootstrap in numpy, one weight per instance",
        ours,
        lambda: np.sort(bootstrap_differences(y, a, b, n_draws)),
        two_threads=True,
    )


def bootstrap_differences(y: Array, a: Array, b: Array, n_draws: int, block: int = 500) -> Array:
    """Return draws of the difference in macro-F1, with an exponential weight per instance."""
    rng = np.random.default_rng(0)
    summed = np.hstack([y & a, y + a, y & b, y + b]).astype(float)
    drawn = []
    for start in range(0, n_draws, block):
        weights = rng.standard_exponential((min(block, n_draws - start), len(y)))
        hits_a, all_a, hits_b, all_b = np.split(weights @ summed, 4, axis=1)
        drawn.append((2 * hits_a / all_a - 2 * hits_b / all_b).mean(axis=1))
    return np.concatenate(drawn)


def thousand_classes(bench: Bench) -> Row:
    """Measure many classes. Gammas for all of the two million cells take over a minute."""
    n_classes, n = bench.size(1000, 20), bench.size(50_000, 500)
    n_draws, n_dense = bench.size(2000, 100), 10
    y, a, b = labels(n_classes, n)
    cells = tables(y, [a, b], n_classes)
    shapes = np.concatenate([cells.ravel(), cells.sum(axis=2).ravel()]) + 1.0

    def ours() -> object:
        result = compare_predictions(y, a, b, scoring="f1_macro", n_draws=n_draws, random_state=0)
        return result.hdi(), result.decision(rope=0.01)

    def dense_gammas() -> object:
        return np.random.default_rng(0).standard_gamma(shapes, (n_dense, len(shapes)))

    return bench.ratio(
        f"{n_classes:,} classes, paired, {n:,} labels, macro-F1, {n_draws:,} draws",
        "numpy drawing a gamma for every cell of both tables and every class"
        f" ({n_dense} draws, scaled)",
        ours,
        dense_gammas,
        times=n_draws / n_dense,
        two_threads=True,
    )


# What a planned size and a Bayes factor cost, against comparisons of the same data.


def required_sample_size(bench: Bench) -> Row:
    """Measure a planned size: decisions about many simulated test sets of several sizes."""
    n, n_replications = 500, bench.size(1000, 50)
    n_draws = 4000
    y, a, b = labels(2, n, (0.82, 0.80))
    result = compare_predictions(y, a, b, scoring="f1", random_state=0)
    result.hdi()
    seeds = count()

    def planned() -> object:
        return result.required_sample_size(
            0.02, n_replications=n_replications, random_state=next(seeds)
        )

    def one_comparison() -> object:
        again = compare_predictions(y, a, b, scoring="f1", n_draws=n_draws, random_state=0)
        return again.decision(rope=0.02)

    return bench.ratio(
        f"required_sample_size, 2 classes, {n_replications:,} simulated test sets",
        f"one comparison of {n_draws:,} draws for each simulated test set",
        planned,
        one_comparison,
        times=n_replications,
        two_threads=True,
        warm_up=bench.scale < 1,
    )


def bayes_factor(bench: Bench) -> Row:
    """Measure Bayes factors, of a new ROPE each time: its prior probability is kept."""
    n_classes, n, n_draws = bench.size(300, 20), bench.size(20_000, 500), bench.size(2000, 200)
    y, a, b = labels(n_classes, n, (0.8, 0.795))
    options = {"scoring": "f1_macro", "n_draws": n_draws, "random_state": 0}
    result = compare_predictions(y, a, b, **options)
    result.hdi()
    ropes = (0.01 + 1e-6 * k for k in count())
    return bench.ratio(
        f"Bayes factor with a ROPE, {n_classes:,} classes, {n:,} labels, macro-F1",
        f"drawing the posterior, {n_draws:,} draws",
        lambda: result.bayes_factor(rope=next(ropes)),
        lambda: compare_predictions(y, a, b, **options).draws,
        two_threads=True,
        warm_up=False,
    )


# The Bayesian bootstrap of ROC AUC, against one call of scikit-learn per draw and classifier.

FUNCTIONS = {"roc_auc": roc_auc_score, "average_precision": average_precision_score}


def ranking_metric(bench: Bench, metric: str) -> Row:
    """Measure draws of the metrics of two classifiers; the loop is timed for one draw."""
    n, n_draws = bench.size(20_000, 100), bench.size(4000, 100)
    rng = np.random.default_rng(0)
    y = np.arange(n) % 2
    a, b = (y + rng.normal(0, noise, n) for noise in (1.0, 1.5))
    weights = rng.standard_exponential(n)
    function = FUNCTIONS[metric]

    def ours() -> object:
        scores = {"y_score_a": a, "y_score_b": b, "scoring": metric}
        return compare_predictions(y, None, None, **scores, n_draws=n_draws, random_state=0).draws

    def one_draw() -> object:
        return [function(y, scores, sample_weight=weights) for scores in (a, b)]

    return bench.ratio(
        f"{metric}, {n:,} instances, {n_draws:,} draws",
        f"{function.__name__} of scikit-learn in a loop over the draws (one draw, scaled)",
        ours,
        one_draw,
        times=n_draws,
        two_threads=True,
    )


# How fast labels are counted, against one np.bincount of codes that are already combined.

AGAINST = "np.bincount of combined codes"


def integers(bench: Bench) -> list[Row]:
    """Measure 64-bit integers."""
    n = bench.size(20_000_000, 1000)
    y, a, b = codes(n)
    combined = (y * 3 + a) * 3 + b
    of_labels = {
        "64-bit integers": lambda: PairedCounts.from_labels(y, {"a": a, "b": b}),
    }
    return [
        bench.ratio(
            f"counting 3 x {n:,} labels, {kind}", AGAINST, ours, lambda: np.bincount(combined)
        )
        for kind, ours in of_labels.items()
    ]


def strings(bench: Bench) -> list[Row]:
    """Measure strings of numpy and of Python."""
    n = bench.size(2_000_000, 1000)
    y, a, b = codes(n)
    combined = (y * 3 + a) * 3 + b
    animals = np.array(["bird", "cat", "dog"])
    rows = []
    for kind, names in (("numpy", animals), ("Python", animals.astype(object))):
        truth, of_a, of_b = names[y], names[a], names[b]
        rows.append(
            bench.ratio(
                f"counting 3 x {n:,} labels, strings of {kind}",
                AGAINST,
                lambda t=truth, a=of_a, b=of_b: PairedCounts.from_labels(t, {"a": a, "b": b}),
                lambda: np.bincount(combined),
            )
        )
    return rows


def codes(n: int) -> Any:
    """Return true and predicted classes."""
    return np.random.default_rng(0).integers(0, 3, (3, n))


# The exact engine against PyMC, at equal effective sample size.
# PyMC runs once, with its defaults, including compilation. The exact engine then makes as many
# independent draws as the effective sample size of PyMC's chains.


def exact_against_pymc(bench: Bench, n_classes: int, model: str) -> Row:
    """Measure the same comparison with both engines."""
    n = bench.size(500 if n_classes == 2 else 375 * n_classes, 100)
    y, a, b = labels(n_classes, n)
    options: dict[str, Any] = {"scoring": "f1_macro", "model": model, "random_state": 0}
    importlib.import_module("pymc")  # which takes seconds, once

    start = time.perf_counter()
    chains = compare_predictions(y, a, b, engine="pymc", **options)
    chains.hdi()
    with_pymc = time.perf_counter() - start
    n_draws = max(100, round(chains.summary()["ess"].iloc[0]))

    def exactly() -> object:
        return compare_predictions(y, a, b, n_draws=n_draws, **options).hdi()

    ratios = bench.times({"exact": exactly})["exact"] / with_pymc
    return Row(
        f"{model}, {n_classes} classes, {n:,} labels, macro-F1, {n_draws:,} draws: HDI",
        "PyMC, run once with its defaults and compiled, equal effective sample size",
        value=float(np.median(ratios)),
        rounds=len(ratios),
        low=float(ratios.min()),
        high=float(ratios.max()),
        seconds=float(np.median(ratios)) * with_pymc,
    )


# Grid searches that record confusion counts, and reports on them.


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


def kept_predictions(bench: Bench) -> list[Row]:
    """Measure reports on a grid of nearest neighbours whose search kept its predictions."""
    n = bench.size(600, 100)
    X, y = make_classification(n, random_state=0)
    grid = {"n_neighbors": range(1, 2 * bench.size(10), 2)}
    cv = BlockRegularizedCV(3, random_state=0)
    rows = []
    for metric in ("f1", "roc_auc"):
        finished: dict[str, Any] = {}

        def searched(scoring: Any = metric, kept: dict[str, Any] = finished) -> None:
            kept["search"] = GridSearchCV(
                KNeighborsClassifier(),
                grid,
                cv=cv,
                scoring=prediction_scorer(scoring),
                refit=scoring,
            ).fit(X, y)

        def told(kept: dict[str, Any] = finished) -> str:
            return str(report_search(kept["search"], rope=0.02, random_state=0))

        job = f"report on kept predictions, {metric}, {len(grid['n_neighbors'])} candidates"
        rows.append(bench.ratio(f"{job}, {n:,} rows", "the search", told, searched))
    return rows


# Functions of the user, and scorers with weights, in a cross-validation.


def routed_weights(bench: Bench) -> Row:
    """Measure accuracy with sample weights, against accuracy without."""
    plain = make_scorer(accuracy_score)
    return _routed(bench, "accuracy with sample_weight", "accuracy", plain, plain, "sample_weight")


def money(bench: Bench) -> Row:
    """Measure a gain that takes sample weights, against the same without."""
    scorers = make_scorer(gain), make_scorer(plain_gain)
    return _routed(
        bench, "gain with sample_weight=", "the same function without", *scorers, "amount"
    )


def called(bench: Bench) -> Row:
    """Measure a function that has to be called for each draw, against so many of its calls."""
    n, n_draws = bench.size(1000, 60), bench.size(1000, 100)
    y, rng = np.arange(n) % 2, np.random.default_rng(0)
    a, b = (y + rng.normal(0, noise, n) for noise in (1.0, 1.5))
    recall = metrics.weighted(top_recall, response="decision_function", name="recall")
    weights = rng.standard_exponential(n)

    def ours() -> object:
        scores = {"y_score_a": a, "y_score_b": b, "scoring": recall}
        return compare_predictions(y, None, None, **scores, n_draws=n_draws, random_state=0).draws

    return bench.ratio(
        f"recall at a precision, {n:,} rows, {n_draws:,} draws",
        "a call of the function for each draw and classifier (one draw, scaled)",
        ours,
        lambda: [top_recall(y, scores, sample_weight=weights) for scores in (a, b)],
        times=n_draws,
    )


def gain(y_true: Array, y_pred: Array, amount: Array, sample_weight: Array | None = None) -> float:
    """Return the mean gain: a share of the amount of what is found, less the cost of a look."""
    each = np.where(y_true == 1, np.where(y_pred == 1, 0.9, -1.0) * amount, -3.0 * y_pred)
    return float(np.average(each, weights=sample_weight))


def plain_gain(y_true: Array, y_pred: Array, amount: Array) -> float:
    """Return the same without weights."""
    return gain(y_true, y_pred, amount)


def top_recall(y_true: Array, y_score: Array, sample_weight: Array | None = None) -> float:
    """Return the largest recall at a precision of 0.8."""
    found = precision_recall_curve(y_true, y_score, sample_weight=sample_weight)
    return float(found[1][found[0] >= 0.8].max())


def _routed(bench: Bench, job: str, against: str, scorer: Any, other: Any, column: str) -> Row:
    n = bench.size(3000, 60)
    X, y = make_classification(n, random_state=0)
    values = np.random.default_rng(0).lognormal(size=n)
    of_both = column != "sample_weight"

    def compared(scoring: Any, is_routed: bool) -> Callable[[], object]:
        with config_context(enable_metadata_routing=True):
            if is_routed:
                scoring = scoring.set_score_request(**{column: True})
            learners = [GaussianNB(), LinearDiscriminantAnalysis()]
            learners[0].set_fit_request(sample_weight=False)
        params = {column: values} if is_routed else None

        def run() -> object:
            with config_context(enable_metadata_routing=True):
                options = {"cv": 5, "scoring": scoring, "params": params, "random_state": 0}
                return bayesian_cross_validate(*learners, X, y, **options).hdi()

        return run

    return bench.ratio(
        f"{job} routed to a scorer, {n:,} rows, five folds",
        against,
        compared(scorer, True),
        compared(other, of_both),
    )


# A cross-validated comparison, against calls of `cross_validate` on the same splits.


def fast_learners(bench: Bench) -> Row:
    """Measure learners whose fits take next to nothing."""
    n, cv = bench.size(20_000, 100), BlockRegularizedCV(3, random_state=0)
    X, y = make_classification(n, random_state=0)
    learners = GaussianNB(), LinearDiscriminantAnalysis()

    def ours() -> object:
        return str(bayesian_cross_validate(*learners, X, y, cv=cv, random_state=0))

    return bench.ratio(
        f"bayesian_cross_validate, naive Bayes and linear discriminants, {n:,} instances: printed",
        "two calls of cross_validate on the same splits",
        ours,
        lambda: [cross_validate(one, X, y, cv=cv) for one in learners],
    )


def cross_validation(bench: Bench) -> Row:
    """Measure random forests, which take most of a second to fit."""
    return _measured(bench, "learner", {"the same splits": BlockRegularizedCV(random_state=0)})


def full_size(bench: Bench) -> Row:
    """Measure the same with ten folds, and halves that tell how much training sets matter."""
    folds = StratifiedKFold(10, shuffle=True, random_state=0)
    halves = BlockRegularizedCV(random_state=0)
    return _measured(bench, "full", {"ten folds": folds, "three times two halves": halves})


def _measured(bench: Bench, estimand: str, splitters: dict[str, Any]) -> Row:
    n, n_trees = bench.size(4000, 100), bench.size(30)
    X, y = make_classification(n, n_features=40, n_informative=10, random_state=0)
    a = RandomForestClassifier(n_trees, random_state=0)
    b = RandomForestClassifier(n_trees, max_features=8, random_state=0)

    def ours() -> object:
        options = {"scoring": "f1", "estimand": estimand, "random_state": 0}
        return bayesian_cross_validate(a, b, X, y, **options).hdi()

    def theirs() -> object:
        each = [(e, cv) for e in (a, b) for cv in splitters.values()]
        return [cross_validate(e, X, y, cv=cv, scoring="f1") for e, cv in each]

    return bench.ratio(
        f"bayesian_cross_validate, {estimand=!s}, forests of {n_trees} trees, {n:,} instances: HDI",
        f"two calls of cross_validate on {' and two on '.join(splitters)}",
        ours,
        theirs,
        warm_up=False,
    )
