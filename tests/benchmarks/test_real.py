"""The laboratory of real populations replays what it recorded."""

from importlib import import_module

import numpy as np
import pandas as pd
import pytest

from skbayeseval import BlockRegularizedCV, bayesian_cross_validate
from skbayeseval.judgement.frequentist import corrected_resampled_t
from tests.conftest import ROOT


def simulated():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 500)
    return rng.normal(size=(500, 3)) + y[:, None], y


@pytest.fixture(scope="module")
def real():
    """The script, with one simulated population."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(ROOT / "benchmarks" / "coverage")
        script, populations = import_module("real"), import_module("populations")
        patch.setitem(populations.POPULATIONS, "simulated", simulated)
        patch.setattr(script, "N_TRUTH", 3)
        learners = ("bayes", "lda", "knn5", "knn1")
        patch.setattr(script, "PROBLEMS", [script.Problem("simulated", 100, learners, 0)])
        yield script


@pytest.fixture(scope="module")
def folder(real, tmp_path_factory):
    """Two recorded data sets, the second one added later."""
    folder = tmp_path_factory.mktemp("records")
    for number in ("1", "2"):
        real.main(["--record", str(folder), "--data-sets", number, "--jobs", "1"])
    return folder


@pytest.fixture(scope="module")
def records(real, folder):
    return dict(np.load(folder / f"{real.PROBLEMS[0].name}.npz"))


def test_recording_goes_on_where_it_stopped(real, records):
    (problem,) = real.PROBLEMS
    for seed in range(2):
        for name, values in real.record_one(problem, seed).items():
            np.testing.assert_array_equal(records[name][seed], values)


def test_splits_are_what_they_are_called(real):
    y = np.repeat([0, 1], [70, 30])
    tests = real.test_sets(y, np.random.default_rng(0))
    for name, sets in tests.items():
        shares = [len(test) / len(y) for test in sets]
        assert shares == pytest.approx(np.full(len(sets), real.RECORDED[name]))
        assert [y[test].mean() for test in sets] == pytest.approx(np.full(len(sets), 0.3), abs=0.05)
    for name, times in {"3x2": 3, "10-fold": 1, "10-fold again": 1, "5-fold": 1}.items():
        assert (np.bincount(np.concatenate(tests[name])) == times).all()
    assert (len(tests["25 x 90/10"]), len(tests["15 x 80/20"])) == (25, 15)


@pytest.mark.parametrize("name", ["3x2", "5-fold", "full"])
def test_replaying_is_fitting(real, records, name):
    (problem,) = real.PROBLEMS
    X, y = problem.draw(problem.generator(1))
    run = real.RUNS[name]
    _, splits, _ = real.data_set(records, 1)
    with real.mock.patch.object(BlockRegularizedCV, "split", return_value=splits["3x2"]):
        result = bayesian_cross_validate(
            *zip("AB", problem.fresh_learners()[:2], strict=True),
            X,
            y,
            scoring=["accuracy", "f1"],
            cv=splits[run.splits],
            n_draws=2000,
            random_state=1,
            **run.options,
        )
    metrics = ["accuracy", "f1"]
    found = real.run_one(records, 1, [name], [(0, 1)], metrics)[list(real.RUNS).index(name), :, 0]
    for metric, (a, b, difference) in zip(metrics, found, strict=True):
        seen = result.metric(metric)
        assert a[2:4] == pytest.approx(seen.hdi(of="a"))
        assert b[2:4] == pytest.approx(seen.hdi(of="b"))
        assert difference[:4] == pytest.approx(
            [seen.observed_a - seen.observed_b, seen.draws.mean(), *seen.hdi()]
        )


def test_evaluates_what_was_recorded(real, folder, records, tmp_path, capsys):
    parts, csv = tmp_path / "parts", tmp_path / "cells.csv"
    options = ["--folder", str(parts), "--csv", str(csv), "--jobs", "1", "--runs", "3x2"]
    real.main(["--evaluate", str(folder), *options])
    assert "a difference" in capsys.readouterr().out
    cells = pd.read_csv(csv).set_index(["metric", "learners"])
    assert set(cells.index.get_level_values(0)) == {"accuracy", "f1", "roc_auc"}
    tables = records["truth"][0]
    truth = np.subtract(*tables[:2].trace(axis1=1, axis2=2))
    cell = cells.loc["accuracy", "bayes, lda"]
    assert cell["truth"] == pytest.approx(truth, abs=1e-4)
    (path,) = parts.iterdir()
    low, high = np.load(path)[:, 0, 0, 0, 2, [2, 3]].T
    assert cell["coverage"] == np.mean((low <= truth) & (truth <= high))
    assert real.judged(np.ones(2), np.ones(2), -1.0, 1.0)["wrong"] == 1


@pytest.fixture
def rivals(real, monkeypatch):
    script = import_module("rivals")
    monkeypatch.setattr(script, "CHOSEN", real.PROBLEMS)
    monkeypatch.setattr(script, "REPEATS", 2)
    monkeypatch.setattr(script, "DIVISIONS", 2)
    return script


def test_other_intervals_are_computed_on_the_same_data(rivals, folder, tmp_path, capsys):
    csv = tmp_path / "cells.csv"
    options = ["--records", str(folder), "--folder", str(tmp_path / "rivals"), "--csv", str(csv)]
    rivals.main([*options, "--data-sets", "2", "--jobs", "1"])
    assert "conservative-Z" in capsys.readouterr().out
    cells = pd.read_csv(csv)
    assert set(cells["method"]) == set(rivals.METHODS)
    assert len(cells) == 3 * len(rivals.METHODS)


def test_the_corrected_t_is_that_of_the_package(real, rivals, records):
    t_15, t_25, _ = rivals.classical(records, 0, [0, 1])
    for bounds, name in ((t_15, "15 x 80/20"), (t_25, "25 x 90/10")):
        y, rows, predicted, sizes = rivals.validated(records, 0, name)
        split = np.repeat(np.arange(len(sizes)), sizes)
        a, b = (np.bincount(split, one == y[rows]) / sizes for one in predicted[:2])
        share = real.RECORDED[name]
        test = corrected_resampled_t(a, b, n_train=1 - share, n_test=share)
        width = 2 * rivals.student.ppf(0.975, len(sizes) - 1) * np.mean(a - b) / test.statistic
        assert bounds[2].mean() == pytest.approx(np.mean(a - b))
        assert np.diff(bounds[2])[0] == pytest.approx(width)


def test_populations_are_in_one_half(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "benchmarks" / "coverage")
    problems = import_module("problems").PROBLEMS
    first, second = ({p.of for p in problems if p.half == half} for half in (0, 1))
    assert len(problems) == len({p.name for p in problems}) == 64
    assert len(first) == len(second) == 16
    assert not first & second
