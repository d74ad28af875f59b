"""Labels that are written in two ways, and scores in the place of labels."""

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn import metrics as sk
from sklearn.metrics import make_scorer

from skbayeseval import (
    compare_many,
    compare_predictions,
    compare_table,
    metrics,
    score_posterior,
)
from skbayeseval._validation import UnlikelyDataWarning

rng = np.random.default_rng(0)
Y = np.arange(60) % 2
A = np.where(rng.random(60) < 0.9, Y, 1 - Y)
B = np.where(rng.random(60) < 0.8, Y, 1 - Y)
WORDS, OTHER_WORDS = np.array(["ham", "spam"]), np.array(["ham", "Spam "])
P = np.clip(0.3 + 0.4 * Y + rng.normal(0, 0.2, 60), 0, 1)
FEW = {"n_draws": 200, "random_state": 0}


@pytest.mark.parametrize("groups", [None, np.arange(60) // 3])
@pytest.mark.parametrize(
    ("truth", "said", "message"),
    [
        (Y, 2 * B - 1, r"y_pred_b contains \[-1, 1\], y_true contains \[0, 1\]. 0 is never"),
        (WORDS[Y], OTHER_WORDS[B], "'Spam ' and 'spam' are different classes"),
        (
            np.array(["cat", "dog", "eel"])[np.arange(60) % 3],
            np.array(["cat", "DOG", "eel"])[np.arange(60) % 3],
            "each 'DOG' counts as wrong",
        ),
    ],
)
def test_labels_in_two_spellings(truth, said, message, groups):
    with pytest.warns(UserWarning, match=message) as caught:
        compare_predictions(truth, truth, said, groups=groups, **FEW)
    assert len(caught) == 1
    assert caught[0].filename == __file__


def test_tables_and_many():
    table = {"y": WORDS[Y], "a": WORDS[A], "b": OTHER_WORDS[B]}
    with pytest.warns(UserWarning, match="b='b' contains .*'Spam ' and 'spam'") as caught:
        compare_table(table, truth="y", a="a", b="b", **FEW)
    assert caught[0].filename == __file__
    with pytest.warns(UserWarning, match=r"predictions\['b'\] contains .*'Spam ' and 'spam'"):
        compare_many(WORDS[Y], {"a": WORDS[A], "b": OTHER_WORDS[B]}, **FEW)


def test_labels_that_may_be_right_pass():
    letters = np.array(["a", "A", "b"])
    three = np.arange(60) % 3
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        # Case tells the true classes apart.
        compare_predictions(
            letters[three], letters[three], np.append("B", letters[three][1:]), **FEW
        )
        # Abstaining, and a class that only the test set lacks.
        compare_predictions(Y, A, np.append(-1, B[1:]), **FEW)
        compare_predictions(three, three, np.append(7, three[1:]), **FEW)
        # Declared labels are as they should be.
        compare_predictions(Y, A, 2 * B - 1, labels=[-1, 0, 1], **FEW)
        # One class is never predicted.
        compare_predictions(Y, A, np.ones(60, dtype=int), **FEW)


@pytest.mark.parametrize("scoring", [None, ["accuracy", "roc_auc"]])
def test_scores_are_no_predictions(scoring):
    both = "Pass probabilities and other scores as y_score_a= and y_score_b="
    with pytest.raises(ValueError, match=rf"y_pred_b must contain class labels, .*\). {both}"):
        compare_predictions(Y, A, P, scoring=scoring, **FEW)
    with pytest.raises(ValueError, match=rf"in an array of shape \(60, 2\). {both}"):
        compare_predictions(Y, np.column_stack([1 - P, P]), B, scoring=scoring, **FEW)
    with pytest.raises(ValueError, match=r"predictions\['p'\] must .* scores as scores=,"):
        compare_many(Y, {"a": A, "p": pd.Series(P)}, scoring=scoring, **FEW)
    with pytest.raises(ValueError, match="y_pred must .* scores as y_score=,"):
        score_posterior(Y, P, scoring=scoring, **FEW)


# Scores.

GOOD = Y + rng.normal(0, 1, 60)
AUC = {"scoring": "roc_auc", **FEW}


def test_class_predictions_are_no_scores():
    with pytest.warns(UserWarning, match="y_score_b has only two distinct values"):
        compare_predictions(Y, None, None, y_score_a=GOOD, y_score_b=(GOOD > 0.5) * 1, **AUC)


def test_scores_of_the_other_class():
    with pytest.warns(UserWarning, match=r"The ROC AUC of y_score is 0\.\d+, far below") as caught:
        score_posterior(Y, None, y_score=-GOOD, **AUC)
    assert caught[0].filename == __file__


def test_good_scores_few_instances_and_other_metrics_pass():
    few = np.array([0, 1, 0, 1, 0, 1])
    probabilities = np.where(Y == 1, 0.8, 0.3)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        compare_predictions(Y, None, None, y_score_a=GOOD, y_score_b=GOOD**3, **AUC)
        score_posterior(few, None, y_score=1.0 - few + np.arange(6) / 10, **AUC)
        score_posterior(Y, None, y_score=probabilities, **(AUC | {"scoring": "neg_brier_score"}))
        options = {"y_score": -GOOD, "labels": [2, 1], **AUC}
        score_posterior(Y + 1, Y + 1, **(options | {"scoring": "accuracy"}))  # of predictions


OF_SCORES = {
    "roc_auc": "roc_auc",
    "neg_log_loss": "neg_log_loss",
    "own roc_auc": make_scorer(sk.roc_auc_score, response_method="predict_proba"),
    "calibration": metrics.expected_calibration_error(),
}
SHARES = np.clip(0.4 * Y + 0.3 + rng.normal(0, 0.1, 60), 0.01, 0.99)
QUICK = {"n_draws": 100, "random_state": 0}


@pytest.mark.parametrize("name", OF_SCORES)
def test_scores_of_the_other_class_whatever_the_metric(name):
    with pytest.warns(UnlikelyDataWarning, match=r"The ROC AUC of y_score is 0\.\d+, far below"):
        score_posterior(Y, None, y_score=1 - SHARES, scoring=OF_SCORES[name], **QUICK)


@pytest.mark.parametrize("name", OF_SCORES)
@pytest.mark.parametrize("labels", [("pos", "neg"), (2, 1)])
def test_scores_of_a_class_that_scikit_learn_would_not_take(name, labels):
    """Of one column, the order of labels= decides whose scores they are."""
    truth = np.where(Y == 1, *labels)
    options = {"y_score": 0.5 + (SHARES - 0.5) / 10, "scoring": OF_SCORES[name], **QUICK}
    of_second = {**options, "y_score": 1 - options["y_score"], "labels": labels}
    message = f"is taken for the scores of class {labels[1]!r}"
    with pytest.warns(UnlikelyDataWarning, match=message) as caught:
        by_order = score_posterior(truth, None, **of_second)
    assert len(caught) == 1
    assert caught[0].filename == __file__
    for pos_label, scores in ((labels[0], options), (labels[1], of_second)):
        told = score_posterior(truth, None, **scores, pos_label=pos_label)  # without a warning
        assert told.observed == pytest.approx(by_order.observed)
