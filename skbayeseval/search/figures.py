"""Figures of a search report."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from skbayeseval.display import HeatmapDisplay, RankingDisplay
from skbayeseval.display.style import label_ticks, short
from skbayeseval.results.tables import format_value
from skbayeseval.search.candidates import name_candidates, short_names, varying

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["draw_best", "draw_grid"]

# Figures with more rows are illegible.
MOST_ROWS = 20
WIDEST_LABEL = 60

Candidates = Mapping[int, Mapping[str, Any]]


def draw_best(
    summary: pd.DataFrame, candidates: Candidates, metric: str, prob: float, ax: Axes | None
) -> RankingDisplay:
    """Draw the metric of the best candidates, with rows named by the parameters that vary."""
    table = summary.head(MOST_ROWS)
    names = dict(zip(candidates, name_candidates(candidates), strict=True))
    labels = [
        short(names[i], WIDEST_LABEL) + (" ≈" if code == "~" else "")
        for i, code in zip(table.index, table["decision"], strict=True)
    ]
    drawn = RankingDisplay(
        table[["mean", "hdi_low", "hdi_high", "p_best"]].set_axis(labels), metric=metric, prob=prob
    ).plot(ax=ax)
    # RankingDisplay truncates labels that are this long.
    label_ticks(drawn.ax_.yaxis, labels[::-1])
    drawn.ax_.locator_params(axis="x", nbins=6)
    if ax is None:
        drawn.figure_.set_figwidth(6.2 + 0.06 * max(map(len, labels)))
    title = drawn.ax_.get_title()
    if len(table) < len(candidates):
        title += f": the best {len(table)}, {len(candidates) - len(table)} not shown"
    if (table["decision"] == "~").any():
        title += "\n≈ practically equivalent to the best"
    drawn.ax_.set_title(title, fontsize="medium")
    return drawn


def draw_grid(
    summary: pd.DataFrame,
    candidates: Candidates,
    metric: str,
    x: str | None,
    y: str | None,
    ax: Axes | None,
) -> HeatmapDisplay:
    """Draw the metric over two parameters; a cell shows the best over all other parameters."""
    differing = varying(list(candidates.values()))
    x, y = _check_axes(x, y, candidates, differing)
    values = {
        name: _in_order([of_one[name] for of_one in candidates.values() if name in of_one])
        for name in (x, y)
    }
    shape = len(values[y]), len(values[x])
    means, codes = np.full(shape, np.nan), np.full(shape, "", dtype=object)
    for i, mean, code in zip(summary.index, summary["mean"], summary["decision"], strict=True):
        parameters = candidates[i]
        if x not in parameters or y not in parameters:
            continue
        cell = _position(values[y], parameters[y]), _position(values[x], parameters[x])
        if np.isnan(means[cell]):  # rows are sorted by decreasing mean
            means[cell], codes[cell] = mean, code
    if np.isnan(means).all():
        raise ValueError(f"No candidate has both {x!r} and {y!r}, so there is nothing to draw.")
    rows, columns = (
        pd.Index([format_value(value, 3) for value in values[name]], name=label, dtype=object)
        for name, label in short_names([y, x]).items()
    )
    note = "≈ practically equivalent to the best; faded: surely worse"
    others = [name for name in differing if name not in (x, y)]
    if others:
        note += f"\nbest over {', '.join(short_names(others).values())}"
    return HeatmapDisplay(
        pd.DataFrame(means, rows, columns),
        pd.DataFrame(codes, rows, columns),
        metric=metric,
        note=note,
    ).plot(ax=ax)


def _check_axes(
    x: str | None, y: str | None, candidates: Candidates, differing: list[str]
) -> tuple[str, str]:
    if x is None and y is None and len(differing) == 2:
        return differing[0], differing[1]
    known = {name for of_one in candidates.values() for name in of_one}
    if x is None or y is None or not {x, y} <= known:
        raise ValueError(
            f"plot('heatmap') needs the names of two parameters, got x={x!r} and y={y!r}. The "
            f"parameters that vary are {differing}."
        )
    if x == y:
        raise ValueError(f"x and y must be two different parameters, got {x!r} twice.")
    return x, y


def _in_order(values: list[Any]) -> list[Any]:
    """Return the distinct values, sorted if they are comparable, with None last."""
    distinct: list[Any] = []
    for value in values:
        if not any(_same(value, other) for other in distinct):
            distinct.append(value)
    try:
        return sorted(distinct, key=lambda value: (value is None, 0 if value is None else value))
    except (TypeError, ValueError):
        return distinct


def _position(values: list[Any], value: Any) -> int:
    return next(i for i, other in enumerate(values) if _same(value, other))


def _same(a: Any, b: Any) -> bool:
    if a is b:
        return True
    if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
        return np.array_equal(a, b)
    return type(a) is type(b) and bool(np.all(a == b))
