import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score
from sklearn.model_selection import StratifiedKFold, cross_validate
from sklearn.naive_bayes import GaussianNB

from skbayeseval import (
    bayesian_cross_validate,
    compare_predictions,
    score_posterior,
)

X, Y = make_classification(203, weights=[0.8], flip_y=0.2, random_state=0)
CV = StratifiedKFold(5)
ESTIMATORS = [("logistic", LogisticRegression()), ("bayes", GaussianNB())]
OPTIONS = {"n_draws": 500, "random_state": 0}


@pytest.fixture(scope="module")
def means():
    found = (cross_validate(one, X, Y, cv=CV, scoring="f1") for _, one in ESTIMATORS)
    return [float(of_one["test_score"].mean()) for of_one in found]


@pytest.fixture(scope="module")
def result():
    return bayesian_cross_validate(*ESTIMATORS, X, Y, cv=CV, scoring="f1", **OPTIONS)


def test_means_of_splits_are_those_of_cross_validate(result, means):
    predicted = result.predictions
    pooled = [f1_score(Y, predicted[name, 0]) for name, _ in ESTIMATORS]
    assert f"{means[0]:.4f}" != f"{pooled[0]:.4f}"
    observed = f"logistic {pooled[0]:.4f}, bayes {pooled[1]:.4f}"
    assert str(result).splitlines()[1].endswith(f" (observed: {observed})")
    assert result.details().splitlines()[2] == (
        f"  observed    {observed} (all 5 splits together; mean of splits {means[0]:.4f} and "
        f"{means[1]:.4f})"
    )
    assert f"mean of splits {means[0]:.4f} and {means[1]:.4f})." in result.explain()


TRUTH = np.repeat([0, 1], [200, 100])


def with_errors(*number):
    return [np.where(np.arange(300) % 300 < n, 1 - TRUTH, TRUTH) for n in number]


@pytest.mark.parametrize(
    ("errors", "words"),
    [
        ((0, 0), "because no errors were seen"),
        ((0, 1), "because only 1 error was seen"),
        ((8, 9), "because only 17 errors were seen"),
        ((10, 10), None),
        ((3,), "because only 3 errors were seen"),
    ],
)
def test_few_errors_of_all_classifiers(errors, words):
    compare = compare_predictions if len(errors) == 2 else score_posterior
    text = str(compare(TRUTH, *with_errors(*errors), random_state=0))
    if words is None:
        assert "prior" not in text
    else:
        assert f"  caution     the prior matters, {words}: see prior_sensitivity()\n" in text


def test_a_scarce_class_matters_for_metrics_of_classes():
    y = np.r_[np.zeros(290, int), np.ones(10, int)]
    said = [np.roll(y, 5), np.roll(y, 8)]
    said[1] = np.where(np.arange(300) < 30, 1, said[1])
    f1, accuracy = (
        str(compare_predictions(y, *said, scoring=name, random_state=0))
        for name in ("f1", "accuracy")
    )
    assert "because only 10 instances of class 1 were seen" in f1
    assert "prior" not in accuracy


def test_weighted_errors_are_taken_for_what_they_are_worth():
    y, said = np.tile(TRUTH, 3), [np.tile(one, 3) for one in with_errors(8, 9)]
    text = str(compare_predictions(y, *said, weight=1 / 3, random_state=0))
    assert "because the errors count as only 17 independent ones" in text
