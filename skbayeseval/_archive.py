"""Archives of arrays and a JSON header, which are checked before they are read.

An archive is an npz file, which numpy can read without pickle. Members are not compressed, so what
is read is never larger than the file. The header lists every array with its type, shape and
checksum, and has a checksum of its own.
"""

from __future__ import annotations

import json
import math
import os
import zipfile
from collections.abc import Mapping
from hashlib import sha256
from types import TracebackType
from typing import IO, Any, NoReturn, Self

import numpy as np
from numpy.typing import NDArray

from skbayeseval._files import check_path, written_whole

__all__ = [
    "ArchiveReader",
    "decode",
    "encode",
    "plain",
    "storable",
    "write_archive",
]


ARRAY, TUPLE, DICT, FLOAT, NUMPY = "<array>", "<tuple>", "<dict>", "<float>", "<numpy>"


# Non-finite numbers by their texts.
_FLOATS = {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}


Arrays = dict[str, NDArray[Any]]


def encode(value: Any, arrays: Arrays) -> Any:
    """Return a value as JSON knows it; arrays are moved to `arrays` and replaced by their names."""
    if isinstance(value, np.ndarray) and value.dtype.kind in "biufU":
        name = f"array_{len(arrays)}"
        arrays[name] = value
        return {ARRAY: name}
    if _is_numpy_scalar(value):
        return {NUMPY: [value.dtype.str, encode(value.item(), arrays)]}
    if isinstance(value, float) and not math.isfinite(value):
        return {FLOAT: str(float(value))}
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
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


def decode(value: Any, arrays: Mapping[str, NDArray[Any]]) -> Any:
    """Invert `encode`."""
    if isinstance(value, list):
        return [decode(one, arrays) for one in value]
    if not isinstance(value, dict):
        return value
    tag = next(iter(value), "")
    if len(value) != 1 or not tag.startswith("<"):
        return {key: decode(one, arrays) for key, one in value.items()}
    content = value[tag]
    if tag == ARRAY and content in arrays:
        return arrays[content]
    if tag == FLOAT and content in _FLOATS:
        return _FLOATS[content]
    if tag == TUPLE:
        return tuple([decode(one, arrays) for one in content])
    if tag == DICT:
        return {decode(key, arrays): decode(one, arrays) for key, one in content}
    if tag == NUMPY:
        dtype, item = content
        return np.array(decode(item, arrays), dtype=dtype)[()]
    raise ValueError(f"its header contains {value}, which has no meaning.")


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
    if isinstance(value, Mapping):
        return {key if isinstance(key, str) else str(key): plain(one) for key, one in value.items()}
    return [plain(one) for one in value] if isinstance(value, (list, tuple)) else value


def _is_numpy_scalar(value: Any) -> bool:
    """Return whether a value is a numpy scalar that a Python scalar holds without loss."""
    return isinstance(value, np.generic) and (
        value.dtype.kind in "biuU" or value.dtype.char in "efd"
    )


# Booleans, numbers and strings.
KINDS = "biufU"


# The members that are no data.
HEADER, CHECKSUM = "header", "checksum"


def write_archive(
    path: str | os.PathLike[str], header: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]
) -> None:
    """Write an archive, or leave what is at `path` as it is."""
    contents = {name: np.asarray(values, order="C") for name, values in arrays.items()}
    listed = {name: _listed(values) for name, values in contents.items()}
    text = json.dumps({**header, "arrays": listed}, allow_nan=False)
    members: dict[str, Any] = {
        HEADER: np.array(text),
        CHECKSUM: np.array(_checksum(text.encode())),
        **contents,
    }
    with written_whole(path) as temporary, open(temporary, "wb") as file:
        np.savez(file, **members)


class ArchiveReader:
    """An archive that is open for reading; to be used in a ``with`` statement.

    Raises a ValueError if the file is not such an archive, or was changed after it was written.

    Attributes
    ----------
    header : dict
        The header, without the list of arrays.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._file = open(check_path(path), "rb")  # noqa: SIM115 (closed by __exit__)
        try:
            self._archive = _open_archive(self._file)
            self._members = _members(self._archive, os.fstat(self._file.fileno()).st_size)
            text = self._text(HEADER)
            if self._text(CHECKSUM) != _checksum(text.encode()):
                raise ValueError("its header was changed after it was written.")
            self.header = json.loads(text, parse_constant=_refuse)
            if not isinstance(self.header, dict) or not isinstance(
                self.header.get("arrays", {}), dict
            ):
                raise ValueError("its header is not a JSON object with a list of arrays.")
            self._listed = self.header.pop("arrays", {})
        except BaseException:
            self._file.close()
            raise

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return the arrays that the header lists; other members are not read."""
        return {name: self._read(name) for name in self._listed}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._archive.close()
        self._file.close()

    def _read(self, name: str) -> NDArray[Any]:
        array = self._array(name)
        if _listed(array) != self._listed[name]:
            raise ValueError(f"array {name!r} is not the one that its header lists.")
        return array

    def _text(self, name: str) -> str:
        array = self._array(name)
        if array.dtype.kind != "U" or array.shape != ():
            raise ValueError(f"member {name!r} is not a text.")
        return str(array)

    def _array(self, name: str) -> NDArray[Any]:
        """Return an array, after comparing the size that it claims with that of its member."""
        if name not in self._members:
            raise ValueError(f"it has no member {name!r}.")
        info = self._members[name]
        with self._archive.open(info) as member:
            shape, in_columns, dtype = _read_array_header(member)
            if dtype.hasobject or dtype.kind not in KINDS:
                raise ValueError(f"member {name!r} has values of type {dtype}.")
            size = math.prod(shape) * dtype.itemsize
            if min(shape, default=0) < 0 or size != info.file_size - member.tell():
                raise ValueError(f"member {name!r} does not have the size of its shape {shape}.")
            values = np.frombuffer(member.read(), dtype=dtype)
        return values.reshape(shape, order="F" if in_columns else "C")


def _open_archive(file: IO[bytes]) -> zipfile.ZipFile:
    try:
        return zipfile.ZipFile(file)
    except zipfile.BadZipFile as error:
        raise ValueError("it is not a zip archive, or not a whole one.") from error


def _members(archive: zipfile.ZipFile, size: int) -> dict[str, zipfile.ZipInfo]:
    """Return the members by name; raise if they are larger than the file that holds them."""
    found: dict[str, zipfile.ZipInfo] = {}
    for info in archive.infolist():
        name = info.filename.removesuffix(".npy")
        if name in found:
            raise ValueError(f"it has several members {name!r}.")
        if info.compress_type != zipfile.ZIP_STORED or info.file_size != info.compress_size:
            raise ValueError(
                f"member {name!r} is compressed. Files of this version are not; those of earlier "
                "versions, which are, cannot be read."
            )
        found[name] = info
    if sum(info.file_size for info in found.values()) > size:
        raise ValueError("its members are larger than the file.")
    return found


def _read_array_header(member: IO[bytes]) -> tuple[tuple[int, ...], bool, np.dtype[Any]]:
    version = np.lib.format.read_magic(member)
    if version == (1, 0):
        return np.lib.format.read_array_header_1_0(member)
    return np.lib.format.read_array_header_2_0(member)


def _listed(array: NDArray[Any]) -> dict[str, Any]:
    """Return what the header says of an array."""
    return {
        "dtype": array.dtype.str,
        "shape": list(array.shape),
        "sha256": _checksum(np.ascontiguousarray(array)),
    }


def _checksum(contents: Any) -> str:
    return sha256(contents).hexdigest()


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"its header contains {constant}, which is not JSON.")
