"""Time and memory of a ranking of many classifiers, in a process of its own.

    python -m benchmarks.many_classifiers 67 1000 10000 1000

prints, as JSON, the seconds of two classifiers and of all, round by round, and how much the largest
memory of the process grew.

    python -m benchmarks.many_classifiers 134 500

prints the seconds and the memory of a board of so many systems and items, a fifth of whose scores
is missing: ranks with 20,000 draws, and tiers as well.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd

from benchmarks.measuring import Bench, Row, seconds
from benchmarks.rankings import board
from benchmarks.simulated import labels
from skbayeseval import Ranking, compare_many, compare_many_items

ROOT = Path(__file__).resolve().parents[1]


def many_classifiers(bench: Bench) -> list[Row]:
    """Measure the time per classifier, as a multiple of that of two, and memory."""
    n_classifiers, n_classes = bench.size(67, 4), bench.size(1000, 20)
    n, n_draws = bench.size(10_000, 200), bench.size(1000, 100)
    arguments = map(str, (n_classifiers, n_classes, n, n_draws))
    printed = subprocess.run(
        [sys.executable, "-m", "benchmarks.many_classifiers", *arguments],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    found = json.loads(printed)
    ratios = np.divide(found["all"], found["two"]) * 2 / n_classifiers
    job = (
        f"{n_classifiers} classifiers, {n_classes:,} classes, {n:,} labels, macro-F1, "
        f"{n_draws:,} draws"
    )
    return [
        Row(
            f"{job}: time per classifier",
            "time per classifier of two classifiers",
            value=float(np.median(ratios)),
            rounds=len(ratios),
            low=float(ratios.min()),
            high=float(ratios.max()),
        ),
        Row(
            f"{job}: memory",
            "the same process before, with the package and the predictions",
            value=found["megabytes"],
            unit="MB",
            rounds=1,
        ),
    ]


def peak_megabytes() -> float:
    """Return the largest memory that this program has had."""
    try:  # Linux counts a parent's memory in ru_maxrss.
        status = Path("/proc/self/status").read_text()
        return int(status.split("VmHWM:")[1].split()[0]) / 1024
    except (FileNotFoundError, IndexError):
        unit = 2**20 if sys.platform == "darwin" else 2**10
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit


def main(n_classifiers: int, n_classes: int, n: int, n_draws: int, rounds: int = 3) -> None:
    """Measure and print."""
    y, *predicted = labels(n_classes, n, tuple(np.linspace(0.6, 0.8, n_classifiers)))
    predictions = {f"c{k}": values for k, values in enumerate(predicted)}

    def rank(number: int) -> object:
        chosen = dict(list(predictions.items())[:number])
        options = {"scoring": "f1_macro", "n_draws": n_draws, "random_state": 0}
        return compare_many(y, chosen, **options).ranking()

    before = peak_megabytes()
    rank(2)
    two, many = [], []
    for _ in range(rounds):
        two.append(seconds(lambda: rank(2)))
        many.append(seconds(lambda: rank(n_classifiers)))
        if many[0] > 60:
            break
    found = {"two": two, "all": many, "megabytes": peak_megabytes() - before}
    print(json.dumps(found))


def time_board(n_systems: int, n_items: int) -> None:
    """Measure a board and print."""
    scores = board(n_systems, n_items, "hard items", np.random.default_rng(0))[1]
    frame = pd.DataFrame(scores.T).rename(columns=str)
    before = peak_megabytes()

    def ranked() -> Ranking:
        return compare_many_items(frame, missing="estimate", random_state=0)

    known = ranked()
    found = {
        "ranks": seconds(lambda: ranked().ranking()),
        "tiers": seconds(lambda: known.table),
        "megabytes": peak_megabytes() - before,
    }
    print(json.dumps(found))


if __name__ == "__main__":
    numbers = list(map(int, sys.argv[1:]))
    (time_board if len(numbers) == 2 else main)(*numbers)
