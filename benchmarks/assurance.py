"""How often the size named by `required_sample_size` gives a clear decision.

Draw a pair of classifiers, a pilot test set, and the size that the pilot asks for at an assurance
of 0.8. Then label that many instances, again and again, and see how often the decision is clear.

    python benchmarks/assurance.py --pilots 300 --package
    python benchmarks/assurance.py --pilots 300
    python benchmarks/assurance.py --pilots 300 --scale inf
    python benchmarks/assurance.py --pilots 300 --said

Pairs are drawn from the published prior of the paired model, which is flat, or are nearly equal:
their true difference in accuracy is normal around 0, and they agree on 70% to 95% of the
instances. Pilots have 200, 500 and 1,000 instances in turn. `--scale inf` plans from the flat
prior, without shrinking differences. `--package` calls `required_sample_size`, for about twenty
minutes; the other commands follow it step by step, but with a normal approximation of each
posterior. `--said` holds what pilots of 300 say of 2, 5 and 10 times as many instances against how
often the decision is clear there.
"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np
import pandas as pd

from skbayeseval import compare_predictions
from skbayeseval.evidence import ConfusionCounts
from skbayeseval.metrics import get_metric
from skbayeseval.planning import simulate
from skbayeseval.planning.simulate import Question, populations_of, simulated_decisions

ROPE, ASSURANCE = 0.01, 0.8
SIZES = (200, 500, 1000)
LARGEST = 1000.0  # times the size of the pilot
SAID_OF = (2, 5, 10)  # times the size of the pilot
SETTLED = ("<<", "~", ">>")

# Mean and standard deviation of the true difference, and the agreement; None is the flat prior.
Pair = tuple[float, float, float] | None
PAIRS: dict[str, Pair] = {
    "flat prior": None,
    "sd 0.02, agreement 0.9": (0, 0.02, 0.9),
    "sd 0.025, agreement 0.9": (0, 0.025, 0.9),
    "sd 0.03, agreement 0.9": (0, 0.03, 0.9),
    "sd 0.0125, agreement 0.95": (0, 0.0125, 0.95),
    "sd 0.02, agreement 0.8": (0, 0.02, 0.8),
    "sd 0.04, agreement 0.8": (0, 0.04, 0.8),
    "sd 0.03, agreement 0.7": (0, 0.03, 0.7),
    "always 0.04, agreement 0.89": (0.04, 0, 0.89),
    "always 0, agreement 0.9": (0, 0, 0.9),
}


def joint_table(pair: Pair, rng: np.random.Generator) -> Any:
    """Return true probabilities of (class, prediction of A, prediction of B)."""
    if pair is None:
        mu = rng.random()
        return np.array([1 - mu, mu])[:, None, None] * rng.dirichlet(np.ones(4), 2).reshape(2, 2, 2)
    mean, sd, agreement = pair
    disagree = 1 - agreement
    difference = np.clip(rng.normal(mean, sd), -disagree, disagree)
    only_a, only_b = (disagree + difference) / 2, (disagree - difference) / 2
    both_right = agreement - disagree / 2
    right = np.array([[agreement - both_right, only_b], [only_a, both_right]])
    return np.stack([0.6 * right[::-1, ::-1], 0.4 * right])


def is_clear(only_a: Any, only_b: Any, n: int) -> Any:
    """Return whether the HDI is inside or outside of the ROPE, by the normal approximation."""
    p, q = (only_a + 0.5) / (n + 2), (only_b + 0.5) / (n + 2)
    half = 1.96 * np.sqrt((p + q - (p - q) ** 2) / (n + 3))
    return (np.abs(p - q) - half > ROPE) | (np.abs(p - q) + half <= ROPE)


def unclear(pair: Pair, size: int, rng: np.random.Generator) -> tuple[Any, Any, Any] | None:
    """Return the truth, a pilot and what is plausible after it; None if it is clear already."""
    table = joint_table(pair, rng)
    # Only A, or only B, is right: the diagonals of the tables of each class.
    p, q = table[0, 0, 1] + table[1, 1, 0], table[0, 1, 0] + table[1, 0, 1]
    truth = np.array([p, q, 1 - p - q])
    pilot = rng.multinomial(size, truth)
    if is_clear(*pilot[:2], size):
        return None
    pool = rng.dirichlet(pilot + np.array([0.5, 0.5, 1]), 6000)
    spread = simulate.SCALE * np.sqrt(pool[:, 0] + pool[:, 1])
    ratio = (pool[:, 0] - pool[:, 1]) / spread
    weights = 1 / (1 + ratio**2)
    return truth, pilot, pool[rng.choice(len(pool), 600, p=weights / weights.sum())]


def clear_at(
    times: float, truths: Any, pilot: Any, rng: np.random.Generator, n: int | None = None
) -> tuple[int, float]:
    """Return a number of instances, and how often the decision is clear if they are labelled."""
    size = int(pilot.sum())
    total = int(size * times)
    new = pilot + rng.multinomial(total - size, truths, n)
    return total, is_clear(new[:, 0], new[:, 1], total).mean()


def approximated(pair: Pair, size: int, seed: int) -> dict[str, float] | None:
    """Plan from one pilot, with normal posteriors; None if it is clear already."""
    rng = np.random.default_rng(seed)
    found = unclear(pair, size, rng)
    if found is None:
        return None
    truth, pilot, truths = found
    for times in np.geomspace(1.02, LARGEST, 60):
        total, said = clear_at(times, truths, pilot, rng)
        reached = said >= ASSURANCE
        if reached:
            break
    _, clear = clear_at(times, truth, pilot, rng, 200)
    return {"size": size, "times": total / size, "never": not reached, "clear": clear}


def said_and_clear(pair: Pair, n_pilots: int) -> tuple[Any, Any]:
    """Return what pilots say of `SAID_OF` times their size on average, and how often it is so."""
    rng = np.random.default_rng(0)
    said: list[list[float]] = []
    clear: list[list[float]] = []
    while len(said) < n_pilots:
        if (found := unclear(pair, 300, rng)) is not None:
            truth, pilot, truths = found
            said.append([clear_at(times, truths, pilot, rng)[1] for times in SAID_OF])
            clear.append([clear_at(times, truth, pilot, rng, 200)[1] for times in SAID_OF])
    return np.mean(said, axis=0), np.mean(clear, axis=0)


def by_package(pair: Pair, size: int, seed: int) -> dict[str, float] | None:
    """Plan from one pilot; None if it is clear already, or has one class only."""
    rng = np.random.default_rng(seed)
    truth = populations_of(joint_table(pair, rng))
    (population,) = truth
    rows = np.repeat(np.arange(8), rng.multinomial(size, population.probability))
    y, (a, b) = population.truth[rows], population.predictions[rows].T
    if len(np.unique(y)) < 2:
        return None
    pilot = compare_predictions(y, a, b, labels=[0, 1], random_state=seed)
    if pilot.decision(ROPE).code in SETTLED:
        return None
    plan = pilot.required_sample_size(ROPE, assurance=ASSURANCE, n_replications=100)
    question = Question(
        pilot._posterior.exact("").model, get_metric("accuracy"), plan.decision.rope, 0.95
    )
    codes = simulated_decisions(
        truth,
        ConfusionCounts(np.zeros((2, 2)), (0, 1)),
        [question],
        [plan.largest if plan.n_more is None else plan.n_more],
        40,
        np.random.SeedSequence(seed),
        pilot.evidence,
    )
    total = plan.largest if plan.n_total is None else plan.n_total
    return {
        "size": size,
        "times": total / size,
        "never": plan.n_total is None,
        "clear": float(np.isin(codes, SETTLED).mean()),
    }


def main() -> None:
    """Print one row per kind of pair."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pilots", type=int, default=300, help="unclear pilots per kind of pair")
    parser.add_argument("--scale", type=float, default=simulate.SCALE)
    parser.add_argument("--package", action="store_true", help="call required_sample_size")
    parser.add_argument("--pairs", nargs="+", default=list(PAIRS), choices=list(PAIRS))
    parser.add_argument("--said", action="store_true", help="of 2, 5 and 10 times the size")
    parser.add_argument("--csv")
    given = parser.parse_args()
    simulate.SCALE = given.scale
    if given.said:
        print(f"| pairs | said of {SAID_OF} times | clear |\n| --- | --- | --- |")
        for name in given.pairs:
            cells = (
                ", ".join(f"{x:.2f}" for x in xs)
                for xs in said_and_clear(PAIRS[name], given.pilots)
            )
            print("|", " | ".join([name, *cells]), "|", flush=True)
        return
    plan = by_package if given.package else approximated
    table = []
    for name, pair in ((name, PAIRS[name]) for name in given.pairs):
        found: list[dict[str, float]] = []
        seed = 0
        while len(found) < given.pilots:
            one = plan(pair, SIZES[len(found) % len(SIZES)], seed)
            found += [] if one is None else [one]
            seed += 1
        runs = pd.DataFrame(found)
        by_size = runs.groupby("size")["clear"].mean()
        row = {
            "pairs": name,
            "assurance": runs["clear"].mean(),
            "se": runs["clear"].std() / np.sqrt(len(runs)),
            **{f"pilot {size}": value for size, value in by_size.items()},
            "median size / pilot": runs["times"].median(),
            "never": runs["never"].mean(),
        }
        table.append(row)
        shown = {k: v if isinstance(v, str) else round(float(v), 3) for k, v in row.items()}
        print(shown, flush=True)
        if given.csv:
            pd.DataFrame(table).to_csv(given.csv, index=False)


if __name__ == "__main__":
    main()
