"""Scores of several systems on the same items, in one order; items that some systems lack.

Missing scores are estimated from how the systems did that have one. The score of a system on an
item is taken to be the level of the item plus the distance of the system plus an error (least
squares, with a level per item). So systems are compared on the items that they share.

Where a system much better than others was run on easy items only, nearly all of which the others
solve too, it is estimated to be too near to them: right or wrong, by 0.07 to 0.12 if its log-odds
are higher by 1.5 and more. Log-odds in the place of differences do not hold up. With four or five
systems, few scores tell the level of an item, which is drawn to the middle, so that a system that
lacks the harder half of the items is off by 0.05 to 0.15, whether it is better or not, and by 0.02
to 0.08 with twelve. So the estimate stays as it is, and `ItemScores.remarks` has a caution.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from skbayeseval._arrays import (
    Array,
    alike,
    as_numbers,
    check_magnitude,
    counts_from_zero,
    in_short,
    in_words,
    wrong,
)
from skbayeseval._labels import check_label_vector

# What to do about items that some systems have no score for.
MISSING = ("raise", "drop", "wrong", "estimate")

# The fewest items that tell how far a system is from others, or one group of them from another.
FEWEST_SHARED = 10

HINT = (
    " Pass missing='drop' to compare the items that all have, missing='wrong' to count missing "
    "ones as failures, or missing='estimate' to estimate them from how other systems did."
)


class Aligned(NamedTuple):
    """Scores of several systems on the same items.

    Attributes
    ----------
    scores : ndarray of shape (n_systems, n_items, n_runs)
        The scores; NaN where a run is missing.
    order : pandas.Index or None
        The ids of the items, if they are known.
    rows : ndarray of shape (n_items,)
        Where each item was in the scores of the first system; -1 where it had none.
    missing : dict or None
        What was missing, and what was done about it; None if nothing was.
    n_first : int
        The number of items that the first system was given with.
    ids : dict of str to pandas.Index or None
        The ids of each system, in its own order; None if items are paired by position.
    named : pandas.Index or None
        What the first pandas object with other names than 0, 1, ... calls the items.
    """

    scores: Array
    order: pd.Index[Any] | None
    rows: Array
    missing: dict[str, Any] | None
    n_first: int
    ids: dict[str, pd.Index[Any]] | None
    named: pd.Index[Any] | None

    @property
    def labels(self) -> pd.Index[Any] | None:
        """The ids of the items, or what their index calls them; None if they have no names."""
        if self.order is None and self.named is not None:
            return self.named[self.rows]
        return self.order


def align_items(
    scores: Mapping[str, Any],
    ids: Any,
    *,
    keys: Sequence[str] | None = None,
    missing: str = "raise",
    higher_is_better: bool = True,
) -> Aligned:
    """Return the scores of the same items.

    Items are in the order of the first system, or of their ids if these are sorted. Without ids,
    the indexes of pandas objects are the ids if they name the same items, otherwise items are
    paired by position.

    Parameters
    ----------
    scores : mapping of str to array-like of shape (n_items,) or (n_items, n_runs)
        The scores by argument name, which errors show.
    ids : array-like, sequence of array-like, mapping or None
        The ids of all systems, or of each system.
    keys : sequence of str, default=None
        The names of the systems, which are the keys of a mapping of ids. By default, those of
        `scores`.
    missing : {"raise", "drop", "wrong", "estimate"}, default="raise"
        What to do about items that some systems have no score for; "estimate" leaves them NaN.
    higher_is_better : bool, default=True
        Whether 0 is a failure where scores are between 0 and 1.
    """
    if missing not in MISSING:
        raise ValueError(f"missing must be one of {list(MISSING)}, got {in_short(missing)}.")
    keys = list(scores) if keys is None else list(keys)
    tables = {name: _table(of_system, name) for name, of_system in scores.items()}
    known = _indexes(scores) if ids is None else _ids_of_each(tables, ids, keys)
    order, positions = _by_position(tables) if known is None else _matched(known, missing)
    n_runs = [table.shape[1] for table in tables.values()]
    rows, n_first = positions[0], len(next(iter(tables.values())))
    joined = np.full((len(tables), len(rows), max(n_runs)), np.nan)
    for of_system, table, places in zip(joined, tables.values(), positions, strict=True):
        of_system[:, : table.shape[1]] = _reordered(table, places)
    lacks = np.asarray(np.isnan(joined).all(axis=2))
    runs = [0] * len(tables)
    if missing == "raise":
        _check_scored(dict(zip(tables, lacks, strict=True)), order)
    elif missing != "estimate" and lacks.any(axis=0).all():
        raise ValueError(f"{' and '.join(tables)} have no items in common.")
    if missing == "wrong":
        if not higher_is_better or ((joined < 0) | (joined > 1)).any():
            raise ValueError(
                "missing='wrong' counts missing scores as 0, the worst that there is, which "
                "requires scores between 0 and 1 of which higher ones are better. Pass "
                "missing='drop' to compare the items that all have."
            )
        for k, n in enumerate(n_runs):
            runs[k] = int(np.isnan(joined[k, ~lacks[k], :n]).sum())
            joined[k, :, :n] = np.nan_to_num(joined[k, :, :n], nan=0.0)
    # An item that nobody was run on tells nothing of others.
    counted = np.asarray(~lacks.all(axis=0) | (missing != "estimate"))
    kept = np.asarray(~lacks.any(axis=0)) if missing == "drop" else counted
    record, without = None, lacks[:, counted].sum(axis=1).tolist()
    if any(without) or any(runs):
        record = {
            "how": missing,
            "n_items": int(counted.sum()),
            "items": dict(zip(keys, without, strict=True)),
            "runs": dict(zip(keys, runs, strict=True)),
        }
    joined, rows = joined.compress(kept, axis=1), rows[kept]
    order = None if order is None else order[kept]
    check_magnitude(joined, ", ".join(tables))
    joined = joined[:, :, ~np.isnan(joined).all(axis=(0, 1))]
    indexes = (one.index for one in scores.values() if isinstance(one, (pd.Series, pd.DataFrame)))
    named = next((index for index in indexes if not counts_from_zero(index)), None)
    return Aligned(joined, order, rows, record, n_first, known, named)


def _by_position(tables: Mapping[str, Array]) -> tuple[None, list[Array]]:
    """Return where each system has items without ids."""
    sizes = {name: len(table) for name, table in tables.items()}
    if len(set(sizes.values())) > 1:
        listed = ", ".join(f"{name} has {size}" for name, size in sizes.items())
        raise ValueError(
            f"Found input variables with inconsistent numbers of items: {listed}. Pass item= "
            "with their ids to match them."
        )
    return None, [np.arange(size) for size in sizes.values()]


def _matched(known: Mapping[str, pd.Index[Any]], missing: str) -> tuple[pd.Index[Any], list[Array]]:
    """Return the ids of all items, and where each system has them; -1 where it has not."""
    for name, ids in known.items():
        _check_ids(ids, name)
    same = dict(zip(known, alike(*known.values()), strict=True))
    (first, order), *others = same.items()
    for name, ids in others:
        if missing == "raise":
            _check_same(order, ids, first, name, HINT)
        if not ids.equals(order):
            more = ids.difference(order, sort=False)
            both = order.append(more)
            if both.dtype != order.dtype:  # append makes floats of objects that are numbers
                both = pd.Index([*order, *more], dtype=order.dtype, name=order.name)
            order = both
    if missing != "raise":
        _check_types(order)
        if all(ids.is_monotonic_increasing for ids in same.values()):
            order = order.sort_values()  # such as times, of which each system lacks some
    return order, [ids.get_indexer(order) for ids in same.values()]


def _reordered(table: Array, positions: Array) -> Array:
    """Return the rows at these positions; NaN for those at -1."""
    taken = table[positions]
    taken[positions < 0] = np.nan
    return taken


def _check_scored(lacks: Mapping[str, Array], order: pd.Index[Any] | None) -> None:
    """Raise if a system has no score for an item."""
    for name, lacking in lacks.items():
        if lacking.any():
            first = int(lacking.argmax())
            which = f"at position {first}" if order is None else f"with id {order[first]!r}"
            raise ValueError(
                f"{name} has no score for {lacking.sum()} of {len(lacking)} items, first the one "
                f"{which}. Each item needs at least one run of each system.{HINT}"
            )


def align_groups(groups: Any, items: Aligned, *, by_position: bool) -> Array:
    """Return the index of the group of each item, in the order of the items.

    A Series whose index has the ids of the items may be in any order. All others, and with
    `by_position` an index that counts rows from 0, are in the order of the first system.
    """
    order = items.labels
    if isinstance(groups, pd.Series) and order is not None:
        order, index = alike(order, groups.index)
        counts_rows = counts_from_zero(index) and len(index) == items.n_first
        if not (counts_rows and (by_position or not set(order) <= set(index))):
            _check_ids(groups.index, "groups")
            # Nobody asks for the groups of items that are left out.
            asked = index if items.missing is None else index[index.isin(order)]
            _check_same(order, asked, "scores", "groups")
            groups = groups.iloc[index.get_indexer(order)]
            labels = check_label_vector(groups, "groups", classes=False)
            return pd.factorize(labels)[0].astype(np.int64)
    labels = check_label_vector(groups, "groups", classes=False)
    if len(labels) != items.n_first:
        raise ValueError(
            f"Found input variables with inconsistent numbers of items: groups has {len(labels)}, "
            f"the scores have {items.n_first}."
        )
    if (items.rows < 0).any():
        raise ValueError(
            "groups must be a Series whose index has the ids of all items: "
            f"{(items.rows < 0).sum()} items are not among those of the first system."
        )
    return pd.factorize(labels[items.rows])[0].astype(np.int64)


def align_human(human: Mapping[str, Any], items: Aligned, *, by_position: bool) -> Array | None:
    """Return the grades of people, of shape (n_systems, n_items), NaN where there are none.

    A Series whose index has ids may be of some items only. All others, and with `by_position` an
    index that counts rows from 0, have an entry per item, in the order of the scores of their
    system. `human` has the grades, or None, by argument name, in the order of the scores.
    """
    if all(grades is None for grades in human.values()):
        return None
    ids = items.ids
    if ids is None:
        plain: Any = pd.RangeIndex(items.n_first)
        ids = dict.fromkeys(human, plain if items.named is None else items.named)
    aligned = []
    for (name, grades), own in zip(human.items(), ids.values(), strict=True):
        if grades is None:
            raise ValueError(f"{name} must be given, too: people must have graded all systems.")
        numbers = as_numbers(grades, name)
        if numbers.ndim != 1 or np.isinf(numbers).any():
            raise wrong(name, "one finite number or NaN per item", grades)
        index = grades.index if isinstance(grades, pd.Series) else own
        if counts_from_zero(index) and len(index) == len(own):
            index = own if by_position or set(index) != set(own) else index
        _check_ids(index, name)
        order = own[items.rows] if items.order is None else items.order
        index, own, order = alike(index, own, order)
        more = index.difference(own, sort=False)
        if len(numbers) != len(index) or len(more):
            raise ValueError(
                f"{name} must have one grade per item, NaN where people gave none, in the order of "
                f"the scores, or be a Series by ids: there are {len(numbers)} for {len(own)} "
                f"items, and {len(more)} with other ids{_some(more)}."
            )
        aligned.append(_reordered(numbers, index.get_indexer(order)))
    check_magnitude(np.stack(aligned), ", ".join(human))
    return np.stack(aligned)


def _table(scores: Any, name: str) -> Array:
    """Return scores of shape (n_items, n_runs)."""
    if isinstance(scores, (str, PathLike)):
        raise wrong(name, "scores; a file is a long table, passed alone", scores, TypeError)
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
    tables: Mapping[str, Array], ids: Any, keys: list[str]
) -> dict[str, pd.Index[Any]]:
    """Return the ids of each system."""
    if isinstance(ids, Mapping):
        if set(ids) != set(keys):
            raise ValueError(f"item must have the keys {keys}, got {list(ids)}.")
        of_each = [ids[key] for key in keys]
    elif (
        isinstance(ids, (list, tuple))
        and len(ids) == len(tables)
        and all(_is_sequence(own_ids) for own_ids in ids)
        and [len(own_ids) for own_ids in ids] == [len(table) for table in tables.values()]
    ):
        of_each = list(ids)
    else:
        of_each = [ids] * len(tables)
    indexes = {}
    for (name, table), own_ids in zip(tables.items(), of_each, strict=True):
        if not _is_sequence(own_ids) or getattr(own_ids, "ndim", 1) != 1:
            wanted = "a sequence with one id per item, or one sequence per system"
            raise wrong("item", wanted, ids, TypeError)
        indexes[name] = pd.Index(own_ids.array if isinstance(own_ids, pd.Series) else own_ids)
        if len(own_ids) != len(table):
            raise ValueError(
                "Found input variables with inconsistent numbers of items: item has "
                f"{len(own_ids)}, {name} has {len(table)}."
            )
    return indexes


def _is_sequence(values: Any) -> bool:
    return hasattr(values, "__len__") and not isinstance(values, (str, bytes))


def _indexes(scores: Mapping[str, Any]) -> dict[str, pd.Index[Any]] | None:
    """Return the indexes of pandas objects if they name items; None if they count rows only.

    As elsewhere, an index that counts rows from 0 fits any other, unless it has the same values.
    """
    by_system = {
        name: of_system.index
        for name, of_system in scores.items()
        if isinstance(of_system, (pd.Series, pd.DataFrame))
    }
    indexes = alike(*by_system.values())
    named = [index for index in indexes if not counts_from_zero(index)]
    share_names = all(index.equals(named[0]) for index in named)
    if len(by_system) < len(scores):
        if not share_names:
            raise ValueError(
                f"The indexes of {list(by_system)} differ, and other scores have none. Pass item= "
                "with the ids."
            )
        return None
    if all(index.equals(indexes[0]) for index in indexes):
        return by_system if indexes[0].is_unique else None
    counted = [set(index) for index in indexes if counts_from_zero(index)]
    fit = named and all(len(one) == len(named[0]) and one != set(named[0]) for one in counted)
    return None if fit and share_names else by_system


def _check_same(
    order: pd.Index[Any], other: pd.Index[Any], first: str, name: str, hint: str = ""
) -> None:
    """Raise unless both have the same items."""
    if order.equals(other):
        return
    only_first, only_own = order.difference(other, sort=False), other.difference(order, sort=False)
    if len(only_first) or len(only_own):
        raise ValueError(
            f"{first} and {name} have different items: {len(order) - len(only_first)} are in both, "
            f"{len(only_first)} only in {first}{_some(only_first)}, and {len(only_own)} only in "
            f"{name}{_some(only_own)}.{hint}"
        )


def _some(ids: pd.Index[Any]) -> str:
    """Return a few ids in brackets, or "" if there are none."""
    few = ", ".join(map(repr, ids[:3].tolist()))
    return f" ({few}{', ...' if len(ids) > 3 else ''})" if len(ids) else ""


def _check_types(order: pd.Index[Any]) -> None:
    """Raise if the ids of all items contain a number, and the same number as text."""
    written: dict[str, Any] = {}
    for item in order if order.dtype == object else ():
        other = written.setdefault(str(item), item)
        if other is not item:
            raise ValueError(
                f"The ids {other!r} and {item!r} are those of two items, though they are written "
                "alike. Pass the ids of all systems as text, or all as numbers."
            )


def _check_ids(ids: pd.Index[Any], name: str) -> None:
    """Raise unless ids tell items apart."""
    if not isinstance(ids, pd.MultiIndex) and ids.isna().any():
        raise ValueError(f"The ids of {name} contain NaN or None: every item must have an id.")
    if ids.dtype.kind == "f" and (np.abs(ids.to_numpy(float)) >= 2**53).any():
        raise ValueError(
            f"The ids of {name} are floats of 2**53 or more, which cannot tell all whole numbers "
            "apart. Pass integers or text."
        )
    if not ids.is_unique:
        twice = ids[ids.duplicated()][0]
        raise ValueError(
            f"The ids of {name} must differ from each other, but {twice!r} occurs more than once. "
            "Pass several runs of an item as columns, with shape (items, runs)."
        )


def estimated_scores(scores: Array, names: Sequence[str], grades: Any) -> Array:
    """Return scores of items with estimates of those that are missing, if these can be estimated.

    Parameters
    ----------
    scores : ndarray of shape (n_systems, n_items, n_runs)
        The scores; NaN where they are missing.
    names : sequence of str
        The names of the systems.
    grades : ndarray or None
        The grades of people.
    """
    if grades is not None:
        raise ValueError(
            "missing='estimate' does not go with grades of people. Pass missing='drop' to compare "
            "the items that all have."
        )
    runs = np.isfinite(scores).sum(axis=2)
    scores = np.nansum(scores, axis=2) / np.where(runs > 0, runs, np.nan)
    strange = [name for name, is_one in zip(names, strangers(scores), strict=True) if is_one]
    if strange:
        raise ValueError(
            f"Missing scores are estimated from the items that systems share, but "
            f"{in_words(strange)} {'has' if len(strange) == 1 else 'have'} fewer than "
            f"{FEWEST_SHARED} in common with the others. Leave these systems out, or run them on "
            "more items."
        )
    # Of two alone, the interval of the difference allows for it.
    flat = [name for name, is_one in zip(names, without_distance(scores), strict=True) if is_one]
    if flat and len(names) > 2:
        raise ValueError(
            f"{flat[0]} differs by the same amount from the others on all items that it has a "
            "score of, which does not tell how it would do on those that it lacks. Leave it out, "
            "or run it on more items."
        )
    return with_estimates(scores)


def with_estimates(scores: Array) -> Array:
    """Return scores of items whose mean estimates the mean score over all items.

    A missing score is replaced by the level of the item plus the distance of the system. To those
    that are there is added what their errors change in these estimates, so that the spread of the
    scores is that of the mean: a system with few scores has large ones. Copies have the same, and
    no influence on others.

    Parameters
    ----------
    scores : ndarray of shape (n_systems, n_items)
        The scores; NaN where they are missing. Each item has one or more, and each system shares
        items with others, directly or by way of others (`strangers`).

    Examples
    --------
    >>> import numpy as np
    >>> from skbayeseval.compare.item_alignment import with_estimates
    >>> scores = np.array([[5.0, 4.0, 2.0, 1.0], [4.0, 3.0, np.nan, np.nan]])
    >>> with_estimates(scores).mean(axis=1)  # one less on the items that both have
    array([3., 2.])
    """
    # NaN differs from itself.
    distinct, position = np.unique(np.nan_to_num(scores, nan=np.inf), axis=0, return_inverse=True)
    run = np.isfinite(distinct)
    known, each = np.where(run, distinct, 0.0), run / run.sum(axis=0)
    # Distances are known up to a common one, which no estimate depends on.
    inverse = np.linalg.inv(np.diag(run.sum(axis=1)) - each @ run.T + 1 / len(run))
    own = np.where(run, known - (each * known).sum(axis=0), 0.0)
    distance = inverse @ own.sum(axis=1)
    level = (each * (known - distance[:, None])).sum(axis=0)
    expected = distance[:, None] + level
    errors = np.where(run, known - expected, 0.0)
    # How the sums of estimated scores depend on distances, and these on the errors of an item.
    effect = np.diag((~run).sum(axis=1)) - (~run / run.sum(axis=0)) @ run.T
    found = np.where(run, known, expected) + effect @ (inverse @ errors)
    return np.asarray(found[np.ravel(position)])


def strangers(scores: Array) -> Array:
    """Return a mask of the systems that cannot be compared with those of the largest part.

    To a part, the system is added that shares the most items with those that are in it, as long as
    these are `FEWEST_SHARED` or more. So parts that only a few items join are not compared, as
    these few would tell their distance.

    Examples
    --------
    >>> import numpy as np
    >>> from skbayeseval.compare.item_alignment import strangers
    >>> strangers(np.where(np.arange(24) < [[24], [24], [2]], 1.0, np.nan))
    array([False, False,  True])
    """
    run = np.isfinite(scores)
    part = np.full(len(run), -1)
    while (part < 0).any():
        number = part.max() + 1
        seen, n_shared = np.zeros(run.shape[1], dtype=bool), np.zeros(len(run), dtype=int)
        best = int(np.where(part < 0, run.sum(axis=1), -1).argmax())
        while part[best] < 0 and (not seen.any() or n_shared[best] >= FEWEST_SHARED):
            part[best] = number
            n_shared += run[:, run[best] & ~seen].sum(axis=1)
            seen |= run[best]
            best = int(np.where(part < 0, n_shared, -1).argmax())
    return np.asarray(part != np.bincount(part).argmax())


def without_distance(scores: Array) -> Array:
    """Return a mask of the systems of which nothing tells how far they are from others elsewhere.

    These lack items, and differ by the same amount from others on all that they have: if all had
    the easiest ones right, it is not known how they would do on the hard ones.

    Examples
    --------
    >>> import numpy as np
    >>> from skbayeseval.compare.item_alignment import without_distance
    >>> without_distance(np.array([[1.0, 1.0, 0.0, 1.0], [1.0, 1.0, np.nan, np.nan]]))
    array([False,  True])
    """
    run = np.isfinite(scores)
    apart = scores - np.where(run, scores, 0.0).sum(axis=0) / run.sum(axis=0)
    spread = np.nanmax(apart, axis=1) - np.nanmin(apart, axis=1)
    return np.asarray(~run.all(axis=1) & (spread <= 1e-12 * np.nanmax(np.abs(scores))))
