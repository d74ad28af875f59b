"""Figures of a search report."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from skbayeseval._arrays import in_short
from skbayeseval.display import HeatmapDisplay, RankingDisplay
from skbayeseval.judgement.ranking_decision import behind_the_best
from skbayeseval.results.text_tables import format_values
from skbayeseval.search.candidates import as_key, short_names, varying

if TYPE_CHECKING:
    from skbayeseval.search.report import SearchReport

Candidates = Mapping[int, Mapping[str, Any]]


def best_candidates(report: SearchReport, most: int) -> RankingDisplay:
    """Return the display of the best candidates, with rows named by the parameters that vary."""
    behind = behind_the_best(report.draws, report.prob).set_axis(list(report.candidates))
    summary, best = report.summary().join(behind), report.most_probable()
    table = summary.head(most)
    if best not in table.index:
        table = pd.concat([table[:-1], summary.loc[[best]]])
    names = report._named()
    labels = [names[i] for i in table.index]
    states = table["decision"].map({"~": "equivalent", "<<": "worse", "?": "open"})
    return RankingDisplay(
        table.drop(columns="decision").set_axis(labels),
        metric=report.metric,
        prob=report.prob,
        rope=-report.rope.low,
        best=names[best],
        states=dict(zip(labels, states, strict=True)),
        total=len(names),
    )


def grid_of_candidates(report: SearchReport, x: str | None, y: str | None) -> HeatmapDisplay:
    """Return the metric over two parameters; a cell shows the best over all other parameters."""
    candidates = report.candidates
    differing = varying(list(candidates.values()))
    x, y = _check_axes(x, y, candidates, differing)
    values = {name: _in_order(candidates, name) for name in (x, y)}
    places = {
        name: {as_key(value): place for place, value in enumerate(of_one)}
        for name, of_one in values.items()
    }
    shape = len(values[y]), len(values[x])
    means, codes = np.full(shape, np.nan), np.full(shape, "", dtype=object)
    summary = report.summary()
    for i, mean, code in zip(summary.index, summary["mean"], summary["decision"], strict=True):
        parameters = candidates[i]
        if x not in parameters or y not in parameters:
            continue
        cell = places[y][as_key(parameters[y])], places[x][as_key(parameters[x])]
        if np.isnan(means[cell]):  # rows are sorted by decreasing mean
            means[cell], codes[cell] = mean, code
    if np.isnan(means).all():
        raise ValueError(f"No candidate has both {x!r} and {y!r}, so there is nothing to draw.")
    rows, columns = (
        pd.Index(format_values(values[name], 3), name=label, dtype=object)
        for name, label in short_names([y, x]).items()
    )
    others = [name for name in differing if name not in (x, y)]
    note = f"best over {', '.join(short_names(others).values())}" if others else ""
    return HeatmapDisplay(
        pd.DataFrame(means, rows, columns),
        pd.DataFrame(codes, rows, columns),
        metric=report.metric,
        note=note,
        rope=abs(report.rope.low),
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


def _in_order(candidates: Candidates, name: str) -> list[Any]:
    """Return the distinct values of a parameter, sorted if they are comparable, with None last."""
    values = [parameters[name] for parameters in candidates.values() if name in parameters]
    distinct = list({as_key(value): value for value in values}.values())
    try:
        return sorted(distinct, key=lambda value: (value is None, 0 if value is None else value))
    except (TypeError, ValueError):
        return distinct
