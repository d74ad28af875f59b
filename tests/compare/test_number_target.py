import numpy as np
import pytest
from sklearn.base import BaseEstimator
from sklearn.datasets import load_diabetes
from sklearn.dummy import DummyRegressor
from sklearn.linear_model import Lasso, Ridge
from sklearn.model_selection import KFold, cross_val_predict, cross_validate

from skbayeseval import (
    BlockRegularizedCV,
    bayesian_cross_validate,
    compare_predictions,
)

X, Y = (one[:120] for one in load_diabetes(return_X_y=True))
MAE = "neg_mean_absolute_error"


@pytest.mark.parametrize("cv", [BlockRegularizedCV(random_state=0), 4])
@pytest.mark.parametrize("scoring", [None, ["r2", MAE, "neg_median_absolute_error"]])
def test_scores_are_those_of_cross_validate(cv, scoring):
    result = bayesian_cross_validate(Ridge(), Lasso(), X, Y, cv=cv, scoring=scoring, random_state=0)
    theirs = cross_validate(Ridge(), X, Y, cv=cv, scoring=scoring)
    ours = result.cv_results["Ridge"]
    keys = [key for key in theirs if key.startswith("test_")]
    for key, metric in zip(keys, result.metrics, strict=True):
        np.testing.assert_allclose(ours[key], theirs[key], rtol=1e-12)
        assert result.metric(metric).observed_a == pytest.approx(theirs[key].mean())
    assert result.metrics[0] == "r2"


def test_instance_weights_are_the_default_and_scores_are_there():
    options = {"cv": KFold(5), "scoring": MAE, "random_state": 0}
    result = bayesian_cross_validate(Ridge(), DummyRegressor(), X, Y, **options)
    assert (result.model, result.evidence.kind) == ("instance weights", "numbers")
    assert 0 < result.weight < 1
    assert "that of most learners" in result.details()
    scores = bayesian_cross_validate(Ridge(), DummyRegressor(), X, Y, model="scores", **options)
    assert scores.model == "scores"
    assert scores.observed_a == pytest.approx(result.observed_a)


def test_evidence_is_that_of_the_predictions():
    """A mean over equal test sets is a mean over instances: the same draws without splits."""
    cv = KFold(4)
    said = [cross_val_predict(one, X, Y, cv=cv) for one in (Ridge(), Lasso())]
    # So few draws are one block; larger blocks fit into memory if test sets are smaller.
    options = {"scoring": MAE, "weight": 0.5, "n_draws": 500, "random_state": 0}
    plain = compare_predictions(Y, *said, **options)
    result = bayesian_cross_validate(Ridge(), Lasso(), X, Y, cv=cv, **options)
    assert result.observed_a == pytest.approx(plain.observed_a)
    np.testing.assert_allclose(result.draws, plain.draws, atol=1e-9)


class TooFew(BaseEstimator):
    def fit(self, X, y):
        return self

    def predict(self, X):
        return np.zeros(3)


@pytest.mark.parametrize(
    ("estimator", "options", "message"),
    [
        (Lasso(), {"cv": KFold(120)}, "y_true is constant.*split 0: use fewer splits"),
        (Lasso(), {"labels": [1, 2]}, "labels and pos_label do not apply to metrics of numbers"),
        (Lasso(), {"scoring": "f1"}, "requires class labels, but the predictions are numbers"),
        (Lasso(), {"engine": "pymc"}, "no PyMC model"),
        (TooFew(), {}, "predict returned 3 predictions for 60 instances"),
    ],
)
def test_refuses(estimator, options, message):
    with pytest.raises(ValueError, match=message):
        bayesian_cross_validate(Ridge(), estimator, X, Y, **options)
