"""Comparisons of two classifiers, against numpy drawing the random numbers that they stand on."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.measuring import Bench, Row
from benchmarks.simulated import indicators, labels, tables
from skbayeseval import compare_predictions

Array = NDArray[Any]


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
