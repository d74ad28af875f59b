"""Metrics as pure functions of confusion tables.

A metric maps tables of shape (..., M, M), with true classes as rows, to values of shape (...).
Observed counts and posterior draws are evaluated by the same function. Each metric equals the
scikit-learn scorer of the same name.

Metrics see totals, not tables. All but a user's own functions need only, for each class, what was
found, what was there and what was predicted. So a draw of M classes is three vectors, not an M x M
table, and multi-label indicators go through the same functions.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from numbers import Real
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import check_scalar

from skbayeseval._arrays import Array, wrong
from skbayeseval._validation import as_float
from skbayeseval.metrics.metric import (
    SHARE,
    CellRatio,
    Metric,
    TableMetric,
    Totals,
    call_function,
    check_function,
    ratio_of,
    weighted_sum,
)


class Ratio(NamedTuple):
    """A ratio of each class, and of averages over classes.

    Attributes
    ----------
    hits : float
        The weight of hits above the line.
    below : tuple of three floats
        The weights of true instances, of predicted instances and of hits below the line.
    words : str
        What it measures.
    other_names : tuple of str
        What others call it.
    """

    hits: float
    below: tuple[float, float, float]
    words: str
    other_names: tuple[str, ...] = ()

    @property
    def cells(self) -> CellRatio:
        """The same ratio of the cells (tp, fp, fn, tn), of which tp are hits."""
        true, predicted, _ = self.below
        return CellRatio((self.hits, 0, 0, 0), (sum(self.below), predicted, true, 0))

    def parts(self, t: Totals) -> tuple[Array, Array]:
        """Return the numerator and the denominator for the totals of a class."""
        top = t.hits if self.hits == 1 else self.hits * t.hits
        return top, weighted_sum(self.below, (t.true, t.predicted, t.hits))


# Metrics of the positive class, and with an average over classes.
CLASS_RATIOS = {
    "precision": Ratio(1, (0, 1, 0), "the share of {predicted} that are right", ("ppv",)),
    "recall": Ratio(1, (1, 0, 0), "the share of {true} that are found", ("sensitivity", "tpr")),
    "f1": Ratio(
        2,
        (1, 1, 0),
        "the harmonic mean of precision, the share of {predicted} that are right, and recall, the "
        "share of {true} that are found",
    ),
    "jaccard": Ratio(
        1, (1, 1, -1), "the overlap of {true} and {predicted}, as a share of both together"
    ),
}

# The averages over classes and labels, and what they do.
AVERAGES = {
    "micro": ", counted over all classes together",
    "macro": ", averaged over the classes",
    "weighted": ", averaged over the classes by their size",
}
FBETA = r"f(\d+(?:\.\d+)?(?:e[+-]?\d+)?|inf)(?:_(micro|macro|weighted))?"

# Functions of totals. `functools.partial` objects are used because closures cannot be pickled.


def _of_one_class(
    ratio: Ratio, t: Totals, positive: int, zero_division: float, index: int | None = None
) -> Array:
    """Return the ratio of the positive class, or of the class with an index."""
    column = positive if index is None else index
    return ratio_of(*ratio.parts(Totals(*(total[..., column] for total in t))), zero_division)


def _averaged(
    ratio: Ratio,
    average: str,
    t: Totals,
    positive: int,
    zero_division: float,
    classes: Array | bool = True,
) -> Array:
    if average == "micro":
        return ratio_of(*ratio.parts(Totals(*(total.sum(axis=-1) for total in t))), zero_division)
    numerator, denominator = ratio.parts(t)
    weights = t.true if average == "weighted" else np.broadcast_to(classes, t.true.shape) * 1.0
    if math.isnan(zero_division):
        # Like scikit-learn, ignore classes with an undefined value.
        weights = np.where(denominator == 0, 0.0, weights)
    scores = ratio_of(numerator, denominator, np.nan_to_num(zero_division))
    return ratio_of((scores * weights).sum(-1), weights.sum(-1), zero_division)


def _of_proportions(function: Callable[[Array], ArrayLike], name: str, tables: Array) -> Array:
    shares = tables / tables.sum(axis=(-2, -1), keepdims=True)
    values = np.asarray(call_function(name, function, shares), float)
    if values.shape != tables.shape[:-2]:
        raise ValueError(
            f"The function of metric {name!r} must map tables of shape {tables.shape} to "
            f"values of shape {tables.shape[:-2]}, got {values.shape}. If it accepts only one "
            'table, wrap it in np.vectorize(function, signature="(m,m)->()").'
        )
    return values


def _of_negatives(ratio: Ratio, t: Totals, positive: int, zero_division: float) -> Array:
    """Return the ratio of the negative class, of two."""
    return _of_one_class(ratio, t, 1 - positive % 2, zero_division)


def _of_both(ratio: Ratio, t: Totals, positive: int, zero_division: float) -> Array:
    """Return the ratio of the positive class plus that of the negative one, less 1."""
    of_negatives = _of_negatives(ratio, t, positive, zero_division)
    return _of_one_class(ratio, t, positive, zero_division) + of_negatives - 1


def _of_odds(
    function: Callable[..., tuple[Array, Array]], t: Totals, positive: int, zero_division: float
) -> Array:
    """Return a ratio that is infinite without errors of a kind, and NaN where it is 0 / 0.

    Neither 0 nor 1 says what it then is, so that it ignores `zero_division`.
    """
    top, bottom = function(*_cells_of_two(t, positive))
    return ratio_of(top, bottom, np.where(top == 0, np.nan, np.copysign(np.inf, top)))


def _positive_likelihood(tp: Array, fp: Array, fn: Array, tn: Array) -> tuple[Array, Array]:
    return tp * (fp + tn), fp * (tp + fn)


def _neg_negative_likelihood(tp: Array, fp: Array, fn: Array, tn: Array) -> tuple[Array, Array]:
    return 0 - fn * (fp + tn), tn * (tp + fn)


def _diagnostic_odds(tp: Array, fp: Array, fn: Array, tn: Array) -> tuple[Array, Array]:
    return tp * tn, fp * fn


def _accuracy(t: Totals, positive: int, zero_division: float) -> Array:
    return ratio_of(t.hits.sum(-1), t.true.sum(-1), zero_division)


def _balanced_accuracy(t: Totals, positive: int, zero_division: float) -> Array:
    present = t.true > 0
    recalls = ratio_of(t.hits, t.true, 0.0)
    return ratio_of(recalls.sum(-1), present.sum(-1), zero_division)


def _chance_products(t: Totals) -> tuple[Array, Array, Array]:
    size = t.true.sum(-1)
    by_chance = (t.true * t.predicted).sum(-1)
    return size, by_chance, t.hits.sum(-1) * size - by_chance


def _matthews_corrcoef(t: Totals, positive: int, zero_division: float) -> Array:
    covariance = _covariance_of_two(t) if t.true.shape[-1] == 2 else _chance_products(t)[2]
    spread = np.sqrt(_spread(t.true) * _spread(t.predicted))
    # As in scikit-learn, 0 if the true or predicted classes are constant; ignores zero_division.
    return np.clip(ratio_of(covariance, spread, 0.0), -1.0, 1.0)


def _spread(classes: Array) -> Array:
    """Return the squared size minus the sum of squares, as a sum of products, however rare."""
    return 2 * (classes.cumsum(axis=-1)[..., :-1] * classes[..., 1:]).sum(axis=-1)


def _covariance_of_two(t: Totals) -> Array:
    tp, fp, fn, tn = _cells_of_two(t, 1)
    return 2 * (tp * tn - fp * fn)


def _cells_of_two(t: Totals, positive: int) -> tuple[Array, Array, Array, Array]:
    """Return tp, fp, fn and tn; what is wrong comes from the smaller of its row and its column."""
    tp, true, predicted = (total[..., positive] for total in t)
    tn, others, rest = (total[..., 1 - positive] for total in t)
    fp = np.where(predicted < others, predicted - tp, others - tn)
    fn = np.where(rest < true, rest - tn, true - tp)
    return tp, fp, fn, tn


def _cohen_kappa(t: Totals, positive: int, zero_division: float) -> Array:
    size, by_chance, covariance = _chance_products(t)
    return ratio_of(covariance, size**2 - by_chance, np.nan)


_of_all = partial(TableMetric, limits=SHARE, one_of_many=True)
_of_chance = partial(TableMetric, limits=(-1.0, 1.0), one_of_many=True, needs_classes="several")
_of_two_classes = partial(_of_chance, needs_positive=True)

# Metrics that use all classes.
WHOLE_TABLE = (
    _of_all(
        "accuracy",
        _accuracy,
        other_names=("acc", "error"),
        **CellRatio((1, 0, 0, 1), (1, 1, 1, 1)).declared,
        counts_alike="instances",
        words="the share of instances that are classified correctly",
    ),
    _of_all(
        "balanced_accuracy",
        _balanced_accuracy,
        counts_alike="classes",
        needs_classes="several",
        words="the share of each class that is classified correctly, averaged over the classes",
    ),
    _of_all(
        "specificity",
        partial(_of_negatives, CLASS_RATIOS["recall"]),
        other_names=("tnr", "selectivity"),
        **CellRatio((0, 0, 0, 1), (0, 1, 0, 1)).declared,
        class_ratio="recall",
        words="the share of negative instances that are recognised as negative",
    ),
    _of_all(
        "negative_predictive_value",
        partial(_of_negatives, CLASS_RATIOS["precision"]),
        other_names=("npv",),
        **CellRatio((0, 0, 0, 1), (0, 0, 1, 1)).declared,
        class_ratio="precision",
        words="the share of negative predictions that are right",
    ),
    _of_chance(
        "matthews_corrcoef",
        _matthews_corrcoef,
        other_names=("mcc",),
        words="the correlation of predictions and truth: 1 is perfect, 0 no better than chance",
        called="Matthews correlation",
    ),
    _of_chance(
        "cohen_kappa",
        _cohen_kappa,
        other_names=("kappa",),
        words="the agreement with the truth beyond chance: 1 is perfect, 0 no better than chance",
        called="Cohen's kappa",
    ),
    _of_two_classes(
        "informedness",
        partial(_of_both, CLASS_RATIOS["recall"]),
        other_names=("youden", "youden_j", "youdens_j", "bookmaker_informedness"),
        class_ratio="recall",
        words="recall plus specificity, less 1 (Youden's J): 1 is perfect, 0 no better than chance",
    ),
    _of_two_classes(
        "markedness",
        partial(_of_both, CLASS_RATIOS["precision"]),
        other_names=("delta_p",),
        class_ratio="precision",
        words="precision plus negative predictive value, less 1: 1 is perfect, 0 no better than "
        "chance",
    ),
    _of_two_classes(
        "positive_likelihood_ratio",
        partial(_of_odds, _positive_likelihood),
        other_names=("lr+", "plr"),
        limits=(0.0, np.inf),
        words="how many times as often positive instances are predicted positive as negative ones "
        "are: 1 is no better than chance, and it is infinite without false positives",
    ),
    _of_two_classes(
        "neg_negative_likelihood_ratio",
        partial(_of_odds, _neg_negative_likelihood),
        other_names=("lr_", "nlr"),
        limits=(-np.inf, 0.0),
        words="how many times as often positive instances are predicted negative as negative ones "
        "are, with a minus sign: 0 is perfect, -1 no better than chance",
    ),
    _of_two_classes(
        "diagnostic_odds_ratio",
        partial(_of_odds, _diagnostic_odds),
        other_names=("dor", "odds_ratio"),
        limits=(0.0, np.inf),
        words="the odds of a positive prediction of positive instances, divided by those of "
        "negative ones: 1 is no better than chance, and it is infinite without an error of a kind",
    ),
)


def _selection_rate(t: Totals, positive: int, zero_division: float) -> Array:
    return ratio_of(t.predicted[..., positive], t.true.sum(-1), zero_division)


def _false_positive_rate(t: Totals, positive: int, zero_division: float) -> Array:
    return 1 - _of_negatives(CLASS_RATIOS["recall"], t, positive, zero_division)


# Rates that differ between groups, although neither high nor low ones are better. `scoring` does
# not take them: a comparison would call the classifier with the higher rate the better one.
GROUP_RATES = {
    metric.name: metric
    for metric in (
        _of_all(
            "selection_rate",
            _selection_rate,
            **CellRatio((1, 1, 0, 0), (1, 1, 1, 1)).declared,
            words="the share of instances that are predicted positive",
        ),
        _of_all(
            "false_positive_rate",
            _false_positive_rate,
            **CellRatio((0, 1, 0, 0), (0, 1, 0, 1)).declared,
            words="the share of negative instances that are predicted positive",
        ),
    )
}


def ratio_metric(name: str, ratio: Ratio, average: str | None) -> TableMetric:
    """Return the metric for a ratio of the positive class or averaged over classes."""
    if average is None:
        return TableMetric(
            name,
            partial(_of_one_class, ratio),
            other_names=ratio.other_names,
            **ratio.cells.declared,
            class_ratio=name,
            limits=SHARE,
            words=ratio.words,
            called=_called(name),
        )
    return TableMetric(
        f"{name}_{average}",
        partial(_averaged, ratio, average),
        other_names=(f"{average}_{name}",),
        class_ratio=name,
        counts_alike={"macro": "classes", "micro": "instances"}.get(average, ""),
        needs_classes="several" if average == "macro" else "any",
        is_macro=average == "macro",
        limits=SHARE,
        words=ratio.words + AVERAGES[average],
        called=f"{average} {_called(name)}",
    )


def _called(ratio: str) -> str:
    """Return what headings call a ratio: F1, Jaccard index, recall."""
    return {"jaccard": "Jaccard index"}.get(ratio, re.sub(r"^f(?=\d|inf)", "F", ratio))


def _fbeta_ratio(beta: float) -> Ratio:
    if beta == 1:
        return CLASS_RATIOS["f1"]
    heavier = "recall" if beta > 1 else "precision"
    words = f"an average of precision and recall in which {heavier} counts more"
    if beta > 1:  # all divided by beta squared, which may be too large for a float
        return Ratio(1 + beta**-2, (1.0, beta**-2, 0), words)
    return Ratio(1 + beta**2, (beta**2, 1.0, 0), words)


def fbeta(beta: float, average: str | None = None, *, zero_division: float = 0.0) -> TableMetric:
    """Return the F-beta metric, in which recall has `beta` times the weight of precision.

    Parameters
    ----------
    beta : float
        The weight of recall relative to precision. Must be at least 0; 1 gives F1.
    average : {"micro", "macro", "weighted"}, default=None
        The average over classes. None evaluates the positive class of a binary problem.
    zero_division : {0.0, 1.0, np.nan}, default=0.0
        The value if the denominator is 0.

    Returns
    -------
    metric : Metric
        The F-beta metric.

    Examples
    --------
    >>> from skbayeseval import metrics
    >>> metrics.fbeta(2).name
    'f2'
    >>> metrics.fbeta(2)([[5, 2], [1, 8]])
    array(0.86956522)
    """
    check_scalar(beta, "beta", Real, min_val=0)
    if isinstance(beta, bool) or math.isnan(as_float(beta)):
        raise ValueError(f"beta == {beta}, must be a number of at least 0.")
    if average is not None and (not isinstance(average, str) or average not in AVERAGES):
        raise wrong("average", f"None or one of {tuple(AVERAGES)}", average)
    beta = as_float(beta)
    metric = ratio_metric(f"f{beta:g}", _fbeta_ratio(beta), average)
    # The name contains a rounded beta, the formula the exact one.
    exact = f"{beta:g}" if float(f"{beta:g}") == beta else repr(beta)
    formula = f"f{exact}" if average is None else f"f{exact}_{average}"
    zero_division = check_zero_division(zero_division)
    return replace(metric, formula=formula, class_ratio=f"f{exact}", zero_division=zero_division)


def class_metric(name: str, index: int, zero_division: float) -> TableMetric:
    """Return the metric of the class with this index; its formula is ``name[index]``."""
    if not isinstance(name, str):
        raise wrong("name", "a string, such as 'f1'", name, TypeError)
    ratio = CLASS_RATIOS.get(name)
    if ratio is None:
        beta = re.fullmatch(FBETA, name)
        if beta is None or beta[2]:
            raise ValueError(
                f"{name!r} is not defined per class. Valid names are {list(CLASS_RATIOS)} and "
                "F-beta names such as 'f2'."
            )
        ratio = _fbeta_ratio(float(beta[1]))
    return TableMetric(
        f"{name}[{index}]",
        partial(_of_one_class, ratio, index=index),
        formula=f"{name}[{index}]",
        class_index=index,
        class_ratio=name,
        zero_division=check_zero_division(zero_division),
        limits=SHARE,
        words=ratio.words,
        called=_called(name),
    )


def stacked(metrics: Sequence[Metric]) -> TableMetric:
    """Return a metric whose values have one more axis, the first: one entry per given metric.

    None of them may need whole tables.
    """
    return TableMetric(f"{len(metrics)} metrics", partial(_stack, tuple(metrics)))


def _stack(metrics: tuple[Metric, ...], t: Totals, positive: int, zero_division: float) -> Array:
    return np.stack([metric.of_totals(t, positive) for metric in metrics])


def from_confusion(function: Callable[[Array], ArrayLike], name: str) -> TableMetric:
    """Create a metric from a user-supplied function of the confusion table.

    Parameters
    ----------
    function : callable
        A function that maps tables of shape (..., M, M) to values of shape (...). The rows of a
        table are true classes, its columns predicted classes, both in the order of the `labels`
        of the result. Each table sums to 1. Wrap a function that accepts only one table in
        ``np.vectorize(function, signature="(m,m)->()")``.
    name : str
        The name of the metric in results.

    Returns
    -------
    metric : Metric
        The metric, for the parameter `scoring`.

    Examples
    --------
    A false negative costs five times as much as a false positive:

    >>> from skbayeseval import metrics
    >>> cost = metrics.from_confusion(lambda t: -(t[..., 0, 1] + 5 * t[..., 1, 0]), "minus_cost")
    >>> cost([[50, 20], [10, 20]])
    array(-0.7)
    """
    check_function(function, name)
    return TableMetric(name, partial(_of_proportions, function, name), needs_tables=True)


def check_zero_division(zero_division: float) -> float:
    """Return `zero_division` as a float if it is 0, 1 or NaN."""
    if not isinstance(zero_division, Real) or not (
        zero_division in (0, 1) or math.isnan(as_float(zero_division))
    ):
        raise wrong("zero_division", "0.0, 1.0 or np.nan", zero_division)
    return float(zero_division)
