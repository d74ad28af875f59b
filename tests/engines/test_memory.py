import tracemalloc

import numpy as np
import pytest

from skbayeseval import compare_predictions


@pytest.mark.slow
@pytest.mark.parametrize(
    ("n_classes", "n_instances", "n_draws", "most"),
    [(100, 10_000, 10_000, 200e6), (1000, 50_000, 500, 1e9)],
)
def test_draws_stream_in_blocks(n_classes, n_instances, n_draws, most):
    # Peak memory does not depend on the number of draws beyond the draws of the metric.
    rng = np.random.default_rng(0)
    y = rng.integers(0, n_classes, n_instances)
    a, b = (
        np.where(rng.random(n_instances) < p, y, rng.integers(0, n_classes, n_instances))
        for p in (0.8, 0.75)
    )
    tracemalloc.start()
    result = compare_predictions(y, a, b, scoring="f1_macro", n_draws=n_draws, random_state=0)
    assert result.draws.shape == (n_draws,)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < most


@pytest.mark.slow
def test_weights_of_instances_stream_in_blocks():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 20_000)
    a, b = (y + rng.normal(size=20_000) * s for s in (1, 1.5))
    tracemalloc.start()
    result = compare_predictions(
        y, None, None, y_score_a=a, y_score_b=b, scoring="roc_auc", n_draws=4000, random_state=0
    )
    assert result.draws.shape == (4000,)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 200e6
