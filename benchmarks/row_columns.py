"""How often 95% intervals hold the truth where rows have costs, or sample weights.

    python -m benchmarks.row_columns --data-sets 400

Two models make errors, A fewer. Money: frauds of skewed amounts, and gains that are sums over the
test set or averages of it. Weights: instances that are hard are sampled four times as seldom, and
weighted by what they stand for, so that the truth is that of everybody. Groups of ten are sampled
whole. Printed are the coverage of the difference and of A's own metric.
"""

from __future__ import annotations

import argparse
import warnings
from typing import Any

import numpy as np
from numpy.random import Generator
from sklearn import config_context
from sklearn.metrics import f1_score, make_scorer, roc_auc_score

from skbayeseval import compare_predictions, metrics

SIZES = (100, 300, 1000)
LARGE = 1_000_000


def transactions(rng: Generator, n: int) -> tuple[Any, ...]:
    """Return true classes, predictions of both and amounts: one in ten is a fraud."""
    y = (rng.random(n) < 0.1).astype(int)
    ease, amount = rng.normal(size=n), rng.lognormal(3.5 + 0.5 * y, 0.8)
    a, b = ((y + 0.4 * ease + s * rng.normal(size=n) > 0.7).astype(int) for s in (0.3, 0.45))
    return y, a, b, amount


def gain(y_true: Any, y_pred: Any, amount: Any) -> float:
    """Return the gain of all transactions, a sum."""
    missed, passed = (y_true == 1) & (y_pred == 0), (y_true == 0) & (y_pred == 0)
    caught, alarms = (y_true == 1) & (y_pred == 1), (y_true == 0) & (y_pred == 1)
    of_refused = 50 * caught.sum() - 5 * alarms.sum()
    return float(of_refused - amount[missed].sum() + 0.02 * amount[passed].sum())


def gain_per_money(y_true: Any, y_pred: Any, amount: Any) -> float:
    """Return the gain per dollar, which is neither a sum nor a mean."""
    return gain(y_true, y_pred, amount) / float(amount.sum())


def people(rng: Generator, n: int, size: int = 1) -> tuple[Any, ...]:
    """Return true classes, scores of both and hardness of groups of so many instances."""
    hard = np.repeat(rng.normal(size=n // size), size)
    y = (rng.random(n) < 0.4).astype(int)
    shared = 0.7 * rng.normal(size=n) + 0.3 * hard
    a, b = (y * (1.6 - 0.4 * hard) + shared + s * rng.normal(size=n) for s in (0.6, 0.9))
    return y, a, b, hard


def sampled(rng: Generator, n: int, size: int = 1) -> tuple[Any, ...]:
    """Return a sample of n people, or of groups of them, with weights."""
    y, a, b, hard = people(rng, 8 * n, size)
    chance = np.where(hard > 0, 0.2, 0.8)
    taken = np.repeat(rng.random(len(y) // size) < chance[::size], size)
    rows = np.flatnonzero(taken)[:n]
    return y[rows], a[rows], b[rows], 1 / chance[rows]


def cases() -> Any:
    """Yield a name, the true metric of A and of B, and a function that compares n instances."""
    rng = np.random.default_rng(0)
    y, a, b, amount = transactions(rng, LARGE)
    for name, function, of_n in (
        ("gain, a sum", gain, True),
        ("gain per dollar", gain_per_money, False),
    ):
        factor = 1 / LARGE if of_n else 1.0
        truth = [factor * function(y, said, amount) for said in (a, b)]

        def by_money(rng, n, function=function, of_n=of_n, **more):
            y, a, b, amount = transactions(rng, n)
            scoring = metrics.resampled(function)
            if of_n:
                scoring = scorer_of(function)
            options = {"scoring": scoring, "params": {"amount": amount}, **more}
            return compare_predictions(y, a, b, **options), n if of_n else 1

        yield name, truth, by_money
    for size in (1, 10):
        y, a, b, _ = people(rng, LARGE, size)
        where = f" in groups of {size}" if size > 1 else ""
        for name, function in (("f1", f1_score), ("roc_auc", roc_auc_score)):
            of_labels = name == "f1"
            said = [(one > 0.8).astype(int) if of_labels else one for one in (a, b)]
            truth = [function(y, one) for one in said]

            def by_weight(rng, n, size=size, name=name, of_labels=of_labels, **more):
                y, a, b, weights = sampled(rng, n * size, size)
                more |= {"scoring": name, "sample_weight": weights}
                more["groups"] = np.arange(len(y)) // size if size > 1 else None
                if of_labels:
                    a, b = ((one > 0.8).astype(int) for one in (a, b))
                    return compare_predictions(y, a, b, **more), 1
                return compare_predictions(y, None, None, y_score_a=a, y_score_b=b, **more), 1

            yield f"{name} with weights{where}", truth, by_weight


def scorer_of(function: Any) -> Any:
    """Return a scorer that requests amounts."""
    with config_context(enable_metadata_routing=True):
        return make_scorer(function).set_score_request(amount=True)


def main() -> None:
    """Print the coverage of every case."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--data-sets", type=int, default=400)
    parser.add_argument("--only", default="", help="run the cases whose name contains this")
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    print("| instances, or groups | " + " | ".join(map(str, SIZES)) + " |", flush=True)
    for name, truth, compare in cases():
        if args.only not in name:
            continue
        row = []
        for n in SIZES:
            rng, covered = np.random.default_rng(n), np.zeros(2)
            for seed in range(args.data_sets):
                result, factor = compare(rng, n, n_draws=1000, random_state=seed)
                for i, (of, value) in enumerate(((None, truth[0] - truth[1]), ("a", truth[0]))):
                    low, high = result.hdi() if of is None else result.hdi(of=of)
                    covered[i] += low <= factor * value <= high
            row.append("{:.3f}, {:.3f}".format(*covered / args.data_sets))
        print(f"| {name} | " + " | ".join(row) + " |", flush=True)


if __name__ == "__main__":
    main()
