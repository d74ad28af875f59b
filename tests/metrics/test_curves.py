"""Curves of weighted instances against scikit-learn's, with `sample_weight`."""

import numpy as np
import pytest
from scipy.integrate import trapezoid
from sklearn.metrics import (
    average_precision_score,
    precision_recall_curve,
    roc_auc_score,
    roc_curve,
)

from skbayeseval.metrics import curves

RNG = np.random.default_rng(0)
TRUTH = (RNG.random(120) < 0.4).astype(int)
# Rounded, so that there are ties.
SCORES = np.round(np.clip(0.4 * TRUTH + 0.6 * RNG.random(120), 0, 1), 2)
WEIGHTS = RNG.gamma(1.0, size=(120, 3))
THRESHOLDS = np.linspace(0.05, 0.6, 7)


@pytest.mark.parametrize("draw", range(2))
def test_roc(draw):
    part = curves.roc(TRUTH, SCORES, WEIGHTS)
    heights = (part.top / part.bottom)[:, draw]
    fpr, tpr, _ = roc_curve(TRUTH, SCORES, sample_weight=WEIGHTS[:, draw], drop_intermediate=False)
    np.testing.assert_allclose(heights, np.interp(curves.FALSE_POSITIVE_RATES, fpr, tpr), atol=1e-9)
    area = roc_auc_score(TRUTH, SCORES, sample_weight=WEIGHTS[:, draw])
    assert trapezoid(heights, curves.FALSE_POSITIVE_RATES) == pytest.approx(area, abs=0.01)


@pytest.mark.parametrize("draw", range(2))
def test_precision_recall(draw):
    part = curves.precision_recall(TRUTH, SCORES, WEIGHTS)
    heights = (part.top / part.bottom)[:, draw]
    precision, recall, _ = precision_recall_curve(TRUTH, SCORES, sample_weight=WEIGHTS[:, draw])
    # From the highest threshold on, the first to reach each recall.
    reached, at = recall[::-1][1:], precision[::-1][1:]
    for height, wanted in zip(heights, curves.RECALLS, strict=True):
        assert height == pytest.approx(at[np.argmax(reached >= wanted - 1e-12)])
    area = average_precision_score(TRUTH, SCORES, sample_weight=WEIGHTS[:, draw])
    assert heights.mean() == pytest.approx(area, abs=0.015)


def test_net_benefit_by_its_definition():
    part = curves.net_benefit(TRUTH, SCORES, WEIGHTS, THRESHOLDS)
    weights = WEIGHTS[:, 1]
    for k, threshold in enumerate(THRESHOLDS):
        treated = threshold <= SCORES
        gain = weights[treated & (TRUTH == 1)].sum()
        harm = weights[treated & (TRUTH == 0)].sum() * threshold / (1 - threshold)
        assert (part.top / part.bottom)[k, 1] == pytest.approx((gain - harm) / weights.sum())


def test_calibration_by_its_definition():
    bins = (SCORES > 0.5).astype(int)
    part = curves.calibration(TRUTH, bins, WEIGHTS, 2)
    expected = np.average(TRUTH[bins == 1], weights=WEIGHTS[bins == 1, 2])
    assert (part.top / part.bottom)[1, 2] == pytest.approx(expected)
