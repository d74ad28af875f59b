"""A printed number beside ours: paper, ours, difference, within."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

__all__ = ["Line", "Table"]

# Differences are held against bounds that are printed with as many digits.
_ROUNDING = 1e-9


@dataclass(frozen=True)
class Line:
    """One printed number, or word, beside ours.

    Parameters
    ----------
    row, column : str
        Where it is printed.
    paper, ours : float or str
        The printed value and ours; words must be equal.
    within : float, default=None
        The bound of the difference; None is for numbers that are shown without one.
    digits : int, default=3
        The decimals to show.
    third : float, default=None
        A further number of ours, that the paper does not have.

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
        """Ours minus the paper's; None for words."""
        if isinstance(self.paper, str) or isinstance(self.ours, str):
            return None
        return self.ours - self.paper

    @property
    def inside(self) -> bool | None:
        """Whether ours is as near as it should be; None where nothing is asked."""
        if self.difference is None:
            return self.paper == self.ours
        if self.within is None:
            return None
        return bool(abs(self.difference) <= self.within + _ROUNDING)

    def cells(self) -> list[str]:
        """Return the line as it is printed."""
        # One decimal more than in print, but whole numbers stay whole.
        one, more = f".{self.digits}f", f".{self.digits + (self.digits > 0)}f"
        if self.difference is None:
            numbers = [str(self.paper), str(self.ours), "", "same"]
        else:
            bound = "shown only" if self.within is None else f"{self.within:g}"
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
        Which table.
    lines : sequence of Line
        Its numbers.
    reason : callable, default=None
        From a line that is outside to why, in words; "" where it is not known.
    third : str, default=""
        What the further numbers of the lines are.

    Examples
    --------
    >>> from skbayeseval.reproduce.tables import Line, Table
    >>> lines = [Line("NER", "P(H1)", 0.679, 0.6801, 0.002), Line("NER", "favoured", "H1", "H1")]
    >>> print(Table("Table 4", lines))
    Table 4
                   | paper |   ours | difference | within
    NER   P(H1)    | 0.679 | 0.6801 |    +0.0011 |  0.002
    NER   favoured |    H1 |     H1 |            |   same
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
        """The lines beyond them."""
        return [line for line in self.lines if line.inside is False]

    def explain(self, line: Line) -> str:
        """Return why a line is outside."""
        return (self.reason and self.reason(line)) or "not explained"

    def __str__(self) -> str:
        head = ["", "", "paper", "ours", "difference", "within"]
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
