"""Metrics of predicted numbers, vectorised over many draws of instance weights.

Each metric equals the scikit-learn scorer of the same name with `sample_weight`. All but the median
are functions of weighted sums over instances.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from scipy.special import xlogy

from skbayeseval._arrays import Array
from skbayeseval.metrics.instance_scores import OfSums, Prepared, Sums, mean_of
from skbayeseval.metrics.metric import NumberMetric

# Hall and Sheather's (1988) bandwidth of the density at a median, for 95% intervals: this much
# times n^(-1/3), in shares of the instances.
BANDWIDTH = 0.97

# Why metrics of numbers are not computed from instance weights.
_MAXIMUM = (
    "is a maximum, which is that of a single instance: instance weights say nothing about how much "
    "it varies"
)
REFUSED = {"max_error": _MAXIMUM, "neg_max_error": _MAXIMUM}


@dataclass(frozen=True)
class _Median(Prepared):
    """The weighted median of one value per instance, with the opposite sign."""

    values: Array
    sample_weight: Array

    def sums(self, weights: Array) -> Sums:
        """Return the median times the total weight, and the total weight."""
        median, total = weighted_median(self.values, weights * self.sample_weight[:, None])
        return Sums((-median * total)[None], total[None], np.ones((1, len(total))))

    def slopes(self) -> Sums:
        """Return the derivatives of the sums at equal weights, with an estimate of the density."""
        share = self.sample_weight
        median = -self(np.ones((len(share), 1)))[0]
        half_width = min(BANDWIDTH * len(share) ** (-1 / 3), 0.5)
        ends = np.quantile(self.values, [0.5 - half_width, 0.5 + half_width])
        one_over_density = np.diff(ends) / (2 * half_width)
        side = np.sign(self.values - median) / 2
        top = -share * (side * one_over_density + median)
        return Sums(top[None], share[None], np.zeros_like(share[None]))


def weighted_median(values: Array, weights: Array) -> tuple[Array, Array]:
    """Return the median of values for weights of shape (n, n_draws), and the total weights."""
    order = np.argsort(values, kind="stable")
    ladder, below = values[order], np.cumsum(weights[order], axis=0)
    total = below[-1].copy()
    # The first value with half of the weight; exactly half is shared with the next value.
    lower = np.minimum((below < total / 2).sum(axis=0), len(ladder) - 1)
    upper = np.minimum((below <= total / 2).sum(axis=0), len(ladder) - 1)
    return (ladder[lower] + ladder[upper]) / 2, total


def _neg_root_mean(total: Array, weight: Array) -> tuple[Array, Array]:
    return -np.sqrt(total * weight), weight


def _explained(
    squares: Array, spread: Array, sum_true: Array, weight: Array, sum_lost: Array | float = 0.0
) -> tuple[Array, Array]:
    there = spread - sum_true**2 / weight
    return there - (squares - sum_lost**2 / weight), there


# Losses of instances.


def _absolute(truth: Array, predicted: Array) -> Array:
    return np.abs(truth - predicted)


def _squared(truth: Array, predicted: Array) -> Array:
    return (truth - predicted) ** 2


def _squared_log(truth: Array, predicted: Array) -> Array:
    _check_above(-1.0, "greater than -1", y_true=truth, y_pred=predicted)
    return (np.log1p(truth) - np.log1p(predicted)) ** 2


def _percentage(truth: Array, predicted: Array) -> Array:
    # Like scikit-learn, divide by the machine epsilon at least.
    return np.abs(truth - predicted) / np.maximum(np.abs(truth), np.finfo(float).eps)


def _poisson(truth: Array, predicted: Array) -> Array:
    if (truth < 0).any():
        raise ValueError(
            f"y_true must not be negative for this metric, but contains {truth.min():g}."
        )
    _check_above(0.0, "positive", y_pred=predicted)
    return 2 * (xlogy(truth, truth / predicted) - truth + predicted)


def _gamma(truth: Array, predicted: Array) -> Array:
    _check_above(0.0, "positive", y_true=truth, y_pred=predicted)
    return 2 * (np.log(predicted / truth) + truth / predicted - 1)


def _check_above(least: float, words: str, **values: Array) -> None:
    for name, array in values.items():
        if (array <= least).any():
            raise ValueError(
                f"{name} must be {words} for this metric, but contains {array.min():g}."
            )


# Builders of metrics: the function of the instance weights, which `weight` multiplies.

Loss = Callable[[Array, Array], Array]


def neg_mean_of(loss: Loss, truth: Array, predicted: Array, weight: Array) -> Prepared:
    """Return the weighted mean of a loss, with a minus sign, as a function of the weights."""
    return mean_of(-loss(truth, predicted), weight)


def _neg_root(loss: Loss, truth: Array, predicted: Array, weight: Array) -> Prepared:
    return OfSums(np.stack([weight * loss(truth, predicted), weight]), _neg_root_mean)


def _neg_median(truth: Array, predicted: Array, weight: Array) -> Prepared:
    return _Median(np.abs(truth - predicted), weight)


def _r2(truth: Array, predicted: Array, weight: Array) -> Prepared:
    errors, spread = truth - predicted, _centred(truth, weight)
    rows = [errors**2, spread**2, spread, np.ones(len(truth))]
    return OfSums(weight * np.stack(rows), _explained)


def _explained_variance(truth: Array, predicted: Array, weight: Array) -> Prepared:
    errors, spread = truth - predicted, _centred(truth, weight)
    errors = errors - np.average(errors, weights=weight)
    rows = [errors**2, spread**2, spread, np.ones(len(truth)), errors]
    return OfSums(weight * np.stack(rows), _explained)


def _centred(truth: Array, weight: Array) -> Array:
    """Return deviations from the mean, which lose no digits when they are squared."""
    seen = truth[weight > 0]
    if (seen == seen[0]).all():
        raise ValueError(
            f"y_true is constant, {seen[0]:g}, so that there is no variance to explain: this "
            "metric is not defined."
        )
    return truth - np.average(truth, weights=weight)


def _metric(
    name: str, function: Callable[..., Prepared], words: str, *other_names: str
) -> NumberMetric:
    limits = (-np.inf, 1.0)
    if name.startswith("neg_"):
        limits, words = (-np.inf, 0.0), f"{words} with a minus sign: 0 is perfect"
    return NumberMetric(name, function, limits=limits, words=words, other_names=other_names)


_EXPLAINED = "the share of the variance of the true values that is explained"

# Means of losses: what they are, and other names.
_MEANS: dict[str, tuple[Loss, Sequence[str]]] = {
    "absolute_error": (_absolute, ["the mean absolute error", "mae"]),
    "absolute_percentage_error": (
        _percentage,
        ["the mean absolute error as a share of the true value,", "mape"],
    ),
    "gamma_deviance": (_gamma, ["the mean deviance under a gamma distribution"]),
    "poisson_deviance": (_poisson, ["the mean deviance under a Poisson distribution"]),
    "squared_error": (_squared, ["the mean squared error", "mse"]),
    "squared_log_error": (_squared_log, ["the mean squared error of logarithms"]),
}

NUMBER_METRICS = [
    _metric("r2", _r2, f"{_EXPLAINED}: 1 is perfect, 0 no better than their mean"),
    _metric(
        "explained_variance",
        _explained_variance,
        f"{_EXPLAINED}, apart from a constant error: 1 is perfect",
    ),
    *(
        _metric(f"neg_mean_{name}", partial(neg_mean_of, loss), *words)
        for name, (loss, words) in _MEANS.items()
    ),
    _metric("neg_median_absolute_error", _neg_median, "the median absolute error"),
    _metric(
        "neg_root_mean_squared_error",
        partial(_neg_root, _squared),
        "the root of the mean squared error",
        "rmse",
    ),
    _metric(
        "neg_root_mean_squared_log_error",
        partial(_neg_root, _squared_log),
        "the root of the mean squared error of logarithms",
    ),
]
