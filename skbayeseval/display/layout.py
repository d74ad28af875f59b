"""Places in a figure, counted in inches and points, so that they hold for axes of every size."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from skbayeseval.display.words import text_width, wrap

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis

__all__ = [
    "Room",
    "font_size",
    "label_ticks",
    "legend_below",
    "legend_columns",
    "line_height",
    "plain_ticks",
    "room",
    "set_title",
    "set_xlabel",
    "set_ylabel",
]


def label_ticks(axis: Axis, places: Sequence[int], labels: Sequence[str], **text: Any) -> None:
    """Put labels at some places of an axis.

    `set_ticks` with labels does so, too, but sets warnings filters of the whole process.
    """
    from matplotlib.ticker import FixedFormatter

    axis.set_ticks(list(places))
    axis.set_major_formatter(FixedFormatter(list(labels)))
    for label in axis.get_ticklabels():
        label.set(**text)


class Room(NamedTuple):
    """The width and height in inches that axes and their labels have in a figure."""

    width: float
    height: float


def room(ax: Axes) -> Room:
    """Return the share of the figure that belongs to these axes."""
    figure = ax.figure
    width, height = figure.bbox.width / figure.dpi, figure.bbox.height / figure.dpi
    place = ax.get_subplotspec()
    if place is None:
        box = ax.get_position()
        return Room(width * box.width, height * box.height)
    place = place.get_topmost_subplotspec()  # a colour bar makes a grid of its own
    rows, columns = place.get_gridspec().get_geometry()
    return Room(width * len(place.colspan) / columns, height * len(place.rowspan) / rows)


def font_size(name: str) -> float:
    """Return a font size such as "small" in points."""
    from matplotlib.font_manager import FontProperties

    return FontProperties(size=name).get_size_in_points()


def line_height(size: float) -> float:
    """Return the height of a line of text in points."""
    return 1.4 * size


def middle(ax: Axes) -> tuple[float, Any]:
    """Return the middle of the room of these axes, and the transform of this number.

    Labels are wider than the axes where names need much room beside them, but not than the room.
    """
    place = ax.get_subplotspec()
    if place is None:
        return 0.5, ax.transAxes
    place = place.get_topmost_subplotspec()
    columns = place.get_gridspec().get_geometry()[1]
    return (place.colspan.start + place.colspan.stop) / 2 / columns, ax.figure.transSubfigure


def set_title(ax: Axes, text: str, pad: float) -> None:
    """Write the title in the middle of the room, `pad` points above the axes."""
    from matplotlib.transforms import ScaledTranslation, blended_transform_factory

    title = ax.set_title(text, fontsize="medium", pad=pad)
    x, across = middle(ax)
    above = ax.transAxes + ScaledTranslation(0, pad / 72, ax.figure.dpi_scale_trans)
    title.set_transform(blended_transform_factory(across, above))
    title.set_x(x)


def set_xlabel(ax: Axes, text: str, key: str = "") -> None:
    """Write the label of the x axis, with a key below it; a wide one in the middle of the room.

    Axes above others that share their x axis have no ticks of their own, and no label.
    """
    from matplotlib.transforms import IdentityTransform, blended_transform_factory

    if not _has_tick_labels(ax):
        return
    size = font_size("small" if key else "medium")
    text = f"{text}\n{key}" if key else text
    label = ax.xaxis.label
    label.set(text=text, fontsize=size)
    if max(text_width(line, size) for line in text.split("\n")) > 0.4 * room(ax).width:
        x, across = middle(ax)
        label.set_transform(blended_transform_factory(across, IdentityTransform()))
        label.set_x(x)


def _has_tick_labels(ax: Axes) -> bool:
    """Return whether the x axis has labels below it, and not only axes that share it."""
    return bool(ax.xaxis.get_tick_params().get("labelbottom", True))


def set_ylabel(ax: Axes, text: str) -> None:
    """Write the label of the y axis on lines that fit; after the x axis and what the legend has."""
    labels = ax.get_legend_handles_labels()[1]
    rows = math.ceil(len(labels) / legend_columns(ax)) if labels else 0
    lines = 2 + 1 + (1 + ax.get_xlabel().count("\n")) + rows  # title, ticks, label, legend
    inches = max(room(ax).height - lines * line_height(font_size("medium")) / 72 - 0.4, 0.7)
    size = font_size("medium" if text_width(text, font_size("medium")) <= inches else "small")
    ax.set_ylabel(wrap(text, inches, size), fontsize=size)


def legend_below(ax: Axes) -> Any:
    """Place the legend below the axis label, with as many columns as there is room for."""
    from matplotlib.transforms import ScaledTranslation, blended_transform_factory

    if not ax.get_legend_handles_labels()[0]:
        return None
    points = line_height(font_size("medium")) + 6 if _has_tick_labels(ax) else 6
    if ax.get_xlabel():
        size = float(ax.xaxis.label.get_fontsize())
        points += (1 + ax.get_xlabel().count("\n")) * line_height(size) + 4
    x, across = middle(ax)
    below = ax.transAxes + ScaledTranslation(0, -points / 72, ax.figure.dpi_scale_trans)
    return ax.legend(
        loc="upper center", bbox_to_anchor=(x, 0.0), frameon=False, fontsize="small",
        bbox_transform=blended_transform_factory(across, below), ncols=legend_columns(ax),
        borderaxespad=0.0, borderpad=0.2, handlelength=1.6, columnspacing=1.2,
    )  # fmt: skip


def legend_columns(ax: Axes) -> int:
    """Return how many columns of the legend fit into the room."""
    small = font_size("small")
    labels = ax.get_legend_handles_labels()[1]
    widest = max((text_width(text, small) for text in labels), default=0.0) + 4.0 * small / 72
    return max(1, min(len(labels), 4, int(room(ax).width / widest)))


def _written(which: Axis, value: float, _: Any = None) -> str:
    """Return the label of a tick of this axis."""
    low, high = which.get_view_interval()
    largest, span = max(abs(low), abs(high)), abs(high - low)
    digits = 2 + max(0, math.ceil(math.log10(largest / span))) if span > 0 else 3
    if 1 <= largest < 1e5:
        digits = max(digits, 1 + math.floor(math.log10(largest)))
    value = 0.0 if abs(value) < 1e-9 * span else value
    words = f"{value:.{min(digits, 12)}g}"
    if "e" not in words and abs(value) >= 1000:
        words = f"{value:,.{max(0, len(words.partition('.')[2]))}f}"
    return words.replace("-", "\u2212")


def plain_ticks(ax: Axes, axis: str = "x", inches: float | None = None) -> None:
    """Write ticks with as many digits as they need, without a common offset, and not too close.

    `inches` is the length of the axis, by default the room of the axes.
    """
    from matplotlib.ticker import FuncFormatter, MaxNLocator

    which = ax.xaxis if axis == "x" else ax.yaxis

    written = partial(_written, which)
    which.set_major_formatter(FuncFormatter(written))
    if inches is None:
        inches = room(ax).width - 0.3 if axis == "x" else room(ax).height - 1.0
    medium = font_size("medium")
    low, high = which.get_view_interval()
    samples = (written(low + share * (high - low)) for share in (0.1, 0.5, 0.9))
    each = max(text_width(one, medium) for one in samples) + 0.3 if axis == "x" else 0.45
    fewest = 2 if each < 0.8 else 1
    number = max(fewest, min(7, int(inches / each)))
    which.set_major_locator(MaxNLocator(nbins=number, steps=[1, 2, 2.5, 5, 10], min_n_ticks=fewest))
