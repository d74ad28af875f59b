"""A difference against the number of training instances."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from skbayeseval.display.layout import font_size, legend_below, plain_ticks, room, set_ylabel
from skbayeseval.display.style import GREY, Display, Heading, Pen
from skbayeseval.display.words import MINUS, plain, shorten
from skbayeseval.judgement.intervals import Interval

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["LearningCurveDisplay"]


class LearningCurveDisplay(Display):
    """The difference A minus B at two training sizes, and extrapolated to all instances.

    Parameters
    ----------
    sizes : array-like of shape (3,)
        The numbers of training instances: two that were tested, and all.
    means, lows, highs : array-like of shape (3,)
        The difference at each size, and its interval.
    names : (str, str), default=("A", "B")
        The names of A and B.
    metric : str, default="score"
        The name of the metric.
    rope : Interval, default=None
        The region of practical equivalence.
    prob : float, default=0.95
        The probability mass of the intervals.

    Attributes
    ----------
    ax_ : matplotlib Axes
        The axes of the plot.
    figure_ : matplotlib Figure
        The figure of the plot.
    line_, fill_, text_ : list of matplotlib artists
        The differences, the band, and nothing.

    Examples
    --------
    >>> from skbayeseval.display import LearningCurveDisplay
    >>> display = LearningCurveDisplay([50, 75, 100], [0.02, 0.01, 0.0], [0, 0, -0.1], [0.1] * 3)
    >>> display.plot().ax_.get_xlabel()
    'training instances'
    """

    def __init__(
        self,
        sizes: ArrayLike,
        means: ArrayLike,
        lows: ArrayLike,
        highs: ArrayLike,
        *,
        names: tuple[str, str] = ("A", "B"),
        metric: str = "score",
        rope: Interval | None = None,
        prob: float = 0.95,
    ) -> None:
        self.sizes = np.asarray(sizes, dtype=float)
        self.means = np.asarray(means, dtype=float)
        self.lows = np.asarray(lows, dtype=float)
        self.highs = np.asarray(highs, dtype=float)
        self.names = names
        self.metric = metric
        self.rope = rope
        self.prob = prob

    def _draw(self, ax: Axes, pen: Pen) -> Heading:
        a, b = (
            plain(name) for name in shorten(self.names, 0.4 * room(ax).width, font_size("small"))
        )
        colour = pen.colors[0]
        share = f"{100 * self.prob:.3g}%"
        if self.rope is not None:
            ax.axhspan(*self.rope, color=pen.colors[2], alpha=0.2, linewidth=0, label="ROPE")
        ax.axhline(0, color=GREY, linewidth=0.8)
        band = pen.fill_options(color=colour, alpha=0.2, linewidth=0, label=f"{share} interval")
        pen.fills.append(ax.fill_between(self.sizes, self.lows, self.highs, **band))
        pen.line(ax, self.sizes[:2], self.means[:2], color=colour, marker="o", label="tested")
        pen.line(ax, self.sizes[1:], self.means[1:], color=colour, linestyle="--")
        pen.line(
            ax, self.sizes[2:], self.means[2:], color=colour, marker="D", linestyle="none",
            markerfacecolor="white", label="extrapolated to all instances",
        )  # fmt: skip
        ax.set_xlabel("training instances")
        # The one in the middle is left out if it is so near to another that they would overlap.
        crowded = np.diff(self.sizes).min() < 0.25 * np.ptp(self.sizes)
        ticks = self.sizes[[0, 2]] if crowded else self.sizes
        ax.set_xticks(ticks, [f"{size:,.0f}" for size in ticks])
        plain_ticks(ax, "y")
        ax.spines[["right", "top"]].set_visible(False)
        set_ylabel(ax, f"{plain(self.metric)}: {a} minus {b}")
        legend_below(ax)
        first, last = (f"{value:+.3f}".replace("-", MINUS) for value in self.means[[0, 2]])
        return Heading(f"{first} with {self.sizes[0]:,.0f}, {last} with all {self.sizes[2]:,.0f}")
