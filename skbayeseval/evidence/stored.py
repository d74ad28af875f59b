"""Checks of evidence that was read from a file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skbayeseval._labels import check_labels

__all__ = ["stored_codes", "stored_flag", "stored_labels", "stored_numbers"]

Array = NDArray[Any]


def stored_numbers(
    values: Any, name: str, shape: Sequence[int | None], *, least: float = -np.inf
) -> Array:
    """Return an array of finite numbers, none below `least`; None in a shape is any length."""
    _check_array(values, name, shape, "fiu")
    if not np.isfinite(values).all() or (values < least).any():
        raise ValueError(f"{name} must be finite, and not below {least:g}.")
    return values


def stored_codes(values: Any, name: str, shape: Sequence[int | None], n: int) -> Array:
    """Return an array of whole numbers from 0 to n - 1."""
    _check_array(values, name, shape, "iu")
    if values.size and not 0 <= values.min() <= values.max() < n:
        raise ValueError(f"{name} must lie between 0 and {n - 1}.")
    return values


def stored_labels(saved: Mapping[str, Any]) -> tuple[Any, ...]:
    """Return the labels."""
    labels = saved["labels"]
    if not isinstance(labels, list) or not all(
        isinstance(one, (str, int, float)) for one in labels
    ):
        raise ValueError(f"labels must be texts, numbers or booleans, got {labels!r}.")
    if len(labels) == 1:  # a multi-label indicator may have a single column
        return tuple(labels)
    check_labels(labels)
    return tuple(labels)


def stored_flag(saved: Mapping[str, Any], name: str) -> bool:
    """Return True or False."""
    if not isinstance(saved[name], bool):
        raise ValueError(f"{name} must be true or false, got {saved[name]!r}.")
    return saved[name]


def _check_array(values: Any, name: str, shape: Sequence[int | None], kinds: str) -> None:
    if not isinstance(values, np.ndarray) or values.dtype.kind not in kinds:
        raise ValueError(f"{name} must be an array of numbers, got {type(values).__name__}.")
    fits = len(shape) == values.ndim and all(
        n in (None, m) for n, m in zip(shape, values.shape, strict=True)
    )
    if not fits:
        wanted = ", ".join("any" if n is None else str(n) for n in shape)
        raise ValueError(f"{name} has shape {values.shape}, must be ({wanted}).")
