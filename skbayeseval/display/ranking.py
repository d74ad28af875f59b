"""Metrics of several classifiers, with the probability that each is the best."""

from __future__ import annotations

from collections.abc import Mapping
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
from skbayeseval.display.rows import figure_height, fit_rows, name_rows
from skbayeseval.display.style import GREY, Display, Heading, Pen
from skbayeseval.display.words import plain, shorten, wrap
from skbayeseval.judgement.decision import format_probability

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["RankingDisplay"]

# The legend, colour (among those of the palette) and marker of each state.
STATES = {
    "equivalent": ("equivalent", 2, "o"),
    "open": ("not settled", 0, "s"),
    "worse": ("surely worse", 1, "v"),
}


class RankingDisplay(Display):
    """Forest plot of posterior means and HDIs, with the probability of being the best.

    Parameters
    ----------
    table : pandas.DataFrame
        The columns mean, hdi_low, hdi_high and p_best, with one row per classifier.
    metric : str, default="score"
        The name of the metric.
    prob : float, default=0.95
        The probability mass of the HDI.
    states : mapping of str to {"equivalent", "open", "worse"}, default=None
        How each classifier compares with the best, which gives its colour and marker.
    total : int, default=None
        The number of classifiers, if there are more than in the table.

    Attributes
    ----------
    ax_ : matplotlib Axes
        The axes of the plot.
    figure_ : matplotlib Figure
        The figure of the plot.
    line_, fill_, text_ : list of matplotlib artists
        The means, the HDIs, and the probabilities of being the best, from the worst to the best.

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
        total: int | None = None,
    ) -> None:
        self.table = table
        self.metric = metric
        self.prob = prob
        self.states = states
        self.total = len(table) if total is None else total

    def _size(self) -> tuple[float, float]:
        legend = 0.0 if self.states is None else 0.25
        return 7.0, max(figure_height(len(self.table)) + legend, 2.2)

    def _draw(self, ax: Axes, pen: Pen) -> Heading:
        n_states = 0 if self.states is None else len(set(self.states.values()))
        number, size = fit_rows(ax, len(self.table), n_states)
        table = self.table.sort_values("mean").tail(number)
        small, width = font_size("small"), room(ax).width
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
            pen.fills.append(
                ax.hlines(rows[of_state], some["hdi_low"], some["hdi_high"], **options)
            )
            pen.line(
                ax, some["mean"], rows[of_state], color=pen.colors[colour], marker=marker,
                linestyle="none", markersize=min(6, size * 0.8), label=label,
            )  # fmt: skip
        most = table["p_best"].max()
        for row, p_best in enumerate(table["p_best"]):
            pen.text(
                ax, 1.02, row, format_probability(p_best), transform=ax.get_yaxis_transform(),
                va="center", color="black" if p_best == most else GREY, fontsize=size,
                fontweight="bold" if p_best == most else "normal",
            )  # fmt: skip
        pen.text(ax, 1.02, 1.0, "P(best)", transform=ax.transAxes, va="bottom", fontsize=small)
        name_rows(ax, [str(name) for name in table.index], size)
        label = f"{plain(self.metric)} (mean and {100 * self.prob:.3g}% HDI)"
        set_xlabel(ax, wrap(label, 0.9 * width, font_size("medium")))
        ax.spines[["right", "top"]].set_visible(False)
        plain_ticks(ax, inches=0.55 * width)
        legend_below(ax)
        return Heading(self._finding(table, width), pad=line_height(small) + 3)

    def _state(self, name: object) -> str:
        return "" if self.states is None else self.states[str(name)]

    def _finding(self, table: pd.DataFrame, width: float) -> str:
        position = int(np.argmax(table["p_best"].to_numpy()))
        names = shorten([str(name) for name in table.index], 0.6 * width, font_size("medium"))
        chance = format_probability(table["p_best"].max())
        said = f"{plain(names[position])} is the best of {self.total} with probability {chance}"
        left_out = self.total - len(table)
        return f"{said}; {left_out} not shown" if left_out else said
