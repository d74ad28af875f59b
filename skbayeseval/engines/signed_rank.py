"""The Bayesian signed-rank test over data sets (Benavoli et al. 2014).

The differences on data sets are draws from an unknown distribution whose prior is a Dirichlet
process. A posteriori, this distribution has random weights on the differences and on a
pseudo-observation at 0. The test is about its Walsh average, the mean of two independent draws.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from skbayeseval.engines.blocks import in_order

__all__ = ["draw_weights", "pseudo_medians", "region_masses", "region_probabilities"]

Array = NDArray[Any]

# The approximate memory of a block of draws.
BLOCK_BYTES = 2**24

# Rounding errors of the differences must not create or break ties.
TOLERANCE = 1e-12


class RegionProbabilities(NamedTuple):
    """Posterior probabilities that a region has a larger mass than the others."""

    worse: float
    equivalent: float
    better: float


def draw_weights(
    n_data_sets: int, strength: float, rng: np.random.Generator, n_draws: int
) -> Array:
    """Return Dirichlet weights of shape (1 + n_data_sets, n_draws).

    Parameters
    ----------
    n_data_sets : int
        The number of data sets, each of which has strength 1.
    strength : float
        The strength of the pseudo-observation at 0. Its weights are in the first row.
    rng : numpy.random.Generator
        The source of randomness.
    n_draws : int
        The number of draws.
    """
    weights = np.empty((1 + n_data_sets, n_draws))
    rng.standard_gamma(strength, out=weights[0])
    rng.standard_gamma(1.0, out=weights[1:])
    weights /= weights.sum(axis=0)
    return weights


def region_masses(weights: Array, differences: ArrayLike, low: float, high: float) -> Array:
    """Return the masses of Walsh averages below `low`, in between, and above `high`.

    Parameters
    ----------
    weights : ndarray of shape (1 + n_data_sets, n_draws)
        The output of `draw_weights`.
    differences : array-like of shape (n_data_sets,)
        One number per data set.
    low, high : float
        The limits of the region of practical equivalence; equal if there is no such region. Half of
        the mass at a limit is counted on each side.

    Returns
    -------
    masses : ndarray of shape (3, n_draws)
    """
    if not low <= high:
        raise ValueError(f"low must not be greater than high, got low={low} and high={high}.")
    points = _points(differences)
    order = np.argsort(points, kind="stable")
    points = points[order]
    sums = points[:, None] + points
    tolerance = TOLERANCE * np.abs(points).max()
    # Sums increase along a row, so those below a limit, or not above it, come first.
    counts = [
        [(sums - 2 * limit < -tolerance).sum(axis=1), (sums - 2 * limit <= tolerance).sum(axis=1)]
        for limit in (low, high)
    ]
    masses = np.empty((3, weights.shape[1]))
    for here in _blocks(weights.shape[1], 5 * len(points)):
        sorted_weights = weights[order, here]
        cumulated = np.concatenate(
            [np.zeros((1, sorted_weights.shape[1])), np.cumsum(sorted_weights, axis=0)]
        )
        below = [
            np.einsum("id,id->d", sorted_weights, cumulated[n_below] + cumulated[n_not_above]) / 2
            for n_below, n_not_above in counts
        ]
        masses[0, here] = below[0]
        masses[1, here] = below[1] - below[0]
        masses[2, here] = 1 - below[1]
    return masses


def region_probabilities(
    weights: Array, differences: ArrayLike, low: float, high: float
) -> RegionProbabilities:
    """Return the shares of draws in which each region has the largest mass.

    Regions with equal mass share the draw. If there is no region of practical equivalence
    (``low == high``), its probability is 0.

    Parameters
    ----------
    weights : ndarray of shape (1 + n_data_sets, n_draws)
        The output of `draw_weights`.
    differences : array-like of shape (n_data_sets,)
        One number per data set. Positive means better.
    low, high : float
        The limits of the region of practical equivalence.

    Examples
    --------
    >>> import numpy as np
    >>> from skbayeseval.engines.signed_rank import draw_weights, region_probabilities
    >>> weights = draw_weights(4, 0.5, np.random.default_rng(0), 1000)
    >>> region_probabilities(weights, [0.02, 0.03, 0.01, 0.04], 0.0, 0.0)
    RegionProbabilities(worse=0.0, equivalent=0.0, better=1.0)
    """
    masses = region_masses(weights, differences, low, high)
    largest = masses >= masses.max(axis=0) - TOLERANCE
    shares = (largest / largest.sum(axis=0)).mean(axis=1)
    return RegionProbabilities(*(float(share) for share in shares))


def pseudo_medians(weights: Array, differences: ArrayLike) -> Array:
    """Return the median of the Walsh averages in each draw (Hodges and Lehmann 1963).

    The averages are discrete. Their cumulative mass includes half of the mass at a value, and is
    interpolated between values (the mid-distribution function; Ma, Genton and Parzen 2011). So the
    median is positive if and only if the mass above 0, plus half of the mass at 0, exceeds 1/2.

    Parameters
    ----------
    weights : ndarray of shape (1 + n_data_sets, n_draws)
        The output of `draw_weights`.
    differences : array-like of shape (n_data_sets,)
        One number per data set.

    Returns
    -------
    medians : ndarray of shape (n_draws,)
    """
    points = _points(differences)
    first, second = np.triu_indices(len(points))
    averages = (points[first] + points[second]) / 2
    order = np.argsort(averages, kind="stable")
    first, second, averages = first[order], second[order], averages[order]
    times = np.where(first == second, 1.0, 2.0)
    tolerance = TOLERANCE * np.abs(points).max()
    group = np.cumsum(np.diff(averages, prepend=averages[0]) > tolerance)
    values = averages[np.flatnonzero(np.diff(group, prepend=-1))]
    values[np.abs(values) <= tolerance] = 0.0
    if len(values) == 1:
        return np.full(weights.shape[1], values[0])
    adder = sparse.csr_matrix((times, (group, np.arange(len(group)))), (len(values), len(group)))

    def medians(here: slice) -> Array:
        mass = adder @ (weights[first, here] * weights[second, here])
        middle = np.cumsum(mass, axis=0) - mass / 2
        draws = np.arange(mass.shape[1])
        # Half of the mass at the first value is below 1/2, unless that value has all the mass.
        after = np.maximum((middle >= 0.5).argmax(axis=0), 1)
        lower, upper = middle[after - 1, draws], middle[after, draws]
        share = np.clip((0.5 - lower) / (upper - lower), 0.0, 1.0)
        return values[after - 1] + share * (values[after] - values[after - 1])

    blocks = ((here,) for here in _blocks(weights.shape[1], 5 * len(group)))
    return np.concatenate(list(in_order(medians, blocks)))


def _points(differences: ArrayLike) -> Array:
    """Return the pseudo-observation at 0, followed by the differences."""
    differences = np.asarray(differences, dtype=float)
    if differences.ndim != 1 or not len(differences) or not np.isfinite(differences).all():
        raise ValueError("differences must contain one finite number per data set.")
    return np.concatenate([[0.0], differences])


def _blocks(n_draws: int, rows: int) -> Iterator[slice]:
    block = max(1, min(5000, BLOCK_BYTES // (8 * rows)))
    for start in range(0, n_draws, block):
        yield slice(start, min(start + block, n_draws))
