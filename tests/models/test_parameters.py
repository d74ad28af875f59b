"""Parameters without a Markov chain: the scores, densities and counts that follow from them."""

import numpy as np
import pytest
from scipy import stats

from skbayeseval import compare_counts, compare_predictions
from skbayeseval.evidence import ChunkCounts
from skbayeseval.metrics.confusion import from_confusion
from skbayeseval.metrics.registry import get_metric
from skbayeseval.models import BCV, Paired, PairedChunks, Unpaired
from skbayeseval.models.base import BLOCK, Replicated
from skbayeseval.posterior.posterior import Posterior
from tests.models.cases import cases

CASES = {name: (model.specification(evidence), metric) for name, model, evidence, metric in cases()}
CONJUGATE = ("paired few", "bcv few", "chunks few", "labels few")
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
    np.testing.assert_allclose(found.std(axis=1), exact.std(axis=1), rtol=0.1)
    own = from_confusion(lambda tables: tables[..., 0, 1], "one cell")
    cell, expected = scores(specification, draws, own), exact_scores(specification, own, n_draws)
    for x, z in ((found, exact), (cell, expected)):
        error = np.sqrt(z.var(axis=1) / n_draws)
        assert (np.abs(x.mean(axis=1) - z.mean(axis=1)) < 4 * np.sqrt(2) * error).all()


# Log densities, against scipy's and the conjugate posterior.

Y = np.array([1] * 30 + [0] * 50)
A = np.array([1] * 26 + [0] * 4 + [1] * 6 + [0] * 44)
B = np.array([1] * 20 + [0] * 10 + [1] * 9 + [0] * 41)


LABELS = np.random.default_rng(0).integers(0, 2, (3, 40, 3))


def log_dirichlet(values, shapes):
    """Return the log density of draws of a vector, or of the vectors of all labels together."""
    whole = values if values.ndim > shapes.ndim else np.stack([values, 1 - values], axis=-1)
    vectors = whole.reshape(len(whole), -1, shapes.shape[-1])
    vectors = vectors / vectors.sum(axis=-1, keepdims=True)
    laws = [stats.dirichlet(law) for law in shapes.reshape(-1, shapes.shape[-1])]
    return [sum(law.logpdf(p) for law, p in zip(laws, of_one, strict=True)) for of_one in vectors]


@pytest.mark.parametrize(
    ("data", "options"),
    [
        ((Y, A, B), {"model": Paired(mu=[2.0, 3.0], theta=[1.0, 2.0, 0.5, 1.5])}),
        ((Y, A, B), {"weight": 0.3}),
        ((Y, A, B), {"model": Unpaired(rho=2.5)}),
        ((Y, A, B), {"model": BCV(lambda_=0.5)}),
        (LABELS, {"model": "unpaired", "scoring": "f1_micro"}),
        (LABELS, {"model": "bcv", "scoring": "f1_micro"}),
    ],
)
def test_prior_times_likelihood_is_the_posterior(data, options):
    posterior = compare_predictions(*data, random_state=0, n_draws=100, **options)._posterior
    draws, given = posterior.parameters(), posterior.specification
    likelihoods, priors = given.log_densities(draws)
    after = given.shapes(prior=False)
    assert set(priors) == {f"prior of {name}" for name in after}
    for name, before in given.shapes(prior=True).items():
        prior, likelihood = priors[f"prior of {name}"], likelihoods[f"counts of {name}"]
        np.testing.assert_allclose(prior, log_dirichlet(draws[name], before), atol=1e-8)
        assert np.ptp(likelihood) > 1
        evidence = log_dirichlet(draws[name], after[name]) - prior - likelihood
        np.testing.assert_allclose(evidence, evidence[0], atol=1e-8)


def test_a_rate_at_its_limit_is_finite():
    posterior = compare_counts((9, 0, 0), (8, 1, 0), n_draws=100)._posterior
    draws = {name: np.array([[1.0, 0.0, 0.0]]) for name in ("pi_A", "pi_B")}
    likelihood, prior = posterior.specification.log_densities(draws)
    assert np.isfinite([*prior.values(), *likelihood.values()]).all()
    assert likelihood["counts of pi_A"] == 0


# Predicted counts, against the moments of the Dirichlet-multinomial.

N = 8000


def replicated(result):
    posterior = getattr(result, "_posterior", result)
    of = Replicated(
        posterior.parameters(),
        [np.asarray(counts.true, dtype=float) for counts in posterior.counts],
        [counts.weight for counts in posterior.counts],
        posterior.prevalence is not None,
        False,
        np.random.default_rng(1),
    )
    return posterior.specification.replicate(of)


def predicted(**options):
    return replicated(compare_predictions(Y, A, B, random_state=0, n_draws=N, **options))


def close(found, mean, sd):
    """Assert that the mean of draws is within five standard errors."""
    np.testing.assert_array_less(np.abs(found.mean(axis=0) - mean), 5 * sd / np.sqrt(N) + 1e-9)


