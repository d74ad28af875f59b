"""Decisions about all pairs of several classifiers."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from skbayeseval.display.layout import Room, font_size, label_ticks, room, set_xlabel
from skbayeseval.display.style import GREY, Display, Heading, Pen
from skbayeseval.display.words import plain, shorten, text_width, wrap
from skbayeseval.judgement.decision import MARKS, Decision, format_probability
from skbayeseval.judgement.rope import describe_side

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["PairsDisplay"]

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
