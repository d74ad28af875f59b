"""Models as users may write them: a class with a prior, given counts, and draws of a metric."""

import numpy as np
import pytest

from skbayeseval import (
    compare_counts,
    compare_many,
    compare_predictions,
    power_analysis,
    score_posterior,
)
from skbayeseval.metrics import get_metric
from skbayeseval.models.base import Model
from skbayeseval.models.gammas import Simplex
from skbayeseval.models.vectors import Vectors

RNG = np.random.default_rng(0)
Y = RNG.integers(0, 2, 100)
A = np.where(RNG.random(100) < 0.9, Y, 1 - Y)
B = np.where(RNG.random(100) < 0.1, 1 - A, A)
ROPE = 0.05


class JointCells(Model):
    """A Dirichlet distribution over the cells of (truth, A, B), in most of which A and B agree."""

    name = "joint cells"
    needs_pairs = True

    def __init__(self, agree=4.0, disagree=0.5):
        self.agree = agree
        self.disagree = disagree

    def _observe(self, evidence):
        self.counts = evidence.cube() * evidence.weight

    def stream(self, metric, rng, number, *, prior=False):
        shapes = np.where(np.eye(2), self.agree, self.disagree) + (not prior) * self.counts
        for start in range(0, number, 20_000):
            size = min(20_000, number - start)
            joint = rng.dirichlet(shapes.ravel(), size).reshape(-1, *shapes.shape)
            tables = joint.sum(axis=3), joint.sum(axis=2)
            yield np.stack([metric(table, self.positive_index) for table in tables])


class SeparateCells(Model):
    """A Dirichlet distribution over the cells of each classifier; all draws are in one block."""

    name = "separate cells"

    def _observe(self, evidence):
        self.tables = [margin.effective for margin in evidence.margins()]

    def stream(self, metric, rng, number, *, prior=False):
        scores = []
        for table in self.tables:
            shapes = 1.0 + (not prior) * table
            drawn = rng.dirichlet(shapes.ravel(), number).reshape(-1, *table.shape)
            scores.append(metric(drawn, self.positive_index))
        yield np.stack(scores)


class EightCells(Vectors):
    """A Dirichlet distribution over the cells of (truth, A, B), as vectors of the package."""

    name = "eight cells"
    needs_pairs = True
    most_classifiers = 2

    def __init__(self, alpha=1.0):
        self.alpha = alpha

    def _observe(self, evidence):
        counts = (evidence.cube() * evidence.weight).ravel()
        self.simplexes = (Simplex("pi", np.full(8, self.alpha), counts),)

    def joint(self, draws):
        return np.moveaxis(draws["pi"].reshape(2, 2, 2, -1), -1, 0)

    def tables(self, draws):
        joint = self.joint(draws)
        return np.stack([joint.sum(axis=3), joint.sum(axis=2)], axis=1)


class Unpaired(JointCells):
    """The same model, which does not say that it needs pairs."""

    needs_pairs = False


@pytest.fixture(scope="module")
def result():
    return compare_predictions(Y, A, B, model=JointCells(), random_state=0)


def log10_factor(tables, metric):
    """Return the Bayes factor of a metric under flat priors, by counting many draws.

    `tables` are one of (truth, A, B), or one of A and one of B.
    """
    rng, found = np.random.default_rng(1), []
    for counted in (0, 1):
        drawn = [
            rng.dirichlet(1 + counted * t.ravel(), 200_000).reshape(-1, *t.shape) for t in tables
        ]
        a, b = drawn if len(drawn) == 2 else (drawn[0].sum(axis=3), drawn[0].sum(axis=2))
        inside = np.mean(np.abs(get_metric(metric)(a, 1) - get_metric(metric)(b, 1)) <= ROPE)
        found.append(inside / (1 - inside))
    return np.log10(found[1] / found[0])


