"""Digests of values: equal for equal values, in every process, whatever the objects' identity.

A digest covers the type and the whole content of a value. Estimators are what `clone` keeps of
them. Functions and classes are their name and the version of the package that they are installed
with; those of the user's own modules are their code, with the functions and values that it refers
to, lambdas among them. Other objects are what `pickle` would rebuild them from; nothing is pickled.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Mapping
from contextlib import contextmanager, suppress
from functools import cache
from hashlib import blake2b
from importlib.metadata import PackageNotFoundError, packages_distributions, version
from pathlib import Path
from types import BuiltinFunctionType, CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse, special
from sklearn.base import clone
from sklearn.utils import check_random_state

# Values that their repr tells from all others.
ATOMS = (
    type(None), type(...), type(NotImplemented), bool, int, float, complex, str, bytes, bytearray
)  # fmt: skip

# Wrappers of functions in classes.
METHODS = (staticmethod, classmethod, property)


class NotDigestibleError(ValueError):
    """A value that cannot be told from others of its kind.

    Attributes
    ----------
    where : str
        The place of the value, such as ``.steps[0][1].func``.
    reason : str
        Why there is no digest.
    """

    def __init__(self, reason: str, where: str = "") -> None:
        super().__init__(reason, where)
        self.reason = reason
        self.where = where


def digest(value: Any) -> str:
    """Return the digest of a value, as 32 hexadecimal digits.

    Raises
    ------
    NotDigestibleError
        If the value has a part whose content is not known, such as a lambda.

    Examples
    --------
    >>> from sklearn.svm import SVC
    >>> from skbayeseval.splitting.digest import digest
    >>> digest(SVC(C=1.0)) == digest(SVC()), digest(SVC(C=2.0)) == digest(SVC())
    (True, False)
    """
    digester = _Digester()
    content = digester.of(value)
    return _node("value", content, *digester.code_referred_to()).hex()


class _Digester:
    """One walk through a value. Parts that occur several times are visited once."""

    def __init__(self) -> None:
        self._open: dict[int, int] = {}
        # The objects are kept, because identifiers of deleted objects are used again.
        self._known: dict[tuple[int, bool, bool], tuple[bytes, Any]] = {}
        # Functions and classes of the user's own modules, by the digests of their names.
        self._visited: set[bytes] = set()
        self._to_visit: list[tuple[bytes, Any]] = []
        # Whether estimators are meant as they are, fitted, and not as clones.
        self._as_is = False
        # Whether values are those that the user's own code refers to.
        self._in_code = False

    def of(self, value: Any) -> bytes:
        """Return the digest of a value."""
        kind = type(value)
        if kind in ATOMS:
            return _node(kind.__name__, repr(value).encode())
        key = id(value), self._as_is, self._in_code
        if key in self._known:
            return self._known[key][0]
        if id(value) in self._open:
            return _node("inside itself", str(self._open[id(value)]).encode())
        self._open[id(value)] = len(self._open)
        try:
            of_value = self._of_object(value)
        except NotDigestibleError:
            if not self._in_code:
                raise
            # Such as an open file. What its class does is known.
            of_value = _node("unknown", self.of(kind))
        finally:
            del self._open[id(value)]
        self._known[key] = of_value, value
        return of_value

    def _of_object(self, value: Any) -> bytes:
        kind = type(value)
        if kind in (list, tuple):
            return _node(kind.__name__, *self._items(value))
        if kind in (set, frozenset):
            return _node(kind.__name__, *sorted(map(self.of, value)))
        if kind is dict:
            return _node("dict", *self._pairs(value.items()))
        if kind in (np.ndarray, np.memmap):
            return self._array(value)
        if isinstance(value, (pd.DataFrame, pd.Series, pd.Index)) or sparse.issparse(value):
            return _node(kind.__name__, *self._pairs(_parts_of_table(value).items(), ".{}"))
        if isinstance(value, type):
            return self._of_module(value, "a class")
        if isinstance(value, FunctionType):
            return self._of_module(value, "a function")
        if isinstance(value, BuiltinFunctionType) and isinstance(value.__self__, ModuleType | None):
            return _name_in_package(value.__module__ or "builtins", value.__qualname__)
        if isinstance(value, np.ufunc):
            return _ufunc(value)
        if isinstance(value, METHODS):
            functions = ("__func__", "fget", "fset", "fdel")
            return _node(kind.__name__, self.of([getattr(value, f, None) for f in functions]))
        if kind is re.Pattern:
            return _node("pattern", self.of(value.pattern), self.of(value.flags))
        if hasattr(value, "get_params"):
            return self._estimator(value)
        if value is check_random_state(None):  # numpy's own, which distributions of scipy refer to
            return _node("global random state")
        return self._rebuilt(value)

    def _items(self, values: Iterable[Any]) -> list[bytes]:
        digests = []
        for i, one in enumerate(values):
            with _at(f"[{i}]"):
                digests.append(self.of(one))
        return digests

    def _pairs(self, pairs: Iterable[tuple[Any, Any]], name: str = "[{!r}]") -> list[bytes]:
        digests = []
        for key, one in pairs:
            with _at(name.format(key)):
                digests += [self.of(key), self.of(one)]
        return digests

    def _attributes(self, values: Mapping[str, Any]) -> list[bytes]:
        """Return the digests of attributes, which have no order."""
        return self._pairs(sorted(values.items()), ".{}")

    def _array(self, array: Any) -> bytes:
        if array.dtype.hasobject:
            if array.dtype.names is not None:
                raise NotDigestibleError("is a structured array of Python objects")
            return _node("objects", repr(array.shape).encode(), *self._items(array.ravel()))
        dtype = repr(array.dtype.descr if array.dtype.names else array.dtype.str)
        content = np.ascontiguousarray(array).reshape(-1).view(np.uint8)
        return _node("array", dtype.encode(), repr(array.shape).encode(), content.data)

    def _estimator(self, value: Any) -> bytes:
        """Return the digest of what a clone is made of: the parameters, and what goes with them."""
        fresh = value if self._as_is else clone(value)
        before, self._as_is = self._as_is, self._as_is or fresh is value  # FrozenEstimator
        try:
            content = dict(getattr(fresh, "__dict__", {}))
            if not self._as_is:
                content |= value.get_params(deep=False)
            return _node("estimator", self.of(type(value)), *self._attributes(content))
        finally:
            self._as_is = before

    def _rebuilt(self, value: Any) -> bytes:
        """Return the digest of what `pickle` would rebuild an object from."""
        kind = type(value)
        try:
            parts = value.__reduce_ex__(4)
        except Exception:
            raise NotDigestibleError(
                f"is an object of type {kind.__name__}, whose content is not known"
            ) from None
        if isinstance(parts, str):  # the name of a variable of a module
            module = getattr(value, "__module__", None) or kind.__module__
            name = _name_in_package(module, parts)
            wrapped = getattr(value, "__wrapped__", None)
            if isinstance(wrapped, FunctionType):  # a function with a cache
                self._visit_later(name, wrapped)
            return _node("variable", self.of(kind), name)
        make, args, state, items, pairs = (*parts, None, None, None)[:5]
        content = [self.of(kind), self.of(make), *self._items(args)]
        if isinstance(state, dict) and all(isinstance(key, str) for key in state):
            content.append(_node("attributes", *self._attributes(state)))
        else:
            content.append(self.of(state))
        content.append(_node("items", *self._items(items or ())))
        content.append(_node("pairs", *self._pairs(pairs or ())))
        return _node("object", *content)

    def _of_module(self, value: Any, what: str) -> bytes:
        """Return the digest of the name of a function or class; its code is visited later."""
        name = _name_in_package(value.__module__, value.__qualname__)
        is_own = not _version_of(value.__module__)
        if "<" in value.__qualname__ or (is_own and not _is_importable(value)):
            if self._in_code:
                return _node("inner", name, self._content(value))
            kind = "a lambda" if value.__qualname__.endswith("<lambda>") else what
            raise NotDigestibleError(
                f"is {kind} that cannot be imported by its name, {value.__qualname__!r}"
            )
        self._visit_later(name, value)
        return _node(what, name)

    def _visit_later(self, name: bytes, value: Any) -> None:
        if not _version_of(value.__module__) and name not in self._visited:
            self._visited.add(name)
            self._to_visit.append((name, value))

    def code_referred_to(self) -> list[bytes]:
        """Return the digests of the user's own functions and classes that were met."""
        found = []
        self._in_code = True
        while self._to_visit:
            name, value = self._to_visit.pop()
            found.append(_node("code", name, self._content(value)))
        self._in_code = False
        return sorted(found)

    def _content(self, value: Any) -> bytes:
        """Return the digest of the content of a function or class."""
        return self._class(value) if isinstance(value, type) else self._function(value)

    def _class(self, kind: type) -> bytes:
        # Other special attributes do not tell what instances do.
        own = {
            key: one
            for key, one in vars(kind).items()
            if isinstance(one, (FunctionType, *METHODS))
            or not (key.endswith("__") or key == "_abc_impl")
        }
        return _node("class", *map(self.of, kind.__bases__), *self._attributes(own))

    def _function(self, function: FunctionType) -> bytes:
        code, values = function.__code__, function.__globals__
        cells = []
        for cell in function.__closure__ or ():
            with suppress(ValueError):  # of an empty cell
                cells.append(cell.cell_contents)
        return _node(
            "function",
            self._code(code),
            *self._items([function.__defaults__, function.__kwdefaults__, *cells]),
            *self._named(_names(code), values),
        )

    def _named(self, names: set[str], values: Mapping[str, Any]) -> list[bytes]:
        """Return the digests of global variables, and of what code names of the user's modules."""
        referred = {key: values[key] for key in names.intersection(values)}
        modules = {key: one for key, one in referred.items() if isinstance(one, ModuleType)}
        content = self._attributes({k: one for k, one in referred.items() if k not in modules})
        for key, module in sorted(modules.items()):
            if not _version_of(module.__name__):
                content.append(_node(key, *self._named(names - {key}, vars(module))))
        return content

    def _code(self, code: CodeType) -> bytes:
        """Return the digest of byte code, without the places of its lines."""
        constants = [
            self._code(one) if isinstance(one, CodeType) else self.of(one) for one in code.co_consts
        ]
        names = code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars
        return _node("code", code.co_code, self.of(names), *constants)


