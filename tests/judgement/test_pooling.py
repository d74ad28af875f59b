import numpy as np
import pytest
from scipy.stats import multivariate_normal

from skbayeseval.judgement.pooling import pool_draws

OBSERVED = np.array([0.90, 0.87, 0.93, 0.88])
COVARIANCE = 1e-4 * (0.5 + 0.5 * np.diag([1.0, 2.0, 0.5, 1.0]))


def normal_draws(means, covariance, n_draws, rng):
    return rng.multivariate_normal(means, covariance, n_draws).T


def posterior_moments(means, covariance, n_grid=4000):
    """Mean and covariance of the scores under the hierarchical model, by quadrature."""
    k, one = len(means), np.ones(len(means))
    noise = np.trace(covariance @ (np.eye(k) - 1 / k)) / (k - 1)
    weights, centres, spreads = [], [], []
    for share in (np.arange(n_grid) + 0.5) / n_grid:
        tau2 = noise * (1 - share) / share
        total = covariance + tau2 * np.eye(k)
        inverse = np.linalg.inv(total)
        mu = one @ inverse @ means / (one @ inverse @ one)
        # A flat prior of mu: the density at its estimate, times the width of its posterior.
        density = multivariate_normal(mu * one, total).pdf(means)
        weights.append(density / np.sqrt(one @ inverse @ one))
        kept = tau2 * inverse
        centres.append(mu + kept @ (means - mu))
        left = (np.eye(k) - kept) @ one
        spreads.append(tau2 * (np.eye(k) - kept) + np.outer(left, left) / (one @ inverse @ one))
    weights = np.array(weights) / np.sum(weights)
    mean = weights @ np.array(centres)
    off = np.array(centres) - mean
    return mean, np.einsum("g,gij->ij", weights, spreads) + (off.T * weights) @ off


def test_normal_draws_give_the_posterior_of_the_hierarchical_model():
    rng = np.random.default_rng(0)
    draws = normal_draws(OBSERVED, COVARIANCE, 200_000, rng)
    pooled = pool_draws(draws, COVARIANCE, rng).draws
    mean, covariance = posterior_moments(OBSERVED, COVARIANCE)
    np.testing.assert_allclose(pooled.mean(axis=1), mean, atol=1e-4)
    np.testing.assert_allclose(np.cov(pooled), covariance, atol=3e-6)


def test_draws_of_tau_belong_to_the_shrinkage():
    rng = np.random.default_rng(9)
    draws = normal_draws(OBSERVED, COVARIANCE, 50_000, rng)
    pooled = pool_draws(draws, COVARIANCE, rng)
    k = len(OBSERVED)
    noise = np.trace(COVARIANCE @ (np.eye(k) - 1 / k)) / (k - 1)
    assert (noise / (noise + pooled.tau**2)).mean() == pytest.approx(pooled.shrinkage, abs=1e-3)


@pytest.mark.slow
@pytest.mark.parametrize("tau", [0.005, 0.02])
def test_many_candidates_are_shrunk_as_if_their_spread_were_known(tau):
    rng = np.random.default_rng(1)
    noise, truth = 0.01, rng.normal(0.8, tau, 2000)
    observed = rng.normal(truth, noise)
    draws = rng.normal(observed[:, None], noise, (2000, 500))
    pooled, shrinkage, _ = pool_draws(draws, noise**2 * np.eye(2000), rng)
    share = noise**2 / (noise**2 + tau**2)
    assert shrinkage == pytest.approx(share, abs=0.04)
    expected = observed.mean() + (1 - share) * (observed - observed.mean())
    off = pooled.mean(axis=1) - expected
    assert np.sqrt((off**2).mean()) < 0.1 * noise
    assert pooled.std(axis=1).mean() == pytest.approx(noise * np.sqrt(1 - share), rel=0.05)
    assert ((pooled.mean(axis=1) - truth) ** 2).mean() < ((observed - truth) ** 2).mean()


def test_shift_and_scale():
    draws = normal_draws(OBSERVED, COVARIANCE, 1000, np.random.default_rng(2))
    one = pool_draws(draws, COVARIANCE, np.random.default_rng(3))
    other = pool_draws(5 - 100 * draws, 100**2 * COVARIANCE, np.random.default_rng(3))
    assert other.shrinkage == pytest.approx(one.shrinkage)
    np.testing.assert_allclose(
        (5 - other.draws.mean(axis=1)) / 100, one.draws.mean(axis=1), atol=2e-3
    )
    shifted = pool_draws(5 + 100 * draws, 100**2 * COVARIANCE, np.random.default_rng(3))
    np.testing.assert_allclose((shifted.draws - 5) / 100, one.draws, atol=1e-10)


def test_permuted_candidates():
    rng = np.random.default_rng(4)
    draws = normal_draws(OBSERVED, COVARIANCE, 50_000, rng)
    order = [2, 0, 3, 1]
    one = pool_draws(draws, COVARIANCE, rng)
    other = pool_draws(draws[order], COVARIANCE[np.ix_(order, order)], rng)
    assert other.shrinkage == pytest.approx(one.shrinkage)
    for statistic in (np.mean, np.std):
        np.testing.assert_allclose(
            statistic(other.draws, axis=1), statistic(one.draws[order], axis=1), atol=2e-4
        )


def test_what_all_have_in_common_does_not_matter():
    rng = np.random.default_rng(5)
    draws = normal_draws(OBSERVED, COVARIANCE, 1000, rng)
    common = 0.1 * rng.standard_normal(1000)
    one = pool_draws(draws, COVARIANCE, rng)
    other = pool_draws(draws + common - common.mean(), COVARIANCE + 0.01, rng)
    assert other.shrinkage == pytest.approx(one.shrinkage, abs=1e-4)


def test_nothing_to_pool():
    draws = np.random.default_rng(6).standard_normal((1, 100))
    alone = pool_draws(draws, np.eye(1), np.random.default_rng(0))
    assert alone.draws is draws
    assert np.isnan(alone.tau).all()
    certain = np.array([[0.9], [0.8]]) + np.zeros(100)
    pooled = pool_draws(certain, np.zeros((2, 2)), np.random.default_rng(0))
    assert pooled.draws is certain
    assert pooled.shrinkage == 0


def test_two_candidates_far_apart_are_left_apart():
    rng = np.random.default_rng(7)
    draws = rng.normal([[0.9], [0.6]], 0.01, (2, 20_000))
    pooled, shrinkage, _ = pool_draws(draws, 1e-4 * np.eye(2), rng)
    assert shrinkage < 0.05
    np.testing.assert_allclose(pooled.mean(axis=1), [0.9, 0.6], atol=0.003)


def test_bounds_are_kept():
    rng = np.random.default_rng(8)
    draws = rng.beta([[99.0], [97.0], [90.0]], [[1.0], [3.0], [10.0]], (3, 5000))
    pooled = pool_draws(draws, np.diag(draws.var(axis=1)), rng).draws
    assert 0 <= pooled.min() <= pooled.max() <= 1
