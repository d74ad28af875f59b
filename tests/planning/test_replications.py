import numpy as np
import pytest

from skbayeseval import compare_predictions
from skbayeseval.judgement import Interval
from skbayeseval.metrics.registry import get_metric
from skbayeseval.models import Unpaired
from skbayeseval.planning.simulate import LinearShapes, Question, Setting
from skbayeseval.planning.truths import populations_of

RNG = np.random.default_rng(3)
BINARY = [RNG.integers(0, 2, (3, 200)) for _ in range(3)]
MANY = [RNG.integers(0, 3, (3, 150)) for _ in range(2)]


def posteriors(data, model, **options):
    return [
        compare_predictions(*vectors, model=model, random_state=0, **options)._posterior
        for vectors in data
    ]


@pytest.mark.parametrize("model", ["paired", "hierarchical"])
def test_populations_of_many_classes_are_the_posterior(model):
    check_populations(posteriors(MANY[:1], model)[0], 0.012)


def check_populations(posterior, within):
    """On average each classifier's table is that of the counts, but for the prior."""
    rng = np.random.default_rng(0)
    n_draws, m = 400, len(posterior.counts[0].labels)
    tables = np.zeros((2, m, m))
    for populations in posterior.specification.draw_populations(rng, n_draws):
        columns = [(p, k) for p in populations for k in range(p.predictions.shape[1])]
        for table, (population, k) in zip(tables, columns, strict=True):
            assert population.probability.sum() == pytest.approx(1)
            where = population.truth, population.predictions[:, k]
            np.add.at(table, where, population.probability / n_draws)
    for table, counts in zip(tables, posterior.counts, strict=True):
        np.testing.assert_allclose(table, counts.table / counts.total, atol=within)


def test_vectors_of_tiny_shapes_are_drawn():
    """Gamma variables of such shapes are all 0 now and then, and their shares NaN."""
    (posterior,) = posteriors(BINARY[:1], "paired")
    draws = posterior.specification.differences_of_shapes(
        np.full((3, 10), 0.01), get_metric("recall"), np.random.default_rng(0), 30_000
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
    question = Question(model, get_metric("f1"), Interval(-0.05, 0.05), 0.95)
    shapes = LinearShapes.of(question, Setting((0, 1), 1), populations_of(a, b), None)
    assert (shapes is not None) == linear
