"""How figures look: colours, the words on them, and their layout."""

from __future__ import annotations

import math
import re
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Any, Self, cast

import numpy as np

from skbayeseval._arrays import wrong
from skbayeseval._validation import check_metric_labels
from skbayeseval.judgement.distribution import Distribution, decision_of, lead_of
from skbayeseval.judgement.intervals import Interval

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure


MINUS = "\N{MINUS SIGN}"


def escape_dollars(text: str) -> str:
    """Escape $ once, so that matplotlib does not parse the text as mathematics."""
    return re.sub(r"(?<!\\)\$", r"\\$", text)


def text_width(text: str, size: float) -> float:
    """Return the width in inches of one line of text, for a font size in points."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import text_to_path

    width, _, _ = text_to_path.get_text_width_height_descent(text, FontProperties(size=size), False)
    return width / 72


def wrap(text: str, inches: float, size: float) -> str:
    """Break each line of the text where it is wider than this."""
    wrapped = []
    for line in text.split("\n"):
        width = text_width(line, size)
        if width <= inches:
            wrapped.append(line)
        else:
            most = max(8, int(0.95 * len(line) * inches / width))
            wrapped += textwrap.wrap(line, most, break_on_hyphens=False)
    return "\n".join(wrapped)


def shorten(names: Sequence[str], inches: float, size: float) -> list[str]:
    """Return names as plain text, shortened if wider than this; different names stay different.

    A name loses its middle. If that makes two names alike, names are numbered.

    Examples
    --------
    >>> from skbayeseval.display.style import shorten
    >>> shorten(["SVC", "pipeline(PCA(20), SVC(C=1))", "pipeline(PCA(20), SVC(C=10))"], 1.2, 10)
    ['SVC', 'pipeline…C(C=1))', 'pipeline…(C=10))']
    """
    widest = max(names, key=len, default="")
    if not names or max(text_width(name, size) for name in names) <= inches:
        return [escape_dollars(name) for name in names]
    most = max(6, int(len(widest) * inches / max(text_width(widest, size), 1e-9)))
    head = most // 2
    tail = most - 1 - head
    short = [name if len(name) <= most else f"{name[:head]}…{name[-tail:]}" for name in names]
    if len(set(short)) < len(set(names)):
        short = [
            f"{i}: {name[: max(most - len(f'{i}: ') - 1, 1)]}…" for i, name in enumerate(names, 1)
        ]
    return [escape_dollars(name) for name in short]


# What A and B are called, and the key: which name each letter stands for, or "".
PairWords = tuple[str, str, str]


def pair_words(names: tuple[str, str], inches: float, line: float, size: float) -> PairWords:
    """Return the names if these are not wider than `inches`, otherwise letters and their key.

    `line` is the width of a line of the key in inches, and `size` the font size of both in points.
    """
    a, b = map(escape_dollars, names)
    if max(text_width(name, size) for name in names) <= inches:
        return a, b, ""
    long_a, long_b = shorten(names, line - text_width("A: ", size), size)
    return "A", "B", f"A: {long_a}\nB: {long_b}"


def difference_label(metric: str, a: str, b: str, inches: float, size: float) -> str:
    """Return the axis label of a difference, on two lines if it is wide."""
    if metric.startswith(MINUS):  # A minus B in a score with a minus sign is B minus A without it
        metric, a, b = metric.removeprefix(MINUS), b, a
    order = f"{a} minus {b}"
    label = f"difference in {escape_dollars(metric)} ({order})"
    if text_width(label, size) > inches:
        label = label.replace(" (", "\n(", 1)
    return label


# Colour-blind safe palette of Okabe and Ito: A, B, and what is equivalent come first.
PALETTE = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")

GREY = "#555555"

# The smallest legible font of rows, in points, and its share of a row.
SMALLEST_FONT, SHARE_OF_ROW = 4.5, 0.75

# What the title (two lines), the line below it, ticks and label take, in inches.
OVERHEAD = 1.4

Options = Mapping[str, Any]


class Pen:
    """Draws on axes with the user's options, and remembers what it drew.

    Parameters
    ----------
    ax : matplotlib Axes
        The axes.
    colors, line_kw, fill_kw, text_kw
        As in `Display.plot`.

    Attributes
    ----------
    small, medium : float
        Font sizes in points.
    pad : float
        The points between the title and the axes.
    """

    def __init__(
        self,
        ax: Axes,
        colors: str | Sequence[Any] | None,
        line_kw: Options | None,
        fill_kw: Options | None,
        text_kw: Options | None,
    ) -> None:
        from matplotlib.colors import is_color_like
        from matplotlib.font_manager import FontProperties

        is_one = isinstance(colors, str) or is_color_like(colors) or not np.iterable(colors)
        chosen: list[Any] = [] if colors is None else [colors] if is_one else list(colors)
        if not all(map(is_color_like, chosen)):
            wanted = "a color or a sequence of colors that matplotlib knows"
            raise wrong("colors", wanted, colors)
        self.colors = (*chosen, *PALETTE[len(chosen) :])
        self.given: dict[str, Options] = {}
        for kind, options in (("line", line_kw), ("fill", fill_kw), ("text", text_kw)):
            if not isinstance(options, Mapping | None):
                wanted = "a dict of options of matplotlib"
                raise wrong(f"{kind}_kw", wanted, options, TypeError)
            self.given[kind] = options or {}
        self.ax = ax
        self.small, self.medium = (
            FontProperties(size=name).get_size_in_points() for name in ("small", "medium")
        )
        self.pad = 9.0
        self.lines: list[Any] = []
        self.fills: list[Any] = []
        self.texts: list[Any] = []

    def on(self, ax: Axes) -> Pen:
        """Return the same pen on other axes."""
        other = copy(self)
        other.ax = ax
        return other

    def fill_options(self, **defaults: Any) -> dict[str, Any]:
        """Return the options of a filled area: the user's, and these where there are none."""
        return self._merged("fill", defaults)

    def line(self, x: Any, y: Any, **defaults: Any) -> Any:
        """Draw a line or points."""
        (drawn,) = self.ax.plot(x, y, **self._merged("line", defaults))
        self.lines.append(drawn)
        return drawn

    def text(self, x: float, y: float, words: str, **defaults: Any) -> None:
        """Write a text."""
        options = self._merged("text", {"fontsize": "small", **defaults})
        self.texts.append(self.ax.text(x, y, words, **options))

    def text_in_row(self, x: float, row: float, words: str, size: float, **options: Any) -> None:
        """Write a text at the height of a row, and at a share of the width of the axes."""
        options = {"color": GREY, "fontsize": size, "va": "center", **options}
        self.text(x, row, words, transform=self.ax.get_yaxis_transform(), **options)

    def intervals(
        self, rows: Any, values: Any, *, color: Any, marker: str, size: float, alpha: float = 0.5,
        widest: float = 3.0, label: str | None = None,
    ) -> None:  # fmt: skip
        """Draw a point and an interval in each row; the values are middles, low and high ends."""
        middle, low, high = values
        options = self.fill_options(color=color, linewidth=min(widest, size / 2), alpha=alpha)
        self.fills.append(self.ax.hlines(rows, low, high, **options))
        self.line(
            middle, rows, color=color, marker=marker, linestyle="none",
            markersize=min(6, 0.8 * size), label=label,
        )  # fmt: skip

    def zero(self) -> None:
        """Draw a line at a difference of 0, and leave the box open."""
        self.ax.axvline(0, color=GREY, linestyle="--", linewidth=1, zorder=1)
        self.open_box()

    def open_box(self, *sides: str) -> None:
        """Leave the box open at the right, at the top and at these sides."""
        self.ax.spines[["right", "top", *sides]].set_visible(False)

    def rope(self, rope: Interval | None, axis: str = "x") -> None:
        """Shade the region of practical equivalence along an axis, if there is one."""
        if rope is not None:
            span = self.ax.axvspan if axis == "x" else self.ax.axhspan
            label = f"ROPE [{rope.low:g}, {rope.high:g}]"
            span(*rope, color=self.colors[2], alpha=0.2, linewidth=0, label=label)

    def band(self, x: Any, low: Any, high: Any, *, color: Any, label: str | None = None) -> None:
        """Fill the area between two curves."""
        options = self.fill_options(color=color, alpha=0.2, linewidth=0, label=label)
        self.fills.append(self.ax.fill_between(x, low, high, **options))

    def _merged(self, kind: str, defaults: dict[str, Any]) -> dict[str, Any]:
        from matplotlib import lines, patches, text
        from matplotlib.cbook import normalize_kwargs

        artist = {"line": lines.Line2D, "fill": patches.Patch, "text": text.Text}[kind]
        return normalize_kwargs(defaults, artist) | normalize_kwargs(dict(self.given[kind]), artist)

    def _room(self) -> tuple[float, float, float | None]:
        """Return the shares of the figure that the axes and their labels have, across and up.

        The last number is the middle across; None if there is no grid of axes.
        """
        place = self.ax.get_subplotspec()
        if place is None:
            inside = self.ax.get_position()
            return inside.width, inside.height, None
        place = place.get_topmost_subplotspec()  # a colour bar makes a grid of its own
        rows, columns = place.get_gridspec().get_geometry()
        middle = (place.colspan.start + place.colspan.stop) / 2 / columns
        return len(place.colspan) / columns, len(place.rowspan) / rows, middle

    @property
    def width(self) -> float:
        """The width in inches that the axes and their labels have in the figure."""
        return self.ax.figure.bbox.width / self.ax.figure.dpi * self._room()[0]

    @property
    def height(self) -> float:
        """The height in inches that the axes and their labels have in the figure."""
        return self.ax.figure.bbox.height / self.ax.figure.dpi * self._room()[1]

    def _middle(self) -> tuple[float, Any]:
        """Return the middle of the room of these axes, and the transform of this number.

        Labels are wider than the axes where names need much room beside them, but not than the
        room.
        """
        middle = self._room()[2]
        if middle is None:
            return 0.5, self.ax.transAxes
        return middle, self.ax.figure.transSubfigure

    def _middle_above(self, points: float) -> tuple[float, Any]:
        """Return the middle as above, and a transform that is so many points above the axes."""
        from matplotlib.transforms import ScaledTranslation, blended_transform_factory

        x, across = self._middle()
        shift = ScaledTranslation(0, points / 72, self.ax.figure.dpi_scale_trans)
        return x, blended_transform_factory(across, self.ax.transAxes + shift)

    def set_title(self, text: str) -> None:
        """Write the title in the middle of the room."""
        title = self.ax.set_title(text, fontsize="medium", pad=self.pad)
        x, transform = self._middle_above(self.pad)
        title.set(x=x, transform=transform)

    def set_xlabel(self, text: str, key: str = "") -> None:
        """Write the label of the x axis, with a key below it; a wide one in the middle of the room.

        Axes above others that share their x axis have no ticks of their own, and no label.
        """
        from matplotlib.transforms import IdentityTransform, blended_transform_factory

        if not self._has_tick_labels():
            return
        size = self.small if key else self.medium
        text = f"{text}\n{key}" if key else text
        label = self.ax.xaxis.label
        label.set(text=text, fontsize=size)
        if max(text_width(line, size) for line in text.split("\n")) > 0.4 * self.width:
            x, across = self._middle()
            label.set_transform(blended_transform_factory(across, IdentityTransform()))
            label.set_x(x)

    def label_difference(self, metric: str, names: tuple[str, str], inches: float) -> PairWords:
        """Write the label of the x axis of A minus B, and return what `pair_words` does."""
        a, b, key = pair_words(names, inches, 0.88 * self.width, self.small)
        self.set_xlabel(difference_label(metric, a, b, 0.9 * self.width, self.medium), key)
        return a, b, key

    def _has_tick_labels(self) -> bool:
        """Return whether the x axis has labels below it, and not only axes that share it."""
        return bool(self.ax.xaxis.get_tick_params().get("labelbottom", True))

    def set_ylabel(self, text: str) -> None:
        """Write the label of the y axis on lines that fit; after the x axis and the legend."""
        labels = self.ax.get_legend_handles_labels()[1]
        rows = math.ceil(len(labels) / self._legend_columns()) if labels else 0
        lines = 2 + 1 + (1 + self.ax.get_xlabel().count("\n")) + rows  # title, ticks, label, legend
        inches = max(self.height - lines * line_height(self.medium) / 72 - 0.4, 0.7)
        size = self.medium if text_width(text, self.medium) <= inches else self.small
        self.ax.set_ylabel(wrap(text, inches, size), fontsize=size)

    def legend_below(self) -> Any:
        """Place the legend below the axis label, with as many columns as there is room for."""
        ax = self.ax
        if not ax.get_legend_handles_labels()[0]:
            return None
        points = line_height(self.medium) + 6 if self._has_tick_labels() else 6
        if ax.get_xlabel():
            size = float(ax.xaxis.label.get_fontsize())
            points += (1 + ax.get_xlabel().count("\n")) * line_height(size) + 4
        x, transform = self._middle_above(-points)
        return ax.legend(
            loc="upper center", bbox_to_anchor=(x, 0.0), bbox_transform=transform, frameon=False,
            fontsize="small", ncols=self._legend_columns(), borderaxespad=0.0, borderpad=0.2,
            handlelength=1.6, columnspacing=1.2,
        )  # fmt: skip

    def _legend_columns(self) -> int:
        """Return how many columns of the legend fit into the room."""
        labels, small = self.ax.get_legend_handles_labels()[1], self.small
        widest = max((text_width(text, small) for text in labels), default=0.0) + 4.0 * small / 72
        return max(1, min(len(labels), 4, int(self.width / widest)))

    def plain_ticks(self, axis: str = "x", inches: float | None = None) -> None:
        """Write ticks with as many digits as they need, without a common offset, and not too close.

        `inches` is the length of the axis, by default the room of the axes. There are three ticks
        or more where they fit.
        """
        from matplotlib.ticker import MaxNLocator, ScalarFormatter

        which = self.ax.xaxis if axis == "x" else self.ax.yaxis
        written = ScalarFormatter(useOffset=False)
        written.set_scientific(False)
        which.set_major_formatter(written)
        if inches is None:
            inches = self.width - 0.3 if axis == "x" else self.height - 1.0
        low, high = sorted(which.get_view_interval())
        for fewest in (3, 2, 1):
            most = max(fewest, min(7, int(inches / (0.7 if axis == "x" else 0.45))))
            ticks = MaxNLocator(nbins=most, steps=[1, 2, 2.5, 5, 10], min_n_ticks=fewest)
            shown = [tick for tick in ticks.tick_values(low, high) if low <= tick <= high]
            written.set_locs(shown)
            if axis == "x":
                taken = sum(text_width(written(tick), self.medium) + 0.1 for tick in shown)
            else:
                taken = 0.3 * len(shown)
            if taken <= inches:
                break
        which.set_major_locator(ticks)

    def finish(self, ylabel: str, ticks: str = "xy") -> None:
        """Leave the box open, and write the ticks of these axes, a label and the legend."""
        self.open_box()
        for axis in ticks:
            self.plain_ticks(axis)
        self.set_ylabel(ylabel)
        self.legend_below()

    def fit_rows(self, n_rows: int, more_lines: int = 0) -> tuple[int, float]:
        """Return how many of the rows fit into the axes, and the size of their text in points.

        There are so many more lines around them.
        """
        lines = more_lines * line_height(self.small)
        points = max(72 * (self.height - OVERHEAD) - lines, 20.0)
        size = min(self.small, SHARE_OF_ROW * points / n_rows)
        if size >= SMALLEST_FONT:
            return n_rows, size
        return max(2, int(points * SHARE_OF_ROW / SMALLEST_FONT)), SMALLEST_FONT


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

    # The attributes that become arrays of numbers, or dicts of lists of them.
    _arrays: tuple[str, ...] = ()

    ax_: Axes
    figure_: Figure
    line_: list[Any]
    fill_: list[Any]
    text_: list[Any]

    def __post_init__(self) -> None:
        for name in self._arrays:
            given = getattr(self, name)
            if isinstance(given, Mapping):
                found: Any = {
                    key: [np.asarray(part, dtype=float) for part in parts]
                    for key, parts in given.items()
                }
            else:
                found = np.asarray(given, dtype=float)
            setattr(self, name, found)

    def __repr__(self) -> str:
        how = ': .figure_.savefig("figure.png") saves it' if hasattr(self, "figure_") else ""
        return f"<{type(self).__name__}{how}>"

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
        pen = Pen(ax, colors, line_kw, fill_kw, text_kw)
        named, metric = copy(self), str(getattr(self, "metric", ""))
        if label := check_metric_labels(labels).get(metric):
            sign = MINUS if metric.startswith("neg_") else ""
            vars(named)["metric"] = sign + label
        finding = named._draw(ax, pen)
        pen.set_title(wrap(finding, 0.94 * pen.width, pen.medium) if title is None else title)
        self.ax_, self.figure_ = ax, cast("Figure", ax.figure)
        self.line_, self.fill_, self.text_ = pen.lines, pen.fills, pen.texts
        return self

    def _size(self) -> tuple[float, float]:
        """Return the size of a new figure in inches."""
        return 7.0, 4.2

    def _draw(self, ax: Axes, pen: Pen) -> str:
        """Draw everything but the title, and return what was found, which is the title."""
        raise NotImplementedError


@dataclass(eq=False, repr=False)
class PairDisplay(Display):
    """Base class of displays of two classifiers, A and B."""

    _: KW_ONLY
    names: tuple[str, str] = ("A", "B")
    metric: str = "score"


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
    if rope is None:
        return lead_of(difference, names, prob).verdict()
    return decision_of(difference, rope, prob, names, "").headline()


def line_height(size: float) -> float:
    """Return the height of a line of text in points."""
    return 1.4 * size


def figure_height(n_rows: int) -> float:
    """Return the height in inches of a new figure that shows all rows."""
    return OVERHEAD + 0.2 + n_rows * max(0.12, min(0.32, 0.32 - 0.004 * (n_rows - 12)))


def label_ticks(axis: Axis, places: Iterable[float], labels: Sequence[str], **text: Any) -> None:
    """Put labels at some places of an axis.

    `set_ticks` with labels does so, too, but sets warnings filters of the whole process.
    """
    from matplotlib.ticker import FixedFormatter

    axis.set_ticks(list(places))
    axis.set_major_formatter(FixedFormatter(list(labels)))
    for label in axis.get_ticklabels():
        label.set(**text)
