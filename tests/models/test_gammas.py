import numpy as np
import pytest
from scipy import stats

from skbayeseval.models.gammas import correlated_gammas, dirichlet, log_rising

MIXING = np.linalg.cholesky([[1.0, 0.7], [0.7, 1.0]])


@pytest.mark.parametrize("shapes", [(0.05, 0.3), (0.5, 2.0), (1.0, 1.0), (8.0, 1e7)])
def test_each_is_gamma_and_they_are_correlated(shapes):
    rng = np.random.default_rng(0)
    found = correlated_gammas(rng, np.repeat(np.array(shapes)[:, None], 20_000, 1), 2, MIXING)
    assert found.shape == (2, 2, 20_000)
    for rows, shape in zip(found, shapes, strict=True):
        assert stats.kstest(rows.ravel(), "gamma", args=(shape,)).pvalue > 1e-3
        assert abs(np.corrcoef(*rows)[0, 1]) < 0.03
    rank_correlation = stats.spearmanr(found[0].ravel(), found[1].ravel()).statistic
    assert 0.3 < rank_correlation < 0.7


@pytest.mark.parametrize("mixing", [None, np.eye(2)])
def test_without_correlation_they_are_independent(mixing):
    a, b = correlated_gammas(np.random.default_rng(1), np.full((2, 20_000), 2.5), 1, mixing)
    assert abs(np.corrcoef(a[0], b[0])[0, 1]) < 0.03


def test_equal_normals_and_shapes_give_nearly_equal_gammas():
    # All but the few that are rejected and drawn again.
    ones = np.linalg.cholesky(np.ones((2, 2)) + 1e-12 * np.eye(2))
    a, b = correlated_gammas(np.random.default_rng(2), np.full((2, 5000), 3.0), 1, ones)
    assert np.mean(np.isclose(a, b, rtol=1e-3)) > 0.95


@pytest.mark.parametrize("count", [0.5, 9e5, 1e6, 3e6, 1e9, 1e15])
def test_log_rising(count):
    # Up to a constant: Gamma(n + s + 1) / Gamma(s + 1) over Gamma(n + s) / Gamma(s) is (n + s) / s.
    shape = np.array([1e-9, 0.3, 1, 50, 1e4, 6e7])
    step = log_rising(shape + 1, np.array([count])) - log_rising(shape, np.array([count]))
    np.testing.assert_allclose(step, np.log((count + shape) / shape), rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("shape", [(0.01, 0.01), (1e-4, 1e-4, 1e-4)])
def test_dirichlet_vectors_of_tiny_shapes_are_never_nan(shape):
    rows = dirichlet(np.random.default_rng(0), np.array(shape), 100_000)
    np.testing.assert_allclose(rows.sum(axis=0), 1.0)
    np.testing.assert_allclose(rows.mean(axis=1), 1 / len(shape), atol=0.01)


def test_dirichlet_vectors():
    shapes = np.array([[300.0, 0.5, 6.0], [0.01, 0.02, 0.03], [3.9, 4.0, 5.0], [2.0, 0.2, 5.0]]).T
    found = dirichlet(np.random.default_rng(0), shapes, 20_000)
    np.testing.assert_allclose(found.sum(axis=0), 1.0)
    np.testing.assert_allclose(found.mean(axis=-1), shapes / shapes.sum(axis=0), atol=0.01)
    for k in (0, 2, 3):
        for row, shape in zip(found[:, k], shapes[:, k], strict=True):
            total = shapes[:, k].sum()
            assert stats.kstest(row, "beta", args=(shape, total - shape)).pvalue > 1e-3
    assert np.abs(np.corrcoef(found[0]) - np.eye(4)).max() < 0.03
    # Two entries are negatively correlated, as known.
    a, b = shapes[:2]
    expected = -np.sqrt(a * b / ((shapes.sum(axis=0) - a) * (shapes.sum(axis=0) - b)))
    correlation = [np.corrcoef(found[:2, k])[0, 1] for k in (0, 2, 3)]
    np.testing.assert_allclose(correlation, expected[[0, 2, 3]], atol=0.04)
