"""Curves of weighted instances against scikit-learn's, with `sample_weight`."""

import numpy as np
import pytest
from sklearn.metrics import (
    average_precision_score,
    precision_recall_curve,
)

from skbayeseval.metrics import curves

RNG = np.random.default_rng(0)
TRUTH = (RNG.random(120) < 0.4).astype(int)
# Rounded, so that there are ties.
SCORES = np.round(np.clip(0.4 * TRUTH + 0.6 * RNG.random(120), 0, 1), 2)
WEIGHTS = RNG.gamma(1.0, size=(120, 3))


@pytest.mark.parametrize("draw", range(2))
def test_precision_recall(draw):
    top, bottom = curves.precision_recall(TRUTH, SCORES, WEIGHTS)
    heights = (top / bottom)[:, draw]
    precision, recall, _ = precision_recall_curve(TRUTH, SCORES, sample_weight=WEIGHTS[:, draw])
    # From the highest threshold on, the first to reach each recall.
    reached, at = recall[::-1][1:], precision[::-1][1:]
    for height, wanted in zip(heights, curves.RECALLS, strict=True):
        assert height == pytest.approx(at[np.argmax(reached >= wanted - 1e-12)])
    area = average_precision_score(TRUTH, SCORES, sample_weight=WEIGHTS[:, draw])
    assert heights.mean() == pytest.approx(area, abs=0.015)
