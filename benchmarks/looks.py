"""How often one is wrong who looks again and again.

Two classifiers are equally accurate and disagree on 10% of the instances. The test set grows to
3,000 instances, and the decision is looked at after every 100, or once at the end. The decisions
are those of `compare_predictions`, made by the simulation that `power_analysis` uses. The first
table has how often they are called significantly different.

A gate is asked after every 100 of 1,000 items, whether A is not worse than B by more than the
margin; A is worse by exactly the margin. The second table has how often it is passed, by
`compare_items` of right and wrong answers: if it is asked once, at the end, and at some of ten
looks. The columns "normal" have the latter for many more test sets, with a normal approximation of
the posterior, and with Pocock's constant for ten equally spaced looks beside it.

The third table has such gates with a planned total, asked at 5, 20 or 50 equally spaced looks: how
often A passes that is worse by the margin, and how often if both are equal; once at the end, and
with `planned=`; and then how large a share of the plan was used on average. It is by the package,
except where a normal approximation is farther than 0.5 from the boundary and ten items or more tell
A from B. The last table has how many times as many items have to be planned as for one look, if 80%
of equal systems are to pass, and how many of them are used, from 100,000 simulated Brownian
motions. They were, with 2,000 sequences each:

    planned margin looks | worse: once  planned= | equal: once  planned= | used
        500   0.05     5 |        5.8%      3.5% |       79.5%     71.5% |  84%
        500   0.05    20 |        5.8%      4.2% |       79.5%     73.7% |  78%
        500   0.05    50 |        5.8%      4.7% |       79.5%     75.0% |  76%
      1,500   0.02     5 |        5.8%      3.1% |       77.3%     69.5% |  85%
      1,500   0.02    20 |        5.8%      3.6% |       77.3%     71.0% |  80%
      1,500   0.02    50 |        5.8%      4.2% |       77.3%     72.2% |  78%
      3,000   0.01     5 |        5.0%      3.3% |       76.7%     68.7% |  85%
      3,000   0.01    20 |        5.0%      3.7% |       76.7%     70.5% |  79%
      3,000   0.01    50 |        5.0%      4.0% |       76.7%     71.6% |  77%

    looks | planned | used
        5 |    1.23 | 0.97
       20 |    1.17 | 0.86
       50 |    1.14 | 0.82

    python benchmarks/looks.py
"""

from functools import cache

import numpy as np
from scipy.optimize import brentq
from scipy.stats import norm

from skbayeseval import compare_items
from skbayeseval.evidence import ConfusionCounts
from skbayeseval.judgement import Interval
from skbayeseval.judgement.distribution import Plan
from skbayeseval.metrics import get_metric
from skbayeseval.models import Paired
from skbayeseval.planning.simulate import Question, populations_of, simulated_decisions

SIZES = range(100, 3001, 100)
ROPES = (0.0, 0.01)
N_REPLICATIONS = 500


# The margin of the gate, and the share of items on which the two systems disagree.
GATES = ((0.01, 0.05), (0.02, 0.1), (0.02, 0.3), (0.05, 0.2))
N_LOOKS, N_BETWEEN = 10, 100
N_GATES, N_NORMAL = 1000, 200_000

# Planned totals of gates, and the looks at them, in hundredths.
PLANS = ((0.05, 0.2, 500), (0.02, 0.1, 1500), (0.01, 0.05, 3000))
STEPS = {5: 20, 20: 5, 50: 2}
N_SEQUENCES, N_MOTIONS = 2000, 100_000

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
    titles = "margin", "disagreeing", "one look", "10 looks", "10 looks, normal", "Pocock, normal"
    print(f"| {' | '.join(titles)} |\n|{' --- |' * len(titles)}")
    for margin, disagreeing in GATES:
        rng = np.random.default_rng([round(1000 * margin), round(1000 * disagreeing)])
        found = by_the_package(only_one_right(margin, disagreeing, N_GATES, rng), margin)
        normal = by_normal_posteriors(margin, disagreeing, rng)
        shares = [found[:, -1] >= 0.95, (found >= 0.95).any(axis=1)]
        shares += [(normal >= p).any(axis=1) for p in (0.95, POCOCK)]
        cells = [f"{share.mean():.1%}" for share in shares]
        print(f"| {margin} | {disagreeing} |", " | ".join(cells), "|", flush=True)


