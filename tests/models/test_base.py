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
from skbayeseval.models.base import Model

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
        self.counts, self.positive = evidence.cube() * evidence.weight, evidence.positive

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
        self.positive = evidence.margins()[0].positive

    def stream(self, metric, rng, number, *, prior=False):
        scores = []
        for table in self.tables:
            shapes = 1.0 + (not prior) * table
            drawn = rng.dirichlet(shapes.ravel(), number).reshape(-1, *table.shape)
            scores.append(metric(drawn, self.positive_index))
        yield np.stack(scores)


@pytest.fixture(scope="module")
def result():
    return compare_predictions(Y, A, B, model=JointCells(), random_state=0)


def odds(differences):
    inside = np.mean(np.abs(differences) <= ROPE)
    return inside / (1 - inside)


def brute_force(tables, prior, marginal):
    """Return the Bayes factor of accuracy by counting many draws of prior and posterior."""
    rng, found = np.random.default_rng(1), []
    for shapes in ([prior + 0 * t for t in tables], [prior + t for t in tables]):
        drawn = [rng.dirichlet(s.ravel(), 200_000).reshape(-1, *s.shape) for s in shapes]
        right = [np.trace(d, axis1=1, axis2=2) for d in marginal(drawn)]
        found.append(odds(right[0] - right[1]))
    return found[1] / found[0]


def test_interval_bayes_factor_of_a_paired_model(result):
    cube = np.zeros((2, 2, 2))
    np.add.at(cube, (Y, A, B), 1)
    prior = np.where(np.eye(2), 4.0, 0.5)
    exact = brute_force([cube], prior, lambda d: (d[0].sum(axis=3), d[0].sum(axis=2)))
    found = result.bayes_factor(rope=ROPE)
    assert found.reliable
    assert np.log10(found.value) == pytest.approx(np.log10(exact), abs=0.03)


def test_interval_bayes_factor_of_a_model_without_pairs():
    tables = [np.zeros((2, 2)), np.zeros((2, 2))]
    for table, said in zip(tables, (A, B), strict=True):
        np.add.at(table, (Y, said), 1)
    separate = compare_predictions(Y, A, B, model=SeparateCells(), random_state=0)
    exact = brute_force(tables, 1.0, lambda d: d)
    found = separate.bayes_factor(rope=ROPE).value
    assert np.log10(found) == pytest.approx(np.log10(exact), abs=0.03)


def test_planning_says_what_it_cannot_simulate(result):
    for plan in (
        lambda: result.required_sample_size(ROPE, n_replications=50),
        lambda: power_analysis(result, [100], rope=ROPE, n_replications=50),
    ):
        with pytest.raises(ValueError, match="simulated from JointCells, which is not a model of"):
            plan()
    power = power_analysis((0.9, 0.8), [400], rope=ROPE, model=JointCells(), n_replications=50)
    assert power.table["power"][0] > 0.5  # test sets of a known truth are analysed by any model


def test_more_classifiers_than_the_model_has():
    with pytest.raises(ValueError, match=r"JointCells must give draws of shape .* 3 classifiers"):
        str(compare_many(Y, {"a": A, "b": B, "c": Y}, model=JointCells()))


def test_pairs_that_are_not_known():
    for compare in (
        lambda: compare_counts((90, 5, 5, 90), (80, 5, 5, 90), model=JointCells()),
        lambda: score_posterior(Y, A, model=JointCells()),
    ):
        with pytest.raises(ValueError, match="model='joint cells' requires the predictions of"):
            compare()


def test_what_is_not_there_is_said(result, tmp_path):
    with pytest.raises(TypeError, match="JointCells is a model of your own, which a file cannot"):
        result.save(tmp_path / "own.npz")
    assert not list(tmp_path.iterdir())
    with pytest.raises(ValueError, match="JointCells has no parameters for PyMC"):
        result.pymc_model()
    with pytest.raises(ValueError, match=r"a model of your own without with_prevalence\(\)"):
        compare_predictions(Y, A, B, model=JointCells(), prevalence=0.1, pos_label=1)
