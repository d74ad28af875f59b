"""Systems from a table with a row for each score of a system on an item."""

import json
import re

import numpy as np
import pandas as pd
import pytest

from skbayeseval import compare_items, compare_many_items

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


def test_a_percentage_of_a_score_of_unknown_range(two, three, run, reported):
    """It is of the observed score of B, and of the best of several."""
    for names, of in (("a b", "b"), ("a b c", "a")):
        gate = f"items {three} {BASE} --score chars --rope 5% --gate better --names {names}"
        report = reported(gate)
        r = 0.5 * SCORES[of].mean()
        assert report["rope"] == report["gate"]["margin"] == pytest.approx(r)
        printed = run(gate)[1].out
        assert f"better than b by more than {r:.4g}" in printed
        assert f"ROPE [-{r:.4g}"[:10] in printed


def test_three_systems(three, run, reported):
    report = reported(f"items {three} {OPTIONS}")
    ranking = compare_many_items(SCORES, n_draws=500, random_state=0)
    assert report["names"] == ["a", "b", "c"]
    best = report["ranking"]["right"][0]
    assert best["classifier"] == "a"
    assert best["p_best"] == pytest.approx(ranking.table["p_best"].iloc[0])
    pairs = report["summary"]["right"]
    assert [(pair["a"], pair["b"]) for pair in pairs] == [("a", "b"), ("a", "c"), ("b", "c")]
    printed = run(f"items {three} {OPTIONS} --rope 0.05")[1].out
    assert str(ranking).splitlines()[0].replace("score", "right") in printed
    assert "the best: a\n" in printed


def test_names_choose_systems_and_their_order(three, reported):
    assert reported(f"items {three} {OPTIONS} --names c a")["names"] == ["c", "a"]
    assert reported(f"items {three} {OPTIONS} --names b c a")["names"] == ["b", "c", "a"]


def test_lower_is_better_and_runs(two, reported):
    report = reported(f"items {two} {BASE} --score chars --lower-is-better")
    assert report["metrics"][0]["name"] == "neg_chars"
    assert report["metrics"][0]["observed"][0] == pytest.approx(-10 * SCORES["a"].mean())
    lines = two.read_text()
    two.write_text(lines + lines.replace('"right":1', '"right":0'))
    a = SCORES["a"].mean()
    for runs, mean in (("all", a / 2), ("first", a), ("last", 0.0)):
        report = reported(f"items {two} {OPTIONS} --runs {runs}")
        assert report["metrics"][0]["observed"][0] == pytest.approx(mean)


def test_json_has_no_entry_per_item(two, reported):
    report = reported(f"items {two} {OPTIONS} --groups subject")
    assert report["evidence"].keys() >= {"kind", "n_items", "missing"}
    assert len(json.dumps(report, indent=2).splitlines()) < 80
    result = compare_items(SCORES["a"], SCORES["b"], n_draws=500, random_state=0)
    assert len(result.to_dict()["evidence"]["scores"][0]) == N  # in Python, all is there


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (f"{BASE} --score f1", "score= must name a column of the table, got 'f1'. It has model"),
        ("--system x --item id --score right", "system= must name a column of the table, got 'x'"),
        ("--system model --score right --item id subject task", "item= must name ... 'task'"),
        ("--score right", "the following arguments are required: --system, --item"),
        (f"{OPTIONS} --names a x", "--names must be different systems ... a, b, got ['a', 'x']"),
        (f"{OPTIONS} --names a a", "--names must be different systems ... a, b, got ['a', 'a']"),
        (f"{OPTIONS} --names a", "compares two systems, but column 'model' has 1: a"),
        ("--system subject --item id --score right", "item 0 ... 'model' tells them apart: pass "
         "system='model'"),
        (f"{OPTIONS} --scoring f1", "--scoring must be pass@k or pass^k, such as pass@5, got f1"),
    ],
)  # fmt: skip
def test_bad_input(options, words, two, refused):
    refused(words, f"items {two} {options}")


def test_attempts(tmp_path, run, reported, refused):
    rng = np.random.default_rng(0)
    scores = (rng.random((2, 40, 4)) < [[[0.6]], [[0.2]]]) * 1.0
    rows = [
        f"{name},{i},{x:g}\n"
        for name, of_system in zip("ab", scores, strict=True)
        for i, of_item in enumerate(of_system)
        for x in of_item
    ]
    path = tmp_path / "table.csv"
    path.write_text("model,id,right\n" + "".join(rows))
    asked = f"items {path} {OPTIONS} --runs all --rope 0.01 --scoring"
    report = reported(f"{asked} pass@3")
    expected = compare_items(*scores, scoring="pass@3", n_draws=500, random_state=0)
    assert report["summary"]["pass@3"]["mean"] == pytest.approx(expected.draws.mean())
    for names, code in (("a b", 0), ("b a", 3)):
        found, said = run(f"{asked} pass@3 --gate non-inferior --names {names}")
        assert found == code
        assert "pass@3" in said.out
    refused("needs 9 or more runs of each item, but a has fewer", f"{asked} pass@9")


def test_items_that_one_system_lacks(tmp_path, run, reported, refused):
    path = tmp_path / "table.csv"
    ids = {"new": {1: 1, 2: 0, 3: 1, 4: 1}, "old": {3: 0, 2: 1, 1: 1, 5: 1}}
    rows = [f"{name},{i},{x}\n" for name, scores in ids.items() for i, x in scores.items()]
    path.write_text("model,id,right\n" + "".join(rows))
    refused(
        "new and old have different items: 3 are in both, 1 only in new ('4'), ... "
        "1 only in old ('5'). Pass missing='drop'",
        f"items {path} {OPTIONS} --gate better",
    )
    for missing, n, how in (("drop", 3, "left out"), ("wrong", 5, "count as wrong")):
        asked = f"items {path} {OPTIONS} --missing {missing}"
        report = reported(asked)
        assert report["evidence"]["missing"]["items"] == {"new": 1, "old": 1}
        assert report["evidence"]["n_items"] == n
        line = "missing     of 5 items, new has no score for 1, old has no score for 1: these"
        assert re.search(f"{line} .*{how}", run(asked)[1].out)
        line = r"^Missing scores: of 5 items, new has no score for 1, .*"
        page = run(f"{asked} --format markdown")[1].out
        assert re.search(line + how, page, re.MULTILINE)
    path.write_text("model,id,right\n" + "".join(rows).replace("old,3,0", "old,3,7"))
    refused("missing='wrong' counts missing scores as 0", f"items {path} {OPTIONS} --missing wrong")


def test_names_are_printed_without_controls(write, run):
    path = write("a", "b", model=["\x1b[31mred"] * N + ["b"] * N)
    code, said = run(f"items {path} {OPTIONS}")
    assert code == 0
    assert "\x1b" not in said.out + said.err
