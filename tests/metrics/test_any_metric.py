"""Any function as a metric, against the direct computation and the metrics that are built in."""

import re

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn import metrics as sklearn_metrics
from sklearn.metrics import get_scorer_names, make_scorer

from skbayeseval import (
    compare_predictions,
    metrics,
)
from skbayeseval.metrics.batched import SCORERS
from skbayeseval.metrics.scorers import Routed
from skbayeseval.metrics.scoring import known_columns, resolve_scoring

RNG = np.random.default_rng(5)
N = 120
Y = RNG.integers(0, 2, N)
A, B = (np.where(RNG.random(N) < right, Y, 1 - Y) for right in (0.85, 0.75))
P, Q = (np.clip(0.6 * Y + 0.2 + RNG.normal(0, s, N), 0.02, 0.98) for s in (0.15, 0.3))
NUMBERS = RNG.gamma(2.0, size=N)
NEAR, FAR = (NUMBERS * RNG.lognormal(0, s, N) for s in (0.3, 0.6))
GROUPS = np.arange(N) // 4
QUICK = {"n_draws": 300, "random_state": 3}
SCORES = {"y_score_a": P, "y_score_b": Q}


def cost(y_true, y_pred, sample_weight=None):
    return np.average(np.where(y_true == 1, 5.0, 1.0) * (y_true != y_pred), weights=sample_weight)


def brier(y_true, y_score, sample_weight=None):
    return np.average((y_true - y_score) ** 2, weights=sample_weight)


BRIER = metrics.weighted(brier, response="predict_proba", greater_is_better=False)
COST = metrics.weighted(cost, greater_is_better=False)
F1 = metrics.weighted(sklearn_metrics.f1_score, bounds=(0, 1))


def compare(scoring, **options):
    return compare_predictions(Y, A, B, scoring=scoring, **(QUICK | options))


def by_scores(scoring, **options):
    return compare_predictions(Y, None, None, scoring=scoring, **(QUICK | SCORES | options))


def share_right(y_true, y_pred):
    return np.mean(y_true == y_pred)


def by_numbers(scoring, **options):
    return compare_predictions(NUMBERS, NEAR, FAR, scoring=scoring, **(QUICK | options))


class TestAgainstBuiltInMetrics:
    """The same draws, computed by the function that scikit-learn has."""

    @pytest.mark.parametrize(
        ("door", "function", "known", "options", "tolerance"),
        [
            (compare, F1, "f1", {"weight": 0.5}, 1e-12),
            (compare, F1, "f1", {"groups": GROUPS}, 0.01),  # what few units are, differs
            (by_scores, BRIER, "neg_brier_score", {"groups": GROUPS}, 1e-9),
        ],
    )
    def test_labels_and_scores(self, door, function, known, options, tolerance):
        own, known = (door(one, n_draws=100, **options) for one in (function, known))
        assert_allclose(own.draws, known.draws, atol=tolerance)
        assert own.observed_a == pytest.approx(known.observed_a)
        assert own.model == known.model

    def test_numbers(self):
        loss = metrics.weighted(sklearn_metrics.mean_absolute_error, greater_is_better=False)
        options = {"sample_weight": np.linspace(0.1, 2, N)}
        own, known = by_numbers(loss, **options), by_numbers("neg_mean_absolute_error", **options)
        assert own.observed_a == pytest.approx(known.observed_a)
        assert own.draws.std() == pytest.approx(known.draws.std(), rel=0.05)

    def test_resampled_labels_are_as_wide_as_weighted_ones(self):
        own = compare(metrics.resampled(share_right), n_draws=3000)
        known = compare("accuracy", n_draws=3000)
        assert own.draws.std() == pytest.approx(known.draws.std(), rel=0.08)
        assert own.draws.mean() == pytest.approx(own.observed_a - own.observed_b, abs=0.01)
        # The truth is given first.
        own = compare(metrics.resampled(lambda y, p: y[p == 1].mean(), name="precision"))
        precision = sklearn_metrics.precision_score(Y, A)
        assert precision != pytest.approx(sklearn_metrics.recall_score(Y, A), abs=0.03)
        assert own.observed_a == pytest.approx(precision)
        assert own.draws_a.mean() == pytest.approx(precision, abs=0.01)


