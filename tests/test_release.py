"""What a release hands out: versions, the recipe for conda, names that stay, files that load."""

import json
import re
import runpy
import sys
import tomllib

import pytest
import yaml

import skbayeseval
from tests.conftest import ROOT

SETTINGS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
RECIPE = yaml.safe_load((ROOT / "recipe" / "recipe.yaml").read_text(encoding="utf-8"))

# Where conda-forge names or splits a package otherwise.
IN_CONDA = {"matplotlib": "matplotlib-base"}


def check_release(tag, capsys, monkeypatch):
    """Return the exit code of the script, and what it prints."""
    monkeypatch.setattr(sys, "argv", ["check_release.py", tag])
    with pytest.raises(SystemExit) as done:
        runpy.run_path(str(ROOT / "tools" / "check_release.py"), run_name="__main__")
    return done.value.code, capsys.readouterr().out


@pytest.mark.skipif(not (ROOT / "skbayeseval").exists(), reason="a wheel has no sources beside it")
def test_all_files_name_one_version(capsys, monkeypatch):
    if ".dev" not in skbayeseval.__version__:
        assert check_release(f"v{skbayeseval.__version__}", capsys, monkeypatch) == (0, "")
    code, printed = check_release("v99.0", capsys, monkeypatch)
    assert code == 1
    assert printed.count("but the tag is v99.0") == 4


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ("", 0),
        ("[![x](https://img.shields.io/pypi/v/scikit)](https://pypi.org/project/skbayeseval/)", 1),
        ("pip install bayes", 1),
    ],
)
def test_the_readme_says_what_will_be_true(more, expected):
    readme = (ROOT / "README.md").read_text(encoding="utf-8") + more
    found = runpy.run_path(str(ROOT / "tools" / "check_release.py"))["faults"](readme, SETTINGS)
    assert len(found) == expected


def test_zenodo_is_told_what_the_citation_says():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    zenodo = json.loads((ROOT / ".zenodo.json").read_text(encoding="utf-8"))
    assert zenodo["description"] == citation["abstract"]
    assert zenodo["creators"] == citation["authors"]
    for name in ("title", "license", "keywords"):
        assert zenodo[name] == citation[name]
    dois = [(reference["doi"], "cites") for reference in citation["references"]]
    assert [(one["identifier"], one["relation"]) for one in zenodo["related_identifiers"]] == dois
    assert citation["url"] in SETTINGS["urls"].values()


def test_the_recipe_has_the_dependencies_of_the_package():
    python, *required = RECIPE["requirements"]["run"]
    assert python == "python >=${{ python_min }}"
    expected = []
    for requirement in SETTINGS["dependencies"]:
        name, extra, floor = re.fullmatch(r"([\w-]+)(?:\[(\w+)\])?>=(.+)", requirement).groups()
        expected.append(f"{IN_CONDA.get(name, name)} >={floor}")
        expected += [extra] if extra else []
    assert sorted(required) == sorted(expected)
    variants = yaml.safe_load((ROOT / "recipe" / "variants.yaml").read_text(encoding="utf-8"))
    assert SETTINGS["requires-python"] == f">={variants['python_min'][0]}"


def test_floors_are_pins(capsys):
    runpy.run_path(str(ROOT / "tools" / "floors.py"), run_name="__main__")
    pins = capsys.readouterr().out.splitlines()
    assert len(pins) == len(SETTINGS["dependencies"]) + 1  # pyarrow, which tests read Parquet with
    assert all(re.fullmatch(r"[\w-]+==[\d.]+", pin) for pin in pins)
    assert "numpy==1.26.0" in pins
