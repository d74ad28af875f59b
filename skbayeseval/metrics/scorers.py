"""Scorers of scikit-learn as functions of true and predicted values.

A scorer asks an estimator what it predicts for X. `Saying` is an estimator that is given the
predictions, and that tells what it was asked for. X is not there: a scorer that uses it otherwise
fails on `UNKNOWN_X`, instead of taking something else for it.

A scorer is recognised by what it does. It tells the name of its function, which anybody's function
may have, so it is also called on small examples and must give what scikit-learn's gives. Unknown
parameters are not guessed at.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from typing import Any

import numpy as np
from sklearn import config_context
from sklearn import metrics as sklearn_metrics
from sklearn.base import BaseEstimator
from sklearn.metrics import get_scorer, get_scorer_names, make_scorer

from skbayeseval._arrays import Array
from skbayeseval.metrics.metric import Metric
from skbayeseval.metrics.registry import get_metric, known_metrics

# The methods of estimators whose output a metric takes, and what ScoredInstances calls it.
RESPONSES = {"predict": "labels", "predict_proba": "probability", "decision_function": "ranking"}

# How scikit-learn writes what `make_scorer` made: its function, whether it is a loss, and the rest.
# It has public names for none of these (1.6 to 1.9).
MADE = r"make_scorer\((.+?)(, greater_is_better=False)?, response_method=(.+)\)"

# The rest of a scorer of predicted classes or numbers; text among its parameters has no quotes.
OF_PREDICTIONS = r"'predict'((?:, \w+=[^,=()\[\]]+)*)"

# The parameters of scikit-learn's functions that metrics have here as well.
PARAMETERS = {
    "average": "binary|micro|macro|weighted",
    "beta": r"\d+(\.\d+)?",
    "zero_division": r"[01](\.0)?|nan",
}


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
    if isinstance(function, ScorerFunction):
        named = [label for label in labels if not _does_without(function.scorer, label, labels)]
        if not named and response != "predict" and is_made(function.scorer):
            return max(labels) if _tells_apart(function, labels, response) else None
    else:
        try:
            given = inspect.signature(function).parameters["pos_label"].default
        except (KeyError, TypeError, ValueError):  # some built-in functions do not tell
            return None
        named = [label for label in labels if np.isscalar(given) and label == given]
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


def _does_without(scorer: Callable[..., Any], label: Any, labels: Sequence[Any]) -> bool:
    """Return whether a scorer asks an estimator whose classes are others than this label."""
    others = [one for one in labels if one != label]
    another = f"none of {labels}" if isinstance(label, str) else 3 + sum(map(abs, labels))
    estimator = Saying(None, np.sort([*others, another]))
    try:
        scorer(estimator, UNKNOWN_X, np.asarray(others))
    except Exception:  # it refuses the classes, or what it is told when it has asked
        return bool(estimator.asked)
    return True


def is_made(scorer: Any) -> bool:
    """Return whether `make_scorer` made this."""
    try:
        return repr(scorer).startswith("make_scorer(")
    except AttributeError:  # it is written with the name of its function, which may have none
        return True


def name_of(scorer: Callable[..., Any]) -> str:
    """Return the name of a function, or of the function in what `make_scorer` made."""
    if isinstance(scorer, partial):
        return name_of(scorer.func)
    try:
        written = re.match(MADE, repr(scorer))
    except AttributeError as error:  # what `make_scorer` made of an object without a name
        return name_of(error.obj) if callable(error.obj) else type(scorer).__name__
    if written is None:
        return str(getattr(scorer, "__name__", type(scorer).__name__))
    function, is_loss, _ = written.groups()
    if function.startswith("functools.partial("):
        inner = re.match(r"functools\.partial\(<(?:function|bound method) ([\w.<>]+)", function)
        function = "partial" if inner is None else inner[1].rsplit(".")[-1]
    return f"{'neg_' if is_loss else ''}{function}"


def metric_of_scorer(scorer: Any) -> Metric | None:
    """Return the metric that equals a scorer made by `make_scorer`; None if none is known to.

    A scorer tells the name of its function and its parameters, but not the function: one that
    only has the name of scikit-learn's is found out by calling it.
    """
    try:
        written = repr(scorer)
    except AttributeError:  # made of an object without a name
        return None
    for name in {*get_scorer_names()} & {*known_metrics()}:
        if repr(get_scorer(name)) == written:
            return get_metric(name) if agree(scorer, get_scorer(name)) else None
    made = re.fullmatch(MADE, written)
    parameters = None if made is None else re.fullmatch(OF_PREDICTIONS, made[3])
    if made is None or parameters is None or not hasattr(sklearn_metrics, made[1]):
        return None
    options: dict[str, Any] = {}
    for parameter in parameters[1].split(", ")[1:]:
        key, text = parameter.split("=")
        if key not in PARAMETERS or re.fullmatch(PARAMETERS[key], text) is None:
            return None
        options[key] = text if key == "average" else float(text)
    function, is_loss = made[1], made[2] is not None
    name = f"neg_{function}" if is_loss else function.removesuffix("_score")
    if name == "fbeta":
        name = f"f{options.get('beta')}"
    if options.get("average", "binary") != "binary":
        name = f"{name}_{options['average']}"
    try:
        metric = get_metric(name, zero_division=options.get("zero_division", 0.0))
    except ValueError:
        return None
    twin = make_scorer(getattr(sklearn_metrics, function), greater_is_better=not is_loss, **options)
    return metric if metric.source != "instances" and agree(scorer, twin) else None


def agree(scorer: Any, twin: Any) -> bool:
    """Return whether two scorers give the same, for classes or for numbers."""
    expected = _scores(twin)
    return any(score is not None for score in expected) and _scores(scorer) == expected


def _scores(scorer: Any) -> list[float | None]:
    """Return what a scorer gives for two classes, three classes and numbers; None for an error."""
    scores: list[float | None] = []
    for n_classes in (2, 3, 0):
        truth, said = _example(range(n_classes), several=False)
        try:
            scores.append(float(scorer(Saying(said, range(n_classes)), UNKNOWN_X, truth)))
        except Exception:  # whatever a scorer raises for a target that it is not made for
            scores.append(None)
    return scores


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
