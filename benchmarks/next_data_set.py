"""Who is better on the next data set: forecasts from some data sets, held against others.

The first part draws systems and data sets from published tables of accuracies, and forecasts for
each pair who is better on each data set that is left. Half of a tie counts as a win. Cells are the
Brier score, the log loss and the calibration error (ten bins) of the metric "next data set", of the
probability of being better on average, of shares of wins, of the Bradley-Terry model with the prior
of Wainer (2023), and of baycomp's signed-rank test where it is installed. The tables are files of
packages on PyPI: 16 classifiers on 132 data sets (bbtcomp), 4 of time series on 112 (aeon).

The second part has scores with a known truth: coverage of 95% intervals of differences on 20
further data sets per table, the calibration error of probabilities, and coverage of rank intervals.
Interactions are normal with a covariance of their own, or also have a size that differs between
data sets, or are those of systems whose means are close. The last part holds probabilities near 3/4
and 7/8, for and against, against how often it was so: what is said, and what is true.

    pip download --no-deps --dest wheels bbtcomp aeon
    python -m benchmarks.next_data_set --wheels wheels --splits 40 --tables 20
"""

import argparse
import time
from itertools import combinations, pairwise, product
from pathlib import Path
from zipfile import ZipFile

import numpy as np
import pandas as pd
from scipy.optimize import minimize
from scipy.special import expit
from scipy.stats import rankdata

from skbayeseval import compare_scores

NEXT = "next data set"
NEAREST = 0.001  # no forecast is nearer to 0 or 1 in the log loss
CLEAR = (0.7, 0.8, 0.95)  # limits of clear forecasts
TIME_SERIES = ("FreshPRINCE", "HC2", "InceptionTime", "WEASEL-2.0")


def published(folder):
    """Return tables of mean accuracies, with a row per data set, from the wheels in a folder."""
    (bbtcomp,), (aeon,) = (list(Path(folder).glob(f"{name}-*.whl")) for name in ("bbtcomp", "aeon"))
    with ZipFile(bbtcomp) as wheel, wheel.open("bbtcomp/data/ll.csv") as file:
        yield "bbtcomp", pd.read_csv(file).groupby("db").mean(), (5, 10)
    where = "aeon/testing/example_results_files/classification/accuracy/{}_accuracy.csv"
    with ZipFile(aeon) as wheel:
        columns = {}
        for name in TIME_SERIES:
            with wheel.open(where.format(name)) as file:
                columns[name] = pd.read_csv(file, index_col=0).mean(axis=1)
    yield "aeon", pd.DataFrame(columns).dropna(), (4,)


def rank(scores, seed):
    """Return the ranking of scores of shape (n_systems, n_data_sets)."""
    systems = {str(k): dict(enumerate(of_one)) for k, of_one in enumerate(scores)}
    return compare_scores(systems, n_draws=2000, random_state=seed)


def wins_of(scores):
    """Return how often each system beats each other one; a tie is half a win."""
    return (np.sign(scores[:, None] - scores) + 1).sum(axis=2) / 2


def bradley_terry(wins):
    """Return the most probable chances of each system against each other (Wainer 2023).

    Abilities are normal with a standard deviation that is log-normal around 1 (0.5).
    """
    k, upper = len(wins), ~np.eye(len(wins), dtype=bool)

    def loss(parameters):
        ability, log_sd = parameters[:k], parameters[k]
        lost = np.logaddexp(0, ability - ability[:, None])[upper] @ wins[upper]
        prior = k * log_sd + (ability @ ability) / (2 * np.exp(2 * log_sd))
        return lost + prior + (log_sd / 0.5) ** 2 / 2

    ability = minimize(loss, np.zeros(k + 1)).x[:k]
    return expit(ability[:, None] - ability)


def baycomp_says(a, b):
    """Return the probability that A is better in baycomp's signed-rank test, None without it."""
    try:
        import baycomp
    except ImportError:
        return None
    return baycomp.SignedRankTest.probs(a, b, nsamples=300)[0]


def forecasts(scores, seed):
    """Return for each pair the forecasts that the first is better, by method."""
    ranking, n, wins = rank(scores, seed), scores.shape[1], wins_of(scores)
    on_next, on_average, ability = ranking.metric(NEXT).draws, ranking.draws, bradley_terry(wins)
    for i, j in combinations(range(len(scores)), 2):
        found = {
            NEXT: np.mean(on_next[i] > on_next[j]),
            "on average": np.mean(on_average[i] > on_average[j]),
            "wins / n": wins[i, j] / n,
            "(wins + 1) / (n + 2)": (wins[i, j] + 1) / (n + 2),
            "Bradley-Terry": ability[i, j],
            "baycomp": baycomp_says(scores[i], scores[j]),
        }
        yield (i, j), {name: p for name, p in found.items() if p is not None}


def calibration_error(forecast, outcome, weight):
    """Return the mean distance of forecasts and outcomes in ten bins, in both directions."""
    p, y = np.append(forecast, 1 - forecast), np.append(outcome, 1 - outcome)
    off = np.bincount(np.minimum((10 * p).astype(int), 9), np.tile(weight, 2) * (p - y))
    return np.abs(off).sum() / (2 * weight.sum())


