"""Collection over splits, and estimators that misbehave."""

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import coo_matrix
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.svm import SVC

from skbayeseval import BlockRegularizedCV
from skbayeseval.splitting.collect import Fitting, Learners, collect, observe_predictions
from skbayeseval.splitting.splits import make_splits

X, Y = make_classification(90, random_state=0)
CV = BlockRegularizedCV(random_state=0)
FAIR = LogisticRegression()


def run(estimators, data=X, y=Y, cv=CV, params=None, observe=observe_predictions, **options):
    given = dict.fromkeys(estimators, params or {})
    learners = Learners(estimators, cv, {}, given, entropy=0, params={})
    observers, splits = dict.fromkeys(estimators, observe), make_splits(cv, data, y, {})
    return collect(learners, data, y, Fitting(**options), splits=splits, observers=observers)


class Odd(ClassifierMixin, BaseEstimator):
    """Misbehaves as told."""

    def __init__(self, how="", when=0):
        self.how = how
        self.when = when

    def fit(self, X, y, note=None):
        self.classes_ = np.unique(y)
        self.note_ = note
        if self.how == "raise" and np.isclose(X.sum(), self.when):
            raise RuntimeError("cannot learn this")
        if isinstance(self.how, Exception):
            raise self.how
        if self.how == "mutate":
            X *= 0
        return self

    def predict(self, X):
        if self.how == "nothing":
            return None
        return np.zeros(len(X), dtype=int)


def test_precomputed_kernels():
    plain = run({"a": SVC(gamma=0.1)}).pooled("a")
    kernel, learner = rbf_kernel(X, gamma=0.1), {"a": SVC(kernel="precomputed")}
    for given in (kernel, pd.DataFrame(kernel), kernel.tolist()):
        np.testing.assert_array_equal(plain, run(learner, given).pooled("a"))
    with pytest.raises(ValueError, match="split 0: X must be a square kernel matrix, got shape"):
        run(learner)


def test_failures_that_say_little():
    """Errors that are not about a text, or write their own message, and nothing predicted."""
    for error in (KeyError(3), UnicodeDecodeError("utf-8", b"\xff", 0, 1, "invalid")):
        with pytest.raises(type(error)) as caught:
            run({"odd": Odd(error)})
        assert "Estimator 'odd' failed in split 0" in str(caught.value.__notes__)
    with pytest.raises(TypeError, match="'odd' failed in split 0: predict must be .*, got None"):
        run({"odd": Odd("nothing")})
    with pytest.raises(ValueError, match="At least one estimator failed in every repeat"):
        run({"odd": Odd("nothing")}, error_score=np.nan)


def test_mutating_the_data_hurts_nobody():
    before = X.copy()
    found = run({"odd": Odd("mutate"), "fair": FAIR})
    np.testing.assert_array_equal(X, before)
    alone = run({"fair": FAIR})
    np.testing.assert_array_equal(found.pooled("fair"), alone.pooled("fair"))


def test_parameters_of_fit():
    weights = np.linspace(0, 1, 90)
    found = run({"odd": Odd()}, params={"note": weights}, return_estimator=True)
    for (train, _), one in zip(found.splits, found.runs["odd"], strict=True):
        np.testing.assert_array_equal(one.estimator.note_, weights[train])
    column = coo_matrix(weights[:, None])
    found = run({"odd": Odd()}, params={"note": column}, return_estimator=True)
    for (train, _), one in zip(found.splits, found.runs["odd"], strict=True):
        np.testing.assert_array_equal(one.estimator.note_.toarray()[:, 0], weights[train])
    for note in ("x" * 90, {"k": 1}, None, 7, [1, 2]):
        found = run({"odd": Odd()}, params={"note": note}, return_estimator=True)
        assert found.runs["odd"][0].estimator.note_ == note