class TestDraws:
    """Each draw is the value of the function for the weights of the draw."""

    def test_the_order_of_instances_does_not_matter(self):
        order, weights = RNG.permutation(N), RNG.gamma(1.0, size=(N, 5))
        values = BRIER.prepared(Y[order], P[order])(weights[order])
        assert_allclose(values, BRIER.prepared(Y, P)(weights))
        assert_allclose(values, [-np.average((Y - P) ** 2, weights=w) for w in weights.T])
        permuted = compare_predictions(Y[order], A[order], B[order], scoring=COST, **QUICK)
        assert_allclose(permuted.draws, compare(COST).draws)

    def test_derivatives(self):
        for make in (metrics.weighted, metrics.resampled):
            prepared = make(brier, greater_is_better=True).prepared(Y, P)
            assert_allclose(
                prepared.slopes().numerators[0], (Y - P) ** 2, atol=1e-8
            )  # mean times n
        empty = prepared.sums(np.zeros((N, 1)))  # a test set of which nothing is drawn
        assert empty.numerators == empty.denominators == 0

    def test_batches_are_the_same_as_one_by_one(self):
        def batched(y_true, y_score, sample_weight):
            weights = np.atleast_2d(sample_weight)
            return weights @ (y_true - y_score) ** 2 / weights.sum(axis=1)

        loss = {"response": "predict_proba", "name": "x", "greater_is_better": False}
        one_by_one = by_scores(metrics.weighted(brier, **loss))
        at_once = by_scores(metrics.weighted(batched, batched=True, **loss))
        assert_allclose(at_once.draws, one_by_one.draws, atol=1e-12)


def test_items_of_any_kind():
    boxes = [list(range(i % 4 + 1)) for i in range(60)]
    said = [box[:-1] or box for box in boxes]

    def overlap(true, found):
        pairs = zip(true, found, strict=True)
        return np.mean([len({*t} & {*f}) / len({*t} | {*f}) for t, f in pairs])

    metric = metrics.over_items(overlap, bounds=(0, 1))
    result = compare_predictions(boxes, boxes, said, scoring=metric, **QUICK)
    assert result.observed_a == 1
    assert result.draws_a.max() <= 1
    each = [overlap([box], [one]) for box, one in zip(boxes, said, strict=True)]
    assert result.draws_b.std() == pytest.approx(np.std(each) / np.sqrt(60), rel=0.2)
    assert "identical" in str(compare_predictions(boxes, said, said, scoring=metric, **QUICK))


@pytest.mark.parametrize("positive", [0, 1])
@pytest.mark.parametrize("response", ["decision_function", "predict_proba"])
def test_scorers_see_the_scores_of_the_class_that_they_mean(positive, response):
    if response == "decision_function":
        scores, function, other = 4 * P - 2, sklearn_metrics.hinge_loss, np.negative
    else:
        scores, function, other = P, sklearn_metrics.log_loss, lambda p: 1 - p
    expected = -function(Y, scores)
    said = scores if positive else other(scores)  # those of the positive class
    scorer = make_scorer(function, response_method=response, greater_is_better=False)
    result = by_scores(scorer, y_score_a=said, y_score_b=said, pos_label=positive)
    assert result.observed_a == pytest.approx(expected)


