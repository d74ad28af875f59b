"""How often 95% intervals contain the truth on data drawn from real populations.

    python benchmarks/coverage/real.py --record .cache/records          # hours; resumable
    python benchmarks/coverage/real.py --evaluate .cache/records --half design --csv real.csv

The first command fits: it draws data sets of each problem, and keeps what both learners predict in
all splits that any scheme needs, and the truth: the expected confusion table of learners trained on
new instances, and the expected ROC AUC, at several training sizes. It needs the populations
(populations.py).

The second one replays what was predicted through `bayesian_cross_validate`, and fits nothing.
Finished parts are kept in `--folder`: choose another one when the package has changed. Classical
intervals of the same splits are the corrected resampled t (Nadeau and Bengio 2003) and, for
accuracy, the normal interval of the loss differences of instances (Bayle et al. 2020). Conservative
Z (Nadeau and Bengio 2003) is missing, because it needs fits on disjoint halves of the data.
"""

from __future__ import annotations

import argparse
import os
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Self

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from numpy.typing import NDArray
from problems import PROBLEMS, Problem
from run import PART, ROPE, interval, scores
from scipy import stats
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.metrics import roc_auc_score

from skbayeseval import BlockRegularizedCV, bayesian_cross_validate
from skbayeseval.metrics import get_metric
from skbayeseval.splitting.balance import deal

Array = NDArray[Any]

# Scheme: the share of instances in the training sets whose truth is asked for, and options.
SCHEMES: dict[str, tuple[float, dict[str, Any]]] = {
    "3x2": (0.5, {}),
    "5-fold": (0.8, {}),
    "3x2 full": (1.0, {"estimand": "full"}),
    "5-fold full": (1.0, {"estimand": "full"}),
}
SHARES = (0.4, 0.5, 0.75, 0.8, 1.0)
N_TRUTH, N_FRESH = 100, 2000
N_SCORED = 100

# Each instance is predicted six times: in the three repeats of 3x2, with its block left out, with
# its fold left out, and by half of the other folds. These are their names in a record.
FITS: dict[str, Any] = {"3": slice(3), "4": 3, "5": 4, "h": 5}


def fits(y: Array, blocks: Array, folds: Array, seed: int) -> Iterator[tuple[int, Array, Array]]:
    """Yield the number of the fit, and the rows of its training set and of its test set."""
    for repeat in range(3):
        first = np.isin(blocks, (0, repeat + 1))
        yield repeat, np.flatnonzero(first), np.flatnonzero(~first)
        yield repeat, np.flatnonzero(~first), np.flatnonzero(first)
    for block in range(4):
        yield FITS["4"], np.flatnonzero(blocks != block), np.flatnonzero(blocks == block)
    for fold in range(5):
        train, test = np.flatnonzero(folds != fold), np.flatnonzero(folds == fold)
        yield FITS["5"], train, test
        side = deal(_codes(y[train]), 2, np.random.RandomState(5 * seed + fold))
        yield FITS["h"], train[side == 0], test


def _codes(y: Array) -> Array:
    return np.unique(y, return_inverse=True)[1]


def record_one(problem: Problem, seed: int) -> dict[str, Array]:
    """Return a data set with what was predicted, and for what scores if there are two classes."""
    rng = np.random.default_rng([problem.key, seed])
    np.random.seed(rng.integers(2**31))  # noqa: NPY002, for the random learners
    X, y = problem.draw(problem.n, rng)
    state = np.random.RandomState(seed)
    blocks, folds = deal(_codes(y), 4, state), deal(_codes(y), 5, state)
    predicted = np.empty((2, 6, len(y)), dtype=np.int8)
    scored = np.empty((2, 6, len(y)), dtype=np.float16)
    for k, (_, learner) in enumerate(problem.learners()):
        for fit, train, test in fits(y, blocks, folds, seed):
            learner.fit(X[train], y[train])
            predicted[k, fit, test] = learner.predict(X[test])
            if problem.n_classes == 2:
                scored[k, fit, test] = np.clip(scores(learner, X[test]), -6e4, 6e4)
    found = {"y": y, "blocks": blocks, "folds": folds}
    kept = {name: values.astype(np.int8) for name, values in found.items()}
    kept |= {f"p{name}": predicted[:, fit] for name, fit in FITS.items()}
    if problem.n_classes == 2 and seed < N_SCORED:
        kept |= {f"s{name}": scored[:, fit] for name, fit in FITS.items()}
    return kept


