"""How often 95% intervals of metrics of any function hold the true difference of two models.

    python -m benchmarks.any_metric --data-sets 400 --n-jobs 2
    python -m benchmarks.any_metric --times

Data sets are simulated, so that the truth is known from a very large one.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from numpy.random import Generator
from sklearn.metrics import accuracy_score

from skbayeseval import compare_predictions, metrics

SIZES = (100, 300, 1000)
LARGE = 200_000


def probabilities(rng: Generator, n: int) -> dict[str, Any]:
    """Two classes: A's probabilities are right, B's are too sure."""
    logits = rng.normal(0, 1.5, n)
    y = (rng.random(n) < 1 / (1 + np.exp(-logits))).astype(int)
    noisy = logits + rng.normal(0, 0.5, n)
    scores = {"y_score_a": 1 / (1 + np.exp(-logits)), "y_score_b": 1 / (1 + np.exp(-2 * noisy))}
    return {"y_true": y, "y_pred_a": None, "y_pred_b": None, **scores}


def sure_probabilities(rng: Generator, n: int) -> dict[str, Any]:
    """Two classes: both are too sure, B more than A."""
    logits = rng.normal(0, 1.5, n)
    y = (rng.random(n) < 1 / (1 + np.exp(-logits))).astype(int)
    noisy = logits + rng.normal(0, 0.5, n)
    a, b = (1 / (1 + np.exp(-much * noisy)) for much in (2.5, 4.0))
    return {"y_true": y, "y_pred_a": None, "y_pred_b": None, "y_score_a": a, "y_score_b": b}


def five_classes(rng: Generator, n: int) -> dict[str, Any]:
    """Five classes, and scores of which B's are noisier."""
    y = rng.integers(0, 5, n)
    truth = 1.5 * np.eye(5)[y] + rng.normal(0, 1, (n, 5))
    of_each = [np.exp(truth + rng.normal(0, s, (n, 5))) for s in (0.3, 1.0)]
    a, b = (scores / scores.sum(axis=1, keepdims=True) for scores in of_each)
    return {"y_true": y, "y_pred_a": None, "y_pred_b": None, "y_score_a": a, "y_score_b": b}


def patients(rng: Generator, n: int) -> dict[str, Any]:
    """Draw times of death, a third of them censored, and two predicted risks."""
    risk = rng.normal(0, 1, n)
    death, end = rng.exponential(np.exp(-risk)), rng.exponential(2.0, n)
    truth = np.column_stack([np.minimum(death, end), death <= end])
    a, b = (risk + rng.normal(0, s, n) for s in (0.5, 1.0))
    return {"y_true": truth, "y_pred_a": a, "y_pred_b": b}


def queries(rng: Generator, n: int) -> dict[str, Any]:
    """Twenty documents per query, some relevant, and two rankings."""
    quality = rng.normal(0, 1, (n, 20)) + rng.normal(0, 0.5, (n, 1))
    a, b = (quality + rng.normal(0, s, (n, 20)) for s in (0.7, 1.0))
    return {"y_true": np.maximum(np.round(quality), 0.0), "y_pred_a": a, "y_pred_b": b}


def labels(rng: Generator, n: int) -> dict[str, Any]:
    """Two classes, one in five positive, and two predictions."""
    y = (rng.random(n) < 0.2).astype(int)
    easy = rng.normal(0, 1, n)
    a, b = ((2 * y - 1 + easy + rng.normal(0, s, n) > 0).astype(int) for s in (0.5, 1.0))
    return {"y_true": y, "y_pred_a": a, "y_pred_b": b}


def cost(y_true: Any, y_pred: Any, sample_weight: Any = None) -> float:
    """Return the mean cost of errors: a missed positive costs as much as eight false alarms."""
    return float(
        np.average((y_true != y_pred) * np.where(y_true == 1, 8, 1), weights=sample_weight)
    )


