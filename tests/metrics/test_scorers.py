import numpy as np
import pytest
from sklearn import metrics as sk
from sklearn.metrics import get_scorer, get_scorer_names, make_scorer

from skbayeseval import compare_predictions, metrics
from skbayeseval.metrics.registry import metric_of_scorer


@pytest.mark.parametrize(
    ("scorer", "name"),
    [
        (make_scorer(sk.fbeta_score, beta=2), "f2"),
        (make_scorer(sk.fbeta_score, beta=0.5, average="weighted"), "f0.5_weighted"),
        (make_scorer(sk.f1_score, average="macro"), "f1_macro"),
        (make_scorer(sk.precision_score, average="binary"), "precision"),
        (make_scorer(sk.cohen_kappa_score), "cohen_kappa"),
        (make_scorer(sk.mean_absolute_error, greater_is_better=False), "neg_mean_absolute_error"),
        (make_scorer(sk.r2_score), "r2"),
    ],
    ids=str,
)
def test_known_metrics_are_recognised(scorer, name):
    assert metric_of_scorer(scorer).name == name


@pytest.mark.parametrize("name", sorted(set(metrics.known_metrics()) & set(get_scorer_names())))
def test_scorers_of_scikit_learn_are_recognised(name):
    assert metric_of_scorer(get_scorer(name)) == metrics.get_metric(name)


def f1_score(y_true, y_pred):
    return 0.5


@pytest.mark.parametrize(
    "scorer",
    [
        make_scorer(f1_score),
        make_scorer(sk.f1_score, greater_is_better=False),
        make_scorer(sk.mean_absolute_error),
        make_scorer(sk.f1_score, pos_label="spam"),
        make_scorer(sk.f1_score, labels=[0, 1], average="micro"),
        make_scorer(sk.f1_score, average=None),
        make_scorer(sk.cohen_kappa_score, weights="linear"),
        make_scorer(sk.balanced_accuracy_score, adjusted=True),
        make_scorer(sk.max_error, greater_is_better=False),
        make_scorer(sk.mean_pinball_loss, greater_is_better=False, alpha=0.9),
        lambda estimator, X, y: 0.5,
        abs,
    ],
)
def test_others_are_not(scorer):
    assert metric_of_scorer(scorer) is None


def test_the_comparison_is_that_of_the_name():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 60)
    a, b = (np.where(rng.random(60) < 0.8, y, 1 - y) for _ in range(2))
    scorer = make_scorer(sk.fbeta_score, beta=2)
    ours = compare_predictions(y, a, b, scoring=scorer, random_state=0)
    assert ours.metrics == ("f2",)
    assert ours.observed_a == pytest.approx(sk.fbeta_score(y, a, beta=2))
    named = compare_predictions(y, a, b, scoring="f2", random_state=0)
    np.testing.assert_array_equal(ours.draws, named.draws)
    keyed = compare_predictions(y, a, b, scoring={"double": scorer}, random_state=0)
    assert keyed.metrics == ("double",)


def test_refuses():
    with pytest.raises(TypeError, match="does not take sample_weight.*model='scores'"):
        compare_predictions([0, 1], [0, 1], [1, 1], scoring=make_scorer(f1_score))
    for function in (sk.f1_score, lambda y_true, y_pred, sample_weight=None: 1.0):
        with pytest.raises(TypeError, match=r"Pass a function of y_true .* as metrics.weighted"):
            compare_predictions([0, 1], [0, 1], [1, 1], scoring=function)


RNG = np.random.default_rng(3)
N = 60
Y = RNG.integers(0, 2, N)
A, B = (np.where(RNG.random(N) < right, Y, 1 - Y) for right in (0.8, 0.7))
P, Q = (np.clip(0.4 * Y + 0.3 + RNG.normal(0, s, N), 0.01, 0.99) for s in (0.2, 0.3))
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
    for given in ({}, {"pos_label": pos_label}, {"labels": ["spam", "ham"]}):
        result = compare_predictions(words["y"], None, None, **options, **given)
        assert result.observed_a == pytest.approx(expected)


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
    hinge = make_scorer(sk.hinge_loss, response_method="decision_function", greater_is_better=False)
    for pos_label, sign in ((1, 1), (0, -1)):
        scores = {"y_score_a": sign * (4 * P - 2), "y_score_b": sign * (4 * Q - 2)}
        options = {"labels": [1, 0], "pos_label": pos_label, "scoring": hinge}
        result = compare_predictions(Y, None, None, **scores, **options, **QUICK)
        assert result.observed_a == pytest.approx(-sk.hinge_loss(Y, 4 * P - 2))


@pytest.mark.parametrize("n_labels", [2, 3])
@pytest.mark.parametrize(
    ("function", "options", "response"),
    [
        (sk.roc_auc_score, {"average": "micro"}, "decision_function"),
        (sk.roc_auc_score, {"average": "macro"}, "predict_proba"),
        (sk.label_ranking_average_precision_score, {}, "decision_function"),
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


def test_scorers_that_ask_for_two_things():
    def scorer(estimator, X, y, sample_weight=None):
        loss = sk.log_loss(y, estimator.predict_proba(X), sample_weight=sample_weight)
        return sk.accuracy_score(y, estimator.predict(X), sample_weight=sample_weight) - loss

    with pytest.raises(TypeError, match="asks estimators for predict and predict_proba"):
        compare_predictions(Y, A, B, y_score_a=P, y_score_b=Q, scoring=scorer)


def test_functions_in_place_of_scorers():
    with pytest.raises(TypeError, match=r"as a scorer.* metrics\.weighted\(function\)"):
        compare_predictions(Y, A, B, scoring=sk.f1_score)


def mean_of_right(estimator, X, y, sample_weight=None):
    right = estimator.predict_proba(X)[np.arange(len(y)), y]
    return np.average(right, weights=sample_weight)


def test_scorers_of_the_users_own_may_only_ask_for_predictions():
    def reads_x(estimator, X, y, sample_weight=None):
        return mean_of_right(estimator, X, y, sample_weight) * X[0, 0]

    rng = np.random.default_rng(0)
    y, p = rng.integers(0, 2, 60), rng.random((2, 60))
    options = {"y_score_a": p[0], "y_score_b": p[1], "n_draws": 100, "random_state": 0}
    result = compare_predictions(y, None, None, scoring=mean_of_right, **options)
    assert result.observed_a == pytest.approx(np.where(y == 1, p[0], 1 - p[0]).mean())
    with pytest.raises(TypeError, match="may use X only to ask the estimator for predictions"):
        compare_predictions(y, None, None, scoring=reads_x, **options)
