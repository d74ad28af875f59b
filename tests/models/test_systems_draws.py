"""Draws of the mean scores of systems over data sets, against closed forms and brute force."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats
from scipy.linalg import helmert
from scipy.special import logsumexp

from skbayeseval.metrics.registry import split_metric
from skbayeseval.models.systems import SPREAD, STRENGTHS, HierarchicalSystems


def draw(means, noise, n_draws=20_000, seed=0):
    specification = HierarchicalSystems()
    specification.means, specification.noise = means, noise
    rng = np.random.default_rng(seed)
    return next(specification.stream(split_metric("score"), rng, n_draws))


def little_noise(means, variance=1e-8):
    n_systems, n_sets = means.shape
    return np.tile(variance * np.eye(n_systems), (n_sets, 1, 1))


def scores(n_systems, n_sets, seed=0, holes=0.0):
    rng = np.random.default_rng(seed)
    means = rng.normal(size=(n_systems, n_sets)) + 3 * rng.normal(size=n_sets)
    means[rng.random(means.shape) < holes] = np.nan
    return means


def test_two_systems_without_noise_have_a_t_distribution():
    # With a flat prior of the standard deviation, the posterior of the mean of D differences is a
    # t with D - 2 degrees of freedom and the scale sqrt(SS / (D - 2) / D).
    means = scores(2, 8)
    difference = means[0] - means[1]
    found = np.subtract(*draw(means, little_noise(means), 40_000))
    law = stats.t(6, difference.mean(), np.sqrt(difference.var() * 8 / 6 / 8))
    for level in (0.025, 0.25, 0.5, 0.75, 0.975):
        # five standard errors of independent draws
        error = 5 * np.sqrt(level * (1 - level) / 40_000)
        assert abs((found < law.ppf(level)).mean() - level) < error


def brute_force(means, noise, n_prior, seed):
    """The posterior of theta as a mixture of normals, by importance sampling from the prior."""
    n_systems = len(means)
    p = n_systems - 1
    rng = np.random.default_rng(seed)
    basis = helmert(n_systems)
    weight = 1 / STRENGTHS
    a = rng.choice(STRENGTHS, n_prior, p=weight / weight.sum())
    # A flat prior of sqrt(psi), cut where the likelihood is negligible. It is drawn from a
    # distribution with more mass at small values, and weighted for that.
    fraction = rng.random(n_prior)
    common = (30 * fraction**2) ** 2
    log_weights = np.log(fraction)
    psi = common[:, None] * np.exp(SPREAD * rng.normal(size=(n_prior, n_systems)))
    omegas = np.empty((n_prior, p, p))
    for strength in STRENGTHS:
        own = a == strength
        shape = stats.invwishart.rvs(strength + p - 1, np.eye(p), own.sum(), random_state=rng)
        root = np.linalg.cholesky((basis * psi[own][:, None]) @ basis.T)
        omegas[own] = root @ shape.reshape(-1, p, p) @ root.transpose(0, 2, 1)
    precision, shift, quadratic = np.zeros((n_prior, p, p)), np.zeros((n_prior, p)), 0.0
    for d, column in enumerate(means.T):
        run = np.flatnonzero(np.isfinite(column))
        if len(run) < 2:
            continue
        contrasts = helmert(len(run))
        design = contrasts @ basis[:, run].T
        covariance = design @ omegas @ design.T
        covariance = covariance + contrasts @ noise[d][np.ix_(run, run)] @ contrasts.T
        inverse = np.linalg.inv(covariance)
        values = contrasts @ column[run]
        precision += design.T @ inverse @ design
        shift += (design.T @ inverse) @ values
        quadratic = quadratic + values @ (inverse @ values).T
        log_weights -= np.linalg.slogdet(covariance)[1] / 2
    centres = np.linalg.solve(precision, shift[..., None])[..., 0]
    log_weights += ((shift * centres).sum(axis=1) - quadratic) / 2
    log_weights -= np.linalg.slogdet(precision)[1] / 2
    weights = np.exp(log_weights - logsumexp(log_weights))
    return basis, weights, centres, np.linalg.inv(precision)


@pytest.mark.parametrize(
    ("variance", "holes", "n_prior", "effective"),
    [
        (1.0, 0.2, 20_000, 400),
        pytest.param(1.0, 0.2, 200_000, 4000, marks=pytest.mark.slow),
        pytest.param(0.05, 0.0, 200_000, 1000, marks=pytest.mark.slow),
    ],
)
def test_three_systems_agree_with_importance_sampling(variance, holes, n_prior, effective):
    means = scores(3, 7, seed=3, holes=holes)
    noise = little_noise(means, variance) * np.linspace(0.5, 2, 7)[:, None, None]
    basis, weights, centres, covariances = brute_force(means, noise, n_prior, seed=1)
    assert 1 / (weights**2).sum() > effective  # draws from the prior that count
    found = draw(means, noise, seed=5)
    for i, j in [(0, 1), (0, 2), (1, 2)]:
        contrast = basis[:, i] - basis[:, j]
        sds = np.sqrt(contrast @ covariances @ contrast)
        difference = found[i] - found[j]
        for level in (0.025, 0.5, 0.975):
            x = np.quantile(difference, level)
            exact = weights @ stats.norm.cdf(x, centres @ contrast, sds)
            # four standard errors of 20,000 draws, and of the mixture, whose terms have a standard
            # deviation below 0.2
            error = np.sqrt(level * (1 - level) / 20_000 + 0.2**2 / effective)
            assert abs(exact - level) < 4 * error


def test_levels_and_the_unit_of_scores_do_not_matter():
    means = scores(3, 6, holes=0.1)
    noise = little_noise(means, 0.1)
    plain = draw(means, noise, 500)
    shifted = draw(means + np.array([0.0, 10.0, -20.0, 5.0, 1.0, 3.0]), noise, 500)
    assert_allclose(shifted - shifted[0], plain - plain[0], atol=1e-8)


def test_a_hole_on_a_hard_data_set_does_not_make_a_system_better():
    rng = np.random.default_rng(0)
    effects = np.array([0.3, 0.0, -0.1])
    levels = np.array([10.0, 9.0, 8.0, 9.5, 1.0, 2.0])
    means = effects[:, None] + levels + 0.05 * rng.normal(size=(3, 6))
    means[2, 4:] = np.nan  # the worst system was not run on the hardest data sets
    assert np.nanmean(means, axis=1).argmax() == 2
    found = draw(means, little_noise(means), 4000)
    assert_allclose(found.mean(axis=1) - found[1].mean(), effects, atol=0.1)
    # The level is that of all data sets.
    assert_allclose(found.mean(axis=1), effects + levels.mean(), atol=0.1)


def test_a_pair_hardly_depends_on_others():
    means = scores(2, 12)
    others = means.mean(axis=0) + 10 * np.random.default_rng(1).normal(size=(4, 12))
    alone = np.subtract(*draw(means, little_noise(means), 4000))
    joined = np.vstack([means, others])
    together = np.subtract(*draw(joined, little_noise(joined), 4000)[:2])
    # Without noise and holes, both have the mean difference as their centre. If all systems shared
    # one scale, the sd would be about ten times as large.
    error = 5 * np.hypot(alone.std(), together.std()) / np.sqrt(4000)
    assert_allclose(together.mean(), alone.mean(), atol=error)
    assert 0.8 < together.std() / alone.std() < 1.4


def test_twins_are_told_apart_by_no_more_than_the_noise():
    means = scores(3, 8)
    means[1] = means[0]
    found = draw(means, little_noise(means), 2000)
    assert np.abs(np.subtract(*found[:2])).max() < 0.2 * np.subtract(*found[1:]).std()
