"""Data frames of text as Markdown, LaTeX and HTML tables, without further dependencies."""

from __future__ import annotations

import math
import re
from collections.abc import Collection
from html import escape
from typing import Any

import numpy as np
import pandas as pd

from skbayeseval.judgement.intervals import Interval

__all__ = [
    "decimals",
    "fixed",
    "format_value",
    "html_table",
    "latex_table",
    "markdown_table",
    "written_interval",
]

_LATEX = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "≈": r"$\approx$",
    "≪": r"$\ll$",
    "≫": r"$\gg$",
    "\N{MINUS SIGN}": "$-$",
    "\N{EN DASH}": "--",
    "<": r"$<$",
    ">": r"$>$",
    "|": r"\textbar{}",
    "^": r"\textasciicircum{}",
    **{character: f"\\{character}" for character in "_%&$#{}"},
}

# What Markdown would take for markup: of a word, a tag, an entity, or the text of a link.
_MARKUP = re.compile(r"[\\|*`~]|(?<![^\W_])_|_(?![^\W_])|<(?=[A-Za-z/!?])|&(?=#?\w+;)|\](?=\()")

MINUS = "\N{MINUS SIGN}"

# If a standard deviation is 0, this many decimals are shown; more than the most never are.
USUAL_DECIMALS = 4
MOST_DECIMALS = 8


def decimals(sd: float) -> int:
    """Return the number of decimals that shows two digits of a standard deviation."""
    if not 0 < sd < math.inf:
        return USUAL_DECIMALS
    # Rounded first, since 0.00996 is shown as 0.010.
    magnitude = math.floor(math.log10(float(f"{sd:.1e}")))
    return min(max(1 - magnitude, 0), MOST_DECIMALS)


def fixed(value: float, digits: int) -> str:
    """Return the number with so many decimals, and a minus sign in place of a hyphen."""
    if math.isnan(value):
        return ""
    text = f"{value:.{digits}f}"
    if float(text) == 0:  # not -0.00
        text = text.lstrip("-")
    return text.replace("-", MINUS)


def written_interval(interval: Interval, digits: int) -> str:
    """Return the interval with so many decimals."""
    return f"[{fixed(interval.low, digits)}, {fixed(interval.high, digits)}]"


def format_value(value: Any, digits: int = 4) -> str:
    """Return the value of a parameter as short text."""
    if isinstance(value, (float, np.floating)):
        number = float(value)
        if np.isnan(number):
            return ""
        if 1 <= abs(number) < 1e6:  # 1000, not 1e+03
            return np.format_float_positional(number, digits, fractional=False, trim="-")
        return f"{number:.{digits}g}"
    if isinstance(value, (tuple, list)):
        inner = ", ".join(format_value(one, digits) for one in value)
        return f"({inner})" if isinstance(value, tuple) else f"[{inner}]"
    if isinstance(value, type) or callable(value):
        return str(getattr(value, "__name__", value))
    return " ".join(str(value).split())


def markdown_table(frame: pd.DataFrame, right: Collection[str] = ()) -> str:
    """Return a data frame of text as a Markdown table.

    Parameters
    ----------
    frame : pandas.DataFrame
        The text of each cell. The index is the first column.
    right : collection of str, default=()
        The columns that are aligned to the right, such as numbers.
    """
    header, rows = _texts(frame)
    lines = [f"| {' | '.join(map(_markdown, row))} |" for row in [header, *rows]]
    rules = [" --- " if side == "l" else " ---: " for side in _sides(frame, right)]
    return "\n".join([lines[0], f"|{'|'.join(rules)}|", *lines[1:]])


def latex_table(frame: pd.DataFrame, right: Collection[str] = ()) -> str:
    """Return a data frame of text as a LaTeX tabular with booktabs rules.

    The parameters are those of `markdown_table`.
    """
    header, rows = _texts(frame)
    lines = [f"{_unread(' & '.join(map(_latex, row)))} \\\\" for row in [header, *rows]]
    return "\n".join(
        [
            f"\\begin{{tabular}}{{{_sides(frame, right)}}}",
            "\\toprule",
            lines[0],
            "\\midrule",
            *lines[1:],
            "\\bottomrule",
            "\\end{tabular}",
        ]
    )


def html_table(frame: pd.DataFrame, right: Collection[str] = ()) -> str:
    """Return a data frame of text as an HTML table.

    The parameters are those of `markdown_table`.
    """
    header, rows = _texts(frame)
    styles = ["" if side == "l" else ' style="text-align: right"' for side in _sides(frame, right)]

    def line(row: list[str], tags: list[str]) -> str:
        cells = [
            f"<{tag}{style}>{escape(cell)}</{tag.split()[0]}>"
            for tag, style, cell in zip(tags, styles, row, strict=True)
        ]
        return f"<tr>{''.join(cells)}</tr>"

    head = line(header, ['th scope="col"'] * len(header))
    body = [line(row, ['th scope="row"', *["td"] * (len(row) - 1)]) for row in rows]
    return "\n".join(
        ["<table>", "<thead>", head, "</thead>", "<tbody>", *body, "</tbody>", "</table>"]
    )


def _sides(frame: pd.DataFrame, right: Collection[str]) -> str:
    return "l" + "".join("r" if name in right else "l" for name in frame.columns)


def _markdown(cell: str) -> str:
    return _MARKUP.sub(lambda found: f"\\{found[0]}", cell).replace(MINUS, "-")


def _latex(cell: str) -> str:
    cell = re.sub("-(?=-)", "-\0", cell)  # "--" would become a dash
    return "".join(_LATEX.get(character, character) for character in cell).replace("\0", "{}")


def _unread(line: str) -> str:
    """Protect a first character that LaTeX would read as an option of the line before."""
    return f"{{{line[0]}}}{line[1:]}" if line[:1] in ("[", "*") else line


def _texts(frame: pd.DataFrame) -> tuple[list[str], list[list[str]]]:
    header = [_line(frame.index.name or ""), *map(_line, frame.columns)]
    rows = [
        [_line(index), *map(_line, row)]
        for index, row in zip(frame.index, frame.itertuples(index=False), strict=True)
    ]
    return header, rows


def _line(value: Any) -> str:
    return " ".join(str(value).split())
