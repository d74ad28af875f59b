"""How many units with random weights a metric rests on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


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
