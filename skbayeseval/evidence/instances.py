"""Which instance a row of the evidence is, and the subgroups that a column makes of instances."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from skbayeseval._arrays import Array, alike, choices, counts_from_zero, in_short
from skbayeseval._labels import check_label_vector
from skbayeseval._validation import check_characters

# A column with more values than this is probably a number or an identifier.
MOST_SUBGROUPS = 200


@dataclass(frozen=True, eq=False)
class Instances:
    """The instances that the rows of the evidence belong to.

    Parameters
    ----------
    number : int
        The number of instances.
    index : pandas.Index, default=None
        The labels of the instances, if they are known.
    of_row : ndarray of shape (n_rows,), default=None
        The instance of each row. By default, each instance is a row.
    has_ids : bool, default=False
        Whether the labels were given beside the data. Then, an index that counts rows from 0 is not
        one of labels.
    frame : DataFrame, default=None
        X, of which subgroups may be columns; neither copied nor pickled.
    """

    number: int
    index: pd.Index[Any] | None = None
    of_row: Array | None = None
    has_ids: bool = False
    frame: Any = None

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "frame": None}

    def of_rows(self, values: Array) -> Array:
        """Return the value of each row, given that of each instance."""
        return values if self.of_row is None else values[self.of_row]


class Subgroups(NamedTuple):
    """The subgroup of each instance.

    Attributes
    ----------
    labels : tuple
        The values of the column, in order.
    codes : ndarray of shape (n_instances,)
        The position of each instance's value in `labels`.
    name : str or None
        The name of the column, if it has one.
    """

    labels: tuple[Any, ...]
    codes: Array
    name: str | None


def index_of(objects: Iterable[Any]) -> pd.Index[Any] | None:
    """Return the index of the first pandas object that does not only count rows, or of the first.

    None if there is none, or if its labels are not unique.
    """
    indexes = [data.index for data in objects if isinstance(data, (pd.Series, pd.DataFrame))]
    named = [index for index in indexes if not counts_from_zero(index)]
    first = next(iter(named + indexes), None)
    return first if first is not None and first.is_unique else None


def subgroups_of(column: Any, instances: Instances) -> Subgroups:
    """Return the subgroup of each instance, given a column with a value for each, or its name.

    A Series with the labels of the instances may be in any order. Everything else, and a Series
    whose index counts rows from 0, is in the order of the instances.
    """
    if isinstance(column, str):
        if instances.frame is None:
            raise TypeError(
                f"column must have one value per instance, got {column!r}. Only results of a "
                "DataFrame X know columns by name, until they are stored: pass the column itself, "
                f"such as X[{column!r}]."
            )
        if column not in (names := list(instances.frame.columns)):
            raise ValueError(f"column={column!r} is not in X, which has {choices(column, names)}.")
        column = instances.frame[column]
    name = getattr(column, "name", None)
    if isinstance(column, pd.Series):
        column = in_order_of(column, instances)
    if hasattr(column, "dtype") and isinstance(column.dtype, pd.CategoricalDtype):
        categories = pd.Categorical(column).remove_unused_categories()
        if pd.isna(categories).any():
            check_label_vector(np.asarray(column, dtype=object), "column", classes=False)
    else:
        vector = check_label_vector(column, "column", classes=False)
        check_characters({str(value) for value in vector.tolist()}, "column")  # before pandas fails
        categories = pd.Categorical(vector)
    if len(categories) != instances.number:
        raise ValueError(
            f"column must have one value per instance, got {len(categories)} values for "
            f"{instances.number} instances."
        )
    labels = tuple(categories.categories.tolist())
    if len(labels) > MOST_SUBGROUPS:
        raise ValueError(
            f"column has {len(labels)} different values, such as {in_short(labels[:3])}; must have "
            f"at most {MOST_SUBGROUPS}. Put numbers into bins, for example with pandas.cut, or "
            "join rare values."
        )
    check_characters([str(name), *map(str, labels)], "column")
    return Subgroups(labels, np.asarray(categories.codes), None if name is None else str(name))


def in_order_of(column: Any, instances: Instances, name: str = "column") -> Any:
    """Return a Series or DataFrame in the order of the instances; `name` is what errors call it."""
    if instances.index is None or len(column) != instances.number:
        return column
    known, index = alike(instances.index, column.index)
    if index.equals(known):
        return column
    plain = counts_from_zero(index)
    positions = index.get_indexer(known) if index.is_unique else np.full(len(index), -1)
    same = bool((positions >= 0).all())
    if plain and (instances.has_ids or not same):
        return column
    if not same:
        if counts_from_zero(known):  # the instances have no labels of their own
            return column
        raise ValueError(
            f"{name} has another index than the data. Reindex it, or pass {name}.to_numpy() if it "
            "is in the order of the instances."
        )
    return column.iloc[positions]
