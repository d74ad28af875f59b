"""How often 95% intervals contain the truth on data drawn from real populations.

    python benchmarks/coverage/real.py --record .cache/records                  # hours; resumable
    python benchmarks/coverage/real.py --evaluate .cache/records --csv real.csv --data-sets 40

The first command fits: it draws data sets of each problem, and keeps what four learners predict in
all splits, and the truth: the expected confusion tables of learners trained on new instances, and
the expected ROC AUC, at several training sizes. It needs the populations (populations.py).

The second one replays what was predicted through `bayesian_cross_validate`, and fits nothing.
Finished problems are kept in `--folder`: choose another one when the package has changed.
rivals.py has other intervals on some of the same data sets.
"""

from __future__ import annotations

import argparse
import os
import time
import warnings
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple, Self
from unittest import mock

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from numpy.typing import NDArray
from options import laboratory
from problems import PROBLEMS, Problem
from run import ROPE, scores
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.metrics import roc_auc_score
from weight import SHARES, apart, validated, value

from skbayeseval import BlockRegularizedCV, bayesian_cross_validate

Array = NDArray[Any]
Generator = np.random.Generator

N_TRUTH, N_FRESH = 120, 1500
# ROC AUC takes room: it is recorded for so many data sets, and these splits.
N_SCORED, SCORED = 30, ("3x2", "10-fold")

# Recorded splits, and the share of the instances in a test set.
RECORDED = {"3x2": 1 / 2, "10-fold": 1 / 10, "10-fold again": 1 / 10, "5-fold": 1 / 5}
RECORDED |= {"25 x 90/10": 1 / 10, "15 x 80/20": 1 / 5}


class Run(NamedTuple):
    """A call: its splits, the share of instances whose truth is asked for, fits, and options."""

    splits: str
    share: float
    fits: int
    options: dict[str, Any]


RUNS = {
    "3x2": Run("3x2", 0.5, 6, {}),
    "5-fold": Run("5-fold", 0.8, 5, {}),
    "10-fold": Run("10-fold", 0.9, 10, {}),
    "full": Run("10-fold", 1.0, 16, {"estimand": "full"}),
}
COLUMNS = ("observed", "mean", "low", "high", "decided")
# Learners are compared in pairs, each in one.
PAIRS = ((0, 1), (2, 3))


def deal(y: Array, k: int, rng: Generator) -> Array:
    """Return the numbers of k stratified folds."""
    order = rng.permutation(len(y))
    order = order[np.argsort(y[order], kind="stable")]
    fold = np.empty(len(y), dtype=int)
    fold[order] = (np.arange(len(y)) + rng.integers(k)) % k
    return fold


def test_sets(y: Array, rng: Generator) -> dict[str, list[Array]]:
    """Return the stratified test sets of all recorded splits."""
    found: dict[str, list[Array]] = {"3x2": []}
    blocks = deal(y, 4, rng)
    for block in (1, 2, 3):
        first = np.isin(blocks, (0, block))
        found["3x2"] += [np.flatnonzero(~first), np.flatnonzero(first)]
    for name in ("10-fold", "10-fold again", "5-fold"):
        k = round(1 / RECORDED[name])
        fold = deal(y, k, rng)
        found[name] = [np.flatnonzero(fold == c) for c in range(k)]
    for name, number in (("25 x 90/10", 25), ("15 x 80/20", 15)):
        k = round(1 / RECORDED[name])
        found[name] = [np.flatnonzero(deal(y, k, rng) == 0) for _ in range(number)]
    return found


def record_one(problem: Problem, seed: int) -> dict[str, Array]:
    """Return a data set with what was predicted, and for what scores if there are two classes."""
    rng = problem.generator(seed)
    X, y = problem.draw(rng)
    kept = {"y": y.astype(np.int8)}
    splits = test_sets(y, rng)
    predicted: dict[str, list[Array]] = {name: [] for name in splits}
    scored: dict[str, list[Array]] = {name: [] for name in SCORED}
    for learner in problem.fresh_learners():
        for name, tests in splits.items():
            of_learner, scores_of_learner = [], []
            for test in tests:
                rows = np.ones(len(y), dtype=bool)
                rows[test] = False
                learner.fit(X[rows], y[rows])
                of_learner.append(learner.predict(X[test]).astype(np.int8))
                if problem.n_classes == 2 and name in SCORED and seed < N_SCORED:
                    found = np.clip(scores(learner, X[test]), -6e4, 6e4)
                    scores_of_learner.append(found.astype(np.float16))
            predicted[name].append(np.concatenate(of_learner))
            if scores_of_learner:
                scored[name].append(np.concatenate(scores_of_learner))
    for name, tests in splits.items():
        kept[f"rows {name}"] = np.concatenate(tests).astype(np.int16)
        kept[f"sizes {name}"] = np.array([len(test) for test in tests], dtype=np.int16)
        kept[f"predicted {name}"] = np.stack(predicted[name])
        if scored.get(name):
            kept[f"scored {name}"] = np.stack(scored[name])
    return kept


