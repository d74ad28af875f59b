import math
from importlib import import_module

import numpy as np
import pytest
from scipy import stats

from skbayeseval.metrics import get_metric
from skbayeseval.posterior.inferred_weight import (
    InferredWeights,
    KnownWeights,
    QuantityWeight,
    WeightPosterior,
    infer_weight,
    shift_by_other_splits,
    spread_out,
)
from tests.conftest import ROOT

ACCURACY = get_metric("accuracy")


@pytest.mark.parametrize("df", [5.2, 40.0])
@pytest.mark.parametrize("together", [True, False])
def test_normal_draws_become_a_student_t(df, together):
    """Normal draws of the test noise, spread by kappa, are t with df."""
    rng, weight = np.random.default_rng(0), WeightPosterior(1e-3, 1.7, df)
    draws = 1e3 + rng.standard_normal((2, 400_000))
    factors = weight.factors(rng, 400_000, weight.of_tests)
    spread = spread_out(draws, factors, (-np.inf, np.inf), together=together)
    assert spread.mean() == pytest.approx(1e3, abs=0.01)
    found = np.quantile(spread - 1e3, [0.9, 0.95, 0.975], axis=1).T / np.sqrt(1.7)
    np.testing.assert_allclose(found, [stats.t.ppf([0.9, 0.95, 0.975], df)] * 2, rtol=0.02)


@pytest.mark.parametrize(
    ("extent", "mirror"), [((0.0, 1.0), (0.0, 1.0)), ((-np.inf, 0.0), (0.0, np.inf))]
)
@pytest.mark.parametrize("together", [True, False])
def test_draws_stay_possible_and_mirrored(extent, mirror, together):
    rng = np.random.default_rng(0)
    draws = rng.beta([[20.0], [30.0]], 1.0, (2, 5000)) - (extent[1] == 0)
    factors = rng.choice([0.5, 1.0, 3.0], 5000)
    found = spread_out(draws, factors, extent, together=together)
    assert extent[0] <= found.min() <= found.max() <= extent[1]
    whole = 0.0 if math.isinf(sum(extent)) else 1.0
    mirrored = spread_out(whole - draws, factors, mirror, together=together)
    np.testing.assert_allclose(mirrored, whole - found, atol=1e-12)
    if together:
        differences, spread_differences = draws[0] - draws[1], found[0] - found[1]
        centre = differences.mean()
        wanted = centre + factors * (differences - centre)
        inside = np.abs(wanted) < 1
        np.testing.assert_allclose(spread_differences[inside], wanted[inside], atol=1e-12)
    else:
        np.testing.assert_allclose(found.mean(axis=1), draws.mean(axis=1), rtol=1e-5)
        assert stats.skew(found[0]) * stats.skew(draws[0]) > 0


def test_median_and_interval_are_those_of_chi_squared():
    weight = WeightPosterior(0.4, 1.6, 8.0)
    scaled = stats.chi2(8.0, scale=0.4 / 1.6 / 8)
    assert weight.median == pytest.approx(scaled.median())
    assert weight.interval(0.9) == pytest.approx(scaled.interval(0.9))


def test_weights_are_at_most_one():
    large = WeightPosterior(3.0, 1.0, 6.0)
    assert max(large.values()) == large.median == large.of_tests == 1


def test_one_weight_with_the_variance_of_all_draws():
    weight = WeightPosterior(0.01, 1.5, 6.0)
    assert 0.01 / weight.matching_variance == pytest.approx(1.5 * 6 / 4)
    limited = WeightPosterior(0.8, 1.1, 6.0)
    assert 1 / limited.matching_variance == pytest.approx(np.mean(1 / limited.values()), rel=0.01)
    for n_draws in (100, 200, 999, 1001, 1500, 10_000):
        factors = weight.factors(np.random.default_rng(0), n_draws, weight.of_tests)
        assert len(factors) == n_draws
        assert np.mean(factors**2) == pytest.approx(1.5 * 6 / 4, rel=0.02)


@pytest.fixture(scope="module")
def covered():
    """Whether intervals cover the truth of records of real data, and what they are about.

    benchmarks/coverage has the distance of each estimate from the truth, in standard deviations of
    the test noise, and the instability of the learners.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(ROOT / "benchmarks" / "coverage")
        cells = import_module("weight").load()

    def hits(chosen, *, seen=True):
        is_pair = cells.is_pair[chosen][0]
        learners = cells.log_b[cells.members[chosen].T]
        logs = [cells.log_b[chosen], *learners] if is_pair else [cells.log_b[chosen]]
        asked = np.stack([*logs, np.broadcast_to(~cells.is_average[chosen, None], logs[0].shape)])
        kinds, place = np.unique(asked.reshape(len(asked), -1), axis=1, return_inverse=True)
        weights = [
            infer_weight(
                0.4, instability=np.exp(b).tolist() if seen else (), by_class=bool(by_class)
            )
            for *b, by_class in kinds.T
        ]
        df, scale = np.array([(weight.df, weight.scale) for weight in weights]).T
        reach = stats.t.ppf(0.975, df) * np.sqrt(scale)
        schemes = slice(0 if seen else 1, None)  # the first are halves, which are always seen
        return np.abs(cells.z[schemes, chosen]) <= reach[place].reshape(logs[0].shape)

    return cells, hits


@pytest.mark.parametrize("pair", [False, True])
def test_kappa_covers_what_was_recorded_of_real_data(pair, covered):
    """A constant that is a third larger or smaller leaves these limits."""
    cells, hits = covered
    usual = (cells.apart == 0) & (cells.is_pair == pair)
    assert 0.9555 < hits(usual).mean() < 0.9635
    assert 0.945 < hits(usual & ~cells.is_average).mean() < 0.965
    assert 0.945 < hits(usual, seen=False).mean() < 0.965
    unstable = cells.log_b[usual] > math.log(3)
    assert 0.943 < hits(usual)[:, unstable].mean() < 0.957


def test_several_quantities_share_a_weight_by_their_noise():
    one, other = WeightPosterior(0.4, 1.5, 10.0), WeightPosterior(0.2, 3.0, 10.0)
    for noises, expected in (((3.0, 1.0, 0.0), (0.35, 1.875, 10.0)), ((0.0,) * 3, one)):
        each = zip(range(3), [one, other, other], noises, strict=True)
        known = {(ACCURACY, k, None): QuantityWeight(w, noise=noise) for k, w, noise in each}
        found = InferredWeights(None, None, 3, _known=known).difference(ACCURACY)
        assert found == pytest.approx(expected)


def test_other_splits_move_the_difference_as_student_t():
    """With 3 repeats, the mean of 3 new ones is within t(2) times the standard error."""
    assert shift_by_other_splits(0.01, 3) == pytest.approx(0.01 * stats.t(2).ppf(0.97))
    assert shift_by_other_splits(0.01, 200, 0.95) == pytest.approx(0.0196, rel=0.01)
    common = KnownWeights(2, "", {"": WeightPosterior(0.5, 1.5, 10.0)})
    assert common.quantity(ACCURACY, 0, 1).resplitting is None


def test_draws_at_a_limit_stay_there():
    draws = np.array([[1.0, 1.0, 0.9], [1.0, 1.0, 1.0]])  # 0.9 alone is the mean of the others
    found = spread_out(draws, np.full(3, 2.0), (0.0, 1.0), together=False)
    np.testing.assert_allclose(found, draws, rtol=1e-6)
