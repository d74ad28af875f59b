"""Small results of every kind, to be saved, copied and tampered with."""

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LinearRegression, Ridge
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB

from skbayeseval import (
    BlockRegularizedCV,
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


def of_two(*arguments, **options):
    """Return a comparison of two, by default of two classes."""
    return compare_predictions(*(arguments or labels()[:3]), **options, **COMMON)


def indicators():
    return (one.reshape(-1, 3) for one in labels()[:3])


def many_classes():
    words = (np.array(["ham", "eggs", "spam"])[codes] for codes in labels(3)[:3])
    return of_two(*words, scoring=["f1_macro", "accuracy"])


def instance_scores():
    y, a, b, _ = labels()
    noise = np.random.default_rng(0).random((2, 120))
    scores = {"y_score_a": a + noise[0], "y_score_b": b + noise[1]}
    return of_two(y, a, b, scoring=["roc_auc", "f1"], **scores)


def numbers():
    y, a, b = np.random.default_rng(0).normal(size=(3, 60))
    rows = {"sample_weight": np.linspace(0.5, 2, 60), "groups": np.arange(60) // 2}
    return of_two(y, y + a, y + 2 * b, scoring=["r2", "explained_variance"], **rows)


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


def split_scores(*shape, **options):
    a, b = np.random.default_rng(0).normal(0.8, 0.02, (2, *shape))
    return compare_scores(a, b, test_fraction=0.1, **options, **COMMON)


def right(k=2):
    y, *predictions = labels(k=k)
    return (one == y for one in predictions)


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


def systems():
    scores = np.random.default_rng(0).random((3, 5, 2))
    nested = {
        name: dict(enumerate(map(list, one))) for name, one in zip("abc", scores, strict=True)
    }
    return compare_scores(nested, test_fraction=0.2, **COMMON)


def single(**options):
    return score_posterior(*labels()[:2], **options, **COMMON)


def ranking():
    y, *predictions = labels()
    return compare_many(y, dict(zip("abc", predictions, strict=True)), scoring="f1", **COMMON)


def false_alarms(tables):
    return -tables[..., 0, 1]


def noisy_numbers():
    X = np.random.default_rng(0).normal(size=(80, 2))
    return X, X[:, 0] + np.random.default_rng(1).normal(size=80)


def cross_validated(**options):
    X, y = noisy_numbers()
    classes = (y > 0).astype(int)
    return bayesian_cross_validate(GaussianNB(), DummyClassifier(), X, classes, **options, **COMMON)


def regressors():
    search = GridSearchCV(Ridge(), {"alpha": [0.1, np.float64(1.0)], "tol": [1e-4]}, cv=2)
    options = {"cv": BlockRegularizedCV(regularize=None, random_state=0), "scoring": "r2"}
    return bayesian_cross_validate(
        search, LinearRegression(), *noisy_numbers(), model="scores", **options, **COMMON
    )


def with_chains(like):
    """Chains as PyMC would give them, with draws of a prior."""
    rng = np.random.default_rng(0)
    parameters = like._posterior.specification.parameters()
    trace = {one.name: rng.uniform(0.1, 0.3, (2, 100, *one.shape)) for one in parameters}
    return like.from_trace(trace, like)


def chains():
    return with_chains(of_two(*labels(3)[:3], scoring="f1_macro", model="hierarchical"))


EXACT = {
    "paired": lambda: of_two(
        scoring={"mine": "f1", "f2": metrics.fbeta(2, zero_division=1.0)}, names=("x", "y")
    ),
    "marginal": lambda: compare_counts(
        (88, 10, 12), (80, 14, 20), weight=0.37, scoring=["f1", "recall"], **COMMON
    ),
    "many_classes": many_classes,
    "hierarchical": lambda: of_two(*labels(3, 1000)[:3], model="hierarchical"),
    "independent_labels": lambda: of_two(*indicators(), scoring="f1_macro", model="bcv"),
    "grouped": lambda: of_two(groups=np.arange(120) // 4, scoring="f1"),
    "multi_label": lambda: of_two(*indicators(), scoring="f1_macro"),
    "with_prevalence": lambda: of_two(prevalence=0.1, scoring="f1"),
    "instance_scores": instance_scores,
    "numbers": numbers,
    "chunks": chunks,
    "splits": lambda: split_scores(10),
    "data_sets": lambda: split_scores(6, 10, model="signed-rank"),
    "right_items": lambda: compare_items(*right(), scoring="accuracy", **COMMON),
    "graded_items": graded_items,
    "judged_items": judged_items,
    "many_items": lambda: compare_many_items(dict(zip("abc", right(3), strict=True)), **COMMON),
    "systems": systems,
    "out_of_fold": lambda: single(scoring="f1", folds=np.arange(120) % 5),
    "single": lambda: single(scoring=["f1", "accuracy"]),
    "ranking": ranking,
    "own_metric": lambda: of_two(scoring=metrics.from_confusion(false_alarms, "alarms")),
    "cross_validated": lambda: cross_validated(
        scoring=["accuracy", "f1_macro"], estimand="full", return_indices=True
    ),
    "regressors": regressors,
}
MAKERS = {**EXACT, "chains": chains}
