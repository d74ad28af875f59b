from dataclasses import replace
from functools import partial

import numpy as np
import pandas as pd
import pytest
from sklearn import metrics as sk
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import get_scorer, get_scorer_names, make_scorer
from sklearn.model_selection import GridSearchCV, cross_validate
from sklearn.naive_bayes import GaussianNB

from skbayeseval import (
    BayesianComparer,
    BlockRegularizedCV,
    bayesian_cross_validate,
    compare_counts,
    compare_predictions,
    metrics,
    report_search,
    score_posterior,
)
from skbayeseval.metrics import registry
from skbayeseval.metrics.scorers import Made, metric_of_scorer

KNOWN = metrics.known_metrics()


@pytest.mark.parametrize(
    ("scorer", "name"),
    [
        (make_scorer(sk.fbeta_score, beta=2), "f2"),
        (make_scorer(sk.fbeta_score, beta=0.5, average="weighted"), "f0.5_weighted"),
        (make_scorer(sk.precision_score, average="binary"), "precision"),
        (make_scorer(sk.cohen_kappa_score), "cohen_kappa"),
        (make_scorer(sk.mean_absolute_error, greater_is_better=False), "neg_mean_absolute_error"),
        *((get_scorer(name), name) for name in get_scorer_names() if name in KNOWN),
    ],
    ids=str,
)
def test_known_metrics_are_recognised(scorer, name):
    assert metric_of_scorer(scorer) == metrics.get_metric(name)
    assert metric_of_scorer(scorer).name == name


def f1_score(y_true, y_pred):
    return 0.5


@pytest.mark.parametrize(
    "scorer",
    [
        make_scorer(f1_score),
        make_scorer(sk.mean_absolute_error),
        make_scorer(sk.roc_auc_score, response_method="predict_proba"),
        make_scorer(partial(sk.f1_score)),
        make_scorer(sk.f1_score, pos_label="spam"),
        make_scorer(sk.f1_score, labels=[0, 1], average="micro"),
        make_scorer(sk.f1_score, average=None),
        make_scorer(sk.cohen_kappa_score, weights="linear"),
        make_scorer(sk.mean_pinball_loss, greater_is_better=False, alpha=0.9),
        abs,
    ],
)
def test_others_are_not(scorer):
    assert metric_of_scorer(scorer) is None


def test_functions_are_recognised_by_identity(monkeypatch):
    """A metric of tables that is called as a function of clusters is not that function."""
    metric = metrics.get_metric("accuracy")
    added = replace(metric, name="fowlkes_mallows", formula="fowlkes_mallows")
    monkeypatch.setitem(registry.METRICS, "fowlkes_mallows", added)
    assert compare_predictions(Y, A, B, scoring="fowlkes_mallows", **QUICK).observed_a == (
        pytest.approx(np.mean(Y == A))
    )
    with pytest.raises(TypeError, match="'fowlkes_mallows_score' does not take sample_weight"):
        compare_predictions(Y, A, B, scoring=make_scorer(sk.fowlkes_mallows_score), **QUICK)


RNG = np.random.default_rng(3)
N = 60
Y = RNG.integers(0, 2, N)
A, B = (np.where(RNG.random(N) < right, Y, 1 - Y) for right in (0.8, 0.7))
P, Q = (np.clip(0.4 * Y + 0.3 + RNG.normal(0, s, N), 0.01, 0.99) for s in (0.2, 0.3))
X = np.column_stack([Y + np.random.default_rng(4).normal(size=N), P])
QUICK = {"n_draws": 100, "random_state": 0}


@pytest.mark.parametrize("pos_label", ["spam", "ham"])
def test_scorers_that_name_a_class(pos_label):
    words = {name: np.where(y == 1, "spam", "ham") for name, y in {"y": Y, "a": A, "b": B}.items()}
    scorer = make_scorer(sk.f1_score, pos_label=pos_label)
    result = compare_predictions(*words.values(), scoring=scorer, **QUICK)
    assert result.observed_a == sk.f1_score(words["y"], words["a"], pos_label=pos_label)
    scorer = make_scorer(
        sk.average_precision_score, pos_label=pos_label, response_method="predict_proba"
    )
    said, other = (P, Q) if pos_label == "spam" else (1 - P, 1 - Q)
    options = {"y_score_a": said, "y_score_b": other, "scoring": scorer, **QUICK}
    expected = sk.average_precision_score(words["y"], said, pos_label=pos_label)
    result = compare_predictions(words["y"], None, None, **options)
    # One column is that of the positive class of the scorer, named or not.
    named = compare_predictions(words["y"], None, None, **options, pos_label=pos_label)
    frames = {k: pd.DataFrame({pos_label: options[k]}) for k in ("y_score_a", "y_score_b")}
    again = compare_predictions(words["y"], None, None, **options | frames, labels=["spam", "ham"])
    for given in (result, again):
        assert given.observed_a == pytest.approx(expected)
        np.testing.assert_array_equal(given.draws, named.draws)


