"""The exact engine against PyMC, at equal effective sample size.

PyMC runs once, with its defaults, including compilation. The exact engine then makes as many
independent draws as the effective sample size of PyMC's chains.
"""

from __future__ import annotations

import importlib
import time
from typing import Any

import numpy as np

from benchmarks.measuring import Bench, Row
from benchmarks.simulated import labels
from skbayeseval import compare_predictions


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
