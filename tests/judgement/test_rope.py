import numpy as np
import pytest

from skbayeseval import compare_many, compare_predictions
from skbayeseval.judgement.rope import check_rope, check_rope_around_zero, warn_of_one_rope
from skbayeseval.metrics import get_metric
from skbayeseval.metrics.registry import item_metric, split_metric


def test_ropes():
    for rope, region in (
        *((0.01, (-0.01, 0.01)), (0, (0, 0)), (np.float32(0.5), (-0.5, 0.5))),
        *(((-0.02, 0.01), (-0.02, 0.01)), ("0.5%", (-0.005, 0.005)), (" 1 %", (-0.01, 0.01))),
    ):
        assert check_rope(rope) == region
    f1 = get_metric("f1")
    assert check_rope({"f1": "2%", "accuracy": (-0.1, 0.2)}, f1) == (-0.02, 0.02)
    with pytest.raises(ValueError, match=r"rope has no entry for 'f1', only for \['accuracy'\]"):
        check_rope({"accuracy": 0.1}, f1)
    assert check_rope_around_zero((0.0, 0.1)) == (0, 0.1)
    with pytest.raises(ValueError, match="must contain 0"):
        check_rope_around_zero((0.01, 0.1))


@pytest.mark.parametrize(
    ("rope", "error", "message"),
    [
        (-0.01, ValueError, "rope=-0.01 must be finite and at least 0"),
        (np.inf, ValueError, "rope=inf must be finite and at least 0"),
        ((0.02, -0.02), ValueError, r"rope=\(0.02, -0.02\) must have low <= high"),
        ((1, 2, 3), TypeError, "rope must be a number, a string such as '1%' or a pair"),
        ("small", ValueError, "rope='small' is not a percentage"),
        ((-np.inf, 0.01), ValueError, r"must be finite. For a one-sided question, use non_inf"),
        ({"f1": 0.01}, TypeError, "rope must be that of a single metric here"),
        (None, TypeError, "rope is required: the largest difference that does not matter"),
    ],
)
def test_bad_ropes(rope, error, message):
    with pytest.raises(error, match=message):
        check_rope(rope)


@pytest.mark.parametrize(
    ("rope", "metric", "advice"),
    [
        (1, "accuracy", "from -1 to 1. Did you mean 0.01?"),
        (0.5, "accuracy", "Did you mean 0.005?"),
        (1, "matthews_corrcoef", "from -2 to 2. Did you mean 0.01?"),
        ((-1, 0.01), "f1", "use non_inferiority"),
        ({"f1": 1}, "f1", "Did you mean 0.01?"),
        (1, split_metric("roc_auc_ovr_weighted"), "Did you mean 0.01?"),
    ],
)
def test_a_rope_of_half_of_the_scale_is_refused(rope, metric, advice):
    with pytest.raises(ValueError, match="covers at least half") as caught:
        check_rope(rope, get_metric(metric) if isinstance(metric, str) else metric)
    assert advice in str(caught.value)


@pytest.mark.parametrize(
    ("names", "warned"),
    [
        (["accuracy", "f1", "roc_auc"], False),
        (["accuracy", "matthews_corrcoef"], False),
        (["roc_auc", "neg_brier_score"], True),
        (["r2", "neg_mean_absolute_error"], True),
    ],
)
def test_one_rope_for_metrics_of_several_scales(names, warned, recwarn):
    metrics = [get_metric(name) for name in names]
    for rope in (None, 0, "2%", dict.fromkeys(names, 0.02)):  # a percentage goes with each scale
        warn_of_one_rope(rope, metrics)
    assert not recwarn
    for rope in (0.02, (-0.01, 0.02)):
        warn_of_one_rope(rope, metrics)
    assert len(recwarn) == (2 if warned else 0)
    if warned:
        said = str(recwarn[0].message)
        assert f"rope={{{names[0]!r}: 0.02, {names[1]!r}: ...}}" in said


@pytest.mark.parametrize(
    ("metric", "expected"),
    [
        (get_metric("accuracy"), 0.01),
        (get_metric("r2"), 0.01),
        (get_metric("net_benefit_0.9"), 0.01),  # from -9 to 1
        (get_metric("neg_mean_absolute_error"), 0.45),
        (get_metric("neg_log_loss"), 0.45),
        (item_metric("grades", (0.0, 100.0)), 1.0),
        (item_metric("errors", (-5.0, 0.0)), 0.05),
        (split_metric("f1"), 0.01),
        (split_metric("own"), 0.45),
    ],
)
def test_what_a_percentage_is_of(metric, expected):
    for observed in (-45.0, 45.0):
        region = check_rope("1%", metric, observed)
        assert region == pytest.approx((-expected, expected))


def test_percentages_of_nothing():
    error = get_metric("neg_mean_absolute_error")
    assert check_rope(50, error) == (-50, 50)
    for observed, message in ((None, "no score was observed yet"), (0.0, "0"), (np.nan, "nan")):
        with pytest.raises(ValueError, match=rf"rope='1%' is a percentage .*{message}.*Pass a num"):
            check_rope("1%", error, observed)
    assert check_rope("1%", get_metric("accuracy")) == (-0.01, 0.01)


RNG = np.random.default_rng(0)
TRUTH = RNG.normal(200, 100, 150)
NOISE = {"a": 55, "b": 57, "c": 90}
GUESSES = {name: TRUTH + RNG.normal(0, sd, 150) for name, sd in NOISE.items()}


def test_percentages_of_an_error_are_of_that_of_b():
    options = {"scoring": "neg_mean_absolute_error", "random_state": 0, "n_draws": 1000}
    result = compare_predictions(TRUTH, GUESSES["a"], GUESSES["b"], **options)
    decision = result.decision("5%")
    r = decision.rope.high
    assert decision.rope == (-r, pytest.approx(0.05 * np.abs(TRUTH - GUESSES["b"]).mean()))
    assert f"; differences up to {r:.4g} are equivalent)" in str(decision)
    assert result.decision({"neg_mean_absolute_error": "5%"}) == decision
    for ask in ("probability", "expected_loss", "non_inferiority", "superiority"):
        assert getattr(result, ask)("5%") == getattr(result, ask)(r)
    assert result.summary("5%").equals(result.summary(r))
    assert result.plot(rope="5%").rope == pytest.approx((-r, r))
    subgroups = result.by(np.arange(150) % 2)
    assert subgroups.decision("5%").rope == pytest.approx((-r, r))  # of B overall, in all of them
    ranking = compare_many(TRUTH, GUESSES, **options)
    expected = 0.05 * min(np.abs(TRUTH - guess).mean() for guess in GUESSES.values())
    best = ranking.decision("5%").rope.high
    assert ranking.decision("5%").rope == (-best, pytest.approx(expected))
    assert ranking.tiers("5%").rope == pytest.approx((-best, best))
    assert ranking.summary("5%").equals(ranking.summary(best))
    assert ranking.non_inferiority("5%")["c"].margin == pytest.approx(best)
    of_c = 0.05 * np.abs(TRUTH - GUESSES["c"]).mean()
    assert ranking.non_inferiority("5%", "c")["a"].margin == pytest.approx(of_c)
