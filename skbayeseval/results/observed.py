"""What the observed values of a result are: of which class, and over which splits."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from skbayeseval.metrics.confusion import Metric
from skbayeseval.posterior.recipe import Posterior
from skbayeseval.splitting.collect import CrossValidation

__all__ = ["is_pooled", "means_of_splits", "positive_class"]


def positive_class(posterior: Posterior, metrics: Iterable[Metric]) -> Any:
    """Return the positive class of two, if a metric depends on it; None if it is 1, as usual.

    Metrics of instance scores always have one, as in scikit-learn: that which the scores are of.
    """
    label = None
    for metric in metrics:
        scored: Any = posterior.scored
        if metric.source == "instances" and scored is not None:
            if len(scored.labels) == 2 and scored.truth.ndim == 1:
                label = scored.labels[1 if scored.positive is None else scored.positive]
        elif metric.needs_positive and posterior.positive is not None:
            label = posterior.counts[0].labels[posterior.positive]
    return None if label is None or label == 1 else label


def means_of_splits(
    record: CrossValidation | None, metric: str, names: Sequence[str]
) -> list[float] | None:
    """Return the mean of the split scores of each classifier; None if they are not known."""
    if record is None or metric not in record.scores:
        return None
    scores = record.scores[metric]
    if not all(name in scores and np.isfinite(scores[name]).all() for name in names):
        return None
    return [float(np.mean(scores[name])) for name in names]


def is_pooled(
    record: CrossValidation | None, metric: Metric, observed: Sequence[float],
    means: Sequence[float] | None, digits: int = 4,
) -> bool:  # fmt: skip
    """Return whether observed values are of all splits together, and not the means of splits.

    Values that agree in all digits that are shown are both.
    """
    if record is None or metric.source != "tables":
        return False
    pairs = zip(observed, observed if means is None else means, strict=True)
    return means is None or any(f"{one:.{digits}f}" != f"{mean:.{digits}f}" for one, mean in pairs)
