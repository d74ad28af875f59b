"""Systems from logs with one score per item."""

import json
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from skbayeseval import compare_items, compare_many_items
from skbayeseval.cli import main

N = 30
RNG = np.random.default_rng(3)
SCORES = {
    name: (RNG.random(N) < p).astype(float) for name, p in (("a", 0.9), ("b", 0.4), ("c", 0.3))
}


@pytest.fixture
def logs(tmp_path):
    """Logs of three systems with two metrics and two filters."""
    paths = []
    for name, scores in SCORES.items():
        records = [
            {
                "doc_id": i,
                "doc": {"subject": f"s{i % 5}"},
                "filtered_resps": ["x"],
                "filter": one,
                "exact_match": x if one == "strict" else 0.0,
                "chars": 10.0 * x,
            }
            for one in ("strict", "loose")
            for i, x in enumerate(scores)
        ]
        path = tmp_path / f"{name}.jsonl"
        path.write_text("".join(json.dumps(record) + "\n" for record in records))
        paths.append(str(path))
    return paths


OPTIONS = ["--score", "exact_match", "--filter", "strict", "--draws", "500"]


def reported(capsys, *arguments):
    assert main(["items", *arguments, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_two_systems(logs, capsys):
    report = reported(capsys, *logs[:2], *OPTIONS, "--rope", "0.01")
    result = compare_items(SCORES["a"], SCORES["b"], n_draws=500, random_state=0)
    assert report["names"] == ["a", "b"]
    assert report["metrics"][0]["name"] == "exact_match"
    assert report["summary"]["exact_match"]["mean"] == pytest.approx(result.draws.mean())
    assert main(["items", *logs[:2], *OPTIONS, "--rope", "0.01", "--names", "new", "old"]) == 0
    assert "new significantly better than old" in capsys.readouterr().out


def test_a_percentage_of_a_score_of_unknown_range(logs, capsys):
    """It is of the observed score of B, and of the best of several."""
    scores = ["--score", "chars", "--filter", "strict", "--draws", "500"]
    for paths, of in ((logs[:2], "b"), (logs, "a")):
        gate = [*paths, *scores, "--rope", "5%", "--gate", "better"]
        report = reported(capsys, *gate)
        r = 0.5 * SCORES[of].mean()
        assert report["rope"] == report["gate"]["margin"] == pytest.approx(r)
        assert main(["items", *gate]) == 0
        printed = capsys.readouterr().out
        assert f"better than b by more than {r:.4g}" in printed
        assert f"ROPE [-{r:.4g}"[:10] in printed


def test_three_systems(logs, capsys):
    report = reported(capsys, *logs, *OPTIONS)
    ranking = compare_many_items(SCORES, n_draws=500, random_state=0)
    assert report["names"] == ["a", "b", "c"]
    best = report["ranking"]["exact_match"][0]
    assert best["classifier"] == "a"
    assert best["p_best"] == pytest.approx(ranking.table["p_best"].iloc[0])
    pairs = report["summary"]["exact_match"]
    assert [(pair["a"], pair["b"]) for pair in pairs] == [("a", "b"), ("a", "c"), ("b", "c")]
    assert main(["items", *logs, *OPTIONS, "--rope", "0.05"]) == 0
    printed = capsys.readouterr().out
    assert str(ranking).splitlines()[0].replace("score", "exact_match") in printed
    assert "the best: a\n" in printed


def test_lower_is_better_and_runs(logs, capsys):
    report = reported(
        capsys, *logs[:2], *["--score", "chars", "--filter", "loose", "--lower-is-better"]
    )
    assert report["metrics"][0]["name"] == "neg_chars"
    assert report["metrics"][0]["observed"][0] == pytest.approx(-10 * SCORES["a"].mean())
    for path in logs[:2]:
        text = Path(path).read_text().replace('"loose"', '"strict"')
        Path(path).write_text(text)
    report = reported(capsys, *logs[:2], *["--score", "exact_match", "--runs"])
    assert report["metrics"][0]["observed"][0] == pytest.approx(SCORES["a"].mean() / 2)


def test_the_gate(logs):
    gate = ["--gate", "non-inferior", "--rope", "0.02"]
    assert main(["items", *logs, *OPTIONS, *gate]) == 0
    assert main(["items", *reversed(logs), *OPTIONS, *gate]) == 3


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            "--filter strict",
            "--score must say which column of FILE is the score, because any of ex",
        ),
        ("--score chars", "--filter must say which samples of FILE to read, .*: loose, strict"),
        ("--score chars --filter weak", "--filter weak is not in FILE, whose filters are"),
        ("--score f1 --filter strict", "line 1 of FILE has no 'f1'. It has doc_id, doc"),
        ("--score chars --filter loose --group topic", "line 31 of FILE has no 'topic'"),
        ("--score chars --filter loose --model best", "--model best is not a known model"),
        ("--score chars --filter loose --names x", "--names must be 2 names"),
    ],
)
def test_bad_input(options, message, logs, capsys):
    assert main(["items", *logs[:2], *options.split()]) == 2
    said = capsys.readouterr().err
    assert re.search(message.replace("FILE", re.escape(logs[0])), said), said
    assert said.count("\n") == 1


