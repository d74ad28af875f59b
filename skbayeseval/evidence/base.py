"""What every kind of evidence can say of itself, so that nobody has to ask what kind it is.

A new kind of evidence is a subclass of `Evidence` in a file of its own, a line in `KINDS` of
`skbayeseval.evidence`, and a line in the table of models that fit it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from functools import cached_property
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from skbayeseval.judgement.frequentist import SignificanceTest
from skbayeseval.metrics.confusion import Metric, Totals

__all__ = [
    "Correctness",
    "Evidence",
    "ObservedArray",
    "check_metric_of_counts",
    "check_positive",
    "count_in_words",
    "letter",
    "observed_value",
    "tables_or_totals",
]

Array = NDArray[Any]


class ObservedArray(NamedTuple):
    """Observed data under a name, with the names of its dimensions."""

    dims: tuple[str, ...]
    values: Array


class Correctness(NamedTuple):
    """Which of the things that both classifiers judged each got right.

    Attributes
    ----------
    metric : str
        The metric that is the share of things judged right.
    right : ndarray of shape (2, n)
        1 where A and B were right, 0 elsewhere.
    """

    metric: str
    right: Array


class Evidence(ABC):
    """All that a model sees of the data.

    Attributes
    ----------
    kind : str
        What files call this kind of evidence.
    labels : tuple
        The classes or labels.
    pos_label : object
        The positive class of two, if there is one.
    weight : float
        The weight of one count.
    n_classifiers : int
        The number of classifiers.
    """

    kind: ClassVar[str]
    # Whether it is known what all classifiers said of each instance.
    is_paired: ClassVar[bool] = True
    # Whether each instance has one label and is independent of the others, so that further
    # instances can be simulated.
    has_independent_instances: ClassVar[bool] = False
    # Whether counts of different instances (or chunks) are independent of each other.
    has_independent_counts: ClassVar[bool] = False
    # Whether it counts what was true and predicted of each class or label.
    has_class_counts: ClassVar[bool] = True
    # Whether only the difference of two estimators has a posterior.
    is_of_difference: ClassVar[bool] = False
    # Whether the values of a metric in the splits are all that is known.
    is_of_splits: ClassVar[bool] = False

    n_classifiers: int

    @property
    @abstractmethod
    def family(self) -> str:
        """The models that fit it, as `skbayeseval.models.registry` names them."""

    @abstractmethod
    def margin(self, classifier: int) -> Any:
        """Return what one classifier did alone."""

    @property
    def scored(self) -> Any:
        """The instance scores that it holds, for metrics such as ROC AUC, or None."""
        return None

    @property
    def train_share(self) -> float | None:
        """The share of the data that a split trains on; None where there are no splits."""
        return None

    def margins(self) -> tuple[Any, ...]:
        """Return what each classifier did alone."""
        return self._margins

    @cached_property
    def _margins(self) -> tuple[Any, ...]:
        return tuple([self.margin(k) for k in range(self.n_classifiers)])

    @abstractmethod
    def pair(self, i: int, j: int) -> Evidence:
        """Return the evidence of two of the classifiers."""

    @abstractmethod
    def describe(self) -> str:
        """Return what there is, in words, such as "400 counts"."""

    @abstractmethod
    def saved(self) -> dict[str, Any]:
        """Return what `restored` needs: plain values, and arrays."""

    @classmethod
    @abstractmethod
    def restored(cls, saved: Mapping[str, Any]) -> Self:
        """Put the evidence together again from what `saved` returned."""

    def observed(self, metric: Metric) -> tuple[float, ...]:
        """Return the metric of each classifier on the data as they are."""
        return tuple(observed_value(metric, counts) for counts in self.margins())

    def check_metric(self, metric: Metric) -> None:
        """Raise if the evidence does not hold what the metric needs."""
        check_metric_of_counts(metric, self.margins()[0])

    def observed_data(self) -> dict[str, ObservedArray]:
        """Return the data for ArviZ, by name."""
        return {}

    def split_tests(self, metric: str) -> list[tuple[str, str, str, SignificanceTest]]:
        """Return classical tests of split scores that it holds itself: name, level, note, test."""
        return []

    def correctness(self) -> Correctness | None:
        """Return which things both classifiers judged, where that is known of each thing."""
        return None


def letter(classifier: int) -> str:
    """Return what a classifier is called in the names of variables: A, B, ..., A1, B1, ..."""
    name = chr(ord("A") + classifier % 26)
    return name if classifier < 26 else f"{name}{classifier // 26}"


def observed_value(metric: Metric, counts: Any) -> float:
    """Return the metric of one classifier's counts."""
    if counts.table is not None:
        return float(metric(counts.table, 1 if counts.positive is None else counts.positive))
    return float(metric.of_totals(Totals(counts.hits, counts.true, counts.predicted)))


