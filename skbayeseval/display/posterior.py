"""Posteriors of a difference, or of the metrics of one or both classifiers."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.stats import gaussian_kde

from skbayeseval.display.style import (
    GREY,
    MINUS,
    Display,
    PairDisplay,
    Pen,
    difference_label,
    escape_dollars,
    finding_of,
    line_height,
    pair_words,
    shorten,
    text_width,
)
from skbayeseval.judgement.bayes_factor import BayesFactor
from skbayeseval.judgement.decision import digits_of, format_probability, percent
from skbayeseval.judgement.distribution import Distribution, as_distribution
from skbayeseval.judgement.intervals import Interval

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def _draw_density(
    ax: Axes, pen: Pen, posterior: Distribution, prob: float, around: float = 0.0
) -> None:
    """Draw a histogram of the draws, and the HDI as a bar with the mean below it."""
    draws, hdi = posterior.draws, posterior.hdi(prob)
    low, high = np.quantile(draws, [0.0005, 0.9995])
    options = pen.fill_options(color=pen.colors[0], alpha=0.35, linewidth=0)
    if low == high:
        # All draws are the same: a bar.
        half = max(abs(low) / 2, around, 0.05)
        height = 1.0
        pen.fills.append(ax.bar([low], [height], width=half / 20, **options))
        ax.set_xlim(low - half, high + half)
    else:
        bins = np.linspace(low, high, 81).tolist()
        heights, _, patches = ax.hist(draws, bins=bins, density=True, **options)
        height = float(np.max(heights))
        pen.fills.append(patches)
    label = f"{percent(prob)} interval"
    pen.line(hdi, [0, 0], color="black", linewidth=4, solid_capstyle="butt", label=label, zorder=3)
    pen.line([posterior.mean], [0], color="black", marker="o", markersize=6, zorder=3)
    ax.set_ylim(-0.05 * height, 1.05 * height)
    ax.set_yticks([])
    pen.open_box("left")
    pen.plain_ticks()


def _draw_limit(ax: Axes, pen: Pen, posterior: Distribution, limit: float) -> None:
    """Mark a limit, and write the probabilities below and above it."""
    below, _, above = map(format_probability, posterior.around(Interval(limit, limit)))
    said = f"{limit:.4g}".replace("-", MINUS)
    ax.axvline(limit, color=pen.colors[1], linestyle=":", linewidth=2, label=f"limit {said}")
    for x, side, text in (
        (0.0, "left", f"◀ below {said}\n{below}"),
        (1.0, "right", f"above {said} ▶\n{above}"),
    ):
        pen.text(x, 1.02, text, transform=ax.transAxes, ha=side, va="bottom")
    pen.pad = 2 * line_height(pen.small) + 6


@dataclass(eq=False, repr=False)
class PosteriorDisplay(PairDisplay):
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
    limit : float, default=None
        A limit in place of the ROPE: the probabilities are those below and above it.

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
    >>> display = PosteriorDisplay(draws, metric="f1").plot(colors="black")
    >>> display.ax_.get_xlabel()
    'difference in f1 (A minus B)'
    >>> display.ax_.get_title()
    'A is better than B (probability 98.0%)'
    """

    draws: Any
    _: KW_ONLY
    rope: Interval | None = None
    prob: float = 0.95
    identical: str | None = None
    limit: float | None = None

    def _draw(self, ax: Axes, pen: Pen) -> str:
        inches = 0.3 * pen.width - text_width("◀ ", pen.small)
        a, b, _ = pen.label_difference(self.metric, self.names, inches)
        rope = Interval(0.0, 0.0) if self.rope is None else self.rope
        pen.rope(self.rope)
        pen.zero()
        posterior, around = as_distribution(self.draws), 3 * max(map(abs, rope))
        _draw_density(ax, pen, posterior, self.prob, around)
        if self.limit is not None:
            _draw_limit(ax, pen, posterior, self.limit)
            pen.legend_below()
            return finding_of(posterior, None, self.prob, (a, b), self.identical)
        worse, equivalent, better = map(format_probability, posterior.around(rope))
        # More than what is shaded, which is said where three such lines have room.
        by, has_room = "better", 3 * text_width("better by more 99.9%", pen.small) < pen.width
        if rope.low < rope.high and has_room:
            by = "better by more"
        texts = [
            (0.0, "left", pen.colors[1], f"◀ {b}\n{by} {worse}"),
            (1.0, "right", pen.colors[0], f"{a} ▶\n{by} {better}"),
        ]
        if self.rope is not None:
            texts.append((0.5, "center", pen.colors[2], f"equivalent\n{equivalent}"))
        for x, side, colour, text in texts:
            pen.text(x, 1.02, text, transform=ax.transAxes, ha=side, va="bottom", color=colour)
        pen.legend_below()
        pen.pad = 2 * line_height(pen.small) + 6
        return finding_of(posterior, self.rope, self.prob, (a, b), self.identical)


