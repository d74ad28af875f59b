"""Comparison of several classifiers: ranking and pairwise decisions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import pandas as pd

from skbayeseval.display.style import BLUE, GREEN, GREY, ORANGE, Display, label_ticks, short
from skbayeseval.judgement.decision import Decision, format_interval, format_probability

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["PairsDisplay", "RankingDisplay"]


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

    Attributes
    ----------
    ax_ : matplotlib Axes
        The axes of the plot.
    figure_ : matplotlib Figure
        The figure of the plot.

    Examples
    --------
    >>> from skbayeseval import compare_many
    >>> predictions = {"a": [0, 1, 1, 0], "b": [0, 0, 1, 0], "c": [1, 1, 1, 0]}
    >>> display = compare_many([0, 1, 1, 0], predictions, random_state=0).plot("ranking")
    >>> display.ax_.get_xlabel()
    'accuracy'
    """

    def __init__(self, table: pd.DataFrame, *, metric: str = "score", prob: float = 0.95) -> None:
        self.table = table
        self.metric = metric
        self.prob = prob

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw the plot.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            The axes to draw on. None creates a new figure.

        Returns
        -------
        display : RankingDisplay
            The display itself.
        """
        table = self.table.sort_values("mean")
        ax = _sized_axes(ax, height=1.2 + 0.32 * len(table))
        rows = np.arange(len(table))
        ax.hlines(rows, table["hdi_low"], table["hdi_high"], color=BLUE, linewidth=3, alpha=0.5)
        ax.plot(table["mean"], rows, "o", color=BLUE)
        for row, p_best in enumerate(table["p_best"]):
            ax.text(
                1.02,
                row,
                format_probability(p_best),
                transform=ax.get_yaxis_transform(),
                va="center",
                color=ORANGE if p_best == table["p_best"].max() else GREY,
                fontsize="small",
            )
        ax.text(1.02, 1.0, "P(best)", transform=ax.transAxes, va="bottom", fontsize="small")
        label_ticks(ax.yaxis, [short(str(name), 30) for name in table.index])
        ax.set_ylim(-0.6, len(table) - 0.4)
        ax.set_xlabel(short(self.metric))
        ax.set_title(f"posterior mean and {100 * self.prob:.3g}% HDI", fontsize="medium")
        ax.spines[["right", "top"]].set_visible(False)
        return self._drawn_on(ax)


class PairsDisplay(Display):
    """Matrix of pairwise decisions: the classifier of the row against that of the column.

    Below each symbol is the probability that the difference, row minus column, is above the ROPE.

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

    Examples
    --------
    >>> from skbayeseval import compare_many
    >>> predictions = {"a": [0, 1, 1, 0], "b": [0, 0, 1, 0], "c": [1, 1, 1, 0]}
    >>> ranking = compare_many([0, 1, 1, 0], predictions, random_state=0)
    >>> ranking.plot("pairs", rope=0.01).ax_.get_title()
    'accuracy: row against column, ROPE [-0.010, +0.010]'
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

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw the plot.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            The axes to draw on. None creates a new figure.

        Returns
        -------
        display : PairsDisplay
            The display itself.
        """
        from matplotlib.colors import to_rgba

        size = len(self.names)
        ax = _sized_axes(ax, height=1.6 + 0.45 * size)
        colours = {">>": (BLUE, 0.6), ">": (BLUE, 0.25), "~": (GREEN, 0.35), "?": (GREY, 0.1)}
        colours |= {"<<": (ORANGE, 0.6), "<": (ORANGE, 0.25)}
        cells = np.ones((size, size, 4))
        for (i, j), decision in self.decisions.items():
            cells[i, j] = to_rgba(*colours[decision.code])
            better = decision.probabilities.better
            ax.text(
                j, i, f"{decision.symbol}\n{better:.0%}", ha="center", va="center",
                fontsize="small" if size <= 12 else "xx-small",
            )  # fmt: skip
        ax.imshow(cells)
        labels = [short(name) for name in self.names]
        label_ticks(ax.xaxis, labels)
        label_ticks(ax.yaxis, labels)
        for label in ax.get_xticklabels():
            label.set(rotation=40, ha="right")
        rope = next(iter(self.decisions.values())).rope
        ax.set_title(
            f"{short(self.metric)}: row against column, ROPE {format_interval(rope)}",
            fontsize="medium",
        )
        ax.spines[:].set_visible(False)
        return self._drawn_on(ax)


def _sized_axes(ax: Axes | None, height: float) -> Any:
    """Return `ax`, or the axes of a new figure of at least this height."""
    if ax is not None:
        return ax
    import matplotlib.pyplot as plt

    return plt.subplots(figsize=(7.0, max(height, 2.2)), layout="constrained")[1]