def test_repeated_ids_and_single_files(logs, tmp_path, capsys):
    path = tmp_path / "twice.csv"
    path.write_text("id,score\n1,1\n1,0\n")
    assert main(["items", str(path), logs[0]]) == 2
    assert "Pass --runs if these are runs" in capsys.readouterr().err
    assert main(["items", str(path)]) == 2
    assert "two or more files are expected" in capsys.readouterr().err
    other = tmp_path / "other.csv"
    other.write_text("id,grade\n1,1\n2,0\n")
    path.write_text("id,score\n1,1\n2,0\n")
    assert main(["items", str(path), str(other)]) == 2
    assert "different scores: score, grade. Pass --score" in capsys.readouterr().err
    other.write_text("id,score\n1,1\n3,0\n")
    assert main(["items", str(path), str(other)]) == 2
    assert "1 only in twice ('2'), and 1 only in other ('3')" in capsys.readouterr().err


def test_a_file_that_is_given_twice(logs, capsys):
    assert main(["items", logs[0], logs[0], *OPTIONS, "--names", "x", "y"]) == 2
    assert f"{logs[0]} and {logs[0]} are the same file" in capsys.readouterr().err


def test_attempts(tmp_path, capsys):
    rng = np.random.default_rng(0)
    scores = (rng.random((2, 40, 4)) < [[[0.6]], [[0.2]]]) * 1.0
    paths = [str(tmp_path / f"{name}.csv") for name in "ab"]
    for path, runs in zip(paths, scores, strict=True):
        rows = "".join(f"{i},{x:g}\n" for i, of_item in enumerate(runs) for x in of_item)
        Path(path).write_text("id,right\n" + rows)
    asked = [*paths, "--runs", "--scoring", "pass@3", "--draws", "500"]
    report = reported(capsys, *asked, "--rope", "0.01")
    expected = compare_items(*scores, scoring="pass@3", n_draws=500, random_state=0)
    assert report["summary"]["pass@3"]["mean"] == pytest.approx(expected.draws.mean())
    for files, code in ((paths, 0), (paths[::-1], 3)):
        arguments = [*files, *asked[2:], "--rope", "0.01", "--gate", "non-inferior"]
        assert main(["items", *arguments]) == code
    assert "pass@3" in capsys.readouterr().out
    assert main(["items", *paths, "--runs", "--scoring", "pass@9"]) == 2
    assert "needs 9 or more runs of each item, but a has fewer" in capsys.readouterr().err
    assert main(["items", *paths, "--runs", "--scoring", "f1"]) == 2
    assert "--scoring must be pass@k or pass^k, such as pass@5, got f1" in capsys.readouterr().err


def test_items_that_one_file_lacks(tmp_path, capsys):
    paths = [tmp_path / name for name in ("new.csv", "old.csv")]
    paths[0].write_text("id,score\n1,1\n2,0\n3,1\n4,1\n")
    paths[1].write_text("id,score\n3,0\n2,1\n1,1\n5,1\n")
    files = [str(path) for path in paths]
    assert main(["items", *files, "--gate", "better"]) == 2
    said = capsys.readouterr().err
    assert "new and old have different items: 3 are in both, 1 only in new ('4'), and 1" in said
    assert "1 only in old ('5'). Pass --missing drop to" in said
    for missing, n, how in (("drop", 3, "left out"), ("wrong", 5, "count as wrong")):
        report = reported(capsys, *files, "--missing", missing)
        assert report["evidence"]["missing"]["items"] == {"new": 1, "old": 1}
        assert len(report["evidence"]["scores"][0]) == n
        main(["items", *files, "--missing", missing])
        line = "missing     of 5 items, new has no score for 1, old has no score for 1: these"
        assert re.search(f"{line} .*{how}", capsys.readouterr().out)
        main(["items", *files, "--missing", missing, "--format", "markdown"])
        line = r"^Missing scores: of 5 items, new has no score for 1, .*"
        assert re.search(line + how, capsys.readouterr().out, re.MULTILINE)
    paths[1].write_text("id,score\n3,7\n2,1\n")
    assert main(["items", *files, "--missing", "wrong"]) == 2
    assert "--missing wrong counts missing scores as 0" in capsys.readouterr().err


