"""How often one is wrong who looks again and again.

Two classifiers are equally accurate and disagree on 10% of the instances. The test set grows to
3,000 instances, and the decision is looked at after every 100, or once at the end. The decisions
are those of `compare_predictions`, made by the simulation that `power_analysis` uses. The first
table has how often they are called significantly different.

A gate is asked after every 100 of 1,000 items, whether A is not worse than B by more than the
margin; A is worse by exactly the margin. The second table has how often it is passed, by
`compare_items` of right and wrong answers: if it is asked once, at the end; at some of ten looks,
with the probability that one look requires; and with that of `looks=10`. The columns "normal" have
the same for many more test sets, with a normal approximation of the posterior, and Pocock's
constant for ten equally spaced looks beside it.

    python benchmarks/looks.py
"""

import numpy as np
from scipy.stats import norm

from skbayeseval import compare_items
from skbayeseval.judgement import Interval
from skbayeseval.judgement.distribution import probability_per_look
from skbayeseval.metrics import get_metric
from skbayeseval.models import resolve_model
from skbayeseval.planning.simulate import Question, Setting, simulated_decisions
from skbayeseval.planning.truths import populations_of

SIZES = range(100, 3001, 100)
ROPES = (0.0, 0.01)
N_REPLICATIONS = 500


# The margin of the gate, and the share of items on which the two systems disagree.
GATES = ((0.01, 0.05), (0.02, 0.1), (0.02, 0.3), (0.05, 0.2))
N_LOOKS, N_BETWEEN = 10, 100
N_GATES, N_NORMAL = 1000, 200_000

# Pocock (1977): at ten looks, a one-sided 5%.
POCOCK = norm.cdf(2.270)


def only_one_right(margin, disagreeing, number, rng):
    """Return A minus B of each item, where A is worse by the margin; a row per test set."""
    chances = [(disagreeing + margin) / 2, 1 - disagreeing, (disagreeing - margin) / 2]
    return rng.choice([-1, 0, 1], p=chances, size=(number, N_LOOKS * N_BETWEEN))


def by_the_package(differences, margin):
    """Return the probability of being not worse at each look, for each test set."""
    sizes = N_BETWEEN * np.arange(1, N_LOOKS + 1)
    return np.array(
        [
            [
                compare_items(row[:n] >= 0, row[:n] <= 0, n_draws=4000, random_state=0)
                .non_inferiority(margin)
                .probability
                for n in sizes
            ]
            for row in differences
        ]
    )


def by_normal_posteriors(margin, disagreeing, rng):
    """Return the same for many test sets, from counts and a normal approximation."""
    worse, better = (disagreeing + margin) / 2, (disagreeing - margin) / 2
    first = rng.binomial(N_BETWEEN, worse, (N_NORMAL, N_LOOKS))
    second = rng.binomial(N_BETWEEN - first, better / (1 - worse))
    first, second = first.cumsum(axis=1), second.cumsum(axis=1)
    n = N_BETWEEN * np.arange(1, N_LOOKS + 1)
    mean = (second - first) / n
    variance = np.maximum(((first + second) / n - mean**2) / n, 1e-12)
    return norm.cdf((mean + margin) / np.sqrt(variance))


def gates():
    """Print one row per gate."""
    required = probability_per_look(0.95, N_LOOKS)
    titles = "margin", "disagreeing", "one look", "10 looks", "looks=10"
    titles += "10 looks, normal", "looks=10, normal", "Pocock, normal"
    print(f"| {' | '.join(titles)} |\n|{' --- |' * len(titles)}")
    for margin, disagreeing in GATES:
        rng = np.random.default_rng([round(1000 * margin), round(1000 * disagreeing)])
        found = by_the_package(only_one_right(margin, disagreeing, N_GATES, rng), margin)
        normal = by_normal_posteriors(margin, disagreeing, rng)
        shares = [
            found[:, -1] >= 0.95,
            (found >= 0.95).any(axis=1),
            (found >= required).any(axis=1),
        ]
        shares += [(normal >= p).any(axis=1) for p in (0.95, required, POCOCK)]
        cells = [f"{share.mean():.1%}" for share in shares]
        print(f"| {margin} | {disagreeing} |", " | ".join(cells), "|", flush=True)


def main():
    """Print one row per ROPE, and one per gate."""
    right = np.array([[0.05, 0.05], [0.05, 0.85]])  # of A and of B: wrong or right
    truth = populations_of(np.stack([0.5 * right[::-1, ::-1], 0.5 * right]))
    model = resolve_model("paired", None, paired=True, n_classes=2)
    questions = [
        Question(model, get_metric("accuracy"), Interval(-rope, rope), 0.95) for rope in ROPES
    ]
    codes = simulated_decisions(
        truth, Setting((0, 1), 1), questions, SIZES, N_REPLICATIONS, np.random.SeedSequence(0)
    )
    different = np.isin(codes, ("<<", ">>"))
    # Whoever stops at the first settled decision does not see later ones.
    settled = different | (codes == "~")
    first = np.take_along_axis(different, settled.argmax(axis=1)[:, None], axis=1)[:, 0]
    print("| ROPE | one look at 3,000 | 30 looks, some | 30 looks, stopping |")
    print("| --- | --- | --- | --- |")
    for i, rope in enumerate(ROPES):
        shares = (different[:, -1, i], different[:, :, i].any(axis=1), first[:, i])
        print(f"| {rope} |", " | ".join(f"{one.mean():.1%}" for one in shares), "|")
    print()
    gates()


if __name__ == "__main__":
    main()
