"""What the guide's recipes do with other packages, by public names alone."""

import json
import re
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import RidgeClassifier
from sklearn.model_selection import StratifiedKFold, cross_validate
from sklearn.naive_bayes import GaussianNB

from skbayeseval import BayesianComparer, compare_many, compare_predictions

RNG = np.random.default_rng(0)
Y = RNG.integers(0, 2, 3000)
OLD = np.where(RNG.random(3000) < 0.9, Y, 1 - Y)
BETTER = np.where(RNG.random(3000) < 0.05, Y, OLD)
WORSE = np.where(RNG.random(3000) < 0.05, 1 - Y, OLD)


def compare(new):
    return compare_predictions(Y, new, OLD, names=("new", "old"), random_state=0)


def test_what_a_gate_prints_is_shown_whole():
    page = (Path(__file__).parents[1] / "docs" / "recipes.md").read_text(encoding="utf-8")
    answer = compare(BETTER).non_inferiority(0.01)
    assert f"FINISHED - {answer}\n```" in page
    (applies,) = str(answer).splitlines()[1:]
    assert page.count(f"\n{applies}\n```") == 2


RIGHT = {"new": [1, 1, 0, 1, 0, 1], "old": [1, 0, 0, 1, 0, 0]}


def samples_df(logs, columns):
    """Return what inspect_ai.analysis has for a folder of logs, with two epochs."""
    assert (logs, columns) == ("logs", ["model", "id", "epoch", "score_match"])
    rows = [
        (model, str(i), epoch, "CI"[1 - right])
        for model, scores in RIGHT.items()
        for epoch in (1, 2)
        for i, right in enumerate(scores)
    ]
    return pd.DataFrame(rows, columns=columns)


def write_logs():
    """Write what lm-evaluation-harness, promptfoo and HELM write: six questions of two models."""
    results = []
    for model, scores in RIGHT.items():
        samples, instances = [], []
        for i, right in enumerate(scores):
            samples += [
                {"doc_id": i, "doc": {"question": f"q{i}"}, "filter": part, "exact_match": match}
                for part, match in (("strict-match", right), ("flexible-extract", 1))
            ]
            results.append(
                {
                    "provider": {"id": "file://x.js", "label": model},
                    "testCase": {"vars": {"question": f"q{i}"}},
                    "score": right,
                    "failureReason": 0 if right else 1 + i % 2,
                }
            )
            for how in ({}, {"perturbation": {"name": "typos"}}):
                stats = [
                    {"name": {"name": name, "split": "test", **how}, "count": 1, "mean": mean}
                    for name, mean in (("exact_match", 0 if how else right), ("chars", 9))
                ]
                instance = {"instance_id": f"id{i}", "train_trial_index": 0, "stats": stats}
                instances.append(instance | how)
        Path(f"samples_{model}.jsonl").write_text("\n".join(map(json.dumps, samples)))
        Path(model).mkdir()
        Path(model, "per_instance_stats.json").write_text(json.dumps(instances))
    Path("output.json").write_text(json.dumps({"evalId": "x", "results": {"results": results}}))


def test_logs_of_evaluations(tmp_path, monkeypatch):
    """The code on the page, which needs files of these programs, is run on some in their form."""
    page = (Path(__file__).parents[1] / "docs" / "recipes.md").read_text(encoding="utf-8")
    section = page.partition("## Logs of evaluations")[2].partition("\n## ")[0]
    inspect = ModuleType("inspect_ai.analysis")
    inspect.samples_df = samples_df
    inspect.EvalModel, inspect.SampleSummary = ["model"], ["id", "epoch", "score_match"]
    monkeypatch.setitem(sys.modules, "inspect_ai", ModuleType("inspect_ai"))
    monkeypatch.setitem(sys.modules, "inspect_ai.analysis", inspect)
    monkeypatch.chdir(tmp_path)
    write_logs()
    blocks = re.findall(r"```py\n(.*?)```", section, re.DOTALL)
    names = {}
    for block, n_runs in zip(blocks, (1, 2, 1, 1), strict=True):
        exec(block, names)
        result = names["result"]
        assert result.names == ("new", "old")
        assert (result.evidence.n_items, result.evidence.n_runs) == (6, n_runs)
        assert (result.observed_a, result.observed_b) == pytest.approx((4 / 6, 2 / 6))


