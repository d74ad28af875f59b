"""What a reproduction says: tables, figures, what is missing, and a count at the end."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from skbayeseval.reproduce.tables import Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["MissingError", "Report"]


class MissingError(Exception):
    """Data or a library that an experiment needs is not here; the rest can still run."""


class Report:
    """Tables as they come, figures into a folder, and at the end what was inside and outside.

    Parameters
    ----------
    folder : str or path
        Where figures go; made when the first one comes.
    write : callable, default=print
        Takes a text.

    Attributes
    ----------
    tables : list of Table
        All so far.
    missing : list of str
        What could not be run, and why.
    """

    def __init__(self, folder: str | Path, write: Callable[[str], object] = print) -> None:
        self.folder = Path(folder)
        self.write = write
        self.tables: list[Table] = []
        self.missing: list[str] = []

    def table(self, table: Table) -> None:
        """Print a table and keep it for the count."""
        self.tables.append(table)
        self.write(f"\n{table}")

    def figure(self, name: str, figure: Figure) -> None:
        """Save a figure as a PNG and close it."""
        from matplotlib import pyplot as plt

        self.folder.mkdir(parents=True, exist_ok=True)
        path = self.folder / f"{name}.png"
        figure.savefig(path, dpi=150)
        plt.close(figure)
        self.write(f"\nfigure: {path}")

    @contextmanager
    def step(self, what: str) -> Iterator[None]:
        """Run a part that may lack its data: then say so in one line and go on."""
        try:
            yield
        except MissingError as error:
            line = f"{what} left out: {error}"
            self.missing.append(line)
            self.write(f"\n{line}")

    def close(self) -> None:
        """Print the count, and each line that is outside with the reason."""
        asked = [table for table in self.tables if table.inside or table.outside]
        if asked:
            self.write("\nInside and outside the bounds")
            width = max(len(table.title) for table in asked)
            for table in asked:
                counts = f"{len(table.inside):4d} inside, {len(table.outside):3d} outside"
                self.write(f"{table.title:<{width}}  {counts}")
            inside = sum(len(table.inside) for table in asked)
            outside = sum(len(table.outside) for table in asked)
            self.write(f"{'all':<{width}}  {inside:4d} inside, {outside:3d} outside")
        self._explain()
        for line in self.missing:
            self.write(line)

    def _explain(self) -> None:
        """Print the lines that are outside, under the reason that they share."""
        reasons: dict[str, list[str]] = {}
        for table in self.tables:
            for line in table.outside:
                row, column, paper, ours = line.cells()[:4]
                where = (
                    f"{table.title.split(':')[0]}, {row}, {column}: {paper} printed, {ours} here"
                )
                reasons.setdefault(table.explain(line), []).append(where)
        for reason, places in reasons.items():
            self.write("\n  ".join([f"\nOutside: {reason}", *places]))
