"""Scorers of scikit-learn as functions of true and predicted values.

A scorer is recognised by its function, not by its name, which anybody's function may have. Unknown
parameters are not guessed at.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np
from sklearn import config_context
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
    """What `make_scorer` was given, as a function of true and predicted values.

    The one place that reads scorers of scikit-learn, which has no public names for it (1.6 to 1.9).
    """

    function: Callable[..., Any]
    is_loss: bool = False
    options: Mapping[str, Any] = field(default_factory=dict)
    response: str | tuple[str, ...] = "predict"

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

    def __call__(self, y_true: Any, y_pred: Any, **columns: Any) -> Any:
        """Return the score, given sample weights and other columns."""
        value = self.function(y_true, y_pred, **{**self.options, **columns})
        return -value if self.is_loss else value

    @property
    def method(self) -> str:
        """The method of an estimator that a scorer asks; of several, the first."""
        return self.response if isinstance(self.response, str) else self.response[0]

    @property
    def parameters(self) -> Mapping[str, inspect.Parameter]:
        """The parameters of the function; none if it does not tell, as some built-in ones."""
        try:
            return inspect.signature(self.function).parameters
        except (TypeError, ValueError):
            return {}

    def takes(self, name: str) -> bool:
        """Return whether the function has such a parameter."""
        kinds = [one.kind for one in self.parameters.values()]
        return name in self.parameters or inspect.Parameter.VAR_KEYWORD in kinds

    @property
    def missing(self) -> list[str]:
        """What the function requires beside true values, predictions and its options."""
        others = list(self.parameters.values())[2:]
        kinds = inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY
        required = [one.name for one in others if one.kind in kinds and one.default is one.empty]
        return [name for name in required if name not in (*self.options, "sample_weight")]

    def given(self, name: str) -> Any:
        """Return an option, or the default of this parameter; None if it has none."""
        if name in self.options or name not in self.parameters:
            return self.options.get(name)
        default = self.parameters[name].default
        return None if default is inspect.Parameter.empty else default

    def without_defaults(self) -> Made:
        """Return the same without options that change nothing."""
        options, average = dict(self.options), self.options.get("average", "binary")
        if average == "binary":
            options.pop("average", None)
        elif options.get("pos_label", "") is None:
            del options["pos_label"]
        return replace(self, options=options)

    def named_class(self, labels: Sequence[Any]) -> Any:
        """Return which of two classes is the `pos_label`, given or by default; None if none is.

        Averages over classes have this parameter as well, but do not use it.
        """
        of_labels = self.method == "predict"
        if len(labels) != 2 or (of_labels and self.given("average") not in (None, "binary")):
            return None
        given = self.given("pos_label")
        named = [label for label in labels if np.isscalar(given) and label == given]
        if given is not None and not named and not of_labels:
            raise ValueError(
                f"pos_label={given!r} of {name_of(self.function)} is not one of the classes "
                f"{list(labels)}. Pass it to make_scorer."
            )
        return named[0] if len(named) == 1 else None

    def own_class(self, labels: Sequence[Any]) -> Any:
        """Return the positive class that a scorer has, named or not; None if it has none.

        Scorers of scores that name none are given those of the greater class. Whether that matters,
        as for the area below `max_fpr`, no signature tells: the function is called on an example
        and on the same one with both classes exchanged. Otherwise another `pos_label` would have
        been ignored without a word.
        """
        named = self.named_class(labels)
        if named is not None or len(labels) != 2 or self.method == "predict":
            return named
        classes, true = np.sort(labels), np.repeat([0, 1], [400, 700])
        scores = np.tanh(true + np.random.default_rng(0).normal(size=len(true))) / 2
        middle = 0.5 if self.method == "predict_proba" else 0.0
        try:
            values = [
                self(classes[true], middle + scores),
                self(classes[1 - true], middle - scores),
            ]
            return None if np.isclose(*values) else max(labels)
        except Exception:  # which is told where it is called
            return None


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
        with config_context(enable_metadata_routing=True):  # which threads do not know
            return self.scorer(estimator, X, y, **self.columns.columns)


def taken(values: Any, rows: Any) -> Any:
    """Return some rows of a list, an array, or what is sliced like one."""
    return [values[i] for i in rows] if isinstance(values, list) else values[rows]


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
    zero_division = options.pop("zero_division", 0.0) if "zero_division" in made.parameters else 0.0
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
