import math

import numpy as np
import pytest
from scipy.integrate import trapezoid
from sklearn.metrics import roc_curve

from skbayeseval import compare_many, compare_predictions, metrics
from skbayeseval.metrics import curves
from skbayeseval.posterior.curves import curve_bands, net_benefit_difference
from skbayeseval.posterior.inferred_weight import QuantityWeight, WeightPosterior

RNG = np.random.default_rng(1)
Y = (RNG.random(400) < 0.3).astype(int)
A, B = (np.clip(0.3 * gain * Y + 0.6 * RNG.random(400), 0, 1) for gain in (1.0, 0.5))
RESULT = compare_predictions(
    Y, None, None, y_score_a=A, y_score_b=B, scoring="roc_auc", n_draws=2000, random_state=0
)


def posterior_of(result):
    return result._posterior


def test_bands_are_around_the_observed_curve_and_as_wide_as_a_proportion():
    band = curve_bands(posterior_of(RESULT), "roc")[0]
    fpr, tpr, _ = roc_curve(Y, A, drop_intermediate=False)
    observed = np.interp(curves.RATES, fpr, tpr)
    np.testing.assert_allclose(band.mean, observed, atol=0.05)
    assert (band.low <= band.high).all()
    # Without negatives that could move the threshold, a recall is a proportion of the positives.
    net = curve_bands(posterior_of(RESULT), "net_benefit")[0]
    share = Y.mean()
    sd = np.sqrt(share * (1 - share) / len(Y))
    assert net.high[0] - net.low[0] == pytest.approx(2 * 1.96 * sd, rel=0.1)


def test_the_area_under_the_mean_curve_is_the_mean_area():
    band = curve_bands(posterior_of(RESULT), "roc")[0]
    assert trapezoid(band.mean, band.x) == pytest.approx(RESULT.draws_a.mean(), abs=0.01)


def test_runs_are_kept_apart():
    """Scores of another fit on another scale leave the curve alone."""
    both = compare_predictions(
        Y, None, None, y_score_a=A, y_score_b=B, scoring="roc_auc", n_draws=100, random_state=0
    )
    scored = both._posterior.scored
    moved = {
        kind: scores + 5.0 * (np.arange(400) % 2) for kind, scores in scored.responses[0].items()
    }
    object.__setattr__(scored, "responses", (moved, scored.responses[1]))
    object.__setattr__(scored, "run", np.arange(400) % 2)
    apart = curve_bands(both._posterior, "roc")[0]
    np.testing.assert_allclose(apart.mean, curve_bands(RESULT._posterior, "roc")[0].mean, atol=0.08)


@pytest.mark.parametrize("kind", curves.CURVES)
def test_plots(kind):
    display = RESULT.plot(kind)
    expected = ["A minus B"] if kind == "net_benefit_difference" else ["A", "B"]
    assert list(display.curves) == expected
    assert len(display.line_) == len(display.fill_) == len(expected)
    assert "95% bands" in display.ax_.get_title()


def test_net_benefit_over_chosen_thresholds():
    """The curves pass through the metric, whose draws come from other code."""
    difference = RESULT.plot("net_benefit_difference", thresholds=(0.1, 0.5))
    both = RESULT.plot("net_benefit", thresholds=(0.1, 0.5))
    x, mean, low, high = difference.curves["A minus B"]
    assert (x[0], x[-1]) == (0.1, 0.5)
    low_x, high_x = both.ax_.get_xlim()
    assert 0.05 < low_x < 0.1
    assert 0.5 < high_x < 0.55
    np.testing.assert_allclose(mean, both.curves["A"][1] - both.curves["B"][1], atol=1e-12)
    for place in (0, 49, 98):
        metric = RESULT.metric(metrics.net_benefit(x[place]))
        interval = metric.interval()
        width = interval.high - interval.low
        assert mean[place] == pytest.approx(metric.draws.mean(), abs=0.05 * width)
        assert low[place] == pytest.approx(interval.low, abs=0.1 * width)
        assert high[place] == pytest.approx(interval.high, abs=0.1 * width)
    treat_all = Y.mean() - (1 - Y.mean()) * x / (1 - x)
    np.testing.assert_allclose(both.reference[1], treat_all)


def test_the_difference_has_a_weight_of_its_own(monkeypatch):
    class Weights:
        n_strata = 1

        def difference(self, metric):
            return WeightPosterior(0.25, 1.0, math.inf)

        def quantity(self, metric, classifier):
            return QuantityWeight(WeightPosterior(1.0, 1.0, math.inf))

    def widths():
        bands = [
            net_benefit_difference(RESULT._posterior)[0],
            curve_bands(RESULT._posterior, "net_benefit")[1],
        ]
        return [np.mean(band.high - band.low) for band in bands]

    before = widths()
    monkeypatch.setattr(RESULT._posterior, "weights", Weights())
    np.testing.assert_allclose(np.divide(widths(), before), [2.0, 1.0], rtol=0.05)


@pytest.mark.parametrize(
    ("kind", "thresholds", "error", "message"),
    [
        ("net_benefit", 0.3, TypeError, r"thresholds must be a pair .* got 0\.3"),
        ("net_benefit", (0.4, 0.1), ValueError, r"\(0\.4, 0\.1\) must have 0 < low < high < 1"),
        ("net_benefit", (0.0, 0.5), ValueError, "must have 0 < low < high < 1"),
        ("roc", (0.1, 0.5), ValueError, "kind='roc' has no thresholds"),
    ],
)
def test_wrong_thresholds(kind, thresholds, error, message):
    with pytest.raises(error, match=message):
        RESULT.plot(kind, thresholds=thresholds)


def test_what_is_missing_is_said():
    labels = compare_predictions(Y, Y, 1 - Y, n_draws=100, random_state=0)
    with pytest.raises(ValueError, match=r"kind='roc' requires instance scores.*y_score_a="):
        labels.plot("roc")
    ranks = compare_predictions(
        Y, None, None, y_score_a=10 * A, y_score_b=B, scoring="roc_auc", n_draws=100, random_state=0
    )
    ranks.plot("roc")
    with pytest.raises(ValueError, match="kind='calibration' requires predicted probabilities"):
        ranks.plot("calibration")
    many = np.arange(400) % 3
    scores = RNG.dirichlet(np.ones(3), 400)
    three = compare_many(
        many, None, scores={"a": scores, "b": scores[::-1]}, scoring="roc_auc_ovr", n_draws=100
    )
    with pytest.raises(ValueError, match="requires a binary problem, got 3 classes"):
        three.pairs["a", "b"].plot("roc")
