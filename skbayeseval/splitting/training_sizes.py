"""Splits with training sets of another size, to see how performance grows with the data."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skbayeseval.splitting.balance import halve
from skbayeseval.splitting.block_cv import BlockRegularizedCV

__all__ = ["splits_of_another_size"]

Array = NDArray[Any]
Split = tuple[Array, Array]


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
    >>> from skbayeseval.splitting.training_sizes import splits_of_another_size
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
