"""The model of right-or-wrong items in groups, against brute force."""

import numpy as np
import pytest
from scipy.special import gammaln

from skbayeseval import compare_items
from skbayeseval.models import ClusteredItems

CASES = {
    "mixed": [[3, 1, 0, 1], [0, 2, 1, 2], [5, 0, 0, 0], [2, 2, 1, 0]],
    "all alike": [[4, 0, 0, 0], [4, 0, 0, 0], [4, 0, 0, 0]],
    "large and different": [[20, 1, 0, 0], [0, 2, 0, 18], [5, 5, 1, 5]],
    "unequal": [[1, 0, 0, 0], [30, 10, 5, 5]],
    "very large": [[700, 150, 50, 100], [400, 300, 100, 200], [850, 50, 80, 20]],
}

QUICK = ("mixed", "very large")


def specification(counts, theta=1.0, d=(1.0, 1.0), sign=1.0):
    model = ClusteredItems(theta, d)
    model.counts, model.concentration = np.array(counts, dtype=float), np.full(4, theta)
    model.alikeness, model.sign = np.array(d, dtype=float), sign
    return model


def draw_clustered(specification, rng, n_draws, prior):
    return next(specification.stream(None, rng, n_draws, prior=prior))


def brute_force(counts, theta, d, n=400_000):
    """Return the posterior mean and sd of A - B and of A, by weighting draws from the prior."""
    rng = np.random.default_rng(0)
    mean = rng.dirichlet(np.full(4, theta), n)
    alpha = np.maximum(mean * rng.gamma(d[0], 1 / d[1], n)[:, None], 1e-300)
    total, log_likelihood = alpha.sum(axis=1), np.zeros(n)
    for c in np.array(counts, dtype=float):
        log_likelihood += gammaln(total) - gammaln(total + c.sum())
        log_likelihood += (gammaln(alpha + c) - gammaln(alpha)).sum(axis=1)
    weights = np.exp(log_likelihood - log_likelihood.max())
    weights /= weights.sum()
    found = []
    for values in (mean[:, 1] - mean[:, 2], mean[:, 0] + mean[:, 1]):
        centre = weights @ values
        found.append((centre, np.sqrt(weights @ (values - centre) ** 2)))
    return found, 1 / (weights**2).sum()


@pytest.mark.parametrize("prior", [(1.0, (1.0, 1.0)), (0.5, (2.0, 0.5))])
@pytest.mark.parametrize(
    "case",
    [pytest.param(case, marks=[] if case in QUICK else pytest.mark.slow) for case in CASES],
)
def test_moments_agree_with_brute_force(case, prior):
    theta, d = prior
    expected, effective = brute_force(CASES[case], theta, d)
    assert effective > 1000
    a, b = draw_clustered(
        specification(CASES[case], theta, d), np.random.default_rng(1), 20_000, prior=False
    )
    for values, (mean, sd) in zip((a - b, a), expected, strict=True):
        error = sd * np.sqrt(1 / effective + 1 / 10_000)
        assert values.mean() == pytest.approx(mean, abs=4 * error)
        assert values.std() == pytest.approx(sd, rel=0.06)


@pytest.mark.parametrize("swapped", [False, True])
def test_items_are_counted_by_group(swapped):
    counts = CASES["mixed"]
    right = np.array([[1, 1], [1, 0], [0, 1], [0, 0]])  # A, B
    items = np.concatenate([np.repeat(right, of_group, axis=0) for of_group in counts])
    a, b = items.T[::-1] if swapped else items.T
    result = compare_items(
        a, b, groups=np.repeat(range(4), np.sum(counts, axis=1)), model="clustered", random_state=0
    )
    (mean, sd), _ = brute_force(counts, 1.0, (1.0, 1.0))[0]
    assert result.draws.mean() == pytest.approx(-mean if swapped else mean, abs=0.1 * sd)
    assert result.draws.std() == pytest.approx(sd, rel=0.1)


def test_many_groups_are_as_uncertain_as_their_means():
    rng = np.random.default_rng(0)
    counts = rng.multinomial(10, rng.dirichlet([3.0, 1.0, 0.7, 0.5], 200))
    a, b = draw_clustered(specification(counts), rng, 4000, prior=False)
    differences = (counts[:, 1] - counts[:, 2]) / 10
    error = differences.std(ddof=1) / np.sqrt(200)
    assert (a - b).mean() == pytest.approx(differences.mean(), abs=1.5 * error)
    assert (a - b).std() == pytest.approx(error, rel=0.15)


def test_the_prior_of_a_system_is_beta():
    a, _ = draw_clustered(
        specification([[1, 0, 0, 0]]), np.random.default_rng(0), 20_000, prior=True
    )
    assert a.mean() == pytest.approx(0.5, abs=0.01)
    assert a.var() == pytest.approx(0.05, rel=0.05)  # Beta(2, 2)
