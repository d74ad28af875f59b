"""From `scoring=` to metrics: the one place where its forms are told apart."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from skbayeseval.metrics.confusion import Metric, check_zero_division, class_metric
from skbayeseval.metrics.registry import get_metric

__all__ = ["PerClass", "per_class", "resolve_scoring"]


@dataclass(frozen=True)
class PerClass:
    """One metric for each class; made by `per_class`, spelled out when the classes are known."""

    name: str
    zero_division: float = 0.0

    def of(self, labels: Sequence[Any]) -> list[Metric]:
        """Return the metric of each class, named after it."""
        return [
            replace(class_metric(self.name, i, self.zero_division), name=f"{self.name}[{label}]")
            for i, label in enumerate(labels)
        ]


def per_class(name: str, *, zero_division: float = 0.0) -> PerClass:
    """Return a metric for each class or label: precision, recall, F1, F-beta or Jaccard.

    Parameters
    ----------
    name : str
        "precision", "recall", "jaccard", "f1", or "f2" and the like.
    zero_division : {0.0, 1.0, np.nan}, default=0.0
        The value where the denominator is 0.

    Returns
    -------
    metric : PerClass
        For `scoring`; the result has metrics such as ``"f1[spam]"``.

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
    """Return the metrics that `scoring` names, under their names.

    None is accuracy; otherwise a name, a `Metric` or `PerClass`, a list of these, or a dict of
    names and metrics. `labels` are the classes over which `PerClass` is spelled out.
    """
    if scoring is None:
        scoring = "accuracy"
    if isinstance(scoring, (str, Metric, PerClass)) or not isinstance(scoring, Iterable):
        scoring = [scoring]
    if isinstance(scoring, Mapping):
        if not all(isinstance(key, str) for key in scoring):
            raise TypeError(f"scoring must have strings as keys, got {list(scoring)!r}.")
        metrics = {}
        for key, one in scoring.items():
            for metric in _resolve_one(one, labels):
                suffix = metric.name.removeprefix(one.name) if isinstance(one, PerClass) else ""
                metrics[key + suffix] = replace(metric, name=key + suffix)
    else:
        found = [metric for one in scoring for metric in _resolve_one(one, labels)]
        metrics = {metric.name: metric for metric in found}
        if len(metrics) < len(found):
            raise ValueError(f"scoring names a metric twice: {[m.name for m in found]}.")
    if not metrics:
        raise ValueError("scoring is empty, give at least one metric.")
    return metrics


def _resolve_one(scoring: Any, labels: Sequence[Any]) -> list[Metric]:
    if isinstance(scoring, Metric):
        return [scoring]
    if isinstance(scoring, PerClass):
        return scoring.of(labels)
    if isinstance(scoring, str):
        one_class = re.fullmatch(r"(.+)\[(.+)\]", scoring)
        if one_class is None:
            return [get_metric(scoring)]
        for metric in per_class(one_class[1]).of(labels):
            if metric.name == scoring:
                return [metric]
        raise ValueError(f"scoring={scoring!r} is of none of the classes {list(labels)}.")
    raise TypeError(
        f"scoring={scoring!r} is not supported: scorers and functions of predictions need more "
        "than a confusion matrix. Give model='scores' to compare them by the scores of the splits, "
        "a name such as 'f1', a metric from skbayeseval.metrics (from_confusion takes any function "
        "of the confusion table), or a list or dict of these."
    )
