"""Bayes factors of posteriors, against quadrature, long simulation and the published ones."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from skbayeseval import (
    compare_counts,
    compare_items,
    compare_many,
    compare_predictions,
    load_result,
    metrics,
    models,
)
from skbayeseval.evidence import ChunkCounts
from skbayeseval.judgement.bayes_factor import density_by_smoothing, odds_of_draws
from skbayeseval.judgement.intervals import Interval, count_inside
from skbayeseval.metrics.registry import metric_of_formula
from skbayeseval.posterior.build import make_posterior
from skbayeseval.posterior.prior_odds import (
    _odds_of_law,
    bayes_factor,
    prior_density_at_zero,
)

F1 = metrics.get_metric("f1")


def test_interval_null_by_hand(votes):
    # Whoever chooses a prior gets its Bayes factor, also that of the default prior.
    result = compare_predictions(*votes, prior={"theta": 0.25}, random_state=0)
    factor = result.bayes_factor(rope=0.02)
    inside = np.mean(np.abs(result.draws) <= 0.02)
    rng = np.random.default_rng(1)
    mu = rng.beta(1, 1, 400_000)
    plus, minus = rng.dirichlet(np.full(4, 0.25), (2, 400_000))
    delta = mu * (plus[:, 1] - plus[:, 2]) - (1 - mu) * (minus[:, 1] - minus[:, 2])
    prior = np.mean(np.abs(delta) <= 0.02)
    expected = inside / (1 - inside) / (prior / (1 - prior))
    assert factor.value == pytest.approx(expected, rel=0.02)
    assert factor.method == "interval"
    assert factor.reliable
    assert not factor.published_prior


@pytest.mark.parametrize("scoring", ["accuracy", "recall", "f1"])
def test_the_default_prior_has_the_bayes_factors_of_the_published_one(votes, scoring, tmp_path):
    default, published = (
        compare_predictions(*votes, scoring=scoring, model=model, random_state=0)
        for model in ("auto", models.Paired())
    )
    assert default.prior == {"mu": 1.0, "theta": 0.25}
    default.save(tmp_path / "default.npz")
    for one in (default, load_result(tmp_path / "default.npz")):
        for rope in (0.02, None):
            found, expected = one.bayes_factor(rope), published.bayes_factor(rope)
            assert found == replace(expected, published_prior="mu=1.0, theta=1.0")
            said = ". Bayes factors use the published prior: mu=1.0, theta=1.0"
            assert str(found) == str(expected) + said
            table, theirs = (r.summary(rope, bayes_factor=True)["bf"] for r in (one, published))
            np.testing.assert_array_equal(table, theirs)
    assert default.hdi() != published.hdi()


def test_bayes_factors_of_two_of_many(votes):
    y, a, b = votes
    predictions = {"a": a, "b": b, "c": np.roll(a, 1)}
    default, published = (
        compare_many(y, predictions, model=model, random_state=0)
        for model in ("auto", models.PairedMany())
    )
    found = default.pairs[0, 1].bayes_factor(0.02)
    assert found.value == published.pairs[0, 1].bayes_factor(0.02).value
    assert found == default.pairs[1, 0].bayes_factor(0.02)
    assert found.published_prior == "mu=1.0, theta=1.0"


def test_bayes_factors_of_items_and_of_chunks():
    right = np.random.default_rng(0).integers(0, 2, (2, 60))
    found, expected = (
        compare_items(*right, model=model, random_state=0).bayes_factor()
        for model in ("auto", models.RightOrWrong())
    )
    assert np.isfinite(found.log10)
    assert found == replace(expected, published_prior="theta=1.0")
    chunks = ChunkCounts([80, 8, 3, 9, 4, 6, 10])
    found, expected = (
        bayes_factor(make_posterior(chunks, model, "exact", None, 1000, 0), F1, 0.05)
        for model in ("auto", models.PairedChunks())
    )
    assert found == replace(expected, published_prior="lambda=1.0")


def test_prior_probability_does_not_depend_on_weight_or_seed(votes):
    # The same posterior odds must give the same factor: the prior is simulated once.
    options = {"scoring": "f1", "model": models.Paired()}
    one = compare_predictions(*votes, random_state=0, **options)
    light = compare_predictions(*votes, weight=0.5, random_state=9, **options)

    def prior_odds(result):
        inside = np.sum(np.abs(result.draws) <= 0.02)
        return (inside + 0.5) / (result.n_draws - inside + 0.5) / result.bayes_factor(0.02).value

    assert prior_odds(one) == pytest.approx(prior_odds(light), rel=1e-12)


def test_bcv_by_quadrature_agrees_with_draws():
    result = compare_counts((88, 10, 12), (86, 12, 14), n_draws=400_000, random_state=0)
    inside = np.mean(np.abs(result.draws) <= 0.02)
    rng = np.random.default_rng(0)
    a, b = (
        2 * g[0] / (2 * g[0] + g[1])
        for g in (rng.standard_gamma([[1.0], [2.0]], (2, 1_000_000)) for _ in range(2))
    )
    prior = np.mean(np.abs(a - b) <= 0.02)
    factor = result.bayes_factor(rope=0.02)
    expected = inside / (1 - inside) / (prior / (1 - prior))
    assert factor.value == pytest.approx(expected, rel=0.02)
    assert factor.mcse == 0
    assert factor.reliable


def test_bcv_far_in_the_tail():
    result = compare_counts((9000, 500, 500), (8000, 1000, 1000))
    factor = result.bayes_factor(rope=0.01)
    assert factor.reliable
    assert factor.log10 < -50
    hopeless = compare_counts((90000, 500, 500), (60000, 2000, 2000)).bayes_factor(rope=0.01)
    assert not hopeless.reliable
    assert np.isfinite(hopeless.log10)


def test_savage_dickey_where_the_prior_density_is_finite(votes):
    recall = compare_predictions(
        *votes,
        scoring="recall",
        model=models.Paired(),
        weight=0.2,
        n_draws=500_000,
        random_state=0,
    )
    factor = recall.bayes_factor()
    assert (factor.method, factor.mcse, factor.reliable) == ("savage-dickey", 0.0, True)
    near = np.mean(np.abs(recall.draws) < 0.005) / 0.01
    assert factor.value == pytest.approx(near / 1.5, rel=0.1)
    accuracy = recall.bayes_factor(metric="accuracy")
    near = np.mean(np.abs(recall.metric("accuracy").draws) < 0.004) / 0.008
    assert accuracy.value == pytest.approx(near / 1.677, rel=0.1)
    assert accuracy.mcse > 0


def test_savage_dickey_of_bcv_is_the_limit_of_the_interval_null():
    result = compare_counts((88, 10, 12), (86, 12, 14))
    limit = result.bayes_factor(rope=1e-4).value
    assert result.bayes_factor().value == pytest.approx(limit, rel=2e-3)


def test_kde_elsewhere(votes):
    # With a weight that leaves a difference of 0 plausible, many draws are near it.
    result = compare_predictions(
        *votes, weight=0.2, scoring="f1", model=models.Paired(), random_state=0
    )
    factor = result.bayes_factor()
    assert factor.method == "kde"
    assert not factor.reliable
    # SIGIR 2016's factors are those of a prior density of about 2.17 by this method.
    near = np.mean(np.abs(result.draws) < 0.005) / 0.01
    assert factor.value == pytest.approx(near / 2.17, rel=0.1)
    assert 0.02 < factor.bandwidth < 0.04
    assert result.bayes_factor(method="kde", metric="recall").method == "kde"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"method": "guess"}, "method='guess' is not a known method. Valid methods are"),
        ({"method": "interval"}, "method='interval' requires rope="),
        ({"rope": 0.01, "method": "kde"}, "method='kde' does not use rope="),
        ({"method": "savage-dickey"}, "prior density .* 'f1' at 0 .* is infinite"),
        ({"rope": 0.0}, "has zero width"),
        ({"rope": (0.02, 0.01)}, "must have low <= high"),
    ],
)
def test_bad_arguments(votes, arguments, message):
    result = compare_predictions(*votes, scoring="f1", random_state=0)
    with pytest.raises(ValueError, match=message):
        result.bayes_factor(**arguments)


def tables_of(n, wrong_of_b):
    """Truth and two classifiers that err on 10% and on a share of the positives."""
    y = np.repeat([1, 0], n)
    instance = np.arange(n)
    a = np.concatenate([instance % 10 > 0, instance % 10 == 5]).astype(int)
    b = np.concatenate([(instance * 7) % n >= wrong_of_b * n, instance % 8 == 3]).astype(int)
    return y, a, b


@pytest.mark.parametrize(
    ("metric", "arguments", "method"),
    [
        ("f1", {"rope": 0.02}, "interval"),
        ("accuracy", {}, "savage-dickey"),
        ("f1_macro", {}, "savage-dickey"),
        ("f1", {}, "kde"),
    ],
)
def test_mcse_by_repetition(metric, arguments, method):
    y, a, b = tables_of(200, 0.13)
    factors = [
        compare_predictions(y, a, b, scoring=metric, n_draws=4000, random_state=seed).bayes_factor(
            **arguments
        )
        for seed in range(60)
    ]
    assert {factor.method for factor in factors} == {method}
    assert {factor.reliable for factor in factors} == {method != "kde"}
    for spread, told in (
        (np.std([f.value for f in factors]), np.mean([f.mcse for f in factors])),
        (np.std([f.log10 for f in factors]), np.mean([f.log10_mcse for f in factors])),
    ):
        assert 0.7 < told / spread < 1.4


@pytest.mark.parametrize("model", ["bcv", "paired"])
@pytest.mark.parametrize("n", [40, 200, 1000])
def test_tails_are_right_or_not_reliable(n, model):
    # Draws against quadrature (bcv) and a closed form (paired recall), from equality to far apart.
    trusted = far = 0
    for wrong, seed in product((0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5), range(3)):
        y, a, b = tables_of(n, wrong)
        result = compare_predictions(y, a, b, scoring="recall", model=model, random_state=seed)
        posterior, metric = result._posterior, metrics.get_metric("recall")
        exact = posterior.log_density_at_zero(metric)
        estimates = [(density_by_smoothing(result.draws), exact)]
        if model == "bcv":
            rope = Interval(-0.02, 0.02)
            inside = count_inside(result.draws, rope)
            exact = _odds_of_law(posterior.law(metric), rope)
            estimates.append((odds_of_draws(inside, result.n_draws - inside), exact.log))
        for estimate, truth in estimates:
            if estimate.reliable:
                trusted += 1
                assert abs(estimate.log - truth) < 4 * np.sqrt(estimate.variance)
            else:
                far += 1
    assert trusted >= 3
    assert far > 0 or n == 40


def test_far_apart_without_a_rope():
    # The kernel estimates are zero to the last double; nothing may overflow.
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 2000)
    a = np.where(rng.random(2000) < 0.97, y, 1 - y)
    b = np.where(rng.random(2000) < 0.60, y, 1 - y)
    result = compare_predictions(y, a, b, scoring="f1", random_state=0)
    factor = result.bayes_factor()
    assert not factor.reliable
    assert factor.log10 < -10
    assert np.isnan(result.summary(bayes_factor=True).loc["f1", "bf"])
    result.plot("factor")


def test_bias_of_the_density_is_in_its_error():
    # Two positives only: the posterior of the balanced accuracy is far from normal. The exact
    # density at 0 is a closed form given the rest: X of theta+ against Y of theta-.
    from skbayeseval.models.point_null import _difference_density

    positive, negative = np.array([0, 0, 0, 2]) + 1.0, np.array([2, 1, 5, 400]) + 1.0
    rng = np.random.default_rng(0)
    y = rng.dirichlet(negative, 200_000)
    exact = 2 * _difference_density(y[:, 1] - y[:, 2], positive).mean()
    truth = np.repeat([1, 0], [2, 408])
    a = np.repeat([0, 1, 1, 0, 0], [2, 2, 1, 5, 400])
    b = np.repeat([0, 1, 0, 1, 0], [2, 2, 1, 5, 400])
    for seed in range(5):
        result = compare_predictions(truth, a, b, scoring="balanced_accuracy", random_state=seed)
        factor = result.bayes_factor()
        assert abs(factor.value * 1.8 - exact) < 4 * factor.mcse * 1.8


def prior_of(model, n_classes=2, n_labels=0, **kwargs):
    y = np.arange(10 * n_classes) % n_classes
    if n_labels:
        y = (y[:, None] + np.arange(n_labels)) % 2
    result = compare_predictions(y, y, y, scoring="f1_micro", model=model, n_draws=100, **kwargs)
    return result._posterior.prior


def test_density_of_unpaired_f1_by_quadrature():
    # Given mu and rho-, F1 = s at rho+ = s D / (mu (2 - s)) with D = mu + (1 - mu) rho-, where that
    # is at most 1: for rho- up to `most`, over which D is integrated by hand.
    mu = (np.arange(4000) + 0.5) / 4000
    mu, weight = mu**2 * (3 - 2 * mu), 6 * mu * (1 - mu)
    x = ((np.arange(1000) + 0.5) / 1000)[:, None]
    s = x**3
    most = np.minimum(2 * mu * (1 - s) / (s * (1 - mu)), 1.0)
    total = mu * most + (1 - mu) * most**2 / 2
    density = np.mean(weight * 2 * total / (mu * (2 - s) ** 2), axis=1)
    assert np.mean(3 * x[:, 0] ** 2 * density) == pytest.approx(1, rel=1e-3)
    exact = np.mean(3 * x[:, 0] ** 2 * density**2)
    found = prior_density_at_zero(prior_of(models.Unpaired()), metrics.get_metric("f1"))
    assert np.exp(found.log) == pytest.approx(exact, rel=0.003)


@pytest.mark.parametrize(
    ("model", "formula", "density"),
    [
        (models.Unpaired(), "f1_micro", 1.14009),
        (models.Unpaired(), "recall", 1.0),
        (models.BCV(), "f1", 16 / 15),
        (models.BCV(), "recall_macro", 4 / 3),
        (models.Paired(), "recall[1]", 3 / 2),
        (models.Paired(), "recall_macro", 9 / 5),
        # Accuracy's, which quadrature knows.
        (models.Paired(), "precision_micro", 1.6768),
    ],
)
def test_prior_densities(model, formula, density):
    metric = metric_of_formula(formula, 0.0)
    found = prior_density_at_zero(prior_of(model), metric)
    error = np.sqrt(found.variance)
    assert error < 0.0021
    assert np.exp(found.log) == pytest.approx(density, rel=4 * error + 1e-3)


@pytest.mark.parametrize(
    ("model", "formula", "finite"),
    [
        (models.Paired(), "f2_macro", True),
        (models.Paired(), "finf", True),
        (models.Paired(theta=0.5), "f1_macro", None),
        (models.Paired(theta=0.5), "f1", False),
        (models.Unpaired(), "f1", True),
        (models.Unpaired(rho=0.5), "f1", None),
        (models.Unpaired(rho=((0.5, 1.0), (1.0, 1.0))), "f1", None),
        (models.Unpaired(mu=(1.0, 0.5)), "f1", None),
        (models.BCV(), "cohen_kappa", True),
        (models.BCV(lambda_=0.5), "cohen_kappa", None),
        (models.Hierarchical(), "accuracy", False),
        (models.PairedHierarchical(eta=(2.0, 1.0)), "f1_macro", False),
    ],
)
def test_which_prior_densities_are_finite(model, formula, finite):
    # More of the paired model are in tests/models/test_binary.py.
    metric = metric_of_formula(formula, 0.0)
    assert prior_of(model, pos_label=1).has_finite_density(metric) is finite


def test_known_proportions_make_the_density_finite():
    prior = prior_of(models.Paired(), prevalence=0.3)
    metric = metrics.get_metric("f1")
    assert prior.has_finite_density(metric)
    a, b = prior.draws(metric, 2**18)
    near = np.mean(np.abs(a - b) < 0.02) / 0.04
    assert np.exp(prior_density_at_zero(prior, metric).log) == pytest.approx(near, rel=0.05)


@pytest.mark.parametrize("model", [models.IndependentLabels(), models.IndependentLabelsBCV()])
def test_density_of_labels(model):
    prior = prior_of(model, n_labels=3)
    metric = metrics.get_metric("f1_micro")
    a, b = prior.draws(metric, 2**17)
    near = np.mean(np.abs(a - b) < 0.02) / 0.04
    assert np.exp(prior_density_at_zero(prior, metric).log) == pytest.approx(near, rel=0.05)
