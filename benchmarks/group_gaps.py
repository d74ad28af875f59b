"""Coverage of intervals of the largest gap between groups, and of gaps of pairs.

The recall of a classifier in groups with so many positives each, where it is 0.8 on average. It is
the same in all groups, or differs by 0.1 or 0.17 in equal steps, or is lower by 0.1 in one of them.
Printed are how often 95% intervals contain the truth: of the largest gap, of the gaps of pairs, and
of the groups; how often the largest gap lies below or above its interval; how wide that interval
is; how often it excludes 0, and the test of homogeneity has p < 0.05; and by how much the estimate
and the largest observed gap are too large on average.

    python benchmarks/group_gaps.py --data-sets 400
    python benchmarks/group_gaps.py --data-sets 400 --unequal

With ``--unequal``, every other group has a fifth of the positives, which are a tenth of its
instances and not half of them.

It printed, of 400 data sets each (some columns and rows left out):

| groups | positives | gap | largest | pairs | each | width | excludes 0 | estimate | observed |
| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |
| 2 | 50 | 0 | 0.968 | 0.963 | 0.932 | 0.220 | 0.033 | 0.064 | 0.066 |
| 2 | 50 | 0.1 | 0.985 | 0.948 | 0.941 | 0.249 | 0.237 | 0.004 | 0.008 |
| 2 | 200 | 0 | 0.943 | 0.932 | 0.951 | 0.110 | 0.058 | 0.031 | 0.032 |
| 2 | 200 | 0.1 | 0.943 | 0.920 | 0.953 | 0.146 | 0.685 | -0.003 | -0.002 |
| 2 | 800 | 0 | 0.958 | 0.958 | 0.939 | 0.055 | 0.043 | 0.015 | 0.015 |
| 2 | 800 | 0.1 | 0.958 | 0.955 | 0.946 | 0.077 | 1.000 | -0.000 | -0.000 |
| 4 | 50 | 0 | 0.985 | 0.985 | 0.974 | 0.231 | 0.015 | 0.070 | 0.119 |
| 4 | 50 | 0.1 | 0.998 | 0.966 | 0.954 | 0.254 | 0.052 | -0.006 | 0.050 |
| 4 | 200 | 0 | 0.985 | 0.992 | 0.976 | 0.115 | 0.015 | 0.034 | 0.058 |
| 4 | 200 | 0.1 | 0.988 | 0.928 | 0.939 | 0.155 | 0.282 | -0.021 | 0.008 |
| 4 | 800 | 0 | 0.988 | 0.989 | 0.979 | 0.059 | 0.013 | 0.018 | 0.030 |
| 4 | 800 | 0.1 | 0.932 | 0.921 | 0.926 | 0.090 | 0.973 | -0.010 | 0.001 |
| 8 | 50 | 0 | 0.998 | 0.996 | 0.985 | 0.256 | 0.003 | 0.078 | 0.157 |
| 8 | 50 | 0.1 | 1.000 | 0.978 | 0.966 | 0.277 | 0.022 | 0.000 | 0.083 |
| 8 | 200 | 0 | 1.000 | 0.996 | 0.985 | 0.129 | 0.000 | 0.041 | 0.079 |
| 8 | 200 | 0.1 | 1.000 | 0.938 | 0.934 | 0.173 | 0.215 | -0.013 | 0.027 |
| 8 | 800 | 0 | 0.998 | 0.995 | 0.989 | 0.066 | 0.003 | 0.021 | 0.040 |
| 8 | 800 | 0.1 | 0.978 | 0.921 | 0.928 | 0.101 | 0.983 | -0.009 | 0.005 |
"""

import argparse

import numpy as np

from skbayeseval import score_posterior

TRUTHS = {
    "0": lambda k: np.full(k, 0.8),
    "0.1": lambda k: np.linspace(0.75, 0.85, k),
    "0.17": lambda k: np.linspace(0.715, 0.885, k),
    "0.1, one group": lambda k: np.append(np.full(k - 1, 0.8), 0.7),
}
COLUMNS = (
    "groups", "positives", "gap", "largest gap", "below", "above", "pairs", "each group", "width",
    "excludes 0", "p < 0.05", "estimate too large by", "observed too large by",
)  # fmt: skip


def scored(rng, recalls, positives, seed, unequal):
    """Return the recall of a simulated classifier by group."""
    group = np.repeat(np.arange(len(recalls)), positives)
    right = rng.random(len(group)) < recalls[group]
    # Negatives are all right; they only make the groups larger.
    n_negatives = positives * np.where(unequal & (np.arange(len(recalls)) % 2), 9, 1)
    group = np.append(group, np.repeat(np.arange(len(recalls)), n_negatives))
    y = np.repeat([1, 0], [len(right), len(group) - len(right)])
    said = np.append(right.astype(int), np.zeros(len(group) - len(right), dtype=int))
    options = {"scoring": "recall", "n_draws": 1000, "random_state": seed}
    return score_posterior(y, said, **options).by(group)


def simulate(k, positives, name, n_sets, unequal):
    """Return a row of the table."""
    rng, recalls, found = np.random.default_rng(k * positives), TRUTHS[name](k), []
    sizes = np.full(k, positives)
    if unequal:
        sizes[1::2] //= 5
    truth = np.ptp(recalls)
    for seed in range(n_sets):
        groups = scored(rng, recalls, sizes, seed, unequal)
        gap, pairs, table = groups.gap(), groups.gaps(), groups.table
        low, high = gap.interval
        of_pairs = [recalls[a] - recalls[b] for a, b in pairs.index]
        found.append([
            low <= truth <= high, truth < low, truth > high,
            ((pairs["hdi_low"] <= of_pairs) & (of_pairs <= pairs["hdi_high"])).mean(),
            ((table["hdi_low"] <= recalls) & (recalls <= table["hdi_high"])).mean(),
            high - low, low > 0, gap.p_value < 0.05, gap.estimate - truth, gap.observed - truth,
        ])  # fmt: skip
    cells = [f"{cell:.3f}" for cell in np.mean(found, axis=0)]
    return " | ".join(map(str, (k, positives, name, *cells)))


def main():
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--data-sets", type=int, default=400)
    parser.add_argument("--groups", type=int, nargs="+", default=[2, 4, 8])
    parser.add_argument("--positives", type=int, nargs="+", default=[50, 200, 800])
    parser.add_argument("--unequal", action="store_true")
    args = parser.parse_args()
    print("| " + " | ".join(COLUMNS) + " |", flush=True)
    print("| " + " | ".join("---" for _ in COLUMNS) + " |", flush=True)
    for k in args.groups:
        for positives in args.positives:
            for name in TRUTHS:
                row = simulate(k, positives, name, args.data_sets, args.unequal)
                print(f"| {row} |", flush=True)


if __name__ == "__main__":
    main()
