"""Trace plot: draws in the order of sampling, by chain."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

import numpy as np
from numpy.typing import ArrayLike

from skbayeseval.display.style import (
    BLUE,
    GREEN,
    GREY,
    ORANGE,
    Display,
    axes_or_new,
    difference_label,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["TraceDisplay"]

COLOURS = (BLUE, ORANGE, GREEN, "#CC79A7", "#E69F00", "#56B4E9")


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

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw the plot.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            The axes to draw on. None creates a new figure.

        Returns
        -------
        display : TraceDisplay
            The display itself.
        """
        ax = axes_or_new(ax)
        side = ax.inset_axes((1.02, 0.0, 0.22, 1.0), sharey=ax)
        bins = np.linspace(self.chains.min(), self.chains.max(), 41).tolist()
        n_chains = len(self.chains)
        for k, chain in enumerate(self.chains):
            colour = COLOURS[k % len(COLOURS)]
            label = f"chain {k + 1}" if n_chains > 1 else None
            ax.plot(chain, color=colour, linewidth=0.4, alpha=0.7, label=label, rasterized=True)
            side.hist(
                chain,
                bins=bins,
                density=True,
                orientation="horizontal",
                histtype="step" if n_chains > 1 else "stepfilled",
                color=colour,
                alpha=1.0 if n_chains > 1 else 0.35,
            )
        for one in (ax, side):
            one.axhline(0, color=GREY, linestyle="--", linewidth=1)
            one.spines[["right", "top"]].set_visible(False)
        side.tick_params(labelleft=False)
        side.set_xticks([])
        ax.set(xlabel="draw", ylabel=difference_label(self.metric, self.names))
        ax.margins(x=0.01)
        ax.set_title(self.note, fontsize="medium")
        if n_chains > 1:
            legend = ax.legend(
                loc="upper center",
                bbox_to_anchor=(0.5, -0.14),
                ncols=min(n_chains, 6),
                frameon=False,
                fontsize="small",
            )
            for line in legend.get_lines():
                line.set_linewidth(2)
        return self._drawn_on(ax)
