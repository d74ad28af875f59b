"""Conversion of array-likes to arrays, with an error where numpy would guess."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

__all__ = ["as_array", "as_numbers", "check_same_length", "in_short", "number_of_samples"]

Array = NDArray[Any]


def as_array(values: Any, name: str) -> Array:
    """Return `values` as an array.

    Raise for what numpy would turn into a single object or into strings, and for masked values,
    which numpy would treat like all others.
    """
    if values is None or isinstance(values, (str, bytes, Mapping, Set, Iterator)):
        raise TypeError(
            f"{name} must be array-like, such as a list or an array, got {in_short(values)}."
        )
    if hasattr(values, "toarray"):
        values = values.toarray()
    if isinstance(values, np.ma.MaskedArray) and np.ma.is_masked(values):
        raise ValueError(
            f"Input {name} contains masked values, which are not supported. Remove these instances "
            "from all inputs."
        )
    try:
        array = np.asarray(values)
    except ValueError as error:
        raise ValueError(
            f"{name} must be an array, got rows of different lengths: {in_short(values)}."
        ) from error
    if array.dtype.kind == "V":
        raise TypeError(
            f"{name} must not be a structured array, got dtype {array.dtype}. Pass one of its "
            "fields."
        )
    if array.dtype.kind == "U" and array.ndim == 1 and not hasattr(values, "dtype"):
        other = next((one for one in values if not isinstance(one, str)), None)
        if other is not None:
            raise ValueError(
                f"Mix of label input types (string and number): {name} contains {other!r} beside "
                "strings."
            )
    return array


def as_numbers(values: Any, name: str) -> Array:
    """Return `values` as an array of floats; missing values are NaN."""
    array = as_array(values, name)
    if array.dtype.kind == "c":
        raise ValueError(f"Complex data not supported: {name} must contain real numbers.")
    numeric = array.dtype.kind in "biuf" or array.dtype == object
    if array.dtype == object:
        array = np.where(pd.isna(array), np.nan, array)
        numeric = not any(isinstance(one, (str, bytes)) for one in array.flat)
    try:
        if numeric:
            return array.astype(float)
    except (TypeError, ValueError):
        pass
    except OverflowError as error:
        raise ValueError(f"{name} contains a whole number too large for a float.") from error
    raise TypeError(f"{name} must contain numbers, got {in_short(values)}.")


def check_same_length(**arrays: Any) -> None:
    """Raise unless all arrays, except those that are None, have the same number of samples."""
    sizes = {
        name: number_of_samples(values, name)
        for name, values in arrays.items()
        if values is not None
    }
    if len(set(sizes.values())) > 1:
        found = ", ".join(f"{name} has {size}" for name, size in sizes.items())
        raise ValueError(f"Found input variables with inconsistent numbers of samples: {found}.")


def in_short(value: Any, length: int = 80) -> str:
    """Return the representation of `value` for an error message, on one line."""
    try:
        text = " ".join(repr(value).split())
    except Exception:  # of an object of the user's
        text = f"an object of type {type(value).__name__}"
    return text if len(text) <= length else f"{text[: length - 3]}..."


def number_of_samples(values: Any, name: str) -> int:
    """Return the number of entries; raise if `values` is not a sequence or an array."""
    if not hasattr(values, "shape") and hasattr(values, "__array__"):
        values = np.asarray(values)
    shape = getattr(values, "shape", None)
    if isinstance(shape, tuple) and shape:
        return int(shape[0])
    single = shape == () or isinstance(values, (str, bytes, Mapping, Set, type))
    if single or not hasattr(values, "__len__"):
        raise TypeError(
            f"{name} must be a sequence or an array with one entry per sample, got "
            f"{in_short(values)}."
        )
    return len(values)
