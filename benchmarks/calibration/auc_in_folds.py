"""Coverage of the interval of ROC AUC in small folds, with weighted and plain averages of folds.

Two equally good score functions are applied to 200 instances in stratified folds, so the true
difference of their AUCs is 0. A plain average over folds hides how much the folds differ.

    python benchmarks/calibration/auc_in_folds.py
"""

import numpy as np

from skbayeseval.metrics import get_metric
from skbayeseval.metrics.instance_scores import prepare
from skbayeseval.models.bootstrap import stream_bootstrap

SIZE, DATA_SETS, DRAWS = 200, 400, 1000


def dealt(rng, n_positive, n_folds):
    positive = np.array_split(rng.permutation(n_positive), n_folds)
    negative = np.array_split(n_positive + rng.permutation(SIZE - n_positive), n_folds)
    return [np.r_[pair] for pair in zip(positive, negative, strict=True)]


def study(n_positive, n_folds):
    rng = np.random.default_rng(n_positive)
    y = np.r_[np.ones(n_positive, int), np.zeros(SIZE - n_positive, int)]
    covered, sd, means = np.zeros(2), np.zeros(2), []
    for _ in range(DATA_SETS):
        scores = [y + rng.normal(size=SIZE) for _ in range(2)]
        runs = [
            (fold, [prepare(get_metric("roc_auc"), y[fold], s[fold]) for s in scores])
            for fold in dealt(rng, n_positive, n_folds)
        ]
        a, b = next(stream_bootstrap(runs, np.ones(SIZE), 2, rng, DRAWS))
        weights = rng.standard_gamma(1.0, (SIZE, DRAWS))
        plain = np.mean([m[0](weights[f]) - m[1](weights[f]) for f, m in runs], axis=0)
        for k, draws in enumerate((a - b, plain)):
            low, high = np.quantile(draws, [0.025, 0.975])
            covered[k] += (low < 0 < high) / DATA_SETS
            sd[k] += draws.std() / DATA_SETS
        means.append(plain.mean())
    return covered, sd, np.std(means)


def main():
    print("positives  folds  coverage (plain)   sd (plain)        true sd")
    for n_positive, n_folds in ((10, 10), (20, 10), (100, 5)):
        covered, sd, truth = study(n_positive, n_folds)
        print(
            f"{n_positive:9d}  {n_folds:5d}  {covered[0]:.3f} ({covered[1]:.3f})      "
            f"{sd[0]:.4f} ({sd[1]:.4f})   {truth:.4f}"
        )


if __name__ == "__main__":
    main()
