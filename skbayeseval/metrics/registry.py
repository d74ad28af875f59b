"""Registry of the metric names accepted by `scoring`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from difflib import get_close_matches
from numbers import Real

from sklearn.metrics import get_scorer_names
from sklearn.utils import check_scalar

from skbayeseval._arrays import in_short
from skbayeseval.metrics.confusion import (
    AVERAGES,
    FBETA,
    RATIOS,
    WHOLE_TABLE,
    Metric,
    check_zero_division,
    class_metric,
    fbeta,
    not_of_tables,
    ratio_metric,
)
from skbayeseval.metrics.instance_scores import NET_BENEFIT, SCORE_METRICS
from skbayeseval.metrics.numbers import NUMBER_METRICS, REFUSED

__all__ = [
    "did_you_mean",
    "get_metric",
    "item_bounds",
    "item_metric",
    "known_metrics",
    "metric_of_formula",
    "net_benefit",
    "of_classes",
    "split_metric",
]


# What metrics are called elsewhere.
OTHER_NAMES = {
    "auc": "roc_auc",
    "auroc": "roc_auc",
    "ap": "average_precision",
    "auprc": "average_precision",
    "pr_auc": "average_precision",
    "acc": "accuracy",
    "error": "accuracy",
    "sensitivity": "recall",
    "tpr": "recall",
    "tnr": "specificity",
    "ppv": "precision",
    "mcc": "matthews_corrcoef",
    "kappa": "cohen_kappa",
    "log_loss": "neg_log_loss",
    "cross_entropy": "neg_log_loss",
    "brier": "neg_brier_score",
    "brier_score": "neg_brier_score",
    "macro_f1": "f1_macro",
    "micro_f1": "f1_micro",
    "weighted_f1": "f1_weighted",
    "mae": "neg_mean_absolute_error",
    "mean_absolute_error": "neg_mean_absolute_error",
    "mape": "neg_mean_absolute_percentage_error",
    "mse": "neg_mean_squared_error",
    "mean_squared_error": "neg_mean_squared_error",
    "rmse": "neg_root_mean_squared_error",
    "root_mean_squared_error": "neg_root_mean_squared_error",
    "median_absolute_error": "neg_median_absolute_error",
}


def did_you_mean(name: str, known: Sequence[str]) -> str:
    """Return a question that suggests a similar name, with a space before it, or ""."""
    plain = name.lower().replace("-", "_").replace(" ", "_").removesuffix("_score")
    guess = OTHER_NAMES.get(plain)
    if guess is None:
        guess = next(iter(get_close_matches(plain, known, n=1, cutoff=0.75)), None)
    return "" if guess is None else f" Did you mean {guess!r}?"


_NUMBER = r"(\d*\.?\d+(?:e-?\d+)?)"


_OF_CLASS = re.compile(r"(.+)\[(\d+)\]")


# The formula of the mean score of items, with its limits if they are known.
_OF_ITEMS = re.compile(r"items\((.*)\)(?: in \[(.+), (.+)\])?", re.DOTALL)


def _registry() -> dict[str, Metric]:
    metrics = [
        Metric(name, function, needs_positive=name == "specificity", one_of_many=True)
        for name, function in WHOLE_TABLE.items()
    ]
    metrics += [ratio_metric(name, ratio, None) for name, ratio in RATIOS.items()]
    metrics += [
        ratio_metric(name, ratio, average) for name, ratio in RATIOS.items() for average in AVERAGES
    ]
    metrics += [
        Metric(name, not_of_tables, source="instances", needs_positive=name == "average_precision")
        for name in SCORE_METRICS
    ]
    metrics += [Metric(name, not_of_tables, source="numbers") for name in NUMBER_METRICS]
    return {metric.name: replace(metric, formula=metric.name) for metric in metrics}


_METRICS = _registry()


def known_metrics(source: str | None = None) -> list[str]:
    """Return the metric names accepted by `scoring`.

    Parameters
    ----------
    source : {"tables", "instances", "numbers"}, default=None
        Restrict the names to metrics computed from confusion tables, from instance scores, or from
        predictions of numbers.

    Returns
    -------
    names : list of str
        The sorted names.

    Examples
    --------
    >>> from skbayeseval import metrics
    >>> "f1_macro" in metrics.known_metrics()
    True
    """
    return sorted(name for name, m in _METRICS.items() if source in (None, m.source))


def get_metric(name: str, *, zero_division: float = 0.0) -> Metric:
    """Return a metric by name.

    Parameters
    ----------
    name : str
        A name in `known_metrics()`, an F-beta name such as ``"f2"`` or ``"f0.5_macro"``, or a net
        benefit such as ``"net_benefit_0.2"``.
    zero_division : {0.0, 1.0, np.nan}, default=0.0
        The value if the denominator is 0.

    Returns
    -------
    metric : Metric
        The metric.

    Examples
    --------
    >>> from skbayeseval import metrics
    >>> metrics.get_metric("precision", zero_division=1.0)([[3, 0], [2, 0]])
    array(1.)
    """
    zero_division = check_zero_division(zero_division)
    if not isinstance(name, str):
        raise TypeError(f"name must be a string, such as 'f1', got {in_short(name)}.")
    if name in _METRICS:
        return replace(_METRICS[name], zero_division=zero_division)
    beta = re.fullmatch(FBETA, name)
    if beta:
        return fbeta(float(beta[1]), average=beta[2], zero_division=zero_division)
    threshold = re.fullmatch(NET_BENEFIT + _NUMBER, name)
    if threshold:
        return net_benefit(float(threshold[1]))
    if name in REFUSED:
        raise ValueError(
            f"scoring={name!r} {REFUSED[name]}. Pass model='scores' to a cross-validation, which "
            f"compares split scores, or choose one of {known_metrics('numbers')}."
        )
    if name in get_scorer_names():
        other = "Pass model='scores' to a cross-validation, which compares split scores"
        if name.endswith("_samples"):
            other += ", pass the score of each instance to compare_items"
        raise ValueError(
            f"scoring={name!r} cannot be computed from a confusion matrix, from instance scores or "
            f"from instance weights. {other}, or choose one of {known_metrics()}."
        )
    raise ValueError(
        f"scoring={in_short(name)} is not a known metric."
        f"{did_you_mean(name, known_metrics())} Valid values are {known_metrics()}, F-beta names "
        "such as 'f2', net benefits at a threshold such as 'net_benefit_0.2', and metrics created "
        "with skbayeseval.metrics."
    )


def net_benefit(threshold: float) -> Metric:
    """Return the net benefit of treating instances whose probability reaches a threshold.

    It is TP/n - FP/n * threshold / (1 - threshold), the units of decision curve analysis [1]_: a
    net benefit of 0.1 is worth as much as 10 true positives without a false positive among 100
    instances. The threshold says how many false positives a true positive is worth: at 0.2, four.

    Parameters
    ----------
    threshold : float
        The probability from which on an instance is treated, between 0 and 1.

    Returns
    -------
    metric : Metric
        The metric, named such as "net_benefit_0.2". It requires two classes and predicted
        probabilities.

    References
    ----------
    .. [1] Vickers and Elkin, "Decision curve analysis: a novel method for evaluating prediction
       models", Medical Decision Making 26(6), 2006.

    Examples
    --------
    >>> from skbayeseval import compare_predictions, metrics
    >>> y, a, b = [1, 1, 0, 0, 0], [0.9, 0.3, 0.4, 0.1, 0.1], [0.8, 0.1, 0.1, 0.1, 0.1]
    >>> scoring = metrics.net_benefit(0.2)
    >>> result = compare_predictions(
    ...     y, None, None, y_score_a=a, y_score_b=b, scoring=scoring, random_state=0
    ... )
    >>> round(result.observed_a, 3), round(result.observed_b, 3)  # 2/5 - 1/5 * 0.2/0.8, and 1/5
    (0.35, 0.2)
    """
    check_scalar(threshold, "threshold", Real, min_val=0, max_val=1, include_boundaries="neither")
    name = f"{NET_BENEFIT}{float(threshold)!r}"
    return Metric(
        name, not_of_tables, formula=name, source="instances", needs_positive=True, one_of_many=True
    )


def split_metric(name: str) -> Metric:
    """Return a metric of any kind that is known only by its split scores."""
    return Metric(name, not_of_tables, formula=f"splits({name})", source="splits")


def item_metric(name: str, bounds: tuple[float, float] | None = None) -> Metric:
    """Return the mean score of items, with the smallest and the largest possible value."""
    formula = f"items({name})"
    if bounds is not None:
        formula += f" in [{float(bounds[0])!r}, {float(bounds[1])!r}]"
    return Metric(name, not_of_tables, formula=formula, source="items", limits=bounds)


def item_bounds(formula: str | None) -> tuple[float, float] | None:
    """Return the limits of a mean score of items; None if there are none."""
    found = _OF_ITEMS.fullmatch(str(formula))
    return None if found is None or found[2] is None else (float(found[2]), float(found[3]))


def of_classes(metric: Metric, classes: Iterable[int]) -> list[Metric]:
    """Return the same metric of each of these classes; the metric itself if it is not of a class.

    Examples
    --------
    >>> from skbayeseval.metrics.registry import metric_of_formula, of_classes
    >>> [metric.name for metric in of_classes(metric_of_formula("f1[4]", 0.0), [0, 1])]
    ['f1[0]', 'f1[1]']
    """
    one_class = _OF_CLASS.fullmatch(str(metric.formula))
    if one_class is None:
        return [metric]
    return [class_metric(one_class[1], index, metric.zero_division) for index in classes]


def metric_of_formula(formula: str, zero_division: float) -> Metric:
    """Return the metric with this formula; ``name[index]`` is the metric of one class."""
    if formula.startswith("splits("):
        return split_metric(formula[len("splits(") : -1])
    of_items = _OF_ITEMS.fullmatch(formula)
    if of_items:
        return item_metric(of_items[1], item_bounds(formula))
    one_class = _OF_CLASS.fullmatch(formula)
    if one_class:
        return class_metric(one_class[1], int(one_class[2]), zero_division)
    return get_metric(formula, zero_division=zero_division)
