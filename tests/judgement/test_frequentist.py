from itertools import product

import mlxtend.evaluate
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from sklearn.base import BaseEstimator
from statsmodels.api import OLS
from statsmodels.stats import contingency_tables
from statsmodels.stats.descriptivestats import sign_test as sign_test_of_statsmodels
from statsmodels.stats.proportion import proportions_ztest

from skbayeseval.judgement.frequentist import (
    blocked_three_by_two_t,
    cochrans_q,
    corrected_resampled_t,
    critical_difference,
    delong,
    diebold_mariano,
    five_by_two_f,
    five_by_two_t,
    friedman,
    mcnemar,
    mean_ranks,
    nemenyi,
    paired_t,
    sign_test,
    two_proportion_z,
)

OF_SCORES = {
    "paired": (paired_t, (8,), {}),
    "corrected": (corrected_resampled_t, (8,), {"n_train": 90, "n_test": 10}),
    "5x2 t": (five_by_two_t, (5, 2), {}),
    "3x2 t": (blocked_three_by_two_t, (3, 2), {}),
    "time": (diebold_mariano, (8,), {"lag": 1}),
}


def scores(shape, seed=0):
    of_both = np.random.default_rng(seed).normal([[0.8], [0.78]], 0.02, (2, np.prod(shape)))
    return of_both.reshape(2, *shape)


@pytest.mark.parametrize("lag", [0, 7])
def test_diebold_and_mariano(lag):
    a, b = np.random.default_rng(lag).normal(size=(2, 80)).cumsum(axis=1)
    hac = {"maxlags": lag, "use_correction": False}  # Newey and West's variance of the mean
    expected = OLS(a - b, np.ones(80)).fit(cov_type="HAC", cov_kwds=hac).tvalues[0]
    h = lag + 1  # the correction of Harvey, Leybourne and Newbold (1997), equation 9
    expected *= np.sqrt((80 + 1 - 2 * h + h * (h - 1) / 80) / 80)
    test = diebold_mariano(a, b, lag=lag)
    pvalue = 2 * stats.t.sf(abs(expected), 79)
    assert (test.statistic, test.pvalue) == pytest.approx((expected, pvalue))
    assert diebold_mariano(b, a, lag=lag).statistic == -test.statistic


@settings(max_examples=30)
@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=30))
def test_sign_test(pairs):
    a, b = np.array(pairs).T
    test = sign_test(a, b)
    if (a == b).all():
        assert (test.pvalue, test.n) == (1, 0)
    else:
        # statsmodels' statistic is (ahead - behind) / 2.
        statistic, pvalue = sign_test_of_statsmodels(a - b)
        assert test.pvalue == pytest.approx(pvalue)
        assert test.statistic - test.n / 2 == pytest.approx(statistic)
    assert sign_test(b, a).pvalue == pytest.approx(test.pvalue)


@pytest.mark.parametrize(("only_a", "only_b"), [(0, 0), (0, 1), (1, 0), (12, 3), (20, 20), (5, 60)])
def test_mcnemar(only_a, only_b):
    expected = contingency_tables.mcnemar([[7, only_a], [only_b, 9]], exact=True)
    test = mcnemar(only_a, only_b)
    assert test.pvalue == pytest.approx(expected.pvalue if only_a + only_b else 1.0)
    correct = np.repeat([[1, 0], [0, 1]], [only_a, only_b], axis=1)
    both = np.ones((2, 1))
    assert sign_test(*np.hstack([correct, both])).pvalue == pytest.approx(test.pvalue)


@pytest.mark.parametrize(("only_a", "only_b"), [(3, 12), (12, 3), (0, 4), (5, 5), (0, 0), (1, 0)])
def test_mid_p_by_enumeration(only_a, only_b):
    # Half of what is as likely as the outcome, and all of what is less likely.
    n = only_a + only_b
    outcomes = [sum(flips) for flips in product([0, 1], repeat=n)]
    distance = np.abs(np.array(outcomes) - n / 2)
    observed = abs(only_a - n / 2)
    expected = np.mean(distance > observed) + 0.5 * np.mean(distance == observed)
    test = mcnemar(only_a, only_b, mid_p=True)
    # Both tails at once where the outcome is the middle one: all of it, by Fagerland's formula.
    assert test.pvalue == pytest.approx(expected if only_a != only_b else 1.0)
    assert test.name == "McNemar, mid-p"


