"""The instances or items on which two classifiers differ, one row each."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse

from skbayeseval._arrays import Array, by_column, in_short
from skbayeseval.evidence.instances import Instances, in_order_of
from skbayeseval.evidence.item_scores import ItemScores
from skbayeseval.splitting.out_of_fold import OutOfFold

NEITHER = "neither"


def of_items(items: ItemScores, names: tuple[str, str]) -> pd.DataFrame:
    """Return the items on which the scores of two systems differ."""
    a, b = items.over_runs
    differ = (a != b) & np.isfinite(a - b)  # not where one has no score
    return _in_order({names[0]: a, names[1]: b}, items.sign * (a - b), differ, names)


def of_predictions(tested: OutOfFold, names: tuple[str, str]) -> pd.DataFrame:
    """Return the instances that two classifiers predicted differently in any pass."""
    truth = tested.truth
    if truth is None:
        raise ValueError(
            "This result keeps predictions, but not what was true of each instance. Disagreements "
            "are known of classes, labels and numbers, not of chunks; predictions has the tags."
        )
    truth = truth.toarray() if sparse.issparse(truth) else truth
    codes = [tested.codes(name) for name in names]
    known, differ = _known(codes[0]), _differ(*codes)
    if tested.labels is not None:
        known, differ = np.asarray(known.all(axis=2)), np.asarray(differ.any(axis=2))
    differ &= known
    n_passes = known.sum(axis=1)
    of_numbers = tested.classes is None and tested.labels is None and codes[0].dtype.kind == "f"
    scores = []
    for said in codes:
        if of_numbers:
            values = np.abs(said - truth[:, None])
        else:
            values = np.asarray(1.0 - _differ(said, truth[:, None]))
        if tested.labels is not None:
            values = values.mean(axis=2)
        sums = np.where(known, values, 0.0).sum(axis=1)
        scores.append(sums / np.maximum(n_passes, 1))
    shown: dict[str, Any] = {"truth": _shown(tested, truth)}
    if known.shape[1] == 1:
        shown |= {name: _shown(tested, said[:, 0]) for name, said in zip(names, codes, strict=True)}
    else:
        what = "error" if of_numbers else "right"
        shown |= {f"{name} {what}": score for name, score in zip(names, scores, strict=True)}
        shown["passes"] = n_passes
    difference = (scores[0] - scores[1]) * (-1.0 if of_numbers else 1.0)
    return _in_order(shown, difference, differ.sum(axis=1), names)


def with_columns(frame: pd.DataFrame, columns: Any, instances: Instances) -> pd.DataFrame:
    """Return a frame whose index has positions of instances, with columns given for all of them."""
    if columns is None:
        return frame
    if isinstance(columns, str):
        raise TypeError(
            f"columns must have one row per instance, got {columns!r}. Results do not keep the "
            f"columns of X: pass the columns themselves, such as X[[{columns!r}]]."
        )
    if isinstance(columns, (pd.DataFrame, pd.Series)):
        columns = in_order_of(columns, instances, "columns")
    if isinstance(columns, pd.Series):
        columns = {"instance" if columns.name is None else columns.name: columns}
    elif isinstance(columns, pd.DataFrame):
        columns = by_column(columns)
    elif hasattr(columns, "columns"):  # of polars
        columns = {name: columns[name] for name in columns.columns}
    elif not isinstance(columns, Mapping):
        columns = {"instance": columns}
    for name, values in columns.items():
        if len(values) != instances.number:
            raise ValueError(
                f"columns must have one row per instance, got {len(values)} values of "
                f"{in_short(name)} for {instances.number} instances."
            )
        if name in frame:
            raise ValueError(
                f"columns must have other names than {list(frame.columns)}, got {in_short(name)}. "
                "Rename it."
            )
    chosen = {name: [list(v)[i] for i in frame.index] for name, v in columns.items()}
    return pd.concat([frame, pd.DataFrame(chosen, index=frame.index)], axis=1)


def _in_order(
    shown: Mapping[str, Any], difference: Array, differ: Array, names: tuple[str, str]
) -> pd.DataFrame:
    """Return the rows that differ, those with the largest differences first."""
    better = np.select([difference > 0, difference < 0], names, NEITHER)
    frame = pd.DataFrame({**shown, "difference": difference, "better": better})
    order = np.lexsort((-differ.astype(int), -np.abs(difference)))
    return frame.iloc[order[differ[order] > 0]]


def _known(codes: Array) -> Array:
    """Return where something was predicted."""
    if codes.dtype.kind == "f":
        return ~np.isnan(codes)
    return np.asarray(codes >= 0 if codes.dtype.kind == "i" else codes != None)  # noqa: E711


def _differ(a: Array, b: Array) -> Array:
    """Return where two arrays differ; what is in an array of objects may be an array itself."""
    if a.dtype != object or b.dtype != object:
        return np.asarray(a != b)
    a, b = np.broadcast_arrays(a, b)
    pairs = zip(a.ravel(), b.ravel(), strict=True)
    return np.array([not np.array_equal(one, other) for one, other in pairs]).reshape(a.shape)


def _shown(tested: OutOfFold, codes: Array) -> Any:
    """Return labels, tuples of labels, numbers or objects, one per instance."""
    if tested.labels is None:
        values = tested.decoded(codes) if tested.classes is not None else codes
        return pd.Series(list(values)) if values.dtype == object else values
    labels = tested.labels
    rows = [tuple(labels[k] for k in np.flatnonzero(row == 1)) for row in codes]
    return pd.Series(rows, dtype=object)