def truth_of(problem: Problem) -> dict[str, Array]:
    """Return expected tables and ROC AUCs, for each share of training instances and learner."""
    rng = problem.generator(10**6)
    m, learners = problem.n_classes, problem.fresh_learners()
    tables = np.zeros((len(SHARES), len(learners), m, m))
    areas = np.zeros((len(SHARES), len(learners)))
    for _ in range(N_TRUTH):
        X, y, X_new, y_new = problem.draw_apart(N_FRESH, rng)
        for i, share in enumerate(SHARES):
            size = round(share * problem.n)
            if m == 2 and len(np.unique(y[:size])) < 2:
                size = problem.n
            for k, learner in enumerate(learners):
                learner.fit(X[:size], y[:size])
                np.add.at(tables[i, k], (y_new, learner.predict(X_new)), 1)
                if m == 2:
                    areas[i, k] += roc_auc_score(y_new, scores(learner, X_new)) / N_TRUTH
    return {"truth": tables / tables.sum(axis=(2, 3), keepdims=True), "areas": areas}


def record(folder: Path, problem: Problem, n_sets: int, minutes: float) -> None:
    """Record the data sets of a problem that are missing, and stop after so many minutes."""
    path, deadline = folder / f"{problem.name}.npz", time.time() + 60 * minutes
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        kept = dict(np.load(path)) if path.exists() else truth_of(problem)
        new = []
        for seed in range(len(kept.get("y", ())), n_sets):
            new.append(record_one(problem, seed))
            if time.time() > deadline:
                break
    for name in new[0] if new else ():
        rows = np.stack([one[name] for one in new if name in one])
        kept[name] = np.concatenate([kept[name], rows]) if name in kept else rows
    unfinished = folder / f"unfinished_{path.name}"
    np.savez_compressed(unfinished, **kept)
    unfinished.replace(path)


class Replay(ClassifierMixin, BaseEstimator):
    """Predicts what was recorded for the training set that it is fitted on.

    Parameters
    ----------
    learner : int
        The learner.
    fits : dict
        For each training set, given as a mask, what the learners predicted and scored, for all
        instances. The features are the numbers of the instances.
    """

    def __init__(self, learner: int, fits: dict[bytes, tuple[Array, Array]]) -> None:
        self.learner = learner
        self.fits = fits

    def __sklearn_clone__(self) -> Self:
        return type(self)(self.learner, self.fits)

    def fit(self, X: Array, y: Array) -> Self:
        """Recognise the fit by the training set."""
        self.classes_ = np.unique(y)
        n = len(next(iter(self.fits)))
        self.predicted_, self.scored_ = self.fits[_mask(X[:, 0], n)]
        return self

    def predict(self, X: Array) -> Array:
        """Return the recorded predictions."""
        return self.predicted_[self.learner, X[:, 0]]

    def decision_function(self, X: Array) -> Array:
        """Return the recorded scores."""
        return self.scored_[self.learner, X[:, 0]].astype(float)


def _mask(rows: Array, n: int) -> bytes:
    mask = np.zeros(n, dtype=bool)
    mask[rows] = True
    return mask.tobytes()


