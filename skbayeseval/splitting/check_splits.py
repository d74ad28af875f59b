"""Splits: those that a splitter yields, checked, and further ones of halves and other sizes."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.utils import _safe_indexing, indexable

from skbayeseval._arrays import in_short
from skbayeseval._validation import check_size
from skbayeseval.splitting.balance import halve
from skbayeseval.splitting.block_cv import AS_GIVEN, BlockRegularizedCV, splitter_name

Array = NDArray[Any]


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
            UserWarning,
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
            UserWarning,
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


def splits_of_halves(
    cv: Any,
    X: Any,
    y: Any,
    split_params: Mapping[str, Any],
    n_comparisons: int,
    seed: int,
    classes: Array | None = None,
) -> list[tuple[list[Split], list[Split]]]:
    """Return the splits of both halves for each of `n_comparisons` random halvings.

    Parameters
    ----------
    cv : splitter
        The splitter, which splits each half by itself.
    X, y : array-like
        The data.
    split_params : mapping
        The parameters of the splitter. Groups are kept whole.
    n_comparisons : int
        How often to halve the data.
    seed : int
        Seeds the halvings.
    classes : ndarray of shape (n_samples,), default=None
        Class codes to distribute evenly over the halves.

    Returns
    -------
    splits : list of (list of (train, test), list of (train, test))
        Indices into the whole data.
    """
    rng = np.random.RandomState(seed)
    n_samples = X.shape[0] if hasattr(X, "shape") else len(X)
    codes = np.zeros(n_samples, dtype=int) if classes is None else classes
    groups = split_params.get("groups")
    found: list[tuple[list[Split], list[Split]]] = []
    for _ in range(n_comparisons):
        side = halve(codes, groups, rng)
        halves = [np.flatnonzero(side == which) for which in (0, 1)]
        first, second = (_splits(cv, X, y, split_params, half, n_comparisons) for half in halves)
        if not found:
            n_indices = sum(len(train) + len(test) for train, test in [*first, *second])
            check_size(n_comparisons, "calibrate", n_indices * np.dtype(int).itemsize)
        found.append((first, second))
    return found


def _splits(
    cv: Any, X: Any, y: Any, split_params: Mapping[str, Any], rows: Array, n_comparisons: int
) -> list[Split]:
    """Return the splits of some rows of the data."""
    n_samples = X.shape[0] if hasattr(X, "shape") else len(X)

    params = take_rows(split_params, rows, n_samples)
    splitter = splitter_name(cv)
    try:
        if splitter == AS_GIVEN:
            raise ValueError("they are those of all instances")
        half = _safe_indexing(X, rows), _safe_indexing(y, rows)
        splits = generate_splits(cv, *half, params)
        return [(rows[np.asarray(train)], rows[np.asarray(test)]) for train, test in splits]
    except (ValueError, IndexError) as error:
        raise ValueError(
            f"calibrate={n_comparisons} compares halves of the data, but {splitter} cannot split "
            f"a half ({error}). Use calibrate=0 or another cv."
        ) from error


def splits_of_another_size(
    cv: Any, n_samples: int, groups: Any, classes: Array | None, seed: int, splits: Sequence[Split]
) -> list[Split]:
    """Return splits that test the same instances, with training sets of another size.

    The blocks of `BlockRegularizedCV` are left out one at a time: with four blocks, training sets
    have three quarters of the instances instead of half, at the same cost. With any other splitter,
    the test sets stay, and training sets are halved at random.

    Parameters
    ----------
    cv : splitter
        The splitter.
    n_samples : int
        The number of instances.
    groups : array-like of shape (n_samples,) or None
        Groups, which are kept whole.
    classes : ndarray of shape (n_samples,) or None
        Class codes, which are distributed evenly over both halves of a training set.
    seed : int
        Seeds the halvings.
    splits : sequence of (train, test)
        The splits of the splitter.

    Examples
    --------
    >>> import numpy as np
    >>> from skbayeseval import BlockRegularizedCV
    >>> from skbayeseval.splitting.check_splits import splits_of_another_size
    >>> cv = BlockRegularizedCV(random_state=0)
    >>> splits = list(cv.split(np.zeros((8, 1)), [0, 1] * 4))
    >>> [len(train) for train, _ in splits_of_another_size(cv, 8, None, None, 0, splits)]
    [6, 6, 6, 6]
    """
    if isinstance(cv, BlockRegularizedCV):
        tested = np.zeros((n_samples, len(splits)), dtype=bool)
        for i, (_, test) in enumerate(splits):
            tested[test, i] = True
        _, block = np.unique(tested, axis=0, return_inverse=True)
        block = np.ravel(block)
        return [
            (np.flatnonzero(block != b), np.flatnonzero(block == b)) for b in range(block.max() + 1)
        ]
    rng = np.random.RandomState(seed)
    codes = np.zeros(n_samples, dtype=int) if classes is None else classes
    labels = None if groups is None else np.asarray(groups)
    found = []
    for train, test in splits:
        of_half = halve(codes[train], None if labels is None else labels[train], rng)
        found.append((train[of_half == 0], test))
    sizes, halves = ([len(train) for train, _ in every] for every in (splits, found))
    if min(halves) == 0 or sum(halves) == sum(sizes):
        raise ValueError(
            "estimand='full' also trains on halves of the training sets, one of which would be "
            "empty or whole. It needs at least two instances, or groups, in each training set. Use "
            "estimand='learner'."
        )
    return found
