"""Tables of published and reproduced values, with their differences and bounds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

__all__ = ["Line", "Table"]

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
    >>> from skbayeseval.reproduce.tables import Line
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
    >>> from skbayeseval.reproduce.tables import Line, Table
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

    def explain(self, line: Line) -> str:
        """Return the reason why a line is outside its bound."""
        return (self.reason and self.reason(line)) or "not explained"

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
