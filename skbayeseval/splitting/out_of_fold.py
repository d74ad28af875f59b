"""Out-of-fold predictions: what estimators predicted for instances that they were not fitted on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse

from skbayeseval._arrays import Array

# The levels of the columns.
LEVELS = ("classifier", "repeat", "label")


@dataclass(frozen=True, eq=False)
class OutOfFold:
    """The predictions of all estimators in all kept splits, as the fits gave them.

    Parameters
    ----------
    n_samples : int
        The number of instances.
    tests : list of ndarray
        The test set of each kept split.
    predictions : dict of str to list
        For each estimator, its predictions for each test set: positions in `classes`, a label
        indicator, numbers, or tags.
    classes : tuple, default=None
        The classes, if predictions are positions in them.
    labels : tuple, default=None
        The labels of the columns, if predictions are label indicators.
    index : pandas.Index, default=None
        The labels of the instances.
    truth : array, default=None
        What was true of each instance, in the form of the predictions; None if it is not kept.
    """

    n_samples: int
    tests: list[Array] = field(repr=False)
    predictions: Mapping[str, list[Any]] = field(repr=False)
    classes: tuple[Any, ...] | None = None
    labels: tuple[Any, ...] | None = None
    index: pd.Index[Any] | None = None
    truth: Any = field(default=None, repr=False)

    @classmethod
    def of_rows(
        cls,
        truth: Array,
        predictions: Mapping[str, Array],
        classes: tuple[Any, ...] | None = None,
        labels: tuple[Any, ...] | None = None,
    ) -> OutOfFold:
        """Return predictions of instances that were each tested once, together."""
        n, each = len(truth), {name: [said] for name, said in predictions.items()}
        return cls(n, [np.arange(n)], each, classes, labels, truth=truth)

    def codes(self, name: str) -> Array:
        """Return predictions of shape (n_samples, n_repeats), without their meaning.

        These are positions in `classes`, with -1 for instances that were not validated; numbers,
        with NaN; or lists of tags, with None. Label indicators have a third axis, and -1.
        """
        repeats = repeats_of(self.tests)
        parts = []
        for part in self.predictions[name]:
            array = part.toarray() if sparse.issparse(part) else part
            if not isinstance(array, np.ndarray):  # tags, which stay lists
                array = np.empty(len(part), dtype=object)
                array[:] = part
            parts.append(array)
        kind, dtype = parts[0].dtype.kind, parts[0].dtype
        missing: Any = None
        if kind in "ui":  # a type that has negative numbers as well
            missing, dtype = -1, np.min_scalar_type(-1 - np.iinfo(dtype).max)
        elif kind == "f":
            missing = np.nan
        else:
            dtype = np.dtype(object)
        shape = (self.n_samples, 1 + max(repeats), *parts[0].shape[1:])
        found = np.full(shape, missing, dtype=dtype)
        for test, repeat, part in zip(self.tests, repeats, parts, strict=True):
            found[test, repeat] = part
        return found

    def frame(self, names: Sequence[str]) -> pd.DataFrame:
        """Return predictions as the estimators gave them, one row per instance."""
        columns: dict[tuple[Any, ...], Any] = {}
        for name in names:
            found = self.decoded(self.codes(name))
            for repeat in range(found.shape[1]):
                if self.labels is None:
                    columns[name, repeat] = found[:, repeat]
                else:
                    for k, label in enumerate(self.labels):
                        columns[name, repeat, label] = found[:, repeat, k]
        levels = LEVELS if self.labels is not None else LEVELS[:2]
        header = pd.MultiIndex.from_tuples(list(columns), names=levels)
        frame = pd.DataFrame(dict(enumerate(columns.values())), index=self.index)
        return frame.infer_objects().set_axis(header, axis=1)

    def decoded(self, codes: Array) -> Array:
        """Return what positions in `classes` stand for; None or NaN where nothing was predicted."""
        if codes.dtype.kind != "i":
            return codes
        missing = codes < 0
        if self.classes is None:
            return np.where(missing, np.nan, codes) if missing.any() else codes
        values = np.empty(len(self.classes) + 1, dtype=object)
        values[:-1] = self.classes  # the last one, None, is that of -1
        return values[codes]


def repeats_of(tests: Sequence[Array]) -> list[int]:
    """Return the repeat that each test set belongs to.

    A repeat consists of consecutive splits that do not validate an instance twice.
    """
    found: list[int] = []
    repeat = 0
    seen: Array = np.array([], dtype=int)
    for test in tests:
        if np.isin(test, seen).any():
            repeat += 1
            seen = np.array([], dtype=int)
        seen = np.concatenate([seen, test])
        found.append(repeat)
    return found
