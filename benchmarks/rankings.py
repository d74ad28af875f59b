"""How often rankings of classifiers of known accuracy are wrong, and what they find.

Whether each classifier is right on each instance is simulated with accuracy 0.85 and a given
latent correlation between classifiers. They are all equal, or one of them is better by 0.05, or
their accuracies vary with a standard deviation of 0.03. The table has the share of rankings that
call some classifier "surely worse" though its accuracy is within the ROPE of the best, the share of
worse classifiers that are found to be so, and the share of true ranks inside the intervals of ranks
(any of the ranks that equal ones have in common).

    python -m benchmarks.rankings --reports 200

With --tiers, all are equal, and the table has the share of rankings that put some of them into a
lower tier, with a ROPE of 0 and with that of the other table.
"""

import argparse

import numpy as np
from scipy.stats import norm, rankdata

from skbayeseval import compare_many

ROPE = 0.01
TRUTHS = ("equal", "one better", "varying")
COLUMNS = ("truth", "correlation", "n", "classifiers", "false", "found", "ranks inside")


def accuracies(truth, number, rng):
    if truth == "varying":
        return np.clip(0.85 + 0.03 * rng.standard_normal(number), 0.6, 0.99)
    return np.where(np.arange(number) == 0, 0.9 if truth == "one better" else 0.85, 0.85)


def predictions(accuracy, n, correlation, rng):
    """Return labels, and predictions of classifiers with these accuracies."""
    latent = np.sqrt(correlation) * rng.standard_normal((n, 1))
    latent = latent + np.sqrt(1 - correlation) * rng.standard_normal((n, len(accuracy)))
    y = np.arange(n) % 2
    right = latent < norm.ppf(accuracy)
    return y, {str(k): np.where(right[:, k], y, 1 - y) for k in range(len(accuracy))}


def outcome(accuracy, n, correlation, rng, seed, n_draws=2000):
    """Return whether some equal one is called worse, the share found, and that of ranks inside."""
    ranking = compare_many(
        *predictions(accuracy, n, correlation, rng), n_draws=n_draws, random_state=seed
    )
    named = np.isin(ranking.names, ranking.decision(ROPE).worse)
    worse = accuracy < accuracy.max() - ROPE - 1e-9
    table = ranking.table.loc[list(ranking.names)]
    first, last = (rankdata(-accuracy, method=method) for method in ("min", "max"))
    inside = (table["rank_low"] <= last) & (table["rank_high"] >= first)
    return (named & ~worse).any(), named[worse].mean() if worse.any() else np.nan, inside.mean()


def print_tiers(sizes, numbers, reports, correlation=0.6, n_draws=1000):
    print("| n | classifiers | ROPE 0 | ROPE", ROPE, "|\n| --- | --- | --- | --- |")
    for number in numbers:
        for n in sizes:
            rng, split = np.random.default_rng(n + number), []
            for seed in range(reports):
                right = predictions(np.full(number, 0.85), n, correlation, rng)
                ranking = compare_many(*right, n_draws=n_draws, random_state=seed)
                split.append([len(ranking.tiers(rope).groups) > 1 for rope in (0.0, ROPE)])
            shares = " | ".join(f"{share:.1%}" for share in np.mean(split, axis=0))
            print(f"| {n} | {number} | {shares} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--truth", nargs="+", choices=TRUTHS, default=TRUTHS)
    parser.add_argument("--correlations", type=float, nargs="+", default=[0.0, 0.6, 0.9])
    parser.add_argument("--sizes", type=int, nargs="+", default=[200, 2000])
    parser.add_argument("--classifiers", type=int, nargs="+", default=[3, 10, 30])
    parser.add_argument("--reports", type=int, default=200)
    parser.add_argument("--tiers", action="store_true")
    options = parser.parse_args()
    if options.tiers:
        print_tiers(options.sizes, options.classifiers, options.reports)
        return
    print("| " + " | ".join(COLUMNS) + " |", "|" + " --- |" * len(COLUMNS), sep="\n")
    for truth in options.truth:
        for correlation in options.correlations:
            for n in options.sizes:
                for number in options.classifiers:
                    rng = np.random.default_rng([n, number, round(10 * correlation), len(truth)])
                    outcomes = [
                        outcome(accuracies(truth, number, rng), n, correlation, rng, seed)
                        for seed in range(options.reports)
                    ]
                    found = np.array(outcomes, dtype=float)
                    known = found[~np.isnan(found[:, 1]), 1]
                    rates = found[:, 0].mean(), known.mean() if len(known) else None
                    rates = (*rates, found[:, 2].mean())
                    cells = ["" if rate is None else f"{rate:.1%}" for rate in rates]
                    row = (truth, correlation, n, number, *cells)
                    print("| " + " | ".join(map(str, row)) + " |", flush=True)


if __name__ == "__main__":
    main()
