"""Read the candidates of a search from `cv_results_`, and name them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skbayeseval.results.printed import format_value
from skbayeseval.search.count_scorer import count_key

Array = NDArray[Any]
Parameters = Mapping[str, Any]


def last_candidates(results: Mapping[str, Any]) -> Array:
    """Return the positions of all candidates; in a halving search, of the last iteration only."""
    iteration = np.asarray(results.get("iter", np.zeros(len(results["params"]))))
    return np.flatnonzero(iteration == iteration.max())


def number_dropped(results: Mapping[str, Any]) -> int:
    """Return how many candidates a halving search dropped before its last iteration."""
    iteration = np.asarray(results.get("iter", [0]))
    return int((iteration == iteration.min()).sum() - (iteration == iteration.max()).sum())


def number_of_splits(results: Mapping[str, Any]) -> int:
    """Return the number of splits that were scored."""
    found = (re.match(r"split(\d+)_test_", key) for key in results)
    return max((int(match[1]) + 1 for match in found if match), default=0)


def recorded_keys(results: Mapping[str, Any]) -> list[str]:
    """Return the names of the recorded scores, excluding confusion counts."""
    found = [key.removeprefix("mean_test_") for key in results if key.startswith("mean_test_")]
    return [key for key in found if not re.fullmatch(r"count_\d+_\d+", key)]


def scores_of(results: Mapping[str, Any], key: str, candidates: Array, n_splits: int) -> Array:
    """Return the split scores, of shape (n_candidates, n_splits)."""
    columns = [results[f"split{split}_test_{key}"] for split in range(n_splits)]
    return np.column_stack([np.asarray(column, dtype=float)[candidates] for column in columns])


def counted_classes(results: Mapping[str, Any]) -> int:
    """Return the number of classes with recorded counts, 0 if no counts were recorded."""
    found = (re.fullmatch(r"mean_test_count_(\d+)_\1", key) for key in results)
    return max((int(match[1]) + 1 for match in found if match), default=0)


def tables_of(results: Mapping[str, Any], candidates: Array, n_splits: int) -> Array:
    """Return the confusion counts of each split, of shape (n_candidates, n_splits, M, M)."""
    size = counted_classes(results)
    tables = np.empty((len(candidates), n_splits, size, size))
    for i, j in np.ndindex(size, size):
        tables[..., i, j] = scores_of(results, count_key(i, j), candidates, n_splits)
    return tables


def varying(candidates: Sequence[Parameters]) -> list[str]:
    """Return the names of the parameters that differ between candidates."""
    names = dict.fromkeys(name for parameters in candidates for name in parameters)
    missing = object()
    return [
        name
        for name in names
        if len({_key(parameters.get(name, missing)) for parameters in candidates}) > 1
    ]


def short_names(names: Sequence[str]) -> dict[str, str]:
    """Map each name to the part after its last ``__``, or to itself if that is ambiguous."""
    last = [name.rpartition("__")[2] for name in names]
    return {
        name: short if last.count(short) == 1 else name
        for name, short in zip(names, last, strict=True)
    }


def name_candidates(candidates: Mapping[int, Parameters]) -> list[str]:
    """Return a unique name for each candidate, from the values of the parameters that vary."""
    several = list(candidates.values())
    shown = short_names(varying(several) if len(several) > 1 else [*several[0]])
    names = [
        ", ".join(
            f"{short}={format_value(parameters[name])}"
            for name, short in shown.items()
            if name in parameters
        )
        for parameters in candidates.values()
    ]
    return [
        name if name and names.count(name) == 1 else f"{name} (candidate {index})".strip()
        for name, index in zip(names, candidates, strict=True)
    ]


def _key(value: Any) -> Any:
    """Return a hashable key that is equal for equal values."""
    try:
        hash(value)
    except TypeError:
        return repr(value)
    return type(value), value
