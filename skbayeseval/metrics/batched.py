"""Metrics that many ask for, evaluated for many vectors of instance weights at once.

Functions take the truth, what was predicted, and weights of shape (n_draws, n); or they give a
value for each instance, of which the metric is the weighted mean.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from numbers import Integral, Real
from typing import Any

import numpy as np
from sklearn.utils import check_scalar

from skbayeseval._arrays import Array, as_numbers
from skbayeseval.metrics.any_metric import AnyMetric
from skbayeseval.metrics.confusion import CLASS_RATIOS
from skbayeseval.metrics.metric import Metric, NumberMetric, Totals, ratio_of
from skbayeseval.metrics.numbers import neg_mean_of, weighted_median

# Products of pairs of instances are made for so many numbers at once.
_MOST_NUMBERS = 2**24

# Keeps divisors above 0.
_SMALLEST = 1e-300


def expected_calibration_error(n_bins: int = 15, *, strategy: str = "uniform") -> AnyMetric:
    """Make the metric of how far probabilities are from what happens, as a negative value.

    Instances are put into bins by their probability: that of the positive class, or, of three or
    more classes, of the predicted class. The metric is the mean over instances of the distance
    between the mean probability and the share of hits of their bin (Naeini et al. 2015). It is
    biased: even perfect probabilities have an error above 0, which falls with the number of
    instances in a bin. Draws allow for this: the distances of all bins are made larger or smaller
    by a factor, such that with the noise of the draw added, their mean is the one observed. If
    noise alone exceeds it, the draw is 0.

    Parameters
    ----------
    n_bins : int, default=15
        The number of bins.
    strategy : {"uniform", "quantile"}, default="uniform"
        Whether bins are equally wide, or have equally many instances.

    Returns
    -------
    metric : AnyMetric
        The metric, for the parameter `scoring`.

    Examples
    --------
    >>> from skbayeseval import compare_predictions, metrics
    >>> y, sure, unsure = [0, 1, 1, 1] * 10, [0.9, 0.9, 0.9, 0.9] * 10, [0.7, 0.8, 0.7, 0.8] * 10
    >>> result = compare_predictions(
    ...     y, None, None, y_score_a=sure, y_score_b=unsure, n_draws=100, random_state=0,
    ...     scoring=metrics.expected_calibration_error(10),
    ... )
    >>> round(result.observed_a, 3)
    -0.15
    """
    check_scalar(n_bins, "n_bins", Integral, min_val=1)
    if strategy not in ("uniform", "quantile"):
        raise ValueError(f"strategy must be 'uniform' or 'quantile', got {strategy!r}.")
    function = partial(_calibration_error, n_bins, strategy == "quantile")
    metric = _of_probabilities(function, "neg_expected_calibration_error", (-1.0, 0.0), False)
    return replace(
        metric,
        of_draws=partial(_calibration_draws, n_bins, strategy == "quantile"),
        words="the mean distance between predicted probabilities and what happens, as a negative "
        "value",
        caution="noise makes it look larger, the more so the nearer it is to 0, and intervals "
        "allow for most of this only; see docs/guide/any_metric.md",
    )


def top_k_accuracy(k: int = 2) -> AnyMetric:
    """Make the metric of how often the true class is among the k with the highest scores.

    Parameters
    ----------
    k : int, default=2
        The number of classes, as in `sklearn.metrics.top_k_accuracy_score`.

    Returns
    -------
    metric : AnyMetric
        The metric, for the parameter `scoring`.

    Examples
    --------
    >>> from skbayeseval import metrics
    >>> metrics.top_k_accuracy(3).name
    'top_3_accuracy'
    """
    check_scalar(k, "k", Integral, min_val=1)
    metric = _of_probabilities(partial(_top_k, k), f"top_{k}_accuracy", (0.0, 1.0), True)
    return replace(metric, response="decision_function", how="means")


def pinball(alpha: float = 0.5) -> Metric:
    """Make the metric of predicted quantiles: the pinball loss, as a negative value.

    Parameters
    ----------
    alpha : float, default=0.5
        The quantile that is predicted, as in `sklearn.metrics.mean_pinball_loss`.

    Returns
    -------
    metric : Metric
        The metric, for the parameter `scoring`. Predictions are numbers.

    Examples
    --------
    >>> from skbayeseval import metrics
    >>> metrics.pinball(0.9).name
    'neg_pinball_0.9'
    """
    check_scalar(alpha, "alpha", Real, min_val=0.0, max_val=1.0)
    function = partial(neg_mean_of, partial(_pinball, alpha))
    return NumberMetric(f"neg_pinball_{alpha:g}", function, limits=(-np.inf, 0.0))


def ndcg(k: int | None = None) -> AnyMetric:
    """Make the metric of rankings of documents: normalised discounted cumulative gain.

    `y_true` has the relevance of each document of each query, and predictions their scores: arrays
    of shape (n_queries, n_documents), or lists of arrays. Queries are the unit of the evidence.
    Ties are averaged, as in `sklearn.metrics.ndcg_score`.

    Parameters
    ----------
    k : int, default=None
        Only the k documents with the highest scores count. By default, all.

    Returns
    -------
    metric : AnyMetric
        The metric, for the parameter `scoring`.

    Examples
    --------
    >>> from skbayeseval import metrics
    >>> metrics.ndcg(10).name
    'ndcg@10'
    """
    if k is not None:
        check_scalar(k, "k", Integral, min_val=1)
    return _of_queries(partial(_ndcg, k), "ndcg" if k is None else f"ndcg@{k}")


def mean_reciprocal_rank() -> AnyMetric:
    """Make the metric of the rank of the first relevant document; data are as in `ndcg`.

    Documents with a relevance above 0 are relevant. The order of ties is averaged over.

    Returns
    -------
    metric : AnyMetric
        The metric, for the parameter `scoring`.

    Examples
    --------
    >>> from skbayeseval import metrics
    >>> metrics.mean_reciprocal_rank().name
    'mean_reciprocal_rank'
    """
    return _of_queries(_reciprocal_rank, "mean_reciprocal_rank")


def mean_average_precision() -> AnyMetric:
    """Make the metric of the precision at each relevant document; data are as in `ndcg`.

    Documents with a relevance above 0 are relevant. The order of ties is averaged over.

    Returns
    -------
    metric : AnyMetric
        The metric, for the parameter `scoring`.

    Examples
    --------
    >>> from skbayeseval import metrics
    >>> metrics.mean_average_precision().name
    'mean_average_precision'
    """
    return _of_queries(_average_precision, "mean_average_precision")


def concordance_index(*, censoring: str = "harrell") -> AnyMetric:
    """Make the metric of predicted risks: how often the one with the higher risk dies first.

    `y_true` has two columns, the time and whether the event was observed (1) or not (0), or is a
    structured array with a boolean field for the event and one for the time, as scikit-survival's.
    Predictions are risks.

    Parameters
    ----------
    censoring : {"harrell", "uno"}, default="harrell"
        Harrell's index takes all pairs whose order is known alike; Uno's gives those that censoring
        spared by luck a higher weight. The distribution of censoring times is that of the data,
        in every draw.

    Returns
    -------
    metric : AnyMetric
        The metric, for the parameter `scoring`.

    Examples
    --------
    >>> from skbayeseval import metrics
    >>> metrics.concordance_index().name
    'concordance_index'
    """
    if censoring not in ("harrell", "uno"):
        raise ValueError(f"censoring must be 'harrell' or 'uno', got {censoring!r}.")
    function = partial(_concordance, censoring == "uno")
    name = "concordance_index" if censoring == "harrell" else "concordance_index_uno"
    return AnyMetric(function, name, how="batches", bounds=(0.0, 1.0), of_items=True)


def _of_probabilities(
    function: Callable[..., Any], name: str, bounds: tuple[float, float], greater_is_better: bool
) -> AnyMetric:
    how = ("predict_proba", "batches")
    return AnyMetric(function, name, *how, bounds, greater_is_better, of_positions=True)


def _of_queries(value: Callable[[Array, Array], float], name: str) -> AnyMetric:
    """Return the mean of a function of each query."""
    return AnyMetric(
        partial(_of_each_query, value), name, how="means", bounds=(0.0, 1.0), of_items=True
    )


def _calibration_error(
    n_bins: int, quantiles: bool, truth: Array, scores: Array, sample_weight: Array
) -> Array:
    """Return the sum over bins of the absolute mean of probability minus hit."""
    return np.abs(_gaps(n_bins, quantiles, truth, scores, sample_weight)).sum(axis=-1)


def _calibration_draws(
    n_bins: int, quantiles: bool, truth: Array, scores: Array, sample_weight: Array, plain: Array
) -> Array:
    """Return the errors that, with the noise of these weights added, are the one observed.

    The gaps g of the bins become r g, where the sum of |r g + noise| is that of |g|. It is convex
    in r and consists of lines, so that Newton's method from the right ends at the largest r.
    """
    gaps, drawn = (
        _gaps(n_bins, quantiles, truth, scores, weights) for weights in (plain, sample_weight)
    )
    noise, observed = drawn - gaps, np.abs(gaps).sum()
    alone = np.abs(noise).sum(axis=-1)
    factor = 1 + alone / max(observed, _SMALLEST)
    for _ in range(n_bins + 1):
        together = factor[:, None] * gaps + noise
        above = np.abs(together).sum(axis=-1) - observed
        factor = np.maximum(factor - above / np.maximum(np.sign(together) @ gaps, _SMALLEST), 0.0)
    return np.minimum(np.where(alone < observed, factor * observed, 0.0), 1.0)


def _gaps(n_bins: int, quantiles: bool, truth: Array, scores: Array, weights: Array) -> Array:
    """Return the sum of probability minus hit in each bin, over all weight."""
    if scores.ndim == 1:
        probability, hit = scores, truth == 1
    else:
        probability, hit = scores.max(axis=1), scores.argmax(axis=1) == truth
    inner = np.arange(1, n_bins) / n_bins
    edges = np.quantile(probability, inner) if quantiles else inner
    in_bin = np.searchsorted(edges, probability)[:, None] == np.arange(n_bins)
    parts = in_bin * (probability - hit)[:, None]
    return weights @ parts / weights.sum(axis=-1, keepdims=True)


def _top_k(k: int, truth: Array, scores: Array) -> Array:
    if scores.ndim == 1:  # of two classes, scores are those of the positive one
        said = scores > (0.5 if scores.min() >= 0 and scores.max() <= 1 else 0.0)
        scores = np.column_stack([~said, said])
    best = np.argsort(scores, axis=1, kind="stable")[:, ::-1][:, :k]
    return (best == truth[:, None]).any(axis=1).astype(float)


def _pinball(alpha: float, truth: Array, predicted: Array) -> Array:
    error = truth - predicted
    return np.maximum(alpha * error, (alpha - 1) * error)


def _ratio_of_labels(name: str, truth: Array, said: Array) -> Array:
    """Return a metric of the labels of each instance, 0 where it is 0 / 0."""
    if truth.ndim != 2:
        raise ValueError(
            f"scoring={name!r} requires a multi-label indicator, but instances have one label each."
        )
    totals = Totals((truth * said).sum(axis=1), truth.sum(axis=1), said.sum(axis=1))
    top, bottom = CLASS_RATIOS[name.removesuffix("_samples")].parts(totals)
    return ratio_of(top, bottom, 0.0)


def _better_than_the_shares(
    loss: Callable[[Array, Array], Array], truth: Array, scores: Array, sample_weight: Array
) -> Array:
    """Return the share of the loss that is avoided, compared with predicting the class shares."""
    if (truth == truth[0]).all():
        raise ValueError("y_true has only one class, whose share is always 1.")
    if scores.ndim == 1:
        scores = np.column_stack([1 - scores, scores])
    is_class = np.eye(scores.shape[1])[truth]
    total = sample_weight.sum(axis=-1)
    shares = sample_weight @ is_class / total[..., None]
    # The loss of always predicting the shares has the same value for all instances of a class.
    alone = (shares * loss(np.eye(len(is_class.T)), shares[..., None, :])).sum(axis=-1)
    return 1 - sample_weight @ loss(is_class, scores) / total / alone


def _log_loss(is_class: Array, p: Array) -> Array:
    smallest = np.finfo(p.dtype).eps
    return -(is_class * np.log(np.clip(p, smallest, 1 - smallest))).sum(axis=-1)


def _brier(is_class: Array, p: Array) -> Array:
    return ((is_class - p) ** 2).sum(axis=-1)


def _d2_absolute_error(truth: Array, predicted: Array, sample_weight: Array) -> Array:
    """Return the share of the absolute error that is avoided, compared with the median."""
    median, _ = weighted_median(truth, sample_weight.T)
    alone = (sample_weight * np.abs(truth - median[:, None])).sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):  # of equal numbers
        return 1 - sample_weight @ np.abs(truth - predicted) / alone


def _of_each_query(value: Callable[[Array, Array], float], truth: Any, scores: Any) -> Array:
    values = []
    for i, (of_true, of_said) in enumerate(zip(truth, scores, strict=True)):
        relevance = as_numbers(of_true, f"y_true[{i}]")
        said = as_numbers(of_said, f"the scores of query {i}")
        if relevance.ndim != 1 or relevance.shape != said.shape:
            raise ValueError(
                "y_true and scores must have one number per document of each query, got shapes "
                f"{relevance.shape} and {said.shape} for query {i}."
            )
        if not (np.isfinite(relevance).all() and np.isfinite(said).all()):
            raise ValueError(f"y_true or scores contain NaN or infinity for query {i}.")
        values.append(value(relevance, said))
    return np.array(values)


def _ndcg(k: int | None, relevance: Array, scores: Array) -> float:
    if (relevance < 0).any():
        raise ValueError(f"y_true must not be negative for ndcg, but contains {relevance.min():g}.")
    discount = 1 / np.log2(np.arange(len(relevance)) + 2)
    if k is not None:
        discount[k:] = 0.0
    times, sums = _tied(relevance, scores)
    ends = np.cumsum(times)
    shares = np.cumsum(np.append(0.0, discount))
    found = sums / times @ (shares[ends] - shares[ends - times])
    best = np.sort(relevance)[::-1] @ discount
    return float(found / best) if best > 0 else 0.0


def _tied(relevance: Array, scores: Array) -> tuple[Array, Array]:
    """Return the number of documents with each score, highest first, and the sum of relevance.

    Documents with tied scores share their places: a metric is its mean over all orders of theirs
    (McSherry and Najork 2008).
    """
    _, tied, times = np.unique(-scores, return_inverse=True, return_counts=True)
    return times, np.bincount(np.ravel(tied), weights=relevance, minlength=len(times))


def _reciprocal_rank(relevance: Array, scores: Array) -> float:
    times, hits = _tied(relevance > 0, scores)
    if not hits.any():
        return 0.0
    first = int(np.argmax(hits > 0))
    n, hit = times[first], hits[first]
    before = np.arange(n - hit)  # how many of the tied documents may precede the first relevant one
    is_later = np.cumprod(np.append(1.0, (n - hit - before) / (n - before)))
    places = np.arange(len(is_later))
    chances = is_later * hit / (n - places)
    return float(chances @ (1 / (times[:first].sum() + 1 + places)))


def _average_precision(relevance: Array, scores: Array) -> float:
    times, hits = _tied(relevance > 0, scores)
    if not hits.any():
        return 0.0
    # For each place: the number and the hits of its ties, and what comes before these.
    ends = np.repeat(np.cumsum(times), times)
    n, hit, above = (np.repeat(one, times) for one in (times, hits, np.cumsum(hits) - hits))
    place = np.arange(1, len(ends) + 1)
    earlier = (place - 1 - (ends - n)) * (hit - 1) / np.maximum(n - 1, 1)
    return float((hit / n * (above + 1 + earlier) / place).sum() / hits.sum())


def _concordance(uno: bool, truth: Any, risk: Any, sample_weight: Array) -> Array:
    """Return the share of comparable pairs in which the higher risk has the earlier event."""
    time, event = _times_and_events(np.array(list(truth)))
    risk = as_numbers(list(risk), "predicted risks")
    risk = risk[:, 0] if risk.ndim == 2 and risk.shape[1] == 1 else risk
    if risk.ndim != 1 or not np.isfinite(risk).all():
        raise ValueError("predicted risks must be a finite number per instance.")
    own = 1 / _uncensored(time, event) ** 2 if uno else np.ones(len(time))
    tops, bottoms = np.zeros((2, len(sample_weight)))
    first = np.flatnonzero(event)
    for rows in np.array_split(first, max(1, len(first) * len(time) // _MOST_NUMBERS)):
        later = (time[rows, None] < time) | ((time[rows, None] == time) & ~event)
        riskier = (risk[rows, None] > risk) + 0.5 * (risk[rows, None] == risk)
        earlier = sample_weight[:, rows] * own[rows]
        tops += (earlier * (sample_weight @ (later * riskier).T)).sum(axis=1)
        bottoms += (earlier * (sample_weight @ later.T)).sum(axis=1)
    if not bottoms.all():
        raise ValueError("y_true has no event before the time of another instance.")
    return np.asarray(tops / bottoms)


def _times_and_events(truth: Array) -> tuple[Array, Array]:
    """Return the times, and whether the event was observed, of two columns or fields."""
    names = truth.dtype.names
    if names is not None and len(names) == 2:
        event_first = truth.dtype[1].kind != "b"
        columns = [truth[name] for name in (names[::-1] if event_first else names)]
    elif truth.ndim == 2 and truth.shape[1] == 2:
        columns = list(truth.T)
    else:
        raise ValueError(
            "y_true must have two columns, time and event, or be a structured array of both, got "
            f"shape {truth.shape} and dtype {truth.dtype}."
        )
    time, event = (as_numbers(column, "y_true") for column in columns)
    if not np.isfinite(time).all() or not np.isin(event, (0, 1)).all():
        raise ValueError("y_true must have finite times, and 0 or 1 for the event.")
    return time, event == 1


def _uncensored(time: Array, event: Array) -> Array:
    """Return the probability of not being censored before each time (Kaplan and Meier 1958)."""
    moments, place = np.unique(time, return_inverse=True)
    place = np.ravel(place)
    at_risk = np.bincount(place)[::-1].cumsum()[::-1]
    died = np.bincount(place, weights=event, minlength=len(moments))
    censored = np.bincount(place, weights=~event, minlength=len(moments))
    # At the same time, deaths come before censoring, and a death is not followed by its censoring.
    left = np.cumprod(1 - censored / np.maximum(at_risk - died, 1))
    return np.append(1.0, left[:-1])[place]


_d2 = partial(_of_probabilities, bounds=(-np.inf, 1.0), greater_is_better=True)

# Scorers of scikit-learn that are made for many weights at once.
SCORERS = {
    "d2_absolute_error_score": AnyMetric(
        _d2_absolute_error, "d2_absolute_error_score", how="batches", bounds=(-np.inf, 1.0)
    ),
    "d2_brier_score": _d2(partial(_better_than_the_shares, _brier), "d2_brier_score"),
    "d2_log_loss_score": _d2(partial(_better_than_the_shares, _log_loss), "d2_log_loss_score"),
    "top_k_accuracy": replace(top_k_accuracy(2), name="top_k_accuracy"),
    **{
        name: AnyMetric(partial(_ratio_of_labels, name), name, how="means", bounds=(0.0, 1.0))
        for name in ("f1_samples", "jaccard_samples", "precision_samples", "recall_samples")
    },
}
