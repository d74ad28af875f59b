"""The language in which a model tells an engine what to sample."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator

__all__ = ["ParameterObject", "Simplex", "Specification", "check_concentration"]

Array = NDArray[Any]
Shapes = Mapping[str, Array]
SMALLEST_CONCENTRATION = 0.01


class ParameterObject(BaseEstimator):
    """Parameters with `get_params`, `set_params`, `repr` and equality, and nothing else."""

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other):
            return NotImplemented
        mine, theirs = self.get_params(), other.get_params()
        return all(np.array_equal(mine[name], theirs[name]) for name in mine)

    def __hash__(self) -> int:
        params = self.get_params()
        values = (np.asarray(params[name], dtype=float).tobytes() for name in sorted(params))
        return hash((type(self), *values))


@dataclass(frozen=True)
class Simplex:
    """A probability vector: its Dirichlet prior, and the effective counts that it explains."""

    name: str
    prior: Array
    counts: Array


@dataclass(frozen=True)
class Specification:
    """Independent probability vectors, and the confusion tables that follow from them.

    Parameters
    ----------
    simplexes : tuple of Simplex
        What is sampled.
    tables : callable
        Maps draws, one array of shape (k, n_draws) a simplex, to tables of shape
        (n_draws, n_classifiers, M, M).
    """

    simplexes: tuple[Simplex, ...]
    tables: Callable[[Mapping[str, Array]], Array]

    def prior_shapes(self) -> dict[str, Array]:
        """Return the Dirichlet shapes before the data."""
        return {simplex.name: simplex.prior for simplex in self.simplexes}

    def posterior_shapes(self) -> dict[str, Array]:
        """Return the Dirichlet shapes after the data."""
        return {simplex.name: simplex.prior + simplex.counts for simplex in self.simplexes}


def check_concentration(value: ArrayLike, shape: tuple[int, ...], name: str) -> Array:
    """Return a prior's parameter, broadcast to `shape`; every entry must be greater than 0.

    Below `SMALLEST_CONCENTRATION` cells fall under the smallest double often enough to bias ratios
    of cells.
    """
    try:
        if np.asarray(value).dtype.kind not in "iuf":
            raise TypeError
        array = np.broadcast_to(np.asarray(value, dtype=float), shape)
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"prior {name!r} must be a number or an array that broadcasts to shape {shape}, "
            f"got {value!r}."
        ) from error
    if not (np.isfinite(array).all() and (array >= SMALLEST_CONCENTRATION).all()):
        raise ValueError(
            f"prior {name!r} must hold finite numbers greater than 0, and of at least "
            f"{SMALLEST_CONCENTRATION} for draws to stay in floating-point range, got {value!r}."
        )
    return array.copy()
