"""The laboratory of searches replays what it recorded."""

from importlib import import_module

import numpy as np
import pytest
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB

from tests.conftest import ROOT

GRID = {"var_smoothing": [1e-9, 0.1, 0.1, 100]}


def simulated():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 400)
    return rng.normal(size=(400, 3)) * [1, 3, 1] + y[:, None], y


@pytest.fixture
def searches(monkeypatch):
    """The script, with one problem on a simulated population."""
    monkeypatch.syspath_prepend(ROOT / "benchmarks" / "coverage")
    script = import_module("searches")
    populations = import_module("populations").POPULATIONS
    monkeypatch.setitem(populations, "simulated", simulated)
    problem = script.Problem("simulated", 80, GaussianNB(), GRID)
    monkeypatch.setattr(script, "PROBLEMS", {"small": problem})
    monkeypatch.setattr(script, "N_TRUTH", 3)
    return script


@pytest.mark.parametrize("splits", ["3x2", "5-fold"])
def test_replayed_scores_are_those_of_the_search(searches, splits):
    problem = searches.PROBLEMS["small"]
    records = {key: values[None] for key, values in searches.predicted(problem, 0).items()}
    records["truth"] = np.zeros((3, 4, 2, 2))
    rows = searches.draw(problem, 0)[: problem.n]
    X, y = (part[rows] for part in searches.population(problem.of))
    cv = searches.splitter(splits, 0)
    direct = GridSearchCV(GaussianNB(), GRID, cv=cv).fit(X, y).cv_results_["mean_test_score"]
    found = searches.reported(records, "accuracy", splits, 0, [3, 1], [0.01])
    np.testing.assert_allclose(found[:, :, 0], [direct[[3, 1]]] * 3)
    np.testing.assert_array_equal(found[:, :, 4], [[1, 0]] * 3)  # the first row is the better one


def test_reports_are_judged_by_the_truth(searches):
    truths = np.array([0.8, 0.8, 0.2])
    observed = np.array([[0.9, 0.8, 0.2], [0.7, 0.8, 0.2], [0.8, 0.9, 0.2], [0.8, 0.7, 0.2]])
    found = np.zeros((4, 3, 7))
    found[..., 0] = observed
    found[..., 1] = (observed + truths) / 2
    found[..., 2:4] = [0.7, 0.85]
    found[..., 4] = np.argsort(np.argsort(-observed, axis=1), axis=1)
    said = searches.judged(found, found + np.array([0, 0.015, 0, 0.15, 0, 0, 0]), truths)
    sd = observed[:, 0].std(ddof=1)
    expected = {"good": 2, "cover": 2 / 3, "of good": 1, "of others": 0, "lowest": 0}
    expected |= {"of row 1": 1, "width": 0.15 / (3.92 * sd)}
    expected |= {"bias": 0.025 / sd, "raw bias": 0.05 / sd, "wider": 1, "shift": 0.1}
    assert {key: said[key] for key in expected} == pytest.approx(expected)


def test_recording_and_evaluating(searches, tmp_path, capsys):
    folder = ["--folder", str(tmp_path / "said"), "--data-sets", "2", "--jobs", "1"]
    searches.main(["--record", str(tmp_path), *folder])
    searches.main(["--evaluate", str(tmp_path), *folder])
    rows = capsys.readouterr().out.splitlines()
    assert len(rows) == 1 + 3 * 3
    assert rows[0].split()[:4] == ["problem", "splits", "source", "K"]
