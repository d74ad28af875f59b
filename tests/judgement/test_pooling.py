import numpy as np
import pytest
from scipy.stats import cauchy, norm

from skbayeseval.judgement.pooling import pool_scores, pool_subgroups

OBSERVED = np.array([0.90, 0.87, 0.93, 0.88])
COVARIANCE = 1e-4 * (0.5 + 0.5 * np.diag([1.0, 2.0, 0.5, 1.0]))


def posterior_by_quadrature(observed, sd, share, prior):
    """Means and standard deviations of Cauchy true values and the mean of log tau, on a fine grid.

    `sd` are those of the noise, and `prior` the probabilities of shares of noise.
    """
    scales = np.sqrt(np.mean(sd**2) * (1 - share) / share)
    unit = np.ptp(observed)
    low, high = observed.min() - unit, observed.max() + unit
    centres, values = np.linspace(low, high, 91), np.linspace(low - unit, high + unit, 551)
    noise = norm.pdf(observed[:, None], values, sd[:, None])
    total, first, second, of_tau = 0.0, 0.0, 0.0, 0.0
    for tau, weight_of_tau in zip(scales, prior, strict=True):
        priors = cauchy.pdf(values, centres[:, None], tau)
        moments = [priors @ (noise * values**k).T for k in (0, 1, 2)]
        weight = weight_of_tau * moments[0].prod(axis=1)
        total += weight.sum()
        of_tau += weight.sum() * np.log(tau)
        first = first + weight @ (moments[1] / moments[0])
        second = second + weight @ (moments[2] / moments[0])
    mean = first / total
    return mean, np.sqrt(second / total - mean**2), of_tau / total


@pytest.mark.parametrize("n_scores", [3, 4])
def test_scores_are_pooled_as_quadrature_says(n_scores):
    """Noise that all have in common is added to what is left of that of differences."""
    rng, observed, sd, common = np.random.default_rng(0), OBSERVED[:n_scores], 0.012, 0.03
    normal = rng.standard_normal((n_scores + 1, 40_000))
    normal -= normal.mean(axis=1, keepdims=True)
    normal = np.linalg.solve(np.linalg.cholesky(np.cov(normal)), normal)
    draws = observed[:, None] + sd * normal[1:] + common * normal[0]
    pooled = pool_scores(draws, rng)
    share = ((np.arange(80) + 0.5) / 80) ** 2
    mean, spread, _ = posterior_by_quadrature(observed, np.full(n_scores, sd), share, np.ones(80))
    np.testing.assert_allclose(pooled.mean(axis=1), mean, atol=0.03 * sd)
    np.testing.assert_allclose(pooled.std(axis=1), np.hypot(spread, common), rtol=0.03)


@pytest.mark.slow
def test_the_best_of_cauchy_scores_is_calibrated():
    """True scores from the prior: intervals of the best cover it, and it is not biased."""
    rng, below, bias = np.random.default_rng(2), [], []
    for _ in range(600):
        share = rng.random() ** 2
        truth = np.sqrt(1 / share - 1) * rng.standard_cauchy(6)
        truth = np.maximum(truth, truth.max() - 12)  # whoever is further behind is pooled apart
        noise = 2 * rng.standard_normal(801) + rng.standard_normal((6, 801))
        draws = (truth + noise[:, 0])[:, None] + noise[:, 1:]
        pooled = pool_scores(draws, rng)
        best = pooled.mean(axis=1).argmax()
        below.append((pooled[best] < truth[best]).mean())
        bias.append(pooled[best].mean() - truth[best])
    assert 0.93 < np.mean([0.025 < p < 0.975 for p in below]) < 0.97
    assert np.mean([p > 0.5 for p in below]) == pytest.approx(0.5, abs=0.06)
    assert abs(np.mean(bias)) < 0.3


