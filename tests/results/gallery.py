"""Small results of every kind, to be saved, copied and tampered with."""

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LinearRegression, Ridge
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB

from skbayeseval import (
    BlockRegularizedCV,
    ComparisonResult,
    bayesian_cross_validate,
    chunk_counter,
    compare_counts,
    compare_items,
    compare_many,
    compare_many_items,
    compare_predictions,
    compare_scores,
    metrics,
    score_posterior,
)

COMMON = {"n_draws": 200, "random_state": 0}


def labels(n_classes=2, n=120, k=3):
    """Return labels and the predictions of k classifiers, right most of the time."""
    rng = np.random.default_rng(n_classes)
    y = np.arange(n) % n_classes
    return y, *(np.where(rng.random(n) < 0.8, y, rng.permutation(y)) for _ in range(k))


def paired():
    scoring = {"mine": "f1", "f2": metrics.fbeta(2, zero_division=1.0)}
    return compare_predictions(*labels()[:3], scoring=scoring, names=("x", "y"), **COMMON)


def marginal():
    return compare_counts(
        (88, 10, 12), (80, 14, 20), weight=0.37, scoring=["f1", "recall"], **COMMON
    )


def many_classes():
    y, a, b, _ = (np.array(["ham", "eggs", "spam"])[codes] for codes in labels(3))
    return compare_predictions(y, a, b, scoring=["f1_macro", "accuracy"], **COMMON)


def hierarchical():
    return compare_predictions(*labels(3, 1000)[:3], model="hierarchical", **COMMON)


def independent_labels():
    y, a, b = (one.reshape(-1, 3) for one in labels()[:3])
    return compare_predictions(y, a, b, scoring="f1_macro", model="bcv", **COMMON)


