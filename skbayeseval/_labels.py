"""Validation of labels: class labels, the parameter `labels` and multi-label indicators."""

from __future__ import annotations

from collections.abc import Hashable, Sequence, Set
from numbers import Integral
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy import sparse

from skbayeseval._arrays import (
    Array,
    as_array,
    check_same_length,
    choices,
    in_short,
    named_labels,
    wrong,
)

# What to do with lists of labels.
AS_INDICATOR = (
    " If each instance has several labels, convert them to an indicator matrix with "
    "MultiLabelBinarizer."
)


def encode_labels(
    vectors: Sequence[tuple[str, ArrayLike]], labels: ArrayLike | None = None
) -> tuple[tuple[Any, ...], list[Array]]:
    """Return the classes and, for each named vector, the class index of each instance."""
    factorized = [pd.factorize(y) for y in check_label_vectors(vectors)]
    # Python's numbers compare exactly, whereas numpy makes floats of int64 and uint64.
    values = [distinct.tolist() for _, distinct in factorized]
    classes = merged_classes([name for name, _ in vectors], values, labels)
    position = {label: i for i, label in enumerate(classes)}
    codes = [
        np.array([position[value] for value in of_one])[place]
        for of_one, (place, _) in zip(values, factorized, strict=True)
    ]
    return classes, codes


def check_label_vectors(vectors: Sequence[tuple[str, ArrayLike]]) -> list[Array]:
    """Return named vectors as 1-D arrays of class labels, all of the same length."""
    arrays = [check_label_vector(y, name) for name, y in vectors]
    names = [name for name, _ in vectors]
    check_same_length(**dict(zip(names, arrays, strict=True)))
    return arrays


def merged_classes(
    names: Sequence[str], values: Sequence[Sequence[Any]], labels: ArrayLike | None = None
) -> tuple[Any, ...]:
    """Return the classes: `labels`, or the distinct values of all named vectors, sorted."""
    explicit = None if labels is None else check_labels(labels)
    try:
        classes = sorted({value for of_one in [*values, explicit or ()] for value in of_one})
    except TypeError as error:
        kinds = ", ".join(
            f"{name} has {in_short(of_one[0])}"
            for name, of_one in zip([*names, "labels"], [*values, explicit or ()], strict=True)
            if of_one
        )
        raise ValueError(f"Mix of label input types (string and number): {kinds}.") from error
    if explicit is not None:
        for name, of_one in zip(names, values, strict=True):
            unknown = sorted(set(of_one) - set(explicit), key=str)
            if unknown:
                raise ValueError(
                    f"{name} contains labels that are not in labels="
                    f"{choices(unknown[0], explicit)}: {choices('', unknown)}."
                )
        return explicit
    if len(classes) < 2:
        raise ValueError(
            f"There is only one class in {' and '.join(names)}, {classes[0]!r}, so there is "
            "nothing to compare. Pass labels= if there are more classes."
        )
    return tuple(classes)


