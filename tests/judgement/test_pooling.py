import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import cauchy, chi2, norm

from skbayeseval.judgement.pooling import pool_scores, pool_subgroups

OBSERVED = np.array([0.90, 0.87, 0.93, 0.88])
COVARIANCE = 1e-4 * (0.5 + 0.5 * np.diag([1.0, 2.0, 0.5, 1.0]))


def mean_share(observed, covariance):
    """Posterior mean of the share of noise in all deviations, by quadrature."""
    k = len(observed)
    centre = np.eye(k) - 1 / k
    inside = centre @ covariance @ centre
    scale = np.trace(inside @ inside) / np.trace(inside)
    df = np.trace(inside) / scale
    ratio = ((observed - observed.mean()) ** 2).sum() / scale

    def posterior(share, power):
        # The squared deviations divided by scale are chi-squared variables times 1 / share; the
        # density of the share before the data is that of the square of a uniform variable.
        return share**power * chi2.pdf(ratio * share, df) * share / np.sqrt(share)

    return quad(posterior, 0, 1, args=(1,))[0] / quad(posterior, 0, 1, args=(0,))[0]


def test_two_differ_by_what_quadrature_gives():
    rng = np.random.default_rng(0)
    observed, covariance = OBSERVED[:2], COVARIANCE[:2, :2]
    pooled = pool_scores(rng.multivariate_normal(observed, covariance, 200_000).T, rng)
    kept = 1 - mean_share(observed, covariance)
    difference = pooled[0] - pooled[1]
    assert difference.mean() == pytest.approx(0.03 * kept, abs=1e-4)
    # Given the share, the variance shrinks by it, too; the share itself varies.
    noise = covariance[0, 0] + covariance[1, 1] - 2 * covariance[0, 1]
    assert difference.var() > noise * kept


def test_shares_of_noise_are_calibrated():
    # True scores that vary as the noise does, theta ~ N(0, c S), with sqrt(1 / (1 + c)) uniform.
    rng = np.random.default_rng(2)
    k, noise = 6, 0.3 * np.eye(6) + 0.7
    root = np.linalg.cholesky(noise)
    below = []
    for _ in range(400):
        share = rng.random() ** 2
        truth = np.sqrt(1 / share - 1) * (root @ rng.standard_normal(k))
        observed = truth + root @ rng.standard_normal(k)
        draws = observed[:, None] + root @ rng.standard_normal((k, 400))
        pooled = pool_scores(draws, rng)
        last = observed.argmin()
        ahead = np.arange(k) != last
        distance = pooled[last] - pooled[ahead].mean(axis=0)
        below.append((distance < truth[last] - truth[ahead].mean()).mean())
    # Uniform but for the choice of the last one; 95% intervals hold the truth.
    inside = np.mean([0.025 < p < 0.975 for p in below])
    assert inside > 0.92


@pytest.mark.parametrize(("spread", "n_hopeless"), [(0.0, 12), (2.0, 1)])
def test_the_winner_is_neither_believed_nor_shrunk_too_much(spread, n_hopeless):
    """Its bias, in standard deviations of the noise, with hopeless ones far behind."""
    rng, bias, raw = np.random.default_rng(8), [], []
    for _ in range(200):
        truth = np.append(rng.normal(0, spread, 24), rng.normal(-35, 2, n_hopeless))
        observed = truth + rng.standard_normal(len(truth))
        draws = observed[:, None] + rng.standard_normal((len(truth), 300))
        best = observed.argmax()
        bias.append(pool_scores(draws, rng)[best].mean() - truth[best])
        raw.append(observed[best] - truth[best])
    assert np.mean(raw) > 0.6
    assert abs(np.mean(bias)) < (0.25 if spread else 0.5 * np.mean(raw))


