"""Metrics by name, of each class, of splits and of items, and what they are in words."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import Any

from sklearn.metrics import get_scorer_names

from skbayeseval._arrays import choices, in_short, wrong
from skbayeseval._validation import check_metric_labels
from skbayeseval.metrics.confusion import (
    AVERAGES,
    CLASS_RATIOS,
    FBETA,
    WHOLE_TABLE,
    check_zero_division,
    class_metric,
    fbeta,
    ratio_metric,
)
from skbayeseval.metrics.instance_scores import SCORE_METRICS, net_benefit
from skbayeseval.metrics.metric import (
    SHARE,
    UNLIMITED,
    Metric,
    TableMetric,
)
from skbayeseval.metrics.numbers import NUMBER_METRICS, REFUSED

# What models of several data sets call the score, or the difference, on a further one.
NEXT_DATA_SET = "next data set"

# Other scorers with values between 0 and 1, which are known by their split scores only.
_BETWEEN_0_AND_1 = r"top_k_accuracy|(precision|recall|f1|jaccard)_\w+"


_OF_CLASS = re.compile(r"(.+)\[(\d+)\]")


# The formula of the mean score of items, with its limits if they are known.
_OF_ITEMS = re.compile(r"items\((.*)\)(?: in \[(.+), (.+)\])?", re.DOTALL)


_AVERAGED = [
    ratio_metric(*row, average) for row in CLASS_RATIOS.items() for average in (None, *AVERAGES)
]


METRICS: dict[str, Metric] = {
    metric.name: replace(metric, formula=metric.name)
    for metric in (*WHOLE_TABLE, *_AVERAGED, *SCORE_METRICS.values(), *NUMBER_METRICS)
}


_OTHER_NAMES = {other: name for name, metric in METRICS.items() for other in metric.other_names}


def _meant(name: str, known: Sequence[str]) -> str | None:
    """Return the known name that is similar, or that others call so; None if there is none."""
    plain = name.lower().replace("-", "_").replace(" ", "_").removesuffix("_score")
    guess = f"neg_{plain}" if f"neg_{plain}" in known else _OTHER_NAMES.get(plain)
    if guess is None:
        guess = next(iter(get_close_matches(plain, known, n=1, cutoff=0.75)), None)
    return guess


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
    return sorted(name for name, m in METRICS.items() if source in (None, m.source))


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
        raise wrong("name", "a string, such as 'f1'", name, TypeError)
    if name in METRICS:
        metric = METRICS[name]
        if isinstance(metric, TableMetric):
            return replace(metric, zero_division=zero_division)
        return metric
    beta = re.fullmatch(FBETA, name)
    if beta:
        return fbeta(float(beta[1]), average=beta[2], zero_division=zero_division)
    threshold = re.fullmatch(r"net_benefit_(\d*\.?\d+(?:e-?\d+)?)", name)
    if threshold:
        return net_benefit(float(threshold[1]))
    if name in REFUSED:
        raise ValueError(
            f"scoring={name!r} {REFUSED[name]}. Pass model='scores' to a cross-validation, which "
            "compares split scores, or choose one of "
            f"{choices(name, known_metrics('numbers'))}: see metrics.known_metrics('numbers')."
        )
    if name in get_scorer_names():
        raise ValueError(
            f"scoring={name!r} is not a metric of its own here. Pass model='scores' to a "
            "cross-validation, which compares split scores, pass the score of each instance to "
            f"compare_items, or choose one of {choices(name, known_metrics())}: see "
            "metrics.known_metrics()."
        )
    meant = _meant(name, known_metrics())
    question = "" if meant is None else f" Did you mean {meant!r}?"
    raise ValueError(
        f"scoring={in_short(name)} is not a known metric.{question} Valid values are "
        f"{choices(meant or name, known_metrics())}, which skbayeseval.metrics.known_metrics() "
        "returns, F-beta names such as 'f2', net benefits at a threshold such as "
        "'net_benefit_0.2', and metrics created with skbayeseval.metrics."
    )


def split_metric(name: str) -> Metric:
    """Return a metric of any kind that is known only by its split scores."""
    is_share = re.fullmatch(_BETWEEN_0_AND_1, name)
    limits = METRICS[name].limits if name in METRICS else SHARE if is_share else UNLIMITED
    return Metric(name, formula=f"splits({name})", limits=limits, source="splits")


def item_metric(name: str, bounds: tuple[float, float] | None = None) -> Metric:
    """Return the mean score of items, with the smallest and the largest possible value."""
    formula = f"items({name})"
    if bounds is not None:
        formula += f" in [{float(bounds[0])!r}, {float(bounds[1])!r}]"
    limits = UNLIMITED if bounds is None else bounds
    return Metric(name, formula=formula, limits=limits, source="items")


def of_class(metric: Metric, index: int) -> Metric:
    """Return the same metric of this class; the metric itself if it is not of a class.

    Examples
    --------
    >>> from skbayeseval.metrics.registry import metric_of_formula, of_class
    >>> of_class(metric_of_formula("f1[4]", 0.0), 1).name
    'f1[1]'
    """
    one_class = _OF_CLASS.fullmatch(str(metric.formula))
    return class_metric(one_class[1], index, metric.zero_division) if one_class else metric


def metric_of_formula(formula: str, zero_division: float) -> Metric:
    """Return the metric with this formula; ``name[index]`` is the metric of one class."""
    if formula.startswith("splits("):
        return split_metric(formula[len("splits(") : -1])
    of_items = _OF_ITEMS.fullmatch(formula)
    if of_items:
        name, low, high = of_items.groups()
        return item_metric(name, None if low is None else (float(low), float(high)))
    one_class = _OF_CLASS.fullmatch(formula)
    if one_class:
        return class_metric(one_class[1], int(one_class[2]), zero_division)
    return get_metric(formula, zero_division=zero_division)


# What is counted, in words.
_CHUNKS = {"predicted": "predicted chunks", "true": "true chunks"}


_CLASSES = {"predicted": "predictions of a class", "true": "instances of a class"}


_POSITIVES = {"predicted": "positive predictions", "true": "positive instances"}


def in_plain_words(metric: Metric, *, chunks: bool = False) -> str:
    """Return what a metric measures; an empty string if that is not known.

    Parameters
    ----------
    metric : Metric
        The metric.
    chunks : bool, default=False
        Whether chunks are counted, such as names in a text, not instances.

    Examples
    --------
    >>> from skbayeseval.metrics import get_metric
    >>> from skbayeseval.metrics.registry import in_plain_words
    >>> in_plain_words(get_metric("recall"))
    'the share of positive instances that are found'
    """
    metric = _of_values(metric) if metric.source == "splits" else metric
    nouns = _CHUNKS if chunks else _POSITIVES if metric.needs_positive else _CLASSES
    return metric.words.format(**nouns)


def in_headings(metric: Metric) -> str:
    """Return what headings and figures call a metric; if users have named it, its name.

    Errors and losses are called without their minus sign.

    Examples
    --------
    >>> from skbayeseval.metrics import get_metric
    >>> from skbayeseval.metrics.registry import in_headings
    >>> [in_headings(get_metric(name)) for name in ("f1_macro", "roc_auc", "neg_log_loss")]
    ['macro F1', 'ROC AUC', 'log loss']
    """
    metric = _of_values(metric) if metric.source == "splits" else metric
    if isinstance(metric, TableMetric) and metric.class_index is not None:
        return f"{metric.called} of {metric.name.partition('[')[2][:-1]}"
    plain = metric.name.removeprefix("neg_").replace("_", " ")
    if metric.formula != metric.name:
        is_error = metric.name.startswith("neg_") and metric.source in ("items", "splits")
        return plain if is_error else metric.name
    plain = plain.replace("roc auc", "ROC AUC").replace("r2", "R\N{SUPERSCRIPT TWO}")
    return metric.called or (plain if metric.name in METRICS else metric.name)


def sign_in_headings(metric: Metric) -> int:
    """Return -1 for errors and losses that headings call by their names without the sign."""
    return -1 if metric.name.startswith("neg_") and in_headings(metric) != metric.name else 1


def _of_values(metric: Metric) -> Metric:
    """Return the metric that split scores are of, if it is known; otherwise the metric itself."""
    try:
        return metric_of_formula(str(metric.formula)[len("splits(") : -1], 0.0)
    except ValueError:  # a scorer that is known by its scores only
        return metric


def labelled(style: Mapping[str, Any], metric: Metric) -> dict[str, Any]:
    """Return the options of a figure with words for the metric, unless users give their own."""
    labels = check_metric_labels(style.get("labels"))
    return {**style, "labels": {metric.name: in_headings(metric), **labels}}


@dataclass(frozen=True)
class PerClass:
    """A metric evaluated for each class, created by `per_class` and expanded by `of`."""

    name: str
    zero_division: float = 0.0

    def of(self, labels: Sequence[Any]) -> list[Metric]:
        """Return one metric per class, named ``name[class]``."""
        if not labels:
            raise ValueError(f"per_class({self.name!r}) requires class labels, but there are none.")
        return [
            replace(class_metric(self.name, i, self.zero_division), name=f"{self.name}[{label}]")
            for i, label in enumerate(labels)
        ]


def per_class(name: str, *, zero_division: float = 0.0) -> PerClass:
    """Evaluate a metric separately for each class or label.

    Parameters
    ----------
    name : str
        "precision", "recall", "jaccard", "f1", or an F-beta name such as "f2".
    zero_division : {0.0, 1.0, np.nan}, default=0.0
        The value if the denominator is 0.

    Returns
    -------
    metric : PerClass
        An object for the parameter `scoring`. The result has metrics such as ``"f1[spam]"``.

    Examples
    --------
    >>> from skbayeseval import compare_predictions, metrics
    >>> y, a, b = ["x", "y", "y"], ["x", "y", "x"], ["x", "x", "y"]
    >>> compare_predictions(y, a, b, scoring=metrics.per_class("f1")).metrics
    ('f1[x]', 'f1[y]')
    """
    class_metric(name, 0, zero_division)
    return PerClass(name, check_zero_division(zero_division))


def table_metric(scoring: Any) -> TableMetric | None:
    """Return the metric if it can be computed from a confusion matrix, otherwise None."""
    try:
        metric = scoring if isinstance(scoring, Metric) else get_metric(scoring)
    except (TypeError, ValueError):
        return None
    return metric if isinstance(metric, TableMetric) else None
