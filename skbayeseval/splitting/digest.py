"""Digests of fits: of values, and of the code that they run.

Values are hashed by joblib. Estimators are what `clone` keeps of them, parameter by parameter.
joblib tells objects apart that are equal but shared differently, or arrays in other orders in
memory; and it refuses what cannot be pickled, such as lambdas. In doubt, then, a fit is made again.

Code is known by the version of the distribution that its module is installed with. Of the user's
own modules, the text counts, and that of the user's own modules that it imports; they are read, not
imported. Of `__main__`, which is mended between two runs, only the functions and classes count that
values have or that these use. Code that is imported by computed names is not seen.
"""

from __future__ import annotations

import ast
import inspect
import linecache
import sys
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import cache
from importlib.machinery import EXTENSION_SUFFIXES
from importlib.metadata import packages_distributions, version
from importlib.util import find_spec, resolve_name
from pathlib import Path
from textwrap import dedent
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import Any

import joblib
import numpy as np
import pandas as pd
from scipy import sparse
from sklearn.base import clone

from skbayeseval._version import __version__

ATOMS = (type(None), bool, int, float, complex, str, bytes)


class NotDigestibleError(ValueError):
    """A value that cannot be told from others of its kind; the message says why."""


def digest(value: Any) -> str:
    """Return the digest of a value, without the code that it runs.

    Examples
    --------
    >>> from skbayeseval.splitting.digest import digest
    >>> digest({"a": [1, 2]}) == digest({"a": [1, 2]}) != digest({"a": [1, 3]})
    True
    """
    try:
        return str(joblib.hash(_without_caches(value)))
    except Exception as error:  # whatever a class raises that cannot be pickled
        reason = (*error.args, error)[0]  # joblib adds what was hashed, at any length
        raise NotDigestibleError(f"cannot be hashed ({reason})") from None


def digest_with_code(value: Any) -> str:
    """Return the digest of a value and of the code that it runs.

    Raises
    ------
    NotDigestibleError
        If it contains a lambda, a local function or class, or an object whose content is not known.
    """
    parts = {"": value}
    if callable(getattr(value, "get_params", None)) and not isinstance(value, type):
        value = clone(value)
        kept = {**getattr(value, "__dict__", {}), **value.get_params(deep=False)}
        parts = {"": type(value), **kept}
    digests = {name: digest(part) for name, part in parts.items()}
    return digest([digests, sorted(_code_of(value).items())])


def _without_caches(value: Any) -> Any:
    """Return a sparse matrix or a table without what was only asked of it, and remembered."""
    if sparse.issparse(value):
        return value.copy()
    if isinstance(value, pd.DataFrame):
        columns = [value.iloc[:, i] for i in range(value.shape[1])]
        return type(value), list(value.columns), [_without_caches(one) for one in columns]
    if isinstance(value, pd.Series):
        return value.name, _without_caches(value.index), _values(value)
    if isinstance(value, pd.Index):
        return list(value.names), _values(value)
    return value


def _values(column: Any) -> Any:
    is_plain = isinstance(column.dtype, np.dtype)
    categories = getattr(column.dtype, "categories", None)
    ordered = getattr(column.dtype, "ordered", None)
    kind = str(column.dtype), ordered, None if categories is None else list(categories)
    return kind, column.to_numpy() if is_plain else column.to_numpy(dtype=object)


def _code_of(value: Any) -> dict[str, str]:
    """Return versions and digests of texts, by names of modules or of what `__main__` defines."""
    found: dict[str, str] = {}
    left, seen = [value], {}
    while left:
        one = left.pop()
        if id(one) in seen:
            continue
        seen[id(one)] = one  # kept, so that no other object has its id
        if isinstance(one, ModuleType):
            _add_module(one.__name__, found)
        elif isinstance(one, (type, FunctionType, BuiltinFunctionType)):
            for each in getattr(one, "__mro__", (one,)):
                if each.__module__ == "__main__":
                    left += _add_of_main(each, found)
                    continue
                name = str(each.__module__ or "builtins")
                _add_module(name, found)
                inside = [each, *getattr(each, "__dict__", {}).values()]
                in_python = any(isinstance(part, FunctionType) for part in inside)
                if in_python and found.keys().isdisjoint({name, name.partition(".")[0]}):
                    raise NotDigestibleError(f"has {each!r} of a module without a file")
        else:
            left += _parts(one)
    return found