def test_scores_that_are_null(tmp_path, capsys):
    new, old = tmp_path / "new.jsonl", tmp_path / "old.csv"
    rows = [{"id": i, "score": i % 2} for i in range(8)]
    new.write_text("\n".join(map(json.dumps, [*rows, {"id": 8, "score": None}])))
    old.write_text("id,score\n" + "".join(f"{8 - i},{'' if i > 7 else 1}\n" for i in range(9)))
    assert main(["items", str(new), str(old)]) == 2
    assert "new has no score for 1 of 9 items, first the one with id '8'" in capsys.readouterr().err
    report = reported(capsys, str(new), str(old), "--missing", "drop")
    assert report["evidence"]["missing"]["items"] == {"new": 1, "old": 1}
    assert len(report["evidence"]["scores"][0]) == 7


def test_large_ids_of_all_formats(tmp_path, capsys):
    duckdb = pytest.importorskip("duckdb")
    first, scores = 1_800_000_000_000_000_000, SCORES["a"]
    table = pd.DataFrame({"id": np.arange(N) + first, "score": scores})
    table.to_csv(tmp_path / "csv", index=False)
    table.sample(frac=1, random_state=0).to_json(tmp_path / "jsonl", orient="records", lines=True)
    rows = ", ".join(f"({first + i}, {x})" for i, x in reversed([*enumerate(SCORES["b"])]))
    sql = f"SELECT id::UBIGINT AS id, score FROM (VALUES {rows}) t(id, score)"
    duckdb.sql(sql).write_parquet(str(tmp_path / "parquet"))
    for name in ("csv", "jsonl"):
        report = reported(capsys, str(tmp_path / name), str(tmp_path / "parquet"))
        order = np.arange(N) if name == "csv" else table.sample(frac=1, random_state=0).index
        found = np.array(report["evidence"]["scores"]).reshape(2, N)
        np.testing.assert_array_equal(found, [scores[order], SCORES["b"][order]])
        assert report["evidence"]["missing"] is None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("id,score\n1,1\n2,1_0\n", "'score' must be a finite number, true or false, got '1_0'"),
        ('{"id": 1, "score": 1}\n{"id": "1", "score": 0}\n', "id '1' occurs more than once in"),
        ('{"evalId": "x", "results": {"results": []}}\n{"id": 1}\n', "has further lines after a"),
    ],
)
def test_what_is_refused_in_a_file(text, message, tmp_path, capsys):
    (tmp_path / "new").write_text(text)
    (tmp_path / "old").write_text("id,score\n1,1\n2,0\n")
    command = ["items", str(tmp_path / "new"), str(tmp_path / "old"), "--missing", "drop"]
    assert main(command) == 2
    said = capsys.readouterr().err
    assert message in said
    assert said.count("\n") == 1


def test_grades_of_people_correct_those_of_a_judge(tmp_path, capsys):
    paths = []
    for name, generous in (("a", 0.2), ("b", 0.0)):
        lines = [
            json.dumps({"id": i, "grade": min(1.0, x + generous), "person": x if i % 2 else None})
            for i, x in enumerate(SCORES["b"] / 2)
        ]
        paths.append(str(tmp_path / f"{name}.jsonl"))
        Path(paths[-1]).write_text("\n".join(lines))
    options = ["--score", "grade", "--draws", "500"]
    assert reported(capsys, *paths, *options)["summary"]["grade"]["mean"] == pytest.approx(
        0.2, abs=0.02
    )
    found = reported(capsys, *paths, *options, "--human", "person")["summary"]["grade"]["mean"]
    assert found == pytest.approx(0.0, abs=0.02)
