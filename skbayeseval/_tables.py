"""Tables of files."""

from __future__ import annotations

import io
import os
import re
from collections.abc import Sequence
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


def parquet_table(path: str, **options: Any) -> pd.DataFrame:
    """Return a Parquet file, as pandas reads it with these options."""
    try:
        return pd.read_parquet(os.path.abspath(path), engine="pyarrow", **options)
    except ImportError as error:
        raise ImportError(
            f"pyarrow reads {path}, but is not installed: pip install 'skbayeseval[parquet]'."
        ) from error
    except OSError:
        raise
    except Exception as error:  # pyarrow may raise any of its own
        raise ValueError(f"{path} cannot be read as a Parquet table: {error}") from error


def check_different(columns: Sequence[str], name: str) -> None:
    """Raise if a table has several columns of the same name."""
    twice = [column for i, column in enumerate(columns) if column in columns[:i]]
    if twice:
        raise ValueError(f"{name} has more than one column {twice[0]!r}: {', '.join(columns)}.")
