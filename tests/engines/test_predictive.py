"""Predicted counts against the moments of the Dirichlet-multinomial."""

import numpy as np
import pytest

from skbayeseval import (
    compare_counts,
    compare_predictions,
)
from skbayeseval.evidence import ChunkCounts
from skbayeseval.models import PairedChunks
from skbayeseval.models.base import Replicated
from skbayeseval.posterior.posterior import Posterior

Y = np.array([1] * 30 + [0] * 50)
A = np.array([1] * 26 + [0] * 4 + [1] * 6 + [0] * 44)
B = np.array([1] * 20 + [0] * 10 + [1] * 9 + [0] * 41)
N = 8000


def replicated(result):
    posterior = getattr(result, "_posterior", result)
    of = Replicated(
        posterior.parameters(),
        [np.asarray(counts.true, dtype=float) for counts in posterior.counts],
        [counts.weight for counts in posterior.counts],
        posterior.prevalence is not None,
        False,
        np.random.default_rng(1),
    )
    return posterior.specification.replicate(of)


def close(found, mean, sd):
    """Assert that the mean of draws is within five standard errors."""
    np.testing.assert_array_less(np.abs(found.mean(axis=0) - mean), 5 * sd / np.sqrt(N) + 1e-9)


@pytest.mark.parametrize("pos_label", [0, 1])
def test_paired(pos_label):
    result = compare_predictions(
        Y, A, B, scoring="f1", pos_label=pos_label, random_state=0, n_draws=N
    )
    found = replicated(result)
    observed = result.evidence.observed_data()
    outcomes = found["outcomes"]
    assert (outcomes.sum(axis=(1, 2)) == 80).all()
    # mu is Beta(1 + n, 1 + n'), theta is Dirichlet(1/4 + counts), and they are independent.
    counts = observed["outcomes"].values
    share = (1 + counts.sum(axis=1)) / 82
    mean = 80 * share[:, None] * (0.25 + counts) / (1 + counts.sum(axis=1, keepdims=True))
    close(outcomes, mean, outcomes.std(axis=0))
    # The tables of both classifiers are sums of the same outcomes.
    first, last = (0, -1) if pos_label == 0 else (-1, 0)
    both = outcomes.reshape(N, 2, 2, 2)
    np.testing.assert_array_equal(found["confusion_A"][..., first], both[:, :, 0].sum(axis=-1))
    np.testing.assert_array_equal(found["confusion_B"][..., last], both[:, :, :, 1].sum(axis=-1))


def test_width_of_weighted_counts():
    # One cell of a Dirichlet-multinomial of n = 32 instances, each counted 2.5 times.
    result = compare_predictions(Y, A, B, model="bcv", weight=0.4, random_state=0, n_draws=N)
    table = replicated(result)["confusion_A"]
    np.testing.assert_allclose(table.sum(axis=(1, 2)), 80)
    np.testing.assert_allclose(table * 0.4, np.round(table * 0.4))
    p, n, total = (1 + 0.4 * 44) / (4 + 32), 32, 36
    variance = n * p * (1 - p) * (n + total) / (1 + total) / 0.4**2
    assert table[:, 0, 0].mean() == pytest.approx(80 * p, abs=5 * np.sqrt(variance / N))
    assert table[:, 0, 0].var() == pytest.approx(variance, rel=0.1)


def test_unpaired_and_without_true_negatives():
    found = replicated(compare_predictions(Y, A, B, model="unpaired", random_state=0, n_draws=N))
    assert "outcomes" not in found
    hits = found["confusion_B"][:, 1, 1]
    close(hits, 80 * 31 / 82 * 21 / 32, hits.std())
    few = replicated(compare_counts((88, 10, 12), (80, 14, 20), random_state=0, n_draws=N))
    table = few["confusion_B"]
    assert np.isnan(table[:, 0, 0]).all()
    assert (np.nansum(table, axis=(1, 2)) == 114).all()
    close(table[:, 1, 1], 114 * 81 / 117, table[:, 1, 1].std())


@pytest.mark.parametrize("prevalence", [None, [0.25, 0.75]])
@pytest.mark.parametrize("model", ["paired", "unpaired", "hierarchical"])
def test_totals_of_weighted_counts(model, prevalence):
    result = compare_predictions(
        Y, A, B, model=model, weight=0.37, prevalence=prevalence, random_state=0, n_draws=N
    )
    table = replicated(result)["confusion_A"]
    # 80 instances, of which 0.37 are independent: 30 of them, or, by class, 11 and 19 (18.5).
    np.testing.assert_allclose(table.sum(axis=(1, 2)), 80)
    effective = table * (30 if prevalence is None else 29) / 80
    np.testing.assert_allclose(effective, np.round(effective), atol=1e-9)


def test_a_class_that_cannot_occur():
    said = np.where(np.arange(80) % 9 == 0, 2, A)
    result = compare_predictions(Y, said, B, model="hierarchical", random_state=0, n_draws=200)
    table = replicated(result)["confusion_A"]
    assert (table.sum(axis=(1, 2)) == 80).all()
    assert (table[:, 2] == 0).all()


@pytest.mark.parametrize("model", ["paired", "hierarchical"])
def test_classes(model):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 300)
    a, b = (np.where(rng.random(300) < share, rng.integers(0, 3, 300), y) for share in (0.2, 0.4))
    result = compare_predictions(y, a, b, model=model, random_state=0, n_draws=N)
    found = replicated(result)
    for k, name in enumerate("AB"):
        table = found[f"confusion_{name}"]
        assert (table.sum(axis=(1, 2)) == 300).all()
        # The prior is worth a few instances.
        observed = np.asarray(result.evidence.margins()[k].table)
        np.testing.assert_allclose(table.mean(axis=0), observed, atol=3)
    same = (found["confusion_A"].sum(axis=2) == found["confusion_B"].sum(axis=2)).all()
    assert same == (model == "paired")


@pytest.mark.parametrize("model", ["unpaired", "bcv"])
def test_labels(model):
    y, a, b = np.random.default_rng(0).integers(0, 2, (3, 40, 3))
    result = compare_predictions(
        y, a, b, scoring="f1_micro", model=model, random_state=0, n_draws=N
    )
    counts = replicated(result)["counts_A"]
    assert counts.shape == (N, 3, 3)
    hits, true, predicted = np.moveaxis(counts, -1, 0)
    assert (hits <= np.minimum(true, predicted)).all()
    tp, n_true = (y & a).sum(axis=0), y.sum(axis=0)
    mean = 40 * (1 + tp) / 44
    if model == "unpaired":
        mean = 40 * (1 + n_true) / 42 * (1 + tp) / (2 + n_true)
    close(hits, mean, hits.std(axis=0))


def test_chunks():
    # Both taggers' counts are sums of the same seven cells, of which there are 200 * 0.5.
    cells = np.array([110, 14, 22, 18, 9, 11, 16])
    posterior = Posterior(PairedChunks(1.0), ChunkCounts(cells, 0.5), entropy=0, n_draws=N)
    a, b = replicated(posterior).values()
    assert (np.nansum(a[:, 1], axis=1) == np.nansum(b[:, 1], axis=1)).all()
    found = a[:, 1, 1]
    close(found, 200 * (1 + 0.5 * 124) / (3.5 + 100), found.std())
    assert np.isnan(a[:, 0, 0]).all()
