"""Prior and posterior density of the difference, whose ratio at 0 is the Bayes factor."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import gaussian_kde

from skbayeseval.display.layout import font_size, legend_below, plain_ticks, room, set_xlabel
from skbayeseval.display.posterior import difference_label
from skbayeseval.display.style import GREY, Display, Heading, Pen
from skbayeseval.display.words import pair_words
from skbayeseval.judgement.bayes_factor import BayesFactor

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["FactorDisplay"]


class FactorDisplay(Display):
    """Kernel density estimates of the prior and posterior, and the densities at 0.

    Parameters
    ----------
    draws, prior_draws : array-like of shape (n_draws,)
        Draws of the difference from the posterior and from the prior.
    factor : BayesFactor
        The Bayes factor of equality, shown in the title.
    prior_at_zero : float, default=None
        The prior density at 0, if known. None uses the kernel density estimates for both densities
        at 0.
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
        The densities and their values at 0, nothing, and nothing.

    Examples
    --------
    >>> from skbayeseval import compare_counts
    >>> result = compare_counts((400, 50, 60), (401, 51, 59), random_state=0)
    >>> display = result.plot("factor")
    >>> display.ax_.get_xlabel()
    'difference in f1 (A minus B)'
    """

    def __init__(
        self,
        draws: ArrayLike,
        prior_draws: ArrayLike,
        *,
        factor: BayesFactor,
        prior_at_zero: float | None = None,
        names: tuple[str, str] = ("A", "B"),
        metric: str = "score",
    ) -> None:
        self.draws = np.asarray(draws, dtype=float)
        self.prior_draws = np.asarray(prior_draws, dtype=float)
        self.factor = factor
        self.prior_at_zero = prior_at_zero
        self.names = names
        self.metric = metric

    def _draw(self, ax: Axes, pen: Pen) -> Heading:
        medium, width = font_size("medium"), room(ax).width
        words = pair_words(self.names, 0.3 * width, 0.88 * width, font_size("small"))
        low, high = np.quantile(self.draws, [0.0005, 0.9995])
        margin = 0.5 * (high - low) or 0.05 * max(abs(low), 1.0)
        x = np.linspace(min(low - margin, -margin), max(high + margin, margin), 400)
        known = self.prior_at_zero
        published = "published " if self.factor.published_prior else ""
        for draws, colour, name, exact in (
            (self.prior_draws, pen.colors[1], f"{published}prior", known),
            (
                self.draws,
                pen.colors[0],
                "posterior",
                None if known is None else known * self.factor.value,
            ),
        ):
            density = gaussian_kde(draws)
            at_zero = density(0.0)[0] if exact is None else exact
            pen.line(ax, x, density(x), color=colour, label=f"{name}, {at_zero:.3g} at 0")
            pen.line(ax, [0], [at_zero], color=colour, marker="o", linestyle="none")
        ax.axvline(0, color=GREY, linestyle="--", linewidth=1)
        set_xlabel(ax, difference_label(self.metric, words, 0.9 * width, medium), words.key)
        ax.set_ylabel("density")
        ax.set_ylim(bottom=0)
        ax.spines[["right", "top"]].set_visible(False)
        plain_ticks(ax)
        plain_ticks(ax, "y")
        legend_below(ax)
        doubt = "" if self.factor.reliable else ", not reliable"
        value = self.factor.value
        favoured = "equality" if value >= 1 else "a difference"
        size = value if value >= 1 else 1 / max(value, 1e-300)
        return Heading(f"Bayes factor {size:.3g} for {favoured} ({self.factor.method}{doubt})")
