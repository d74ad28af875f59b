"""Draw which package of skbayeseval imports which, from the code itself.

``python tools/rooms.py`` writes ``docs/images/rooms.svg`` and the imports that it shows,
``docs/images/rooms.json``; a test compares these with the code.
"""

from __future__ import annotations

import ast
import json
import tomllib
from pathlib import Path

import skbayeseval

ROOT = Path(__file__).parents[1]
IMAGES = ROOT / "docs" / "images"
PACKAGE = Path(skbayeseval.__file__).parent

# What `import skbayeseval` gives, which the packages above it import from.
PUBLIC = "public names"


def order() -> list[str]:
    """Return the packages from the top layer to the bottom, as pyproject.toml orders them."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    layers = settings["tool"]["importlinter"]["contracts"][0]["layers"]
    names = [name.strip().split(".")[1] for layer in layers for name in layer.split("|")]
    rooms = [name for name in names if (PACKAGE / name).is_dir()]
    rooms.insert(rooms.index("reproduce") + 1, PUBLIC)
    return rooms


def imports() -> dict[str, list[str]]:
    """Return, for each package in this order, the packages that it imports from."""
    rooms = order()
    found = {}
    for room in rooms:
        paths = [PACKAGE / "__init__.py"] if room == PUBLIC else (PACKAGE / room).rglob("*.py")
        targets = {name for path in paths for name in imported(path.read_text(encoding="utf-8"))}
        found[room] = [target for target in rooms if target in targets and target != room]
    return found


def imported(source: str) -> set[str]:
    """Return the packages of skbayeseval that Python source imports from.

    Examples
    --------
    >>> imported("from skbayeseval.models.binary import BCV")
    {'models'}
    >>> imported("from skbayeseval import compare_counts")
    {'public names'}
    """
    names = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom) and node.module == "skbayeseval":
            names.update(f"skbayeseval.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.add(node.module)
        elif isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
    found = set()
    for name in names:
        package, *rest = name.split(".")
        if package != "skbayeseval" or (rest and (PACKAGE / f"{rest[0]}.py").exists()):
            continue
        found.add(rest[0] if rest and (PACKAGE / rest[0]).is_dir() else PUBLIC)
    return found


def draw(edges: dict[str, list[str]], path: Path) -> None:
    """Draw a row and a column per package, and a dot where the row imports from the column."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    rooms = list(edges)
    # The same file in every run: no date, and ids that do not change.
    with mpl.rc_context({"svg.hashsalt": "skbayeseval"}):
        figure = Figure(figsize=(7.5, 6.5), layout="constrained")
        ax = figure.add_subplot()
        ax.set_facecolor("white")
        for row, room in enumerate(rooms):
            ax.axhline(row, color="0.92", zorder=0)
            ax.axvline(row, color="0.92", zorder=0)
            ax.plot(row, row, "s", color="0.75", markersize=13)
            columns = [rooms.index(target) for target in edges[room]]
            ax.plot(columns, [row] * len(columns), "o", color="tab:blue", markersize=9)
        ax.set_xticks(range(len(rooms)), rooms, rotation=60, ha="left", rotation_mode="anchor")
        ax.set_yticks(range(len(rooms)), rooms)
        ax.tick_params(length=0, top=True, labeltop=True, bottom=False, labelbottom=False)
        ax.set(
            xlim=(-0.6, len(rooms) - 0.4),
            ylim=(len(rooms) - 0.4, -0.6),
            ylabel="this package imports from ...",
        )
        ax.spines[:].set_visible(False)
        figure.savefig(path, metadata={"Date": None})


if __name__ == "__main__":
    (IMAGES / "rooms.json").write_text(json.dumps(imports(), indent=2) + "\n", encoding="utf-8")
    draw(imports(), IMAGES / "rooms.svg")
