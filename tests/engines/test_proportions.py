import numpy as np
import pytest

from skbayeseval.engines.recalls import ProportionSampler


def draws(counts, n=4000, seed=0):
    return ProportionSampler(np.asarray(counts, dtype=float)).draw(np.random.default_rng(seed), n)


def test_proportions_sum_to_one_and_follow_the_classes():
    counts = np.array([40, 3, 0, 17, 40])
    found = draws(counts)
    np.testing.assert_allclose(found.sum(axis=1), 1)
    assert (found > 0).all()
    order = [3, 0, 4, 1, 2]
    again = draws(counts[order], seed=1)
    np.testing.assert_allclose(again.mean(axis=0), found.mean(axis=0)[order], atol=0.005)
    np.testing.assert_allclose(again.std(axis=0), found.std(axis=0)[order], rtol=0.1)


def test_few_unlike_classes_keep_the_uncertainty_of_their_counts():
    # Beta(60, 40) and its kin, as without any prior.
    found = draws([600, 300, 100])
    np.testing.assert_allclose(found.mean(axis=0), [0.6, 0.3, 0.1], atol=0.005)
    expected = np.sqrt(np.array([0.6 * 0.4, 0.3 * 0.7, 0.1 * 0.9]) / 1000)
    np.testing.assert_allclose(found.std(axis=0), expected, rtol=0.1)


@pytest.mark.parametrize("counts", [[200, 10], [5000, 300, 20, 3]])
def test_a_class_does_not_learn_from_itself(counts):
    share = np.array(counts) / sum(counts)
    found = draws(counts, 20_000)
    assert (found.std(axis=0) > 0.95 * np.sqrt(share * (1 - share) / sum(counts))).all()


def test_many_like_classes_share_what_they_know():
    rng = np.random.default_rng(2)
    counts = rng.multinomial(2000, np.full(200, 1 / 200))
    found = draws(counts, 1000)
    # The root mean squared error of the observed proportions is 1 / sqrt(10) of 1 / 200.
    off = np.sqrt(np.mean((found.mean(axis=0) - 1 / 200) ** 2)) * 200
    assert off < 0.5 / np.sqrt(10)
    inside = np.abs(found.mean(axis=0) - 1 / 200) < 2 * found.std(axis=0)
    assert inside.mean() > 0.9


@pytest.mark.parametrize("n_instances", [1500, 6000])
def test_intervals_of_uneven_classes_contain_the_truth(n_instances):
    rng = np.random.default_rng(3)
    truth = 1 / np.arange(1, 301)
    truth /= truth.sum()
    inside = []
    for _ in range(5):
        low, high = np.quantile(draws(rng.multinomial(n_instances, truth), 500), [0.025, 0.975], 0)
        inside.append((low <= truth) & (truth <= high))
    assert 0.9 < np.mean(inside) <= 1