def test_one_that_leads_is_not_drawn_back():
    """Seven standard deviations ahead of equal ones, which are drawn together nevertheless."""
    rng = np.random.default_rng(3)
    observed = np.append(7.0, rng.standard_normal(20))
    draws = observed[:, None] + rng.standard_normal((21, 2000))
    pooled = pool_scores(draws, rng).mean(axis=1)
    assert pooled[0] == pytest.approx(draws[0].mean(), abs=0.4)
    assert np.ptp(pooled[1:]) < 0.7 * np.ptp(draws[1:].mean(axis=1))


def test_bad_ones_do_not_keep_equal_ones_apart():
    rng = np.random.default_rng(4)
    draws = rng.normal(rng.normal(0.85, 0.01, (30, 1)), 0.01, (30, 2000))
    alone = pool_scores(draws[:27], rng)
    draws[27:] -= 0.2
    pooled = pool_scores(draws, rng)
    spread = np.ptp(pooled[:27].mean(axis=1))
    assert spread == pytest.approx(np.ptp(alone.mean(axis=1)), rel=0.1)
    np.testing.assert_allclose(pooled[:27].mean(), draws[:27].mean(), atol=1e-3)
    gap = pooled[:27].mean() - pooled[27:].mean(axis=1).max()
    assert gap > 0.17


def test_near_copies_hardly_have_influence():
    # Six candidates, alone and three times each, with hardly any noise between the three.
    rng = np.random.default_rng(7)
    draws = rng.normal(np.linspace(0.88, 0.97, 6)[:, None], 0.012, (6, 4000))
    near = np.repeat(draws, 3, axis=0) + rng.normal(0, 1e-4, (18, 4000))
    near += rng.normal(0, 1e-4, (18, 1))
    alone, three = pool_scores(draws, rng), pool_scores(near, rng)
    assert np.ptp(three.mean(axis=1)) == pytest.approx(np.ptp(alone.mean(axis=1)), rel=0.05)
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
    np.testing.assert_allclose(moved, pooled + common, atol=1e-9)


def test_nothing_to_pool():
    rng = np.random.default_rng(11)
    draws = rng.standard_normal((1, 100))
    assert pool_scores(draws, rng) is draws
    certain = np.array([[0.9], [0.8], [0.8]]) + np.zeros(100)
    np.testing.assert_allclose(pool_scores(certain, rng), certain)


SIZES = np.array([100, 100, 100, 400, 400])
DIFFERENCES = np.array([0.00, 0.06, -0.03, 0.02, -0.22])
SD = 0.5 / np.sqrt(SIZES)


def posterior_by_quadrature(observed):
    """Means and standard deviations of true differences and the mean of log tau, on a fine grid."""
    share = (np.arange(80) + 0.5) / 80
    scales = np.sqrt(np.mean(SD**2) * (1 - share) / share)
    centres, values = np.linspace(-0.5, 0.4, 91), np.linspace(-0.6, 0.5, 551)
    noise = norm.pdf(observed[:, None], values, SD[:, None])
    total, first, second, of_tau = 0.0, 0.0, 0.0, 0.0
    for tau, prior in zip(scales, 1 - share, strict=True):
        priors = cauchy.pdf(values, centres[:, None], tau)
        moments = [priors @ (noise * values**k).T for k in (0, 1, 2)]
        weight = prior * moments[0].prod(axis=1)
        total += weight.sum()
        of_tau += weight.sum() * np.log(tau)
        first = first + weight @ (moments[1] / moments[0])
        second = second + weight @ (moments[2] / moments[0])
    mean = first / total
    return mean, np.sqrt(second / total - mean**2), of_tau / total


def test_draws_are_those_of_the_hierarchical_model():
    rng = np.random.default_rng(0)
    draws = DIFFERENCES[:, None] + SD[:, None] * norm.ppf((np.arange(40_000) + 0.5) / 40_000)
    found, tau = pool_subgroups(rng.permuted(draws, axis=1), SIZES, rng)
    mean, sd, log_tau = posterior_by_quadrature(DIFFERENCES)
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
