"""The action of GitHub: what it runs, and what it hands on."""

import os
import subprocess
import sys

import pytest
import yaml

from tests.conftest import ROOT


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


def script(action):
    (step,) = steps(action, "python")
    assert step["id"] == "gate"
    (name,) = (name for name, value in step["env"].items() if value == "${{ inputs.arguments }}")
    return step["run"], name


def test_what_is_run(action, monkeypatch):
    """Arguments are split as a shell does, and expanded by none; the exit code is handed on."""
    code, name = script(action)
    monkeypatch.setenv(name, "counts --names '$(touch ran); `touch ran`' \"b c\"")
    called = []
    monkeypatch.setattr(subprocess, "call", lambda command: called.append(command) or 3)
    with pytest.raises(SystemExit) as caught:
        exec(code, {})
    assert caught.value.code == 3
    arguments = ["counts", "--names", "$(touch ran); `touch ran`", "b c", "--format", "github"]
    assert called == [[sys.executable, "-m", "skbayeseval", *arguments]]


@pytest.mark.skipif(os.name != "posix", reason="needs a shell of POSIX")
def test_what_is_installed(action, tmp_path):
    (step,) = steps(action, "bash")
    assert step["env"] == {"PACKAGE": "${{ inputs.package || github.action_path }}"}
    python = tmp_path / "python"
    python.write_text('#!/bin/sh\nprintf "%s\\n" "$@"\n')
    python.chmod(0o755)
    package = "a b; $(touch ran)"
    environment = {"PATH": f"{tmp_path}:{os.environ['PATH']}", "PACKAGE": package}
    command = ["bash", "-e", "-c", step["run"]]
    options = {"capture_output": True, "text": True, "check": True}
    done = subprocess.run(command, env=environment, cwd=tmp_path, **options)
    assert done.stdout.splitlines() == ["-m", "pip", "install", "--", package]
    assert not (tmp_path / "ran").exists()
