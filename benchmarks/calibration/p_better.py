"""What "A is better with probability 92%" is worth: how often it is true of cross-validated pairs.

Seven learners of scikit-learn compete on random rows of large simulated populations: unlike ones on
200 to 400 rows, and nearly equal ones (kin, other parameters or features) on 60 to 220. The truth
is the mean over 120 further training sets of the size of those in the splits. For accuracy and F1,
the table has what is said of the one ahead in each pair, and how often it is truly ahead, in bins
of what is said. The log loss of a normal prior of differences, with standard deviations of 0.06 and
0.1, stands beside that of what is said, for each population.

    python -m benchmarks.calibration.p_better --data-sets 30

With --many, learners are equal, but for their seeds: what is said of the better of two seeds
against a third one, how often it is said with more than 95%, and how often of one metric and of
any of six.
"""

import argparse
import warnings
from itertools import pairwise

import numpy as np
from scipy.special import ndtr, ndtri
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, f1_score
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

from skbayeseval import BayesianComparer

BINS = (0.5, 0.8, 0.9, 0.95, 0.975, 1.0)
SDS = (0.06, 0.1)
SCORES = {"accuracy": accuracy_score, "f1": f1_score}
SIX = ["accuracy", "balanced_accuracy", "f1", "precision", "recall", "matthews_corrcoef"]

UNLIKE = [
    LogisticRegression(C=0.1), GaussianNB(), LinearDiscriminantAnalysis(),
    KNeighborsClassifier(5), KNeighborsClassifier(25),
    DecisionTreeClassifier(max_depth=3, random_state=0),
    ExtraTreesClassifier(10, min_samples_leaf=3, random_state=0),
]  # fmt: skip
KIN = [
    LogisticRegression(C=0.03), LogisticRegression(C=0.3), LogisticRegression(C=3.0),
    LinearDiscriminantAnalysis(), LinearDiscriminantAnalysis(solver="lsqr", shrinkage=0.2),
    GaussianNB(), GaussianNB(var_smoothing=0.1),
]  # fmt: skip


def populations():
    """Yield a name, X, y, learners and numbers of rows."""
    forms = (
        {"n_informative": 5, "flip_y": 0.1, "class_sep": 1.0},
        {"n_informative": 8, "flip_y": 0.02, "class_sep": 0.7},
        {"n_informative": 4, "flip_y": 0.05, "weights": [0.7], "n_clusters_per_class": 3},
    )
    for kind, learners, sizes in (("unlike", UNLIKE, (200, 400)), ("kin", KIN, (60, 220))):
        for seed, form in enumerate(forms):
            X, y = make_classification(12000, 12, n_redundant=2, random_state=seed, **form)
            yield f"{kind} {seed + 1}", X, y, learners, sizes


def true_scores(X, y, learners, size, rng, n_sets=120):
    """Return the mean scores of learners trained on so many rows, of shape (n_learners, 2)."""
    found = []
    for _ in range(n_sets):
        order = rng.permutation(len(y))
        train, test = order[:size], order[-1500:]
        fitted = [clone(one).fit(X[train], y[train]).predict(X[test]) for one in learners]
        found.append([[score(y[test], p) for score in SCORES.values()] for p in fitted])
    return np.mean(found, axis=0)


def compared(learners, X, y, size, seed, metrics, rng):
    some = rng.choice(len(y), size, replace=False)
    named = {str(k): one for k, one in enumerate(learners)}
    comparer = BayesianComparer(named, scoring=metrics, n_draws=4000, random_state=seed)
    return comparer.fit(X[some], y[some]).ranking_.pairs


def record(X, y, learners, sizes, n_sets, rng):
    """Return per metric and pair what is said, the standard score of A, and who is better."""
    rows = []
    for size in sizes:
        truth = true_scores(X, y, learners, size // 2, rng)
        for seed in range(n_sets // len(sizes)):
            for (i, j), pair in compared(learners, X, y, size, seed, list(SCORES), rng).items():
                for m, metric in enumerate(SCORES):
                    draws = pair.alone.metric(metric).draws
                    better = truth[int(i), m] > truth[int(j), m]
                    rows.append((m, (draws > 0).mean(), draws.std(), better))
    return np.array(rows, dtype=float)


def log_loss(said, better):
    said = np.clip(said, 1e-3, 1 - 1e-3)
    return -np.mean(np.log(np.where(better > 0, said, 1 - said)))


def print_table(n_sets):
    titles = [f"{low} to {high}" for low, high in pairwise(BINS)]
    print(f"| pairs | metric | {' | '.join(titles)} |", "|" + " --- |" * (len(BINS) + 1), sep="\n")
    losses, found = [], {}
    for name, *population in populations():
        rows = record(*population, n_sets, np.random.default_rng(0))
        kind = name.split()[0]
        found[kind] = np.concatenate([found[kind], rows]) if kind in found else rows
        for m, metric in enumerate(SCORES):
            _, said, sd, better = rows[rows[:, 0] == m].T
            z = ndtri(np.clip(said, 1e-4, 1 - 1e-4))
            drawn_in = [ndtr(z / np.sqrt(1 + (sd / most) ** 2)) for most in SDS]
            losses.append([name, metric, *(log_loss(p, better) for p in (said, *drawn_in))])
    for kind, rows in found.items():
        for m, metric in enumerate(SCORES):
            _, said, _, better = rows[rows[:, 0] == m].T
            right, said = np.where(said > 0.5, better, 1 - better), np.maximum(said, 1 - said)
            of_bin = np.digitize(said, BINS[1:-1])
            cells = [
                f"{said[of_bin == k].mean():.3f}: {right[of_bin == k].mean():.3f}"
                f" ({(of_bin == k).sum()})"
                for k in range(len(BINS) - 1)
            ]
            print(f"| {kind} | {metric} | {' | '.join(cells)} |", flush=True)
    print(f"\n| population | metric | log loss | {' | '.join(f'prior {sd}' for sd in SDS)} |")
    for name, metric, *values in losses:
        print(f"| {name} | {metric} | {' | '.join(f'{value:.3f}' for value in values)} |")


def print_many(n_sets):
    """Print what is said of equal learners, one metric, any of six, and the better of two seeds."""
    _, X, y, _, _ = next(populations())
    rng = np.random.default_rng(1)
    learners = [ExtraTreesClassifier(5, random_state=s) for s in range(3)]
    found = []
    for seed in range(n_sets):
        pairs = compared(learners, X, y, 200, seed, SIX, rng)
        said = [(pairs["0", "1"].alone.metric(metric).draws > 0).mean() for metric in SIX]
        sure = np.maximum(said, 1 - np.array(said)) > 0.95
        two = [(pairs[one, "2"].alone.metric("accuracy").draws > 0).mean() for one in ("0", "1")]
        found.append((sure[0], sure.any(), two[0] > 0.95, max(two) > 0.95))
    one, any_of_six, a_seed, better_seed = np.mean(found, axis=0)
    print(f"more than 95% about one metric {one:.3f}, about any of six {any_of_six:.3f}")
    print(f"more than 95% for a seed {a_seed:.3f}, for the better of two {better_seed:.3f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data-sets", type=int, default=30)
    parser.add_argument("--many", action="store_true")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    (print_many if options.many else print_table)(options.data_sets)


if __name__ == "__main__":
    main()
