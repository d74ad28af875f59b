from types import SimpleNamespace

import numpy as np
import pytest
from scipy.integrate import trapezoid
from sklearn.metrics import roc_curve

from skbayeseval import compare_predictions, metrics
from skbayeseval.metrics import curves
from skbayeseval.posterior.inferred_weight import QuantityWeight, WeightPosterior
from skbayeseval.results.figures import Curves

RNG = np.random.default_rng(1)
Y = (RNG.random(400) < 0.3).astype(int)
A, B = (np.clip(0.3 * gain * Y + 0.6 * RNG.random(400), 0, 1) for gain in (1.0, 0.5))


def compared(a, b, scoring="roc_auc", n_draws=100):
    options = {"scoring": scoring, "n_draws": n_draws, "random_state": 0}
    return compare_predictions(Y, None, None, y_score_a=a, y_score_b=b, **options)


RESULT = compared(A, B, n_draws=2000)


def test_bands_are_around_the_observed_curve_and_as_wide_as_a_proportion():
    band = Curves(RESULT._posterior, "roc").bands()[0]
    fpr, tpr, _ = roc_curve(Y, A, drop_intermediate=False)
    observed = np.interp(curves.FALSE_POSITIVE_RATES, fpr, tpr)
    np.testing.assert_allclose(band.mean, observed, atol=0.05)
    assert (band.low <= band.high).all()
    # Without negatives that could move the threshold, a recall is a proportion of the positives.
    net = Curves(RESULT._posterior, "net_benefit").bands()[0]
    share = Y.mean()
    sd = np.sqrt(share * (1 - share) / len(Y))
    assert net.high[0] - net.low[0] == pytest.approx(2 * 1.96 * sd, rel=0.1)
    assert trapezoid(band.mean, band.x) == pytest.approx(RESULT.draws_a.mean(), abs=0.01)


def test_net_benefit_over_chosen_thresholds():
    """The curves pass through the metric, whose draws come from other code."""
    difference = RESULT.plot("net_benefit_difference", thresholds=(0.1, 0.5))
    both = RESULT.plot("net_benefit", thresholds=(0.1, 0.5))
    x, mean, low, high = difference.curves["A minus B"]
    assert (x[0], x[-1]) == (0.1, 0.5)
    assert both.ax_.get_xlim() == pytest.approx((0.1, 0.5), abs=0.05)
    np.testing.assert_allclose(mean, both.curves["A"][1] - both.curves["B"][1], atol=1e-12)
    for place in (0, 49, 98):
        metric = RESULT.metric(metrics.net_benefit(x[place]))
        ends = np.array(metric.interval())
        assert mean[place] == pytest.approx(metric.draws.mean(), abs=0.05 * np.ptp(ends))
        assert [low[place], high[place]] == pytest.approx(ends, abs=0.1 * np.ptp(ends))
    treat_all = Y.mean() - (1 - Y.mean()) * x / (1 - x)
    np.testing.assert_allclose(both.reference[1], treat_all)


def calibration_difference(a, b):
    posterior = compared(a, b, "neg_brier_score")._posterior
    return Curves(posterior, "calibration_difference").difference()


def test_difference_in_calibration_bin_by_bin():
    """Bins are those of the probabilities of both; bands are as wide as those of a proportion."""
    a, b = A, np.clip(B + 0.3, 0, 1)
    band, p_higher = calibration_difference(a, b)
    edges = np.quantile(np.concatenate([a, b]), np.linspace(0, 1, 11))
    place = 0
    for low, high in zip([-1, *edges[1:-1]], [*edges[1:-1], 2], strict=True):
        of_a, of_b = ((low < p) & (p <= high) for p in (a, b))
        if not (of_a.any() and of_b.any()):
            continue
        gaps = [(Y - p)[rows] for p, rows in ((a, of_a), (b, of_b))]
        assert band.mean[place] == pytest.approx(gaps[0].mean() - gaps[1].mean(), abs=0.02)
        influence = np.zeros(len(Y))
        for sign, rows, gap in zip((1, -1), (of_a, of_b), gaps, strict=True):
            influence[rows] += sign * (gap - gap.mean()) / len(gap)
        if min(map(len, gaps)) >= 20:
            width = 2 * 1.96 * np.sqrt((influence**2).sum())
            assert band.high[place] - band.low[place] == pytest.approx(width, rel=0.15)
        place += 1
    assert place == len(band.x) == len(p_higher)
    swapped, _ = calibration_difference(b, a)
    np.testing.assert_allclose(swapped.mean, -band.mean, atol=1e-12)
    np.testing.assert_allclose(swapped.low, -band.high, atol=1e-12)
    same, _ = calibration_difference(a, a)
    assert not same.high.any()


@pytest.mark.parametrize("few", [(0.2, 0.7), (0.5,)])
def test_calibration_of_few_distinct_probabilities(few):
    """As those of a tree: bins that one of both does not use are left out."""
    a = np.where(Y == 1, few[-1], few[0])
    band, _ = calibration_difference(a, np.full(len(Y), few[0]))
    assert len(band.x) == 1
    expected = (Y - a)[a == few[0]].mean() - (Y - few[0]).mean()
    assert band.mean[0] == pytest.approx(expected, abs=0.02)
    with pytest.raises(ValueError, match="no bin of probabilities in common. Use kind='calib"):
        calibration_difference(np.full(400, 0.1), np.full(400, 0.9))


@pytest.mark.parametrize(
    ("kind", "thresholds", "error", "message"),
    [
        ("net_benefit", 0.3, TypeError, r"thresholds must be a pair .* got 0\.3"),
        ("net_benefit", (0.4, 0.1), ValueError, r"\(0\.4, 0\.1\) must have 0 < low < high < 1"),
        ("roc", (0.1, 0.5), ValueError, "kind='roc' has no thresholds"),
    ],
)
def test_wrong_thresholds(kind, thresholds, error, message):
    with pytest.raises(error, match=message):
        RESULT.plot(kind, thresholds=thresholds)


def test_what_is_missing_is_said():
    with pytest.raises(ValueError, match=r"kind='roc' requires instance scores.*y_score_a="):
        compare_predictions(Y, Y, 1 - Y, n_draws=100).plot("roc")
    ranks = compared(10 * A, B)
    ranks.plot("roc")
    with pytest.raises(ValueError, match="kind='calibration' requires predicted probabilities"):
        ranks.plot("calibration")


def test_the_difference_has_a_weight_of_its_own(monkeypatch):
    def widths():
        bands = [
            Curves(RESULT._posterior, "net_benefit_difference").difference()[0],
            Curves(RESULT._posterior, "net_benefit").bands()[1],
        ]
        return [np.mean(band.high - band.low) for band in bands]

    before = widths()
    light, full = (WeightPosterior(weight, 1.0, 1e6) for weight in (0.25, 1.0))
    given = {"difference": lambda _: light, "quantity": lambda *_: QuantityWeight(full)}
    weights = SimpleNamespace(n_strata=1, **given)
    monkeypatch.setattr(RESULT._posterior, "weights", weights)
    np.testing.assert_allclose(np.divide(widths(), before), [2.0, 1.0], rtol=0.05)
