"""Decisions from many posteriors at once, with as few draws as leave no doubt about them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skbayeseval.judgement.decision import SETTLED, codes_given_hdi
from skbayeseval.judgement.intervals import Interval, hdi_of_rows

Array = NDArray[Any]


# The numbers of draws after which is asked whether there is doubt.
FIRST_NUMBERS = (100, 400, 1200)


# Draws that the tails beyond the HDI must have on average, or its ends are not estimated at all.
FEWEST_IN_TAILS = 5


# The error of an end of the HDI falls with the cube root of the number of draws n. It is FAR /
# cube root of n standard deviations or more in one of a hundred normal posteriors, and then must go
# in the right direction to matter: a simulated power moves by less than 0.001.
FAR = 4.0


# Standard errors between 0 and a difference of probabilities that has a sign without doubt.
CERTAIN = 4.0


def numbers_of_draws(most: int, prob: float) -> Iterator[int]:
    """Yield the numbers of draws after which to look: few at first, `most` at last."""
    for number in FIRST_NUMBERS:
        if number * (1 - prob) + 1e-9 >= FEWEST_IN_TAILS and number < most:
            yield number
    yield most


def decide_many(
    draw: Callable[[Array, int], Array],
    n_sets: int,
    rope: Interval,
    prob: float,
    most: int,
    goal: Sequence[str] | None = None,
) -> Array:
    """Return the decision code of each of many posteriors.

    Parameters
    ----------
    draw : callable
        ``draw(which, n)`` returns n new draws of the difference for each of these posteriors, of
        shape (len(which), n).
    n_sets : int
        The number of posteriors.
    rope : Interval
        The region of practical equivalence.
    prob : float
        The probability mass of the HDI.
    most : int
        The number of draws of posteriors that stay in doubt.
    goal : sequence of str, default=None
        The codes whose frequency is asked for: doubt about others does not matter. By default, all
        matter.

    Returns
    -------
    codes : ndarray of str of shape (n_sets,)
        The codes.
    """
    codes = np.full(n_sets, "?", dtype="<U2")
    which, draws = np.arange(n_sets), np.empty((n_sets, 0))
    for number in numbers_of_draws(most, prob):
        draws = np.concatenate([draws, draw(which, number - draws.shape[1])], axis=1)
        low, high = hdi_of_rows(draws, prob)
        codes[which] = codes_given_hdi(draws, low, high, rope)
        doubtful = _doubtful(draws, low, high, rope, goal)
        which, draws = which[doubtful], draws[doubtful]
        if len(which) == 0:
            break
    return codes


def _doubtful(
    draws: Array, low: Array, high: Array, rope: Interval, goal: Sequence[str] | None
) -> Array:
    """Return for each row of draws, whose HDIs have these ends, whether more draws may matter."""
    n = draws.shape[1]
    error = FAR * draws.std(axis=1) / np.cbrt(n)
    distances = {
        "~": np.minimum(low - rope.low, rope.high - high),
        "<<": rope.low - high,
        ">>": low - rope.high,
    }
    if goal is not None and set(goal) <= set(SETTLED):
        return np.any([np.abs(distances[code]) < error for code in goal], axis=0)
    doubtful = np.any([np.abs(distance) < error for distance in distances.values()], axis=0)
    # Where nothing is settled, the sign of the difference of two probabilities is reported.
    better, worse = (draws > rope.high).mean(axis=1), (draws < rope.low).mean(axis=1)
    settled = np.any([distance > 0 for distance in distances.values()], axis=0)
    leaning = (better - worse) ** 2 * n > CERTAIN**2 * (better + worse)
    return doubtful | ~(settled | leaning)
