"""Run the code blocks of README.md and docs/, and write again what they print and draw.

A block without a language shows what the block before it prints. A picture that follows is the last
figure that the block has drawn.
"""

from __future__ import annotations

import contextlib
import importlib.util
import io
import os
import re
import shlex
import sys
import tempfile
from collections.abc import Iterator
from itertools import zip_longest
from pathlib import Path
from typing import Any, NamedTuple

import matplotlib.pyplot as plt

from skbayeseval.cli.program import main

ROOT = Path(__file__).resolve().parents[1]
PAGES = sorted([ROOT / "README.md", *ROOT.glob("docs/*.md"), *ROOT.glob("docs/guide/*.md")])

_BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_IMAGE = re.compile(r"\s*!\[[^\]]*\]\(([^)]+\.png)\)")


class Block(NamedTuple):
    """A block that is run.

    Attributes
    ----------
    language : {"python", "sh"}
        What runs it.
    code : str
        The code, or lines for the command line.
    shown : tuple of int or None
        Where the page shows what the block prints; None if it should print nothing.
    image : str or None
        The picture below it, as the page names it.
    """

    language: str
    code: str
    shown: tuple[int, int] | None
    image: str | None


def blocks_of(text: str) -> Iterator[Block]:
    """Yield the blocks of a page that are run."""
    found = list(_BLOCK.finditer(text))
    for block, following in zip_longest(found, found[1:]):
        language, code = block.groups()
        if language == "python" or (language == "sh" and code.startswith("skbayeseval ")):
            is_shown = following is not None and following[1] == ""
            last = following if following is not None and is_shown else block
            image = _IMAGE.match(text, last.end())
            yield Block(
                language,
                code,
                last.span(2) if is_shown else None,
                image[1] if image else None,
            )


def is_missing(block: Block) -> bool:
    """Return whether a block is about a package that is not here."""
    names = re.findall(r"^import (mlflow|skore|dask)\b", block.code, re.MULTILINE)
    needs = {"dask": "pyarrow"}  # which its data frames are made of
    return any(importlib.util.find_spec(needs.get(name, name)) is None for name in names)


def run(block: Block, namespace: dict[str, Any], page: str) -> str:
    """Run a block of a page in the current folder, and return what it prints.

    Lines may end in blanks in the header of a table; editors like to remove them.
    """
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        if block.language == "sh":
            _run_commands(block.code)
        else:
            exec(compile(block.code, page, "exec"), namespace)
    return "".join(f"{line.rstrip()}\n" for line in printed.getvalue().splitlines())


def _run_commands(code: str) -> None:
    """Run lines of the command line, and print the exit code where `echo $?` asks for it."""
    exit_code = None
    for line in code.replace("\\\n", " ").splitlines():
        if line == "echo $?":
            print(exit_code)
        else:
            program, *arguments = shlex.split(line)
            if program != "skbayeseval":
                raise ValueError(f"Lines of a block are calls of skbayeseval, not of {program!r}.")
            exit_code = main(arguments)


def renew(path: Path) -> None:
    """Write a page again, with what its blocks print now, and the pictures that they draw."""
    text = renewed = path.read_text()
    namespace: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        for block in blocks_of(text):
            if is_missing(block):  # what it shows stays
                continue
            printed = run(block, namespace, path.name)
            if block.shown is not None:
                start, end = (place + len(renewed) - len(text) for place in block.shown)
                renewed = renewed[:start] + printed + renewed[end:]
            elif printed:
                raise ValueError(f"{path.name}: no place for what a block prints: {printed!r}")
            if block.image is not None:
                if not plt.get_fignums():
                    raise ValueError(f"{path.name}: nothing was drawn for {block.image}.")
                plt.savefig(path.parent / block.image, dpi=110)
            plt.close("all")
    if renewed != text:
        path.write_text(renewed)
        print(f"{os.path.relpath(path, ROOT)}: renewed", flush=True)


if __name__ == "__main__":
    plt.switch_backend("agg")
    for page in [Path(name).resolve() for name in sys.argv[1:]] or PAGES:
        renew(page)
