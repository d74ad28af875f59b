"""Posterior of a difference, or of the metric of one classifier, with its HDI."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import gaussian_kde

from skbayeseval.display.style import (
    GREY,
    MINUS,
    Display,
    Heading,
    PairWords,
    Pen,
    finding_of,
    font_size,
    legend_below,
    line_height,
    pair_words,
    plain,
    plain_ticks,
    room,
    set_xlabel,
    set_ylabel,
    shorten,
    text_width,
)
from skbayeseval.judgement.bayes_factor import BayesFactor
from skbayeseval.judgement.decision import format_interval, format_probability
from skbayeseval.judgement.distribution import Distribution, as_distribution
from skbayeseval.judgement.intervals import Interval

if TYPE_CHECKING:
    from matplotlib.axes import Axes


__all__ = [
    "FactorDisplay",
    "PosteriorDisplay",
    "ScoreDisplay",
    "TraceDisplay",
    "difference_label",
]


DRAWN = ("hist", "density")


class _DensityDisplay(Display):
    """Base class of the displays of one posterior density."""

    distribution: Distribution
    prob: float
    _drawn = "hist"

    def plot(self, ax: Axes | None = None, *, draw: str = "hist", **style: Any) -> Self:
        """Draw the plot.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            The axes to draw on. None creates a new figure.
        draw : {"hist", "density"}, default="hist"
            A histogram of the draws, or a kernel density estimate.
        **style
            The options `title`, `colors`, `labels`, `line_kw` (HDI), `fill_kw` (density) and
            `text_kw` (probabilities) of `Display.plot`.

        Returns
        -------
        display : Display
            The display itself.
        """
        if draw not in DRAWN:
            raise ValueError(f"draw={draw!r} is not known. Valid values are {list(DRAWN)}.")
        self._drawn = draw
        return super().plot(ax, **style)

    def _draw_density(self, ax: Axes, pen: Pen, around: float = 0.0) -> None:
        """Draw the density, and the HDI as a bar with the mean below it."""
        draws, hdi = self.distribution.draws, self.distribution.hdi(self.prob)
        low, high = np.quantile(draws, [0.0005, 0.9995])
        options = pen.fill_options(color=pen.colors[0], alpha=0.35, linewidth=0)
        if low == high:
            # All draws are the same: a bar.
            half = max(abs(low) / 2, around, 0.05)
            height = 1.0
            pen.fills.append(ax.bar([low], [height], width=half / 20, **options))
            ax.set_xlim(low - half, high + half)
        elif self._drawn == "density":
            x = np.linspace(low - 0.1 * (high - low), high + 0.1 * (high - low), 400)
            y = _smooth(draws, x)
            height = float(y.max())
            pen.fills.append(ax.fill_between(x, y, **options))
        else:
            bins = np.linspace(low, high, 81).tolist()
            heights, _, patches = ax.hist(draws, bins=bins, density=True, **options)
            height = float(np.max(heights))
            pen.fills.append(patches)
        label = f"{100 * self.prob:.3g}% HDI {_interval(hdi, self._sign())}"
        pen.line(
            ax,
            hdi,
            [0, 0],
            color="black",
            linewidth=4,
            solid_capstyle="butt",
            label=label,
            zorder=3,
        )
        pen.line(
            ax, [self.distribution.mean], [0], color="black", marker="o", markersize=6, zorder=3
        )
        ax.set_ylim(-0.05 * height, 1.05 * height)
        ax.set_yticks([])
        ax.spines[["left", "right", "top"]].set_visible(False)
        plain_ticks(ax)

    def _sign(self) -> bool:
        return True


def _interval(interval: Interval, sign: bool) -> str:
    """Format an interval; one of large numbers with four digits."""
    if interval.high - interval.low < 100:
        return format_interval(interval, sign)
    form = "{:+.4g}" if sign else "{:.4g}"
    return f"[{', '.join(form.format(end) for end in interval)}]"


def _smooth(draws: NDArray[Any], x: NDArray[Any]) -> NDArray[Any]:
    return gaussian_kde(draws[:20_000])(x)


def difference_label(metric: str, words: PairWords, inches: float, size: float) -> str:
    """Return the axis label of a difference, on two lines if it is wide."""
    order = f"{words.a} minus {words.b}"
    if metric.startswith(MINUS):  # A minus B in a score with a minus sign is B minus A without it
        metric, order = metric.removeprefix(MINUS), f"{words.b} minus {words.a}"
    label = f"difference in {plain(metric)} ({order})"
    if text_width(label, size) > inches:
        label = label.replace(" (", "\n(", 1)
    return label


class PosteriorDisplay(_DensityDisplay):
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
    identical : str, default=None
        In what A and B are identical, such as "predictions".

    Attributes
    ----------
    ax_ : matplotlib Axes
        The axes of the plot.
    figure_ : matplotlib Figure
        The figure of the plot.
    line_, fill_, text_ : list of matplotlib artists
        The HDI and the mean, the density, and the probabilities.

    Examples
    --------
    >>> import numpy as np
    >>> from skbayeseval.display import PosteriorDisplay
    >>> draws = np.random.default_rng(0).normal(0.02, 0.01, 1000)
    >>> display = PosteriorDisplay(draws, metric="f1").plot(colors="black", draw="density")
    >>> display.ax_.get_xlabel()
    'difference in f1 (A minus B)'
    >>> display.ax_.get_title()
    'A is better with probability 98.0%'
    """

    def __init__(
        self,
        draws: ArrayLike | Distribution,
        *,
        names: tuple[str, str] = ("A", "B"),
        metric: str = "score",
        rope: Interval | None = None,
        prob: float = 0.95,
        identical: str | None = None,
    ) -> None:
        self.distribution = as_distribution(draws)
        self.draws = self.distribution.draws
        self.names = names
        self.metric = metric
        self.rope = rope
        self.prob = prob
        self.identical = identical

    def _draw(self, ax: Axes, pen: Pen) -> Heading:
        small, medium, width = font_size("small"), font_size("medium"), room(ax).width
        words = pair_words(self.names, 0.3 * width - text_width("◀ ", small), 0.88 * width, small)
        set_xlabel(ax, difference_label(self.metric, words, 0.9 * width, medium), words.key)
        rope = Interval(0.0, 0.0) if self.rope is None else self.rope
        if self.rope is not None:
            label = f"ROPE [{rope.low:g}, {rope.high:g}]"
            ax.axvspan(*rope, color=pen.colors[2], alpha=0.2, linewidth=0, label=label)
        ax.axvline(0, color=GREY, linestyle="--", linewidth=1)
        self._draw_density(ax, pen, around=3 * max(map(abs, rope)))
        self._write_masses(ax, pen, rope, words)
        legend_below(ax)
        said = finding_of(self.distribution, self.rope, self.prob, words[:2], self.identical)
        return Heading(said, pad=2 * line_height(small) + 6)

    def _write_masses(self, ax: Axes, pen: Pen, rope: Interval, words: PairWords) -> None:
        worse, equivalent, better = map(format_probability, self.distribution.around(rope))
        texts = [
            (0.0, "left", pen.colors[1], f"◀ {words.b}\nbetter {worse}"),
            (1.0, "right", pen.colors[0], f"{words.a} ▶\nbetter {better}"),
        ]
        if self.rope is not None:
            texts.append((0.5, "center", pen.colors[2], f"equivalent\n{equivalent}"))
        for x, side, colour, text in texts:
            pen.text(ax, x, 1.02, text, transform=ax.transAxes, ha=side, va="bottom", color=colour)


