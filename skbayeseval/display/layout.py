"""Places in a figure, counted in inches and points, so that they hold for axes of every size."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

from skbayeseval.display.words import text_width

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["Room", "font_size", "legend_below", "line_height", "plain_ticks", "room"]


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
    rows, columns = place.get_gridspec().get_geometry()
    return Room(width * len(place.colspan) / columns, height * len(place.rowspan) / rows)


def font_size(name: str) -> float:
    """Return a font size such as "small" in points."""
    from matplotlib.font_manager import FontProperties

    return FontProperties(size=name).get_size_in_points()


def line_height(size: float) -> float:
    """Return the height of a line of text in points."""
    return 1.4 * size


def legend_below(ax: Axes, columns: int | None = None, **options: Any) -> Any:
    """Place the legend below the axes and the axis label, with as many columns as there is room."""
    from matplotlib.transforms import ScaledTranslation

    handles, labels = ax.get_legend_handles_labels()
    if not handles:
        return None
    small = font_size("small")
    label, ticks = ax.xaxis.label, ax.xaxis.get_ticklabels()
    points = line_height(ticks[0].get_fontsize()) + 6 if ticks else 8.0
    if label.get_text():
        points += (
            label.get_text().count("\n") * 1.2 * label.get_fontsize()
            + line_height(label.get_fontsize())
            + 4
        )
    if columns is None:
        widest = max(text_width(text, small) for text in labels) + 4.5 * small / 72
        columns = max(1, min(len(labels), 4, int(room(ax).width / widest)))
    offset = ScaledTranslation(0, -points / 72, ax.figure.dpi_scale_trans)
    return ax.legend(
        loc="upper center", bbox_to_anchor=(0.5, 0.0), bbox_transform=ax.transAxes + offset,
        ncols=columns, frameon=False, fontsize="small", borderaxespad=0.0, handlelength=1.6,
        columnspacing=1.2, **options,
    )  # fmt: skip


def plain_ticks(ax: Axes, axis: str = "x", inches: float | None = None) -> None:
    """Write ticks with as many digits as they need, without a common offset, and not too close.

    `inches` is the length of the axis, by default the room of the axes.
    """
    from matplotlib.ticker import FuncFormatter, MaxNLocator

    which = ax.xaxis if axis == "x" else ax.yaxis

    def written(value: float, _: Any = None) -> str:
        low, high = which.get_view_interval()
        largest, span = max(abs(low), abs(high)), abs(high - low)
        digits = 2 + max(0, math.ceil(math.log10(largest / span))) if span > 0 else 3
        value = 0.0 if abs(value) < 1e-9 * span else value
        return f"{value:.{min(max(digits, 2), 12)}g}".replace("-", "\u2212")

    if inches is None:
        inches = room(ax).width if axis == "x" else room(ax).height
    per_inch = 1.5 if axis == "x" else 2.2
    which.set_major_locator(MaxNLocator(nbins=max(2, min(8, int(per_inch * inches)))))
    which.set_major_formatter(FuncFormatter(written))