# Biases of the first of a ranking in standard deviations of the noise, the least and the most; how
# often its interval has the truth at least, and how often the first and the last, and the first and
# the second, differ with more than 95%: at most, and at least.
@pytest.mark.slow
@pytest.mark.parametrize(
    ("truth", "least", "most", "extremes", "leads"),
    [
        (np.zeros(5), 0.2, 0.6, 0.12, 0.0),
        (np.zeros(20), 0.2, 0.7, 0.14, 0.0),
        (norm.ppf((np.arange(20) + 0.5) / 20), -0.3, 0.3, 1.0, 0.0),
        (2 * norm.ppf((np.arange(20) + 0.5) / 20), -0.3, 0.3, 1.0, 0.0),
        (np.append(4.0, np.zeros(19)), -0.4, 0.1, 1.0, 0.85),
        (np.append(15.0, np.zeros(19)), -0.2, 0.2, 1.0, 1.0),
        (np.append(np.zeros(20), np.full(12, -20.0)), 0.2, 0.7, 1.0, 0.0),
    ],
)
def test_the_winner_is_neither_believed_nor_shrunk_too_much(truth, least, most, extremes, leads):
    """Half of the noise is common. Raw biases of equal ones are +0.8 for 5, and +1.3 for 20."""
    rng, found = np.random.default_rng(8), []
    for _ in range(200):
        noise = np.sqrt(0.5) * (rng.standard_normal((len(truth), 601)) + rng.standard_normal(601))
        pooled = pool_scores((truth + noise[:, 0])[:, None] + noise[:, 1:], rng)
        order = np.argsort(-pooled.mean(axis=1))
        first, (low, high) = pooled[order[0]], np.quantile(pooled[order[0]], [0.025, 0.975])
        of_best = truth[order[0]]
        ahead = [(first > pooled[k]).mean() > 0.95 for k in order[[-1, 1]]]
        found.append((first.mean() - of_best, low <= of_best <= high, of_best > high, *ahead))
    bias, covered, above, first_last, first_second = np.mean(found, axis=0)
    assert least < bias < most
    assert covered > 0.9
    assert above < 0.09
    assert first_last <= extremes
    assert first_second >= leads


def test_whoever_is_far_behind_has_no_influence():
    """Those behind are pooled by themselves, without a word about those ahead."""
    rng = np.random.default_rng(7)
    draws = rng.normal(
        np.append(rng.normal(0, 1, 8), rng.normal(-40, 1, 12))[:, None], 1, (20, 999)
    )
    pooled = pool_scores(draws, np.random.default_rng(1))
    np.testing.assert_allclose(pooled[:8], pool_scores(draws[:8], np.random.default_rng(1)))
    behind = pooled[8:].mean(axis=1)
    assert np.ptp(behind) < 0.8 * np.ptp(draws[8:].mean(axis=1))
    assert behind.mean() == pytest.approx(draws[8:].mean(), abs=0.1)


def test_near_copies_hardly_have_influence():
    """Six candidates three times each, with hardly any noise between the three."""
    rng = np.random.default_rng(7)
    draws = rng.normal(np.linspace(0.88, 0.97, 6)[:, None], 0.012, (6, 4000))
    near = np.repeat(draws, 3, axis=0) + rng.normal(0, 1e-4, (18, 4000))
    near += rng.normal(0, 1e-4, (18, 1))
    alone, three = pool_scores(draws, rng), pool_scores(near, rng)
    assert np.ptp(three.mean(axis=1)) == pytest.approx(np.ptp(alone.mean(axis=1)), rel=0.1)
    assert np.ptp(alone.mean(axis=1)) > 0.7 * 0.09


def test_bounds_are_kept():
    rng = np.random.default_rng(13)
    draws = rng.beta([[99.0], [97.0], [90.0]], [[1.0], [3.0], [10.0]], (3, 5000))
    pooled = pool_scores(draws, rng)
    assert 0 <= pooled.min() <= pooled.max() <= 1


def test_those_that_are_equal_in_most_draws_share_the_first_place():
    rng = np.random.default_rng(14)
    draws = np.repeat(rng.normal(0.9, 0.1, (1, 4000)), 3, axis=0)
    draws[:, :200] += rng.normal(0, 0.05, (3, 200))
    pooled = pool_scores(draws, rng)
    best = pooled == pooled.max(axis=0)
    np.testing.assert_allclose((best / best.sum(axis=0)).mean(axis=1), 1 / 3, atol=0.02)


