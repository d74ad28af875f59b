"""Inventories of other projects for links into their documentation, made without network.

``docs/inventories/NAME.txt`` holds the address of the documentation in its first line, and below it
one object a line: its role, its name and where it is, with ``$`` for the name. Sphinx wants the
same as a compressed file, which is written here.
"""

from __future__ import annotations

import zlib
from pathlib import Path

TEXTS = Path(__file__).parents[1] / "docs" / "inventories"


def write_inventories(folder: Path) -> dict[str, tuple[str, str]]:
    """Write an inventory per text file, and return the setting ``intersphinx_mapping``."""
    folder.mkdir(parents=True, exist_ok=True)
    mapping = {}
    for path in sorted(TEXTS.glob("*.txt")):
        address, *lines = path.read_text(encoding="utf-8").splitlines()
        target = folder / f"{path.stem}.inv"
        target.write_bytes(inventory(path.stem, lines))
        mapping[path.stem] = (address, str(target))
    return mapping


def inventory(project: str, lines: list[str]) -> bytes:
    r"""Return the inventory of a project, from lines of role, name and place.

    Examples
    --------
    >>> inventory("numpy", ["py:class numpy.ndarray api/$.html"])[:32]
    b'# Sphinx inventory version 2\n# P'
    """
    header = (
        "# Sphinx inventory version 2\n"
        f"# Project: {project}\n"
        "# Version: \n"
        "# The remainder of this file is compressed using zlib.\n"
    )
    entries = []
    for line in lines:
        role, name, place = line.split()
        entries.append(f"{name} {role} 1 {place.replace('$', name)} -\n")
    return header.encode() + zlib.compress("".join(entries).encode())
