"""Records of a file, one after the other: JSON Lines, a JSON array, or a CSV table."""

from __future__ import annotations

import gzip
import io
import json
import zlib
from collections.abc import Iterator
from os import PathLike
from typing import IO, Any, NamedTuple

from skbayeseval._files import check_path
from skbayeseval._text_tables import text_table_in_parts

__all__ = ["Record", "read_records"]

GZIP = b"\x1f\x8b"


class Record(NamedTuple):
    """One record.

    Attributes
    ----------
    kind : str
        What a record of this file is called: "line", "element" (of an array) or "row" (below the
        header of a table).
    number : int
        The number of the record in the file, from 1.
    values : dict of str to object
        What it contains, by name. In tables, all is text, and None where a cell is empty.
    """

    kind: str
    number: int
    values: dict[str, Any]

    @property
    def place(self) -> str:
        """Where the record is, such as "line 3"."""
        return f"{self.kind} {self.number}"


def read_records(path: str | PathLike[str]) -> Iterator[Record]:
    """Yield the records of a file in UTF-8, which may be compressed by gzip.

    JSON is told from tables by the first character. Only arrays are in memory as a whole.
    """
    name = check_path(path)
    with open(path, "rb") as file:
        raw: IO[bytes] = file if file.seekable() else io.BytesIO(file.read())  # a pipe
        is_compressed = raw.read(len(GZIP)) == GZIP
        raw.seek(0)
        unpacked: Any = gzip.GzipFile(fileobj=raw) if is_compressed else raw
        text = io.TextIOWrapper(unpacked, encoding="utf-8-sig")
        try:
            first = _first_character(text)
            if first == "{":
                yield from _lines(text, name)
            elif first == "[":
                yield from _elements(text, name)
            elif first:
                yield from _rows(text, name)
        except UnicodeDecodeError as error:
            raise ValueError(f"{name} is not a text file in UTF-8: {error}.") from error
        except (EOFError, gzip.BadGzipFile, zlib.error) as error:
            raise ValueError(f"{name} is a damaged gzip file: {error}") from error


def _first_character(text: IO[str]) -> str:
    """Return the first character that is no space, and rewind."""
    first = ""
    while not first.strip():
        first = text.read(1)
        if not first:
            break
    text.seek(0)
    return first


def _lines(text: IO[str], name: str) -> Iterator[Record]:
    for number, line in enumerate(text, start=1):
        if line.strip():
            values = _parsed(line, f"line {number} of {name}")
            yield Record("line", number, _check_object(values, f"line {number} of {name}"))


def _elements(text: IO[str], name: str) -> Iterator[Record]:
    for number, values in enumerate(_parsed(text.read(), name), start=1):
        yield Record("element", number, _check_object(values, f"element {number} of {name}"))


def _rows(text: IO[str], name: str) -> Iterator[Record]:
    header: list[str] | None = None
    number = 0
    for part in text_table_in_parts(text, name, n_rows=1_000):  # cells may be long
        cells = part.astype(object).where(part.notna(), None)
        for row in cells.itertuples(index=False, name=None):
            if header is None:
                header = ["" if cell is None else cell for cell in row]
                _check_header(header, name)
                continue
            number += 1
            yield Record("row", number, dict(zip(header, row, strict=True)))


def _check_header(header: list[str], name: str) -> None:
    twice = [column for i, column in enumerate(header) if column in header[:i]]
    if twice:
        raise ValueError(f"{name} has more than one column {twice[0]!r}: {', '.join(header)}.")


def _parsed(text: str, where: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{where} is not valid JSON: {error}") from error


def _check_object(values: Any, where: str) -> dict[str, Any]:
    if not isinstance(values, dict):
        raise ValueError(
            f"{where} must be a JSON object, such as {{'id': 1, 'score': 0.5}}, got "
            f"{type(values).__name__}."
        )
    return values
