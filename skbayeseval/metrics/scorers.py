"""Scorers of scikit-learn as functions of true and predicted values.

A scorer asks an estimator what it predicts for X. `Saying` is an estimator that is given the
predictions, and that tells what it was asked for. X is not there: a scorer that uses it otherwise
fails on `UNKNOWN_X`, instead of taking something else for it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

Array = NDArray[Any]

# The methods of estimators whose output a metric takes, and what ScoredInstances calls it.
RESPONSES = {"predict": "labels", "predict_proba": "probability", "decision_function": "ranking"}


@dataclass(frozen=True, eq=False)
class ScorerFunction:
    """A scorer as a function of the truth and of what an estimator would say."""

    scorer: Callable[..., Any]
    classes: Any = ()
    several: bool = False

    def __call__(self, y_true: Any, y_pred: Any, sample_weight: Array | None = None) -> Any:
        """Return the score."""
        weights = {} if sample_weight is None else {"sample_weight": sample_weight}
        estimator = Saying(y_pred, self.classes, self.several)
        return self.scorer(estimator, UNKNOWN_X, y_true, **weights)


class UnknownX:
    """Stands for X, of which only the predictions are known."""


UNKNOWN_X = UnknownX()


class Saying(BaseEstimator):
    """A fitted estimator that predicts what it is given, and remembers by which method.

    With `several`, instances may have several of the classes, which are then labels.
    """

    def __init__(self, said: Any, classes: Any = (), several: bool = False) -> None:
        self.said = said
        self.classes = classes
        self.several = several
        self.asked: set[str] = set()

    @property
    def classes_(self) -> Any:
        """The classes; of several labels, absence and presence of each."""
        if not len(self.classes):
            raise AttributeError("a regressor has no classes_")
        return [np.arange(2)] * len(self.classes) if self.several else np.asarray(self.classes)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.estimator_type = "classifier" if len(self.classes) else "regressor"
        return tags

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def predict(self, X: Any) -> Any:
        """Return what is predicted."""
        self.asked.add("predict")
        plain = np.ndim(self.said) == 1 or not len(self.classes) or self.several
        return self.said if plain else np.asarray(self.classes)[np.argmax(self.said, axis=1)]

    def predict_proba(self, X: Any) -> Any:
        """Return probabilities of all classes."""
        self.asked.add("predict_proba")
        return self.said

    def decision_function(self, X: Any) -> Any:
        """Return scores of class 1 of two classes, or of all classes."""
        self.asked.add("decision_function")
        of_two = len(self.classes) == 2 and not self.several
        return self.said[:, 1] if of_two else self.said


def response_of(
    scorer: Callable[..., Any], name: str, labels: Sequence[Any] = (), several: bool = False
) -> str:
    """Return which method of an estimator a scorer asks, by calling it on small examples.

    The first has the given labels, which parameters of the scorer may name. Raise a TypeError
    unless it asks one method, for classes, numbers or indicators, and takes weights.
    """
    errors = []
    targets: list[tuple[Any, bool]] = []
    if len(labels):
        targets.append((range(len(labels)) if several else np.sort(labels), several))
    targets += [(range(3), False), (range(2), False), ((), False), (range(3), True)]
    for classes, indicators in targets:
        truth, said = _example(classes, indicators)
        estimator = Saying(said, classes, indicators)
        try:
            scorer(estimator, UNKNOWN_X, truth, sample_weight=np.ones(len(truth)))
        except Exception as error:  # whatever it raises for a target that it is not made for
            errors.append(error)
            continue
        if len(estimator.asked) > 1:
            raise TypeError(
                f"scoring={name!r} asks estimators for {' and '.join(sorted(estimator.asked))}. "
                "Only one of these can be passed to it: make two metrics of it."
            )
        return next(iter(estimator.asked), "predict")
    told = " ".join(map(str, errors))
    if "sample_weight" in told and "multiple values" not in told:  # of cost(y_true, y_pred, ...)
        raise TypeError(
            f"scoring={name!r} does not take sample_weight. Pass its function as "
            "metrics.resampled(function), which draws instances anew with replacement; or compare "
            "its value in each split with bayesian_cross_validate(..., model='scores')."
        )
    reason = str(errors[0]).rstrip(".")
    raise TypeError(
        f"scoring={name!r} could not be evaluated as a scorer, neither for classes nor for "
        f"numbers: {reason}. A scorer may use X only to ask the estimator for predictions. Pass a "
        "function of y_true and y_pred as metrics.weighted(function)."
    )


def _example(classes: Sequence[Any], several: bool) -> tuple[Array, Array]:
    """Return true values, and what an estimator may say of them."""
    n, rng = max(30, 3 * len(classes)), np.random.default_rng(0)
    if several:
        indicator = rng.integers(0, 2, (n, len(classes)))
        return indicator, indicator[::-1]
    if len(classes):
        shares = rng.dirichlet(np.ones(len(classes)), n)
        return np.asarray(classes)[np.arange(n) % len(classes)], shares
    return 1 + np.arange(n) / 7, 1 + np.arange(n)[::-1] / 7