def check_label_vector(y: ArrayLike, name: str, *, classes: bool = True) -> Array:
    """Return `y` as a 1-D array of class labels (or group labels) without missing values."""
    if isinstance(y, (list, tuple)):
        lengths = {len(row) for row in y if isinstance(row, (list, tuple))}
        if len(lengths) > 1:
            raise ValueError(
                f"{name} must be an array, got rows of different lengths: {in_short(y)}."
                f"{AS_INDICATOR if classes else ''}"
            )
    array = _exact(y, name)
    what = "class labels" if classes else "labels"
    if array.dtype == object and array.ndim == 1:
        if len(array) and _is_text(array):
            return array
        array = _inferred(array)  # pandas' nullable integers and booleans
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.ndim != 1:
        raise ValueError(
            f"{name} must be a 1-D array of {what}, got an array of shape {array.shape}."
        )
    if len(array) == 0:
        raise ValueError(f"Found array with 0 sample(s): {name} is empty.")
    if array.dtype.kind not in "biu" and pd.isna(array).any():
        needed = "have a label" if classes else "have a value"
        raise ValueError(f"Input {name} contains NaN: every instance must {needed}.")
    if array.dtype.kind == "c":
        raise ValueError(f"Complex data not supported: {name} must contain {what}.")
    if array.dtype.kind in "mM":
        return _dates_as_strings(array, name)
    if array.dtype.kind == "f" and np.isinf(array).any():
        raise ValueError(f"Input {name} contains infinity: labels must be finite.")
    whole = array.dtype == object and all(isinstance(value, Integral) for value in array)
    if not classes:
        try:
            np.unique(array)
        except TypeError as error:
            raise ValueError(
                f"{name} must contain only strings, only numbers or only booleans, got values such "
                f"as {in_short(array[:3].tolist())}."
            ) from error
    if whole or not classes:
        return array
    kind = kind_of_labels(array)
    if kind == "unknown":
        several = any(isinstance(one, (list, tuple, Set, np.ndarray)) for one in array)
        raise ValueError(
            f"Unknown label type: {name} must contain only strings, only numbers or only "
            f"booleans, got values such as {in_short(array[:3].tolist())}."
            f"{AS_INDICATOR if several else ''}"
        )
    if kind == "continuous":
        example = array[array != np.floor(array)][0].item()
        raise ValueError(
            f"{name} must contain class labels, got continuous values such as {example!r}. Round "
            "or threshold them first. To compare predictions of numbers, pass a metric of numbers, "
            "such as scoring='r2' or scoring='neg_mean_absolute_error'."
        )
    return array


def _exact(values: Any, name: str) -> Array:
    """Return an array that tells all whole numbers apart, as integers beyond 2**53 need."""
    array = as_array(values, name)
    if array.dtype.kind != "f":
        return array
    # numpy also makes floats of a list of integers that fit no common dtype.
    largest = 2.0 ** (np.finfo(array.dtype).nmant + 1)
    if not (np.isfinite(array) & (np.abs(array) >= largest)).any():
        return array
    given = np.asarray(values, dtype=object)
    if not all(isinstance(value, Integral) for value in given.flat):
        raise ValueError(
            f"{name} contains {array.dtype} numbers of {largest:.0f} or more, which cannot tell "
            "all whole numbers apart. Pass integers or strings."
        )
    return np.vectorize(int, otypes=[object])(given)


def _dates_as_strings(array: Array, name: str) -> Array:
    """Return dates, times or durations as strings, the same whatever unit they are stored in."""
    exact = array.astype(f"{array.dtype.kind}8[us]")
    if (exact != array).any():
        raise ValueError(
            f"{name} contains dates or times of dtype {array.dtype} that differ by less than a "
            f"microsecond. Convert them to strings first: {name}.astype(str)."
        )
    return np.array([str(one).removesuffix(" 00:00:00") for one in exact.tolist()])


def kind_of_labels(y: Any) -> str:
    """Return "indicator", "classes", "continuous" or "unknown".

    As scikit-learn's `type_of_target`, which sets warnings filters of the whole process, so that
    it must not run in threads.
    """
    if sparse.issparse(y):
        stored = sparse.csr_matrix(y, copy=True)
        stored.sum_duplicates()  # an entry may be stored in parts
        values = np.unique(stored.data)
        zeros_and_one_other = len(values) < 2 or (len(values) == 2 and 0 in values)
        return "indicator" if y.shape[1] > 1 and zeros_and_one_other else "unknown"
    try:
        array = np.asarray(y)
    except ValueError:  # rows of different lengths
        return "unknown"
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.dtype == object and array.ndim == 1:
        array = _inferred(array)
    kind = array.dtype.kind
    if kind == "f" and (array != np.floor(array)).any():
        return "continuous"
    if array.ndim == 2:
        return "indicator" if kind in "biuf" and len(np.unique(array)) < 3 else "unknown"
    if array.ndim != 1 or kind in "SVc":
        return "unknown"
    return "unknown" if kind == "O" and not _is_text(array) else "classes"


def _inferred(array: Array) -> Array:
    """Return an array of objects with the dtype of these objects."""
    return pd.Series(array, dtype=np.dtype(object)).infer_objects().to_numpy()


