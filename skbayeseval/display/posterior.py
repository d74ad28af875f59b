"""Posterior of a difference, or of the metric of one classifier, with its HDI."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from numpy.typing import ArrayLike

from skbayeseval.display.style import (
    BLUE,
    GREEN,
    GREY,
    ORANGE,
    Display,
    axes_or_new,
    difference_label,
    draw_density,
    draw_hdi,
    legend_below,
    short,
)
from skbayeseval.judgement.decision import format_probability
from skbayeseval.judgement.distribution import Distribution, as_distribution
from skbayeseval.judgement.intervals import Interval

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["PosteriorDisplay", "ScoreDisplay"]


class PosteriorDisplay(Display):
    """Posterior of A minus B with the HDI, the ROPE and the probabilities around the ROPE.

    Parameters
    ----------
    draws : array-like of shape (n_draws,) or Distribution
        The posterior of the difference: draws, or an object that knows more.
    names : (str, str), default=("A", "B")
        The names of A and B.
    metric : str, default="score"
        The name of the metric.
    rope : Interval, default=None
        The region of practical equivalence. None shows the probabilities below and above 0.
    prob : float, default=0.95
        The probability mass of the HDI.

    Attributes
    ----------
    ax_ : matplotlib Axes
        The axes of the plot.
    figure_ : matplotlib Figure
        The figure of the plot.

    Examples
    --------
    >>> import numpy as np
    >>> from skbayeseval.display import PosteriorDisplay
    >>> draws = np.random.default_rng(0).normal(0.02, 0.01, 1000)
    >>> display = PosteriorDisplay(draws, metric="f1").plot()
    >>> display.ax_.get_xlabel()
    'difference in f1 (A minus B)'
    """

    def __init__(
        self,
        draws: ArrayLike | Distribution,
        *,
        names: tuple[str, str] = ("A", "B"),
        metric: str = "score",
        rope: Interval | None = None,
        prob: float = 0.95,
    ) -> None:
        self.distribution = as_distribution(draws)
        self.draws = self.distribution.draws
        self.names = names
        self.metric = metric
        self.rope = rope
        self.prob = prob

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw the plot.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            The axes to draw on. None creates a new figure.

        Returns
        -------
        display : PosteriorDisplay
            The display itself.
        """
        ax = axes_or_new(ax)
        ax.set_xlabel(difference_label(self.metric, self.names))
        height = draw_density(ax, self.draws)
        rope = Interval(0.0, 0.0) if self.rope is None else self.rope
        if self.rope is not None:
            ax.axvspan(
                *rope,
                color=GREEN,
                alpha=0.15,
                linewidth=0,
                label=f"ROPE [{rope[0]:g}, {rope[1]:g}]",
            )
        ax.axvline(0, color=GREY, linestyle="--", linewidth=1)
        draw_hdi(ax, self.distribution.hdi(self.prob), self.prob, sign=True)
        self._write_masses(ax, rope)
        ax.set_ylim(-0.03 * height, 1.05 * height)
        legend_below(ax)
        return self._drawn_on(ax)

    def _write_masses(self, ax: Axes, rope: Interval) -> None:
        a, b = map(short, self.names)
        worse, equivalent, better = map(format_probability, self.distribution.around(rope))
        texts = [
            (0.0, "left", ORANGE, f"◀ {b}\nbetter {worse}"),
            (1.0, "right", BLUE, f"{a} ▶\nbetter {better}"),
        ]
        if self.rope is not None:
            texts.append((0.5, "center", GREEN, f"equivalent\n{equivalent}"))
        for x, side, colour, text in texts:
            ax.text(
                x,
                1.02,
                text,
                transform=ax.transAxes,
                ha=side,
                va="bottom",
                color=colour,
                fontsize="small",
            )


class ScoreDisplay(Display):
    """Posterior of the metric of one classifier, with the HDI and the observed value.

    Parameters
    ----------
    draws : array-like of shape (n_draws,) or Distribution
        The posterior of the metric: draws, or an object that knows more.
    observed : float
        The observed metric value.
    name : str, default="A"
        The name of the classifier.
    metric : str, default="score"
        The name of the metric.
    prob : float, default=0.95
        The probability mass of the HDI.

    Attributes
    ----------
    ax_ : matplotlib Axes
        The axes of the plot.
    figure_ : matplotlib Figure
        The figure of the plot.

    Examples
    --------
    >>> import numpy as np
    >>> from skbayeseval.display import ScoreDisplay
    >>> draws = np.random.default_rng(0).beta(80, 20, 1000)
    >>> ScoreDisplay(draws, observed=0.8, metric="recall").plot().ax_.get_xlabel()
    'recall of A'
    """

    def __init__(
        self,
        draws: ArrayLike | Distribution,
        *,
        observed: float,
        name: str = "A",
        metric: str = "score",
        prob: float = 0.95,
    ) -> None:
        self.distribution = as_distribution(draws)
        self.draws = self.distribution.draws
        self.observed = observed
        self.name = name
        self.metric = metric
        self.prob = prob

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw the plot.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            The axes to draw on. None creates a new figure.

        Returns
        -------
        display : ScoreDisplay
            The display itself.
        """
        ax = axes_or_new(ax)
        ax.set_xlabel(f"{short(self.metric)} of {short(self.name)}")
        height = draw_density(ax, self.draws)
        ax.axvline(
            self.observed, color=ORANGE, linestyle="--", label=f"observed {self.observed:.3f}"
        )
        draw_hdi(ax, self.distribution.hdi(self.prob), self.prob, sign=False)
        ax.set_ylim(-0.03 * height, 1.05 * height)
        legend_below(ax)
        return self._drawn_on(ax)
