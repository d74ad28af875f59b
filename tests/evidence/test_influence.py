import numpy as np
import pytest
from sklearn.metrics import f1_score

from skbayeseval import metrics
from skbayeseval.evidence.influence import cell_influence, total_influence
from skbayeseval.metrics import get_metric
from skbayeseval.metrics.confusion import Totals

TABLE = np.array([[30.0, 6.0, 2.0], [5.0, 20.0, 0.0], [1.0, 3.0, 12.0]])


def test_accuracy_is_right_or_wrong():
    influence = cell_influence(get_metric("accuracy"), TABLE, 1)
    accuracy = np.trace(TABLE) / TABLE.sum()
    np.testing.assert_allclose(influence, np.eye(3) - accuracy, atol=1e-9)


def test_f1_is_the_derivative_of_its_ratio():
    table = np.array([[50.0, 8.0], [6.0, 16.0]])
    influence = cell_influence(get_metric("f1"), table, 1)
    n, f1 = table.sum(), 2 * 16 / (2 * 16 + 8 + 6)
    size = (2 * 16 + 8 + 6) / n
    expected = np.array([[0.0, -f1], [-f1, 2 - 2 * f1]]) / size
    np.testing.assert_allclose(influence, expected, atol=1e-7)


@pytest.mark.parametrize(
    "name", ["f1_macro", "f1_weighted", "matthews_corrcoef", "balanced_accuracy", "cohen_kappa"]
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


@pytest.mark.parametrize("name", ["f1_macro", "accuracy", "matthews_corrcoef"])
def test_all_instances_together_move_nothing(name):
    influence = cell_influence(get_metric(name), TABLE, 1)
    assert (TABLE * influence).sum() == pytest.approx(0, abs=1e-7)


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
