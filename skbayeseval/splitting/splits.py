"""Splits that a splitter yields, checked, and what is known of them without the data."""

from __future__ import annotations

import warnings
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

from skbayeseval._arrays import Array, in_short
from skbayeseval.splitting.block_cv import BlockRegularizedCV, calibrated_weight

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
        such_as = f", such as GroupKFold({min(5, len(distinct))})" if len(distinct) > 1 else ""
        warnings.warn(
            f"In {split} of {len(splits)} splits of cv, instances of one group are in both "
            "training and test set, so scores are too high if the instances of a group are alike. "
            f"Pass a cv that keeps groups whole{such_as}.",
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
        pairs = [(_positions(train), _positions(test)) for train, test in splits]
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


def _positions(part: Any) -> Array:
    array = np.asarray(part)
    return np.flatnonzero(array) if array.dtype == bool else array.astype(np.intp, casting="safe")
