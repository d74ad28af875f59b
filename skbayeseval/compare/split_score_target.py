"""Cross-validation that compares plain scores: any scorer, regressors too."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from functools import partial
from numbers import Real
from typing import Any

import numpy as np
from sklearn.base import is_classifier, is_regressor
from sklearn.metrics import check_scoring, get_scorer, get_scorer_names

from skbayeseval._labels import (
    check_label_vector,
    check_labels,
    encode_labels,
    is_indicator,
    resolve_pos_label,
)
from skbayeseval.compare.number_target import score_numbers
from skbayeseval.compare.targets import (
    CollectedEvidence,
    check_responses,
    count_one,
    score_by_scores,
    score_counts,
)
from skbayeseval.evidence.split_scores import SplitScores
from skbayeseval.metrics.confusion import Metric
from skbayeseval.metrics.registry import get_metric, known_metrics, split_metric
from skbayeseval.metrics.scoring import PerInstance, is_of_numbers, resolve_scoring, spelled_out
from skbayeseval.splitting.collect import Collection, Observe

__all__ = ["ScoreTarget", "resolve_scorers"]

# From a fitted estimator, X and y to a score.
Scorer = Callable[[Any, Any, Any], float]


class ScoreTarget:
    """Whatever scorers say of estimators in each split."""

    # Targets may be numbers.
    class_codes = None

    def __init__(
        self,
        y: Any,
        estimators: Mapping[str, Any],
        labels: Any,
        pos_label: Any,
        scoring: Any,
        groups: Any = None,
    ) -> None:
        self.names = tuple(estimators)
        _check_classes(y, estimators, labels, pos_label)
        _check_metrics_of_classes(y, estimators, scoring)
        self._scorers = {
            name: resolve_scorers(estimator, y, labels, pos_label, scoring)
            for name, estimator in estimators.items()
        }
        self.metrics = {key: split_metric(key) for key in self._scorers[self.names[0]]}
        self._of_predictions = _scores_of_predictions(estimators, scoring)

    def observer(self, name: str) -> Observe:
        """Return the function that keeps the scores."""
        return partial(_observe_scores, self._scorers[name])

    def check_split(self, split: int, test: Any) -> None:
        """Leave it to the scorers."""

    def rehearsal(self) -> CollectedEvidence:
        """Return scores as estimators might give them."""
        scores = np.linspace(0.0, 1.0, 4 * len(self.names)).reshape(-1, 4) ** 2
        return CollectedEvidence(SplitScores(dict.fromkeys(self.metrics, scores), 0.5))

    def collected(self, collection: Collection) -> CollectedEvidence:
        """Return the scores of the kept splits."""
        scores = {
            key: np.array(
                [
                    [collection.runs[name][i].observed[key] for i in collection.kept]
                    for name in self.names
                ]
            )
            for key in self.metrics
        }
        test, train = collection.test_size, collection.train_size
        if len(collection.kept) < 2:
            raise ValueError(
                "model='scores' requires at least two splits, to see how scores vary, but cv has "
                f"{len(collection.kept)}."
            )
        halves = None
        if collection.halves:
            halves = {key: self._differences(key, collection.halves) for key in self.metrics}
        steps = {key: 1 / test for key in self.metrics if key in self._of_predictions}
        return CollectedEvidence(SplitScores(scores, test / (train + test), halves, steps))

    def _differences(self, key: str, halves: list[tuple[Collection, Collection]]) -> Any:
        """Return the differences of mean scores between halves, (n_estimators, n_comparisons)."""
        means = [
            [
                [np.mean([run.observed[key] for run in half.runs[name]]) for half in pair]
                for pair in halves
            ]
            for name in self.names
        ]
        return np.array(means)[..., 0] - np.array(means)[..., 1]

    def split_scores(self, name: str, collection: Collection) -> dict[str, Any]:
        """Return for each metric its value in each split, NaN where a fit failed."""
        runs = collection.runs[name]
        return {
            key: np.array([run.observed.get(key, np.nan) for run in runs]) for key in self.metrics
        }

    def predicted(self, observed: Mapping[str, Any]) -> None:
        """Return None: of what was predicted, only scores are kept."""

    def out_of_fold(self, collection: Collection) -> None:
        """Return None, too."""


def resolve_scorers(
    estimator: Any, y: Any, labels: Any, pos_label: Any, scoring: Any
) -> dict[str, Scorer]:
    """Return the scorers that `scoring` names, as `cross_validate` would take them, by name.

    None is the estimator's own `score`. Names and objects that are metrics of ours are counted, so
    that `labels` and `pos_label` mean what they do everywhere.
    """
    if scoring is None:
        check_scoring(estimator)
        return {"score": _own_score}
    named: dict[str, Any] = {}
    for key, one in spelled_out(scoring):
        name = _name_of(one) if key is None else key
        if name in named:
            raise ValueError(
                f"scoring contains several scorers named {name!r}. Pass a dict of names to scorers."
            )
        named[name] = one
    return {name: _resolve_one(one, y, labels, pos_label) for name, one in named.items()}


def _scores_of_predictions(estimators: Mapping[str, Any], scoring: Any) -> set[str]:
    """Return the names of the scores that are computed from predicted classes alone.

    These move in steps of one instance at least. Other scores, such as R^2, may move in any steps.
    """
    if scoring is None:
        return {"score"} if all(map(is_classifier, estimators.values())) else set()
    known = set(known_metrics("tables"))
    return {
        _name_of(one) if key is None else key
        for key, one in spelled_out(scoring)
        if (isinstance(one, Metric) and one.source == "tables" and one.formula)
        or (isinstance(one, str) and one in known)
    }


def _check_classes(y: Any, estimators: Mapping[str, Any], labels: Any, pos_label: Any) -> None:
    """Raise unless `labels` are the classes of `y`, and `pos_label` is one of them."""
    if labels is None and pos_label is None:
        return
    for name, estimator in estimators.items():
        if hasattr(estimator, "__sklearn_tags__") and is_regressor(estimator):
            raise ValueError(
                f"labels and pos_label have no meaning for estimator {name!r}, a regressor."
            )
    if is_indicator(y):
        return
    encode_labels([("y", y)], labels)
    classes = np.unique(check_label_vector(y, "y")).tolist() if labels is None else list(labels)
    resolve_pos_label(classes, pos_label)


def _check_metrics_of_classes(y: Any, estimators: Mapping[str, Any], scoring: Any) -> None:
    """Raise if a metric of classes is asked of numbers, or of classifiers that lack a method."""
    classifiers = {name: one for name, one in estimators.items() if is_classifier(one)}
    for _, one in spelled_out(scoring) if scoring is not None else ():
        if isinstance(one, str) and one in known_metrics() and not is_of_numbers(one):
            if not is_indicator(y):
                check_label_vector(y, "y")
            if one in known_metrics("instances"):
                check_responses(get_metric(one), classifiers)


def _name_of(scoring: Any) -> str:
    return scoring if isinstance(scoring, str) else getattr(scoring, "name", "score")


def _resolve_one(scoring: Any, y: Any, labels: Any, pos_label: Any) -> Scorer:
    if isinstance(scoring, str) and scoring in get_scorer_names() and pos_label is None:
        return get_scorer(scoring)
    if isinstance(scoring, Metric) and scoring.source == "numbers":
        return partial(_score_by_numbers, scoring)
    if isinstance(scoring, PerInstance):
        return partial(_mean_of_instances, scoring)
    if isinstance(scoring, (str, Metric)):
        truth = check_label_vector(y, "y")
        classes = np.unique(truth).tolist() if labels is None else check_labels(labels)
        (metric,) = resolve_scoring(scoring, classes).values()
        score = _score_by_counts if metric.source == "tables" else score_by_scores
        return partial(score, metric, tuple(classes), pos_label)
    if not callable(scoring):
        raise TypeError(
            f"scoring={scoring!r} is neither a name, a metric nor a scorer: a callable that takes "
            "a fitted estimator, X and y."
        )
    try:
        inspect.signature(scoring).bind(None, None, None)
    except TypeError as error:
        raise TypeError(
            f"scoring={scoring!r} must be a callable that takes a fitted estimator, X and y: "
            f"{error}. make_scorer turns a metric of y_true and y_pred into one."
        ) from error
    except ValueError:  # some built-in functions do not tell their arguments
        pass
    return scoring


def _own_score(estimator: Any, X: Any, y: Any) -> float:
    return estimator.score(X, y)


def _score_by_numbers(metric: Metric, estimator: Any, X: Any, y: Any) -> float:
    return score_numbers(metric, y, estimator.predict(X))


def _mean_of_instances(metric: PerInstance, estimator: Any, X: Any, y: Any) -> float:
    return float(metric.values(np.asarray(y), np.asarray(estimator.predict(X))).mean())


def _score_by_counts(
    metric: Metric, classes: Any, pos_label: Any, estimator: Any, X: Any, y: Any
) -> float:
    return score_counts(metric, count_one(y, estimator.predict(X), classes, pos_label))


def _observe_scores(
    scorers: Mapping[str, Scorer], estimator: Any, X_test: Any, y_test: Any
) -> dict[str, float]:
    found: dict[str, float] = {}
    for key, scorer in scorers.items():
        score = scorer(estimator, X_test, y_test)
        if not isinstance(score, (Real, np.ndarray)) or np.ndim(score) or not np.isfinite(score):
            raise ValueError(f"scoring {key!r} gave {score!r}, not a finite number")
        found[key] = float(score)
    return found
