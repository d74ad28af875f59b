"""Tables of text, which pandas reads, and large ones, which DuckDB reads: also Parquet."""

from __future__ import annotations

import errno
import glob
import io
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import takewhile
from typing import IO, Any

import pandas as pd

from skbayeseval._arrays import in_short

SEPARATORS = (",", "\t", ";")

# How a table is read: all cells as text, of which only empty ones are missing. With a header of its
# own, pandas would make an index of the first column where lines are longer than the header.
AS_TEXT: dict[str, Any] = {
    "header": None,
    "dtype": str,
    "keep_default_na": False,
    "na_values": [""],
}

# What else than an empty cell is a missing score.
HOLES = ("", "-", "na", "n/a", "nan")

TEXT = (".csv", ".tsv", ".txt")
PARQUET = (".parquet", ".pq")
_SIGNED = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT")
WHOLE = (*_SIGNED, *(f"U{name}" for name in _SIGNED))


def text_table(source: str | IO[Any], name: str) -> pd.DataFrame:
    """Return all cells as text, the header in the first row; only empty cells are missing.

    Parameters
    ----------
    source : str or file object
        The path of a file, which may be compressed, or a file object that can be rewound.
    name : str
        What errors call the source.
    """
    if isinstance(source, str):
        if re.match(r"[A-Za-z][A-Za-z0-9+.:-]*://", source):
            raise ValueError(f"{source} is an address, but only files are read. Download it first.")
        source = os.path.abspath(source)  # pandas takes no absolute path for an address
        if os.path.exists(source) and not os.path.isfile(source):  # a pipe is read only once
            with open(source, "rb") as stream:
                source = io.BytesIO(stream.read())
    try:
        separator = max(SEPARATORS, key=lambda one: _n_columns(source, one))
        return pd.read_csv(source, sep=separator, **AS_TEXT)
    except OSError:
        raise
    except Exception as error:  # pandas may raise any exception of its decoders
        raise ValueError(f"{name} cannot be read as a CSV table: {error}") from error


def _n_columns(source: str | IO[Any], separator: str) -> int:
    """Return the number of columns of the header if it had this separator."""
    header = pd.read_csv(source, sep=separator, nrows=1, **AS_TEXT)
    if not isinstance(source, str):
        source.seek(0)
    return header.shape[1]


@contextmanager
def open_table(source: Any, columns: Iterable[Any]) -> Iterator[Any]:
    """Give the DuckDB relation of a file, of the files that a pattern matches, or of itself.

    Cells of CSV files are text, so that 007 and 7 differ. Each of the `columns` that will be asked
    for must have the same type in all Parquet files of a pattern: left to itself, DuckDB converts
    what it reads to the type in the first file, 0.3 to 0. Nothing is downloaded: not what a path
    names, nor extensions of DuckDB.
    """
    is_path = isinstance(source, (str, os.PathLike))
    path = os.fspath(source) if is_path else "the relation"
    with connected(path) as connection:
        import duckdb

        name = re.sub(r"\.(gz|zst)$", "", path.lower())
        if isinstance(source, duckdb.DuckDBPyRelation):
            yield source
        elif not is_path:
            raise TypeError(
                f"source must be the path of a file, a pattern such as 'part-*.parquet', or a "
                f"DuckDB relation, such as duckdb.sql('SELECT ...'), got {in_short(source)}. "
                "Arrays are compared by compare_predictions."
            )
        elif re.match(r"[A-Za-z][A-Za-z0-9+.-]*://", path):
            raise ValueError(
                f"{path} is an address, but only files are read. Pass a DuckDB "
                "relation made with your own connection, such as connection.read_parquet(...)."
            )
        elif name.endswith(TEXT):
            yield _relation_of_text(connection, path)
        elif name.endswith(PARQUET):
            _check_types(connection, path, columns)
            yield connection.read_parquet(path, union_by_name=True)
        else:  # DuckDB knows others by the name
            yield connection.sql(f"SELECT * FROM {_literal(path)}")


@contextmanager
def connected(path: str) -> Iterator[Any]:
    """Give a connection of DuckDB to read a file with, of which errors are about this file.

    They are ValueErrors, and FileNotFoundErrors if it is not there.
    """
    try:
        import duckdb
    except ImportError as error:
        raise ImportError(
            f"DuckDB reads {path}, but is not installed: pip install 'skbayeseval[duckdb]'."
        ) from error
    # No extension is downloaded, and no variable of Python is taken for a table.
    config = {"autoinstall_known_extensions": "false", "python_enable_replacements": "false"}
    with duckdb.connect(config=config) as connection:
        try:
            yield connection
        except duckdb.Error as error:
            message = " ".join(str(error).split())
            if "No files found" in message:
                raise FileNotFoundError(errno.ENOENT, "No such file", path) from error
            raise ValueError(f"DuckDB cannot read {path}: {message}") from error