@pytest.mark.parametrize("pos_label", [0, 1])
def test_predicted_paired(pos_label):
    result = compare_predictions(
        Y, A, B, scoring="f1", pos_label=pos_label, random_state=0, n_draws=N
    )
    found = replicated(result)
    observed = result.evidence.observed_data()
    outcomes = found["outcomes"]
    assert (outcomes.sum(axis=(1, 2)) == 80).all()
    # mu is Beta(1 + n, 1 + n'), theta is Dirichlet(1/4 + counts), and they are independent.
    counts = observed["outcomes"][1]
    share = (1 + counts.sum(axis=1)) / 82
    mean = 80 * share[:, None] * (0.25 + counts) / (1 + counts.sum(axis=1, keepdims=True))
    close(outcomes, mean, outcomes.std(axis=0))
    # The tables of both classifiers are sums of the same outcomes.
    first, last = (0, -1) if pos_label == 0 else (-1, 0)
    both = outcomes.reshape(N, 2, 2, 2)
    np.testing.assert_array_equal(found["confusion_A"][..., first], both[:, :, 0].sum(axis=-1))
    np.testing.assert_array_equal(found["confusion_B"][..., last], both[:, :, :, 1].sum(axis=-1))


def test_width_of_weighted_counts():
    # One cell of a Dirichlet-multinomial of n = 32 instances, each counted 2.5 times.
    table = predicted(model="bcv", weight=0.4)["confusion_A"]
    np.testing.assert_allclose(table.sum(axis=(1, 2)), 80)
    np.testing.assert_allclose(table * 0.4, np.round(table * 0.4))
    p, n, total = (1 + 0.4 * 44) / (4 + 32), 32, 36
    variance = n * p * (1 - p) * (n + total) / (1 + total) / 0.4**2
    assert table[:, 0, 0].mean() == pytest.approx(80 * p, abs=5 * np.sqrt(variance / N))
    assert table[:, 0, 0].var() == pytest.approx(variance, rel=0.1)


def test_predicted_unpaired_and_without_true_negatives():
    found = predicted(model="unpaired")
    assert "outcomes" not in found
    hits = found["confusion_B"][:, 1, 1]
    close(hits, 80 * 31 / 82 * 21 / 32, hits.std())
    few = replicated(compare_counts((88, 10, 12), (80, 14, 20), random_state=0, n_draws=N))
    table = few["confusion_B"]
    assert np.isnan(table[:, 0, 0]).all()
    assert (np.nansum(table, axis=(1, 2)) == 114).all()
    close(table[:, 1, 1], 114 * 81 / 117, table[:, 1, 1].std())


@pytest.mark.parametrize(
    ("model", "prevalence"),
    [("paired", [0.25, 0.75]), ("unpaired", None), ("hierarchical", None)],
)
def test_totals_of_weighted_counts(model, prevalence):
    table = predicted(model=model, weight=0.37, prevalence=prevalence)["confusion_A"]
    # 80 instances, of which 0.37 are independent: 30 of them, or, by class, 11 and 19 (18.5).
    np.testing.assert_allclose(table.sum(axis=(1, 2)), 80)
    effective = table * (30 if prevalence is None else 29) / 80
    np.testing.assert_allclose(effective, np.round(effective), atol=1e-9)


def test_a_class_that_cannot_occur():
    said = np.where(np.arange(80) % 9 == 0, 2, A)
    result = compare_predictions(Y, said, B, model="hierarchical", random_state=0, n_draws=200)
    table = replicated(result)["confusion_A"]
    assert (table.sum(axis=(1, 2)) == 80).all()
    assert (table[:, 2] == 0).all()


@pytest.mark.parametrize("model", ["paired", "hierarchical"])
def test_predicted_classes(model):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 300)
    a, b = (np.where(rng.random(300) < share, rng.integers(0, 3, 300), y) for share in (0.2, 0.4))
    result = compare_predictions(y, a, b, model=model, random_state=0, n_draws=N)
    found = replicated(result)
    for k, name in enumerate("AB"):
        table = found[f"confusion_{name}"]
        assert (table.sum(axis=(1, 2)) == 300).all()
        # The prior is worth a few instances.
        observed = np.asarray(result.evidence.margins()[k].table)
        np.testing.assert_allclose(table.mean(axis=0), observed, atol=3)
    same = (found["confusion_A"].sum(axis=2) == found["confusion_B"].sum(axis=2)).all()
    assert same == (model == "paired")


@pytest.mark.parametrize("model", ["unpaired", "bcv"])
def test_predicted_labels(model):
    y, a, b = LABELS
    result = compare_predictions(
        y, a, b, scoring="f1_micro", model=model, random_state=0, n_draws=N
    )
    counts = replicated(result)["counts_A"]
    assert counts.shape == (N, 3, 3)
    hits, true, predicted = np.moveaxis(counts, -1, 0)
    assert (hits <= np.minimum(true, predicted)).all()
    tp, n_true = (y & a).sum(axis=0), y.sum(axis=0)
    mean = 40 * (1 + tp) / 44
    if model == "unpaired":
        mean = 40 * (1 + n_true) / 42 * (1 + tp) / (2 + n_true)
    close(hits, mean, hits.std(axis=0))


def test_predicted_chunks():
    # Both taggers' counts are sums of the same seven cells, of which there are 200 * 0.5.
    cells = np.array([110, 14, 22, 18, 9, 11, 16])
    posterior = Posterior(PairedChunks(1.0), ChunkCounts(cells, 0.5), entropy=0, n_draws=N)
    a, b = replicated(posterior).values()
    assert (np.nansum(a[:, 1], axis=1) == np.nansum(b[:, 1], axis=1)).all()
    found = a[:, 1, 1]
    close(found, 200 * (1 + 0.5 * 124) / (3.5 + 100), found.std())
    assert np.isnan(a[:, 0, 0]).all()
