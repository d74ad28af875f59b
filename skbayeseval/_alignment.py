"""What pandas objects say of the order of their rows and columns.

Arrays are paired by position. An index or column labels may say that this would pair the wrong
things: columns are then put in order, and rows in another order are refused.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pandas as pd

__all__ = [
    "by_column",
    "check_columns",
    "check_rows",
    "columns_in_order",
    "named_labels",
    "names_of_series",
    "positions_of",
]


def check_rows(arguments: Mapping[str, Any]) -> None:
    """Raise if the indexes of named pandas objects contradict pairing them by position.

    Indexes may be equal, or simply count rows from 0. The same rows in another order, and other
    rows, are refused.
    """
    objects = (pd.Series, pd.DataFrame)
    named = {name: one.index for name, one in arguments.items() if isinstance(one, objects)}
    _check_axes(named, "indexes")


def check_columns(arguments: Mapping[str, Any]) -> None:
    """Raise if the columns of named data frames contradict pairing them by position."""
    frames = {name: one for name, one in arguments.items() if isinstance(one, pd.DataFrame)}
    _check_axes({name: frame.columns for name, frame in frames.items()}, "columns")


def _check_axes(axes: Mapping[str, pd.Index[Any]], what: str) -> None:
    for length in {len(axis) for axis in axes.values()}:  # other checks tell of lengths
        # Axes that count from 0 come last: they fit any other.
        (first, one), *others = sorted(
            ((name, axis) for name, axis in axes.items() if len(axis) == length),
            key=lambda item: _counts_from_zero(item[1]),
        )
        for name, other in others:
            if one.equals(other):
                continue
            reordered = set(one) == set(other)
            if reordered or not _counts_from_zero(other):
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
        if isinstance(given, pd.DataFrame) and not _counts_from_zero(given.columns):
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
    if len(found) == len(labels) and _counts_from_zero(axis):
        return list(range(len(labels)))
    raise ValueError(
        f"{subject} {found}, but {list(labels)} are expected. Rename or reindex them, or pass "
        "to_numpy() if they are in this order."
    )


def _counts_from_zero(axis: pd.Index[Any]) -> bool:
    return axis.equals(pd.RangeIndex(len(axis)))
