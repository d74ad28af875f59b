"""Recognise what scikit-learn's `make_scorer` made of a known metric."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn import metrics as sklearn_metrics
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.metrics import get_scorer, get_scorer_names, make_scorer

from skbayeseval.metrics.confusion import AVERAGES, Metric, fbeta
from skbayeseval.metrics.registry import get_metric, known_metrics

__all__ = ["metric_of_scorer"]

Array = NDArray[Any]

# Functions that take an average over classes, and the others, by scikit-learn's name.
AVERAGED = {
    "f1_score": "f1",
    "fbeta_score": "fbeta",
    "jaccard_score": "jaccard",
    "precision_score": "precision",
    "recall_score": "recall",
}
PLAIN = {
    "accuracy_score": "accuracy",
    "balanced_accuracy_score": "balanced_accuracy",
    "cohen_kappa_score": "cohen_kappa",
    "explained_variance_score": "explained_variance",
    "matthews_corrcoef": "matthews_corrcoef",
    "r2_score": "r2",
}
NEGATED = {
    name.removeprefix("neg_"): name for name in known_metrics("numbers") if name.startswith("neg_")
}

# How a scorer is written; text among its parameters has no quotes.
WRITTEN = r"make_scorer\((\w+)((?:, greater_is_better=False)?), response_method='predict'(.*)\)"


def metric_of_scorer(scorer: Any) -> Metric | None:
    """Return the metric that equals a scorer made by `make_scorer`; None if none is known to.

    A scorer tells the name of its function and its parameters, but not the function: one that
    only has the name of scikit-learn's is found out by calling it.
    """
    written = repr(scorer)
    for name in get_scorer_names():
        if name in known_metrics() and repr(get_scorer(name)) == written:
            return get_metric(name) if _agree(scorer, get_scorer(name)) else None
    parsed = re.fullmatch(WRITTEN, written)
    if parsed is None:
        return None
    function, negated, rest = parsed.groups()
    parameters = re.fullmatch(r"(?:, \w+=[^,=()\[\]]+)*", rest)
    if parameters is None:
        return None
    given = dict(one.split("=") for one in rest.split(", ")[1:])
    metric, options = _metric_of(function, given)
    if metric is None or bool(negated) != (function in NEGATED):
        return None
    twin = make_scorer(getattr(sklearn_metrics, function), greater_is_better=not negated, **options)
    return metric if _agree(scorer, twin) else None


def _metric_of(function: str, given: dict[str, str]) -> tuple[Metric | None, dict[str, Any]]:
    """Return the metric of a function of scikit-learn, and the parameters to call that with."""
    options: dict[str, Any] = {}
    if function in PLAIN or function in NEGATED:
        name = PLAIN.get(function) or NEGATED[function]
        return (None if given else get_metric(name)), options
    if function not in AVERAGED or set(given) - {"average", "beta", "zero_division"}:
        return None, options
    average = given.get("average", "binary")
    if average not in ("binary", *AVERAGES):
        return None, options
    options["average"] = average
    own = None if average == "binary" else average
    zero_division = 0.0
    if "zero_division" in given:
        if given["zero_division"] not in ("0", "1", "0.0", "1.0", "nan"):
            return None, options
        options["zero_division"] = zero_division = float(given["zero_division"])
    if function == "fbeta_score":
        if re.fullmatch(r"\d+(\.\d+)?", given.get("beta", "")) is None:
            return None, options
        options["beta"] = float(given["beta"])
        return fbeta(options["beta"], own, zero_division=zero_division), options
    if "beta" in given:
        return None, options
    name = AVERAGED[function] if own is None else f"{AVERAGED[function]}_{own}"
    return get_metric(name, zero_division=zero_division), options


class _Echo(ClassifierMixin, BaseEstimator):
    """A fitted classifier that predicts what it is given."""

    def __init__(self, classes: tuple[int, ...] = (0, 1)) -> None:
        self.classes = classes

    @property
    def classes_(self) -> Array:
        """The classes."""
        return np.array(self.classes)

    def predict(self, X: Array) -> Array:
        """Return the first column, which is to be predicted."""
        return X[:, 0]

    def decision_function(self, X: Array) -> Array:
        """Return scores of class 1, or of each class."""
        return X[:, 2] if len(self.classes) == 2 else X[:, 1:]

    def predict_proba(self, X: Array) -> Array:
        """Return the probabilities of each class."""
        return X[:, 1:]


def _agree(scorer: Any, twin: Any) -> bool:
    """Return whether two scorers give the same, for classes or for numbers."""
    found = [_scores(one) for one in (scorer, twin)]
    known = [score for score in found[1] if score is not None]
    return bool(known) and found[0] == found[1]


def _scores(scorer: Any) -> list[float | None]:
    """Return what a scorer gives for two classes, three classes and numbers; None for an error."""
    rng = np.random.default_rng(0)
    found: list[float | None] = []
    for classes in ((0, 1), (0, 1, 2), ()):
        n = max(len(classes), 2)
        truth = np.arange(30) % n if classes else 1 + np.arange(30) / 7
        said = np.where(rng.random(30) < 0.6, truth, truth[::-1])
        shares = rng.dirichlet(np.ones(n), 30)
        try:
            said_and_shares = np.column_stack([said, shares])
            found.append(float(scorer(_Echo(classes or (0, 1)), said_and_shares, truth)))
        except Exception:  # whatever a scorer raises for a target that it is not made for
            found.append(None)
    return found
