"""Tables of text: CSV files, and files whose columns are separated by tabs or semicolons."""

from __future__ import annotations

import io
import os
import re
from collections.abc import Iterator
from typing import IO, Any

import pandas as pd

__all__ = ["text_table", "text_table_in_parts"]

SEPARATORS = (",", "\t", ";")

# How a table is read: all cells as text, of which only empty ones are missing. With a header of its
# own, pandas would make an index of the first column where lines are longer than the header.
AS_TEXT: dict[str, Any] = {
    "header": None,
    "dtype": str,
    "keep_default_na": False,
    "na_values": [""],
}


def text_table(source: str | IO[Any], name: str) -> pd.DataFrame:
    """Return all cells as text, the header in the first row; only empty cells are missing.

    Parameters
    ----------
    source : str or file object
        The path of a file, which may be compressed, or a file object that can be rewound.
    name : str
        What errors call the source.
    """
    return pd.concat(text_table_in_parts(source, name))


def text_table_in_parts(
    source: str | IO[Any], name: str, *, n_rows: int = 100_000
) -> Iterator[pd.DataFrame]:
    """Yield the rows of `text_table` in parts of at most `n_rows`."""
    if isinstance(source, str):
        if re.match(r"[A-Za-z][A-Za-z0-9+.:-]*://", source):
            raise ValueError(f"{source} is an address, but only files are read. Download it first.")
        source = os.path.abspath(source)  # pandas takes no absolute path for an address
        if os.path.exists(source) and not os.path.isfile(source):  # a pipe is read only once
            with open(source, "rb") as stream:
                source = io.BytesIO(stream.read())
    try:
        separator = max(SEPARATORS, key=lambda one: _n_columns(source, one))
        with pd.read_csv(source, sep=separator, chunksize=n_rows, **AS_TEXT) as parts:
            yield from parts
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
