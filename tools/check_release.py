"""Check what a release says of itself: the version of a tag (v0.1.0), badges, the install line."""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]

# Where the version stands; the changelog needs a date as well.
PLACES = {
    "skbayeseval/_version.py": r'^__version__ = "(.*)"$',
    "CITATION.cff": r"^version: (.*)$",
    "CHANGELOG.md": r"^## (\S+) \(\d{4}-\d{2}-\d{2}\)$",
    "recipe/recipe.yaml": r'^  version: "(.*)"$',
}


def versions() -> dict[str, str | None]:
    """Return the version that each file names, None where it names none."""
    found = {}
    for name, pattern in PLACES.items():
        match = re.search(pattern, (ROOT / name).read_text(encoding="utf-8"), re.MULTILINE)
        found[name] = match[1] if match else None
    return found


def faults(readme: str, project: dict) -> list[str]:
    """Return what a README says that will not be true of the project once it is released."""
    name, licence = project["name"], project["license"].replace("-", "--")
    badges = {f"pypi/{kind}/{name}" for kind in ("v", "pyversions")}
    badges.add(f"badge/license-{licence}-blue")
    found = []
    for badge, page in re.findall(r"\[!\[[^]]*\]\((\S+?)\)\]\((\S+?)\)", readme):
        if badge.removeprefix("https://img.shields.io/") not in badges:
            found.append(f"{badge} is no badge of {name}: {', '.join(sorted(badges))}")
        if page not in project["urls"].values():
            found.append(f"{page}, where a badge leads, is not among the urls of pyproject.toml")
    installed = set(re.findall(r"\bpip install ['\"]?([\w.-]+)", readme))
    found += [f"'pip install {one}' is another project" for one in installed - {name, "."}]
    if name not in installed:
        found.append(f"there is no 'pip install {name}'")
    return [f"README.md: {one}" for one in found]


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("Give a tag: make check-release TAG=v0.1.0")
    tag = sys.argv[1]
    wrong = [
        f"{name}: version {version}, but the tag is {tag}"
        for name, version in versions().items()
        if f"v{version}" != tag
    ]
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    wrong += faults((ROOT / "README.md").read_text(encoding="utf-8"), settings["project"])
    for line in wrong:
        print(line)
    sys.exit(1 if wrong else 0)
