"""Two estimators on several data sets."""

import numpy as np
import pytest

from skbayeseval import PyMCEngine, compare_scores, load_result
from skbayeseval.models import HierarchicalScores, SignedRank
from skbayeseval.models.signed_rank import (
    draw_weights,
    pseudo_medians,
    region_masses,
    region_probabilities,
)


def scores(n_data_sets=12, n_splits=10, gap=0.01, seed=0):
    rng = np.random.default_rng(seed)
    level = rng.normal(0.8, 0.05, (n_data_sets, 1))
    b = level + rng.normal(0, 0.02, (n_data_sets, n_splits))
    own = rng.normal(gap, 0.01, (n_data_sets, 1))
    return b + own + rng.normal(0, 0.01, (n_data_sets, n_splits)), b


def rank(a, b, **options):
    options = {"model": "signed-rank", "random_state": 0} | options
    return compare_scores(a, b, test_fraction=None, **options)


def test_rows_must_be_called_data_sets():
    a, b = scores()
    for given in (a, a.tolist(), [list(row) for row in a[:, :3]]):
        with pytest.raises(ValueError, match="if they are repeats on one data set"):
            compare_scores(given, b, test_fraction=0.1)


def test_equal_differences_leave_no_noise():
    a, _ = scores()
    b = a - 1 / 3
    assert np.ptp(a - b) > 0  # from rounding alone
    with pytest.raises(ValueError, match="must vary within at least one data set"):
        compare_scores(a, b, test_fraction=0.1, model="hierarchical")


def test_swapping_mirrors_it():
    a, b = scores()
    ab, ba = (rank(*x) for x in ((a, b), (b, a)))
    np.testing.assert_allclose(ab.draws, -ba.draws, atol=1e-12)
    for low, high in ((-0.01, 0.01), (-0.02, 0.01)):
        assert ab.probability((low, high))[::-1] == pytest.approx(ba.probability((-high, -low)))


def test_a_strong_prior_holds_back():
    a, b = scores()
    chances = [
        rank(a, b, model=SignedRank(strength)).probability(0.002).better
        for strength in (0.1, 0.5, 20.0)
    ]
    assert chances == sorted(chances, reverse=True)


def test_what_a_result_of_data_sets_can_and_cannot(tmp_path):
    result = rank(*scores())
    assert "20,000 independent draws from 12 data sets" in result.details()
    assert result.decision(0.05).code == "~"
    assert np.isnan(result.summary(0.01, bayes_factor=True)["bf"].iloc[0])
    assert list(result.frequentist().index) == ["sign test of data sets", "paired t of data sets"]
    for ask in (
        lambda: result.draws_a,
        lambda: result.hdi(of="b"),
        lambda: result.plot("joint"),
        lambda: result.bayes_factor(0.01),
        lambda: result.required_sample_size(0.01),
        lambda: result.pymc_model(),
        lambda: rank(*scores(), engine="pymc"),
    ):
        with pytest.raises(ValueError, match="alone|no proper prior|simulates|no PyMC model"):
            ask()
    result.save(tmp_path / "sets.npz")
    again = load_result(tmp_path / "sets.npz")
    assert again.probability(0.01) == result.probability(0.01)
    assert result.to_arviz().observed_data["datasets_score_A"].shape == (12, 10)


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"scores_b": scores(5)[1]}, ValueError, r"scores_b has shape \(5, 10\)"),
        ({"scores_a": [["x"], ["y"]]}, TypeError, "scores_a must contain numbers, got"),
        ({"scores_a": [[1.0, 2.0]]}, ValueError, "two or more data sets"),
        ({"scores_a": [[1.0, 2.0], [3.0]]}, ValueError, "scores_a must be an array, got rows of"),
        ({"model": "scores"}, ValueError, "model='scores' does not fit"),
        ({"model": SignedRank(0.0099)}, ValueError, "strength == 0.0099, must be >= 0.01"),
        ({"model": SignedRank(1_000_000.5)}, ValueError, "strength == 1000000.5, must be <= "),
        ({"model": "hierarchical", "test_fraction": None}, ValueError, "and test_fraction="),
    ],
)
def test_bad_input(change, error, message):
    a, b = scores()
    with pytest.raises(error, match=message):
        compare_scores(
            **(
                {"scores_a": a, "scores_b": b, "test_fraction": 0.1, "model": "signed-rank"}
                | change
            )
        )


@pytest.mark.slow
def test_hierarchical(tmp_path):
    engine = PyMCEngine(draws=1000, tune=500, chains=2, cores=1, target_accept=0.9)
    result = compare_scores(
        *scores(), test_fraction=0.1, model="hierarchical", engine=engine, random_state=0
    )
    assert (result.model, result.engine) == ("hierarchical scores", "pymc")
    assert result.metrics == ("score", "next data set")
    ranks = rank(*scores())
    assert result.draws.mean() == pytest.approx(ranks.draws.mean(), abs=0.002)
    assert np.ptp(result.hdi(metric="next data set")) > np.ptp(result.hdi())
    assert "A is better than B on the next data set" in result.explain()
    result.save(tmp_path / "sets.npz")
    again = load_result(tmp_path / "sets.npz")
    for metric in result.metrics:
        assert again.probability(0.01, metric=metric) == result.probability(0.01, metric=metric)
    data = result.to_arviz()
    assert data.posterior["delta"].shape == (2, 1000, 12)
    assert result.pymc_model()["delta0"] is not None
    by_model = HierarchicalScores()
    assert by_model.name == result.model


# The pieces of the signed-rank test.


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
    monkeypatch.setattr("skbayeseval.models.blocks.BLOCK_BYTES", 8 * 5 * 8 * 10)
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


@pytest.mark.parametrize(("n_data_sets", "rope"), [(30, 0.0), (12, 0.005), (5, 0.01)])
def test_probabilities_equal_baycomps(n_data_sets, rope):
    baycomp = pytest.importorskip("baycomp")
    rng = np.random.default_rng(n_data_sets)
    b = rng.uniform(0.6, 0.9, n_data_sets)
    a = b + rng.normal(0.006, 0.02, n_data_sets)
    p = np.array(baycomp.SignedRankTest.probs(b, a, rope, nsamples=20_000, random_state=0))
    ours = np.array(rank(a, b, n_draws=40_000).probability(rope))
    if rope == 0:
        assert ours[1] == 0
        ours = ours[[0, 2]]
    # Four standard errors of the difference.
    error = 4 * np.sqrt(np.maximum(p * (1 - p), 1e-4) * (1 / 20_000 + 1 / 40_000))
    assert (np.abs(ours - p) < error).all()


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
