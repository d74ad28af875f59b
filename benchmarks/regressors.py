"""Regressors, cross-validated: how wide intervals are, and how often they contain the truth.

Instance weights are compared with split scores (model="scores") on the same splits. Part one is the
diabetes data that ships with scikit-learn. Part two are simulated data sets of 200 instances, where
the expected score of learners trained on as many instances as a training set has is known from many
other training sets.

    python benchmarks/regressors.py [--data-sets 200]
"""

from __future__ import annotations

import argparse

import numpy as np
from sklearn.datasets import load_diabetes
from sklearn.ensemble import RandomForestRegressor
from sklearn.linear_model import LinearRegression, Ridge
from sklearn.metrics import mean_absolute_error, r2_score
from sklearn.model_selection import KFold
from sklearn.neighbors import KNeighborsRegressor
from sklearn.tree import DecisionTreeRegressor

from skbayeseval import BlockRegularizedCV, bayesian_cross_validate

METRICS = {"neg_mean_absolute_error": mean_absolute_error, "r2": r2_score}
SIZE, FEATURES, NOISE = 200, 10, 2.0
SLOPES = np.linspace(1.0, 0.1, FEATURES)

# Pairs of learners: they differ in what they can learn, hardly at all, or in how much they vary
# with their training set.
PAIRS = {
    "least squares, 10 neighbours": (LinearRegression(), KNeighborsRegressor(10)),
    "ridge, least squares": (Ridge(30.0), LinearRegression()),
    "least squares, a tree": (LinearRegression(), DecisionTreeRegressor(random_state=0)),
}


def splitters(seed):
    return {
        "3 x 2": BlockRegularizedCV(3, regularize=None, random_state=seed),
        "5-fold": KFold(5, shuffle=True, random_state=seed),
    }


def widths_on_diabetes(n_seeds=10):
    X, y = load_diabetes(return_X_y=True)
    others = {
        "10 neighbours": KNeighborsRegressor(10),
        "a forest": RandomForestRegressor(50, random_state=0),
    }
    print(f"Widths of 95% HDIs on the diabetes data: mean and sd over {n_seeds} ways to split")
    print(f"{'ridge against':<15}{'splits':<8}{'metric':<25}{'instances':>17}{'scores':>17}")
    for name, other in others.items():
        for kind in splitters(0):
            widths = {(metric, model): [] for metric in METRICS for model in ("auto", "scores")}
            for seed in range(n_seeds):
                for model in ("auto", "scores"):
                    result = bayesian_cross_validate(
                        Ridge(0.1),
                        other,
                        X,
                        y,
                        scoring=list(METRICS),
                        cv=splitters(seed)[kind],
                        model=model,
                        random_state=0,
                    )
                    for metric in METRICS:
                        low, high = result.hdi(metric=metric)
                        widths[metric, model].append(high - low)
            for metric in METRICS:
                cells = "".join(
                    f"{np.mean(widths[metric, model]):>10.3g} ({np.std(widths[metric, model]):.2g})"
                    for model in ("auto", "scores")
                )
                print(f"{name:<15}{kind:<8}{metric:<25}{cells}", flush=True)


def sample(rng, size):
    X = rng.normal(size=(size, FEATURES))
    return X, X @ SLOPES + NOISE * rng.normal(size=size)


def expected_differences(pair, train_size, n_sets=400, test_size=1000):
    """Return the expected difference of each metric, over training sets of this size."""
    rng = np.random.default_rng(1)
    found = {metric: [] for metric in METRICS}
    for _ in range(n_sets):
        X, y = sample(rng, train_size)
        X_test, y_test = sample(rng, test_size)
        said = [one.fit(X, y).predict(X_test) for one in pair]
        for metric, function in METRICS.items():
            a, b = (function(y_test, one) for one in said)
            found[metric].append(a - b if metric == "r2" else b - a)
    return {metric: float(np.mean(values)) for metric, values in found.items()}


def coverage(n_data_sets):
    print(
        f"\n{'learners':<30}{'splits':<8}{'metric':<25}{'truth':>8}"
        f"{'instances':>11}{'width':>8}{'scores':>8}{'width':>8}"
    )
    for name, pair in PAIRS.items():
        for kind in splitters(0):
            truth = expected_differences(pair, SIZE // 2 if kind == "3 x 2" else SIZE * 4 // 5)
            inside = {(metric, model): [] for metric in METRICS for model in ("auto", "scores")}
            widths = {key: [] for key in inside}
            for seed in range(n_data_sets):
                X, y = sample(np.random.default_rng([2, seed]), SIZE)
                for model in ("auto", "scores"):
                    result = bayesian_cross_validate(
                        *pair,
                        X,
                        y,
                        scoring=list(METRICS),
                        cv=splitters(seed)[kind],
                        model=model,
                        n_draws=2000,
                        random_state=seed,
                    )
                    for metric in METRICS:
                        low, high = result.hdi(metric=metric)
                        inside[metric, model].append(low <= truth[metric] <= high)
                        widths[metric, model].append(high - low)
            for metric in METRICS:
                cells = "".join(
                    f"{np.mean(inside[metric, model]):>{11 if model == 'auto' else 8}.3f}"
                    f"{np.mean(widths[metric, model]):>8.3f}"
                    for model in ("auto", "scores")
                )
                print(f"{name:<30}{kind:<8}{metric:<25}{truth[metric]:>8.3f}{cells}", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data-sets", type=int, default=200)
    args = parser.parse_args()
    widths_on_diabetes()
    coverage(args.data_sets)
