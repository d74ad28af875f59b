"""From two estimators to a result, next to `cross_validate`."""

import numpy as np
import pandas as pd
import pytest
from joblib import parallel_config
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.exceptions import FitFailedWarning
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.metrics import get_scorer_names
from sklearn.model_selection import KFold, LeaveOneOut, ShuffleSplit, cross_validate
from sklearn.naive_bayes import BernoulliNB, GaussianNB

from skbayeseval import (
    BlockRegularizedCV,
    PyMCEngine,
    bayesian_cross_validate,
    compare_predictions,
    metrics,
)


class Breaks(PyMCEngine):
    """Breaks when it should draw, after all fits."""

    def draw(self, *_):
        raise RuntimeError("out of luck")


X, Y = make_classification(160, n_informative=4, flip_y=0.2, random_state=0)
NB, LR = GaussianNB(), LogisticRegression()


BLOCKS = BlockRegularizedCV(3, random_state=1)
FOLDS = KFold(5, shuffle=True, random_state=1)
SHUFFLES = ShuffleSplit(6, test_size=0.3, random_state=1)


@pytest.mark.parametrize(
    ("cv", "model"), [(BLOCKS, "paired"), (FOLDS, "unpaired"), (SHUFFLES, "bcv")]
)
def test_equals_the_hand_computation(cv, model):
    options = {"scoring": "f1", "model": model, "random_state": 3}
    settings = {"cv": cv, "weight": "published", "return_indices": True}
    result = bayesian_cross_validate(NB, LR, X, Y, **settings, **options)
    indices = result.cv_results["GaussianNB"]["indices"]
    truth, a, b = [], [], []
    for train, test in zip(indices["train"], indices["test"], strict=True):
        truth.append(Y[test])
        a.append(clone(NB).fit(X[train], Y[train]).predict(X[test]))
        b.append(clone(LR).fit(X[train], Y[train]).predict(X[test]))
    times = np.bincount(np.concatenate(indices["test"]))
    weight = 0.368802 if cv is BLOCKS else times.sum() / (times**2).sum()
    assert result.weight == pytest.approx(weight, abs=1e-6)
    said = map(np.concatenate, (truth, a, b))
    by_hand = compare_predictions(*said, weight=result.weight, **options)
    np.testing.assert_array_equal(result.draws, by_hand.draws)
    assert result.observed_a == by_hand.observed_a


NAMES = {*metrics.known_metrics("tables"), *metrics.known_metrics("instances")}


@pytest.mark.parametrize("scoring", [None, sorted(NAMES & set(get_scorer_names()))])
def test_scores_are_those_of_cross_validate(scoring):
    options = {"cv": BLOCKS, "scoring": scoring}
    result = bayesian_cross_validate(NB, LR, X, Y, n_draws=100, random_state=0, **options)
    for estimator in (NB, LR):
        theirs = cross_validate(estimator, X, Y, **options)
        ours = result.cv_results[type(estimator).__name__]
        assert set(ours) == set(theirs)
        for key in ours:
            if key.startswith("test_"):
                np.testing.assert_allclose(ours[key], theirs[key], 1e-13, err_msg=key)
            else:
                assert (ours[key] >= 0).all()


def test_same_draws_whatever_runs_them():
    reference = bayesian_cross_validate(NB, LR, X, Y, random_state=0)
    for backend in ("loky", "threading"):
        with parallel_config(backend=backend):
            other = bayesian_cross_validate(NB, LR, X, Y, n_jobs=2, random_state=0)
        np.testing.assert_array_equal(other.draws, reference.draws)


def test_pandas_sparse_lists_and_strings():
    words = np.array(["no", "yes"])[Y]
    index = [f"patient {i}" for i in range(len(Y))]
    frame = pd.DataFrame(X, index, columns=[f"x{i}" for i in range(X.shape[1])])
    reference = bayesian_cross_validate(LR, NB, X, Y, scoring="f1", random_state=0)
    options = {"scoring": "f1", "random_state": 0, "pos_label": "yes"}
    for data, y in ((frame, pd.Series(words)), (X, words.tolist()), (X.tolist(), words)):
        result = bayesian_cross_validate(LR, NB, data, y, **options)
        np.testing.assert_array_equal(result.draws, reference.draws)
        assert result.labels == ("no", "yes")
        if data is frame:
            assert list(result.predictions.index) == index
            assert result.by(pd.Series(words, index)[::-1]).table["n"].sum() == len(Y)
    binary = sparse.csr_matrix((X > 0).astype(int))
    result = bayesian_cross_validate(BernoulliNB(), LR, binary, Y, random_state=0)
    assert 0.4 < result.observed_a < 1


class FailsOnce(GaussianNB):
    """Fails to fit where the first training instance is the first of all."""

    def fit(self, X, y):
        if np.allclose(X.sum(), self.priors):
            raise RuntimeError("no")
        self.priors = None
        return super().fit(X, y)


