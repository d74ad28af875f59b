"""What splits look like from afar: how much is tested at a time, and what pooled counts are worth.

A finished search tells its splitter, but not its data. The geometry of most splitters follows from
their parameters alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral, Real
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
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

from skbayeseval.splitting.block_cv import BlockRegularizedCV, calibrated_weight

__all__ = [
    "Geometry",
    "cautious_geometry",
    "geometry_of",
    "pooled_weight",
    "splitter_name",
    "weight_of_fraction",
]

Array = NDArray[Any]

FOLDS = (KFold, StratifiedKFold, GroupKFold, StratifiedGroupKFold, LeaveOneOut)
REPEATED_FOLDS = (RepeatedKFold, RepeatedStratifiedKFold)
DISJOINT = (LeaveOneGroupOut, TimeSeriesSplit)


class Geometry(NamedTuple):
    """What is known of splits without the data; None where it is not.

    Attributes
    ----------
    test_fraction : float or None
        Test instances over test and training instances, of one split.
    weight : float or None
        What one count pooled over the splits is worth.
    train_share : float or None
        Training instances of one split over all instances.

    Examples
    --------
    >>> from sklearn.model_selection import RepeatedKFold
    >>> from skbayeseval.splitting.weights import geometry_of
    >>> geometry_of(RepeatedKFold(n_splits=5, n_repeats=4), n_splits=20)
    Geometry(test_fraction=0.2, weight=0.25, train_share=0.8)
    """

    test_fraction: float | None = None
    weight: float | None = None
    train_share: float | None = None


def geometry_of(cv: Any, n_splits: int) -> Geometry:
    """Return what is known of `cv`, an int, a splitter or a list of splits, with `n_splits`."""
    if cv is None or isinstance(cv, Integral):
        return _of_folds(5 if cv is None else int(cv), 1)
    if isinstance(cv, BlockRegularizedCV):
        return Geometry(0.5, calibrated_weight(n_splits // 2), 0.5)
    if isinstance(cv, FOLDS):
        return _of_folds(n_splits, 1)
    if isinstance(cv, REPEATED_FOLDS):
        return _of_folds(n_splits // cv.n_repeats, cv.n_repeats)
    if isinstance(cv, BaseShuffleSplit):
        return _of_shuffles(cv, n_splits)
    if isinstance(cv, PredefinedSplit):
        return _of_splits(list(cv.split()))
    if isinstance(cv, DISJOINT):
        return Geometry(weight=1.0)
    if isinstance(cv, Sequence) and cv:
        return _of_splits(cv)
    return Geometry()


def cautious_geometry(n_splits: int, sizes: Array | None = None) -> Geometry:
    """Return the geometry of unknown splits, taken for repeated folds, as few as they may be.

    The fewer the folds, the more the splits have in common. `sizes`, if known, holds the instances
    of each class in each test set; where k folds are repeated, every k sets have all of them.
    """
    if n_splits == 1:
        return Geometry(weight=1.0)
    n_folds = next(k for k in range(2, n_splits + 1) if _may_be_folds(k, n_splits, sizes))
    return _of_folds(n_folds, n_splits // n_folds)


def _may_be_folds(n_folds: int, n_splits: int, sizes: Array | None) -> bool:
    """Whether the splits may be so many folds, once or repeatedly."""
    if n_splits % n_folds:
        return False
    if sizes is None:
        return True
    sums = np.asarray(sizes).reshape(-1, n_folds, np.shape(sizes)[-1]).sum(axis=1)
    return bool((sums == sums[0]).all())


def weight_of_fraction(
    cv: Any, test_fraction: float, n_splits: int, sizes: Array | None = None
) -> float:
    """Return what a pooled count is worth where little but the fraction is known.

    As of folds where the splits may be that, else as of random test sets.
    """
    n_folds = max(2, round(1 / test_fraction))
    are_folds = abs(n_folds * test_fraction - 1) < 0.01 and _may_be_folds(n_folds, n_splits, sizes)
    if are_folds and not isinstance(cv, BaseShuffleSplit):
        return n_folds / n_splits
    return weight_at_random(test_fraction, n_splits)


def weight_at_random(test_share: float, n_splits: int) -> float:
    """Return what a pooled count of random test sets is worth, in expectation.

    An instance is tested r ~ Binomial(J, f) times, so that E(r) / E(r^2) = 1 / ((1 - f) + J f).
    """
    return float(1 / (1 - test_share + n_splits * test_share))


def pooled_weight(cv: Any, tests: Sequence[Array]) -> float:
    """Return what one count pooled over these test sets of `cv` is worth."""
    if isinstance(cv, BlockRegularizedCV):
        return calibrated_weight(len(tests) // 2)
    # Kish's effective sample size over the pooled size: sum(r) / sum(r^2).
    times = np.bincount(np.concatenate(tests))
    return float(times.sum() / np.square(times).sum())


def splitter_name(cv: Any) -> str:
    """Return what to call the splits of `cv`."""
    if cv is None or isinstance(cv, Integral):
        return f"{5 if cv is None else int(cv)}-fold cross-validation"
    return type(cv).__name__ if hasattr(cv, "split") else "splits as given"


def _of_folds(n_folds: int, n_repeats: int) -> Geometry:
    return Geometry(1 / n_folds, 1 / n_repeats, 1 - 1 / n_folds)


def _of_shuffles(cv: Any, n_splits: int) -> Geometry:
    """Return the geometry of independent random test sets."""
    test, train = cv.test_size, cv.train_size
    if all(isinstance(size, Integral) for size in (test, train)):
        return Geometry(test_fraction=int(test) / (int(test) + int(train)))
    if any(size is not None and not _is_share(size) for size in (test, train)):
        return Geometry()
    if test is None:
        test = 1 - train if train is not None else 0.2 if isinstance(cv, GroupShuffleSplit) else 0.1
    train = 1 - test if train is None else train
    return Geometry(float(test / (test + train)), weight_at_random(test, n_splits), float(train))


def _is_share(size: Any) -> bool:
    return isinstance(size, Real) and not isinstance(size, Integral)


def _of_splits(splits: Sequence[Any]) -> Geometry:
    """Return the geometry of splits that are known one by one."""
    try:
        pairs = [(_positions(train), _positions(test)) for train, test in splits]
        n_samples = 1 + max(int(part.max()) for pair in pairs for part in pair)
    except (TypeError, ValueError):
        return Geometry()
    if min(int(part.min()) for pair in pairs for part in pair) < 0:
        return Geometry()
    fraction = np.mean([len(test) / (len(train) + len(test)) for train, test in pairs])
    share = np.mean([len(train) / n_samples for train, _ in pairs])
    return Geometry(float(fraction), pooled_weight(None, [test for _, test in pairs]), float(share))


def _positions(part: Any) -> Array:
    array = np.asarray(part)
    return np.flatnonzero(array) if array.dtype == bool else array.astype(np.intp, casting="safe")
