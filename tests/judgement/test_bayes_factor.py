import numpy as np
import pytest
from scipy import stats

from skbayeseval.judgement.bayes_factor import (
    BayesFactor,
    Estimate,
    density_by_kde,
    density_by_smoothing,
    density_of_draws,
    density_of_pairs,
    favour,
    odds_of_draws,
    odds_of_pairs,
    odds_of_probabilities,
    ratio,
)
from skbayeseval.judgement.intervals import Interval


@pytest.mark.parametrize(
    ("estimate", "expected"),
    [
        # Square roots of uniforms: the density 2x has the square's integral 4/3.
        (lambda a, b: density_of_pairs(a, b, 1e-4), 4 / 3),
        # The density of a - b is 4/3 - 2 x + 2 x^3 / 3 at x = |a - b|.
        (lambda a, b: density_of_draws(np.sum(abs(a - b) < 0.02), len(a), 0.02), 1.313335),
        (lambda a, b: odds_of_pairs(a, b, Interval(-0.001, 0.001)), 1 / (1 / 0.00266467 - 1)),
    ],
)
def test_prior_estimates_by_repetition(estimate, expected):
    uniform = np.random.default_rng(0).random((300, 2, 4000))
    found = [estimate(a, b) for a, b in np.sqrt(uniform)]
    logs, variances, reasons = zip(*found, strict=True)
    assert np.mean(logs) == pytest.approx(np.log(expected), abs=4 * np.std(logs) / 17 + 0.005)
    assert np.mean(variances) == pytest.approx(np.var(logs), rel=0.3)
    assert not any(reasons)


@pytest.mark.parametrize("mean", [0.0, 2.0, 6.0])
@pytest.mark.parametrize("law", [stats.norm(), stats.gamma(25, loc=-5, scale=0.2)])
def test_density_is_right_or_not_reliable(law, mean):
    samples = law.rvs((60, 20_000), random_state=0) - mean
    logs, variances, reasons = zip(*map(density_by_smoothing, samples), strict=True)
    if reasons.count("") > 30:
        assert np.mean(logs) == pytest.approx(law.logpdf(mean), abs=0.03)
        assert np.sqrt(np.mean(variances)) == pytest.approx(np.std(logs), rel=0.35)
    else:
        assert mean >= 3


@pytest.mark.parametrize("mean", [0.0, 0.7, -1.5])
def test_smoothing_is_that_of_hjort_and_glad(mean):
    draws = np.random.default_rng(0).normal(mean, 2.0, 2000)
    start = stats.norm(draws.mean(), draws.std(ddof=1))

    def ratios(bandwidth):
        return stats.norm.pdf(draws / bandwidth) / bandwidth / start.pdf(draws)

    width = draws.std(ddof=1) / 2000 ** (1 / 5)
    narrow, wide = ratios(width), ratios(2 * width)
    estimate = density_by_smoothing(draws)
    assert np.exp(estimate.log) == pytest.approx(start.pdf(0) * narrow.mean())
    bias = np.log(wide.mean() / narrow.mean()) / 3
    noise = narrow.var() / narrow.mean() ** 2 / 2000
    assert estimate.variance == pytest.approx(noise + bias**2)
    # Draws of a chain count less.
    assert density_by_smoothing(draws, 0.25).variance == pytest.approx(4 * noise + bias**2)


def test_kde_is_scipys_and_never_reliable():
    draws = np.random.default_rng(0).normal(0.5, 1, 50_000)
    estimate, bandwidth = density_by_kde(draws)
    assert np.exp(estimate.log) == pytest.approx(stats.gaussian_kde(draws)(0.0)[0])
    assert bandwidth == pytest.approx(draws.std() * 50_000 ** (-1 / 5), rel=1e-3)
    assert not estimate.reliable
    samples = np.random.default_rng(1).normal(0.5, 1, (80, 5000))
    logs, variances, _ = zip(*(density_by_kde(one)[0] for one in samples), strict=True)
    assert np.mean(variances) == pytest.approx(np.var(logs), rel=0.6)


def test_ratio():
    before = Estimate(np.log(2.0), 0.01, "few draws")
    factor = ratio(Estimate(np.log(6.0), 0.03), before, "interval")
    assert (factor.value, factor.mcse) == pytest.approx((3, 3 * 0.2))
    assert (factor.log10, factor.log10_mcse) == pytest.approx((np.log10(3), 0.2 / np.log(10)))
    assert (factor.reliable, factor.reason) == (False, "few draws")
    assert np.isnan(BayesFactor(0.0, -400.0, 0.0, False, "interval").log10_mcse)


@pytest.mark.parametrize(
    ("value", "method", "sentence"),
    [
        (3.48, "interval", "3.5 for equality: the data are 3.5 times as probable if the difference "
         "is inside the ROPE as if it is outside the ROPE"),
        (1e-9, "savage-dickey", "more than a million for a difference: the data are more than a "
         "million times as probable if the difference is not 0 as if it is 0"),
    ],
)  # fmt: skip
def test_sentences(value, method, sentence):
    factor = ratio(Estimate(np.log(value)), Estimate(0.0), method)
    assert str(factor) == repr(factor) == sentence
    assert factor.favours == ("equality" if value > 1 else "a difference")


@pytest.mark.parametrize(
    ("estimate", "reason"),
    [
        (odds_of_draws(3, 19_997), "only 3 of 20,000 draws are inside the ROPE"),
        (odds_of_draws(150, 3850, 0.5), "only 150 of 4,000 draws, worth 75 independent ones, are"),
        (odds_of_probabilities(0.0, 1.0), "the probability inside the ROPE is too small"),
        (density_by_smoothing(np.ones(1000)), "all draws are equal"),
        (density_by_smoothing(np.linspace(8, 10, 2000)), "only 0 of 2,000 draws are close to 0"),
        (density_of_draws(99, 10_000, 0.1), "only 99 of 10,000 draws of the prior are close to 0"),
        (
            odds_of_pairs(np.arange(10.0), np.arange(0.5, 10.0), Interval(-0.6, -0.4)),
            "the prior probability of the ROPE has an error of",
        ),
    ],
)
def test_unreliable_factors_say_why(estimate, reason):
    factor = ratio(estimate, Estimate(0.0), "interval")
    assert not factor.reliable
    assert factor.reason.startswith(reason)
    assert str(factor).startswith("not reliable, about ")
    assert str(factor).endswith(f": {factor.reason}")


@pytest.mark.parametrize(
    ("p_h0", "favoured"),
    [(0.3, "H1"), (0.499, "H1"), *((0.5 + off, "H0") for off in (0, 1e-12, -1e-12, 0.2))],
)
def test_the_more_probable_is_favoured(p_h0, favoured):
    # "Accept H0 iff P(H0) >= P(H1)" (Wang and Li 2019, section 3), whatever quadrature does to
    # the last digits.
    assert favour(p_h0).favoured == favoured
    assert favour(p_h0).p_h1 == 1 - p_h0
