"""Gammas of many shapes, drawn shape by shape: numpy is much faster so than by broadcasting."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["GammaRows"]

Array = NDArray[Any]


class GammaRows:
    """Draws of gammas, a row for each shape, rows in rising order of their shapes.

    Parameters
    ----------
    shape : ndarray of shape (k,)
        The shapes.

    Attributes
    ----------
    order : ndarray of shape (k,)
        Which of the shapes each row is of.
    place : ndarray of shape (k,)
        The row of each of the shapes.
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
