"""Tables of files, whose cells are read as text."""

from __future__ import annotations

import errno
import glob
import io
import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import IO, Any

import pandas as pd

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


def parquet_table(path: str) -> pd.DataFrame:
    """Return all cells of a Parquet file as text; those that are missing are empty."""
    try:
        table = pd.read_parquet(path, dtype_backend="numpy_nullable")
    except ImportError as error:
        raise ImportError(
            f"pyarrow reads {path}, but is not installed: pip install 'skbayeseval[parquet]'."
        ) from error
    except OSError:
        raise
    except Exception as error:  # pyarrow may raise any of its own
        raise ValueError(f"{path} cannot be read as a Parquet table: {error}") from error
    return table.astype("string").fillna("")


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
