"""Systems from a table with a row for each score of a system on an item."""

import json

import numpy as np
import pandas as pd
import pytest

from skbayeseval import compare_items

N = 30
RNG = np.random.default_rng(3)
SCORES = {name: (RNG.random(N) < p) * 1.0 for name, p in (("a", 0.9), ("b", 0.4), ("c", 0.3))}
BASE = "--system model --item id --draws 500"
OPTIONS = f"{BASE} --score right"


@pytest.fixture
def write(tmp_path):
    """A function that writes the scores of systems as JSON Lines."""

    def write(*names, **columns):
        parts = [
            pd.DataFrame({"model": name, "id": range(N), "right": SCORES[name]}).assign(
                chars=10 * SCORES[name], subject=[f"s{i % 5}" for i in range(N)]
            )
            for name in names
        ]
        path = tmp_path / "table.jsonl"
        pd.concat(parts).assign(**columns).to_json(path, orient="records", lines=True)
        return path

    return write


@pytest.fixture
def two(write):
    return write("a", "b")


@pytest.fixture
def three(write):
    return write("a", "b", "c")


def test_two_systems(two, run, reported):
    report = reported(f"items {two} {OPTIONS} --rope 0.01")
    result = compare_items(SCORES["a"], SCORES["b"], n_draws=500, random_state=0)
    assert report["names"] == ["a", "b"]
    assert report["metrics"][0]["name"] == "right"
    assert report["summary"]["right"]["mean"] == pytest.approx(result.draws.mean())
    code, said = run(f"items {two} {OPTIONS} --rope 0.01")
    assert code == 0
    assert "a significantly better than b" in said.out


def test_lower_is_better_runs_and_missing(two, reported):
    report = reported(f"items {two} {BASE} --score chars --lower-is-better")
    assert report["metrics"][0]["name"] == "neg_chars"
    assert report["metrics"][0]["observed"][0] == pytest.approx(-10 * SCORES["a"].mean())
    lines = two.read_text()
    two.write_text(lines + lines.replace('"right":1', '"right":0'))
    a = SCORES["a"].mean()
    for runs, mean in (("all", a / 2), ("first", a), ("last", 0.0)):
        report = reported(f"items {two} {OPTIONS} --runs {runs}")
        assert report["metrics"][0]["observed"][0] == pytest.approx(mean)
    two.write_text(lines.partition("\n")[2])
    for missing, n_items in (("drop", N - 1), ("wrong", N)):
        report = reported(f"items {two} {OPTIONS} --missing {missing}")
        assert report["evidence"]["n_items"] == n_items


def test_json_has_no_entry_per_item(two, reported):
    report = reported(f"items {two} {OPTIONS} --groups subject")
    assert report["evidence"].keys() >= {"kind", "n_items", "missing"}
    assert len(json.dumps(report, indent=2).splitlines()) < 100
    result = compare_items(SCORES["a"], SCORES["b"], n_draws=500, random_state=0)
    assert len(result.to_dict()["evidence"]["scores"][0]) == N  # in Python, all is there


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ("--system model --score right --item id subject task", "item= must name ... 'task'"),
        ("--score right", "the following arguments are required: --system, --item"),
        (f"{OPTIONS} --names a x", "--names must be different systems ... a, b, got ['a', 'x']"),
        (f"{OPTIONS} --names a a", "--names must be different systems ... a, b, got ['a', 'a']"),
        ("--system subject --item id --score right", "item 0 ... 'model' tells them apart: pass "
         "system='model'"),
        (f"{OPTIONS} --scoring f1", "--scoring must be pass@k or pass^k, such as pass@5, got f1"),
    ],
)  # fmt: skip
def test_bad_input(options, words, two, refused):
    refused(words, f"items {two} {options}")
