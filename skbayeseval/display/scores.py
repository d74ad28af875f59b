"""Split scores of a cross-validation."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from skbayeseval.display.style import (
    GREY,
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
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["ScoresDisplay"]


class ScoresDisplay(Display):
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
    >>> from skbayeseval.display import ScoresDisplay
    >>> ScoresDisplay([0.8, 0.82], [0.79, 0.83], metric="f1").plot().ax_.get_ylabel()
    'f1'
    """

    def __init__(
        self,
        scores_a: ArrayLike,
        scores_b: ArrayLike,
        *,
        names: tuple[str, str] = ("A", "B"),
        metric: str = "score",
    ) -> None:
        self.scores_a = np.asarray(scores_a, dtype=float)
        self.scores_b = np.asarray(scores_b, dtype=float)
        self.names = names
        self.metric = metric

    def _draw(self, ax: Axes, pen: Pen) -> Heading:
        from matplotlib.ticker import MaxNLocator

        small, width = font_size("small"), room(ax).width
        names = [plain(name) for name in shorten(self.names, 0.94 * width - 1.5, small)]
        split = np.arange(len(self.scores_a))
        ax.vlines(split, self.scores_a, self.scores_b, color=GREY, alpha=0.4)
        for scores, name, colour, marker in zip(
            (self.scores_a, self.scores_b), names, pen.colors, "os", strict=False
        ):
            label = f"{name}, mean {np.nanmean(scores):.4g}"
            pen.line(ax, split, scores, color=colour, marker=marker, linestyle="none", label=label)
        ax.set_xlabel("split")
        plain_ticks(ax, "y")
        ax.xaxis.set_major_locator(MaxNLocator(nbins=int(2 * width), integer=True))
        ax.spines[["right", "top"]].set_visible(False)
        set_ylabel(ax, plain(self.metric))
        legend_below(ax)
        difference = (self.scores_a - self.scores_b)[~np.isnan(self.scores_a - self.scores_b)]
        ahead, behind = int((difference > 0).sum()), int((difference < 0).sum())
        name, wins = (names[0], ahead) if ahead >= behind else (names[1], behind)
        (short_name,) = shorten([name], 0.5 * width, font_size("medium"))
        ties = len(difference) - ahead - behind
        said = f"{short_name} is ahead in {wins} of {len(difference)} splits"
        return Heading(said + (f", equal in {ties}" if ties else ""))
