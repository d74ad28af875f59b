"""Check that every file that names the version names that of a tag, such as v0.1.0."""

from __future__ import annotations

import re
import sys
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


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("Give a tag: make check-release TAG=v0.1.0")
    tag = sys.argv[1]
    wrong = {name: found for name, found in versions().items() if f"v{found}" != tag}
    for name, version in wrong.items():
        print(f"{name}: version {version}, but the tag is {tag}")
    sys.exit(1 if wrong else 0)
