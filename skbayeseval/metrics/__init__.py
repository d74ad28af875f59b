"""Metrics as pure functions, their names, and the interpretation of the parameter `scoring`."""

from skbayeseval.metrics.confusion import Metric, Totals, fbeta, from_confusion
from skbayeseval.metrics.instance_scores import net_benefit
from skbayeseval.metrics.registry import (
    PerClass,
    PerInstance,
    from_instances,
    get_metric,
    known_metrics,
    per_class,
    resolve_scoring,
)

__all__ = [
    "Metric",
    "PerClass",
    "PerInstance",
    "Totals",
    "fbeta",
    "from_confusion",
    "from_instances",
    "get_metric",
    "known_metrics",
    "net_benefit",
    "per_class",
    "resolve_scoring",
]
