import numpy as np
import pytest
from scipy.stats import cauchy, norm

from skbayeseval.judgement.pooling import pool_subgroups

SIZES = np.array([100, 100, 100, 400, 400])
OBSERVED = np.array([0.00, 0.06, -0.03, 0.02, -0.22])
SD = 0.5 / np.sqrt(SIZES)


def pooled_draws(observed=OBSERVED, n_draws=20_000, seed=0):
    rng = np.random.default_rng(seed)
    draws = observed[:, None] + SD[:, None] * norm.ppf((np.arange(n_draws) + 0.5) / n_draws)
    draws = rng.permuted(draws, axis=1)
    return pool_subgroups(draws, SIZES, rng)


def posterior_by_quadrature(observed):
    """Means and standard deviations of true differences and the mean of log tau, on a fine grid."""
    share = (np.arange(80) + 0.5) / 80
    scales = np.sqrt(np.mean(SD**2) * (1 - share) / share)
    centres, values = np.linspace(-0.5, 0.4, 91), np.linspace(-0.6, 0.5, 551)
    noise = norm.pdf(observed[:, None], values, SD[:, None])
    total, first, second, of_tau = 0.0, 0.0, 0.0, 0.0
    for tau, prior in zip(scales, 1 - share, strict=True):
        priors = cauchy.pdf(values, centres[:, None], tau)
        moments = [priors @ (noise * values**k).T for k in (0, 1, 2)]
        weight = prior * moments[0].prod(axis=1)
        total += weight.sum()
        of_tau += weight.sum() * np.log(tau)
        first = first + weight @ (moments[1] / moments[0])
        second = second + weight @ (moments[2] / moments[0])
    mean = first / total
    return mean, np.sqrt(second / total - mean**2), of_tau / total


def test_draws_are_those_of_the_hierarchical_model():
    found = pooled_draws(n_draws=100_000)
    mean, sd, log_tau = posterior_by_quadrature(OBSERVED)
    np.testing.assert_allclose(found.draws.mean(axis=1), mean, atol=0.03 * SD.max())
    np.testing.assert_allclose(found.draws.std(axis=1), sd, rtol=0.03)
    assert np.log(found.tau).mean() == pytest.approx(log_tau, abs=0.05)


def test_one_that_stands_out_is_left_where_it_is():
    rng = np.random.default_rng(1)
    observed = np.append(rng.normal(0, 0.05, 19), -0.4)
    draws = rng.normal(observed[:, None], 0.05, (20, 5000))
    pooled = pool_subgroups(draws, np.full(20, 50), rng).draws
    assert pooled[-1].mean() == pytest.approx(-0.4, abs=0.03)
    assert pooled[-1].std() == pytest.approx(0.05, rel=0.15)
    assert np.ptp(pooled[:-1].mean(axis=1)) < 0.5 * np.ptp(observed[:-1])


def test_a_larger_variance_does_not_hide_it():
    """It is judged by the noise that its size lets expect, and keeps its own."""
    rng = np.random.default_rng(2)
    observed = np.append(rng.normal(0, 0.05, 19), -0.3)
    noise = np.append(np.full(19, 0.05), 0.09)
    draws = rng.normal(observed[:, None], noise[:, None], (20, 5000))
    pooled = pool_subgroups(draws, np.full(20, 50), rng).draws[-1]
    assert np.quantile(pooled, 0.975) < 0
    assert pooled.std() > 0.07


def test_shift_scale_and_seed():
    one, again = pooled_draws(), pooled_draws()
    np.testing.assert_array_equal(one.draws, again.draws)
    rng = np.random.default_rng(3)
    draws = rng.normal(OBSERVED[:, None], SD[:, None], (5, 2000))
    plain = pool_subgroups(draws, SIZES, np.random.default_rng(4))
    moved = pool_subgroups(3 + 100 * draws, SIZES, np.random.default_rng(4))
    np.testing.assert_allclose(moved.draws, 3 + 100 * plain.draws, atol=1e-8)
    np.testing.assert_allclose(moved.tau, 100 * plain.tau)


def test_many_subgroups_and_far_ones():
    """The grid of centres is narrowed to where they are, however far the farthest is."""
    rng = np.random.default_rng(5)
    observed = np.append(rng.normal(0.1, 0.01, 300), [4.0, -7.0])
    draws = rng.normal(observed[:, None], 0.01, (302, 200))
    pooled = pool_subgroups(draws, np.full(302, 50), rng).draws.mean(axis=1)
    assert np.std(pooled[:300]) < 0.005
    assert pooled[:300].mean() == pytest.approx(0.1, abs=0.002)
    np.testing.assert_allclose(pooled[300:], [4.0, -7.0], atol=0.01)


def test_nothing_to_pool():
    rng = np.random.default_rng(0)
    draws = rng.normal(size=(1, 100))
    np.testing.assert_array_equal(pool_subgroups(draws, np.array([9]), rng).draws, draws)
    certain = np.repeat([[0.25], [0.5]], 100, axis=1)
    found = pool_subgroups(certain, np.array([9, 9]), rng)
    np.testing.assert_array_equal(found.draws, certain)
    assert np.isnan(found.tau).all()
