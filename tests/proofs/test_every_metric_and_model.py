"""Every metric with every model, by public functions, against what shares no code with them.

Whoever adds a metric or a model finds it here: its observed value against scikit-learn, its Bayes
factor against counted draws, an absent class, a subgroup without it, and A and B swapped. So do a
metric and a model that a user has written.
"""

import warnings
from functools import cache, lru_cache

import numpy as np
import pytest
from sklearn import metrics as sk

from skbayeseval import compare_predictions, metrics, models
from skbayeseval.models import FAMILIES
from tests.metrics.test_confusion import TWINS
from tests.models.test_base import JointCells
from tests.proofs.scripts import assert_same_moments, prior_cases

pytestmark = pytest.mark.filterwarnings("ignore:The published prior of model='hierarchical'")

ROPE = 0.05
WITHOUT_LIMITS = {
    name for name in metrics.known_metrics("tables") if metrics.get_metric(name).bounds is None
}
# Models whose priors have no errors of a kind, up to rounding, in some draws.
HAVE_NO_ERRORS = {"Hierarchical", "PairedHierarchical", "Recalls", "PairedRecalls"}
ROPES = {"positive_likelihood_ratio": 1.0, "diagnostic_odds_ratio": 5.0}
N_PRIOR = 400_000  # a quarter of it for quick tests


def joint_cells_prior(rng, n, n_classes):
    return prior_cases.flat(rng, n, 8).reshape(n, 2, 2, 2)


def skill(tables):
    """Return the true skill statistic, as a user may write it."""
    with np.errstate(invalid="ignore"):
        recalls = np.diagonal(tables, axis1=-2, axis2=-1) / tables.sum(axis=-1)
    return recalls.sum(axis=-1) - 1


USERS = {"true skill": metrics.from_confusion(skill, "true skill")}
METRICS = {name: name for name in (*metrics.known_metrics("tables"), "f2", "f0.5_macro")} | USERS

# Each model with its prior, drawn with numpy alone.
CASES = {
    type(case.model).__name__: (case.model, case.prior, case.paired)
    for case in prior_cases.CASES
    if case.name in ("unpaired", "paired", "bcv", "hierarchical, M=2")
} | {
    "Recalls": (models.Recalls(mu=1.0), prior_cases.separate_recalls_prior, False),
    "PairedRecalls": (models.PairedRecalls(mu=1.0), prior_cases.joint_recalls_prior, True),
    "PairedHierarchical": (models.PairedHierarchical(), prior_cases.free_etas_prior, True),
    "JointCells": (JointCells(agree=1.0, disagree=1.0), joint_cells_prior, True),
}

REFERENCES = TWINS | {
    "f0.5_macro": lambda y, p, _: sk.fbeta_score(y, p, beta=0.5, average="macro"),
    "true skill": lambda y, p, _: sk.balanced_accuracy_score(y, p, adjusted=True),
}


def predictions(n=120, seed=0):
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < 0.4).astype(int)
    a, b = (np.where(rng.random(n) < right, y, 1 - y) for right in (0.85, 0.75))
    return y, a, b


def compare(y, a, b, model, scoring=None, **options):
    scoring = list(METRICS.values()) if scoring is None else scoring
    options = {"random_state": 0, "n_draws": 20_000} | options
    return compare_predictions(y, a, b, model=model, scoring=scoring, **options)


def odds_inside(differences, rope=ROPE):
    inside = np.sum(np.abs(differences) <= rope)
    outside = len(differences) - inside
    return inside / outside, np.sqrt(1 / max(inside, 1) + 1 / max(outside, 1))


@lru_cache(maxsize=1)
def prior_tables(name, n):
    """Return tables of A and B, drawn from the prior, of shape (2, n, 2, 2)."""
    _, prior, paired = CASES[name]
    tables = prior(np.random.default_rng(3), n, 2)
    return np.stack([tables.sum(axis=3), tables.sum(axis=2)]) if paired else tables


@cache
def result_of(name):
    return compare(*predictions(), CASES[name][0])