def _parts(value: Any) -> list[Any]:
    """Return what a value is made of, as `pickle` would rebuild it."""
    kind = type(value)
    if kind in ATOMS:
        return []
    if kind is dict:
        return [*value, *value.values()]
    if kind in (list, tuple, set, frozenset):
        return list(value)
    is_data = isinstance(value, (pd.DataFrame, pd.Series, pd.Index)) or sparse.issparse(value)
    if is_data or (isinstance(value, np.ndarray) and not value.dtype.hasobject):
        return [kind]
    try:
        parts = value.__reduce_ex__(4)
    except Exception:  # its digest says whether its content is known
        return [kind]
    if isinstance(parts, str):  # a variable of a module, such as a function with a cache
        module = sys.modules.get(str(getattr(value, "__module__", None)))
        return [kind, getattr(value, "__wrapped__", module)]
    state, items, pairs = (*parts[2:5], None, None, None)[:3]
    return [kind, *parts[:2], state, *(items or ()), *(pairs or ())]


def _add_of_main(value: Any, found: dict[str, str]) -> list[Any]:
    """Add the text of a function or class of `__main__`, and return what this refers to."""
    text, variables = dedent(_source(value)), vars(sys.modules["__main__"])
    try:
        tree = ast.parse(text)
    except SyntaxError:  # a part of a statement, or with the commands of a notebook
        raise NotDigestibleError(f"has {value.__qualname__!r}, whose text is not clear") from None
    found[f"__main__.{value.__qualname__} {digest(text)}"] = ""
    for module in _imports(tree, None):
        _add_module(module, found)
    used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    values = {key: variables[key] for key in sorted(used.intersection(variables))}
    for key, one in values.items():
        if not isinstance(one, (ModuleType, type, FunctionType)):
            try:
                found[f"__main__.{key}"] = digest(one)
            except NotDigestibleError as error:
                raise NotDigestibleError(f"uses {key}, which {error}") from None
    return list(values.values())


def _source(value: Any) -> str:
    """Return the text of a function or class; of a class of a notebook, that of its cell."""
    with suppress(OSError, TypeError):
        return inspect.getsource(value)
    functions = (one for one in vars(value).values() if isinstance(one, FunctionType))
    for function in functions if isinstance(value, type) else ():
        if lines := linecache.getlines(function.__code__.co_filename):
            return "".join(lines)
    raise NotDigestibleError(f"has {value.__qualname__!r} of __main__, whose text is not found")


def _add_module(name: str, found: dict[str, str]) -> None:
    """Add the version of a module, or its text and what it imports."""
    package = name.partition(".")[0]
    installed = _version_of(package)
    if installed is not None:
        found[package] = installed
        return
    parent = name.rpartition(".")[0]
    if parent:
        _add_module(parent, found)
    file = _file_of(name)
    if file is None or name in found:  # of a name that a module has, or a folder without a file
        return
    content = file.read_bytes()
    found[name] = digest(content)
    if file.suffix == ".py":
        with suppress(SyntaxError):
            for other in _imports(ast.parse(content), name if file.stem == "__init__" else parent):
                _add_module(other, found)


def _imports(tree: ast.AST, package: str | None) -> Iterator[str]:
    """Yield the names of the modules that a text may import."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            with suppress(ImportError):
                base = resolve_name("." * node.level + (node.module or ""), package)
                yield from (f"{base}.{alias.name}" for alias in node.names)


def _file_of(name: str) -> Path | None:
    """Return the file of a module, which need not be imported."""
    loaded = getattr(sys.modules.get(name), "__file__", None)
    if loaded:
        return Path(loaded)
    package, _, rest = name.partition(".")
    place = _place_of(package)
    if place is None:
        return None
    path = place.parent if place.is_file() and place.stem == "__init__" else place
    path = path.joinpath(*rest.split(".")) if rest else path
    for suffix in ("", ".py", "/__init__.py", *EXTENSION_SUFFIXES):
        if Path(f"{path}{suffix}").is_file():
            return Path(f"{path}{suffix}")
    return None


@cache
def _version_of(package: str) -> str | None:
    """Return the version of the distribution of a package; None for the user's own."""
    if package == "skbayeseval":
        return __version__
    place = _place_of(package)
    if package in sys.stdlib_module_names and (
        place is None or place.is_relative_to(Path(sys.base_prefix).resolve())
    ):
        return sys.version
    if place is not None and {"site-packages", "dist-packages"}.intersection(place.parts):
        names = _distributions().get(package, ())
        return ", ".join(f"{name} {version(name)}" for name in names) or None
    return None


@cache
def _distributions() -> Mapping[str, list[str]]:
    return {name: sorted(set(found)) for name, found in packages_distributions().items()}


def _place_of(package: str) -> Path | None:
    """Return the file or the folder of a package, which is not imported; None if it has none."""
    loaded: Any = sys.modules.get(package)
    file, folders = getattr(loaded, "__file__", None), getattr(loaded, "__path__", None)
    if loaded is None and package:
        with suppress(ImportError, ValueError):
            spec = find_spec(package)
            if spec is not None:
                file = spec.origin if spec.has_location else None
                folders = spec.submodule_search_locations
    places = [file] if file else list(folders or ())
    return Path(places[0]).resolve() if places else None
