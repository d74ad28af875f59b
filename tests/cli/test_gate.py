"""The gate: exit code 0 if A may be shipped, 3 if not."""

import html
import json
import os
import re
import subprocess
import sys

import pytest

from skbayeseval import compare_counts

BETTER, SAME, WORSE = "900 50 60", "500 50 60", "300 200 200"
QUICK = "--draws 2000"


@pytest.fixture
def judged(run):
    """A function that returns the exit code and the verdict, which is printed first."""

    def judged(line):
        code, said = run(f"{line} {QUICK}")
        return code, said.out.splitlines()[0]

    return judged


@pytest.mark.parametrize(
    ("a", "b", "gate", "code", "line"),
    [
        (BETTER, WORSE, "non-inferior --rope 0.01", 0, "gate passed: safe to ship: A is not worse"),
        (BETTER, WORSE, "better", 0, "gate passed: A is better than B with probability"),
        (BETTER, WORSE, "better --rope 0.1", 0, "gate passed: A is better than B by more than 0.1"),
        (BETTER, WORSE, "better --rope 0.4", 3, "gate not passed: A is not better than B by more"),
        (WORSE, BETTER, "non-inferior --rope 0.01", 3, "gate not passed: not safe to ship: A is"),
        (WORSE, BETTER, "better", 3, "gate not passed: A is not better than B"),
        (SAME, SAME, "non-inferior --rope 0.001", 3, "gate not passed: not settled: A is not"),
        (SAME, SAME, "non-inferior --rope 0.1", 0, "gate passed: safe to ship: A is not worse"),
        (SAME, SAME, "better", 3, "gate not passed: not settled: A is better than B"),
    ],
)
def test_exit_codes(a, b, gate, code, line, judged):
    found, first = judged(f"counts --a {a} --b {b} --gate {gate}")
    assert found == code
    assert first.startswith(line)


def test_the_answer_is_that_of_the_result(judged):
    result = compare_counts((900, 50, 60), (890, 60, 70), n_draws=2000, random_state=0)
    _, line = judged("counts --a 900 50 60 --b 890 60 70 --gate non-inferior --rope 0.01")
    assert line == f"gate passed: {result.non_inferiority(0.01)}".splitlines()[0]


def test_what_it_applies_to_is_told_once(run):
    said = run("counts --a 90 30 10 --b 60 40 40 --gate better --scoring recall f1 jaccard")[1].out
    gate = said.partition("\n\n")[0].splitlines()
    assert len(gate) == 2
    assert gate[1].strip().startswith("Applies to what was tested")


def test_every_metric_has_to_pass(judged):
    arguments = "counts --a 90 300 10 --b 60 10 40 --gate better --scoring"
    assert judged(f"{arguments} recall")[0] == 0
    code, line = judged(f"{arguments} recall precision")
    assert code == 3
    assert "(precision)" in line
    assert "(recall)" not in line


def test_every_other_system_has_to_be_matched(tmp_path, judged):
    path = tmp_path / "three.csv"
    rows = ["1,1,1,0\n", "0,0,0,0\n", "1,1,1,1\n", "0,0,0,1\n"] * 30
    path.write_text("y,good,also,bad\n" + "".join(rows))
    base = f"compare {path} --truth y --gate non-inferior --rope 0.05"
    code, line = judged(f"{base} --a good --b also --b bad")
    assert code == 0
    assert line.count("good is not worse than") == 2
    code, line = judged(f"{base} --a bad --b good --b also")
    assert code == 3
    assert line.startswith("gate not passed: not safe to ship: bad is worse than good")


def test_a_page_begins_with_the_gate(run, tmp_path):
    path = tmp_path / "page.html"
    counts = f"counts --a {WORSE} --b {BETTER} --rope 0.01 --report {path}"
    gate = run(f"{counts} --gate non-inferior")[1].out.splitlines()[0]
    page = path.read_text(encoding="utf-8")
    assert f"<h1>G{html.escape(gate)[1:]}</h1>" in page
    run(counts)
    headline = re.search("<h1>(.*?)</h1>", path.read_text(encoding="utf-8"))[1]
    assert f"</header>\n<p>{headline}</p>" in page


def test_json(run):
    code, said = run(f"counts --a {WORSE} --b {BETTER} --gate non-inferior --rope 0.01 --json")
    assert code == 3
    gate = json.loads(said.out)["gate"]
    assert (gate["asked"], gate["margin"], gate["passed"]) == ("non-inferior", 0.01, False)
    assert gate["answers"][0]["answer"] == "no"
    assert gate["answers"][0]["probability"] < 0.01


def test_questions_that_are_not_complete(refused):
    counts = "counts --a 1 2 3 --b 1 2 3 --gate"
    refused("--gate non-inferior requires --rope", f"{counts} non-inferior")
    refused("invalid choice: 'best'", f"{counts} best")


@pytest.mark.skipif(os.name != "posix", reason="needs pipes of POSIX")
@pytest.mark.parametrize(
    ("unbuffered", "read_up_to"),
    [("1", b"figure:"), pytest.param("", b"\n  next  ", marks=pytest.mark.slow)],
)
def test_a_reader_that_leaves(unbuffered, read_up_to, tmp_path):
    """The rest is printed after it has left, since a figure and a page are made before."""
    command = f"-m skbayeseval counts --a {WORSE} --b {BETTER} --gate better {QUICK}".split()
    saved = [tmp_path / "figure.png", tmp_path / "page.html"]
    process = subprocess.Popen(
        [sys.executable, *command, "--plot", str(saved[0]), "--report", str(saved[1])],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONUNBUFFERED": unbuffered},
        bufsize=0,
    )
    seen = b""
    while not seen.endswith(read_up_to):
        character = process.stdout.read(1)
        assert character, seen
        seen += character
    process.stdout.close()
    assert process.stderr.read() == b""
    process.stderr.close()
    assert process.wait() == 3
    assert all(path.exists() for path in saved)


def test_warnings_that_nobody_reads_do_not_open_the_gate(run, monkeypatch):
    def broken(*_):
        raise BrokenPipeError

    monkeypatch.setattr("skbayeseval.cli.output.stop_printing", lambda: None)
    monkeypatch.setattr("skbayeseval.cli.program.report", broken)
    command = f"counts --a {WORSE} --b {BETTER} {QUICK}"
    assert (run(f"{command} --gate better")[0], run(command)[0]) == (1, 0)