@dataclass(eq=False, repr=False)
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
    limit : float, default=None
        A limit, with the probabilities below and above it.

    Attributes
    ----------
    ax_ : matplotlib Axes
        The axes of the plot.
    figure_ : matplotlib Figure
        The figure of the plot.
    line_, fill_, text_ : list of matplotlib artists
        The HDI and the mean, the density, and the probabilities around a limit.

    Examples
    --------
    >>> import numpy as np
    >>> from skbayeseval.display import ScoreDisplay
    >>> draws = np.random.default_rng(0).beta(80, 20, 1000)
    >>> ScoreDisplay(draws, observed=0.8, metric="recall").plot().ax_.get_xlabel()
    'recall of A'
    """

    draws: Any
    _: KW_ONLY
    observed: float
    name: str = "A"
    metric: str = "score"
    prob: float = 0.95
    limit: float | None = None

    def _draw(self, ax: Axes, pen: Pen) -> str:
        medium, width = pen.medium, pen.width
        (name,) = shorten(
            [self.name], 0.88 * width - text_width(f"{self.metric} of ", medium), medium
        )
        pen.set_xlabel(f"{escape_dollars(self.metric)} of {name}")
        posterior = as_distribution(self.draws)
        _draw_density(ax, pen, posterior, self.prob)
        # Two digits more than the standard deviation has zeros.
        sd = posterior.sd
        digits = 3 if not 0 < sd < 1 else min(max(3, 1 - int(np.floor(np.log10(sd)))), 8)
        observed = f"observed {self.observed:.{digits}f}"
        ax.axvline(self.observed, color=pen.colors[1], linestyle="--", label=observed)
        if self.limit is not None:
            _draw_limit(ax, pen, posterior, self.limit)
        pen.legend_below()
        hdi = posterior.hdi(self.prob)
        form = ".4g" if hdi.high - hdi.low >= 100 else f".{digits_of(hdi)}f"
        low, high = (f"{end + 0.0:{form}}" for end in hdi)
        return f"between {low} and {high} with probability {percent(self.prob)}"


@dataclass(eq=False, repr=False)
class FactorDisplay(PairDisplay):
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
    'difference in F1 (A minus B)'
    """

    draws: Any
    prior_draws: Any
    _: KW_ONLY
    factor: BayesFactor
    prior_at_zero: float | None = None
    _arrays = ("draws", "prior_draws")

    def _draw(self, ax: Axes, pen: Pen) -> str:
        pen.label_difference(self.metric, self.names, 0.3 * pen.width)
        low, high = np.quantile(self.draws, [0.0005, 0.9995])
        margin = 0.5 * (high - low) or 0.05 * max(abs(low), 1.0)
        x = np.linspace(min(low - margin, -margin), max(high + margin, margin), 400)
        known = self.prior_at_zero
        published = "published " if self.factor.published_prior else ""
        for draws, colour, name, exact in (
            (self.prior_draws, pen.colors[1], f"{published}prior", known),
            (self.draws, pen.colors[0], "posterior", known and known * self.factor.value),
        ):
            if np.ptp(draws) == 0:  # a point mass has no density
                ax.axvline(draws[0], color=colour, label=f"{name}, all of it at {draws[0]:.3g}")
                continue
            density = gaussian_kde(draws)
            at_zero = density(0.0)[0] if exact is None else exact
            pen.line(x, density(x), color=colour, label=f"{name}, {at_zero:.3g} at 0")
            pen.line([0], [at_zero], color=colour, marker="o", linestyle="none")
        pen.zero()
        ax.set_ylim(bottom=0)
        pen.finish("density")
        doubt = "" if self.factor.reliable else ", not reliable"
        value = self.factor.value
        favoured = "equality" if value >= 1 else "a difference"
        size = value if value >= 1 else 1 / max(value, 1e-300)
        said = "more than a million" if size > 1e6 else f"{size:.3g}"
        return f"Bayes factor {said} for {favoured} ({self.factor.method}{doubt})"


