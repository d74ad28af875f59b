"""Whether halves drawn at random, or the theory of blocks, make `estimand="full"` sharper.

    python benchmarks/coverage/halves.py --record .cache/halves --conll eng.train   # an hour
    python benchmarks/coverage/halves.py --record .cache/halves --held-back

It draws data sets of each population, keeps what seven learners predict in all splits (resumable),
and prints tables for the populations that rules were fitted to, or for those held back: the
package, balanced halves with the constants of halves, each rule for kappa scaled to a mean coverage
of 0.955 in the group, and the corrected resampled t (Nadeau and Bengio 2003); then what more
repeats are worth. The truth is the expected table of learners trained on new instances, all or half
as many. Populations are those of populations.py and some more; `entity` and `entity_type` are words
of CoNLL-2003.
"""

from __future__ import annotations

import argparse
import warnings
import zlib
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
from learners import LEARNERS, Discriminant, Logistic, Neighbours
from numpy.typing import NDArray
from real import deal
from scipy import stats
from scipy.linalg import hadamard
from scipy.optimize import brentq
from sklearn.base import clone
from sklearn.datasets import make_classification
from weight import REACH, apart, influence, instability, validated, value

from skbayeseval.posterior.inferred_weight import (
    BY_CLASS,
    BY_CLASS_IN_FOLDS,
    POWERS,
    STABLE,
    STABLE_IN_FOLDS,
)

Array = NDArray[Any]
Generator = np.random.Generator

# The number of instances of each data set.
FITTED = {"votes": 150, "page_blocks": 300, "satellite": 200, "credit": 250, "noise10": 300}
FITTED |= {"spam": 200, "weather": 400, "union": 300, "bird_strikes": 300, "reviews": 250}
FITTED |= {"diamonds": 250, "magic": 300, "mnist": 400}
HELD_BACK = {"twonorm": 150, "entity": 300, "flchain": 200, "even4": 250, "churn": 300}
HELD_BACK |= {"segment": 200, "hmda": 300, "entity_type": 300, "wa_churn": 250}
N_FITTED, N_HELD_BACK, N_TRUTH, N_FRESH = 70, 50, 120, 1500
FOLDS, BALANCED, RANDOM, RIVAL = "10-fold", "3x2", "random 3x2", "25 x 90/10"
REPEATED = ("votes", "page_blocks", "satellite", "union", "spam")
MEAN = 0.955


class Strong(Discriminant):
    """Logistic regression with C=0.01; of several classes, ridge regression."""

    def _fit(self, X: Array, codes: Array, n_classes: int) -> None:
        A, penalty = np.column_stack([X, np.ones(len(X))]), len(X) / 2 if n_classes > 2 else 100.0
        ridge, w = np.diag(np.append(np.full(X.shape[1], penalty), 1e-6)), np.zeros(A.shape[1])
        if n_classes > 2:
            self.slopes_ = np.linalg.solve(A.T @ A + ridge, A.T @ np.eye(n_classes)[codes])
            return
        for _ in range(5):
            p = 1 / (1 + np.exp(-np.clip(A @ w, -30, 30)))
            hessian = (A * (p * (1 - p))[:, None]).T @ A + ridge
            w = w - np.linalg.solve(hessian, A.T @ (p - codes) + ridge @ w)
        self.slopes_ = np.column_stack([0 * w, w])

    def _discriminants(self, X: Array) -> Array:
        return X @ self.slopes_[:-1] + self.slopes_[-1]


class Plain(Discriminant):
    """Logistic regression; of several classes, 15 neighbours."""

    def _fit(self, X: Array, codes: Array, n_classes: int) -> None:
        self.own_ = (Logistic() if n_classes == 2 else Neighbours(15)).fit(X, codes)

    def _discriminants(self, X: Array) -> Array:
        return self.own_._discriminants(X)


QUICK = {name: LEARNERS[name] for name in ("bayes", "lda", "knn5", "tree5", "extra-tree")}
QUICK |= {"strong": Strong(), "plain": Plain()}
NAMES = tuple(QUICK)
KEYS = [(k,) for k in range(len(NAMES))] + list(combinations(range(len(NAMES)), 2))