def grouped():
    return compare_predictions(*labels()[:3], groups=np.arange(120) // 4, scoring="f1", **COMMON)


def multi_label():
    y, a, b, _ = labels()
    y, a, b = (one.reshape(-1, 3) for one in (y, a, b))
    return compare_predictions(y, a, b, scoring="f1_macro", **COMMON)


def with_prevalence():
    return compare_predictions(*labels()[:3], prevalence=0.1, scoring="f1", **COMMON)


def instance_scores():
    y, a, b, _ = labels()
    noise = np.random.default_rng(0).random((2, 120))
    scores = {"y_score_a": a + noise[0], "y_score_b": b + noise[1]}
    return compare_predictions(y, a, b, scoring=["roc_auc", "f1"], **scores, **COMMON)


def numbers():
    y, a, b = np.random.default_rng(0).normal(size=(3, 60))
    weight = np.linspace(0.5, 2, 60)
    groups = np.arange(60) // 2
    options = {"sample_weight": weight, "groups": groups, **COMMON}
    return compare_predictions(y, y + a, y + 2 * b, scoring=["r2", "explained_variance"], **options)


def chunks():
    gold = [["B-X", "I-X", "O"], ["O", "B-X", "B-X"]] * 20
    X = np.random.default_rng(0).integers(0, 3, (40, 2))
    taggers = ("first", Tagger(0)), ("second", Tagger(1))
    return bayesian_cross_validate(*taggers, X, gold, counter=chunk_counter("IOB2"), **COMMON)


class Tagger(BaseEstimator):
    """Tags sentences by a number in a column of X."""

    def __init__(self, column):
        self.column = column

    def fit(self, X, y):
        return self

    def predict(self, X):
        known = (["B-X", "I-X", "O"], ["O", "B-X", "O"], ["O", "B-X", "B-X"])
        return [known[one] for one in X[:, self.column]]


def splits():
    rng = np.random.default_rng(0)
    a, b = rng.normal(0.8, 0.02, (2, 10))
    return compare_scores(a, b, test_fraction=0.1, **COMMON)


def data_sets():
    a, b = np.random.default_rng(0).normal(0.8, 0.02, (2, 6, 10))
    return compare_scores(a, b, model="signed-rank", test_fraction=0.1, **COMMON)


def right_items():
    y, a, b, _ = labels()
    return compare_items(a == y, b == y, scoring="accuracy", **COMMON)


def graded_items():
    scores = np.random.default_rng(0).normal(size=(2, 30, 3))
    scores[0, 0, 1:] = np.nan
    return compare_items(*scores, groups=np.arange(30) // 3, higher_is_better=False, **COMMON)


def judged_items():
    rng = np.random.default_rng(0)
    scores = rng.random((2, 40, 2))
    human = np.where(np.arange(40) % 2, np.nan, scores.mean(axis=2) + rng.normal(0, 0.1, (2, 40)))
    judges = {"human_a": human[0], "human_b": human[1], "judge": ["first", "second"]}
    return compare_items(*scores, **judges, **COMMON)


def clustered_items():
    y, a, b, _ = labels()
    groups = np.arange(120) // 12
    return compare_items(a == y, b == y, groups=groups, model="clustered", **COMMON)


def many_items():
    y, *predictions = labels()
    scores = {name: one == y for name, one in zip("abc", predictions, strict=True)}
    return compare_many_items(scores, **COMMON)


def systems():
    scores = np.random.default_rng(0).random((3, 5, 2))
    nested = {
        name: dict(enumerate(map(list, one))) for name, one in zip("abc", scores, strict=True)
    }
    return compare_scores(nested, test_fraction=0.2, **COMMON)


def out_of_fold():
    y, a, *_ = labels()
    return score_posterior(y, a, scoring="f1", weight="inferred", **COMMON)


def single():
    y, a, *_ = labels()
    return score_posterior(y, a, scoring=["f1", "accuracy"], **COMMON)


def ranking():
    y, a, b, c = labels()
    return compare_many(y, {"a": a, "b": b, "c": c}, scoring="f1", **COMMON)


def own_metric():
    return compare_predictions(
        *labels()[:3], scoring=metrics.from_confusion(false_alarms, "alarms"), **COMMON
    )


def false_alarms(tables):
    return -tables[..., 0, 1]


def cross_validated(**options):
    X = np.random.default_rng(0).normal(size=(80, 2))
    y = (X[:, 0] + np.random.default_rng(1).normal(size=80) > 0).astype(int)
    options = options or {"scoring": ["accuracy", "f1_macro"], "return_indices": True}
    return bayesian_cross_validate(GaussianNB(), DummyClassifier(), X, y, **options, **COMMON)


def full_size():
    return cross_validated(estimand="full")


def regressors():
    X = np.random.default_rng(0).normal(size=(80, 2))
    y = X[:, 0] + np.random.default_rng(1).normal(size=80)
    search = GridSearchCV(Ridge(), {"alpha": [0.1, np.float64(1.0)], "tol": [1e-4]}, cv=2)
    cv = BlockRegularizedCV(regularize=None, random_state=0)
    return bayesian_cross_validate(
        search, LinearRegression(), X, y, model="scores", scoring="r2", cv=cv, **COMMON
    )


def chains():
    """Chains as PyMC would give them, with draws of a prior."""
    rng = np.random.default_rng(0)
    y, a, b, _ = labels(3)
    like = compare_predictions(y, a, b, scoring="f1_macro", model="hierarchical", **COMMON)
    parameters = like._posterior.specification.parameters()
    trace = {one.name: rng.uniform(0.1, 0.3, (2, 100, *one.shape)) for one in parameters}
    return ComparisonResult.from_trace(trace, like)


GALLERY = (
    paired, marginal, many_classes, hierarchical, independent_labels, grouped, multi_label,
    with_prevalence, instance_scores, numbers, chunks, splits, data_sets, right_items,
    graded_items, judged_items, clustered_items, many_items, systems, out_of_fold, single, ranking,
    own_metric, cross_validated, full_size, regressors,
)  # fmt: skip
