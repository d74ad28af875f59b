"""The number of items that would settle a comparison."""

import numpy as np
import pytest

from skbayeseval import compare_items, compare_predictions
from skbayeseval.planning.sample_size import simulated_settled


def rng():
    return np.random.default_rng(0)


def test_a_settled_decision_needs_no_more_items():
    result = compare_items(*rng().normal([[1], [0]], 1, (2, 100)), random_state=0)
    assert result.required_sample_size(rope=0.01).n_more == 0


@pytest.mark.slow
def test_it_agrees_with_the_planner_of_predictions():
    n = 200
    y = np.arange(n) % 2
    right = rng().random((2, n)) < np.array([[0.85], [0.75]])
    # With 400 replications, the standard deviation of the logarithm is 0.27.
    plan = {"rope": 0.01, "n_replications": 4000}
    of_items = compare_items(*right, random_state=0).required_sample_size(**plan)
    a, b = (np.where(one, y, 1 - y) for one in right)
    expected = compare_predictions(y, a, b, random_state=0).required_sample_size(**plan)
    assert np.log(of_items.n_total / expected.n_total) == pytest.approx(0, abs=0.4)


def test_wider_scores_need_more_items():
    a, b = rng().normal(size=(2, 60))
    plain = compare_items(a, b, random_state=0).required_sample_size(0.2, random_state=1)
    assert " items " in str(plain)
    assert "instances" not in str(plain)
    wide = compare_items(10 * a, 10 * b, random_state=0).required_sample_size(2.0, random_state=1)
    assert wide.n_total == plain.n_total  # the ROPE is ten times as wide, too
    alike = compare_items(a, a + 0.1 * (b - b.mean()), random_state=0)
    by_rope = [alike.required_sample_size(rope, random_state=1).n_total for rope in (0.01, 0.02)]
    assert by_rope[0] > by_rope[1]  # equivalence within less takes more items


def test_a_size_that_is_never_enough():
    a, b = rng().normal(size=(2, 60))
    result = compare_items(a, b, random_state=0)
    assert result.required_sample_size(0.001, largest=100).never


def test_the_simulation_without_noise():
    """A difference of 0.5 with an sd of 1 per item is settled once 1.96 / sqrt(n) < 0.5 - 0.1."""
    decision = compare_items(*rng().normal(size=(2, 60)), random_state=0).decision(0.1)
    sizes = np.array([20.0, 24.0, 25.0, 100.0])

    class Quiet:
        def standard_normal(self, shape):
            return np.zeros(shape)

    settled = simulated_settled(np.array([0.5]), 0.5, 1 / np.sqrt(10), 10, sizes, decision, Quiet())
    assert settled.tolist() == [[False, False, True, True]]
