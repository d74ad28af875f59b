"""Labels that are predicted but never true."""

import numpy as np
import pytest
from sklearn.metrics import (
    accuracy_score,
    f1_score,
    precision_score,
    recall_score,
)

from skbayeseval import compare_many, compare_predictions, load_result, metrics, score_posterior

rng = np.random.default_rng(0)
Y = rng.integers(0, 3, 300)
A = np.where(rng.random(300) < 0.8, Y, rng.integers(0, 3, 300))
B = np.where(rng.random(300) < 0.75, Y, rng.integers(0, 3, 300))
ODD = np.where(np.arange(300) < 4, 7, B)
GROUPS = np.arange(300) // 5

TWINS = {
    "f1_macro": lambda y, p: f1_score(y, p, average="macro"),
    "recall_macro": lambda y, p: recall_score(y, p, average="macro", zero_division=0),
    "precision_macro": lambda y, p: precision_score(y, p, average="macro"),
}


@pytest.mark.parametrize("options", [{}, {"groups": GROUPS}], ids=["", "groups"])
@pytest.mark.parametrize("scoring", TWINS)
def test_each_observed_score_is_that_of_scikit_learn(scoring, options):
    result = compare_predictions(Y, A, ODD, scoring=scoring, random_state=0, **options)
    assert result.observed_a == pytest.approx(TWINS[scoring](Y, A))
    assert result.observed_b == pytest.approx(TWINS[scoring](Y, ODD))
    assert result.draws_a.mean() == pytest.approx(result.observed_a, abs=0.01)
    assert result.draws_b.mean() == pytest.approx(result.observed_b, abs=0.01)


@pytest.mark.parametrize("model", ["paired", "hierarchical"], ids=str)
def test_an_odd_prediction_of_b_leaves_a_alone(model):
    options = {"scoring": "f1_macro", "model": model, "random_state": 0}
    without = compare_predictions(Y, A, B, **options)
    result = compare_predictions(Y, A, ODD, **options)
    assert result.observed_a == without.observed_a
    sd = without.draws_a.std()
    assert abs(result.draws_a.mean() - without.draws_a.mean()) < 0.1 * sd
    assert result.draws_a.std() == pytest.approx(sd, rel=0.03)


def test_a_label_that_is_never_true_has_proportion_0():
    draws = compare_predictions(Y, A, ODD, scoring="recall_macro", random_state=0)
    # Three classes with their recall, and 0 for the label that is never right.
    three = compare_predictions(Y, A, ODD, scoring="balanced_accuracy", random_state=0)
    np.testing.assert_allclose(draws.draws_b, 0.75 * three.draws_b)


def test_declared_labels_enter_all_averages():
    result = compare_predictions(Y, A, ODD, scoring="f1_macro", labels=[0, 1, 2, 7], random_state=0)
    expected = f1_score(Y, A, average="macro", labels=[0, 1, 2, 7], zero_division=0)
    assert result.observed_a == pytest.approx(expected)


def test_it_is_said_saved_and_ranked(tmp_path):
    result = compare_predictions(Y, A, ODD, scoring="f1_macro", random_state=0)
    assert "that the classifier predicts: A 3, B 4" in result.details()
    without = compare_predictions(Y, A, B, scoring="f1_macro", random_state=0)
    assert "averages" not in without.details()
    result.save(tmp_path / "result")
    (path,) = tmp_path.iterdir()
    again = load_result(path)
    assert again.observed_a == result.observed_a
    assert str(again) == str(result)
    assert again.details() == result.details()
    ranking = compare_many(Y, {"a": A, "b": B, "odd": ODD}, scoring="f1_macro", random_state=0)
    np.testing.assert_allclose(ranking.table["mean"].to_numpy(), [0.855, 0.81, 0.6], atol=0.02)
    single = score_posterior(Y, ODD, scoring="f1_macro", random_state=0)
    assert single.observed == pytest.approx(f1_score(Y, ODD, average="macro"))


def test_own_averages_over_classes():
    """A function of tables cannot tell who predicts a class; the metric of the same name can."""

    def macro(y_true, y_pred, sample_weight=None):
        weights = {"sample_weight": sample_weight, "zero_division": 0}
        return f1_score(y_true, y_pred, average="macro", **weights)

    quick = {"n_draws": 100, "random_state": 0}
    with pytest.raises(ValueError, match=r"depends on which classes .* \[7\] are never true"):
        compare_predictions(Y, A, ODD, scoring=metrics.weighted(macro), **quick)
    same = compare_predictions(Y, ODD, ODD, scoring=metrics.weighted(macro), **quick)
    assert same.observed_a == pytest.approx(macro(Y, ODD))
    accuracy = metrics.weighted(accuracy_score)
    result = compare_predictions(Y, A, ODD, scoring=accuracy, **quick)
    assert result.observed_b == pytest.approx((Y == ODD).mean())