def _is_text(array: Array) -> bool:
    return array.dtype.kind in "UT" or pd.api.types.infer_dtype(array, skipna=False) == "string"


def check_labels(labels: ArrayLike) -> tuple[Any, ...]:
    """Return explicit `labels` as a tuple of at least two distinct classes."""
    array = _exact(labels, "labels")
    hashable = all(isinstance(label, Hashable) for label in array.flat)
    if array.ndim != 1 or array.dtype.kind == "c" or not hashable:
        raise wrong("labels", "a list of classes", labels, TypeError)
    if array.dtype.kind in "mM":
        array = _dates_as_strings(array, "labels")
    classes = tuple(array.tolist())
    if len(classes) < 2 or len(set(classes)) != len(classes):
        raise wrong("labels", "at least two distinct classes", list(classes))
    return classes


def check_distinct(labels: Sequence[Any]) -> None:
    """Raise if a label is missing or occurs twice."""
    if len(set(labels)) != len(labels) or any(label != label for label in labels):
        raise wrong("labels", "distinct classes", list(labels))


def resolve_pos_label(labels: Sequence[Any], pos_label: Any) -> Any:
    """Return the positive class: `pos_label` if given, else class 1 of a binary problem."""
    if pos_label is None:
        return next((label for label in labels if label == 1), None) if len(labels) == 2 else None
    pos_label = pos_label.item() if isinstance(pos_label, np.generic) else pos_label
    if not np.isscalar(pos_label) or pos_label not in labels:
        raise ValueError(
            f"pos_label={in_short(pos_label)} is not a valid label. It should be one of "
            f"{choices(pos_label, labels)}."
        )
    return labels[list(labels).index(pos_label)]


def is_indicator(y: Any) -> bool:
    """Return whether `y` is a multi-label indicator matrix rather than a vector of classes."""
    try:
        shape = y.shape if hasattr(y, "shape") else np.asarray(y).shape
    except ValueError:  # rows of different lengths
        return False
    return len(shape) == 2 and shape[1] > 1


def indicator_labels(y: Any, labels: ArrayLike | None, name: str) -> tuple[Any, ...]:
    """Return the labels of a multi-label indicator: `labels`, its column labels, or 0, 1, ..."""
    columns = named_labels([y])
    if labels is None:
        return check_labels(range(y.shape[1]) if columns is None else columns)
    given = check_labels(labels)
    if columns is not None and list(given) != columns:
        raise ValueError(f"labels={list(given)} differ from the columns of {name}, {columns}.")
    if len(given) != y.shape[1]:
        raise ValueError(f"labels has {len(given)} labels, but {name} has {y.shape[1]}.")
    return given


def check_indicator(y: Any, name: str) -> Any:
    """Return the multi-label indicator `y` as a sparse matrix of zeros and ones."""
    given: Any = sparse.csr_matrix(y, copy=True) if sparse.issparse(y) else as_array(y, name)
    if given.ndim != 2:
        raise ValueError(f"{name} must be a 2-D label indicator, got shape {given.shape}.")
    if given.shape[0] == 0:
        raise ValueError(f"Found array with 0 sample(s): {name} is empty.")
    not_binary = f"{name} must contain only 0 and 1, with one column per label."
    if given.dtype.kind in "OUT":
        not_binary += f" Got {in_short(given[:2].tolist())}.{AS_INDICATOR}"
    if given.dtype.kind == "c":
        raise ValueError(not_binary)
    if sparse.issparse(y):
        given.sum_duplicates()  # an entry may be stored in parts
    try:
        matrix = sparse.csr_matrix(given.astype(float))
    except (TypeError, ValueError) as error:
        raise ValueError(not_binary) from error
    matrix.eliminate_zeros()
    if np.isnan(matrix.data).any():
        raise ValueError(f"Input {name} contains NaN.")
    wrong = matrix.data[matrix.data != 1]
    if len(wrong):
        raise ValueError(
            f"{name} must contain only 0 and 1, with one column per label, got {wrong[0]:g}."
        )
    return matrix
