"""m x 2 block-regularised cross-validation: what its pooled counts are worth."""

from __future__ import annotations

from scipy.special import xlogy

from skbayeseval._validation import check_whole_number

__all__ = ["calibrated_weight"]


def calibrated_weight(n_repeats: int = 3) -> float:
    r"""Return the weight of counts pooled over `n_repeats` x 2 runs.

    Pooled counts hold every instance `n_repeats` times, and the runs are correlated. The
    effective count is the pooled one times the average of
    :math:`1 / (1 + \rho_1 + 2 (m - 1) \rho_2)` over :math:`\rho_1 \in [0, 1/2]` and
    :math:`\rho_2 \in [1/4, 1/2]` (Wang and Li 2019, eq. 22; their m is 3, other values extend
    the same argument).

    Parameters
    ----------
    n_repeats : int, default=3
        The number m of two-fold cross-validations, at least 2.

    Returns
    -------
    weight : float

    Examples
    --------
    >>> from skbayeseval.evidence import calibrated_weight
    >>> round(calibrated_weight(3), 4)
    0.3688
    """
    m = check_whole_number(n_repeats, "n_repeats", minimum=2)
    slope = 2 * (m - 1)

    # The inner integral over rho_1 is log(a + 1/2) - log(a), and x log x integrates the log; the
    # linear terms cancel. The area of the rectangle is 1/8.
    def corner(rho_1: float, rho_2: float) -> float:
        x = 1 + rho_1 + slope * rho_2
        return float(xlogy(x, x))

    return 8 / slope * (corner(0.5, 0.5) - corner(0, 0.5) - corner(0.5, 0.25) + corner(0, 0.25))
