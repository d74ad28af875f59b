"""What a search recorded of its candidates in `cv_results_`, and how these are called."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any

import numpy as np
import pandas as pd

from skbayeseval._arrays import Array, as_numbers, check_same_length, choices, in_short
from skbayeseval.results.text_tables import format_values
from skbayeseval.search.count_scorer import count_key
from skbayeseval.splitting.digest import NotDigestibleError, digest

Parameters = Mapping[str, Any]

SPLIT_SCORE = re.compile(r"split(\d+)_test_(.+)")
# Under which predictions are kept, and the times that a search records.
KEPT = "kept_predictions"
TIMES = {"mean_fit_time": "fit time", "mean_score_time": "prediction time"}
COUNT = re.compile(r"count_(\d+)_(\d+)")


class Recorded:
    """What a search recorded of its candidates; of a halving search, of the last iteration only.

    Parameters
    ----------
    results : mapping or DataFrame
        `cv_results_`, also as read from a file, or a table with a row per trial. Only the columns
        ``split<i>_test_<name>`` and ``params`` or ``param_<name>`` are needed.

    Attributes
    ----------
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

    def __init__(self, results: Mapping[str, Any] | pd.DataFrame) -> None:
        table = results.to_dict("list") if isinstance(results, pd.DataFrame) else results
        columns = {str(name): column for name, column in table.items() if column is not None}
        matches = [match for name in columns if (match := SPLIT_SCORE.fullmatch(name))]
        names = list(dict.fromkeys(match[2] for match in matches))
        cells = [match for name in names if (match := COUNT.fullmatch(name))]
        self._columns = columns
        self.n_splits = 1 + max((int(match[1]) for match in matches), default=-1)
        self.n_classes = 1 + max((int(n) for match in cells for n in match.groups()), default=-1)
        self.keys = [name for name in names if name != KEPT and not COUNT.fullmatch(name)]
        self._check_columns()
        self._parameters = _parameters_of(columns)
        if not self._parameters:
            raise ValueError("There is nothing to report: the results have no candidates.")
        iteration = np.zeros(len(self._parameters))
        if {"iter", "n_resources"} <= columns.keys():  # "iter" alone may be anything
            iteration = as_numbers(columns["iter"], "iter")
        self.positions = np.flatnonzero(iteration == iteration.max())
        self.n_dropped = int((iteration == iteration.min()).sum()) - len(self.positions)

    def _check_columns(self) -> None:
        """Raise unless there are scores of at least one candidate, each in every split."""
        if not self.n_splits:
            raise ValueError(
                "The results of a search must have the columns split0_test_<name>, "
                "split1_test_<name> and so on, with the scores of the candidates in each split, "
                f"got {in_short(list(self._columns))}."
            )
        cells = (count_key(i, j) for i, j in np.ndindex(self.n_classes, self.n_classes))
        scores = (
            _split_score(i, key) for key in chain(self.keys, cells) for i in range(self.n_splits)
        )
        missing = next((name for name in scores if name not in self._columns), None)
        if missing is not None:
            raise ValueError(
                f"The results have scores of {self.n_splits} splits, but no column {missing!r}."
            )
        used = re.compile(f"{SPLIT_SCORE.pattern}|params|param_.+")
        check_same_length(
            **{name: of for name, of in self._columns.items() if used.fullmatch(name)}
        )

    @property
    def main(self) -> str | None:
        """The name of what is recorded as "score" beside counts; None without them."""
        if not self.n_classes or "score" not in self.keys:
            return None
        for name in self.keys:
            if name != "score" and np.array_equal(self.scores(name), self.scores("score"), True):
                return name
        return "accuracy"

    def has(self, key: str) -> bool:
        """Return whether there are split scores of this name."""
        return _split_score(0, key) in self._columns

    def scores(self, key: str) -> Array:
        """Return the split scores, of shape (n_candidates, n_splits)."""
        names = [_split_score(split, key) for split in range(self.n_splits)]
        splits = [as_numbers(self._columns[name], name) for name in names]
        return np.column_stack(splits)[self.positions]

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
        scores = np.array([self.scores(key) for key in self.keys])
        cells = self.tables().reshape(len(self.positions), self.n_splits, -1)
        lost: Array = np.asarray(np.isnan(cells).any(axis=2))
        if self.keys and self.n_classes:
            lost |= (cells == cells[..., :1]).all(axis=2) & (scores == cells[..., 0]).all(axis=0)
        elif self.keys:
            lost = np.asarray(np.isnan(scores).all(axis=0))
        return np.asarray(lost.any(axis=1))

    def parameters(self, positions: Array) -> dict[int, Parameters]:
        """Return the parameters of some candidates, by position."""
        return {int(i): self._parameters[i] for i in positions}

    def times(self, positions: Array) -> dict[str, dict[int, float]]:
        """Return the times of some candidates, by position, as far as they were recorded."""
        columns = {name: self._columns[name] for name in TIMES if name in self._columns}
        times = {name: as_numbers(column, name).tolist() for name, column in columns.items()}
        return {name: {int(i): of_each[i] for i in positions} for name, of_each in times.items()}

    def without(self, failed: Array, key: str | None = None) -> tuple[Array, tuple[int, ...]]:
        """Return the positions of candidates that can be compared, and of those that failed."""
        if failed.all():
            undefined = "" if key is None else f", or their {key!r} is not defined in some split"
            raise ValueError(
                f"There is nothing to report: all {len(failed)} candidates failed{undefined}."
            )
        return self.positions[~failed], tuple(map(int, self.positions[failed]))


def _split_score(split: int, key: str) -> str:
    """Return the name of the column with the scores of one split."""
    return f"split{split}_test_{key}"


def _parameters_of(columns: Mapping[str, Any]) -> list[Parameters]:
    """Return the parameters of each candidate, from ``params``, or otherwise from ``param_*``.

    In a file, ``params`` is text. Values such as arrays cannot be read back from it. In
    ``param_*``, what is masked or NaN is a parameter that the candidate does not have.
    """
    whole = [_as_parameters(parameters) for parameters in columns.get("params", ())]
    if whole and all(isinstance(parameters, Mapping) for parameters in whole):
        return whole
    names = [name for name in columns if name.startswith("param_")]
    if not names:
        raise ValueError(
            "The results of a search must have the parameters of each candidate, in columns "
            f"param_<name> or as dicts in params, got {in_short(list(columns))}."
        )
    return [
        {
            name.removeprefix("param_"): value
            for name, value in zip(names, values, strict=True)
            if not _is_absent(value)
        }
        for values in zip(*(columns[name] for name in names), strict=True)
    ]


def _as_parameters(text: Any) -> Any:
    """Return the dict that is written in a text, if all its values can be read."""
    if not isinstance(text, str):
        return text
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return None


def _is_absent(value: Any) -> bool:
    return value is np.ma.masked or value is pd.NA or (isinstance(value, float) and np.isnan(value))


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


def meant(argument: str, name: str, known: Sequence[str]) -> str:
    """Return the known name that is this one, or the only one that ends in it: "C" is "svc__C"."""
    ends = [name] if name in known else [one for one in known if one.endswith(f"__{name}")]
    if len(ends) == 1:
        return ends[0]
    why = f"may be any of {ends}" if ends else "is not a parameter"
    raise ValueError(f"{argument}={name!r} {why}. Valid names are {choices(name, known)}.")


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
