"""Digests of values: equal for equal values, in every process, whatever the objects' identity.

Pickles differ between equal objects, and reprs cut long values. So a value is taken apart into
lists, numbers and texts: arrays and tables, estimators (which are what `clone` keeps of them), and
any object into what `pickle` would rebuild it from; nothing is pickled. Functions and classes are
their name and the version of the package that they are installed with; those of the user's own
modules are their code, with the functions and values that it refers to, and those of the user's
other modules that it refers to or imports. What such code finds by a name that it computes
(`getattr`) may be anything in these modules, so all of them counts. What it runs from texts
(`eval`, `importlib`) cannot be followed; the caller is told. What cannot be told apart, such as
lambdas, is refused.
"""

from __future__ import annotations

import builtins
import dis
import importlib
import re
import sys
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import cache
from hashlib import blake2b
from importlib.machinery import EXTENSION_SUFFIXES
from importlib.metadata import PackageNotFoundError, packages_distributions, version
from importlib.util import find_spec, resolve_name
from pathlib import Path
from threading import Lock, RLock
from types import BuiltinFunctionType, CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse, special
from sklearn.base import clone
from sklearn.utils import check_random_state

from skbayeseval._version import __version__

# Values that their repr tells from all others.
ATOMS = (
    type(None), type(...), type(NotImplemented), bool, int, float, complex, str, bytes, bytearray
)  # fmt: skip

# Wrappers of functions in classes.
METHODS = (staticmethod, classmethod, property)

# Objects without a content.
LOCKS = (type(Lock()), type(RLock()))

# What finds attributes by names that code computes.
BY_ANY_NAME = {"getattr", "vars", "attrgetter", "methodcaller", "getmembers"}
BY_ANY_NAME |= {"__dict__", "__getattribute__"}

# What runs code that is named or written in a text.
FROM_TEXTS = (eval, exec, globals, builtins.__import__, importlib.import_module)


class NotDigestibleError(ValueError):
    """A value that cannot be told from others of its kind; the message says why."""


def digest(value: Any, unfollowed: list[str] | None = None) -> str:
    """Return the digest of a value, as 32 hexadecimal digits.

    Parameters
    ----------
    value : object
        Any value.
    unfollowed : list of str, optional
        What in the user's own code cannot be followed is appended to it, in words: if only that
        changes, the digest stays the same.

    Raises
    ------
    NotDigestibleError
        If it contains a lambda, a local function or class, or an object whose content is not known.

    Examples
    --------
    >>> from skbayeseval.splitting.digest import digest
    >>> digest({"a": [1, 2]}) == digest({"a": [1, 2]}) != digest({"a": [1, 3]})
    True
    """
    digester = _Digester()
    try:
        content = digester.of(value)
    except RecursionError:
        raise NotDigestibleError("contains itself, or is nested too deeply") from None
    code = digester.code_referred_to()
    if unfollowed is not None:
        unfollowed += sorted(digester.unfollowed)
    return _node("value", content, *code).hex()


