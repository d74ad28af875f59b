"""Intervals of the literature beside ours, on the same data sets, with the truth of all instances.

    python benchmarks/coverage/rivals.py --records .cache/records --data-sets 40    # half an hour

16 problems of real.py with at most 400 instances, and two quick learners of each: their accuracies
and the difference. Recorded fits are replayed. Nested cross-validation (Bates, Hastie and
Tibshirani 2024) and conservative-Z (Nadeau and Bengio 2003) need many fits of their own: the first
has ten repeats of five folds, the second 15 random splits of the data, and of both halves in ten
divisions of it. The corrected resampled t is that of Nadeau and Bengio (2003), the normal interval
of ten folds that of Bayle et al. (2020).
"""

from __future__ import annotations

import argparse
import os
import warnings
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from numpy.typing import NDArray
from problems import PROBLEMS, Problem
from real import RECORDED, RUNS, judged, run_one, summary
from scipy.stats import norm
from scipy.stats import t as student
from weight import validated, value

Array = NDArray[Any]
Z = norm.ppf(0.975)
SLOW = {"logreg", "logreg.01", "svm", "forest"}


def quick(problem: Problem) -> list[int]:
    """Return the first two learners that take little time."""
    return [k for k, name in enumerate(problem.learners) if name not in SLOW][:2]


CHOSEN = [problem for problem in PROBLEMS if problem.n <= 400 and len(quick(problem)) == 2][:16]
# Each learner, and their difference.
CONTRASTS = np.array([[1, 0], [0, 1], [1, -1]])
FOLDS, REPEATS = 5, 10
SPLITS, DIVISIONS = 15, 10

OURS = ("3x2", "10-fold", "full")
METHODS_AND_FITS = {f"ours, {name}": RUNS[name].fits for name in OURS}
METHODS_AND_FITS |= {"corrected t, 15 x 80/20": 15, "corrected t, 25 x 90/10": 25}
METHODS_AND_FITS |= {"Bayle et al., 10-fold": 10, "nested cross-validation": 150}
METHODS_AND_FITS |= {"conservative-Z": 315}
METHODS = list(METHODS_AND_FITS)


class Data:
    """A data set, and what is right after a fit.

    Parameters
    ----------
    learners : list of classifiers
        The learners.
    X, y : ndarray
        Features and classes.
    """

    def __init__(self, learners: list[Any], X: Array, y: Array) -> None:
        self.learners, self.X, self.y = learners, X, y

    def right(self, train: Array, test: Array) -> Array:
        """Return, per contrast and test instance, the difference of what is right."""
        predicted = [
            one.fit(self.X[train], self.y[train]).predict(self.X[test]) for one in self.learners
        ]
        return CONTRASTS @ (np.stack(predicted) == self.y[test]).astype(float)


def nested(data: Data, rng: np.random.Generator) -> tuple[Array, Array]:
    """Return the bounds of each contrast by nested cross-validation.

    The standard error is kept between that of plain cross-validation and sqrt(FOLDS) times it, as
    the authors propose; so is the correction for the smaller training sets.
    """
    n = len(data.y)
    plain: list[Array] = []
    inner: list[Array] = []
    squares: list[Array] = []
    for _ in range(REPEATS):
        fold = rng.permutation(np.arange(n) % FOLDS)
        parts: dict[int, list[Array]] = {k: [] for k in range(FOLDS)}
        for i, j in combinations(range(FOLDS), 2):
            train = np.flatnonzero((fold != i) & (fold != j))
            parts[i].append(data.right(train, np.flatnonzero(fold == j)))
            parts[j].append(data.right(train, np.flatnonzero(fold == i)))
        for k in range(FOLDS):
            out = data.right(np.flatnonzero(fold != k), np.flatnonzero(fold == k))
            within = np.concatenate(parts[k], axis=1)
            plain.append(out)
            inner.append(within)
            noise = out.var(axis=1, ddof=1) / out.shape[1]
            squares.append((within.mean(axis=1) - out.mean(axis=1)) ** 2 - noise)
    all_plain = np.concatenate(plain, axis=1)
    naive = all_plain.std(axis=1, ddof=1) / np.sqrt(n)
    error = np.sqrt((FOLDS - 1) / FOLDS * np.maximum(np.mean(squares, axis=0), 0.0))
    error = np.clip(error, naive, np.sqrt(FOLDS) * naive)
    centre = np.concatenate(inner, axis=1).mean(axis=1)
    centre -= (1 + (FOLDS - 2) / FOLDS) * (centre - all_plain.mean(axis=1))
    return centre - Z * error, centre + Z * error