def test_functions_that_take_the_scores_of_the_other_class_are_refused():
    loss = metrics.weighted(
        sklearn_metrics.log_loss, response="predict_proba", greater_is_better=False
    )
    with pytest.raises(ValueError, match=r"make_scorer\(function, response_method='predict_proba'"):
        by_scores(loss, y_score_a=1 - P, y_score_b=1 - Q, pos_label=0)

    def of_class_0(y_true, y_score, sample_weight=None):
        return np.average(((y_true == 0) - y_score) ** 2, weights=sample_weight)

    own = metrics.weighted(of_class_0, response="predict_proba", greater_is_better=False)
    result = by_scores(own, y_score_a=1 - P, y_score_b=1 - Q, pos_label=0)
    assert result.observed_a == pytest.approx(-((Y - P) ** 2).mean())


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda y, p, sample_weight=None: float(np.mean(y * p)), "ignores its weights"),
        (lambda y, p, sample_weight=None: np.random.default_rng().random(), "deterministic"),
        (lambda y, p, sample_weight=None: np.ones(3), "must return a number, got array"),
        (lambda y, p, sample_weight=None: "good", "must return a number, got 'good'"),
        (lambda y, p, sample_weight=None: np.nan, "NaN or infinity for these predictions"),
        (lambda y, p, sample_weight: float(sample_weight @ (1 - abs(y - p))), "an average"),
        (lambda y, p: 0.5, "function of metric 'mine' raised TypeError: .* 'sample_weight'"),
    ],
)
def test_functions_that_do_not_do(function, message):
    with pytest.raises(ValueError, match=message):
        compare(metrics.weighted(function, name="mine"))
    with pytest.raises(ValueError, match=message):
        by_scores(metrics.weighted(function, name="mine", response="predict_proba"))


@pytest.mark.parametrize(("n", "n_classes"), [(4, 2), (6, 4)])
def test_functions_that_use_their_weights_are_not_refused(n, n_classes):
    rng = np.random.default_rng(n)
    truth = np.arange(n) % n_classes
    scorers = [make_scorer(sklearn_metrics.balanced_accuracy_score, adjusted=True)]
    for average, labels in (("micro", None), ("micro", [0]), ("macro", [1, 0])):
        options = {"average": average, "labels": labels, "pos_label": None, "zero_division": 0}
        scorers += [make_scorer(sklearn_metrics.recall_score, **options)]
        scorers += [make_scorer(sklearn_metrics.precision_score, **options)]
    for said in (truth, np.roll(truth, 1), rng.integers(0, n_classes, n)):
        for scorer in scorers:
            compare_predictions(truth, said, truth, scoring=scorer, **QUICK)


@pytest.mark.parametrize("order", [slice(None), np.argsort(NUMBERS), np.argsort(Y)])
def test_functions_that_ignore_their_weights_are_refused_whatever_the_order(order):
    def largest(y_true, y_pred, sample_weight=None):
        return -np.abs(y_true - y_pred).max()

    def third(y_true, y_pred, sample_weight=None):  # not a sum of powers of 2
        return -np.abs(y_true - y_pred).mean() / 3

    for function in (largest, third):
        metric = metrics.weighted(function, greater_is_better=True)
        with pytest.raises(ValueError, match="ignores its weights"):
            compare_predictions(NUMBERS[order], NEAR[order], FAR[order], scoring=metric, **QUICK)


def test_draws_for_which_a_function_is_not_defined():
    """The error counts them, and names the classifier and the class."""
    y = np.where(np.arange(N) == 7, "rare", np.where(Y == 1, "x", "y"))

    def recall(y_true, y_pred):
        there = y_true == "rare"
        return np.mean(y_pred[there] == "rare") if there.any() else np.nan

    result = compare_predictions(y, y, y[::-1], scoring=metrics.resampled(recall), **QUICK)
    told = (
        r"Classifier 1 of 2: The function of metric 'recall' returned NaN or infinity for (\d+) of "
        r"the first 300 draws. The cause may be class rare, of which there are few instances "
        r"\(1\). .* use metrics.weighted if it takes weights"
    )
    with pytest.raises(ValueError, match=told) as caught:
        result.hdi()
    undefined = int(re.match(told, str(caught.value))[1])
    assert undefined / 300 == pytest.approx(np.exp(-1), abs=0.1)


