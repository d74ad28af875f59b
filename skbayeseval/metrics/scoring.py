"""Conversion of the parameter `scoring` to metrics."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from skbayeseval._arrays import in_short
from skbayeseval.metrics.confusion import Metric, check_zero_division, class_metric
from skbayeseval.metrics.numbers import REFUSED
from skbayeseval.metrics.per_instance import PerInstance
from skbayeseval.metrics.registry import get_metric, known_metrics
from skbayeseval.metrics.scorers import metric_of_scorer

__all__ = [
    "PerClass",
    "is_of_numbers",
    "per_class",
    "resolve_scoring",
    "spelled_out",
    "table_metric",
]


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
    for key, one in spelled_out("accuracy" if scoring is None else scoring):
        for metric in _resolve_one(one, labels):
            name = metric.name
            if key is not None:
                name = key + (name.removeprefix(one.name) if isinstance(one, PerClass) else "")
            if name in metrics:
                raise ValueError(f"scoring contains duplicate metrics: {name!r}.")
            metrics[name] = replace(metric, name=name)
    return metrics


def spelled_out(scoring: Any) -> list[tuple[str | None, Any]]:
    """Return the items of `scoring=` with their names, None for an item without a given name.

    The one place that distinguishes the forms of `scoring`: one item, a list, or a dict.
    """
    found: list[tuple[str | None, Any]]
    if isinstance(scoring, Mapping):
        if not all(isinstance(key, str) for key in scoring):
            raise TypeError(f"The keys of scoring must be strings, got {list(scoring)!r}.")
        found = list(scoring.items())
    elif isinstance(scoring, (str, Metric, PerClass)) or not _has_items(scoring):
        found = [(None, scoring)]
    else:
        found = [(None, one) for one in scoring]
    if not found:
        raise ValueError("scoring is empty, pass at least one metric.")
    return found


def _has_items(scoring: Any) -> bool:
    # An array without dimensions is an Iterable that cannot be iterated over.
    return isinstance(scoring, Iterable) and not (
        isinstance(scoring, np.ndarray) and not scoring.ndim
    )


def is_of_numbers(scoring: Any) -> bool:
    """Return whether one of the metrics is known to be one of predicted numbers."""
    return scoring is not None and any(_is_of_numbers(one) for _, one in spelled_out(scoring))


def _is_of_numbers(scoring: Any) -> bool:
    if isinstance(scoring, str):
        return scoring in known_metrics("numbers") or scoring in REFUSED
    if callable(scoring) and not isinstance(scoring, Metric):
        scoring = metric_of_scorer(scoring)
    return isinstance(scoring, Metric) and scoring.source == "numbers"


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
    found = metric_of_scorer(scoring)
    if found is None:
        raise TypeError(
            f"scoring={in_short(scoring)} is a scorer or a function that is not known to depend on "
            "counts or on means over instances alone. Compare its value in each split with "
            f"bayesian_cross_validate(..., model='scores'), or pass {known}."
        )
    return [found]
