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
