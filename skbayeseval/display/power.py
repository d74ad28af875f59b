"""Power as a function of the size of the test set."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from skbayeseval.display.layout import font_size, legend_below, plain_ticks, room, set_ylabel
from skbayeseval.display.style import GREY, Display, Heading, Pen
from skbayeseval.display.words import plain, shorten, text_width
from skbayeseval.judgement.decision import WORDS

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["PowerDisplay"]

# The power that is usually wanted, as in `PowerAnalysis`.
ENOUGH = 0.8

# Inches from which on the symbols of the goal are explained.
ROOM_FOR_MEANINGS = 3.5


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
    line_, fill_, text_ : list of matplotlib artists
        The curves, the error bars, and nothing.

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

    def _draw(self, ax: Axes, pen: Pen) -> Heading:
        place = room(ax)
        styles = [("o", "-"), ("s", "--"), ("^", "-."), ("D", ":")]
        names = shorten(list(self.curves), place.width - 0.8, font_size("small"))
        reached = []
        for i, (name, (power, low, high)) in enumerate(
            zip(names, self.curves.values(), strict=True)
        ):
            marker, dashes = styles[i % len(styles)]
            colour = pen.colors[i % len(pen.colors)]
            errors = np.maximum([power - low, high - power], 0)
            drawn = pen.line(
                ax, self.sizes, power, color=colour, marker=marker, linestyle=dashes,
                label=plain(name),
            )  # fmt: skip
            pen.fills.append(
                ax.errorbar(
                    self.sizes, power, errors, fmt="none", ecolor=drawn.get_color(), capsize=3
                )
            )
            enough = self.sizes[power >= ENOUGH]
            size = f"with {enough.min():,}" if len(enough) else "with none of these sizes"
            reached.append(size if len(names) == 1 else f"{plain(name)} {size}")
        ax.axhline(ENOUGH, color=GREY, linestyle="--", linewidth=1)
        meanings = self._meanings() if place.height > ROOM_FOR_MEANINGS else ""
        ax.set_xlabel(f"instances in the test set{meanings}")
        goal, where = plain(self.goal), ""
        if text_width(goal, font_size("small")) > 2 * max(place.height - 1.2, 0.8):
            short_goal = _short_goal(self.goal, 0.75 * place.width, font_size("medium"))
            goal, where = "", f"\nthe goal: {plain(short_goal)}"
        ax.set_ylim(-0.03, 1.03)
        ax.grid(axis="y", alpha=0.3)
        ax.spines[["right", "top"]].set_visible(False)
        plain_ticks(ax)
        set_ylabel(ax, f"probability of {goal}" if goal else "probability")
        legend_below(ax)
        return Heading(f"{ENOUGH:.0%} reached: {', '.join(reached)}{where}")

    def _meanings(self) -> str:
        """Return a line on what the symbols of the goal mean."""
        meanings = {symbol: label for symbol, label in WORDS.values() if f" {symbol} " in self.goal}
        said = ", ".join(f"{symbol} {label}" for symbol, label in meanings.items())
        return f"\n({said})" if said else ""


def _short_goal(goal: str, inches: float, size: float) -> str:
    """Return the goal with its names shortened, and its symbols kept."""
    parts = re.split(r"( [≪<≈>≫?] | or )", goal)
    names = shorten(parts[::2], inches / len(parts[::2]), size)
    return "".join(name + sign for name, sign in zip(names, [*parts[1::2], ""], strict=True))
