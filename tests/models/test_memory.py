import tracemalloc
from contextlib import contextmanager

import numpy as np
import pytest
from scipy import sparse

from skbayeseval import BlockRegularizedCV, compare_predictions
from skbayeseval.metrics import from_confusion

TRACE = from_confusion(lambda tables: np.trace(tables, axis1=-2, axis2=-1), "own")


@contextmanager
def at_most(n_bytes):
    tracemalloc.start()
    try:
        yield
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < n_bytes


def test_tables_by_group():
    rng = np.random.default_rng(0)
    y, other = rng.integers(0, 100, (2, 2000))
    a = np.where(rng.random(2000) < 0.8, y, other)
    groups = np.arange(2000) % 50
    result = compare_predictions(
        y, a, y, groups=groups, scoring=TRACE, n_draws=2000, random_state=0
    )
    with at_most(200e6):
        assert result.draws_a.mean() == pytest.approx(np.mean(a == y), abs=0.01)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("n_classes", "n_instances", "n_draws", "most"),
    [
        (1000, 50_000, 500, 1e9),
        (20_000, 50_000, 100, 0.5e9),  # a table takes 3.2 GB
    ],
)
def test_draws_stream_in_blocks(n_classes, n_instances, n_draws, most):
    # Peak memory does not depend on the number of draws beyond the draws of the metric.
    rng = np.random.default_rng(0)
    y = rng.integers(0, n_classes, n_instances)
    a, b = (
        np.where(rng.random(n_instances) < p, y, rng.integers(0, n_classes, n_instances))
        for p in (0.8, 0.75)
    )
    with at_most(most):
        result = compare_predictions(y, a, b, scoring="f1_macro", n_draws=n_draws, random_state=0)
        assert result.draws.shape == (n_draws,)
        str(result)


@pytest.mark.slow
@pytest.mark.parametrize("model", ["paired", "bcv"])
def test_sparse_indicators_stay_sparse(model):
    # A dense indicator takes 4 GB.
    rng = np.random.default_rng(0)
    n, n_labels = 100_000, 5000
    y = indicator(rng, n, n_labels, 5)
    a, b = ((y + indicator(rng, n, n_labels, k) > 0).astype(int) for k in (1, 2))
    with at_most(0.5e9):
        result = compare_predictions(
            y, a, b, scoring="f1_macro", model=model, n_draws=100, random_state=0
        )
        assert result.draws.shape == (100,)


@pytest.mark.slow
def test_blocks_of_groups_and_of_many_labels_are_balanced_without_dense_matrices():
    rng = np.random.default_rng(0)
    # Dense matrices of this size take 0.4 GB each.
    n, n_groups, n_classes = 50_000, 10_000, 1000
    y, groups = rng.integers(0, n_classes, n), rng.integers(0, n_groups, n)
    with at_most(0.1e9):
        splits = list(BlockRegularizedCV(random_state=0).split(np.zeros((n, 1)), y, groups))
    for train, test in splits:
        assert not np.isin(groups[train], groups[test]).any()
        assert abs(np.bincount(y[train]) - np.bincount(y[test])).max() < 10
    labels = indicator(rng, 10_000, 5000, 5)
    with at_most(0.1e9):
        splits = list(BlockRegularizedCV(random_state=0).split(np.zeros((10_000, 1)), labels))
    for train, test in splits:
        differences = labels[train].sum(axis=0) - labels[test].sum(axis=0)
        assert len(train) == len(test)
        assert abs(differences).max() < 10


def indicator(rng, n, n_labels, per_row):
    rows, columns = np.repeat(np.arange(n), per_row), rng.integers(0, n_labels, n * per_row)
    found = sparse.csr_matrix((np.ones(n * per_row), (rows, columns)), (n, n_labels))
    found.data[:] = 1
    return found
