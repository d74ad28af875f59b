"""Further splits of the same data: halves, and training sets of another size."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import _safe_indexing

from skbayeseval._validation import check_size
from skbayeseval.splitting.balance import halve
from skbayeseval.splitting.block_cv import BlockRegularizedCV
from skbayeseval.splitting.check_splits import generate_splits, take_rows

Array = NDArray[Any]


Split = tuple[Array, Array]


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
    try:
        half = _safe_indexing(X, rows), _safe_indexing(y, rows)
        splits = generate_splits(cv, *half, params)
        return [(rows[np.asarray(train)], rows[np.asarray(test)]) for train, test in splits]
    except (ValueError, IndexError) as error:
        raise ValueError(
            f"calibrate={n_comparisons} compares halves of the data, but {type(cv).__name__} "
            f"cannot split a half ({error}). Use calibrate=0 or another cv."
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
    >>> from skbayeseval.splitting.halves import splits_of_another_size
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
