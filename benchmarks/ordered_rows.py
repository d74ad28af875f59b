"""Coverage of 95% HDIs where rows are in order of time and neighbours are alike.

Two classifiers have accuracies of 0.80 and 0.75. Whether they are right or wrong stays as it was
from row to row, or is drawn anew, for both ("repeated", Jacobs and Lewis 1978); or they are wrong
where normal variables are below a threshold, each the sum of a shared and an own autoregressive
process ("threshold"), so that errors are correlated for longer. The errors of two regressors are
such variables, of which the second is 1.1 times as large. The lag-1 correlation is that of the
losses. How often does the HDI of the difference contain the truth, by default and with
``blocks="auto"``, and how wide is it compared with 3.92 standard deviations of the observed
difference?

    python benchmarks/ordered_rows.py --data-sets 400
"""

import argparse

import numpy as np
from scipy.optimize import brentq
from scipy.signal import lfilter
from scipy.stats import multivariate_normal, norm

from skbayeseval import compare_predictions

ACCURACIES = 0.80, 0.75
SCALES = 1.0, 1.1
LAGS = 0.0, 0.5, 0.8


def correlation_of_errors(r):
    """Return the correlation of two errors of a classifier whose normal variables have r."""
    p = 1 - np.mean(ACCURACIES)
    both = multivariate_normal.cdf([norm.ppf(p)] * 2, cov=[[1, r], [r, 1]])
    return (both - p**2) / (p - p**2)


def correlation_of_sizes(r):
    """Return the correlation of the absolute values of two normal variables that have r."""
    return 2 * (r * np.arcsin(r) + np.sqrt(1 - r**2) - 1) / (np.pi - 2)


def processes(rng, n, r):
    """Return two autoregressive processes with lag-1 correlation r, half of which is shared."""
    noise = rng.normal(size=(3, n)) * np.sqrt(1 - r**2)
    noise[:, 0] /= np.sqrt(1 - r**2)
    shared, *own = lfilter([1], [1, -r], noise)
    return [np.sqrt(0.5) * (shared + one) for one in own]


def repeated(rng, n, r):
    """Return the truth, the predictions of two classifiers, and the metric."""
    y, is_new = rng.integers(2, size=n), rng.random(n) >= r
    is_new[0] = True
    drawn = np.maximum.accumulate(np.where(is_new, np.arange(n), 0))
    shared = rng.normal(size=n)
    wrong = (
        (np.sqrt(0.5) * (shared + rng.normal(size=n)) < norm.ppf(1 - p))[drawn] for p in ACCURACIES
    )
    return y, *(np.where(of_one, 1 - y, y) for of_one in wrong), "accuracy"


def classes(rng, n, r):
    """Return the truth, the predictions of two classifiers, and the metric."""
    y = rng.integers(2, size=n)
    wrong = (z < norm.ppf(1 - p) for z, p in zip(processes(rng, n, r), ACCURACIES, strict=True))
    return y, *(np.where(of_one, 1 - y, y) for of_one in wrong), "accuracy"


def numbers(rng, n, r):
    """Return the truth, the predictions of two regressors, and the metric."""
    y = rng.normal(size=n)
    errors = (z * scale for z, scale in zip(processes(rng, n, r), SCALES, strict=True))
    return y, *(y + of_one for of_one in errors), "neg_mean_absolute_error"


CASES = (
    ("accuracy, repeated", repeated, lambda r: r, ACCURACIES[0] - ACCURACIES[1]),
    ("accuracy, threshold", classes, correlation_of_errors, ACCURACIES[0] - ACCURACIES[1]),
    ("MAE", numbers, correlation_of_sizes, (SCALES[1] - SCALES[0]) * np.sqrt(2 / np.pi)),
)


def cell(make, r, truth, n, n_sets, blocks):
    """Return the coverage, the relative width, and the median length of blocks."""
    rng = np.random.default_rng(1)
    covered, widths, observed, lengths = 0, [], [], []
    for seed in range(n_sets):
        *data, metric = make(rng, n, r)
        options = {"scoring": metric, "n_draws": 1000, "random_state": seed}
        result = compare_predictions(*data, blocks=blocks, **options)
        low, high = result.hdi()
        covered += low <= truth <= high
        widths.append(high - low)
        observed.append(result.observed_a - result.observed_b)
        lengths.append(result.evidence.block_length or 1)
    ratio = np.mean(widths) / (3.92 * np.std(observed))
    return f"{covered / n_sets:.3f} ({ratio:.2f}, {np.median(lengths):.0f})"


def main():
    """Print a row per metric and lag-1 correlation."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--data-sets", type=int, default=400)
    parser.add_argument("--rows", type=int, nargs="+", default=[100, 300, 1000])
    args = parser.parse_args()
    print("coverage (relative width, median length of blocks)")
    heads = [f"{n}: {blocks}" for n in args.rows for blocks in ("None", "auto")]
    print("| metric, lag-1 correlation |", " | ".join(heads), "|")
    print("| --- " * (len(heads) + 1) + "|")
    for name, make, correlation, truth in CASES:
        for lag in LAGS[make is classes :]:
            r = brentq(lambda r, lag=lag, of=correlation: of(r) - lag, 0, 1 - 1e-9) if lag else 0.0
            cells = [
                cell(make, r, truth, n, args.data_sets, blocks)
                for n in args.rows
                for blocks in (None, "auto")
            ]
            print(f"| {name}, {lag:.1f} |", " | ".join(cells), "|", flush=True)


if __name__ == "__main__":
    main()
