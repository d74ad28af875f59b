"""Influence values: how much one more instance of a kind moves a metric."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skbayeseval.metrics.confusion import Metric, Totals, totals_of

__all__ = ["cell_influence", "total_influence"]

Array = NDArray[Any]

# The step of the numerical derivatives, in instances.
STEP = 1e-3

# The most numbers in an array of many tables.
BLOCK = 2**21


def cell_influence(metric: Metric, table: Array, positive: int) -> Array:
    """Return the influence of an instance in each cell of a confusion table, of its shape.

    A share e of all instances that moves to the cell changes the metric by e times the influence.
    The influence of all instances in the table sums to 0. Of metrics that need the whole table, it
    is known for cells with instances only. True negatives may be NaN: not counted.
    """
    counted = ~np.isnan(table)
    filled = np.where(counted, table, 0.0)
    if metric.needs_tables:
        slopes = _table_slopes(metric, filled, positive)
    else:
        hits, true, predicted = total_influence(
            metric, totals_of(filled), filled.sum(), positive=positive
        )
        slopes = np.diag(hits) + true[:, None] + predicted
    return np.where(counted, slopes - (slopes * filled).sum() / filled.sum(), 0.0)


def total_influence(metric: Metric, totals: Totals, size: float, *, positive: int = 1) -> Totals:
    """Return the derivatives of a metric with respect to each total, per instance.

    The metric must be a function of ratios of the totals; `size` is the number of instances.
    """
    shares = np.stack([np.asarray(total, dtype=float) / size for total in totals])
    n, step = shares.shape[1], STEP / size
    slopes = np.empty(3 * n)
    for here in _blocks(3 * n, shares.size):
        points = np.repeat(shares[None, None], 2, axis=0).repeat(len(here), axis=1)
        places = points.reshape(2, len(here), -1)
        places[0, np.arange(len(here)), here] += step
        places[1, np.arange(len(here)), here] -= step
        above, below = metric.of_totals(Totals(*np.moveaxis(points, -2, 0)), positive)
        slopes[here] = (above - below) / (2 * step)
    return Totals(*slopes.reshape(3, n))


def _table_slopes(metric: Metric, table: Array, positive: int) -> Array:
    """Return the derivatives of a function of whole tables, towards cells with instances."""
    shares, step = table / table.sum(), STEP / table.sum()
    slopes = np.zeros(table.size)
    cells = np.flatnonzero(table)
    for here in _blocks(len(cells), table.size):
        towards = np.zeros((len(here), table.size))
        towards[np.arange(len(here)), cells[here]] = 1.0
        move = step * (towards.reshape(-1, *table.shape) - shares)
        above, below = metric(shares + move, positive), metric(shares - move, positive)
        slopes[cells[here]] = (above - below) / (2 * step)
    return slopes.reshape(table.shape)


def _blocks(number: int, size: int) -> Iterator[Array]:
    """Yield positions in blocks, such that a block of arrays of `size` numbers fits in memory."""
    block = max(1, BLOCK // size)
    for start in range(0, number, block):
        yield np.arange(start, min(start + block, number))
