"""One learner under cross-validation, next to `cross_val_score` and to a comparison of two."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.datasets import make_classification, make_multilabel_classification
from sklearn.linear_model import LinearRegression, Ridge
from sklearn.model_selection import (
    StratifiedKFold,
    cross_val_score,
    cross_validate,
)
from sklearn.multiclass import OneVsRestClassifier
from sklearn.multioutput import MultiOutputClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier

from skbayeseval import bayesian_cross_val_score, bayesian_cross_validate
from skbayeseval.models import Paired

X, Y = make_classification(240, n_informative=4, flip_y=0.2, random_state=0)
NB, NB2 = GaussianNB(), GaussianNB(var_smoothing=0.1)
FOLDS = StratifiedKFold(10, shuffle=True, random_state=1)
NUMBERS = X[:, :3] @ [1.0, 2.0, 3.0] + np.random.default_rng(0).normal(0, 3, len(X))
GROUPS = np.arange(len(X)) // 4


def classes(number, per_class=60, apart=2.0):
    """Return data with so many classes, and the same number of instances of each."""
    rng = np.random.default_rng(number)
    y = np.repeat(np.arange(number), per_class)
    return rng.normal(size=(number, 6))[y] * apart + rng.normal(size=(len(y), 6)), y


def test_results_are_those_of_cross_validate():
    measures = ["accuracy", "f1", "roc_auc"]
    options = {"scoring": measures, "cv": FOLDS, "return_estimator": True, "return_indices": True}
    result = bayesian_cross_val_score(NB, X, Y, random_state=0, **options)
    (own,), expected = result.cv_results.values(), cross_validate(NB, X, Y, **options)
    assert own.keys() == expected.keys()
    for name in measures:
        np.testing.assert_allclose(own[f"test_{name}"], expected[f"test_{name}"])
    for one, other in zip(own["indices"]["test"], expected["indices"]["test"], strict=True):
        np.testing.assert_array_equal(one, other)
    assert [len(one.classes_) for one in own["estimator"]] == [2] * 10
    assert result.metrics == tuple(measures)
    assert (result.name, result.n_splits, result.train_size) == ("GaussianNB", 10, 216)
    # Folds of the same size: the mean of the folds is that of the instances.
    assert result.observed == pytest.approx(own["test_accuracy"].mean())


INDICATORS = make_multilabel_classification(200, n_classes=4, random_state=0)
OF_LABELS = MultiOutputClassifier(NB), MultiOutputClassifier(NB2)
OF_NUMBERS = LinearRegression(), Ridge(100.0)

LIKE_A_COMPARISON = {
    "two classes": (NB, NB2, X, Y, {}),
    "halves beside folds": (NB, NB2, X, Y, {"cv": 5, "estimand": "full"}),
    "a weight": (NB, NB2, X, Y, {"weight": 0.3, "scoring": "f1"}),
    "hierarchical": (NB, NB2, X, Y, {"model": "hierarchical"}),
    "bcv": (NB, NB2, X, Y, {"model": "bcv", "scoring": "f1"}),
    "scores": (NB, NB2, X, Y, {"model": "scores", "cv": 10}),
    "full groups": (NB, NB2, X, Y, {"groups": GROUPS, "estimand": "full", "scoring": "roc_auc"}),
    "several": (NB, NB2, X, Y, {"scoring": ["roc_auc", "neg_log_loss", "f1"]}),
    "AUC of three": (NB, NB2, *classes(3), {"scoring": "roc_auc_ovr", "estimand": "full"}),
    "labels": (*OF_LABELS, *INDICATORS, {"scoring": ["f1_macro", "f1_micro"]}),
    "numbers": (*OF_NUMBERS, X, NUMBERS, {"scoring": ["r2", "neg_mean_absolute_error"]}),
    "numbers scores": (*OF_NUMBERS, X, NUMBERS, {"model": "scores"}),
}


@pytest.mark.parametrize("case", LIKE_A_COMPARISON)
def test_it_is_what_a_comparison_says_of_the_learner(case):
    a, b, data, target, options = LIKE_A_COMPARISON[case]
    options = {"n_draws": 5000, "random_state": 3, **options}
    alone = bayesian_cross_val_score(("own", a), data, target, **options)
    pair = bayesian_cross_validate(("own", a), b, data, target, **options)
    # Where draws are not the same, they are of the same distribution.
    error = 0.06
    for name in alone.metrics:
        observed = alone.summary().loc[name, "observed"]
        assert observed == pytest.approx(pair.metric(name).observed_a)
        low, high = pair.interval(of="a", metric=name)
        found = alone.interval(metric=name)
        assert sum(found) / 2 == pytest.approx((low + high) / 2, abs=error * (high - low))
        assert found.high - found.low == pytest.approx(high - low, rel=2 * error)
        own = alone._distribution(name)
        other = pair._distribution(name, "a")
        assert own.mean == pytest.approx(other.mean, abs=error * other.sd)
        assert own.sd == pytest.approx(other.sd, rel=2 * error)
    of_alone, of_pair = alone.cv_results["own"], pair.cv_results["own"]
    assert of_alone.keys() == of_pair.keys()
    for key in of_alone:
        if key.startswith("test_"):
            np.testing.assert_allclose(of_alone[key], of_pair[key])
    for name in ("n_splits", "train_size", "model"):
        assert getattr(alone, name) == getattr(pair, name)


def test_other_priors_of_two_classes():
    """The prior of one learner is the margin of that of two: twice the counts of a pair."""
    result = bayesian_cross_val_score(NB, X, Y, scoring="recall", weight=1.0, random_state=0)
    means = result.prior_sensitivity()["mean"].loc["paired"]
    ((truth, said, number),) = [result.evidence.margin(0).cells]
    hits, true = number[(truth == 1) & (said == 1)].sum(), number[truth == 1].sum()
    for theta in (1.0, 0.5, 0.25):
        (found,) = means[[f"theta={theta}" in name for name in means.index]]
        assert found == pytest.approx((hits + 2 * theta) / (true + 4 * theta), abs=4e-4)


class Framed(ClassifierMixin, BaseEstimator):
    """Answers with data frames, whose columns are named after the classes, in another order."""

    def __init__(self, estimator, names=None, step=-1):
        self.estimator = estimator
        self.names = names
        self.step = step

    def fit(self, X, y):
        self.estimator_ = clone(self.estimator).fit(X, y)
        self.classes_ = self.estimator_.classes_
        return self

    def _framed(self, answer, names):
        return pd.DataFrame(answer, columns=self.names or names).iloc[:, :: self.step]

    def predict(self, X):
        answer = self.estimator_.predict(X)
        return answer if answer.ndim == 1 else self._framed(answer, None)

    def predict_proba(self, X):
        answer = self.estimator_.predict_proba(X)
        if isinstance(answer, list):
            of_labels = zip(answer, self.classes_, strict=True)
            return [pd.DataFrame(p, columns=c).iloc[:, :: self.step] for p, c in of_labels]
        return self._framed(answer, self.classes_)


class FramedDecisions(Framed):
    """The same, with decision values of each class as well."""

    def decision_function(self, X):
        return self._framed(self.estimator_.predict_log_proba(X), self.classes_)


THREE = np.array(["low", "middle", "high"])[Y + (X[:, 0] > 1)]
LABELS = list("abcd")
FRAMES = {
    "two classes": (Framed(NB), NB, np.array(["no", "yes"])[Y], "roc_auc"),
    "probabilities": (Framed(NB), NB, THREE, "neg_log_loss"),
    "decisions": (FramedDecisions(NB), NB, THREE, "roc_auc_ovr"),
    "labels": (
        Framed(OneVsRestClassifier(NB), LABELS),
        OneVsRestClassifier(NB),
        "indicators",
        ["roc_auc", "f1_macro"],
    ),
    "a table of each label": (
        Framed(MultiOutputClassifier(NB), LABELS),
        MultiOutputClassifier(NB),
        "indicators",
        ["roc_auc", "f1_macro"],
    ),
}


@pytest.mark.parametrize("name", FRAMES)
def test_columns_of_answers_are_matched_by_their_names(name):
    framed, plain, y, scoring = FRAMES[name]
    if isinstance(y, str):
        data, indicators = INDICATORS
        y = pd.DataFrame(indicators, columns=LABELS)
    else:
        data = X
    options = {"scoring": scoring, "n_draws": 200, "random_state": 0}
    one, other = (bayesian_cross_val_score(each, data, y, **options) for each in (framed, plain))
    pd.testing.assert_frame_equal(one.summary(), other.summary())


def test_columns_of_answers_with_other_names_are_refused():
    with pytest.raises(ValueError, match="predict_proba has columns .*'x'.*Rename or reindex them"):
        bayesian_cross_val_score(Framed(NB, ["x", "y"]), X, Y == 1, scoring="roc_auc")


def test_split_scores_have_the_corrected_t_distribution():
    result = bayesian_cross_val_score(NB, X, Y, model="scores", cv=FOLDS, random_state=0)
    scores = cross_val_score(NB, X, Y, cv=FOLDS)
    scale = scores.std(ddof=1) * np.sqrt(1 / 10 + 1 / 9)
    law = stats.t(9, scores.mean(), scale)
    np.testing.assert_allclose(result.interval(), law.ppf([0.025, 0.975]), rtol=1e-6)
    assert result.probability(above=0.8) == pytest.approx(law.sf(0.8), abs=1e-3)


def test_split_scores_that_are_all_alike_are_not_certain():
    easy = np.r_[np.zeros(50), np.ones(50)]
    options = {"model": "scores", "cv": 10, "random_state": 0}
    result = bayesian_cross_val_score(KNeighborsClassifier(1), easy[:, None], easy, **options)
    assert result.observed == 1.0
    low, high = result.interval()
    # A step is a tenth, and rounding to steps has a standard deviation of a step / sqrt(12).
    scale = 0.1 / np.sqrt(12) * np.sqrt(1 / 10 + 1 / 9)
    assert 1 - low == pytest.approx(stats.t(9).ppf(0.975) * scale, rel=0.01)
    assert high > low


def near_one(n_wrong, n=300):
    """Return data in which so many instances are labelled wrongly."""
    y = np.arange(n) % 2
    data = y[:, None] + 0.01 * np.random.default_rng(0).normal(size=(n, 1))
    y = y.copy()
    y[:n_wrong] = 1 - y[:n_wrong]
    return data, y


@pytest.mark.parametrize(
    ("scoring", "n_wrong", "options"),
    [
        ("accuracy", 0, {}),
        ("f1", 3, {"cv": 10}),
        ("roc_auc", 0, {"estimand": "full"}),
        ("roc_auc", 3, {}),
    ],
)
def test_draws_near_one_stay_below_it_and_are_skew(n_wrong, scoring, options):
    data, y = near_one(n_wrong)
    options = {"scoring": scoring, "n_draws": 5000, "random_state": 0, **options}
    result = bayesian_cross_val_score(NB, data, y, **options)
    assert result.observed == 1.0 if n_wrong == 0 else 0.97 < result.observed < 1.0
    assert 0 <= result.draws.min() <= result.draws.max() <= 1
    assert stats.skew(result.draws) < -0.3
    assert np.median(result.draws) == pytest.approx(result.observed, abs=result.draws.std())
    low, high = result.hdi()
    assert 0.9 < low < high <= 1.0


def test_subgroups():
    site = pd.Series(np.where(X[:, 0] > 0, "Bonn", "Kiel"), name="site")
    result = bayesian_cross_val_score(NB, X, Y, cv=10, random_state=0)
    table = result.by(site).table
    assert table["n"].to_dict() == site.value_counts().to_dict()
    right = result.predictions["GaussianNB", 0].to_numpy() == Y
    for name, row in table.iterrows():
        p = right[site == name].mean()
        assert row["observed"] == pytest.approx(p)
        noise = p * (1 - p) / (row["n"] + 2)
        assert row["sd"] == pytest.approx(np.sqrt(1.6 * 1.25 * noise), rel=0.07)
    grouped = bayesian_cross_val_score(NB, X, Y, groups=GROUPS, random_state=0)
    assert grouped.by(GROUPS % 2).table["n_groups"].to_list() == [30, 30]
    with pytest.raises(ValueError, match="same value for all instances of a group"):
        grouped.by(site)
    with pytest.raises(ValueError, match="which split scores do not tell apart"):
        bayesian_cross_val_score(NB, X, Y, model="scores", random_state=0).by(site)


def test_labels_may_be_permuted():
    words = np.array(["no", "yes"])[Y]
    options = {"cv": FOLDS, "scoring": "f1_macro", "random_state": 0}
    plain, named, other = (bayesian_cross_val_score(NB, X, y, **options) for y in (Y, words, 1 - Y))
    np.testing.assert_allclose(named.interval(), plain.interval(), atol=0.004)
    np.testing.assert_allclose(other.interval(), plain.interval(), atol=0.004)
    ordered = bayesian_cross_val_score(NB, X, words, labels=["yes", "no"], **options)
    assert ordered.observed == pytest.approx(plain.observed)
    options["scoring"] = "f1"
    f1 = bayesian_cross_val_score(NB, X, words, pos_label="yes", **options)
    assert f1.observed == pytest.approx(bayesian_cross_val_score(NB, X, Y, **options).observed)


def test_instances_may_be_permuted():
    """Given the same splits, their order does not matter."""
    order = np.random.default_rng(0).permutation(len(Y))
    place = np.argsort(order)
    splits = list(FOLDS.split(X, Y))
    moved = [(place[train], place[test]) for train, test in splits]
    one = bayesian_cross_val_score(NB, X, Y, cv=splits, random_state=0)
    other = bayesian_cross_val_score(NB, X[order], Y[order], cv=moved, random_state=0)
    np.testing.assert_allclose(one.draws, other.draws)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"model": "signed-rank"}, "does not fit one label per instance"),
        ({"model": Paired()}, "requires two classifiers, but there are 1"),
        ({"model": "scores", "engine": "pymc"}, "compares two estimators, but there are 1"),
    ],
    ids=lambda given: str(given)[:30],
)
def test_errors_in_words(options, words):
    with pytest.raises(ValueError, match=words):
        bayesian_cross_val_score(NB, X, Y, **options)
