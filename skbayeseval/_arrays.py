"""Checks of array-likes: their conversion to arrays, and what pandas objects say of their order.

Arrays are paired by position. An index or column labels may say that this would pair the wrong
things: columns are then put in order, and rows in another order are refused.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from difflib import SequenceMatcher
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

Array = NDArray[Any]

# Sums of squares of larger numbers are infinite, and those of numbers below its inverse are 0.
LARGEST = 1e150

# Error messages list so many names to choose from; of more, only the closest few.
MOST_CHOICES, N_CLOSEST = 8, 5


def as_array(values: Any, name: str) -> Array:
    """Return `values` as an array.

    Raise for what numpy would turn into a single object or into strings, and for masked values,
    which numpy would treat like all others.
    """
    if values is None or isinstance(values, (str, bytes, Mapping, Set, Iterator)):
        raise wrong(name, "array-like, such as a list or an array", values, TypeError)
    check_frame(values, name)
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
    if not array.dtype.isnative:  # pandas refuses the other order of bytes
        array = array.astype(array.dtype.newbyteorder("="))
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


def check_frame(values: Any, name: str) -> None:
    """Raise for frames other than pandas', such as those of polars, with several columns.

    Their columns have names, too, but would be taken as they come.
    """
    shape = getattr(values, "shape", ())
    if isinstance(values, pd.DataFrame) or not isinstance(shape, tuple) or len(shape) != 2:
        return
    if shape[1] > 1 and hasattr(values, "columns"):
        raise TypeError(
            f"{name} is a frame of {type(values).__module__.partition('.')[0]}, and only columns "
            f"of pandas are matched by their names. Pass {name}.to_pandas(), or {name}.to_numpy() "
            "if its columns are in order."
        )


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


def check_magnitude(numbers: Array, name: str) -> None:
    """Raise if numbers are so large or small that their squares are infinite or 0."""
    largest = np.nanmax(np.abs(numbers), initial=0.0)
    if largest and not 1 / LARGEST <= largest <= LARGEST:
        raise ValueError(
            f"{name} must be between {1 / LARGEST:g} and {LARGEST:g} in size, got numbers up to "
            f"{largest:.2g}, whose squares are no floats. Divide all of them by a constant."
        )


def check_entries(
    values: Any,
    name: str,
    shape: tuple[int | None, ...],
    *,
    low: float = -np.inf,
    high: float = np.inf,
    whole: bool = False,
    missing: bool = False,
    finite: bool = True,
) -> None:
    """Raise unless an array has the shape, None being any size, and finite entries in bounds.

    With `whole`, it must be of integers; with `missing`, entries may be NaN; without `finite`, NaN
    or infinite.
    """
    is_kind = isinstance(values, np.ndarray) and values.dtype.kind in ("iu" if whole else "biuf")
    if not is_kind or len(values.shape) != len(shape):
        raise wrong(name, f"an array of numbers with {len(shape)} dimensions", values)
    if any(n not in (None, found) for n, found in zip(shape, values.shape, strict=True)):
        raise ValueError(f"{name} has shape {values.shape}, but {shape} is expected.")
    known = values[~np.isnan(values)] if missing else values
    known = known if finite else known[np.isfinite(known)]
    if not (np.isfinite(known) & (known >= low) & (known <= high)).all():
        raise ValueError(f"{name} has entries that are not finite, or outside [{low:g}, {high:g}].")


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


def wrong(name: str, wanted: str, given: Any, kind: type[Exception] = ValueError) -> Exception:
    """Return the error about an argument: its name, what it must be, and what was given."""
    return kind(f"{name} must be {wanted}, got {in_short(given)}.")


def in_short(value: Any) -> str:
    """Return the representation of `value` for an error message, on one line."""
    try:
        text = " ".join(repr(value).split())
    except Exception:  # of an object of the user's
        text = f"an object of type {type(value).__name__}"
    return text if len(text) <= 80 else f"{text[:77]}..."


def choices(name: Any, known: Iterable[Any], form: Callable[[list[Any]], str] = str) -> str:
    """Return what could have been meant by a name, for an error message.

    All of a few names; of more, those that are most like it, and how many others there are.

    Examples
    --------
    >>> from skbayeseval._arrays import choices
    >>> choices("c", ["a", "b"])
    "['a', 'b']"
    >>> choices("x1", [f"x{i}" for i in range(20)])
    "['x1', 'x10', 'x11', 'x12', 'x13'] and 15 others"
    """
    names = list(known)
    if len(names) <= MOST_CHOICES:
        return form(names)
    matcher = SequenceMatcher(b=str(name).lower())

    def distance(one: Any) -> float:
        matcher.set_seq1(str(one).lower())
        return -matcher.ratio()

    return f"{form(sorted(names, key=distance)[:N_CLOSEST])} and {len(names) - N_CLOSEST} others"


def in_words(known: Iterable[Any], name: Any = "") -> str:
    """Return the same choices without brackets."""
    return choices(name, known, lambda names: ", ".join(map(str, names)))


def number_of_samples(values: Any, name: str) -> int:
    """Return the number of entries; raise if `values` is not a sequence or an array."""
    if not hasattr(values, "shape") and hasattr(values, "__array__"):
        values = np.asarray(values)
    shape = getattr(values, "shape", None)
    if isinstance(shape, tuple) and shape:
        return int(shape[0])
    single = shape == () or isinstance(values, (str, bytes, Mapping, Set, type))
    if single or not hasattr(values, "__len__"):
        raise wrong(name, "a sequence or an array with one entry per sample", values, TypeError)
    return len(values)


def check_rows(arguments: Mapping[str, Any], *, columns: bool = False) -> None:
    """Raise if the indexes of named pandas objects contradict pairing them by position.

    Indexes may be equal, or simply count rows from 0. The same rows in another order, and other
    rows, are refused. With `columns`, the same is asked of the columns of data frames.
    """
    what = "columns" if columns else "indexes"
    objects: Any = pd.DataFrame if columns else (pd.Series, pd.DataFrame)
    axes = {
        name: value.columns if columns else value.index
        for name, value in arguments.items()
        if isinstance(value, objects)
    }
    for length in {len(axis) for axis in axes.values()}:  # other checks tell of lengths
        # Axes that count from 0 come last: they fit any other.
        (first, axis), *others = sorted(
            ((name, axis) for name, axis in axes.items() if len(axis) == length),
            key=lambda item: counts_from_zero(item[1]),
        )
        for name, other in others:
            one, another = alike(axis, other)
            if one.equals(another):
                continue
            reordered = set(axis) == set(other)
            if reordered or not counts_from_zero(other):
                values = "the same values in another order" if reordered else "other values"
                raise ValueError(
                    f"{first} and {name} are paired by position, but their {what} differ: {name} "
                    f"has {values}. Put one in the order of the other with reindex or .loc, or "
                    f"pass {first}.to_numpy() and {name}.to_numpy() if they are in the same order."
                )


def by_column(given: Any) -> Any:
    """Return a data frame as a dict of its columns, whose names are as text; others unchanged."""
    if not isinstance(given, pd.DataFrame):
        return given
    names = [str(name) for name in given.columns]
    if len(set(names)) < len(names):
        raise ValueError(f"The columns of a DataFrame must differ from each other, got {names}.")
    return {name: given.iloc[:, i] for i, name in enumerate(names)}


def names_of_series(names: Any, a: Any, b: Any) -> Any:
    """Return `names`; if they are None, those of two Series, or A and B if these have none."""
    if names is not None:
        return names
    found = [one.name if isinstance(one, pd.Series) else None for one in (a, b)]
    named = all(isinstance(name, str) and name for name in found) and found[0] != found[1]
    return found if named else ("A", "B")


def named_labels(arguments: Iterable[Any]) -> list[Any] | None:
    """Return the column labels of the first data frame with other labels than 0, 1, ..."""
    for given in arguments:
        if isinstance(given, pd.DataFrame) and not counts_from_zero(given.columns):
            return list(given.columns)
    return None


def columns_in_order(given: Any, labels: Sequence[Any], name: str) -> Any:
    """Return a data frame as an array with a column per label, in order; others as they are."""
    if not isinstance(given, pd.DataFrame) or given.shape[1] != len(labels):
        return given
    return given.iloc[:, positions_of(labels, given.columns, f"{name} has columns")].to_numpy()


def positions_of(labels: Sequence[Any], axis: pd.Index[Any], subject: str) -> list[int]:
    """Return the position of each label in an axis; one that counts from 0 is in order."""
    found = axis.tolist()
    if len(found) == len(labels) and set(found) == set(labels):
        return [found.index(label) for label in labels]
    if len(found) == len(labels) and counts_from_zero(axis):
        return list(range(len(labels)))
    raise ValueError(
        f"{subject} {found}, but {list(labels)} are expected. Rename or reindex them, or pass "
        "to_numpy() if they are in this order."
    )


def alike(*indexes: pd.Index[Any]) -> list[pd.Index[Any]]:
    """Return indexes of one dtype, whose values pandas compares as Python does.

    pandas makes floats of int64 and uint64, and of whole numbers beside floats, and floats do not
    tell numbers beyond 2**53 apart.
    """
    kinds = {
        tuple(index.dtypes) if isinstance(index, pd.MultiIndex) else index.dtype
        for index in indexes
    }
    if len(kinds) == 1:
        return list(indexes)
    return [index.to_flat_index().astype(object) for index in indexes]


def counts_from_zero(axis: pd.Index[Any]) -> bool:
    """Return whether an index or columns only count rows or columns."""
    return axis.equals(pd.RangeIndex(len(axis)))
