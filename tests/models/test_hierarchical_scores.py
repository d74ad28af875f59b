import numpy as np
import pytest
from scipy import integrate, stats

from skbayeseval import PyMCEngine
from skbayeseval.evidence import DataSetScores
from skbayeseval.models import HierarchicalScores
from skbayeseval.models.hierarchical_scores import (
    _draw_delta,
    _error_variance,
    _log_terms,
    summarise,
)
from skbayeseval.models.pymc import diagnose

RHO = 0.1


def simulate(rng, n_data_sets, n_scores, *, delta0, sigma0, sigma, nu=1e6, rho=RHO):
    delta = delta0 + sigma0 * rng.standard_t(nu, n_data_sets)
    sigma = np.broadcast_to(sigma, n_data_sets)[:, None]
    common = np.sqrt(rho) * rng.normal(size=(n_data_sets, 1))
    noise = common + np.sqrt(1 - rho) * rng.normal(size=(n_data_sets, n_scores))
    return delta, delta[:, None] + sigma * noise


def fit(differences, seed=1, **engine):
    engine = {"draws": 500, "tune": 500, "chains": 2, "cores": 1, "target_accept": 0.9} | engine
    scores = DataSetScores({"r2": np.stack([differences, np.zeros_like(differences)])}, RHO)
    model = HierarchicalScores().specification(scores)
    return model.sample((), PyMCEngine(**engine), seed)


def assert_sampled_well(trace, r_hat=1.01):
    assert trace.stats["diverging"].sum() == 0
    for name, draws in trace.parameters.items():
        for one in np.moveaxis(draws, -1, 0) if draws.ndim == 3 else [draws]:
            assert diagnose(one).r_hat < r_hat, name


# The pieces of the likelihood by brute force.


@pytest.mark.parametrize(("nu", "own"), [(1.0, 25.0), (4.0, 1.0), (300.0, 1e-6)])
def test_nodes_integrate_the_normal_over_the_t(nu, own):
    for error in (0.0, 0.7, 4.0):
        terms = _log_terms(np, np.array([error]), np.array([own]), np.array([1.0]), np.array([nu]))

        def density(delta, error=error):
            return stats.norm.pdf(error, delta, np.sqrt(own)) * stats.t.pdf(delta, nu)

        width = 12 * np.sqrt(own)
        expected = integrate.quad(density, error - width, error + width, points=[error, 0.0])[0]
        assert np.exp(terms).sum() == pytest.approx(expected, rel=2e-6)


def test_precision_is_a_uniform_sigma_integrated_out():
    rng = np.random.default_rng(0)
    x = np.stack([rng.normal(0.3, 1.0, 6), rng.normal(0.0, 2.0, 6)])
    summaries = summarise(x)
    covariance = np.full((6, 6), RHO) + (1 - RHO) * np.eye(6)

    def from_scores(delta):
        return integrate.quad(
            lambda s: stats.multivariate_normal.pdf(x[0], np.full(6, delta), s**2 * covariance),
            1e-3,
            200,
            limit=500,
            points=[0.5, 1.0, 2.0, 10.0],
        )[0]

    def from_precision(delta):
        def density(u):
            sd = np.sqrt(_error_variance(summaries, RHO, u)[0])
            return stats.chi2.pdf(u, 4) * stats.norm.pdf(x[0].mean(), delta, sd)

        return integrate.quad(density, 0, 100)[0]

    ratios = [from_scores(delta) / from_precision(delta) for delta in (-1.0, 0.0, 0.5, 3.0)]
    np.testing.assert_allclose(ratios, ratios[0], rtol=1e-4)


def test_draws_of_delta_given_the_rest():
    mean, own, delta0, sigma0, nu = 2.0, 0.5, 0.0, 0.6, 3.0
    n = 40_000
    full = (np.full((1, n), value) for value in (own, delta0, sigma0, nu))
    draws = _draw_delta(np.random.default_rng(0), mean, *full).ravel()
    grid = np.linspace(-6, 8, 20_001)
    density = stats.norm.pdf(mean, grid, np.sqrt(own)) * stats.t.pdf(grid, nu, delta0, sigma0)
    cumulative = np.cumsum(density) / density.sum()
    found = stats.kstest(draws, lambda value: np.interp(value, grid, cumulative))
    assert found.pvalue > 1e-3


# Sampled.


@pytest.mark.slow
def test_constant_and_noisy_data_sets():
    """Eight data sets, two of which never differ and two of which are much noisier."""
    rng = np.random.default_rng(3)
    sigma = np.r_[np.full(6, 0.01), 0.2, 0.2]
    _, x = simulate(rng, 8, 20, delta0=0.02, sigma0=0.01, sigma=sigma)
    x[0], x[1] = 0.0, 0.015
    trace = fit(x)
    # Short chains: R-hat itself has an error.
    assert_sampled_well(trace, r_hat=1.03)
    assert trace.parameters["delta"].shape == (2, 500, 8)
    assert trace.parameters["next_delta"].shape == (2, 500)
    # The noisy ones are shrunk.
    draws = trace.flat()
    center, delta = draws["delta0"].mean(), draws["delta"].mean(axis=0)
    kept = (delta - center) / (x.mean(axis=1) - center)
    assert (np.abs(delta[:2] - [0.0, 0.015]) < 1e-4).all()
    assert (np.abs(kept[6:]) < 0.4).all()
    assert (kept[2:6] > 0.6).all()
    noise = draws["delta"].std(axis=0)
    assert noise[6:].min() > 2 * noise[2:6].max()


@pytest.mark.slow
def test_many_precise_data_sets_give_the_t_interval_of_the_means():
    rng = np.random.default_rng(9)
    _, x = simulate(rng, 60, 10, delta0=0.01, sigma0=0.02, sigma=0.001)
    trace = fit(x, draws=1000, tune=1000)
    assert_sampled_well(trace)
    means = x.mean(axis=1)
    interval = stats.t.interval(0.95, 59, means.mean(), stats.sem(means))
    found = np.quantile(trace.parameters["delta0"], [0.025, 0.975])
    np.testing.assert_allclose(found, interval, atol=0.15 * (interval[1] - interval[0]))
