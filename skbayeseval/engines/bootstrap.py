"""Exact draws of metrics of instance scores by the Bayesian bootstrap (Rubin 1981).

The bootstrap is over instances or groups, and all classifiers share the weights of a draw. The
metric is computed within each run, because scores of different fits are on different scales, and
then averaged over runs in proportion to the weight of each run in the draw. With equal weights,
this is the mean over runs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skbayeseval.engines.blocks import stream_blocks
from skbayeseval.engines.gammas import GammaRows
from skbayeseval.metrics.instance_scores import Prepared, Sums

__all__ = ["stream_bootstrap"]

Array = NDArray[Any]

# The approximate memory of a block of draws. Changing it changes the draws of a given seed.
BLOCK_BYTES = 2**24


def stream_bootstrap(
    runs: Sequence[tuple[Array, Sequence[Prepared]]],
    shape: Array,
    n_classifiers: int,
    rng: np.random.Generator,
    n_draws: int,
) -> Iterator[Array]:
    """Yield blocks of draws of a metric.

    Parameters
    ----------
    runs : sequence of (ndarray of shape (n,), sequence of Prepared)
        For each run, the unit of each instance, and the metric of each classifier as a function of
        the instance weights.
    shape : ndarray of shape (n_units,)
        The Gamma shape of the weight of each unit.
    n_classifiers : int
        The number of classifiers.
    rng : numpy.random.Generator
        The source of randomness.
    n_draws : int
        The total number of draws.

    Yields
    ------
    scores : ndarray of shape (n_classifiers, n)
        Metric values, averaged over runs.
    """
    gammas = GammaRows(np.asarray(shape, dtype=float))
    places = [gammas.place[units] for units, _ in runs]
    plain = [[metric.sums(np.ones((len(units), 1))) for metric in each] for units, each in runs]
    # The weights of units, the weights of a run's instances, and the arrays of the metric.
    rows = len(shape) + 4 * max(len(place) for place in places)
    block = max(1, min(5000, BLOCK_BYTES // (8 * rows)))

    def draw(rng: np.random.Generator, size: int) -> Array:
        weights = gammas.draw(rng, size)
        sums: list[Sums | None] = [None] * n_classifiers
        for place, (_, prepared), unweighted in zip(places, runs, plain, strict=True):
            of_run = weights[place]
            for k, metric in enumerate(prepared):
                found, before = metric.sums(of_run).relative_to(unweighted[k]), sums[k]
                sums[k] = found if before is None else before.plus(found)
        return np.stack([of_all.average() for of_all in sums if of_all is not None])

    return stream_blocks(draw, rng, n_draws, block)
