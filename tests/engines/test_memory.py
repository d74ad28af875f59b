import tracemalloc

import numpy as np
import pytest

from skbayeseval import compare_predictions
from skbayeseval.engines import outcomes, weights
from skbayeseval.evidence import PairedCounts, UnitCounts
from skbayeseval.models import Hierarchical, IndependentLabels, IndependentLabelsBCV, PairedMany

LIMIT = 2**16


@pytest.mark.parametrize("repeats", [1, 2, 8])
@pytest.mark.parametrize("model", [Hierarchical(), PairedMany()])
def test_blocks_of_outcomes_fit_in_the_limit(monkeypatch, model, repeats):
    monkeypatch.setattr(outcomes, "BLOCK_BYTES", LIMIT)
    y = np.arange(8) % 2
    evidence = PairedCounts.from_labels(y, {"a": y, "b": 1 - y, "c": y * 0})
    blocks = outcomes.stream_outcomes(
        model.specification(evidence),
        np.random.default_rng(0),
        200,
        prior=False,
        tables=False,
        repeats=repeats,
    )
    found = list(blocks)
    assert sum(totals.true.shape[1] for totals in found) == 200 * repeats
    sizes = [sum(part.nbytes for part in totals) for totals in found]
    assert len(set(sizes[:-1])) == 1
    assert LIMIT / 100 < sizes[0] < LIMIT


@pytest.mark.parametrize("n_classifiers", [1, 2, 5])
@pytest.mark.parametrize("n_labels", [2, 3])
@pytest.mark.parametrize("model", [IndependentLabels(), IndependentLabelsBCV()])
def test_blocks_of_labels_fit_in_the_limit(monkeypatch, model, n_classifiers, n_labels):
    monkeypatch.setattr(weights, "BLOCK_BYTES", LIMIT)
    y = (np.arange(12)[:, None] + np.arange(n_labels)) % 2
    evidence = UnitCounts.from_indicators(y, {str(k): y for k in range(n_classifiers)})
    blocks = list(
        weights.label_blocks(
            model.specification(evidence), np.random.default_rng(0), 2000, prior=False
        )
    )
    found = [sum(part.nbytes for part in block.values()) for block in blocks]
    shapes = {part.shape[:1] + part.shape[2:3] for block in blocks for part in block.values()}
    assert shapes == {(n_classifiers, n_labels)}
    assert sum(next(iter(block.values())).shape[1] for block in blocks) == 2000
    assert max(found) < LIMIT
    assert all(size > LIMIT / 4 for size in found[:-1])


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
