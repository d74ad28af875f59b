import numpy as np
import pytest
from scipy import stats
from scipy.special import gammaln

from skbayeseval.engines.gammas import (
    _from_normals,
    _scales,
    correlated_gammas,
    dirichlet_rows,
    large_gammas,
    log_rising,
)

MIXING = np.linalg.cholesky([[1.0, 0.7], [0.7, 1.0]])


@pytest.mark.parametrize("shapes", [(0.05, 0.3), (0.5, 2.0), (1.0, 1.0), (8.0, 20.0)])
def test_each_is_gamma_and_they_are_correlated(shapes):
    rng = np.random.default_rng(0)
    found = correlated_gammas(rng, np.repeat(np.array(shapes)[:, None], 20_000, 1), 2, MIXING)
    assert found.shape == (2, 2, 20_000)
    for rows, shape in zip(found, shapes, strict=True):
        assert stats.kstest(rows.ravel(), "gamma", args=(shape,)).pvalue > 1e-3
        assert abs(np.corrcoef(*rows)[0, 1]) < 0.03
    rank_correlation = stats.spearmanr(found[0].ravel(), found[1].ravel()).statistic
    assert 0.3 < rank_correlation < 0.7


@pytest.mark.parametrize("shape", [1.0, 1.3, 4.0, 30.0, 2e4])
def test_large_gammas(shape):
    n = 300_000
    found = large_gammas(np.random.default_rng(3), np.full((3, n // 3), shape)).ravel()
    law = stats.gamma(shape)
    assert stats.kstest(found, law.cdf).pvalue > 1e-3
    for p in (1e-3, 0.01, 0.05, 0.95, 0.999):  # also where more than eight bits are needed
        below = np.mean(found < law.ppf(p))
        assert abs(below - p) < 4.5 * np.sqrt(p * (1 - p) / n)


class Given:
    """A source of randomness that returns given bytes and fractions, and -1 for what is redrawn."""

    def __init__(self, given, fraction):
        self.bit_generator, self.given, self.fraction = self, given, fraction

    def random_raw(self, n_words):
        return np.resize(self.given, (n_words, 8)).view(np.uint64).ravel()

    def random(self, size):
        return np.full(size, self.fraction)

    def standard_gamma(self, shapes):
        return np.full(len(shapes), -1.0)


@pytest.mark.parametrize("shape", [1.0, 1.2, 2.0, 5.0, 40.0, 3000.0])
@pytest.mark.parametrize("fraction", [0.0, 0.5, 1 - 2**-50])
def test_accepted_as_by_marsaglia_and_tsang(shape, fraction):
    d = shape - 1 / 3
    normal = np.sort(np.concatenate([np.linspace(-8, 8, 401), np.linspace(-2, -1, 200)]))[:, None]
    given = np.arange(256, dtype=np.uint8)
    u = (given + fraction) / 256
    v = (1 + normal / np.sqrt(9 * d)) ** 3
    with np.errstate(divide="ignore", invalid="ignore"):
        room = np.where(v > 0, normal**2 / 2 + d * (1 - v + np.log(v)), -np.inf) - np.log(u)
    found = _from_normals(
        Given(given, fraction), np.tile(normal, 256), *_scales(np.full((1, 1), shape))
    )
    clear = ~(np.abs(room) < 1e-9 * (1 + d))  # not decided by an error of rounding
    np.testing.assert_array_equal((found != -1)[clear], (room > 0)[clear])
    np.testing.assert_allclose(found[found != -1], np.broadcast_to(d * v, found.shape)[found != -1])
    assert 0 < np.mean(found == -1) < 1


@pytest.mark.parametrize("count", [0.5, 10, 9e5, 1e6, 3e6])
def test_log_rising_up_to_a_constant(count):
    shape = np.array([1e-9, 0.3, 1, 2, 50, 1e4, 6e7])
    expected = gammaln(shape + count) - gammaln(shape)
    found = log_rising(shape, count)
    np.testing.assert_allclose(np.diff(found), np.diff(expected), rtol=1e-9, atol=1e-6)


@pytest.mark.parametrize("count", [1e9, 1e15])
def test_log_rising_of_large_counts(count):
    # Gamma(n + s + 1) / Gamma(s + 1) over Gamma(n + s) / Gamma(s) is (n + s) / s.
    shape = np.array([0.3, 1, 50, 1e4, 6e7])
    step = log_rising(shape + 1, count) - log_rising(shape, count)
    np.testing.assert_allclose(step, np.log((count + shape) / shape), rtol=1e-6)


@pytest.mark.parametrize("shape", [(3.0, 0.5), (2.0, 0.2, 5.0), (40.0, 300.0, 1.0, 7.0)])
def test_dirichlet_rows_have_beta_margins_and_sum_to_one(shape):
    shape = np.array(shape)
    (rows,) = dirichlet_rows(np.random.default_rng(0), [shape], 10_000)
    np.testing.assert_allclose(rows.sum(axis=0), 1.0)
    for row, one in zip(rows, shape, strict=True):
        assert stats.kstest(row, "beta", args=(one, shape.sum() - one)).pvalue > 1e-3
    # Two entries are negatively correlated, as known.
    expected = -np.sqrt(shape[0] * shape[1] / np.prod(shape.sum() - shape[:2]))
    assert np.corrcoef(rows[:2])[0, 1] == pytest.approx(expected, abs=0.04)


@pytest.mark.parametrize("shape", [(0.01, 0.01), (1e-4, 1e-4, 1e-4)])
def test_dirichlet_rows_of_tiny_shapes_are_never_nan(shape):
    (rows,) = dirichlet_rows(np.random.default_rng(0), [np.array(shape)], 100_000)
    np.testing.assert_allclose(rows.sum(axis=0), 1.0)
    np.testing.assert_allclose(rows.mean(axis=1), 1 / len(shape), atol=0.01)
