"""How many units a metric rests on, and the influence of one of them on it."""

import numpy as np
import pytest
from sklearn.metrics import f1_score

from skbayeseval import metrics
from skbayeseval.evidence.instance_scores import ScoredInstances
from skbayeseval.evidence.unit_numbers import (
    UnitNumbers,
    cell_influence,
    count_units,
    over_classes,
    total_influence,
)
from skbayeseval.evidence.units import UnitCounts, count_codes
from skbayeseval.metrics import get_metric
from skbayeseval.metrics.metric import Totals

TABLE = np.array([[30.0, 6.0, 2.0], [5.0, 20.0, 0.0], [1.0, 3.0, 12.0]])


def numbers_of(evidence, scoring):
    return evidence.unit_numbers(get_metric(scoring))


def test_a_large_unit_beside_small_ones_is_worth_few():
    found = count_units(np.array([1000.0, 1, 1, 1]), np.ones(4), 1.0, "groups")
    assert found.number == 4
    assert found.effective == pytest.approx(1.006, abs=1e-4)


def test_one_scarce_class_decides_over_an_average():
    scarce, common = (count_units(np.ones(k), np.ones(k), 1.0, "x") for k in (4, 10_000))
    assert over_classes([scarce, common], "x").effective == pytest.approx(4, abs=0.01)
    # Classes with equally many units are independent sources.
    assert over_classes([scarce, scarce], "x").effective - 1 == pytest.approx(2 * 3)
    assert over_classes([scarce], "x") == scarce
    assert over_classes([scarce, count_units(np.zeros(3), np.ones(3), 1.0, "x")], "x") == scarce


def test_groups_of_classes():
    y, groups = np.array([0, 0, 1, 0, 0, 1, 1, 0]), np.array([0, 0, 0, 0, 1, 1, 2, 3])
    counts = count_codes(y, np.stack([y, 1 - y], axis=1), (0, 1), groups=groups, pos_label=1)
    assert numbers_of(counts, "accuracy") == UnitNumbers(
        "groups", 4, pytest.approx(64 / 22), 8, pytest.approx(4)
    )
    assert numbers_of(counts, "f1") == UnitNumbers("groups", 3, pytest.approx(3), 3, 3)
    assert numbers_of(counts, "specificity").number == 3
    half = counts.with_weight(0.5)
    assert numbers_of(half, "f1") == UnitNumbers("groups", 3, pytest.approx(3), 1.5, 1.5)


def test_areas_rest_on_the_scarcer_class():
    y, score = np.array([1, 1, 0, 0, 0, 0]), np.arange(6.0)
    scored = ScoredInstances.from_scores(y, {"a": score})
    assert numbers_of(scored, "roc_auc") == UnitNumbers("positives", 2, 2, 2, 2)
    assert numbers_of(scored, "neg_brier_score").number == 6
    turned = ScoredInstances.from_scores(1 - y, {"a": score})
    assert numbers_of(turned, "average_precision")[:2] == ("negatives", 2)
    grouped = ScoredInstances.from_scores(y, {"a": score}, groups=[0, 1, 0, 0, 1, 1])
    assert numbers_of(grouped, "roc_auc")[:2] == ("groups with positives", 2)


def test_an_instance_tested_three_times_is_one_unit():
    y = np.tile([1, 1, 1, 0, 0, 0, 0], 3)
    scored = ScoredInstances.from_scores(
        y,
        {"a": np.arange(21.0)},
        weight=1 / 3,
        instances=np.tile(np.arange(7), 3),
        run=np.repeat([0, 1, 2], 7),
    )
    assert numbers_of(scored, "roc_auc") == UnitNumbers(
        "positives", 3, pytest.approx(3), pytest.approx(3), pytest.approx(3)
    )


def test_labels():
    y = np.array([[1, 0], [1, 1], [0, 1], [0, 0]])
    counts = UnitCounts.from_indicators(y, {"a": y})
    found = numbers_of(counts, "f1_micro")
    assert (found.what, found.number, found.instances) == ("instances", 3, 4)
    assert found.effective == pytest.approx(16 / 6)
    assert numbers_of(counts, "f1_macro").effective == pytest.approx(3)


@pytest.mark.parametrize(
    "name",
    [
        "accuracy",
        "f1_macro",
        "f1_weighted",
        "matthews_corrcoef",
        "balanced_accuracy",
        "cohen_kappa",
        "own",
    ],
)
def test_one_more_instance_moves_the_metric_by_its_influence(name):
    metric = metrics.from_confusion(_f1, "own") if name == "own" else get_metric(name)
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


def _f1(tables):
    return 2 * tables[..., 1, 1] / (tables[..., 1, :] + tables[..., :, 1]).sum(axis=-1)


def test_a_class_of_one_instance_among_a_million():
    table = np.array([[1e6, 1.0], [1.0, 1.0]])
    influence = cell_influence(get_metric("f1"), table, 1)
    # F1 is 2 / 4; one more hit makes it 4 / 6, and the derivative at 2 / 4 is (2 - 2 x 0.5) / 4.
    assert influence[1, 1] / table.sum() == pytest.approx(0.25, rel=1e-4)


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
