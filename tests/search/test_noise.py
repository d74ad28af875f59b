import math

import numpy as np
import pytest
from scipy.stats import t
from sklearn.model_selection import KFold, ShuffleSplit

from skbayeseval import compare_scores
from skbayeseval.metrics import get_metric
from skbayeseval.posterior.inferred_weight import WeightPosterior
from skbayeseval.search.noise import (
    draws_of_splits,
    first_copies,
    own_share,
    share_noise,
    spread_of_tables,
)


def test_own_share_is_what_the_limit_of_the_weight_leaves():
    independent = WeightPosterior(0.8, 1.0, math.inf, most=1.0)
    assert own_share(independent, 10, 5) == 1
    never_limited = WeightPosterior(0.01, 1.5, 6.0)
    assert own_share(never_limited, 10, 5) == 1
    # 100 times as heavy as allowed: nearly all of the variance is common, as far as is known.
    always_limited = WeightPosterior(100.0, 1.0, 10.0)
    shares = [own_share(always_limited, k, 5) for k in (2, 5, 10, 50)]
    assert shares == sorted(shares, reverse=True)
    assert shares[2] == shares[3] == pytest.approx((22.5 * 0.0125 + 4) / 26.5)
    assert shares[0] == pytest.approx((2.5 * 0.0125 + 4) / 6.5)


@pytest.mark.parametrize(("n_splits", "test_size"), [(5, None), (8, 0.2), (6, 0.5)])
def test_the_noise_of_differences_is_that_of_the_instances(n_splits, test_size):
    """Whether test sets are folds or drawn at random, so that they have instances in common."""
    rng, n, noises, differences = np.random.default_rng(0), 100, [], []
    for seed in range(600):
        cv = KFold(n_splits)
        if test_size is not None:
            cv = ShuffleSplit(n_splits, test_size=test_size, random_state=seed)
        tested = np.zeros((n_splits, n))
        for split, (_, test) in enumerate(cv.split(tested.T)):
            tested[split, test] = 1
        right = (rng.random((2, n)) < 0.8).astype(float)
        tables = np.zeros((2, n_splits, 2, 2))
        tables[..., 0, 0], tables[..., 0, 1] = right @ tested.T, (1 - right) @ tested.T
        times = tested.sum(axis=0)
        weight = times.sum() / np.square(times).sum()
        spread = spread_of_tables(get_metric("accuracy"), tables, 1, n_splits, weight)
        noises.append(spread.test_noise)
        differences.append((right[0] - right[1]) @ times / times.sum())
    assert np.mean(noises) == pytest.approx(np.var(differences), rel=0.15)


@pytest.mark.parametrize("own", [0.2, 0.7, 1.0])
def test_shared_noise_keeps_means_and_variances(own):
    rng = np.random.default_rng(0)
    draws = rng.normal([[0.9], [0.7]], [[0.01], [0.02]], (2, 100_000))
    found = share_noise(draws, own, rng)
    np.testing.assert_allclose(found.mean(axis=1), draws.mean(axis=1), atol=2e-4)
    np.testing.assert_allclose(found.std(axis=1), draws.std(axis=1), rtol=0.01)
    assert np.corrcoef(found)[0, 1] == pytest.approx(1 - own, abs=0.01)


def test_two_candidates_have_the_correlated_t():
    a, b = np.random.default_rng(1).normal(0.8, 0.05, (2, 6))
    draws, covariance = draws_of_splits(
        np.array([a, b]), 1 / 6 + 0.2 / 0.8, 200_000, np.random.default_rng(2)
    )
    expected = compare_scores(a, b, test_fraction=0.2, random_state=0)
    difference = draws[0] - draws[1]
    np.testing.assert_allclose(
        np.quantile(difference, [0.025, 0.5, 0.975]),
        t.ppf(
            [0.025, 0.5, 0.975],
            5,
            (a - b).mean(),
            np.sqrt(covariance[0, 0] * 2 - 2 * covariance[0, 1]),
        ),
        atol=1e-3,
    )
    assert np.mean(difference > 0) == pytest.approx(expected.probability().better, abs=0.005)


def test_noise_of_splits_is_found_among_many_candidates():
    rng = np.random.default_rng(3)
    scores = 0.8 + 0.03 * rng.standard_normal(5) + 0.01 * rng.standard_normal((2000, 5))
    found = []
    for start in range(0, 2000, 10):
        _, covariance = draws_of_splits(scores[start : start + 10], 1.0, 10, rng)
        found.append(covariance[0, 0] - covariance[0, 1])
    assert np.mean(found) == pytest.approx(0.01**2, rel=0.05)
    assert np.linalg.eigvalsh(covariance).min() > 0


def test_copies_are_found_in_all_splits():
    counts = np.random.default_rng(4).integers(0, 9, (3, 5, 2, 2))[[2, 1, 2, 0, 1]]
    assert first_copies(counts)[0].tolist() == [0, 1, 0, 3, 1]
    counts[2, 4, 1, 1] += 1
    assert first_copies(counts)[0].tolist() == [0, 1, 2, 3, 1]
