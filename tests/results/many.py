"""Results of every kind, for tests of what is said and shown of them."""

from functools import cache

import numpy as np
from sklearn.datasets import load_iris
from sklearn.dummy import DummyClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from skbayeseval import (
    bayesian_cross_validate,
    compare_counts,
    compare_many,
    compare_predictions,
    metrics,
    score_posterior,
)
from tests.conftest import correlated_votes as votes
from tests.results.gallery import MAKERS

QUICK = {"n_draws": 4000, "random_state": 0}
EVIL = "<script>document.title='taken'</script>"


def settled():
    return compare_counts((900, 50, 60), (700, 150, 260), names=("new", "old"), **QUICK)


def open_question():
    return compare_counts((88, 10, 12), (80, 14, 20), names=("new", "old"), **QUICK)


def equivalent():
    y = np.arange(20_000) % 2
    a, b = (np.where((y >= 0) & (np.arange(20_000) % 97 == k), 1 - y, y) for k in (0, 1))
    return compare_predictions(y, a, b, names=("e", "f"), **QUICK)


def identical():
    y = [0, 1] * 15
    return compare_predictions(y, y, y, **QUICK)


def two_metrics():
    return compare_predictions(*votes(), scoring=["accuracy", "f1"], **QUICK)


def in_groups():
    return compare_predictions(*votes(), groups=np.arange(400) // 40, **QUICK)


def cross_validated():
    X, y = load_iris(return_X_y=True)
    learners = ("naive Bayes", GaussianNB()), ("tree", DecisionTreeClassifier(random_state=0))
    return bayesian_cross_validate(*learners, X, y, **QUICK)


def named_by_a_villain():
    y, a, b = (np.where(one, EVIL, "no") for one in votes())
    own = metrics.from_confusion(lambda table: table[..., 0, 0] / table.sum((-1, -2)), EVIL)
    names = (EVIL, "<img src=x onerror=alert(1)>")
    return compare_predictions(y, a, b, names=names, scoring=["f1", own], pos_label=EVIL, **QUICK)


COMPARISONS = [
    "settled", "open_question", "equivalent", "identical", "two_metrics", "in_groups",
    "cross_validated", "named_by_a_villain", "many_classes", "chunks", "splits",
    "data_sets",
]  # fmt: skip


def ranking():
    y, a, b = votes()
    worst = DummyClassifier().fit(y[:, None], y).predict(y[:, None])
    return compare_many(y, {"first": a, "second": b, "third": worst}, **QUICK)


def score():
    y, a, _ = votes()
    return score_posterior(y, a, scoring=["accuracy", "recall"], name="model", **QUICK)


# One result of each kind, by name: for what takes a page.
OF_EACH_KIND = [
    "identical", "chunks", "splits", "named_by_a_villain", "ranking", "score"
]  # fmt: skip


@cache
def made(name):
    """Return the result of a function of this file or of the gallery."""
    return globals().get(name, MAKERS.get(name))()
