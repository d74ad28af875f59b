"""The action of GitHub: what it runs, and what it hands on."""

import os
import subprocess
import sys

import pytest
import yaml

from tests.conftest import ROOT

PASSING = "counts --a 900 50 60 --b 300 200 200 --rope 0.01 --gate non-inferior --draws 2000"


@pytest.fixture(scope="module")
def action():
    return yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))


def steps(action, shell):
    return [step for step in action["runs"]["steps"] if step.get("shell") == shell]


def test_the_form(action):
    assert action["runs"]["using"] == "composite"
    assert set(action["inputs"]) == {"arguments", "package", "python-version"}
    assert action["inputs"]["arguments"]["required"] is True
    for name, output in action["outputs"].items():
        assert output["value"] == f"${{{{ steps.gate.outputs.{name} }}}}"
    assert set(action["outputs"]) == {"passed", "sentence"}
    assert all(one["description"] for one in [*action["inputs"].values(), action])
    assert all("shell" in step for step in action["runs"]["steps"] if "run" in step)


def test_inputs_are_no_part_of_scripts(action):
    for step in action["runs"]["steps"]:
        assert "${{" not in step.get("run", "")


def run_gate(action, folder, arguments):
    (step,) = steps(action, "python")
    assert step["id"] == "gate"
    names = ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY")
    files = {name: folder / name for name in names}
    variables = {name: str(path) for name, path in files.items()}
    (name,) = (name for name, value in step["env"].items() if value == "${{ inputs.arguments }}")
    done = subprocess.run(
        [sys.executable, "-c", step["run"]],
        env={**os.environ, **variables, "PYTHONUTF8": "1", name: arguments},
        cwd=folder,
        capture_output=True,
        encoding="utf-8",
    )
    written = [path.read_text(encoding="utf-8") if path.exists() else "" for path in files.values()]
    return done, *written


def test_the_gate(action, tmp_path):
    nasty = "$(touch ran); `touch ran`"
    done, output, summary = run_gate(action, tmp_path, f"{PASSING} --names '{nasty}' \"b c\"")
    assert (done.returncode, done.stderr) == (0, "")
    passed, sentence = output.splitlines()
    assert passed == "passed=true"
    assert sentence.startswith(f"sentence=gate passed: safe to ship: {nasty} is not worse than b c")
    assert summary.startswith("**gate passed**: safe to ship")
    assert done.stdout.startswith("::notice title=skbayeseval::gate passed")
    assert not (tmp_path / "ran").exists()


@pytest.mark.slow
def test_a_gate_that_is_not_passed_and_one_that_cannot_judge(action, tmp_path):
    done, output, summary = run_gate(action, tmp_path, PASSING.replace("900", "90"))
    assert done.returncode == 3
    assert output.startswith("passed=false\nsentence=gate not passed: ")
    assert done.stdout.startswith("::error title=skbayeseval::gate not passed: ")
    assert summary.startswith("**gate not passed**: ")
    done, output, _ = run_gate(action, tmp_path, "items none.jsonl other.jsonl --gate better")
    assert done.returncode == 2
    assert "::error title=skbayeseval::" in done.stderr
    assert output.count("passed=") == 1  # that of before


@pytest.mark.skipif(os.name != "posix", reason="needs a shell of POSIX")
def test_what_is_installed(action, tmp_path):
    (step,) = steps(action, "bash")
    assert step["env"] == {"PACKAGE": "${{ inputs.package || github.action_path }}"}
    python = tmp_path / "python"
    python.write_text('#!/bin/sh\nprintf "%s\\n" "$@"\n')
    python.chmod(0o755)
    package = "a b; $(touch ran)"
    environment = {"PATH": f"{tmp_path}:{os.environ['PATH']}", "PACKAGE": package}
    done = subprocess.run(
        ["bash", "-e", "-c", step["run"]],
        env=environment,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.splitlines() == ["-m", "pip", "install", "--", package]
    assert not (tmp_path / "ran").exists()
