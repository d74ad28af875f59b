import pickle
import warnings

import joblib
import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.datasets import load_iris, make_classification
from sklearn.metrics import confusion_matrix, get_scorer
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_validate
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from skbayeseval import count_scorer

SCORERS = ["f1_macro", "matthews_corrcoef", "neg_log_loss"]


class Says(ClassifierMixin, BaseEstimator):
    """Predicts what it is told."""

    def __init__(self, what=None):
        self.what = what

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        if self.what is None:
            raise RuntimeError("nothing to say")
        return np.full(len(X), self.what)


@pytest.fixture(scope="module")
def iris():
    X, y = load_iris(return_X_y=True)
    return X, np.array(["se", "ve", "vi"])[y]


def test_counts_are_the_confusion_matrix_of_each_split(iris):
    X, y = iris
    labels = ["vi", "se", "ve"]
    cv = StratifiedKFold(4, shuffle=True, random_state=0)
    search = GridSearchCV(
        DecisionTreeClassifier(random_state=0),
        {"max_depth": [1, 3]},
        scoring=count_scorer(labels, also=SCORERS),
        refit="f1_macro",
        cv=cv,
        n_jobs=2,
    )
    with joblib.parallel_config(backend="threading"):  # processes take seconds to start
        search.fit(X, y)
    results = search.cv_results_
    for k, params in enumerate(results["params"]):
        for split, (train, test) in enumerate(cv.split(X, y)):
            fitted = clone(search.estimator).set_params(**params).fit(X[train], y[train])
            expected = confusion_matrix(y[test], fitted.predict(X[test]), labels=labels)
            for (i, j), count in np.ndenumerate(expected):
                assert results[f"split{split}_test_count_{i}_{j}"][k] == count
            for name in SCORERS:
                score = get_scorer(name)(fitted, X[test], y[test])
                assert results[f"split{split}_test_{name}"][k] == pytest.approx(score)
    np.testing.assert_array_equal(results["mean_test_score"], results["mean_test_f1_macro"])


@pytest.mark.parametrize("name", ["f1", "jaccard", "roc_auc"])
def test_scores_of_two_classes_are_scikit_learns(name):
    X, y = make_classification(200, flip_y=0.3, random_state=0)
    ours = cross_validate(GaussianNB(), X, y, scoring=count_scorer([0, 1], also=name))
    np.testing.assert_allclose(
        ours[f"test_{name}"], cross_validate(GaussianNB(), X, y, scoring=name)["test_score"]
    )


@pytest.mark.parametrize("what", [None, "unknown", 3.5])
def test_failures_are_nan(iris, what):
    X, y = iris
    scorer = count_scorer(["se", "ve", "vi"], also=["f1_macro", "roc_auc"])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = scorer(Says(what).fit(X, y), X, y)
        alone = scorer(Says("se").fit(X, y), X, y)
    assert len(found) == 12
    assert np.isnan(list(found.values())).all()
    # A scorer that fails is NaN alone.
    assert np.isnan(alone["roc_auc"])
    assert alone["score"] == alone["f1_macro"] == pytest.approx(0.5 / 3)


def test_pickle_copy_and_repr(iris):
    X, y = iris
    scorer = count_scorer(np.array(["se", "ve", "vi"]), also="f1_macro")
    model = GaussianNB().fit(X, y)
    again = pickle.loads(pickle.dumps(scorer))
    assert again == scorer
    assert hash(again) == hash(scorer)
    assert again(model, X, y) == scorer(model, X, y)
    assert repr(scorer) == "count_scorer(['se', 've', 'vi'], also=['f1_macro'])"
    assert clone(GridSearchCV(model, {}, scoring=scorer)).scoring == scorer


@pytest.mark.parametrize(
    ("options", "error", "match"),
    [
        ({"labels": range(31)}, ValueError, r"31 classes.*report_search\(search, X, y\)"),
        ({"labels": [1]}, ValueError, "at least two"),
        ({"labels": [0, 1], "also": "f3_best"}, ValueError, "also='f3_best' is not a known scorer"),
        ({"labels": [0, 1], "also": 3}, TypeError, "also must be"),
        ({"labels": [0, 1, 2], "also": "f1"}, ValueError, "'f1_macro'"),
        ({"labels": [0, 1], "pos_label": 2}, ValueError, "pos_label=2"),
        (
            {"labels": ["a", "b"], "also": "average_precision"},
            ValueError,
            "Specify it with pos_label=",
        ),
    ],
)
def test_bad_arguments(options, error, match):
    with pytest.raises(error, match=match):
        count_scorer(**options)
