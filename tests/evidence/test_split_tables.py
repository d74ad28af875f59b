import numpy as np
import pytest

from skbayeseval.metrics import get_metric
from skbayeseval.search.noise import spread_of_tables

ACCURACY = get_metric("accuracy")


def tables(accuracies, n=100):
    """Tables of n instances per split, half of each class, with the given accuracies."""
    right = np.rint(np.asarray(accuracies) * n / 2)
    return np.stack([[right, n / 2 - right], [n / 2 - right, right]]).transpose(2, 3, 0, 1)


def test_two_classifiers_by_hand():
    a, b = [0.8, 0.9, 0.7, 0.84], [0.76, 0.8, 0.7, 0.7]
    spread = spread_of_tables(ACCURACY, tables([a, b]), 1, n_folds=2, weight=0.5)
    difference = (np.array(a) - b).reshape(2, 2)
    within = difference.var(axis=1, ddof=1).mean() / 2
    assert spread.test_noise == pytest.approx(within)
    assert spread.between_passes == pytest.approx(difference.mean(axis=1).var(ddof=1) / 2)
    p = np.array([np.mean(a), np.mean(b)])
    assert spread.counts_noise == pytest.approx((p * (1 - p)).sum() / 400)
    assert spread.n_passes == 2


def test_several_are_the_mean_over_pairs():
    rng = np.random.default_rng(0)
    of_all = tables(rng.integers(60, 95, (4, 6)) / 100)
    whole = spread_of_tables(ACCURACY, of_all, 1, n_folds=6, weight=1.0)
    pairs = [
        spread_of_tables(ACCURACY, of_all[[i, j]], 1, n_folds=6, weight=1.0)
        for i in range(4)
        for j in range(i)
    ]
    for name in ("test_noise", "counts_noise"):
        mean = np.mean([getattr(pair, name) for pair in pairs])
        assert getattr(whole, name) == pytest.approx(mean)
