"""Columns of a table: a CSV file, standard input or a Parquet file, all cells as text."""

from __future__ import annotations

import io
import math
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from skbayeseval import TableCounts, count_table
from skbayeseval._duckdb_tables import PARQUET, open_table, quoted
from skbayeseval._text_tables import text_table
from skbayeseval.cli.messages import InputError

__all__ = ["Columns", "count_labels"]

STANDARD_INPUT = "-"


class Columns:
    """The columns of a file that are asked for.

    Parameters
    ----------
    path : str
        The file; "-" is standard input. Parquet is known by its name.
    names : sequence of str
        The columns that will be asked for.
    """

    def __init__(self, path: str, names: Sequence[str]) -> None:
        self.name = "standard input" if path == STANDARD_INPUT else path
        self.header: list[str]
        self._cells: dict[str, list[Any]]
        if path.lower().endswith(PARQUET):
            self._read_parquet(path, names)
        else:
            self._read_text(path)

    def _read_text(self, path: str) -> None:
        source: Any = path
        if path == STANDARD_INPUT:
            source = io.BytesIO(sys.stdin.buffer.read())
        table = text_table(source, self.name).fillna("")
        self.header = table.iloc[0].tolist()
        self._cells = {name: table.iloc[1:, i].tolist() for i, name in enumerate(self.header)}

    def _read_parquet(self, path: str, names: Sequence[str]) -> None:
        with open_table(path, names, argument="FILE") as relation:
            self.header = list(relation.columns)
            known = [name for name in dict.fromkeys(names) if name in self.header]
            texts = ", ".join(f"coalesce({quoted(name)}::VARCHAR, '')" for name in known)
            rows = relation.project(texts).fetchall() if known else []
        self._cells = {name: [row[i] for row in rows] for i, name in enumerate(known)}

    def labels(self, option: str, name: str, what: str = "label") -> list[str]:
        """Return the cells of a column, none of which is missing; `what` is in a cell."""
        _check_column(option, name, self.header, self.name)
        column = self._cells[name]
        empty = [i for i, label in enumerate(column, start=1) if not label.strip()]
        if empty:
            raise InputError(
                f"{option} {name}: {len(empty)} of {len(column)} {what}s in {self.name} are "
                f"missing, the first in row {empty[0]} below the header. Every instance must have "
                f"a {what}."
            )
        return column

    def numbers(self, option: str, name: str, what: str, why: str) -> list[float]:
        """Return a column of numbers; errors say what is in a cell, and why it is a number."""
        found = []
        for row, text in enumerate(self.labels(option, name, what), start=1):
            try:
                number = float(text)
            except ValueError:
                number = math.nan
            if not math.isfinite(number):
                raise InputError(
                    f"{option} {name}: {text!r} in row {row} of {self.name} is no number, but {why}"
                )
            found.append(number)
        return found


def count_labels(path: str, columns: Mapping[str, str]) -> TableCounts:
    """Count the rows of a Parquet file by the cells of the columns, as text.

    `columns` are named by the options that they come from, as in `count_table`.
    """
    with open_table(path, columns.values(), argument="FILE") as relation:
        for option, column in columns.items():
            _check_column(f"--{option}", column, list(relation.columns), path)
        texts = [
            f"coalesce({quoted(column)}::VARCHAR, '') AS {option}"
            for option, column in columns.items()
        ]
        counts = count_table(relation.project(", ".join(texts)), **{name: name for name in columns})
    for i, (option, column) in enumerate(columns.items()):
        empty = sum(n for outcome, n in counts.outcomes.items() if not outcome[i].strip())
        if empty:
            raise InputError(
                f"--{option} {column}: {empty:,} of {counts.total:,} labels in {path} are missing. "
                "Every instance must have a label."
            )
    return replace(counts, columns=columns)


def _check_column(option: str, name: str, header: list[str], where: str) -> None:
    if header.count(name) != 1:
        found = "no such column" if name not in header else "more than one such column"
        raise InputError(f"{option} {name}: {found} in {where}, which has {', '.join(header)}")
