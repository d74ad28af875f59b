"""How many units a metric rests on."""

import numpy as np
import pytest

from skbayeseval.evidence.instance_scores import ScoredInstances
from skbayeseval.evidence.unit_numbers import UnitNumbers, count_units, over_classes
from skbayeseval.evidence.units import UnitCounts
from skbayeseval.metrics import get_metric


def numbers_of(evidence, scoring):
    return evidence.unit_numbers(get_metric(scoring))


@pytest.mark.parametrize("size", [1.0, 7.0])
def test_equal_units_count_one_each(size):
    found = count_units(np.full(6, size), np.ones(6), 1.0, "groups")
    assert found == UnitNumbers("groups", 6, pytest.approx(6), 6 * size, 6)


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
    counts = UnitCounts.from_labels(y, {"a": y, "b": 1 - y}, groups, pos_label=1)
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
