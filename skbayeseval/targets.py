"""What cross-validation predicts: labels or tags, and how predictions of them become counts."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Protocol

import numpy as np
from sklearn.utils import _safe_indexing

from skbayeseval.assemble import check_true_classes, count_predictions
from skbayeseval.evidence.chunks import ChunkCounter
from skbayeseval.evidence.collect import Collection
from skbayeseval.evidence.counts import (
    ConfusionCounts,
    Evidence,
    check_label_vector,
    check_labels,
    encode_labels,
)
from skbayeseval.evidence.tags import check_sentences
from skbayeseval.evidence.units import UnitCounts, check_indicator, is_indicator

__all__ = ["ChunkTarget", "LabelTarget", "Target", "count_one"]


class Target(Protocol):
    """The truth, and what is counted of predictions."""

    classes: Any
    size: int
    check: Callable[[str, Any, Any], None]

    def perfect(self) -> dict[str, Any]:
        """Return for each classifier predictions without an error."""

    def pooled(self, collection: Collection) -> dict[str, Any]:
        """Return for each classifier the predictions of the kept splits, one after another."""

    def evidence(self, rows: Any, predictions: Mapping[str, Any], weight: float) -> Evidence:
        """Count what all classifiers predicted for the instances `rows`."""

    def count_one(self, name: str, rows: Any, predictions: Any) -> Any:
        """Count what one classifier predicted."""


class LabelTarget:
    """Classes, or the labels of a multi-label indicator."""

    def __init__(self, y: Any, names: tuple[str, ...], labels: Any, pos_label: Any) -> None:
        self.names = names
        self.pos_label = pos_label
        if is_indicator(y):
            columns = labels if labels is not None else getattr(y, "columns", range(np.shape(y)[1]))
            self.truth, self.classes = check_indicator(y, "y"), check_labels(list(columns))
        else:
            self.truth = check_label_vector(y, "y")
            present = np.unique(self.truth).tolist()
            check_true_classes(present, "y")
            self.classes = present if labels is None else check_labels(labels)
        self.size = self.truth.shape[0]
        self.check: Callable[[str, Any, Any], None] = partial(
            _check_labels_of, self.classes, is_indicator(y)
        )

    def perfect(self) -> dict[str, Any]:
        """Return for each classifier predictions without an error."""
        return dict.fromkeys(self.names, self.truth)

    def pooled(self, collection: Collection) -> dict[str, Any]:
        """Return for each classifier the predictions of the kept splits, one after another."""
        return {name: collection.predictions(name) for name in self.names}

    def evidence(self, rows: Any, predictions: Mapping[str, Any], weight: float) -> Evidence:
        """Count what all classifiers predicted for the instances `rows`."""
        return count_predictions(
            self.truth[rows],
            {f"Predictions of {name!r}": predictions[name] for name in self.names},
            labels=self.classes,
            pos_label=self.pos_label,
            weight=weight,
            instances=rows,
        )

    def count_one(self, name: str, rows: Any, predictions: Any) -> Any:
        """Count what one classifier predicted."""
        return count_one(self.truth[rows], predictions, self.classes, self.pos_label)


class ChunkTarget:
    """Tags of sentences, whose chunks a counter counts."""

    # A chunk is there or not.
    classes = (0, 1)

    def __init__(self, y: Any, names: tuple[str, ...], counter: Any) -> None:
        if not isinstance(counter, ChunkCounter):
            raise TypeError(f"counter must be made by chunk_counter, got {counter!r}.")
        self.y = y
        self.names = names
        self.counter = counter
        self.size = len(check_sentences(y, "y"))
        self.check: Callable[[str, Any, Any], None] = partial(_check_tags_of, counter, names)
        if not counter.count_one(y, y).total:
            raise ValueError(
                f"y holds no chunks that {counter!r} counts: there is nothing to find."
            )

    def perfect(self) -> dict[str, Any]:
        """Return for each tagger predictions without an error."""
        return dict(zip(self.names, self.counter.perfect(self.y), strict=True))

    def pooled(self, collection: Collection) -> dict[str, Any]:
        """Return for each tagger the predictions of the kept splits, one after another."""
        return {
            name: [tags for i in collection.kept for tags in collection.runs[name][i].predictions]
            for name in self.names
        }

    def evidence(self, rows: Any, predictions: Mapping[str, Any], weight: float) -> Evidence:
        """Count what both taggers found in the sentences `rows`."""
        tagged = (predictions[name] for name in self.names)
        return self.counter(_safe_indexing(self.y, rows), *tagged, weight=weight)

    def count_one(self, name: str, rows: Any, predictions: Any) -> ConfusionCounts:
        """Count what one tagger found."""
        truth = _safe_indexing(self.y, rows)
        return self.counter.count_one(truth, predictions, self.names.index(name))


def count_one(truth: Any, predictions: Any, classes: Any, pos_label: Any) -> Any:
    """Count the predictions of one classifier: of classes, or of a multi-label indicator."""
    if is_indicator(truth):
        with warnings.catch_warnings():  # a label may well be absent from a split
            warnings.simplefilter("ignore", UserWarning)
            return UnitCounts.from_indicators(truth, {"predict": predictions}).margin(0)
    return ConfusionCounts.from_labels(truth, predictions, labels=classes, pos_label=pos_label)


def _check_labels_of(
    classes: Any, indicator: bool, name: str, y_test: Any, predictions: Any
) -> None:
    if indicator:
        check_indicator(predictions, "predict")
    else:
        encode_labels([("predict", predictions)], classes)


def _check_tags_of(
    counter: ChunkCounter, names: tuple[str, ...], name: str, y_test: Any, predictions: Any
) -> None:
    counter.count_one(y_test, predictions, names.index(name))
