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


def compare(new):
    return compare_predictions(Y, new, OLD, names=("new", "old"), random_state=0)


def test_what_a_gate_prints_is_shown_whole():
    page = (Path(__file__).parents[1] / "docs" / "recipes.md").read_text(encoding="utf-8")
    answer = compare(BETTER).non_inferiority(0.01)
    assert f"FINISHED - {answer}\n```" in page
    (applies,) = str(answer).splitlines()[1:]
    assert f"\n{applies}\n```" in page


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
