"""Counts in pandas objects, whose labels tell which count is which."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pandas as pd

from skbayeseval._alignment import named_labels, positions_of

__all__ = ["cells_in_order", "classes_of_matrices", "matrix_in_order"]


def classes_of_matrices(matrices: Iterable[Any]) -> list[Any] | None:
    """Return the classes that confusion matrices name in rows or columns; None if none does."""
    for given in matrices:
        frames = [one for one in _each(given) if isinstance(one, pd.DataFrame)]
        classes = named_labels(axis for one in frames for axis in (one.T, one))
        if classes is not None:
            return classes
    return None


def matrix_in_order(given: Any, classes: Any, name: str) -> Any:
    """Return one confusion matrix or several, with rows and columns in the order of the classes."""
    if classes is None:
        return given
    if isinstance(given, (list, tuple)):
        return [matrix_in_order(one, classes, name) for one in given]
    if not isinstance(given, pd.DataFrame):
        return given
    rows = positions_of(classes, given.index, f"{name} has rows")
    columns = positions_of(classes, given.columns, f"{name} has columns")
    return given.iloc[rows, columns].to_numpy()


def cells_in_order(given: Any, name: str) -> Any:
    """Return the counts of one run or several as (tp, fp, fn) or (tp, fp, fn, tn)."""
    if isinstance(given, (list, tuple)):
        return [cells_in_order(one, name) for one in given]
    if not isinstance(given, (pd.Series, pd.DataFrame)):
        return given
    axis = given.index if isinstance(given, pd.Series) else given.columns
    if len(axis) not in (3, 4):
        return given
    called = pd.Index([one.lower() if isinstance(one, str) else one for one in axis])
    order = positions_of(["tp", "fp", "fn", "tn"][: len(axis)], called, f"{name} has")
    return given.to_numpy()[..., order]


def _each(given: Any) -> Iterable[Any]:
    return given if isinstance(given, (list, tuple)) else [given]
