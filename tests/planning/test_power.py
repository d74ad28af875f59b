import numpy as np
import pandas as pd
import pytest
from joblib import parallel_config
from scipy.stats import norm

from skbayeseval import PowerAnalysis, compare_counts, compare_predictions, power_analysis
from skbayeseval.judgement import Interval
from skbayeseval.judgement.decision import SETTLED
from skbayeseval.planning import simulate
from skbayeseval.planning.power import _cells_of_accuracies

SCENARIO = {"mu": 0.5, "theta+": [0.3, 0.3, 0.2, 0.2], "theta-": [0.2, 0.2, 0.3, 0.3]}
JOINT = np.array([[[0.15, 0.15], [0.10, 0.10]], [[0.10, 0.10], [0.15, 0.15]]])
QUICK = {"rope": 0.05, "goal": ">>", "n_replications": 60, "random_state": 0}


@pytest.fixture(autouse=True)
def _few_draws(monkeypatch):
    monkeypatch.setattr(simulate, "LAST_NUMBER", 500)


def test_table_and_words():
    found = power_analysis(SCENARIO, [100, 4000], model=["paired", "unpaired"], **QUICK)
    assert list(found.table) == ["size", "model", "power", "mcse", "low", "high"]
    assert found.table["size"].tolist() == [100, 100, 4000, 4000]
    assert found.table["model"].tolist() == ["paired", "unpaired"] * 2
    small, large = found.table["power"][0], found.table["power"][2]
    assert small < 0.3 < 0.9 < large
    assert ((found.table["low"] <= found.table["power"]) & (found.table["mcse"] < 0.07)).all()
    assert "A ≫ B (f1, ROPE [-0.050, +0.050])" in str(found)
    assert "4,000 is the first of these sizes to reach 80% (paired) (95% Monte" in str(found)
    assert "goal=('>>',)" in repr(found)
    assert "None of these" in str(power_analysis(SCENARIO, 100, **QUICK))


@pytest.mark.slow
def test_goals_that_exclude_each_other_add_up_to_one():
    goals = (">>", "<<", "~", ["<", ">", "?"])
    options = QUICK | {"n_replications": 400, "rope": 0.1}
    found = [power_analysis(SCENARIO, [1, 200, 4000], **options | {"goal": one}) for one in goals]
    assert sum(one.table["power"] for one in found).to_numpy() == pytest.approx(1, abs=0.03)
    assert found[3].table["power"].iloc[1] > 0.5
    for one in found[:3]:
        assert 'or none: goal=["<", ">", "?"]' in str(one)
        assert 'or none: goal=["' in one._repr_html_().replace("&quot;", '"').replace("&lt;", "<")
    assert "Probability of no settled decision" in str(found[3])
    for goal in (["<", ">", "?"], ["~", "<<", ">>"]):
        assert "or none" not in str(power_analysis(SCENARIO, 100, **QUICK | {"goal": goal}))


def test_the_paper_s_scenario_is_the_joint_table():
    by_name, by_array = (power_analysis(cells, 500, **QUICK).table for cells in (SCENARIO, JOINT))
    pd.testing.assert_frame_equal(by_name, by_array)
    with pytest.raises(TypeError, match="takes a truth, or two accuracies, and then the sizes"):
        power_analysis(SCENARIO, 100, sizes=100, rope=0.01)


def test_swapping_a_and_b_swaps_the_goal():
    swapped, options = JOINT.transpose(0, 2, 1), QUICK | {"n_replications": 200}
    better, worse, none = (
        power_analysis(cells, 1000, **options | {"goal": goal}).table["power"][0]
        for cells, goal in ((JOINT, ">>"), (swapped, "<<"), (swapped, ">>"))
    )
    assert worse == pytest.approx(better, abs=0.15)
    assert none == 0


def test_n_jobs_changes_nothing():
    options = QUICK | {"n_replications": 130}
    with parallel_config(backend="threading"):
        one, two = (power_analysis(SCENARIO, [100, 200], n_jobs=n, **options) for n in (1, 2))
    pd.testing.assert_frame_equal(one.table, two.table)


def test_tables_of_each_alone():
    pair = JOINT.sum(axis=2), JOINT.sum(axis=1)
    found = power_analysis(pair, 4000, model=["unpaired", "bcv"], **QUICK)
    assert (found.table["power"] > 0.85).all()
    with pytest.raises(ValueError, match="model='paired' requires the predictions"):
        power_analysis(pair, 4000, **QUICK)


def test_more_classes():
    cells = np.full((3, 3, 3), 0.1 / 27)
    cells[[0, 1, 2], [0, 1, 2], [0, 1, 2]] += 0.6 / 3
    cells[[0, 1, 2], [0, 1, 2], [1, 2, 0]] += 0.3 / 3
    options = QUICK | {"n_replications": 20, "scoring": "f1_macro"}
    found = power_analysis(cells, [200], model=["paired", "hierarchical"], **options)
    assert (found.table["power"] == 1).all()


def test_pilot():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 1000)
    a, b = (np.where(rng.random(1000) < p, y, 1 - y) for p in (0.9, 0.7))
    options = {"names": ("new", "old"), "random_state": 0}
    counts = compare_counts((40, 10, 12), (35, 10, 17), **options)
    for pilot, model, sizes in (
        (compare_predictions(y, a, b, model="paired", **options), "paired", [30, 1000]),
        (compare_predictions(y, a, b, model="unpaired", **options), "paired", [30, 1000]),
        (counts, "bcv", [300, 10_000]),
    ):
        found = power_analysis(pilot, sizes, model=model, **QUICK | {"goal": SETTLED})
        assert (found.names, found.metric) == (("new", "old"), pilot.metrics[0])
        small, large = found.table["power"]
        assert small < 0.4 < 0.8 < large


