"""The gate, and what is printed and saved for pull requests and continuous integration."""

import html
import json
import os
import re
import subprocess
import sys

import pytest

GOOD, SAME, BAD = "900 50 60", "500 50 60", "300 200 200"
QUICK = "--draws 2000"
GATE = f"--gate non-inferior --rope 0.01 {QUICK}"


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
        (GOOD, BAD, "non-inferior --rope 0.01", 0, "gate passed: safe to ship: A is at most"),
        (GOOD, BAD, "better", 0, "gate passed: A is better than B with probability"),
        (GOOD, BAD, "better --rope 0.4", 3, "gate not passed: A is not better than B by more"),
        (BAD, GOOD, "non-inferior --rope 0.01", 3, "gate not passed: not safe to ship: A is"),
        (
            SAME,
            SAME,
            "non-inferior --rope 0.001",
            3,
            "gate not passed: not settled: the probability that A is at most",
        ),
        (SAME, SAME, "non-inferior --rope 0.1", 0, "gate passed: safe to ship: A is at most"),
    ],
)
def test_exit_codes(a, b, gate, code, line, judged):
    found, first = judged(f"counts --a {a} --b {b} --gate {gate}")
    assert found == code
    assert first.startswith(line)


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
    assert "(precision; 95% required)" in line
    assert "(recall)" not in line


def test_every_other_system_has_to_be_matched(tmp_path, judged):
    path = tmp_path / "three.csv"
    rows = ["1,1,1,0\n", "0,0,0,0\n", "1,1,1,1\n", "0,0,0,1\n"] * 30
    path.write_text("y,good,also,bad\n" + "".join(rows))
    base = f"compare {path} --truth y --gate non-inferior --rope 0.05"
    code, line = judged(f"{base} --a good --b also --b bad")
    assert code == 0
    assert line.count("good is at most") == 2
    code, line = judged(f"{base} --a bad --b good --b also")
    assert code == 3
    assert line.startswith("gate not passed: not safe to ship: bad is worse than good")


def test_a_page_begins_with_the_gate(run, tmp_path):
    path = tmp_path / "page.html"
    counts = f"counts --a {BAD} --b {GOOD} --rope 0.01 --report {path}"
    gate = run(f"{counts} --gate non-inferior")[1].out.splitlines()[0]
    page = path.read_text(encoding="utf-8")
    assert f"<h1>G{html.escape(gate)[1:]}</h1>" in page
    first = page.partition("<details>")[0].partition("<h1>")[2]
    assert (first.count("<img"), first.count("<table")) == (1, 0)
    # Its question only: nothing of what is equivalent, of a choice, or of who is ahead.
    assert not re.search(r"ROPE|equivalent|[Cc]hoose|[Pp]refer|ahead|probably", first)


def test_questions_that_are_not_complete(refused):
    counts = "counts --a 1 2 3 --b 1 2 3"
    refused("--gate non-inferior requires --rope", f"{counts} --gate non-inferior")
    refused("invalid choice: 'best'", f"{counts} --gate best")
    refused("--planned is about a gate, and requires --gate", f"{counts} --planned 3000")


@pytest.mark.skipif(os.name != "posix", reason="needs pipes of POSIX")
def test_a_reader_that_leaves(tmp_path):
    """The rest is printed after it has left, since a figure and a page are made before."""
    command = f"-m skbayeseval counts --a {BAD} --b {GOOD} --gate better {QUICK}".split()
    saved = [tmp_path / "figure.png", tmp_path / "page.html"]
    process = subprocess.Popen(
        [sys.executable, *command, "--plot", str(saved[0]), "--report", str(saved[1])],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        bufsize=0,
    )
    seen = b""
    while not seen.endswith(b"figure:"):
        character = process.stdout.read(1)
        assert character, seen
        seen += character
    process.stdout.close()
    assert process.stderr.read() == b""
    process.stderr.close()
    assert process.wait() == 3
    assert all(path.exists() for path in saved)


def test_markdown_has_the_verdict_and_a_table(run):
    code, said = run(f"counts --a {BAD} --b {GOOD} {GATE} --format markdown")
    assert code == 3
    sentence, _, header, rule, row = said.out.splitlines()
    assert sentence.startswith("**gate not passed**: not safe to ship: A is worse than B by more")
    assert header.startswith("| metric | A | B | mean |")
    assert header.count("|") == rule.count("|") == row.count("|")


def test_a_planned_total(run, refused):
    """The probability is 99.4%: enough at the end of the plan, but not half-way."""
    command = f"counts --a 900 50 60 --b 890 60 70 {GATE} --json"
    assert json.loads(run(command)[1].out)["gate"]["answers"][0]["required"] == 0.95
    code, said = run(f"{command} --planned 1020")
    assert code == 0
    assert "97.5% required at 1,020 of 1,020 planned instances" in said.out
    code, said = run(f"{command} --planned 2000")
    assert code == 3
    (answer,) = json.loads(said.out)["gate"]["answers"]
    assert answer["plan"] == {"n_now": 1020, "planned": 2000, "units": "instances"}
    assert 0 < answer["n_more"] < 300
    refused("planned=1000 is less than the 1,020 instances", f"{command} --planned 1000")
