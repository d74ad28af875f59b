"""Run time of the Bayesian bootstrap of ROC AUC, compared with one scikit-learn call per draw.

python benchmarks/bootstrap.py
"""

import time

import numpy as np
from sklearn.metrics import roc_auc_score

from skbayeseval import compare_predictions

SIZE, DRAWS = 20_000, 4_000


def seconds(run):
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


def main():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, SIZE)
    a, b = (y + rng.normal(size=SIZE) * s for s in (1.0, 1.5))
    for metric in ("roc_auc", "average_precision"):
        ours = seconds(
            lambda m=metric: (
                compare_predictions(
                    y,
                    None,
                    None,
                    y_score_a=a,
                    y_score_b=b,
                    scoring=m,
                    n_draws=DRAWS,
                    random_state=0,
                ).draws
            )
        )
        weights = rng.standard_gamma(1.0, SIZE)
        one = seconds(
            lambda w=weights: [roc_auc_score(y, s, sample_weight=w) for s in (a, b) for _ in "123"]
        )
        loop = one / 3 * DRAWS
        print(
            f"{metric}, {SIZE:,} instances, {DRAWS:,} draws: {ours:.1f} s; a loop over "
            f"roc_auc_score {loop:.0f} s, {loop / ours:.0f} times as long"
        )


if __name__ == "__main__":
    main()
