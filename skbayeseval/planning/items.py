"""How many more items would probably settle a comparison of one score per item."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from skbayeseval.judgement.decision import Decision
from skbayeseval.judgement.intervals import Interval
from skbayeseval.planning.near_equal import SCALE
from skbayeseval.planning.sample_size import smallest_size, smoothed

__all__ = ["items_needed", "simulated_settled"]

Array = NDArray[Any]

# The number of sizes that are simulated, evenly spaced on a log scale.
N_SIZES = 120


def items_needed(
    differences: Array,
    sd: float,
    decision: Decision,
    *,
    largest: float,
    assurance: float,
    n_replications: int,
    seed: np.random.SeedSequence,
) -> tuple[float | None, Interval | None, float]:
    """Return the required number of items, its interval, and the fraction of clear decisions.

    The difference is taken to be normal with a standard deviation that falls with the square root
    of the number of items. It is shrunk as described in `near_equal`: its prior is normal, with a
    standard deviation of a twentieth of the root mean squared difference of an item. If the
    assurance is not reached, size and interval are None.

    Parameters
    ----------
    differences : ndarray of shape (n_items,)
        The difference between A and B on each item that was seen.
    sd : float
        The standard deviation of the posterior of the mean difference.
    decision : Decision
        The decision from these items.
    largest : float
        The largest number of items to try.
    assurance : float
        The required fraction of clear decisions.
    n_replications : int
        The number of simulated sets of items.
    seed : numpy.random.SeedSequence
        The seed of the simulation.
    """
    n_now = len(differences)
    rng = np.random.default_rng(seed)
    prior = SCALE**2 * float(np.mean(differences**2))
    kept = prior / (prior + sd**2)
    mean = float(differences.mean())
    truth = kept * mean + np.sqrt(kept) * sd * rng.standard_normal(n_replications)
    sizes = np.unique(np.round(np.geomspace(n_now + 1, largest, N_SIZES)))
    settled = simulated_settled(truth, mean, sd, n_now, sizes, decision, rng)
    rising = smoothed(settled.mean(axis=0))
    if rising[-1] < assurance:
        return None, None, float(rising[-1])
    size, interval = smallest_size(settled, sizes, assurance, rng)
    return size, interval, float(max(assurance, rising[0]))


def simulated_settled(
    truth: Array,
    mean: float,
    sd: float,
    n_now: int,
    sizes: Array,
    decision: Decision,
    rng: np.random.Generator,
) -> Array:
    """Return whether the decision is clear, of shape (n_replications, n_sizes).

    Every replication has its own true difference, to whose items new ones are added.
    """
    of_item = sd * np.sqrt(n_now)
    more = np.diff(sizes, prepend=n_now)
    noise = of_item * np.sqrt(more) * rng.standard_normal((len(truth), len(sizes)))
    sums = n_now * mean + np.cumsum(truth[:, None] * more + noise, axis=1)
    means = sums / sizes
    half = ndtri((1 + decision.prob) / 2) * of_item / np.sqrt(sizes)
    low, high = means - half, means + half
    inside = (low >= decision.rope.low) & (high <= decision.rope.high)
    return inside | (low > decision.rope.high) | (high < decision.rope.low)
