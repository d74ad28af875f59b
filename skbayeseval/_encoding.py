"""Values as JSON, without loss: NaN, tuples, numpy scalars and keys that are not strings.

What JSON does not have becomes an object with a single key in angle brackets, such as
``{"<tuple>": [1, 2]}``.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["decode", "encode", "plain", "storable"]

ARRAY, TUPLE, DICT, FLOAT, NUMPY = "<array>", "<tuple>", "<dict>", "<float>", "<numpy>"

# Non-finite numbers by their texts.
_FLOATS = {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}

Arrays = dict[str, NDArray[Any]]


def encode(value: Any, arrays: Arrays) -> Any:
    """Return a value as JSON knows it; arrays are moved to `arrays` and replaced by their names."""
    if isinstance(value, np.ndarray) and value.dtype.kind in "biufU":
        name = f"array_{len(arrays)}"
        arrays[name] = value
        return {ARRAY: name}
    if _is_numpy_scalar(value):
        return {NUMPY: [value.dtype.str, encode(value.item(), arrays)]}
    if isinstance(value, float) and not math.isfinite(value):
        return {FLOAT: str(float(value))}
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, tuple):
        return {TUPLE: [encode(one, arrays) for one in value]}
    if isinstance(value, list):
        return [encode(one, arrays) for one in value]
    if isinstance(value, Mapping):
        if all(type(key) is str and not key.startswith("<") for key in value):
            return {key: encode(one, arrays) for key, one in value.items()}
        items = [[encode(key, arrays), encode(one, arrays)] for key, one in value.items()]
        return {DICT: items}
    raise TypeError(f"{value!r} is of type {type(value).__name__}")


def decode(value: Any, arrays: Mapping[str, NDArray[Any]]) -> Any:
    """Invert `encode`."""
    if isinstance(value, list):
        return [decode(one, arrays) for one in value]
    if not isinstance(value, dict):
        return value
    tag = next(iter(value), "")
    if len(value) != 1 or not tag.startswith("<"):
        return {key: decode(one, arrays) for key, one in value.items()}
    content = value[tag]
    if tag == ARRAY and content in arrays:
        return arrays[content]
    if tag == FLOAT and content in _FLOATS:
        return _FLOATS[content]
    if tag == TUPLE:
        return tuple([decode(one, arrays) for one in content])
    if tag == DICT:
        return {decode(key, arrays): decode(one, arrays) for key, one in content}
    if tag == NUMPY:
        dtype, item = content
        return np.array(decode(item, arrays), dtype=dtype)[()]
    raise ValueError(f"its header contains {value}, which has no meaning.")


def storable(value: Any) -> Any:
    """Return a value in which `encode` can store everything: other objects become their repr."""
    if isinstance(value, (list, tuple)):
        found = [storable(one) for one in value]
        return found if isinstance(value, list) else tuple(found)
    if isinstance(value, Mapping):
        return {storable(key): storable(one) for key, one in value.items()}
    try:
        encode(value, {})
    except TypeError:
        return repr(value)
    return value


def plain(value: Any) -> Any:
    """Return a value with lists for arrays and tuples, and None for what is not finite."""
    if isinstance(value, (np.ndarray, np.generic)):
        return plain(value.tolist())
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, Mapping):
        return {key if isinstance(key, str) else str(key): plain(one) for key, one in value.items()}
    return [plain(one) for one in value] if isinstance(value, (list, tuple)) else value


def _is_numpy_scalar(value: Any) -> bool:
    """Return whether a value is a numpy scalar that a Python scalar holds without loss."""
    return isinstance(value, np.generic) and (
        value.dtype.kind in "biuU" or value.dtype.char in "efd"
    )
