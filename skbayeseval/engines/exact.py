"""The exact engine: independent draws from conjugate posteriors, no Markov chain."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skbayeseval.models.specification import Shapes, Specification

__all__ = ["stream_tables"]

Array = NDArray[Any]

# Draws a block. Part of the recipe: the same seed gives the same draws only for the same size.
BLOCK = 8192


def stream_tables(
    specification: Specification, shapes: Shapes, rng: np.random.Generator, n_draws: int
) -> Iterator[Array]:
    """Yield blocks of draws of the confusion tables.

    Parameters
    ----------
    specification : Specification
        The model.
    shapes : mapping of str to ndarray
        The Dirichlet shapes of its vectors, those of the prior or those of the posterior.
    rng : numpy.random.Generator
        The source of randomness.
    n_draws : int
        How many draws in all.

    Yields
    ------
    tables : ndarray of shape (n, n_classifiers, M, M)
    """
    for start in range(0, n_draws, BLOCK):
        size = min(BLOCK, n_draws - start)
        draws = {
            name: np.ascontiguousarray(rng.dirichlet(shape, size).T)
            for name, shape in shapes.items()
        }
        yield specification.tables(draws)
