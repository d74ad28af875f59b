"""Splits that a splitter yields, checked, and what is known of them without the data."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from numbers import Integral, Real
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy import sparse
from sklearn.model_selection import (
    BaseShuffleSplit,
    GroupKFold,
    GroupShuffleSplit,
    KFold,
    LeaveOneGroupOut,
    LeaveOneOut,
    PredefinedSplit,
    RepeatedKFold,
    RepeatedStratifiedKFold,
    StratifiedGroupKFold,
    StratifiedKFold,
    TimeSeriesSplit,
)
from sklearn.utils import _safe_indexing, indexable

from skbayeseval._arrays import Array, as_array, check_same_length, in_short, wrong
from skbayeseval._validation import warn_caller
from skbayeseval.splitting.block_cv import (
    MOST_REPEATS,
    BlockRegularizedCV,
    calibrated_weight,
    orthogonal_array,
)

Split = tuple[Array, Array]

FOLDS = (KFold, StratifiedKFold, GroupKFold, StratifiedGroupKFold, LeaveOneOut)
REPEATED_FOLDS = (RepeatedKFold, RepeatedStratifiedKFold)
DISJOINT = (LeaveOneGroupOut, TimeSeriesSplit)


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

    Those that do not would warn of that, whether or not groups are split. Those that do have a
    request for groups, whatever name it gives them.
    """
    known = type(cv).__module__.startswith("sklearn.")
    if known and getattr(getattr(y, "dtype", None), "kind", "") == "O" and y.ndim == 1:
        y = pd.Series(np.asarray(y)).infer_objects().to_numpy()  # whole numbers, which it refuses
    if known and "groups" not in cv.get_metadata_routing().split.requests:
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
        warn_caller(
            f"In {len(overlaps)} of {len(splits)} splits of cv, training and test set overlap "
            f"(split {i}: {shared} instances are in both). Scores of instances that were seen in "
            "training are too high."
        )
    if params.get("groups") is None:
        return splits
    codes, distinct = pd.factorize(np.asarray(params["groups"]))
    n_split = sum(bool(np.isin(codes[test], codes[train]).any()) for train, test in splits)
    if n_split:
        such_as = f", such as GroupKFold({min(5, len(distinct))})" if len(distinct) > 1 else ""
        warn_caller(
            f"In {n_split} of {len(splits)} splits of cv, instances of one group are in both "
            "training and test set, so scores are too high if the instances of a group are alike. "
            f"Pass a cv that keeps groups whole{such_as}."
        )
    return splits


