"""Splits that a splitter yields, checked."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from sklearn.utils import _safe_indexing, indexable

from skbayeseval._arrays import Array, in_short

Split = tuple[Array, Array]


def check_iterable_cv(cv: Any) -> Any:
    """Return `cv`, as a list if it is an iterable of splits; raise unless these are pairs."""
    if isinstance(cv, type):
        raise TypeError(
            f"cv must be an instance, got the class {cv.__name__}. Pass {cv.__name__}(...)."
        )
    if isinstance(cv, str) or hasattr(cv, "split") or not isinstance(cv, Iterable):
        return cv  # for scikit-learn's check_cv
    splits = [cv] if getattr(cv, "ndim", 1) == 0 else list(cv)
    for i, split in enumerate(splits):
        if not isinstance(split, (tuple, list, np.ndarray)) or len(split) != 2:
            raise ValueError(
                "cv must be an int, a splitter or an iterable of pairs (train, test) of index "
                f"arrays, got {in_short(split)} as split {i}."
            )
    return splits


def generate_splits(cv: Any, X: Any, y: Any, params: Mapping[str, Any]) -> Iterable[Any]:
    """Return what `cv.split` yields; scikit-learn's splitters get groups only if they use them.

    Those that do not would warn of that, whether or not groups are split.
    """
    known = type(cv).__module__.startswith("sklearn.")
    if known and not cv.get_metadata_routing().consumes("split", ["groups"]):
        params = {name: value for name, value in params.items() if name != "groups"}
    return cv.split(X, y, **params)


def make_splits(
    cv: Any, X: Any, y: Any, params: Mapping[str, Any], generated: Iterable[Any] | None = None
) -> list[Split]:
    """Return the splits of `cv`, or those that were generated before, after checking them.

    They are arrays of non-negative indices: boolean masks and negative indices are converted.
    Training and test sets that overlap give a warning; everything else that would make the counts
    wrong, an error.
    """
    X, y = indexable(X, y)
    n_samples = X.shape[0] if hasattr(X, "shape") else len(X)
    generated = generate_splits(cv, X, y, params) if generated is None else generated
    splits = [
        (
            _indices(train, f"the training set of split {i}", n_samples),
            _indices(test, f"the test set of split {i}", n_samples),
        )
        for i, (train, test) in enumerate(generated)
    ]
    if not splits:
        raise ValueError("cv yields no splits. An iterator of splits can be used only once.")
    overlaps = []
    for i, (train, test) in enumerate(splits):
        values, often = np.unique(test, return_counts=True)
        if often.max() > 1:
            raise ValueError(
                f"cv must test an instance at most once per split, but the test set of split {i} "
                f"contains index {values[often.argmax()]} {often.max()} times."
            )
        if np.isin(values, train).any():
            overlaps.append(i)
    if overlaps:
        i = overlaps[0]
        shared = len(np.intersect1d(*splits[i]))
        warnings.warn(
            f"In {len(overlaps)} of {len(splits)} splits of cv, training and test set overlap "
            f"(split {i}: {shared} instances are in both). Scores of instances that were seen in "
            "training are too high.",
            stacklevel=4,
        )
    if params.get("groups") is not None:
        warn_of_split_groups(splits, params["groups"])
    return splits


def warn_of_split_groups(splits: Sequence[Split], groups: Any) -> None:
    """Warn if instances of one group are in both the training and the test set of a split."""
    codes, distinct = pd.factorize(np.asarray(groups))
    split = 0
    for train, test in splits:
        trained = np.zeros(len(distinct), dtype=bool)
        trained[codes[train]] = True
        split += bool(trained[codes[test]].any())
    if split:
        warnings.warn(
            f"In {split} of {len(splits)} splits of cv, instances of one group are in both "
            "training and test set, so scores are too high if the instances of a group are alike. "
            "Pass a cv that keeps groups whole, such as StratifiedGroupKFold or GroupKFold, or "
            "cv=None, the default.",
            stacklevel=5,
        )


def _indices(given: Any, where: str, n_samples: int) -> Array:
    """Return non-negative indices."""
    array = np.asarray(given)
    is_mask, beyond, wrong = array.dtype.kind == "b", np.arange(0), ""
    if array.ndim != 1 or (array.size and array.dtype.kind not in "biu"):
        wrong = f"is {in_short(given)}"
    elif is_mask and len(array) != n_samples:
        wrong = f"is a mask of {len(array)}"
    elif array.size and not is_mask:
        beyond = array[(array < -n_samples) | (array >= n_samples)]
    if beyond.size:
        wrong = f"contains {beyond[0]}"
    if wrong:
        raise ValueError(
            f"cv must yield 1-D arrays of integer indices, 0 to {n_samples - 1}, or masks of the "
            f"{n_samples} samples, but {where} {wrong}."
        )
    chosen = np.arange(n_samples)[array] if array.size else np.arange(0)
    if not chosen.size:
        raise ValueError(f"cv must yield sets that are not empty, but {where} is empty.")
    return chosen


def take_rows(params: Mapping[str, Any], rows: Array, n_samples: int) -> dict[str, Any]:
    """Return the parameters, indexing by `rows` those that have one value per instance."""

    def taken(value: Any) -> Any:
        if isinstance(value, (str, bytes, Mapping)):
            return value
        if not hasattr(value, "shape") and hasattr(value, "__array__"):
            value = np.asarray(value)
        size = value.shape[0] if getattr(value, "shape", ()) else None
        if size is None and isinstance(value, Sequence):
            size = len(value)
        return _safe_indexing(value, rows) if size == n_samples else value

    return {name: taken(value) for name, value in params.items()}
