"""The output of a reproduction: tables, figures, skipped experiments and a final count.

A reproduction goes on. Where data, a library or the network is missing, that part is left out with
one line, the rest runs, and the exit code is 2. What is outside its bounds carries a reason; it
does not fail.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from skbayeseval._files import save_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure


# Tolerance for rounding errors when a difference equals its bound.
_ROUNDING = 1e-9


@dataclass(frozen=True)
class Line:
    """One published value, a number or a word, and the reproduced one.

    Parameters
    ----------
    row, column : str
        The row and the column of the published table.
    paper, ours : float or str
        The published and the reproduced value. Words must be equal.
    within : float, default=None
        The bound on the absolute difference. None means that there is no bound.
    digits : int, default=3
        The number of decimals to show.

    Examples
    --------
    >>> from skbayeseval.reproduce.tables import Line
    >>> line = Line("category 0", "mean", paper=-0.081, ours=-0.0824, within=0.003)
    >>> line.inside, round(line.difference, 4)
    (True, -0.0014)
    """

    row: str
    column: str
    paper: Any
    ours: Any
    within: float | None = None
    digits: int = 3

    @property
    def difference(self) -> float | None:
        """The reproduced minus the published value; None for words."""
        return None if isinstance(self.paper, str) else self.ours - self.paper

    @property
    def inside(self) -> bool | None:
        """Whether the difference is within its bound; None if there is no bound."""
        if self.difference is None:
            return bool(self.paper == self.ours)
        if self.within is None:
            return None
        return bool(abs(self.difference) <= self.within + _ROUNDING)

    def cells(self) -> dict[str, str]:
        """Return the printed cells of the line, by their column."""
        numbers = [self.paper, self.ours, "", "same"]
        if self.difference is not None:
            # Reproduced values have one more decimal than published ones, except for integers.
            more = f".{self.digits + (self.digits > 0)}f"
            numbers = [
                f"{self.paper:.{self.digits}f}",
                f"{self.ours:{more}}",
                f"{self.difference:+{more}}",
                "no bound" if self.within is None else f"{self.within:g}",
            ]
        cells = [self.row, self.column, *numbers, "outside" if self.inside is False else ""]
        return dict(zip(_HEAD, cells, strict=True))


_HEAD = ("row", "column", "published", "reproduced", "difference", "within", "")


@dataclass(frozen=True)
class Table:
    """A table of a paper, line by line.

    Parameters
    ----------
    title : str
        The title of the table.
    lines : sequence of Line
        The values of the table.

    Examples
    --------
    >>> from skbayeseval.reproduce.tables import Line, Table
    >>> lines = [Line("NER", "P(H1)", 0.679, 0.6801, 0.002), Line("NER", "favoured", "H1", "H0")]
    >>> print(Table("Table 4", lines))
    Table 4
    row   column published reproduced difference within
    NER    P(H1)     0.679     0.6801    +0.0011  0.002
    NER favoured        H1         H0              same outside
    """

    title: str
    lines: Sequence[Line]

    @property
    def inside(self) -> list[Line]:
        """The lines within their bounds."""
        return [line for line in self.lines if line.inside]

    @property
    def outside(self) -> list[Line]:
        """The lines outside their bounds."""
        return [line for line in self.lines if line.inside is False]

    def reason(self, line: Line) -> str:
        """Return why a line is outside its bound; data/reasons.json knows it."""
        for rule in load_published("reasons"):
            where = f"{line.row}, {line.column}"
            if re.match(rule["table"], self.title) and re.search(rule["line"], where):
                return str(rule["reason"])
        return "not explained"

    def __str__(self) -> str:
        printed = pd.DataFrame([line.cells() for line in self.lines], columns=list(_HEAD))
        rows = printed.to_string(index=False).splitlines()
        return "\n".join([self.title, *(row.rstrip() for row in rows)])


@cache
def load_published(name: str) -> Any:
    """Load the published tables in a file in ``data``.

    Parameters
    ----------
    name : str
        The name of the file without its extension, such as "icdm2015_tables".

    Returns
    -------
    tables : dict
        The contents of the JSON file.

    Examples
    --------
    >>> from skbayeseval.reproduce.tables import load_published
    >>> load_published("acl2019_tables")["simulation"]["n"]
    600
    """
    return json.loads((files(__package__) / "data" / f"{name}.json").read_text(encoding="utf-8"))


class MissingError(Exception):
    """An experiment lacks its data or a library. Other experiments can still run."""


class Report:
    """Prints tables, saves figures, and finally counts values inside and outside their bounds.

    Parameters
    ----------
    folder : str or path
        The folder to save figures in. It is created with the first figure.
    write : callable, default=print
        Called with each text to print.

    Attributes
    ----------
    tables : list of Table
        All tables so far.
    missing : list of str
        The experiments that were skipped, and why.
    """

    def __init__(self, folder: str | Path, write: Callable[[str], object] = print) -> None:
        self.folder = Path(folder)
        self.write = write
        self.tables: list[Table] = []
        self.missing: list[str] = []

    def table(self, table: Table) -> None:
        """Print a table, and keep it for the final count."""
        self.tables.append(table)
        self.write(f"\n{table}")

    def figure(self, name: str, figure: Figure) -> None:
        """Save a figure as a PNG and close it."""
        from matplotlib import pyplot as plt

        self.folder.mkdir(parents=True, exist_ok=True)
        path = save_figure(figure, self.folder / f"{name}.png")
        plt.close(figure)
        self.write(f"\nfigure: {path}")

    @contextmanager
    def step(self, what: str) -> Iterator[None]:
        """Run an experiment; if its data are missing, print one line and continue."""
        try:
            yield
        except MissingError as error:
            self.missing.append(f"{what} skipped: {error}")
            self.write(f"\n{self.missing[-1]}")

    def close(self) -> None:
        """Print how many values are inside and outside their bounds, and why some are outside."""
        numbers = {table.title: (len(table.inside), len(table.outside)) for table in self.tables}
        counts = pd.DataFrame.from_dict(numbers, orient="index", columns=["inside", "outside"])
        counts = counts[counts.sum(axis=1) > 0]
        if len(counts):
            counts.loc["all"] = counts.sum()
            self.write(f"\nValues inside and outside their bounds\n{counts}")
        reasons: dict[str, list[str]] = {}
        for table in self.tables:
            for line in table.outside:
                row, column, paper, ours, *_ = line.cells().values()
                where = f"{table.title.split(':')[0]}, {row}, {column}"
                reasons.setdefault(table.reason(line), []).append(
                    f"{where}: published {paper}, reproduced {ours}"
                )
        for reason, places in reasons.items():
            self.write("\n  ".join([f"\nOutside: {reason}", *places]))
        for skipped in self.missing:
            self.write(skipped)
