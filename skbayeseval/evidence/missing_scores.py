"""Scores that are missing, estimated from how the systems did that have one.

The score of a system on an item is taken to be the level of the item plus the distance of the
system plus an error (least squares, with a level per item). So systems are compared on the items
that they share. Log-odds in the place of differences have less bias for boards of ten systems or
more of which weak ones lack the hardest items, but are off by 0.03 to 0.05 with five.
"""

from __future__ import annotations

import numpy as np
from scipy.sparse.csgraph import connected_components

from skbayeseval._arrays import Array

# The fewest items, scored for another system as well, that tell of a system.
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
    """Return a mask of the systems that are not to be compared with those of the largest part.

    These share fewer than `FEWEST_SHARED` items with others, or none with those, not even by way of
    others.

    Examples
    --------
    >>> import numpy as np
    >>> from skbayeseval.evidence.missing_scores import strangers
    >>> strangers(np.where(np.arange(24) < [[24], [24], [2]], 1.0, np.nan))
    array([False, False,  True])
    """
    run = np.isfinite(scores)
    few = (run & (run.sum(axis=0) > 1)).sum(axis=1) < FEWEST_SHARED
    part = connected_components((run.astype(int) @ run.T) > 0, directed=False)[1]
    return np.asarray(few | (part != np.bincount(part).argmax()))