class _Digester:
    """One walk through a value."""

    def __init__(self) -> None:
        # Functions and classes of the user's own modules, by name.
        self._visited: set[str] = set()
        self._to_visit: list[tuple[str, Any]] = []
        # The user's own modules that code refers to, and the names of which it uses some there.
        self._modules: dict[str, ModuleType] = {}
        self._names = {"__getattr__"}
        self._any_name = False
        # Values that code refers to and that are being visited, by their depth.
        self._open: dict[int, int] = {}
        # Whether estimators are meant as they are, fitted, and not as clones.
        self._as_is = False
        # Whether values are those that the user's own code refers to.
        self._in_code = False
        # The function or class that is being visited, and what cannot be followed.
        self._place = ""
        self.unfollowed: set[str] = set()

    def of(self, value: Any) -> bytes:
        """Return the digest of a value."""
        kind = type(value)
        if kind in ATOMS:
            return _node(kind.__name__, repr(value).encode())
        if not self._in_code:
            return self._of_content(value)
        depth = len(self._open)
        if id(value) in self._open:
            return _node("inside itself", repr(depth - self._open[id(value)]).encode())
        self._open[id(value)] = depth
        try:
            return self._of_content(value)
        finally:
            del self._open[id(value)]

    def _of_content(self, value: Any) -> bytes:
        kind = type(value)
        if kind in (list, tuple):
            return _node(kind.__name__, *map(self.of, value))
        if kind is dict:
            return _node("dict", *map(self.of, value.items()))
        if kind in (set, frozenset):
            return _node(kind.__name__, *sorted(map(self.of, value)))
        if kind in (np.ndarray, np.memmap) and not value.dtype.hasobject:
            dtype = value.dtype.descr if value.dtype.names else value.dtype.str
            content = np.ascontiguousarray(value).reshape(-1).view(np.uint8)
            return _node("array", repr((dtype, value.shape)).encode(), content.data)
        return _node("object", self.of(self._parts(value)))

    def _parts(self, value: Any) -> Any:
        """Return what an object is made of."""
        kind = type(value)
        if self._in_code and any(value is one for one in FROM_TEXTS):
            self._cannot_follow(f"calls {value.__name__}")
        if isinstance(value, ModuleType) and self._in_code:
            return self._module(value)
        if kind in (np.ndarray, np.memmap):
            if value.dtype.names is not None:
                raise NotDigestibleError("contains a structured array of Python objects")
            return "objects", value.shape, value.ravel().tolist()
        if isinstance(value, (pd.DataFrame, pd.Series, pd.Index)) or sparse.issparse(value):
            return kind.__name__, _parts_of_table(value)
        if isinstance(value, pd.api.extensions.ExtensionDtype):
            # Not by its attributes, some of which only say what has been asked before.
            categories = [getattr(value, name, None) for name in ("categories", "ordered")]
            return kind.__name__, str(value), categories
        if isinstance(value, (type, FunctionType)):
            return self._of_module(value)
        if isinstance(value, BuiltinFunctionType) and isinstance(value.__self__, ModuleType | None):
            return _name_in_package(value.__module__ or "builtins", value.__qualname__)
        if isinstance(value, np.ufunc):
            return _ufunc(value)
        if isinstance(value, METHODS):
            functions = ("__func__", "fget", "fset", "fdel")
            return kind.__name__, [getattr(value, name, None) for name in functions]
        if isinstance(value, CodeType):  # without the places of its lines
            names = value.co_names, value.co_varnames, value.co_freevars, value.co_cellvars
            return "code", value.co_code, names, value.co_consts
        if kind is re.Pattern:
            return "pattern", value.pattern, value.flags
        if callable(getattr(value, "get_params", None)):
            return self._estimator(value)
        if isinstance(getattr(value, "__wrapped__", None), FunctionType):  # a function with a cache
            return kind.__name__, value.__wrapped__
        if value is check_random_state(None):  # numpy's own, which distributions of scipy refer to
            return ("global random state",)
        try:
            parts = value.__reduce_ex__(4)
        except Exception:
            if self._in_code:  # such as an open file; what its class does is known
                if kind not in LOCKS:
                    self._cannot_follow(f"refers to an object of type {kind.__name__}")
                return "unknown", kind
            raise NotDigestibleError(
                f"contains an object of type {kind.__name__}, whose content is not known"
            ) from None
        if isinstance(parts, str):  # the name of a variable of a module
            return kind, _name_in_package(getattr(value, "__module__", kind.__module__), parts)
        make, args, state, items, pairs = (*parts, None, None, None)[:5]
        if isinstance(state, dict) and all(isinstance(key, str) for key in state):
            state = sorted(state.items())  # attributes have no order
        return kind, make, args, state, list(items or ()), list(pairs or ())

    def _estimator(self, value: Any) -> Any:
        """Return what a clone is made of: the parameters, and what goes with them."""
        fresh = value if self._as_is else clone(value)
        before, self._as_is = self._as_is, self._as_is or fresh is value  # FrozenEstimator
        try:
            content = dict(getattr(fresh, "__dict__", {}))
            if not self._as_is:
                content |= value.get_params(deep=False)
            return "estimator", type(value), self.of(sorted(content.items()))
        finally:
            self._as_is = before

    def _of_module(self, value: Any) -> Any:
        """Return the name of a function or class; its code, if it is the user's, follows later."""
        module, qualname = value.__module__, value.__qualname__
        name = _name_in_package(module, qualname)
        is_own = not _version_of(module)
        if "<" in qualname or (is_own and not _is_importable(value)):
            if self._in_code:
                return name, self._content(value)
            is_lambda = qualname.endswith("<lambda>")
            what = (
                "a class" if isinstance(value, type) else "a lambda" if is_lambda else "a function"
            )
            raise NotDigestibleError(
                f"contains {what} that cannot be imported by its name, {qualname!r}"
            )
        if is_own and name not in self._visited:
            self._visited.add(name)
            self._to_visit.append((name, value))
        return "of a module", name

    def _module(self, module: ModuleType) -> tuple[str, str]:
        """Return the name of a module; what code uses of it, if it is the user's, follows later."""
        if not _version_of(module.__name__):
            self._modules[module.__name__] = module
        return "module", _name_in_package(module.__name__, "")

    def _cannot_follow(self, what: str) -> None:
        self.unfollowed.add(f"{self._place} {what}")

    def code_referred_to(self) -> list[bytes]:
        """Return the digests of the user's own functions, classes and variables that were met."""
        digests = []
        self._in_code = True
        while self._to_visit:
            name, value = self._to_visit.pop()
            self._place = name.strip()
            digests.append(self.of([name, self._content(value)]))
            while not self._to_visit and (found := self._variables_of_modules()):
                digests += map(self.of, self._digests(found))
        return sorted(digests)

    def _variables_of_modules(self) -> dict[str, Any]:
        """Return what code may use of the user's modules, and was not returned before."""
        found = {
            f"{name}:{key}": value
            for name, module in self._modules.items()
            for key, value in vars(module).items()
            if key in self._names or (self._any_name and not key.startswith("__"))
        }
        new = {name: value for name, value in found.items() if name not in self._visited}
        self._visited.update(new)
        return new

    def _content(self, value: Any) -> Any:
        """Return what a function or class does: its code, and the values that this refers to."""
        if isinstance(value, type):
            # Other special attributes do not tell what instances do, nor does the function that
            # has the annotations from Python 3.14 on, with the places of lines in its closure.
            own = {
                key: one
                for key, one in vars(value).items()
                if (isinstance(one, (FunctionType, *METHODS)) and key != "__annotate_func__")
                or not (key.endswith("__") or key == "_abc_impl")
            }
            return type(value), value.__bases__, self._digests(own)
        cells = []
        for cell in value.__closure__ or ():
            with suppress(ValueError):  # of an empty cell
                cells.append(cell.cell_contents)
        referred = self._referred(value.__code__, value.__globals__)
        return value.__code__, value.__defaults__, value.__kwdefaults__, cells, referred

    def _referred(self, code: CodeType, variables: Mapping[str, Any]) -> Any:
        """Return the digests of the global variables and of the modules that code refers to."""
        names = set().union(*(one.co_names for one in _all_code(code)))
        self._names |= {name for name in names if not name.startswith("__")}
        self._any_name |= not BY_ANY_NAME.isdisjoint(names)
        instructions = [
            one
            for part in _all_code(code)
            for one in dis.get_instructions(part)
            if one.opname != "EXTENDED_ARG"
        ]
        for one in instructions:
            is_builtin = one.opname in ("LOAD_GLOBAL", "LOAD_NAME") and one.argval not in variables
            if is_builtin and getattr(builtins, one.argval, None) in FROM_TEXTS:
                self._cannot_follow(f"calls {one.argval}")
        for name in sorted(names & {"import_module", "exec_module", "run_module", "run_path"}):
            self._cannot_follow(f"calls {name}")
        if {"sys", "modules"} <= names:
            self._cannot_follow("uses sys.modules")
        imports = [
            self._imported(
                one.argval, instructions[i - 1].argval, instructions[i - 2].argval, variables
            )
            for i, one in enumerate(instructions)
            if one.opname == "IMPORT_NAME"
        ]
        return self._digests(
            {key: variables[key] for key in names.intersection(variables)}
        ), imports

    def _imported(
        self, name: str, parts: tuple[str, ...] | None, level: int, variables: Mapping[str, Any]
    ) -> Any:
        """Return the name of a module that a function imports; the user's own are imported."""
        try:
            full = resolve_name("." * level + name, variables.get("__package__"))
            if not _version_of(full):
                module = importlib.import_module(full)
                for part in parts or ():
                    if part != "*" and not hasattr(module, part):
                        importlib.import_module(f"{full}.{part}")
                self._module(sys.modules[full.partition(".")[0]])
                self._module(module)
            return _name_in_package(full, "")
        except Exception:  # as the function will find, too
            return "missing", name, level

    def _digests(self, values: Mapping[str, Any]) -> list[tuple[str, bytes]]:
        """Return the digests of values that code refers to; of the class, if one has none."""
        digests = []
        for key, value in sorted(values.items()):
            try:
                digests.append((key, self.of(value)))
            except (NotDigestibleError, RecursionError):
                self._cannot_follow(
                    f"refers to {key.rpartition(':')[2]}, whose content is not known"
                )
                digests.append((key, self.of(type(value))))
        return digests


