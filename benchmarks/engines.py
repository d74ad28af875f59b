"""The exact engine against PyMC, at equal effective sample size.

PyMC runs once, with its defaults, including compilation. The exact engine then makes as many
independent draws as the effective sample size of PyMC's chains.
"""

from __future__ import annotations

from typing import Any

from benchmarks.measuring import Bench, Row
from benchmarks.simulated import labels
from skbayeseval import compare_predictions


def exact_against_pymc(bench: Bench, n_classes: int, model: str) -> Row:
    """Measure the same comparison with both engines."""
    n = bench.size(500 if n_classes == 2 else 375 * n_classes, 100)
    y, a, b = labels(n_classes, n)
    options: dict[str, Any] = {"scoring": "f1_macro", "model": model, "random_state": 0}
    chains = {}

    def with_pymc() -> object:
        chains["result"] = compare_predictions(y, a, b, engine="pymc", **options)
        return chains["result"].draws

    def exactly() -> object:
        n_draws = max(100, round(chains["result"].summary()["ess"].iloc[0]))
        return compare_predictions(y, a, b, n_draws=n_draws, **options).draws

    compare_predictions(y, a, b, **options).hdi()
    return bench.ratio(
        f"{model}, {n_classes} classes, {n:,} labels, macro-F1: independent draws",
        "PyMC with its defaults, equal effective sample size",
        exactly,
        with_pymc,
        rounds=1,
        warm_up=False,
    )