def check_metric_of_counts(metric: Metric, counts: Any) -> None:
    """Raise if the counts of one classifier do not hold what the metric needs."""
    labels = counts.labels
    if metric.source == "splits":
        raise ValueError(
            f"scoring={metric.name!r} is not known of these instances: use model='scores'."
        )
    if counts.table is None and (metric.one_of_many or metric.needs_tables):
        raise ValueError(
            f"scoring={metric.name!r} requires one label per instance, but y is a multi-label "
            "indicator. Use the micro, macro or weighted average of precision, recall, F1 or "
            "Jaccard, or metrics.per_class."
        )
    if metric.needs_positive and counts.table is None:
        raise ValueError(
            f"Target is multilabel-indicator but scoring={metric.name!r} is of one of two "
            f"classes. Please choose another average setting, such as '{metric.name}_micro'."
        )
    if metric.needs_positive and len(labels) > 2:
        raise ValueError(
            f"Target is multiclass but scoring={metric.name!r} is of one of two classes. "
            f"Please choose another average setting, such as '{metric.name}_micro', "
            f"'{metric.name}_macro', '{metric.name}_weighted' or "
            f"metrics.per_class('{metric.name}')."
        )
    if metric.needs_positive:
        check_positive(metric, labels, counts.positive)
    if metric.needs_true_negatives and not counts.has_true_negatives:
        raise ValueError(
            f"scoring={metric.name!r} needs the true negatives, but the counts hold "
            "(tp, fp, fn) only. Give (tp, fp, fn, tn), or a metric such as 'f1', "
            "'precision', 'recall' or 'jaccard'."
        )


def check_positive(metric: Metric, labels: tuple[Any, ...], positive: int | None) -> None:
    """Raise if the metric is about one of two classes and none is positive."""
    if positive is None:
        raise ValueError(
            f"pos_label=1 is not a valid label. It should be one of {list(labels)}: "
            f"{metric.name!r} is about one of the two classes, so say which with pos_label=."
        )


def count_in_words(margins: tuple[Any, ...], what: str = "counts") -> str:
    """Return how many counts there are and what they weigh, in words."""
    sizes = dict.fromkeys(counts.total for counts in margins)
    number = " and ".join(f"{size:,.0f}" for size in sizes)
    weight = margins[0].weight
    worth = "" if weight == 1 else f", each worth {weight:.4g} of one"
    return f"{number} {what}{worth}"


def tables_or_totals(margins: tuple[Any, ...]) -> dict[str, ObservedArray]:
    """Return each classifier's confusion table, or its totals of each label."""
    found = {}
    for k, counts in enumerate(margins):
        if counts.table is not None:
            table = np.asarray(counts.table)
            found[f"confusion_{letter(k)}"] = ObservedArray(("true", "predicted"), table)
        else:
            totals = np.stack([counts.hits, counts.true, counts.predicted], axis=1)
            found[f"counts_{letter(k)}"] = ObservedArray(("target", "count"), totals)
    return found
