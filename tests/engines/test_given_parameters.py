"""Parameters by name, without a Markov chain: exact draws of them must lead to exact scores."""

import numpy as np
import pytest
from scipy import stats

from skbayeseval.evidence import ConfusionCounts
from skbayeseval.metrics.confusion import from_confusion
from skbayeseval.metrics.registry import get_metric, per_class
from skbayeseval.models import Hierarchical
from skbayeseval.models.base import BLOCK
from tests.engines.cases import cases

CASES = {name: (model.specification(evidence), metric) for name, model, evidence, metric in cases()}
CONJUGATE = ("unpaired few", "paired few", "bcv few", "chunks few", "labels few", "labels bcv few")
WITH_ROWS = ("hierarchical imbalanced", "paired classes balanced", "paired many balanced")


def streamed(specification, n_draws, prior=False):
    return specification.draw_parameters(np.random.default_rng(3), n_draws, prior=prior)


def scores(specification, draws, metric, seed=4, prior=False):
    rng = np.random.default_rng(seed)
    given = specification.scores_given(draws, metric, rng, prior=prior)
    return np.concatenate(list(given), axis=1)


def exact_scores(specification, metric, n_draws, prior=False):
    rng = np.random.default_rng(3)
    blocks = specification.stream(metric, rng, n_draws, prior=prior)
    return np.concatenate(list(blocks), axis=1)


@pytest.mark.parametrize("prior", [False, True])
@pytest.mark.parametrize("name", CONJUGATE)
def test_parameters_are_those_behind_the_scores(name, prior):
    specification, metric = CASES[name][0], get_metric(CASES[name][1])
    n_draws = BLOCK + 50
    draws = streamed(specification, n_draws, prior)
    assert set(draws) == {p.name for p in specification.parameters()}
    for parameter in specification.parameters():
        values = draws[parameter.name]
        assert len(values) == n_draws
        assert values.ndim == 1 + len(parameter.dims)
        if not parameter.is_beta:
            np.testing.assert_allclose(values.sum(axis=-1), 1)
            assert values.shape[1:] == parameter.prior.shape
    found = scores(specification, draws, metric, prior=prior)
    np.testing.assert_allclose(found, exact_scores(specification, metric, n_draws, prior=prior))


def test_eta_is_never_zero():
    # Under its prior, logit(eta) is below -710, where exp(-logit) overflows, with P = exp(-7.1)/2.
    counts = ConfusionCounts.from_matrix([[3, 1], [2, 4]])
    specification = Hierarchical(eta=(0.01, 0.01)).specification((counts,))
    eta = streamed(specification, 20_000, prior=True)["eta_A"]
    assert (eta > 0).all()
    for bound in (1e-300, 1e-100, 1e-10, 0.3):
        exact = stats.beta(0.01, 0.01).cdf(bound)
        assert (eta < bound).mean() == pytest.approx(exact, abs=4 * np.sqrt(exact / 20_000))


@pytest.mark.parametrize("known", [False, True])
@pytest.mark.parametrize("name", WITH_ROWS)
def test_rows_given_eta(name, known):
    # Rows are drawn anew: in law the same, and with the same proportions and etas correlated.
    specification, metric = CASES[name][0], get_metric(CASES[name][1])
    n_draws = 2500
    if known:
        n_classes = len(specification.groups[0].mu.prior)
        specification = specification.with_prevalence(np.arange(1.0, n_classes + 1) / 6)
    draws = streamed(specification, n_draws)
    assert any(p.startswith("mu") for p in draws) is not known
    exact = exact_scores(specification, metric, n_draws)
    found = scores(specification, draws, metric)
    assert found.shape == exact.shape
    error = np.sqrt(exact.var(axis=1) / n_draws)
    assert (np.abs(found.mean(axis=1) - exact.mean(axis=1)) < 4 * np.sqrt(2) * error).all()
    np.testing.assert_allclose(found.std(axis=1), exact.std(axis=1), rtol=0.1)
    own = from_confusion(lambda tables: tables[..., 0, 1], "one cell")
    cell, expected = (
        scores(specification, draws, own),
        exact_scores(specification, own, n_draws),
    )
    error = np.sqrt(expected.var(axis=1) / n_draws)
    assert (np.abs(cell.mean(axis=1) - expected.mean(axis=1)) < 4 * np.sqrt(2) * error).all()


@pytest.mark.parametrize("name", WITH_ROWS)
def test_rates_are_recalls(name):
    specification = CASES[name][0]
    draws = streamed(specification, 500)
    labels = range(len(specification.groups[0].mu.prior))
    for label, metric in enumerate(per_class("recall").of(labels)):
        expected = exact_scores(specification, metric, 500)
        found = [draws[f"rho_{letter}"][:, label] for letter in "ABC"[: len(expected)]]
        np.testing.assert_allclose(found, expected)


def test_rows_that_are_given():
    specification = CASES["hierarchical balanced"][0]
    rng = np.random.default_rng(0)
    n_draws = BLOCK + 50
    draws = {}
    for letter in "AB":
        draws[f"mu_{letter}"] = rng.dirichlet(np.ones(3), n_draws)
        draws[f"eta_{letter}"] = rng.random(n_draws)
        draws[f"theta_{letter}"] = rng.dirichlet(np.ones(3), (n_draws, 3))
    assert specification.row_names == ["theta_A", "theta_B"]
    tables = np.stack([draws[f"mu_{k}"][:, :, None] * draws[f"theta_{k}"] for k in "AB"])
    for name in ("accuracy", "f1_macro"):
        metric = get_metric(name)
        np.testing.assert_allclose(scores(specification, draws, metric), metric(tables))


@pytest.mark.parametrize("name", ["paired few", "chunks few", "unpaired few"])
def test_swapped_pair(name):
    specification, metric = CASES[name][0], get_metric(CASES[name][1])
    draws = streamed(specification, 200)
    a, b = scores(specification, draws, metric)
    swapped = specification.parameters_of_pair(draws, 1, 0)
    np.testing.assert_allclose(scores(specification, swapped, metric), [b, a])
    for key, values in specification.parameters_of_pair(draws, 0, 1).items():
        np.testing.assert_array_equal(values, draws[key])