def truth_of(problem: Problem) -> dict[str, Array]:
    """Return expected tables and ROC AUCs, for each share of training instances and learner."""
    rng = np.random.default_rng([problem.key, 10**6])
    np.random.seed(rng.integers(2**31))  # noqa: NPY002, for the random learners
    m = problem.n_classes
    tables, areas = np.zeros((len(SHARES), 2, m, m)), np.zeros((len(SHARES), 2))
    for _ in range(N_TRUTH):
        X, y, X_new, y_new = problem.draw_apart(problem.n, N_FRESH, rng)
        for i, share in enumerate(SHARES):
            size = round(share * problem.n)
            for k, (_, learner) in enumerate(problem.learners()):
                learner.fit(X[:size], y[:size])
                np.add.at(tables[i, k], (y_new, learner.predict(X_new)), 1)
                if m == 2:
                    areas[i, k] += roc_auc_score(y_new, scores(learner, X_new)) / N_TRUTH
    return {"truth": tables / tables.sum(axis=(2, 3), keepdims=True), "areas": areas}


def record(folder: Path, problem: Problem, n_runs: int, minutes: float) -> None:
    """Record the data sets of a problem that are missing, and stop after so many minutes."""
    path, deadline = folder / f"{problem.name}.npz", time.time() + 60 * minutes
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        kept = dict(np.load(path)) if path.exists() else truth_of(problem)
        seeds, new = range(len(kept.get("y", ())), n_runs), []
        for seed in seeds:
            new.append(record_one(problem, seed))
            if time.time() > deadline:
                break
    if not new:
        return
    for name in new[0]:
        rows = np.stack([one[name] for one in new if name in one])
        kept[name] = np.concatenate([kept[name], rows]) if name in kept else rows
    unfinished = folder / f"unfinished_{path.name}"
    np.savez_compressed(unfinished, **kept)
    unfinished.replace(path)


class Replay(ClassifierMixin, BaseEstimator):
    """Predicts what was recorded, for the training set that it is fitted on.

    X has the block and the fold of each instance, the predictions of A and of B in six fits, and
    their scores; see `data_set`.
    """

    def __init__(self, learner: int, n: int) -> None:
        self.learner = learner
        self.n = n

    def fit(self, X: Array, y: Array) -> Self:
        """Recognise the fit by the blocks and folds of the training set."""
        self.classes_ = np.unique(y)
        blocks, folds = np.unique(X[:, 0]), np.unique(X[:, 1])
        share = len(X) / self.n
        if len(blocks) == 2:  # the repeat is that of the block that goes with block 0
            other = blocks.sum() if 0 in blocks else 6 - blocks.sum()
            self.fit_ = int(other) - 1
        elif len(blocks) == 3:
            self.fit_ = FITS["4"]
        elif len(folds) == 4 and 0.7 < share < 0.9:
            self.fit_ = FITS["5"]
        elif len(folds) == 4 and 0.35 < share < 0.45:
            self.fit_ = FITS["h"]
        else:
            raise LookupError(f"No fit on this share of the data was recorded: {share:.2f}.")
        return self

    def predict(self, X: Array) -> Array:
        """Return the recorded predictions."""
        return X[:, 2 + 6 * self.learner + self.fit_].astype(int)

    def decision_function(self, X: Array) -> Array:
        """Return the recorded scores."""
        return X[:, 14 + 6 * self.learner + self.fit_]


def data_set(records: dict[str, Array], seed: int) -> tuple[Array, Array, Array]:
    """Return the features of `Replay`, the classes, and predictions of shape (2, 6, n)."""
    y, blocks, folds = (records[name][seed].astype(int) for name in ("y", "blocks", "folds"))
    predicted, scored = np.zeros((2, 2, 6, len(y)))
    for name, fit in FITS.items():
        predicted[:, fit] = records[f"p{name}"][seed]
        if seed < len(records.get(f"s{name}", ())):
            scored[:, fit] = records[f"s{name}"][seed]
    return (
        np.column_stack([blocks, folds, *predicted.reshape(12, -1), *scored.reshape(12, -1)]),
        y,
        predicted,
    )