def _indices(given: Any, where: str, n_samples: int) -> Array:
    """Return non-negative indices."""
    array = np.asarray(given)
    is_mask, beyond, problem = array.dtype.kind == "b", np.arange(0), ""
    if array.ndim != 1 or (array.size and array.dtype.kind not in "biu"):
        problem = f"is {in_short(given)}"
    elif is_mask and len(array) != n_samples:
        problem = f"is a mask of {len(array)}"
    elif array.size and not is_mask:
        beyond = array[(array < -n_samples) | (array >= n_samples)]
    if beyond.size:
        problem = f"contains {beyond[0]}"
    if problem:
        raise ValueError(
            f"cv must yield 1-D arrays of integer indices, 0 to {n_samples - 1}, or masks of the "
            f"{n_samples} samples, but {where} {problem}."
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
        value = value.tocsr() if sparse.issparse(value) else value
        size = value.shape[0] if getattr(value, "shape", ()) else None
        if size is None and isinstance(value, Sequence):
            size = len(value)
        return _safe_indexing(value, rows) if size == n_samples else value

    return {name: taken(value) for name, value in params.items()}


class SplitProportions(NamedTuple):
    """Properties of splits that are known without the data; None if unknown.

    Attributes
    ----------
    test_fraction : float or None
        The number of test instances divided by the number of test and training instances of one
        split.
    weight : float or None
        The weight of one count pooled over the test sets.
    train_share : float or None
        The number of training instances of one split divided by the number of all instances.

    Examples
    --------
    >>> from sklearn.model_selection import RepeatedKFold
    >>> from skbayeseval.splitting.splits import split_proportions
    >>> split_proportions(RepeatedKFold(n_splits=5, n_repeats=4), n_splits=20)
    SplitProportions(test_fraction=0.2, weight=0.25, train_share=0.8)
    """

    test_fraction: float | None = None
    weight: float | None = None
    train_share: float | None = None


def split_proportions(cv: Any, n_splits: int) -> SplitProportions:
    """Return the proportions of `n_splits` splits of `cv` (int, splitter or list of splits)."""
    if isinstance(cv, BlockRegularizedCV):
        return SplitProportions(0.5, calibrated_weight(n_splits // 2), 0.5)
    if cv is None or isinstance(cv, (Integral, *FOLDS)):
        return _of_folds(n_splits, 1)
    if isinstance(cv, REPEATED_FOLDS):
        return _of_folds(n_splits // cv.n_repeats, cv.n_repeats)
    if isinstance(cv, BaseShuffleSplit):
        return _of_shuffles(cv, n_splits)
    if isinstance(cv, PredefinedSplit):
        return _of_splits(list(cv.split()))
    if isinstance(cv, DISJOINT):
        return SplitProportions(weight=1.0)
    if isinstance(cv, Sequence) and cv:
        return _of_splits(cv)
    return SplitProportions()


def cautious_proportions(n_splits: int, sizes: Array | None = None) -> SplitProportions:
    """Return conservative proportions for unknown splits, assumed to be repeated k-fold.

    The smallest possible k is assumed, because fewer folds mean more repeats and a smaller weight.
    `sizes`, if known, holds the number of instances of each class in each test set. In repeated
    k-fold, these sum to the same class totals in every k consecutive test sets, which can exclude
    values of k.
    """
    if n_splits == 1:
        return SplitProportions(weight=1.0)
    n_folds = next(k for k in range(2, n_splits + 1) if _may_be_folds(k, n_splits, sizes))
    return _of_folds(n_folds, n_splits // n_folds)


def _may_be_folds(n_folds: int, n_splits: int, sizes: Array | None) -> bool:
    """Return whether the splits can be (repeated) k-fold with k = `n_folds`."""
    if n_splits % n_folds:
        return False
    if sizes is None:
        return True
    sums = np.asarray(sizes).reshape(-1, n_folds, np.shape(sizes)[-1]).sum(axis=1)
    return bool((sums == sums[0]).all())


def weight_of_fraction(
    cv: Any, test_fraction: float, n_splits: int, sizes: Array | None = None
) -> float:
    """Return the weight of one pooled count when only the test fraction is known.

    The splits are treated as (repeated) k-fold if they can be, else as random test sets.
    """
    n_folds = max(2, round(min(1 / test_fraction, 1e9)))
    are_folds = abs(n_folds * test_fraction - 1) < 0.01 and _may_be_folds(n_folds, n_splits, sizes)
    if are_folds and not isinstance(cv, BaseShuffleSplit):
        return n_folds / n_splits
    return weight_at_random(test_fraction, n_splits)


def weight_at_random(test_share: float, n_splits: int) -> float:
    """Return the expected weight of one count pooled over random test sets.

    An instance is tested r ~ Binomial(J, f) times, so that E(r) / E(r^2) = 1 / ((1 - f) + J f).
    """
    return float(1 / (1 - test_share + n_splits * test_share))


def pooled_weight(cv: Any, tests: Sequence[Array]) -> float:
    """Return the weight of one count pooled over the test sets of `cv`."""
    if isinstance(cv, BlockRegularizedCV):
        return calibrated_weight(len(tests) // 2)
    # Kish's effective sample size over the pooled size: sum(r) / sum(r^2).
    times = np.bincount(np.concatenate(tests))
    return float(times.sum() / np.square(times).sum())


class Folds(NamedTuple):
    """The folds of a cross-validation that has run.

    Attributes
    ----------
    shape : (int, int)
        The numbers of instances and of repeats.
    instance, repeat, split : ndarray of shape (n_tested,)
        The instance that was tested, in which repeat and in which split, one split after another.
    weight : float
        The published weight of one count.
    sizes : (float, float)
        The mean numbers of training and of test instances per split.
    two_fold_repeats : int or None
        The number of repeats if all are halves, else None.
    """

    shape: tuple[int, int]
    instance: Array
    repeat: Array
    split: Array
    weight: float
    sizes: tuple[float, float]
    two_fold_repeats: int | None


def check_folds(folds: Any, n_samples: int) -> Folds:
    """Return the folds of instances, given those of each repeat in a column, or of a single one.

    As in `PredefinedSplit`, instances in fold -1 (or NaN, or None) were never tested, but trained
    on in all splits.

    Examples
    --------
    >>> from skbayeseval.splitting.splits import check_folds
    >>> folds = check_folds(["a", "b", "a", None, "b", "b"], 6)
    >>> folds.instance, folds.split, folds.sizes
    (array([0, 2, 1, 4, 5]), array([0, 0, 1, 1, 1]), (3.5, 2.5))
    """
    table = as_array(folds, "folds")
    check_same_length(y_true=range(n_samples), folds=table)
    table = table[:, None] if table.ndim == 1 else table
    if table.ndim != 2 or not table.size:
        raise ValueError(
            "folds must have the fold of each instance, or a column of them per repeat, with shape "
            f"({n_samples},) or ({n_samples}, repeats), got shape {np.shape(folds)}."
        )
    codes = np.empty(table.shape, dtype=np.intp)
    for repeat, column in enumerate(table.T):
        place, values = pd.factorize(column)
        tested = [i for i, value in enumerate(values) if isinstance(value, str) or value != -1]
        try:
            ranks = {i: rank for rank, i in enumerate(sorted(tested, key=values.__getitem__))}
        except TypeError as error:
            wanted = "numbers of folds, or their names, -1 where an instance was not tested"
            raise wrong("folds", wanted, folds, TypeError) from error
        codes[:, repeat] = np.array([*(ranks.get(i, -1) for i in range(len(values))), -1])[place]
        if (codes[:, repeat] == 0).all():
            raise ValueError(
                f"folds must contain two or more folds, but all are in fold {column[0]}, so "
                "that none are left for training. Predictions of one test set are passed without "
                "folds=."
            )
    n_folds = codes.max(axis=0) + 1
    if n_folds.sum() < 2:
        raise ValueError(
            f"folds must contain two or more folds, got {n_folds.sum()}. Predictions of one test "
            "set are passed without folds=, and without instances that were not tested."
        )
    of_repeat, instance = np.nonzero(codes.T >= 0)
    split = (np.cumsum(n_folds) - n_folds)[of_repeat] + codes[instance, of_repeat]
    order = np.argsort(split, kind="stable")
    test_sizes = np.bincount(split)
    are_halves = bool((n_folds == 2).all() and (codes >= 0).all())
    repeats = len(n_folds) if are_halves else None
    return Folds(
        table.shape,
        instance[order],
        of_repeat[order],
        split[order],
        _published(codes, repeats) or pooled_weight(None, [instance]),
        (float(n_samples - test_sizes.mean()), float(test_sizes.mean())),
        repeats,
    )


def _published(halves: Array, repeats: int | None) -> float | None:
    """Return the weight of block-regularised cross-validation; None of other folds.

    Its halves are made of few blocks, so that few of all combinations of halves occur.
    """
    if repeats is None or not 3 <= repeats <= MOST_REPEATS:
        return None
    n_blocks = len(orthogonal_array(repeats))
    return calibrated_weight(repeats) if len(np.unique(halves, axis=0)) <= n_blocks else None


def splitter_name(cv: Any) -> str:
    """Return the name of the splitter for messages."""
    if cv is None or isinstance(cv, Integral):
        return f"{5 if cv is None else int(cv)}-fold cross-validation"
    name = type(cv).__name__  # private where scikit-learn wraps a list of splits
    return name if hasattr(cv, "split") and not name.startswith("_") else "splits as given"


def _of_folds(n_folds: int, n_repeats: int) -> SplitProportions:
    return SplitProportions(1 / n_folds, 1 / n_repeats, 1 - 1 / n_folds)


def _of_shuffles(cv: Any, n_splits: int) -> SplitProportions:
    """Return the proportions of independent random test sets."""
    test, train = cv.test_size, cv.train_size
    if all(isinstance(size, Integral) for size in (test, train)):
        return SplitProportions(test_fraction=int(test) / (int(test) + int(train)))
    shares = [size for size in (test, train) if size is not None]
    if any(isinstance(size, Integral) or not isinstance(size, Real) for size in shares):
        return SplitProportions()
    if test is None:
        test = 1 - train if train is not None else 0.2 if isinstance(cv, GroupShuffleSplit) else 0.1
    train = 1 - test if train is None else train
    return SplitProportions(
        float(test / (test + train)), weight_at_random(test, n_splits), float(train)
    )


def _of_splits(splits: Sequence[Any]) -> SplitProportions:
    """Return the proportions of an explicit list of splits."""
    try:
        pairs = [
            [
                np.flatnonzero(part) if part.dtype == bool else part.astype(np.intp, casting="safe")
                for part in map(np.asarray, (train, test))
            ]
            for train, test in splits
        ]
        n_samples = 1 + max(int(part.max()) for pair in pairs for part in pair)
    except (TypeError, ValueError):
        return SplitProportions()
    if min(int(part.min()) for pair in pairs for part in pair) < 0:
        return SplitProportions()
    fraction = np.mean([len(test) / (len(train) + len(test)) for train, test in pairs])
    share = np.mean([len(train) / n_samples for train, _ in pairs])
    return SplitProportions(
        float(fraction), pooled_weight(None, [test for _, test in pairs]), float(share)
    )
