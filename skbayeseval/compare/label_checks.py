"""Predictions that are probably not what was meant: labels written in two ways, and scores."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from skbayeseval._arrays import as_numbers, in_short
from skbayeseval._labels import is_indicator, kind_of_labels
from skbayeseval._validation import UnlikelyDataWarning
from skbayeseval.evidence.base import Evidence

__all__ = ["check_no_scores", "warn_of_unlikely_labels"]

# How to pass scores, by the argument for predictions.
SCORES = {
    "y_pred_a": "y_score_a= and y_score_b=",
    "y_pred_b": "y_score_a= and y_score_b=",
    "y_pred": "y_score=",
}


def check_no_scores(y_true: Any, predictions: Mapping[str, Any]) -> None:
    """Raise if predictions of classes are continuous numbers, as probabilities are.

    Parameters
    ----------
    y_true : array-like
        The true labels.
    predictions : mapping of str to array-like
        The predictions by argument.
    """
    if is_indicator(y_true):
        return
    for argument, predicted in predictions.items():
        if _begins_with_text(predicted) or kind_of_labels(predicted) != "continuous":
            continue
        numbers = as_numbers(predicted, argument)
        if not np.isfinite(numbers).all() or kind_of_labels(y_true) == "continuous":
            continue  # other checks tell of that
        example = numbers[numbers != np.floor(numbers)][0]
        shape = "" if numbers.ndim == 1 else f" in an array of shape {numbers.shape}"
        raise ValueError(
            f"{argument} must contain class labels, got continuous values such as {example:.6g}"
            f"{shape}. Pass probabilities and other scores as {SCORES.get(argument, 'scores=')}, "
            "with a metric of scores such as scoring='roc_auc', or threshold them first. To "
            "compare predictions of numbers, pass a metric of numbers, such as scoring='r2'."
        )


def _begins_with_text(values: Any) -> bool:
    """Return whether the first of an array is text, which is quickly told."""
    array = values.array if isinstance(values, pd.Series) else values
    return getattr(array, "ndim", 0) == 1 and len(array) > 0 and isinstance(array[0], str)


def warn_of_unlikely_labels(evidence: Evidence, arguments: Sequence[str], truth: str) -> None:
    """Warn if predicted labels seem to be true labels that are written in another way.

    Parameters
    ----------
    evidence : Evidence
        Counts of classes. Labels that were declared are as they should be.
    arguments : sequence of str
        What the predictions of each classifier are called.
    truth : str
        What the true labels are called.
    """
    for argument, counts in zip(arguments, evidence.margins(), strict=True):
        said, known = (
            [label for label, n in zip(counts.labels, numbers, strict=True) if n > 0]
            for numbers in (counts.predicted, counts.true)
        )
        why = None if counts.declared else _spelled_twice(said, known) or _swapped(said, known)
        if why is not None:
            warnings.warn(
                f"The labels of {argument} may be written in another way than those of {truth}: "
                f"{argument} contains {in_short(said)}, {truth} contains {in_short(known)}. {why} "
                "Write the labels of both in the same way. If they are right, pass labels= with "
                "all classes.",
                UnlikelyDataWarning,
                stacklevel=4,
            )


def _spelled_twice(said: Sequence[Any], known: Sequence[Any]) -> str | None:
    """Return what is wrong if labels that are never true differ from true ones only in case."""
    plain = {_plain(label): label for label in known}
    if len(plain) < len(known):  # case or spaces tell classes apart
        return None
    for label in said:
        twin = plain.get(_plain(label), label)
        if twin != label:
            return (
                f"{label!r} and {twin!r} are different classes, though they differ only in case or "
                f"spaces, so that each {label!r} counts as wrong."
            )
    return None


def _swapped(said: Sequence[Any], known: Sequence[Any]) -> str | None:
    """Return what is wrong if one of two classes is replaced, as in -1 and 1 for 0 and 1."""
    if len(said) == len(known) == 2 and len({*said, *known}) == 3:
        (other,), (missing,) = set(said) - set(known), set(known) - set(said)
        return f"{missing!r} is never predicted, and each {other!r} counts as wrong."
    return None


def _plain(label: Any) -> Any:
    return label.strip().casefold() if isinstance(label, str) else label
