"""Grids: a metric over two parameters, and the decisions of all pairs."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from skbayeseval._arrays import Array
from skbayeseval.display.style import (
    GREY,
    Display,
    Pen,
    escape_dollars,
    label_ticks,
    shorten,
    text_width,
    wrap,
)
from skbayeseval.judgement.decision import MARKS, Decision, format_probability
from skbayeseval.judgement.rope import describe_side

if TYPE_CHECKING:
    from matplotlib.axes import Axes


# No numbers are written where they would have fewer points.
SMALLEST_NUMBERS = 5.0


@dataclass(eq=False, repr=False)
class HeatmapDisplay(Display):
    """Posterior means of a metric over a grid of two parameters.

    The colour of a cell is the posterior mean. Cells that are practically equivalent to the best
    are marked with ≈, and cells that are surely worse are faded.

    Parameters
    ----------
    means : pandas.DataFrame
        The posterior means, with the parameter values as index and columns; NaN for combinations
        that were not evaluated.
    decisions : pandas.DataFrame
        The decision code of each cell compared with the best cell, with the same shape.
    metric : str, default="score"
        The name of the metric.
    note : str, default=""
        A further line of the title.
    rope : float, default=0.0
        The colours span at least so much, so that practically equal values look alike.

    Attributes
    ----------
    ax_ : matplotlib Axes
        The axes of the plot.
    figure_ : matplotlib Figure
        The figure of the plot.
    line_, fill_, text_ : list of matplotlib artists
        Nothing, the image, and the numbers and marks in the cells.

    Examples
    --------
    >>> import pandas as pd
    >>> from skbayeseval.display import HeatmapDisplay
    >>> rows, columns = pd.Index([1, 10], name="C"), pd.Index(["0.1", "1"], name="gamma")
    >>> means = pd.DataFrame([[0.9, 0.95], [0.7, 0.94]], rows, columns)
    >>> decisions = pd.DataFrame([["<", "~"], ["<<", "~"]], rows, columns)
    >>> HeatmapDisplay(means, decisions, metric="f1").plot().ax_.get_xlabel()
    'gamma'
    """

    means: pd.DataFrame
    decisions: pd.DataFrame
    _: KW_ONLY
    metric: str = "score"
    note: str = ""
    rope: float = 0.0

    def _size(self) -> tuple[float, float]:
        n_rows, n_columns = self.means.shape
        width = min(max(2.6 + 0.62 * n_columns, 5.0), 14.0)
        return width, min(max(1.7 + 0.45 * n_rows, 3.4), 12.0)

    def _draw(self, ax: Axes, pen: Pen) -> str:
        values = self.means.to_numpy(dtype=float)
        codes = self.decisions.to_numpy(dtype=object)
        faded = np.where(codes == "<<", 0.35, 1.0)
        # A few very poor candidates would otherwise dominate the range of colours.
        lowest, high = float(np.nanmin(values)), float(np.nanmax(values))
        hopeful = values[(codes != "<<") & ~np.isnan(values)]
        low = max(lowest, high - 4 * (high - float(hopeful.min()))) if len(hopeful) else lowest
        low = min(low if low < high else lowest, high - self.rope)
        low = low if low < high else low - 0.01
        options = {"cmap": "viridis", "vmin": low, "vmax": high, "aspect": "auto", "alpha": faded}
        image = ax.imshow(values, **{**options, "origin": "lower", **pen.given["fill"]})
        pen.fills.append(image)
        width, height, small, medium = pen.width, pen.height, pen.small, pen.medium
        # What labels and the colour bar leave for the cells.
        number = text_width(_number(lowest, values), small)
        of_cells = max(width - 1.6 - number, 0.3 * width), max(height - 1.6, 0.4)
        self._write_cells(pen, values, codes, of_cells)
        rows, columns = ([str(one) for one in axis] for axis in self.means.axes)
        step = max(1, math.ceil(1.3 * small * len(rows) / (72 * of_cells[1])))
        names = shorten(rows, 0.2 * width, small)[::step]
        label_ticks(ax.yaxis, range(0, len(rows), step), names, fontsize=small)
        each = of_cells[0] / len(columns)
        crowded = max(text_width(one, small) for one in columns) > 0.9 * each
        labels = shorten(columns, 0.3 * height if crowded else each, small)
        slanted: dict[str, Any] = (
            {"rotation": 40, "ha": "right", "rotation_mode": "anchor"} if crowded else {}
        )
        step = max(1, math.ceil(1.4 * small / (72 * each))) if crowded else 1
        places = range(0, len(columns), step)
        label_ticks(ax.xaxis, places, labels[::step], fontsize=small, **slanted)
        pen.set_xlabel(wrap(escape_dollars(str(self.means.columns.name)), 0.6 * width, medium))
        ax.set_ylabel(wrap(escape_dollars(str(self.means.index.name)), 0.6 * height, medium))
        extend = "min" if lowest < low else "neither"
        bar = ax.figure.colorbar(image, ax=ax, extend=extend)
        label = wrap(
            f"posterior mean of {escape_dollars(self.metric)}", max(height - 1.5, 0.8), small
        )
        bar.set_label(label, fontsize=small)
        bar.ax.tick_params(labelsize=small)
        pen.on(bar.ax).plain_ticks("y", inches=max(height - 1.5, 0.5))
        ax.spines[:].set_visible(False)
        i, j = map(int, np.unravel_index(np.nanargmax(values), values.shape))
        x, y = self.means.columns, self.means.index
        best = f"best: {x.name}={x[j]}, {y.name}={y[i]} ({_number(values[i, j], values)})"
        equivalent, worse = int((codes == "~").sum()), int((codes == "<<").sum())
        said = escape_dollars(f"{best}\n≈ equivalent: {equivalent}, faded: {worse} surely worse")
        return f"{said}\n{self.note}" if self.note else said

    def _write_cells(
        self, pen: Pen, values: Array, codes: Array, inches: tuple[float, float]
    ) -> None:
        """Write numbers and marks into the cells, which have so much room together."""
        small, image = pen.small, pen.fills[0]
        n_rows, n_columns = values.shape
        width, height = 72 * inches[0] / n_columns, 72 * inches[1] / n_rows
        numbers = [_number(value, values) for value in values.ravel() if not np.isnan(value)]
        widest = max(72 * text_width(one, small) for one in numbers)
        size = min(small, small * 0.92 * width / widest, 0.4 * height)
        with_numbers = size >= SMALLEST_NUMBERS
        if not with_numbers:
            size = min(small, 0.8 * height, 0.9 * width)
        for (i, j), value in np.ndenumerate(values):
            if np.isnan(value):
                pen.text(j, i, "·", ha="center", va="center", color="grey", fontsize=size)
                continue
            mark = "≈" if codes[i, j] == "~" else ""
            words = [mark, _number(value, values)] if with_numbers else [mark]
            red, green, blue, _ = image.cmap(image.norm(value))
            light = codes[i, j] == "<<" or 0.3 * red + 0.59 * green + 0.11 * blue > 0.45
            pen.text(
                j, i, "\n".join(filter(None, words)), ha="center", va="center",
                color="black" if light else "white", fontsize=size, linespacing=1.0,
            )  # fmt: skip


def _number(value: float, values: Array) -> str:
    """Return the value with enough digits to tell the cells apart."""
    span, largest = float(np.nanmax(values) - np.nanmin(values)), float(np.nanmax(np.abs(values)))
    if largest >= 1e5 or 0 < largest < 1e-3:
        return f"{value:.3g}"
    decimals = 3 if span <= 0 else int(min(max(2 - np.floor(np.log10(span)), 0), 5))
    return f"{value:.{min(decimals, 3) if largest <= 1 else decimals}f}"


# For each mark its meaning, the colour (among those of the palette; None is grey) and its strength.
CELLS: dict[str, tuple[str, int | None, float]] = {
    "≫": ("row better", 0, 0.6),
    "≪": ("row worse", 1, 0.6),
    "≈": ("equivalent", 2, 0.35),
    "?": ("not settled", None, 0.1),
}


# Cells of fewer points than this hold only a symbol, or only a colour, which needs a legend.
POINTS_OF_TWO_LINES, POINTS_OF_A_SYMBOL = 19.0, 8.0


@dataclass(eq=False, repr=False)
class PairsDisplay(Display):
    """Matrix of pairwise decisions: the classifier of the row against that of the column.

    Below the symbol of each decision, or "?" if it is not settled, is the probability that the row
    is better than the column by more than the ROPE allows. Small cells show only the symbol or the
    colour.

    Parameters
    ----------
    decisions : mapping of (int, int) to Decision
        The decision for every ordered pair of classifiers.
    names : sequence of str
        The names of the classifiers.
    metric : str, default="score"
        The name of the metric.

    Attributes
    ----------
    ax_ : matplotlib Axes
        The axes of the plot.
    figure_ : matplotlib Figure
        The figure of the plot.
    line_, fill_, text_ : list of matplotlib artists
        Nothing, the image, and the symbols with probabilities.

    Examples
    --------
    >>> from skbayeseval import compare_many
    >>> predictions = {"a": [0, 1, 1, 0], "b": [0, 0, 1, 0], "c": [1, 1, 1, 0]}
    >>> ranking = compare_many([0, 1, 1, 0], predictions, random_state=0)
    >>> display = ranking.plot("pairs", rope=0.01)
    >>> display.ax_.get_title()
    'accuracy: 0 of 3 pairs are settled'
    >>> display.ax_.get_xlabel()
    '? not settled; %: probability that the row is better than the column by more than 0.01'
    """

    decisions: Mapping[tuple[int, int], Decision]
    _: KW_ONLY
    names: Sequence[str]
    metric: str = "score"

    def _size(self) -> tuple[float, float]:
        side = len(self.names) * max(0.18, min(0.5, 0.5 - 0.012 * (len(self.names) - 10)))
        return max(4.0 + side, 7.0), max(1.8 + side, 3.0)

    def _draw(self, ax: Axes, pen: Pen) -> str:
        from matplotlib.colors import to_rgba
        from matplotlib.patches import Patch

        colour_of = {
            mark: to_rgba(GREY if colour is None else pen.colors[colour], strength)
            for mark, (_, colour, strength) in CELLS.items()
        }
        number, inches = len(self.names), min(pen.width, pen.height)
        widest = max(text_width(name, pen.small) for name in self.names)
        widest = min(widest, 0.3 * inches) + 0.01
        # The points of a cell across and along, given what labels and legend take.
        width = 72 * max(pen.width - widest - 0.5, 0.3) / number
        height = 72 * max(pen.height - 0.75 * widest - 1.3, 0.3) / number
        cell = min(width, height)
        with_numbers = cell >= POINTS_OF_TWO_LINES
        if cell < POINTS_OF_A_SYMBOL:
            width = 72 * max(pen.width - widest - 0.5 - 1.8, 0.3) / number
        size = min(pen.small, cell / 3 if with_numbers else 0.7 * cell)
        cells = np.ones((number, number, 4))
        for (i, j), decision in self.decisions.items():
            mark = MARKS[decision.code]
            cells[i, j] = colour_of[mark]
            better = format_probability(decision.probabilities.better, digits=0)
            words = f"{mark}\n{better}" if with_numbers else mark
            if cell >= POINTS_OF_A_SYMBOL:
                pen.text(j, i, words, ha="center", va="center", fontsize=size, linespacing=1.0)
        pen.fills.append(ax.imshow(cells, **{"aspect": "auto", **pen.given["fill"]}))
        slanted: dict[str, Any] = {"rotation": 45, "ha": "right", "rotation_mode": "anchor"}
        for axis, side, options in ((ax.xaxis, width, slanted), (ax.yaxis, height, {})):
            name_size = max(min(pen.small, 0.8 * side), 4.0)
            step = max(1, math.ceil(1.1 * name_size / side))
            names = shorten(self.names, widest, name_size)[::step]
            label_ticks(axis, range(0, number, step), names, fontsize=name_size, **options)
        ax.spines[:].set_visible(False)
        rope = next(iter(self.decisions.values())).rope
        by = describe_side(rope, better=True)
        said = f"%: probability that the row is better than the column{by}"
        if not with_numbers:
            said = f"row against column, ROPE [{rope.low:g}, {rope.high:g}]"
        occurring = {MARKS[decision.code] for decision in self.decisions.values()}
        marks = [mark for mark in CELLS if mark in occurring]
        if cell < POINTS_OF_A_SYMBOL:
            handles = [Patch(color=colour_of[mark], label=CELLS[mark][0]) for mark in marks]
            ax.legend(
                handles=handles, loc="center left", bbox_to_anchor=(1.02, 0.5), frameon=False,
                fontsize="small", handlelength=1.0, borderaxespad=0.0,
            )  # fmt: skip
        else:
            said = f"{', '.join(f'{mark} {CELLS[mark][0]}' for mark in marks)}; {said}"
        pen.set_xlabel(wrap(said, 0.9 * pen.width, pen.medium))
        upper = [one for (i, j), one in self.decisions.items() if i < j]
        settled = sum(one.settled for one in upper)
        return f"{escape_dollars(self.metric)}: {settled} of {len(upper)} pairs are settled"
