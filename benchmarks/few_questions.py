"""Coverage of 95% intervals on few questions, in the designs of Bowyer et al. (2025).

The truth is drawn anew for each data set. One system that is right or wrong on independent
questions; two on the same questions; one, and two, on questions in clusters of five. Beside ours
stand the usual intervals, mean +- 1.96 standard errors, over clusters where there are any. The
designs are in sections 3.1, 3.2 and 3.4 of "Position: Don't use the CLT in LLM evals with fewer
than a few hundred datapoints"; two systems in clusters are both at once.

    python benchmarks/few_questions.py --data-sets 2000
"""

import argparse

import numpy as np
from scipy.special import ndtri

from skbayeseval import compare_items

DRAWS = 4000
PER_CLUSTER = 5


def same_questions(rng, chances, n):
    """Return whether A and B are right on n questions, with an unknown correlation."""
    correlation = rng.uniform(-1, 1)
    z = rng.multivariate_normal([0, 0], [[1, correlation], [correlation, 1]], n).T
    return (z < ndtri(chances)[:, None]).astype(float)


def in_clusters(rng, chances, n):
    """Return whether A and B are right on n clusters of questions, which are alike to a degree."""
    alike = np.maximum(rng.gamma(1.0, 1.0), 1e-3)
    of_cluster = rng.beta(alike * chances[:, None], alike * (1 - chances[:, None]), (2, n))
    return (rng.random((2, n * PER_CLUSTER)) < np.repeat(of_cluster, PER_CLUSTER, axis=1)) * 1.0


def normal_interval(values, groups):
    """Return mean +- 1.96 standard errors; over clusters if there are groups."""
    deviations = values - values.mean()
    if groups is not None:
        deviations = np.bincount(groups, deviations)
    half = 1.96 * np.sqrt((deviations**2).sum()) / len(values)
    return values.mean() - half, values.mean() + half


def coverage(draw, n, groups, n_data_sets):
    """Return coverage and mean width, ours and the usual ones, of A's score and the difference."""
    found = np.zeros((2, 2, 2))
    rng = np.random.default_rng(n)
    for seed in range(n_data_sets):
        chances = rng.uniform(size=2)
        a, b = draw(rng, chances, n)
        result = compare_items(a, b, groups=groups, n_draws=DRAWS, random_state=seed)
        questions = [("a", a, chances[0]), ("difference", a - b, chances[0] - chances[1])]
        for k, (of, values, truth) in enumerate(questions):
            for j, (low, high) in enumerate([result.hdi(of=of), normal_interval(values, groups)]):
                found[k, j] += low <= truth <= high, high - low
    return found / n_data_sets


def main():
    """Print the coverage in each design."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--data-sets", type=int, default=2000)
    n_data_sets = parser.parse_args().data_sets
    print("| design | questions | ours | width | 1.96 standard errors | width |")
    print("| --- | ---: | ---: | ---: | ---: | ---: |", flush=True)
    designs = [("one by one", same_questions, n, None) for n in (10, 30, 100)]
    designs += [
        (f"{n} clusters", in_clusters, n, np.repeat(np.arange(n), PER_CLUSTER))
        for n in (2, 6, 20, 60)
    ]
    for name, draw, n, groups in designs:
        found = coverage(draw, n, groups, n_data_sets)
        for of, (ours, usual) in zip(("one system", "two systems"), found, strict=True):
            size = n if groups is None else len(groups)
            print(
                f"| {of}, {name} | {size} | {ours[0]:.3f} | {ours[1]:.2f} | {usual[0]:.3f} "
                f"| {usual[1]:.2f} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
