import numpy as np
import pytest
from sklearn.metrics import f1_score

from skbayeseval import metrics
from skbayeseval.evidence.unit_numbers import cell_influence, total_influence
from skbayeseval.metrics import get_metric
from skbayeseval.metrics.metric import Totals

TABLE = np.array([[30.0, 6.0, 2.0], [5.0, 20.0, 0.0], [1.0, 3.0, 12.0]])


@pytest.mark.parametrize(
    "name",
    [
        "accuracy",
        "f1_macro",
        "f1_weighted",
        "matthews_corrcoef",
        "balanced_accuracy",
        "cohen_kappa",
    ],
)
def test_one_more_instance_moves_the_metric_by_its_influence(name):
    metric = get_metric(name)
    large = 1e5 * TABLE
    influence = cell_influence(metric, large, 1)
    for cell in [(0, 0), (1, 0), (2, 1)]:
        more = large.copy()
        more[cell] += 1
        moved = float(metric(more) - metric(large)) * large.sum()
        assert moved == pytest.approx(influence[cell], abs=1e-4)


def test_true_negatives_that_are_not_counted():
    counted, not_counted = np.array([[50.0, 8.0], [6.0, 16.0]]), np.array([[np.nan, 8], [6, 16]])
    with_them, without = (
        cell_influence(get_metric("f1"), one, 1) for one in (counted, not_counted)
    )
    assert without[0, 0] == 0
    # The influence per chunk instead of per instance: both sum to the same change.
    np.testing.assert_allclose(without * 80 / 30, with_them, atol=1e-6)


def test_own_metrics_have_an_influence():
    cost = metrics.from_confusion(lambda t: -(t[..., 0, 1] + 5 * t[..., 1, 0]), "minus_cost")
    table = np.array([[50.0, 20.0], [10.0, 20.0]])
    influence = cell_influence(cost, table, 1)
    np.testing.assert_allclose(influence, [[0.7, -0.3], [-4.3, 0.7]], atol=1e-8)


def test_totals_of_labels():
    rng = np.random.default_rng(0)
    truth, said = rng.random((2, 400, 3)) < 0.4
    sums = Totals(*((one.sum(axis=0)) for one in (truth & said, truth, said)))
    slopes = total_influence(get_metric("f1_macro"), sums, 400)
    rows = (truth & said) @ slopes.hits + truth @ slopes.true + said @ slopes.predicted
    rows = rows - rows.mean()
    weights = np.ones(400)
    weights[7] += 1e-4
    moved = [
        f1_score(truth, said, average="macro", sample_weight=w) for w in (weights, np.ones(400))
    ]
    assert (moved[0] - moved[1]) / 1e-4 * 400 == pytest.approx(rows[7], abs=1e-3)


@pytest.mark.parametrize("name", ["f1_macro", "accuracy", "own"])
def test_many_classes_fit_in_memory(name):
    """Two thousand classes, most of whose cells are empty; tables of all pairs would be 128 TB."""
    n_classes = 2000 if name != "own" else 300
    metric = get_metric(name) if name != "own" else metrics.from_confusion(_own_accuracy, "own")
    table = np.zeros((n_classes, n_classes))
    table[np.arange(n_classes), np.arange(n_classes)] = 3
    table[0, 1] = 5
    influence = cell_influence(metric, table, 1)
    accuracy = np.trace(table) / table.sum()
    if name == "f1_macro":
        assert influence[0, 1] < 0 < influence[0, 0]
    else:
        assert influence[0, 1] == pytest.approx(-accuracy, abs=1e-6)
        assert influence[7, 7] == pytest.approx(1 - accuracy, abs=1e-6)


def _own_accuracy(tables):
    return np.trace(tables, axis1=-2, axis2=-1)


def test_a_class_of_one_instance_among_a_million():
    table = np.array([[1e6, 1.0], [1.0, 1.0]])
    influence = cell_influence(get_metric("f1"), table, 1)
    # F1 is 2 / 4; one more hit makes it 4 / 6, and the derivative at 2 / 4 is (2 - 2 x 0.5) / 4.
    assert influence[1, 1] / table.sum() == pytest.approx(0.25, rel=1e-4)
