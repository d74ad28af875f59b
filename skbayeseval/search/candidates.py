"""What `cv_results_` holds of a search's candidates, and what to call them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skbayeseval.results.tables import format_value
from skbayeseval.search.count_scorer import count_key

__all__ = [
    "counted_classes",
    "last_candidates",
    "name_candidates",
    "number_of_splits",
    "recorded_keys",
    "scores_of",
    "short_names",
    "tables_of",
    "varying",
]

Array = NDArray[Any]
Parameters = Mapping[str, Any]


def last_candidates(results: Mapping[str, Any]) -> Array:
    """Return the positions of all candidates; of a halving search, of the last iteration's."""
    iteration = np.asarray(results.get("iter", np.zeros(len(results["params"]))))
    return np.flatnonzero(iteration == iteration.max())


def number_of_splits(results: Mapping[str, Any]) -> int:
    """Return how many splits were scored."""
    found = (re.match(r"split(\d+)_test_", key) for key in results)
    return max((int(match[1]) + 1 for match in found if match), default=0)


def recorded_keys(results: Mapping[str, Any]) -> list[str]:
    """Return the keys of the recorded scores, without counts."""
    found = [key.removeprefix("mean_test_") for key in results if key.startswith("mean_test_")]
    return [key for key in found if not re.fullmatch(r"count_\d+_\d+", key)]


def scores_of(results: Mapping[str, Any], key: str, candidates: Array, n_splits: int) -> Array:
    """Return the scores of shape (n_candidates, n_splits)."""
    columns = [results[f"split{split}_test_{key}"] for split in range(n_splits)]
    return np.column_stack([np.asarray(column, dtype=float)[candidates] for column in columns])


def counted_classes(results: Mapping[str, Any]) -> int:
    """Return of how many classes there are counts, 0 if there are none."""
    found = (re.fullmatch(r"mean_test_count_(\d+)_\1", key) for key in results)
    return max((int(match[1]) + 1 for match in found if match), default=0)


def tables_of(results: Mapping[str, Any], candidates: Array, n_splits: int) -> Array:
    """Return each candidate's counts in each split, of shape (n_candidates, n_splits, M, M)."""
    size = counted_classes(results)
    tables = np.empty((len(candidates), n_splits, size, size))
    for i, j in np.ndindex(size, size):
        tables[..., i, j] = scores_of(results, count_key(i, j), candidates, n_splits)
    return tables


def varying(candidates: Sequence[Parameters]) -> list[str]:
    """Return the names of the parameters in which candidates differ."""
    names = dict.fromkeys(name for parameters in candidates for name in parameters)
    missing = object()
    return [
        name
        for name in names
        if len({_key(parameters.get(name, missing)) for parameters in candidates}) > 1
    ]


def short_names(names: Sequence[str]) -> dict[str, str]:
    """Return what follows the last ``__`` of each name, where that is the only one."""
    last = [name.rpartition("__")[2] for name in names]
    return {
        name: short if last.count(short) == 1 else name
        for name, short in zip(names, last, strict=True)
    }


def name_candidates(candidates: Mapping[int, Parameters]) -> list[str]:
    """Return a distinct name for each candidate: the parameters that vary, and their values."""
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
    """Return something that is equal for equal values, and can be hashed."""
    try:
        hash(value)
    except TypeError:
        return repr(value)
    return type(value), value
