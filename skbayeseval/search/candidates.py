"""Read the candidates of a search from `cv_results_`, and name them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skbayeseval.results.text_tables import format_values
from skbayeseval.search.count_scorer import count_key
from skbayeseval.splitting.digest import NotDigestibleError, digest

Array = NDArray[Any]
Parameters = Mapping[str, Any]


class Recorded:
    """What a search recorded of its candidates; of a halving search, of the last iteration only.

    Attributes
    ----------
    results : mapping
        `cv_results_`.
    positions : ndarray of shape (n_candidates,)
        The positions of the candidates.
    n_dropped : int
        The number of candidates that a halving search dropped before.
    n_splits : int
        The number of splits that were scored.
    n_classes : int
        The number of classes with recorded counts; 0 if no counts were recorded.
    keys : list of str
        The names of the recorded scores, excluding confusion counts.
    """

    def __init__(self, results: Mapping[str, Any]) -> None:
        self.results = results
        iteration = np.asarray(results.get("iter", np.zeros(len(results["params"]))))
        self.positions = np.flatnonzero(iteration == iteration.max())
        self.n_dropped = int((iteration == iteration.min()).sum()) - len(self.positions)
        self.n_splits = self._highest(r"split(\d+)_test_.*")
        self.n_classes = self._highest(r"mean_test_count_(\d+)_\1")
        means = [key.removeprefix("mean_test_") for key in results if key.startswith("mean_test_")]
        self.keys = [key for key in means if not re.fullmatch(r"count_\d+_\d+", key)]

    def _highest(self, pattern: str) -> int:
        """Return one more than the highest number in keys."""
        matches = (re.fullmatch(pattern, key) for key in self.results)
        return max((int(match[1]) + 1 for match in matches if match), default=0)

    def means(self, key: str) -> Array:
        """Return the mean score of each candidate."""
        return np.asarray(self.results[f"mean_test_{key}"], dtype=float)[self.positions]

    def scores(self, key: str) -> Array:
        """Return the split scores, of shape (n_candidates, n_splits)."""
        splits = [self.results[f"split{split}_test_{key}"] for split in range(self.n_splits)]
        return np.column_stack([np.asarray(one, dtype=float)[self.positions] for one in splits])

    def tables(self) -> Array:
        """Return the confusion counts of each split, of shape (n_candidates, n_splits, M, M)."""
        size = self.n_classes
        tables = np.empty((len(self.positions), self.n_splits, size, size))
        for i, j in np.ndindex(size, size):
            tables[..., i, j] = self.scores(count_key(i, j))
        return tables

    def failed(self) -> Array:
        """Return a boolean mask of the candidates with a failed fit, as far as results show.

        When a fit fails, a search records NaN or its `error_score` under every key. No real table
        of counts has the same number in every cell and as its score.
        """
        scores = np.stack([self.scores(key) for key in self.keys])
        if not self.n_classes:
            return np.asarray(np.isnan(scores).all(axis=0).any(axis=1))
        cells = self.tables().reshape(*scores.shape[1:], -1)
        alike = (cells == cells[..., :1]).all(axis=2) & (scores == cells[..., 0]).all(axis=0)
        return np.asarray((alike | np.isnan(cells).any(axis=2)).any(axis=1))

    def parameters(self, positions: Array) -> dict[int, Parameters]:
        """Return the parameters of some candidates, by position."""
        return {int(i): self.results["params"][i] for i in positions}

    def without(self, failed: Array, key: str | None = None) -> tuple[Array, tuple[int, ...]]:
        """Return the positions of candidates that can be compared, and of those that failed."""
        if failed.all():
            undefined = "" if key is None else f", or their {key!r} is not defined in some split"
            raise ValueError(
                f"There is nothing to report: all {len(failed)} candidates failed{undefined}."
            )
        return self.positions[~failed], tuple(map(int, self.positions[failed]))


def varying(candidates: Sequence[Parameters]) -> list[str]:
    """Return the names of the parameters that differ between candidates."""
    names = dict.fromkeys(name for parameters in candidates for name in parameters)
    missing = object()
    return [
        name
        for name in names
        if len({as_key(parameters.get(name, missing)) for parameters in candidates}) > 1
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
    parts: list[list[str]] = [[] for _ in several]
    for name, short in shown.items():
        having = [i for i, parameters in enumerate(several) if name in parameters]
        texts = format_values([several[i][name] for i in having])
        for i, text in zip(having, texts, strict=True):
            parts[i].append(f"{short}={text}")
    names = [", ".join(part) for part in parts]
    numbered = [
        f"{name} (candidate {i})".strip() for name, i in zip(names, candidates, strict=True)
    ]
    times = Counter(names)
    mixed = [
        name if name and times[name] == 1 else other
        for name, other in zip(names, numbered, strict=True)
    ]
    # The value of a parameter may look like the number of another candidate.
    return mixed if len(set(mixed)) == len(mixed) else numbered


def as_key(value: Any) -> Any:
    """Return a hashable key that is equal for equal values."""
    try:
        hash(value)
        return type(value), value
    except TypeError:
        pass
    try:
        return digest(value)
    except NotDigestibleError:
        return repr(value)
