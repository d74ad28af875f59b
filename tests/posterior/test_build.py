import warnings

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier

from skbayeseval import bayesian_cross_validate, compare_many, compare_predictions
from skbayeseval.evidence.counts import PairedCounts
from skbayeseval.metrics.metric import Totals
from skbayeseval.models.recalls import RecallRows
from skbayeseval.posterior.build import make_posterior


def two_classifiers(n_classes, n_of_each, accuracy, labels=None, odd=False):
    truth = np.repeat(np.arange(n_classes), n_of_each)
    rng = np.random.default_rng(0)
    a, b = (
        np.where(rng.random(len(truth)) < accuracy, truth, (truth + 1) % n_classes)
        for _ in range(2)
    )
    if odd:
        b = np.where(np.arange(len(b)) < 2, n_classes, b)
    return PairedCounts.from_labels(truth, {"a": a, "b": b}, labels=labels)


def posterior(evidence, model):
    return make_posterior(evidence, model, "exact", 100, 0)


def test_a_published_prior_that_moves_the_accuracy_warns():
    few = two_classifiers(20, 10, 0.9)
    with pytest.warns(UserWarning, match=r"moves an accuracy of 0\.\d+ to 0\.\d+"):
        posterior(few, "hierarchical")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        posterior(few, "paired")
        posterior(two_classifiers(20, 3000, 0.9), "hierarchical")


def test_warnings_are_of_the_line_that_compares():
    y, b, few = [0, 1, 2, 3], [0, 1, 2, 2], {"model": "hierarchical", "n_draws": 100}
    for compare in (
        lambda: compare_predictions(y, y, b, **few),
        lambda: compare_many(y, {"a": y, "b": b, "c": b}, **few),
    ):
        with pytest.warns(UserWarning, match="effective instances|published prior") as caught:
            compare()
        assert "only 4 effective instances" in str(caught[0].message)
        assert {one.filename for one in caught} == {__file__}


def test_labels_without_a_positive_instance_are_told_once():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, (40, 3))
    y[:, 2] = 0
    X, options = rng.normal(size=(40, 2)), {"scoring": "f1_micro", "n_draws": 100}
    trees = [DecisionTreeClassifier(max_depth=depth, random_state=0) for depth in (1, 3)]
    for compare in (
        lambda: compare_predictions(y, y, 1 - y, **options),
        lambda: bayesian_cross_validate(*trees, X, y, **options),
    ):
        with pytest.warns(UserWarning, match=r"Labels \[2\] have no positive") as caught:
            compare()
        assert [one.filename for one in caught] == [__file__]


def test_thousands_of_classes_are_printed_with_few_draws(monkeypatch):
    rng = np.random.default_rng(0)
    y, guess = rng.integers(0, 5000, (2, 30_000))
    said = [np.where(rng.random(30_000) < share, guess, y) for share in (0.2, 0.25)]
    drawn = []

    def counted(self, rng, base, tables):
        drawn.append(len(base.mu))
        assert self.n_sticks == 5
        for recall in (0.8, 0.75):
            hits = base.mu * (recall + 0.001 * rng.standard_normal((len(base.mu), 1)))
            yield Totals(hits, base.mu, base.mu)

    monkeypatch.setattr(RecallRows, "draw_rows", counted)
    result = compare_predictions(y, *said, scoring="f1_macro", labels=range(5000), random_state=0)
    assert not drawn  # before anything is asked for
    words = result.details()
    assert "1,000 independent draws from 30,000 counts (by default not 20,000, as there" in words
    assert result.details() == words
    assert sum(drawn) == 1000
