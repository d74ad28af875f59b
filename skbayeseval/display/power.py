"""Power as a function of the size of the test set."""

from __future__ import annotations

from collections.abc import Mapping
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
    legend_below,
    short,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["PowerDisplay"]


class PowerDisplay(Display):
    """Probability of reaching a goal as a function of the size of the test set.

    Error bars are 95% intervals of the Monte Carlo error. See Zhang et al. (2016), Figure 5.

    Parameters
    ----------
    sizes : array-like of shape (n_sizes,)
        The numbers of instances.
    curves : mapping of str to (power, low, high)
        For each model, its power and the ends of its interval, each of shape (n_sizes,).
    goal : str, default="the goal"
        The goal, shown in the axis label.

    Attributes
    ----------
    ax_ : matplotlib Axes
        The axes of the plot.
    figure_ : matplotlib Figure
        The figure of the plot.

    Examples
    --------
    >>> from skbayeseval.display import PowerDisplay
    >>> curves = {"paired": ([0.3, 0.6], [0.2, 0.5], [0.4, 0.7])}
    >>> PowerDisplay([500, 1000], curves, goal="A ≈ B").plot().ax_.get_ylabel()
    'probability of A ≈ B'
    """

    def __init__(
        self,
        sizes: ArrayLike,
        curves: Mapping[str, tuple[ArrayLike, ArrayLike, ArrayLike]],
        *,
        goal: str = "the goal",
    ) -> None:
        self.sizes = np.asarray(sizes)
        self.curves = {
            name: tuple(np.asarray(one, dtype=float) for one in curve)
            for name, curve in curves.items()
        }
        self.goal = goal

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw the plot.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            The axes to draw on. None creates a new figure.

        Returns
        -------
        display : PowerDisplay
            The display itself.
        """
        ax = axes_or_new(ax)
        styles = [(BLUE, "o-"), (ORANGE, "s--"), (GREEN, "^-."), (GREY, "D:")]
        for i, (name, (power, low, high)) in enumerate(self.curves.items()):
            colour, line = styles[i % len(styles)]
            errors = np.maximum([power - low, high - power], 0)
            ax.errorbar(
                self.sizes, power, errors, fmt=line, color=colour, capsize=3, label=short(name)
            )
        ax.set(xlabel="instances in the test set", ylabel=f"probability of {self.goal}")
        ax.set_ylim(-0.03, 1.03)
        ax.grid(axis="y", alpha=0.3)
        ax.spines[["right", "top"]].set_visible(False)
        legend_below(ax)
        return self._drawn_on(ax)
