"""The Bayesian bootstrap of ROC AUC, against one call of scikit-learn per draw and classifier."""

from __future__ import annotations

import numpy as np
from sklearn.metrics import average_precision_score, roc_auc_score

from benchmarks.measuring import Bench, Row
from skbayeseval import compare_predictions

FUNCTIONS = {"roc_auc": roc_auc_score, "average_precision": average_precision_score}


def ranking_metric(bench: Bench, metric: str) -> Row:
    """Measure draws of the metrics of two classifiers; the loop is timed for one draw."""
    n, n_draws = bench.size(20_000, 100), bench.size(4000, 100)
    rng = np.random.default_rng(0)
    y = np.arange(n) % 2
    a, b = (y + rng.normal(0, noise, n) for noise in (1.0, 1.5))
    weights = rng.standard_exponential(n)
    function = FUNCTIONS[metric]

    def ours() -> object:
        scores = {"y_score_a": a, "y_score_b": b, "scoring": metric}
        return compare_predictions(y, None, None, **scores, n_draws=n_draws, random_state=0).draws

    def one_draw() -> object:
        return [function(y, scores, sample_weight=weights) for scores in (a, b)]

    return bench.ratio(
        f"{metric}, {n:,} instances, {n_draws:,} draws",
        f"{function.__name__} of scikit-learn in a loop over the draws (one draw, scaled)",
        ours,
        one_draw,
        times=n_draws,
        two_threads=True,
    )