def data_set(
    records: dict[str, Array], seed: int
) -> tuple[Array, dict[str, list[tuple[Array, Array]]], dict[bytes, tuple[Array, Array]]]:
    """Return the classes, the splits by their name, and what was recorded for `Replay`."""
    n = records["y"].shape[1]
    splits: dict[str, list[tuple[Array, Array]]] = {}
    fits = {}
    for name in RECORDED:
        y, rows, predicted, sizes = validated(records, seed, name)
        scored = records.get(f"scored {name}", ())
        splits[name] = []
        for start, stop in pairwise([0, *np.cumsum(sizes)]):
            test = rows[start:stop]
            train = np.setdiff1d(np.arange(n), test)
            of_all = np.zeros((len(predicted), n), dtype=int), np.zeros((len(predicted), n))
            of_all[0][:, test] = predicted[:, start:stop]
            if seed < len(scored):
                of_all[1][:, test] = scored[seed][:, start:stop]
            splits[name].append((train, test))
            fits[_mask(train, n)] = of_all
    splits["2 x 10-fold"] = splits["10-fold"] + splits["10-fold again"]
    return y, splits, fits


METRICS = ("accuracy", "f1", "f1_macro", "roc_auc")


def metrics_of(records: dict[str, Array], chosen: Sequence[str] = METRICS) -> list[str]:
    """Return those of the chosen metrics that are compared."""
    many = records["truth"].shape[-1] > 2
    own = {"accuracy", "f1_macro"} if many else {"accuracy", "f1", "roc_auc"}
    return [metric for metric in chosen if metric in own]


def run_one(
    records: dict[str, Array],
    seed: int,
    runs: Sequence[str] = tuple(RUNS),
    pairs: Sequence[tuple[int, int]] = PAIRS,
    metrics: Sequence[str] = METRICS,
) -> Array:
    """Return what one data set gives: runs, metrics, pairs of learners, quantities, `COLUMNS`.

    The quantities are A, B, and A - B. Of runs that are not asked for, nothing is known.
    """
    y, splits, fits = data_set(records, seed)
    metrics = metrics_of(records, metrics)
    found = np.full((len(RUNS), len(metrics), len(pairs), 3, len(COLUMNS)), np.nan)
    for name in runs:
        i, run = list(RUNS).index(name), RUNS[name]
        scored = metrics
        if run.splits not in SCORED or seed >= N_SCORED or np.bincount(y).min() < 10:
            scored = [metric for metric in metrics if metric != "roc_auc"]
        for j, (a, b) in enumerate(pairs):
            with mock.patch.object(BlockRegularizedCV, "split", return_value=splits["3x2"]):
                result = bayesian_cross_validate(
                    ("A", Replay(a, fits)),
                    ("B", Replay(b, fits)),
                    np.arange(len(y))[:, None],
                    y,
                    scoring=scored,
                    cv=splits[run.splits],
                    n_draws=2000,
                    random_state=seed,
                    **run.options,
                )
            for k, metric in enumerate(scored):
                seen = result.metric(metric)
                observed = seen.observed_a, seen.observed_b, seen.observed_a - seen.observed_b
                means = seen.draws_a.mean(), seen.draws_b.mean(), seen.draws.mean()
                hdis = seen.hdi(of="a"), seen.hdi(of="b"), seen.hdi()
                decided = np.nan, np.nan, seen.decision(ROPE).code in (">>", "<<")
                for q in range(3):
                    found[i, k, j, q] = [observed[q], means[q], *hdis[q], decided[q]]
    return found


def evaluate(options: argparse.Namespace, problem: Problem) -> None:
    """Replay the data sets of a problem, unless that was done."""
    path = options.folder / f"{problem.name}.npy"
    if not path.exists():
        records = dict(np.load(options.evaluate / f"{problem.name}.npz"))
        seeds, chosen = range(min(options.data_sets, len(records["y"]))), options.metrics
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = [run_one(records, seed, options.runs, PAIRS, chosen) for seed in seeds]
        np.save(path, found)


def cells_of(options: argparse.Namespace, problem: Problem) -> Iterator[dict[str, Any]]:
    """Yield one row per run, metric and quantity of a problem."""
    records = dict(np.load(options.evaluate / f"{problem.name}.npz"))
    found = np.load(options.folder / f"{problem.name}.npy")
    for k, metric in enumerate(metrics_of(records, options.metrics)):
        truths = records["areas"] if metric == "roc_auc" else value(records["truth"], metric)
        for j, pair in enumerate(PAIRS):
            for q, of in enumerate([pair[:1], pair[1:], pair]):
                true = truths[:, of[0]] - (truths[:, of[1]] if q == 2 else 0.0)
                for i, (name, run) in enumerate(RUNS.items()):
                    one = found[:, i, k, j, q]
                    observed, mean, low, high, decided = one[~np.isnan(one[:, 0])].T
                    if len(observed) < 2:
                        continue
                    sd = observed.std(ddof=1)
                    yield {
                        "problem": f"{problem.of}_{problem.n}",
                        "learners": ", ".join(problem.learners[learner] for learner in of),
                        "metric": metric,
                        "apart": apart(records["truth"][0][list(of)], metric, problem.n),
                        "run": name,
                        "middle": np.mean(mean - observed) / sd if sd else 0.0,
                        "decided": decided.mean(),
                        **judged(low, high, true[SHARES.index(run.share)], sd),
                    }


