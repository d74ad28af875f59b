"""The Bayes test of Wang and Li (2019): the more probable of two one-sided hypotheses."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["BayesTest", "favour"]


@dataclass(frozen=True)
class BayesTest:
    """Posterior probabilities of H0 (B is not better than A) and H1 (B is better than A).

    Attributes
    ----------
    p_h0, p_h1 : float
        The posterior probabilities of H0 and H1, which sum to 1.
    favoured : {"H0", "H1"}
        The more probable hypothesis.

    Examples
    --------
    >>> from skbayeseval import compare_counts
    >>> test = compare_counts((400, 50, 60), (410, 45, 50)).bayes_test()
    >>> test.favoured, round(test.p_h1, 3)
    ('H1', 0.861)
    """

    p_h0: float
    p_h1: float
    favoured: str


def favour(p_h0: float) -> BayesTest:
    """Return the test for P(H0) = P(B <= A), as in eq. 31 of Wang and Li (2019).

    Lines 16 to 18 of Algorithm 1 in the paper have the opposite sign; the tables in the paper agree
    with eq. 31.
    """
    p_h1 = 1 - p_h0
    # Accept H0 if P(H0) >= P(H1), with a tolerance for the error of quadrature.
    return BayesTest(p_h0, p_h1, "H0" if p_h0 >= p_h1 - 1e-9 else "H1")
