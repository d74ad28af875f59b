"""Nothing that the whole process shares is changed, also from threads."""

import os
import threading
import warnings
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import joblib
import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.model_selection import GridSearchCV, KFold

from skbayeseval import (
    BayesianComparer,
    BlockRegularizedCV,
    bayesian_cross_validate,
    compare_many,
    compare_predictions,
    compare_scores,
    count_scorer,
    report_search,
)

mpl.use("Agg")


class Column(ClassifierMixin, BaseEstimator):
    """Predicts by the sign of a column, without scikit-learn's checks, which set filters."""

    def __init__(self, column=0):
        self.column = column

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return (X[:, self.column] > 0).astype(int)

    def predict_proba(self, X):
        positive = 1 / (1 + np.exp(-X[:, self.column]))
        return np.column_stack([1 - positive, positive])


def data(n=80):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 3))
    return X, (X[:, 0] + X[:, 1] + rng.normal(size=n) > 0).astype(int)


def process_state():
    """Return what all threads share."""
    name, keys, *rest = np.random.get_state()  # noqa: NPY002
    return {
        "filters": list(warnings.filters),
        "errors": np.geterr(),
        "random": (name, keys.tolist(), *rest),
        "rcParams": dict(mpl.rcParams),
        "environment": dict(os.environ),
    }


def compare_classes():
    X, y = data()
    result = compare_predictions(
        y, X[:, 0] > 0, X[:, 1] > 0, scoring="f1", n_draws=200, random_state=0
    )
    result.summary(rope=0.05)
    str(result)
    many = np.arange(80) % 4
    compare_predictions(many, many, many // 2, groups=many, scoring="f1_macro", n_draws=200).hdi()
    labels = np.column_stack([y, many % 2])
    compare_predictions(labels, labels, 1 - labels, scoring="f1_macro", n_draws=200).hdi()


def compare_numbers():
    X, y = data()
    scored = compare_predictions(
        y, None, None, y_score_a=X[:, 0], y_score_b=X[:, 1], scoring="roc_auc", n_draws=200
    )
    scored.hdi()
    compare_scores(X[:9, 0], X[:9, 1], test_fraction=0.1).summary(rope=0.1)


def cross_validate():
    X, y = data()
    options = {"cv": KFold(5), "estimand": "full", "n_draws": 200, "n_jobs": 2, "random_state": 0}
    result = bayesian_cross_validate(
        Column(0), Column(1), X, y, scoring=["f1", "roc_auc"], **options
    )
    str(result)


def rank():
    X, y = data()
    BayesianComparer([Column(0), Column(1), Column(2)], n_jobs=2, n_draws=200).fit(X, y)


DONE = {
    "classes": compare_classes,
    "numbers": compare_numbers,
    "cross-validation": cross_validate,
    "ranking": rank,
}


@pytest.fixture(scope="module")
def drawn_once():
    """Draw once: importing matplotlib's styles sets filters."""
    plots()


def plots():
    X, y = data()
    ranking = compare_many(
        y, {str(i): X[:, i] > 0 for i in range(3)}, scoring="f1", n_draws=200, random_state=0
    )
    drawn = [ranking.plot(kind) for kind in ("ranking", "pairs")]
    pair = ranking.pairs[0, 1]
    drawn += [pair.plot(kind, rope=0.05) for kind in ("posterior", "joint", "factor")]
    for display in drawn:
        display.figure_.clear()
        mpl.pyplot.close(display.figure_)


@contextmanager
def filters_forbidden(monkeypatch):
    def forbidden(*_):
        raise AssertionError("sets warnings filters of the whole process")

    # pandas sets filters itself where pyarrow keeps its strings.
    strings = pd.option_context("mode.string_storage", "python")
    with monkeypatch.context() as patch, joblib.parallel_config("threading"), strings:
        patch.setattr(warnings.catch_warnings, "__enter__", forbidden)
        yield


@pytest.mark.parametrize("job", [*DONE.values(), plots], ids=[*DONE, "plots"])
def test_no_filters_are_set(monkeypatch, job, drawn_once):
    with filters_forbidden(monkeypatch):
        job()


def test_reports_of_searches_set_no_filters(monkeypatch):
    # GridSearchCV and pandas do, so the search and the table are left out.
    X, y = data()
    splits = list(BlockRegularizedCV(2, random_state=0).split(X, y))
    scorer = count_scorer([0, 1], also=["f1", "roc_auc"])
    search = GridSearchCV(Column(), {"column": [0, 1]}, scoring=scorer, cv=splits, refit=False)
    search.fit(X, y)
    with filters_forbidden(monkeypatch):
        scorer(Column().fit(X, y), X, y)
        report_search(search, X, y, rope=0.05, n_jobs=2)
        report_search(search, rope=0.05)


@pytest.mark.slow
def test_threads_leave_the_process_as_it_was(drawn_once):
    before = process_state()
    seen, stop = [], threading.Event()

    def watch():
        while not stop.wait(0.001):
            seen.append(process_state())

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        with ThreadPoolExecutor(8) as threads, joblib.parallel_config("threading"):
            running = [threads.submit(job) for job in [*DONE.values()] * 2]
            for one in running:
                one.result()
    finally:
        stop.set()
        watcher.join()
    plots()
    assert process_state() == before
    assert seen
    assert all(state == before for state in seen)
