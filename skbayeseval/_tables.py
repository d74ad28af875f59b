"""Tables of files."""

from __future__ import annotations

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


@contextmanager
def reading(name: str, what: str) -> Iterator[None]:
    """Make a ValueError of any error about the content of a file, as decoders raise many kinds."""
    try:
        yield
    except (OSError, ImportError):
        raise
    except Exception as error:
        raise ValueError(f"{name} cannot be read as {what}: {error}") from error


def text_table(source: str | IO[Any], name: str) -> pd.DataFrame:
    """Return the cells below the header as text; "" in the header, but nowhere else, is a value.

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
    with reading(name, "a CSV table"):
        separator = max(SEPARATORS, key=lambda one: _n_columns(source, one))
        cells = pd.read_csv(source, sep=separator, **AS_TEXT)
    return cells.iloc[1:].set_axis(cells.iloc[0].fillna("").to_list(), axis=1)


def _n_columns(source: str | IO[Any], separator: str) -> int:
    """Return the number of columns of the header if it had this separator."""
    header = pd.read_csv(source, sep=separator, nrows=1, **AS_TEXT)
    if not isinstance(source, str):
        source.seek(0)
    return header.shape[1]


def parquet_table(path: str, **options: Any) -> pd.DataFrame:
    """Return a Parquet file, as pandas reads it with these options."""
    try:
        with reading(path, "a Parquet table"):
            return pd.read_parquet(os.path.abspath(path), engine="pyarrow", **options)
    except ImportError as error:
        raise ImportError(
            f"pyarrow reads {path}, but is not installed: pip install 'skbayeseval[parquet]'."
        ) from error


def check_different(columns: Sequence[str], name: str) -> None:
    """Raise if a table has several columns of the same name."""
    twice = [column for i, column in enumerate(columns) if column in columns[:i]]
    if twice:
        raise ValueError(f"{name} has more than one column {twice[0]!r}: {', '.join(columns)}.")
