"""The output of a reproduction: tables, figures, skipped experiments and a final count."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from skbayeseval._files import save_figure
from skbayeseval.reproduce.tables import Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["MissingError", "Report"]


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
            line = f"{what} skipped: {error}"
            self.missing.append(line)
            self.write(f"\n{line}")

    def close(self) -> None:
        """Print how many values are inside and outside their bounds, and why some are outside."""
        asked = [table for table in self.tables if table.inside or table.outside]
        if asked:
            self.write("\nValues inside and outside their bounds")
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
        """Print the values outside their bounds, grouped by reason."""
        reasons: dict[str, list[str]] = {}
        for table in self.tables:
            for line in table.outside:
                row, column, paper, ours = line.cells()[:4]
                where = (
                    f"{table.title.split(':')[0]}, {row}, {column}: published {paper}, "
                    f"reproduced {ours}"
                )
                reasons.setdefault(table.explain(line), []).append(where)
        for reason, places in reasons.items():
            self.write("\n  ".join([f"\nOutside: {reason}", *places]))
