"""Sparse draws against dense ones."""

from dataclasses import replace

import numpy as np
import pytest

from skbayeseval.engines.rows import REMAINDER, StickRows
from skbayeseval.evidence import ConfusionCounts, PairedCounts
from skbayeseval.metrics.metric import Totals
from skbayeseval.models import Hierarchical, PairedHierarchical
from tests.engines.cases import stream_outcomes
from tests.engines.confusion_tables import TABLES


@pytest.mark.parametrize("n_classes", [2, 50])
@pytest.mark.parametrize("prior", [True, False])
def test_rows_where_eta_underflows(n_classes, prior):
    # Before the data, eta and 1 - eta are below 1e-323 with probability exp(-7.4) / 2 each.
    table = np.diag(np.arange(n_classes))
    specification = Hierarchical(eta=(0.01, 0.01)).specification(
        (ConfusionCounts.from_matrix(table),)
    )
    rng = np.random.default_rng(0)
    with np.errstate(divide="raise", over="raise", invalid="raise"):
        for totals in stream_outcomes(specification, rng, 10_000, prior=prior, tables=False):
            assert all(np.isfinite(total).all() for total in totals)
            np.testing.assert_allclose(totals.predicted.sum(axis=-1), 1)


@pytest.mark.parametrize("mass", [0.5, 1.0, 4.0])
@pytest.mark.parametrize(("prior", "fewest"), [(True, 0), (False, 17)])
def test_no_more_sticks_than_the_remainder_needs(mass, prior, fewest):
    counts = ConfusionCounts.from_matrix(TABLES["ordinary"])
    (group,) = Hierarchical().specification((counts,)).groups
    n_sticks = StickRows(replace(group, mass=mass), prior).n_sticks
    left = [mass / (mass + fewest) * (mass / (1 + mass)) ** n for n in (n_sticks, n_sticks - 1)]
    assert left[0] <= REMAINDER < left[1]


@pytest.mark.parametrize("n_classes", [2, 7, 2000])
def test_nothing_underflows(n_classes):
    rng = np.random.default_rng(0)
    truth = rng.integers(0, n_classes, 300)
    predictions = np.where(rng.random((2, 300)) < 0.7, truth, rng.integers(0, n_classes, (2, 300)))
    evidence = PairedCounts.from_labels(
        truth, {"a": predictions[0], "b": predictions[1]}, labels=range(n_classes), weight=0.37
    )
    for prior in (True, False):
        for model in (Hierarchical(), PairedHierarchical()):
            specification = model.specification(evidence)
            blocks = list(stream_outcomes(specification, rng, 20, prior=prior, tables=False))
            totals = Totals(*(np.concatenate(p, axis=1) for p in zip(*blocks, strict=True)))
            for total in totals:
                assert np.isfinite(total).all()
                assert (total >= 0).all()
            np.testing.assert_allclose(totals.true.sum(-1), 1)
            np.testing.assert_allclose(totals.predicted.sum(-1), 1)
            assert (totals.hits <= np.minimum(totals.true, totals.predicted) + 1e-12).all()