def _parts_of_table(value: Any) -> dict[str, Any]:
    """Return the content of a sparse matrix or an object of pandas as arrays and lists."""
    if sparse.issparse(value):
        # Not by its attributes, some of which only say what has been asked before.
        rows = sparse.csr_matrix(value, copy=True)
        rows.sum_duplicates()
        places = [np.asarray(part, dtype=np.int64) for part in (rows.indptr, rows.indices)]
        return {"shape": list(value.shape), "data": rows.data, "places": places}
    if isinstance(value, pd.DataFrame):
        columns = {f"iloc[:, {i}]": _column(value.iloc[:, i]) for i in range(value.shape[1])}
        return {"columns": value.columns, "index": value.index, **columns}
    if isinstance(value, pd.Series):
        return {"name": value.name, "index": value.index, "values": _column(value)}
    is_nested = isinstance(value, pd.MultiIndex)
    return {"names": list(value.names), "values": list(value) if is_nested else _column(value)}


def _column(values: Any) -> Any:
    """Return the values of a column or of an index."""
    dtype = values.dtype
    if isinstance(dtype, np.dtype):
        return values.to_numpy()
    if isinstance(dtype, pd.CategoricalDtype):
        codes = pd.Series(values).cat.codes.to_numpy()
        return [str(dtype.ordered), _column(dtype.categories), codes]
    return [str(dtype), values.to_numpy(dtype=object)]


