"""How often 95% intervals hold the truth where rows have costs, or sample weights.

    python -m benchmarks.row_columns --data-sets 400

Two models make errors, A fewer. Money: frauds of skewed amounts, and gains that are sums over the
test set. Weights: instances that are hard are sampled four times as seldom, and
weighted by what they stand for, so that the truth is that of everybody. Groups of ten are sampled
whole. Printed are the coverage of the difference and of A's own metric:

| instances, or groups | 100 | 300 | 1000 |
| gain, a sum | 0.955, 0.948 | 0.970, 0.935 | 0.950, 0.925 |
| f1 with weights | 0.958, 0.950 | 0.953, 0.925 | 0.932, 0.960 |
| roc_auc with weights | 0.968, 0.920 | 0.948, 0.935 | 0.940, 0.945 |
| f1 with weights in groups of 10 | 0.945, 0.935 | 0.922, 0.945 | 0.958, 0.938 |
| roc_auc with weights in groups of 10 | 0.958, 0.938 | 0.938, 0.940 | 0.955, 0.948 |
"""

from __future__ import annotations

import argparse
import warnings
from typing import Any

import numpy as np
from numpy.random import Generator
from sklearn import config_context
from sklearn.metrics import f1_score, make_scorer, roc_auc_score

from skbayeseval import compare_predictions

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


with config_context(enable_metadata_routing=True):
    DOLLARS = make_scorer(gain).set_score_request(amount=True)


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

    def by_money(rng, n, **more):
        y, a, b, amount = transactions(rng, n)
        return compare_predictions(y, a, b, scoring=DOLLARS, params={"amount": amount}, **more), n

    yield "gain, a sum", [gain(y, said, amount) / LARGE for said in (a, b)], by_money
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