def test_functions_that_change_their_weights():
    def weigh(y_true, y_pred, sample_weight):
        sample_weight[y_true == 1] *= 5
        return np.average(y_true == y_pred.round(), weights=sample_weight)

    metric = metrics.weighted(weigh, response="predict_proba")
    result = by_scores(metric, y_score_b=P)
    assert_array_equal(result.draws_a, result.draws_b)


def test_losses_that_do_not_say_so():
    for call, told in (
        (lambda: compare(metrics.weighted(cost)), "lower for perfect predictions, 0, than for"),
        (lambda: by_numbers(make_scorer(sklearn_metrics.mean_absolute_error)), "lower for perfect"),
        (
            lambda: compare(metrics.weighted(cost, greater_is_better=False, bounds=(0, 5))),
            "outside of its bounds 0 and 5.* minus the loss",
        ),
    ):
        with pytest.raises(ValueError, match=told):
            call()
    meant = metrics.weighted(brier, response="predict_proba", greater_is_better=True)
    assert by_scores(meant).observed_a > 0


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: metrics.weighted("f1"), "function must be callable"),
        (
            lambda: metrics.weighted(cost, response="score"),
            "response must be one of .*, got 'score'",
        ),
        (lambda: metrics.resampled(cost, bounds=(1, 0)), "bounds must be"),
        (lambda: metrics.weighted(cost, greater_is_better="no"), "greater_is_better must be True"),
    ],
)
def test_wrong_arguments(call, message):
    with pytest.raises((TypeError, ValueError), match=message):
        call()


def outcome(name):
    """Return what happens if a scorer of scikit-learn is asked for."""
    of_numbers = (*metrics.known_metrics("numbers"), "neg_max_error", "d2_absolute_error_score")
    classes = (compare, by_scores, by_numbers, by_indicators)
    for attempt in (by_numbers,) if name in of_numbers else classes:
        try:
            result = attempt(name, n_draws=100)
        except (ValueError, TypeError) as error:
            reason = str(error)
            assert f"{name!r}" in reason or "continuous" in reason, reason
            continue
        kind = "own metric" if name in metrics.known_metrics() else "any function"
        units = "indicators" if attempt is by_indicators else "instances"
        return f"{kind}, {result.model} of {units}"
    return f"refused: {reason.split('. ')[0]}"


@pytest.mark.filterwarnings("ignore:.*k.* greater than or equal")
def test_every_scorer_of_scikit_learn():
    """None raises a raw error; those that take weights are compared."""
    names = dict.fromkeys([*get_scorer_names(), *SCORERS])
    table = pd.Series({name: outcome(name) for name in names})
    refused = table[table.str.startswith("refused")]
    no_weights = refused.str.contains("does not take sample_weight")
    assert set(refused.index[~no_weights]) == {"neg_max_error"}
    assert table["d2_brier_score"] == "any function, instance weights of instances"
    assert table["f1_samples"] == "any function, instance weights of indicators"
    assert table["f1_macro"] == "own metric, paired of instances"


LABELS = RNG.integers(0, 2, (N, 3))
LABELS[:, 0] |= LABELS.sum(axis=1) == 0  # at least one, for rankings of labels
OFTEN, SELDOM = (np.where(RNG.random((N, 3)) < right, LABELS, 1 - LABELS) for right in (0.9, 0.8))
RANKED = {
    f"y_score_{k}": said + RNG.normal(0, 1, (N, 3))
    for k, said in zip("ab", (OFTEN, SELDOM), strict=True)
}


def by_indicators(scoring, **options):
    options = QUICK | RANKED | options
    return compare_predictions(LABELS, OFTEN, SELDOM, scoring=scoring, **options)


