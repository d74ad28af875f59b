"""Coverage of the 95% HDI of the difference between two systems, from one score per item.

Each scenario draws data sets with a known true difference: right or wrong, grades, heavy-tailed
errors, one or several runs, items in groups.

    python benchmarks/items.py --data-sets 1000
"""

import argparse

import numpy as np
from scipy.special import expit

from skbayeseval import compare_items

DRAWS = 2000

# The number of items from which the true difference is computed.
MANY = 4_000_000


def right_or_wrong(rng, n, runs=1, ease=1.0):
    """Systems that find the same items easy, A a little better."""
    item = rng.normal(0, 1.5, (n, 1))
    own = 0.7 * rng.normal(size=(2, n, 1))
    chance = expit(ease + item + own + np.array([0.4, 0.0])[:, None, None])
    return (rng.random((2, n, runs)) < chance).astype(float)


def graded(rng, n, runs=1):
    """Grades from 1 to 5."""
    item = rng.normal(0, 0.8, (n, 1))
    own = 0.4 * rng.normal(size=(2, n, 1)) + np.array([0.9, 0.6])[:, None, None]
    return np.clip(np.round(3 + item + own + 0.6 * rng.normal(size=(2, n, runs))), 1, 5)


def shares(rng, n, runs=1):
    """Scores between 0 and 1, many of them near 1."""
    item = rng.normal(0, 1, (n, 1))
    own = np.array([1.2, 0.8])[:, None, None] + 0.7 * rng.normal(size=(2, n, runs))
    return expit(item + own)


def absolute_t3(rng, n, runs=1):
    """Absolute errors with three degrees of freedom, partly shared."""
    errors = rng.standard_t(3, (n, 1)) + rng.standard_t(3, (2, n, runs))
    return np.abs(errors * np.array([1.0, 1.1])[:, None, None])


def lognormal(rng, n, runs=1):
    """Lognormal errors, partly shared."""
    return np.exp(
        0.7 * rng.normal(size=(n, 1))
        + 0.7 * rng.normal(size=(2, n, runs))
        + np.array([0.0, 0.1])[:, None, None]
    )


def rare_failures(rng, n, runs=1):
    """Errors of which those of B are much larger now and then."""
    b = np.exp(1.5 * rng.normal(size=(n, runs)))
    return np.stack([np.ones((n, runs)), b])


def right_or_wrong_in_groups(rng, k, size=10, unequal=False):
    """Right or wrong in groups, some of which are harder, partly for both systems."""
    sizes = 1 + rng.geometric(1 / size, k) if unequal else np.full(k, size)
    group = np.repeat(np.arange(k), sizes)
    of_group = (rng.normal(0, 0.7, (1, k)) + rng.normal(0, 0.5, (2, k)))[:, group]
    item = rng.normal(0, 1, len(group))
    chance = expit(1.2 + of_group + item + np.array([0.3, 0.0])[:, None])
    return (rng.random(chance.shape) < chance).astype(float)[:, :, None], group


def graded_in_groups(rng, k, size=10):
    """Grades from 1 to 5, of items in groups."""
    group = np.repeat(np.arange(k), size)
    of_group = (rng.normal(0, 0.5, (1, k)) + rng.normal(0, 0.4, (2, k)))[:, group]
    noise = rng.normal(0, 0.8, (2, len(group)))
    scores = 3.5 + of_group + noise + np.array([0.3, 0.0])[:, None]
    return np.clip(np.round(scores), 1, 5)[:, :, None], group


def scenarios():
    """Yield names, functions that draw scores, sizes, their options and those of the comparison."""
    for n in (10, 30, 100, 1000):
        yield "right or wrong", right_or_wrong, n, {}, {}
    yield "right or wrong, nearly all right", right_or_wrong, 30, {"ease": 4.0}, {}
    for n in (10, 30, 100, 1000):
        yield "grades from 1 to 5", graded, n, {}, {}
    for n in (10, 100):
        yield "grades, limits given", graded, n, {}, {"prior": {"limits": (1, 5)}}
    for n in (10, 30, 100):
        yield "shares", shares, n, {}, {}
    for n in (10, 30, 100, 1000):
        yield "absolute errors, t3", absolute_t3, n, {}, {"higher_is_better": False}
    for n in (10, 30, 100, 1000):
        yield "lognormal errors", lognormal, n, {}, {"higher_is_better": False}
    for n in (10, 30, 100, 1000):
        yield "rare failures", rare_failures, n, {}, {"higher_is_better": False}
    for n in (10, 100):
        yield "right or wrong, 8 runs", right_or_wrong, n, {"runs": 8}, {}
        yield "grades, 8 runs", graded, n, {"runs": 8}, {}
    for k in (5, 10, 20, 100):
        yield "right or wrong in groups", right_or_wrong_in_groups, k, {}, {}
    for k in (5, 20):
        name = "right or wrong in unequal groups"
        yield name, right_or_wrong_in_groups, k, {"unequal": True}, {}
    for k in (5, 20, 100):
        yield "grades in groups", graded_in_groups, k, {}, {}


def difference(scores, higher_is_better=True):
    """Return the difference of the mean scores, positive if A is better."""
    a, b = scores.mean(axis=(1, 2))
    return (a - b) if higher_is_better else (b - a)


def drawn(draw, rng, n, options):
    """Return scores and groups, which most scenarios do not have."""
    found = draw(rng, n, **options)
    return found if isinstance(found, tuple) else (found, None)


def main():
    """Print the coverage of every scenario."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--data-sets", type=int, default=1000)
    parser.add_argument("--only", default="", help="run the scenarios whose name contains this")
    args = parser.parse_args()
    print("| scores | items or groups | true difference | coverage | mean width |", flush=True)
    print("| --- | --- | --- | --- | --- |", flush=True)
    for name, draw, n, options, arguments in scenarios():
        if args.only not in name:
            continue
        higher = arguments.get("higher_is_better", True)
        runs = options.get("runs", 1)
        many = MANY // (10 if "groups" in name else runs)
        truth = difference(drawn(draw, np.random.default_rng(1), many, options)[0], higher)
        rng, covered, width = np.random.default_rng(n), 0, 0.0
        for i in range(args.data_sets):
            (a, b), groups = drawn(draw, rng, n, options)
            low, high = compare_items(
                a, b, groups=groups, n_draws=DRAWS, random_state=i, **arguments
            ).hdi()
            covered += low <= truth <= high
            width += (high - low) / args.data_sets
        share = covered / args.data_sets
        print(f"| {name} | {n:,} | {truth:.3f} | {share:.3f} | {width:.3f} |", flush=True)


if __name__ == "__main__":
    main()
