"""How often reports on searches contain the truth, on data drawn from real populations.

    python benchmarks/coverage/searches.py --record .cache/searches      # an hour; resumable
    python benchmarks/coverage/searches.py --evaluate .cache/searches

The first command fits: it draws data sets, and keeps what the candidates of a grid predict in all
splits, and the truth: the expected tables of candidates trained on other instances of the
population (populations.py). The second one replays that through `GridSearchCV` and `report_search`:
from predictions, recorded counts and recorded scores. Columns of its table:

- cover: how many HDIs contain the candidates' truths: all, those of good candidates (within three
  standard deviations of the best), of the others, of the candidate with the fewest, and of row one;
- width: median over 3.92 standard deviations of a good candidate's score;
- bias: of row one's mean, and of the highest score, in such standard deviations;
- off: mean of how far the mean score of a candidate is from its truth, in its standard deviations:
  what no interval around the score can mend (stratified splits of few instances are optimistic);
- some <<: reports with one (ROPE 0.01), and ~: candidates that are, if the ROPE is three times the
  noise of a difference; for problems where all are equal;
- wider, shift: how width and mean change among all candidates, divided by the width.
"""

from __future__ import annotations

import os
import warnings
import zlib
from copy import copy
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from numpy.typing import NDArray
from options import laboratory
from populations import population
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, ParameterGrid, StratifiedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier
from weight import value

from skbayeseval import BlockRegularizedCV, count_scorer, report_search

Array = NDArray[Any]

N_TRUTH = 150
SOURCES = ("predictions", "counts", "scores")
NUMBERS = ("observed", "mean", "hdi_low", "hdi_high")
# The share of instances in a training set, and the number of passes over the data.
SPLITTERS = {"3x2": (0.5, 3), "5-fold": (0.8, 1), "10-fold": (0.9, 1)}


class Problem(NamedTuple):
    """A population, the size of a data set, a learner, and a grid of its parameters."""

    of: str
    n: int
    learner: Any
    grid: Any
    metric: str = "accuracy"

    @property
    def candidates(self) -> list[Any]:
        """The learner with each set of parameters."""
        return [clone(self.learner).set_params(**given) for given in ParameterGrid(self.grid)]


TREE = DecisionTreeClassifier(max_features="sqrt", max_depth=6)
# Most grids have hopeless candidates, and copies or near-copies: C=10 and 10.001, "l2" as another
# word for "euclidean", depths that no tree reaches. Trees that differ by chance alone are equal.
PROBLEMS = {
    "neighbours": Problem(
        "magic", 400, KNeighborsClassifier(),
        {"n_neighbors": [1, 3, 5, 9, 15, 25, 50, 190], "weights": ["uniform", "distance"],
         "metric": ["euclidean", "l2"]},
    ),
    "digits": Problem(
        "pen_digits", 300, SVC(),
        {"C": [0.03, 1, 3, 10, 10.001, 100], "gamma": [0.0003, 0.01, 0.03, 0.06, 0.06001, 1]},
    ),
    "svm": Problem(
        "phonemes", 400, SVC(),
        {"C": [0.01, 1, 3, 10, 10.001, 100], "gamma": [0.0003, 0.1, 0.3, 1, 1.001, 30]},
    ),
    "trees": Problem(
        "diamonds", 500, DecisionTreeClassifier(random_state=0),
        {"max_depth": [1, 3, 5, 8, 30, None], "min_samples_leaf": [1, 3, 10, 30, 100]},
    ),
    "bayes": Problem(
        "hotel", 400, GaussianNB(),
        {"var_smoothing": [1e-9, 1e-7, 1e-5, *np.geomspace(0.02, 1, 15), 10, 1000, 1001]},
    ),
    "rare": Problem(
        "union", 500, LogisticRegression(max_iter=300),
        {"C": [1e-4, 1e-3, 0.01, 0.1, 1, 1.0001],
         "class_weight": [None, "balanced", {0: 1, 1: 2}]}, "f1",
    ),
    "plateau": Problem(
        "votes", 400, LogisticRegression(max_iter=300), {"C": np.geomspace(0.5, 10, 20)}
    ),
    "equal": Problem("magic", 500, TREE, {"random_state": [None] * 50}),
    "one better": Problem(
        "bird_strikes", 400, TREE,
        [{"max_features": [None], "max_depth": [4]}, {"random_state": [None] * 19}],
    ),
}  # fmt: skip
EQUAL = ("plateau", "equal")
# Some candidates are searched without the others too: fewer equal ones, or three that are good.
SEARCHES = {"equal": [range(50), range(12), range(3)]}
SEARCHES |= {name: [range(36), [9, 14, 19]] for name in ("digits", "svm")}


