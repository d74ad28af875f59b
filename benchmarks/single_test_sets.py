"""Coverage and width of 95% HDIs of a difference in accuracy, on single test sets.

Two classifiers disagree on a share q of the instances and differ in accuracy by d. Half of the
instances are positive, and 5% are wrong by both. Widths are relative to the ideal width, that of
the normal interval if q and d were known, 2 * 1.96 * sqrt((q - d^2) / n). Compared are the default
prior and the published one, of predicted classes and of items that are right or wrong.

    python benchmarks/single_test_sets.py --sets 500
"""

import argparse

import numpy as np

from skbayeseval import compare_items, compare_predictions
from skbayeseval.models import Paired, RightOrWrong

SIZES, DISAGREEMENTS, SHARES = (100, 300, 1000), (0.02, 0.05, 0.1), (0.0, 0.5, 1.0)
BOTH_WRONG = 0.05


def of_classes(right_a, right_b, rng, **options):
    """Return the interval of a comparison of predicted classes."""
    y = rng.permutation(np.arange(len(right_a)) % 2)
    return compare_predictions(y, y ^ ~right_a, y ^ ~right_b, **options).hdi()


def of_items(right_a, right_b, rng, **options):
    """Return the interval of a comparison of items that are right or wrong."""
    return compare_items(right_a.astype(int), right_b.astype(int), **options).hdi()


KINDS = {"classes": (of_classes, Paired()), "items": (of_items, RightOrWrong())}


def study(n, q, d, compare, model, n_sets, n_draws):
    """Return coverage, and mean width relative to the ideal one."""
    rng = np.random.default_rng(n)
    p = np.array([(q + d) / 2, (q - d) / 2, BOTH_WRONG, 1 - q - BOTH_WRONG])
    found = []
    for seed in range(n_sets):
        outcome = rng.choice(4, n, p=p)  # only A is right, only B, none, both
        right_a, right_b = np.isin(outcome, (0, 3)), np.isin(outcome, (1, 3))
        options = {"model": model, "n_draws": n_draws, "random_state": seed}
        found.append(compare(right_a, right_b, rng, **options))
    low, high = np.array(found).T
    ideal = 2 * 1.96 * np.sqrt((q - d**2) / n)
    return ((low <= d) & (d <= high)).mean(), (high - low).mean() / ideal


def main():
    """Print one row per kind of evidence, size and disagreement."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", type=int, default=500, help="data sets per cell")
    parser.add_argument("--draws", type=int, default=2000)
    parser.add_argument("--kinds", nargs="+", default=list(KINDS), choices=list(KINDS))
    given = parser.parse_args()
    print("Coverage (width / ideal width) for a difference of 0, half and all of the disagreement")
    print("| evidence | n | disagreement | default: 0 | half | all | published: 0 | half | all |")
    print("| --- " * 9 + "|")
    for kind in given.kinds:
        compare, published = KINDS[kind]
        for n in SIZES:
            for q in DISAGREEMENTS:
                cells = [
                    study(n, q, share * q, compare, model, given.sets, given.draws)
                    for model in ("auto", published)
                    for share in SHARES
                ]
                shown = " | ".join(f"{covers:.3f} ({width:.2f})" for covers, width in cells)
                print(f"| {kind} | {n} | {q:.0%} | {shown} |", flush=True)


if __name__ == "__main__":
    main()
