import math

import numpy as np
import pytest
from scipy import stats

from skbayeseval.evidence.validated_rows import Spread
from skbayeseval.metrics import get_metric
from skbayeseval.posterior.inferred_weight import (
    InferredWeights,
    KnownWeights,
    QuantityWeight,
    WeightPosterior,
    common_weight,
    infer_weight,
    shift_by_other_splits,
)

ACCURACY = get_metric("accuracy")


def spread(**changes):
    values = {"test_noise": 1e-4, "counts_noise": 4e-5, "contributing": 100.0,
              "between_splits": 1.0, "between_passes": 0.0, "n_passes": 3,
              "test_share": 0.5}  # fmt: skip
    return Spread(**(values | changes))


@pytest.mark.parametrize("df", [5.2, 6.0, 10.0, 40.0])
def test_the_mixture_is_a_student_t(df):
    """Normal draws of variance 1 / weight, mixed over the strata, are t with df."""
    weights = np.array(WeightPosterior(1e-3, 1.0, df).strata()) / 1e-3
    for prob in (0.9, 0.95, 0.975):
        quantile = stats.t.ppf(prob, df)
        found = stats.norm.cdf(quantile * np.sqrt(weights)).mean()
        assert found == pytest.approx(prob, abs=0.004)
    assert (1 / weights).mean() == pytest.approx(df / (df - 2))


def test_median_and_interval_are_those_of_chi_squared():
    weight = WeightPosterior(0.4, 1.6, 8.0)
    scaled = stats.chi2(8.0, scale=0.4 / 1.6 / 8)
    assert weight.median == pytest.approx(scaled.median())
    assert weight.interval(0.9) == pytest.approx(scaled.interval(0.9))


def test_a_known_kappa_is_one_weight():
    weight = WeightPosterior(0.4, 1.0, math.inf)
    assert weight.strata() == [0.4]
    assert weight.median == weight.matching_variance == 0.4
    assert weight.interval() == (0.4, 0.4)


def test_one_weight_with_the_variance_of_the_mixture():
    weight = WeightPosterior(0.01, 1.5, 6.0)
    of_mixture = np.mean(1 / np.array(weight.strata()))
    assert 1 / weight.matching_variance == pytest.approx(of_mixture)


def test_weights_are_at_most_one():
    weight = WeightPosterior(3.0, 1.0, 6.0)
    assert max(weight.strata()) == 1
    assert weight.median == 1
    assert max(weight._replace(most=0.3).strata()) == 0.3


def test_more_spread_is_less_weight():
    plain = infer_weight(spread()).median
    for more in ({"between_splits": 4.0}, {"contributing": 5000.0}):
        assert infer_weight(spread(**more)).median < plain
    assert infer_weight(spread(), single=True).median == pytest.approx(plain / 1.25)


def test_the_scale_is_the_documented_formula():
    """0.6 + 2 s R + 3 c / (c + 1000), of docs/models.md."""
    found = infer_weight(spread(contributing=250.0, between_splits=3.0, test_share=0.2))
    assert found.scale == pytest.approx(0.6 + 2 * 0.2 * 3 + 3 * 250 / 1250)
    assert found.test_only == pytest.approx(0.4)
    assert found.df == 8
    assert infer_weight(spread(n_passes=1)).df == 5


def test_scaling_the_metric_does_not_change_the_weight():
    """Percent instead of shares."""
    one = infer_weight(spread(), halves=np.array([0.02, 0.03]))
    other = infer_weight(spread(test_noise=1.0, counts_noise=0.4), halves=np.array([2.0, 3.0]))
    assert one == pytest.approx(other)


def test_halves_learn_kappa():
    rng = np.random.default_rng(0)
    for kappa in (1.0, 5.0):
        halves = rng.normal(0, 2 * np.sqrt(kappa * 1e-4), 2000)
        found = infer_weight(spread(), halves=halves)
        assert found.scale == pytest.approx(1.15 * kappa, rel=0.1)
        assert found.df == 0.65 * 2000
    assert infer_weight(spread(), halves=np.zeros(8)).scale == 0.25
    assert infer_weight(spread(), halves=np.zeros(8), single=True).scale == 1


def test_no_difference_at_all():
    found = infer_weight(spread(test_noise=0.0, counts_noise=0.0, times=3.0))
    assert found.test_only == pytest.approx(1 / 3)


def test_several_quantities_share_a_weight_by_their_noise():
    one, other = WeightPosterior(0.4, 1.5, 10.0), WeightPosterior(0.2, 3.0, 10.0)
    for noises, expected in (((3.0, 1.0, 0.0), (0.35, 1.875, 10.0, 1.0)), ((0.0,) * 3, one)):
        pairs = zip([(0, 1), (0, 2), (1, 2)], [one, other, other], noises, strict=True)
        known = {(ACCURACY, *pair): QuantityWeight(w, noise=noise) for pair, w, noise in pairs}
        found = InferredWeights(None, None, 3, _known=known).difference(ACCURACY)
        assert found == pytest.approx(expected)


def test_known_weights_of_some_metrics():
    weight = WeightPosterior(0.4, 1.0, math.inf)
    again = KnownWeights.of(common_weight(weight, "from nothing", 3), {"accuracy": ACCURACY}, 3)
    assert again.difference(ACCURACY) == weight
    assert again.pair(2, 0).quantity(ACCURACY, 1).weight == weight
    assert again.pair(0, 2).difference(get_metric("f1")) == weight
    assert again.basis == "from nothing"


def test_other_splits_move_the_difference_as_student_t():
    """With 3 repeats, the mean of 3 new ones is within t(2) times the standard error."""
    assert shift_by_other_splits(0.01, 3) == pytest.approx(0.01 * stats.t(2).ppf(0.9))
    assert shift_by_other_splits(0.01, 200, 0.95) == pytest.approx(0.0196, rel=0.01)
    common = common_weight(WeightPosterior(0.5, 1.5, 10.0), "", 2)
    assert common.quantity(ACCURACY, 0, 1).resplitting is None
