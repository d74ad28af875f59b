import numpy as np
import pytest

from skbayeseval.judgement.halves import roots_with_halves, variance_with_halves


def test_without_halves_the_variance_of_the_splits_is_left():
    assert variance_with_halves(0.3, np.empty(0)) == (pytest.approx(0.3), 4.0)


def test_few_halves_are_completed_by_the_splits():
    # 3 comparisons are worth 1.95 of 4 degrees of freedom.
    variance, df = variance_with_halves(0.3, np.array([1.0, -2.0, 0.5]))
    assert df == pytest.approx(4)
    assert variance == pytest.approx((2.05 * 0.3 + 0.65 * 1.15 * 5.25 / 4) / 4)


def test_many_halves_decide():
    differences = np.random.default_rng(0).normal(0, 2 * 0.5, 4000)  # half of it varies by 0.5
    variance, df = variance_with_halves(100.0, differences)
    assert variance == pytest.approx(1.15 * 0.25, rel=0.1)
    assert df == 0.65 * 4000


@pytest.mark.parametrize("n_comparisons", [1, 4, 8])
def test_roots_are_the_variance_of_every_contrast(n_comparisons):
    rng = np.random.default_rng(1)
    deviations, differences = rng.normal(size=(3, 6)), rng.normal(size=(3, n_comparisons))
    roots = roots_with_halves(deviations, differences)
    for contrast in ([1, -1, 0], [0, 0, 1], [0.5, 0.5, -1]):
        contrast = np.array(contrast)
        own = ((contrast @ deviations) ** 2).sum()
        variance, df = variance_with_halves(own, contrast @ differences)
        assert ((contrast @ roots) ** 2).sum() / df == pytest.approx(variance)
