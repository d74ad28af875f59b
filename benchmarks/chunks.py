"""How often 95% intervals of two taggers contain the truth, with and without sentences as groups.

    python benchmarks/chunks.py --data-sets 400        # minutes

Sentences have a difficulty that all of their chunks share, for both taggers and for each alone. The
truth is the difference in F1 on 40,000 other sentences.
"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np

from skbayeseval import ComparisonResult, chunk_counter, compare_predictions

PIECES = (["O"], ["O"], ["B-PER", "I-PER"], ["B-ORG"])
ABILITIES = (2.2, 2.05)


def tagged(rng: np.random.Generator, n: int) -> list[list[list[str]]]:
    """Return the tags of n sentences: gold, and those of both taggers."""
    corpus: list[list[list[str]]] = [[], [], []]
    for _ in range(n):
        hard = rng.normal() + rng.normal(size=2)
        gold = [tag for piece in rng.integers(0, 4, rng.integers(2, 12)) for tag in PIECES[piece]]
        corpus[0].append(gold)
        for said, ability, own in zip(corpus[1:], ABILITIES, hard, strict=True):
            missed = 1 / (1 + np.exp(ability - 0.8 * own))
            said.append(["O" if rng.random() < missed else tag for tag in gold])
    return corpus


def compare(corpus: list[list[list[str]]], **options: Any) -> ComparisonResult:
    """Compare the two taggers."""
    return compare_predictions(*corpus, counter=chunk_counter("IOB2"), **options)


def main() -> None:
    """Print coverage and mean width for each number of sentences."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data-sets", type=int, default=400)
    n_data_sets = parser.parse_args().data_sets
    large = compare(tagged(np.random.default_rng(99), 40_000), n_draws=100, random_state=0)
    truth = large.observed_a - large.observed_b
    print(f"true difference {truth:.4f}\nsentences  groups   coverage  width")
    for n in (30, 100, 300):
        for name, groups in (("none", None), ("each", np.arange(n))):
            hits, widths = [], []
            for seed in range(n_data_sets):
                corpus = tagged(np.random.default_rng([n, seed]), n)
                result = compare(corpus, groups=groups, n_draws=2000, random_state=seed)
                low, high = result.hdi()
                hits.append(low <= truth <= high)
                widths.append(high - low)
            print(f"{n:9}  {name:7}  {np.mean(hits):.3f}     {np.mean(widths):.4f}", flush=True)


if __name__ == "__main__":
    main()
