"""Files that are written whole or not at all."""

from __future__ import annotations

import errno
import io
import os
import re
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from secrets import token_hex
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


def check_path(path: Any) -> str:
    """Return the path of a file as text; raise if it cannot be one."""
    if not isinstance(path, (str, os.PathLike)) or not isinstance(os.fspath(path), str):
        raise TypeError(f"path must be the path of a file, got {in_short(path)}.")
    if not os.fspath(path) or "\0" in os.fspath(path):
        raise ValueError(f"path must be the path of a file, got {in_short(path)}.")
    return os.fspath(path)


@contextmanager
def written_whole(path: str | os.PathLike[str]) -> Iterator[str]:
    """Give the path of a temporary file that takes the place of `path` when the block ends.

    The temporary file is in the same folder and has the same extension. If the block fails, it is
    removed, and what was at `path` is still there. A link stays a link: the file that it refers to
    is replaced. Permissions are those of the replaced file, or those of any new file. What is not a
    regular file, such as a pipe or a device, is written directly.
    """
    target = os.path.realpath(check_path(path))
    try:
        former = os.stat(target)
    except FileNotFoundError:
        former = None
    if former is not None and stat.S_ISDIR(former.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), os.fspath(path))
    if former is not None and not stat.S_ISREG(former.st_mode):
        with _named(path):
            yield os.fspath(path)
        return
    if former is not None and not os.access(target, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), os.fspath(path))
    folder, extension = os.path.dirname(target), os.path.splitext(target)[1]
    temporary = os.path.join(folder, f".skbayeseval-{token_hex(8)}{extension}")
    with _named(path, temporary):
        try:
            with open(temporary, "xb"):
                pass
            yield temporary
            _flush_to_disk(temporary)
            if former is not None:
                os.chmod(temporary, stat.S_IMODE(former.st_mode))
            os.replace(temporary, target)
        except BaseException:  # Ctrl-C as well
            with suppress(OSError):
                os.unlink(temporary)
            raise


def save_figure(figure: Any, path: str | os.PathLike[str]) -> str:
    """Save a matplotlib figure, and return its path, with an extension if it had none."""
    path = check_path(path)
    if not os.path.splitext(path)[1]:
        path = f"{path.rstrip('.')}.{figure.canvas.get_default_filetype()}"
    with written_whole(path) as temporary:
        figure.savefig(temporary, dpi=150, format=os.path.splitext(path)[1][1:])
    return path


def check_place(path: str | os.PathLike[str]) -> None:
    """Raise, before anything is computed, if no file can be written to `path`."""
    with suppress(_NothingToWriteError), written_whole(path):
        raise _NothingToWriteError


class _NothingToWriteError(Exception):
    pass


@contextmanager
def _named(path: str | os.PathLike[str], temporary: str | None = None) -> Iterator[None]:
    """Let errors of the system, such as a full disk, name the file that the user asked for."""
    try:
        yield
    except OSError as error:
        if error.errno is None or error.filename not in (None, temporary):
            raise
        raise OSError(error.errno, error.strerror, os.fspath(path)) from error


def _flush_to_disk(path: str) -> None:
    descriptor = os.open(path, os.O_RDWR)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
