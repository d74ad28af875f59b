"""Draws of Gamma variables, grouped by shape: in NumPy, faster than broadcasting shapes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["GammaRows"]

Array = NDArray[Any]


class GammaRows:
    """Draw Gamma variables, one row per shape, with rows in increasing order of shape.

    Parameters
    ----------
    shape : ndarray of shape (k,)
        The Gamma shapes.

    Attributes
    ----------
    order : ndarray of shape (k,)
        The index in `shape` of each row.
    place : ndarray of shape (k,)
        The row of each entry of `shape`.
    """

    def __init__(self, shape: Array) -> None:
        self.order = np.argsort(shape, kind="stable")
        self.place = np.empty(len(shape), dtype=np.intp)
        self.place[self.order] = np.arange(len(shape))
        self._distinct, times = np.unique(shape, return_counts=True)
        self._ends = np.cumsum(times)

    def draw(self, rng: np.random.Generator, n_draws: int) -> Array:
        """Return draws of shape (k, n_draws)."""
        rows = np.empty((len(self.place), n_draws))
        start = 0
        for shape, end in zip(self._distinct, self._ends, strict=True):
            rng.standard_gamma(shape, out=rows[start:end])
            start = end
        return rows