def quoted(column: str) -> str:
    """Return a column name as SQL writes it, whatever it contains."""
    return '"' + column.replace('"', '""') + '"'


def check_different(columns: Sequence[str], name: str) -> None:
    """Raise if a table has several columns of the same name."""
    twice = [column for i, column in enumerate(columns) if column in columns[:i]]
    if twice:
        raise ValueError(f"{name} has more than one column {twice[0]!r}: {', '.join(columns)}.")


def columns_of_parquet(connection: Any, path: str) -> list[str]:
    """Return the names of the columns of a Parquet file, which DuckDB changes if they are the same.

    Raise if another file follows, whose directory would be read with the data of the first.
    """
    pattern = [glob.escape(path)]
    first_page = "least(coalesce(dictionary_page_offset, data_page_offset), data_page_offset)"
    sql = f"SELECT max({first_page} + total_compressed_size) FROM parquet_metadata(?)"
    (end_of_data,) = connection.execute(sql, pattern).fetchone()
    with open(path, "rb") as file:
        file.seek(end_of_data or 0)
        if b"PAR1PAR1" in file.read():
            raise ValueError(f"{path} is more than one Parquet table. Pass one per file.")
    sql = "SELECT name, num_children FROM parquet_schema(?)"
    columns, n_inside = [], 0  # after the root, each column is followed by what is inside of it
    for name, n_children in connection.execute(sql, pattern).fetchall()[1:]:
        if not n_inside:
            columns.append(name)
        n_inside += (n_children or 0) - bool(n_inside)
    return columns


def _check_types(connection: Any, path: str, columns: Iterable[Any]) -> None:
    """Raise if a column has different types in Parquet files; whole numbers are of one kind."""
    first: dict[str, tuple[str, str]] = {}
    names = {str(column).lower() for column in columns}  # to DuckDB, y and Y are one column
    for file in _files(connection, path):
        part, header = connection.read_parquet(file), columns_of_parquet(connection, file)
        check_different([one for one in header if one.lower() in names], file)
        for column, kind in zip(part.columns, map(str, part.types), strict=True):
            if column.lower() not in names:
                continue
            other, where = first.setdefault(column.lower(), (kind, file))
            if kind != other and not {kind, other}.issubset(WHOLE):
                raise ValueError(
                    f"Column {column!r} has the type {other} in {where}, but {kind} in {file}. "
                    "Labels 7 and '007', or 0 and 0.3, cannot be told apart once they are "
                    "converted. Write the files with one type, or pass a DuckDB relation that "
                    "converts the column as you mean it."
                )


def _files(connection: Any, path: str) -> list[str]:
    """Return the files that a pattern matches."""
    return [row[0] for row in connection.sql(f"SELECT file FROM glob({_literal(path)})").fetchall()]


def _n_empty_lines(connection: Any, path: str) -> int:
    """Return how many lines without text precede the header of CSV files."""
    counts: dict[str, int] = {}
    for file in _files(connection, path):
        lines = connection.sql(
            f"SELECT line FROM read_csv({_literal(file)}, delim='\x1f', header=false, quote='', "
            "escape='', comment='', auto_detect=false, columns={'line': 'VARCHAR'})"
        )
        blank = takewhile(lambda row: not (row[0] or "").strip(), lines.limit(1000).fetchall())
        counts[file] = len(list(blank))
    if len(set(counts.values())) > 1:
        file = max(counts, key=lambda one: counts[one])
        raise ValueError(
            f"{file} begins with {counts[file]} empty lines, other files of {path} with fewer. "
            "Remove them: the first line must be the header."
        )
    return max(counts.values(), default=0)


def _relation_of_text(connection: Any, path: str) -> Any:
    """Return the relation of CSV files, all of whose lines must fit the header.

    Left to itself, DuckDB looks for a form that fits most lines and skips the first ones that do
    not fit.
    """
    import duckdb

    n_empty_lines = _n_empty_lines(connection, path)

    def table(separator: str, header: str) -> Any:
        return connection.sql(
            f"SELECT * FROM read_csv({_literal(path)}, delim={_literal(separator)}, "
            f"header={header}, all_varchar=true, quote='\"', escape='\"', comment='', "
            f"skip={n_empty_lines})"
        )

    def header_of(separator: str) -> tuple[str, ...]:
        try:
            rows = table(separator, "false").limit(1).fetchall()
        except duckdb.Error:  # lines of different lengths
            return ()
        return rows[0] if rows else ()

    separator = max(SEPARATORS, key=lambda one: len(header_of(one)))
    header = header_of(separator)
    check_different(header, path)
    return table(separator, "true")


def _literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
