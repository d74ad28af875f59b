"""Metrics for many weights at once, against reference implementations."""

import itertools

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from sklearn import metrics as sklearn_metrics
from sklearn.metrics import ndcg_score, top_k_accuracy_score

from skbayeseval import compare_predictions, metrics
from skbayeseval.metrics.batched import SCORERS, _uncensored


def value(metric, truth, said, weights=None):
    """Return what a function gives, or the mean of what it gives for each instance."""
    if metric.how == "means":
        return np.average(metric.function(truth, said), weights=weights)
    weights = np.ones(len(truth)) if weights is None else weights
    return metric.function(truth, said, weights[None])[0]


WEIGHTS = np.random.default_rng(1).gamma(1.0, size=(4, 40))


def survival():
    rng = np.random.default_rng(7)
    time = np.round(rng.exponential(5, 40) + 0.5, 1)
    event = rng.random(40) < 0.6
    return time, event, np.round(-time + rng.normal(0, 3, 40), 0)


def queries():
    rng = np.random.default_rng(8)
    relevance = rng.integers(0, 3, (12, 8))
    return relevance, rng.permuted(np.tile(np.arange(8.0), (12, 1)), axis=1)


def test_harrells_index_is_that_of_lifelines():
    time, event, risk = survival()
    metric = metrics.concordance_index()
    index = value(metric, np.column_stack([time, event]), risk)
    assert index == pytest.approx(0.9089805825242718, rel=1e-12)  # lifelines 0.30.3
    for fields in ([("event", bool), ("t", float)], [("t", float), ("event", bool)]):
        rows = {"event": event, "t": time}
        columns = zip(*(rows[name] for name, _ in fields), strict=True)
        truth, options = np.array(list(columns), dtype=fields), {"n_draws": 200, "random_state": 0}
        result = compare_predictions(truth, risk[:, None], -risk, scoring=metric, **options)
        assert (result.observed_a, result.observed_b) == pytest.approx((index, 1 - index))
        assert result.draws_a.mean() == pytest.approx(index, abs=0.02)


@pytest.mark.parametrize("censoring", ["harrell", "uno"])
def test_concordance_pair_by_pair(censoring):
    time, event, risk = survival()
    spared = _uncensored(time, event) if censoring == "uno" else np.ones(40)
    top, bottom = np.zeros(4), np.zeros(4)
    for i in np.flatnonzero(event):
        for j in range(40):
            if time[i] < time[j] or (time[i] == time[j] and not event[j]):
                pair = WEIGHTS[:, i] * WEIGHTS[:, j] / spared[i] ** 2
                top += pair * ((risk[i] > risk[j]) + 0.5 * (risk[i] == risk[j]))
                bottom += pair
    function = metrics.concordance_index(censoring=censoring).function
    truth = np.column_stack([time, event])
    assert_allclose(function(truth, risk, sample_weight=WEIGHTS), top / bottom)


def test_censoring_by_hand():
    time, event = np.array([1.0, 2.0, 2.0, 3.0, 4.0]), np.array([1, 0, 1, 0, 1], dtype=bool)
    # At 2, one of the three that are left after the death is censored; at 3, one of two.
    assert_allclose(_uncensored(time, event), [1, 1, 1, 2 / 3, 1 / 3])


def test_rankings_are_those_of_ranx():
    for metric, expected in (  # ranx 0.3.21
        (metrics.ndcg(5), 0.5986336478332485),
        (metrics.ndcg(), 0.7719222092668615),
        (metrics.mean_reciprocal_rank(), 0.7847222222222222),
        (metrics.mean_average_precision(), 0.7143013038548752),
    ):
        assert value(metric, *queries()) == pytest.approx(expected)


def test_ndcg_of_ties_is_that_of_scikit_learn():
    relevance, scores = queries()
    tied = np.round(scores / 3)
    for k in (1, 3, None):
        weights = WEIGHTS[0, :12]
        expected = ndcg_score(relevance, tied, k=k, sample_weight=weights)
        assert value(metrics.ndcg(k), relevance, tied, weights) == pytest.approx(expected)