class ScoreDisplay(_DensityDisplay):
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
    line_, fill_, text_ : list of matplotlib artists
        The HDI and the mean, the density, and no text.

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

    def _sign(self) -> bool:
        return False

    def _draw(self, ax: Axes, pen: Pen) -> Heading:
        medium, width = font_size("medium"), room(ax).width
        (name,) = shorten(
            [self.name], 0.88 * width - text_width(f"{self.metric} of ", medium), medium
        )
        set_xlabel(ax, f"{plain(self.metric)} of {plain(name)}")
        self._draw_density(ax, pen)
        observed = f"observed {_rounded(self.observed, self.distribution.sd)}"
        ax.axvline(self.observed, color=pen.colors[1], linestyle="--", label=observed)
        legend_below(ax)
        low, high = self.distribution.hdi(self.prob)
        digits = _interval(Interval(low, high), sign=False)[1:-1].replace(", ", " and ")
        return Heading(f"between {digits} with probability {100 * self.prob:.3g}%")


def _rounded(value: float, sd: float) -> str:
    """Return the value with two digits more than its standard deviation has zeros."""
    digits = 3 if not 0 < sd < 1 else min(max(3, 1 - int(np.floor(np.log10(sd)))), 8)
    return f"{value:.{digits}f}"


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


class TraceDisplay(Display):
    """Trace plot and histogram of the draws of the difference, with one colour per chain.

    Chains that have mixed well look alike and show no trend. Independent draws are shown as a
    single chain.

    Parameters
    ----------
    chains : array-like of shape (n_chains, n_draws)
        Draws of the difference.
    names : (str, str), default=("A", "B")
        The names of A and B.
    metric : str, default="score"
        The name of the metric.
    note : str, default=""
        The title of the plot, such as the engine, effective sample size and R-hat.

    Attributes
    ----------
    ax_ : matplotlib Axes
        The axes of the plot.
    figure_ : matplotlib Figure
        The figure of the plot.
    line_, fill_, text_ : list of matplotlib artists
        The draws of each chain, their histograms, and nothing.

    Examples
    --------
    >>> import numpy as np
    >>> from skbayeseval.display import TraceDisplay
    >>> chains = np.random.default_rng(0).normal(0.02, 0.01, (4, 500))
    >>> TraceDisplay(chains, metric="f1").plot().ax_.get_xlabel()
    'draw'
    """

    def __init__(
        self,
        chains: ArrayLike,
        *,
        names: tuple[str, str] = ("A", "B"),
        metric: str = "score",
        note: str = "",
    ) -> None:
        self.chains = np.asarray(chains, dtype=float)
        self.names = names
        self.metric = metric
        self.note = note

    def _draw(self, ax: Axes, pen: Pen) -> Heading:
        medium, place = font_size("medium"), room(ax)
        words = pair_words(self.names, 0.35 * place.height, 0.88 * place.width, font_size("small"))
        side = ax.inset_axes((1.02, 0.0, 0.22, 1.0), sharey=ax)
        low, high = self.chains.min(), self.chains.max()
        margin = 0.0 if low < high else 0.05 * max(abs(low), 1.0)
        bins = np.linspace(low - margin, high + margin, 41).tolist()
        n_chains = len(self.chains)
        for k, chain in enumerate(self.chains):
            colour = pen.colors[k % len(pen.colors)]
            label = f"chain {k + 1}" if n_chains > 1 else None
            pen.line(
                ax, np.arange(len(chain)), chain, color=colour, linewidth=0.4, alpha=0.7,
                label=label, rasterized=True,
            )  # fmt: skip
            options = pen.fill_options(color=colour, alpha=1.0 if n_chains > 1 else 0.35)
            _, _, drawn = side.hist(
                chain, bins=bins, density=True, orientation="horizontal",
                histtype="step" if n_chains > 1 else "stepfilled", **options,
            )  # fmt: skip
            pen.fills.append(drawn)
        for one in (ax, side):
            one.axhline(0, color=GREY, linestyle="--", linewidth=1)
            one.spines[["right", "top"]].set_visible(False)
        side.tick_params(labelleft=False)
        side.set_xticks([])
        label = difference_label(self.metric, words, 0.0, medium)
        set_xlabel(ax, "draw", words.key)
        ax.margins(x=0.01)
        plain_ticks(ax, inches=0.7 * place.width)
        plain_ticks(ax, "y")
        set_ylabel(ax, label.replace("\n", " "))
        legend = legend_below(ax)
        for line in [] if legend is None else legend.get_lines():
            line.set(linewidth=2, alpha=1)
        return Heading(self.note)
