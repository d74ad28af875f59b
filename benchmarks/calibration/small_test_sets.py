"""Coverage and decisions of the paired model on small test sets, under three priors.

The paired model of two classes has theta = 1 in each of the four pairs of predictions, as
published, so that each rate of a classifier has a Beta(2, 2) prior. theta = 0.5 makes it flat, and
theta = 0.25 is Jeffreys' prior of the rate. With 30 to 300 instances and accuracies from 0.5 to
0.99, this script counts how often the 95% HDI contains the true metric and the true difference,
and how often two equal classifiers are called different, or equivalent, at a ROPE of 0.01.

    python benchmarks/calibration/small_test_sets.py --csv small_test_sets.csv

Half of the errors of A are errors of B as well. B is equally good, or worse by 0.05; half or a
tenth of the instances are positive.
"""

import argparse

import numpy as np
import pandas as pd

from skbayeseval.judgement import Interval
from skbayeseval.judgement.decision import codes_given_hdi
from skbayeseval.judgement.intervals import hdi_of_rows

PRIORS = {"theta=1": 1.0, "theta=0.5": 0.5, "theta=0.25": 0.25}
SIZES, ACCURACIES = (30, 100, 300), (0.5, 0.8, 0.9, 0.95, 0.99)
BATCH = 50


def true_table(accuracy, difference, positives):
    """Return the probabilities of (class, A right, B right), where A is better by `difference`."""
    error = 1 - accuracy
    shared = error / 2
    only_b, only_a = error - shared, error + difference - shared
    right = np.array([[shared, only_b], [only_a, 1 - shared - only_a - only_b]])
    return np.array([1 - positives, positives])[:, None, None] * right


def draws_of(counts, theta, rng, n_draws):
    """Return draws of mu and of the probabilities of who is right, given counts (n, 2, 2, 2)."""
    gammas = rng.standard_gamma((counts + theta)[..., None], (*counts.shape, n_draws))
    rows = gammas / gammas.sum(axis=(2, 3), keepdims=True)
    mu = rng.beta(*(counts.sum(axis=(2, 3)).T[::-1, :, None] + 1), (len(counts), n_draws))
    return np.stack([1 - mu, mu], axis=1)[:, :, None, None] * rows


def metrics_of(cells):
    """Return the metrics of A and B, for cells (n, class, A right, B right, draws)."""
    found = {"accuracy": [], "f1": []}
    for axis in (3, 2):
        table = cells.sum(axis=axis)  # (n, class, right, draws)
        right, hits = table[:, :, 1].sum(axis=1), table[:, 1, 1]
        found["accuracy"].append(right)
        found["f1"].append(2 * hits / (hits + table[:, 1].sum(axis=1) + table[:, 0, 0]))
    return {name: np.array(values) for name, values in found.items()}


def study(n, accuracy, difference, positives, theta, n_sets, n_draws):
    rng = np.random.default_rng(n)
    truth = true_table(accuracy, difference, positives)
    true = {name: v[:, 0, 0] for name, v in metrics_of(truth[None, ..., None]).items()}
    tally = {}
    for start in range(0, n_sets, BATCH):
        size = min(BATCH, n_sets - start)
        counts = rng.multinomial(n, truth.ravel(), size).reshape(size, 2, 2, 2)
        draws = metrics_of(draws_of(counts, theta, rng, n_draws))
        for name, (a, b) in draws.items():
            row = tally.setdefault(name, np.zeros(5))
            for k, (values, target) in enumerate(
                [(a, true[name][0]), (a - b, true[name][0] - true[name][1])]
            ):
                low, high = hdi_of_rows(values, 0.95)
                row[k] += ((low <= target) & (target <= high)).sum() / n_sets
            low, high = hdi_of_rows(a - b, 0.95)
            codes = codes_given_hdi(a - b, low, high, Interval(-0.01, 0.01))
            row[2] += np.isin(codes, ["<<", ">>"]).sum() / n_sets
            row[3] += (codes == "~").sum() / n_sets
            row[4] += (high - low).sum() / n_sets
    columns = ["covers A", "covers difference", "called different", "called equivalent", "width"]
    return {name: dict(zip(columns, row, strict=True)) for name, row in tally.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", type=int, default=1000, help="data sets per cell")
    parser.add_argument("--draws", type=int, default=1000)
    parser.add_argument("--csv")
    given = parser.parse_args()
    rows = []
    for n in SIZES:
        for accuracy in ACCURACIES:
            for positives, difference in ((0.5, 0.0), (0.1, 0.0), (0.5, 0.05)):
                for prior, theta in PRIORS.items():
                    found = study(
                        n, accuracy, difference, positives, theta, given.sets, given.draws
                    )
                    for metric, row in found.items():
                        key = {"n": n, "accuracy": accuracy, "positives": positives}
                        key |= {"difference": difference, "prior": prior, "metric": metric}
                        rows.append(key | row)
        print(n, flush=True)
    table = pd.DataFrame(rows)
    if given.csv:
        table.to_csv(given.csv, index=False)
    equal = table["difference"] == 0
    groups = ["metric", "prior"]
    shown = pd.DataFrame(
        {
            "A: mean": table.groupby(groups)["covers A"].mean(),
            "A: worst": table.groupby(groups)["covers A"].min(),
            "A: under 0.90": table.groupby(groups)["covers A"].agg(lambda x: (x < 0.9).mean()),
            "difference: mean": table.groupby(groups)["covers difference"].mean(),
            "difference: worst": table.groupby(groups)["covers difference"].min(),
            "difference: under 0.90": table.groupby(groups)["covers difference"].agg(
                lambda x: (x < 0.9).mean()
            ),
            "width": table.groupby(groups)["width"].mean(),
            "equal, called different: mean": table[equal]
            .groupby(groups)["called different"]
            .mean(),
            "equal, called different: most": table[equal].groupby(groups)["called different"].max(),
            "equal, called equivalent": table[equal].groupby(groups)["called equivalent"].mean(),
        }
    )
    print(shown.round(3).T.to_string())


if __name__ == "__main__":
    main()
