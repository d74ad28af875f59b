"""Metrics by name, and what `scoring=` means: names, scorers and functions become metrics.

Functions of instances become tables where there are classes. A mean over instances of a function of
true and predicted class is a sum over cells of the table, so `from_instances` of classes has proper
models, Bayes factors and inferred weights like any metric of counts. Only numbers, which have no
table, are weighted one by one.

A scorer is recognised by what it does. It tells the name of its function, which anybody's function
may have, so it is also called on small examples and must give what scikit-learn's gives. Unknown
parameters are not guessed at.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from functools import partial
from inspect import isfunction, signature
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn import metrics as sklearn_metrics
from sklearn.metrics import get_scorer, get_scorer_names, make_scorer

from skbayeseval._arrays import in_short, wrong
from skbayeseval.metrics.any_metric import AnyMetric, of_scorer
from skbayeseval.metrics.batched import SCORERS
from skbayeseval.metrics.confusion import (
    AVERAGES,
    FBETA,
    RATIOS,
    SHARE,
    WHOLE_TABLE,
    Metric,
    check_zero_division,
    class_metric,
    fbeta,
    from_confusion,
    not_of_tables,
    ratio_metric,
)
from skbayeseval.metrics.instance_scores import SCORE_METRICS, Prepared, net_benefit
from skbayeseval.metrics.numbers import NUMBER_METRICS, REFUSED, mean_of
from skbayeseval.metrics.scorers import agree, name_of

# The names of scorers with values between 0 and 1, known by their split scores only.
_BETWEEN_0_AND_1 = (
    r"(balanced_|top_k_)?accuracy|average_precision|roc_auc(_ov[or](_weighted)?)?"
    r"|(precision|recall|f1|jaccard)(_\w+)?|specificity"
)


_OF_CLASS = re.compile(r"(.+)\[(\d+)\]")


# The formula of the mean score of items, with its limits if they are known.
_OF_ITEMS = re.compile(r"items\((.*)\)(?: in \[(.+), (.+)\])?", re.DOTALL)


_AVERAGED = [ratio_metric(*row, average) for row in RATIOS.items() for average in (None, *AVERAGES)]


_METRICS = {
    metric.name: replace(metric, formula=metric.name)
    for metric in (*WHOLE_TABLE, *_AVERAGED, *SCORE_METRICS.values(), *NUMBER_METRICS.values())
}


# What metrics are called elsewhere.
_OTHER_NAMES = {
    "acc": "accuracy", "error": "accuracy", "tnr": "specificity", "mcc": "matthews_corrcoef",
    "kappa": "cohen_kappa", "ppv": "precision", "sensitivity": "recall", "tpr": "recall",
    "micro_f1": "f1_micro", "macro_f1": "f1_macro", "weighted_f1": "f1_weighted",
    "auc": "roc_auc", "auroc": "roc_auc", "ap": "average_precision", "auprc": "average_precision",
    "pr_auc": "average_precision", "cross_entropy": "neg_log_loss", "brier": "neg_brier_score",
    "mae": "neg_mean_absolute_error", "mape": "neg_mean_absolute_percentage_error",
    "mse": "neg_mean_squared_error", "rmse": "neg_root_mean_squared_error",
}  # fmt: skip


def did_you_mean(name: str, known: Sequence[str]) -> str:
    """Return a question that suggests a similar name, with a space before it, or ""."""
    plain = name.lower().replace("-", "_").replace(" ", "_").removesuffix("_score")
    guess = f"neg_{plain}" if f"neg_{plain}" in known else _OTHER_NAMES.get(plain)
    if guess is None:
        guess = next(iter(get_close_matches(plain, known, n=1, cutoff=0.75)), None)
    return "" if guess is None else f" Did you mean {guess!r}?"


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
        raise wrong("name", "a string, such as 'f1'", name, TypeError)
    if name in _METRICS:
        return replace(_METRICS[name], zero_division=zero_division)
    beta = re.fullmatch(FBETA, name)
    if beta:
        return fbeta(float(beta[1]), average=beta[2], zero_division=zero_division)
    threshold = re.fullmatch(r"net_benefit_(\d*\.?\d+(?:e-?\d+)?)", name)
    if threshold:
        return net_benefit(float(threshold[1]))
    if name in REFUSED:
        raise ValueError(
            f"scoring={name!r} {REFUSED[name]}. Pass model='scores' to a cross-validation, which "
            f"compares split scores, or choose one of {known_metrics('numbers')}."
        )
    if name in get_scorer_names():
        raise ValueError(
            f"scoring={name!r} is not a metric of its own here. Pass model='scores' to a "
            "cross-validation, which compares split scores, pass the score of each instance to "
            f"compare_items, or choose one of {known_metrics()}."
        )
    raise ValueError(
        f"scoring={in_short(name)} is not a known metric."
        f"{did_you_mean(name, known_metrics())} Valid values are {known_metrics()}, F-beta names "
        "such as 'f2', net benefits at a threshold such as 'net_benefit_0.2', and metrics created "
        "with skbayeseval.metrics."
    )


def split_metric(name: str) -> Metric:
    """Return a metric of any kind that is known only by its split scores."""
    limits = _METRICS[name].limits if name in _METRICS else None
    limits = SHARE if re.fullmatch(_BETWEEN_0_AND_1, name) else limits
    return Metric(name, not_of_tables, formula=f"splits({name})", source="splits", limits=limits)


def item_metric(name: str, bounds: tuple[float, float] | None = None) -> Metric:
    """Return the mean score of items, with the smallest and the largest possible value."""
    formula = f"items({name})"
    if bounds is not None:
        formula += f" in [{float(bounds[0])!r}, {float(bounds[1])!r}]"
    return Metric(name, not_of_tables, formula=formula, source="items", limits=bounds)


def item_bounds(formula: str | None) -> tuple[float, float] | None:
    """Return the limits of a mean score of items; None if there are none."""
    parsed = _OF_ITEMS.fullmatch(str(formula))
    return None if parsed is None or parsed[2] is None else (float(parsed[2]), float(parsed[3]))


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
    if metric.source == "splits":
        try:
            metric = metric_of_formula(str(metric.formula)[len("splits(") : -1], 0.0)
        except ValueError:  # a scorer that is known by its scores only
            return ""
    nouns = _CHUNKS if chunks else _POSITIVES if metric.needs_positive else _CLASSES
    return metric.words.format(**nouns)


Array = NDArray[Any]


# How a scorer is written; text among its parameters has no quotes.
WRITTEN = (
    r"make_scorer\((\w+)((?:, greater_is_better=False)?), response_method='predict'"
    r"((?:, \w+=[^,=()\[\]]+)*)\)"
)


# The parameters of scikit-learn's functions that metrics have here as well.
PARAMETERS = {
    "average": "binary|micro|macro|weighted",
    "beta": r"\d+(\.\d+)?",
    "zero_division": r"[01](\.0)?|nan",
}


def metric_of_scorer(scorer: Any) -> Metric | None:
    """Return the metric that equals a scorer made by `make_scorer`; None if none is known to.

    A scorer tells the name of its function and its parameters, but not the function: one that
    only has the name of scikit-learn's is found out by calling it.
    """
    try:
        written = repr(scorer)
    except AttributeError:  # made of an object without a name
        return None
    for name in get_scorer_names():
        if name in known_metrics() and repr(get_scorer(name)) == written:
            return get_metric(name) if agree(scorer, get_scorer(name)) else None
    parsed = re.fullmatch(WRITTEN, written)
    if parsed is None or not hasattr(sklearn_metrics, parsed[1]):
        return None
    function, negated, parameters = parsed.groups()
    options: dict[str, Any] = {}
    for parameter in parameters.split(", ")[1:]:
        key, text = parameter.split("=")
        if key not in PARAMETERS or re.fullmatch(PARAMETERS[key], text) is None:
            return None
        options[key] = text if key == "average" else float(text)
    name = f"neg_{function}" if negated else function.removesuffix("_score")
    if name == "fbeta":
        name = f"f{options.get('beta')}"
    if options.get("average", "binary") != "binary":
        name = f"{name}_{options['average']}"
    try:
        metric = get_metric(name, zero_division=options.get("zero_division", 0.0))
    except ValueError:
        return None
    twin = make_scorer(getattr(sklearn_metrics, function), greater_is_better=not negated, **options)
    return metric if metric.source != "instances" and agree(scorer, twin) else None


@dataclass(frozen=True)
class PerInstance:
    """The mean of a function of each instance, created by `from_instances`.

    Examples
    --------
    >>> from skbayeseval import metrics
    >>> metrics.from_instances(lambda y_true, y_pred: -abs(y_true - y_pred), "neg_error").name
    'neg_error'
    """

    function: Callable[[Array, Array], ArrayLike]
    name: str

    def values(self, y_true: Array, y_pred: Array) -> Array:
        """Return the value of each instance; raise unless each has a value of its own."""
        values = self._call(y_true, y_pred)
        some = (len(y_true) + 1) // 2
        again, rounding = self._call(y_true[:some], y_pred[:some]), 1e-9 * np.abs(values).max()
        if not np.allclose(again, values[:some], rtol=1e-6, atol=rounding):
            raise ValueError(
                f"The function of metric {self.name!r} gives instances other values when it is "
                "called with fewer instances. The value of an instance must depend on its own "
                "y_true and y_pred alone."
            )
        return values

    def _call(self, y_true: Array, y_pred: Array) -> Array:
        try:
            result = self.function(y_true, y_pred)
        except Exception as error:
            raise ValueError(
                f"The function of metric {self.name!r} raised {type(error).__name__}: {error}"
            ) from error
        try:
            values = np.asarray(result, dtype=float)
        except (TypeError, ValueError) as error:
            raise ValueError(
                f"The function of metric {self.name!r} must return numbers, got {in_short(result)}."
            ) from error
        if values.shape != (len(y_true),):
            raise ValueError(
                f"The function of metric {self.name!r} must return one number per instance, an "
                f"array of shape ({len(y_true)},), got shape {values.shape}. If it accepts only "
                "one instance, wrap it in np.vectorize."
            )
        if not np.isfinite(values).all():
            where = int(np.flatnonzero(~np.isfinite(values))[0])
            raise ValueError(
                f"The function of metric {self.name!r} must return finite numbers, got "
                f"{values[where]} for y_true={y_true[where]!r} and y_pred={y_pred[where]!r}."
            )
        return values

    def prepared(self, y_true: Array, y_pred: Array, weight: Array) -> Prepared:
        """Return the mean over instances as a function of the instance weights."""
        return mean_of(self.values(y_true, y_pred), weight)

    def of(self, labels: Sequence[Any]) -> Metric:
        """Return the metric for class labels, or for numbers if there are no labels."""
        if not labels:
            return Metric(self.name, self.prepared, source="numbers")
        classes = np.asarray(labels)
        m = len(classes)
        values = self.values(np.repeat(classes, m), np.tile(classes, m)).reshape(m, m)
        mean = from_confusion(partial(_mean_over_cells, values), self.name)
        return replace(mean, of_means=True)


def from_instances(function: Callable[[Array, Array], ArrayLike], name: str) -> PerInstance:
    """Create a metric from a function that gives each instance a number, higher being better.

    The metric is the mean of these numbers over instances.

    Parameters
    ----------
    function : callable
        Maps arrays of true and predicted labels, or numbers, of shape (n,) to values of shape
        (n,). The value of an instance may depend on its own label and prediction only. Wrap a
        function of one instance in `numpy.vectorize`.
    name : str
        The name of the metric in results.

    Returns
    -------
    metric : PerInstance
        The metric, for the parameter `scoring`. Of class labels, the function is evaluated for each
        pair of labels, and the metric is one of confusion tables. Predictions are numbers where
        regressors are compared, another metric of `scoring` is one of numbers, or `y_true` or a
        prediction is not a whole number.

    See Also
    --------
    from_confusion : Any function of the confusion table.

    Examples
    --------
    A prediction is good if it is at most 10% off:

    >>> import numpy as np
    >>> from skbayeseval import compare_predictions, metrics
    >>> close = metrics.from_instances(lambda y, p: np.abs(p - y) <= 0.1 * np.abs(y), "within_10%")
    >>> y = np.linspace(1.5, 9.5, 50)
    >>> result = compare_predictions(y, 1.05 * y, 1.2 * y, scoring=close, random_state=0)
    >>> result.observed_a, result.observed_b
    (1.0, 0.0)
    """
    if not callable(function):
        raise wrong("function", "callable", function, TypeError)
    if not isinstance(name, str):
        raise wrong("name", "a string", name, TypeError)
    return PerInstance(function, name)


def _mean_over_cells(values: Array, tables: Array) -> Array:
    return np.einsum("...ij,ij->...", tables, values)


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


def resolve_scoring(
    scoring: Any, labels: Sequence[Any] = (), several: bool = False, pos_label: Any = None
) -> dict[str, Metric]:
    """Return the metrics selected by `scoring` as a dict from names to metrics.

    `scoring` is None (accuracy), a name, a `Metric`, a `PerClass`, a `PerInstance`, what
    `make_scorer` makes of a known metric, a list of these, or a dict from names to these. `labels`
    are the classes for which a `PerClass` or a `PerInstance` is expanded; without classes, a
    `PerInstance` is one of numbers. With `several`, instances may have several labels. A scorer
    or function whose own positive class is another than `pos_label` is refused.
    """
    metrics: dict[str, Metric] = {}
    for key, item in spelled_out(scoring):
        for metric in _resolve_one(item, labels, several):
            name = metric.name
            if key is not None:
                name = key + (name.removeprefix(item.name) if isinstance(item, PerClass) else "")
            if name in metrics:
                raise ValueError(f"scoring contains duplicate metrics: {name!r}.")
            check_same_positive(name, metric.named_class, pos_label)
            metrics[name] = replace(metric, name=name)
    return metrics


def check_same_positive(name: str, named: Any, pos_label: Any) -> None:
    """Raise if a metric names another positive class than `pos_label`; None names none."""
    if named is not None and pos_label is not None and named != pos_label:
        raise ValueError(
            f"scoring={name!r} has the positive class {named!r}, but pos_label="
            f"{in_short(pos_label)} was given. Pass the same pos_label to both, for example to "
            "make_scorer, or omit one of them."
        )


def spelled_out(scoring: Any) -> list[tuple[str | None, Any]]:
    """Return the items of `scoring=` with their names, None for an item without a given name.

    The one place that distinguishes the forms of `scoring`: None (accuracy), one item, a list, or a
    dict.
    """
    items: list[tuple[str | None, Any]]
    scoring = "accuracy" if scoring is None else scoring
    if isinstance(scoring, Mapping):
        if not all(isinstance(key, str) for key in scoring):
            raise TypeError(f"The keys of scoring must be strings, got {list(scoring)!r}.")
        items = list(scoring.items())
    elif (
        isinstance(scoring, (str, Metric, PerClass))
        or not isinstance(scoring, Iterable)
        or (isinstance(scoring, np.ndarray) and not scoring.ndim)
    ):
        items = [(None, scoring)]
    else:
        items = [(None, item) for item in scoring]
    if not items:
        raise ValueError("scoring is empty, pass at least one metric.")
    for _, item in items:
        check_called(item)
    return items


def check_called(item: Any) -> None:
    """Raise if this is a function that makes a metric, and not what it makes."""
    if isfunction(item) and item.__module__.startswith(__package__):
        required = [
            name for name, one in signature(item).parameters.items() if one.default is one.empty
        ]
        raise TypeError(
            f"scoring is the function metrics.{item.__name__}, not the metric that it makes. Call "
            f"it: metrics.{item.__name__}({', '.join(required)})."
        )


def is_of_numbers(scoring: Any) -> bool:
    """Return whether one of the metrics is known to be one of predicted numbers."""
    for _, item in spelled_out(scoring):
        names = (*known_metrics("numbers"), *REFUSED, "d2_absolute_error_score")
        if isinstance(item, str) and item in names:
            return True
        metric = item if isinstance(item, Metric) or not callable(item) else metric_of_scorer(item)
        if isinstance(metric, Metric) and metric.source == "numbers":
            return True
    return False


def table_metric(scoring: Any) -> Metric | None:
    """Return the metric if it can be computed from a confusion matrix, otherwise None."""
    try:
        metric = scoring if isinstance(scoring, Metric) else get_metric(scoring)
    except (TypeError, ValueError):
        return None
    return metric if metric.source == "tables" else None


def _resolve_one(scoring: Any, labels: Sequence[Any], several: bool) -> list[Metric]:
    if isinstance(scoring, Metric):
        return [scoring]
    if isinstance(scoring, PerClass):
        return scoring.of(labels)
    if isinstance(scoring, PerInstance):
        return [scoring.of(labels)]
    if isinstance(scoring, AnyMetric):
        return [scoring.of(labels, several)]
    if isinstance(scoring, str):
        one_class = re.fullmatch(r"(.+)\[(.+)\]", scoring)
        if one_class is None:
            if is_scorer(scoring):
                if scoring in SCORERS:
                    return [SCORERS[scoring].of(labels, several)]
                return [
                    of_scorer(get_scorer(scoring), scoring, labels, several).of(labels, several)
                ]
            return [get_metric(scoring)]
        for metric in per_class(one_class[1]).of(labels):
            if metric.name == scoring:
                return [metric]
        raise ValueError(f"scoring={scoring!r} does not match any of the classes {list(labels)}.")
    known = (
        "a name such as 'f1', a metric of skbayeseval.metrics (from_confusion takes any function "
        "of the confusion table, from_instances any function of an instance), or a list or dict of "
        "these"
    )
    if not callable(scoring):
        raise TypeError(f"scoring={in_short(scoring)} is not supported. Pass {known}.")
    found = as_metric(scoring, labels, several)
    return [found if isinstance(found, Metric) else found.of(labels, several)]


def as_metric(scorer: Any, labels: Sequence[Any], several: bool) -> Metric | AnyMetric:
    """Return the metric of a scorer: the one that is known to equal it, or any function's."""
    check_called(scorer)
    return metric_of_scorer(scorer) or of_scorer(scorer, name_of(scorer), labels, several)


def is_scorer(scoring: Any) -> bool:
    """Return whether this is a scorer, or the name of one, that has no metric of its own."""
    if not isinstance(scoring, str):
        return callable(scoring) and not isinstance(scoring, Metric | PerClass | PerInstance)
    known = {*known_metrics(), *REFUSED}
    return scoring in {*get_scorer_names(), *SCORERS} - known
