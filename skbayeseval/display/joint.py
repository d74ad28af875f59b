"""Scatter plot of the posterior draws of two classifiers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from skbayeseval.display.style import (
    GREY,
    Display,
    Heading,
    Pen,
    finding_of,
    font_size,
    legend_below,
    pair_words,
    plain,
    plain_ticks,
    room,
    set_xlabel,
    set_ylabel,
    text_width,
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
    line_, fill_, text_ : list of matplotlib artists
        The draws and the line of equality, the band of the ROPE, and the probabilities.

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

    def _draw(self, ax: Axes, pen: Pen) -> Heading:
        small, place = font_size("small"), room(ax)
        beside = max(0.8, place.width - place.height)
        words = pair_words(self.names, beside, 0.88 * place.width, small)
        a, b = words[:2]
        pen.line(
            ax, self.draws_b[:MOST_POINTS], self.draws_a[:MOST_POINTS], color=pen.colors[0],
            linestyle="none", marker=".", alpha=0.15, markersize=3, rasterized=True,
        )  # fmt: skip
        both = np.concatenate([self.draws_a, self.draws_b])
        low, high = np.quantile(both, [0.0005, 0.9995])
        margin = 0.06 * (high - low) or 0.05 * max(abs(low), 1.0)
        ends = np.array([low - margin, high + margin])
        pen.line(ax, ends, ends, color=GREY, linestyle="--", linewidth=1, label="equal")
        if self.rope is not None:
            options = pen.fill_options(color=pen.colors[2], alpha=0.2, linewidth=0)
            label = f"ROPE [{self.rope.low:g}, {self.rope.high:g}]"
            low_end, high_end = ends + self.rope.low, ends + self.rope.high
            pen.fills.append(ax.fill_between(ends, low_end, high_end, label=label, **options))
        metric = plain(self.metric)
        set_xlabel(ax, f"{metric} of {b}", words.key)
        ax.set_xlim(*ends)
        ax.set_ylim(*ends)
        square = place.width >= place.height + 2
        if square:
            ax.set_aspect("equal")
        across = place.height - 1.6 if square else place.width - 1.8
        plain_ticks(ax, inches=max(across, 0.6))
        plain_ticks(ax, "y", inches=max(place.height - 1.6, 0.6))
        region = Interval(0.0, 0.0) if self.rope is None else self.rope
        worse, equivalent, better = map(format_probability, self.difference.around(region))
        texts = [
            (1.0, "top", f"{a}\nbetter {better}", 0),
            (0.0, "bottom", f"{b}\nbetter {worse}", 1),
        ]
        if self.rope is not None:
            texts.append((0.5, "center", f"equivalent\n{equivalent}", 2))
        if max(text_width(text.replace("\n", " "), small) for _, _, text, _ in texts) < 1.2:
            texts = [(y, side, text.replace("\n", " "), k) for y, side, text, k in texts]
        for y, side, text, colour in texts:
            pen.text(ax, 1.03, y, text, transform=ax.transAxes, va=side, color=pen.colors[colour])
        set_ylabel(ax, f"{metric} of {a}")
        legend_below(ax)
        return Heading(finding_of(self.difference, self.rope, 0.95, words[:2]))