def conservative_z(data: Data, rng: np.random.Generator) -> tuple[Array, Array]:
    """Return the bounds of each contrast by conservative-Z."""
    n_test = len(data.y) // 10

    def mean(rows: Array) -> Array:
        scores = []
        for _ in range(SPLITS):
            mixed = rng.permutation(rows)
            scores.append(data.right(mixed[n_test:], mixed[:n_test]).mean(axis=1))
        return np.mean(scores, axis=0)

    centre = mean(np.arange(len(data.y)))
    differences = []
    for _ in range(DIVISIONS):
        mixed = rng.permutation(len(data.y))
        half = len(mixed) // 2
        differences.append(mean(mixed[:half]) - mean(mixed[half : 2 * half]))
    error = np.sqrt(np.mean(np.square(differences), axis=0) / 2)
    return centre - Z * error, centre + Z * error


def classical(records: dict[str, Array], seed: int, pair: list[int]) -> Iterator[Array]:
    """Yield bounds of the corrected t of 15 and 25 random splits, and of plain ten folds."""
    for name in ("15 x 80/20", "25 x 90/10", "10-fold"):
        y, rows, predicted, sizes = validated(records, seed, name)
        right = CONTRASTS @ (predicted[pair] == y[rows]).astype(float)
        if name == "10-fold":
            error, reach = right.std(axis=1, ddof=1) / np.sqrt(right.shape[1]), Z
        else:
            right = np.add.reduceat(right, np.cumsum([0, *sizes[:-1]]), axis=1) / sizes
            ratio = RECORDED[name] / (1 - RECORDED[name])
            error = np.sqrt((1 / len(sizes) + ratio) * right.var(axis=1, ddof=1))
            reach = student.ppf(0.975, len(sizes) - 1)
        centre = right.mean(axis=1)
        yield np.stack([centre - reach * error, centre + reach * error], axis=1)


def intervals(problem: Problem, seed: int) -> Array:
    """Return the bounds of the two methods with fits of their own, per contrast."""
    X, y = problem.draw(problem.generator(seed))
    rng = problem.generator(10**7 + seed)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        learners = problem.fresh_learners()
        data = Data([learners[k] for k in quick(problem)], X, y)
        return np.array([np.transpose(method(data, rng)) for method in (nested, conservative_z)])


def all_intervals(folder: Path, records: dict[str, Array], problem: Problem, seed: int) -> Array:
    """Return the bounds of all methods, per contrast, computed once."""
    path = folder / f"{problem.name}_{seed}.npy"
    if not path.exists():
        np.save(path, intervals(problem, seed))
    pair = quick(problem)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ours = run_one(records, seed, OURS, [(pair[0], pair[1])], ["accuracy"])
    of_runs = [ours[list(RUNS).index(name), 0, 0, :, 2:4] for name in OURS]
    return np.array([*of_runs, *classical(records, seed, pair), *np.load(path)])


def cells_of(options: argparse.Namespace, problem: Problem) -> list[dict[str, Any]]:
    """Return one row per method and contrast of a problem."""
    records = dict(np.load(options.records / f"{problem.name}.npz"))
    seeds = range(options.data_sets)
    found = np.array([all_intervals(options.folder, records, problem, seed) for seed in seeds])
    pair = quick(problem)
    truths = CONTRASTS @ value(records["truth"], "accuracy")[-1][pair]
    names = [problem.learners[k] for k in pair]
    cells = []
    for q, of in enumerate([names[:1], names[1:], names]):
        # The spread of the estimate of ten folds is that of an ideal interval, for all methods.
        ideal = found[:, METHODS.index("Bayle et al., 10-fold"), q].mean(axis=1).std(ddof=1)
        for i, method in enumerate(METHODS):
            about = {"problem": problem.name, "learners": ", ".join(of), "method": method}
            cells.append(about | judged(*found[:, i, q].T, truths[q], ideal))
    return cells


def main(arguments: list[str] | None = None) -> None:
    """Compute what is missing, and print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--records", type=Path, default=Path(".cache/records"))
    parser.add_argument("--folder", type=Path, default=Path(".cache/rivals"))
    parser.add_argument("--data-sets", type=int, default=40)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--csv", type=Path, default=None)
    options = parser.parse_args(arguments)
    options.folder.mkdir(parents=True, exist_ok=True)
    parts = Parallel(options.jobs)(delayed(cells_of)(options, problem) for problem in CHOSEN)
    cells = pd.DataFrame([cell for part in parts for cell in part])
    table = summary(cells, by="method")
    table.insert(2, "fits", table["method"].map(METHODS_AND_FITS))
    print(table.to_string(index=False))
    if options.csv is not None:
        cells.round(4).to_csv(options.csv, index=False)


if __name__ == "__main__":
    main()
