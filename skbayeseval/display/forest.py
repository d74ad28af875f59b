"""Difference of two classifiers in each subgroup, alone and partially pooled, and overall."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from skbayeseval.display.posterior import difference_label
from skbayeseval.display.style import (
    GREY,
    Display,
    Heading,
    PairWords,
    Pen,
    figure_height,
    fit_rows,
    font_size,
    legend_below,
    line_height,
    name_rows,
    pair_words,
    plain,
    plain_ticks,
    room,
    set_xlabel,
    text_width,
)
from skbayeseval.judgement.decision import MARKS
from skbayeseval.judgement.intervals import Interval

if TYPE_CHECKING:
    from matplotlib.axes import Axes


__all__ = [
    "ClassesDisplay",
    "ForestDisplay",
]


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


# How far intervals of subgroups alone may extend the axis, as a share of what else is shown.
LARGEST_MARGIN = 0.5


# Intervals of subgroups alone are this far below the pooled ones, in rows, and pale.
BELOW, PALE = 0.22, "#999999"


# Axes that are lower, in inches, have no room for a whole legend.
LEAST_HEIGHT = 2.7


class ForestDisplay(Display):
    """Forest plot of the difference A minus B in each subgroup, and overall.

    Strong lines are the HDIs of the partially pooled differences, thin lines those given each
    subgroup alone. Thin lines that are much longer than all others end in an arrow.

    Parameters
    ----------
    table : pandas.DataFrame
        The columns n, mean, hdi_low, hdi_high, alone_low, alone_high and decision (the code), with
        one row per subgroup, and n_groups, if groups are to be counted. A subgroup with NaN has too
        few instances.
    overall : (float, float, float)
        The mean, and the low and the high end of the HDI, given all instances.
    names : (str, str), default=("A", "B")
        The names of A and B.
    metric : str, default="score"
        The name of the metric.
    rope : Interval, default=None
        The region of practical equivalence.
    prob : float, default=0.95
        The probability mass of the HDIs.
    column : str, default=None
        What the subgroups are subgroups of.
    finding : str, default=""
        What the subgroups show, which is the title.

    Attributes
    ----------
    ax_ : matplotlib Axes
        The axes of the plot.
    figure_ : matplotlib Figure
        The figure of the plot.
    line_, fill_, text_ : list of matplotlib artists
        The means; the HDIs, the diamond of all instances and the band of the ROPE; and the numbers
        of instances.

    Examples
    --------
    >>> from skbayeseval import compare_items
    >>> right_a, right_b = [1, 1, 0, 1] * 30, [1, 0, 0, 1] * 30
    >>> subject = ["law", "law", "physics", "physics"] * 30
    >>> display = compare_items(right_a, right_b, random_state=0).by(subject).plot(rope=0.05)
    >>> [text.get_text() for text in display.ax_.get_yticklabels()]
    ['all instances', 'physics', 'law']
    """

    def __init__(
        self,
        table: pd.DataFrame,
        *,
        overall: tuple[float, float, float],
        names: tuple[str, str] = ("A", "B"),
        metric: str = "score",
        rope: Interval | None = None,
        prob: float = 0.95,
        column: str | None = None,
        finding: str = "",
    ) -> None:
        self.table = table
        self.overall = overall
        self.names = names
        self.metric = metric
        self.rope = rope
        self.prob = prob
        self.column = column
        self.finding = finding

    def _size(self) -> tuple[float, float]:
        return 7.0, max(0.6 + figure_height(len(self.table) + 1), 2.8)

    def _draw(self, ax: Axes, pen: Pen) -> Heading:
        width, small = room(ax).width, font_size("small")
        words = pair_words(self.names, 0.22 * width, 0.88 * width, small)
        number, size = fit_rows(ax, len(self.table) + 1, 5 if words.key else 3)
        # If there is no room for all, the largest subgroups are shown.
        largest = np.argsort(-self.table["n"].to_numpy(), kind="stable")[: number - 1]
        table = self.table.iloc[np.sort(largest)[::-1]]
        rows = 1 + np.arange(len(table))
        if self.rope is not None:
            label = f"ROPE [{self.rope.low:g}, {self.rope.high:g}]"
            options = pen.fill_options(color=pen.colors[2], alpha=0.2, linewidth=0)
            pen.fills.append(ax.axvspan(*self.rope, label=label, **options))
        ax.axvline(0, color=GREY, linestyle="--", linewidth=1, zorder=1)
        self._limit(ax, table)
        self._draw_alone(ax, pen, table, rows)
        self._draw_pooled(ax, pen, table, rows, size, words)
        self._draw_overall(ax, pen)
        self._write_numbers(ax, pen, table, rows, size)
        name_rows(ax, ["all instances", *map(str, table.index)], size)
        label = difference_label(self.metric, words, 0.9 * width, font_size("medium"))
        set_xlabel(ax, label, words.key)
        self._name_sides(ax, pen, words)
        ax.spines[["right", "top"]].set_visible(False)
        plain_ticks(ax, inches=0.55 * width)
        if room(ax).height < LEAST_HEIGHT:  # the colours are those of the two sides
            for one in [*pen.lines, *pen.fills]:
                one.set_label(one.get_label() if str(one.get_label()).startswith("ROPE") else "")
        legend_below(ax)
        left_out = len(self.table) - len(table)
        said = f"{plain(self.finding)}; {left_out} not shown" if left_out else plain(self.finding)
        return Heading(said, pad=line_height(small) + 4)

    def _limit(self, ax: Axes, table: pd.DataFrame) -> None:
        """Limit the axis, so that small subgroups alone do not make all others hard to see."""
        rope = (0.0, 0.0) if self.rope is None else self.rope
        low = np.nanmin([table["hdi_low"].min(), self.overall[1], *rope])
        high = np.nanmax([table["hdi_high"].max(), self.overall[2], *rope])
        margin = LARGEST_MARGIN * (high - low)
        low = max(low - margin, np.nanmin([low, table["alone_low"].min()]))
        high = min(high + margin, np.nanmax([high, table["alone_high"].max()]))
        room_beside = 0.04 * (high - low) or 0.01
        ax.set_xlim(low - room_beside, high + room_beside)

    def _draw_alone(self, ax: Axes, pen: Pen, table: pd.DataFrame, rows: np.ndarray) -> None:
        low, high = ax.get_xlim()
        ends = table["alone_low"].to_numpy(), table["alone_high"].to_numpy()
        label = f"each subgroup alone ({100 * self.prob:.3g}% HDI)"
        options = pen.fill_options(color=PALE, linewidth=1.0, label=label)
        shown = np.maximum(ends[0], low), np.minimum(ends[1], high)
        pen.fills.append(ax.hlines(rows - BELOW, *shown, **options))
        for beyond, x, marker in ((ends[0] < low, low, "<"), (ends[1] > high, high, ">")):
            for row in rows[beyond]:
                ax.plot(x, row - BELOW, marker=marker, color=PALE, markersize=3.5, clip_on=False)

    def _draw_pooled(
        self,
        ax: Axes,
        pen: Pen,
        table: pd.DataFrame,
        rows: np.ndarray,
        size: float,
        words: PairWords,
    ) -> None:
        codes = table["decision"].to_numpy()
        for some, colour, marker, label in (
            (codes == ">>", pen.colors[0], "o", f"{words.a} better"),
            (codes == "<<", pen.colors[1], "v", f"{words.b} better"),
            (codes == "~", pen.colors[2], "D", "equivalent"),
            (np.isin(codes, ["<", ">", "?"]), GREY, "s", "not settled"),
        ):
            if not some.any():
                continue
            ends = table["hdi_low"][some], table["hdi_high"][some]
            options = pen.fill_options(color=colour, linewidth=min(3.5, size / 2), alpha=0.6)
            pen.fills.append(ax.hlines(rows[some], *ends, **options))
            pen.line(
                ax, table["mean"][some], rows[some], color=colour, marker=marker,
                linestyle="none", markersize=min(6, 0.8 * size), label=label,
            )  # fmt: skip
        for row in rows[table["mean"].isna().to_numpy()]:
            pen.text(
                ax, 0.02, row, "too few to say", transform=ax.get_yaxis_transform(), va="center",
                color=GREY, fontsize=size, fontstyle="italic",
            )  # fmt: skip

    def _draw_overall(self, ax: Axes, pen: Pen) -> None:
        mean, low, high = self.overall
        options = pen.fill_options(color="black", linewidth=0)
        x, y = [low, mean, high, mean], [0.0, 0.28, 0.0, -0.28]
        pen.fills += ax.fill(x, y, zorder=3, **options)
        # Dotted, so that it is not taken for an interval of the row above it.
        ax.axhline(0.5, color=GREY, linewidth=0.8, linestyle=(0, (1, 3)))

    def _write_numbers(
        self, ax: Axes, pen: Pen, table: pd.DataFrame, rows: np.ndarray, size: float
    ) -> None:
        unit, heading = ("n_groups", "groups") if "n_groups" in table else ("n", "n")
        numbers = [int(self.table[unit].sum()), *table[unit]]
        widest = max(text_width(said, size) for said in [heading, *(f"{n:,}" for n in numbers)])
        # Right-aligned: as far from the axis as the widest number is wide.
        from matplotlib.transforms import ScaledTranslation

        shift = ScaledTranslation(widest + 0.12, 0, ax.figure.dpi_scale_trans)
        for row, n in zip([0, *rows], numbers, strict=True):
            pen.text(
                ax, 1.0, row, f"{n:,}", transform=ax.get_yaxis_transform() + shift, ha="right",
                va="center", fontsize=size, color=GREY,
            )  # fmt: skip
        pen.text(
            ax, 1.0, 1.0, heading, transform=ax.transAxes + shift, ha="right", va="bottom",
            color=GREY,
        )  # fmt: skip

    def _name_sides(self, ax: Axes, pen: Pen, words: PairWords) -> None:
        sides = [f"◀ {words.b} better", f"{words.a} better ▶"]
        small = font_size("small")
        if sum(text_width(side, small) for side in sides) > 0.3 * room(ax).width:
            sides = [f"◀ {words.b}", f"{words.a} ▶"]
        for x, side, text in ((0.0, "left", sides[0]), (1.0, "right", sides[1])):
            pen.text(ax, x, 1.0, text, transform=ax.transAxes, ha=side, va="bottom", color=GREY)
