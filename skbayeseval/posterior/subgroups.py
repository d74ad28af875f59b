"""The difference between two classifiers in each subgroup of the instances, partially pooled."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from skbayeseval.evidence.instances import Subgroups
from skbayeseval.judgement.distribution import Distribution
from skbayeseval.judgement.pooling import pool_draws
from skbayeseval.metrics.confusion import Metric
from skbayeseval.posterior.recipe import Posterior

__all__ = ["Subgroup", "SubgroupDraws", "compare_subgroups"]

Array = NDArray[Any]

# The spawn keys of the seeds of subgroups and of pooling; those of the posterior are below 4.
_SUBGROUPS, _POOLING = 10, 11

# Metrics of classes against each other, which say nothing of a single class.
OF_SEVERAL_CLASSES = ("balanced_accuracy", "matthews_corrcoef", "cohen_kappa")


class Subgroup(NamedTuple):
    """One subgroup.

    Attributes
    ----------
    label : object
        The value of the column.
    n : int
        The number of instances.
    observed : (float, float)
        The observed metric values of A and B; NaN if the metric is not defined.
    unpooled, pooled : Distribution or None
        The posterior of the difference given this subgroup alone, and given all subgroups; None if
        there are too few instances.
    reason : str
        Why there are too few instances; empty otherwise.
    """

    label: Any
    n: int
    observed: tuple[float, float]
    unpooled: Distribution | None
    pooled: Distribution | None
    reason: str = ""


class SubgroupDraws(NamedTuple):
    """All subgroups, and how much they differ.

    Attributes
    ----------
    subgroups : tuple of Subgroup
        The subgroups, in the order of their labels.
    tau : ndarray of shape (n_draws,)
        Draws of the standard deviation of the difference between subgroups; NaN if there are fewer
        than two to compare.
    """

    subgroups: tuple[Subgroup, ...]
    tau: Array


def compare_subgroups(posterior: Posterior, metric: Metric, given: Subgroups) -> SubgroupDraws:
    """Return the difference in each subgroup, alone and partially pooled.

    Parameters
    ----------
    posterior : Posterior
        The posterior of two classifiers, which knows the instances of its evidence.
    metric : Metric
        The metric.
    given : Subgroups
        The subgroup of each instance.
    """
    assert posterior.instances is not None
    of_rows = posterior.instances.of_rows(given.codes)
    _check_groups(posterior, of_rows, given)
    sizes = np.bincount(given.codes, minlength=len(given.labels))
    # Seeds go by the first instance of a subgroup, so that they do not depend on its name.
    first = [int(np.argmax(given.codes == code)) for code in range(len(given.labels))]
    if len(given.labels) == 1:
        observed, whole = _pair(posterior.observed(metric)), posterior.difference(metric)
        alone = [Subgroup(given.labels[0], int(sizes[0]), observed, whole, None)]
    else:
        alone = [
            _alone(
                posterior,
                metric,
                np.flatnonzero(of_rows == code),
                Subgroup(label, int(sizes[code]), (np.nan, np.nan), None, None),
                _child(posterior.entropy, _SUBGROUPS, first[code]),
            )
            for code, label in enumerate(given.labels)
        ]
    return _pooled(alone, np.argsort(first), posterior)


def _alone(
    posterior: Posterior, metric: Metric, rows: Array, empty: Subgroup, entropy: int
) -> Subgroup:
    """Return a subgroup with the posterior that the model has given its rows alone."""
    scored = posterior.scored if metric.weighs_instances else None
    if scored is not None:
        rows = scored.rows_where_defined(metric, rows)
    if not len(rows):
        reason = "the metric is not defined" if scored is not None else "no instance was tested"
        return empty._replace(reason=reason)
    try:
        own = posterior.of_rows(rows, entropy)
        reason = _too_few(own, metric)
        if not reason:
            own.check_metric(metric)
            observed = _pair(own.observed(metric))
            return empty._replace(observed=observed, unpooled=own.difference(metric))
    except ValueError as error:
        # The whole has passed all checks, so that something is missing here.
        reason = str(error)
    return empty._replace(reason=reason)


def _too_few(own: Posterior, metric: Metric) -> str:
    """Return why the metric is not defined for a subgroup; empty if it is."""
    units = own.units(metric)
    if units is not None and units.number < 2:
        return f"too few {units.what}: {units.number}"
    if metric.weighs_instances or not own.evidence.has_class_counts:
        return ""
    counts = own.counts[0]
    formula, present = metric.formula or "", counts.true > 0
    one = re.fullmatch(r".+\[(\d+)\]", formula)
    if one and not present[int(one[1])]:
        return f"no instances of {counts.labels[int(one[1])]!r}"
    if metric.needs_positive and counts.positive is not None and not one:
        negatives = formula == "specificity"
        if not present[1 - counts.positive if negatives else counts.positive]:
            return "no negatives" if negatives else "no positives"
    several = formula in OF_SEVERAL_CLASSES or formula.endswith("_macro")
    if several and counts.has_table and present.sum() < 2:
        return "only one class"
    return ""


def _pooled(alone: Sequence[Subgroup], order: Array, posterior: Posterior) -> SubgroupDraws:
    """Pool the subgroups; `order` is that in which they are drawn."""
    known = [code for code in order if alone[code].unpooled is not None]
    if not known:
        return SubgroupDraws(tuple(alone), np.full(posterior.n_draws, np.nan))
    draws = np.array([alone[code].unpooled.draws for code in known])
    # Instances are in one subgroup each, so that subgroups are independent given their differences.
    rng = np.random.default_rng(_child(posterior.entropy, _POOLING))
    # Pooling draws random numbers: swapping A and B must mirror these, too.
    sign = -1.0 if draws.mean() < 0 else 1.0
    found = pool_draws(sign * draws, np.diag(draws.var(axis=1)), rng)
    pooled = sign * found.draws
    subgroups = list(alone)
    for code, of_one in zip(known, pooled, strict=True):
        unpooled = alone[code].unpooled
        subgroups[code] = alone[code]._replace(
            pooled=unpooled if len(known) == 1 else Distribution(of_one)
        )
    return SubgroupDraws(tuple(subgroups), found.tau)


def _check_groups(posterior: Posterior, of_rows: Array, given: Subgroups) -> None:
    """Raise if a group of instances that are not independent belongs to several subgroups."""
    group = posterior.evidence.group_of_rows
    if group is None:
        return
    lowest, highest = np.full(group.max() + 1, len(given.labels)), np.full(group.max() + 1, -1)
    np.minimum.at(lowest, group, of_rows)
    np.maximum.at(highest, group, of_rows)
    shared = np.flatnonzero((highest >= 0) & (lowest < highest))
    if len(shared):
        some = given.labels[lowest[shared[0]]], given.labels[highest[shared[0]]]
        raise ValueError(
            f"column must have the same value for all instances of a group, but {len(shared)} of "
            f"the groups have several, such as {some[0]!r} and {some[1]!r}. Instances of a group "
            "are not independent, and neither are subgroups that share groups."
        )


def _pair(observed: tuple[float, ...]) -> tuple[float, float]:
    a, b = observed
    return a, b


def _child(entropy: int, *key: int) -> int:
    """Return entropy derived from that of the posterior."""
    state = np.random.SeedSequence(entropy, spawn_key=key).generate_state(4)
    return int.from_bytes(state.tobytes(), "little")