def population(name: str, conll: Path) -> tuple[Array, Array]:
    """Return the features of a population, with mean 0 and variance 1, and its classes."""
    import populations as real

    def made(n_classes: int, share: float | None, seed: int) -> Any:
        shares = None if share is None else [1 - share, share]
        drawn = make_classification(
            20_000, 12, n_informative=6, n_redundant=2, n_classes=n_classes, weights=shares,
            flip_y=0.1, random_state=seed,
        )  # fmt: skip
        return real._population(*drawn)

    new = {
        "noise10": lambda: made(2, 0.1, 1),
        "even4": lambda: made(4, None, 2),
        "twonorm": lambda: real._keel("balanced/raw/twonorm"),
        "segment": lambda: real._keel("balanced/raw/segment"),
        "hmda": lambda: real._frame(real._table("AER", "HMDA"), "deny"),
        "churn": lambda: real._frame(
            real._table("modeldata", "mlc_churn").drop(columns="state"), "churn"
        ),
        "flchain": lambda: real._frame(
            real._table("survival", "flchain").drop(columns=["futime", "chapter"]), "death"
        ),
        "wa_churn": lambda: real._frame(real._table("modeldata", "wa_churn"), "churn"),
        "entity": lambda: words_of(conll, types=False),
        "entity_type": lambda: words_of(conll, types=True),
    }
    real.POPULATIONS.update(new)
    return real.population(name)


def words_of(path: Path, *, types: bool) -> Any:
    """Return words: whether each is part of a name, or the types of names, from their shapes."""
    from populations import _population

    lines = [line.split() for line in path.read_text(encoding="utf-8").splitlines()]
    words = [line if len(line) > 3 and line[0] != "-DOCSTART-" else None for line in lines]

    def shape(word: list[str] | None) -> list[float]:
        if word is None:
            return [0] * 9
        text, tag = word[:2]
        kinds = [tag.startswith(kind) for kind in ("NNP", "NN", "VB")]
        marks = any(c.isdigit() for c in text), "-" in text or "." in text
        kinds.append(tag in ("IN", "DT", "TO"))
        return [len(text), text[0].isupper(), text.isupper(), *marks, *kinds]

    around = zip([None, *words], words, [*words[1:], None], strict=False)
    told = [
        ([*shape(word), *shape(before), *shape(after), before is None], word[3].split("-")[-1])
        for before, word, after in around
        if word is not None and not (types and word[3] == "O")
    ]
    X = np.array([shapes for shapes, _ in told], dtype=float)
    X += 0.01 * np.random.default_rng(0).normal(size=X.shape)
    return _population(X, [kind if types else kind != "O" for _, kind in told])


def test_sets(y: Array, rng: Generator, name: str) -> dict[str, list[Array]]:
    """Return the test sets of folds, of halves, balanced and not, and of 25 splits."""

    def halves(blocks: Array) -> list[Array]:
        firsts = (hadamard(blocks.max() + 1)[:, 1:] == 1)[blocks].T
        return [np.flatnonzero(half) for first in firsts for half in (~first, first)]

    def folds() -> list[Array]:
        fold = deal(y, 10, rng)
        return [np.flatnonzero(fold == c) for c in range(10)]

    found = {BALANCED: halves(deal(y, 4, rng)), FOLDS: folds()}
    while RANDOM not in found:
        drawn = halves(rng.permutation(np.arange(len(y)) % 4))
        if all(len(np.unique(y[half])) > 1 for half in drawn):
            found[RANDOM] = drawn
    if name in REPEATED:
        found |= {"7x2": halves(deal(y, 8, rng)), "10-fold again": folds()}
    if name in HELD_BACK or name in REPEATED:
        found[RIVAL] = [np.flatnonzero(deal(y, 10, rng) == 0) for _ in range(25)]
    return found


