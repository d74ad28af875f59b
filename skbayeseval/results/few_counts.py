"""Where so little was seen that the prior matters, or that few instances carry an estimate."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from skbayeseval.evidence.influence import cell_influence
from skbayeseval.evidence.unit_numbers import effective_number
from skbayeseval.metrics.confusion import Metric
from skbayeseval.posterior.recipe import Posterior

__all__ = ["FEW", "few_that_carry", "what_is_scarce"]

# Fewer errors, or instances of a class, than this are few.
FEW = 20

# Fewer than this carry an estimate where it is told: as many as of 30 instances that vary normally.
FEW_CARRIERS = 10

# Metrics that do not depend on how well a scarce class is known.
_OF_ALL_INSTANCES = ("accuracy", "f1_micro", "precision_micro", "recall_micro", "jaccard_micro")


def what_is_scarce(posterior: Posterior, metrics: Iterable[Metric]) -> str | None:
    """Return what was seen so rarely that the prior matters, in words; None if nothing was.

    Errors of all classifiers are added up. Of two classes, the scarcer one is looked at as well,
    unless all metrics count instances of both classes alike. Weighted counts are taken for what
    they are worth.
    """
    of_tables = [metric for metric in metrics if metric.source in ("tables", "items")]
    evidence = posterior.evidence
    if not (of_tables and evidence.family in ("classes", "chunks", "right or wrong")):
        return None
    weight = posterior.weight
    if posterior.weights is not None:
        weight = posterior.weights.difference(of_tables[0]).median
    errors = weight * sum(
        float(counts.total - np.nansum(counts.hits)) for counts in posterior.counts
    )
    if errors < FEW:
        return _seen(errors, "errors", "error", weight)
    labels = posterior.counts[0].labels
    by_class = any(metric.formula not in _OF_ALL_INSTANCES for metric in of_tables)
    if by_class and len(labels) == 2:
        tables = [np.nan_to_num(counts.table) for counts in posterior.counts]
        true = weight * np.max([table.sum(axis=1) for table in tables], axis=0)
        if not posterior.has_true_negatives:
            true[0] = np.inf  # not all instances of the negative class are counted
        scarce = int(true.argmin())
        if true[scarce] < FEW:
            of_class = f"of class {labels[scarce]!r}"
            return _seen(true[scarce], f"instances {of_class}", f"instance {of_class}", weight)
    return None


def few_that_carry(posterior: Posterior, metric: Metric) -> str | None:
    """Return that few instances carry the estimate of one classifier or of a difference, in words.

    None if they are not few, or if it is not known. Of counts, it is known where the classes have
    known proportions: then the few errors of a common class may outweigh all others.
    """
    n_classifiers = posterior.evidence.n_classifiers
    carriers, what = np.inf, "this estimate" if n_classifiers == 1 else "the difference"
    if n_classifiers == 1 and posterior.prevalence is not None and metric.source == "tables":
        carriers = _carriers_of_table(posterior, metric)
    elif n_classifiers <= 2:
        carriers = posterior.carried_by(metric, 0 if n_classifiers == 1 else None)
    if carriers >= FEW_CARRIERS:
        return None
    units = "groups" if posterior.evidence.n_groups else "instances"
    return f"few {units} carry {what} (effective number {carriers:.0f})"


def _carriers_of_table(posterior: Posterior, metric: Metric) -> float:
    """Return the effective number of instances where classes have known proportions."""
    counts = posterior.counts[0]
    table = np.nan_to_num(counts.table)
    sizes = np.maximum(table.sum(axis=1, keepdims=True), 1.0)
    # The share of the population that each instance stands for.
    share = np.array(posterior.prevalence)[:, None] / sizes
    positive = 1 if counts.positive is None else counts.positive
    influence = share * cell_influence(metric, table.sum() * share * table, positive)
    # The proportions of the classes are known, so that instances vary within them only.
    return effective_number(
        influence - (influence * table).sum(axis=1, keepdims=True) / sizes, table
    )


def _seen(number: float, several: str, one: str, weight: float) -> str:
    if weight != 1:
        return f"the {several} count as only {number:.2g} independent ones"
    if number == 0:
        return f"no {several} were seen"
    return f"only 1 {one} was seen" if number == 1 else f"only {number:.0f} {several} were seen"
