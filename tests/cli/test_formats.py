"""What is printed and saved for pull requests and continuous integration."""

import json
from xml.etree import ElementTree

import pytest

from skbayeseval.cli.formats import workflow_command

GOOD, BAD = "900 50 60", "300 200 200"
GATE = "--gate non-inferior --rope 0.01 --draws 2000"
NASTY = ["# <img src=x>|*a*_b_", "::error::$1$\n## `b` & &amp; [x](y) ]]> %0A"]


@pytest.fixture
def files(tmp_path, monkeypatch):
    """Return the files that GitHub's runners name, as functions that read them."""
    paths = {}
    for name in ("GITHUB_STEP_SUMMARY", "GITHUB_OUTPUT"):
        paths[name] = tmp_path / name
        monkeypatch.setenv(name, str(paths[name]))
    return lambda name: paths[name].read_text(encoding="utf-8")


def test_markdown_has_the_verdict_and_a_table(run):
    code, said = run(f"counts --a {BAD} --b {GOOD} {GATE} --format markdown")
    assert code == 3
    sentence, _, header, rule, row = said.out.splitlines()
    assert sentence.startswith("**gate not passed**: not safe to ship: A is worse than B by more")
    assert header.startswith("| metric | A | B | mean |")
    assert header.count("|") == rule.count("|") == row.count("|")


def test_markdown_without_a_gate(run):
    base = f"counts --a {GOOD} --b {BAD} --draws 2000 --format markdown --scoring f1 recall"
    sentence, *rest = run(base)[1].out.splitlines()
    assert sentence.count("A is better than B on ") == 2
    assert len(rest) == 5  # an empty line, the header, a rule and two metrics
    assert run(f"{base} --rope 0.01")[1].out.startswith("≫ A significantly better than B")


def test_markdown_of_names_that_are_markup(run):
    markdown = "--draws 2000 --format markdown --names"
    page = run(f"counts --a {GOOD} --b {BAD} {markdown}", *NASTY)[1].out
    sentence, _, header, _, row = page.splitlines()
    assert sentence.startswith(r"\# \<img src=x>\|\*a\*\_b\_ is better than ::error::\$1\$\\n## ")
    assert r"\`b\` & \&amp; [x\](y)" in header
    assert header.replace(r"\|", "").count("|") == row.count("|")
    # A sentence is no workflow command.
    page = run(f"counts --a {BAD} --b {GOOD} {markdown} x ::add-mask::y")[1].out
    assert page.startswith(r"\::add-mask::y is better than x")


def test_github(run, files):
    command = f"counts --a {GOOD} --b {BAD} {GATE} --format github"
    code, said = run(command)
    assert code == 0
    sentence = said.out.strip().removeprefix("::notice title=skbayeseval::")
    assert sentence.startswith("gate passed: safe to ship: A is not worse than B")
    assert "(f1). Applies to what was tested" in sentence  # sentences on one line
    assert "%25 (f1)" in sentence
    assert files("GITHUB_STEP_SUMMARY").startswith("**gate passed**: safe to ship")
    assert files("GITHUB_OUTPUT") == f"passed=true\nsentence={sentence.replace('%25', '%')}\n"
    run(command)  # further steps append
    assert files("GITHUB_STEP_SUMMARY").count("**gate passed**") == 2


def test_github_of_a_gate_that_is_not_passed(run, files):
    code, said = run(f"counts --a {BAD} --b {GOOD} {GATE} --format github --names", *NASTY)
    assert code == 3
    assert said.out.startswith("::error title=skbayeseval::gate not passed: not safe to ship: ")
    assert said.out.count("\n") == 1
    assert r"::error::$1$\n## `b` & &amp; [x](y) ]]> %250A" in said.out
    passed, sentence = files("GITHUB_OUTPUT").splitlines()
    assert passed == "passed=false"
    assert sentence.startswith("sentence=gate not passed: not safe to ship: # <img")


def test_github_outside_of_a_runner(run, monkeypatch):
    for name in ("GITHUB_STEP_SUMMARY", "GITHUB_OUTPUT"):
        monkeypatch.delenv(name, raising=False)
    printed = run(f"counts --a {GOOD} --b {BAD} --draws 2000 --format github")[1].out
    assert printed.startswith("A is better than B on f1 with probability")
    assert "| f1 |" in printed
    assert printed.splitlines()[-1].startswith("::notice title=skbayeseval::A is better than B")


