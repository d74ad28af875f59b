import numpy as np
import pytest

from skbayeseval import (
    compare_many,
    compare_predictions,
    metrics,
    score_posterior,
)

RIGHT = metrics.from_instances(lambda y, p: y == p, "right")
NEG_ERROR = metrics.from_instances(lambda y, p: -np.abs(y - p), "neg_error")


def classes(n=60, names=("x", "y", "z")):
    rng = np.random.default_rng(0)
    y = rng.integers(0, len(names), n)
    said = [np.where(rng.random(n) < 0.7, y, rng.integers(0, len(names), n)) for _ in range(3)]
    return [np.array(names)[one] for one in (y, *said)]


def numbers(n=60):
    rng = np.random.default_rng(1)
    y = rng.normal(size=n)
    return [y, *(y + s * rng.normal(size=n) for s in (0.5, 0.7, 0.6))]


@pytest.mark.parametrize("names", [("x", "y", "z"), (3, 5)])
def test_right_answers_are_accuracy(names):
    y, a, b, _ = classes(names=names)
    ours = compare_predictions(y, a, b, scoring=RIGHT, random_state=0)
    theirs = compare_predictions(y, a, b, scoring="accuracy", random_state=0)
    assert ours.model == theirs.model
    assert (ours.observed_a, ours.observed_b) == pytest.approx(
        (theirs.observed_a, theirs.observed_b)
    )
    np.testing.assert_allclose(ours.draws, theirs.draws, atol=1e-12)


def test_beside_other_metrics_and_in_groups():
    y, a, b, _ = classes()
    options = {"groups": np.arange(60) // 3, "random_state": 0}
    diagonal = metrics.from_confusion(lambda t: np.trace(t, axis1=-2, axis2=-1), "diagonal")
    result = compare_predictions(y, a, b, scoring=["f1_macro", RIGHT, diagonal], **options)
    right, same = result.metric("right"), result.metric("diagonal")
    np.testing.assert_allclose(right.draws, same.draws, atol=1e-12)


def test_costs_of_classes():
    """Rows of a table of costs are true classes."""
    cost = np.array([[0.0, 1.0, 2.0], [5.0, 0.0, 1.0], [9.0, 3.0, 0.0]])
    y, a, b, _ = classes(names=(0, 1, 2))
    own = metrics.from_instances(lambda y, p: -cost[y, p], "minus_cost")
    result = compare_predictions(y, a, b, scoring=own, random_state=0)
    assert result.observed_a == pytest.approx(-cost[y, a].mean())
    assert result.observed_b == pytest.approx(-cost[y, b].mean())


def test_errors_of_numbers_are_the_mean_absolute_error():
    y, a, b, c = numbers()
    named, predictions = "neg_mean_absolute_error", {"a": a, "b": b, "c": c}
    for call in (
        lambda scoring: compare_predictions(y, a, b, scoring=scoring, random_state=0),
        lambda scoring: compare_many(y, predictions, scoring=scoring, random_state=0),
        lambda scoring: score_posterior(y, a, scoring=scoring, random_state=0),
    ):
        np.testing.assert_allclose(call(NEG_ERROR).draws, call(named).draws, atol=1e-12)


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda y, p: (y - y.mean()) ** 2, "other values when it is called with fewer instances"),
        (lambda y, p: np.mean(y == p), r"one number per instance.*got shape \(\)"),
        (lambda y, p: np.where(p > 0, np.nan, 1.0), "must return finite numbers, got nan for"),
        (lambda y, p: ["good"] * len(y), "raised ValueError: could not convert string"),
        (lambda y, p: y[99], "The function of metric 'own' raised IndexError: index 99"),
    ],
)
def test_functions_that_are_not_of_instances(function, message):
    y, a, b, _ = numbers()
    with pytest.raises(ValueError, match=message):
        compare_predictions(y, a, b, scoring=metrics.from_instances(function, "own"))


def test_indicators():
    y, said = np.eye(3, dtype=int)[[0, 1, 2, 0]], np.eye(3, dtype=int)[[0, 1, 0, 0]]
    exact = metrics.from_instances(lambda y, p: (y == p).all(axis=1), "exact")
    assert compare_predictions(y, said, y, scoring=exact, random_state=0).observed_a == 0.75
    with pytest.raises(ValueError, match="one number per instance"):
        compare_predictions(y, y, y, scoring=RIGHT)
