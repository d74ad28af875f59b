"""Curves with bands, such as ROC, learning and power curves, and scores of splits."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from skbayeseval.display.style import (
    GREY,
    MINUS,
    Display,
    PairDisplay,
    Pen,
    escape_dollars,
    shorten,
    text_width,
)
from skbayeseval.judgement.decision import WORDS, percent
from skbayeseval.judgement.intervals import Interval

if TYPE_CHECKING:
    from matplotlib.axes import Axes


# The labels of both axes for each kind of curve, and the line that it is compared with.
KINDS = {
    "roc": ("false positive rate", "true positive rate", "chance"),
    "precision_recall": ("recall", "precision", "all positive"),
    "calibration": ("mean predicted probability", "fraction of positives", "calibrated"),
    "calibration_difference": (
        "predicted probability",
        "fraction of positives minus predicted",
        "",
    ),
    "net_benefit": ("threshold probability", "net benefit", "treat all"),
    "net_benefit_difference": ("threshold probability", "difference in net benefit", ""),
}


@dataclass(eq=False, repr=False)
class CurveDisplay(Display):
    """Mean curves of several classifiers with pointwise bands.

    Parameters
    ----------
    curves : mapping of str to (x, mean, low, high)
        For each classifier, the points of its curve and the ends of the band.
    kind : str
        What the curves are: "roc", "precision_recall", "calibration", "net_benefit",
        "calibration_difference" or "net_benefit_difference".
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

    curves: Mapping[str, Sequence[Any]]
    _: KW_ONLY
    kind: str
    reference: tuple[Any, Any] | None = None
    finding: str = ""
    prob: float = 0.95

    _arrays = ("curves",)

    def _size(self) -> tuple[float, float]:
        return 6.0, 4.6

    def _draw(self, ax: Axes, pen: Pen) -> str:
        xlabel, ylabel, reference = KINDS[self.kind]
        # A legend of two columns leaves more height for the curves.
        line = pen.width / 2 if pen.height < 3 else pen.width
        names = shorten(list(self.curves), 0.94 * line - 0.6, pen.small)
        dashes: list[Any] = ["-", "--", "-.", ":"]
        marker = "o" if self.kind.startswith("calibration") else None
        for k, (name, (x, mean, low, high)) in enumerate(
            zip(names, self.curves.values(), strict=True)
        ):
            colour = pen.colors[k % len(pen.colors)]
            pen.band(x, low, high, color=colour)
            pen.line(
                x, mean, color=colour, linestyle=dashes[k % 4], label=name,
                marker=marker, markersize=4,
            )  # fmt: skip
            if self.kind == "calibration_difference":  # also where there is one point only
                ax.vlines(x, low, high, color=colour, linewidth=1)
        if self.reference is not None:
            ax.plot(*self.reference, color=GREY, linestyle=":", linewidth=1, label=reference)
        ax.set_xlabel(xlabel)
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
            if self.kind == "calibration_difference":
                ax.axhline(0, color=GREY, linewidth=0.8)
            else:
                ax.set_ylim(-0.02, 1.02)
        pen.finish(ylabel)
        said = self.finding or f"{ylabel} by {xlabel}"
        return f"{said}; {percent(self.prob)} bands"


@dataclass(eq=False, repr=False)
class LearningCurveDisplay(PairDisplay):
    """The difference A minus B by the number of training instances.

    Parameters
    ----------
    sizes : array-like of shape (n_sizes,)
        The numbers of training instances, in ascending order.
    means, lows, highs : array-like of shape (n_sizes,)
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
    >>> display = LearningCurveDisplay([50, 90], [0.02, 0.0], [0.01, -0.01], [0.03, 0.01])
    >>> display.plot().ax_.get_xlabel()
    'training instances'
    """

    sizes: Any
    means: Any
    lows: Any
    highs: Any
    _: KW_ONLY
    rope: Interval | None = None
    prob: float = 0.95

    _arrays = ("sizes", "means", "lows", "highs")

    def _draw(self, ax: Axes, pen: Pen) -> str:
        a, b = shorten(self.names, 0.4 * pen.width, pen.small)
        colour = pen.colors[0]
        pen.rope(self.rope, "y")
        ax.axhline(0, color=GREY, linewidth=0.8)
        label = f"{percent(self.prob)} interval"
        pen.band(self.sizes, self.lows, self.highs, color=colour, label=label)
        pen.line(self.sizes, self.means, color=colour, marker="o", label="difference")
        ax.set_xlabel("training instances")
        # Those between are left out if they are so near to others that they would overlap.
        crowded = np.diff(self.sizes).min() < 0.25 * np.ptp(self.sizes)
        ticks = self.sizes[[0, -1]] if crowded else self.sizes
        ax.set_xticks(ticks, [f"{size:,.0f}" for size in ticks])
        pen.finish(f"{escape_dollars(self.metric)}: {a} minus {b}", ticks="y")
        first, last = (f"{value:+.3f}".replace("-", MINUS) for value in self.means[[0, -1]])
        return f"{first} trained on {self.sizes[0]:,.0f} instances, {last} on {self.sizes[-1]:,.0f}"


