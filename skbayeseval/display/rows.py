"""Rows of a forest plot: as many as there is room for, with names of a size that fits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from skbayeseval.display.layout import font_size, label_ticks, line_height, room
from skbayeseval.display.words import plain, shorten

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["Rows", "figure_height", "fit_rows", "name_rows"]

# The smallest legible font, in points, and its share of a row.
SMALLEST, SHARE = 4.5, 0.75

# What the title (two lines), the line below it, ticks and label take, in inches.
OVERHEAD = 1.4


class Rows(NamedTuple):
    """How many rows are shown, and the size of their text in points."""

    number: int
    size: float


def figure_height(n_rows: int) -> float:
    """Return the height in inches of a new figure that shows all rows."""
    return OVERHEAD + 0.2 + n_rows * max(0.12, min(0.32, 0.32 - 0.004 * (n_rows - 12)))


def fit_rows(ax: Axes, n_rows: int, more_lines: int = 0) -> Rows:
    """Return how many of the rows fit into the axes, with so many more lines around them."""
    lines = more_lines * line_height(font_size("small"))
    points = max(72 * (room(ax).height - OVERHEAD) - lines, 20.0)
    size = min(font_size("small"), SHARE * points / n_rows)
    if size >= SMALLEST:
        return Rows(n_rows, size)
    return Rows(max(2, int(points * SHARE / SMALLEST)), SMALLEST)


def name_rows(ax: Axes, names: Sequence[str], size: float) -> None:
    """Name the rows of the axes from the bottom to the top; names take 40% of the width at most."""
    labels = [plain(name) for name in shorten(names, 0.4 * room(ax).width, size)]
    label_ticks(ax.yaxis, range(len(names)), labels, fontsize=size)
    ax.set_ylim(-0.6, len(names) - 0.4)
