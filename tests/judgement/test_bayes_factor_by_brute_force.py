"""Interval Bayes factors against draws of the prior that NumPy alone makes.

Those of two classes are in tests/proofs/test_every_metric_and_model.py.
"""

import numpy as np
import pytest
from scipy import stats

from skbayeseval import compare_items, compare_predictions, metrics, models
from skbayeseval.evidence import ChunkCounts
from skbayeseval.posterior.build import make_posterior
from skbayeseval.posterior.prior_odds import bayes_factor

MANY = [
    name for name in metrics.known_metrics("tables") if not metrics.get_metric(name).needs_positive
]
N = 400_000
ROPE = (-0.02, 0.1)


def dirichlet(rng, shapes):
    """Draws for each row of shapes, which may be so small that most shares are 0."""
    gammas = np.log(rng.standard_gamma(shapes + 1)) + np.log(rng.random(shapes.shape)) / shapes
    shares = np.exp(gammas - gammas.max(axis=-1, keepdims=True))
    return shares / shares.sum(axis=-1, keepdims=True)


def hierarchical(rng, n, m=3):
    """Two classifiers with proportions, eta and rows of their own."""
    eta, mu = rng.random((2, n, 1, 1)), rng.dirichlet(np.ones(m), (2, n))
    omega = np.where(np.eye(m), eta, (1 - eta) / (m - 1))
    return mu[..., None] * dirichlet(rng, omega)


def paired_hierarchical(rng, n, m=3):
    """A row of pairs of predictions has the product of both priors."""
    eta, mu = rng.random((2, n, 1, 1)), rng.dirichlet(np.ones(m), n)
    a, b = np.where(np.eye(m), eta, (1 - eta) / (m - 1))
    shapes = (a[..., None] * b[..., None, :]).reshape(n, m, m * m)
    joint = (mu[..., None] * dirichlet(rng, shapes)).reshape(n, m, m, m)
    return joint.sum(axis=3), joint.sum(axis=2)


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
    ("model", "draw"),
    [(models.Hierarchical(), hierarchical), (models.PairedHierarchical(), paired_hierarchical)],
    ids=lambda value: str(value) if hasattr(value, "get_params") else "",
)
def test_every_metric_of_three_classes(model, draw, names):
    tables = draw(np.random.default_rng(1), N // 4)
    result = compare_predictions(
        *CLASSES[3], model=model, scoring=names, n_draws=5000, random_state=0
    )
    for name in names:
        a, b = (metrics.get_metric(name)(table, 1) for table in tables)
        factor = result.bayes_factor(ROPE, metric=name)
        assert_right(factor, result.metric(name).draws, a - b, ROPE)


@pytest.mark.parametrize("model", [models.Paired(), models.Unpaired(), models.PairedHierarchical()])
def test_swapped(model):
    y, a, b = CLASSES[2]
    options = {"model": model, "scoring": "f1", "random_state": 0}
    one = compare_predictions(y, a, b, **options).bayes_factor(ROPE)
    other = compare_predictions(y, b, a, **options).bayes_factor((-ROPE[1], -ROPE[0]))
    assert abs(one.log10 - other.log10) < 4 * np.hypot(one.log10_mcse, other.log10_mcse) + 1e-9


def test_chunks():
    posterior = make_posterior(
        ChunkCounts([80, 8, 3, 9, 4, 6, 10]), models.PairedChunks(), "exact", None, 20_000, 0
    )
    cells = np.random.default_rng(1).dirichlet(np.full(7, 0.5), N // 2).T
    both, only_a, only_b, neither, false_both, false_a, false_b = cells
    for name in ("f1", "f2"):
        metric = metrics.get_metric(name) if name != "f2" else metrics.fbeta(2.0)
        scores = []
        for hit, missed, alarm in ((only_a, only_b, false_a), (only_b, only_a, false_b)):
            tp, fn, fp = both + hit, neither + missed, false_both + alarm
            tables = np.array([[np.ones_like(tp), fp], [fn, tp]])
            scores.append(metric(np.moveaxis(tables, -1, 0), 1))
        a, b = posterior.draws(metric)
        factor = bayes_factor(posterior, metric, ROPE)
        assert_right(factor, a - b, scores[0] - scores[1], ROPE)


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


@pytest.mark.slow
def test_narrow_ropes_tell_their_error():
    y, a, b = CLASSES[2]
    result = compare_predictions(y, a, b, model=models.Paired(), scoring="accuracy", random_state=0)
    # P(|difference| < 0.0005) is 0.001 times the density 1.677: the prior has an error of 1%.
    factor = result.bayes_factor(0.0005)
    assert factor.log10_mcse * np.log(10) > 0.01
    hopeless = result.bayes_factor(1e-9)
    assert not hopeless.reliable
    assert "are inside the ROPE" in hopeless.reason


def test_priors_by_draws_alone():
    # With known proportions, and where the classes are not alike.
    y, a, b = CLASSES[2]
    rng = np.random.default_rng(2)
    plus, minus = rng.dirichlet(np.ones(4), (2, N))
    accuracy = 0.1 * (plus[:, 1] - plus[:, 2]) - 0.9 * (minus[:, 1] - minus[:, 2])
    result = compare_predictions(
        y, a, b, model=models.Paired(), prevalence=0.1, pos_label=1, random_state=0
    )
    assert_right(result.bayes_factor(0.05), result.draws, accuracy, (-0.05, 0.05))


def test_labels():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, (60, 3))
    a, b = (np.where(rng.random(y.shape) < 0.8, y, 1 - y) for _ in range(2))
    result = compare_predictions(
        y, a, b, scoring="f1_micro", model=models.IndependentLabels(), random_state=0
    )
    scores = []
    for mu, plus, minus in rng.random((2, 3, N, 3)):
        hits, said = mu * plus, mu * plus + (1 - mu) * minus
        scores.append(2 * hits.sum(axis=1) / (mu + said).sum(axis=1))
    factor = result.bayes_factor(0.05)
    assert_right(factor, result.draws, scores[0] - scores[1], (-0.05, 0.05))
