"""Difference of two classifiers in each class."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from skbayeseval.display.layout import (
    font_size,
    legend_below,
    line_height,
    plain_ticks,
    room,
    set_xlabel,
)
from skbayeseval.display.posterior import difference_label
from skbayeseval.display.rows import figure_height, fit_rows, name_rows
from skbayeseval.display.style import GREY, Display, Heading, Pen
from skbayeseval.display.words import pair_words, text_width
from skbayeseval.judgement.decision import MARKS
from skbayeseval.judgement.intervals import Interval

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["ClassesDisplay"]


class ClassesDisplay(Display):
    """Forest plot of the difference A minus B in each class, with HDIs and decisions.

    Classes are sorted by the difference. If there is no room for all, those with the smallest
    differences are left out. This is the picture of Tables 4 to 6 of Zhang et al. (2016).

    Parameters
    ----------
    table : pandas.DataFrame
        The columns mean, hdi_low, hdi_high and decision (the code), with one row per class.
    names : (str, str), default=("A", "B")
        The names of A and B.
    metric : str, default="f1"
        The name of the metric of each class.
    rope : Interval, default=None
        The region of practical equivalence.
    prob : float, default=0.95
        The probability mass of the HDI.

    Attributes
    ----------
    ax_ : matplotlib Axes
        The axes of the plot.
    figure_ : matplotlib Figure
        The figure of the plot.
    line_, fill_, text_ : list of matplotlib artists
        The means, the HDIs with the band of the ROPE, and the symbols of the decisions.

    Examples
    --------
    >>> from skbayeseval import compare_predictions
    >>> y, a, b = [0, 1, 2] * 60, [0, 1, 2] * 60, [0, 1, 1] * 40 + [0, 1, 2] * 20
    >>> display = compare_predictions(y, a, b, random_state=0).plot("classes", rope=0.05)
    >>> list(display.table["decision"])
    ['~', '>>', '>>']
    >>> display.ax_.get_title()
    'A is better in 2 of 3 classes, equivalent in 1'
    """

    def __init__(
        self,
        table: pd.DataFrame,
        *,
        names: tuple[str, str] = ("A", "B"),
        metric: str = "f1",
        rope: Interval | None = None,
        prob: float = 0.95,
    ) -> None:
        self.table = table
        self.names = names
        self.metric = metric
        self.rope = rope
        self.prob = prob

    def _size(self) -> tuple[float, float]:
        return 7.0, max(0.5 + figure_height(len(self.table)), 2.6)

    def _draw(self, ax: Axes, pen: Pen) -> Heading:
        words = pair_words(
            self.names, 0.22 * room(ax).width, 0.88 * room(ax).width, font_size("small")
        )
        number, size = fit_rows(ax, len(self.table), 4 if words.key else 2)
        biggest = self.table["mean"].abs().sort_values(kind="stable").index[-number:]
        table = self.table.loc[biggest].sort_values("mean", kind="stable")
        width, small = room(ax).width, font_size("small")
        rows = np.arange(len(table))
        if self.rope is not None:
            label = f"ROPE [{self.rope.low:g}, {self.rope.high:g}]"
            options = pen.fill_options(color=pen.colors[2], alpha=0.2, linewidth=0)
            pen.fills.append(ax.axvspan(*self.rope, label=label, **options))
        ax.axvline(0, color=GREY, linestyle="--", linewidth=1)
        codes = table["decision"].to_numpy()
        for some, colour, marker in (
            (codes == ">>", pen.colors[0], "o"),
            (codes == "<<", pen.colors[1], "v"),
            (codes == "~", pen.colors[2], "D"),
            (np.isin(codes, ["<", ">", "?"]), GREY, "s"),
        ):
            if not some.any():
                continue
            options = pen.fill_options(color=colour, linewidth=min(3, size / 2), alpha=0.5)
            ends = table["hdi_low"][some], table["hdi_high"][some]
            pen.fills.append(ax.hlines(rows[some], *ends, **options))
            pen.line(
                ax, table["mean"][some], rows[some], color=colour, marker=marker,
                linestyle="none", markersize=min(6, 0.8 * size),
            )  # fmt: skip
            for row in rows[some]:
                pen.text(
                    ax, 1.02, row, MARKS[codes[row]], transform=ax.get_yaxis_transform(),
                    va="center", color=colour, fontsize=max(size, 5.0),
                )  # fmt: skip
        name_rows(ax, [str(label) for label in table.index], size)
        label = difference_label(self.metric, words, 0.9 * width, font_size("medium"))
        set_xlabel(ax, label, words.key)
        sides = [f"◀ {words.b} better", f"{words.a} better ▶"]
        if sum(text_width(side, small) for side in sides) > 0.4 * width:
            sides = [f"◀ {words.b}", f"{words.a} ▶"]
        for x, side, text in ((0.0, "left", sides[0]), (1.0, "right", sides[1])):
            pen.text(ax, x, 1.0, text, transform=ax.transAxes, ha=side, va="bottom", color=GREY)
        ax.spines[["right", "top"]].set_visible(False)
        plain_ticks(ax, inches=0.55 * width)
        legend_below(ax)
        return Heading(self._finding(words[:2], len(table)), pad=line_height(small) + 4)

    def _finding(self, names: tuple[str, str], shown: int) -> str:
        codes = self.table["decision"].to_numpy()
        number = len(codes)
        counts = [int((codes == code).sum()) for code in (">>", "<<", "~")]
        ways = (f"{names[0]} is better in", f"{names[1]} is better in", "equivalent in")
        said = [f"{way} {count}" for way, count in zip(ways, counts, strict=True) if count]
        if number - sum(counts):
            said.append(f"not settled in {number - sum(counts)}")
        first, *rest = said
        words = ", ".join([f"{first} of {number} classes", *rest])
        return f"{words}; {number - shown} not shown" if shown < number else words
