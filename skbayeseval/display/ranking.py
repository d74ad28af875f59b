"""Metrics of several classifiers, with the probability that each is the best."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import pandas as pd

from skbayeseval.display.style import (
    GREY,
    Display,
    Heading,
    Pen,
    figure_height,
    fit_rows,
    font_size,
    legend_below,
    line_height,
    name_rows,
    plain,
    plain_ticks,
    room,
    set_xlabel,
    shorten,
    wrap,
)
from skbayeseval.judgement.decision import format_probability
from skbayeseval.judgement.ranking_decision import who_is_best

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["RankingDisplay"]

# The legend, colour (among those of the palette) and marker of each state.
STATES = {
    "equivalent": ("equivalent", 2, "o"),
    "open": ("not settled", 0, "s"),
    "worse": ("surely worse", 1, "v"),
}


class RankingDisplay(Display):
    """Forest plot of posterior means and HDIs, with the probability of being the best.

    Intervals of two classifiers may overlap although one is surely worse, because their errors go
    together. So the distance from the best of each draw can be shown beside them.

    Parameters
    ----------
    table : pandas.DataFrame
        The columns mean, hdi_low, hdi_high and p_best, with one row per classifier, and where known
        observed, and behind, behind_low and behind_high: the mean and the HDI of the difference to
        the best, at most 0.
    metric : str, default="score"
        The name of the metric.
    prob : float, default=0.95
        The probability mass of the HDI.
    states : mapping of str to {"equivalent", "open", "worse"}, default=None
        How each classifier compares with the best, which gives its colour and marker.
    rope : float, default=None
        How much worse than the best is practically equivalent to it.
    best : str, default=None
        The classifier that the title names. By default, the most probable best of the table.
    total : int, default=None
        The number of classifiers, if there are more than in the table.

    Attributes
    ----------
    ax_ : matplotlib Axes
        The axes of the plot.
    figure_ : matplotlib Figure
        The figure of the plot.
    line_, fill_, text_ : list of matplotlib artists
        The means and observed values, the HDIs, and the probabilities of being the best, from the
        worst to the best.

    Examples
    --------
    >>> from skbayeseval import compare_many
    >>> predictions = {"a": [0, 1, 1, 0], "b": [0, 0, 1, 0], "c": [1, 1, 1, 0]}
    >>> display = compare_many([0, 1, 1, 0], predictions, random_state=0).plot("ranking")
    >>> display.ax_.get_xlabel()
    'accuracy (mean and 95% HDI)'
    """

    def __init__(
        self,
        table: pd.DataFrame,
        *,
        metric: str = "score",
        prob: float = 0.95,
        states: Mapping[str, str] | None = None,
        rope: float | None = None,
        best: str | None = None,
        total: int | None = None,
    ) -> None:
        self.table = table
        self.metric = metric
        self.prob = prob
        self.states = states
        self.rope = rope
        self.best = str(table.index[int(np.argmax(table["p_best"]))]) if best is None else best
        self.total = len(table) if total is None else total

    def _size(self) -> tuple[float, float]:
        legend = 0.0 if self.states is None and "observed" not in self.table else 0.25
        return 7.0, max(figure_height(len(self.table)) + legend, 2.2)

    def _draw(self, ax: Axes, pen: Pen) -> Heading:
        n_labels = 0 if self.states is None else len(set(self.states.values()))
        number, size = fit_rows(ax, len(self.table), n_labels + ("observed" in self.table))
        table = self.table.sort_values("mean").tail(number)
        small, width = font_size("small"), room(ax).width
        self._draw_rows(ax, pen, table, size, ("mean", "hdi_low", "hdi_high"))
        # Only a layout that looks at what is beside the axes leaves room for more axes there.
        has_room = width > 4 and cast("Figure", ax.figure).get_layout_engine() is not None
        inches = 0.3 * width if has_room and "behind" in table else 0.0
        if inches:
            self._draw_differences(ax, pen, table, size, inches)
        end = inches + 0.1 + 0.1 * bool(inches)
        if "observed" in table:
            pen.line(
                ax, table["observed"], np.arange(len(table)), color="black", marker="|",
                linestyle="none", markersize=min(8, size), label="observed",
            )  # fmt: skip
        for row, (name, p_best) in enumerate(table["p_best"].items()):
            is_best = str(name) == self.best
            pen.text(
                ax, end, row, format_probability(p_best), transform=_beside(ax, ax.transData),
                va="center", color="black" if is_best else GREY, fontsize=size,
                fontweight="bold" if is_best else "normal",
            )  # fmt: skip
        pen.text(
            ax, end, 1.0, "P(best)", transform=_beside(ax, ax.transAxes), va="bottom",
            fontsize=small,
        )  # fmt: skip
        name_rows(ax, [str(name) for name in table.index], size)
        label = f"{plain(self.metric)} (mean and {100 * self.prob:.3g}% HDI)"
        set_xlabel(ax, wrap(label, 0.9 * width, font_size("medium")))
        ax.spines[["right", "top"]].set_visible(False)
        plain_ticks(ax, inches=0.55 * width - inches)
        legend_below(ax)
        return Heading(self._finding(table, width), pad=line_height(small) + 3)

    def _draw_differences(
        self, ax: Axes, pen: Pen, table: pd.DataFrame, size: float, inches: float
    ) -> None:
        """Draw the differences to the best on axes of so many inches beside the others."""
        place = (0.1, 0.0, inches, 1.0)
        beside = ax.inset_axes(place, transform=_beside(ax, ax.transAxes), sharey=ax)
        self._draw_rows(beside, pen, table, size, ("behind", "behind_low", "behind_high"))
        beside.axvline(0.0, color=GREY, linewidth=0.8)
        if self.rope:
            beside.axvspan(-self.rope, 0.0, color=GREY, alpha=0.15, linewidth=0)
        set_xlabel(beside, "difference to the best")
        beside.tick_params(left=False, labelleft=False)
        beside.spines[["left", "right", "top"]].set_visible(False)
        plain_ticks(beside, inches=inches)

    def _draw_rows(
        self, ax: Axes, pen: Pen, table: pd.DataFrame, size: float, columns: tuple[str, str, str]
    ) -> None:
        """Draw the mean and the interval of each row, in the colour and marker of its state."""
        middle, low, high = columns
        rows = np.arange(len(table))
        states = np.array([self._state(name) for name in table.index])
        for state in dict.fromkeys([*STATES, ""]):
            of_state = states == state
            if not of_state.any():
                continue
            label, colour, marker = STATES.get(state, (None, 0, "o"))
            some = table[of_state]
            options = pen.fill_options(
                color=pen.colors[colour], linewidth=min(3, size / 2), alpha=0.5
            )
            pen.fills.append(ax.hlines(rows[of_state], some[low], some[high], **options))
            pen.line(
                ax, some[middle], rows[of_state], color=pen.colors[colour], marker=marker,
                linestyle="none", markersize=min(6, size * 0.8), label=label,
            )  # fmt: skip

    def _state(self, name: object) -> str:
        return "" if self.states is None else self.states[str(name)]

    def _finding(self, table: pd.DataFrame, width: float) -> str:
        p_best = {str(name): p for name, p in self.table["p_best"].items()}
        names = dict(
            zip(p_best, shorten(list(p_best), 0.6 * width, font_size("medium")), strict=True)
        )
        said = who_is_best(plain(names[self.best]), self.total, p_best[self.best], self.prob)
        left_out = self.total - len(table)
        return f"{said}; {left_out} not shown" if left_out else said


def _beside(ax: Axes, upwards: Any) -> Any:
    """Return the transform of inches to the right of the axes, and of heights as `upwards` has.

    What is placed so does not move when the layout makes the axes narrower for it.
    """
    from matplotlib.transforms import ScaledTranslation, blended_transform_factory

    right: Any = ax.transAxes
    across = ax.figure.dpi_scale_trans + ScaledTranslation(1.0, 0.0, right)
    return blended_transform_factory(across, upwards)
