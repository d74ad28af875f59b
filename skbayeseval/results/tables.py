"""Data frames as Markdown and LaTeX tables, without further dependencies."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

__all__ = ["format_value", "latex_table", "markdown_table"]

_LATEX = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "≈": r"$\approx$",
    "≪": r"$\ll$",
    "≫": r"$\gg$",
    "<": r"$<$",
    ">": r"$>$",
    "^": r"\textasciicircum{}",
    **{character: f"\\{character}" for character in "_%&$#{}"},
}


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


def markdown_table(frame: pd.DataFrame) -> str:
    """Return a data frame of strings as a Markdown table."""
    header, rows = _texts(frame)
    cells = [[cell.replace("|", r"\|") for cell in row] for row in [header, *rows]]
    lines = [f"| {' | '.join(row)} |" for row in cells]
    return "\n".join([lines[0], f"|{' --- |' * len(header)}", *lines[1:]])


def latex_table(frame: pd.DataFrame) -> str:
    """Return a data frame of strings as a LaTeX tabular with booktabs rules."""
    header, rows = _texts(frame)
    cells = [
        ["".join(_LATEX.get(character, character) for character in cell) for cell in row]
        for row in [header, *rows]
    ]
    lines = [f"{' & '.join(row)} \\\\" for row in cells]
    return "\n".join(
        [
            f"\\begin{{tabular}}{{{'l' * len(header)}}}",
            "\\toprule",
            lines[0],
            "\\midrule",
            *lines[1:],
            "\\bottomrule",
            "\\end{tabular}",
        ]
    )


def _texts(frame: pd.DataFrame) -> tuple[list[str], list[list[str]]]:
    header = [str(frame.index.name or ""), *map(str, frame.columns)]
    rows = [
        [str(index), *map(str, row)]
        for index, row in zip(frame.index, frame.itertuples(index=False), strict=True)
    ]
    return header, rows
