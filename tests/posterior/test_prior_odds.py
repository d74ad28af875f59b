"""Bayes factors of posteriors, against quadrature, long simulation and the published ones."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from scipy import stats

from skbayeseval import (
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
from skbayeseval.posterior.prior_odds import _odds_of_law, bayes_factor, prior_density_at_zero
from tests.proofs.scripts import prior_cases

F1 = metrics.get_metric("f1")
MANY = [
    name for name in metrics.known_metrics("tables") if not metrics.get_metric(name).needs_positive
]
N = 400_000
ROPE = (-0.02, 0.1)


@pytest.mark.parametrize("scoring", ["recall", "f1"])
def test_the_default_prior_has_the_bayes_factors_of_the_published_one(votes, scoring, tmp_path):
    default, published = (
        compare_predictions(*votes, scoring=scoring, model=model, random_state=0)
        for model in ("auto", models.Paired())
    )
    assert default.prior == {"mu": 1.0, "theta": 0.25}
    default.save(tmp_path / "default.npz")
    for one in (default, load_result(tmp_path / "default.npz")):
        for options in ({"rope": 0.02}, {"method": "kde"}):
            found, expected = (r.bayes_factor(**options) for r in (one, published))
            assert found == replace(expected, published_prior="mu=1.0, theta=1.0")
            said = ". Bayes factors use the published prior: mu=1.0, theta=1.0"
            assert str(found) == str(expected) + said
        for rope in (0.02, None):
            table, theirs = (r.summary(rope, bayes_factor=True)["bf"] for r in (one, published))
            np.testing.assert_array_equal(table, theirs)
    assert default.hdi() != published.hdi()


def test_bayes_factors_of_items():
    right = np.random.default_rng(0).integers(0, 2, (2, 60))
    found, expected = (
        compare_items(*right, model=model, random_state=0).bayes_factor()
        for model in ("auto", models.RightOrWrong())
    )
    assert np.isfinite(found.log10)
    assert found == replace(expected, published_prior="theta=1.0")


def test_prior_probability_does_not_depend_on_weight_or_seed(votes):
    options = {"scoring": "f1", "model": models.Paired()}
    one = compare_predictions(*votes, random_state=0, **options)
    light = compare_predictions(*votes, weight=0.5, random_state=9, **options)

    def prior_odds(result):
        inside = np.sum(np.abs(result.draws) <= 0.02)
        return (inside + 0.5) / (result.n_draws - inside + 0.5) / result.bayes_factor(0.02).value

    assert prior_odds(one) == pytest.approx(prior_odds(light), rel=1e-12)


def test_savage_dickey_where_the_prior_density_is_finite(votes):
    options = {"model": models.Paired(), "weight": 0.2, "n_draws": 200_000, "random_state": 0}
    result = compare_predictions(*votes, scoring=["recall", "accuracy"], **options)
    for metric, before in (("recall", 1.5), ("accuracy", 1.677)):
        factor, draws = result.bayes_factor(metric=metric), result.metric(metric).draws
        assert (factor.method, factor.reliable) == ("savage-dickey", True)
        near = np.mean(np.abs(draws) < 0.004) / 0.008
        assert factor.value == pytest.approx(near / before, rel=0.1)
        assert (factor.mcse > 0) == (metric == "accuracy")


def tables_of(n, wrong_of_b):
    """Truth and two classifiers that err on 10% and on a share of the positives."""
    y = np.repeat([1, 0], n)
    instance = np.arange(n)
    a = np.concatenate([instance % 10 > 0, instance % 10 == 5]).astype(int)
    b = np.concatenate([(instance * 7) % n >= wrong_of_b * n, instance % 8 == 3]).astype(int)
    return y, a, b


@pytest.mark.parametrize(
    ("metric", "rope", "method"), [("f1", 0.02, "interval"), ("accuracy", None, "savage-dickey")]
)
def test_mcse_by_repetition(metric, rope, method):
    options = {"scoring": metric, "n_draws": 4000}
    results = (
        compare_predictions(*tables_of(200, 0.13), random_state=i, **options) for i in range(60)
    )
    found = [result.bayes_factor(rope) for result in results]
    assert {(factor.method, factor.reliable) for factor in found} == {(method, True)}
    values = np.array([(one.value, one.log10, one.mcse, one.log10_mcse) for one in found])
    told = values.mean(axis=0)[2:] / values.std(axis=0)[:2]
    assert 0.7 < told.min() <= told.max() < 1.4


def test_bias_of_the_density_is_in_its_error():
    # Two positives only: the posterior of the balanced accuracy is far from normal. The exact
    # density at 0 is a closed form given the rest: X of theta+ against Y of theta-.
    from skbayeseval.models.margins import _difference_density

    positive, negative = np.array([0, 0, 0, 2]) + 1.0, np.array([2, 1, 5, 400]) + 1.0
    rng = np.random.default_rng(0)
    y = rng.dirichlet(negative, 200_000)
    exact = 2 * _difference_density(y[:, 1] - y[:, 2], positive).mean()
    pairs = [(1, 0, 0), (0, 1, 1), (0, 1, 0), (0, 0, 1), (0, 0, 0)]
    votes = np.repeat(pairs, [2, 2, 1, 5, 400], axis=0).T
    for seed in range(3):
        result = compare_predictions(*votes, scoring="balanced_accuracy", random_state=seed)
        factor = result.bayes_factor()
        assert abs(factor.value * 1.8 - exact) < 4 * factor.mcse * 1.8


def prior_of(model, n_classes=2, n_labels=0, **kwargs):
    y = np.arange(10 * n_classes) % n_classes
    if n_labels:
        y = (y[:, None] + np.arange(n_labels)) % 2
    result = compare_predictions(y, y, y, scoring="f1_micro", model=model, n_draws=100, **kwargs)
    return result._posterior.prior


@pytest.mark.parametrize(
    ("model", "formula", "density"),
    [
        # The integral of the squared density of F1, by quadrature over mu and the false alarms.
        (models.Unpaired(), "f1", 1.06806),
        (models.Unpaired(), "f1_micro", 1.14009),
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
        (models.Paired(theta=0.5), "f1_macro", None),
        (models.Paired(theta=0.5), "f1", False),
        (models.Unpaired(), "f1", True),
        (models.Unpaired(rho=0.5), "f1", None),
        (models.Unpaired(mu=(1.0, 0.5)), "f1", None),
        (models.BCV(), "cohen_kappa", True),
        (models.BCV(lambda_=0.5), "cohen_kappa", None),
        (models.Hierarchical(), "accuracy", False),
        (models.PairedHierarchical(eta=(2.0, 1.0)), "f1_macro", False),
    ],
)
def test_which_prior_densities_are_finite(model, formula, finite):
    metric = metric_of_formula(formula, 0.0)
    assert prior_of(model, pos_label=1).has_finite_density(metric) is finite


@pytest.mark.parametrize(
    ("model", "options", "name"),
    [
        (models.Paired(), {"prevalence": 0.3}, "f1"),
        (models.IndependentLabels(), {"n_labels": 3}, "f1_micro"),
        (models.IndependentLabelsBCV(), {"n_labels": 3}, "f1_micro"),
    ],
)
def test_prior_densities_are_those_of_draws(model, options, name):
    prior, metric = prior_of(model, **options), metrics.get_metric(name)
    a, b = prior.draws(metric, 2**17)
    near = np.mean(np.abs(a - b) < 0.02) / 0.04
    assert np.exp(prior_density_at_zero(prior, metric).log) == pytest.approx(near, rel=0.05)


def log_odds(differences, rope):
    """Log odds of the ROPE and their error."""
    inside = np.count_nonzero((differences >= rope[0]) & (differences <= rope[1]))
    outside = len(differences) - inside
    return np.log(inside / outside), np.sqrt(1 / inside + 1 / outside)


def assert_right(factor, draws, prior, rope):
    (before, error), (after, its_error) = (log_odds(x, rope) for x in (prior, draws))
    told = factor.log10_mcse * np.log(10)
    assert factor.reliable
    assert told < 0.1
    expected = pytest.approx(after - before, abs=4 * np.sqrt(error**2 + its_error**2 + told**2))
    assert factor.log10 * np.log(10) == expected


def margins(joint):
    """Tables of A and of B, given probabilities of (truth, A, B)."""
    return joint.sum(axis=3), joint.sum(axis=2)


RNG = np.random.default_rng(0)
CLASSES = {}
for n_classes in (2, 3):
    truth = RNG.integers(0, n_classes, 120)
    others = (truth + RNG.integers(1, n_classes, (2, 120))) % n_classes
    right = RNG.random((2, 120)) < [[0.8], [0.75]]
    CLASSES[n_classes] = truth, *np.where(right, truth, others)


@pytest.mark.parametrize(
    "names", [["f1_macro"], pytest.param(MANY, marks=pytest.mark.slow)], ids=["one", "all"]
)
@pytest.mark.parametrize(
    ("model", "prior"),
    [
        (models.Hierarchical(), prior_cases.hierarchical_prior),
        (models.PairedHierarchical(), prior_cases.free_etas_prior),
    ],
    ids=["separate", "paired"],
)
def test_every_metric_of_three_classes(model, prior, names):
    drawn = prior(np.random.default_rng(1), N // 4, 3)
    tables = drawn if len(drawn) == 2 else margins(drawn)
    options = {"scoring": names, "n_draws": 5000, "random_state": 0}
    result = compare_predictions(*CLASSES[3], model=model, **options)
    for name in names:
        a, b = (metrics.get_metric(name)(table, 1) for table in tables)
        factor = result.bayes_factor(ROPE, metric=name)
        assert_right(factor, result.metric(name).draws, a - b, ROPE)


@pytest.mark.parametrize("name", ["f1[0]", "f1[2]"])
def test_classes_that_are_not_alike_before_the_data(name):
    model, metric = models.Hierarchical(mu=(1.0, 2.0, 2.0)), metric_of_formula(name, 0.0)
    posterior = compare_predictions(*CLASSES[3], model=model, random_state=0)._posterior
    before = np.subtract(*prior_of(model, 3).draws(metric, 2**17))
    after = np.subtract(*posterior.draws(metric))
    assert_right(bayes_factor(posterior, metric, ROPE), after, before, ROPE)


def test_chunks():
    posterior = make_posterior(
        ChunkCounts([80, 8, 3, 9, 4, 6, 10]), models.PairedChunks(), "exact", 20_000, 0
    )
    metric = metrics.fbeta(2.0)
    joint = prior_cases.chunks_prior(np.random.default_rng(1), N // 2, 2)
    a, b = (metric(tables, 1) for tables in margins(joint))
    factor = bayes_factor(posterior, metric, ROPE)
    assert_right(factor, np.subtract(*posterior.draws(metric)), a - b, ROPE)


def test_items_by_quadrature():
    # Given how often the systems disagree, who is right then is Beta.
    rope, theta = (-0.02, 0.05), (0.5, 2.0, 1.0, 3.0)
    right = np.random.default_rng(0).integers(0, 2, (2, 60))
    result = compare_items(*right, model=models.RightOrWrong(theta=theta), random_state=0)
    disagree = stats.beta(3.0, 3.5).ppf((np.arange(20_000) + 0.5) / 20_000)
    ends = [stats.beta.cdf((end / disagree + 1) / 2, 2.0, 1.0) for end in rope]
    exact = np.mean(ends[1] - ends[0])
    factor = result.bayes_factor(rope)
    prior = log_odds(result.draws, rope)[0] - factor.log10 * np.log(10)
    assert prior == pytest.approx(np.log(exact / (1 - exact)), abs=0.03)


@pytest.mark.parametrize(
    ("options", "theta", "mu"),
    [
        # Whoever chooses a prior gets its Bayes factor, also that of the default prior.
        ({"model": models.Paired(theta=0.25)}, 0.25, None),
        # With known proportions, and where the classes are not alike.
        ({"model": models.Paired(), "prevalence": 0.1}, 1.0, 0.1),
    ],
)
def test_priors_by_draws_alone(options, theta, mu):
    rng = np.random.default_rng(2)
    mu = rng.random(N) if mu is None else mu
    plus, minus = rng.dirichlet(np.full(4, theta), (2, N))
    accuracy = mu * (plus[:, 1] - plus[:, 2]) - (1 - mu) * (minus[:, 1] - minus[:, 2])
    result = compare_predictions(*CLASSES[2], pos_label=1, random_state=0, **options)
    factor = result.bayes_factor(0.05)
    assert_right(factor, result.draws, accuracy, (-0.05, 0.05))
    assert (factor.method, factor.published_prior) == ("interval", "")


def test_labels():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, (60, 3))
    a, b = (np.where(rng.random(y.shape) < 0.8, y, 1 - y) for _ in range(2))
    result = compare_predictions(
        y, a, b, scoring="f1_micro", model=models.IndependentLabels(), random_state=0
    )
    tables = prior_cases.labels_prior(rng, N // 4, 3).sum(axis=2)
    hits, errors = tables[..., 1, 1], tables[..., 0, 1] + tables[..., 1, 0]
    a, b = 2 * hits / (2 * hits + errors)
    assert_right(result.bayes_factor(0.05), result.draws, a - b, (-0.05, 0.05))


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


def test_bayes_factors_of_two_of_many(votes):
    y, a, b = votes
    predictions = {"a": a, "b": b, "c": np.roll(a, 1)}
    found, mirrored, published = (
        compare_many(y, predictions, model=model, random_state=0).pairs[pair].bayes_factor(0.02)
        for model, pair in (("auto", (0, 1)), ("auto", (1, 0)), (models.PairedMany(), (0, 1)))
    )
    assert found == mirrored == replace(published, published_prior="mu=1.0, theta=1.0")