def splitter(name: str, seed: int) -> Any:
    """Return a splitter by its name."""
    if name == "3x2":
        return BlockRegularizedCV(3, random_state=seed)
    return StratifiedKFold(int(name.removesuffix("-fold")), shuffle=True, random_state=seed)


def draw(problem: Problem, seed: int) -> Array:
    """Return the numbers of all instances of the population in random order."""
    rng = np.random.default_rng([zlib.crc32(problem.of.encode()), problem.n, seed])
    np.random.seed(rng.integers(2**31))  # noqa: NPY002, for trees that differ by chance
    return rng.permutation(len(population(problem.of)[1]))


def predicted(problem: Problem, seed: int) -> dict[str, Array]:
    """Return classes, and what is predicted by splitter: passes, candidates, instances."""
    X, y = (part[draw(problem, seed)[: problem.n]] for part in population(problem.of))
    found = {"y": y.astype(np.int8)}
    for name, (_, passes) in SPLITTERS.items():
        splits = list(splitter(name, seed).split(X, y))
        found[name] = np.zeros((passes, len(problem.candidates), len(y)), dtype=np.int8)
        for (s, (train, test)), (k, one) in product(
            enumerate(splits), enumerate(problem.candidates)
        ):
            labels = one.fit(X[train], y[train]).predict(X[test])
            found[name][s * passes // len(splits), k, test] = labels
    return found


def truth(problem: Problem, seed: int) -> Array:
    """Return tables of candidates trained on other instances: splitters, candidates, M, M."""
    X, y = population(problem.of)
    rows = draw(problem, 10**6 + seed)
    m, test = y.max() + 1, rows[problem.n :][:2000]
    tables = np.zeros((len(SPLITTERS), len(problem.candidates), m, m))
    for i, (share, _) in enumerate(SPLITTERS.values()):
        train = rows[: round(share * problem.n)]
        for k, one in enumerate(problem.candidates):
            np.add.at(tables[i, k], (y[test], one.fit(X[train], y[train]).predict(X[test])), 1)
    return tables


def quiet(function: Any, *given: Any) -> Any:
    """Return what a function returns, without its warnings of few instances of a class."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return function(*given)


def record(path: Path, problem: Problem, n_sets: int, run: Parallel) -> None:
    """Record data sets of a problem and the truth, unless that was done."""
    if path.exists():
        return
    sets = run(delayed(quiet)(predicted, problem, seed) for seed in range(n_sets))
    kept = {key: np.stack([one[key] for one in sets]) for key in sets[0]}
    tables = run(delayed(quiet)(truth, problem, seed) for seed in range(N_TRUTH))
    np.savez_compressed(path, truth=np.sum(tables, axis=0), **kept)


class Replay(ClassifierMixin, BaseEstimator):
    """Predicts what was recorded: X has passes, and in each the candidates and the fold."""

    def __init__(self, candidate=0):
        self.candidate = candidate

    def fit(self, X, y):
        """Find the pass of which the training set lacks a fold."""
        self.classes_ = np.unique(y)
        self.pass_ = np.argmin([len(np.unique(fold)) for fold in X[:, :, -1].T])
        return self

    def predict(self, X):
        """Return the recorded predictions."""
        return X[:, self.pass_, self.candidate]


def reported(records, metric, splits, seed, chosen, ropes):
    """Return by source and candidate: `NUMBERS`, row, "<<" with the first ROPE, "~" with the last.

    Only the chosen candidates are searched.
    """
    y, by_pass, cv = records["y"][seed], records[splits][seed], splitter(splits, seed)
    X = np.zeros((len(y), len(by_pass), by_pass.shape[1] + 1), dtype=int)
    X[:, :, :-1] = by_pass.transpose(2, 0, 1)
    tests = [test for _, test in cv.split(X, y)]
    for s, test in enumerate(tests):
        X[test, s * len(by_pass) // len(tests), -1] = s
    counts = count_scorer(range(records["truth"].shape[-1]), also=metric)
    search = GridSearchCV(Replay(), {"candidate": chosen}, scoring=counts, cv=cv, refit=metric)
    plain = copy(search.fit(X, y)).set_params(scoring=[metric])
    results = search.cv_results_.items()
    plain.cv_results_ = {key: values for key, values in results if "_count_" not in key}
    found = []
    for source in SOURCES:
        given = [search] if source == "counts" else [plain]
        given += [X, y] if source == "predictions" else []
        tables = []
        for rope in ropes:
            report = report_search(*given, rope=rope, n_draws=2000, random_state=seed)
            tables.append(report.summary().assign(row=range(len(chosen))).sort_index())
        worse, alike = tables[0]["decision"] == "<<", tables[-1]["decision"] == "~"
        found.append(np.column_stack([tables[0][[*NUMBERS, "row"]], worse, alike]))
    return np.array(found, dtype=float)


def judged(found, among, truths):
    """Return what reports are worth, and how candidates changed among all others."""
    observed, mean, low, high, row, worse, alike = np.moveaxis(found, -1, 0)
    width, sd = high - low, observed.std(axis=0, ddof=1)
    good = truths >= truths.max() - 3 * sd[truths.argmax()]
    inside = (low <= truths + 1e-12) & (truths <= high + 1e-12)
    sets, first, highest = np.arange(len(found)), row.argmin(axis=1), observed.argmax(axis=1)
    # The mean error of good candidates is 0 but for chance, which is common to all of them.
    chance = (observed - truths)[:, good].mean(axis=1)
    bias = (mean[sets, first] - truths[first] - chance) / sd[good].mean()
    raw = (observed[sets, highest] - truths[highest] - chance) / sd[good].mean()
    noisy = sd > 0
    return {
        "K": len(truths),
        "good": good.sum(),
        "cover": inside.mean(),
        "of good": inside[:, good].mean(),
        "of others": inside[:, ~good].mean() if not good.all() else np.nan,
        "lowest": inside.mean(axis=0).min(),
        "of row 1": inside[sets, first].mean(),
        "width": np.median(width[:, good] / (3.92 * sd[good])),
        "bias": bias.mean(),
        "± se": bias.std(ddof=1) / np.sqrt(len(bias)),
        "raw bias": raw.mean(),
        "off": np.mean(abs((observed - truths).mean(axis=0)[noisy] / sd[noisy])),
        "some <<": worse.any(axis=1).mean(),
        "~": alike.mean(),
        "wider": np.median((among[..., 3] - among[..., 2]) / width) - 1,
        "shift": np.median(abs(among[..., 1] - mean) / width),
    }


def evaluate(options, name, run):
    """Yield the rows of a problem; what the reports say is kept in the folder."""
    problem, records = PROBLEMS[name], dict(np.load(options.evaluate / f"{name}.npz"))
    given = [str(one) for one in ParameterGrid(problem.grid)]
    same = np.equal.outer(given, given).astype(float)  # the same parameters have the same truth
    for splits, tables in zip(SPLITTERS, records["truth"], strict=True):
        truths = value(np.einsum("ij,jab->iab", same, tables), problem.metric)
        right = (records[splits] == records["y"][:, None, None]).mean(axis=(1, 3))
        noise = np.std(right[:, :, None] - right[:, None], axis=0, ddof=1)
        ropes = [0.01, 3 * np.median(noise[noise > 0])] if name in EQUAL else [0.01]
        everyone = None
        for chosen in map(list, SEARCHES.get(name, [range(len(truths))])):
            path = options.folder / f"{name} {splits} {len(chosen)}.npy"
            if not path.exists():
                task, seeds = (records, problem.metric, splits), range(options.data_sets)
                calls = (delayed(quiet)(reported, *task, seed, chosen, ropes) for seed in seeds)
                np.save(path, run(calls))
            found = np.moveaxis(np.load(path), 1, 0)
            everyone = found if everyone is None else everyone
            for i, source in enumerate(SOURCES):
                row = {"problem": name, "splits": splits, "source": source}
                yield row | judged(found[i], everyone[i][:, chosen], truths[chosen])


def main(arguments=None):
    parser = laboratory(__doc__, ".cache/search_reports", 60)
    parser.add_argument("--problems", nargs="*", choices=PROBLEMS, default=list(PROBLEMS))
    options = parser.parse_args(arguments)
    run = Parallel(options.jobs)
    for folder in filter(None, (options.record, options.folder)):
        folder.mkdir(parents=True, exist_ok=True)
    for name in options.problems if options.record is not None else ():
        record(options.record / f"{name}.npz", PROBLEMS[name], options.data_sets, run)
    if options.evaluate is not None:
        rows = [row for name in options.problems for row in evaluate(options, name, run)]
        print(pd.DataFrame(rows).round(3).to_string(index=False, na_rep=""))


if __name__ == "__main__":
    main()
