"""The workflows of GitHub: what they run, with which versions, and what they may do."""

import re
import tomllib

import pytest
import yaml

from tests.conftest import ROOT

FILES = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
WORKFLOWS = {path.stem: yaml.safe_load(path.read_text(encoding="utf-8")) for path in FILES}
JOBS = {
    f"{name}/{job}": content
    for name, workflow in WORKFLOWS.items()
    for job, content in workflow["jobs"].items()
}


@pytest.mark.parametrize("name", JOBS)
def test_steps_call_the_makefile_and_nothing_else(name):
    targets = re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.M)
    for step in JOBS[name]["steps"]:
        if "run" in step:
            assert "${{" not in step["run"]
            command, target, *_ = step["run"].split()
            assert command == "make"
            assert target in targets
        else:
            assert re.fullmatch(r"[\w./-]+@v\d[\d.]*", step["uses"])


def test_every_supported_python_is_tested():
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    classifiers = re.findall(r"Python :: (3\.\d+)", "\n".join(settings["classifiers"]))
    tested = JOBS["tests/test"]["strategy"]["matrix"]["python"]
    assert set(classifiers) <= set(tested)
    assert settings["requires-python"] == f">={tested[0]}"
    (lowest,) = (step["with"] for step in JOBS["tests/lowest"]["steps"] if "python" in str(step))
    assert lowest == {"python-version": tested[0]}


def test_hooks_and_lint_have_one_ruff():
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    hooks = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8"))
    versions = {repository["repo"]: repository["rev"] for repository in hooks["repos"]}
    ruff = versions["https://github.com/astral-sh/ruff-pre-commit"].removeprefix("v")
    assert f"ruff=={ruff}" in settings["optional-dependencies"]["lint"]


def test_only_tags_are_released():
    assert WORKFLOWS["release"][True] == {"push": {"tags": ["v*"]}}  # YAML 1.1 takes "on" for true
    assert JOBS["release/publish"]["needs"] == "build"
    assert JOBS["release/publish"]["environment"] == "pypi"