Simulate = Callable[[Generator, int], dict[str, Any]]

PROBLEMS: dict[str, tuple[Simulate, Any, int]] = {
    "ECE, one near 0": (probabilities, metrics.expected_calibration_error(10), LARGE),
    "ECE, both large": (sure_probabilities, metrics.expected_calibration_error(10), LARGE),
    "top-2 accuracy": (five_classes, metrics.top_k_accuracy(2), LARGE),
    "Harrell's C": (patients, metrics.concordance_index(), 20_000),
    "nDCG@10": (queries, metrics.ndcg(10), 50_000),
    "cost of errors": (labels, metrics.weighted(cost, greater_is_better=False), LARGE),
}


def difference(metric: Any, data: dict[str, Any]) -> float:
    """Return the difference that is observed."""
    kinds = ("y_score_a", "y_score_b") if "y_score_a" in data else ("y_pred_a", "y_pred_b")
    a, b = (np.mean(metric.function(data["y_true"], data[kind])) for kind in kinds)
    return float(a - b) * (1 if metric.greater_is_better else -1)


def covered(name: str, n: int, truth: float, seed: int) -> tuple[bool, float]:
    """Return whether the interval of one data set holds the truth, and how wide it is."""
    simulate, metric, _ = PROBLEMS[name]
    data = simulate(np.random.default_rng([seed, n]), n)
    result = compare_predictions(**data, scoring=metric, n_draws=1000, random_state=seed)
    low, high = result.hdi()
    return bool(low <= truth <= high), high - low


def seconds(call: Callable[[], Any]) -> float:
    """Return the shorter time of two calls."""
    times = []
    for _ in range(2):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return min(times)


def print_times(n: int = 10_000, n_draws: int = 2_000) -> None:
    """Print how long comparisons take, relative to one evaluation of each metric, or another."""
    rng = np.random.default_rng(0)
    options: dict[str, Any] = {"n_draws": n_draws, "random_state": 0}
    data = labels(rng, n)
    own = metrics.weighted(accuracy_score, bounds=(0, 1))
    built_in = seconds(lambda: compare_predictions(**data, scoring="accuracy", **options).hdi())
    generic = seconds(lambda: compare_predictions(**data, scoring=own, **options).hdi())
    print(f"accuracy as any function: {generic / built_in:.0f} times the built-in metric")
    for name in ("ECE, one near 0", "nDCG@10", "cost of errors"):
        simulate, metric, _ = PROBLEMS[name]
        of_metric = simulate(rng, n)
        kind = "y_score_a" if "y_score_a" in of_metric else "y_pred_a"
        once = seconds(partial(metric.function, of_metric["y_true"], of_metric[kind]))
        compared = partial(compare_predictions, **of_metric, scoring=metric, **options)
        whole = seconds(lambda compared=compared: compared().hdi())
        print(
            f"{name}: {n_draws:,} draws of two take {whole / once:,.0f} evaluations, {whole:.1f} s"
        )


def main() -> None:
    """Print a table of coverage and widths, or times."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data-sets", type=int, default=400)
    parser.add_argument("--n-jobs", type=int, default=2)
    parser.add_argument("--times", action="store_true", help="measure times instead")
    args = parser.parse_args()
    if args.times:
        print_times()
        return
    rows = []
    for name, (simulate, metric, large) in PROBLEMS.items():
        truth = difference(metric, simulate(np.random.default_rng(0), large))
        for n in SIZES:
            tasks = (delayed(covered)(name, n, truth, seed) for seed in range(args.data_sets))
            inside, widths = zip(*Parallel(n_jobs=args.n_jobs)(tasks), strict=True)
            rows.append([name, n, truth, np.mean(inside), np.median(widths)])
    columns = ["metric", "n", "true difference", "coverage", "median width"]
    print(pd.DataFrame(rows, columns=columns).to_markdown(index=False, floatfmt=".3g"))


if __name__ == "__main__":
    main()
