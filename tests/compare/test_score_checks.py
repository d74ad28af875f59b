import warnings

import numpy as np
import pytest

from skbayeseval import compare_predictions, score_posterior

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
