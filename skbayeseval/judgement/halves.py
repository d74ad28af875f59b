"""What comparisons on disjoint halves of the data tell about a variance."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["roots_with_halves", "variance_with_halves"]

# What a variance estimated from the splits counts when halves are compared, and what each
# comparison of halves adds, in degrees of freedom.
DF_OF_SPLITS, DF_PER_COMPARISON = 2.0, 0.8

# Learners trained on half as many instances vary less than they should around their own mean, and
# random halves overlap between comparisons; fitted to simulations (docs/calibration.md).
FACTOR = 1.4


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
    (1.246, 5.2)
    """
    df = DF_OF_SPLITS + DF_PER_COMPARISON * len(differences)
    seen = FACTOR * float(np.square(differences).sum()) / 4
    return (DF_OF_SPLITS * variance + DF_PER_COMPARISON * seen) / df, df


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
    return np.hstack([np.sqrt(DF_OF_SPLITS) * deviations, of_halves])
