"""Curves of two classifiers with bands: ROC, precision-recall, calibration and net benefit."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from skbayeseval.display.style import (
    GREY,
    MINUS,
    Display,
    Heading,
    Pen,
    font_size,
    legend_below,
    plain,
    plain_ticks,
    room,
    set_ylabel,
    shorten,
    text_width,
)
from skbayeseval.judgement.decision import WORDS
from skbayeseval.judgement.intervals import Interval

if TYPE_CHECKING:
    from matplotlib.axes import Axes


__all__ = [
    "CurveDisplay",
    "LearningCurveDisplay",
    "PowerDisplay",
]


class _Axes(NamedTuple):
    """The axis labels of a kind of curve, and the line that it is compared with."""

    x: str
    y: str
    reference: str


KINDS = {
    "roc": _Axes("false positive rate", "true positive rate", "chance"),
    "precision_recall": _Axes("recall", "precision", "all positive"),
    "calibration": _Axes("mean predicted probability", "fraction of positives", "calibrated"),
    "net_benefit": _Axes("threshold probability", "net benefit", "treat all"),
    "net_benefit_difference": _Axes("threshold probability", "difference in net benefit", ""),
}


class CurveDisplay(Display):
    """Mean curves of several classifiers with pointwise bands.

    Parameters
    ----------
    curves : mapping of str to (x, mean, low, high)
        For each classifier, the points of its curve and the ends of the band.
    kind : str
        What the curves are: "roc", "precision_recall", "calibration", "net_benefit" or
        "net_benefit_difference".
    reference : (x, y), default=None
        The line to compare with: chance, perfect calibration, or "treat all".
    finding : str, default=""
        What the curves show, the title of the plot.
    prob : float, default=0.95
        The probability mass of the band at each point.

    Attributes
    ----------
    ax_ : matplotlib Axes
        The axes of the plot.
    figure_ : matplotlib Figure
        The figure of the plot.
    line_, fill_, text_ : list of matplotlib artists
        The curves, the bands, and nothing.

    Examples
    --------
    >>> import numpy as np
    >>> from skbayeseval.display import CurveDisplay
    >>> x = np.linspace(0, 1, 5)
    >>> curves = {"svm": (x, x**0.3, x**0.4, x**0.2)}
    >>> display = CurveDisplay(curves, kind="roc", reference=([0, 1], [0, 1])).plot()
    >>> display.ax_.get_xlabel(), len(display.fill_)
    ('false positive rate', 1)
    """

    def __init__(
        self,
        curves: Mapping[str, Sequence[ArrayLike]],
        *,
        kind: str,
        reference: tuple[ArrayLike, ArrayLike] | None = None,
        finding: str = "",
        prob: float = 0.95,
    ) -> None:
        self.curves = {
            name: tuple(np.asarray(part, dtype=float) for part in curve)
            for name, curve in curves.items()
        }
        self.kind = kind
        self.reference = reference
        self.finding = finding
        self.prob = prob

    def _size(self) -> tuple[float, float]:
        return 6.0, 4.6

    def _draw(self, ax: Axes, pen: Pen) -> Heading:
        words = KINDS[self.kind]
        width, small = room(ax).width, font_size("small")
        # A legend of two columns leaves more height for the curves.
        line = width / 2 if room(ax).height < 3 else width
        names = shorten(list(self.curves), 0.94 * line - 0.6, small)
        dashes: list[Any] = ["-", "--", "-.", ":"]
        marker = "o" if self.kind == "calibration" else None
        for k, (name, (x, mean, low, high)) in enumerate(
            zip(names, self.curves.values(), strict=True)
        ):
            colour = pen.colors[k % len(pen.colors)]
            options = pen.fill_options(color=colour, alpha=0.2, linewidth=0)
            pen.fills.append(ax.fill_between(x, low, high, **options))
            pen.line(
                ax, x, mean, color=colour, linestyle=dashes[k % 4], label=plain(name),
                marker=marker, markersize=4,
            )  # fmt: skip
        if self.reference is not None:
            ax.plot(*self.reference, color=GREY, linestyle=":", linewidth=1, label=words.reference)
        ax.set_xlabel(words.x)
        if self.kind.startswith("net_benefit"):
            both = self.kind == "net_benefit"
            ax.axhline(0, color=GREY, linewidth=0.8, label="treat none" if both else None)
            x = next(iter(self.curves.values()))[0]
            ax.set_xlim(x[0] - 0.02 * (x[-1] - x[0]), x[-1] + 0.02 * (x[-1] - x[0]))
            if both:
                top = max(high.max() for _, _, _, high in self.curves.values())
                ax.set_ylim(-0.25 * max(top, 1e-3), 1.1 * max(top, 1e-3))
        else:
            ax.set_xlim(-0.02, 1.02)
            ax.set_ylim(-0.02, 1.02)
        ax.spines[["right", "top"]].set_visible(False)
        plain_ticks(ax)
        plain_ticks(ax, "y")
        set_ylabel(ax, words.y)
        legend_below(ax)
        said = self.finding or f"{words.y} by {words.x}"
        return Heading(f"{said}; {100 * self.prob:.3g}% bands")


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