def test_functions_and_scorers_see_classes_in_sorted_order():
    """The order of `labels=` is that of the columns that are passed, not what functions expect."""
    letters = np.array(["b", "c", "a"])
    truth = letters[np.arange(N) % 3]
    shares = [RNG.dirichlet(np.ones(3), N) for _ in range(2)]
    in_order = [one[:, np.argsort(letters)] for one in shares]
    auc = {"multi_class": "ovr", "average": "weighted"}
    for scoring, expected in (
        (
            metrics.weighted(sk.log_loss, response="predict_proba", greater_is_better=False),
            -sk.log_loss(truth, in_order[0]),
        ),
        (
            make_scorer(sk.roc_auc_score, response_method="predict_proba", **auc),
            sk.roc_auc_score(truth, in_order[0], **auc),
        ),
    ):
        scores = {"y_score_a": shares[0], "y_score_b": shares[1], "labels": letters}
        with_labels = compare_predictions(truth, None, None, scoring=scoring, **scores, **QUICK)
        assert with_labels.observed_a == pytest.approx(expected)


@pytest.mark.parametrize("n_labels", [2, 3])
@pytest.mark.parametrize(
    ("function", "options", "response"),
    [
        (sk.roc_auc_score, {"average": "micro"}, "decision_function"),
        (sk.fbeta_score, {"beta": 2, "average": "samples", "zero_division": 0}, "predict"),
    ],
)
def test_scorers_of_indicators(n_labels, function, options, response):
    truth = RNG.integers(0, 2, (N, n_labels))
    scores = [np.clip(0.4 * truth + RNG.random((N, n_labels)) / 2, 0, 1) for _ in range(2)]
    said = [(one > 0.5).astype(int) for one in scores]
    scorer = make_scorer(function, response_method=response, **options)
    result = compare_predictions(
        truth, *said, y_score_a=scores[0], y_score_b=scores[1], scoring=scorer, **QUICK
    )
    expected = function(truth, (said if response == "predict" else scores)[0], **options)
    assert result.observed_a == pytest.approx(expected)


class TestWhatIsReadOfScorers:
    """The function, its sign, its options, and what it asks for, as scikit-learn's scorer does."""

    MODEL = LogisticRegression().fit(X, Y)
    COST = partial(sk.fbeta_score, beta=3)

    @pytest.mark.parametrize(
        "scorer",
        [
            make_scorer(COST),
            make_scorer(sk.hamming_loss, greater_is_better=False),
            make_scorer(sk.fbeta_score, beta=3, labels=[0], pos_label=None, average="macro"),
            make_scorer(sk.d2_log_loss_score, response_method="predict_proba"),
            make_scorer(
                sk.hinge_loss, response_method=("decision_function", "predict_proba"),
                greater_is_better=False,
            ),
        ],
    )  # fmt: skip
    def test_classes(self, scorer):
        said, of = self.MODEL.predict(X), Made.of(scorer).method
        given = None if of == "predict" else getattr(self.MODEL, of)(X)
        result = score_posterior(Y, said, y_score=given, scoring=scorer, **QUICK)
        assert result.observed == pytest.approx(scorer(self.MODEL, X, Y), rel=1e-12)