class TestIndicators:
    def test_functions(self):
        options = {"response": "decision_function", "greater_is_better": False}
        said, function = RANKED["y_score_a"], sklearn_metrics.coverage_error
        for make in (metrics.weighted, metrics.resampled):
            result = by_indicators(make(function, **options), n_draws=100)
            assert result.observed_a == pytest.approx(-function(LABELS, said))
            each = [function(LABELS[[i]], said[[i]]) for i in range(N)]  # it is their mean
            assert result.draws_a.std() == pytest.approx(np.std(each) / np.sqrt(N), rel=0.3)

    @pytest.mark.parametrize("name", ["f1", "jaccard", "precision", "recall"])
    def test_averages_over_instances(self, name):
        function = getattr(sklearn_metrics, f"{name}_score")
        options = {"average": "samples", "zero_division": 0}
        result = by_indicators(f"{name}_samples")
        assert result.observed_b == pytest.approx(function(LABELS, SELDOM, **options))
        weights = RNG.gamma(1.0, size=(N, 3))
        expected = [function(LABELS, SELDOM, sample_weight=w, **options) for w in weights.T]
        prepared = SCORERS[f"{name}_samples"].prepared(LABELS, SELDOM)
        assert_allclose(prepared(weights), expected)

    def test_the_order_of_labels_does_not_matter(self):
        loss = metrics.weighted(sklearn_metrics.hamming_loss, greater_is_better=False)
        truth, a, b = (pd.DataFrame(one, columns=list("xyz")) for one in (LABELS, OFTEN, SELDOM))
        named = compare_predictions(truth, a[["z", "x", "y"]], b, scoring=loss, **QUICK)
        assert named.observed_a == -sklearn_metrics.hamming_loss(LABELS, OFTEN)


def test_what_would_take_too_long():
    result = compare(COST)
    with pytest.raises(ValueError, match="cannot be simulated: its function would be called"):
        result.required_sample_size(0.1)
    with pytest.raises(ValueError, match="Bayes factor of 'neg_cost' is not computed"):
        result.bayes_factor(0.1)


def test_what_is_told_of_draws():
    """There are fewer where a function is called for each."""
    assert compare_predictions(Y, None, None, scoring=BRIER, **SCORES).n_draws == 2000
    ece = metrics.expected_calibration_error(5)
    assert compare_predictions(Y, None, None, scoring=ece, **SCORES).n_draws == 20_000
    said = "2,000 independent draws from 120 counts (by default 2,000 and not 20,000, as neg_cost"
    assert said in compare_predictions(Y, A, B, scoring=COST).details()
    assert "by default" not in compare(COST).details()
    right = metrics.resampled(share_right)
    assert "instances drawn anew with replacement for share_right" in compare(right).details()
    assert "drawn anew" not in by_scores(BRIER).details()
    assert "noise makes it look larger" in str(by_scores(ece))


def top_recall(y_true, y_score, sample_weight):
    top = y_score > 0.5
    return np.average(top[y_true == 1], weights=sample_weight[y_true == 1])


