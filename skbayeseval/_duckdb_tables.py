"""Tables that DuckDB reads: Parquet and other files, and relations."""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from skbayeseval._arrays import in_short
from skbayeseval._text_tables import SEPARATORS

__all__ = ["open_table", "quoted"]

TEXT = (".csv", ".tsv", ".txt")
PARQUET = (".parquet", ".pq")


@contextmanager
def open_table(source: Any, *, argument: str = "source") -> Iterator[Any]:
    """Give the DuckDB relation of a file, of the files that a pattern matches, or of itself.

    Cells of CSV files are text, so that 007 and 7 differ. Errors of DuckDB become ValueErrors, and
    files that are not there FileNotFoundErrors. Nothing is downloaded: not what a path names, nor
    extensions of DuckDB.
    """
    try:
        import duckdb
    except ImportError as error:
        raise ImportError(
            "Tables are read by DuckDB, which is not installed: pip install 'skbayeseval[duckdb]'."
        ) from error
    if isinstance(source, duckdb.DuckDBPyRelation):
        with _errors_of(duckdb, "the relation"):
            yield source
        return
    if not isinstance(source, (str, os.PathLike)):
        raise TypeError(
            f"{argument} must be the path of a file, a pattern such as 'part-*.parquet', or a "
            f"DuckDB relation, such as duckdb.sql('SELECT ...'), got {in_short(source)}. Arrays "
            "are compared by compare_predictions."
        )
    path = os.fspath(source)
    if re.match(r"[A-Za-z][A-Za-z0-9+.-]*://", path):
        raise ValueError(
            f"{argument}={path!r} is an address, but only files are read. Pass a DuckDB relation "
            "made with your own connection, such as connection.read_parquet(...)."
        )
    # No extension is downloaded, and no variable of Python is taken for a table.
    config = {"autoinstall_known_extensions": "false", "python_enable_replacements": "false"}
    with duckdb.connect(config=config) as connection, _errors_of(duckdb, path):
        yield _relation_of_files(connection, path)


def quoted(column: str) -> str:
    """Return a column name as SQL writes it, whatever it contains."""
    return '"' + column.replace('"', '""') + '"'


def _relation_of_files(connection: Any, path: str) -> Any:
    name = re.sub(r"\.(gz|zst)$", "", path.lower())
    if name.endswith(TEXT):
        return _relation_of_text(connection, path)
    if name.endswith(PARQUET):
        return connection.read_parquet(path)
    return connection.sql(f"SELECT * FROM {_literal(path)}")  # DuckDB knows others by the name


def _relation_of_text(connection: Any, path: str) -> Any:
    """Return the relation of CSV files, all of whose lines must fit the header.

    Left to itself, DuckDB looks for a form that fits most lines and skips the first ones that do
    not fit.
    """
    import duckdb

    def table(separator: str, header: str) -> Any:
        return connection.sql(
            f"SELECT * FROM read_csv({_literal(path)}, delim={_literal(separator)}, "
            f"header={header}, all_varchar=true, quote='\"', escape='\"', comment='', skip=0)"
        )

    def header_of(separator: str) -> tuple[str, ...]:
        try:
            rows = table(separator, "false").limit(1).fetchall()
        except duckdb.Error:  # lines of different lengths
            return ()
        return rows[0] if rows else ()

    separator = max(SEPARATORS, key=lambda one: len(header_of(one)))
    header = header_of(separator)
    twice = [column for i, column in enumerate(header) if column in header[:i]]
    if twice:
        raise ValueError(f"{path} has more than one column {twice[0]!r}: {list(header)}.")
    return table(separator, "true")


def _literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


@contextmanager
def _errors_of(duckdb: Any, name: str) -> Iterator[None]:
    try:
        yield
    except duckdb.Error as error:
        message = " ".join(str(error).split())
        if "No files found" in message:
            raise FileNotFoundError(errno.ENOENT, "No such file", name) from error
        raise ValueError(f"DuckDB cannot read {name}: {message}") from error
