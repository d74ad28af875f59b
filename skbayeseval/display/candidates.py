"""Candidates of a search: their scores against the times that they take, and their parameters."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from skbayeseval._arrays import Array
from skbayeseval.display.forest import STATES
from skbayeseval.display.style import (
    GREY,
    Display,
    Pen,
    escape_dollars,
    label_ticks,
    shorten,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# So many candidates are numbered and named, in figures of more inches.
MOST_NAMED, ROOM_FOR_NAMES = 5, 3.0

# The points of more candidates are smaller.
FEW = 20

# The share of the axes by which numbers are apart.
LEAST_APART = 0.06


def lower_edge(table: pd.DataFrame) -> float:
    """Return where hopeless candidates are drawn, which would otherwise squeeze all others."""
    highest, lowest = table["hdi_high"].max(), table.loc[table["state"] != "worse", "hdi_low"].min()
    return float(max(table["hdi_low"].min(), lowest - 0.5 * (highest - lowest)))


def draw_scores(pen: Pen, x: Any, table: pd.DataFrame, edge: float, faded: Any = False) -> None:
    """Draw means and HDIs of candidates against numbers, coloured by what was decided of them."""
    x, faded = np.asarray(x), np.broadcast_to(faded, len(table))
    size = 6.0 if len(table) <= FEW else 4.0
    columns = table[["mean", "hdi_low", "hdi_high"]].clip(lower=edge).to_numpy().T
    for state, (label, colour, marker) in STATES.items():
        for fade in (False, True):
            some = (table["state"] == state).to_numpy() & (faded == fade)
            if not some.any():
                continue
            (mean, *ends), alpha = columns[:, some], 0.25 if fade else 1.0
            lines = pen.fill_options(color=pen.colors[colour], alpha=0.5 * alpha, linewidth=1.5)
            pen.fills.append(pen.ax.vlines(x[some], *ends, **lines))
            pen.line(
                x[some], mean, color=pen.colors[colour], marker=marker, linestyle="none",
                alpha=alpha, markersize=size, label=None if fade else label,
            )  # fmt: skip


def spread_over_decades(values: Any) -> bool:
    """Return whether most of the values are near the lower end of their range."""
    return bool(min(values) > 0 and np.median(values) < max(values) / 5)


def scale_by_decades(ax: Axes, values: Any, inches: float) -> None:
    """Make the x axis logarithmic, with three ticks or more where they fit."""
    from matplotlib.ticker import LogLocator, NullLocator

    ax.set_xscale("log")
    decades = math.log10(max(values) / min(values))
    apart, fitting = max(1, math.ceil(0.4 * decades / inches)), inches / (0.4 * decades)
    subs = (1.0, 2.0, 5.0) if fitting >= 3 else (1.0, 3.0) if fitting >= 2 else (1.0,)
    ax.xaxis.set_major_locator(LogLocator(10.0**apart, subs=subs, numticks=20))
    ax.xaxis.set_minor_locator(NullLocator())
    ax.xaxis.set_major_formatter("{x:g}")


def _is_number(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool) and math.isfinite(value)


@dataclass(eq=False, repr=False)
class TimesDisplay(Display):
    """Posterior means and HDIs of candidates against the time that each takes.

    Candidates that are probably worse and slower than another one are faded. Of the others, those
    that are not surely worse than the best are numbered and named. Hopeless ones are drawn at the
    lower edge.

    Parameters
    ----------
    table : pandas.DataFrame
        The columns time (in seconds), mean, hdi_low, hdi_high, state ("equivalent", "open" or
        "worse") and dominated_by (the name of another candidate, or ""), with one row per
        candidate, best first.
    metric : str, default="score"
        The name of the metric.
    time : str, default="time"
        What takes the time.

    Attributes
    ----------
    ax_ : matplotlib Axes
        The axes of the plot.
    figure_ : matplotlib Figure
        The figure of the plot.
    line_, fill_, text_ : list of matplotlib artists
        The means, the HDIs, and the numbers of candidates.

    Examples
    --------
    >>> import pandas as pd
    >>> from skbayeseval.display import TimesDisplay
    >>> columns = ["time", "mean", "hdi_low", "hdi_high", "state", "dominated_by"]
    >>> slow, fast = [2.0, 0.95, 0.94, 0.96, "equivalent", ""], [0.1, 0.94, 0.88, 0.95, "open", ""]
    >>> table = pd.DataFrame([slow, fast], index=["forest", "tree"], columns=columns)
    >>> TimesDisplay(table, metric="f1", time="fit time").plot().ax_.get_xlabel().split(chr(10))[0]
    'fit time (seconds)'
    """

    table: pd.DataFrame
    _: KW_ONLY
    metric: str = "score"
    time: str = "time"

    def _draw(self, ax: Axes, pen: Pen) -> str:
        table = self.table
        faded = (table["dominated_by"] != "").to_numpy()
        edge = lower_edge(table)
        draw_scores(pen, table["time"], table, edge, faded)
        if faded.any() and pen.height > ROOM_FOR_NAMES:
            ax.plot([], [], "o", color=GREY, alpha=0.4, label="probably worse and slower")
        across = times = table["time"]
        if spread_over_decades(times):
            across = np.log(times)
            scale_by_decades(ax, times, pen.width - 1.0)
        places = pd.DataFrame({"x": across, "y": table["mean"].clip(lower=edge)})
        places /= (places.max() - places.min()).replace(0.0, 1.0)
        named = table[~faded & (table["state"] != "worse")].sort_values(["state", "time"])
        chosen: list[Any] = []
        for name in named.index if pen.height > ROOM_FOR_NAMES else ():
            apart = (places.loc[chosen] - places.loc[name]).abs().max(axis=1)
            if len(chosen) < MOST_NAMED and (apart > LEAST_APART).all():
                chosen.append(name)
        named = table.loc[chosen].sort_values("time")
        names = shorten([f"{name}" for name in named.index], 0.8 * pen.width, pen.small)
        for i, (time, mean) in enumerate(zip(named["time"], named["mean"], strict=True), 1):
            pen.text(time, mean, f"  {i}", va="center", ha="left")
        key = "\n".join(f"{i}: {name}" for i, name in enumerate(names, 1))
        pen.set_xlabel(f"{self.time} (seconds)", key)
        pen.finish(escape_dollars(self.metric), ticks="")
        pen.plain_ticks("y", inches=max(pen.height - 1.8, 0.3))
        equivalent = table[table["state"] == "equivalent"]
        if equivalent.empty:
            return "none is practically equivalent to the best yet"
        (name,) = shorten([str(equivalent["time"].idxmin())], 0.8 * pen.width, pen.medium)
        return f"{name}\nis the cheapest that is good enough"


@dataclass(eq=False, repr=False)
class ParametersDisplay(Display):
    """Posterior means and HDIs of candidates against the values of their parameters.

    There is a panel for each parameter, and a point in it for each candidate that has one. Axes are
    logarithmic where values spread over decades. Hopeless candidates are drawn at the lower edge,
    with their posterior means.

    Parameters
    ----------
    table : pandas.DataFrame
        The columns mean, hdi_low, hdi_high and state ("equivalent", "open" or "worse"), with one
        row per candidate, best first.
    values : dict of str to sequence
        The value of each candidate for each parameter; NaN where it has none. Values of which some
        are no numbers are categories.
    metric : str, default="score"
        The name of the metric.

    Attributes
    ----------
    ax_ : matplotlib Axes
        The axes that hold the panels, which are its `child_axes`.
    figure_ : matplotlib Figure
        The figure of the plot.
    line_, fill_, text_ : list of matplotlib artists
        The means, the HDIs, and the means of hopeless candidates.

    Examples
    --------
    >>> import pandas as pd
    >>> from skbayeseval.display import ParametersDisplay
    >>> rows = [[0.95, 0.94, 0.96, "equivalent"], [0.94, 0.92, 0.95, "open"]]
    >>> table = pd.DataFrame(rows, columns=["mean", "hdi_low", "hdi_high", "state"])
    >>> values = {"C": [0.1, 80.0], "kernel": ["rbf", "linear"]}
    >>> display = ParametersDisplay(table, values, metric="f1").plot()
    >>> [panel.get_xlabel() for panel in display.ax_.child_axes]
    ['C', 'kernel']
    """

    table: pd.DataFrame
    values: Mapping[str, Sequence[Any]]
    _: KW_ONLY
    metric: str = "score"

    def _size(self) -> tuple[float, float]:
        return min(max(1.4 + 2.6 * len(self.values), 6.0), 14.0), 4.2

    def _draw(self, ax: Axes, pen: Pen) -> str:
        table, n, edge = self.table, len(self.values), lower_edge(self.table)
        highest = float(table["hdi_high"].max())
        margin = 0.05 * (highest - edge) or 0.01
        ax.set_ylim(edge - margin, highest + margin)
        inches = max(0.88 * (pen.width - 0.9) / n, 0.5)
        labels = shorten(list(self.values), inches, pen.medium)
        for k, (label, values) in enumerate(zip(labels, self.values.values(), strict=True)):
            panel = pen.on(ax.inset_axes((k / n, 0.0, 0.88 / n, 1.0), sharey=ax))
            panel.open_box("left")
            panel.ax.patch.set_visible(False)
            panel.ax.tick_params(axis="x", labelsize=pen.small)
            panel.ax.tick_params(axis="y", left=False, labelleft=False)
            panel.ax.set_xlabel(label, fontsize=pen.medium)
            self._draw_panel(panel, pd.Series(values, table.index, dtype=object), edge, inches)
        # The axes around the panels have what these share. Their label is not seen, but has room.
        for state, (label, colour, marker) in STATES.items():
            if (table["state"] == state).any():
                ax.plot([], [], marker, color=pen.colors[colour], label=label)
        ax.set_xlabel(labels[0])
        label_ticks(ax.xaxis, [], [])
        pen.finish(escape_dollars(self.metric), ticks="")
        pen.open_box("bottom")
        ax.xaxis.label.set_visible(False)
        pen.plain_ticks("y", inches=max(pen.height - 1.8, 0.3))
        counts = [f"{(table['state'] == state).sum()} {STATES[state][0]}" for state in STATES]
        return escape_dollars(f"best: {table.index[0]}\n{', '.join(counts)}")

    def _draw_panel(self, pen: Pen, values: pd.Series, edge: float, inches: float) -> None:
        """Draw the candidates over one parameter, on axes of so many inches."""
        values = values[[not (isinstance(value, float) and math.isnan(value)) for value in values]]
        table = self.table.loc[values.index]
        if not all(map(_is_number, values)):
            x = self._by_category(pen, values, inches)
        else:
            x = values.to_numpy(float)
            if spread_over_decades(x):
                scale_by_decades(pen.ax, x, inches)
            else:
                margin = 0.06 * (np.ptp(x) or 1.0)
                pen.ax.set_xlim(x.min() - margin, x.max() + margin)
                pen.plain_ticks("x", inches)
        draw_scores(pen, x, table, edge)
        places, means = np.log(x) if pen.ax.get_xscale() == "log" else x, table["mean"].to_numpy()
        apart, last = 0.16 / inches * (np.ptp(places) or 1.0), -np.inf
        for i in np.argsort(places):
            if means[i] < edge and places[i] - last > apart:
                last = places[i]
                pen.text(
                    x[i], edge, f"   {means[i]:.4g}", rotation=90, ha="center", va="bottom",
                    color=GREY, fontsize=0.85 * pen.small,
                )  # fmt: skip

    def _by_category(self, pen: Pen, values: pd.Series, inches: float) -> Array:
        """Write categories below the axis, and return where candidates stand: side by side."""
        words = values.map(lambda value: f"{value:g}" if _is_number(value) else str(value))
        pairs = set(zip(words, map(_is_number, values), strict=True))
        names = sorted((word for word, is_number in pairs if is_number), key=float)
        names += sorted(word for word, is_number in pairs if not is_number)
        each = words.groupby(words)
        beside = (each.cumcount() + 0.5) / each.transform("size") - 0.5
        step = math.ceil(0.45 * len(names) / inches)
        places = range((len(names) - 1) % step, len(names), step)  # the last may be None
        shown = shorten(names, step * inches / len(names), pen.small)
        label_ticks(pen.ax.xaxis, places, [shown[i] for i in places], fontsize=pen.small)
        pen.ax.set_xlim(-0.6, len(names) - 0.4)
        return (words.map(names.index) + 0.7 * beside).to_numpy(float)