def test_mid_p_of_the_literature():
    # Fagerland, Lydersen and Laake (2013), airway hyper-responsiveness before and after stem
    # cell transplantation, 1 and 7 discordant pairs.
    for mid_p, pvalue in ((False, 0.070), (True, 0.039)):
        test = mcnemar(1, 7, mid_p=mid_p)
        assert (test.statistic, test.n, test.pvalue) == (1, 8, pytest.approx(pvalue, abs=5e-4))


@pytest.mark.parametrize("trials", [(3, 17, 9, 20), (0, 10, 4, 30), (7532, 8000, 10, 12)])
def test_two_proportion_z(trials):
    test, mirrored = two_proportion_z(*trials), two_proportion_z(*trials[2:], *trials[:2])
    expected = proportions_ztest(trials[::2], trials[1::2])
    assert (test.statistic, test.pvalue) == pytest.approx(expected)
    assert mirrored.statistic == pytest.approx(-test.statistic)
    none = two_proportion_z(0, 10, 0, 12)  # no variance
    assert (none.statistic, none.pvalue, none.n) == (0, 1, 22)


def test_corrected_resampled_t():
    a, b = scores((10,))
    # Without test instances nothing is corrected.
    nearly = corrected_resampled_t(a, b, n_train=1e12, n_test=1)
    assert nearly.pvalue == pytest.approx(stats.ttest_rel(a, b).pvalue)
    # By hand: ten-fold cross-validation shrinks t by sqrt(10 (1/10 + 1/9)).
    test = corrected_resampled_t(a, b, n_train=90, n_test=10)
    t = stats.ttest_rel(a, b).statistic / np.sqrt(10 * (1 / 10 + 1 / 9))
    assert (test.statistic, test.pvalue) == pytest.approx((t, 2 * stats.t.sf(abs(t), 9)))
    assert (test.n, test.df) == (10, 9)


class Nothing(BaseEstimator):
    def fit(self, X, y):
        return self


@pytest.mark.parametrize("seed", range(2))
def test_five_by_two(seed):
    a, b = scores((5, 2), seed)
    for test, reference in (
        (five_by_two_t, mlxtend.evaluate.paired_ttest_5x2cv),
        (five_by_two_f, mlxtend.evaluate.combined_ftest_5x2cv),
    ):
        # mlxtend fits estimators itself: its scorer hands out our scores in the order it asks.
        prepared = iter(np.stack([a, b], axis=-1).ravel())
        statistic, pvalue = reference(
            Nothing(), Nothing(), np.zeros((8, 1)), np.zeros(8),
            scoring=lambda *_, prepared=prepared: next(prepared), random_seed=0,
        )  # fmt: skip
        ours = test(a, b)
        assert (ours.statistic, ours.pvalue) == pytest.approx((statistic, pvalue))
        assert test(a.ravel(), b.ravel()) == ours
    assert five_by_two_t(a, b).df == 5
    assert five_by_two_f(a, b).df == (10, 5)
    assert five_by_two_t(a, b).n == five_by_two_f(a, b).n == 10


def test_blocked_three_by_two_by_hand():
    a = [[0.82, 0.80], [0.83, 0.78], [0.81, 0.82]]
    b = [[0.80, 0.80], [0.79, 0.79], [0.80, 0.79]]
    # Differences 2, 0, 4, -1, 1, 3 hundredths: mean 1.5, squared deviations sum to 17.5.
    test, t = blocked_three_by_two_t(a, b), 1.5 / np.sqrt(17.5 / 6)
    assert (test.statistic, test.pvalue) == pytest.approx((t, 2 * stats.t.sf(t, 5)))
    assert (test.n, test.df) == (6, 5)


@pytest.mark.parametrize(("test", "shape", "parameters"), OF_SCORES.values(), ids=OF_SCORES)
def test_swapped_and_without_variance(test, shape, parameters):
    a, b = scores(shape)
    one, other = test(a, b, **parameters), test(b, a, **parameters)
    assert (one.statistic, one.pvalue) == pytest.approx((-other.statistic, other.pvalue))
    half = np.full(shape, 0.5)
    same = test(half, half, **parameters)
    assert (same.statistic, same.pvalue) == (0, 1)
    better = test(half, half - 0.25, **parameters)
    assert (better.statistic, better.pvalue) == (np.inf, 0)
    assert test(half - 0.25, half, **parameters).statistic == -np.inf
    # Differences that are the same but for rounding.
    a = np.array([0.3, 0.7, 0.9])
    assert paired_t(a, a - 0.1).pvalue < 1e-10
    assert paired_t(a, a - 0.1).df == paired_t(a, a[::-1]).df == 2


