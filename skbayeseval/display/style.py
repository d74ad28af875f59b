"""Colours and helper functions shared by the displays. The rcParams are not changed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Self, cast

import numpy as np
from numpy.typing import NDArray

from skbayeseval.judgement.decision import format_interval
from skbayeseval.judgement.intervals import Interval

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure

__all__ = [
    "BLUE",
    "GREEN",
    "GREY",
    "ORANGE",
    "Display",
    "axes_or_new",
    "difference_label",
    "draw_density",
    "draw_hdi",
    "label_ticks",
    "legend_below",
    "short",
]

# Colour-blind safe palette of Okabe and Ito.
BLUE, ORANGE, GREEN, GREY = "#0072B2", "#D55E00", "#009E73", "#555555"


class Display:
    """Base class of displays, with the attributes `ax_` and `figure_` set by `plot`."""

    ax_: Axes
    figure_: Figure

    def _drawn_on(self, ax: Axes) -> Self:
        self.ax_ = ax
        self.figure_ = cast("Figure", ax.figure)
        return self


def axes_or_new(ax: Axes | None) -> Axes:
    """Return `ax`, or the axes of a new figure."""
    if ax is not None:
        return ax
    import matplotlib.pyplot as plt

    return plt.subplots(figsize=(7.0, 4.2), layout="constrained")[1]


def label_ticks(axis: Axis, labels: Sequence[str]) -> None:
    """Put labels at 0, 1, ... of an axis.

    `set_ticks` with labels does so, too, but sets warnings filters of the whole process.
    """
    from matplotlib.ticker import FixedFormatter

    axis.set_ticks(range(len(labels)))
    axis.set_major_formatter(FixedFormatter(list(labels)))


def short(name: str, width: int = 22) -> str:
    """Shorten a name for a label, and escape $ so that matplotlib does not parse it as math."""
    if len(name) > width:
        name = f"{name[: width - 8]}…{name[-7:]}"
    return name.replace("$", r"\$")


def difference_label(metric: str, names: tuple[str, str]) -> str:
    """Return the axis label of a difference, on two lines if it is long."""
    a, b = map(short, names)
    one_line = f"difference in {short(metric)} ({a} minus {b})"
    return one_line if len(one_line) <= 45 else one_line.replace(" (", "\n(", 1)


def draw_density(ax: Axes, draws: NDArray[Any]) -> float:
    """Plot a density histogram of the draws and return its height."""
    low, high = np.quantile(draws, [0.0005, 0.9995])
    if low == high:
        low, high = low - 0.5, high + 0.5
    bins = np.linspace(low, high, 81)
    heights, _, _ = ax.hist(
        draws, bins=bins.tolist(), density=True, color=BLUE, alpha=0.35, edgecolor="none"
    )
    ax.set_yticks([])
    ax.spines[["left", "right", "top"]].set_visible(False)
    return float(np.max(heights))


def draw_hdi(ax: Axes, interval: Interval, prob: float, *, sign: bool) -> None:
    """Draw the HDI as a bar at the bottom, with its ends in the legend."""
    label = f"{100 * prob:.3g}% HDI {format_interval(interval, sign)}"
    ax.plot(interval, [0, 0], color="black", linewidth=5, solid_capstyle="butt", label=label)


def legend_below(ax: Axes) -> None:
    """Place the legend below the axes and the axis label."""
    below = -0.17 if "\n" not in ax.get_xlabel() else -0.24
    ax.legend(
        loc="upper center", bbox_to_anchor=(0.5, below), ncols=3, frameon=False, fontsize="small"
    )
