"""What a release hands out: versions, the recipe for conda, names that stay, files that load."""

import json
import re
import runpy
import subprocess
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


# A wheel is tested without the sources beside it.
FROM_SOURCES = pytest.mark.skipif(not (ROOT / "skbayeseval").exists(), reason="no sources here")


def check_release(*arguments):
    command = [sys.executable, str(ROOT / "tools" / "check_release.py"), *arguments]
    return subprocess.run(command, capture_output=True, text=True)


@FROM_SOURCES
def test_all_files_name_one_version():
    if ".dev" in skbayeseval.__version__:
        pytest.skip("between releases")
    assert check_release(f"v{skbayeseval.__version__}").returncode == 0


@FROM_SOURCES
def test_another_tag_is_refused():
    done = check_release("v99.0")
    assert done.returncode == 1
    assert done.stdout.count("but the tag is v99.0") == 4
    assert check_release().returncode == 1


BADGE = "[![PyPI](https://img.shields.io/pypi/v/{}"
PAGE = ")](https://pypi.org/project/skbayeseval/)"


@pytest.mark.parametrize(
    ("readme", "expected"),
    [
        (None, []),
        (f"{BADGE.format('skbayeseval')}{PAGE} `pip install skbayeseval`", []),
        (f"{BADGE.format('scikit')}{PAGE} `pip install skbayeseval`", ["/v/scikit is no badge of"]),
        (
            f"{BADGE.format('skbayeseval')})](https://example.org) pip install skbayeseval",
            ["https://example.org, where a badge leads"],
        ),
        (
            "pip install bayes; pip install .",
            ["'pip install bayes'", "no 'pip install skbayeseval'"],
        ),
    ],
)
def test_the_readme_says_what_will_be_true(readme, expected):
    readme = readme or (ROOT / "README.md").read_text(encoding="utf-8")
    found = runpy.run_path(str(ROOT / "tools" / "check_release.py"))["faults"](readme, SETTINGS)
    assert len(found) == len(expected)
    assert all(part in one for part, one in zip(expected, found, strict=True))


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


def test_the_recipe_describes_this_package():
    assert RECIPE["about"]["summary"] == SETTINGS["description"]
    assert RECIPE["about"]["license"] == SETTINGS["license"]
    entry_points = [f"{name} = {place}" for name, place in SETTINGS["scripts"].items()]
    assert RECIPE["build"]["python"]["entry_points"] == entry_points


def test_floors_are_pins():
    pins = subprocess.run(
        [sys.executable, str(ROOT / "tools" / "floors.py")],
        capture_output=True,
        text=True,
        check=True,
    ).stdout.splitlines()
    assert len(pins) == len(SETTINGS["dependencies"])
    assert all(re.fullmatch(r"[\w-]+==[\d.]+", pin) for pin in pins)
    assert "numpy==1.26.0" in pins
