"""Long tables, with a row for each score of a system on an item: files of them, and their scores.

Whoever has logs in another form makes such a table with pandas: formats change from month to month.
"""

from __future__ import annotations

import os
import re
from typing import Any

import numpy as np
import pandas as pd

from skbayeseval._arrays import Array, as_numbers, in_words, wrong
from skbayeseval._files import check_path
from skbayeseval._tables import (
    HOLES,
    PARQUET,
    TEXT,
    check_different,
    parquet_table,
    reading,
    text_table,
)

# What scores that occur more than once are: runs, or retries of which one counts.
RUNS = ("all", "first", "last")

LINES = (".jsonl", ".ndjson")


def read_table(path: Any) -> pd.DataFrame:
    """Return a table of CSV, JSON Lines or Parquet, told by the name; the cells of CSV are text."""
    name = check_path(path)
    kind = re.sub(r"\.gz$", "", name.lower())
    if kind.endswith(TEXT):
        cells = text_table(name, name)
        check_different(list(cells.columns), name)
        return cells.reset_index(drop=True)
    if kind.endswith(PARQUET):
        return parquet_table(name)
    if kind.endswith(LINES):
        whole = os.path.abspath(name)  # pandas takes no absolute path for an address
        os.stat(whole)  # pandas 2 takes the name of a file that is not there for its content
        as_written: Any = {"dtype": False, "precise_float": True, "encoding": "utf-8-sig"}
        with reading(name, "JSON Lines"):
            return pd.read_json(whole, lines=True, **as_written)
    raise ValueError(
        f"The name of a table must end in one of {', '.join((*TEXT, *LINES, *PARQUET))}, got {name}"
        ". Read other files with pandas, and pass the data frame."
    )


def scores_of_systems(
    table: Any, system: Any, item: Any, score: Any, runs: Any, groups: Any
) -> tuple[dict[str, Array], dict[str, pd.Index[Any]], pd.Series[Any] | None]:
    """Return the scores of each system in a data frame or a file, their items and their groups.

    Parameters
    ----------
    table : DataFrame or path
        The table, with a row for each score.
    system, score : str
        The names of the columns.
    item : str or list of str
        The name of the column of ids, or those that are ids together.
    runs : {None, "all", "first", "last"}
        What scores of the same system and item are; None if there must not be any.
    groups : str or None
        The name of the column of groups.

    Returns
    -------
    scores : dict of str to ndarray of shape (n_items, n_runs)
        The scores by system, in the order in which its items occur; NaN where a run is missing.
    ids : dict of str to pandas.Index
        The ids of the items by system.
    groups : pandas.Series or None
        The groups of all items, by their ids.
    """
    if not isinstance(table, (pd.DataFrame, str, os.PathLike)):
        wanted = "a long table, which is a pandas DataFrame or the path of a file"
        raise wrong("Scores that are passed alone", wanted, table, TypeError)
    table = table if isinstance(table, pd.DataFrame) else read_table(table)
    if runs not in (None, *RUNS):
        raise wrong("runs", "'all', 'first' or 'last'", runs)
    check_different([str(column) for column in table.columns], "The table")
    items = list(item) if isinstance(item, (list, tuple)) else [item]
    asked = [("system", system), *(("item", one) for one in items), ("score", score)]
    asked += [] if groups is None else [("groups", groups)]
    for argument, column in asked:
        if not isinstance(column, str) or column not in table:
            raise ValueError(
                f"{argument}= must name a column of the table, got {column!r}. It has "
                f"{in_words(table.columns, column)}."
            )
        if argument != "score":
            _check_key(table[column], column)
    keys = [system, *items]
    again = table.duplicated(keys, keep=False)
    if runs is None and again.any():
        raise _repeated(table, table[again].iloc[0], system, items, score)
    if runs in ("first", "last"):
        table = table.drop_duplicates(keys, keep=runs)
    scores, ids = {}, {}
    for name, part in table.groupby(system, sort=False):
        by_item = part.groupby(items, sort=False)
        run = by_item.cumcount().to_numpy()
        values = np.full((by_item.ngroups, run.max() + 1), np.nan)
        values[by_item.ngroup(), run] = _numbers(part, keys, score)
        scores[str(name)] = values
        ids[str(name)] = part[run == 0].set_index(items).index
    if len(scores) < table[system].nunique():
        raise ValueError(f"Column {system!r} has systems that are written alike: {[*scores]}.")
    return scores, ids, None if groups is None else _groups(table, items, groups)


def _check_key(values: pd.Series[Any], column: str) -> None:
    """Raise unless all rows have a value, and one that Python can look up."""
    lacking = values.isna()
    if lacking.any():
        raise ValueError(
            f"Column {column!r} has no value in {lacking.sum()} of {len(values)} rows, first at "
            f"position {lacking.argmax()}."
        )
    other = next((one for one in values if not pd.api.types.is_hashable(one)), None)
    if other is not None:
        raise wrong(f"Column {column!r}", "texts or numbers", other)


def _repeated(
    table: pd.DataFrame, row: pd.Series[Any], system: str, items: list[str], score: str
) -> ValueError:
    """Return the error about several scores of a system on an item, and what tells them apart."""
    keys = [system, *items]
    others = table.drop(columns=[*keys, score]).astype(str)  # some values may be lists
    n_values = {
        column: values.nunique()
        for column, values in others.items()
        if not table[keys].assign(other=values).duplicated().any()
    }
    message = (
        f"{row[system]} has more than one score on item {_listed(row[items])}."
        " Pass runs='all' if these are runs of the same item, or, if they are retries, "
        "runs='first' or runs='last' to keep one."
    )
    column = min(n_values, key=lambda one: n_values[one], default=None)
    if column is not None and n_values[column] < len(table):
        message += (
            f" Column {column!r} tells them apart: pass system={column!r} if it names the systems, "
            f"or item={[*items, column]} if it belongs to the ids."
        )
    return ValueError(message)


def _listed(values: pd.Series[Any]) -> str:
    return ", ".join(map(str, values))


def _numbers(part: pd.DataFrame, keys: list[str], score: str) -> Array:
    """Return scores; those that are text are numbers, true, false, or what stands for none."""
    values = part[score].astype(object)
    is_text = values.map(lambda one: isinstance(one, str))
    text = values[is_text].str.strip().str.lower()
    numbers = pd.to_numeric(text.replace({"true": "1", "false": "0"}), errors="coerce")
    for row in np.flatnonzero(numbers.isna() & ~text.isin(HOLES))[:1]:
        word = part.loc[is_text.to_numpy()].iloc[row]
        raise ValueError(
            f"Column {score!r} has the text {word[score]!r}, first in the row of "
            f"{_listed(word[keys])}. Make numbers of it, such as by "
            f"table[{score!r}].map({{{word[score]!r}: 1}})."
        )
    values[is_text] = numbers
    return as_numbers(values.to_numpy(), f"Column {score!r}")


def _groups(table: pd.DataFrame, items: list[str], groups: str) -> pd.Series[Any]:
    """Return the group of each item, by its id."""
    known = table.drop_duplicates([*items, groups])
    for _, row in known[known.duplicated(items)].iterrows():
        of_item = known[(known[items] == row[items]).all(axis=1)]
        raise ValueError(
            f"Item {_listed(row[items])} is in several groups: {_listed(of_item[groups])}."
        )
    return known.set_index(items)[groups]
