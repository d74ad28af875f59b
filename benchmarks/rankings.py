"""How far the best of several systems is from its truth, as it is printed, and how surely.

A population has the scores of systems on items: right or wrong of about a hundred learners of
scikit-learn (families, parameters, subsets of features, seeds) on large test sets. Some systems and
items are drawn at random; means over all items are the truth. Or true scores are equal, spread, led
by one, near-copies, or beside hopeless ones, and noise is simulated; or they are those of
candidates of a search, of which the scores of five folds are known.

In standard deviations of the noise of one score, the table has how much the best observed score is
above its truth ("raw") and how much the estimate of the first of the ranking is ("bias"); how often
its 95% HDI contains the truth, and how often the truth is above it; the root mean square errors of
all systems, of the estimate and of the observed; how often some system is called worse by more than
a ROPE of a third of the noise that is not that much worse than the best; and how often the first
and the last of the ranking, and the first and the second, are said to differ with more than 95%.

    python -m benchmarks.rankings --reports 200

With --leaderboards, systems are right or wrong on items: the log-odds are what a system can do
minus how hard the item is, times how much the item tells of it. Scores are complete, or a fifth is
missing, at random or mostly those of weak systems on hard items. The truth is the mean over 4,000
others. The table has the shares of true scores and of ranks inside their intervals, and how many
ranks these have. False are systems in a lower tier that are as good as the first of one above: the
share of all such pairs, and of boards with any, and of boards of equal systems with any. Off is by
how much the difference of the strongest and the weakest quarter is, as it is estimated, and of
plain means of the items that were run.

    python -m benchmarks.rankings --leaderboards --reports 400
"""

import argparse

import numpy as np
import pandas as pd
from scipy.special import expit
from scipy.stats import norm, rankdata
from sklearn.datasets import load_digits, make_classification
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from skbayeseval import compare_many_items, report_search
from skbayeseval.judgement.intervals import hdi_of_rows
from skbayeseval.judgement.pooling import pool_scores

N_DRAWS = 1000
# Of simulated noise, the share of the variance that all systems have in common.
COMMON = 0.5
TITLES = "raw | bias | covered | truth above | error (raw) | false | first, last | first, second"


