"""Metrics as pure functions, their names, and the interpretation of the parameter `scoring`."""

from skbayeseval.metrics.any_metric import (
    AnyMetric,
    from_instances,
    over_items,
    resampled,
    weighted,
)
from skbayeseval.metrics.batched import (
    concordance_index,
    expected_calibration_error,
    mean_average_precision,
    mean_reciprocal_rank,
    ndcg,
    pinball,
    top_k_accuracy,
)
from skbayeseval.metrics.confusion import fbeta, from_confusion
from skbayeseval.metrics.instance_scores import net_benefit
from skbayeseval.metrics.metric import Metric, Totals
from skbayeseval.metrics.registry import PerClass, get_metric, known_metrics, per_class
from skbayeseval.metrics.scoring import resolve_scoring

__all__ = [
    "AnyMetric",
    "Metric",
    "PerClass",
    "Totals",
    "concordance_index",
    "expected_calibration_error",
    "fbeta",
    "from_confusion",
    "from_instances",
    "get_metric",
    "known_metrics",
    "mean_average_precision",
    "mean_reciprocal_rank",
    "ndcg",
    "net_benefit",
    "over_items",
    "per_class",
    "pinball",
    "resampled",
    "resolve_scoring",
    "top_k_accuracy",
    "weighted",
]
