import numpy as np
import pytest

from skbayeseval.models.data_sets import (
    draw_weights,
    pseudo_medians,
    region_masses,
    region_probabilities,
)


def weights_for(differences, n_draws=4000, strength=0.5, seed=0):
    return draw_weights(len(differences), strength, np.random.default_rng(seed), n_draws)


def masses_of_one_draw(w, differences, low, high):
    """Return the three masses by a loop over all pairs."""
    z = [0.0, *differences]
    masses = np.zeros(3)
    for i, j in np.ndindex(len(z), len(z)):
        total = z[i] + z[j]
        above = (total > 2 * high) + (total == 2 * high) / 2
        below = (total < 2 * low) + (total == 2 * low) / 2
        masses += w[i] * w[j] * np.array([below, 1 - below - above, above])
    return masses


@pytest.mark.parametrize(("low", "high"), [(0.0, 0.0), (-0.02, 0.01)])
def test_masses_equal_a_loop_over_pairs(low, high, monkeypatch):
    # Eighths of a power of two, so that the loop's ties are exact.
    differences = np.array([3, -1, 2, 2, -2, 0, 5]) / 128
    low, high = (round(limit * 128) / 128 for limit in (low, high))
    weights = weights_for(differences, 23)
    monkeypatch.setattr("skbayeseval.engines.blocks.BLOCK_BYTES", 8 * 5 * 8 * 10)
    found = region_masses(weights, differences, low, high)
    expected = [masses_of_one_draw(w, differences, low, high) for w in weights.T]
    np.testing.assert_allclose(found.T, expected, atol=1e-12)


def test_rounding_does_not_break_ties():
    # 0.3 - 0.2 and 0.2 - 0.3 + ... are not exactly opposite.
    weights = weights_for([1, 2])
    rounded = np.array([0.3 - 0.2, 0.7 - 0.8])
    assert rounded.sum() != 0
    found = region_masses(weights, rounded, 0.0, 0.0)
    np.testing.assert_allclose(found, region_masses(weights, [1.0, -1.0], 0.0, 0.0), atol=1e-12)


@pytest.mark.parametrize(("n_data_sets", "rope"), [(30, 0.0), (5, 0.01)])
def test_probabilities_equal_baycomps(n_data_sets, rope):
    baycomp = pytest.importorskip("baycomp")
    rng = np.random.default_rng(n_data_sets)
    x = rng.uniform(0.6, 0.9, n_data_sets)
    y = x + rng.normal(0.006, 0.02, n_data_sets)
    theirs = baycomp.SignedRankTest.probs(x, y, rope, nsamples=20_000, random_state=0)
    ours = region_probabilities(weights_for(x, 40_000), y - x, -rope, rope)
    if rope == 0:
        assert ours.equivalent == 0
        ours = (ours.worse, ours.better)
    # Four standard errors of the difference.
    p = np.array(theirs)
    error = 4 * np.sqrt(np.maximum(p * (1 - p), 1e-4) * (1 / 20_000 + 1 / 40_000))
    assert (np.abs(np.array(ours) - p) < error).all()


def test_swap():
    differences = np.array([0.02, -0.01, 0.05, 0.0, 0.013, -0.03])
    weights = weights_for(differences)
    here = region_masses(weights, differences, -0.02, 0.01)
    there = region_masses(weights, -differences, -0.01, 0.02)
    np.testing.assert_allclose(here, there[::-1], atol=1e-12)
    np.testing.assert_allclose(
        pseudo_medians(weights, -differences), -pseudo_medians(weights, differences), atol=1e-12
    )
    p = region_probabilities(weights, differences, -0.02, 0.01)
    q = region_probabilities(weights, -differences, -0.01, 0.02)
    assert p == pytest.approx(q[::-1])


def test_no_difference_is_neither():
    weights = weights_for(np.zeros(4))
    assert region_probabilities(weights, np.zeros(4), 0, 0) == (0.5, 0.0, 0.5)
    assert region_probabilities(weights, np.zeros(4), -0.01, 0.01) == (0.0, 1.0, 0.0)
    np.testing.assert_array_equal(pseudo_medians(weights, np.zeros(4)), 0.0)


def test_median_above_0_where_more_than_half_is():
    rng = np.random.default_rng(0)
    differences = np.round(rng.normal(0.005, 0.02, 9), 2)
    weights = weights_for(differences)
    better = region_masses(weights, differences, 0.0, 0.0)[2]
    median = pseudo_medians(weights, differences)
    assert 0 < (better > 0.5).mean() < 1
    np.testing.assert_array_equal(median > 0, better > 0.5)


def test_median_has_half_of_the_mass_on_either_side():
    # Without ties among sums the mass up to the median is 1/2, but for the pairs next to it.
    differences = np.random.default_rng(3).normal(0.01, 0.03, 7)
    weights = weights_for(differences, 200)
    z = np.r_[0.0, differences]
    averages = (z[:, None] + z).ravel() / 2
    for w, median in zip(weights.T, pseudo_medians(weights, differences), strict=True):
        mass = np.outer(w, w).ravel()
        below, above = mass[averages < median].sum(), mass[averages > median].sum()
        assert abs(below - above) <= 2 * mass.max()


def test_many_data_sets_give_the_hodges_lehmann_estimate():
    rng = np.random.default_rng(7)
    differences = rng.normal(0.01, 0.02, 200)
    medians = pseudo_medians(weights_for(differences, 300), differences)
    averages = (differences[:, None] + differences)[np.triu_indices(200)] / 2
    assert medians.mean() == pytest.approx(np.median(averages), abs=3e-4)
    # The estimate's error under a normal is sd sqrt(pi / 3 / n).
    assert medians.std() == pytest.approx(0.02 * np.sqrt(np.pi / 3 / 200), rel=0.2)
