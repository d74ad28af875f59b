"""Scores on different scales."""

import warnings

import numpy as np
import pytest

from skbayeseval import compare_items, compare_many_items, compare_scores

rng = np.random.default_rng(0)
RIGHT = rng.integers(0, 2, 40)
OTHER = rng.integers(0, 2, 40)
SHARES = rng.integers(0, 9, 40) / 8
GRADES = rng.integers(0, 6, 40)
FEW = {"n_draws": 200, "random_state": 0}


@pytest.mark.parametrize(
    ("a", "b", "message"),
    [
        (RIGHT, 100 * OTHER, "scores_a contains 0 and 1, scores_b contains 0 and 100"),
        (RIGHT, 2 * OTHER - 1, "scores_a contains 0 and 1, scores_b contains -1 and 1"),
        (SHARES, 100 * SHARES[::-1], "from 0 to 1, scores_b contains numbers from 0 to 100"),
        (RIGHT[:, None] * [1, 1], 10 * OTHER, "scores_b contains 0 and 10"),
    ],
)  # fmt: skip
def test_items(a, b, message):
    with pytest.warns(UserWarning, match=f"may be on different scales: .*{message}") as caught:
        compare_items(a, b, **FEW)
    assert len(caught) == 1
    assert caught[0].filename == __file__
    with pytest.warns(UserWarning, match="x and y may be on different scales"):
        compare_many_items({"x": RIGHT, "y": 100 * OTHER, "z": OTHER}, **FEW)


@pytest.mark.parametrize(
    ("a", "b", "options"),
    [
        (GRADES, GRADES[::-1], {}),
        # All grades of one system are 0 and 1, or errors are few.
        (RIGHT, GRADES, {}),
        (np.zeros(40), 100 * OTHER, {}),
        # Seconds have no limit.
        (SHARES + 0.1, 60 + SHARES, {"higher_is_better": False}),
        (SHARES, SHARES[::-1] - 0.5, {}),
        # The limits of the scale are known.
        (RIGHT, 100 * OTHER, {"prior": {"limits": (0, 100)}, "model": "bootstrap"}),
    ],
)
def test_what_may_be_right_passes(a, b, options):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        compare_items(a, b, **options, **FEW)


def test_scores_of_splits_and_of_data_sets():
    a, b = [0.81, 0.79, 0.84, 0.80], [78.0, 77.0, 80.0, 79.0]
    with pytest.warns(UserWarning, match="scores_a and scores_b may be on different") as caught:
        compare_scores(a, b, test_fraction=0.25, **FEW)
    assert caught[0].filename == __file__
    with pytest.warns(UserWarning, match="scores_a and scores_b may be on different"):
        compare_scores([a, a], [b, b], model="signed-rank", **FEW)
    systems = {"x": dict(zip("pqrs", a, strict=True)), "y": dict(zip("pqrs", b, strict=True))}
    with pytest.warns(UserWarning, match="x and y may be on different scales") as caught:
        compare_scores(systems, **FEW)
    assert caught[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        compare_scores([0.95, 0.97, 0.99], [1.02, 1.03, 1.05], test_fraction=0.25, **FEW)
