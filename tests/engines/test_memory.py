import tracemalloc
from contextlib import contextmanager
from functools import partial

import numpy as np
import pytest
from scipy import sparse

from skbayeseval import BlockRegularizedCV, compare_predictions
from skbayeseval.evidence import ConfusionCounts, PairedCounts, UnitCounts
from skbayeseval.metrics import from_confusion
from skbayeseval.models import (
    Hierarchical,
    IndependentLabels,
    IndependentLabelsBCV,
    PairedHierarchical,
    PairedMany,
    PairedRecalls,
    Recalls,
    outcomes,
    weights,
)
from skbayeseval.models.specification import metric_of_block
from tests.engines.cases import stream_outcomes

LIMIT = 2**16


@pytest.mark.parametrize("repeats", [1, 2, 8])
@pytest.mark.parametrize("model", [Hierarchical(), PairedMany()])
def test_blocks_of_outcomes_fit_in_the_limit(monkeypatch, model, repeats):
    monkeypatch.setattr(outcomes, "BLOCK_BYTES", LIMIT)
    y = np.arange(8) % 2
    evidence = PairedCounts.from_labels(y, {"a": y, "b": 1 - y, "c": y * 0})
    blocks = stream_outcomes(
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


@pytest.mark.parametrize("model", [PairedHierarchical(), PairedRecalls()])
def test_tables_are_drawn_one_classifier_at_a_time(model):
    rng = np.random.default_rng(0)
    n_classes, n_classifiers, n_draws = 100, 25, 16
    y = rng.integers(0, n_classes, 500)
    evidence = PairedCounts.from_labels(y, {str(k): np.roll(y, k) for k in range(n_classifiers)})
    specification = model.specification(evidence)
    recall = from_confusion(lambda t: np.trace(t, axis1=-2, axis2=-1), "own")
    of_block = partial(metric_of_block, recall, 1)
    with at_most(8 * n_classifiers * n_draws * n_classes**2 / 2):
        blocks = stream_outcomes(
            specification, rng, n_draws, prior=False, tables=True, of_block=of_block
        )
        (values,) = blocks
    assert values.shape == (n_classifiers, n_draws)


@pytest.mark.parametrize("model", [Hierarchical(), Recalls()])
def test_groups_are_drawn_one_after_another(model, monkeypatch):
    monkeypatch.setattr(outcomes, "BLOCK_BYTES", 2**22)
    rng = np.random.default_rng(0)
    y = rng.integers(0, 10, 300)
    wrong = [np.where(rng.random(300) < 0.8, y, rng.integers(0, 10, 300)) for _ in range(20)]
    evidence = tuple(ConfusionCounts.from_labels(y, one, labels=range(10)) for one in wrong)
    specification = model.specification(evidence)
    with at_most(2 * 2**22):
        blocks = stream_outcomes(
            specification,
            rng,
            1000,
            prior=False,
            tables=False,
            of_block=lambda block: block.true.shape[1],
        )
        sizes = list(blocks)
    assert sum(sizes) == 1000
    assert 100 < sizes[0] < 1000


@pytest.mark.parametrize("n_classifiers", [1, 2, 5])
@pytest.mark.parametrize("n_labels", [2, 3])
@pytest.mark.parametrize("model", [IndependentLabels(), IndependentLabelsBCV()])
def test_blocks_of_labels_fit_in_the_limit(monkeypatch, model, n_classifiers, n_labels):
    monkeypatch.setattr(weights, "BLOCK_BYTES", LIMIT)
    y = (np.arange(12)[:, None] + np.arange(n_labels)) % 2
    evidence = UnitCounts.from_indicators(y, {str(k): y for k in range(n_classifiers)})
    blocks = list(
        model.specification(evidence).stream_parameters(np.random.default_rng(0), 2000, prior=False)
    )
    found = [sum(part.nbytes for part in block.values()) for block in blocks]
    assert {part.shape[1] for block in blocks for part in block.values()} == {n_labels}
    assert {name.rpartition("_")[2] for name in blocks[0]} == set("ABCDE"[:n_classifiers])
    assert sum(len(next(iter(block.values()))) for block in blocks) == 2000
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


@contextmanager
def at_most(n_bytes):
    tracemalloc.start()
    try:
        yield
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < n_bytes


@pytest.mark.slow
def test_tables_of_many_classes_are_not_built():
    # A table of 20,000 classes takes 3.2 GB.
    rng = np.random.default_rng(0)
    n_classes, n = 20_000, 50_000
    y = rng.integers(0, n_classes, n)
    a, b = (np.where(rng.random(n) < p, y, rng.integers(0, n_classes, n)) for p in (0.8, 0.75))
    with at_most(0.5e9):
        result = compare_predictions(y, a, b, scoring="f1_macro", n_draws=100, random_state=0)
        assert result.draws.shape == (100,)
        str(result)


@pytest.mark.slow
@pytest.mark.parametrize("model", ["paired", "unpaired", "bcv"])
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


@pytest.mark.parametrize("repeats", [1, 3])
@pytest.mark.parametrize("n_classes", [2, 5, 30, 90])
def test_blocks_divide_round_numbers_of_draws(n_classes, repeats):
    y = np.arange(3 * n_classes) % n_classes
    evidence = PairedCounts.from_labels(y, {"a": y, "b": np.roll(y, 1)})
    specification = PairedHierarchical().specification(evidence)
    sampler = outcomes.row_sampler(specification.groups[0], False, 1e-6)
    blocks = stream_outcomes(
        specification,
        np.random.default_rng(0),
        5000,
        prior=False,
        tables=False,
        repeats=repeats,
        of_block=lambda block: block.true.shape[1],
    )
    size = next(blocks) // repeats
    assert size in outcomes.BLOCKS
    assert 5000 % size == 0
    needed = sampler.bytes_per_draw + sampler.bytes_of_totals
    assert size * repeats * needed <= outcomes.BLOCK_BYTES
