"""Scorers of scikit-learn as functions of true and predicted values.

A scorer asks an estimator what it predicts for X. `Saying` is an estimator that is given the
predictions, and that tells what it was asked for. X is not there: a scorer that uses it otherwise
fails on `UNKNOWN_X`, instead of taking something else for it.

A scorer is recognised by its function, not by its name, which anybody's function may have. Unknown
parameters are not guessed at.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import product
from typing import Any

import numpy as np
from sklearn import config_context
from sklearn.base import BaseEstimator
from sklearn.metrics import (
    cohen_kappa_score,
    fbeta_score,
    get_scorer,
    get_scorer_names,
    make_scorer,
)

from skbayeseval._arrays import Array
from skbayeseval.metrics.confusion import fbeta
from skbayeseval.metrics.metric import Metric
from skbayeseval.metrics.registry import get_metric, known_metrics

# The methods of estimators whose output a metric takes, and what ScoredInstances calls it.
RESPONSES = {"predict": "labels", "predict_proba": "probability", "decision_function": "ranking"}

# scikit-learn's functions that are metrics here, although no scorer is named after them.
UNNAMED = {"cohen_kappa": make_scorer(cohen_kappa_score)}


@dataclass(frozen=True)
class Made:
    """What `make_scorer` was given, or a function of true and predicted values as it is.

    The one place that reads scorers of scikit-learn, which has no public names for it (1.6 to 1.9).
    """

    function: Callable[..., Any]
    is_loss: bool = False
    options: Mapping[str, Any] = field(default_factory=dict)
    response: Any = "predict"

    @classmethod
    def of(cls, scorer: Any) -> Made | None:
        """Return what a scorer was made of; None if `make_scorer` did not make it."""
        if isinstance(scorer, Routed):
            return cls.of(scorer.scorer)
        if not isinstance(scorer, type(UNNAMED["cohen_kappa"])):
            return None
        response = scorer._response_method
        response = response if isinstance(response, str) else tuple(response)
        return cls(scorer._score_func, scorer._sign < 0, scorer._kwargs, response)

    def default(self, name: str) -> Any:
        """Return the default of a parameter of the function; None if it has none."""
        try:
            default = inspect.signature(self.function).parameters[name].default
        except (KeyError, TypeError, ValueError):  # some built-in functions do not tell
            return None
        return None if default is inspect.Parameter.empty else default

    def without_defaults(self) -> Made:
        """Return the same without options that change nothing."""
        options, average = dict(self.options), self.options.get("average", "binary")
        if average == "binary":
            options.pop("average", None)
        elif options.get("pos_label", "") is None:
            del options["pos_label"]
        return replace(self, options=options)


@dataclass(frozen=True, eq=False)
class WithColumns:
    """True values and further columns of the same instances, which a function takes by name.

    Arrays have one row per instance; anything else is passed to the function as it is. `rows` are
    the positions of the instances in the data.
    """

    values: Any
    columns: Mapping[str, Any]
    rows: Array

    def __len__(self) -> int:
        return len(self.values)

    def __getitem__(self, rows: Any) -> WithColumns:
        """Return some of the instances."""
        kept = {
            name: column[rows] if isinstance(column, np.ndarray) else column
            for name, column in self.columns.items()
        }
        return WithColumns(taken(self.values, rows), kept, self.rows[rows])

    def without(self, name: str) -> WithColumns:
        """Return the same without one of the columns."""
        others = {key: column for key, column in self.columns.items() if key != name}
        return replace(self, columns=others)


@dataclass(frozen=True, eq=False)
class Routed:
    """A scorer, and the columns that it is given."""

    scorer: Callable[..., Any]
    columns: WithColumns

    def __repr__(self) -> str:
        return repr(self.scorer)

    def __call__(self, estimator: Any, X: Any, y: Any) -> Any:
        """Return the score of an estimator on the instances of the columns."""
        return _score(self.scorer, estimator, X, y, self.columns.columns)


def taken(values: Any, rows: Any) -> Any:
    """Return some rows of a list, an array, or what is sliced like one."""
    return [values[i] for i in rows] if isinstance(values, list) else values[rows]


@dataclass(frozen=True, eq=False)
class ScorerFunction:
    """A scorer as a function of the truth and of what an estimator would say."""

    scorer: Callable[..., Any]
    classes: Any = ()
    several: bool = False

    def __call__(self, y_true: Any, y_pred: Any, **columns: Any) -> Any:
        """Return the score, given sample weights and other columns."""
        estimator = Saying(y_pred, self.classes, self.several)
        return _score(self.scorer, estimator, UNKNOWN_X, y_true, columns)


def _score(scorer: Any, estimator: Any, X: Any, y: Any, columns: Mapping[str, Any]) -> Any:
    if columns.keys() <= {"sample_weight"}:
        return scorer(estimator, X, y, **columns)
    with config_context(enable_metadata_routing=True):  # which threads do not know
        return scorer(estimator, X, y, **columns)


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


# What errors that a scorer raises call them.
UnknownX.__name__, Saying.__name__ = "X", "estimator"


def named_class(function: Callable[..., Any], labels: Sequence[Any], response: str) -> Any:
    """Return which of two classes a function takes as its `pos_label`, given or by default.

    None if it takes none. Scorers that `make_scorer` made refuse an estimator that does not know
    this class, before they ask what it predicts; functions tell it in their signature. Averages
    over classes have this parameter as well, but do not tell both classes apart. Scorers of scores
    that do, though they name none, as the area below `max_fpr`, are given those of the greater one.
    """
    if len(labels) != 2:
        return None
    made = Made.of(function.scorer) if isinstance(function, ScorerFunction) else Made(function)
    if made is None:
        return None
    given = made.options.get("pos_label", made.default("pos_label"))
    named = [label for label in labels if np.isscalar(given) and label == given]
    if not named and isinstance(function, ScorerFunction) and response != "predict":
        return max(labels) if _tells_apart(function, labels, response) else None
    if len(named) != 1 or (
        response == "predict" and _tells_apart(function, labels, response) is False
    ):
        return None
    return named[0]


def _tells_apart(function: Callable[..., Any], labels: Sequence[Any], response: str) -> bool | None:
    """Return whether a function has another value if both classes are exchanged; None if unknown.

    Unknown if it raises an error, which is told where it is checked.
    """
    classes = np.sort(labels)
    if isinstance(function, ScorerFunction):
        function = replace(function, classes=classes)
    true, said = np.repeat([[0, 0, 1, 1], [0, 1, 0, 1]], [300, 100, 200, 500], axis=1)
    scores = np.tanh(true + np.random.default_rng(0).normal(size=len(true))) / 2
    columns = np.column_stack([-scores, scores]) + (0.5 if response == "predict_proba" else 0.0)
    try:
        values = [
            function(order[true], order[said] if response == "predict" else columns[:, ::step])
            for order, step in ((classes, 1), (classes[::-1], -1))
        ]
        return not np.isclose(*values)
    except Exception:
        return None


def name_of(scorer: Callable[..., Any]) -> str:
    """Return the name of a function, or of the function in what `make_scorer` made."""
    made = Made.of(scorer)
    if made is not None:
        return f"{'neg_' if made.is_loss else ''}{name_of(made.function)}"
    if isinstance(scorer, partial):
        return name_of(scorer.func)
    return str(getattr(scorer, "__name__", type(scorer).__name__))


def metric_of_scorer(scorer: Any) -> Metric | None:
    """Return the metric that equals a scorer made by `make_scorer`; None if none is known to.

    It must be of the very function that a scorer of this name has, or of F-beta, with the same
    options.
    """
    made = Made.of(scorer)
    if made is None:
        return None
    made = made.without_defaults()
    options = dict(made.options)
    zero_division = options.pop("zero_division", 0.0) if made.default("zero_division") else 0.0
    if not all(map(np.isscalar, options.values())):
        return None
    named = {name: get_scorer(name) for name in {*get_scorer_names()} & {*known_metrics()}}
    try:
        if made.function is fbeta_score and not made.is_loss and made.response == "predict":
            return fbeta(**options, zero_division=zero_division)
        for name, one in (named | UNNAMED).items():
            twin = Made.of(one)
            if twin is not None and twin.without_defaults() == replace(made, options=options):
                return get_metric(name, zero_division=zero_division)
    except (TypeError, ValueError):  # of options that metrics do not have
        return None
    return None


# A scorer as a function, and true values and predictions that it has a score for.
Example = tuple[ScorerFunction, Any, Any]


def response_of(
    scorer: Callable[..., Any],
    name: str,
    labels: Sequence[Any] = (),
    several: bool = False,
    columns: WithColumns | None = None,
) -> tuple[str, Example | None]:
    """Return which method of an estimator a scorer asks, by calling it on small examples.

    The first has the given labels, which parameters of the scorer may name. Raise a TypeError
    unless it asks one method, for classes, numbers or indicators, and takes weights; or columns,
    for which the example is returned as well.
    """
    errors = []
    targets: list[tuple[Any, bool]] = []
    if len(labels):
        targets.append((range(len(labels)) if several else np.sort(labels), several))
    targets += [(range(3), False), (range(2), False), ((), False), (range(3), True)]
    for takes_weights, (classes, indicators) in product((True, False), targets):
        truth, said = _example(classes, indicators)
        given: dict[str, Any] = {"sample_weight": np.ones(len(truth))} if takes_weights else {}
        some: Mapping[str, Any] = {}
        if columns is not None:
            some = columns[np.arange(len(truth)) % len(columns)].columns
        estimator = Saying(said, classes, indicators)
        try:
            _score(scorer, estimator, UNKNOWN_X, truth, {**some, **given})
        except Exception as error:  # whatever it raises for a target that it is not made for
            errors.append(error)
            continue
        if takes_weights and len(estimator.asked) > 1:
            raise TypeError(
                f"scoring={name!r} asks estimators for {' and '.join(sorted(estimator.asked))}. "
                "Only one of these can be passed to it: make two metrics of it."
            )
        response = next(iter(estimator.asked), "predict")
        if takes_weights:
            return response, None
        if some and len(estimator.asked) == 1:
            said = estimator.predict(UNKNOWN_X) if response == "predict" else said
            function = ScorerFunction(scorer, classes, indicators)
            return response, (function, WithColumns(truth, some, np.arange(len(truth))), said)
        if estimator.asked:
            raise TypeError(
                f"scoring={name!r} does not take sample_weight. Pass its function as "
                "metrics.resampled(function), which draws instances anew with replacement; or "
                "compare its value in each split with bayesian_cross_validate(..., "
                "model='scores')."
            )
    others = [error for error in errors if "sample_weight" not in str(error)]
    reason = str([*others, *errors][0]).rstrip(".")
    raise TypeError(
        f"scoring={name!r} could not be evaluated as a scorer, neither for classes nor for "
        f"numbers: {reason}. A scorer may use X only to ask the estimator for predictions. Pass a "
        "function of y_true and y_pred as metrics.weighted(function), and compare a scorer that "
        "uses X by its value in each split, with bayesian_cross_validate(..., model='scores')."
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