@pytest.mark.parametrize(
    ("scorer", "message"),
    [
        (lambda estimator, X, y: 0.5, r"make_scorer did not make, .* model='scores'"),
        (sk.f1_score, r"make_scorer did not make, .* Pass .* as metrics.weighted\(function"),
        (make_scorer(sk.rand_score), r"does not take sample_weight. .* metrics.resampled"),
        (make_scorer(sk.f1_score, response_method=["predict_log_proba"]), "asks estimators for"),
        (
            make_scorer(sk.average_precision_score, response_method="predict_proba", pos_label=7),
            r"pos_label=7 of average_precision_score is not one of the classes \[0, 1\]",
        ),
    ],
)
def test_other_scorers_are_refused(scorer, message):
    with pytest.raises((TypeError, ValueError), match=message):
        compare_predictions(Y, A, B, y_score_a=P, y_score_b=Q, scoring=scorer, **QUICK)
    with pytest.raises((TypeError, ValueError), match=message):
        bayesian_cross_validate(LogisticRegression(C=-1), GaussianNB(), X, Y, scoring=scorer)


def average_precision(pos_label, response="predict_proba"):
    return make_scorer(sk.average_precision_score, response_method=response, pos_label=pos_label)


def test_metrics_with_different_positive_classes_need_a_column_for_each():
    both = {"y_score_a": np.column_stack([1 - P, P]), "y_score_b": np.column_stack([1 - Q, Q])}
    of_0, of_1 = sk.average_precision_score(1 - Y, 1 - P), sk.average_precision_score(Y, P)
    for other in (average_precision(1), "average_precision"):
        scoring = {"of 0": average_precision(0), "of 1": other, "area": "roc_auc"}
        result = compare_predictions(Y, None, None, scoring=scoring, **both, **QUICK)
        assert result.metric("of 0").observed_a == pytest.approx(of_0)
        assert result.metric("of 1").observed_a == pytest.approx(of_1)
        assert result.metric("area").observed_a == pytest.approx(sk.roc_auc_score(Y, P))
        with pytest.raises(ValueError, match="one column, but the metrics have different positive"):
            compare_predictions(Y, None, None, y_score_a=P, y_score_b=Q, scoring=scoring, **QUICK)
    scoring = [average_precision("spam"), "average_precision"]
    words = np.where(Y == 1, "spam", "ham")
    with pytest.raises(ValueError, match="pos_label"):  # of the second, nobody knows
        compare_predictions(words, None, None, y_score_a=P, y_score_b=Q, scoring=scoring, **QUICK)


@pytest.mark.parametrize("pos_label", [0, 1])
def test_functions_that_name_a_class_are_given_its_scores(pos_label):
    function = partial(sk.average_precision_score, pos_label=pos_label)
    metric = metrics.weighted(function, response="predict_proba", greater_is_better=True)
    scores = {"y_score_a": np.column_stack([1 - P, P]), "y_score_b": np.column_stack([1 - Q, Q])}
    expected = function(Y, scores["y_score_a"][:, pos_label])
    for given in (scores, {name: one[:, pos_label] for name, one in scores.items()}):
        result = compare_predictions(Y, None, None, scoring=metric, **given, **QUICK)
        assert result.observed_a == pytest.approx(expected)


WORDS = np.where(Y == 1, "good", "bad")
CV = BlockRegularizedCV(3, random_state=0)
OF_BAD = {
    "f1": make_scorer(sk.f1_score, pos_label="bad"),
    "labels": make_scorer(sk.f1_score, labels=["bad"], average="macro", pos_label=None),
    "average_precision": average_precision("bad"),
}


def compare_by_search(**options):
    search = GridSearchCV(LogisticRegression(), {"C": [0.01, 1]}, cv=3).fit(X, WORDS)
    return report_search(search, X, WORDS, rope=0.01, **options)


DOORS = {
    "cross_validate": lambda **o: bayesian_cross_validate(
        GaussianNB(), LogisticRegression(), X, WORDS, cv=CV, **o
    ),
    "comparer": lambda **o: BayesianComparer(
        [GaussianNB(), LogisticRegression()], cv=CV, refit=True, **({"weight": "published"} | o)
    ).fit(X, WORDS),
    "search": compare_by_search,
    "predictions": lambda **o: compare_predictions(WORDS, WORDS, WORDS[::-1], **o),
}


@pytest.mark.parametrize("door", DOORS)
def test_another_positive_class_is_refused_everywhere(door):
    if door != "search":
        DOORS[door](scoring=OF_BAD["f1"], pos_label="bad", **QUICK)
    with pytest.raises(ValueError, match="has the positive class 'bad', but pos_label='good' was"):
        DOORS[door](scoring=OF_BAD["f1"], pos_label="good", **QUICK)


