"""Heatmap of the metric over a grid of two parameters."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from skbayeseval.display.style import (
    GREY,
    Display,
    Heading,
    Pen,
    Room,
    font_size,
    label_ticks,
    plain,
    plain_ticks,
    room,
    set_xlabel,
    shorten,
    text_width,
    wrap,
)
from skbayeseval.judgement.decision import MARKS, Decision, format_probability
from skbayeseval.judgement.rope import describe_side

if TYPE_CHECKING:
    from matplotlib.axes import Axes


__all__ = [
    "HeatmapDisplay",
    "PairsDisplay",
]


Array = NDArray[Any]


# No numbers are written into grids with more cells, or where they would have fewer points.
MOST_NUMBERS, SMALLEST = 120, 5.0


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

    def __init__(
        self,
        means: pd.DataFrame,
        decisions: pd.DataFrame,
        *,
        metric: str = "score",
        note: str = "",
        rope: float = 0.0,
    ) -> None:
        self.means = means
        self.decisions = decisions
        self.metric = metric
        self.note = note
        self.rope = rope

    def _size(self) -> tuple[float, float]:
        n_rows, n_columns = self.means.shape
        width = min(max(2.6 + 0.62 * n_columns, 5.0), 14.0)
        return width, min(max(1.7 + 0.45 * n_rows, 3.4), 12.0)

    def _draw(self, ax: Axes, pen: Pen) -> Heading:
        values = self.means.to_numpy(dtype=float)
        codes = self.decisions.to_numpy(dtype=object)
        faded = np.where(codes == "<<", 0.35, 1.0)
        low, high = _range(values, codes, self.rope)
        options = {"cmap": "viridis", "vmin": low, "vmax": high, "aspect": "auto", "alpha": faded}
        image = ax.imshow(values, **{**options, "origin": "lower", **pen.given["fill"]})
        pen.fills.append(image)
        place, small, medium = room(ax), font_size("small"), font_size("medium")
        self._write_cells(ax, pen, values, codes, image)
        rows, columns = ([str(one) for one in axis] for axis in self.means.axes)
        step = max(1, int(np.ceil(1.3 * small * len(rows) / (72 * max(place.height - 1.6, 0.4)))))
        names = _labels(rows, 0.2 * place.width, small)[::step]
        label_ticks(ax.yaxis, range(0, len(rows), step), names, fontsize=small)
        each = _width_of_cells(place.width, values) / len(columns)
        crowded = max(text_width(one, small) for one in columns) > 0.9 * each
        labels = _labels(columns, 0.3 * place.height if crowded else each, small)
        slanted: dict[str, Any] = (
            {"rotation": 40, "ha": "right", "rotation_mode": "anchor"} if crowded else {}
        )
        step = max(1, int(np.ceil(1.4 * small / (72 * each)))) if crowded else 1
        places = range(0, len(columns), step)
        label_ticks(ax.xaxis, places, labels[::step], fontsize=small, **slanted)
        set_xlabel(ax, wrap(plain(str(self.means.columns.name)), 0.6 * place.width, medium))
        ax.set_ylabel(wrap(plain(str(self.means.index.name)), 0.6 * place.height, medium))
        extend = "min" if np.nanmin(values) < low else "neither"
        bar = ax.figure.colorbar(image, ax=ax, extend=extend)
        bar.set_label(
            wrap(f"posterior mean of {plain(self.metric)}", max(place.height - 1.5, 0.8), small),
            fontsize=small,
        )
        bar.ax.tick_params(labelsize=small)
        plain_ticks(bar.ax, "y", inches=max(place.height - 1.5, 0.5))
        ax.spines[:].set_visible(False)
        return Heading("\n".join(filter(None, (self._finding(values, codes), self.note))))

    def _finding(self, values: Array, codes: Array) -> str:
        i, j = map(int, np.unravel_index(np.nanargmax(values), values.shape))
        x, y = self.means.columns, self.means.index
        best = f"best: {x.name}={x[j]}, {y.name}={y[i]} ({_number(values[i, j], values)})"
        equivalent, worse = int((codes == "~").sum()), int((codes == "<<").sum())
        return plain(f"{best}\n≈ equivalent: {equivalent}, faded: {worse} surely worse")

    def _write_cells(self, ax: Axes, pen: Pen, values: Array, codes: Array, image: Any) -> None:
        """Write numbers and marks into the cells, as far as there is room."""
        place, small = room(ax), font_size("small")
        n_rows, n_columns = values.shape
        width = 72 * _width_of_cells(place.width, values) / n_columns
        height = 72 * max(place.height - 1.6, 0.4) / n_rows
        numbers = [_number(value, values) for value in values.ravel() if not np.isnan(value)]
        widest = max(72 * text_width(one, small) for one in numbers)
        size = min(small, small * 0.92 * width / widest, 0.4 * height)
        with_numbers = size >= SMALLEST and values.size <= MOST_NUMBERS
        if not with_numbers:
            size = min(small, 0.8 * height, 0.9 * width)
        for (i, j), value in np.ndenumerate(values):
            if np.isnan(value):
                pen.text(ax, j, i, "·", ha="center", va="center", color="grey", fontsize=size)
                continue
            mark = "≈" if codes[i, j] == "~" else ""
            words = [mark, _number(value, values)] if with_numbers else [mark]
            red, green, blue, _ = image.cmap(image.norm(value))
            light = codes[i, j] == "<<" or 0.3 * red + 0.59 * green + 0.11 * blue > 0.45
            pen.text(
                ax, j, i, "\n".join(filter(None, words)), ha="center", va="center",
                color="black" if light else "white", fontsize=size, linespacing=1.0,
            )  # fmt: skip


def _width_of_cells(inches: float, values: Array) -> float:
    """Return the inches that labels and the colour bar leave for the cells."""
    number = text_width(_number(float(np.nanmin(values)), values), font_size("small"))
    return max(inches - 1.6 - number, 0.3 * inches)


def _labels(names: Sequence[str], inches: float, size: float) -> list[str]:
    return [plain(name) for name in shorten(names, inches, size)]


def _number(value: float, values: Array) -> str:
    """Return the value with enough digits to tell the cells apart."""
    span, largest = float(np.nanmax(values) - np.nanmin(values)), float(np.nanmax(np.abs(values)))
    if largest >= 1e5 or 0 < largest < 1e-3:
        return f"{value:.3g}"
    decimals = 3 if span <= 0 else int(min(max(2 - np.floor(np.log10(span)), 0), 5))
    return f"{value:.{min(decimals, 3) if largest <= 1 else decimals}f}"


def _range(values: np.ndarray, codes: np.ndarray, least: float) -> tuple[float, float]:
    """Return the colour range, based on the cells that are not surely worse.

    A few very poor candidates would otherwise dominate the colour range.
    """
    high = float(np.nanmax(values))
    hopeful = values[(codes != "<<") & ~np.isnan(values)]
    lowest = float(np.nanmin(values))
    low = max(lowest, high - 4 * (high - float(hopeful.min()))) if len(hopeful) else lowest
    low = min(low if low < high else lowest, high - least)
    return (low, high) if low < high else (low - 0.01, high)


# For each mark its meaning, the colour (among those of the palette; None is grey) and its strength.
CELLS: dict[str, tuple[str, int | None, float]] = {
    "≫": ("row better", 0, 0.6),
    "≪": ("row worse", 1, 0.6),
    "≈": ("equivalent", 2, 0.35),
    "?": ("not settled", None, 0.1),
}


# Cells of fewer points than this hold only a symbol, or only a colour, which needs a legend.
POINTS_OF_TWO_LINES, POINTS_OF_A_SYMBOL = 19.0, 8.0


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

    def __init__(
        self,
        decisions: Mapping[tuple[int, int], Decision],
        *,
        names: Sequence[str],
        metric: str = "score",
    ) -> None:
        self.decisions = decisions
        self.names = names
        self.metric = metric

    def _size(self) -> tuple[float, float]:
        side = len(self.names) * max(0.18, min(0.5, 0.5 - 0.012 * (len(self.names) - 10)))
        return max(4.0 + side, 7.0), max(1.8 + side, 3.0)

    def _draw(self, ax: Axes, pen: Pen) -> Heading:
        from matplotlib.colors import to_rgba

        number, place = len(self.names), room(ax)
        width, height = self._cell(place, legend=0.0)
        cell = min(width, height)
        with_numbers = cell >= POINTS_OF_TWO_LINES
        if cell < POINTS_OF_A_SYMBOL:
            width, height = self._cell(place, legend=1.8)
        size = min(font_size("small"), cell / 3 if with_numbers else 0.7 * cell)
        cells = np.ones((number, number, 4))
        for (i, j), decision in self.decisions.items():
            mark = MARKS[decision.code]
            _, colour, strength = CELLS[mark]
            cells[i, j] = to_rgba(GREY if colour is None else pen.colors[colour], strength)
            better = format_probability(decision.probabilities.better, digits=0)
            words = f"{mark}\n{better}" if with_numbers else mark
            if cell >= POINTS_OF_A_SYMBOL:
                pen.text(ax, j, i, words, ha="center", va="center", fontsize=size, linespacing=1.0)
        pen.fills.append(ax.imshow(cells, **{"aspect": "auto", **pen.given["fill"]}))
        slanted: dict[str, Any] = {"rotation": 45, "ha": "right", "rotation_mode": "anchor"}
        for axis, side, options in ((ax.xaxis, width, slanted), (ax.yaxis, height, {})):
            name_size = max(min(font_size("small"), 0.8 * side), 4.0)
            step = max(1, math.ceil(1.1 * name_size / side))
            names = [
                plain(name) for name in shorten(self.names, self._widest_name(place), name_size)
            ]
            places = range(0, number, step)
            label_ticks(axis, places, names[::step], fontsize=name_size, **options)
        ax.spines[:].set_visible(False)
        rope = next(iter(self.decisions.values())).rope
        by = describe_side(rope, better=True)
        said = f"%: probability that the row is better than the column{by}"
        if not with_numbers:
            said = f"row against column, ROPE [{rope.low:g}, {rope.high:g}]"
        if cell < POINTS_OF_A_SYMBOL:
            self._explain_colours(ax, pen)
        else:
            said = f"{', '.join(f'{mark} {CELLS[mark][0]}' for mark in self._marks())}; {said}"
        set_xlabel(ax, wrap(said, 0.9 * place.width, font_size("medium")))
        upper = [one for (i, j), one in self.decisions.items() if i < j]
        settled = sum(one.settled for one in upper)
        return Heading(f"{plain(self.metric)}: {settled} of {len(upper)} pairs are settled")

    def _marks(self) -> list[str]:
        """Return the marks that occur, in the order of their legend."""
        found = {MARKS[decision.code] for decision in self.decisions.values()}
        return [mark for mark in CELLS if mark in found]

    def _widest_name(self, place: Room) -> float:
        """Return the width in inches that names may have."""
        widest = max(text_width(name, font_size("small")) for name in self.names)
        return min(widest, 0.3 * min(place)) + 0.01

    def _cell(self, place: Room, *, legend: float) -> tuple[float, float]:
        """Return the points of a cell across and along, given what labels and legend take."""
        name, number = self._widest_name(place), len(self.names)
        width, height = place.width - name - 0.5 - legend, place.height - 0.75 * name - 1.3
        return 72 * max(width, 0.3) / number, 72 * max(height, 0.3) / number

    def _explain_colours(self, ax: Axes, pen: Pen) -> None:
        from matplotlib.patches import Patch

        handles = [
            Patch(color=GREY if colour is None else pen.colors[colour], alpha=strength, label=label)
            for label, colour, strength in map(CELLS.__getitem__, self._marks())
        ]
        ax.legend(
            handles=handles, loc="center left", bbox_to_anchor=(1.02, 0.5), frameon=False,
            fontsize="small", handlelength=1.0, borderaxespad=0.0,
        )  # fmt: skip