@pytest.mark.parametrize("make", [metrics.mean_reciprocal_rank, metrics.mean_average_precision])
def test_tied_documents_are_in_any_order(make):
    """The mean over all orders of the documents, which break ties by their place."""
    relevance = np.array([[1, 0, 2, 0, 0], [0, 0, 0, 1, 1], [0, 0, 0, 0, 0], [1, 1, 1, 1, 1]])
    scores = np.array([[2, 2, 1, 1, 1], [0, 0, 0, 0, 0], [1, 0, 1, 0, 1], [1, 2, 3, 3, 3]])
    found = make().function(relevance, scores)
    for of_query, relevant, said in zip(found, relevance > 0, scores, strict=True):
        values = []
        for order in itertools.permutations(range(5)):
            places = sorted(order, key=lambda i: -said[i])
            ranks = 1 + np.flatnonzero(relevant[places])
            precisions = np.arange(1, len(ranks) + 1) / ranks
            first = make is metrics.mean_reciprocal_rank
            values.append(0 if not len(ranks) else 1 / ranks[0] if first else precisions.mean())
        assert of_query == pytest.approx(np.mean(values))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda truth, said: (truth, np.where(said == 3, np.nan, said)), "NaN or infinity for"),
        (lambda truth, said: (truth, said[:, :5]), r"got shapes \(8,\) and \(5,\) for query 0"),
        (lambda truth, said: (truth, said.astype(str)), "the scores of query 0 must contain"),
        (lambda truth, said: (truth[:0], said[:0]), r"Found array with 0 sample\(s\): y_true"),
        (lambda truth, said: (truth - 1, said), "y_true must not be negative for ndcg, but .* -1"),
        (
            lambda truth, said: (pd.DataFrame(truth).rename(columns=str), pd.DataFrame(said).rename(
                columns=str).iloc[:, ::-1]),
            "their columns differ",
        ),
    ],
)  # fmt: skip
def test_rankings_that_cannot_be_compared(change, message):
    truth, said = change(*queries())
    with pytest.raises(ValueError, match=message):
        compare_predictions(truth, said, said, scoring=metrics.ndcg(3), n_draws=100)


def test_metrics_of_items_beside_others():
    truth, said = queries()
    for other in ("r2", metrics.per_class("f1")):
        with pytest.raises(ValueError, match="is not a metric of items|requires class labels"):
            compare_predictions(truth, said, -said, scoring=[metrics.ndcg(), other])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda t, e, r: (np.column_stack([e, t]), r), "finite times, and 0 or 1 for the event"),
        (lambda t, e, r: (np.column_stack([np.append(t[1:], np.nan), e]), r), "finite times"),
        (lambda t, e, r: (np.column_stack([t, e]), np.append(r[1:], np.nan)), "predicted risks"),
        (lambda t, e, r: (np.column_stack([t, 0 * e]), r), "no event before the time of another"),
        (lambda t, e, r: (t, r), "two columns, time and event"),
    ],
)
def test_survival_that_cannot_be_compared(change, message):
    truth, risk = change(*survival())
    with pytest.raises(ValueError, match=message):
        compare_predictions(truth, risk, risk, scoring=metrics.concordance_index(), n_draws=100)


def test_scores_that_are_not_probabilities():
    truth, said = np.arange(40) % 2, np.random.default_rng(5).normal(size=40)
    scores = {"y_score_a": said, "y_score_b": said, "n_draws": 100}
    for metric in (metrics.expected_calibration_error(), "d2_brier_score"):
        with pytest.raises(ValueError, match="y_score must be probabilities"):
            compare_predictions(truth, None, None, scoring=metric, **scores)
    equal = np.repeat([0.5, 0.3, 0.7, 0.5], 10)  # probabilities of two classes
    scores, metric = {"y_score_a": said, "y_score_b": equal}, metrics.top_k_accuracy(1)
    result = compare_predictions(truth, None, None, scoring=metric, **scores, n_draws=100)
    assert result.observed_a == top_k_accuracy_score(truth, said, k=1)
    assert result.observed_b == top_k_accuracy_score(truth, equal, k=1)


def test_other_targets():
    rng = np.random.default_rng(5)
    numbers, said = rng.normal(size=(2, 40))
    several = rng.integers(0, 2, (40, 3))
    shares = {"y_score_a": rng.random((40, 3)), "y_score_b": rng.random((40, 3))}
    for metric in (metrics.expected_calibration_error(), "top_k_accuracy"):
        with pytest.raises(ValueError, match="requires classes and their scores"):
            compare_predictions(numbers, said, said, scoring=metric)
        with pytest.raises(ValueError, match="requires one label per instance"):
            compare_predictions(several, None, None, scoring=metric, **shares)


def test_top_k_is_that_of_scikit_learn():
    rng = np.random.default_rng(2)
    truth, scores = rng.integers(0, 4, 40), np.round(rng.random((40, 4)), 1)
    for k in (1, 2, 3):
        found = [value(metrics.top_k_accuracy(k), truth, scores, w) for w in WEIGHTS]
        expected = [top_k_accuracy_score(truth, scores, k=k, sample_weight=w) for w in WEIGHTS]
        assert_allclose(found, expected)


@pytest.mark.parametrize("strategy", ["uniform", "quantile"])
def test_calibration_error_bin_by_bin(strategy):
    rng = np.random.default_rng(3)
    p = rng.random(40)
    y = (5 * p).astype(int) % 2  # gaps of both signs, which would cancel in a wider bin
    edges = np.linspace(0, 1, 6) if strategy == "uniform" else np.quantile(p, np.linspace(0, 1, 6))
    found = metrics.expected_calibration_error(5, strategy=strategy).function(y, p, WEIGHTS)
    for error, w in zip(found, WEIGHTS, strict=True):
        total = 0.0
        for i in range(5):
            rows = (p > edges[i]) & (p <= edges[i + 1]) if i else p <= edges[1]
            total += abs((w[rows] * (p[rows] - y[rows])).sum()) if rows.any() else 0.0
        assert error == pytest.approx(total / w.sum())


