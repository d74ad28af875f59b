"""How often 95% intervals contain the truth of the models at hand: `estimand="fitted"`.

    python benchmarks/coverage/fitted.py --data-sets 100        # about ten minutes

The truth of a data set is the difference in the metric of the models fitted in its splits, of all
of their predictions for fresh instances together.
"""

from __future__ import annotations

import argparse
import os
import warnings

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np
from run import SCENARIOS, splitter

from skbayeseval import bayesian_cross_validate
from skbayeseval.metrics import get_metric

CHOSEN = ("shift-100", "shift-200", "spread-300", "cross-200", "clusters-100", "tails-200")
METRICS = ("accuracy", "f1")
N_FRESH = 10_000


def main() -> None:
    """Print the coverage of each problem, scheme and metric."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data-sets", type=int, default=100)
    n_data_sets = parser.parse_args().data_sets
    print(f"{'problem':14}{'splits':8}{'metric':10}coverage")
    for number, scenario in enumerate(SCENARIOS):
        for scheme in ("3x2", "5-fold") if scenario.name in CHOSEN else ():
            hits = []
            for seed in range(n_data_sets):
                rng = np.random.default_rng([number, seed])
                np.random.seed(rng.integers(2**31))  # noqa: NPY002, for the random learners
                X, y, _ = scenario.draw(scenario.n, rng)
                X_new, y_new, _ = scenario.draw(N_FRESH, rng)
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    result = bayesian_cross_validate(
                        *scenario.learners(),
                        X,
                        y,
                        scoring=METRICS,
                        cv=splitter(scheme, False, seed),
                        estimand="fitted",
                        return_estimator=True,
                        n_draws=2000,
                        random_state=seed,
                    )
                tables = np.zeros((2, 2, 2))
                for table, name in zip(tables, result.names, strict=True):
                    for model in result.cv_results[name]["estimator"]:
                        np.add.at(table, (y_new, model.predict(X_new)), 1)
                intervals = [result.hdi(metric=metric) for metric in METRICS]
                truths = [float(np.subtract(*get_metric(metric)(tables))) for metric in METRICS]
                hits.append(
                    [
                        low <= truth <= high
                        for (low, high), truth in zip(intervals, truths, strict=True)
                    ]
                )
            for metric, coverage in zip(METRICS, np.mean(hits, axis=0), strict=True):
                print(f"{scenario.name:14}{scheme:8}{metric:10}{coverage:.2f}", flush=True)


if __name__ == "__main__":
    main()