@pytest.mark.parametrize(
    ("truth", "changes", "match"),
    [
        *((SCENARIO, {"goal": goal}, "goal must be one or several") for goal in ("≫", 3, ())),
        *((SCENARIO, {"sizes": sizes}, "sizes must be") for sizes in ([0], [0.5])),
        (SCENARIO, {"rope": -1}, "rope"),
        (SCENARIO, {"scoring": ["f1", "recall"]}, "one metric"),
        (SCENARIO, {"model": "nothing"}, "is not a known model"),
        (SCENARIO, {"n_replications": 0}, "n_replications"),
        ({"mu": 0.5}, {}, "keys 'mu', 'theta\\+'"),
        (SCENARIO | {"mu": 2}, {}, "mu"),
        (SCENARIO | {"theta+": [1, 0]}, {}, "four probabilities"),
        (JOINT * 3, {}, "sum to 1"),
        (-JOINT, {}, "must not be negative"),
        *((truth, {}, "cells_or_result must be two accur") for truth in (JOINT[0], "cells", 3)),
        (np.full((3, 3, 3), 1 / 27), {}, "multiclass"),
        ((0.9, 0.8), {"disagreement": 0.05}, "at least 0.1 and at most 0.3 of"),
        ((0.9, 0.8), {"disagreement": 0.31}, "disagreement=0.31 is not possible"),
        ((90, 91), {}, "between 0 and 1"),
        (SCENARIO, {"disagreement": 0.1}, "requires two accuracies"),
    ],
)
def test_bad_arguments(truth, changes, match):
    with pytest.raises(ValueError, match=match):
        power_analysis(truth, **QUICK | {"sizes": [100]} | changes)


@pytest.mark.parametrize(("a", "b", "disagreement"), [(0.9, 0.91, 0.05), (0.3, 0.2, 0.1)])
def test_two_accuracies_mean_these_cells(a, b, disagreement):
    cells = _cells_of_accuracies(a, b, disagreement)
    assert cells.sum() == pytest.approx(1)
    right = np.array([[cells[k, k].sum(), cells[k, :, k].sum()] for k in (0, 1)])
    np.testing.assert_allclose(right.sum(axis=0), [a, b])
    np.testing.assert_allclose(right, right[::-1])  # both classes are alike
    assert cells[:, 0, 1].sum() + cells[:, 1, 0].sum() == pytest.approx(disagreement)


@pytest.mark.slow
def test_labels_that_two_accuracies_take():
    """With a normal difference, (1.96 + 0.84)^2 (0.05 - 0.02^2) / 0.015^2 = 1,731 labels."""
    options = {"disagreement": 0.05, "rope": 0.005, "random_state": 0, "n_replications": 400}
    found = power_analysis(0.90, 0.92, **options)
    assert found.required["paired"] == pytest.approx(1731, rel=0.15)
    assert "5% of the instances." in str(found)
    options["sizes"] = found.table["size"].to_list()
    assert power_analysis((0.90, 0.92), **options).table.equals(found.table)
    assert power_analysis(0.90, 0.92, options.pop("sizes"), **options).table.equals(found.table)


def a_plan(successes, n, sizes=(500, 990, 1500, 2100, 3300, 5000)):
    """Return a power analysis in which so many of n test sets of each size reached the goal."""
    power = np.asarray(successes) / n
    table = pd.DataFrame({"size": sizes, "model": "paired", "power": power, "low": 0, "high": 1})
    return PowerAnalysis(table, (">>",), Interval(-0.01, 0.01), "accuracy", ("A", "B"), n)


@pytest.mark.slow
def test_monte_carlo_interval_of_the_required_number():
    """It contains the size at which a normal power curve reaches 80%, in 95% of the cases."""
    rng, sizes = np.random.default_rng(0), np.array([500, 990, 1500, 2100, 3300, 5000])
    powers = norm.cdf((1.96 + norm.ppf(0.8)) * np.sqrt(sizes / 1650) - 1.96)
    intervals = [a_plan(rng.binomial(200, powers), 200).intervals["paired"] for _ in range(60)]
    inside = [low <= 1650 <= high for low, high in intervals]
    assert 0.88 <= np.mean(inside) <= 1
    assert 0.1 < np.mean([high / low - 1 for low, high in intervals]) < 0.4


def test_the_monte_carlo_interval_is_told():
    found = a_plan([70, 120, 156, 180, 198, 200], 200)
    low, high = found.intervals["paired"]
    assert low < found.required["paired"] < high
    said = f"{round(low, -2):,.0f} to {round(high, -2):,.0f}"
    assert f"reach 80% (95% Monte Carlo interval: {said})." in str(found)
    near = a_plan([70, 100, 120, 140, 150, 164], 200)
    assert "to more than 5,000)." in str(near)
    assert near.intervals["paired"].high == np.inf
    assert "None of these" in str(a_plan([70, 100, 120, 140, 150, 155], 200))
    assert a_plan([0] * 6, 200).intervals == {"paired": None}


def test_what_is_assumed_of_two_accuracies_is_said():
    options = {"n_replications": 2, "random_state": 0}
    found = str(power_analysis(0.90, 0.91, rope=0.01, **options))
    assert "9.5% of the instances, the mean of both error rates" in found
    assert "Their difference is a limit of the ROPE" in found
    assert power_analysis(1.0, 0.5, rope=0.1, **options).assumed.count("50% of the instances") == 1
    assert power_analysis(0.9, 0.8, rope=0.01, assurance=0.9, **options).assurance == 0.9
