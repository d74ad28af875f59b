"""Coverage and bias of pass@k and pass^k from several runs per item, where the truth is known.

Compared are `compare_items` and what else could be done with the same runs: the power of the share
of successes, and a Beta posterior of each item, both with random weights of items.

    python benchmarks/attempts.py --data-sets 1000
"""

import argparse

import numpy as np

from skbayeseval import compare_items, hdi

DRAWS = 1000

# The number of items from which the truth is computed.
MANY = 2_000_000


def moderate(rng, n):
    """Items of all difficulties, on which A does a little better."""
    item = rng.normal(0, 1.2, n)
    return 1 / (1 + np.exp(-item - 0.6 * rng.normal(size=(2, n)) - [[0.4], [0.0]]))


def solved_or_hopeless(rng, n):
    """Two thirds of the items always or never succeed."""
    ease, own = rng.random(n), rng.random((2, n))
    between = np.clip(ease + np.array([[0.05], [0.0]]), 0, 1)
    return np.where(between < 0.4, 0.0, np.where(between > 0.7, 1.0, own))


def hard(rng, n):
    """Most items hardly ever succeed."""
    item = rng.beta(0.3, 3, n)
    return np.clip(item * rng.uniform(0.4, 1.6, (2, n)) * [[1.2], [1.0]], 0, 1)


def powered(p, k, every):
    """Return pass^k or pass@k of probabilities."""
    return p**k if every else 1 - (1 - p) ** k


def others(runs, k, every, rng):
    """Yield names and draws of the scores of both systems by other ways, of shape (2, DRAWS)."""
    weights = rng.standard_exponential((DRAWS, runs.shape[1]))
    weights /= weights.sum(axis=1, keepdims=True)
    hits, n = runs.sum(axis=2), runs.shape[2]
    yield "power of the share", powered(hits / n, k, every) @ weights.T
    for a in (1.0, 0.5):
        p = rng.beta(hits + a, n - hits + a, (DRAWS, *hits.shape))
        yield f"Beta({a:g}, {a:g})", np.einsum("dsi,di->sd", powered(p, k, every), weights)


def main():
    """Print the coverage of 95% HDIs, and the bias of A, of every scenario."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--data-sets", type=int, default=1000)
    parser.add_argument("--others", type=int, default=200, help="data sets for the other ways")
    parser.add_argument("--items", type=int, nargs="+", default=[30, 100, 300])
    args = parser.parse_args()
    print("| items are | metric | runs | items | way | coverage, A - B | of A | bias of A |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |", flush=True)
    for draw in (moderate, solved_or_hopeless, hard):
        population = draw(np.random.default_rng(1), MANY)
        for n_runs, ks in ((2, (1, 2)), (5, (2, 5)), (20, (5, 20))):
            for k in ks:
                for every in (False, True) if k > 1 else (False,):
                    truth = powered(population, k, every).mean(axis=1)
                    for n in args.items:
                        report(draw, n, n_runs, k, every, truth, args)


def report(draw, n, n_runs, k, every, truth, args):
    """Print a line per way."""
    name = f"pass{'^' if every else '@'}{k}"
    rng, seen = np.random.default_rng(n), {}
    for i in range(args.data_sets):
        runs = (rng.random((2, n, n_runs)) < draw(rng, n)[:, :, None]).astype(float)
        result = compare_items(*runs, scoring=name, n_draws=DRAWS, random_state=i)
        intervals = result.hdi(), result.hdi(of="a"), result.observed_a
        seen.setdefault("compare_items", []).append(intervals)
        for way, (a, b) in others(runs, k, every, rng) if i < args.others and n <= 100 else ():
            seen.setdefault(way, []).append((hdi(a - b), hdi(a), a.mean()))
    for way, found in seen.items():
        both, of_a = (
            np.mean([low <= true <= high for low, high in intervals])
            for intervals, true in zip(
                list(zip(*found, strict=True))[:2], (truth[0] - truth[1], truth[0]), strict=True
            )
        )
        bias = np.mean([estimate for *_, estimate in found]) - truth[0]
        print(
            f"| {draw.__name__} | {name} | {n_runs} | {n} | {way} | {both:.3f} | {of_a:.3f} | "
            f"{bias:+.3f} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
