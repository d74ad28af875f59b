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

With --boards, systems are right or wrong on items: the log-odds are what a system can do minus how
hard the item is, times how much the item tells of it. Scores are complete, or a fifth is missing,
at random or mostly those of weak systems on hard items. The truth is the mean over 4,000 others.
The table has the shares of true scores and of ranks inside their intervals, and how many ranks
these have. False are systems in a lower tier that are as good as the first of one above: the share
of all such pairs, and of boards with any, and of boards of equal systems with any. Off is by how
much the difference of the strongest and the weakest quarter is, as it is estimated, and of plain
means of the items that were run.

    python -m benchmarks.rankings --boards --reports 400
"""

import argparse

import numpy as np
import pandas as pd
from scipy.special import expit
from scipy.stats import norm, rankdata

from skbayeseval import compare_many, compare_many_items

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


def board(n_systems, n_items, holes, rng, spread=0.6):
    """Return true scores, and the scores of systems on items, NaN where they are missing."""
    skill = 0.3 + spread * rng.standard_normal((n_systems, 1))

    def right(number):
        hard, slope = 1.5 * rng.standard_normal(number), np.exp(0.3 * rng.standard_normal(number))
        return hard, expit(slope * (skill - hard))

    hard, chance = right(n_items)
    scores = (rng.random(chance.shape) < chance).astype(float)
    if holes != "none":
        lacks = np.zeros_like(chance)
        if holes == "hard items":
            lacks = hard / 1.5 - (skill - 0.3) / 0.6
        share = expit(2 * (lacks - np.quantile(lacks, 0.8))) if lacks.any() else 0.2
        scores[rng.random(scores.shape) < np.minimum(share, 0.8)] = np.nan
    return right(4000)[1].mean(axis=1), scores


def outcome_of_board(n_systems, n_items, holes, rng, seed, spread, n_draws=500):
    """Return the numbers of the table of one board; of equal systems, whether tiers are several."""
    while True:
        truth, scores = board(n_systems, n_items, holes, rng, spread)
        if np.isfinite(scores).sum(axis=1).min() > 12:  # others are refused
            break
    frame = pd.DataFrame(scores.T).rename(columns=str)
    options = {"missing": "estimate", "n_draws": n_draws, "random_state": seed}
    ranking = compare_many_items(frame, **options)
    table = ranking.table.loc[list(ranking.names)]
    tier = table["tier"].to_numpy()
    if spread == 0:
        return tier.max() > 1
    rank, order = rankdata(-truth), np.argsort(truth)
    inside = (table["hdi_low"] <= truth) & (truth <= table["hdi_high"])
    ranks = (table["rank_low"] <= rank) & (rank <= table["rank_high"])
    firsts = [ranking.names.index(group[0]) for group in ranking.tiers().groups]
    false = np.concatenate([truth[tier > tier[first]] >= truth[first] for first in firsts])
    ends = np.array_split(order, 4)

    def apart(values):
        return values[ends[-1]].mean() - values[ends[0]].mean()

    off = [
        apart(of) - apart(truth)
        for of in (
            table["completed" if "completed" in table else "observed"].to_numpy(),
            np.nanmean(scores, axis=1),
        )
    ]
    off = [float(value) for value in off]
    n_ranks = (table["rank_high"] - table["rank_low"] + 1).mean()
    share = false.mean() if len(false) else 0.0
    return inside.mean(), ranks.mean(), n_ranks, share, false.any(), *off


def print_boards(reports, boards=((5, 100), (12, 200), (30, 400))):
    titles = "systems x items | missing | scores inside | ranks inside | ranks | false | any false"
    print(f"| {titles} | if equal | off | off, plain |", "|" + " --- |" * 10, sep="\n")
    for n_systems, n_items in boards:
        for holes in ("none", "at random", "hard items"):
            rng = np.random.default_rng([n_systems, n_items, len(holes)])
            setting = (n_systems, n_items, holes, rng)
            found = [outcome_of_board(*setting, seed, 0.6) for seed in range(reports)]
            equal = [outcome_of_board(*setting, seed, 0.0) for seed in range(reports)]
            inside, ranks, number, *false, one, two = np.mean(found, axis=0)
            shares, off = (f"{x:.1%}" for x in (inside, ranks)), (one, two)
            more = (f"{number:.1f}", *(f"{x:.1%}" for x in (*false, np.mean(equal))))
            cells = (f"{n_systems} x {n_items}", holes, *shares, *more, *(f"{x:+.3f}" for x in off))
            print(f"| {' | '.join(cells)} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--truth", nargs="+", choices=TRUTHS, default=TRUTHS)
    parser.add_argument("--correlations", type=float, nargs="+", default=[0.0, 0.6, 0.9])
    parser.add_argument("--sizes", type=int, nargs="+", default=[200, 2000])
    parser.add_argument("--classifiers", type=int, nargs="+", default=[3, 10, 30])
    parser.add_argument("--reports", type=int, default=200)
    parser.add_argument("--tiers", action="store_true")
    parser.add_argument("--boards", action="store_true")
    options = parser.parse_args()
    if options.boards:
        print_boards(options.reports)
        return
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
