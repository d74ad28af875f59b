"""Boards with holes: scores that are missing are estimated from systems that share items."""

import numpy as np
import pytest

from skbayeseval.compare.item_alignment import strangers, with_estimates


def board(seed=0, n_systems=6, n_items=30, holes=0.3, additive=False):
    rng = np.random.default_rng(seed)
    scores = rng.normal(size=(n_systems, 1)) + rng.normal(size=n_items)
    scores += 0.0 if additive else rng.normal(size=scores.shape)
    scores[rng.random(scores.shape) < holes] = np.nan
    return scores[:, np.isfinite(scores).any(axis=0)]


def means_by_least_squares(scores, weights):
    """The weighted mean of each system, from a design with a column per system and per item."""
    k, n = scores.shape
    system, item = np.nonzero(np.isfinite(scores))
    design = np.zeros((len(system), k + n))
    design[np.arange(len(system)), system] = design[np.arange(len(system)), k + item] = 1
    root = np.sqrt(weights[item])
    found = np.linalg.lstsq(design * root[:, None], root * scores[system, item], rcond=None)[0]
    filled = np.where(np.isfinite(scores), scores, found[:k, None] + found[k:])
    return filled @ weights / weights.sum()


def test_means_are_those_of_least_squares():
    scores = board()
    expected = means_by_least_squares(scores, np.ones(scores.shape[1]))
    np.testing.assert_allclose(with_estimates(scores).mean(axis=1), expected, atol=1e-12)


def test_the_spread_is_that_of_the_mean():
    """An item changes the weighted mean by its estimate, to the first order in its weight."""
    scores, step = board(), 1e-6
    estimates, n = with_estimates(scores), scores.shape[1]
    for i in (0, 7, n - 1):
        more, less = (np.ones(n) + sign * step * (np.arange(n) == i) for sign in (1, -1))
        change = means_by_least_squares(scores, more) - means_by_least_squares(scores, less)
        expected = (estimates[:, i] - estimates.mean(axis=1)) / n
        np.testing.assert_allclose(change / (2 * step), expected, atol=1e-7)


@pytest.mark.parametrize(("additive", "holes"), [(True, 0.3), (False, 0.0)])
def test_nothing_is_lost_where_all_is_additive_or_there(additive, holes):
    scores = board(additive=additive, holes=holes)
    full = board(additive=additive, holes=0.0)[:, : scores.shape[1]]
    np.testing.assert_allclose(with_estimates(scores), full, atol=1e-10)


def test_copies_and_order():
    scores = board()
    expected = with_estimates(scores)
    twice = with_estimates(scores[[0, 1, 2, 3, 4, 5, 2, 2]])
    np.testing.assert_array_equal(twice[6], twice[2])
    np.testing.assert_array_equal(twice[:6], expected)
    order = np.random.default_rng(1).permutation(6)
    np.testing.assert_array_equal(with_estimates(scores[order]), expected[order])
    items = np.random.default_rng(1).permutation(scores.shape[1])
    np.testing.assert_allclose(with_estimates(scores[:, items]), expected[:, items], atol=1e-12)
    np.testing.assert_allclose(with_estimates(3 - 2 * scores), 3 - 2 * expected, atol=1e-12)


@pytest.mark.parametrize(
    ("ranges", "expected"),
    [
        ([(0, 30), (0, 30), (20, 40)], [False, False, False]),
        # By way of others.
        ([(0, 20), (10, 40), (30, 50)], [False, False, False]),
        # Too few, none, and a part of their own.
        ([(0, 30), (0, 30), (21, 50)], [False, False, True]),
        ([(0, 30), (0, 30), (30, 60)], [False, False, True]),
        ([(0, 30), (0, 30), (0, 30), (30, 60), (30, 60)], [False] * 3 + [True] * 2),
        # Parts that nine items join, and ten.
        ([(0, 30), (0, 30), (21, 60), (21, 60), (21, 60)], [True] * 2 + [False] * 3),
        ([(0, 30), (0, 30), (20, 60), (20, 60), (20, 60)], [False] * 5),
        # The most systems, not the one with the most items.
        ([(0, 40), (40, 60), (40, 60)], [True, False, False]),
        # Few of each of two others.
        ([(0, 30), (30, 60), (24, 36)], [False, True, True]),
    ],
)
def test_strangers(ranges, expected):
    place = np.arange(60)
    scores = [np.where((low <= place) & (place < high), 1.0, np.nan) for low, high in ranges]
    assert strangers(np.array(scores)).tolist() == expected
