"""`checkpoint=`: a folder with one file per finished fit, from which a later run goes on.

The name of a file is a digest of all that determines the fit: data, split, estimator, what is kept
of its predictions, and the versions of the packages; and of its number among the fits of one call
that agree in all of these, because they may be random. So a folder can be shared by any calls, and
what has changed is fitted again without being told. The worker writes, so that a finished fit is on
disk at once; where workers have other disks, the process that called them does. Files are npz
archives without pickle.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from numpy import __version__ as numpy_version
from scipy import __version__ as scipy_version
from sklearn import __version__ as sklearn_version
from sklearn import get_config

from skbayeseval._arrays import choices, wrong
from skbayeseval._files import decode, encode, read_archive, write_archive, written_whole
from skbayeseval._version import __version__
from skbayeseval.splitting.digest import NotDigestibleError, digest, digest_with_code

FORMAT = "skbayeseval checkpoint 2"

# The file by which a folder is known to be a checkpoint.
MARKER = "checkpoint.txt"

# How the names of files begin that were being written when a process was killed.
UNFINISHED = ".skbayeseval-"

# Settings of scikit-learn on which a fit may depend.
SETTINGS = ("array_api_dispatch", "assume_finite", "enable_metadata_routing", "transform_output")

# What a file holds of a fit.
CONTENT = ("observed", "fit_time", "score_time", "chosen", "unseeded")


@dataclass(frozen=True)
class Checkpoint:
    """A folder of finished fits.

    Parameters
    ----------
    path : str
        The folder.
    keys : mapping of str to str
        By name, what tells versions of an estimator apart if the package cannot.
    """

    path: str
    keys: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, given: Any) -> Checkpoint | None:
        """Return the checkpoint that a user asked for; raise if it is not valid."""
        if given is None:
            return None
        wanted = "the path of a folder, or a dict with the items 'path' and 'keys'"
        whole: Any = given if isinstance(given, Mapping) else {"path": given}
        path, keys = whole.get("path"), whole.get("keys") or {}
        if not isinstance(path, (str, os.PathLike)) or not {"path", "keys"}.issuperset(whole):
            raise wrong("checkpoint", wanted, given, TypeError)
        if not os.fspath(path) or not isinstance(os.fspath(path), str):
            raise wrong("checkpoint", wanted, given)
        if not isinstance(keys, Mapping) or not all(
            isinstance(text, str) for pair in keys.items() for text in pair
        ):
            names = "a dict of names of estimators to texts"
            raise wrong("checkpoint['keys']", names, keys, TypeError)
        return cls(os.path.abspath(path), dict(keys))

    def keys_of_fits(
        self,
        learners: Any,
        X: Any,
        y: Any,
        observers: Mapping[str, Any],
        splits: Sequence[Any],
    ) -> dict[tuple[str, int], str]:
        """Return the key of the fit of each estimator in each split.

        Raises
        ------
        ValueError
            If it is not certain that other fits have other keys.
        """
        estimators, data = learners.estimators, (X, y, learners.groups)
        unknown = [name for name in self.keys if name not in estimators]
        if unknown:
            raise ValueError(
                f"checkpoint['keys'] has {unknown[0]!r}, which is not the name of an estimator. "
                f"The names are {choices(unknown[0], estimators)}."
            )
        config = get_config()
        common = [FORMAT, __version__, sklearn_version, numpy_version, scipy_version, sys.version]
        common.append(digest({name: config.get(name) for name in SETTINGS}))
        common += [_digest_of("X, y or groups", one, _AS_ARRAYS, digest) for one in data]
        of_estimators = [
            [
                digest(["given", name, self.keys[name]])
                if name in self.keys
                else _digest_of(
                    f"estimator {name!r}",
                    estimator,
                    f"{_IN_A_MODULE}, or name a version of it yourself, and another one whenever "
                    f"it changes: checkpoint={{'path': ..., 'keys': {{{name!r}: 'version 1'}}}}",
                ),
                *sorted(
                    digest([key, _digest_of(f"params[{key!r}]", value, _AS_ARRAYS)])
                    for key, value in learners.fit_params[name].items()
                ),
                _digest_of("scoring", observers[name], _IN_A_MODULE),
            ]
            for name, estimator in estimators.items()
        ]
        of_splits = _numbered([digest(list(split)) for split in splits])
        numbered = _numbered([digest([*common, *parts]) for parts in of_estimators])
        return {
            (name, i): digest([of_one, of_split])
            for name, of_one in zip(estimators, numbered, strict=True)
            for i, of_split in enumerate(of_splits)
        }

    def open(self) -> None:
        """Make the folder, or check that it is a checkpoint."""
        marker = os.path.join(self.path, MARKER)
        os.makedirs(self.path, exist_ok=True)
        others = [name for name in os.listdir(self.path) if not name.startswith(UNFINISHED)]
        if os.path.lexists(marker):
            with open(marker, "rb") as file:
                if file.read() != FORMAT.encode():
                    raise ValueError(
                        f"{marker} is not of this version of skbayeseval, or is damaged. Choose "
                        "another folder as checkpoint."
                    )
        elif others:
            raise ValueError(
                f"checkpoint={self.path!r} is a folder with other files, such as "
                f"{sorted(others)[0]!r}. Choose one that is empty, or that does not exist yet."
            )
        else:
            with written_whole(marker) as temporary, open(temporary, "wb") as file:
                file.write(FORMAT.encode())

    def check_writable(self) -> None:
        """Raise, before anything is fitted, if no file can be written."""
        if not os.access(self.path, os.W_OK | os.X_OK):
            raise PermissionError(
                f"checkpoint={self.path!r} is read-only, but not all fits are in it yet."
            )

    def has(self, key: str) -> bool:
        """Return whether a fit is in the checkpoint."""
        return os.path.lexists(self._file(key))

    def is_here(self) -> bool:
        """Return whether this process, which may be on another machine, sees the folder."""
        return os.path.exists(os.path.join(self.path, MARKER))

    def load(self, key: str) -> dict[str, Any]:
        """Return what is kept of a fit; raise a ValueError if its file is not as it was written."""
        path = self._file(key)
        try:
            header, arrays = read_archive(path)
            if header.get("key") != key:
                raise ValueError("it is the file of another fit, under another name")
            return {name: decode(header[name], arrays) for name in CONTENT}
        except OSError:
            raise
        except Exception as error:
            reason = str(error) if isinstance(error, ValueError) else repr(error)
            raise ValueError(
                f"{path} is not a fit of this checkpoint: {reason.rstrip('.')}. Remove the file to "
                "fit again."
            ) from error

    def store(self, key: str, run: Any) -> None:
        """Write what is kept of a fit, whole or not at all."""
        path = self._file(key)
        arrays: dict[str, Any] = {}
        content = {name: getattr(run, name) for name in CONTENT}
        header = {"key": key, **encode(content, arrays)}
        try:
            write_archive(path, header, arrays)
        except OSError as error:
            reason = f"{error.strerror or error}: a fit could not be written to the checkpoint"
            raise OSError(error.errno, reason, path) from error

    def _file(self, key: str) -> str:
        return os.path.join(self.path, f"{key}.npz")


def check_repeatable(cv: Any, halves: bool, random_state: Any) -> None:
    """Raise if a later call would have other splits, so that no fit would be found again."""
    if random_state is None and (cv is None or halves):
        what = "cv=None" if cv is None else "estimand='full', which fits halves"
        raise ValueError(
            f"checkpoint= requires random_state= with {what}: without it, every call has other "
            "splits, and no fit would be found again. Pass an int."
        )
    shuffles = getattr(cv, "shuffle", True) and hasattr(cv, "random_state")
    if shuffles and cv.random_state is None:
        raise ValueError(
            f"checkpoint= requires a splitter with a random_state, got cv={cv!r}, whose splits "
            "differ from call to call, so that no fit would be found again."
        )


def _numbered(digests: list[str]) -> list[tuple[str, int]]:
    """Return each digest with how many equal ones precede it.

    Names and positions would tell equal ones apart as well, but change with the other estimators.
    """
    return [(one, digests[:i].count(one)) for i, one in enumerate(digests)]


_IN_A_MODULE = "Define it by a def or class statement at the top level of a module"
_AS_ARRAYS = "Pass arrays, data frames, or lists of texts or numbers"


def _digest_of(
    what: str, value: Any, way_out: str, digested: Callable[[Any], str] = digest_with_code
) -> str:
    try:
        return digested(value)
    except NotDigestibleError as error:
        raise ValueError(
            "checkpoint= must be able to tell fits apart, but cannot tell whether "
            f"{what} has changed: it {error}. {way_out}."
        ) from None
