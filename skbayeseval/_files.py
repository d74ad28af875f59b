"""Files that are written whole or not at all, and archives of arrays and a JSON header.

An archive is an npz file with a checksum, which numpy can read without pickle. The checksum tells a
file that was damaged, or written by something else; who makes one for a file of their own can write
any numbers, but nothing that is run.
"""

from __future__ import annotations

import errno
import io
import json
import math
import os
import stat
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import fields, is_dataclass
from hashlib import sha256
from secrets import token_hex
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from skbayeseval._arrays import in_short

# The kinds of arrays: booleans, numbers and strings.
KINDS = "biufU"

# What stands for values that JSON does not know.
ARRAY, SPARSE, TUPLE, DICT = "<array>", "<sparse>", "<tuple>", "<dict>"
FLOAT, NUMPY, RECORD = "<float>", "<numpy>", "<record>"

# The member that has the checksum of all others.
CHECKSUM = "checksum"

Arrays = dict[str, NDArray[Any]]


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
            with open(temporary, "rb+") as file:
                os.fsync(file.fileno())
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


def encode(value: Any, arrays: Arrays) -> Any:
    """Return a value as JSON knows it; arrays are moved to `arrays` and replaced by their names."""
    if isinstance(value, np.ndarray) and value.dtype.kind in KINDS:
        name = f"array_{len(arrays)}"
        arrays[name] = value
        return {ARRAY: name}
    if isinstance(value, np.generic) and (
        value.dtype.kind in "biuU" or value.dtype.char in "efd"  # no loss in a Python scalar
    ):
        return {NUMPY: [value.dtype.str, encode(value.item(), arrays)]}
    if isinstance(value, float) and not math.isfinite(value):
        return {FLOAT: str(float(value))}
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if is_record(value):
        content = encode(_fields(value), arrays)
        return {RECORD: [getattr(value, "saved_as", type(value).__name__), content]}
    if sparse.issparse(value):
        entries = value.tocoo()
        parts = [entries.data, entries.row, entries.col, entries.shape]
        return {SPARSE: encode(parts, arrays)}
    if isinstance(value, tuple):
        return {TUPLE: [encode(one, arrays) for one in value]}
    if isinstance(value, list):
        return [encode(one, arrays) for one in value]
    if isinstance(value, Mapping):
        if all(type(key) is str and not key.startswith("<") for key in value):
            return {key: encode(one, arrays) for key, one in value.items()}
        items = [[encode(key, arrays), encode(one, arrays)] for key, one in value.items()]
        return {DICT: items}
    raise TypeError(f"{value!r} is of type {type(value).__name__}")


def decode(
    value: Any, arrays: Mapping[str, NDArray[Any]], classes: Mapping[str, type] | None = None
) -> Any:
    """Invert `encode`; `classes` are those of the records, by their names."""

    def decoded(part: Any) -> Any:
        return decode(part, arrays, classes)

    if isinstance(value, list):
        return [decoded(part) for part in value]
    if not isinstance(value, dict):
        return value
    tag = next(iter(value), "")
    if len(value) != 1 or not tag.startswith("<"):
        return {key: decoded(part) for key, part in value.items()}
    content = value[tag]
    if tag == RECORD and classes is not None and content[0] in classes:
        return classes[content[0]](**decoded(content[1]))
    if tag == SPARSE:
        data, rows, columns, shape = decoded(content)
        return sparse.csr_matrix((data, (rows, columns)), shape)
    if tag == ARRAY:
        return arrays[content]
    if tag == FLOAT:
        return float(content)
    if tag == TUPLE:
        return tuple([decoded(part) for part in content])
    if tag == DICT:
        return {decoded(key): decoded(part) for key, part in content}
    if tag == NUMPY:
        return np.dtype(content[0]).type(decoded(content[1]))
    raise ValueError(f"its header contains {in_short(value)}, which has no meaning.")


def is_record(value: Any) -> bool:
    """Return whether a value has named fields: a dataclass or a named tuple."""
    return is_dataclass(value) or (isinstance(value, tuple) and hasattr(value, "_fields"))


def _fields(record: Any) -> dict[str, Any]:
    """Return the fields of a record, but for those that it does not save."""
    names = [field.name for field in fields(record)] if is_dataclass(record) else record._fields
    return {
        name: getattr(record, name) for name in names if name not in getattr(record, "unsaved", ())
    }


def storable(value: Any) -> Any:
    """Return a value in which `encode` can store everything: other objects become their repr."""
    if isinstance(value, (list, tuple)):
        found = [storable(one) for one in value]
        return found if isinstance(value, list) else tuple(found)
    if isinstance(value, Mapping):
        return {storable(key): storable(one) for key, one in value.items()}
    try:
        encode(value, {})
    except TypeError:
        return repr(value)
    return value


def plain(value: Any) -> Any:
    """Return a value with lists for arrays and tuples, and None for what is not finite."""
    if isinstance(value, (np.ndarray, np.generic)):
        return plain(value.tolist())
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if is_record(value):
        return plain({"kind": type(value).__name__} | _fields(value))
    if sparse.issparse(value):
        return plain(value.toarray())
    if isinstance(value, Mapping):
        return {key if isinstance(key, str) else str(key): plain(one) for key, one in value.items()}
    return [plain(one) for one in value] if isinstance(value, (list, tuple)) else value


def write_archive(
    path: str | os.PathLike[str], header: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]
) -> None:
    """Write an archive, or leave what is at `path` as it is."""
    checksum = sha256()
    header_and_arrays = {"header": np.array(json.dumps(header, allow_nan=False)), **arrays}
    with written_whole(path) as temporary, zipfile.ZipFile(temporary, "w") as archive:
        for name, values in header_and_arrays.items():
            content = io.BytesIO()
            np.save(content, values, allow_pickle=False)
            archive.writestr(f"{name}.npy", content.getvalue())
            checksum.update(f"{name}.npy".encode() + content.getvalue())
        archive.writestr(CHECKSUM, checksum.hexdigest())


def read_archive(path: str | os.PathLike[str]) -> tuple[dict[str, Any], Arrays]:
    """Return the header and the arrays, which are looked at only if the checksum fits.

    Raises
    ------
    ValueError
        If the file is not such an archive, or was changed after it was written.
    """
    with open(check_path(path), "rb") as file:
        try:
            archive = zipfile.ZipFile(file)
        except zipfile.BadZipFile as error:
            raise ValueError("it is not a zip archive, or not a whole one.") from error
        with archive:
            members = archive.infolist()
            if sum(member.file_size for member in members) > os.fstat(file.fileno()).st_size:
                raise ValueError("its members are larger than the file.")
            contents = {member.filename: archive.read(member) for member in members}
    written = contents.pop(CHECKSUM, b"").decode("ascii", "replace")
    checksum = sha256()
    for name, content in contents.items():
        checksum.update(name.encode() + content)
    if written != checksum.hexdigest():
        raise ValueError("it was changed after it was written, or written by something else.")
    arrays = {
        name.removesuffix(".npy"): np.load(io.BytesIO(content), allow_pickle=False)
        for name, content in contents.items()
    }
    for array in arrays.values():
        array.flags.writeable = False
    return json.loads(str(arrays.pop("header"))), arrays