def _parts_of_table(value: Any) -> list[Any]:
    """Return the content of a sparse matrix or an object of pandas as arrays and lists."""
    if sparse.issparse(value):
        # Not by its attributes, some of which only say what has been asked before.
        rows = sparse.csr_matrix(value, copy=True)
        rows.sum_duplicates()
        places = [np.asarray(part, dtype=np.int64) for part in (rows.indptr, rows.indices)]
        return [value.shape, rows.data, places]
    if isinstance(value, pd.DataFrame):
        columns = [_column(value.iloc[:, i]) for i in range(value.shape[1])]
        return [value.columns, value.index, columns]
    if isinstance(value, pd.Series):
        return [value.name, value.index, _column(value)]
    return [list(value.names), _column(value)]


def _column(values: Any) -> Any:
    """Return the type and the values of a column or of an index."""
    is_plain = isinstance(values.dtype, np.dtype)
    return values.dtype, values.to_numpy() if is_plain else values.to_numpy(dtype=object)


def _node(tag: str, *parts: Any) -> bytes:
    """Return the digest of parts whose ends are marked."""
    content = blake2b(tag.encode() + b"\0", digest_size=16)
    for part in parts:
        content.update(len(part).to_bytes(8, "little"))
        content.update(part)
    return content.digest()