def test_shift_scale_order_copies_and_what_all_have_in_common():
    rng = np.random.default_rng(8)
    draws, order = rng.multivariate_normal(OBSERVED, COVARIANCE, 1000).T, [2, 0, 1, 2, 2, 3, 2, 1]
    common = 0.1 * rng.standard_normal(1000)
    pooled, shifted, permuted, moved = (
        pool_scores(changed, np.random.default_rng(3))
        for changed in (draws, 5e5 + 100 * draws, draws[order], draws + common)
    )
    np.testing.assert_allclose((shifted - 5e5) / 100, pooled, atol=1e-8)
    np.testing.assert_allclose(permuted, pooled[order], atol=1e-12)
    # How much is common is estimated.
    np.testing.assert_allclose(moved, pooled + common, atol=0.5 * np.sqrt(COVARIANCE[0, 0]))
    np.testing.assert_allclose(moved.mean(axis=1), (pooled + common).mean(axis=1), atol=5e-4)


def test_nothing_to_pool():
    rng = np.random.default_rng(11)
    draws = rng.standard_normal((1, 100))
    np.testing.assert_array_equal(pool_scores(draws, rng), draws)
    certain = np.array([[0.9], [0.8], [0.8]]) + np.zeros(100)
    np.testing.assert_allclose(pool_scores(certain, rng), certain)


SIZES = np.array([100, 100, 100, 400, 400])
DIFFERENCES = np.array([0.00, 0.06, -0.03, 0.02, -0.22])
SD = 0.5 / np.sqrt(SIZES)


def test_draws_are_those_of_the_hierarchical_model():
    rng = np.random.default_rng(0)
    draws = DIFFERENCES[:, None] + SD[:, None] * norm.ppf((np.arange(40_000) + 0.5) / 40_000)
    found, tau = pool_subgroups(rng.permuted(draws, axis=1), SIZES, rng)
    share = (np.arange(80) + 0.5) / 80
    mean, sd, log_tau = posterior_by_quadrature(DIFFERENCES, SD, share, 1 - share)
    np.testing.assert_allclose(found.mean(axis=1), mean, atol=0.03 * SD.max())
    np.testing.assert_allclose(found.std(axis=1), sd, rtol=0.03)
    assert np.log(tau).mean() == pytest.approx(log_tau, abs=0.05)


def test_a_larger_variance_does_not_hide_it():
    """It is judged by the noise that its size lets expect, and keeps its own."""
    rng = np.random.default_rng(2)
    observed = np.append(rng.normal(0, 0.05, 19), -0.3)
    noise = np.append(np.full(19, 0.05), 0.09)
    draws = rng.normal(observed[:, None], noise[:, None], (20, 5000))
    pooled = pool_subgroups(draws, np.full(20, 50), rng)[0][-1]
    assert np.quantile(pooled, 0.975) < 0
    assert pooled.std() > 0.07


def test_shift_and_scale_of_subgroups():
    rng = np.random.default_rng(3)
    draws = rng.normal(DIFFERENCES[:, None], SD[:, None], (5, 2000))
    plain, tau = pool_subgroups(draws, SIZES, np.random.default_rng(4))
    moved, moved_tau = pool_subgroups(3 + 100 * draws, SIZES, np.random.default_rng(4))
    np.testing.assert_allclose(moved, 3 + 100 * plain, atol=1e-8)
    np.testing.assert_allclose(moved_tau, 100 * tau)


def test_many_subgroups_and_far_ones():
    """The grid of centres is narrowed to where they are, however far the farthest is."""
    rng = np.random.default_rng(5)
    observed = np.append(rng.normal(0.1, 0.01, 300), [4.0, -7.0])
    draws = rng.normal(observed[:, None], 0.01, (302, 200))
    pooled = pool_subgroups(draws, np.full(302, 50), rng)[0].mean(axis=1)
    assert np.std(pooled[:300]) < 0.005
    assert pooled[:300].mean() == pytest.approx(0.1, abs=0.002)
    np.testing.assert_allclose(pooled[300:], [4.0, -7.0], atol=0.01)


def test_no_subgroups_to_pool():
    rng = np.random.default_rng(0)
    draws = rng.normal(size=(1, 100))
    np.testing.assert_array_equal(pool_subgroups(draws, np.array([9]), rng)[0], draws)
    certain = np.repeat([[0.25], [0.5]], 100, axis=1)
    found, tau = pool_subgroups(certain, np.array([9, 9]), rng)
    np.testing.assert_array_equal(found, certain)
    assert np.isnan(tau).all()
