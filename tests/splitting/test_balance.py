import numpy as np
import pytest

from skbayeseval.splitting.balance import balanced_partition, deal
from tests.splitting.imbalance import largest_imbalance


@pytest.mark.parametrize("n_blocks", [2, 4, 8, 12])
def test_deal(n_blocks):
    codes = np.random.default_rng(0).integers(0, 5, 333)
    blocks = deal(codes, n_blocks, np.random.RandomState(0))
    assert np.ptp(np.bincount(blocks)) <= 1
    for code in range(5):
        assert np.ptp(np.bincount(blocks[codes == code], minlength=n_blocks)) <= 1


def test_imbalance():
    columns = np.array([[1.0, 0], [1, 0], [0, 0], [2, 0]])
    assert largest_imbalance(columns, np.array([0, 0, 1, 1]), 2) == 0
    assert largest_imbalance(columns, np.array([0, 1, 1, 1]), 2) == 0.5


def test_nearly_perfect_partition_is_found():
    # Twelve units of each of ten kinds would go evenly into four blocks.
    kinds = np.random.default_rng(0).random((10, 6))
    columns = np.repeat(kinds, 12, axis=0)
    blocks = balanced_partition(columns, 4, np.random.RandomState(0), equal_sizes=True)
    assert (np.bincount(blocks) == 30).all()
    assert largest_imbalance(columns, blocks, 4) < 0.05


@pytest.mark.parametrize("equal_sizes", [True, False])
@pytest.mark.parametrize("n_units", [13, 200])
def test_sizes(n_units, equal_sizes):
    columns = np.random.default_rng(1).gamma(0.5, size=(n_units, 3))
    blocks = balanced_partition(columns, 4, np.random.RandomState(0), equal_sizes=equal_sizes)
    assert set(blocks) == {0, 1, 2, 3}
    if equal_sizes:
        assert np.ptp(np.bincount(blocks)) <= 1


def test_swaps_help():
    columns = np.random.default_rng(2).gamma(0.3, size=(120, 8))
    found = largest_imbalance(
        columns, balanced_partition(columns, 4, np.random.RandomState(0), equal_sizes=True), 4
    )
    rng = np.random.default_rng(0)
    best = min(
        largest_imbalance(columns, rng.permutation(np.arange(120) % 4), 4) for _ in range(2000)
    )
    assert found < 0.5 * best


def test_columns_without_anything():
    blocks = balanced_partition(np.zeros((10, 3)), 4, np.random.RandomState(0), equal_sizes=True)
    assert np.ptp(np.bincount(blocks)) <= 1


@pytest.mark.slow
@pytest.mark.parametrize("equal_sizes", [True, False])
def test_moves_and_swaps_help(equal_sizes, monkeypatch):
    from skbayeseval.splitting import balance

    columns = np.random.default_rng(3).random((120, 5))

    def imbalances():
        return [
            largest_imbalance(
                columns,
                balanced_partition(columns, 6, np.random.RandomState(i), equal_sizes=equal_sizes),
                6,
            )
            for i in range(10)
        ]

    improved = np.mean(imbalances())
    monkeypatch.setattr(balance, "_improve", lambda *_, **__: None)
    assert improved < 0.7 * np.mean(imbalances())


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
