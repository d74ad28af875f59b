"""Simulated test sets: what is assumed of them, what is decided, and how often it is right."""

import numpy as np
import pytest

from skbayeseval import compare_predictions, metrics, power_analysis
from skbayeseval.evidence import ConfusionCounts
from skbayeseval.evidence.validated_rows import cell_influence
from skbayeseval.judgement import Interval
from skbayeseval.models import Paired, Unpaired
from skbayeseval.planning.simulate import (
    SCALE,
    Question,
    evidence_of,
    linear_shapes,
    plausibility,
    populations_of,
    spread_of_instances,
    tables_of,
    truths,
    whole_counts,
)
from skbayeseval.posterior.posterior import Posterior
from skbayeseval.results.comparison import ComparisonResult

ACCURACY, F1 = metrics.get_metric("accuracy"), metrics.get_metric("f1")
CELLS = np.random.default_rng(0).dirichlet(np.ones(8), 30).reshape(-1, 2, 2, 2)
LIKE = ConfusionCounts(np.zeros((2, 2)), (0, 1))
ROPE = Interval(-0.5, 1.0)


def test_accuracy_has_a_cauchy_prior_given_the_disagreement():
    only_a = CELLS[:, 0, 0, 1] + CELLS[:, 1, 1, 0]
    only_b = CELLS[:, 0, 1, 0] + CELLS[:, 1, 0, 1]
    expected = 1 / (1 + ((only_a - only_b) / SCALE) ** 2 / (only_a + only_b))
    differences, found = plausibility([populations_of(one) for one in CELLS], ACCURACY, 1, 2)
    np.testing.assert_allclose(differences, only_a - only_b)
    np.testing.assert_allclose(found, expected / expected.sum(), rtol=1e-6)


def test_the_spread_of_instances_in_f1():
    """A positive found instead of missed is worth (2 - F1) / D, a false alarm less F1 / D."""
    table = np.array([[0.5, 0.1], [0.1, 0.3]])
    f1, size = 0.75, 0.8  # D = 2 TP + FP + FN
    influence = cell_influence(F1, table, 1)
    (found,) = spread_of_instances([populations_of(CELLS[0])], influence)
    negative, positive = (CELLS[0, k, 0, 1] + CELLS[0, k, 1, 0] for k in (0, 1))
    expected = np.sqrt(positive * (2 - f1) ** 2 + negative * f1**2) / size
    assert found == pytest.approx(expected, rel=1e-5)


def test_separate_tables_take_half_of_all_errors_for_disagreements():
    a, b = np.array([[0.5, 0.1], [0.1, 0.3]]), np.array([[0.4, 0.2], [0.0, 0.4]])
    (found,) = spread_of_instances([populations_of(a, b)], cell_influence(ACCURACY, a, 1))
    assert found == pytest.approx(np.sqrt((0.2 + 0.2) / 2))


def true_differences(result, seed, n):
    """Return the differences in accuracy of truths drawn from a posterior."""
    drawn = truths(result._posterior.exact(""), ACCURACY, np.random.default_rng(seed), n)
    tables = tables_of(drawn, 2)
    return np.trace(tables[:, 0] - tables[:, 1], axis1=1, axis2=2)


@pytest.mark.slow
def test_truths_are_shrunk_but_disagree_as_often():
    """The prior acts as 1 / SCALE^2 instances without a difference."""
    y, wrong = np.repeat([0, 1], 500), np.repeat([[1, 0, 0], [0, 1, 0]], [20, 30, 450], axis=1)
    wrong = np.tile(wrong, 2)
    result = compare_predictions(y, *np.where(wrong, 1 - y, y), random_state=0)
    difference = true_differences(result, 0, 3000)
    # The flat posterior has the mean 20 / 1008, of 1008 instances with its prior counts.
    shrunk = 20 / 1008 * 1008 / (1008 + 1 / SCALE**2)
    assert difference.mean() == pytest.approx(shrunk, abs=0.0015)
    assert result.draws.mean() == pytest.approx(20 / 1008, abs=0.0005)


def test_truths_are_spread_evenly():
    """The share of truths above a limit varies less than that of independent draws."""
    y = np.repeat([0, 1], 100)
    a, b = (np.where(np.arange(200) % k == 0, 1 - y, y) for k in (10, 9))
    result = compare_predictions(y, a, b, random_state=0)
    means = np.array([true_differences(result, seed, 100) for seed in range(20)])
    assert means.mean(axis=1).std() < 0.7 * means.std() / np.sqrt(100)


