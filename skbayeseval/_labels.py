"""Validation of labels: class labels, the parameter `labels` and multi-label indicators."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.utils.multiclass import type_of_target, unique_labels

from skbayeseval._arrays import as_array, in_short

__all__ = [
    "check_indicator",
    "check_label_vector",
    "check_labels",
    "check_predictions",
    "encode_labels",
    "is_indicator",
    "resolve_pos_label",
]

Array = NDArray[Any]


def encode_labels(
    vectors: Sequence[tuple[str, ArrayLike]], labels: ArrayLike | None = None
) -> tuple[tuple[Any, ...], list[Array]]:
    """Return the classes and, for each named vector, the class index of each instance."""
    names = [name for name, _ in vectors]
    arrays = [check_label_vector(y, name) for name, y in vectors]
    if len({len(y) for y in arrays}) > 1:
        found = ", ".join(f"{name} has {len(y)}" for name, y in zip(names, arrays, strict=True))
        raise ValueError(f"Found input variables with inconsistent numbers of samples: {found}.")

    explicit = [] if labels is None else [np.asarray(check_labels(labels))]
    try:
        classes = unique_labels(*arrays, *explicit)
    except ValueError as error:
        kinds = ", ".join(
            f"{name} has {array.tolist()[0]!r}"
            for name, array in zip([*names, "labels"], [*arrays, *explicit], strict=False)
        )
        raise ValueError(f"Mix of label input types (string and number): {kinds}.") from error
    if explicit:
        (classes,) = explicit
        for name, y in zip(names, arrays, strict=True):
            unknown = sorted(set(y[~np.isin(y, classes)].tolist()), key=str)
            if unknown:
                raise ValueError(
                    f"{name} contains labels that are not in labels={classes.tolist()}: {unknown}."
                )
    elif len(classes) < 2:
        raise ValueError(
            f"There is only one class in {' and '.join(names)}, {classes[0].item()!r}, so there is "
            "nothing to compare. Pass labels= if there are more classes."
        )
    order = np.argsort(classes, kind="stable")
    codes = [order[np.searchsorted(classes[order], y)] for y in arrays]
    return tuple(classes.tolist()), codes


def check_label_vector(y: ArrayLike, name: str, *, classes: bool = True) -> Array:
    """Return `y` as a 1-D array of class labels (or group labels) without missing values."""
    array = as_array(y, name)
    what = "class labels" if classes else "labels"
    if array.dtype == object and array.ndim == 1:  # pandas' nullable integers and booleans
        array = pd.Series(array, dtype=object).infer_objects().to_numpy()
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.ndim != 1:
        raise ValueError(
            f"{name} must be a 1-D array of {what}, got an array of shape {array.shape}."
        )
    if len(array) == 0:
        raise ValueError(f"Found array with 0 sample(s): {name} is empty.")
    if pd.isna(array).any():
        raise ValueError(f"Input {name} contains NaN: every instance must have a label.")
    if array.dtype.kind == "c":
        raise ValueError(f"Complex data not supported: {name} must contain {what}.")
    if array.dtype.kind in "mM":
        return _dates_as_strings(array, name)
    if array.dtype.kind == "f" and np.isinf(array).any():
        raise ValueError(f"Input {name} contains infinity: labels must be finite.")
    if not classes:
        _check_sortable(array, name)
        return array
    try:
        kind = type_of_target(array, input_name=name, raise_unknown=True)
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"Unknown label type: {name} must contain only strings, only numbers or only "
            f"booleans, got values such as {array[:3].tolist()}."
        ) from error
    if kind.startswith("continuous"):
        raise ValueError(
            f"{name} must contain class labels, got continuous values such as {array[0]!r}. Round "
            "or threshold them first."
        )
    return array


def _dates_as_strings(array: Array, name: str) -> Array:
    """Return dates, times or durations as strings, the same whatever unit they are stored in."""
    exact = array.astype(f"{array.dtype.kind}8[us]")
    if (exact != array).any():
        raise ValueError(
            f"{name} contains dates or times of dtype {array.dtype} that differ by less than a "
            f"microsecond. Convert them to strings first: {name}.astype(str)."
        )
    return np.array([str(one).removesuffix(" 00:00:00") for one in exact.tolist()])


def _check_sortable(array: Array, name: str) -> None:
    try:
        np.unique(array)
    except TypeError as error:
        raise ValueError(
            f"{name} must contain only strings, only numbers or only booleans, got values such as "
            f"{in_short(array[:3].tolist())}."
        ) from error


def check_labels(labels: ArrayLike) -> tuple[Any, ...]:
    """Return explicit `labels` as a tuple of at least two distinct classes."""
    array = as_array(labels, "labels")
    if array.ndim != 1 or array.dtype.kind == "c":
        raise TypeError(f"labels must be a list of classes, got {in_short(labels)}.")
    if array.dtype.kind in "mM":
        array = _dates_as_strings(array, "labels")
    classes = tuple(array.tolist())
    if len(classes) < 2 or len(set(classes)) != len(classes):
        raise ValueError(
            f"labels must be at least two distinct classes, got {in_short(list(classes))}."
        )
    return classes


def resolve_pos_label(labels: Sequence[Any], pos_label: Any) -> Any:
    """Return the positive class: `pos_label` if given, else class 1 of a binary problem."""
    if pos_label is None:
        return next((label for label in labels if label == 1), None) if len(labels) == 2 else None
    if not np.isscalar(pos_label) or pos_label not in labels:
        raise ValueError(
            f"pos_label={in_short(pos_label)} is not a valid label. It should be one of "
            f"{list(labels)}."
        )
    return labels[list(labels).index(pos_label)]


def is_indicator(y: Any) -> bool:
    """Return whether `y` is a multi-label indicator matrix rather than a vector of classes."""
    try:
        shape = y.shape if hasattr(y, "shape") else np.asarray(y).shape
    except ValueError:  # rows of different lengths
        return False
    return len(shape) == 2 and shape[1] > 1


def check_indicator(y: Any, name: str) -> Any:
    """Return the multi-label indicator `y` as a sparse matrix of zeros and ones."""
    if sparse.issparse(y):
        matrix = sparse.csr_matrix(y, dtype=float)
    else:
        array = as_array(y, name)
        if array.ndim != 2:
            raise ValueError(f"{name} must be a 2-D label indicator, got shape {array.shape}.")
        try:
            matrix = sparse.csr_matrix(array.astype(float))
        except (TypeError, ValueError) as error:
            raise ValueError(
                f"{name} must contain only 0 and 1, with one column per label."
            ) from error
    if matrix.shape[0] == 0:
        raise ValueError(f"Found array with 0 sample(s): {name} is empty.")
    if np.isnan(matrix.data).any():
        raise ValueError(f"Input {name} contains NaN.")
    wrong = matrix.data[~np.isin(matrix.data, (0, 1))]
    if len(wrong):
        raise ValueError(
            f"{name} must contain only 0 and 1, with one column per label, got {wrong[0]:g}."
        )
    return matrix


def check_predictions(predictions: Any, n_test: int, classes: tuple[Any, ...] | None) -> Any:
    """Return the predictions of a fitted estimator as positions among the classes.

    `classes` is None for multi-label indicators, which are returned as they are.
    """
    n_predicted = predictions.shape[0] if hasattr(predictions, "shape") else len(predictions)
    if n_predicted != n_test:
        raise ValueError(f"predict returned {n_predicted} labels for {n_test} instances")
    if classes is None:
        check_indicator(predictions, "predict")
        return predictions
    _, (codes,) = encode_labels([("predict", predictions)], classes)
    return codes
