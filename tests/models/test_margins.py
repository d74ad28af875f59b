"""Closed forms against scipy's distributions, numerical integration and plain simulation."""

import numpy as np
import pytest
import scipy
from scipy import integrate, stats
from scipy.special import betainc, betaincinv, betaln, logsumexp

from skbayeseval.judgement.intervals import Interval
from skbayeseval.models.margins import (
    BetaDifference,
    BetaMargin,
    F1Margin,
    StudentMargin,
)

SHAPES = [(0.5, 0.5), (1, 1), (1, 2), (3.7, 0.4), (88.2, 12.6), (5000.5, 321.0)]


@pytest.mark.parametrize("shapes", SHAPES)
def test_beta(shapes):
    margin, reference = BetaMargin(*shapes), stats.beta(*shapes)
    q = np.array([0.001, 0.025, 0.5, 0.975, 0.999])
    np.testing.assert_allclose(margin.ppf(q), reference.ppf(q))
    assert margin.sd == pytest.approx(reference.std())
    low, high = reference.ppf([0.1, 0.7])
    assert margin.mass(low, high) == pytest.approx(0.6)
    score, weights = margin.nodes()
    assert weights.sum() == pytest.approx(1, abs=1e-9)
    assert (score * weights).sum() == pytest.approx(reference.mean(), abs=1e-9)
    assert (score**2 * weights).sum() == pytest.approx(reference.moment(2), abs=1e-9)


PAIRS = [
    (BetaMargin(88, 12), BetaMargin(80, 20)),
    (BetaMargin(88, 12), BetaMargin(8800, 1200)),
    (BetaMargin(1, 1), BetaMargin(1, 1)),
    (BetaMargin(0.5, 0.5), BetaMargin(3, 0.7)),
    (F1Margin(300, 40), F1Margin(280, 60)),
    (F1Margin(5, 1), F1Margin(2, 4)),
    (BetaMargin(4e5, 1e5), BetaMargin(399_900, 100_100)),
]


@pytest.mark.parametrize(("a", "b"), PAIRS)
@pytest.mark.parametrize(("low", "high"), [(0, 1), (-0.02, 0.02), (-1, -0.05)])
def test_difference_probability(a, b, low, high):
    # Over the quantiles of B, which needs no density.
    reference, _ = integrate.quad(
        lambda u: float(a.mass(b.ppf(u) + low, b.ppf(u) + high)), 0, 1, epsabs=1e-9, limit=500
    )
    assert BetaDifference(a, b).mass(low, high) == pytest.approx(reference, abs=2e-5)
    mirrored = BetaDifference(b, a).mass(-high, -low)
    assert BetaDifference(a, b).mass(low, high) == pytest.approx(mirrored, abs=1e-6)


def test_difference_far_in_the_tail():
    # Nearly normal: the logarithm agrees with the normal tail to a few percent.
    a, b = BetaMargin(9000, 1000), BetaMargin(8000, 2000)
    inside = BetaDifference(a, b).mass(-1, 0)
    z = 0.1 / np.hypot(a.sd, b.sd)
    assert np.log10(inside) == pytest.approx(stats.norm.logsf(z) / np.log(10), rel=0.05)
    assert inside < 1e-80


@pytest.mark.parametrize(("a", "b"), [PAIRS[0], PAIRS[1], PAIRS[4]])
def test_difference_interval(a, b):
    low, high = BetaDifference(a, b).interval(0.9)
    assert BetaDifference(a, b).mass(-1, low) == pytest.approx(0.05, abs=1e-7)
    assert BetaDifference(a, b).mass(high, 1) == pytest.approx(0.05, abs=1e-7)


