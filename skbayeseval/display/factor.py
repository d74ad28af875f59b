"""Prior and posterior density of the difference, whose ratio at 0 is the Bayes factor."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import gaussian_kde

from skbayeseval.display.style import BLUE, GREY, ORANGE, Display, axes_or_new, difference_label
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

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw the plot.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            The axes to draw on. None creates a new figure.

        Returns
        -------
        display : FactorDisplay
            The display itself.
        """
        ax = axes_or_new(ax)
        low, high = np.quantile(self.draws, [0.0005, 0.9995])
        margin = 0.5 * (high - low)
        x = np.linspace(min(low - margin, -margin), max(high + margin, margin), 400)
        known = self.prior_at_zero
        for draws, colour, name, exact in (
            (self.prior_draws, ORANGE, "prior", known),
            (self.draws, BLUE, "posterior", None if known is None else known * self.factor.value),
        ):
            density = gaussian_kde(draws)
            at_zero = density(0.0)[0] if exact is None else exact
            ax.plot(x, density(x), color=colour, label=f"{name}, {at_zero:.3g} at 0")
            ax.plot([0], [at_zero], "o", color=colour)
        ax.axvline(0, color=GREY, linestyle="--", linewidth=1)
        ax.set(xlabel=difference_label(self.metric, self.names), ylabel="density")
        ax.set_ylim(bottom=0)
        doubt = "" if self.factor.reliable else ", not reliable"
        ax.set_title(
            f"Bayes factor of equality: {self.factor.value:.3g} ({self.factor.method}{doubt})",
            fontsize="medium",
        )
        ax.spines[["right", "top"]].set_visible(False)
        ax.legend(frameon=False, fontsize="small")
        return self._drawn_on(ax)
