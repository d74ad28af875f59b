"""What a search scored its candidates by, and the metric to compare them by."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.base import is_classifier, is_regressor

from skbayeseval._arrays import choices, in_short, wrong
from skbayeseval._labels import check_label_vector, is_indicator
from skbayeseval.compare.learners import kind_of_target
from skbayeseval.metrics.any_metric import AnyMetric
from skbayeseval.metrics.metric import Metric
from skbayeseval.metrics.scorers import Made
from skbayeseval.metrics.scoring import as_metric, is_scorer, resolve_scoring
from skbayeseval.search.count_scorer import CountScorer
from skbayeseval.search.prediction_scorer import PredictionScorer
from skbayeseval.search.recorded import Recorded

# The classes, and whether instances may have several of them.
Classes = tuple[Sequence[Any], bool]


def check_scoring(scoring: Any) -> None:
    """Raise unless results may tell the values of a metric."""
    if scoring is not None and not isinstance(scoring, (str, Metric)):
        raise TypeError(
            f"scoring must be the name of a metric or a Metric, got {in_short(scoring)}. "
            "To compare by another function, pass its scorer (sklearn.metrics.make_scorer) to "
            "the search in a dict, and its name there as scoring= here."
        )


def measure_of(
    recorded: Recorded, scoring: Any, search: Any = None, classes: Classes | None = None
) -> tuple[str | None, Any]:
    """Return the name of the recorded scores, or None, and the metric to compare by.

    The metric is None if only the recorded values are known of it.
    """
    keys, named = recorded.keys, _named(recorded, search)
    if search is None:
        check_scoring(scoring)
    elif is_scorer(scoring) and not isinstance(scoring, (str, AnyMetric)):
        if classes is None:
            raise ValueError(
                f"scoring={in_short(scoring)} requires X and y, because results contain only names "
                f"of scores. Pass X and y, or one of {choices('', keys)}."
            )
        names = [key for key in keys if named.get(key) is scoring]
        if names and Made.of(scoring) is None:
            return names[0], None
        return next(iter(names), None), as_metric(scoring, *classes)
    elif not isinstance(scoring, (str, Metric, AnyMetric, type(None))):
        wanted = "the name of a metric, a metric of skbayeseval.metrics or a scorer"
        raise wrong("scoring", wanted, scoring, TypeError)
    if scoring is None:
        key = _default_key(recorded, search)
        return key, "accuracy" if key is None else _metric(named.get(key), key, classes)
    name = getattr(scoring, "name", scoring)
    may_be_anything = search is None and not recorded.n_classes and keys == ["score"]
    if name not in keys and not may_be_anything and named.get("score") != name:
        return None, scoring
    key = name if name in keys else "score"
    if not isinstance(scoring, str) or (may_be_anything and name != key):
        return key, scoring
    return key, _metric(named.get(key), key, classes)


def _named(recorded: Recorded, search: Any) -> dict[str, Any]:
    """Return the name or the scorer of each recorded score; None if it is not known on its own.

    Without the search, results tell the names of their scores, but not what "score" is; if there
    are counts, it repeats another score, or is the accuracy.
    """
    own = {key: key for key in recorded.keys}
    if search is None:
        return own | {"score": recorded.main or "score"}
    scoring, estimator = search.scoring, search.estimator
    if isinstance(scoring, CountScorer):
        return own | {"score": scoring.main}
    if isinstance(scoring, PredictionScorer):
        return scoring.named(estimator)
    if isinstance(scoring, Mapping):
        return dict(scoring)
    if scoring is None:  # the score method of scikit-learn's estimators
        known = (
            "accuracy" if is_classifier(estimator) else "r2" if is_regressor(estimator) else None
        )
        return {"score": known}
    return {"score": scoring} if callable(scoring) or isinstance(scoring, str) else own


def _default_key(recorded: Recorded, search: Any) -> str | None:
    """Return the name of the recorded scores that the search refits by; None of counts alone."""
    keys, refit = recorded.keys, getattr(search, "refit", None)
    if isinstance(refit, str) and refit in keys:
        return refit
    ours = (CountScorer, PredictionScorer)
    if "score" in keys and (search is None or isinstance(search.scoring, ours)):
        return "score"
    if len(keys) < 2:
        return next(iter(keys), None)
    raise ValueError(
        f"The search recorded several scores, {choices('', keys)}. Choose one with scoring=."
    )


def classes_of(search: Any, y: Any) -> Classes | None:
    """Return the classes of y and whether instances may have several; no classes for numbers.

    None without y, and for several numbers per instance.
    """
    if y is None:
        return None
    if kind_of_target({"": search.estimator}) == "numbers":
        return None if is_indicator(y) else ((), False)
    if is_indicator(y):
        return range(np.shape(y)[1]), True
    return np.unique(check_label_vector(y, "y")).tolist(), False


def _metric(known: Any, key: str, classes: Classes | None) -> Any:
    """Return the metric of a recorded score; None if only its values are known."""
    if isinstance(known, (str, Metric)):
        return known
    # A scorer of the user's own may use more than predictions.
    if classes is None or Made.of(known) is None:
        return None
    try:
        metric = as_metric(known, *classes)
    except TypeError:  # it takes no weights
        return None
    return metric if key == "score" else replace(metric, name=key)


def can_be_paired(measure: Any, classes: Classes | None) -> bool:
    """Return whether a metric can be computed from the predictions of instances."""
    if classes is None or measure is None:
        return False
    try:
        metrics = resolve_scoring(measure, *classes)
    except (TypeError, ValueError):
        return False
    return all(metric.source in ("tables", "instances", "numbers") for metric in metrics.values())
