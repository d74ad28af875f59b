"""Influence values: how much one more instance of a kind moves a metric."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skbayeseval.metrics.confusion import Metric, Totals

__all__ = ["cell_influence", "total_influence"]

Array = NDArray[Any]

# The step of the numerical derivatives, as a share of all instances.
STEP = 1e-6


def cell_influence(metric: Metric, table: Array, positive: int) -> Array:
    """Return the influence of an instance in each cell of a confusion table, of its shape.

    A share e of all instances that moves to the cell changes the metric by e times the influence.
    The influence of all instances in the table sums to 0. True negatives may be NaN: not counted.
    """
    m = len(table)
    counted = ~np.isnan(table)
    shares = np.where(counted, table, 0.0) / np.nansum(table)
    towards = np.eye(m * m).reshape(m, m, m, m)
    slopes = _slopes(lambda tables: metric(tables, positive), shares, towards)
    return np.where(counted, slopes - (slopes * shares).sum(), 0.0)


def total_influence(metric: Metric, totals: Totals, size: float) -> Totals:
    """Return the derivatives of a metric with respect to each total, per instance.

    The metric must be a function of ratios of the totals; `size` is the number of instances.
    """
    shares = np.stack([np.asarray(total, dtype=float) / size for total in totals])
    n = shares.shape[1]
    towards = np.eye(3 * n).reshape(3 * n, 3, n)

    def of_stack(stack: Array) -> Array:
        return metric.of_totals(Totals(*np.moveaxis(stack, -2, 0)))

    points = np.stack([shares + STEP * towards, shares - STEP * towards])
    above, below = of_stack(points)
    slopes = (above - below) / (2 * STEP)
    return Totals(*slopes.reshape(3, n))


def _slopes(function: Callable[[Array], Array], shares: Array, towards: Array) -> Array:
    """Return the derivative of a function of shares in the direction of each cell."""
    moved = (1 - STEP) * shares + STEP * towards
    away = (1 + STEP) * shares - STEP * towards
    # A cell without instances can only gain some.
    inside = np.asarray((away >= 0).all(axis=(-2, -1)))
    above, here = function(moved), function(shares)
    with np.errstate(invalid="ignore", divide="ignore"):
        below = function(np.where(inside[..., None, None], away, shares))
    return np.asarray(np.where(inside, (above - below) / (2 * STEP), (above - here) / STEP))
