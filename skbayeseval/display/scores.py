"""Split scores of a cross-validation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

import numpy as np
from numpy.typing import ArrayLike

from skbayeseval.display.style import BLUE, GREY, ORANGE, Display, axes_or_new, legend_below, short

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

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw the plot.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            The axes to draw on. None creates a new figure.

        Returns
        -------
        display : ScoresDisplay
            The display itself.
        """
        from matplotlib.ticker import MaxNLocator

        ax = axes_or_new(ax)
        split = np.arange(len(self.scores_a))
        ax.vlines(split, self.scores_a, self.scores_b, color=GREY, alpha=0.4)
        for scores, name, colour in zip(
            (self.scores_a, self.scores_b), self.names, (BLUE, ORANGE), strict=True
        ):
            ax.plot(
                split,
                scores,
                "o",
                color=colour,
                label=f"{short(name)}, mean {np.nanmean(scores):.3f}",
            )
        ax.set(xlabel="split", ylabel=short(self.metric))
        ax.xaxis.set_major_locator(MaxNLocator(integer=True))
        ax.spines[["right", "top"]].set_visible(False)
        legend_below(ax)
        return self._drawn_on(ax)
