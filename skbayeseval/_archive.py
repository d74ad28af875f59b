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
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skbayeseval._files import check_path, written_whole

# The kinds of arrays: booleans, numbers and strings.
KINDS = "biufU"

# What stands for values that JSON does not know.
ARRAY, TUPLE, DICT, FLOAT, NUMPY = "<array>", "<tuple>", "<dict>", "<float>", "<numpy>"


# Non-finite numbers by their texts.
_FLOATS = {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}


Arrays = dict[str, NDArray[Any]]


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


def write_archive(
    path: str | os.PathLike[str], header: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]
) -> None:
    """Write an archive, or leave what is at `path` as it is."""
    contents: dict[str, Any] = {name: np.asarray(v, order="C") for name, v in arrays.items()}
    listed = {name: _listed(values) for name, values in contents.items()}
    text = json.dumps({**header, "arrays": listed}, allow_nan=False)
    checksum = sha256(text.encode()).hexdigest()
    with written_whole(path) as temporary, open(temporary, "wb") as file:
        np.savez(file, header=np.array(text), checksum=np.array(checksum), **contents)


def read_archive(path: str | os.PathLike[str]) -> tuple[dict[str, Any], Arrays]:
    """Return the header, and the arrays that it lists; other members are not read.

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
            members = _members(archive, os.fstat(file.fileno()).st_size)
            text, checksum = (
                str(_array(archive, members, name)) for name in ("header", "checksum")
            )
            if checksum != sha256(text.encode()).hexdigest():
                raise ValueError("its header was changed after it was written.")
            header = json.loads(text)
            if not isinstance(header, dict) or not isinstance(header.get("arrays", {}), dict):
                raise ValueError("its header is not a JSON object with a list of arrays.")
            arrays: Arrays = {}
            for name, listed in header.pop("arrays", {}).items():
                arrays[name] = _array(archive, members, name)
                if _listed(arrays[name]) != listed:
                    raise ValueError(f"array {name!r} is not the one that its header lists.")
    return header, arrays


def _members(archive: zipfile.ZipFile, size: int) -> dict[str, zipfile.ZipInfo]:
    """Return the members by name; raise if they are larger than the file that holds them."""
    members: dict[str, zipfile.ZipInfo] = {}
    for info in archive.infolist():
        name = info.filename.removesuffix(".npy")
        if name in members:
            raise ValueError(f"it has several members {name!r}.")
        if info.compress_type != zipfile.ZIP_STORED or info.file_size != info.compress_size:
            raise ValueError(
                f"member {name!r} is compressed. Files of this version are not; those of earlier "
                "versions, which are, cannot be read."
            )
        members[name] = info
    if sum(info.file_size for info in members.values()) > size:
        raise ValueError("its members are larger than the file.")
    return members


def _array(
    archive: zipfile.ZipFile, members: Mapping[str, zipfile.ZipInfo], name: str
) -> NDArray[Any]:
    """Return an array, after comparing the size that it claims with that of its member."""
    if name not in members:
        raise ValueError(f"it has no member {name!r}.")
    with archive.open(members[name]) as member:
        version = np.lib.format.read_magic(member)
        read_header = (
            np.lib.format.read_array_header_1_0
            if version == (1, 0)
            else np.lib.format.read_array_header_2_0
        )
        shape, in_columns, dtype = read_header(member)
        if dtype.hasobject or dtype.kind not in KINDS:
            raise ValueError(f"member {name!r} has values of type {dtype}.")
        size = math.prod(shape) * dtype.itemsize
        if min(shape, default=0) < 0 or size != members[name].file_size - member.tell():
            raise ValueError(f"member {name!r} does not have the size of its shape {shape}.")
        values = np.frombuffer(member.read(), dtype=dtype)
    return values.reshape(shape, order="F" if in_columns else "C")


def _listed(array: NDArray[Any]) -> dict[str, Any]:
    """Return what the header says of an array."""
    content: Any = np.ascontiguousarray(array)
    checksum = sha256(content).hexdigest()
    return {"dtype": array.dtype.str, "shape": list(array.shape), "sha256": checksum}
