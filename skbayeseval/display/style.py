"""The base class of displays, and the pen that draws in the user's style."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from typing import TYPE_CHECKING, Any, NamedTuple, Self, cast

from skbayeseval._arrays import in_short
from skbayeseval._validation import check_metric_labels
from skbayeseval.display.layout import font_size, room, set_title
from skbayeseval.display.words import MINUS, wrap
from skbayeseval.judgement.decision import decide, format_probability
from skbayeseval.judgement.distribution import Distribution
from skbayeseval.judgement.intervals import Interval
from skbayeseval.judgement.rope import describe_side

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["GREY", "PALETTE", "Display", "Heading", "Pen", "finding_of"]

# Colour-blind safe palette of Okabe and Ito: A, B, and what is equivalent come first.
PALETTE = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
GREY = "#555555"

Options = Mapping[str, Any]


class Heading(NamedTuple):
    """The finding that is the title of a figure, and the points that it keeps from the axes."""

    text: str
    pad: float = 9.0


class Pen:
    """Draws with the user's options, and remembers what it drew.

    Parameters
    ----------
    colors, line_kw, fill_kw, text_kw
        As in `Display.plot`.
    """

    def __init__(
        self,
        colors: str | Sequence[Any] | None,
        line_kw: Options | None,
        fill_kw: Options | None,
        text_kw: Options | None,
    ) -> None:
        given = _checked_colors(colors)
        self.colors = (*given, *PALETTE[len(given) :])
        self.given: dict[str, Options] = {}
        for kind, options in (("line", line_kw), ("fill", fill_kw), ("text", text_kw)):
            if not isinstance(options, Mapping | None):
                raise TypeError(
                    f"{kind}_kw must be a dict of options of matplotlib, got {in_short(options)}."
                )
            self.given[kind] = options or {}
        self.lines: list[Any] = []
        self.fills: list[Any] = []
        self.texts: list[Any] = []

    def line_options(self, **defaults: Any) -> dict[str, Any]:
        """Return the options of a line: the user's, and these where there are none."""
        from matplotlib.lines import Line2D

        return self._merged("line", Line2D, defaults)

    def fill_options(self, **defaults: Any) -> dict[str, Any]:
        """Return the options of a filled area."""
        from matplotlib.patches import Patch

        return self._merged("fill", Patch, defaults)

    def line(self, ax: Axes, x: Any, y: Any, **defaults: Any) -> Any:
        """Draw a line or points."""
        (drawn,) = ax.plot(x, y, **self.line_options(**defaults))
        self.lines.append(drawn)
        return drawn

    def text(self, ax: Axes, x: float, y: float, words: str, **defaults: Any) -> Any:
        """Write a text."""
        from matplotlib.text import Text

        drawn = ax.text(
            x, y, words, **self._merged("text", Text, {"fontsize": "small", **defaults})
        )
        self.texts.append(drawn)
        return drawn

    def _merged(self, kind: str, artist: Any, defaults: dict[str, Any]) -> dict[str, Any]:
        from matplotlib.cbook import normalize_kwargs

        return normalize_kwargs(defaults, artist) | normalize_kwargs(dict(self.given[kind]), artist)


def _checked_colors(colors: Any) -> list[Any]:
    """Return a colour or a sequence of colours as a list."""
    from matplotlib.colors import is_color_like

    if colors is None or is_color_like(colors):
        return [] if colors is None else [colors]
    try:
        found = [colors] if isinstance(colors, str) else list(colors)
    except TypeError:
        found = [colors]
    if not all(map(is_color_like, found)):
        raise ValueError(
            "colors must be a color or a sequence of colors that matplotlib knows, got "
            f"{in_short(colors)}."
        )
    return found


class Display:
    """Base class of displays: `plot` draws and sets the attributes.

    Attributes
    ----------
    ax_ : matplotlib Axes
        The axes of the plot.
    figure_ : matplotlib Figure
        The figure of the plot.
    line_, fill_, text_ : list of matplotlib artists
        What the options `line_kw`, `fill_kw` and `text_kw` of `plot` apply to.
    """

    ax_: Axes
    figure_: Figure
    line_: list[Any]
    fill_: list[Any]
    text_: list[Any]

    def plot(
        self,
        ax: Axes | None = None,
        *,
        title: str | None = None,
        colors: str | Sequence[Any] | None = None,
        line_kw: Options | None = None,
        fill_kw: Options | None = None,
        text_kw: Options | None = None,
        labels: Mapping[str, str] | None = None,
    ) -> Self:
        """Draw the plot.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            The axes to draw on. None creates a new figure. Labels are chosen for the size that the
            figure has now.
        title : str, default=None
            The title. None says what was found, and "" is no title.
        colors : color or sequence of colors, default=None
            Colours in place of the first ones of a colour-blind safe palette: those of A, of B,
            and of what is practically equivalent; in figures without A and B, of what comes first,
            second and so on.
        line_kw, fill_kw, text_kw : dict, default=None
            Options of matplotlib for lines and points, for filled areas, and for texts in the plot.
        labels : dict of str to str, default=None
            What metrics are called, such as {"roc_auc": "ROC AUC"}. Of scores with a minus sign, it
            is the name without the sign, such as {"neg_brier_score": "Brier score"}.

        Returns
        -------
        display : Display
            The display itself.
        """
        if ax is None:
            import matplotlib.pyplot as plt

            ax = plt.subplots(figsize=self._size(), layout="constrained")[1]
        pen = Pen(colors, line_kw, fill_kw, text_kw)
        named, metric = copy(self), str(getattr(self, "metric", ""))
        if label := check_metric_labels(labels).get(metric):
            sign = MINUS if metric.startswith("neg_") else ""
            vars(named)["metric"] = sign + label
        heading = named._draw(ax, pen)
        medium = font_size("medium")
        shown = wrap(heading.text, 0.94 * room(ax).width, medium) if title is None else title
        set_title(ax, shown, heading.pad)
        self.ax_, self.figure_ = ax, cast("Figure", ax.figure)
        self.line_, self.fill_, self.text_ = pen.lines, pen.fills, pen.texts
        return self

    def _size(self) -> tuple[float, float]:
        """Return the size of a new figure in inches."""
        return 7.0, 4.2

    def _draw(self, ax: Axes, pen: Pen) -> Heading:
        """Draw everything but the title, and return that."""
        raise NotImplementedError


def finding_of(
    difference: Distribution,
    rope: Interval | None,
    prob: float,
    names: tuple[str, str],
    identical: str | None = None,
) -> str:
    """Return what a posterior of A - B says, as a title."""
    a, b = names
    if identical is not None:
        return f"{a} and {b} are identical: their {identical} are the same"
    region = Interval(0.0, 0.0) if rope is None else rope
    worse, equivalent, better = chances = difference.around(region)
    who, chance = (a, better) if better >= worse else (b, worse)
    said = f"{who} is better{describe_side(region, better=better >= worse)}"
    if equivalent > chance:
        chance = equivalent
        said = f"{a} and {b} are " + ("equal" if rope is None else "practically equivalent")
    said += f" with probability {format_probability(chance)}"
    settled = (
        rope is None
        or decide(difference.hdi(prob), region, chances, difference.mean, prob=prob).settled
    )
    return said if settled else f"not settled: {said}"
