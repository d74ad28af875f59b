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

It printed, of 200 data sets each (some columns and rows left out; the last four rows are unequal):

| groups | positives | gap | largest | below | width | excludes 0 | p < 0.05 | estimate | observed |
| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |
| 5 | 40 | 0 | 0.980 | 0.020 | 0.267 | 0.020 | 0.040 | 0.081 | 0.146 |
| 5 | 40 | 0.1 | 0.995 | 0.005 | 0.285 | 0.070 | 0.150 | 0.001 | 0.072 |
| 5 | 40 | 0.17 | 0.995 | 0.005 | 0.314 | 0.225 | 0.300 | -0.034 | 0.042 |
| 5 | 40 | 0.1, one group | 0.990 | 0.010 | 0.301 | 0.110 | 0.140 | 0.012 | 0.084 |
| 8 | 60 | 0 | 0.975 | 0.025 | 0.231 | 0.025 | 0.025 | 0.071 | 0.142 |
| 8 | 60 | 0.1 | 1.000 | 0.000 | 0.256 | 0.105 | 0.170 | -0.004 | 0.071 |
| 8 | 60 | 0.17 | 1.000 | 0.000 | 0.289 | 0.320 | 0.535 | -0.032 | 0.045 |
| 8 | 60 | 0.1, one group | 1.000 | 0.000 | 0.265 | 0.125 | 0.145 | 0.002 | 0.080 |
| 8 | 200 | 0 | 0.975 | 0.025 | 0.130 | 0.025 | 0.030 | 0.041 | 0.079 |
| 8 | 200 | 0.1 | 1.000 | 0.000 | 0.166 | 0.495 | 0.605 | -0.014 | 0.027 |
| 8 | 200 | 0.17 | 0.990 | 0.000 | 0.181 | 0.975 | 0.995 | -0.017 | 0.015 |
| 8 | 200 | 0.1, one group | 1.000 | 0.000 | 0.172 | 0.610 | 0.615 | -0.002 | 0.038 |
| 8 | 50 | 0 | 0.990 | 0.010 | 0.424 | 0.010 | 0.020 | 0.113 | 0.275 |
| 8 | 50 | 0.1 | 0.995 | 0.005 | 0.435 | 0.015 | 0.060 | 0.032 | 0.194 |
| 8 | 50 | 0.17 | 1.000 | 0.000 | 0.453 | 0.025 | 0.185 | -0.009 | 0.152 |
| 8 | 50 | 0.1, one group | 0.995 | 0.005 | 0.453 | 0.035 | 0.050 | 0.029 | 0.201 |
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
