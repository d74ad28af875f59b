"""How often 95% intervals contain the truth under cross-validation.

    python benchmarks/coverage/run.py --quick                  # minutes
    python benchmarks/coverage/run.py --runs 500 --jobs 2      # hours; resumable
    python benchmarks/coverage/run.py --table                  # results so far, as a CSV file

Finished parts are kept in `--folder` and not computed again. A run draws a data set, lets
`bayesian_cross_validate` compare both learners, and notes the interval of each metric. The truth is
the metric of the expected confusion table of learners trained on as many instances as a training
set has, by simulation with fresh data; for ROC AUC, its expected value.
"""

from __future__ import annotations

import argparse
import os
import time
import warnings
from pathlib import Path
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from numpy.typing import NDArray
from scenarios import SCENARIOS, Scenario
from sklearn import config_context
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold

from skbayeseval import BlockRegularizedCV, bayesian_cross_validate
from skbayeseval.metrics import get_metric

HERE = Path(__file__).parent
PART = 25
ROPE = 0.01
Array = NDArray[Any]

# Scheme: the share of instances in a training set whose truth is asked for, and options.
SCHEMES: dict[str, tuple[float, dict[str, Any]]] = {
    "3x2": (0.5, {}),
    "5-fold": (0.8, {}),
    "full": (1.0, {"estimand": "full"}),
    "3x2 published": (0.5, {"weight": "published"}),
    "5-fold published": (0.8, {"weight": "published"}),
}
QUICK = ("3x2", "full")


def splitter(scheme: str, grouped: bool, seed: int) -> Any:
    """Return the splitter of a scheme, with groups kept whole where there are any."""
    if scheme.startswith("3x2"):
        return BlockRegularizedCV(3, random_state=seed)
    if scheme.startswith("5-fold"):
        kind = StratifiedGroupKFold if grouped else StratifiedKFold
        return kind(5, shuffle=True, random_state=seed)
    return None


def run_one(scenario: Scenario, scheme: str, seed: int) -> Array:
    """Return, per metric, what one data set gives; see `COLUMNS`."""
    # The same data for all schemes.
    rng = np.random.default_rng([SCENARIOS.index(scenario), seed])
    np.random.seed(rng.integers(2**31))  # noqa: NPY002, for the random learners
    X, y, groups = scenario.draw(scenario.n, rng)
    found = np.full((len(scenario.metrics), len(COLUMNS)), np.nan)
    try:
        with warnings.catch_warnings(), config_context(assume_finite=True):
            warnings.simplefilter("ignore")
            result = bayesian_cross_validate(
                *scenario.learners(),
                X,
                y,
                groups=groups,
                scoring=scenario.metrics,
                cv=splitter(scheme, groups is not None, seed),
                n_draws=2000,
                random_state=seed,
                **SCHEMES[scheme][1],
            )
            for i, metric in enumerate(scenario.metrics):
                seen = result.metric(metric)
                found[i] = [
                    seen.observed_a - seen.observed_b,
                    *seen.hdi(),
                    seen.probability(0.0).better,
                    seen.decision(ROPE).code in (">>", "<<"),
                    seen.observed_a,
                    *(seen.hdi(of="a") if metric != "roc_auc" else (np.nan, np.nan)),
                    seen.weight,
                ]
    except ValueError:  # a class is missing from a small test set
        return found
    return found


COLUMNS = ("difference", "low", "high", "p_better", "decided", "a", "a_low", "a_high", "weight")


def truth_of(scenario: Scenario, share: float, n_sets: int = 400) -> Array:
    """Return the true (difference, metric of A) of each metric, for a training set's size."""
    rng = np.random.default_rng([SCENARIOS.index(scenario), 999, int(100 * share)])
    np.random.seed(rng.integers(2**31))  # noqa: NPY002, for the random learners
    n_classes = 2 if scenario.is_binary else 5
    tables, areas = np.zeros((2, n_classes, n_classes)), np.zeros(2)
    for _ in range(n_sets):
        X, y, _ = scenario.draw(round(share * scenario.n), rng)
        X_new, y_new, _ = scenario.draw(2000, rng)
        for k, (_, learner) in enumerate(scenario.learners()):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                learner.fit(X, y)
                predicted = learner.predict(X_new)
            np.add.at(tables[k], (y_new, predicted), 1)
            if scenario.is_binary:
                areas[k] += roc_auc_score(y_new, scores(learner, X_new)) / n_sets
    values = [
        areas if metric == "roc_auc" else np.array([get_metric(metric)(t) for t in tables])
        for metric in scenario.metrics
    ]
    if scenario.is_null:
        values = [np.full(2, value.mean()) for value in values]
    return np.array([[value[0] - value[1], value[0]] for value in values])