def test_failures_in_the_faces():
    cv = BlockRegularizedCV(random_state=0)
    learners = FailsOnce(priors=X[list(cv.split(X, Y))[2][0]].sum()), LR, X, Y
    options = {"cv": cv, "weight": "published", "random_state": 0}
    with pytest.warns(FitFailedWarning, match="4 of 6 splits are left") as caught:
        result = bayesian_cross_validate(*learners, error_score=np.nan, **options)
    assert caught[0].filename == __file__
    assert result.weight == BlockRegularizedCV(2).weight
    assert result.n_splits == 4
    scores = result.cv_results["FailsOnce"]["test_score"]
    assert np.flatnonzero(np.isnan(scores)).tolist() == [2]
    assert not np.isnan(result.cv_results["LogisticRegression"]["test_score"]).any()
    assert result.frequentist().loc["corrected resampled t", "df"] == 4
    with pytest.raises(RuntimeError, match="Estimator 'FailsOnce' failed in split 2: no"):
        bayesian_cross_validate(*learners, **options)


class UnsureOnce(GaussianNB):
    """Gives probabilities that are NaN in the first fold of three."""

    def predict_proba(self, X_test):
        missing = np.array_equal(X_test[0], X[0])
        return super().predict_proba(X_test) * (np.nan if missing else 1)


def test_scores_that_are_missing_are_a_failure():
    scoring = ["neg_log_loss", "accuracy"]
    learners, options = (UnsureOnce(), LR, X, Y), {"cv": KFold(3), "scoring": scoring}
    message = "Estimator 'UnsureOnce' failed in split 0: .*predict_proba returned NaN or infinity"
    with pytest.raises(ValueError, match=message):
        bayesian_cross_validate(*learners, **options)
    with pytest.warns(FitFailedWarning, match="2 of 3 splits are left"):
        result = bayesian_cross_validate(*learners, error_score=np.nan, **options)
    assert result.n_splits == 2


def test_splits_of_one_class_only():
    options = {"cv": LeaveOneOut(), "scoring": ["f1_macro", "accuracy"]}
    result = bayesian_cross_validate(NB, LR, X[:30], Y[:30], random_state=0, **options)
    theirs = cross_validate(NB, X[:30], Y[:30], **options)
    for key in ("test_f1_macro", "test_accuracy"):
        np.testing.assert_allclose(result.cv_results["GaussianNB"][key], theirs[key], rtol=1e-13)


def test_a_classifier_against_a_regressor_needs_a_metric_of_numbers():
    with pytest.raises(ValueError, match="'GaussianNB' is a classifier, but another one is a reg"):
        bayesian_cross_validate(NB, LinearRegression(), X, Y)
    mae = "neg_mean_absolute_error"
    result = bayesian_cross_validate(NB, LinearRegression(), X, Y, scoring=mae, random_state=0)
    assert result.observed_a == pytest.approx(
        -np.mean(result.predictions["GaussianNB"].ne(Y, axis=0))
    )


def test_per_class_where_a_split_lacks_a_class():
    y = np.arange(160) % 3
    rest = np.arange(160)
    cv = [(rest[:100], rest[100:][y[100:] != 1]), (rest[60:], rest[:60])]
    options = {"cv": cv, "scoring": metrics.per_class("recall"), "random_state": 0}
    result = bayesian_cross_validate(NB, LR, X, y, **options)
    scores = result.cv_results["GaussianNB"]
    first = clone(NB).fit(X[:100], y[:100]).predict(X[cv[0][1]])
    assert scores["test_recall[2]"][0] == pytest.approx(np.mean(first[y[cv[0][1]] == 2] == 2))
    assert scores["test_recall[1]"][0] == 0


def test_an_error_after_the_fits_keeps_them():
    y = np.where(Y, "yes", "no")
    with pytest.raises(RuntimeError, match="out of luck") as caught:
        bayesian_cross_validate(NB, LR, X, y, engine=Breaks(), random_state=0)
    assert "All fits were done" in caught.value.__notes__[0]
    result = bayesian_cross_validate(NB, LR, X, y, return_indices=True, random_state=0)
    for name, kept in caught.value.cv_results.items():
        expected = result.cv_results[name]
        np.testing.assert_array_equal(kept["test_score"], expected["test_score"])
        for i, (train, test) in enumerate(zip(*kept["indices"].values(), strict=True)):
            np.testing.assert_array_equal(test, expected["indices"]["test"][i])
            again = clone(NB if name == "GaussianNB" else LR).fit(X[train], y[train])
            np.testing.assert_array_equal(kept["predictions"][i], again.predict(X[test]))


def test_more_than_two_estimators_are_sent_to_the_comparer():
    with pytest.raises(TypeError, match=r"two estimators.*BayesianComparer\(\[a, b, c\]\)"):
        bayesian_cross_validate(NB, BernoulliNB(), LR, X, Y)