def learners(n_features, rng):
    """Return about a hundred learners, and the features that each of them sees."""
    family = [
        *(make_pipeline(StandardScaler(), LogisticRegression(C=c)) for c in np.logspace(-4, 1, 12)),
        *(KNeighborsClassifier(k) for k in (1, 2, 3, 4, 5, 7, 9, 12, 15, 20, 30, 50)),
        *(DecisionTreeClassifier(max_depth=d, random_state=d) for d in range(2, 14)),
        *(DecisionTreeClassifier(max_features=0.5, random_state=s) for s in range(6)),
        *(RandomForestClassifier(20, random_state=s) for s in range(8)),
        *(ExtraTreesClassifier(20, max_depth=6, random_state=s) for s in range(8)),
        *(make_pipeline(StandardScaler(), SVC(C=c)) for c in np.logspace(-2, 2, 9)),
        *(GaussianNB(var_smoothing=v) for v in np.logspace(-9, 0, 8)),
        *(LinearDiscriminantAnalysis("lsqr", shrinkage=s) for s in np.linspace(0.02, 0.98, 9)),
    ]  # fmt: skip
    whole = [(learner, np.arange(n_features)) for learner in family]
    parts = [
        (family[k], np.sort(rng.permutation(n_features)[: n_features * 2 // 3]))
        for k in rng.choice(len(family), 20, replace=False)
    ]
    return whole + parts


def populations():
    """Return who is right on what, an array of shape (n_learners, n_items) per population."""
    made = (
        load_digits(return_X_y=True),
        make_classification(6300, 20, n_informative=6, flip_y=0.1, random_state=0),
        make_classification(
            6300, 30, n_informative=12, n_classes=5, class_sep=1.5, random_state=1
        ),
    )  # fmt: skip
    found = []
    for X, y in made:
        rng = np.random.default_rng(0)
        order = rng.permutation(len(y))
        train, test = order[:300], order[300:]
        found.append([
            learner.fit(X[train][:, seen], y[train]).predict(X[test][:, seen]) == y[test]
            for learner, seen in learners(X.shape[1], rng)
        ])  # fmt: skip
    return [np.array(right) for right in found]


def on_items(right, n_systems, n_items, rng):
    """Return true and observed scores of some systems, draws given random items, and the noise."""
    some = right[rng.choice(len(right), n_systems, replace=False)]
    scores = some[:, rng.integers(0, some.shape[1], n_items)].astype(float)
    return from_ranking(some.mean(axis=1), scores, compare_many_items, rng)


def from_ranking(truth, scores, compare, rng):
    named = {str(k): of_one for k, of_one in enumerate(scores)}
    ranking = compare(named, n_draws=N_DRAWS, random_state=int(rng.integers(2**31)))
    noise = np.sqrt(truth * (1 - truth) / scores.shape[1])
    return truth, scores.mean(axis=1), ranking.draws, noise


def equal_on_items(n_systems, n_items, rng):
    truth, scores = board(n_systems, n_items, "none", rng, spread=0.0)
    return from_ranking(truth, scores, compare_many_items, rng)


def recorded(spread, rng, n_candidates=12, n_rows=300):
    """Return the same of candidates whose scores in five folds were recorded."""
    truth = np.clip(0.85 + spread * rng.standard_normal(n_candidates), 0.6, 0.97)
    latent = np.sqrt(0.7) * rng.standard_normal(n_rows)
    latent = latent + np.sqrt(0.3) * rng.standard_normal((n_candidates, n_rows))
    right = (latent < norm.ppf(truth)[:, None]).astype(float)

    def report(named, **options):
        folds = {f"split{s}_test_score": right[:, s::5].mean(axis=1) for s in range(5)}
        results = {"params": [{"k": k} for k in range(n_candidates)], **folds}
        return report_search(results, rope=0.01, test_fraction=0.2, **options).ranking

    return from_ranking(truth, right, report, rng)


def simulated(truth, rng, alike=1, share=0.98):
    """Return draws given true scores with noise, of which systems that are alike have a share."""

    def noise(n):
        of_alike = np.repeat(rng.standard_normal((len(truth) // alike, n)), alike, axis=0)
        own = rng.standard_normal((len(truth), n))
        own = own if alike == 1 else np.sqrt(share) * of_alike + np.sqrt(1 - share) * own
        return np.sqrt(COMMON) * rng.standard_normal(n) + np.sqrt(1 - COMMON) * own

    observed = truth + noise(1)[:, 0]
    return truth, observed, observed[:, None] + noise(N_DRAWS), np.ones(len(truth))


def ahead(distance, n_systems=20):
    return lambda rng: simulated(np.append(distance, np.zeros(n_systems - 1)), rng)


def beside_hopeless(spread, n_systems=20):
    def drawn(rng):
        return simulated(
            np.append(spread * rng.standard_normal(n_systems), rng.uniform(-40, -12, 12)), rng
        )

    return drawn


def near_copies(rng):
    truth = np.repeat(rng.standard_normal(8), 3) + 0.05 * rng.standard_normal(24)
    return simulated(truth, rng, alike=3)


DRAWN = {
    "5 equal, right or wrong on 300": lambda rng: equal_on_items(5, 300, rng),
    "20 equal, right or wrong on 300": lambda rng: equal_on_items(20, 300, rng),
    "12 equal in five folds": lambda rng: recorded(0.0, rng),
    "12 of spread 1.5 in five folds": lambda rng: recorded(0.03, rng),
    "5 equal": lambda rng: simulated(np.zeros(5), rng),
    "20 equal": lambda rng: simulated(np.zeros(20), rng),
    "20, spread 1": lambda rng: simulated(rng.standard_normal(20), rng),
    "20, spread 2": lambda rng: simulated(2 * rng.standard_normal(20), rng),
    "one 4 ahead of 4 equal": ahead(4.0, 5),
    "one 4 ahead of 19 equal": ahead(4.0),
    "one 6 ahead of 19 equal": ahead(6.0),
    "one 15 ahead of 19 equal": ahead(15.0),
    "8, each in three near-copies": near_copies,
    "20 equal, 12 hopeless": beside_hopeless(0.0),
    "20 of spread 1, 12 hopeless": beside_hopeless(1.0),
    "20 of spread 2, 12 hopeless": beside_hopeless(2.0),
}


def outcome(truth, observed, draws, noise, rng):
    """Return the numbers of a row of the table for one board."""
    pooled = pool_scores(draws, rng)
    means = pooled.mean(axis=1)
    order = np.argsort(-means)
    first, best = order[0], observed.argmax()
    ((low,), (high,)) = hdi_of_rows(pooled[[first]], 0.95)
    rope = noise[first] / 3
    # As decisions have it, the pair alone has a say.
    worse = ((pooled[first] - pooled > rope).mean(axis=1) >= 0.975) & (
        (draws[first] - draws > rope).mean(axis=1) >= 0.975
    )
    differ = [(pooled[first] > pooled[k]).mean() > 0.95 for k in (order[-1], order[1])]
    return (
        (observed[best] - truth[best]) / noise[best],
        (means[first] - truth[first]) / noise[first],
        low <= truth[first] <= high,
        truth[first] > high,
        (((means - truth) / noise) ** 2).mean(),
        (((observed - truth) / noise) ** 2).mean(),
        (worse & (truth > truth.max() - rope)).any(),
        *differ,
    )


def print_row(name, reports, draw):
    rng = np.random.default_rng(0)
    found = np.array([outcome(*draw(rng), rng) for _ in range(reports)], dtype=float)
    raw, bias, covered, above, square, raw_square, *shares = found.mean(axis=0)
    error = f"{np.sqrt(square):.2f} ({np.sqrt(raw_square):.2f})"
    cells = [f"{raw:+.2f}", f"{bias:+.2f}", f"{covered:.2f}", f"{above:.2f}", error]
    print(f"| {name} | {' | '.join(cells + [f'{x:.3f}' for x in shares])} |", flush=True)


def print_best(reports):
    print(f"| systems | {TITLES} |", "|" + " --- |" * (TITLES.count("|") + 2), sep="\n")
    found = populations()
    for n_systems, n_items in ((5, 100), (20, 100), (5, 300), (20, 300)):

        def draw(rng, n_systems=n_systems, n_items=n_items):
            return on_items(found[rng.integers(len(found))], n_systems, n_items, rng)

        print_row(f"{n_systems} learners on {n_items}", reports, draw)
    for name, draw in DRAWN.items():
        print_row(name, reports, draw)


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


def print_leaderboards(reports, boards=((5, 100), (12, 200), (30, 400))):
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
    parser.add_argument("--reports", type=int, default=200)
    parser.add_argument("--leaderboards", action="store_true")
    options = parser.parse_args()
    (print_leaderboards if options.leaderboards else print_best)(options.reports)


if __name__ == "__main__":
    main()
