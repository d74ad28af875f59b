"""The influence of one instance on a metric of counts, by numerical derivatives."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skbayeseval.metrics.metric import Metric, Totals, totals_of

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
    size = filled.sum()
    if metric.needs_tables:
        shares, cells = filled / size, np.flatnonzero(filled)
        slopes = _slopes(lambda t: metric(t, positive), shares, cells, STEP / size, inside=True)
    else:
        hits, true, predicted = total_influence(metric, totals_of(filled), size, positive=positive)
        slopes = np.diag(hits) + true[:, None] + predicted
    return np.where(counted, slopes - (slopes * filled).sum() / size, 0.0)


def total_influence(metric: Metric, totals: Totals, size: float, *, positive: int = 1) -> Totals:
    """Return the derivatives of a metric with respect to each total, per instance.

    The metric must be a function of ratios of the totals; `size` is the number of instances.
    """
    shares = np.stack([np.asarray(total, dtype=float) / size for total in totals])

    def value(points: Array) -> Array:
        return metric.of_totals(Totals(*np.moveaxis(points, -2, 0)), positive)

    return Totals(*_slopes(value, shares, np.arange(shares.size), STEP / size, inside=False))


def _slopes(
    value: Callable[[Array], Array], point: Array, places: Array, step: float, *, inside: bool
) -> Array:
    """Return the derivatives of a function of arrays at a point, numerically; 0 at other places.

    With ``inside=True``, all numbers of the point keep their sum: those at other places shrink.
    """
    slopes = np.zeros(point.size)
    block = max(1, BLOCK // point.size)
    for start in range(0, len(places), block):
        here = places[start : start + block]
        move = np.zeros((len(here), point.size))
        move[np.arange(len(here)), here] = 1.0
        if inside:
            move -= point.ravel()
        move = (step * move).reshape(-1, *point.shape)
        slopes[here] = (value(point + move) - value(point - move)) / (2 * step)
    return slopes.reshape(point.shape)
