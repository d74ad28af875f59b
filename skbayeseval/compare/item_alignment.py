"""Put the scores of several systems in the order of the same items."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from skbayeseval._arrays import as_numbers, in_short
from skbayeseval._labels import check_label_vector

__all__ = ["align_groups", "align_items"]

Array = NDArray[Any]


def align_items(
    scores: Mapping[str, Any], ids: Any, *, keys: Sequence[str] | None = None
) -> tuple[Array, pd.Index[Any] | None]:
    """Return scores of shape (n_systems, n_items, n_runs), and the ids of the items if known.

    Items are in the order of the first system. Without ids, the indexes of pandas objects are the
    ids if they name the same items, otherwise items are paired by position.

    Parameters
    ----------
    scores : mapping of str to array-like of shape (n_items,) or (n_items, n_runs)
        The scores by argument name, which errors show.
    ids : array-like, sequence of array-like, mapping or None
        The ids of all systems, or of each system.
    keys : sequence of str, default=None
        The keys of a mapping of ids. By default, those of `scores`.
    """
    tables = {name: _table(of_one, name) for name, of_one in scores.items()}
    known = _ids_of_each(scores, tables, ids, list(scores) if keys is None else list(keys))
    if known is None:
        _check_lengths(tables)
        order: pd.Index[Any] | None = None
    else:
        (first, order), *others = known.items()
        _check_unique(order, first)
        for name, own in others:
            tables[name] = tables[name][_positions(order, own, first, name)]
    n_runs = max(table.shape[1] for table in tables.values())
    joined = np.full((len(tables), len(next(iter(tables.values()))), n_runs), np.nan)
    for k, (name, table) in enumerate(tables.items()):
        _check_runs(table, name, order)
        joined[k, :, : table.shape[1]] = table
    return joined, order


def align_groups(
    groups: Any, n_items: int, order: pd.Index[Any] | None, *, by_position: bool
) -> Array:
    """Return the index of the group of each item, in the order of the items.

    A Series whose index has the ids of the items may be in any order. With `by_position`, an index
    that counts rows from 0 is no id.
    """
    if isinstance(groups, pd.Series):
        index = groups.index
        fits = order is None or index.equals(order)
        plain = _counts_from_zero(index) and len(index) == n_items
        if (
            not fits
            and order is not None
            and not (plain and (by_position or set(index) != set(order)))
        ):
            groups = groups.iloc[_positions(order, index, "scores", "groups")]
    labels = check_label_vector(groups, "groups", classes=False)
    if len(labels) != n_items:
        raise ValueError(
            f"Found input variables with inconsistent numbers of items: groups has {len(labels)}, "
            f"the scores have {n_items}."
        )
    return pd.factorize(labels)[0].astype(np.int64)


def _table(scores: Any, name: str) -> Array:
    """Return scores of shape (n_items, n_runs)."""
    table = as_numbers(scores, name)
    if table.ndim == 1:
        table = table[:, None]
    if table.ndim != 2 or not table.size:
        raise ValueError(
            f"{name} must have one score per item, with shape (items,) or (items, runs), got shape "
            f"{np.shape(scores)}."
        )
    if np.isinf(table).any():
        raise ValueError(f"Input {name} contains infinity.")
    seen = ~np.isnan(table).all(axis=0)
    return table[:, seen] if seen.any() else table[:, :1]


def _ids_of_each(
    scores: Mapping[str, Any], tables: Mapping[str, Array], ids: Any, keys: list[str]
) -> dict[str, pd.Index[Any]] | None:
    """Return the ids of each system; None if items are paired by position."""
    if ids is None:
        return _indexes(scores)
    if isinstance(ids, Mapping):
        if set(ids) != set(keys):
            raise ValueError(f"ids must have the keys {keys}, got {list(ids)}.")
        given = [ids[key] for key in keys]
    elif _is_one_for_each(ids, list(tables.values())):
        given = list(ids)
    else:
        given = [ids] * len(tables)
    found = {}
    for (name, table), own in zip(tables.items(), given, strict=True):
        if (
            isinstance(own, (str, bytes))
            or not hasattr(own, "__len__")
            or getattr(own, "ndim", 1) != 1
        ):
            raise TypeError(
                f"ids must be a sequence with one id per item, or one sequence per system, got "
                f"{in_short(ids)}."
            )
        found[name] = pd.Index(own.array if isinstance(own, pd.Series) else own)
        if not isinstance(found[name], pd.MultiIndex) and found[name].isna().any():
            raise ValueError("Input ids contains NaN or None.")
        if len(own) != len(table):
            raise ValueError(
                f"Found input variables with inconsistent numbers of items: ids has {len(own)}, "
                f"{name} has {len(table)}."
            )
    return found


def _is_one_for_each(ids: Any, tables: list[Array]) -> bool:
    """Return whether ids are one sequence per system, not one sequence for all."""
    if not isinstance(ids, (list, tuple)) or len(ids) != len(tables):
        return False
    return all(
        hasattr(own, "__len__") and not isinstance(own, (str, bytes)) and len(own) == len(table)
        for own, table in zip(ids, tables, strict=True)
    )


def _indexes(scores: Mapping[str, Any]) -> dict[str, pd.Index[Any]] | None:
    """Return the indexes of pandas objects if they name items; None if they count rows only.

    As elsewhere, an index that counts rows from 0 fits any other, unless it has the same values.
    """
    objects = (pd.Series, pd.DataFrame)
    found = {name: one.index for name, one in scores.items() if isinstance(one, objects)}
    first, *others = found.values() if len(found) == len(scores) else [pd.RangeIndex(0)]
    if all(first.equals(other) for other in others):
        return found if others and first.is_unique else None
    named = [index for index in found.values() if not _counts_from_zero(index)]
    plain = [index for index in found.values() if _counts_from_zero(index)]
    by_position = (
        named
        and plain
        and all(one.equals(named[0]) for one in named)
        and all(len(one) == len(named[0]) and set(one) != set(named[0]) for one in plain)
    )
    return None if by_position else found


def _counts_from_zero(index: pd.Index[Any]) -> bool:
    return bool(index.equals(pd.RangeIndex(len(index))))


def _positions(order: pd.Index[Any], own: pd.Index[Any], first: str, name: str) -> Array:
    """Return where each item of `order` is in `own`; raise unless both have the same items."""
    _check_unique(own, name)
    if order.equals(own):
        return np.arange(len(own))
    positions = own.get_indexer(order)
    missing, more = order[positions < 0], own.difference(order, sort=False)
    if len(missing) or len(more):
        raise ValueError(
            f"{first} and {name} have different items: {len(order) - len(missing)} are in both, "
            f"{len(missing)} only in {first}{_some(missing)}, and {len(more)} only in "
            f"{name}{_some(more)}. Pass the scores of the items that both have."
        )
    return positions


def _some(ids: pd.Index[Any]) -> str:
    """Return a few ids in brackets, or "" if there are none."""
    few = ", ".join(map(repr, ids[:3].tolist()))
    return f" ({few}{', ...' if len(ids) > 3 else ''})" if len(ids) else ""


def _check_unique(ids: pd.Index[Any], name: str) -> None:
    if not ids.is_unique:
        twice = ids[ids.duplicated()][0]
        raise ValueError(
            f"The ids of {name} must differ from each other, but {twice!r} occurs more than once. "
            "Pass several runs of an item as columns, with shape (items, runs)."
        )


def _check_lengths(tables: Mapping[str, Array]) -> None:
    sizes = {name: len(table) for name, table in tables.items()}
    if len(set(sizes.values())) > 1:
        found = ", ".join(f"{name} has {size}" for name, size in sizes.items())
        raise ValueError(
            f"Found input variables with inconsistent numbers of items: {found}. Pass ids= to "
            "match them."
        )


def _check_runs(table: Array, name: str, order: pd.Index[Any] | None) -> None:
    without = np.flatnonzero(np.isnan(table).all(axis=1))
    if len(without):
        which = f"at position {without[0]}" if order is None else f"with id {order[without[0]]!r}"
        raise ValueError(
            f"{name} has no score for {len(without)} of {len(table)} items, first the one {which}. "
            "Each item needs at least one run of each system: drop these items from all inputs."
        )
