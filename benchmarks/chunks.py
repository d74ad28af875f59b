"""How often 95% intervals of two taggers contain the truth, by sentence and chunk by chunk.

    python benchmarks/chunks.py --data-sets 400                       # minutes
    python benchmarks/chunks.py --data-sets 300 --conll eng.train     # minutes

Sentences have a difficulty that all of their chunks share, for both taggers and for each alone. The
truth is the difference in F1 on 40,000 other sentences. The sentence is the unit by default;
`models.PairedChunks` and ``model="bcv"`` take chunks for independent.

With CoNLL-2003, three taggers learn the most frequent tags from its first half, and 150 sentences
of the other half, drawn at random, are to tell the difference on all of it. The ideal width is 3.92
standard deviations of the observed difference.
"""

from __future__ import annotations

import argparse
from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import Any

import numpy as np

from skbayeseval import ComparisonResult, chunk_counter, compare_predictions
from skbayeseval.models import PairedChunks
from skbayeseval.sequences import convert_tags, read_conll

PIECES = (["O"], ["O"], ["B-PER", "I-PER"], ["B-ORG"])
ABILITIES = (2.2, 2.05)
MODELS = ("auto", PairedChunks(lambda_=0.5), "bcv")
N_DRAWN = 150


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


def keys(tagger: str, tokens: list[list[str]]) -> list[list[Any]]:
    """Return what a tagger looks up for each token, what it knows best first."""
    words = [token[0] for token in tokens]
    pairs = zip(words, ["", *words[:-1]], strict=True)
    shapes = [(token[1], token[0][0].isupper()) for token in tokens]
    of_each = {"words": (words,), "pairs": (pairs, words, shapes), "shapes": (words, shapes)}
    return [list(of_one) for of_one in zip(*of_each[tagger], strict=True)]


def said_by(tagger: str, tokens: list[Any], tags: list[list[str]]) -> list[list[str]]:
    """Return the tags of the second half of a corpus by a tagger that learned from the first."""
    half, seen = len(tokens) // 2, defaultdict(Counter)
    for sentence, gold in zip(tokens[:half], tags[:half], strict=True):
        for known, tag in zip(keys(tagger, sentence), gold, strict=True):
            for key in known:
                seen[key][tag] += 1
    best = {key: counts.most_common(1)[0][0] for key, counts in seen.items()}
    return [
        [next((best[key] for key in known if key in best), "O") for known in keys(tagger, sentence)]
        for sentence in tokens[half:]
    ]


def drawn_at_random(path: str, n_data_sets: int) -> Iterator[tuple[str, float, Any]]:
    """Yield for each pair of taggers a name, the truth, and data sets of sentences."""
    tokens, tags = read_conll(path)
    tags = convert_tags(tags, "IOB1", "IOB2")
    gold = tags[len(tags) // 2 :]
    for a, b in (("words", "pairs"), ("words", "shapes"), ("pairs", "shapes")):
        corpus = [gold, *(said_by(tagger, tokens, tags) for tagger in (a, b))]
        rng = np.random.default_rng(5)
        drawn = [rng.choice(len(gold), N_DRAWN, replace=False) for _ in range(n_data_sets)]
        samples = [[[of_one[i] for i in rows] for of_one in corpus] for rows in drawn]
        yield f"{a}, {b}", difference(corpus), samples


def simulated(n_data_sets: int) -> Iterator[tuple[str, float, Any]]:
    """Yield for each number of sentences a name, the truth, and data sets of sentences."""
    truth = difference(tagged(np.random.default_rng(99), 40_000))
    for n in (30, 100, 300):
        seeds = range(n_data_sets)
        yield f"{n}", truth, [tagged(np.random.default_rng([n, seed]), n) for seed in seeds]


def difference(corpus: list[list[list[str]]]) -> float:
    """Return the observed difference."""
    result = compare(corpus, n_draws=100, random_state=0)
    return float(result.observed_a - result.observed_b)


def main() -> None:
    """Print coverage, mean width, and width relative to the ideal one."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data-sets", type=int, default=400)
    parser.add_argument("--conll", help="the training part of CoNLL-2003")
    args = parser.parse_args()
    kinds = simulated(args.data_sets)
    if args.conll:
        kinds = drawn_at_random(args.conll, args.data_sets)
    print("sentences      truth    model         coverage  width   / ideal")
    for name, truth, samples in kinds:
        for model in MODELS:
            ends, observed = [], []
            for seed, corpus in enumerate(samples):
                result = compare(corpus, model=model, n_draws=2000, random_state=seed)
                ends.append(result.hdi())
                observed.append(result.observed_a - result.observed_b)
            low, high = np.transpose(ends)
            covered, width = np.mean((low <= truth) & (truth <= high)), np.mean(high - low)
            called = model if isinstance(model, str) else type(model).__name__
            numbers = f"{covered:.3f}     {width:.4f}  {width / (3.92 * np.std(observed)):.2f}"
            print(f"{name:13}  {truth:.4f}   {called:12}  {numbers}", flush=True)


if __name__ == "__main__":
    main()
