"""Disjoint halves of the data, each split as the whole was, to see how much a result varies."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import _safe_indexing

from skbayeseval._validation import check_size
from skbayeseval.splitting.balance import halve
from skbayeseval.splitting.check_splits import generate_splits

__all__ = ["splits_of_halves"]

Array = NDArray[Any]
Split = tuple[Array, Array]


def splits_of_halves(
    cv: Any,
    X: Any,
    y: Any,
    split_params: Mapping[str, Any],
    n_comparisons: int,
    seed: int,
    classes: Array | None = None,
) -> list[tuple[list[Split], list[Split]]]:
    """Return the splits of both halves for each of `n_comparisons` random halvings.

    Parameters
    ----------
    cv : splitter
        The splitter, which splits each half by itself.
    X, y : array-like
        The data.
    split_params : mapping
        The parameters of the splitter. Groups are kept whole.
    n_comparisons : int
        How often to halve the data.
    seed : int
        Seeds the halvings.
    classes : ndarray of shape (n_samples,), default=None
        Class codes to distribute evenly over the halves.

    Returns
    -------
    splits : list of (list of (train, test), list of (train, test))
        Indices into the whole data.
    """
    rng = np.random.RandomState(seed)
    n_samples = X.shape[0] if hasattr(X, "shape") else len(X)
    codes = np.zeros(n_samples, dtype=int) if classes is None else classes
    groups = split_params.get("groups")
    found: list[tuple[list[Split], list[Split]]] = []
    for _ in range(n_comparisons):
        side = halve(codes, groups, rng)
        halves = [np.flatnonzero(side == which) for which in (0, 1)]
        first, second = (_splits(cv, X, y, split_params, half, n_comparisons) for half in halves)
        if not found:
            n_indices = sum(len(train) + len(test) for train, test in [*first, *second])
            check_size(n_comparisons, "calibrate", n_indices * np.dtype(int).itemsize)
        found.append((first, second))
    return found


def _splits(
    cv: Any, X: Any, y: Any, split_params: Mapping[str, Any], rows: Array, n_comparisons: int
) -> list[Split]:
    """Return the splits of some rows of the data."""
    n_samples = X.shape[0] if hasattr(X, "shape") else len(X)

    def part(value: Any) -> Any:
        one_per_row = hasattr(value, "__len__") and len(value) == n_samples
        return _safe_indexing(value, rows) if one_per_row else value

    params = {name: part(value) for name, value in split_params.items()}
    try:
        splits = [
            (np.asarray(train), np.asarray(test))
            for train, test in generate_splits(
                cv, _safe_indexing(X, rows), _safe_indexing(y, rows), params
            )
        ]
        return [(rows[train], rows[test]) for train, test in splits]
    except (ValueError, IndexError) as error:
        raise ValueError(
            f"calibrate={n_comparisons} compares halves of the data, but {type(cv).__name__} "
            f"cannot split a half ({error}). Use calibrate=0 or another cv."
        ) from error