# The power that is usually wanted, as in `PowerAnalysis`.
ENOUGH = 0.8


# Inches from which on the symbols of the goal are explained.
ROOM_FOR_MEANINGS = 3.5


@dataclass(eq=False, repr=False)
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

    sizes: Any
    curves: Mapping[str, Sequence[Any]]
    _: KW_ONLY
    goal: str = "the goal"

    _arrays = ("sizes", "curves")

    def _draw(self, ax: Axes, pen: Pen) -> str:
        styles = [("o", "-"), ("s", "--"), ("^", "-."), ("D", ":")]
        names = shorten(list(self.curves), pen.width - 0.8, pen.small)
        reached = []
        for i, (name, (power, low, high)) in enumerate(
            zip(names, self.curves.values(), strict=True)
        ):
            marker, dashes = styles[i % len(styles)]
            colour = pen.colors[i % len(pen.colors)]
            errors = np.maximum([power - low, high - power], 0)
            drawn = pen.line(
                self.sizes, power, color=colour, marker=marker, linestyle=dashes,
                label=name,
            )  # fmt: skip
            options = {"fmt": "none", "ecolor": drawn.get_color(), "capsize": 3}
            pen.fills.append(ax.errorbar(self.sizes, power, errors, **options))
            enough = self.sizes[power >= ENOUGH]
            size = f"with {enough.min():,.0f}" if len(enough) else "with none of these sizes"
            reached.append(size if len(names) == 1 else f"{name} {size}")
        ax.axhline(ENOUGH, color=GREY, linestyle="--", linewidth=1)
        symbols = [f"{sign} {label}" for sign, label in WORDS.values() if f" {sign} " in self.goal]
        explained = pen.height > ROOM_FOR_MEANINGS and symbols
        meanings = f"\n({', '.join(symbols)})" if explained else ""
        ax.set_xlabel(f"instances in the test set{meanings}")
        goal, where = escape_dollars(self.goal), ""
        if text_width(goal, pen.small) > 2 * max(pen.height - 1.2, 0.8):
            # Names are shortened, and symbols kept.
            parts = re.split(r"( [≪<≈>≫?] | or )", self.goal)
            parts[::2] = shorten(parts[::2], 0.75 * pen.width / len(parts[::2]), pen.medium)
            goal, where = "", f"\nthe goal: {''.join(parts)}"
        ax.set_ylim(-0.03, 1.03)
        ax.grid(axis="y", alpha=0.3)
        pen.finish(f"probability of {goal}" if goal else "probability", ticks="x")
        return f"{ENOUGH:.0%} reached: {', '.join(reached)}{where}"


@dataclass(eq=False, repr=False)
class SplitScoresDisplay(PairDisplay):
    """Split scores of A and B, with a line between the two scores of each split.

    The consistency of the differences between splits, not only the means, shows whether one
    classifier is better.

    Parameters
    ----------
    scores_a, scores_b : array-like of shape (n_splits,)
        The split scores; NaN if a fit failed.
    names : (str, str), default=("A", "B")
        The names of A and B.
    metric : str, default="score"
        The name of the metric.

    Attributes
    ----------
    ax_ : matplotlib Axes
        The axes of the plot.
    figure_ : matplotlib Figure
        The figure of the plot.
    line_, fill_, text_ : list of matplotlib artists
        The scores of A and B, nothing, and nothing.

    Examples
    --------
    >>> from skbayeseval.display import SplitScoresDisplay
    >>> SplitScoresDisplay([0.8, 0.82], [0.79, 0.83], metric="f1").plot().ax_.get_ylabel()
    'f1'
    """

    scores_a: Any
    scores_b: Any

    _arrays = ("scores_a", "scores_b")

    def _draw(self, ax: Axes, pen: Pen) -> str:
        from matplotlib.ticker import MaxNLocator

        width = pen.width
        names = shorten(self.names, 0.94 * width - 1.5, pen.small)
        split = np.arange(len(self.scores_a))
        ax.vlines(split, self.scores_a, self.scores_b, color=GREY, alpha=0.4)
        for scores, name, colour, marker in zip(
            (self.scores_a, self.scores_b), names, pen.colors, "os", strict=False
        ):
            label = f"{name}, mean {np.nanmean(scores):.4g}"
            pen.line(split, scores, color=colour, marker=marker, linestyle="none", label=label)
        ax.set_xlabel("split")
        ax.xaxis.set_major_locator(MaxNLocator(nbins=int(2 * width), integer=True))
        pen.finish(escape_dollars(self.metric), ticks="y")
        difference = (self.scores_a - self.scores_b)[~np.isnan(self.scores_a - self.scores_b)]
        ahead, behind = int((difference > 0).sum()), int((difference < 0).sum())
        name, wins = (names[0], ahead) if ahead >= behind else (names[1], behind)
        (short_name,) = shorten([name], 0.5 * width, pen.medium)
        ties = len(difference) - ahead - behind
        said = f"{short_name} is ahead in {wins} of {len(difference)} splits"
        return said + (f", equal in {ties}" if ties else "")
