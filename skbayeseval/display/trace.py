"""Trace plot: draws in the order of sampling, by chain."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from skbayeseval.display.layout import (
    font_size,
    legend_below,
    plain_ticks,
    room,
    set_xlabel,
    set_ylabel,
)
from skbayeseval.display.posterior import difference_label
from skbayeseval.display.style import GREY, Display, Heading, Pen
from skbayeseval.display.words import pair_words

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["TraceDisplay"]


class TraceDisplay(Display):
    """Trace plot and histogram of the draws of the difference, with one colour per chain.

    Chains that have mixed well look alike and show no trend. Independent draws are shown as a
    single chain.

    Parameters
    ----------
    chains : array-like of shape (n_chains, n_draws)
        Draws of the difference.
    names : (str, str), default=("A", "B")
        The names of A and B.
    metric : str, default="score"
        The name of the metric.
    note : str, default=""
        The title of the plot, such as the engine, effective sample size and R-hat.

    Attributes
    ----------
    ax_ : matplotlib Axes
        The axes of the plot.
    figure_ : matplotlib Figure
        The figure of the plot.
    line_, fill_, text_ : list of matplotlib artists
        The draws of each chain, their histograms, and nothing.

    Examples
    --------
    >>> import numpy as np
    >>> from skbayeseval.display import TraceDisplay
    >>> chains = np.random.default_rng(0).normal(0.02, 0.01, (4, 500))
    >>> TraceDisplay(chains, metric="f1").plot().ax_.get_xlabel()
    'draw'
    """

    def __init__(
        self,
        chains: ArrayLike,
        *,
        names: tuple[str, str] = ("A", "B"),
        metric: str = "score",
        note: str = "",
    ) -> None:
        self.chains = np.asarray(chains, dtype=float)
        self.names = names
        self.metric = metric
        self.note = note

    def _draw(self, ax: Axes, pen: Pen) -> Heading:
        medium, place = font_size("medium"), room(ax)
        words = pair_words(self.names, 0.35 * place.height, 0.88 * place.width, font_size("small"))
        side = ax.inset_axes((1.02, 0.0, 0.22, 1.0), sharey=ax)
        low, high = self.chains.min(), self.chains.max()
        margin = 0.0 if low < high else 0.05 * max(abs(low), 1.0)
        bins = np.linspace(low - margin, high + margin, 41).tolist()
        n_chains = len(self.chains)
        for k, chain in enumerate(self.chains):
            colour = pen.colors[k % len(pen.colors)]
            label = f"chain {k + 1}" if n_chains > 1 else None
            pen.line(
                ax, np.arange(len(chain)), chain, color=colour, linewidth=0.4, alpha=0.7,
                label=label, rasterized=True,
            )  # fmt: skip
            options = pen.fill_options(color=colour, alpha=1.0 if n_chains > 1 else 0.35)
            _, _, drawn = side.hist(
                chain, bins=bins, density=True, orientation="horizontal",
                histtype="step" if n_chains > 1 else "stepfilled", **options,
            )  # fmt: skip
            pen.fills.append(drawn)
        for one in (ax, side):
            one.axhline(0, color=GREY, linestyle="--", linewidth=1)
            one.spines[["right", "top"]].set_visible(False)
        side.tick_params(labelleft=False)
        side.set_xticks([])
        label = difference_label(self.metric, words, 0.0, medium)
        set_xlabel(ax, "draw", words.key)
        ax.margins(x=0.01)
        plain_ticks(ax, inches=0.7 * place.width)
        plain_ticks(ax, "y")
        set_ylabel(ax, label.replace("\n", " "))
        legend = legend_below(ax)
        for line in [] if legend is None else legend.get_lines():
            line.set(linewidth=2, alpha=1)
        return Heading(self.note)
