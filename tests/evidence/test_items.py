"""Scores of items: what they say of themselves, and how they are stored."""

from itertools import combinations

import numpy as np
import pytest

from skbayeseval import compare_items
from skbayeseval.evidence.item_scores import ItemScores
from skbayeseval.metrics.registry import get_metric

NAN = np.nan


def items(a, b, group=None, **options):
    return ItemScores(np.array([a, b], dtype=float).reshape(2, len(a), -1), group, **options)


def test_share_of_runs_by_hand():
    # Differences of means 1 and 3, of variance 2 / 2 = 1. Within A 0.5 and 0.5, within B 2 and 0:
    # each with two runs, and the mean of two items has (0.25 + 0.25 + 1 + 0) / 4 = 0.375.
    a, b = [[2, 3], [4, 5]], [[0.5, 2.5], [1.5, 1.5]]
    assert items(a, b).run_share() == pytest.approx(0.375)
    # Without repeated runs, it is unknown.
    once = items([1, 2, 4], [0, 2, 1])
    assert (once.run_share(), once.remarks()) == (None, [])
    assert items([[1, NAN], [2, NAN]], [[0, 1], [2, 2]]).run_share() is None


def test_share_of_runs_in_a_simulation():
    rng = np.random.default_rng(0)
    n, runs = 4000, 4
    item = rng.normal(0, 1, (2, n, 1))
    scores = item + rng.normal(0, 3, (2, n, runs))
    expected = (9 / 4) / (1 + 9 / 4)
    for group in (np.arange(n) // 2, None):
        found = ItemScores(scores, group)
        assert found.run_share() == pytest.approx(expected, abs=0.03)
    ((keyword, words),) = found.remarks()
    assert keyword == "runs"
    assert f"{found.run_share():.0%}" in words
    assert "more runs per item would help" in words


def test_items_that_do_not_differ_leave_all_to_runs():
    noise = np.random.default_rng(0).normal(size=(2, 300, 3))
    said = compare_items(*noise, n_draws=100, random_state=0).details()
    assert "  runs        cause nearly all of the variance of the difference: more runs per" in said
    assert "100%" not in said


@pytest.mark.parametrize("k", [2, 3, 4])
def test_attempts_are_all_choices_of_runs(k):
    scores = np.random.default_rng(0).integers(0, 2, (2, 9, 6)).astype(float)
    scores[:, 3, 4:] = scores[:, 5, 5:] = NAN
    at_least_one, every = (
        ItemScores(scores, attempts=k, all_must_succeed=of_all).means for of_all in (False, True)
    )
    for system, item in np.ndindex(2, 9):
        runs = scores[system, item]
        chosen = np.array(list(combinations(runs[np.isfinite(runs)], k)))
        assert at_least_one[system, item] == pytest.approx(chosen.any(axis=1).mean())
        assert every[system, item] == pytest.approx(chosen.all(axis=1).mean())


def test_other_metrics_are_refused():
    with pytest.raises(ValueError, match="'f1' cannot be computed from one score per item"):
        items([1, 0], [0, 0]).check_metric(get_metric("f1"))
