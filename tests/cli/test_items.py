"""Systems from logs with one score per item."""

import json
import re
from pathlib import Path

import numpy as np
import pytest

from skbayeseval import compare_items, compare_many_items

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


OPTIONS = "items --score exact_match --filter strict --draws 500"


def test_two_systems(logs, run, reported):
    report = reported(f"{OPTIONS} --rope 0.01", *logs[:2])
    result = compare_items(SCORES["a"], SCORES["b"], n_draws=500, random_state=0)
    assert report["names"] == ["a", "b"]
    assert report["metrics"][0]["name"] == "exact_match"
    assert report["summary"]["exact_match"]["mean"] == pytest.approx(result.draws.mean())
    code, said = run(f"{OPTIONS} --rope 0.01", *logs[:2], "--names", "new", "old")
    assert code == 0
    assert "new significantly better than old" in said.out


def test_a_percentage_of_a_score_of_unknown_range(logs, run, reported):
    """It is of the observed score of B, and of the best of several."""
    gate = "items --score chars --filter strict --draws 500 --rope 5% --gate better"
    for paths, of in ((logs[:2], "b"), (logs, "a")):
        report = reported(gate, *paths)
        r = 0.5 * SCORES[of].mean()
        assert report["rope"] == report["gate"]["margin"] == pytest.approx(r)
        printed = run(gate, *paths)[1].out
        assert f"better than b by more than {r:.4g}" in printed
        assert f"ROPE [-{r:.4g}"[:10] in printed


def test_three_systems(logs, run, reported):
    report = reported(OPTIONS, *logs)
    ranking = compare_many_items(SCORES, n_draws=500, random_state=0)
    assert report["names"] == ["a", "b", "c"]
    best = report["ranking"]["exact_match"][0]
    assert best["classifier"] == "a"
    assert best["p_best"] == pytest.approx(ranking.table["p_best"].iloc[0])
    pairs = report["summary"]["exact_match"]
    assert [(pair["a"], pair["b"]) for pair in pairs] == [("a", "b"), ("a", "c"), ("b", "c")]
    printed = run(f"{OPTIONS} --rope 0.05", *logs)[1].out
    assert str(ranking).splitlines()[0].replace("score", "exact_match") in printed
    assert "the best: a\n" in printed


def test_lower_is_better_and_runs(logs, reported):
    report = reported("items --score chars --filter loose --lower-is-better", *logs[:2])
    assert report["metrics"][0]["name"] == "neg_chars"
    assert report["metrics"][0]["observed"][0] == pytest.approx(-10 * SCORES["a"].mean())
    for path in logs[:2]:
        text = Path(path).read_text().replace('"loose"', '"strict"')
        Path(path).write_text(text)
    a = SCORES["a"].mean()
    for runs, mean in (("all", a / 2), ("first", a), ("last", 0.0)):
        report = reported(f"items --score exact_match --runs {runs}", *logs[:2])
        assert report["metrics"][0]["observed"][0] == pytest.approx(mean)


def test_json_has_no_entry_per_item(logs, reported):
    report = reported(f"{OPTIONS} --group subject", *logs[:2])
    assert report["evidence"].keys() >= {"kind", "n_items", "missing"}
    assert len(json.dumps(report, indent=2).splitlines()) < 80
    result = compare_items(SCORES["a"], SCORES["b"], n_draws=500, random_state=0)
    assert len(result.to_dict()["evidence"]["scores"][0]) == N  # in Python, all is there


def test_the_gate(logs, run):
    gate = f"{OPTIONS} --gate non-inferior --rope 0.02"
    assert (run(gate, *logs)[0], run(gate, *reversed(logs))[0]) == (0, 3)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ("--filter strict", "score= must say which column of FILE is the score, because any of"),
        ("--score chars", "filter= must say which samples of FILE to read ... : loose, strict"),
        ("--score f1 --filter strict", "line 1 of FILE has no 'f1'. It has exact_match, chars"),
        ("--score chars --filter loose --names x", "--names must be 2 names"),
        ("FILE --score chars --filter loose", "FILE and FILE are the same file"),
    ],
)
def test_bad_input(options, words, logs, refused):
    options = options.replace("FILE", logs[0])
    refused(words.replace("FILE", logs[0]), f"items {logs[0]} {logs[1]} {options}")


