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
