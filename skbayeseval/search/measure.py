"""Which metric the candidates of a search are compared by, and under which name it is recorded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.base import is_classifier, is_regressor

from skbayeseval._arrays import in_short
from skbayeseval._labels import check_label_vector, is_indicator
from skbayeseval.compare.learners import kind_of_target
from skbayeseval.metrics.any_metric import AnyMetric
from skbayeseval.metrics.from_functions import PerInstance
from skbayeseval.metrics.metric import Metric
from skbayeseval.metrics.registry import table_metric
from skbayeseval.metrics.scorers import is_made
from skbayeseval.metrics.scoring import as_metric, is_scorer, resolve_scoring
from skbayeseval.search.candidates import Recorded
from skbayeseval.search.count_scorer import CountScorer

# The classes, and whether instances may have several of them.
Target = tuple[Sequence[Any], bool]


class RecordedOnly(str):
    """The name of a score that is known only by its recorded values."""


def check_scoring(scoring: Any) -> None:
    """Raise unless results may tell the values of a metric."""
    if scoring is not None and not isinstance(scoring, (str, Metric)):
        raise TypeError(
            f"scoring must be the name of a metric or a Metric, got {in_short(scoring)}. "
            "To compare by another function, pass its scorer (sklearn.metrics.make_scorer) to "
            "the search in a dict, and its name there as scoring= here."
        )


def measure_of_results(recorded: Recorded, scoring: str | Metric | None) -> tuple[str | None, Any]:
    """Return the name of the recorded scores, or None, and the metric to compare by."""
    keys = recorded.keys
    if scoring is not None and not (scoring == "score" and recorded.n_classes):
        name = scoring if isinstance(scoring, str) else scoring.name
        if name in keys:
            return name, scoring
        if recorded.n_classes:
            if table_metric(scoring) is not None:
                return None, scoring
        elif keys == ["score"]:  # results do not tell which metric that is
            return "score", scoring
        raise ValueError(
            f"scoring={name!r} was not recorded by the search, which recorded {keys}. Choose "
            f"one of them, or pass the search a scoring= with {name!r} in it."
        )
    if recorded.n_classes and not keys:
        return None, "accuracy"
    if recorded.n_classes and "score" in keys:  # which repeats another key, or is the accuracy
        score = recorded.scores("score")
        for name in keys:
            same = np.array_equal(recorded.scores(name), score, equal_nan=True)
            if name != "score" and same:
                return name, name
        return "score", "accuracy"
    if len(keys) == 1 or "score" in keys:
        return (only := "score" if "score" in keys else keys[0]), only
    raise ValueError(f"The search recorded several scores, {keys}. Choose one with scoring=.")


def measure_of_search(
    search: Any, keys: list[str], counts: CountScorer | None, scoring: Any, target: Target | None
) -> tuple[str | None, Any]:
    """Return the name of the recorded scores, or None, and the metric to compare by."""
    if is_scorer(scoring) and not isinstance(scoring, (str, AnyMetric)):
        if target is None:
            raise ValueError(
                f"scoring={in_short(scoring)} requires X and y, because results contain only names "
                f"of scores. Pass X and y, or one of {keys}."
            )
        names = [key for key in keys if _scorer_of(search, key) is scoring]
        return next(iter(names), None), as_metric(scoring, *target)
    if scoring is not None:
        if not isinstance(scoring, (str, Metric, AnyMetric, PerInstance)):
            raise TypeError(
                "scoring must be the name of a metric, a metric of skbayeseval.metrics or a "
                f"scorer, got {in_short(scoring)}."
            )
        name = scoring if isinstance(scoring, str) else scoring.name
        main = _scorer_of(search, "score") if counts is None else counts.main
        key = name if name in keys else "score" if name == main and "score" in keys else None
        from_elsewhere = table_metric(scoring) is not None or can_be_paired(scoring, target)
        if key is None and not from_elsewhere:
            raise ValueError(
                f"scoring={name!r} was not recorded and is not a metric of confusion matrices. "
                f"Use one of {keys}, or pass X and y."
            )
        if key is None or not isinstance(scoring, str) or (counts is not None and name != "score"):
            return key, scoring
    elif keys == ["score"] or (counts is not None and not isinstance(search.refit, str)):
        key = "score"
    elif isinstance(search.refit, str) and search.refit in keys:
        key = search.refit
    else:
        raise ValueError(f"The search recorded several scores, {keys}. Choose one with scoring=.")
    if counts is not None:
        return key, counts.main if key == "score" else key
    return key, _recorded_metric(search, key, target)


def target_of(search: Any, y: Any) -> Target | None:
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


def _scorer_of(search: Any, key: str) -> Any:
    """Return the name or the scorer of a recorded score; None if it is not known on its own."""
    scoring = search.scoring
    if isinstance(scoring, Mapping):
        return scoring.get(key)
    if scoring is None:  # the score method of scikit-learn's estimators
        estimator = search.estimator
        return "accuracy" if is_classifier(estimator) else "r2" if is_regressor(estimator) else None
    if callable(scoring):  # it may return several scores by name
        return scoring if key == "score" else None
    return scoring if isinstance(scoring, str) else key


def _recorded_metric(search: Any, key: str, target: Target | None) -> Any:
    """Return the metric of a recorded score; `RecordedOnly` if only its values are known."""
    scorer = _scorer_of(search, key)
    if isinstance(scorer, str):
        return scorer
    # A scorer of the user's own may use more than predictions.
    if target is None or not is_made(scorer):
        return RecordedOnly(key)
    try:
        metric = as_metric(scorer, *target)
    except TypeError:  # it takes no weights
        return RecordedOnly(key)
    return metric if key == "score" else replace(metric, name=key)


def can_be_paired(measure: Any, target: Target | None) -> bool:
    """Return whether a metric can be computed from the predictions of instances."""
    if target is None or isinstance(measure, RecordedOnly):
        return False
    try:
        metrics = resolve_scoring(measure, *target)
    except (TypeError, ValueError):
        return False
    return all(metric.source in ("tables", "instances", "numbers") for metric in metrics.values())
