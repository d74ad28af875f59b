"""Data that may be wrong: scores in place of labels, two spellings, other classes, other scales.

Unlikely data are compared, but not by a gate. Labels in two spellings, scores of the other class
and scores on different scales may be right, so they give an `UnlikelyDataWarning`, a `UserWarning`.
The command line prints warnings as it prints errors. With `--gate` they are errors, because nobody
reads warnings there.
"""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from skbayeseval._arrays import Array, as_numbers, in_short
from skbayeseval._labels import kind_of_labels
from skbayeseval._validation import UnlikelyDataWarning
from skbayeseval.evidence.instance_scores import RESPONSES, ScoredInstances
from skbayeseval.evidence.interface import Evidence
from skbayeseval.metrics.metric import Metric
from skbayeseval.metrics.registry import get_metric

# How to pass scores, by the argument for predictions.
SCORES = {
    "y_pred_a": "y_score_a= and y_score_b=",
    "y_pred_b": "y_score_a= and y_score_b=",
    "y_pred": "y_score=",
}


# A ROC AUC below this is that of a useful classifier whose scores are turned around.
FAR_BELOW_CHANCE = 0.35


# With fewer instances of a class, such a ROC AUC may be due to chance.
ENOUGH = 10


# Percentages are 100 times as large as shares; two systems are hardly apart by such a factor.
LIKE_PERCENTAGES = (30, 300)


def check_no_scores(predictions: Mapping[str, Any]) -> None:
    """Raise if predictions of classes, by argument, are continuous numbers, as probabilities."""
    for argument, predicted in predictions.items():
        if kind_of_labels(predicted) != "continuous":
            continue
        numbers = as_numbers(predicted, argument)
        if not np.isfinite(numbers).all():
            continue  # other checks tell of that
        example = numbers[numbers != np.floor(numbers)][0]
        shape = "" if numbers.ndim == 1 else f" in an array of shape {numbers.shape}"
        raise ValueError(
            f"{argument} must contain class labels, got continuous values such as {example:.6g}"
            f"{shape}. Pass probabilities and other scores as {SCORES.get(argument, 'scores=')}, "
            "with a metric of scores such as scoring='roc_auc', or threshold them first. To "
            "compare predictions of numbers, pass a metric of numbers, such as scoring='r2'."
        )