@cache
def compared(n, worse, better):
    """Return the result of n items, of which A or B alone has some wrong."""
    right = np.ones((2, n))
    right[0, :worse] = right[1, worse : worse + better] = 0
    return compare_items(*right, n_draws=4000, random_state=0)


def first_passes(counts, sizes, margin, scores, **looking):
    """Return the share of sequences that pass, and of the plan that is used, by the package."""
    worse, better = counts
    mean = (better - worse) / sizes
    sd = np.sqrt(((worse + better + 1) / sizes - mean**2) / sizes)
    above = (mean + margin) / sd - scores
    passed = above > 0
    for i, k in np.argwhere((abs(above) < 0.5) | (worse + better < 10)):
        result = compared(int(sizes[k]), int(worse[i, k]), int(better[i, k]))
        passed[i, k] = result.non_inferiority(margin, **looking).answer == "yes"
    some = passed.any(axis=1)
    used = np.where(some, sizes[passed.argmax(axis=1)], sizes[-1]) / sizes[-1]
    return some.mean(), used.mean()


def plans():
    """Print one row per plan and number of looks."""
    rules = ("one look", "planned=")
    titles = (
        "planned",
        "margin",
        "looks",
        *(f"{of}, {r}" for of in ("worse", "equal") for r in rules),
    )
    print(f"| {' | '.join(titles)} | used |\n|{' --- |' * (len(titles) + 1)}")
    for margin, disagreeing, planned in PLANS:
        rng = np.random.default_rng(planned)
        steps = []
        for loss in (margin, 0.0):
            shares = [(disagreeing + loss) / 2, (disagreeing - loss) / 2, 1 - disagreeing]
            drawn = rng.multinomial(planned // 100, shares, (N_SEQUENCES, 100))
            steps.append(np.moveaxis(drawn[:, :, :2], 2, 0).cumsum(axis=2))
        for n_looks, step in STEPS.items():
            sizes = planned * np.arange(step, 101, step) // 100
            boundary = np.array([Plan(n, planned).score_required(0.95) for n in sizes])
            cells = []
            for counts in steps:
                at_looks = counts[:, :, step - 1 :: step]
                cells += [
                    first_passes(at_looks[:, :, -1:], sizes[-1:], margin, norm.ppf(0.95)),
                    first_passes(at_looks, sizes, margin, boundary, planned=planned),
                ]
            shown = [f"{passed:.1%}" for passed, _ in cells] + [f"{cells[-1][1]:.0%}"]
            print(f"| {planned:,} | {margin} | {n_looks} |", " | ".join(shown), "|", flush=True)


def planned_sizes():
    """Print how many times as many items have to be planned as for one look, and are used."""
    print("| looks | planned | used |")
    print("| --- | --- | --- |")
    once, bound = norm.ppf(0.95) + norm.ppf(0.8), Plan(1, 1).score_required(0.95)
    for n_looks in STEPS:
        share = np.arange(1, n_looks + 1) / n_looks
        steps = np.random.default_rng(0).normal(size=(N_MOTIONS, n_looks)) / np.sqrt(n_looks)
        motion = steps.cumsum(axis=1)

        def passed(drift, motion=motion, share=share):
            return motion + drift * share >= bound

        found = brentq(
            lambda drift, passed=passed: passed(drift).any(axis=1).mean() - 0.8, 2, 6, xtol=1e-3
        )
        now = passed(found)
        used = np.where(now.any(axis=1), share[now.argmax(axis=1)], 1.0).mean()
        planned = (found / once) ** 2
        print(f"| {n_looks} | {planned:.2f} | {planned * used:.2f} |")


def main():
    """Print one row per ROPE, and one per gate."""
    right = np.array([[0.05, 0.05], [0.05, 0.85]])  # of A and of B: wrong or right
    truth = populations_of(np.stack([0.5 * right[::-1, ::-1], 0.5 * right]))
    model = Paired(**Paired.default_prior)
    questions = [
        Question(model, get_metric("accuracy"), Interval(-rope, rope), 0.95) for rope in ROPES
    ]
    codes = simulated_decisions(
        truth,
        ConfusionCounts(np.zeros((2, 2)), (0, 1)),
        questions,
        SIZES,
        N_REPLICATIONS,
        np.random.SeedSequence(0),
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
    for table in (gates, plans, planned_sizes):
        print()
        table()


if __name__ == "__main__":
    main()