def test_positive_classes_of_counts_and_of_labels():
    cells = (30, 10, 12, 50), (25, 9, 17, 50)
    with pytest.raises(ValueError, match="has the positive class 0, but pos_label=1"):
        compare_counts(*cells, scoring=make_scorer(sk.f1_score, pos_label=0), **QUICK)
    # The labels of a scorer are not its positive class.
    DOORS["predictions"](scoring=OF_BAD["labels"], pos_label="good", **QUICK)


def test_scorers_of_scores_that_tell_classes_apart_take_the_greater_one():
    """As scikit-learn, whose area below max_fpr has no pos_label."""
    scorer = make_scorer(sk.roc_auc_score, max_fpr=0.3, response_method="predict_proba")
    expected = sk.roc_auc_score(WORDS, P, max_fpr=0.3)
    options = {"y_score": P, "scoring": scorer, **QUICK}
    for given in ({}, {"labels": ["good", "bad"]}):
        assert score_posterior(WORDS, None, **options, **given).observed == pytest.approx(expected)
    with pytest.raises(ValueError, match="has the positive class 'good', but pos_label='bad'"):
        score_posterior(WORDS, None, **(options | {"y_score": 1 - P}), pos_label="bad")
    for function in (sk.roc_auc_score, sk.log_loss, sk.brier_score_loss):  # which do not
        scorer = make_scorer(function, response_method="predict_proba", greater_is_better=False)
        metric = metrics.resolve_scoring(scorer, ("bad", "good"), False, "bad")
        assert [one.named_class for one in metric.values()] == [None]


@pytest.mark.parametrize("name", ["labels", "average_precision"])
def test_parameters_of_scorers_count_in_cross_validation(name):
    scorer = OF_BAD[name]
    result = DOORS["cross_validate"](scoring=scorer, weight="published", **QUICK)
    expected = cross_validate(GaussianNB(), X, WORDS, scoring=scorer, cv=CV)["test_score"]
    np.testing.assert_allclose(result.cv_results["GaussianNB"]["test_score"], expected)
    if name == "labels":
        best = DOORS["comparer"](scoring=scorer, weight="published", **QUICK)
        assert best.score(X, WORDS) == pytest.approx(scorer(best.best_estimator_, X, WORDS))


def test_averages_have_no_positive_class():
    """Their functions have a parameter pos_label, which is not used."""
    for scoring in (
        make_scorer(sk.f1_score, average="micro", labels=[0, 1]),
        metrics.weighted(partial(sk.f1_score, average="micro")),
    ):
        result = compare_predictions(Y, A, B, scoring=scoring, pos_label=0, **QUICK)
        assert result.observed_a == pytest.approx(sk.f1_score(Y, A, average="micro"))


class Agreement:
    def __call__(self, y_true, y_pred, sample_weight=None):
        return np.average(y_true == y_pred, weights=sample_weight)

    def agree(self, y_true, y_pred, sample_weight=None):
        return self(y_true, y_pred, sample_weight)


@pytest.mark.parametrize(
    ("function", "name"),
    [
        (Agreement(), "Agreement"),
        (Agreement().agree, "agree"),
        (partial(sk.fbeta_score, beta=2), "fbeta_score"),
        (lambda y_true, y_pred, sample_weight=None: 0.5, "<lambda>"),
    ],
    ids=["object", "method", "partial", "lambda"],
)
def test_functions_of_all_kinds_have_names(function, name):
    for scoring in (make_scorer(function), metrics.weighted(function), metrics.resampled(function)):
        result = compare_predictions(Y, A, B, scoring=scoring, **QUICK)
        assert result.metrics == (name,)
        assert result.observed_a == function(Y, A)


@pytest.mark.parametrize("make", [metrics.ndcg, metrics.fbeta, metrics.from_instances])
def test_functions_that_make_metrics_must_be_called(make):
    for scoring in (make, {"mine": make}):
        with pytest.raises(TypeError, match=rf"Call it: metrics\.{make.__name__}\("):
            compare_predictions(Y, A, B, scoring=scoring, **QUICK)
    with pytest.raises(TypeError, match="Call it"):
        compare_by_search(scoring=make, **QUICK)