def _ufunc(function: np.ufunc) -> str:
    """Return the name of a function of arrays, which does not know its module."""
    for module in (np, special):
        if getattr(module, function.__name__, None) is function:
            return _name_in_package(module.__name__, function.__name__)
    raise NotDigestibleError(
        f"contains a function whose content is not known, {function.__name__!r}"
    )


def _all_code(code: CodeType) -> Iterator[CodeType]:
    """Yield code and the code inside it."""
    yield code
    for one in code.co_consts:
        if isinstance(one, CodeType):
            yield from _all_code(one)


def _is_importable(value: Any) -> bool:
    """Return whether a function or class can be found by its name in its module."""
    found: Any = sys.modules.get(str(value.__module__))
    for part in value.__qualname__.split("."):
        found = getattr(found, part, None)
    return found is value


def _name_in_package(module: str | None, name: str) -> str:
    """Return a name with the version of the package that it is installed with."""
    return f"{module}.{name} {_version_of(module)}"


@cache
def _version_of(module: str | None) -> str:
    """Return the version of the installed package of a module; empty for the user's own modules.

    It is the same before and after the module is imported. That of a compiled module of the user's
    own is its content.
    """
    if not isinstance(module, str):  # that of some metaclasses is a descriptor
        return ""
    package = module.partition(".")[0]
    place = _place_of(package)
    is_shadowed = place is not None and not place.is_relative_to(Path(sys.base_prefix).resolve())
    if package in sys.stdlib_module_names and package != "__main__" and not is_shadowed:
        return sys.version
    if package == "skbayeseval":
        return __version__
    if place is not None and {"site-packages", "dist-packages"}.intersection(place.parts):
        with suppress(PackageNotFoundError, KeyError):
            return ", ".join(f"{name} {version(name)}" for name in _distributions()[package])
    file = getattr(sys.modules.get(module), "__file__", None) or ""
    if file.endswith(tuple(EXTENSION_SUFFIXES)):
        return blake2b(Path(file).read_bytes(), digest_size=16).hexdigest()
    return ""


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
