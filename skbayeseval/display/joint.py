"""Scatter plot of the posterior draws of two classifiers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike

from skbayeseval.display.style import (
    BLUE,
    GREEN,
    GREY,
    ORANGE,
    Display,
    axes_or_new,
    legend_below,
    short,
)
from skbayeseval.judgement.decision import format_probability
from skbayeseval.judgement.distribution import Distribution, as_distribution
from skbayeseval.judgement.intervals import Interval

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["JointDisplay"]

# At most this many draws are plotted.
MOST_POINTS = 4000


class JointDisplay(Display):
    """Scatter plot of the draws of A against the draws of B, with the line of equality.

    Parameters
    ----------
    draws_a, draws_b : array-like of shape (n_draws,)
        Draws of the metric values of A and B.
    names : (str, str), default=("A", "B")
        The names of A and B.
    metric : str, default="score"
        The name of the metric.
    rope : Interval, default=None
        The region of practical equivalence, drawn as a band along the line of equality.
    difference : Distribution, default=None
        The posterior of A minus B, which gives the percentages; by default that of the draws.

    Attributes
    ----------
    ax_ : matplotlib Axes
        The axes of the plot.
    figure_ : matplotlib Figure
        The figure of the plot.

    Examples
    --------
    >>> import numpy as np
    >>> from skbayeseval.display import JointDisplay
    >>> a, b = np.random.default_rng(0).beta(80, 20, (2, 1000))
    >>> JointDisplay(a, b, metric="f1").plot().ax_.get_xlabel()
    'f1 of B'
    """

    def __init__(
        self,
        draws_a: ArrayLike,
        draws_b: ArrayLike,
        *,
        names: tuple[str, str] = ("A", "B"),
        metric: str = "score",
        rope: Interval | None = None,
        difference: Distribution | None = None,
    ) -> None:
        self.draws_a = np.asarray(draws_a, dtype=float)
        self.draws_b = np.asarray(draws_b, dtype=float)
        self.names = names
        self.metric = metric
        self.rope = rope
        self.difference = as_distribution(
            self.draws_a - self.draws_b if difference is None else difference
        )

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw the plot.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            The axes to draw on. None creates a new figure.

        Returns
        -------
        display : JointDisplay
            The display itself.
        """
        ax = axes_or_new(ax)
        a, b = map(short, self.names)
        ax.plot(
            self.draws_b[:MOST_POINTS],
            self.draws_a[:MOST_POINTS],
            ".",
            color=BLUE,
            alpha=0.15,
            markersize=3,
            rasterized=True,
        )
        both = np.concatenate([self.draws_a, self.draws_b])
        low, high = np.quantile(both, [0.0005, 0.9995])
        margin = 0.06 * (high - low) or 0.05
        ends = np.array([low - margin, high + margin])
        ax.plot(ends, ends, color=GREY, linestyle="--", linewidth=1, label="equal")
        if self.rope is not None:
            ax.fill_between(
                ends,
                ends + self.rope.low,
                ends + self.rope.high,
                color=GREEN,
                alpha=0.15,
                linewidth=0,
                label=f"ROPE [{self.rope.low:g}, {self.rope.high:g}]",
            )
        ax.set(xlabel=f"{short(self.metric)} of {b}", ylabel=f"{short(self.metric)} of {a}")
        ax.set_xlim(*ends)
        ax.set_ylim(*ends)
        ax.set_aspect("equal")
        region = Interval(0.0, 0.0) if self.rope is None else self.rope
        worse, equivalent, better = map(format_probability, self.difference.around(region))
        corner: dict[str, Any] = {"transform": ax.transAxes, "fontsize": "small"}
        ax.text(0.03, 0.97, f"{a} better\n{better}", color=BLUE, va="top", **corner)
        ax.text(
            0.97,
            0.03,
            f"{b} better\n{worse}",
            color=ORANGE,
            ha="right",
            va="bottom",
            **corner,
        )
        if self.rope is not None:
            ax.text(0.03, 0.86, f"equivalent\n{equivalent}", color=GREEN, va="top", **corner)
        legend_below(ax)
        return self._drawn_on(ax)
