"""Print what the package and its dependencies take of the disk, and the share of PyMC and ArviZ."""

from __future__ import annotations

import os
from collections.abc import Iterable
from importlib.metadata import distribution

from packaging.requirements import Requirement

# What only draws graphs and Markov chains, or writes their files.
OPTIONAL = ("pymc", "arviz", "h5netcdf")


def needed(names: Iterable[str], extras: Iterable[str] = ("", "h5py")) -> set[str]:
    """Return the installed packages that some packages need, and these themselves."""
    names, seen = list(names), set()
    while names:
        name = names.pop().lower().replace("_", "-")
        if name in seen:
            continue
        seen.add(name)
        for line in distribution(name).requires or []:
            requirement = Requirement(line)
            marker = requirement.marker
            if marker is None or any(marker.evaluate({"extra": extra}) for extra in extras):
                names.append(requirement.name)
    return seen


def megabytes(names: Iterable[str]) -> float:
    """Return the size of the files of packages."""
    paths = [file.locate() for name in names for file in distribution(name).files or []]
    return sum(os.path.getsize(path) for path in paths if os.path.exists(path)) / 1e6


if __name__ == "__main__":
    requires = [Requirement(line) for line in distribution("skbayeseval").requires or []]
    direct = [each.name for each in requires if each.marker is None]
    others = needed(name for name in direct if name not in OPTIONAL)
    optional = needed(OPTIONAL) - others
    print(f"skbayeseval: {megabytes(['skbayeseval']):.0f} MB")
    print(f"{', '.join(OPTIONAL)}, with what only they need: {megabytes(optional):.0f} MB")
    print(f"all others: {megabytes(others):.0f} MB in {len(others)} packages")
