"""What comparisons on disjoint halves of the data tell about a variance."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

# What each comparison of halves tells about a variance, in degrees of freedom, and how many are
# wanted; an estimate from the splits stands in for those that are missing.
DF_PER_COMPARISON, DF_WANTED = 0.65, 4.0

# Learners trained on half as many instances vary less than they should around their own mean;
# fitted to simulations (docs/calibration_details.md).
FACTOR = 1.15


def variance_with_halves(variance: float, differences: NDArray[Any]) -> tuple[float, float]:
    """Return the variance of a cross-validated quantity and its degrees of freedom.

    Half the difference between the results on two disjoint halves varies as much as the result on
    all data.

    Parameters
    ----------
    variance : float
        The variance estimated from the splits.
    differences : ndarray of shape (n_comparisons,)
        The difference between the two halves, per comparison.

    Examples
    --------
    >>> import numpy as np
    >>> from skbayeseval.judgement.halves import variance_with_halves
    >>> variance, df = variance_with_halves(1.0, np.array([2.0, -2.0, 2.0, -2.0]))
    >>> round(variance, 3), round(df, 3)
    (1.097, 4.0)
    """
    of_halves = DF_PER_COMPARISON * len(differences)
    of_splits = max(0.0, DF_WANTED - of_halves)
    df = of_splits + of_halves
    seen = FACTOR * float(np.square(differences).sum()) / 4
    return (of_splits * variance + DF_PER_COMPARISON * seen) / df, df


def roots_with_halves(deviations: NDArray[Any], differences: NDArray[Any]) -> NDArray[Any]:
    """Return columns whose outer products sum to the covariance matrix times its df.

    `variance_with_halves` for several quantities at once.

    Parameters
    ----------
    deviations : ndarray of shape (n_quantities, n_splits)
        Columns whose outer products sum to the covariance estimated from the splits.
    differences : ndarray of shape (n_quantities, n_comparisons)
        The difference between the two halves, per comparison.
    """
    of_halves = np.sqrt(DF_PER_COMPARISON * FACTOR / 4) * differences
    of_splits = max(0.0, DF_WANTED - DF_PER_COMPARISON * differences.shape[1])
    return np.hstack([np.sqrt(of_splits) * deviations, of_halves])