def metrics_of(records: dict[str, Array]) -> list[str]:
    """Return the metrics that are compared."""
    return ["accuracy", "f1", "roc_auc"] if "s3" in records else ["accuracy", "f1_macro"]


def run_one(records: dict[str, Array], scheme: str, seed: int) -> Array:
    """Return, per metric, what one data set gives; see `COLUMNS`."""
    X, y, predicted = data_set(records, seed)
    cv: Any
    if scheme.startswith("3x2"):
        cv = BlockRegularizedCV(3, random_state=seed)
        splits = list(cv.split(X, y))
        assert all(len(np.unique(X[train, 0])) == 2 for train, _ in splits), "other blocks"
        tested = predicted[:, FITS["3"]]
    else:
        cv = splits = [split for fit, *split in fits(y, *X[:, :2].T, seed) if fit == FITS["5"]]
        tested = predicted[:, [FITS["5"]]]
    metrics = metrics_of(records)
    found = np.full((len(metrics), len(COLUMNS)), np.nan)
    scored = [
        metric
        for metric in metrics
        if metric != "roc_auc" or (seed < len(records["s3"]) and np.bincount(y).min() >= 5)
    ]
    result = bayesian_cross_validate(
        ("A", Replay(0, len(y))),
        ("B", Replay(1, len(y))),
        X,
        y,
        scoring=scored,
        cv=cv,
        n_draws=2000,
        random_state=seed,
        **SCHEMES[scheme][1],
    )
    for i, metric in enumerate(scored):
        seen = result.metric(metric)
        a, b = (result.cv_results[name][f"test_{metric}"] for name in "AB")
        found[i] = [
            seen.observed_a - seen.observed_b,
            seen.draws.mean(),
            *seen.hdi(),
            seen.decision(ROPE).code in (">>", "<<"),
            *corrected_t(a - b, len(splits[0][1]) / len(splits[0][0])),
            *(plain(tested == y) if metric == "accuracy" else (np.nan, np.nan)),
        ]
    return found


COLUMNS = (
    "observed",
    "mean",
    "low",
    "high",
    "decided",
    "t_low",
    "t_high",
    "plain_low",
    "plain_high",
)


def corrected_t(differences: Array, ratio: float) -> tuple[float, float]:
    """Return the corrected resampled t interval; the ratio is that of test to training sizes."""
    n = len(differences)
    error = np.sqrt((1 / n + ratio) * differences.var(ddof=1))
    centre, half = differences.mean(), stats.t.ppf(0.975, n - 1) * error
    return centre - half, centre + half


def plain(right: Array) -> tuple[float, float]:
    """Return the normal interval of the mean over instances, after that over repeats."""
    differences = (right[0].astype(float) - right[1]).mean(axis=0)
    half = 1.96 * differences.std() / np.sqrt(len(differences))
    return differences.mean() - half, differences.mean() + half


def parts(records: dict[str, Array], n_runs: int) -> list[range]:
    """Return the data sets of each part."""
    n = min(n_runs, len(records["y"]))
    return [range(start, min(start + PART, n)) for start in range(0, n, PART)]


def part_path(folder: Path, problem: Problem, scheme: str, seeds: range) -> Path:
    """Return where the results of a part are."""
    scheme = scheme.replace(" ", "-")
    return folder / f"{problem.name}_{scheme}_{seeds.start}-{seeds.stop}.npy"


def part(source: Path, folder: Path, problem: Problem, scheme: str, seeds: range) -> None:
    """Evaluate one part of the data sets, unless it is there."""
    path = part_path(folder, problem, scheme, seeds)
    if not path.exists():
        records = load(source, problem)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            runs = [run_one(records, scheme, seed) for seed in seeds]
        np.save(path, np.stack(runs))


def load(source: Path, problem: Problem) -> dict[str, Array]:
    """Return the records of a problem."""
    return dict(np.load(source / f"{problem.name}.npz"))


