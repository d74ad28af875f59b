"""Classical significance tests for the comparison of two classifiers.

The tests of Yang and Liu (1999), used by Zhang et al. (2015, 2016), are the sign test of correct
predictions (s-test), the sign test of the F1 of each class (S-test), the two-proportion z-test
(p-test) and the paired t-test of the F1 of each class (T-test). All p-values are two-sided. Callers
have checked the arguments.

Classical tests keep to what they assume. Exact tests of instances are given only where every
instance counts once; pooled counts of repeated cross-validation get the z-test on effective counts,
and the tests made for their splits. The 3 x 2 BCV t-test takes the mean squared deviation of the
six differences for the variance of their mean, with 5 degrees of freedom, as the authors' published
code does.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from skbayeseval._arrays import Array


@dataclass(frozen=True)
class SignificanceTest:
    """Result of a significance test of A against B.

    Attributes
    ----------
    name : str
        The name of the test.
    statistic : float
        The test statistic. z and t statistics have the sign of A minus B. For the sign test and
        McNemar's test, the number of discordant pairs in which A is better.
    pvalue : float
        The two-sided p-value.
    n : float
        The sample size: the number of discordant pairs, instances, classes or splits.
    df : float, (float, float) or None
        The degrees of freedom, or None if the test has none.

    Examples
    --------
    >>> from skbayeseval.judgement.frequentist import mcnemar
    >>> test = mcnemar(12, 3)
    >>> test.name, round(test.pvalue, 4)
    ('McNemar, exact', 0.0352)
    """

    name: str
    statistic: float
    pvalue: float
    n: float
    df: float | tuple[float, float] | None = None


def sign_test(a: ArrayLike, b: ArrayLike) -> SignificanceTest:
    """Sign test: an exact binomial test of the pairs in which A and B differ.

    Parameters
    ----------
    a, b : array-like of shape (n,)
        Whether each instance was predicted correctly (s-test), or the F1 of each class (S-test).

    Returns
    -------
    test : SignificanceTest
        The result. If no pair differs, the p-value is 1.

    Examples
    --------
    >>> from skbayeseval.judgement.frequentist import sign_test
    >>> round(sign_test([1, 1, 1, 1, 0, 1], [0, 0, 1, 0, 0, 0]).pvalue, 4)
    0.125
    """
    difference = np.subtract(a, b, dtype=float)
    exact = mcnemar(int(np.sum(difference > 0)), int(np.sum(difference < 0)))
    return replace(exact, name="sign test")


def mcnemar(only_a: int, only_b: int, *, mid_p: bool = False) -> SignificanceTest:
    """McNemar's test of equal error rates on the same instances (McNemar 1947).

    Parameters
    ----------
    only_a, only_b : int
        The number of instances that only A, or only B, predicted correctly.
    mid_p : bool, default=False
        Whether to return the mid-p-value, which counts only half of the probability of the observed
        outcome. It is less conservative than the exact test (Fagerland, Lydersen and Laake 2013).

    Returns
    -------
    test : SignificanceTest

    Examples
    --------
    >>> from skbayeseval.judgement.frequentist import mcnemar
    >>> round(mcnemar(12, 3, mid_p=True).pvalue, 4)
    0.0213
    """
    n = only_a + only_b
    pvalue = float(stats.binomtest(only_a, max(n, 1)).pvalue)  # 1 if n is 0
    if mid_p and only_a != only_b:
        pvalue -= float(stats.binom.pmf(only_a, n, 0.5))
    return SignificanceTest(f"McNemar, {'mid-p' if mid_p else 'exact'}", only_a, pvalue, n)


def two_proportion_z(
    successes_a: float, n_a: float, successes_b: float, n_b: float
) -> SignificanceTest:
    """Two-proportion z-test (p-test), which treats the two samples as independent.

    Parameters
    ----------
    successes_a, successes_b : float
        The number of instances that A, or B, predicted correctly. May be fractional if counts are
        weighted.
    n_a, n_b : float
        The number of instances predicted by A and by B.

    Returns
    -------
    test : SignificanceTest
        The result. The variance is pooled; if it is 0, the p-value is 1.

    Examples
    --------
    >>> from skbayeseval.judgement.frequentist import two_proportion_z
    >>> round(two_proportion_z(85, 100, 78, 100).pvalue, 4)
    0.2024
    """
    pooled = (successes_a + successes_b) / (n_a + n_b)
    variance = pooled * (1 - pooled) * (1 / n_a + 1 / n_b)
    difference = successes_a / n_a - successes_b / n_b
    statistic = _over_root(difference, variance)
    pvalue = 2 * float(stats.norm.sf(abs(statistic)))
    return SignificanceTest("two-proportion z", statistic, pvalue, n_a + n_b)


def paired_t(a: ArrayLike, b: ArrayLike) -> SignificanceTest:
    """Paired t-test that the mean difference is 0 (T-test if applied to the F1 of each class).

    Parameters
    ----------
    a, b : array-like of shape (n,)
        The paired metric values of A and B.

    Returns
    -------
    test : SignificanceTest
        The result. If all differences are equal, the p-value is 1 if they are 0, else 0.

    Examples
    --------
    >>> from skbayeseval.judgement.frequentist import paired_t
    >>> round(paired_t([0.8, 0.7, 0.9], [0.7, 0.7, 0.7]).pvalue, 4)
    0.2254
    """
    difference = np.subtract(a, b)
    n = len(difference)
    if np.ptp(difference) <= 1e-13 * np.abs(difference).max():  # scipy would divide by 0
        return _t_test("paired t", float(difference[0]), 0.0, n, n - 1)
    found = stats.ttest_1samp(difference, 0.0)
    return SignificanceTest("paired t", float(found.statistic), float(found.pvalue), n, n - 1)


def diebold_mariano(values_a: ArrayLike, values_b: ArrayLike, *, lag: int) -> SignificanceTest:
    """Test that the mean difference of values in order of time is 0 (Diebold and Mariano 1995).

    The long-run variance has Bartlett's weights (Newey and West 1987), which keep it positive. The
    statistic is corrected for small samples by Harvey, Leybourne and Newbold (1997).

    Parameters
    ----------
    values_a, values_b : array-like of shape (n,)
        The values of A and B, such as minus their losses, in order of time.
    lag : int
        The largest lag at which differences are correlated; h - 1 for forecasts h steps ahead.

    Returns
    -------
    test : SignificanceTest

    Examples
    --------
    >>> from skbayeseval.judgement.frequentist import diebold_mariano
    >>> a, b = [3, 5, 4, 6, 2, 1, 3, 4, 5, 6], [2, 3, 3, 4, 2, 1, 4, 4, 3, 4]
    >>> test = diebold_mariano(a, b, lag=2)
    >>> round(test.statistic, 3), round(test.pvalue, 3)
    (1.701, 0.123)
    """
    difference = np.subtract(values_a, values_b, dtype=float)
    n, h, mean = len(difference), lag + 1, float(difference.mean())
    rest = difference - mean
    variance = float(rest @ rest)
    for k in range(1, min(h, n)):
        variance += 2 * (1 - k / h) * float(rest[k:] @ rest[:-k])
    correction = (n + 1 - 2 * h + h * (h - 1) / n) / n
    variance = variance / n**2 / correction if variance > 1e-13 * n * mean**2 else 0.0
    return _t_test("Diebold and Mariano", mean, variance, n, n - 1)


def corrected_resampled_t(
    scores_a: ArrayLike, scores_b: ArrayLike, *, n_train: float, n_test: float
) -> SignificanceTest:
    """Corrected resampled t-test of split scores (Nadeau and Bengio 2003).

    The correction accounts for the overlap of the training sets: the variance of the mean
    difference is (1 / n_splits + n_test / n_train) times the variance of a single difference.

    Parameters
    ----------
    scores_a, scores_b : array-like of shape (n_splits,)
        The split scores of A and B.
    n_train, n_test : float
        The number of training and test instances per split.

    Returns
    -------
    test : SignificanceTest

    Examples
    --------
    >>> from skbayeseval.judgement.frequentist import corrected_resampled_t
    >>> a, b = [0.91, 0.88, 0.93, 0.90, 0.89], [0.87, 0.88, 0.90, 0.86, 0.88]
    >>> round(corrected_resampled_t(a, b, n_train=80, n_test=20).pvalue, 4)
    0.1202
    """
    difference = np.subtract(scores_a, scores_b)
    n = len(difference)
    variance = (1 / n + n_test / n_train) * float(difference.var(ddof=1))
    return _t_test("corrected resampled t", float(difference.mean()), variance, n, n - 1)


def five_by_two_t(scores_a: ArrayLike, scores_b: ArrayLike) -> SignificanceTest:
    """5x2cv t-test, which uses the difference of the first split (Dietterich 1998).

    Parameters
    ----------
    scores_a, scores_b : array-like of shape (5, 2) or (10,)
        The split scores of A and B in five repeats of two-fold cross-validation. The two scores of
        a repeat are adjacent.

    Returns
    -------
    test : SignificanceTest

    Examples
    --------
    >>> from skbayeseval.judgement.frequentist import five_by_two_t
    >>> a = [[0.80, 0.78], [0.81, 0.79], [0.83, 0.78], [0.79, 0.80], [0.82, 0.80]]
    >>> b = [[0.77, 0.76], [0.78, 0.78], [0.79, 0.77], [0.76, 0.79], [0.78, 0.78]]
    >>> round(five_by_two_t(a, b).pvalue, 4)
    0.099
    """
    difference = np.subtract(scores_a, scores_b).reshape(5, 2)
    variance = float(difference.var(axis=1, ddof=1).mean())
    return _t_test("5x2cv t", float(difference[0, 0]), variance, 10, 5)


def five_by_two_f(scores_a: ArrayLike, scores_b: ArrayLike) -> SignificanceTest:
    """5x2cv F-test, which uses the differences of all splits (Alpaydin 1999).

    Parameters
    ----------
    scores_a, scores_b : array-like of shape (5, 2) or (10,)
        As in `five_by_two_t`.

    Returns
    -------
    test : SignificanceTest

    Examples
    --------
    >>> from skbayeseval.judgement.frequentist import five_by_two_f
    >>> a = [[0.80, 0.78], [0.81, 0.79], [0.83, 0.78], [0.79, 0.80], [0.82, 0.80]]
    >>> b = [[0.77, 0.76], [0.78, 0.78], [0.79, 0.77], [0.76, 0.79], [0.78, 0.78]]
    >>> round(five_by_two_f(a, b).pvalue, 4)
    0.1067
    """
    difference = np.subtract(scores_a, scores_b).reshape(5, 2)
    squares = float((difference**2).sum())
    spread = 2 * float(difference.var(axis=1, ddof=1).sum())
    statistic = squares / spread if spread > 0 else (math.inf if squares > 0 else 0.0)
    return SignificanceTest("5x2cv F", statistic, float(stats.f.sf(statistic, 10, 5)), 10, (10, 5))


def blocked_three_by_two_t(scores_a: ArrayLike, scores_b: ArrayLike) -> SignificanceTest:
    r"""t-test of 3 x 2 block-regularised cross-validation (Wang et al. 2014).

    The variance of the mean of the six differences is estimated by their mean squared deviation
    from the mean, without the factor 1/6 for independent splits. With correlations :math:`\rho_1`
    within and :math:`\rho_2` between repeats, the variance of the mean is :math:`v \sigma^2 / 6`
    with :math:`v = 1 + \rho_1 + 4 \rho_2`. The expectation of the estimate is
    :math:`(6 - v) \sigma^2 / 6`, so the test is conservative if :math:`v \le 3`.

    Parameters
    ----------
    scores_a, scores_b : array-like of shape (3, 2) or (6,)
        The split scores of A and B. The two scores of a repeat are adjacent.

    Returns
    -------
    test : SignificanceTest

    Examples
    --------
    >>> from skbayeseval.judgement.frequentist import blocked_three_by_two_t
    >>> a = [[0.80, 0.78], [0.81, 0.79], [0.83, 0.78]]
    >>> b = [[0.77, 0.76], [0.78, 0.78], [0.79, 0.77]]
    >>> round(blocked_three_by_two_t(a, b).pvalue, 4)
    0.0886
    """
    difference = np.subtract(scores_a, scores_b)
    return _t_test("3x2 BCV t", float(difference.mean()), float(difference.var()), 6, 5)


def delong(a: Sequence[ArrayLike], b: Sequence[ArrayLike]) -> SignificanceTest:
    """Test that two areas under ROC curves on the same instances are equal (DeLong et al. 1988).

    Parameters
    ----------
    a, b : sequence of array-like
        The structural components of A and of B: for each positive instance the share of negatives
        that it is ranked above, and for each negative one the share of positives above it. Ties
        count half.

    Returns
    -------
    test : SignificanceTest

    Examples
    --------
    >>> from skbayeseval.judgement.frequentist import delong
    >>> a = [1.0, 1.0, 0.75, 1.0], [1.0, 1.0, 1.0, 0.75]
    >>> b = [1.0, 0.5, 0.25, 0.75], [1.0, 0.75, 0.5, 0.25]
    >>> round(delong(a, b).pvalue, 4)
    0.0648
    """
    differences = [np.subtract(one, other) for one, other in zip(a, b, strict=True)]
    variance = sum(float(part.var(ddof=1)) / len(part) for part in differences)
    statistic = _over_root(float(differences[0].mean()), variance)
    n = sum(map(len, differences))
    return SignificanceTest("DeLong", statistic, 2 * float(stats.norm.sf(abs(statistic))), n)


def cochrans_q(right: ArrayLike) -> SignificanceTest:
    """Test that all classifiers are right equally often on the same instances (Cochran 1950).

    Parameters
    ----------
    right : array-like of shape (n_classifiers, n)
        Whether each classifier was right on each instance.

    Returns
    -------
    test : SignificanceTest
        The result. Of two classifiers, it is McNemar's test without correction. `n` is the number
        of instances on which they differ; if there is none, the p-value is 1.

    Examples
    --------
    >>> from skbayeseval.judgement.frequentist import cochrans_q
    >>> test = cochrans_q([[1, 1, 1, 1, 0, 1], [0, 1, 1, 0, 0, 1], [0, 0, 1, 0, 0, 0]])
    >>> round(test.statistic, 3), round(test.pvalue, 3)
    (6.0, 0.05)
    """
    right = np.asarray(right, dtype=float)
    k, of_each, of_instances = len(right), right.sum(axis=1), right.sum(axis=0)
    spread = float((of_instances * (k - of_instances)).sum())
    squares = float(np.square(of_each - of_each.mean()).sum())
    statistic = k * (k - 1) * squares / spread if spread else 0.0
    n = int(((of_instances > 0) & (of_instances < k)).sum())
    return SignificanceTest("Cochran's Q", statistic, _chi2(statistic, k - 1), n, k - 1)


def mean_ranks(scores: ArrayLike) -> Array:
    """Return the mean rank of each system over data sets; 1 is best, and ties share their ranks.

    Parameters
    ----------
    scores : array-like of shape (n_systems, n_data_sets)
        The scores, of which higher ones are better.

    Examples
    --------
    >>> from skbayeseval.judgement.frequentist import mean_ranks
    >>> mean_ranks([[0.9, 0.8], [0.7, 0.8], [0.6, 0.9]])
    array([1.75, 2.25, 2.  ])
    """
    ranks: Array = stats.rankdata(np.negative(scores), axis=0).mean(axis=1)
    return ranks


def friedman(scores: ArrayLike) -> SignificanceTest:
    """Friedman's test that several systems rank alike over data sets, with its allowance for ties.

    Parameters
    ----------
    scores : array-like of shape (n_systems, n_data_sets)
        The scores of three or more systems.

    Returns
    -------
    test : SignificanceTest
        The result. If all systems are tied on all data sets, the p-value is 1.

    Examples
    --------
    >>> from skbayeseval.judgement.frequentist import friedman
    >>> round(friedman([[0.9, 0.8, 0.7], [0.8, 0.7, 0.6], [0.7, 0.6, 0.65]]).pvalue, 4)
    0.097
    """
    scores = np.asarray(scores)
    k, n = scores.shape
    statistic = 0.0
    if np.ptp(scores, axis=0).any():
        statistic = float(stats.friedmanchisquare(*scores).statistic)
    return SignificanceTest("Friedman", statistic, _chi2(statistic, k - 1), n, k - 1)


def nemenyi(rank_a: float, rank_b: float, k: int, n: int) -> SignificanceTest:
    """Nemenyi's test of two of k systems, given their mean ranks over n data sets (Demsar 2006).

    Returns
    -------
    test : SignificanceTest
        The result. The statistic, of the studentized range, is positive if A is better.

    Examples
    --------
    >>> from skbayeseval.judgement.frequentist import nemenyi
    >>> round(nemenyi(1.964, 3.143, 4, 14).pvalue, 3)
    0.074
    """
    statistic = (rank_b - rank_a) / math.sqrt(k * (k + 1) / 12 / n)
    pvalue = float(stats.studentized_range.sf(abs(statistic), k, math.inf))
    return SignificanceTest("Nemenyi", statistic, pvalue, n)


def critical_difference(k: int, n: int, prob: float = 0.95) -> float:
    """Return by how much mean ranks of two of k systems over n data sets differ significantly.

    Examples
    --------
    >>> from skbayeseval.judgement.frequentist import critical_difference
    >>> round(critical_difference(4, 14), 2)  # Demsar (2006), section 3.2.4
    1.25
    """
    quantile = float(stats.studentized_range.ppf(prob, k, math.inf))
    return quantile * math.sqrt(k * (k + 1) / 12 / n)


def _chi2(statistic: float, df: int) -> float:
    return float(stats.chi2.sf(statistic, df))


def _t_test(name: str, mean: float, variance: float, n: int, df: float) -> SignificanceTest:
    statistic = _over_root(mean, variance)
    return SignificanceTest(name, statistic, 2 * float(stats.t.sf(abs(statistic), df)), n, df)


def _over_root(difference: float, variance: float) -> float:
    """Return the difference divided by its standard error; 0 / 0 gives 0."""
    if variance > 0:
        return difference / math.sqrt(variance)
    return math.copysign(math.inf, difference) if difference else 0.0