@pytest.mark.parametrize(
    ("model", "metric"),
    [
        (Unpaired(agree=1.0, disagree=1.0), "accuracy"),
        (EightCells(), "precision"),
        (SeparateCells(), "precision"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_interval_bayes_factors(model, metric):
    joint = np.zeros((2, 2, 2))
    np.add.at(joint, (Y, A, B), 1)
    separate = isinstance(model, SeparateCells)
    tables = [joint.sum(axis=2), joint.sum(axis=1)] if separate else [joint]
    options = {"scoring": metric, "model": model, "random_state": 0}
    result, swapped = (compare_predictions(Y, *ab, **options) for ab in ((A, B), (B, A)))
    found = result.bayes_factor(rope=ROPE)
    assert found.reliable
    assert found.log10 == pytest.approx(log10_factor(tables, metric), abs=0.03)
    assert swapped.bayes_factor(rope=ROPE).log10 == pytest.approx(found.log10, abs=0.03)
    # Nothing is known of the prior density at 0, and nothing is claimed.
    with pytest.raises(ValueError, match="bayes_factor requires rope=.* is unknown"):
        result.bayes_factor()


@pytest.mark.parametrize("model", [JointCells(), EightCells()])
def test_results_of_a_model(model):
    result = compare_predictions(Y, A, B, model=model, random_state=0)
    assert result.observed_a == pytest.approx(np.mean(Y == A))
    swapped = compare_predictions(Y, B, A, model=model, random_state=1)
    assert result.draws.mean() == pytest.approx(-swapped.draws.mean(), abs=0.002)
    subgroups = result.by(np.arange(100) % 2)
    alone = compare_predictions(Y[::2], A[::2], B[::2], model=model, random_state=2)
    assert subgroups.table["observed_a"].iloc[0] == pytest.approx(alone.observed_a)


def test_planning_and_arviz_with_vectors():
    result = compare_predictions(Y, A, B, model=EightCells(), random_state=0)
    assert result.to_arviz().posterior["pi"].shape == (1, result.n_draws, 8)
    size = result.required_sample_size(0.1, n_replications=50, largest=2000)
    assert size.n_now == 100
    # The draws are those of Dirichlet(1) over eight cells.
    drawn = result._posterior.specification.draw_populations(np.random.default_rng(0), 2000)
    mean = np.mean([population.probability for (population,) in drawn], axis=0)
    joint = np.ones((2, 2, 2))
    np.add.at(joint, (Y, A, B), 1)
    np.testing.assert_allclose(mean, joint.ravel() / 108, atol=0.005)


def test_planning_says_what_it_cannot_simulate(result):
    for plan in (
        lambda: result.required_sample_size(ROPE, n_replications=50),
        lambda: power_analysis(result, [100], rope=ROPE, n_replications=50),
    ):
        with pytest.raises(TypeError, match="simulated from JointCells, which has no draw_popul"):
            plan()
    power = power_analysis((0.9, 0.8), [400], rope=ROPE, model=JointCells(), n_replications=50)
    assert power.table["power"][0] > 0.5  # test sets of a known truth are analysed by any model


def test_classifiers_that_the_model_does_not_take():
    for model in (JointCells(), EightCells()):
        with pytest.raises(ValueError, match=r"Cells\(\) requires two classifiers, but .* 3"):
            compare_many(Y, {"a": A, "b": B, "c": Y}, model=model)
    with pytest.raises(ValueError, match=r"JointCells\(\) requires two classifiers, but .* 1"):
        score_posterior(Y, A, model=JointCells())
    with pytest.raises(ValueError, match="model='joint cells' requires the predictions of"):
        compare_counts((90, 5, 5, 90), (80, 5, 5, 90), model=JointCells())


def test_what_is_not_there_is_said(result, tmp_path):
    with pytest.raises(TypeError, match="JointCells is a model of your own, which a file cannot"):
        result.save(tmp_path / "own.npz")
    assert not list(tmp_path.iterdir())
    with pytest.raises(ValueError, match="JointCells has no parameters for PyMC"):
        result.pymc_model()
    with pytest.raises(ValueError, match="does not declare has_class_proportions=True"):
        compare_predictions(Y, A, B, model=JointCells(), prevalence=0.1, pos_label=1)


class Careless(JointCells):
    """Half as many draws as asked for."""

    def stream(self, metric, rng, number, *, prior=False):
        return super().stream(metric, rng, number // 2, prior=prior)


class Hasty(JointCells):
    """Classifiers on the axis where several metrics belong."""

    draws_metrics_together = True


def test_draws_that_a_model_must_give():
    with pytest.raises(ValueError, match="Careless must give 20000 draws, got 10000"):
        str(compare_predictions(Y, A, B, model=Careless()))
    metrics = ["f1", "accuracy", "precision"]
    with pytest.raises(ValueError, match=r"Hasty must give draws of shape \(3, 2\) \+ \(n,\)"):
        str(compare_predictions(Y, A, B, scoring=metrics, model=Hasty()))


def test_shared_vectors_declare_how_they_are_mirrored():
    class Declared(EightCells):
        swapped_entries = {"pi": [0, 2, 1, 3, 4, 6, 5, 7]}  # noqa: RUF012

    options = {"random_state": 0, "n_draws": 100}
    pairs = compare_many(Y, {"a": A, "b": B}, model=EightCells(), **options).pairs
    assert "pi" in pairs[0, 1].to_arviz().posterior
    with pytest.raises(ValueError, match=r"EightCells must declare swapped_entries\['pi'\]"):
        pairs[1, 0].to_arviz()
    pairs = compare_many(Y, {"a": A, "b": B}, model=Declared(), **options).pairs
    there, back = (pairs[pair].to_arviz().posterior["pi"].values for pair in ((0, 1), (1, 0)))
    there, back = (pi.reshape(100, 2, 2, 2) for pi in (there, back))
    np.testing.assert_array_equal(there, back.swapaxes(2, 3))
