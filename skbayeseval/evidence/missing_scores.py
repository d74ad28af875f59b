"""Scores that are missing, estimated from how the systems did that have one.

The score of a system on an item is taken to be the level of the item plus the distance of the
system plus an error (least squares, with a level per item). So systems are compared on the items
that they share. Log-odds in the place of differences have less bias for boards of ten systems or
more of which weak ones lack the hardest items, but are off by 0.03 to 0.05 with five.
"""

from __future__ import annotations

import numpy as np

from skbayeseval._arrays import Array

# The fewest items that tell how far a system is from others, or one group of them from another.
FEWEST_SHARED = 10


def with_estimates(scores: Array) -> Array:
    """Return scores of items whose mean estimates the mean score over all items.

    A missing score is replaced by the level of the item plus the distance of the system. To those
    that are there is added what their errors change in these estimates, so that the spread of the
    scores is that of the mean: a system with few scores has large ones. Copies have the same, and
    no influence on others.

    Parameters
    ----------
    scores : ndarray of shape (n_systems, n_items)
        The scores; NaN where they are missing. Each item has one or more, and each system shares
        items with others, directly or by way of others (`strangers`).

    Examples
    --------
    >>> import numpy as np
    >>> from skbayeseval.evidence.missing_scores import with_estimates
    >>> scores = np.array([[5.0, 4.0, 2.0, 1.0], [4.0, 3.0, np.nan, np.nan]])
    >>> with_estimates(scores).mean(axis=1)  # one less on the items that both have
    array([3., 2.])
    """
    # NaN differs from itself.
    distinct, position = np.unique(np.nan_to_num(scores, nan=np.inf), axis=0, return_inverse=True)
    run = np.isfinite(distinct)
    known, each = np.where(run, distinct, 0.0), run / run.sum(axis=0)
    # Distances are known up to a common one, which no estimate depends on.
    inverse = np.linalg.inv(np.diag(run.sum(axis=1)) - each @ run.T + 1 / len(run))
    own = np.where(run, known - (each * known).sum(axis=0), 0.0)
    distance = inverse @ own.sum(axis=1)
    level = (each * (known - distance[:, None])).sum(axis=0)
    expected = distance[:, None] + level
    errors = np.where(run, known - expected, 0.0)
    # How the sums of estimated scores depend on distances, and these on the errors of an item.
    effect = np.diag((~run).sum(axis=1)) - (~run / run.sum(axis=0)) @ run.T
    found = np.where(run, known, expected) + effect @ (inverse @ errors)
    return np.asarray(found[np.ravel(position)])


def strangers(scores: Array) -> Array:
    """Return a mask of the systems that cannot be compared with those of the largest part.

    To a part, the system is added that shares the most items with those that are in it, as long as
    these are `FEWEST_SHARED` or more. So parts that only a few items join are not compared, as
    these few would tell their distance.

    Examples
    --------
    >>> import numpy as np
    >>> from skbayeseval.evidence.missing_scores import strangers
    >>> strangers(np.where(np.arange(24) < [[24], [24], [2]], 1.0, np.nan))
    array([False, False,  True])
    """
    run = np.isfinite(scores)
    part = np.full(len(run), -1)
    while (part < 0).any():
        number = part.max() + 1
        seen, n_shared = np.zeros(run.shape[1], dtype=bool), np.zeros(len(run), dtype=int)
        best = int(np.where(part < 0, run.sum(axis=1), -1).argmax())
        while part[best] < 0 and (not seen.any() or n_shared[best] >= FEWEST_SHARED):
            part[best] = number
            n_shared += run[:, run[best] & ~seen].sum(axis=1)
            seen |= run[best]
            best = int(np.where(part < 0, n_shared, -1).argmax())
    return np.asarray(part != np.bincount(part).argmax())


def without_distance(scores: Array) -> Array:
    """Return a mask of the systems of which nothing tells how far they are from others elsewhere.

    These lack items, and differ by the same amount from others on all that they have: if all had
    the easiest ones right, it is not known how they would do on the hard ones.

    Examples
    --------
    >>> import numpy as np
    >>> from skbayeseval.evidence.missing_scores import without_distance
    >>> without_distance(np.array([[1.0, 1.0, 0.0, 1.0], [1.0, 1.0, np.nan, np.nan]]))
    array([False,  True])
    """
    run = np.isfinite(scores)
    apart = scores - np.where(run, scores, 0.0).sum(axis=0) / run.sum(axis=0)
    spread = np.nanmax(apart, axis=1) - np.nanmin(apart, axis=1)
    return np.asarray(~run.all(axis=1) & (spread <= 1e-12 * np.nanmax(np.abs(scores))))
