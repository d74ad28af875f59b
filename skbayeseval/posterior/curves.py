"""Curves of instance scores with bands, by the Bayesian bootstrap."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from skbayeseval._arrays import in_short
from skbayeseval.engines.blocks import child_of, in_order
from skbayeseval.engines.gammas import GammaRows
from skbayeseval.evidence.instance_scores import ScoredInstances
from skbayeseval.metrics import curves
from skbayeseval.metrics.metric import Metric
from skbayeseval.metrics.registry import get_metric
from skbayeseval.posterior.inferred_weight import spread_out
from skbayeseval.posterior.posterior import Posterior

Array = NDArray[Any]

# The number of draws of weights that a band is made of, and the largest block of weights.
N_DRAWS, BLOCK_BYTES = 2000, 2**24


class Band(NamedTuple):
    """A mean curve with a pointwise band; each of shape (n_points,)."""

    x: Array
    mean: Array
    low: Array
    high: Array


def check_thresholds(thresholds: Any, kind: str) -> Array:
    """Return 99 thresholds over a range (low, high), by default from 0.01 to 0.99."""
    if thresholds is None:
        return np.linspace(0.01, 0.99, 99)
    if not kind.startswith("net_benefit"):
        raise ValueError(
            f"thresholds={in_short(thresholds)} was given, but kind={kind!r} has no thresholds. "
            "Pass kind='net_benefit' or 'net_benefit_difference'."
        )
    try:
        low, high = (float(end) for end in thresholds)
    except (TypeError, ValueError) as error:
        raise TypeError(
            "thresholds must be a pair (low, high) of probabilities, such as (0.05, 0.4), got "
            f"{in_short(thresholds)}."
        ) from error
    if not 0 < low < high < 1:
        raise ValueError(f"thresholds=({low:g}, {high:g}) must have 0 < low < high < 1.")
    return np.linspace(low, high, 99)


def curve_bands(
    posterior: Posterior, kind: str, prob: float = 0.95, thresholds: Any = None
) -> list[Band]:
    """Return the curve of each classifier.

    Instances, or groups, get the random weights of the Bayesian bootstrap that metrics of instance
    scores have, and curves are computed within runs as those metrics are. Unlike the metrics, bands
    are not widened for few units: with fewer than 20 positives or negatives, they are too narrow.

    Parameters
    ----------
    posterior : Posterior
        The posterior, with instance scores of a binary problem.
    kind : {"roc", "precision_recall", "calibration", "net_benefit"}
        The kind of curve.
    prob : float, default=0.95
        The probability mass of the band at each point.
    thresholds : (float, float), default=None
        The range of thresholds of net benefits; by default, from 0.01 to 0.99.
    """
    scored, truth = _check(posterior, kind)
    at = check_thresholds(thresholds, kind)
    bands = []
    for k in range(scored.n_classifiers):
        points, heights = _curve(scored, truth, kind, k, at)
        bands.append(_band(points, _draws(posterior, scored, kind, heights, k), prob))
    return bands


def curve_difference(
    posterior: Posterior, kind: str, prob: float = 0.95, thresholds: Any = None
) -> tuple[Band, Array]:
    """Return the difference of the curves of two classifiers, A minus B, at each point.

    It is that of the net benefit at each threshold, or of how much more positives there are than
    predicted in each bin of probabilities, where both have instances. Both have the same random
    weights of instances in a draw.

    Returns
    -------
    band : Band
        The mean difference and its band.
    p_higher : ndarray of shape (n_points, 2)
        The probabilities that the curve of A, and that of B, is the higher one.
    """
    scored, truth = _check(posterior, kind)
    at = check_thresholds(thresholds, kind)
    (points, of_a), (_, of_b) = (_curve(scored, truth, kind, k, at) for k in range(2))
    draws = _draws(posterior, scored, kind, lambda weights: of_a(weights) - of_b(weights), None)
    known = np.isfinite(draws).all(axis=1)
    if not known.any():
        raise ValueError(
            f"kind={kind!r} requires probabilities that both classifiers predict, but they have no "
            "bin of probabilities in common. Use kind='calibration'."
        )
    points, draws = points[known], draws[known]
    p_higher = np.stack([(draws > 0).mean(axis=1), (draws < 0).mean(axis=1)], axis=1)
    return _band(points, draws, prob), p_higher


def reference_line(posterior: Posterior, kind: str, thresholds: Any = None) -> tuple[Array, Array]:
    """Return the line to compare the curves with; that of "treat all" for the net benefit."""
    _, truth = _check(posterior, kind)
    diagonal, share = np.array([0.0, 1.0]), float(truth.mean())
    if kind == "precision_recall":
        return diagonal, np.full(2, share)
    if kind == "net_benefit":
        at = check_thresholds(thresholds, kind)
        return at, share - (1 - share) * at / (1 - at)
    return diagonal, diagonal


def summary_metric(posterior: Posterior, kind: str) -> Metric:
    """Return the metric that sums up the curve, or else one of the same scores."""
    scored, _ = _check(posterior, kind)
    needs, name = curves.CURVES[kind]
    known = all(needs in one for one in scored.responses)
    return get_metric(name if known else "roc_auc_ovr")


def _check(posterior: Posterior, kind: str) -> tuple[ScoredInstances, Array]:
    """Return the scores and the truth as 0 and 1; raise if the curve cannot be computed."""
    needs, metric = curves.CURVES[kind]
    scored = posterior.scored
    what = "probabilities" if needs == "probability" else "scores"
    if not isinstance(scored, ScoredInstances):
        raise ValueError(
            f"kind={kind!r} requires instance {what}, but only predictions are available. Pass "
            "y_score_a= and y_score_b= (scores= to compare_many), or list a metric such as "
            f"{metric!r} in scoring= of a cross-validation."
        )
    if scored.truth.ndim == 2 or len(scored.labels) != 2:
        raise ValueError(
            f"kind={kind!r} requires a binary problem, got {len(scored.labels)} "
            f"{'labels' if scored.truth.ndim == 2 else 'classes'}."
        )
    if needs == "probability":
        given = [one.get("probability") for one in scored.responses]
        if any(one is None or one.min() < 0 or one.max() > 1 for one in given):
            raise ValueError(
                f"kind={kind!r} requires predicted probabilities of the positive class, but "
                "there are other scores only. Pass probabilities as y_score_a= and y_score_b=, or "
                f"add {metric!r} to scoring= of the cross-validation."
            )
    positive = 1 if scored.positive is None else scored.positive
    return scored, (scored.truth == positive).astype(int)


def _curve(
    scored: ScoredInstances, truth: Array, kind: str, k: int, thresholds: Array
) -> tuple[Array, Callable[[Array], Array]]:
    """Return the points of the curve of a classifier, and its heights over all runs.

    The heights, of shape (n_points, n_draws), are a function of the weights of units.
    """
    needs, response = curves.CURVES[kind].needs, scored.responses[k]
    scores = response[needs if needs in response else "probability"]
    if kind == "calibration":
        # Bins hold about equally many instances; equal probabilities share a bin.
        edges = np.unique(np.quantile(scores, np.linspace(0, 1, curves.N_BINS + 1))[1:-1])
        _, bins = np.unique(np.searchsorted(edges, scores), return_inverse=True)
        means = np.bincount(bins, scores) / np.bincount(bins)
        return means, lambda weights: _ratio(
            [curves.calibration(truth, bins, weights[scored.unit], len(means))]
        )
    if kind == "calibration_difference":  # in bins that both have in common
        pooled = np.concatenate([one["probability"] for one in scored.responses])
        edges = np.unique(np.quantile(pooled, np.linspace(0, 1, curves.N_BINS + 1))[1:-1])
        of_pooled, bins = np.searchsorted(edges, pooled), np.searchsorted(edges, scores)
        n_bins = len(edges) + 1
        times = np.bincount(of_pooled, minlength=n_bins)
        means = np.bincount(of_pooled, pooled, n_bins) / np.maximum(times, 1)
        return means, lambda weights: _ratio(
            [curves.calibration(truth - scores, bins, weights[scored.unit], n_bins)]
        )
    if kind.startswith("net_benefit"):
        return thresholds, lambda weights: _ratio(
            [curves.net_benefit(truth, scores, weights[scored.unit], thresholds)]
        )
    part, points = curves.roc, curves.RATES
    if kind == "precision_recall":
        part, points = curves.precision_recall, curves.RECALLS
    runs = [np.flatnonzero(scored.run == run) for run in np.unique(scored.run)]
    return points, lambda weights: _ratio(
        [part(truth[rows], scores[rows], weights[scored.unit[rows]]) for rows in runs]
    )


def _ratio(parts: Sequence[curves.Part]) -> Array:
    """Return the curve that all runs make up."""
    top, bottom = (sum(column) for column in zip(*parts, strict=True))
    with np.errstate(divide="ignore", invalid="ignore"):
        return top / bottom


def _draws(
    posterior: Posterior,
    scored: ScoredInstances,
    kind: str,
    heights: Callable[[Array], Array],
    k: int | None,
) -> Array:
    """Return draws of the heights of a classifier; without k, of the difference of two."""
    inferred, rng = None, posterior.rng()
    if (known := posterior.weights) is not None:
        metric = summary_metric(posterior, kind)
        inferred = known.difference(metric) if k is None else known.quantity(metric, k).weight
        scored = scored.with_weight(inferred.of_tests)
    gammas = GammaRows(np.asarray(scored.shape, dtype=float))
    block = max(1, BLOCK_BYTES // (8 * 4 * len(scored.truth)))

    def draw(rng: np.random.Generator, n_draws: int) -> Array:
        return heights(gammas.draw(rng, n_draws)[gammas.place])

    blocks = ((child_of(rng), min(block, N_DRAWS - i)) for i in range(0, N_DRAWS, block))
    draws = np.concatenate(list(in_order(draw, blocks)), axis=1)
    if inferred is None:
        return draws
    extent = (-np.inf, np.inf) if k is None or kind.startswith("net_benefit") else (0.0, 1.0)
    return spread_out(draws, inferred.factors(rng, N_DRAWS), extent, together=False)


def _band(points: Array, draws: Array, prob: float) -> Band:
    low, high = np.nanquantile(draws, [(1 - prob) / 2, (1 + prob) / 2], axis=1)
    return Band(points, np.nanmean(draws, axis=1), low, high)
