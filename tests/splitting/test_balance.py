import numpy as np
import pytest

from skbayeseval.splitting.balance import balanced_partition
from tests.splitting.imbalance import largest_imbalance


def test_nearly_perfect_partition_is_found():
    # Twelve units of each of ten kinds would go evenly into four blocks.
    kinds = np.random.default_rng(0).random((10, 6))
    columns = np.repeat(kinds, 12, axis=0)
    blocks = balanced_partition(columns, 4, np.random.RandomState(0), equal_sizes=True)
    assert (np.bincount(blocks) == 30).all()
    assert largest_imbalance(columns, blocks, 4) < 0.05


def test_columns_without_anything():
    blocks = balanced_partition(np.zeros((10, 3)), 4, np.random.RandomState(0), equal_sizes=True)
    assert np.ptp(np.bincount(blocks)) <= 1


@pytest.mark.parametrize("equal_sizes", [True, False])
def test_rounding_does_not_decide_between_ties(equal_sizes):
    # A factor common to all columns changes nothing but the last bits of the shares.
    columns = np.random.default_rng(0).integers(0, 3, (90, 4)).astype(float)
    plain, *others = (
        balanced_partition(columns * factor, 4, np.random.RandomState(1), equal_sizes=equal_sizes)
        for factor in (1.0, 3.0, 7.0, 0.1, 1 / 3)
    )
    for blocks in others:
        np.testing.assert_array_equal(blocks, plain)
