"""Tables drawn cell by cell: class proportions and rows are independent, each as known."""

import numpy as np
import pytest
from scipy import stats

from skbayeseval.engines.rows import FullRows
from skbayeseval.evidence import ConfusionCounts
from skbayeseval.models import Hierarchical
from tests.engines.cases import stream_outcomes
from tests.engines.confusion_tables import TABLES

N = 40_000
TABLE = np.array(TABLES["ordinary"])


def totals(model, counts, **options):
    specification = model.specification((counts,))
    assert FullRows.suit(specification.groups[0])
    options = {"prior": False, "tables": False, **options}
    blocks = stream_outcomes(specification, np.random.default_rng(0), N, **options)
    return [np.concatenate(parts, axis=1)[0] for parts in zip(*blocks, strict=True)]


@pytest.mark.parametrize("mu", [1.0, 0.5, (3.0, 1.0, 2.0)])
@pytest.mark.parametrize("weight", [1.0, 0.3688, 3.0])
def test_class_proportions_are_dirichlet_and_independent_of_recalls(mu, weight):
    # With mu=1, they are the sums of rows; otherwise they are drawn by themselves.
    counts = ConfusionCounts.from_matrix(TABLE, weight=weight)
    hits, true, _ = totals(Hierarchical(mu=mu), counts)
    shape = mu + counts.effective.sum(axis=1)
    for column, one in zip(true.T, shape, strict=True):
        assert stats.kstest(column, "beta", args=(one, shape.sum() - one)).pvalue > 1e-3
    together = np.corrcoef(np.hstack([true[:, :2], hits / true]), rowvar=False)
    assert np.abs(together[:2, 2:]).max() < 4.5 / np.sqrt(N)


@pytest.mark.parametrize("weight", [1.0, 0.3688])
def test_same_distribution_as_by_sticks(weight, monkeypatch):
    counts = ConfusionCounts.from_matrix(TABLE, weight=weight)
    by_cells = totals(Hierarchical(), counts)
    with monkeypatch.context() as patch:
        patch.setattr(FullRows, "suit", staticmethod(lambda group: False))
        specification = Hierarchical().specification((counts,))
        rng = np.random.default_rng(1)
        blocks = stream_outcomes(specification, rng, N, prior=False, tables=False)
        by_sticks = [np.concatenate(parts, axis=1)[0] for parts in zip(*blocks, strict=True)]
    for one, other in zip(by_cells, by_sticks, strict=True):
        for a, b in zip(one.T, other.T, strict=True):
            assert stats.ks_2samp(a, b).pvalue > 1e-3


def test_classes_may_change_places():
    # Distributions, not draws: cells are drawn in another order.
    order = np.array([2, 0, 1])
    here, there = (
        totals(Hierarchical(), ConfusionCounts.from_matrix(table))
        for table in (TABLE, TABLE[np.ix_(order, order)])
    )
    for one, other in zip(here, there, strict=True):
        for column, place in zip(other.T, order, strict=True):
            assert stats.ks_2samp(one[:, place], column).pvalue > 1e-3