@pytest.mark.parametrize(
    ("new", "old", "words"),
    [
        ("id,score\n1,1\n1,0\n", "id,score\n1,1\n",
         "Pass runs='all' if these are runs ... runs='first' or runs='last' to keep one"),
        ("id,score\n1,1\n2,0\n", None, "two or more files are expected"),
        ("doc_id,resps,filter,acc\n1,x,s,1\n1,x,t,1\n", None,
         "filters s, t. Pass the log of another system, too, or --filter s --filter t to compare"),
        ("id,score\n1,1\n2,0\n", "id,grade\n1,1\n2,0\n",
         "different scores: score, grade. Pass score="),
    ],
)  # fmt: skip
def test_what_is_refused_in_files(new, old, words, tmp_path, refused):
    paths = [tmp_path / name for name in ("new", "old")]
    for path, text in zip(paths, (new, old), strict=True):
        path.write_text(text or "")
    refused(words, "items", *paths[: 1 + (old is not None)])


def test_attempts(tmp_path, run, reported, refused):
    rng = np.random.default_rng(0)
    scores = (rng.random((2, 40, 4)) < [[[0.6]], [[0.2]]]) * 1.0
    paths = [str(tmp_path / f"{name}.csv") for name in "ab"]
    for path, runs in zip(paths, scores, strict=True):
        rows = "".join(f"{i},{x:g}\n" for i, of_item in enumerate(runs) for x in of_item)
        Path(path).write_text("id,right\n" + rows)
    asked = "items --runs all --scoring pass@3 --draws 500 --rope 0.01"
    report = reported(asked, *paths)
    expected = compare_items(*scores, scoring="pass@3", n_draws=500, random_state=0)
    assert report["summary"]["pass@3"]["mean"] == pytest.approx(expected.draws.mean())
    for files, code in ((paths, 0), (paths[::-1], 3)):
        found, said = run(f"{asked} --gate non-inferior", *files)
        assert found == code
        assert "pass@3" in said.out
    for scoring, words in (
        ("pass@9", "needs 9 or more runs of each item, but scores_a has fewer ... (scores_a is a)"),
        ("f1", "--scoring must be pass@k or pass^k, such as pass@5, got f1"),
    ):
        refused(words, f"items --runs all --scoring {scoring}", *paths)


def test_items_that_one_file_lacks(tmp_path, run, reported, refused):
    paths = [tmp_path / name for name in ("new.csv", "old.csv")]
    paths[0].write_text("id,score\n1,1\n2,0\n3,1\n4,1\n")
    paths[1].write_text("id,score\n3,0\n2,1\n1,1\n5,1\n")
    refused(
        "scores_a and scores_b have different items: 3 are in both, 1 only in scores_a ('4'), ... "
        "1 only in scores_b ('5'). Pass missing='drop' ... (scores_a is new, scores_b is old)",
        "items --gate better",
        *paths,
    )
    for missing, n, how in (("drop", 3, "left out"), ("wrong", 5, "count as wrong")):
        report = reported(f"items --missing {missing}", *paths)
        assert report["evidence"]["missing"]["items"] == {"new": 1, "old": 1}
        assert report["evidence"]["n_items"] == n
        line = "missing     of 5 items, new has no score for 1, old has no score for 1: these"
        assert re.search(f"{line} .*{how}", run(f"items --missing {missing}", *paths)[1].out)
        line = r"^Missing scores: of 5 items, new has no score for 1, .*"
        page = run(f"items --missing {missing} --format markdown", *paths)[1].out
        assert re.search(line + how, page, re.MULTILINE)
    paths[1].write_text("id,score\n3,7\n2,1\n")
    refused("missing='wrong' counts missing scores as 0", "items --missing wrong", *paths)


def test_grades_of_people_correct_those_of_a_judge(tmp_path, reported):
    paths = []
    for name, generous in (("a", 0.2), ("b", 0.0)):
        lines = [
            json.dumps({"id": i, "grade": min(1.0, x + generous), "person": x if i % 2 else None})
            for i, x in enumerate(SCORES["b"] / 2)
        ]
        paths.append(str(tmp_path / f"{name}.jsonl"))
        Path(paths[-1]).write_text("\n".join(lines))
    for human, expected in (("", 0.2), ("--human person", 0.0)):
        report = reported(f"items --score grade --draws 500 {human}", *paths)
        assert report["summary"]["grade"]["mean"] == pytest.approx(expected, abs=0.02)


def test_disagreements(tmp_path, run):
    new, old, saved = (tmp_path / name for name in ("new.csv", "old.csv", "out.csv"))
    new.write_text("id,score\nq1,1\nq2,0\nq3,1\n")
    old.write_text("id,score\nq3,0\nq2,0\nq1,1\n")
    code, said = run(f"items {new} {old} --draws 200 --disagreements {saved}")
    assert code == 0
    assert said.out.endswith(f"1 disagreements: {saved}\n")
    assert saved.read_text() == "id,new,old,difference,better\nq3,1.0,0.0,1.0,new\n"