def test_errors_are_annotations(run):
    code, said = run(f"counts --a 1 2 --b {BAD} --format github")
    assert code == 2
    plain, command = said.err.splitlines()
    assert plain.startswith("skbayeseval counts: error: ")
    message = plain.removeprefix("skbayeseval counts: error: ")
    assert command == workflow_command("error", message)
    assert workflow_command("notice", "5%0A\r\n") == "::notice title=skbayeseval::5%250A%0D%0A"


def test_junit(run, tmp_path):
    path = tmp_path / "gate.xml"
    metrics = "--scoring f1 recall precision"
    # The first has a better recall, and a worse precision and F1.
    command = f"counts --a 90 300 10 --b 60 10 40 {GATE} {metrics} --junit {path} --names"
    assert run(command, *NASTY)[0] == 3
    (suite,) = ElementTree.parse(path).getroot()
    assert [suite.get(key) for key in ("tests", "failures", "errors")] == ["3", "2", "0"]
    cases = {case.get("name").rsplit(": ", 1)[1]: case for case in suite}
    assert list(cases) == ["f1", "recall", "precision"]
    assert [case.find("failure") is None for case in suite] == [False, True, False]
    failure = cases["f1"].find("failure")
    assert failure.get("message").startswith("not safe to ship: # <img src=x>|*a*_b_ is worse than")
    assert failure.text == failure.get("message")
    assert cases["recall"].get("classname") == "skbayeseval.non-inferior"


def test_junit_is_written_whole_or_not_at_all(run, refused, tmp_path):
    path = tmp_path / "gate.xml"
    path.write_text("before")
    base = f"counts --a {GOOD} --b {BAD} --draws 2000 --junit {path}"
    refused("--junit is about a gate, and requires --gate", base)
    refused("--rope 9", f"{base} --gate non-inferior --rope 9")
    assert path.read_text() == "before"
    assert run(f"{base} --gate better")[0] == 0
    assert path.read_text().startswith("<?xml")
    assert [one.name for one in tmp_path.iterdir()] == ["gate.xml"]


def test_json_is_a_synonym(run, refused):
    command = f"counts --a {GOOD} --b {BAD} --draws 500"
    assert run(f"{command} --json") == run(f"{command} --format json")
    refused("not allowed with", f"{command} --json --format text")


def test_looks(run, refused):
    """The probability is 99.4%: enough for a look, but not for each of ten."""
    command = f"counts --a 900 50 60 --b 890 60 70 {GATE} --json"
    assert run(command)[0] == 0
    code, said = run(f"{command} --looks 10")
    assert code == 3
    (answer,) = json.loads(said.out)["gate"]["answers"]
    assert answer["required"] == pytest.approx(0.995)
    assert answer["looks"] == 10
    assert "99.5% or more would be a yes at each of 10 looks" in answer["sentence"]
    refused("--looks 0 must be at least 1", f"{command} --looks 0")
    message = "--looks is about a gate, and requires --gate"
    refused(message, f"counts --a {GOOD} --b {BAD} --looks 3")


def test_a_planned_total(run, refused):
    """The probability is 99.4%: enough at the end of the plan, but not half-way."""
    command = f"counts --a 900 50 60 --b 890 60 70 {GATE} --json"
    code, said = run(f"{command} --planned 1020")
    assert code == 0
    assert "97.5% or more required at 1,020 of 1,020 planned instances" in said.out
    code, said = run(f"{command} --planned 2000")
    assert code == 3
    (answer,) = json.loads(said.out)["gate"]["answers"]
    assert answer["plan"] == {"n_now": 1020, "planned": 2000, "units": "instances"}
    assert 0 < answer["n_more"] < 300
    refused("--planned 1000 is less than the 1,020 instances", f"{command} --planned 1000")
    refused("omit --looks 3", f"{command} --planned 2000 --looks 3")
    message = "--planned is about a gate, and requires --gate"
    refused(message, f"counts --a {GOOD} --b {BAD} --planned 3000")
