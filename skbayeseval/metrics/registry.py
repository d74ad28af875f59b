"""The names that `scoring` takes, and the metrics behind them."""

from __future__ import annotations

import re
from dataclasses import replace

from sklearn.metrics import get_scorer_names

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
from skbayeseval.metrics.instance_scores import SCORE_METRICS

__all__ = ["get_metric", "known_metrics", "metric_of_formula", "split_metric"]


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
    return {metric.name: replace(metric, formula=metric.name) for metric in metrics}


_METRICS = _registry()


def known_metrics(source: str | None = None) -> list[str]:
    """Return the names that `scoring` takes.

    Parameters
    ----------
    source : {"tables", "instances"}, default=None
        Only metrics of confusion tables, or only those of the scores of instances.

    Examples
    --------
    >>> from skbayeseval import metrics
    >>> "f1_macro" in metrics.known_metrics()
    True
    """
    return sorted(name for name, m in _METRICS.items() if source in (None, m.source))


def get_metric(name: str, *, zero_division: float = 0.0) -> Metric:
    """Return the metric of that name.

    Parameters
    ----------
    name : str
        One of `known_metrics`, or ``"f2"``, ``"f0.5_macro"`` and so on for F-beta.
    zero_division : {0.0, 1.0, np.nan}, default=0.0
        The value where the denominator is 0.

    Returns
    -------
    metric : Metric

    Examples
    --------
    >>> from skbayeseval import metrics
    >>> metrics.get_metric("precision", zero_division=1.0)([[3, 0], [2, 0]])
    array(1.)
    """
    zero_division = check_zero_division(zero_division)
    if name in _METRICS:
        return replace(_METRICS[name], zero_division=zero_division)
    beta = re.fullmatch(FBETA, name)
    if beta:
        return fbeta(float(beta[1]), average=beta[2], zero_division=zero_division)
    if name in get_scorer_names():
        raise ValueError(
            f"scoring={name!r} needs more than a confusion matrix or scores of instances. Give "
            "model='scores' to compare it by the scores of the splits, or one of: "
            f"{known_metrics()}."
        )
    raise ValueError(
        f"scoring={name!r} is not a known metric. Known are: {known_metrics()}, 'f2' and the "
        "like for F-beta, or an object made by skbayeseval.metrics."
    )


def split_metric(name: str) -> Metric:
    """Return a metric that is known only by the scores of splits, whatever it is."""
    return Metric(name, not_of_tables, formula=f"splits({name})", source="splits")


def metric_of_formula(formula: str, zero_division: float) -> Metric:
    """Return the metric of a registered formula; of one class by its index, ``name[index]``."""
    if formula.startswith("splits("):
        return split_metric(formula[len("splits(") : -1])
    one_class = re.fullmatch(r"(.+)\[(\d+)\]", formula)
    if one_class:
        return class_metric(one_class[1], int(one_class[2]), zero_division)
    return get_metric(formula, zero_division=zero_division)
