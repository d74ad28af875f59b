"""Cross-validation that compares plain scores: any scorer, regressors too."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from numbers import Real
from typing import Any

import numpy as np
from sklearn.base import is_classifier
from sklearn.metrics import check_scoring, get_scorer, get_scorer_names

from skbayeseval._arrays import Array
from skbayeseval._labels import (
    check_label_vector,
    check_labels,
    encode_labels,
    is_indicator,
    resolve_pos_label,
)
from skbayeseval.compare.targets import CollectedEvidence, Target, score_learner
from skbayeseval.evidence.instance_scores import RESPONSES
from skbayeseval.evidence.split_scores import SplitScores
from skbayeseval.metrics.any_metric import AnyMetric
from skbayeseval.metrics.metric import Metric
from skbayeseval.metrics.registry import get_metric, known_metrics, split_metric
from skbayeseval.metrics.scorers import Made, Routed, name_of
from skbayeseval.metrics.scoring import (
    check_same_positive,
    is_of_numbers,
    is_scorer,
    resolve_scoring,
    spelled_out,
)
from skbayeseval.splitting.collect import Collection, Observe

# From a fitted estimator, X and y to a score, or to a dict of scores.
Scorer = Callable[[Any, Any, Any], Any]


class ScoreTarget(Target):
    """Whatever scorers say of estimators in each split. Of predictions, only scores are kept."""

    def _resolve(self, sources: Mapping[str, Any], options: Any) -> None:
        y, labels, pos_label, scoring = self.y, options.labels, options.pos_label, options.scoring
        _check_classes(y, labels, pos_label)
        _check_metrics_of_classes(y, sources, scoring)
        self._scorers = {
            name: resolve_scorers(estimator, y, labels, pos_label, scoring)
            for name, estimator in sources.items()
        }
        for name, columns in options.own_columns.items():
            self._scorers[name] = {"score": Routed(_own_score, columns)}
        self.metrics = {key: split_metric(key) for key in self._scorers[self.names[0]]}
        # With columns, such as weights, a score may move in any steps.
        self._of_predictions = (
            set() if options.own_columns else _scores_of_predictions(sources, scoring)
        )

    def observer(self, name: str) -> Observe:
        """Return the function that keeps the scores."""
        return _ObserveScores(self._scorers[name])

    def check_splits(self, tests: Sequence[Any]) -> None:
        """Raise if there is only one split."""
        if len(tests) < 2:
            raise ValueError(
                "model='scores' requires at least two splits, to see how scores vary, got "
                f"{len(tests)}."
            )

    def perfect(self) -> CollectedEvidence:
        """Return scores as estimators might give them."""
        scores = np.linspace(0.0, 1.0, 4 * len(self.names)).reshape(-1, 4) ** 2
        return CollectedEvidence(SplitScores(dict.fromkeys(self.metrics, scores), 0.5))

    def evidence_of_fits(self, collection: Collection) -> SplitScores:
        """Return the scores of the splits that did not fail."""
        train, test = collection.sizes
        self.check_splits(collection.kept)
        runs, kept = collection.runs, collection.kept
        scores = {
            key: np.array([[runs[name][i].observed[key] for i in kept] for name in self.names])
            for key in self.metrics
        }
        steps = {key: 1 / test for key in self.metrics if key in self._of_predictions}
        return SplitScores(scores, test / (train + test), steps)

    def split_scores(self, name: str, collection: Collection) -> dict[str, Array]:
        """Return for each score its value in each split; what a dict of scores has, fits tell."""
        told = [r.observed for runs in collection.runs.values() for r in runs if r.error is None]
        if any(scores.keys() != told[0].keys() for scores in told):
            keys = [*map(list, dict.fromkeys(map(tuple, told)))]
            raise ValueError(f"scoring must return the same scores for each split, got {keys}.")
        self.metrics = {key: split_metric(key) for key in told[0]}
        runs = collection.runs[name]
        return {key: np.array([run.observed.get(key, np.nan) for run in runs]) for key in told[0]}


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
    named = _named(scoring)
    names = [name for name, _ in named]
    if len(set(names)) < len(names):
        raise ValueError(
            f"scoring contains several scorers of the same name, {names}. Pass a dict of names to "
            "scorers."
        )
    return {name: _resolve_one(scorer, y, labels, pos_label) for name, scorer in named}


def _named(scoring: Any) -> list[tuple[str, Any]]:
    """Return the items of `scoring=` with their names."""
    named = []
    for key, one in spelled_out(scoring):
        own = one if isinstance(one, str) else getattr(one, "name", "score")
        named.append((own if key is None else key, one))
    return named


def _scores_of_predictions(estimators: Mapping[str, Any], scoring: Any) -> set[str]:
    """Return the names of the scores that are computed from predicted classes alone.

    These move in steps of one instance at least. Other scores, such as R^2, may move in any steps.
    """
    if scoring is None:
        return {"score"} if all(map(is_classifier, estimators.values())) else set()
    known = set(known_metrics("tables"))
    return {
        name
        for name, scorer in _named(scoring)
        if (isinstance(scorer, Metric) and scorer.source == "tables" and scorer.is_registered)
        or (isinstance(scorer, str) and scorer in known)
    }


def _check_classes(y: Any, labels: Any, pos_label: Any) -> None:
    """Raise unless `labels` are the classes of `y`, and `pos_label` is one of them."""
    if (labels is not None or pos_label is not None) and not is_indicator(y):
        classes, _ = encode_labels([("y", y)], labels)  # which numbers of regressors are not
        resolve_pos_label(classes, pos_label)


def _check_metrics_of_classes(y: Any, estimators: Mapping[str, Any], scoring: Any) -> None:
    """Raise if a metric of classes is asked of numbers, or of classifiers that lack a method."""
    classifiers = {name: metric for name, metric in estimators.items() if is_classifier(metric)}
    for _, metric in spelled_out(scoring) if scoring is not None else ():
        if isinstance(metric, str) and metric in known_metrics() and not is_of_numbers(metric):
            if not is_indicator(y):
                check_label_vector(y, "y")
            if metric in known_metrics("instances"):
                check_responses(get_metric(metric), classifiers)


def check_responses(metric: Metric, estimators: Mapping[str, Any]) -> None:
    """Raise, before anything is fitted, if an estimator cannot give the scores of a metric.

    One that has no `predict` yet has its methods only once it is fitted.
    """
    methods = RESPONSES.get(metric.needs, ("predict",))
    for name, estimator in estimators.items():
        if hasattr(estimator, "predict") and not any(hasattr(estimator, one) for one in methods):
            raise ValueError(
                f"scoring={metric.name!r} needs {' or '.join(methods)}, which estimator {name!r} "
                "does not have. Wrap it in CalibratedClassifierCV, or choose another metric."
            )


def _resolve_one(scoring: Any, y: Any, labels: Any, pos_label: Any) -> Scorer:
    if isinstance(scoring, str) and scoring in get_scorer_names() and pos_label is None:
        return get_scorer(scoring)
    of_numbers = isinstance(scoring, Metric) and scoring.source == "numbers"
    is_mean = isinstance(scoring, AnyMetric) and scoring.how == "means"
    if of_numbers or (is_mean and scoring.response == "predict"):
        return partial(score_learner, scoring, (), None)
    if isinstance(scoring, (str, Metric)):
        if isinstance(scoring, str) and "[" not in scoring and not is_scorer(scoring):
            get_metric(scoring)  # which raises if the name is unknown, whatever y is
        truth = check_label_vector(y, "y")
        classes = np.unique(truth).tolist() if labels is None else check_labels(labels)
        (metric,) = resolve_scoring(scoring, classes).values()
        return partial(score_learner, metric, tuple(classes), pos_label)
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
    made = Made.of(scoring)
    if made is not None and pos_label is not None and not is_indicator(y):
        classes = np.unique(check_label_vector(y, "y")).tolist()
        check_same_positive(name_of(scoring), made.own_class(classes), pos_label)
    return scoring


def _own_score(estimator: Any, X: Any, y: Any, **columns: Any) -> float:
    return estimator.score(X, y, **columns)


@dataclass(frozen=True)
class _ObserveScores:
    """Scorers by name, some of which are given columns."""

    scorers: Mapping[str, Scorer]

    def of_rows(self, rows: Any) -> _ObserveScores:
        """Return the scorers with the columns of some instances."""
        known = {
            key: Routed(one.scorer, one.columns[rows]) if isinstance(one, Routed) else one
            for key, one in self.scorers.items()
        }
        return _ObserveScores(known)

    def __call__(self, estimator: Any, X_test: Any, y_test: Any) -> dict[str, float]:
        """Return the scores of an estimator."""
        scores: dict[str, float] = {}
        found: Any = {key: one(estimator, X_test, y_test) for key, one in self.scorers.items()}
        if len(found) == 1:  # a scorer on its own may give several scores by name
            (only,) = found.values()
            found = only if isinstance(only, Mapping) else found
        for key, score in found.items():
            is_number = isinstance(score, Real) or (
                isinstance(score, np.ndarray) and not score.ndim
            )
            if not is_number or not np.isfinite(score):
                raise ValueError(f"scoring {key!r} gave {score!r}, not a finite number")
            scores[key] = float(score)
        return scores
