"""Scores against times: which candidates are good enough, and which of them are cheap."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from skbayeseval.display.forest import STATES
from skbayeseval.display.style import GREY, Display, Pen, escape_dollars, shorten

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# So many candidates are numbered and named, in figures of more inches; and times that span so many
# times the least are drawn on a logarithmic scale.
MOST_NAMED, ROOM_FOR_NAMES, MANY_TIMES = 5, 3.0, 10.0

# The share of the axes by which numbers are apart.
LEAST_APART = 0.06


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
    >>> slow, fast = [2.0, 0.95, 0.94, 0.96, "equivalent", ""], [0.1, 0.94, 0.93, 0.95, "open", ""]
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
        hopeful = table[table["state"] != "worse"]
        highest, lowest = table["hdi_high"].max(), hopeful["hdi_low"].min()
        # A few very poor candidates would otherwise squeeze all others.
        floor = max(table["hdi_low"].min(), lowest - 0.5 * (highest - lowest))
        for state, (label, colour, marker) in STATES.items():
            of_state = (table["state"] == state).to_numpy()
            for fade in (False, True):
                some = table[of_state & (faded == fade)]
                if some.empty:
                    continue
                colours, alpha = pen.colors[colour], 0.25 if fade else 1.0
                ends = some[["hdi_low", "hdi_high"]].clip(lower=floor).to_numpy().T
                lines = pen.fill_options(color=colours, alpha=0.5 * alpha, linewidth=1.5)
                pen.fills.append(ax.vlines(some["time"], *ends, **lines))
                pen.line(
                    some["time"], some["mean"].clip(lower=floor), color=colours, marker=marker,
                    linestyle="none", alpha=alpha, label=None if fade else label,
                )  # fmt: skip
        if faded.any() and pen.height > ROOM_FOR_NAMES:
            ax.plot([], [], "o", color=GREY, alpha=0.4, label="probably worse and slower")
        times = table["time"]
        across = times
        if times.min() > 0 and times.max() > MANY_TIMES * times.min():
            across = np.log(times)
            ax.set_xscale("log")
            ax.xaxis.set_major_formatter("{x:g}")
        places = pd.DataFrame({"x": across, "y": table["mean"].clip(lower=floor)})
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
