"""How many units with random weights a metric rests on, and the influence of one of them on it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from skbayeseval._arrays import Array
from skbayeseval.metrics.metric import Metric, Totals, totals_of

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


class UnitNumbers(NamedTuple):
    """How many units with random weights a metric rests on.

    Attributes
    ----------
    what : str
        What is counted, such as "groups" or "positives".
    number : int
        The number of units. An instance that was tested several times is one unit.
    effective : float
        The number of units of equal size that would vary as much: sum(m)^2 / sum(m^2), where m is
        how much each unit contributes (Kish 1965).
    instances : float
        The number of instances in all units, times the weight of one count.
    shape : float
        The sum of the Gamma shapes of the units' weights.
    seen : (float, float) or None
        The smallest and the largest value that was seen, for metrics without a known range.

    Examples
    --------
    >>> import numpy as np
    >>> from skbayeseval.evidence.unit_numbers import count_units
    >>> found = count_units(np.array([30.0, 10.0, 0.0]), np.ones(3), 1.0, "groups")
    >>> found.number, round(found.effective, 2)
    (2, 1.6)
    """

    what: str
    number: int
    effective: float
    instances: float
    shape: float
    seen: tuple[float, float] | None = None


def effective_number(influence: Array, times: Array | float = 1.0) -> float:
    """Return how many units carry a variance: sum(u^2)^2 / sum(u^4); infinity if there is none.

    Of n units whose influences u are normal, a third of them do. `times` is how often each occurs.

    Examples
    --------
    >>> from skbayeseval.evidence.unit_numbers import effective_number
    >>> effective_number(np.array([1.0, -1.0, 0.0, 0.0]))
    2.0
    """
    # Scaled by a power of 2, which changes no digit, so that the fourth power of none is 0 or inf.
    exponent = np.frexp(np.abs(influence).max(initial=0.0))[1]
    squares = np.square(np.ldexp(influence, -exponent))
    total = float(np.sum(times * squares))
    return total**2 / float(np.sum(times * squares**2)) if total > 0 else np.inf


def count_units(masses: Array, shape: Array, weight: float, what: str) -> UnitNumbers:
    """Return how many units there are.

    Parameters
    ----------
    masses : ndarray of shape (n_units,)
        How many counts each unit contributes, over all its tests.
    shape : ndarray of shape (n_units,)
        The Gamma shape of each unit's weight.
    weight : float
        The weight of one count.
    what : str
        What is counted.
    """
    seen = masses > 0
    squares = float(np.square(masses).sum())
    return UnitNumbers(
        what,
        int(seen.sum()),
        float(masses.sum()) ** 2 / squares if squares else 0.0,
        weight * float(masses.sum()),
        float(shape[seen].sum()),
    )


def over_classes(of_classes: Sequence[UnitNumbers], what: str) -> UnitNumbers:
    """Return the numbers of an average over classes, given those of each class.

    A class with few units varies most. Where each varies in proportion to 1 / k, the degrees of
    freedom of the average are (sum 1 / k)^2 / sum 1 / (k^2 (k - 1)) (Satterthwaite 1946).
    """
    counted = [n for n in of_classes if n.number]
    if len(counted) < 2:
        return counted[0] if counted else UnitNumbers(what, 0, 0.0, 0.0, 0.0)
    k = np.array([max(n.effective, 2.0) for n in counted])
    df = np.sum(1 / k) ** 2 / np.sum(1 / (k**2 * (k - 1)))
    # Harmonic means, in which few count most.
    instances = len(counted) / sum(1 / n.instances for n in counted)
    shape = len(counted) / sum(1 / n.shape for n in counted)
    return UnitNumbers(what, max(n.number for n in counted), 1 + float(df), instances, shape)