def table(
    source: Path, folder: Path, chosen: list[Problem], schemes: list[str], n_runs: int
) -> pd.DataFrame:
    """Return one row per problem, scheme and metric."""
    rows = []
    for problem in chosen:
        records = load(source, problem)
        for scheme in schemes:
            share, options = SCHEMES[scheme]
            paths = [part_path(folder, problem, scheme, seeds) for seeds in parts(records, n_runs)]
            runs = np.concatenate([np.load(path) for path in paths])
            for i, metric in enumerate(metrics_of(records)):
                one = dict(zip(COLUMNS, runs[~np.isnan(runs[:, i, 0]), i].T, strict=True))
                at = SHARES.index(share)
                if metric == "roc_auc":
                    a, b = records["areas"][at]
                else:
                    a, b = (get_metric(metric)(of_one) for of_one in records["truth"][at])
                ours = one["mean" if "estimand" in options else "observed"]
                rows.append(
                    {
                        "problem": problem.name,
                        "half": problem.half,
                        "scheme": scheme,
                        "metric": metric,
                        "runs": len(ours),
                        "truth": a - b,
                        "decided": one["decided"].mean(),
                        **judged("", one, a - b, ours),
                        **judged("t_", one, a - b),
                        **judged("plain_", one, a - b),
                    }
                )
    return pd.DataFrame(rows)


def judged(
    prefix: str, one: dict[str, Array], truth: float, centre: Array | None = None
) -> dict[str, float]:
    """Return coverage and width, and the share of intervals on the wrong side of 0."""
    low, high = one[f"{prefix}low"], one[f"{prefix}high"]
    hit, width = interval(low, high, truth, (low + high) / 2 if centre is None else centre)
    wrong = np.mean(((low > 0) & (truth < 0)) | ((high < 0) & (truth > 0)))
    found = {"coverage": hit, "width": width, "wrong": np.nan if np.isnan(hit) else wrong}
    return {f"{prefix}{name}": value for name, value in found.items()}


def summary(cells: pd.DataFrame) -> pd.DataFrame:
    """Return one row per scheme and interval: coverage and width over the cells."""
    rows = []
    for scheme, group in cells.groupby("scheme", sort=False):
        for prefix, name in {"": "HDI", "t_": "corrected t", "plain_": "plain"}.items():
            c, width = group[f"{prefix}coverage"].dropna(), group[f"{prefix}width"]
            rows.append(
                {
                    "scheme": scheme,
                    "interval": name,
                    "cells": len(c),
                    "coverage": c.mean(),
                    "under_90": np.mean(c < 0.9),
                    "under_80": np.mean(c < 0.8),
                    "worst": c.min(),
                    "width": width.median(),
                    "widest": width.max(),
                }
            )
    return pd.DataFrame(rows).set_index(["scheme", "interval"]).round(3)


def main(arguments: list[str] | None = None) -> None:
    """Record, or evaluate what was recorded and print the summary."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    task = parser.add_mutually_exclusive_group(required=True)
    task.add_argument("--record", type=Path, metavar="FOLDER")
    task.add_argument("--evaluate", type=Path, metavar="FOLDER")
    parser.add_argument("--half", choices=["design", "test", "all"], default="design")
    names = [problem.name for problem in PROBLEMS]
    parser.add_argument("--problems", nargs="*", choices=names, default=names, metavar="NAME")
    parser.add_argument("--schemes", nargs="*", choices=list(SCHEMES), default=list(SCHEMES))
    parser.add_argument("--runs", type=int, default=200, help="data sets of a problem")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--minutes", type=float, default=np.inf, help="to record one problem")
    parser.add_argument("--folder", type=Path, default=Path(".cache/real"))
    parser.add_argument("--csv", type=Path, default=None)
    options = parser.parse_args(arguments)
    chosen = [
        problem
        for problem in PROBLEMS
        if problem.name in options.problems and options.half in (problem.half, "all")
    ]
    work = Parallel(options.jobs)
    if options.record is not None:
        options.record.mkdir(parents=True, exist_ok=True)
        work(delayed(record)(options.record, p, options.runs, options.minutes) for p in chosen)
        return
    source, folder = options.evaluate, options.folder
    chosen = [problem for problem in chosen if (source / f"{problem.name}.npz").exists()]
    folder.mkdir(parents=True, exist_ok=True)
    work(
        delayed(part)(source, folder, problem, scheme, seeds)
        for problem in chosen
        for scheme in options.schemes
        for seeds in parts(load(source, problem), options.runs)
    )
    cells = table(source, folder, chosen, options.schemes, options.runs)
    print(summary(cells).to_string())
    if options.csv is not None:
        cells.round(5).to_csv(options.csv, index=False)


if __name__ == "__main__":
    main()