@dataclass(eq=False, repr=False)
class TraceDisplay(PairDisplay):
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

    chains: Any
    _: KW_ONLY
    note: str = ""
    _arrays = ("chains",)

    def _draw(self, ax: Axes, pen: Pen) -> str:
        a, b, key = pair_words(self.names, 0.35 * pen.height, 0.88 * pen.width, pen.small)
        side = ax.inset_axes((1.02, 0.0, 0.22, 1.0), sharey=ax)
        low, high = self.chains.min(), self.chains.max()
        margin = 0.0 if low < high else 0.05 * max(abs(low), 1.0)
        bins = np.linspace(low - margin, high + margin, 41).tolist()
        n_chains = len(self.chains)
        for k, chain in enumerate(self.chains):
            colour = pen.colors[k % len(pen.colors)]
            label = f"chain {k + 1}" if n_chains > 1 else None
            pen.line(
                np.arange(len(chain)), chain, color=colour, linewidth=0.4, alpha=0.7,
                label=label, rasterized=True,
            )  # fmt: skip
            options = pen.fill_options(color=colour, alpha=1.0 if n_chains > 1 else 0.35)
            _, _, drawn = side.hist(
                chain, bins=bins, density=True, orientation="horizontal",
                histtype="step" if n_chains > 1 else "stepfilled", **options,
            )  # fmt: skip
            pen.fills.append(drawn)
        for axes in (ax, side):
            axes.axhline(0, color=GREY, linestyle="--", linewidth=1)
            pen.on(axes).open_box()
        side.tick_params(labelleft=False)
        side.set_xticks([])
        label = difference_label(self.metric, a, b, 0.0, pen.medium)
        pen.set_xlabel("draw", key)
        ax.margins(x=0.01)
        pen.plain_ticks(inches=0.7 * pen.width)
        pen.plain_ticks("y")
        pen.set_ylabel(label.replace("\n", " "))
        legend = pen.legend_below()
        for line in [] if legend is None else legend.get_lines():
            line.set(linewidth=2, alpha=1)
        return self.note


# At most this many draws are plotted.
MOST_POINTS = 4000


@dataclass(eq=False, repr=False)
class JointDisplay(PairDisplay):
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

    draws_a: Any
    draws_b: Any
    _: KW_ONLY
    rope: Interval | None = None
    difference: Any = None
    _arrays = ("draws_a", "draws_b")

    def __post_init__(self) -> None:
        super().__post_init__()
        self.difference = as_distribution(
            self.draws_a - self.draws_b if self.difference is None else self.difference
        )

    def _draw(self, ax: Axes, pen: Pen) -> str:
        width, height = pen.width, pen.height
        a, b, key = pair_words(self.names, max(0.8, width - height), 0.88 * width, pen.small)
        pen.line(
            self.draws_b[:MOST_POINTS], self.draws_a[:MOST_POINTS], color=pen.colors[0],
            linestyle="none", marker=".", alpha=0.15, markersize=3, rasterized=True,
        )  # fmt: skip
        both = np.concatenate([self.draws_a, self.draws_b])
        low, high = np.quantile(both, [0.0005, 0.9995])
        margin = 0.06 * (high - low) or 0.05 * max(abs(low), 1.0)
        ends = np.array([low - margin, high + margin])
        pen.line(ends, ends, color=GREY, linestyle="--", linewidth=1, label="equal")
        if self.rope is not None:
            label = f"ROPE [{self.rope.low:g}, {self.rope.high:g}]"
            low_end, high_end = ends + self.rope.low, ends + self.rope.high
            pen.band(ends, low_end, high_end, color=pen.colors[2], label=label)
        metric = escape_dollars(self.metric)
        pen.set_xlabel(f"{metric} of {b}", key)
        ax.set_xlim(*ends)
        ax.set_ylim(*ends)
        square = width >= height + 2
        if square:
            ax.set_aspect("equal")
        across = height - 1.6 if square else width - 1.8
        pen.plain_ticks(inches=max(across, 0.6))
        pen.plain_ticks("y", inches=max(height - 1.6, 0.6))
        region = Interval(0.0, 0.0) if self.rope is None else self.rope
        worse, equivalent, better = map(format_probability, self.difference.around(region))
        texts = [
            (1.0, "top", f"{a}\nbetter {better}", 0),
            (0.0, "bottom", f"{b}\nbetter {worse}", 1),
        ]
        if self.rope is not None:
            texts.append((0.5, "center", f"equivalent\n{equivalent}", 2))
        if max(text_width(text.replace("\n", " "), pen.small) for _, _, text, _ in texts) < 1.2:
            texts = [(y, side, text.replace("\n", " "), k) for y, side, text, k in texts]
        for y, side, text, colour in texts:
            pen.text(1.03, y, text, transform=ax.transAxes, va=side, color=pen.colors[colour])
        pen.set_ylabel(f"{metric} of {a}")
        pen.legend_below()
        found, open_ = finding_of(self.difference, self.rope, 0.95, (a, b)), "not settled"
        return open_ if found.startswith(open_) else found  # the probabilities stand beside it