@pytest.mark.parametrize(("a", "b"), [(1.2e8, 3e8), (5e8, 1.1e8), (2e9, 1.5e9)])
def test_large_shapes_agree_with_the_incomplete_beta_function(a, b):
    # Up to about 1e10, scipy's betainc is exact, also in the tails; above, it may be NaN.
    margin = BetaMargin(a, b)
    x = a / (a + b) + margin.sd * np.array([-30, -8, -3, -1, -0.1, -0.01, 0, 0.05, 1, 3])
    # Before 1.14, scipy's own has only seven digits here.
    version = tuple(map(int, scipy.__version__.split(".")[:2]))
    rtol = 1e-8 if version >= (1, 14) else 1e-6
    np.testing.assert_allclose(margin.mass(0.0, x), betainc(a, b, x), rtol=rtol)
    np.testing.assert_allclose(margin.mass(x, 1.0), betainc(b, a, 1 - x), rtol=rtol)
    between = np.diff(betainc(a, b, x))  # of two numbers with an error of rtol each
    np.testing.assert_allclose(margin.mass(x[:-1], x[1:]), between, rtol=0, atol=2 * rtol)
    probability = np.array([0.001, 0.025, 0.5, 0.9])
    z = (margin.ppf(probability) - a / (a + b)) / margin.sd
    np.testing.assert_allclose(
        z, (betaincinv(a, b, probability) - a / (a + b)) / margin.sd, atol=1e-6
    )


@pytest.mark.parametrize("kind", [BetaMargin, F1Margin])
@pytest.mark.parametrize(
    ("a", "b"),
    [((3, 4), (5, 2)), ((0.6, 0.7), (0.6, 0.5)), ((2e4, 4e4), (2.1e4, 4.1e4))],
)
def test_log_density_of_equality_by_beta_functions(kind, a, b):
    powers = np.arange(len(kind.inverse_slope))
    integral = logsumexp(betaln(a[0] + b[0] - 1 + powers, a[1] + b[1] - 1), b=kind.inverse_slope)
    found = BetaDifference(kind(*a), kind(*b)).log_density_at_zero()
    assert found == pytest.approx(integral - betaln(*a) - betaln(*b), abs=1e-9)


def test_log_density_of_equality_with_large_shapes():
    # Two equal normal distributions.
    margin = BetaMargin(80e15, 20e15)
    found = BetaDifference(margin, margin).log_density_at_zero()
    assert found == pytest.approx(-np.log(margin.sd * np.sqrt(4 * np.pi)), rel=1e-9)


@pytest.mark.parametrize("df", [1.0, 2.0, 2.5, 3.0, 9.0])
def test_student(df):
    law, reference = StudentMargin(0.3, 0.2, df), stats.t(df, 0.3, 0.2)
    assert law.sd == pytest.approx(reference.std() if df > 1 else np.inf)
    assert law.interval(0.9) == pytest.approx(reference.ppf([0.05, 0.95]))
    assert law.below(0.1) == pytest.approx(reference.cdf(0.1))
    assert law.above(0.7) == pytest.approx(reference.sf(0.7))
    assert law.mass(0.1, 0.7) == pytest.approx(reference.cdf(0.7) - reference.cdf(0.1))


def test_student_without_spread_is_a_point():
    law = StudentMargin(0.3, 0.0, 4.0)
    assert (law.sd, law.interval(0.9)) == (0.0, (0.3, 0.3))
    assert (law.below(0.3), law.above(0.3), law.mass(0.2, 0.4)) == (0.0, 0.0, 1.0)
    assert (law.below(0.31), law.above(0.29), law.mass(0.31, 0.4)) == (1.0, 1.0, 0.0)


@pytest.mark.parametrize("law", [BetaDifference(*PAIRS[0]), StudentMargin(0.05, 0.1, 5.0)])
def test_quantities_have_the_probabilities_of_their_law(law):
    draws = np.linspace(-3, 3, 50)
    quantity = law.known(draws, (-0.25, 0.25))
    around = quantity.around(Interval(-0.02, 0.03))
    expected = law.below(-0.02), law.mass(-0.02, 0.03), law.above(0.03)
    assert tuple(around) == pytest.approx(expected, abs=1e-9)
    assert sum(around) == pytest.approx(1)
    assert quantity.mass(-0.02, 0.03) == pytest.approx(expected[1], abs=1e-9)
    if isinstance(law, StudentMargin):  # which alone extends beyond what can be
        assert tuple(quantity.interval(0.99)) == (-0.25, 0.25)
        assert quantity.hdi(0.5) == quantity.interval(0.5) == pytest.approx(law.interval(0.5))
        assert (quantity.mean, quantity.sd, quantity.hdi_mcse()) == (0.05, law.sd, 0.0)
        np.testing.assert_array_equal(quantity.draws, np.clip(draws, -0.25, 0.25))
    else:
        assert tuple(quantity.interval(0.9)) == law.interval(0.9)