def test_draws_of_the_calibration_error_are_free_of_noise():
    """With the noise of its weights added, each gives the error that was observed."""
    rng = np.random.default_rng(5)
    p, weights, own = rng.random(60), rng.exponential(size=(300, 60)), rng.random(60) + 0.5
    y = (rng.random(60) < p**2).astype(int)
    ece = metrics.expected_calibration_error(3)
    found = -ece.prepared(y, p, own).drawn(weights.T).average()
    in_bin = np.ceil(3 * p)[:, None] == [1, 2, 3]

    def gaps(w):
        return (w * (p - y)) @ in_bin / w.sum(axis=-1, keepdims=True)

    g, noise = gaps(own), gaps(weights * own) - gaps(own)
    observed = abs(g).sum()
    assert observed == pytest.approx(value(ece, y, p, own))
    steps = np.linspace(0, 6, 6001)[:, None]
    for drawn, one in zip(found, noise, strict=True):
        below = np.flatnonzero(abs(steps * g + one).sum(axis=1) <= observed)
        expected = steps[below[-1], 0] * observed if abs(one).sum() < observed else 0.0
        assert drawn == pytest.approx(expected, abs=0.001 * observed)
    assert 0 < (found == 0).mean() < 0.5


def test_calibration_error_of_the_predicted_class():
    shares = np.array([[0.7, 0.2, 0.1], [0.1, 0.8, 0.1], [0.3, 0.3, 0.4]])
    found = value(metrics.expected_calibration_error(1), np.array([0, 1, 0]), shares)
    assert found == pytest.approx(abs(0.7 + 0.8 + 0.4 - 2) / 3)


def test_columns_and_positive_classes_of_comparisons():
    """Of three classes, columns are in the order of `labels`; of two, scores are of `pos_label`."""
    labels, rng = np.array(["c", "a", "b"]), np.random.default_rng(7)
    codes, shares = rng.integers(0, 3, 60), rng.dirichlet(np.ones(3), 60)
    options = {"y_score_b": shares[:, [1, 0, 2]], "labels": labels, "n_draws": 100}
    for metric in (metrics.expected_calibration_error(4), metrics.top_k_accuracy(2)):
        given = {"y_score_a": shares, "scoring": metric, **options}
        found = compare_predictions(labels[codes], None, None, **given).observed_a
        sign = 1 if metric.greater_is_better else -1
        assert found == pytest.approx(sign * value(metric, codes, shares))
    truth, p, ece = labels[np.arange(60) % 2], rng.random(60), metrics.expected_calibration_error(4)
    of_a = {"y_score_a": p, "y_score_b": p, "pos_label": "a", "scoring": ece, "n_draws": 100}
    found = compare_predictions(truth, None, None, **of_a).observed_a
    assert found == pytest.approx(-value(ece, (truth == "a").astype(int), p))


@pytest.mark.parametrize("name", [name for name in SCORERS if not name.endswith("_samples")])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_scorers_are_those_of_scikit_learn(name, n_classes):
    rng = np.random.default_rng(4)
    truth, said = rng.integers(0, n_classes, 40), rng.dirichlet(np.ones(n_classes), 40)
    function = getattr(sklearn_metrics, name.replace("k_accuracy", "k_accuracy_score"), None)
    if function is None:
        pytest.skip("not in this version of scikit-learn")
    if name == "d2_absolute_error_score":
        truth, said = np.round(rng.normal(size=40), 1), rng.normal(size=40)
    elif n_classes == 2:
        said = said[:, 1]
    if name == "top_k_accuracy" and n_classes == 2:
        pytest.skip("always 1")
    found = [value(SCORERS[name], truth, said, w) for w in WEIGHTS]
    expected = [function(truth, said, sample_weight=w) for w in WEIGHTS]
    assert_allclose(found, expected)
    assert value(SCORERS[name], truth, said) == pytest.approx(function(truth, said))
    low, high = SCORERS[name].bounds
    assert low <= min(found) <= max(found) <= high


@pytest.mark.parametrize("whole", [False, True])
def test_pinball_is_that_of_scikit_learn(whole):
    """Whole numbers need not have a value in common, and may have weights."""
    truth, said = np.random.default_rng(6).normal(size=(2, 40))
    if whole:
        truth, said = np.arange(40) % 3, 5 + np.arange(40) % 4
    expected = sklearn_metrics.mean_pinball_loss(truth, said, alpha=0.9, sample_weight=WEIGHTS[0])
    metric, options = metrics.pinball(0.9), {"sample_weight": WEIGHTS[0], "n_draws": 100}
    result = compare_predictions(truth, said, truth, scoring=metric, **options)
    assert result.observed_a == pytest.approx(-expected)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: metrics.expected_calibration_error(strategy="equal"), "strategy must be"),
        (lambda: metrics.concordance_index(censoring="none"), "censoring must be"),
        (lambda: metrics.top_k_accuracy(0), "k == 0"),
        (lambda: metrics.ndcg(0), "k == 0"),
    ],
)
def test_wrong_arguments(call, message):
    with pytest.raises(ValueError, match=message):
        call()