@pytest.mark.parametrize("model", ["paired", "hierarchical"])
def test_populations_of_many_classes_are_the_posterior(model):
    """On average each classifier's table is that of the counts, but for the prior."""
    labels = np.random.default_rng(3).integers(0, 3, (3, 150))
    posterior = compare_predictions(*labels, model=model, random_state=0)._posterior
    n_draws, tables = 200, np.zeros((2, 3, 3))
    for populations in posterior.specification.draw_populations(np.random.default_rng(0), n_draws):
        columns = [(p, k) for p in populations for k in range(p.predictions.shape[1])]
        for table, (population, k) in zip(tables, columns, strict=True):
            assert population.probability.sum() == pytest.approx(1)
            where = population.truth, population.predictions[:, k]
            np.add.at(table, where, population.probability / n_draws)
    for table, counts in zip(tables, posterior.counts, strict=True):
        np.testing.assert_allclose(table, counts.table / counts.total, atol=0.012)


def test_vectors_of_tiny_shapes_are_drawn():
    """Gamma variables of such shapes are all 0 now and then, and their shares NaN."""
    posterior = compare_predictions(*np.eye(3, 20, dtype=int), random_state=0)._posterior
    draws = posterior.specification.differences_of_shapes(
        np.full((3, 10), 0.01), metrics.get_metric("recall"), np.random.default_rng(0), 10_000
    )
    # One of four pairs of predictions takes nearly all: in one of them, A alone is right.
    assert (draws > 0.5).mean() == pytest.approx(0.25, abs=0.01)


class Doubtful(Unpaired):
    """Shapes that are not linear in the counts: more of them count less and less."""

    def _take_cells(self, cells, positive):
        super()._take_cells([np.sqrt(table) for table in cells], positive)


@pytest.mark.parametrize(("model", "linear"), [(Unpaired(), True), (Doubtful(), False)])
def test_shapes_that_are_not_linear_are_not_extrapolated(model, linear):
    a, b = np.array([[0.4, 0.1], [0.2, 0.3]]), np.array([[0.3, 0.2], [0.1, 0.4]])
    question = Question(model, F1, Interval(-0.05, 0.05), 0.95)
    shapes = linear_shapes(question, LIKE, populations_of(a, b), None)
    assert (shapes is not None) == linear


@pytest.mark.parametrize("model", [Paired(), Unpaired()])
def test_decisions_are_those_of_results(model):
    """On the same counts, wherever an HDI's end is clear of the edge of the ROPE."""
    rope, compared = Interval(-0.02, 0.02), 0
    rng = np.random.default_rng(0)
    question = Question(model, F1, rope, 0.95)
    populations = [populations_of(table) for table in CELLS]
    data = [evidence_of(LIKE, p, [rng.multinomial(400, p[0].probability)]) for p in populations]
    for code, one in zip(question.codes(data, rng), data, strict=True):
        posterior = Posterior(model, one, entropy=0, n_draws=20_000)
        result = ComparisonResult(posterior, ("A", "B"), {"f1": F1})
        decision = result.decision(rope)
        distance = np.abs(np.subtract.outer(decision.hdi, rope)).min()
        leaning = abs(decision.probabilities.better - decision.probabilities.worse) > 0.1
        if distance > 0.3 * result.draws.std() and leaning:
            compared += 1
            assert code == decision.code
    assert compared > 15


def test_power_is_the_frequency_of_what_results_decide():
    """Simulated by NumPy, and decided by `compare_predictions` on whole vectors of labels."""
    cells = np.array([[[0.35, 0.05], [0.08, 0.07]], [[0.05, 0.04], [0.11, 0.25]]])
    rng = np.random.default_rng(0)
    outcomes = np.indices((2, 2, 2)).reshape(3, -1).T
    codes = []
    for _ in range(150):
        y, a, b = outcomes[rng.choice(8, 600, p=cells.ravel())].T
        options = {"scoring": "f1", "labels": [0, 1], "n_draws": 4000, "random_state": rng}
        codes.append(compare_predictions(y, a, b, **options).decision(0.03).code)
    for goal in (">>", ("<", ">")):
        options = {"rope": 0.03, "goal": goal, "n_replications": 400, "random_state": 0}
        table = power_analysis(cells, 600, **options).table
        frequency = np.isin(codes, goal).mean()
        error = np.hypot(table["mcse"][0], np.sqrt(frequency * (1 - frequency) / 150))
        assert 0.1 < frequency < 0.9
        assert table["power"][0] == pytest.approx(frequency, abs=4 * error)


def test_weighted_counts_are_whole_and_right_on_average():
    rng = np.random.default_rng(0)
    populations = populations_of(np.array([[0.2, 0.3], [0.1, 0.4]]), np.full((2, 2), 0.25))
    like = LIKE.with_weight(0.3688)
    tables = []
    for _ in range(400):
        counts = whole_counts(np.array([2, 3, 1, 4]), like.weight, rng)
        tables.append(evidence_of(like, populations, [counts] * 2).margins()[0].effective)
    np.testing.assert_allclose(np.mean(tables, axis=0), [[2, 3], [1, 4]], atol=0.05)
