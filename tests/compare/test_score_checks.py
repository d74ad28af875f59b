import warnings

import numpy as np
import pytest
from sklearn import metrics as sk
from sklearn.metrics import make_scorer

from skbayeseval import compare_predictions, metrics, score_posterior
from skbayeseval._validation import UnlikelyDataWarning

rng = np.random.default_rng(0)
Y = np.arange(60) % 2
GOOD = Y + rng.normal(0, 1, 60)
FEW = {"scoring": "roc_auc", "n_draws": 200, "random_state": 0}


def test_class_predictions_are_no_scores():
    with pytest.warns(UserWarning, match="y_score_b has only two distinct values"):
        compare_predictions(Y, None, None, y_score_a=GOOD, y_score_b=(GOOD > 0.5) * 1, **FEW)


def test_scores_of_the_other_class():
    with pytest.warns(UserWarning, match=r"The ROC AUC of y_score is 0\.\d+, far below 0.5"):
        score_posterior(Y, None, y_score=-GOOD, **FEW)


def test_good_scores_few_instances_and_other_metrics_pass():
    few = np.array([0, 1, 0, 1, 0, 1])
    probabilities = np.where(Y == 1, 0.8, 0.3)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        compare_predictions(Y, None, None, y_score_a=GOOD, y_score_b=GOOD**3, **FEW)
        score_posterior(few, None, y_score=1.0 - few + np.arange(6) / 10, **FEW)
        score_posterior(Y, None, y_score=probabilities, **(FEW | {"scoring": "neg_brier_score"}))
        options = {"y_score": -GOOD, "labels": [2, 1], **FEW}
        score_posterior(Y + 1, Y + 1, **(options | {"scoring": "accuracy"}))  # of predictions


OF_SCORES = {
    "roc_auc": "roc_auc",
    "neg_log_loss": "neg_log_loss",
    "neg_brier_score": "neg_brier_score",
    "own roc_auc": make_scorer(sk.roc_auc_score, response_method="predict_proba"),
    "own log_loss": make_scorer(
        sk.log_loss, response_method="predict_proba", greater_is_better=False
    ),
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
    with pytest.warns(UnlikelyDataWarning, match=f"is taken for the scores of class {labels[1]!r}"):
        by_order = score_posterior(truth, None, **of_second)
    for pos_label, scores in ((labels[0], options), (labels[1], of_second)):
        told = score_posterior(truth, None, **scores, pos_label=pos_label)  # without a warning
        assert told.observed == pytest.approx(by_order.observed)