class TestMeans:
    """A function that is a mean of what instances give is not called for each draw."""

    def draws(self, function, **options):
        calls = []

        def counted(y_true, y_score, sample_weight):
            calls.append(len(y_true))
            return function(y_true, y_score, sample_weight)

        scoring = metrics.weighted(counted, response="predict_proba", name="x", **options)
        result = by_scores(scoring, n_draws=400)
        return np.stack([result.draws_a, result.draws_b]), len(calls)

    def test_of_each_instance(self):
        found, n_calls = self.draws(brier, greater_is_better=False)
        assert n_calls < 2 * (N + 100)
        known = by_scores("neg_brier_score", n_draws=400)
        assert_allclose(found, np.stack([known.draws_a, known.draws_b]), atol=0.01)

    @pytest.mark.parametrize(
        "function",
        [
            top_recall,  # the mean of some of them
            lambda y, p, w: np.average((y - p) ** 2, weights=w) ** 0.5,
            # But for one instance, which is told apart by its weight alone.
            lambda y, p, w: np.average(y == (p > 0.5), weights=w * (1 + (w == w.max()))),
        ],
    )
    def test_others_are_called(self, function):
        found, n_calls = self.draws(function, greater_is_better=True)
        assert n_calls >= 2 * (400 + N)
        assert np.isfinite(found).all()

    def test_of_cells(self):
        def gain(y_true, y_pred, sample_weight):
            assert len(y_true) in (1, 4, N)
            return np.average(np.where(y_true == y_pred, 1.0, -y_true), weights=sample_weight)

        own = compare(metrics.weighted(gain, name="gain"), n_draws=300)
        each = metrics.from_instances(lambda y, p: np.where(y == p, 1.0, -y), "gain")
        assert_allclose(own.draws, compare(each, n_draws=300).draws, atol=1e-12)


WEIGHED = {
    "accuracy": (sklearn_metrics.accuracy_score, {}),
    "f1_macro": (sklearn_metrics.f1_score, {"average": "macro"}),
    "balanced_accuracy": (sklearn_metrics.balanced_accuracy_score, {}),
    "roc_auc": (
        sklearn_metrics.roc_auc_score,
        {"response_method": ("decision_function", "predict_proba")},
    ),
    "neg_log_loss": (
        sklearn_metrics.log_loss,
        {"response_method": "predict_proba", "greater_is_better": False},
    ),
}


@pytest.mark.parametrize("name", WEIGHED)
def test_routed_weights_of_known_metrics(name):
    """Our own metric of instances with weights is what scikit-learn's function gives."""
    function, options = WEIGHED[name]
    weights = RNG.exponential(size=N)
    scorer = sklearn_metrics.make_scorer(function, **options)
    columns = known_columns({"sample_weight": weights}, N)
    (metric,) = resolve_scoring(Routed(scorer, columns), (0, 1)).values()
    assert not metric.calls_per_draw
    response = {"labels": A, "ranking": P, "probability": P}[metric.needs]
    rows = np.flatnonzero(np.arange(N) % 3)
    given = np.array([0, 1]), 1, Y[rows], response[rows]
    prepared = metric.function(*given, instances=rows)
    drawn = RNG.exponential(size=(len(rows), 4))
    sign = -1 if "neg" in name else 1
    kwargs = {key: value for key, value in options.items() if key == "average"}
    expected = [
        sign * function(Y[rows], response[rows], sample_weight=weights[rows] * w, **kwargs)
        for w in drawn.T
    ]
    assert_allclose(prepared(drawn), expected)
    plain, h = prepared.sums(np.ones((len(rows), 1))), 1e-5
    steps = prepared.sums(1 + h * np.eye(len(rows)))
    for found, ahead, at in zip(prepared.slopes()[:2], steps[:2], plain[:2], strict=True):
        assert_allclose(found, (ahead - at) / h, rtol=1e-3, atol=1e-4)


def test_routed_weights_where_classes_are_missing():
    columns = known_columns({"sample_weight": np.linspace(1, 2, 6)}, 6)
    scorer = sklearn_metrics.make_scorer(sklearn_metrics.f1_score, average="macro")
    (metric,) = resolve_scoring(Routed(scorer, columns), ("a", "b", "c")).values()
    y_true, y_pred = np.array([0, 0, 2, 2, 0, 2]), np.array([0, 2, 2, 2, 0, 0])
    prepared = metric.function(np.array(["a", "b", "c"]), 1, y_true, y_pred, instances=np.arange(6))
    expected = sklearn_metrics.f1_score(
        y_true, y_pred, average="macro", sample_weight=np.linspace(1, 2, 6)
    )
    assert prepared(np.ones((6, 1)))[0] == pytest.approx(expected)
