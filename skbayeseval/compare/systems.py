"""From scores of systems on data sets to evidence: dicts and tables, with holes."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from skbayeseval._arrays import as_numbers, in_short
from skbayeseval.evidence.split_scores import check_test_fraction
from skbayeseval.evidence.systems import SystemScores

__all__ = ["collect_systems"]

Array = NDArray[Any]


def collect_systems(scores: Any, test_fraction: float | None, metric: str) -> SystemScores:
    """Return the scores of systems on data sets; raise if they cannot be compared.

    Parameters
    ----------
    scores : mapping of str to mapping, or DataFrame
        A dict of system to a dict of data set to one score or several, or a table with a row per
        data set and a column per system. What is absent, None or NaN is missing.
    test_fraction : float or None
        As in `SystemScores`.
    metric : str
        The name of the score.

    Examples
    --------
    >>> from skbayeseval.compare.systems import collect_systems
    >>> scores = {"x": {"iris": 0.9, "wine": 0.7, "digits": 0.8},
    ...           "y": {"digits": [0.7, 0.9], "iris": 0.8, "wine": 0.6, "glass": 0.5}}
    >>> collect_systems(scores, None, "accuracy").describe()
    '4 data sets, 1 of 8 scores missing, with 1 to 2 runs each'
    """
    systems = _columns(scores)
    if len(systems) < 2:
        raise ValueError(f"scores must have two or more systems, got {list(systems)}.")
    cells = {
        (system, data_set): found
        for system, of_one in systems.items()
        for data_set, values in of_one.items()
        if (found := _cell(values, system, data_set)) is not None
    }
    data_sets = list(dict.fromkeys(name for of_one in systems.values() for name in of_one))
    data_sets = [one for one in data_sets if any((system, one) in cells for system in systems)]
    table = np.full(
        (len(systems), len(data_sets), max(map(len, cells.values()), default=1)), np.nan
    )
    for k, system in enumerate(systems):
        for d, data_set in enumerate(data_sets):
            values = cells.get((system, data_set), np.empty(0))
            table[k, d, : len(values)] = values
    names = _names(data_sets)
    _check_connected(table, list(systems))
    if len(np.unique(table[np.isfinite(table)])) == 1:
        raise ValueError("All scores are the same, which does not tell how much they vary.")
    share = None if test_fraction is None else check_test_fraction(test_fraction)
    return SystemScores(table, metric, names, share)


def _columns(scores: Any) -> dict[str, Mapping[Hashable, Any]]:
    """Return the scores of each system by data set."""
    if isinstance(scores, pd.DataFrame):
        _check_unique(scores.columns, "columns")
        _check_unique(scores.index, "index")
        scores = {system: scores[system] for system in scores.columns}
    found: dict[str, Mapping[Hashable, Any]] = {}
    for system, of_one in scores.items():
        if not isinstance(system, str):
            raise TypeError(f"The names of systems must be strings, got {system!r}.")
        if isinstance(of_one, pd.Series):
            _check_unique(of_one.index, f"index of {system!r}")
            of_one = dict(zip(of_one.index, of_one, strict=True))
        if not isinstance(of_one, Mapping):
            raise TypeError(
                f"The scores of {system!r} must be a dict of data set to score, got "
                f"{in_short(of_one)}. Use compare_scores(scores_a, scores_b) for split scores of "
                "two systems on one data set."
            )
        found[system] = of_one
    return found


def _check_unique(index: pd.Index[Any], what: str) -> None:
    if not index.is_unique:
        twice = index[index.duplicated()].tolist()[0]
        raise ValueError(f"The {what} of scores must be unique, but {twice!r} occurs twice.")


def _cell(values: Any, system: str, data_set: Hashable) -> Array | None:
    """Return the scores of one system on one data set; None if they are missing."""
    name = f"scores[{system!r}][{data_set!r}]"
    if values is None:
        return None
    if isinstance(values, (str, bytes)):
        raise TypeError(f"{name} must be a number, or a sequence of numbers, got {values!r}.")
    if np.ndim(values) == 0:
        if pd.isna(values):
            return None
        values = [values]
    array = as_numbers(values, name)
    if array.ndim != 1 or not len(array):
        raise ValueError(
            f"{name} must be one score, or one score per run or split, got shape {array.shape}."
        )
    if not np.isfinite(array).all():
        raise ValueError(
            f"Input {name} contains NaN or infinity. Leave out runs that failed; a data set that "
            "is missing is left out, None or NaN."
        )
    return array


def _names(data_sets: list[Hashable]) -> tuple[str, ...]:
    names = tuple(map(str, data_sets))
    if len(set(names)) < len(names):
        raise ValueError(f"The names of data sets must differ as strings, got {in_short(names)}.")
    return names


def _check_connected(table: Array, systems: list[str]) -> None:
    """Raise unless all systems can be compared, directly or by way of others."""
    run = np.isfinite(table[:, :, 0])
    empty = np.flatnonzero(~run.any(axis=1))
    if len(empty):
        raise ValueError(f"scores has no score of {systems[empty[0]]!r}. Remove this system.")
    shared = run.sum(axis=0) >= 2
    k, n_shared = len(systems), int(shared.sum())
    if n_shared < 3:
        whose = "both" if k == 2 else "two or more"
        raise ValueError(
            f"scores has {n_shared} data sets with scores of {whose} systems. At least three are "
            "needed to tell how much differences vary over data sets."
        )
    rows, columns = np.nonzero(run)
    links = coo_array((np.ones(len(rows)), (rows, k + columns)), shape=(k + run.shape[1],) * 2)
    _, group = connected_components(links, directed=False)
    apart = [name for name, own in zip(systems, group, strict=False) if own != group[0]]
    if apart:
        others = [name for name in systems if name not in apart]
        raise ValueError(
            f"No data set has a score of one of {in_short(apart)} as well as of one of "
            f"{in_short(others)}, so these cannot be compared with each other. Compare them "
            "separately, or add such scores."
        )
    left = int((run.sum(axis=0)[shared] - 1).sum()) - (k - 1)
    if left < 2:
        raise ValueError(
            f"scores has too few scores of the same data sets for {k} systems: only {left} more "
            "than are needed to compare them at all, and two are needed to tell how much "
            "differences vary over data sets."
        )