def held_out(table, n_systems, n_sets, n_splits):
    """Return Brier score, log loss and calibration error of each method."""
    scores, rng = table.to_numpy().T, np.random.default_rng([n_systems, n_sets])
    rows = []
    for split in range(n_splits):
        systems = rng.choice(len(scores), n_systems, replace=False)
        order = rng.permutation(scores.shape[1])
        past, future = scores[systems][:, order[:n_sets]], scores[systems][:, order[n_sets:]]
        for (i, j), found in forecasts(past, split):
            outcome = (np.sign(future[i] - future[j]) + 1) / 2
            rows += [
                (found, *share)
                for share in zip(*np.unique(outcome, return_counts=True), strict=True)
            ]
    forecast = pd.DataFrame([row[0] for row in rows])
    outcome, weight = (np.array([row[k] for row in rows]) for k in (1, 2))
    result = {}
    for name, p in forecast.items():
        p = p.to_numpy()
        inside = np.clip(p, NEAREST, 1 - NEAREST)
        log_loss = -(outcome * np.log(inside) + (1 - outcome) * np.log(1 - inside))
        means = [np.average(loss, weights=weight) for loss in ((p - outcome) ** 2, log_loss)]
        error = calibration_error(p, outcome, weight)
        result[name] = f"{means[0]:.3f}, {means[1]:.3f}, {error:.3f}"
    return result


def simulate(rng, kind, n_systems, n_sets):
    """Return scores on data sets, of shape (n_systems, n_sets), of systems with unequal means."""
    root = rng.normal(size=(n_systems, n_systems)) / np.sqrt(n_systems) + 0.5 * np.eye(n_systems)
    each = rng.normal(size=(n_systems, n_sets))
    if kind == "sizes":
        each *= np.exp(rng.normal(0, 0.7, n_sets))
    spread = 0.1 if kind == "close" else 0.5
    return spread * rng.normal(size=(n_systems, 1)) + root @ each + 5 * rng.normal(size=n_sets)


def known_truth(rng, kind, n_systems, n_sets, n_tables, n_new=20):
    """Return coverage of differences, the calibration error and coverage of ranks.

    And what clear forecasts, between the limits of `CLEAR`, say on average, and how often it is so.
    """
    inside, forecast, outcome, ranks_inside = [], [], [], []
    for _ in range(n_tables):
        scores = simulate(rng, kind, n_systems, n_sets + n_new)
        ranking, future = rank(scores[:, :n_sets], int(rng.integers(2**31))), scores[:, n_sets:]
        ranking = ranking.metric(NEXT)
        for i, j in combinations(range(n_systems), 2):
            draws, difference = ranking.draws[i] - ranking.draws[j], future[i] - future[j]
            low, high = np.quantile(draws, [0.025, 0.975])
            inside.append(np.mean((low < difference) & (difference < high)))
            forecast += [np.mean(draws > 0)] * n_new
            outcome += (difference > 0).tolist()
        table = ranking.table.loc[list(map(str, range(n_systems)))]
        ranks = rankdata(-future, axis=0)
        low, high = (table[[name]].to_numpy() for name in ("rank_low", "rank_high"))
        ranks_inside.append(np.mean((low <= ranks) & (ranks <= high)))
    forecast, outcome = np.array(forecast), np.array(outcome, dtype=float)
    error = calibration_error(forecast, outcome, np.ones(len(outcome)))
    sure, right = np.maximum(forecast, 1 - forecast), np.where(forecast > 0.5, outcome, 1 - outcome)
    said = []
    for low, high in pairwise(CLEAR):
        chosen = (low <= sure) & (sure < high)
        said.append(f"{sure[chosen].mean():.2f}: {right[chosen].mean():.2f}")
    return f"{np.mean(inside):.3f}, {error:.3f}, {np.mean(ranks_inside):.3f}", ", ".join(said)


def main():
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--wheels", help="a folder with the wheels of bbtcomp and aeon")
    parser.add_argument("--splits", type=int, default=40, help="random splits, of 4 systems")
    parser.add_argument(
        "--tables", type=int, default=20, help="simulated tables, five times as many of 2"
    )
    options = parser.parse_args()
    start, sizes = time.process_time(), (5, 10, 20)
    if options.wheels:
        print("| table | systems | forecast |", " | ".join(f"{n} data sets" for n in sizes), "|")
        print("|" + " --- |" * (3 + len(sizes)))
        for name, table, numbers in published(options.wheels):
            for k in numbers:
                n_splits = options.splits * 4 // k  # there are more pairs of more systems
                cells = pd.DataFrame([held_out(table, k, n, n_splits) for n in sizes])
                for method, row in cells.items():
                    print("|", " | ".join([name, str(k), method, *row]), "|", flush=True)
    sizes = (5, 15, 30)
    header = f"| interactions | systems | {' | '.join(f'{n} data sets' for n in sizes)} |"
    header += "\n|" + " --- |" * (2 + len(sizes))
    print(f"\n{header}")
    clear = []
    for kind, k in product(("normal", "sizes", "close"), (2, 5, 10)):
        number = options.tables * (5 if k == 2 else 1)  # two systems are one pair only
        cells = [known_truth(np.random.default_rng([k, n]), kind, k, n, number) for n in sizes]
        found, said = zip(*cells, strict=True)
        print("|", " | ".join([kind, str(k), *found]), "|", flush=True)
        clear.append(f"| {' | '.join([kind, str(k), *said])} |")
    print(f"\nSaid: true.\n\n{header}", *clear, sep="\n")
    print(f"\n{time.process_time() - start:.0f} s")


if __name__ == "__main__":
    main()
