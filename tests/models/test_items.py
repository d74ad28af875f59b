"""Draws of mean scores of items against closed forms."""

import numpy as np
import pytest
from scipy.stats import beta, kstest

from skbayeseval.evidence.item_scores import ItemScores
from skbayeseval.models.bootstrap import WeightedSums
from skbayeseval.models.items import ItemWeights, RightOrWrong

N_DRAWS = 40_000


def drawn(stream):
    return np.concatenate(list(stream), axis=1)


def weighted_means(scores, group=None, seed=0, **options):
    evidence = ItemScores(np.asarray(scores, dtype=float)[:, :, None], group, **options)
    rng = np.random.default_rng(seed)
    return drawn(ItemWeights().specification(evidence).stream(None, rng, N_DRAWS))


def probabilities(right, *, prior=False, theta=1.0, n_draws=N_DRAWS, seed=0):
    evidence = ItemScores(np.asarray(right, dtype=float)[:, :, None])
    specification = RightOrWrong(theta).specification(evidence)
    rng = np.random.default_rng(seed)
    return drawn(specification.stream(None, rng, n_draws, prior=prior))


def test_the_mean_of_two_items_is_uniform_between_them():
    found = weighted_means([[0.0, 1.0], [3.0, 1.0]])
    assert kstest(found[0], "uniform").pvalue > 0.001
    np.testing.assert_allclose(found[1], 3 - 2 * found[0], atol=1e-12)


def test_equal_items_share_a_weight():
    # k right items of n: a Beta(k, n - k) variable.
    right = np.repeat([1.0, 0.0], [13, 4])
    found = weighted_means([right, 1 - right])
    assert kstest(found[0], beta(13, 4).cdf).pvalue > 0.001
    sums = WeightedSums(np.vstack([np.ones(17), right]))
    assert sums.n_own == 2


def test_mean_and_covariance_of_the_bayesian_bootstrap():
    scores = np.random.default_rng(1).gamma(0.5, size=(2, 12))
    found = weighted_means(scores)
    np.testing.assert_allclose(found.mean(axis=1), scores.mean(axis=1), atol=0.01)
    np.testing.assert_allclose(np.cov(found), np.cov(scores, ddof=0) / 13, rtol=0.03, atol=5e-4)


def test_groups_are_weighted_by_their_size():
    # Two groups, of three items and of one: (3 w 1 + (1 - w) 0) / (3 w + 1 - w).
    found = weighted_means([[1, 1, 1, 0], [0, 0, 0, 1]], np.array([0, 0, 0, 1]))[0]
    weight = found / (3 - 2 * found)
    assert kstest(weight, "uniform").pvalue > 0.001


def test_large_scores_lose_no_digits():
    scores = np.random.default_rng(0).random((2, 10))
    near, far = weighted_means(scores), weighted_means(scores + 2.0**40)
    np.testing.assert_allclose(far[0] - far[1], near[0] - near[1], atol=2e-3)


@pytest.mark.parametrize(("n_systems", "prior"), [(2, False), (3, True), (5, False)])
def test_every_system_has_a_beta_distribution(n_systems, prior):
    right = np.random.default_rng(0).random((n_systems, 15)) < 0.6
    found = probabilities(right, prior=prior)
    for values, hits in zip(found, right.sum(axis=1), strict=True):
        a, b = (2, 2) if prior else (2 + hits, 2 + 15 - hits)
        assert kstest(values, beta(a, b).cdf).pvalue > 0.001


@pytest.mark.parametrize(("n_systems", "theta"), [(2, 0.5), (4, 1.0)])
def test_the_difference_of_a_pair_does_not_depend_on_the_others(n_systems, theta):
    right = (np.random.default_rng(1).random((n_systems, 12)) < 0.5).astype(int)
    a, b = right[:2]
    shapes = theta + np.array([(a & b).sum(), (a > b).sum(), (a < b).sum(), (a + b == 0).sum()])
    total = shapes.sum()
    only_a, only_b = shapes[1:3] / total
    first, second, *_ = probabilities(right, theta=theta)
    variance = (only_a + only_b - (only_a - only_b) ** 2) / (total + 1)
    difference = first - second
    assert difference.mean() == pytest.approx(only_a - only_b, abs=4 * np.sqrt(variance / N_DRAWS))
    assert difference.var() == pytest.approx(variance, rel=0.03)
