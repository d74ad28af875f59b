"""Run time of both engines on the same comparison, at equal effective sample size.

PyMC runs with its defaults, including compilation. The exact engine then makes as many independent
draws as the effective sample size of PyMC's chains.

    python benchmarks/engines.py
"""

import sys
import time
from pathlib import Path

import numpy as np

from skbayeseval import compare_predictions

# Numba, which PyMC uses, would take the folder "coverage" beside this file for the package.
sys.path = [path for path in sys.path if Path(path) != Path(__file__).resolve().parent]


def instances(n_classes, n_instances, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, n_classes, n_instances)
    return y, *(
        np.where(rng.random(n_instances) < p, y, rng.integers(0, n_classes, n_instances))
        for p in (0.8, 0.75)
    )


def seconds(run):
    start = time.perf_counter()
    result = run()
    result.draws.mean()
    return time.perf_counter() - start, result


def main():
    jobs = {
        "paired, 2 classes, f1": (instances(2, 500), {"scoring": "f1", "model": "paired"}),
        "hierarchical, 20 classes, f1_macro": (
            instances(20, 7500),
            {"scoring": "f1_macro", "model": "hierarchical"},
        ),
    }
    for name, (data, options) in jobs.items():
        slow, chains = seconds(
            lambda d=data, o=options: compare_predictions(*d, **o, engine="pymc", random_state=0)
        )
        n_draws = round(chains.summary()["ess"].iloc[0])
        fast = min(
            seconds(
                lambda d=data, o=options, n=n_draws: compare_predictions(
                    *d, **o, n_draws=n, random_state=0
                )
            )[0]
            for _ in range(5)
        )
        print(
            f"{name}: effective size {n_draws:,}: pymc {slow:.1f} s, exact {1000 * fast:.1f} ms, "
            f"{slow / fast:,.0f} times faster"
        )


if __name__ == "__main__":
    main()
