"""Instance scores, from which metrics such as ROC AUC are computed.

AUC within runs. Instance scores of different fits are on different scales, so ROC AUC and similar
metrics are computed within each run and then averaged. With equal weights this is the mean of the
runs, which is also shown as observed. In a draw, a run has the weight of its pairs divided by their
number. An unweighted average in every draw would hide how much small folds differ
(benchmarks/constants.md). What does not depend on the weights (sorting, ties) is prepared once;
a block of weights then costs a sparse product and a cumulative sum.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, reduce
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy import sparse
from scipy.stats import rankdata

from skbayeseval._arrays import (
    Array,
    as_array,
    as_numbers,
    columns_in_order,
    in_short,
    named_labels,
)
from skbayeseval._labels import (
    check_distinct,
    check_indicator,
    check_label_vector,
    encode_labels,
    indicator_labels,
    is_indicator,
    resolve_pos_label,
)
from skbayeseval._validation import check_weight
from skbayeseval.evidence.counts import Margin
from skbayeseval.evidence.interface import check_positive
from skbayeseval.evidence.unit_numbers import (
    UnitNumbers,
    count_units,
    over_classes,
)
from skbayeseval.evidence.units import WeightedUnits, assign_units
from skbayeseval.metrics.instance_scores import Prepared, Sums, as_floats, prepare, sum_to_one
from skbayeseval.metrics.metric import Metric, ScoreMetric

# The unit of each row of a run, and per classifier the metric as a function of the row weights.
PreparedRun = tuple[Array, list[Prepared]]


@dataclass(frozen=True, eq=False, kw_only=True)
class WeightedInstances(WeightedUnits):
    """Base class of evidence whose instances or groups have random weights, in one or more runs.

    Parameters
    ----------
    run : ndarray of shape (n_rows,)
        The run of each row. Metrics are computed within runs, and averaged over them.
    instances : ndarray of shape (n_rows,), default=None
        The position of each row in the data, for functions that take further columns.
    unit, shape, weight, grouped, sample_weight, block_length
        As in `WeightedUnits`; all rows are kept.
    """

    run: Array
    unit: Array
    instances: Array | None = None

    unsaved = ("instances",)

    has_class_counts = False

    @abstractmethod
    def unit_numbers(self, metric: Metric) -> UnitNumbers:
        """Return how many units the metric rests on."""

    @abstractmethod
    def _prepare(self, metric: Metric, rows: Array) -> list[Prepared]:
        """Return, per classifier, the metric of some of the rows as a function of their weights."""

    def prepared(self, metric: Metric) -> Iterator[PreparedRun]:
        """Yield, per run, the unit of each row and the metric as a function of row weights."""
        for run in np.unique(self.run):
            rows = np.flatnonzero(self.run == run)
            yield self.unit[rows], self._prepare(metric, rows)

    def runs(self, metric: Metric) -> list[PreparedRun]:
        """Return what `prepared` yields, computed once."""
        if metric not in self._runs:
            self._runs[metric] = list(self.prepared(metric))
        return self._runs[metric]

    @cached_property
    def _runs(self) -> dict[Metric, list[PreparedRun]]:
        return {}

    def rows_where_defined(self, metric: Metric, rows: Array) -> Array:
        """Return those of the rows that are in runs in which the metric is defined for them."""
        kept = [rows[:0]]
        for run in np.unique(self.run[rows]):
            of_run = rows[self.run[rows] == run]
            try:
                values = self.of_rows(of_run).observed(metric)
            except ValueError:  # such as a single class
                continue
            if np.isfinite(values).all():
                kept.append(of_run)
        return np.concatenate(kept)

    @staticmethod
    def _units(
        n_rows: int,
        weight: float,
        groups: ArrayLike | None,
        instances: Array | None,
        run: Array | None,
    ) -> dict[str, Any]:
        """Return the fields of runs and units of new evidence."""
        weight = check_weight(weight)
        unit, shape, _ = assign_units(n_rows, groups, instances, weight)
        return {
            "run": np.zeros(n_rows, dtype=int) if run is None else run,
            "unit": unit,
            "shape": shape,
            "weight": weight,
            "grouped": groups is not None,
            "instances": np.arange(n_rows) if instances is None else instances,
        }

    def _units_of_rows(self, rows: Array) -> dict[str, Any]:
        """Return run, unit and shape of some of the rows, numbered from 0."""
        seen, unit = np.unique(self.unit[rows], return_inverse=True)
        run = np.unique(self.run[rows], return_inverse=True)[1]
        fields = {"run": np.ravel(run), "unit": np.ravel(unit), "shape": self.shape[seen]}
        for name in ("instances", "sample_weight"):
            of_all = getattr(self, name)
            fields[name] = None if of_all is None else of_all[rows]
        return fields

    def _told(self, metric: Metric, rows: Array) -> dict[str, Any]:
        """Return which instances some rows are, if the metric takes columns."""
        if self.instances is None or metric.own is None or metric.own.columns is None:
            return {}
        return {"instances": self.instances[rows]}

    def observed(self, metric: Metric) -> tuple[float, ...]:
        """Return the observed metric value of each classifier, averaged over runs."""
        return tuple(self.of_runs(metric).mean(axis=1).tolist())

    def of_runs(self, metric: Metric) -> Array:
        """Return the metric values per run, of shape (n_classifiers, n_runs)."""
        values = [
            [float(of_one(np.ones((len(unit), 1)))[0]) for of_one in of_each]
            for unit, of_each in self.runs(metric)
        ]
        return np.array(values).T

    def influence(self, metric: Metric) -> Array:
        """Return the influence of each row on the metric values, (n_classifiers, n_rows)."""
        runs = self.runs(metric)
        influence = np.empty((self.n_classifiers, len(self.run)))
        for k in range(self.n_classifiers):
            plain = [of_each[k].sums(np.ones((len(unit), 1))) for unit, of_each in runs]
            total = reduce(Sums.plus, [sums.relative_to(sums) for sums in plain])
            for run, (_, of_each), sums in zip(np.unique(self.run), runs, plain, strict=True):
                slopes = of_each[k].slopes().relative_to(sums)
                influence[k, self.run == run] = total.average_slope(slopes)
        return influence


# The methods that give each kind of score, in order of preference.
RESPONSES = {
    "ranking": ("decision_function", "predict_proba"),
    "probability": ("predict_proba",),
}


@dataclass(frozen=True, eq=False)
class ScoredInstances(WeightedInstances):
    """Instance scores of several classifiers on the same instances, in one or more runs.

    Parameters
    ----------
    truth : ndarray of shape (n_rows,) or (n_rows, n_labels)
        The index of the true class, or a multi-label indicator.
    responses : tuple of mapping of str to ndarray
        The scores of each classifier, by kind: "ranking" or "probability". Their shape is (n_rows,)
        for the positive class of two classes, otherwise (n_rows, n_labels).
    labels, pos_label
        As in `ConfusionCounts`.
    run, unit, shape, weight, grouped, instances, sample_weight, block_length
        As in `WeightedInstances`.

    Examples
    --------
    >>> from skbayeseval import metrics
    >>> from skbayeseval.evidence.instance_scores import ScoredInstances
    >>> scored = ScoredInstances.from_scores([0, 0, 1, 1], {"a": [0.1, 0.4, 0.35, 0.8]})
    >>> scored.observed(metrics.get_metric("roc_auc"))
    (0.75,)
    """

    truth: Array
    responses: tuple[Mapping[str, Array], ...]
    labels: tuple[Any, ...]
    pos_label: Any = None

    identical_in = "scores"
    noun = "scored instances"
    of_each = ("responses",)

    def __post_init__(self) -> None:
        super().__post_init__()
        check_distinct(self.labels)
        resolve_pos_label(self.labels, self.pos_label)

    @property
    def family(self) -> str:
        """The family of models that fit: "scores" or "grouped scores"."""
        return "grouped scores" if self.grouped else "scores"

    @classmethod
    def from_scores(
        cls,
        y_true: Any,
        scores: Mapping[str, Any],
        *,
        labels: ArrayLike | None = None,
        **options: Any,
    ) -> ScoredInstances:
        """Return the evidence of scores, each an array or a dict of arrays by kind of score.

        The other options are those of `from_codes`.
        """
        classes, truth = encode_truth(y_true, labels)
        return cls.from_codes(truth, scores, classes, **options)

    @classmethod
    def from_codes(
        cls,
        truth: Array,
        scores: Mapping[str, Any],
        classes: tuple[Any, ...],
        *,
        pos_label: Any = None,
        weight: float = 1.0,
        groups: ArrayLike | None = None,
        instances: Array | None = None,
        run: Array | None = None,
        sample_weight: Array | None = None,
    ) -> ScoredInstances:
        """Take scores where the truth is given as positions among the classes, or as indicator."""
        if truth.ndim == 2 and pos_label is not None:
            raise ValueError(
                f"pos_label={in_short(pos_label)} was given, but y_true is a multi-label "
                "indicator, which has no positive class."
            )
        positive = resolve_pos_label(classes, pos_label)
        responses = []
        for name, of_one in scores.items():
            is_by_kind = isinstance(of_one, Mapping) and bool(of_one)
            by_kind = of_one if is_by_kind else dict.fromkeys(RESPONSES, of_one)
            checked = {
                kind: _check_scores(array, name, kind, truth, classes, positive)
                for kind, array in by_kind.items()
            }
            responses.append(checked)
            if is_by_kind or truth.ndim == 2 or len(classes) != 2:
                continue
            columns = as_array(of_one, name)
            columns = columns if columns.dtype.kind == "f" else columns.astype(float)
            if columns.ndim == 2 and columns.shape[1] == 2 and not sum_to_one(columns):
                del checked["probability"]  # they rank the instances
        units = cls._units(len(truth), weight, groups, instances, run)
        units |= {"labels": classes, "pos_label": positive, "sample_weight": sample_weight}
        return cls(truth, tuple(responses), **units)

    def margin(self, classifier: int) -> Margin:
        """Return the size and the labels, as `ConfusionCounts` has them."""
        return Margin(float(len(self.truth)), self.labels, self.pos_label, self.weight)

    def row_losses(self) -> Array:
        """Return how far scores are from the right end, per classifier and row, as shares of ranks.

        Where there are predicted labels, it is the share of them that are wrong.
        """
        truth = np.stack(self._of_classes(), axis=1)
        losses = []
        for of_one in self.responses:
            kind = min(of_one)  # "labels" come first
            scores = of_one[kind].reshape(len(truth), -1)
            if kind == "labels":
                wrong = scores != self.truth.reshape(len(truth), -1)
            else:
                wrong = np.abs(truth - rankdata(scores, axis=0) / len(truth))
            losses.append(wrong.mean(axis=1))
        return np.stack(losses)

    def _of_classes(self) -> list[Array]:
        """Return who is of the positive class; of more classes or labels, who is of each."""
        if self.truth.ndim == 2:
            return list(self.truth.astype(bool).T)
        if self._is_binary:
            return [self.truth == self._positive]
        return [self.truth == c for c in range(len(self.labels))]

    def of_rows(self, rows: Array) -> ScoredInstances:
        """Return the scores of some of the rows, given by their positions."""
        responses = tuple(
            {kind: scores[rows] for kind, scores in of_one.items()} for of_one in self.responses
        )
        return replace(
            self, truth=self.truth[rows], responses=responses, **self._units_of_rows(rows)
        )

    def are_copies(self, i: int, j: int, metric: str) -> bool:
        """Return whether two classifiers gave the same scores."""
        one, other = self.responses[i], self.responses[j]
        return all(kind in other and np.array_equal(one[kind], other[kind]) for kind in one)

    @property
    def _is_binary(self) -> bool:
        return self.truth.ndim == 1 and len(self.labels) == 2

    @property
    def _positive(self) -> int:
        return 1 if self.positive is None else self.positive

    def _prepare(self, metric: Metric, rows: Array) -> list[Prepared]:
        truth = self.truth[rows]
        weight = None if self.sample_weight is None else self.sample_weight[rows]
        assert isinstance(metric, ScoreMetric)
        if not metric.kinds:  # any function
            given = np.asarray(self.labels), self._positive, truth
            told = self._told(metric, rows) | ({} if weight is None else {"weight": weight})
            return [
                metric.function(*given, scores[metric.needs][rows], **told)
                for scores in self.responses
            ]
        if self._is_binary:
            truth = (truth == self._positive).astype(int)
        return [
            prepare(metric, truth, scores[metric.needs][rows], weight) for scores in self.responses
        ]

    def check_metric(self, metric: Metric) -> None:
        """Raise if the metric is not computed from instance scores, or lacks a positive class."""
        if metric.source != "instances":
            advice = "Use model='scores'."
            if metric.source == "tables":
                advice = "Pass predictions as well, and list all metrics in scoring=."
            raise ValueError(
                f"scoring={metric.name!r} cannot be computed from instance scores. {advice}"
            )
        if any(metric.needs not in scores for scores in self.responses):
            raise ValueError(
                f"scoring={metric.name!r} requires probabilities, but the rows of the scores do "
                "not sum to one."
            )
        if metric.needs_positive and self._is_binary:
            check_positive(metric, self.labels, self.positive)

    def unit_numbers(self, metric: Metric) -> UnitNumbers:
        """Return how many units the metric rests on.

        Areas under curves rest on the scarcer of positives and negatives of each class; in groups,
        on the groups that have them.
        """

        def count(rows: Array, what: str) -> UnitNumbers:
            weights = None if self.sample_weight is None else self.sample_weight[rows]
            masses = np.bincount(self.unit[rows], weights, len(self.shape)).astype(float)
            return count_units(masses, self.shape, self.weight, what)

        if not metric.is_area:
            return count(np.ones(len(self.unit), dtype=bool), self.units_in_words)
        names = ["positives", "negatives"]
        if self.grouped:
            names = [f"{self.units_in_words} with {name}" for name in names]
        scarcer = [
            min((count(rows, names[0]), count(~rows, names[1])), key=lambda one: one.effective)
            for rows in self._of_classes()
        ]
        return over_classes(scarcer, names[0])


def encode_truth(y_true: Any, labels: ArrayLike | None) -> tuple[tuple[Any, ...], Array]:
    """Return the classes, and the position of each true one; or labels and their indicator."""
    if not is_indicator(y_true):
        classes, (truth,) = encode_labels([("y_true", y_true)], labels)
        return classes, truth
    indicator = check_indicator(y_true, "y_true").toarray()
    named = y_true if hasattr(y_true, "columns") else indicator
    return indicator_labels(named, labels, "y_true"), indicator


def _check_scores(
    scores: Any, name: str, kind: str, truth: Array, classes: tuple[Any, ...], pos_label: Any
) -> Array:
    """Return scores with one row per instance; with two classes, those of the positive class."""
    if kind == "labels":
        return scores.toarray() if sparse.issparse(scores) else np.asarray(scores)
    two = truth.ndim == 1 and len(classes) == 2
    if two and isinstance(scores, pd.DataFrame) and scores.shape[1] == 1:
        _check_column_of_class(scores, name, classes, pos_label)
    scores = columns_in_order(scores, classes, name)
    array = as_array(scores, name)
    array = as_floats(array if array.dtype.kind in "biuf" else as_numbers(scores, name), kind)
    if array.ndim not in (1, 2) or len(array) != len(truth):
        raise ValueError(
            "Found input variables with inconsistent numbers of samples: y_true has "
            f"{len(truth)}, {name} has shape {array.shape}."
        )
    if not np.isfinite(array).all():
        raise ValueError(f"Input {name} contains NaN or infinity.")
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.ndim == 2 and two and array.shape[1] == 2:
        return array[:, 1 if pos_label is None else classes.index(pos_label)]
    expected = "one column" if two else f"{len(classes)} columns"
    what = "classes" if truth.ndim == 1 else "labels"
    if (array.ndim == 1) != two or (array.ndim == 2 and array.shape[1] != len(classes)):
        raise ValueError(
            f"{name} has shape {array.shape}, but there are {len(classes)} {what}. Pass "
            f"{expected}, in the order of the labels."
        )
    return array


def _check_column_of_class(
    scores: pd.DataFrame, name: str, classes: tuple[Any, ...], pos_label: Any
) -> None:
    """Raise if the only column of a data frame is named after the class that is not positive."""
    column = scores.columns[0]
    positive = classes[1] if pos_label is None else pos_label
    if column in classes and column != positive and named_labels([scores]) is not None:
        raise ValueError(
            f"{name} has the column {column!r}, but the scores of the positive class {positive!r} "
            "are expected. Pass these, or pos_label=."
        )


def respond(estimator: Any, X: Any, kind: str, classes: tuple[Any, ...], several: bool) -> Array:
    """Return the scores of a fitted estimator, with one column per class or label.

    Parameters
    ----------
    estimator : estimator
        A fitted estimator with `decision_function` or `predict_proba`.
    X : array-like
        The instances.
    kind : {"ranking", "probability"}
        The kind of scores.
    classes : tuple
        The classes or labels, in the order of the columns.
    several : bool
        Whether instances may have several labels.
    """
    method = next((name for name in RESPONSES[kind] if hasattr(estimator, name)), None)
    if method is None:
        raise AttributeError(
            f"{type(estimator).__name__} has none of the methods {list(RESPONSES[kind])}, one of "
            "which the metric requires"
        )
    response = getattr(estimator, method)(X)
    if several:
        if not isinstance(response, list):
            return as_array(columns_in_order(response, classes, method), method)
        # Forests return one array per label, with a column for each of absence and presence that
        # was seen in training. A label that was never present has probability 0.
        known = zip(response, map(np.asarray, estimator.classes_), strict=True)
        of_labels = [
            (as_array(columns_in_order(p, c.tolist(), method), method), c) for p, c in known
        ]
        return np.column_stack([p[:, seen == 1].sum(axis=1) for p, seen in of_labels])
    known = check_label_vector(estimator.classes_, "classes_", classes=False).tolist()
    scores = as_floats(as_array(columns_in_order(response, known, method), method), kind)
    if scores.ndim == 1:
        scores = np.column_stack([-scores, scores])
    last = estimator.steps[-1][1] if hasattr(estimator, "steps") else estimator
    pairs = method == "decision_function" and len(known) > 2
    if scores.shape[1] != len(known) or (
        pairs and getattr(last, "decision_function_shape", "ovr") == "ovo"
    ):
        raise ValueError(
            f"{method} returned {scores.shape[1]} columns that do not correspond to the "
            f"{len(known)} classes. For an SVM, set decision_function_shape='ovr'"
        )
    if len(known) < 2:
        raise ValueError("The training set has only one class, so the instances cannot be ranked")
    # A class that is missing from the training set gets the lowest score.
    lowest = 0.0 if method == "predict_proba" else np.finfo(scores.dtype).min
    aligned = np.full((len(scores), len(classes)), lowest, dtype=scores.dtype)
    for column, label in enumerate(known):
        if label in classes:
            aligned[:, classes.index(label)] = scores[:, column]
    return aligned
