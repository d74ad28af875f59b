"""The model of several systems on several data sets."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats

from skbayeseval import compare_scores
from skbayeseval.evidence.split_scores import SystemScores
from skbayeseval.metrics.registry import NEXT_DATA_SET
from skbayeseval.models import HierarchicalSystems
from skbayeseval.models.systems import noise_of_means


def test_noise_of_splits_is_that_of_the_correlated_t_test():
    rng = np.random.default_rng(0)
    shared = rng.normal(size=1000)  # what makes a split easy for both
    scores = shared + 0.1 * rng.normal(size=(2, 3, 1000))
    noise = noise_of_means(scores, 0.1)
    differences = scores[0] - scores[1]
    expected = (1 / 1000 + 0.1 / 0.9) * differences.var(axis=1, ddof=1)
    found = noise[:, 0, 0] + noise[:, 1, 1] - 2 * noise[:, 0, 1]
    assert_allclose(found, expected, rtol=0.01)


def test_a_single_score_has_the_noise_of_the_others():
    scores = np.array([[[1.0, 3.0, np.nan]], [[2.0, np.nan, np.nan]]])
    noise = noise_of_means(scores, None)[0]
    assert noise[1, 1] == pytest.approx(2.0)  # the variance of the run of 1 and 3
    assert noise[0, 0] == pytest.approx(1.0)
    assert not noise_of_means(np.ones((3, 4, 1)), None).any()


def test_scores_in_steps_have_rounding_errors():
    scores = np.array([[[0.5], [0.25], [0.75]], [[0.25], [0.25], [0.5]]])
    evidence = SystemScores(scores, "score", ("x", "y", "z"), None)
    noise = HierarchicalSystems().specification(evidence).noise
    assert_allclose(noise[:, 0, 0], 0.25**2 / 12)


def rank(scores, names="abcdefgh", **options):
    """Return the ranking of scores of shape (n_systems, n_data_sets) or with a third axis."""
    systems = {name: dict(enumerate(of_one)) for name, of_one in zip(names, scores, strict=False)}
    return compare_scores(systems, **({"random_state": 0} | options))


def test_two_systems_on_the_next_data_set_in_closed_form():
    """The mean of n differences is flat a priori, and so is their standard deviation s.

    Given s^2 = S / chi2(n - 2), where S is the sum of squares, the next one has a variance of
    s^2 (1 + 1 / n).
    """
    differences = np.random.default_rng(0).normal(0.3, 1.0, 8)
    ranking = rank([differences, np.zeros(8)], n_draws=40_000)
    pair = ranking.pairs["a", "b"].metric(NEXT_DATA_SET)
    scale = np.sqrt(7 * differences.var(ddof=1) / 6 * (1 + 1 / 8))
    law = stats.t(6, differences.mean(), scale)
    points = law.ppf([0.025, 0.25, 0.5, 0.75, 0.975])
    # Ten Monte Carlo standard errors of 4,000 independent draws, or more.
    found = np.searchsorted(np.sort(pair.draws), points) / 40_000
    assert_allclose(found, [0.025, 0.25, 0.5, 0.75, 0.975], atol=0.02)
    assert pair.probability().better == pytest.approx(law.sf(0), abs=0.02)


def test_many_data_sets_tell_how_the_next_one_deviates():
    rng = np.random.default_rng(1)
    root = np.array([[1.0, 0, 0], [0.8, 0.6, 0], [0, 0, 2.0]])
    means = np.array([0.5, 0.0, 0.0])
    true = means[:, None] + root @ rng.normal(size=(3, 400)) + 5 * rng.normal(size=400)
    # Noise of runs, where it is known, is no part of the next data set.
    scores = true[..., None] + rng.normal(0, 1.0, (3, 400, 10))
    ranking = rank(scores, n_draws=2000)
    covariance = root @ root.T
    for i, j in ((0, 1), (0, 2), (1, 2)):
        sd = np.sqrt(covariance[i, i] + covariance[j, j] - 2 * covariance[i, j])
        pair = ranking.pairs[i, j].metric(NEXT_DATA_SET)
        assert pair.draws.std() == pytest.approx(sd, rel=0.1)
        expected = stats.norm.cdf((means[i] - means[j]) / sd)
        assert pair.probability().better == pytest.approx(expected, abs=0.06)


def test_the_next_data_set_does_not_change_the_mean():
    scores = np.random.default_rng(0).normal(size=(4, 9))
    ranking, again = rank(scores, n_draws=500), rank(scores, n_draws=500)
    again.ranking(metric=NEXT_DATA_SET)
    assert np.array_equal(ranking.draws, again.draws)
    of_next = again.metric(NEXT_DATA_SET)
    # Interactions of systems with a further data set have a mean of 0, also where means are pooled.
    difference = of_next.table["mean"] - ranking.table["mean"]
    assert_allclose(difference, 0, atol=5 * of_next.draws.std(axis=1).max() / np.sqrt(200))
    widths = [one.table["hdi_high"] - one.table["hdi_low"] for one in (ranking, of_next)]
    assert (widths[1] > 1.5 * widths[0]).all()


def test_other_orders_of_systems_and_data_sets_have_the_same_next_data_set():
    rng = np.random.default_rng(0)
    scores, order = rng.normal(size=(4, 9)), np.array([2, 0, 3, 1])
    draws = rank(scores, n_draws=300).metric(NEXT_DATA_SET).draws
    permuted = rank(scores[order], n_draws=300).metric(NEXT_DATA_SET).draws
    assert_allclose(permuted, draws[order], atol=1e-9)
    shuffled = rank(scores[:, rng.permutation(9)], n_draws=2000).metric(NEXT_DATA_SET)
    plain = rank(scores, n_draws=2000).metric(NEXT_DATA_SET)
    p_best = [one.table["p_best"].sort_index() for one in (shuffled, plain)]
    assert_allclose(*p_best, atol=0.05)
    pair, swapped = plain.pairs["a", "b"], plain.pairs["b", "a"]
    assert pair.probability(0.1) == swapped.probability(0.1)[::-1]
    assert np.array_equal(pair.draws, -swapped.draws)


def test_a_hole_leaves_the_next_data_set_of_others_as_it_was():
    rng = np.random.default_rng(0)
    scores = rng.normal(size=(3, 20)) + 5 * rng.normal(size=20)
    full = rank(scores, n_draws=4000)
    scores[2, :5] = np.nan
    holes = rank(scores, n_draws=4000)
    pairs = [one.pairs["a", "b"].metric(NEXT_DATA_SET) for one in (full, holes)]
    chances = [pair.probability().better for pair in pairs]
    assert chances[0] == pytest.approx(chances[1], abs=0.05)
    assert pairs[0].draws.std() == pytest.approx(pairs[1].draws.std(), rel=0.15)


@pytest.mark.parametrize("number", [1, 2])
def test_one_or_two_data_sets_do_not_tell_of_the_next(number):
    with pytest.raises(ValueError, match="At least three are needed to tell how much differences"):
        rank(np.random.default_rng(0).normal(size=(3, number)))


@pytest.mark.slow
def test_quantiles_of_the_next_data_set_are_met():
    """Of 60 tables of three systems and six data sets, 200 further data sets each."""
    rng = np.random.default_rng(0)
    at = np.array([0.025, 0.1, 0.25, 0.5, 0.75, 0.9, 0.975])
    below = []
    for seed in range(60):
        root = rng.normal(size=(3, 3)) / 2 + np.eye(3) / 2
        scores = rng.normal(size=(3, 1)) + root @ rng.normal(size=(3, 206))
        pair = rank(scores[:, :6], n_draws=300, random_state=seed).pairs["a", "b"]
        quantiles = np.quantile(pair.metric(NEXT_DATA_SET).draws, at)
        below.append(np.mean(scores[0, 6:] - scores[1, 6:] < quantiles[:, None], axis=1))
    # Three standard errors of 60 tables; intervals of few data sets are rather too wide.
    error = 3 * np.std(below, axis=0) / np.sqrt(60)
    assert (np.abs(np.mean(below, axis=0) - at) < error + 0.01).all()


def test_copies_are_equal_on_the_next_data_set():
    scores = np.random.default_rng(0).normal(size=(3, 9))
    scores[2] = scores[0]
    ranking = rank(scores, n_draws=1000).metric(NEXT_DATA_SET)
    assert ranking.table.loc["a", "p_best"] == ranking.table.loc["c", "p_best"]
    assert ranking.pairs["a", "c"].probability().better == pytest.approx(0.5, abs=0.06)
