import numpy as np
import pytest
from sklearn import metrics as sk

from skbayeseval import (
    chunk_counter,
    compare_predictions,
)
from skbayeseval.engines.blocks import child_of
from skbayeseval.engines.gammas import GammaRows
from skbayeseval.metrics.registry import get_metric

MAE, R2 = "neg_mean_absolute_error", "r2"


def numbers(n=50, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.normal(3, 2, n)
    return y, *(y + s * rng.normal(size=n) for s in (0.5, 0.8))


@pytest.mark.parametrize(
    ("groups", "own"), [(None, None), (np.arange(50) // 5, np.tile([0.5, 2.0], 25))]
)
def test_draws_are_scikit_learns_metrics_under_the_same_weights(groups, own):
    y, a, b = numbers()
    result = compare_predictions(
        y, a, b, scoring=[MAE, R2], groups=groups, sample_weight=own, random_state=0
    )
    posterior = result._posterior
    unit = np.arange(50) if groups is None else groups
    gammas = GammaRows(np.ones(unit.max() + 1))
    weights = gammas.draw(child_of(np.random.default_rng(7)), 40)[gammas.place[unit]]
    for name, function, sign in ((MAE, sk.mean_absolute_error, -1), (R2, sk.r2_score, 1)):
        (ours,) = posterior.stream(get_metric(name), np.random.default_rng(7), 40)
        for said, of_one in zip((a, b), ours, strict=True):
            theirs = [
                sign * function(y, said, sample_weight=w if own is None else w * own)
                for w in weights.T
            ]
            np.testing.assert_allclose(of_one, theirs, rtol=1e-12, atol=1e-12)
        assert result.metric(name).observed_a == pytest.approx(
            sign * function(y, a, sample_weight=own), rel=1e-12
        )


def test_a_mean_has_the_spread_of_student_t():
    """With few instances, the interval of a mean difference is that of the paired t-test."""
    y, a, b = numbers(12)
    result = compare_predictions(y, a, b, scoring=MAE, n_draws=100_000, random_state=0)
    gain = np.abs(b - y) - np.abs(a - y)
    se = gain.std(ddof=1) / np.sqrt(12)
    low, high = result.interval()
    from scipy.stats import t

    assert result.draws.mean() == pytest.approx(gain.mean(), abs=0.02 * se)
    assert (high - low) / 2 == pytest.approx(t.ppf(0.975, 11) * se, rel=0.1)


def test_swapped():
    y, a, b = numbers()
    one = compare_predictions(y, a, b, scoring=[R2, MAE], random_state=0)
    other = compare_predictions(y, b, a, scoring=[R2, MAE], random_state=0)
    for name in (R2, MAE):
        np.testing.assert_allclose(one.metric(name).draws, -other.metric(name).draws, atol=1e-12)


def test_shift_and_scale():
    y, a, b = numbers()
    one = compare_predictions(y, a, b, scoring=[R2, MAE], random_state=0)
    other = compare_predictions(*(5 - 2 * v for v in (y, a, b)), scoring=[R2, MAE], random_state=0)
    np.testing.assert_allclose(other.metric(R2).draws, one.metric(R2).draws, atol=1e-10)
    np.testing.assert_allclose(other.metric(MAE).draws, 2 * one.metric(MAE).draws, atol=1e-10)


Y, A, B = numbers()


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        ((Y, A, B), {"scoring": "f1"}, "class labels, got continuous values.*scoring='r2'"),
        ((Y, A, B), {"scoring": "mae"}, "Did you mean 'neg_mean_absolute_error'"),
        ((Y, A, B), {"scoring": [R2, "f1"]}, "'f1' requires class labels"),
        ((Y, A, B), {"scoring": R2, "labels": [1, 2]}, "labels= does not apply to predictions of"),
        ((Y, A, B), {"scoring": R2, "y_score_a": A, "y_score_b": B}, "y_score_a= does not apply"),
        ((Y, A, B), {"scoring": R2, "model": "bcv"}, "the predictions are numbers"),
        ((Y, None, None), {"scoring": R2}, "require predictions"),
        ((0 * Y, A, B), {"scoring": R2}, "scoring='r2' cannot be computed: y_true is constant"),
        ((Y[:1], A[:1], B[:1]), {"scoring": MAE}, "a single instance"),
        ((Y, A, B), {"scoring": MAE, "groups": [0] * 50}, "a single group"),
    ],
)
def test_refuses(arguments, options, message):
    with pytest.raises(ValueError, match=message):
        compare_predictions(*arguments, **options)


# Tags.

COUNTER = chunk_counter("IOB2")


def tags(n=30, seed=0):
    rng = np.random.default_rng(seed)
    gold = [
        [str(one) for one in rng.choice(["O", "B-PER", "I-PER", "B-ORG"], rng.integers(1, 8))]
        for _ in range(n)
    ]
    said = [[[t if rng.random() < p else "O" for t in one] for one in gold] for p in (0.9, 0.7)]
    return gold, *said


def test_tags_are_counted():
    gold, a, b = tags()
    result = compare_predictions(gold, a, b, counter=COUNTER, scoring=["f1", "recall"])
    assert result.evidence == COUNTER(gold, a, b)
    assert result.model == "paired"
    weighted = compare_predictions(gold, a, b, counter=COUNTER, weight=0.5)
    assert weighted.metrics == ("f1",)
    assert weighted.evidence == COUNTER(gold, a, b, weight=0.5)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"counter": 3}, TypeError, "counter must be made by chunk_counter, got 3"),
        ({"labels": ["O"]}, ValueError, "labels= does not apply to tags"),
        ({"counter": chunk_counter("IOB2", types="LOC")}, ValueError, "finds none in it"),
        ({"model": "hierarchical"}, ValueError, "requires true negatives"),
        ({"scoring": "accuracy"}, ValueError, "requires true negatives"),
    ],
)
def test_refuses_with_tags(options, error, message):
    with pytest.raises(error, match=message):
        compare_predictions(*tags(), **({"counter": COUNTER} | options))
