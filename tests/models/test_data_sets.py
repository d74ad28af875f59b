"""Two estimators on several data sets."""

import numpy as np
import pytest

from skbayeseval import PyMCEngine, compare_scores, load_result
from skbayeseval.models import HierarchicalScores, SignedRank


def scores(n_data_sets=12, n_splits=10, gap=0.01, seed=0):
    rng = np.random.default_rng(seed)
    level = rng.normal(0.8, 0.05, (n_data_sets, 1))
    b = level + rng.normal(0, 0.02, (n_data_sets, n_splits))
    own = rng.normal(gap, 0.01, (n_data_sets, 1))
    return b + own + rng.normal(0, 0.01, (n_data_sets, n_splits)), b


def rank(a, b, **options):
    return compare_scores(a, b, test_fraction=None, model="signed-rank", random_state=0, **options)


def test_rows_must_be_called_data_sets():
    a, b = scores()
    for given in (a, a.tolist(), [list(row) for row in a[:, :3]]):
        with pytest.raises(ValueError, match="if they are repeats on one data set"):
            compare_scores(given, b, test_fraction=0.1)


@pytest.mark.slow
@pytest.mark.parametrize("rope", [0.0, 0.005, 0.01])
@pytest.mark.parametrize("seed", [0, 1])
def test_signed_rank_equals_baycomp(rope, seed):
    baycomp = pytest.importorskip("baycomp")
    a, b = scores(seed=seed, gap=0.004)
    ours = compare_scores(
        a, b, test_fraction=None, model="signed-rank", random_state=0, n_draws=50_000
    )
    theirs = baycomp.SignedRankTest.probs(b.mean(1), a.mean(1), rope, random_state=1)
    worse, equivalent, better = ours.probability(rope)
    error = 4 * np.sqrt(2 * 0.25 / 50_000)
    assert (worse, better) == pytest.approx((theirs[0], theirs[-1]), abs=error)
    assert equivalent == pytest.approx(theirs[1] if rope else 0, abs=error)


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
    assert ab.probability(0.01)[::-1] == pytest.approx(ba.probability(0.01))


def test_a_strong_prior_holds_back():
    a, b = scores()
    chances = [
        rank(a, b, prior={"strength": s}).probability(0.002).better for s in (0.1, 0.5, 20.0)
    ]
    assert chances == sorted(chances, reverse=True)
    by_model = compare_scores(a, b, test_fraction=0.1, model=SignedRank(20.0), random_state=0)
    assert by_model.probability(0.002).better == chances[-1]


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
        ({"prior": {"strength": 0.0099}}, ValueError, "strength == 0.0099, must be >= 0.01"),
        ({"prior": {"strength": 1_000_000.5}}, ValueError, "strength == 1000000.5, must be <= "),
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
    result.save(tmp_path / "sets.npz")
    again = load_result(tmp_path / "sets.npz")
    for metric in result.metrics:
        assert again.probability(0.01, metric=metric) == result.probability(0.01, metric=metric)
    data = result.to_arviz()
    assert data.posterior["delta"].shape == (2, 1000, 12)
    assert result.pymc_model()["delta0"] is not None
    by_model = HierarchicalScores()
    assert by_model.name == result.model