def judged(low: Array, high: Array, truth: float, sd: float) -> dict[str, float]:
    """Return coverage and width of intervals, and how often 0 is excluded rightly and wrongly.

    The width is relative to 1.96 standard deviations over data sets on either side.
    """
    width = np.mean(high - low)
    return {
        "sets": len(low),
        "truth": truth,
        "coverage": np.mean((low <= truth + 1e-12) & (truth <= high + 1e-12)),
        "absolute": width,
        "width": width / (2 * 1.96 * sd) if sd else np.nan,
        "found": np.mean((low > 0) if truth > 0 else (high < 0)),
        "wrong": np.mean((high < 0) if truth > 0 else (low > 0)),
    }


def summary(cells: pd.DataFrame, by: str = "run") -> pd.DataFrame:
    """Return one row per run, for one learner and for differences."""
    rows = []
    is_pair = cells["learners"].str.contains(", ")
    for pair, words in ((False, "one learner"), (True, "a difference")):
        for name, group in cells[is_pair == pair].groupby(by, sort=False):
            real = group[group["truth"].abs() > 0.02] if pair else group[:0]
            row = {"quantity": words, by: name, "cells": len(group)}
            row |= {"mean": group["coverage"].mean(), "worst": group["coverage"].min()}
            row |= {"under_90": (group["coverage"] < 0.9).mean(), "width": group["width"].median()}
            row |= {"absolute": group["absolute"].mean(), "found": real["found"].mean()}
            if "middle" in group:
                middle = group["middle"].abs()
                row |= {"middle": middle.mean(), "farthest": middle.max()}
            rows.append(row)
    return pd.DataFrame(rows).round(3)


def report(cells: pd.DataFrame) -> None:
    """Print the tables."""
    kinds = ("Usual cells", "Learners at chance level", "Many classes with few instances each")
    for kind, words in enumerate(kinds):
        print(f"\n{words}")
        print(summary(cells[cells["apart"] == kind]).to_string(index=False))
    usual = cells[cells["apart"] == 0]
    for metric, group in usual.groupby("metric"):
        print(f"\n{metric} alone")
        print(summary(group).to_string(index=False))
    print("\nThe lowest usual cells")
    columns = ["problem", "learners", "metric", "run", "coverage"]
    print(usual.nsmallest(12, "coverage")[columns].to_string(index=False))


def main(arguments: list[str] | None = None) -> None:
    """Record, or evaluate what was recorded."""
    parser = laboratory(__doc__, ".cache/real", 130)
    parser.add_argument("--runs", nargs="*", choices=RUNS, default=list(RUNS))
    parser.add_argument("--metrics", nargs="*", choices=METRICS, default=METRICS)
    parser.add_argument("--every", type=int, default=1, help="take every k-th problem")
    parser.add_argument("--minutes", type=float, default=np.inf, help="of recording a problem")
    parser.add_argument("--csv", type=Path, default=None)
    options = parser.parse_args(arguments)
    chosen, work = PROBLEMS[:: options.every], Parallel(options.jobs)
    if options.record is not None:
        options.record.mkdir(parents=True, exist_ok=True)
        work(delayed(record)(options.record, p, options.data_sets, options.minutes) for p in chosen)
    if options.evaluate is not None:
        options.folder.mkdir(parents=True, exist_ok=True)
        work(delayed(evaluate)(options, problem) for problem in chosen)
        cells = pd.DataFrame([cell for problem in chosen for cell in cells_of(options, problem)])
        report(cells)
        if options.csv is not None:
            cells.round(4).to_csv(options.csv, index=False)


if __name__ == "__main__":
    main()
