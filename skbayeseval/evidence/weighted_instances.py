"""What evidence with random instance weights has in common: metrics as functions of weights."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property, reduce
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from skbayeseval.evidence.base import Evidence
from skbayeseval.evidence.unit_numbers import UnitNumbers, effective_number
from skbayeseval.metrics.confusion import Metric
from skbayeseval.metrics.instance_scores import Prepared, Sums

__all__ = ["PreparedRun", "WeightedInstances"]

Array = NDArray[Any]

# The unit of each row of a run, and per classifier the metric as a function of the row weights.
PreparedRun = tuple[Array, list[Prepared]]


class WeightedInstances(Evidence):
    """Base class of evidence whose units have random weights, in one or more runs.

    Attributes
    ----------
    run : ndarray of shape (n_rows,)
        The run of each row. Metrics are computed within runs, and averaged over them.
    unit : ndarray of shape (n_rows,)
        The unit of each row: an instance, or a group of instances.
    shape : ndarray of shape (n_units,)
        The Gamma shape of each unit's weight.
    weight : float
        The weight of one count.
    grouped : bool
        Whether units are groups.
    """

    run: Array
    unit: Array
    shape: Array
    weight: float
    grouped: bool

    has_class_counts = False

    @abstractmethod
    def pair(self, i: int, j: int) -> WeightedInstances:
        """Return the evidence of two of the classifiers."""

    @abstractmethod
    def prepared(self, metric: Metric) -> Iterator[PreparedRun]:
        """Yield, per run, the unit of each row and the metric as a function of row weights."""

    @abstractmethod
    def unit_numbers(self, metric: Metric) -> UnitNumbers:
        """Return how many units the metric rests on."""

    def is_area(self, metric: Metric) -> bool:
        """Return whether the metric is an area under a curve."""
        return False

    def runs(self, metric: Metric) -> list[PreparedRun]:
        """Return what `prepared` yields, computed once."""
        if metric not in self._runs:
            self._runs[metric] = list(self.prepared(metric))
        return self._runs[metric]

    @cached_property
    def _runs(self) -> dict[Metric, list[PreparedRun]]:
        return {}

    def carried_by(self, influence: Array) -> float:
        """Return the effective number of units, given the influence of each row."""
        return effective_number(np.bincount(self.unit, weights=influence))

    @property
    def scored(self) -> Self:
        """The evidence of metrics that weight instances: this object."""
        return self

    @property
    def n_groups(self) -> int:
        """The number of groups that are weighted together; 0 if there are none."""
        return len(self.shape) if self.grouped else 0

    @property
    def n_rows(self) -> int:
        """The number of rows, all of which are kept."""
        return len(self.run)

    @property
    def group_of_rows(self) -> Array | None:
        """The number of the group of each row; None if there are no groups."""
        return self.unit if self.grouped else None

    def rows_where_defined(self, metric: Metric, rows: Array) -> Array:
        """Return those of the rows that are in runs in which the metric is defined for them."""
        runs = [rows[self.run[rows] == run] for run in np.unique(self.run[rows])]
        return np.concatenate([rows[:0], *(one for one in runs if self._defines(metric, one))])

    def _defines(self, metric: Metric, rows: Array) -> bool:
        try:
            return bool(np.isfinite(self.of_rows(rows).observed(metric)).all())
        except ValueError:  # such as a single class
            return False

    def _runs_and_units(self, rows: Array) -> dict[str, Any]:
        """Return run, unit and shape of some of the rows, numbered from 0."""
        seen, unit = np.unique(self.unit[rows], return_inverse=True)
        run = np.unique(self.run[rows], return_inverse=True)[1]
        return {"run": np.ravel(run), "unit": np.ravel(unit), "shape": self.shape[seen]}

    def with_weight(self, weight: float) -> Self:
        """Return the same evidence with another weight."""
        changed: Any = {"weight": weight, "shape": self.shape * (weight / self.weight)}
        return replace(self, **changed)  # type: ignore[type-var]

    def observed(self, metric: Metric) -> tuple[float, ...]:
        """Return the observed metric value of each classifier, averaged over runs."""
        return tuple(self.of_runs(metric).mean(axis=1).tolist())

    def of_runs(self, metric: Metric) -> Array:
        """Return the metric values per run, of shape (n_classifiers, n_runs)."""
        return np.array(
            [
                [float(of_one(np.ones((len(unit), 1)))[0]) for of_one in of_each]
                for unit, of_each in self.runs(metric)
            ]
        ).T

    def influence(self, metric: Metric) -> Array:
        """Return the influence of each row on the metric values, (n_classifiers, n_rows)."""
        runs, sizes = self.runs(metric), np.unique(self.run, return_counts=True)[1]
        found = np.empty((self.n_classifiers, len(self.run)))
        for k in range(self.n_classifiers):
            plain = [
                of_each[k].sums(np.ones((size, 1)))
                for (_, of_each), size in zip(runs, sizes, strict=True)
            ]
            parts = [one.relative_to(one) for one in plain]
            total = reduce(Sums.plus, parts)
            for run, (_, of_each), one in zip(np.unique(self.run), runs, plain, strict=True):
                slopes = of_each[k].slopes().relative_to(one)
                found[k, self.run == run] = total.average_slope(slopes)
        return found