def test_every_model_of_two_classes_is_here():
    assert {kind.__name__ for kind in FAMILIES["two classes"].kinds} - {"PairedMany"} <= set(CASES)


@pytest.mark.parametrize("name", CASES)
def test_observed_values_are_scikit_learns_and_swapping_mirrors(name):
    y, a, b = predictions()
    swapped = compare(y, b, a, CASES[name][0], n_draws=5000, random_state=1)
    for metric in METRICS:
        one, other = result_of(name).metric(metric), swapped.metric(metric)
        expected = [REFERENCES[metric](y, said, 0.0) for said in (a, b)]
        assert (one.observed_a, one.observed_b) == pytest.approx(expected), metric
        assert (one.observed_a, one.observed_b) == (other.observed_b, other.observed_a)
        for x, z in (
            (one.draws, -other.draws),
            (one.draws_a, other.draws_b),
            (one.draws <= 0, other.draws >= 0),
        ):
            error = np.hypot(x.std() / np.sqrt(len(x)), z.std() / np.sqrt(len(z)))
            assert abs(x.mean() - z.mean()) < 5 * error + 1e-12, metric


# What the prior of recalls adds to simulated test sets copies observed outcomes, by design.
@pytest.mark.parametrize("name", sorted(set(CASES) - {"Recalls", "PairedRecalls", "JointCells"}))
def test_simulated_test_sets_are_those_of_the_posterior(name):
    """Populations for planning have the scores that the posterior has."""
    model, counts = CASES[name][0], result_of(name).evidence
    given = model.specification(counts)
    drawn = given.draw_populations(np.random.default_rng(2), 400)
    tables = np.zeros((2, len(drawn), 2, 2))
    for place, populations in enumerate(drawn):
        shared = len(populations) == 1
        for k in range(2):
            population = populations[0 if shared else k]
            said = population.predictions[:, k if shared else 0]
            np.add.at(tables[k, place], (population.truth, said), population.probability)
    scores = metrics.get_metric("f1")(tables)
    f1 = result_of(name).metric("f1")
    for x, z in (
        (scores[0], f1.draws_a),
        (scores[1], f1.draws_b),
        (scores[0] - scores[1], f1.draws),
    ):
        assert_same_moments(x, z[: len(x)])


QUICK = [
    ("Paired", "negative_predictive_value"),
    ("JointCells", "negative_predictive_value"),
    ("JointCells", "true skill"),
    ("BCV", "specificity"),
    ("BCV", "matthews_corrcoef"),
    ("Unpaired", "f1"),
    ("Unpaired", "precision"),
    ("Paired", "matthews_corrcoef"),
]


