import pickle

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.datasets import make_classification, make_multilabel_classification, make_regression
from sklearn.exceptions import FitFailedWarning
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge
from sklearn.model_selection import KFold, ShuffleSplit, StratifiedKFold, cross_val_predict
from sklearn.multioutput import MultiOutputClassifier
from sklearn.naive_bayes import GaussianNB

from skbayeseval import (
    BayesianComparer,
    bayesian_cross_validate,
    compare_many,
    compare_predictions,
)
from tests.splitting.test_collect import Odd

X, Y = make_classification(120, n_classes=3, n_informative=5, random_state=0)
TEXTS = np.array(["low", "middle", "high"])[Y]
PAIR = (GaussianNB(), LogisticRegression())


def compared(*args, **options):
    return bayesian_cross_validate(*args, **{"n_draws": 1000, "random_state": 0, **options})


FRAME = pd.DataFrame(X, index=[f"row {i}" for i in range(120)])
NUMBERS = make_regression(90, 4, noise=5.0, random_state=0)


@pytest.mark.parametrize(
    ("pair", "data", "cv"),
    [
        (PAIR, (FRAME, TEXTS), StratifiedKFold(4)),
        ((Ridge(9.0), LinearRegression()), NUMBERS, KFold(3)),
    ],
)
def test_predictions_are_those_of_scikit_learn(pair, data, cv):
    found = compared(*pair, *data, cv=cv).predictions
    names = [type(one).__name__ for one in pair]
    assert found.columns.tolist() == [(name, 0) for name in names]
    assert found.columns.names == ["classifier", "repeat"]
    pd.testing.assert_index_equal(found.index, pd.DataFrame(data[0]).index)
    for name, estimator in zip(names, pair, strict=True):
        expected = cross_val_predict(estimator, *data, cv=cv)
        np.testing.assert_array_equal(found[name, 0], expected)


@pytest.mark.parametrize(
    ("labels", "kind"),
    [(Y.astype(bool), "b"), (TEXTS, "OTU"), (Y + 2.0, "f")],
)
def test_labels_are_those_that_were_given(labels, kind):
    found = compared(*PAIR, X, labels).predictions
    assert found.shape == (120, 6)
    assert all(getattr(dtype, "kind", "O") in kind for dtype in found.dtypes)
    assert set(found.to_numpy().ravel()) <= set(labels)
    assert found.index.equals(pd.RangeIndex(120))


def test_instances_that_were_not_validated():
    cv = ShuffleSplit(3, test_size=50, random_state=0)
    for labels in (TEXTS, Y):
        found = compared(*PAIR, X, labels, cv=cv).predictions["GaussianNB"]
        assert found.shape == (120, 3)
        for repeat, (train, test) in enumerate(cv.split(X)):
            assert found[repeat].iloc[train].isna().all()
            expected = GaussianNB().fit(X[train], labels[train]).predict(X[test])
            np.testing.assert_array_equal(found[repeat].iloc[test], expected)


def test_dropped_splits():
    train, test = list(KFold(4).split(X))[1]
    pair = Odd("raise", X[train].sum()), LogisticRegression()
    words = "3 of 4 splits are left.*'Odd' in split 1: RuntimeError: cannot learn this"
    with pytest.warns(FitFailedWarning, match=words):
        missing = compared(*pair, X, Y, cv=KFold(4), error_score=np.nan).predictions.isna()
    assert missing.iloc[test].all(axis=None)
    assert not missing.iloc[train].any(axis=None)


class Sparse(MultiOutputClassifier):
    def predict(self, X):
        return sparse.csr_matrix(super().predict(X))


@pytest.mark.parametrize("columns", [None, list("abc")])
def test_label_indicators(columns):
    features, labels = make_multilabel_classification(100, n_classes=3, random_state=0)
    given = labels if columns is None else pd.DataFrame(labels, columns=columns)
    named = [("first", MultiOutputClassifier(PAIR[0])), ("second", Sparse(PAIR[1]))]
    found = compared(*named, features, given, cv=KFold(2), scoring="f1_micro").predictions
    assert found.columns.names == ["classifier", "repeat", "label"]
    assert found["first", 0].columns.tolist() == (columns or [0, 1, 2])
    for name, estimator in named:
        plain = MultiOutputClassifier(estimator.estimator)
        expected = cross_val_predict(plain, features, labels, cv=KFold(2))
        np.testing.assert_array_equal(found[name, 0], expected)


def test_rankings_pairs_and_copies():
    estimators = {"a": GaussianNB(), "b": LogisticRegression(), "c": LogisticRegression(C=9.0)}
    comparer = BayesianComparer(estimators, cv=KFold(3), n_draws=1000, random_state=0)
    ranking = comparer.fit(X, TEXTS).ranking_
    assert ranking.predictions.columns.get_level_values(0).tolist() == ["a", "b", "c"]
    pair = ranking.pairs["c", "a"]
    for result in (pair, pair.metric("f1_macro"), pickle.loads(pickle.dumps(pair))):
        pd.testing.assert_frame_equal(result.predictions, ranking.predictions[["c", "a"]])


def test_predictions_that_were_given():
    b = np.roll(TEXTS, 1)
    y = pd.Series(TEXTS, index=[f"row {i}" for i in range(120)])
    result = compare_predictions(y, TEXTS, b, n_draws=1000)
    assert result.predictions.columns.tolist() == [("A", 0), ("B", 0)]
    np.testing.assert_array_equal(result.predictions, np.column_stack([TEXTS, b]))
    pd.testing.assert_index_equal(result.predictions.index, y.index)
    given = {"x": Y, "y": np.roll(Y, 1), "z": np.roll(Y, 2)}
    ranking = compare_many(Y, given, n_draws=1000)
    for name in given:
        np.testing.assert_array_equal(ranking.predictions[name, 0], given[name])
    np.testing.assert_array_equal(ranking.pairs["z", "x"].predictions["z", 0], given["z"])
    numbers = np.random.default_rng(0).normal(size=(3, 50))
    of_numbers = compare_predictions(*numbers, scoring="r2", n_draws=1000)
    np.testing.assert_array_equal(of_numbers.predictions["B", 0], numbers[2])
