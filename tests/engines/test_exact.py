import numpy as np
import pytest

from skbayeseval.evidence import ConfusionCounts
from skbayeseval.models import BCV, Unpaired
from skbayeseval.models.specification import BLOCK

EVIDENCE = (ConfusionCounts.from_cells(8, 2, 3, 7), ConfusionCounts.from_cells(6, 1, 5, 8))


def tables(model, n_draws, seed=0):
    specification = model.specification(EVIDENCE)
    rng = np.random.default_rng(seed)
    return list(specification.stream_tables(rng, n_draws))


@pytest.mark.parametrize("model", [Unpaired(), BCV()])
def test_blocks_of_probability_tables(model):
    blocks = tables(model, 2 * BLOCK + 10)
    assert [len(block) for block in blocks] == [BLOCK, BLOCK, 10]
    for block in blocks:
        assert block.shape[1:] == (2, 2, 2)
        np.testing.assert_allclose(block.sum(axis=(2, 3)), 1)
        assert (block > 0).all()


def test_moments_of_dirichlet_cells():
    # E and Var of the cells of Dir(alpha): alpha/s and alpha (s - alpha) / (s^2 (s + 1)).
    draws = np.concatenate(tables(BCV(), 100_000))[:, 0]
    alpha = np.array([[7, 2], [3, 8]]) + 1.0
    s = alpha.sum()
    variance = alpha * (s - alpha) / (s**2 * (s + 1))
    error = 4 * np.sqrt(variance / 100_000)
    np.testing.assert_array_less(np.abs(draws.mean(axis=0) - alpha / s), error)
    np.testing.assert_allclose(draws.var(axis=0), variance, rtol=0.03)
