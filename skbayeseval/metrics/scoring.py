"""Conversion of the parameter `scoring` to metrics."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn import metrics as sklearn_metrics
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.metrics import get_scorer, get_scorer_names, make_scorer

from skbayeseval._arrays import in_short, wrong
from skbayeseval.metrics.confusion import (
    Metric,
    check_zero_division,
    class_metric,
    from_confusion,
)
from skbayeseval.metrics.instance_scores import Prepared
from skbayeseval.metrics.numbers import REFUSED, mean_of
from skbayeseval.metrics.registry import get_metric, known_metrics

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
    written = repr(scorer)
    for name in get_scorer_names():
        if name in known_metrics() and repr(get_scorer(name)) == written:
            return get_metric(name) if _agree(scorer, get_scorer(name)) else None
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
    return metric if metric.source != "instances" and _agree(scorer, twin) else None


class _Echo(ClassifierMixin, BaseEstimator):
    """A fitted classifier that predicts what it is given."""

    def __init__(self, classes: tuple[int, ...] = (0, 1)) -> None:
        self.classes = classes

    @property
    def classes_(self) -> Array:
        """The classes."""
        return np.array(self.classes)

    def predict(self, X: Array) -> Array:
        """Return the first column, which is to be predicted."""
        return X[:, 0]

    def decision_function(self, X: Array) -> Array:
        """Return scores of class 1, or of each class."""
        return X[:, 2] if len(self.classes) == 2 else X[:, 1:]

    def predict_proba(self, X: Array) -> Array:
        """Return the probabilities of each class."""
        return X[:, 1:]


def _agree(scorer: Any, twin: Any) -> bool:
    """Return whether two scorers give the same, for classes or for numbers."""
    expected = _scores(twin)
    return any(score is not None for score in expected) and _scores(scorer) == expected


def _scores(scorer: Any) -> list[float | None]:
    """Return what a scorer gives for two classes, three classes and numbers; None for an error."""
    rng = np.random.default_rng(0)
    scores: list[float | None] = []
    for classes in ((0, 1), (0, 1, 2), ()):
        n = max(len(classes), 2)
        truth = np.arange(30) % n if classes else 1 + np.arange(30) / 7
        said = np.where(rng.random(30) < 0.6, truth, truth[::-1])
        shares = rng.dirichlet(np.ones(n), 30)
        try:
            said_and_shares = np.column_stack([said, shares])
            scores.append(float(scorer(_Echo(classes or (0, 1)), said_and_shares, truth)))
        except Exception:  # whatever a scorer raises for a target that it is not made for
            scores.append(None)
    return scores


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
        result = self.function(y_true, y_pred)
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
        return from_confusion(partial(_mean_over_cells, values), self.name)


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


def resolve_scoring(scoring: Any, labels: Sequence[Any] = ()) -> dict[str, Metric]:
    """Return the metrics selected by `scoring` as a dict from names to metrics.

    `scoring` is None (accuracy), a name, a `Metric`, a `PerClass`, a `PerInstance`, what
    `make_scorer` makes of a known metric, a list of these, or a dict from names to these. `labels`
    are the classes for which a `PerClass` or a `PerInstance` is expanded; without classes, a
    `PerInstance` is one of numbers.
    """
    metrics: dict[str, Metric] = {}
    for key, item in spelled_out("accuracy" if scoring is None else scoring):
        for metric in _resolve_one(item, labels):
            name = metric.name
            if key is not None:
                name = key + (name.removeprefix(item.name) if isinstance(item, PerClass) else "")
            if name in metrics:
                raise ValueError(f"scoring contains duplicate metrics: {name!r}.")
            metrics[name] = replace(metric, name=name)
    return metrics


def spelled_out(scoring: Any) -> list[tuple[str | None, Any]]:
    """Return the items of `scoring=` with their names, None for an item without a given name.

    The one place that distinguishes the forms of `scoring`: one item, a list, or a dict.
    """
    items: list[tuple[str | None, Any]]
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
    return items


def is_of_numbers(scoring: Any) -> bool:
    """Return whether one of the metrics is known to be one of predicted numbers."""
    for _, item in spelled_out("accuracy" if scoring is None else scoring):
        if isinstance(item, str) and item in (*known_metrics("numbers"), *REFUSED):
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


def _resolve_one(scoring: Any, labels: Sequence[Any]) -> list[Metric]:
    if isinstance(scoring, Metric):
        return [scoring]
    if isinstance(scoring, PerClass):
        return scoring.of(labels)
    if isinstance(scoring, PerInstance):
        return [scoring.of(labels)]
    if isinstance(scoring, str):
        one_class = re.fullmatch(r"(.+)\[(.+)\]", scoring)
        if one_class is None:
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
    equal = metric_of_scorer(scoring)
    if equal is None:
        raise TypeError(
            f"scoring={in_short(scoring)} is a scorer or a function that is not known to depend on "
            "counts or on means over instances alone. Compare its value in each split with "
            f"bayesian_cross_validate(..., model='scores'), or pass {known}."
        )
    return [equal]
