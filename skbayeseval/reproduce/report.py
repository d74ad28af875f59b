"""The output of a reproduction: tables, figures, skipped experiments and a final count."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from skbayeseval import ComparisonResult
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
    third : float, default=None
        An additional reproduced value that the paper does not have.

    Examples
    --------
    >>> from skbayeseval.reproduce.report import Line
    >>> line = Line("category 0", "mean", paper=-0.081, ours=-0.0824, within=0.003)
    >>> line.inside, round(line.difference, 4)
    (True, -0.0014)
    """

    row: str
    column: str
    paper: float | str
    ours: float | str
    within: float | None = None
    digits: int = 3
    third: float | None = None

    @property
    def difference(self) -> float | None:
        """The reproduced minus the published value; None for words."""
        if isinstance(self.paper, str) or isinstance(self.ours, str):
            return None
        return self.ours - self.paper

    @property
    def inside(self) -> bool | None:
        """Whether the difference is within its bound; None if there is no bound."""
        if self.difference is None:
            return self.paper == self.ours
        if self.within is None:
            return None
        return bool(abs(self.difference) <= self.within + _ROUNDING)

    def cells(self) -> list[str]:
        """Return the printed cells of the line."""
        # Reproduced values have one more decimal than published ones, except for integers.
        one, more = f".{self.digits}f", f".{self.digits + (self.digits > 0)}f"
        if self.difference is None:
            numbers = [str(self.paper), str(self.ours), "", "same"]
        else:
            bound = "no bound" if self.within is None else f"{self.within:g}"
            numbers = [
                format(self.paper, one),
                format(self.ours, more),
                format(self.difference, f"+{more}"),
                bound,
            ]
        return [self.row, self.column, *numbers]


@dataclass(frozen=True)
class Table:
    """A table of a paper, line by line.

    Parameters
    ----------
    title : str
        The title of the table.
    lines : sequence of Line
        The values of the table.
    reason : callable, default=None
        Maps a line outside its bound to the reason, or to "" if the reason is unknown.
    third : str, default=""
        The column header of the additional values.

    Examples
    --------
    >>> from skbayeseval.reproduce.report import Line, Table
    >>> lines = [Line("NER", "P(H1)", 0.679, 0.6801, 0.002), Line("NER", "favoured", "H1", "H1")]
    >>> print(Table("Table 4", lines))
    Table 4
                   | published | reproduced | difference | within
    NER   P(H1)    |     0.679 |     0.6801 |    +0.0011 |  0.002
    NER   favoured |        H1 |         H1 |            |   same
    """

    title: str
    lines: Sequence[Line]
    reason: Callable[[Line], str] | None = None
    third: str = ""

    @property
    def inside(self) -> list[Line]:
        """The lines within their bounds."""
        return [line for line in self.lines if line.inside]

    @property
    def outside(self) -> list[Line]:
        """The lines outside their bounds."""
        return [line for line in self.lines if line.inside is False]

    def __str__(self) -> str:
        head = ["", "", "published", "reproduced", "difference", "within"]
        cells = [line.cells() for line in self.lines]
        if self.third:
            head.append(self.third)
            for line, row in zip(self.lines, cells, strict=True):
                row.append("" if line.third is None else format(line.third, f".{line.digits + 1}f"))
        widths = [max(map(len, column)) for column in zip(head, *cells, strict=True)]
        marks = ["", *("  outside" if line.inside is False else "" for line in self.lines)]
        rows = [self.title]
        for row, mark in zip([head, *cells], marks, strict=True):
            where = f"{row[0]:<{widths[0]}}  {row[1]:<{widths[1]}}"
            numbers = (f"{cell:>{w}}" for cell, w in zip(row[2:], widths[2:], strict=True))
            rows.append(" | ".join([where, *numbers]) + mark)
        return "\n".join(rows)


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
    >>> from skbayeseval.reproduce.report import load_published
    >>> load_published("acl2019_tables")["simulation"]["n"]
    600
    """
    return json.loads((files(__package__) / "data" / f"{name}.json").read_text(encoding="utf-8"))


def bound(a: str, b: str) -> float:
    """Return the allowed deviation of a reproduced difference in F1.

    Naive Bayes has a closed form, while the solver of the SVMs has changed since publication.
    """
    return 0.005 if "SVM" in a + b else 0.003


def posterior_lines(
    row: str, printed: Mapping[str, Any], result: ComparisonResult, rope: Any, within: float
) -> Iterator[Line]:
    """Yield all published values of a posterior except its Bayes factor.

    Parameters
    ----------
    row : str
        The name of the row.
    printed : dict
        The published row.
    result : ComparisonResult
        The reproduced result.
    rope : (float, float)
        The ROPE of the paper.
    within : float
        The allowed deviation of means, standard deviations and ends of HDIs. Percentages may
        deviate by ``500 * within`` percentage points.

    Yields
    ------
    line : Line
        One value.
    """
    decision = result.decision(rope)
    lower, _, greater = result.probability()
    points = 500 * within
    yield Line(row, "mean", printed["mean"], float(result.draws.mean()), within)
    yield Line(row, "std", printed["std"], float(result.draws.std()), within)
    yield Line(row, "% below 0", printed["pct_lower"], 100 * lower, points, digits=1)
    yield Line(row, "% above 0", printed["pct_greater"], 100 * greater, points, digits=1)
    inside = 100 * decision.probabilities.equivalent
    yield Line(row, "% in ROPE", printed["pct_rope"], inside, points, digits=1)
    yield Line(row, "HDI low", printed["hdi"][0], decision.hdi.low, within)
    yield Line(row, "HDI high", printed["hdi"][1], decision.hdi.high, within)
    yield Line(row, "decision", printed["decision"], decision.code)


def comparison_figure(result: ComparisonResult, kinds: tuple[str, ...], rope: Any) -> Figure:
    """Draw several plots of a result side by side.

    Parameters
    ----------
    result : ComparisonResult
        The result to draw.
    kinds : tuple of str
        The kinds of plot, as in `ComparisonResult.plot`.
    rope : (float, float)
        The ROPE to mark.

    Returns
    -------
    figure : matplotlib Figure
        The figure, with one plot per kind.
    """
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(
        1, len(kinds), figsize=(6.2 * len(kinds), 4.8), layout="constrained", squeeze=False
    )
    for kind, ax in zip(kinds, axes[0], strict=True):
        result.plot(kind, rope=rope, ax=ax)
    return figure


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
        reasons: dict[str, list[str]] = {}
        for table in self.tables:
            for line in table.outside:
                row, column, paper, ours = line.cells()[:4]
                reason = (table.reason and table.reason(line)) or "not explained"
                reasons.setdefault(reason, []).append(
                    f"{table.title.split(':')[0]}, {row}, {column}: published {paper}, "
                    f"reproduced {ours}"
                )
        for reason, places in reasons.items():
            self.write("\n  ".join([f"\nOutside: {reason}", *places]))
        for skipped in self.missing:
            self.write(skipped)
