"""The sources of the site say the same as the code."""

import importlib
import json
import re
import runpy

import pytest

from tests.conftest import ROOT

DOCS = ROOT / "docs"
TOOLS = ROOT / "tools"
PACKAGES = ["", ".judgement", ".metrics", ".models", ".display"]
# Not objects to call or to look at, or in two packages and documented in the first.
ELSEWHERE = {
    "skbayeseval": {"__version__", "metrics"},
    "skbayeseval.judgement": {"hdi"},
}


def documented():
    """Return the names in the tables of docs/api.md, by package."""
    found, package = {}, None
    for line in (DOCS / "api.md").read_text(encoding="utf-8").splitlines():
        if line.startswith(".. currentmodule::"):
            package = line.split()[-1]
        elif re.fullmatch(r"   \w+", line):
            found.setdefault(package, []).append(line.strip())
    return found


@pytest.mark.parametrize("package", [f"skbayeseval{name}" for name in PACKAGES])
def test_the_reference_has_every_public_name_once(package):
    public = set(importlib.import_module(package).__all__)
    expected = public - ELSEWHERE.get(package, set())
    assert sorted(documented()[package]) == sorted(expected)


def test_the_gallery_has_every_example():
    questions = runpy.run_path(str(TOOLS / "gallery_order.py"))["QUESTIONS"]
    assert sorted(questions) == sorted(path.name for path in ROOT.glob("examples/*.py"))
    assert len(questions) >= 14


def test_the_picture_of_the_packages_is_up_to_date():
    rooms = runpy.run_path(str(TOOLS / "rooms.py"))
    found = rooms["imports"]()
    kept = json.loads((DOCS / "images" / "rooms.json").read_text(encoding="utf-8"))
    assert kept == found, "run make rooms"
    order = list(found)
    assert all(
        order.index(target) > order.index(room)
        for room, targets in found.items()
        for target in targets
    )


PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("benchmarks/*.md"), *DOCS.rglob("*.md")])
PAGES = [page for page in PAGES if "_build" not in page.parts]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)\s]+)\)", page.read_text(encoding="utf-8")):
        if re.match(r"https?:|mailto:", target):
            continue
        name, _, anchor = target.partition("#")
        linked = page.parent / name if name else page
        assert linked.exists(), target
        if anchor:
            assert anchor in anchors(linked), target


def anchors(page):
    """Return the anchors that GitHub and the site make of the headings of a page."""
    headings = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_versions_of_all_dependencies_are_shown(capsys):
    import tomllib

    from skbayeseval import show_versions

    show_versions()
    shown = capsys.readouterr().out
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    for requirement in settings["project"]["dependencies"]:
        name = re.match(r"[\w-]+", requirement).group()
        assert re.search(rf"^ +{name}: \d", shown, re.MULTILINE)


def test_the_paper_cites_what_its_bibliography_has():
    entries = set(
        re.findall(r"^@\w+\{([^,]+),", (ROOT / "paper.bib").read_text("utf-8"), re.MULTILINE)
    )
    cited = set(re.findall(r"@([\w-]+)", (ROOT / "paper.md").read_text("utf-8").split("---", 2)[2]))
    assert cited
    assert cited <= entries