def _node(tag: str, *parts: Any) -> bytes:
    """Return the digest of parts whose ends are marked."""
    content = blake2b(tag.encode() + b"\0", digest_size=16)
    for part in parts:
        content.update(len(part).to_bytes(8, "little"))
        content.update(part)
    return content.digest()


def _ufunc(function: np.ufunc) -> bytes:
    """Return the digest of a function of arrays, which does not know its module."""
    for module in (np, special):
        if getattr(module, function.__name__, None) is function:
            return _name_in_package(module.__name__, function.__name__)
    raise NotDigestibleError(f"is a function whose content is not known, {function.__name__!r}")


@contextmanager
def _at(place: str) -> Any:
    """Add the place to an error."""
    try:
        yield
    except NotDigestibleError as error:
        raise NotDigestibleError(error.reason, place + error.where) from None


def _names(code: CodeType) -> set[str]:
    """Return the names that code and the code inside it refer to."""
    inner = [_names(one) for one in code.co_consts if isinstance(one, CodeType)]
    return set(code.co_names).union(*inner)


def _is_importable(value: Any) -> bool:
    """Return whether a function or class can be found by its name in its module."""
    found: Any = sys.modules.get(value.__module__ or "")
    for part in value.__qualname__.split("."):
        found = getattr(found, part, None)
    return found is value


def _name_in_package(module: str | None, name: str) -> bytes:
    """Return a name with the version of the package that it is installed with."""
    return _node("name", f"{module}.{name}".encode(), _version_of(module).encode())


@cache
def _version_of(module: str | None) -> str:
    """Return the version of the installed package of a module; empty for the user's own modules."""
    package = (module or "").partition(".")[0]
    if package in sys.stdlib_module_names and package != "__main__":
        return sys.version
    path = Path(getattr(sys.modules.get(package), "__file__", None) or "")
    folders = {"site-packages", "dist-packages"}
    if package != "skbayeseval" and not folders.intersection(path.parts):
        return ""
    own = getattr(sys.modules[package], "__version__", None)
    if isinstance(own, str):
        return own
    try:
        return version(packages_distributions().get(package, [package])[0])
    except PackageNotFoundError:
        return ""