def scores(learner: Any, X: Array) -> Array:
    """Return what a learner of two classes ranks instances by."""
    if hasattr(learner, "decision_function"):
        return learner.decision_function(X)
    return learner.predict_proba(X)[:, 1]


def part(folder: Path, scenario: Scenario, scheme: str, start: int, deadline: float) -> None:
    """Compute one part of the runs, unless it is there."""
    path = folder / f"{scenario.name}_{scheme.replace(' ', '-')}_{start}.npy"
    if path.exists() or time.time() > deadline:
        return
    runs = np.stack([run_one(scenario, scheme, seed) for seed in range(start, start + PART)])
    np.save(path, runs.astype(np.float32))


def truth(folder: Path, scenario: Scenario, share: float) -> Array:
    """Return the truth, computed once."""
    path = folder / f"truth_{scenario.name}_{share}.npy"
    if not path.exists():
        np.save(path, truth_of(scenario, share))
    return np.load(path)


def table(folder: Path) -> pd.DataFrame:
    """Return one row per scenario, scheme and metric."""
    rows = []
    for scenario in SCENARIOS:
        for scheme, (share, _) in SCHEMES.items():
            files = sorted(folder.glob(f"{scenario.name}_{scheme.replace(' ', '-')}_*.npy"))
            if not files:
                continue
            runs = np.concatenate([np.load(file) for file in files]).astype(float)
            true = truth(folder, scenario, share)
            for i, metric in enumerate(scenario.metrics):
                one = dict(zip(COLUMNS, runs[~np.isnan(runs[:, i, 0]), i].T, strict=True))
                right, a_right = true[i]
                hit, width = interval(one["low"], one["high"], right, one["difference"])
                a_hit, a_width = interval(one["a_low"], one["a_high"], a_right, one["a"])
                rows.append(
                    {
                        "scenario": scenario.name,
                        "scheme": scheme,
                        "metric": metric,
                        "runs": len(one["a"]),
                        "truth": right,
                        "coverage": hit,
                        "width": width,
                        "a_truth": a_right,
                        "a_coverage": a_hit,
                        "a_width": a_width,
                        "weight": np.median(one["weight"]),
                        "sure": np.mean(np.abs(one["p_better"] - 0.5) > 0.45),
                        "decided": one["decided"].mean(),
                    }
                )
    return pd.DataFrame(rows)


def interval(low: Array, high: Array, truth: float, observed: Array) -> tuple[float, float]:
    """Return how often intervals contain the truth, and their width relative to the ideal one."""
    if np.isnan(low).all():
        return np.nan, np.nan
    ideal = 2 * 1.96 * observed.std()
    relative = np.median(high - low) / ideal if ideal else np.nan
    return float(np.mean((low <= truth) & (truth <= high))), float(relative)


def summary(cells: pd.DataFrame) -> pd.DataFrame:
    """Return one row per scheme: the shares of cells by coverage, and the median width."""

    def of_scheme(group: pd.DataFrame) -> pd.Series:
        found = {}
        for prefix in ("", "a_"):
            c = group[f"{prefix}coverage"].dropna()
            found |= {
                f"{prefix}in_band": np.mean((c >= 0.93) & (c <= 0.97)),
                f"{prefix}under_90": np.mean(c < 0.9),
                f"{prefix}worst": c.min(),
                f"{prefix}width": group[f"{prefix}width"].median(),
            }
        return pd.Series({"cells": len(group), **found})

    return cells.groupby("scheme", sort=False)[list(cells.columns)].apply(of_scheme).round(3)


def main() -> None:
    """Run what is missing, and print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--folder", type=Path, default=Path(".cache/coverage"))
    parser.add_argument("--runs", type=int, default=500)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--schemes", nargs="*", default=list(SCHEMES))
    parser.add_argument("--scenarios", nargs="*", default=[s.name for s in SCENARIOS])
    parser.add_argument("--minutes", type=float, default=np.inf, help="start nothing after this")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--table", action="store_true", help="compute no further runs")
    parser.add_argument("--csv", type=Path, default=None)
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    if options.quick:
        options.runs, options.schemes = 50, list(QUICK)
    deadline = time.time() + 60 * options.minutes
    if not options.table:
        chosen = [s for s in SCENARIOS if s.name in options.scenarios]
        shares = {SCHEMES[scheme][0] for scheme in options.schemes}
        work = Parallel(options.jobs)
        work(delayed(truth)(options.folder, s, share) for share in shares for s in chosen)
        work(
            delayed(part)(options.folder, scenario, scheme, start, deadline)
            for start in range(0, options.runs, PART)
            for scheme in options.schemes
            for scenario in chosen
        )
    cells = table(options.folder)
    print(summary(cells).to_string())
    if options.csv is not None:
        cells.round(5).to_csv(options.csv, index=False)


if __name__ == "__main__":
    main()