@pytest.mark.parametrize(("new", "status"), [(BETTER, "FINISHED"), (WORSE, "FAILED")])
@pytest.mark.filterwarnings("ignore")  # of MLflow, about itself
def test_a_run_of_mlflow_must_pass(new, status, tmp_path, monkeypatch):
    monkeypatch.setenv("MLFLOW_DISABLE_TELEMETRY", "true")
    monkeypatch.setenv("MLFLOW_TRACKING_URI", "sqlite:///mlflow.db")
    monkeypatch.chdir(tmp_path)
    mlflow = pytest.importorskip("mlflow")
    pytest.importorskip("sqlalchemy")  # which mlflow-skinny leaves out
    result = compare(new)
    row = result.summary(rope=0.01).loc["accuracy", ["mean", "hdi_low", "hdi_high"]]
    try:
        with mlflow.start_run() as run:
            mlflow.log_metrics(row.to_dict())
            mlflow.log_dict(result.to_dict(), "result.json")
            result.report("report.html", rope=0.01)
            mlflow.log_artifact("report.html")
            if result.non_inferiority(0.01).answer != "yes":
                raise SystemExit
    except SystemExit:
        pass
    kept = mlflow.get_run(run.info.run_id)
    assert kept.info.status == status
    assert kept.data.metrics == row.to_dict()
    load = mlflow.artifacts.load_text
    assert load(f"{kept.info.artifact_uri}/report.html").startswith("<!DOCTYPE html>")
    logged = json.loads(load(f"{kept.info.artifact_uri}/result.json"))
    assert logged == json.loads(json.dumps(result.to_dict()))


def fits_that_were_kept():
    """Return the blocks of code that are on the page."""
    page = (Path(__file__).parents[1] / "docs" / "recipes.md").read_text(encoding="utf-8")
    section = page.partition("## Fits that were kept")[2].partition("\n## ")[0]
    return re.findall(r"```py\n(.*?)```", section, re.DOTALL)


def assert_as_by_fits(block, **names):
    X, y = load_breast_cancer(return_X_y=True)
    names |= {"np": np, "compare_many": compare_many, "X": X, "y": y}
    exec(block, names)
    learners = [("RidgeClassifier", RidgeClassifier()), ("GaussianNB", GaussianNB())]
    options = {"cv": StratifiedKFold(5), "random_state": 0}
    expected = BayesianComparer(learners, **options).fit(X, y).ranking_
    pd.testing.assert_frame_equal(names["ranking"].table.sort_index(), expected.table.sort_index())


def test_fits_that_were_kept():
    X, y = load_breast_cancer(return_X_y=True)
    kept = {"cv": StratifiedKFold(5), "return_estimator": True, "return_indices": True}
    learners = {"RidgeClassifier": RidgeClassifier(), "GaussianNB": GaussianNB()}
    runs = {name: cross_validate(one, X, y, **kept) for name, one in learners.items()}
    assert_as_by_fits(fits_that_were_kept()[0], runs=runs)


@pytest.mark.filterwarnings("ignore")  # of skore, about itself
def test_a_cross_validation_of_skore():
    skore = pytest.importorskip("skore")
    X, y = load_breast_cancer(return_X_y=True)
    learners = {"RidgeClassifier": RidgeClassifier(), "GaussianNB": GaussianNB()}
    report = skore.evaluate(learners, X, y, splitter=StratifiedKFold(5))
    assert_as_by_fits(fits_that_were_kept()[1], report=report)


@pytest.mark.filterwarnings("ignore")  # of skore, about itself
@pytest.mark.parametrize(("model", "section"), [(GaussianNB(), "issue"), (None, "passed")])
def test_a_check_of_skore(model, section):
    skore = pytest.importorskip("skore")

    class NotWorse:
        code, title, severity = "BAYES01", "Not surely as good as the old model", "issue"
        report_types, docs_url, slow = ["estimator"], None, False

        def check_function(self, report):
            pair = [one.get_predictions(data_source="test") for one in (report, old)]
            gate = compare_predictions(report.y_test, *pair, random_state=0).non_inferiority(0.01)
            return None if gate else str(gate)

    X, y = load_breast_cancer(return_X_y=True)
    split = skore.TrainTestSplit(test_size=0.5, random_state=0)
    old = skore.evaluate(RidgeClassifier(), X, y, splitter=split)
    new = skore.evaluate(model or RidgeClassifier(), X, y, splitter=split)
    new.checks.add([NotWorse()])
    found = new.checks.summarize(fast_mode=True).frame().set_index("code").loc["BAYES01"]
    assert found["section"] == section
    assert str(found["explanation"]).startswith("not settled: A is not worse") == (
        model is not None
    )
