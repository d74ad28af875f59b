"""Scores of several systems on several data sets."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from skbayeseval.evidence.split_scores import SystemScores
from skbayeseval.metrics.registry import split_metric

SCORES = np.array(
    [
        [[0.5, 0.7], [0.8, np.nan], [0.2, np.nan]],
        [[0.4, np.nan], [np.nan, np.nan], [0.1, 0.3]],
        [[0.9, np.nan], [0.7, np.nan], [0.3, np.nan]],
    ]
)


def evidence(scores=SCORES, test_fraction=None):
    return SystemScores(scores.copy(), "accuracy", ("iris", "wine", "glass"), test_fraction)


def test_what_was_observed():
    found = evidence().observed(split_metric("accuracy"))
    assert found == pytest.approx((1.6 / 3, 0.3, 1.9 / 3))
    assert [margin.total for margin in evidence().margins()] == [3, 2, 3]
    assert list(evidence().observed_data()) == [f"datasets_accuracy_{k}" for k in "ABC"]


def test_pair():
    pair = evidence().pair(2, 0)
    assert_array_equal(pair.scores, SCORES[[2, 0]])
    sign, t = pair.split_tests("accuracy")
    assert sign[3].n == t[3].n == 3
    assert evidence().pair(0, 1).split_tests("accuracy")[1][3].n == 2
    apart = SCORES[:2].copy()
    apart[0, 0] = np.nan
    assert evidence(apart).split_tests("accuracy") == []