@pytest.mark.parametrize(
    ("name", "metric", "n"),
    [
        (name, metric, N_PRIOR // 4)
        if (name, metric) in QUICK
        else pytest.param(name, metric, N_PRIOR, marks=pytest.mark.slow)
        for name in CASES
        for metric in METRICS
        if not metric.startswith(("f2", "f0.5"))
    ],
)
def test_bayes_factor_of_an_interval(name, metric, n):
    result, tables = result_of(name).metric(metric), prior_tables(name, n)
    if metric in USERS:
        a, b = skill(tables)
    else:
        a, b = prior_cases.true_scores(tables, [metric])[metric]
    rope = ROPES.get(metric, ROPE)
    prior, prior_error = odds_inside(a - b, rope)
    posterior, posterior_error = odds_inside(result.draws, rope)
    if metric in WITHOUT_LIMITS and name in HAVE_NO_ERRORS:
        with pytest.raises(ValueError, match="infinite or NaN in .* of the draws"):
            result.bayes_factor(rope=rope)
        assert result.summary(rope, bayes_factor=True)["bf"].isna().all()
        return
    factor = result.bayes_factor(rope=rope)
    expected = np.log(posterior / prior)
    error = np.hypot(np.hypot(prior_error, posterior_error), factor.mcse / factor.value)
    assert abs(np.log(factor.value) - expected) < 4 * error, (factor, np.exp(expected))
    assert factor.reliable


@pytest.mark.parametrize(
    "model",
    [
        models.Paired(mu=0.01, theta=0.01),
        models.BCV(lambda_=0.01),
        models.Unpaired(mu=0.01, rho=0.01),
    ],
    ids=lambda model: type(model).__name__,
)
def test_small_priors(model):
    """Cells that have almost no share, of which the rest of 1 says nothing."""
    rng = np.random.default_rng(6)

    def small(*shape):
        logs = np.log(rng.standard_gamma(1.01, shape)) - rng.standard_exponential(shape) / 0.01
        shares = np.exp(logs - logs.max(axis=-1, keepdims=True))
        return shares / shares.sum(axis=-1, keepdims=True)

    n = 50_000
    if type(model).__name__ == "Paired":
        joint = (small(n, 2)[..., None] * small(n, 2, 4)).reshape(n, 2, 2, 2)
        tables = np.stack([joint.sum(axis=3), joint.sum(axis=2)])
    elif type(model).__name__ == "BCV":
        tables = small(2, n, 4).reshape(2, n, 2, 2)
    else:
        tables = small(2, n, 2)[..., None] * small(2, n, 2, 2)
    a, b = prior_cases.true_scores(tables, ["precision"])["precision"]
    prior_odds, prior_error = odds_inside(a - b)
    result = compare(*predictions(40), model, "precision")
    posterior_odds, error = odds_inside(result.draws)
    factor = result.bayes_factor(rope=ROPE)
    error = np.hypot(np.hypot(error, prior_error), factor.mcse / factor.value)
    assert abs(np.log(factor.value / (posterior_odds / prior_odds))) < 4 * error


@pytest.mark.parametrize("name", CASES)
def test_negative_predictive_value_mirrors_precision(name):
    votes, model = predictions(), CASES[name][0]
    results = [
        compare(*votes, model, metric, pos_label=label, random_state=label, n_draws=4000)
        for label, metric in enumerate(("negative_predictive_value", "precision"))
    ]
    npv, precision = results
    assert npv.observed_a == precision.observed_a
    for x, z in ((npv.draws, precision.draws), (npv.draws_a, precision.draws_a)):
        assert_same_moments(x, z)
    factors = [result.summary(bayes_factor=True)["bf"].item() for result in results]
    assert np.isnan(factors[0]) == np.isnan(factors[1])


def test_metrics_say_which_class_is_absent():
    """A class that never occurs is a plain error, or the metric does not need it."""
    y, a, b = predictions()
    for absent in (0, 1):
        kept = y != absent
        for metric in METRICS.values():
            try:
                result = compare(
                    y[kept], a[kept], b[kept], "paired", metric, labels=[0, 1], n_draws=200
                )
            except ValueError as error:
                said = str(error)
            else:
                said = "class" if np.isfinite(result.draws).all() else "not a number"
            assert "class" in said


# The reasons of subgroups without negatives (0) and without positives (1), by what a metric needs.
REASONS = {"negative": ("no negatives", None), "positive": (None, "no positives")}


@pytest.mark.parametrize("absent", [0, 1])
@pytest.mark.parametrize("model", ["paired", "unpaired", "bcv"])
def test_a_subgroup_without_a_class(model, absent):
    y, a, b = predictions(200)
    rng = np.random.default_rng(5)
    column = np.where((y != absent) & (rng.random(len(y)) < 0.5), "without", "with")
    result = compare(y, a, b, model, n_draws=500)
    for metric in METRICS:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            groups = result.by(column, metric=metric)
        needs = (USERS.get(metric) or metrics.get_metric(metric)).needs_classes
        reason = groups.reasons.get("without")
        if needs == "several":
            assert reason == "only one class", metric
        elif needs in REASONS:
            assert reason == REASONS[needs][absent], metric
        elif metric in USERS:
            assert reason, metric  # undefined there, and said
        else:
            assert reason is None, metric