def record(path: Path, X: Array, y: Array, n: int) -> None:
    """Keep what was predicted in data sets, and the truth of half of the instances and of all."""
    m, entropy = int(y.max()) + 1, zlib.crc32(path.stem.encode())
    learners = [clone(learner) for learner in QUICK.values()]
    kept: dict[str, list[Array]] = {"y": []}
    for seed in range(N_FITTED if path.stem in FITTED else N_HELD_BACK):
        rng = np.random.default_rng([entropy, n, seed])
        np.random.seed(rng.integers(2**31))  # noqa: NPY002, for the random learners
        rows = rng.permutation(len(y))[:n]
        while m == 2 and np.bincount(y[rows], minlength=2).min() < 10:
            rows = rng.permutation(len(y))[:n]
        kept["y"].append(y[rows].astype(np.int8))
        for name, tests in test_sets(y[rows], rng, path.stem).items():
            trains = [np.delete(rows, test) for test in tests]
            predicted = [
                np.concatenate(
                    [
                        one.fit(X[train], y[train]).predict(X[rows[test]])
                        for train, test in zip(trains, tests, strict=True)
                    ]
                )
                for one in learners
            ]
            told = {"rows": np.concatenate(tests), "sizes": [len(test) for test in tests]}
            for what, values in (told | {"predicted": predicted}).items():
                kept.setdefault(f"{what} {name}", []).append(np.array(values, dtype=np.int16))
    truth = np.zeros((2, len(learners), m, m))
    rng = np.random.default_rng([entropy, n, 10**6])
    for _ in range(N_TRUTH):
        rows = rng.permutation(len(y))
        new = rows[n : n + N_FRESH]
        for i, train in enumerate((rows[: n // 2], rows[:n])):
            for k, one in enumerate(learners):
                np.add.at(truth[i, k], (y[new], one.fit(X[train], y[train]).predict(X[new])), 1)
    truth /= truth.sum(axis=(2, 3), keepdims=True)
    np.savez_compressed(path, truth=truth, **{what: np.stack(kept[what]) for what in kept})


def of_keys(of_learners: Any) -> Array:
    """Return what learners have, then the differences of pairs."""
    return np.stack([of_learners[q[0]] - (of_learners[q[-1]] if q[1:] else 0) for q in KEYS])


def first_order(psi: Array, rows: Array, sizes: Array) -> Array:
    """Return kappa by the theory of blocks, from moments of one 3x2 pass.

    The score of a model trained on blocks i and j, in block k, is H_k + G_i + G_j + e_ij + noise.
    """
    n, split = len(rows) // 3, np.repeat(np.arange(6), sizes)
    side = np.zeros((3, n), dtype=int)
    for repeat in range(3):
        side[repeat, rows[split == 2 * repeat + 1]] = 1
    block = np.unique(2 * side[0] + side[1], return_inverse=True)[1][rows]
    scores = {}
    for s in range(6):
        tested = np.unique(block[split == s])
        for k in tested:
            cell = (split == s) & (block == k)
            scores[frozenset(range(4)) - {*tested}, k] = len(rows) * psi[:, cell].mean(axis=1)
    var_g, cov_gh = np.zeros(len(psi)), np.zeros(len(psi))
    for k, other in combinations(range(4), 2):
        i, j = {*range(4)} - {k, other}
        trained = [
            scores[frozenset((k, a)), b] - scores[frozenset((other, a)), b]
            for a, b in ((j, i), (i, j))
        ]
        tested = scores[frozenset((i, j)), k] - scores[frozenset((i, j)), other]
        var_g += trained[0] * trained[1] / 12
        cov_gh += tested * sum(trained) / 24
    of_instance = psi[:, np.argsort(rows, kind="stable")].reshape(-1, n, 3)
    within = 3 * of_instance.var(axis=2, ddof=1).sum(axis=1)
    var_e = (3 * psi.reshape(len(psi), 3, n).sum(axis=2)).var(axis=1, ddof=1) / 3 - within
    noise = (of_instance.sum(axis=2) ** 2).sum(axis=1)
    return 1 + (var_g + cov_gh + np.maximum(var_e, 0)) / np.maximum(noise, 1e-12)


def cells_of(records: dict[str, Array], metric: str) -> dict[str, Array]:
    """Return what intervals are made of: learners, then pairs, in data sets."""
    truth, (n_sets, n) = records["truth"], records["y"].shape
    m, found = truth.shape[-1], {}
    known = [s for s in (FOLDS, RANDOM, BALANCED, "7x2", RIVAL) if f"rows {s}" in records]
    known += ["2 x 10-fold"] * ("rows 10-fold again" in records)
    for seed in range(n_sets):
        for scheme in known:
            y, rows, predicted, sizes = validated(records, seed, scheme)
            places, told = y[rows] * m + predicted, {}
            if scheme == RIVAL:
                split = np.repeat(np.arange(25), sizes) * m * m
                counts = [np.bincount(split + one, minlength=25 * m * m) for one in places]
                of_splits = of_keys(value(np.reshape(counts, (-1, 25, m, m)) * 1.0, metric))
                told["value"] = of_splits.mean(axis=1)
                told["noise"] = (1 / 25 + 1 / 9) * of_splits.var(axis=1, ddof=1)
            else:
                tables = [np.bincount(one, minlength=m * m).reshape(m, m) * 1.0 for one in places]
                slopes = [influence(table, metric).ravel() for table in tables]
                psi = of_keys([of_one[p] for of_one, p in zip(slopes, places, strict=True)])
                sums = np.stack([np.bincount(rows, weights=one, minlength=n) for one in psi])
                told["noise"] = np.maximum((sums**2).sum(axis=1) * n / (n - 1), 1e-12)
                told["value"] = of_keys(value(np.stack(tables), metric))
                if "x2" in scheme:
                    b = [instability(one, sizes) for one in psi]
                    told["log_b"] = np.log(np.maximum(b, 1.0))
            if scheme == RANDOM:
                told["x"] = first_order(psi, rows, sizes)
            for what, values in told.items():
                found.setdefault(f"{what} {scheme}", []).append(values)
    cells = {what: np.stack(of_sets, axis=1) for what, of_sets in found.items()}
    for i, share in enumerate(("half", "all")):
        cells[share] = of_keys(value(truth[i], metric))[:, None]
    cells["apart"] = np.array([apart(truth[0][list(q)], metric, n) for q in KEYS])
    return cells


def gather(folder: Path, names: list[str], metric: str, pair: int) -> list[dict[str, Array]]:
    """Return the cells of populations, of single learners or of pairs."""
    found = []
    for name in names:
        records = dict(np.load(folder / f"{name}.npz"))
        if metric == "f1" and records["truth"].shape[-1] > 2:
            continue
        cells = cells_of(records, metric)
        for what in [what for what in cells if what.startswith("log_b")]:
            a, b = cells[what][np.array([(q[0], q[-1]) for q in KEYS]).T]
            cells[f"of both {what}"] = (a + b) / 2
        chosen = (np.array([len(q) - 1 for q in KEYS]) == pair) & (cells["apart"] == 0)
        found.append({what: values[chosen] for what, values in cells.items()})
    return found


def log_kappa(cells: dict[str, Array], metric: str, pair: int, halves: str = BALANCED) -> Array:
    """Return the logarithm of the package's scale of kappa for halves of this kind."""
    stable, factor = (
        (STABLE_IN_FOLDS, BY_CLASS_IN_FOLDS) if halves == RANDOM else (STABLE, BY_CLASS)
    )
    constant = stable[3 if pair else 1] * (1.0 if metric == "accuracy" else factor)
    if not pair:
        return np.log(constant) + POWERS[1][0] * cells[f"log_b {halves}"]
    own, *both = POWERS[3]
    powers = own * cells[f"log_b {halves}"] + sum(both) * cells[f"of both log_b {halves}"]
    return np.log(constant) + powers


def judged(
    populations: list[dict[str, Array]], logs: list[Array], scheme: str = FOLDS
) -> dict[str, float]:
    """Return what intervals are worth, averaged over all cells."""
    share = "half" if "x2" in scheme else "all"
    rows: list[Array] = []
    for cells, log in zip(populations, logs, strict=True):
        off, noise = cells[f"value {scheme}"] - cells[share], cells[f"noise {scheme}"]
        reach = np.exp(log / 2) * np.sqrt(noise)
        sd = cells[f"value {FOLDS if scheme == RIVAL else scheme}"].std(axis=1, ddof=1)
        right = np.sign(cells[share]) * cells[f"value {scheme}"] > reach
        found = np.where(np.abs(cells[share][:, 0]) > 0.02, right.mean(axis=1), np.nan)
        covers, width = (np.abs(off) <= reach).mean(axis=1), reach.mean(axis=1)
        rows.append(np.stack([covers, width / (1.96 * np.maximum(sd, 1e-9)), width, found]))
    covers, ideal, width, found = np.concatenate(rows, axis=1)
    shares = {f"under {limit}": np.mean(covers < limit) for limit in (0.9, 0.85)}
    return {"cells": len(covers), "mean": covers.mean(), **shares, "width / ideal": ideal.mean(),
            "width": width.mean(), "found": np.nanmean(found)}  # fmt: skip


def scaled(populations: list[dict[str, Array]], logs: list[Array]) -> dict[str, float]:
    """Return what intervals are worth that are scaled to the same mean coverage."""

    def with_shift(shift: float) -> dict[str, float]:
        return judged(populations, [shift + log for log in logs])

    return with_shift(brentq(lambda shift: with_shift(shift)["mean"] - MEAN, -3, 6, xtol=0.005))


def lines(folder: Path, names: list[str]) -> Iterator[str]:
    """Yield one row per metric, quantity and rule."""

    def row(words: str, told: dict[str, float]) -> str:
        return f"| {words} | {' | '.join(f'{number:.3g}' for number in told.values())} |"

    for metric in ("accuracy", "f1", "f1_macro"):
        for pair, quantity in enumerate(("one learner", "a difference")):
            cells = gather(folder, names, metric, pair)
            reach = 2 * np.log(REACH)
            balanced = [reach + log_kappa(one, metric, pair) for one in cells]
            package = [reach + log_kappa(one, metric, pair, RANDOM) for one in cells]
            x = [np.log(np.maximum(one[f"x {RANDOM}"], 0.2)) for one in cells]
            b = [one[f"log_b {RANDOM}"] for one in cells]
            yield row(f"**{metric}, {quantity}**, the package", judged(cells, package))
            yield row("balanced halves with their constants", judged(cells, balanced))
            yield row("scaled: random halves", scaled(cells, package))
            yield row("scaled: balanced halves", scaled(cells, balanced))
            blocks = [0.5 * of_halves + 0.3 * of_x for of_halves, of_x in zip(b, x, strict=True)]
            yield row("scaled: random halves and blocks", scaled(cells, blocks))
            yield row("scaled: one constant", scaled(cells, [0 * of_halves for of_halves in b]))
            known = [one for one in cells if f"noise {RIVAL}" in one]
            if len(known) == len(cells):
                of_t = [2 * np.log(stats.t.ppf(0.975, 24)) + 0 * of_halves for of_halves in b]
                yield row("corrected t, 25 x 90/10", judged(cells, of_t, RIVAL))
            repeated = [one for one in cells if "noise 7x2" in one]
            for scheme in (BALANCED, "7x2", FOLDS, "2 x 10-fold") if repeated else ():
                halves = scheme if "x2" in scheme else RANDOM
                logs = [reach + log_kappa(one, metric, pair, halves) for one in repeated]
                yield row(f"{scheme}, the package", judged(repeated, logs, scheme))


def main() -> None:
    """Record what is missing, and print the tables."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--record", type=Path, default=Path(".cache/halves"))
    parser.add_argument("--conll", type=Path, default=Path("eng.train"))
    parser.add_argument("--held-back", action="store_true")
    options = parser.parse_args()
    options.record.mkdir(parents=True, exist_ok=True)
    chosen = HELD_BACK if options.held_back else FITTED
    for name, n in chosen.items():
        path = options.record / f"{name}.npz"
        if not path.exists():
            with warnings.catch_warnings(), np.errstate(all="ignore"):
                warnings.simplefilter("ignore")
                record(path, *population(name, options.conll), n)
            print(name, flush=True)
    print("| what | cells | mean | under 0.90 | under 0.85 | width / ideal | width | found |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    print("\n".join(lines(options.record, list(chosen))))


if __name__ == "__main__":
    main()