@pytest.mark.parametrize("decimals", [0, 9])
def test_delong_by_all_pairs(decimals):
    """Each pair of a positive and a negative instance is ordered rightly, wrongly or tied."""
    y = np.arange(90) % 3 == 0
    scores = y + np.random.default_rng(0).normal(size=(2, 90)) * [[1.0], [1.5]]
    positives, negatives = (scores.round(decimals)[:, which] for which in (y, ~y))
    right = (1 + np.sign(positives[:, :, None] - negatives[:, None])) / 2
    over_negatives, over_positives = right.mean(axis=2), right.mean(axis=1)
    variance = sum(np.cov(part) / part.shape[1] for part in (over_negatives, over_positives))
    areas = right.mean(axis=(1, 2))
    expected = (areas[0] - areas[1]) / np.sqrt([1, -1] @ variance @ [1, -1])
    parts = list(zip(over_negatives, over_positives, strict=True))
    assert delong(*parts).statistic == pytest.approx(expected)
    assert delong(*parts).pvalue == pytest.approx(2 * stats.norm.sf(abs(expected)))
    assert delong(*parts[::-1]).statistic == pytest.approx(-expected)
    assert delong(parts[0], parts[0]).pvalue == 1


@pytest.mark.parametrize("k", [2, 3, 5])
def test_cochrans_q(k):
    rng = np.random.default_rng(k)
    right = rng.random((k, 60)) < np.linspace(0.5, 0.8, k)[:, None]
    expected = mlxtend.evaluate.cochrans_q(np.ones(60), *right.astype(int)) if k > 2 else None
    test = cochrans_q(right)
    if k == 2:  # McNemar's statistic without correction
        only_a, only_b = np.sum(right[0] & ~right[1]), np.sum(right[1] & ~right[0])
        statistic = (only_a - only_b) ** 2 / (only_a + only_b)
        expected = statistic, stats.chi2.sf(statistic, 1)
    assert (test.statistic, test.pvalue) == pytest.approx(expected)
    assert cochrans_q(np.ones((k, 5))).pvalue == 1


# Scores of four variants of C4.5 on 14 data sets.
TREES = np.array([
    [0.763, 0.599, 0.954, 0.628, 0.882, 0.936, 0.661, 0.583, 0.775, 1, 0.940, 0.619, 0.972, 0.957],
    [0.768, 0.591, 0.971, 0.661, 0.888, 0.931, 0.668, 0.583, 0.838, 1, 0.962, 0.666, 0.981, 0.978],
    [0.771, 0.590, 0.968, 0.654, 0.886, 0.916, 0.609, 0.563, 0.866, 1, 0.965, 0.614, 0.975, 0.946],
    [0.798, 0.569, 0.967, 0.657, 0.898, 0.931, 0.685, 0.625, 0.875, 1, 0.962, 0.669, 0.975, 0.970],
])  # fmt: skip


def test_friedman_and_nemenyi():
    test = friedman(TREES)
    expected = stats.friedmanchisquare(*TREES)
    assert (test.statistic, test.pvalue) == pytest.approx(tuple(expected))
    assert (test.n, test.df) == (14, 3)
    # posthoc_nemenyi_friedman of scikit-posthocs 0.17.1.
    ranks = mean_ranks(TREES)
    for (i, j), pvalue in {(0, 1): 0.088673, (0, 3): 0.061683, (1, 3): 0.998882}.items():
        assert nemenyi(ranks[i], ranks[j], 4, 14).pvalue == pytest.approx(pvalue, abs=1e-6)
        assert nemenyi(ranks[i], ranks[j], 4, 14).statistic < 0
    assert friedman(np.ones((3, 4))).pvalue == 1


def test_critical_differences_of_the_literature():
    """Demsar (2006), section 3.2.4: four classifiers on 14 data sets."""
    found = [critical_difference(4, 14, prob) for prob in (0.95, 0.9)]
    assert found == pytest.approx([1.25, 1.12], abs=0.005)
    assert nemenyi(1.0, 1.0 + found[0], 4, 14).pvalue == pytest.approx(0.05)
