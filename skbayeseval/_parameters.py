"""Base class of models, priors and counters: objects with scikit-learn parameters."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

__all__ = ["ParameterObject"]


class ParameterObject(BaseEstimator):
    """Base class that provides `get_params`, `set_params`, `repr` and equality by parameters."""

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other):
            return NotImplemented
        mine, theirs = self.get_params(), other.get_params()
        return all(np.array_equal(mine[name], theirs[name]) for name in mine)

    def __hash__(self) -> int:
        params = self.get_params()
        return hash((type(self), *(_hashable(params[name]) for name in sorted(params))))


def _hashable(value: Any) -> Any:
    """Return equal hash keys for equal values, such as 1 and 1.0 or a list and an array."""
    array = np.asarray(value)
    return array.astype(float).tobytes() if array.dtype.kind in "biuf" else str(array.tolist())