def check_spelling(
    evidence: Evidence, arguments: Sequence[str], truth: str, stacklevel: int = 4
) -> None:
    """Raise or warn if predicted labels seem to be true labels that are written in another way.

    It is an error if a classifier only predicts labels that are never true.

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
        predicted, known = (
            [label for label, n in zip(counts.labels, numbers, strict=True) if n > 0]
            for numbers in (counts.predicted, counts.true)
        )
        in_common = not set(predicted).isdisjoint(known)
        why = _why_unlikely(predicted, known)
        if counts.declared or (in_common and why is None):
            continue
        values = f"{argument} contains {in_short(predicted)}, {truth} contains {in_short(known)}."
        if not in_common:
            raise ValueError(
                f"{argument} and {truth} have no label in common: {values} Write the labels of "
                "both in the same way. If they are right, pass labels= with all classes."
            )
        warnings.warn(
            f"The labels of {argument} may be written in another way than those of {truth}: "
            f"{values} {why} Write the labels of both in the same way. If they are right, pass "
            "labels= with all classes.",
            UnlikelyDataWarning,
            stacklevel=stacklevel,
        )


def _why_unlikely(predicted: Sequence[Any], known: Sequence[Any]) -> str | None:
    """Return what is wrong with predicted labels, given the true ones; None if nothing is."""
    plain = {_plain(label): label for label in known}
    for label in (
        predicted if len(plain) == len(known) else ()
    ):  # else case or spaces tell them apart
        twin = plain.get(_plain(label), label)
        if twin != label:
            return (
                f"{label!r} and {twin!r} are different classes, though they differ only in case or "
                f"spaces, so that each {label!r} counts as wrong."
            )
    if len(predicted) == len(known) == 2 and len({*predicted, *known}) == 3:  # -1 and 1 for 0 and 1
        (other,), (missing,) = set(predicted) - set(known), set(known) - set(predicted)
        return f"{missing!r} is never predicted, and each {other!r} counts as wrong."
    return None


def _plain(label: Any) -> Any:
    return label.strip().casefold() if isinstance(label, str) else label


def warn_of_unlikely_scores(
    scored: ScoredInstances, arguments: Sequence[str], metrics: Iterable[Metric]
) -> None:
    """Warn of class predictions in place of scores, and of scores of the other class.

    Parameters
    ----------
    scored : ScoredInstances
        The scores.
    arguments : sequence of str
        The names of the arguments in which the scores were passed.
    metrics : iterable of Metric
        The metrics that are computed.
    """
    of_scores = [metric for metric in metrics if metric.needs in RESPONSES]
    ranked = [metric for metric in of_scores if metric.ranks]
    if not of_scores or scored.truth.ndim != 1 or len(scored.labels) != 2:
        return
    if np.bincount(scored.truth, minlength=2).min() < ENOUGH:
        return
    areas = scored.observed(get_metric("roc_auc"))
    for k, (argument, area) in enumerate(zip(arguments, areas, strict=True)):
        if ranked and len(np.unique(scored.responses[k]["ranking"])) <= 2:
            warnings.warn(
                f"{argument} has only two distinct values, as class predictions have. "
                f"{ranked[0].name} needs scores: the output of decision_function, or the column of "
                "the positive class of predict_proba.",
                stacklevel=5,
            )
        if area < FAR_BELOW_CHANCE:
            warnings.warn(
                f"The ROC AUC of {argument} is {area:.3f}, far below 0.5. These may be the "
                "scores of the other class: pass those of the positive class, or pos_label=.",
                UnlikelyDataWarning,
                stacklevel=5,
            )


def warn_of_other_scales(
    scores: Mapping[str, Array], *, shares: bool = True, hint: str = "", stacklevel: int = 2
) -> None:
    """Warn if one system's scores are right or wrong, or shares, and another's are not.

    Grades or counts of which one system has only 0 and 1 are no reason to warn, if another has 1
    besides larger ones.

    Parameters
    ----------
    scores : mapping of str to ndarray
        The scores of each system, by argument; NaN where there is none.
    shares : bool, default=True
        Whether scores in [0, 1] are taken for shares; times and errors have no such limit.
    hint : str, default=""
        What to do if the scores are on the same scale.
    stacklevel : int, default=2
        As in `warnings.warn`.
    """
    known = {name: values[np.isfinite(values)] for name, values in scores.items()}
    for (name, small), (other, large) in itertools.permutations(known.items(), 2):
        if _are_only(small, 0, 1):
            leaves_out_one = large.max() > 1 and not ((large > 0) & (large <= 1)).any()
            differ = leaves_out_one or _are_only(large, -1, 1)
        else:
            differ = shares and _are_shares_and_percentages(small, large)
        if differ:
            warnings.warn(
                f"{name} and {other} may be on different scales: {name} contains "
                f"{_described(small)}, {other} contains {_described(large)}. Bring them to the "
                f"same scale, for example by dividing percentages by 100.{hint}",
                UnlikelyDataWarning,
                stacklevel=stacklevel + 1,
            )
            return


def _are_only(scores: Array, low: int, high: int) -> bool:
    """Return whether both values occur, and no other."""
    if scores.min() != low or scores.max() != high:
        return False
    return bool(((scores == low) | (scores == high)).all())


def _are_shares_and_percentages(small: Array, large: Array) -> bool:
    if min(small.min(), large.min()) < 0 or not 0 < small.max() <= 1 < large.max() <= 100:
        return False
    least, most = LIKE_PERCENTAGES
    return bool(least <= np.median(large[large > 0]) / np.median(small[small > 0]) <= most)


def _described(scores: Array) -> str:
    values = np.unique(scores)
    if len(values) <= 2:
        return " and ".join(f"{value:g}" for value in values)
    return f"numbers from {values[0]:g} to {values[-1]:g}"
