"""Log densities of exact draws against scipy's, and against the conjugate posterior."""

import numpy as np
import pytest
from scipy import stats

from skbayeseval import compare_counts, compare_predictions

Y = np.array([1] * 30 + [0] * 50)
A = np.array([1] * 26 + [0] * 4 + [1] * 6 + [0] * 44)
B = np.array([1] * 20 + [0] * 10 + [1] * 9 + [0] * 41)


def posterior_of(**options):
    return compare_predictions(Y, A, B, random_state=0, n_draws=500, **options)._posterior


def whole(values):
    return np.stack([values, 1 - values], axis=-1) if values.ndim == 1 else values


@pytest.mark.parametrize(
    "options",
    [
        {"prior": {"mu": [2.0, 3.0], "theta": [1.0, 2.0, 0.5, 1.5]}},
        {"prior": {"theta": 0.5}, "weight": 0.3},
        {"model": "unpaired", "prior": {"rho": 2.5}},
        {"model": "bcv", "prior": {"lambda": 0.5}},
        {"prevalence": 0.2, "prior": {"theta": 3.0}},
    ],
)
def test_prior_times_likelihood_is_the_posterior(options):
    posterior = posterior_of(**options)
    draws = posterior.parameters()
    found = posterior.specification.log_densities(draws)
    laws = posterior.specification.shapes(prior=False)
    assert set(found.prior) == {f"prior of {name}" for name in laws}
    for name, shapes in posterior.specification.shapes(prior=True).items():
        values = whole(draws[name])
        before = [stats.dirichlet.logpdf(one / one.sum(), shapes) for one in values]
        np.testing.assert_allclose(found.prior[f"prior of {name}"], before, atol=1e-8)
        after = [stats.dirichlet.logpdf(one / one.sum(), laws[name]) for one in values]
        evidence = after - found.prior[f"prior of {name}"] - found.likelihood[f"counts of {name}"]
        assert np.ptp(found.likelihood[f"counts of {name}"]) > 1
        np.testing.assert_allclose(evidence, evidence[0], atol=1e-8)


@pytest.mark.parametrize("model", ["unpaired", "bcv"])
def test_of_labels(model):
    y, a, b = np.random.default_rng(0).integers(0, 2, (3, 40, 3))
    posterior = compare_predictions(
        y, a, b, scoring="f1_micro", model=model, random_state=0, n_draws=100
    )._posterior
    draws = posterior.parameters()
    found = posterior.specification.log_densities(draws)
    for name, predicted in (("A", a), ("B", b)):
        cells = np.array(
            [[np.sum((y[:, j] == t) & (predicted[:, j] == p)) for t, p in ORDER] for j in range(3)]
        )
        if model == "bcv":
            expected = (cells * np.log(draws[f"pi_{name}"])).sum(axis=(1, 2))
            np.testing.assert_allclose(found.likelihood[f"counts of pi_{name}"], expected)
        else:
            tp, _, fn, _ = cells.T
            rate = draws[f"rho+_{name}"]
            expected = stats.binom.logpmf(tp, tp + fn, rate).sum(axis=1)
            off = found.likelihood[f"counts of rho+_{name}"] - expected
            np.testing.assert_allclose(off, off[0], atol=1e-9)


ORDER = ((1, 1), (0, 1), (1, 0), (0, 0))  # tp, fp, fn, tn


def test_a_rate_at_its_limit_is_finite():
    posterior = compare_counts((9, 0, 0), (8, 1, 0), n_draws=100)._posterior
    draws = {name: np.array([[1.0, 0.0, 0.0]]) for name in ("pi_A", "pi_B")}
    found = posterior.specification.log_densities(draws)
    assert np.isfinite([*found.prior.values(), *found.likelihood.values()]).all()
    assert found.likelihood["counts of pi_A"] == 0
