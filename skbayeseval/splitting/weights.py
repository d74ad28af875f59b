"""Proportions of training and test sets, and the weight of counts pooled over test sets.

A fitted search stores its splitter but not its data. For most splitters the proportions follow
from their parameters alone.
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

Array = NDArray[Any]

FOLDS = (KFold, StratifiedKFold, GroupKFold, StratifiedGroupKFold, LeaveOneOut)
REPEATED_FOLDS = (RepeatedKFold, RepeatedStratifiedKFold)
DISJOINT = (LeaveOneGroupOut, TimeSeriesSplit)


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
    >>> from skbayeseval.splitting.weights import split_proportions
    >>> split_proportions(RepeatedKFold(n_splits=5, n_repeats=4), n_splits=20)
    SplitProportions(test_fraction=0.2, weight=0.25, train_share=0.8)
    """

    test_fraction: float | None = None
    weight: float | None = None
    train_share: float | None = None


def split_proportions(cv: Any, n_splits: int) -> SplitProportions:
    """Return the proportions of `n_splits` splits of `cv` (int, splitter or list of splits)."""
    if cv is None or isinstance(cv, Integral):
        return _of_folds(5 if cv is None else int(cv), 1)
    if isinstance(cv, BlockRegularizedCV):
        return SplitProportions(0.5, calibrated_weight(n_splits // 2), 0.5)
    if isinstance(cv, FOLDS):
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
    return type(cv).__name__ if hasattr(cv, "split") else "splits as given"


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
