"""Coverage of 95% intervals of differences between systems on several data sets, with holes.

Scores with a known truth: levels of data sets, means of systems, interactions, and runs with noise
that differs between data sets. Interactions are normal, or Student t with 3 degrees of freedom; in
"families", systems come in two families that have most of their interactions in common; in "odd
one", the interactions of one system are five times as large. The last part has equal systems: how
often an interval excludes 0, how often the ranking calls a system surely worse, and how often the
test of Nemenyi finds any difference. Cells of the first table are coverage and mean width; there
are fewer tables of scores of 8 systems, which have 28 pairs each.

    python benchmarks/systems.py --tables 100
"""

import argparse
import time
from itertools import combinations, product

import numpy as np
from scipy.stats import friedmanchisquare, rankdata, studentized_range

from skbayeseval import compare_scores

# The standard deviation of a run, relative to that of an interaction.
RUN_SD = 2.0

# Differences in the mean that do not matter, relative to the sd of an interaction.
ROPE = 0.5


def interactions(rng, kind, n_systems, n_sets):
    """Interactions of systems and data sets, with a standard deviation of about 1."""
    normal = rng.normal(size=(n_systems, n_sets))
    if kind == "heavy tails":
        return rng.standard_t(3, (n_systems, n_sets))
    if kind == "families":
        return 0.3 * normal + rng.normal(size=(2, n_sets))[np.arange(n_systems) % 2]
    if kind == "odd one":
        normal[0] *= 5
    return normal


def simulate(rng, kind, n_systems, n_sets, holes, runs, spread=1.0):
    """Return the true means of systems, and their scores as a dict."""
    means = spread * rng.normal(size=n_systems)
    true = means[:, None] + interactions(rng, kind, n_systems, n_sets) + 5 * rng.normal(size=n_sets)
    noise = RUN_SD * np.exp(rng.normal(0, 0.5, n_sets))[:, None] * (runs > 1)
    scores = true[:, :, None] + noise * rng.normal(size=(n_systems, n_sets, runs))
    missing = rng.random((n_systems, n_sets)) < holes
    return means, {
        f"system {k}": {d: scores[k, d] for d in range(n_sets) if not missing[k, d]}
        for k in range(n_systems)
    }


def rank(rng, *setting, **options):
    """Return the true means and the ranking of scores that can be compared."""
    while True:
        means, scores = simulate(rng, *setting, **options)
        try:
            return means, compare_scores(scores, n_draws=600, random_state=int(rng.integers(2**31)))
        except ValueError:  # too few scores are left
            continue


def coverage(rng, n_tables, *setting):
    """Return the share of intervals that contain the truth, and their mean width."""
    hits, widths = [], []
    for _ in range(n_tables):
        means, ranking = rank(rng, *setting)
        for i, j in combinations(range(len(means)), 2):
            low, high = np.quantile(ranking.draws[i] - ranking.draws[j], [0.025, 0.975])
            hits.append(low < means[i] - means[j] < high)
            widths.append(high - low)
    return np.mean(hits), np.mean(widths)


def nemenyi_finds(scores):
    """Whether Friedman's test and then Nemenyi's find a difference at the level 0.05."""
    n_systems, n_sets = scores.shape
    if friedmanchisquare(*scores).pvalue >= 0.05:
        return False
    ranks = rankdata(scores, axis=0).mean(axis=1)
    quantile = studentized_range.ppf(0.95, n_systems, np.inf) / np.sqrt(2)
    return np.ptp(ranks) > quantile * np.sqrt(n_systems * (n_systems + 1) / (6 * n_sets))


def false_findings(rng, n_tables, n_systems, n_sets):
    """Return the shares of pairs, of rankings and of Nemenyi's tests that find a difference."""
    pairs, rankings, nemenyi = [], [], []
    for _ in range(n_tables):
        _, ranking = rank(rng, "normal", n_systems, n_sets, 0.0, 1, spread=0.0)
        for i, j in combinations(range(n_systems), 2):
            low, high = np.quantile(ranking.draws[i] - ranking.draws[j], [0.025, 0.975])
            pairs.append(low > 0 or high < 0)
        rankings.append(bool(ranking.decision(ROPE).worse))
        nemenyi.append(nemenyi_finds(ranking.evidence.means))
    return np.mean(pairs), np.mean(rankings), np.mean(nemenyi)


def main():
    """Print a row per setting."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--tables", type=int, default=100, help="tables per setting, of 3 systems")
    n_tables = parser.parse_args().tables
    start = time.process_time()
    print("| interactions | systems | holes | runs | 5 data sets | 10 data sets | 30 data sets |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    settings = list(product(("normal", "heavy tails"), (3, 8), (0.0, 0.2), (1, 10)))
    settings += product(("families", "odd one"), (3, 8), (0.0,), (1,))
    for kind, n_systems, holes, runs in settings:
        number = n_tables if n_systems == 3 else n_tables * 2 // 5
        cells = []
        for n_sets in (5, 10, 30):
            rng = np.random.default_rng([n_systems, n_sets, runs, int(10 * holes)])
            found = coverage(rng, number, kind, n_systems, n_sets, holes, runs)
            cells.append("{:.3f}, {:.2f}".format(*found))
        row = [kind, n_systems, f"{holes:.0%}", runs, *cells]
        print("|", " | ".join(map(str, row)), "|", flush=True)
    print("\n| systems | data sets | pairs | rankings | Nemenyi |\n| --- | --- | --- | --- | --- |")
    for n_systems in (3, 8):
        for n_sets in (5, 10, 30):
            found = false_findings(np.random.default_rng(n_sets), n_tables, n_systems, n_sets)
            print(
                f"| {n_systems} | {n_sets} | {' | '.join(f'{x:.3f}' for x in found)} |", flush=True
            )
    print(f"\n{time.process_time() - start:.0f} seconds of processor time")


if __name__ == "__main__":
    main()
