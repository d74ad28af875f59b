import numpy as np
import pytest

from skbayeseval import compare_predictions, score_posterior

Y = np.repeat([0, 1], [200, 100])


def with_errors(*number):
    return [np.where(np.arange(300) % 300 < n, 1 - Y, Y) for n in number]


@pytest.mark.parametrize(
    ("errors", "words"),
    [
        ((0, 0), "because no errors were seen"),
        ((0, 1), "because only 1 error was seen"),
        ((8, 9), "because only 17 errors were seen"),
        ((10, 10), None),
        ((3,), "because only 3 errors were seen"),
        ((20,), None),
    ],
)
def test_few_errors_of_all_classifiers(errors, words):
    compare = compare_predictions if len(errors) == 2 else score_posterior
    text = str(compare(Y, *with_errors(*errors), random_state=0))
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
    y, said = np.tile(Y, 3), [np.tile(one, 3) for one in with_errors(8, 9)]
    text = str(compare_predictions(y, *said, weight=1 / 3, random_state=0))
    assert "because the errors count as only 17 independent ones" in text
