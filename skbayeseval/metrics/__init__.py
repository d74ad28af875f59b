"""Metrics as pure functions, their names, and the interpretation of the parameter `scoring`."""

from skbayeseval.metrics.confusion import Metric, Totals, fbeta, from_confusion
from skbayeseval.metrics.registry import get_metric, known_metrics
from skbayeseval.metrics.scoring import PerClass, per_class, resolve_scoring

__all__ = [
    "Metric",
    "PerClass",
    "Totals",
    "fbeta",
    "from_confusion",
    "get_metric",
    "known_metrics",
    "per_class",
    "resolve_scoring",
]
