"""Figures of a search report."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from skbayeseval._arrays import in_short
from skbayeseval.display import HeatmapDisplay, RankingDisplay
from skbayeseval.results.printed import format_value
from skbayeseval.search.candidates import name_candidates, short_names, varying

# Figures with more rows are illegible.
MOST_ROWS = 20

Candidates = Mapping[int, Mapping[str, Any]]


def best_candidates(
    summary: pd.DataFrame,
    candidates: Candidates,
    metric: str,
    prob: float,
    rope: float,
    best: int,
) -> RankingDisplay:
    """Return the display of the best candidates, with rows named by the parameters that vary."""
    table = summary.head(MOST_ROWS)
    if best not in table.index:
        table = pd.concat([table[:-1], summary.loc[[best]]])
    names = dict(zip(candidates, name_candidates(candidates), strict=True))
    labels = [names[i] for i in table.index]
    states = {"~": "equivalent", "<<": "worse"}
    return RankingDisplay(
        table.drop(columns="decision").set_axis(labels),
        metric=metric,
        prob=prob,
        rope=rope,
        best=names[best],
        states={
            label: states.get(code, "open")
            for label, code in zip(labels, table["decision"], strict=True)
        },
        total=len(candidates),
    )


def grid_of_candidates(
    summary: pd.DataFrame,
    candidates: Candidates,
    metric: str,
    rope: float,
    x: str | None,
    y: str | None,
) -> HeatmapDisplay:
    """Return the metric over two parameters; a cell shows the best over all other parameters."""
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
    others = [name for name in differing if name not in (x, y)]
    note = f"best over {', '.join(short_names(others).values())}" if others else ""
    return HeatmapDisplay(
        pd.DataFrame(means, rows, columns),
        pd.DataFrame(codes, rows, columns),
        metric=metric,
        note=note,
        rope=rope,
    )


def _check_axes(
    x: str | None, y: str | None, candidates: Candidates, differing: list[str]
) -> tuple[str, str]:
    if x is None and y is None and len(differing) == 2:
        return differing[0], differing[1]
    known = {name for of_one in candidates.values() for name in of_one}
    if not isinstance(x, str) or not isinstance(y, str) or not {x, y} <= known:
        raise ValueError(
            f"plot('heatmap') needs the names of two parameters, got x={in_short(x)} and "
            f"y={in_short(y)}. The parameters that vary are {differing}."
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
