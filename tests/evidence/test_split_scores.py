"""Scores of splits as evidence."""

import numpy as np
import pytest

from skbayeseval.evidence.counts import margins_of
from skbayeseval.evidence.split_scores import SplitScores, check_scores, check_test_fraction
from skbayeseval.metrics.registry import split_metric

SCORES = SplitScores({"r2": [[0.5, 0.7], [0.4, 0.5], [0.1, 0.2]]}, 0.25)


def test_what_it_holds():
    assert (SCORES.n_classifiers, SCORES.n_splits) == (3, 2)
    assert SCORES.observed(split_metric("r2")) == pytest.approx((0.6, 0.45, 0.15))
    assert [margin.total for margin in margins_of(SCORES)] == [2, 2, 2]
    np.testing.assert_array_equal(SCORES.pair(2, 0).scores["r2"], [[0.1, 0.2], [0.5, 0.7]])
    with pytest.raises(ValueError, match="read-only"):
        SCORES.scores["r2"][0, 0] = 1


@pytest.mark.parametrize(
    ("scores", "error", "message"),
    [
        (["a", "b"], TypeError, "x must contain numbers"),
        (
            [[1, 2], [3, 4]],
            ValueError,
            r"x must contain one score per split, got an array of shape \(2, 2\)",
        ),
        ([1], ValueError, "at least two splits, got 1"),
        ([1, np.nan], ValueError, "Input x contains NaN or infinity"),
    ],
)
def test_bad_scores(scores, error, message):
    with pytest.raises(error, match=message):
        check_scores(scores, "x")


@pytest.mark.parametrize("value", [0, 1, 1.5, -0.1, np.nan])
def test_bad_test_fractions(value):
    with pytest.raises(ValueError, match="test_fraction == "):
        check_test_fraction(value)
    with pytest.raises(TypeError, match="test_fraction must be an instance of"):
        check_test_fraction("a tenth")
