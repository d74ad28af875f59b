"""Labels that are written in two ways, and scores in the place of labels."""

import warnings

import numpy as np
import pandas as pd
import pytest

from skbayeseval import compare_many, compare_predictions, compare_table, score_posterior

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
        (2 * Y - 1, B, r"y_pred_b contains \[0, 1\], y_true contains \[-1, 1\]. -1 is never"),
        (Y, B + 1, r"y_pred_b contains \[1, 2\], y_true contains \[0, 1\]. 0 is never"),
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


@pytest.mark.parametrize("scoring", [None, "roc_auc", ["accuracy", "roc_auc"]])
def test_scores_are_no_predictions(scoring):
    both = "Pass probabilities and other scores as y_score_a= and y_score_b="
    with pytest.raises(ValueError, match=rf"y_pred_b must contain class labels, .*\d\. {both}"):
        compare_predictions(Y, A, P, scoring=scoring, **FEW)
    with pytest.raises(ValueError, match=rf"in an array of shape \(60, 2\). {both}"):
        compare_predictions(Y, np.column_stack([1 - P, P]), B, scoring=scoring, **FEW)
    with pytest.raises(ValueError, match=r"predictions\['p'\] must .* scores as scores=,"):
        compare_many(Y, {"a": A, "p": pd.Series(P)}, scoring=scoring, **FEW)
    with pytest.raises(ValueError, match="y_pred must .* scores as y_score=,"):
        score_posterior(Y, P, scoring=scoring, **FEW)
