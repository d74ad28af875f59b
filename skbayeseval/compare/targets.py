"""What cross-validation compares: classes, labels, tags or plain scores, and how it is counted."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import _safe_indexing

from skbayeseval._alignment import columns_in_order
from skbayeseval._labels import (
    check_indicator,
    check_label_vector,
    check_predictions,
    encode_labels,
    indicator_labels,
    is_indicator,
    resolve_pos_label,
)
from skbayeseval.evidence.chunk_counter import ChunkCounter, check_counter
from skbayeseval.evidence.chunks import ChunkCounts
from skbayeseval.evidence.counts import ConfusionCounts, Evidence, PairedCounts
from skbayeseval.evidence.instance_scores import (
    RESPONSES,
    ScoredInstances,
    WeightedInstances,
    respond,
)
from skbayeseval.evidence.units import UnitCounts, warn_of_empty_labels
from skbayeseval.evidence.validated_rows import (
    ChunkRows,
    ClassRows,
    LabelRows,
    ScoreRows,
    ValidatedRows,
)
from skbayeseval.metrics.confusion import Metric, Totals
from skbayeseval.metrics.instance_scores import score_metric
from skbayeseval.metrics.scoring import resolve_scoring
from skbayeseval.posterior.build import check_true_classes
from skbayeseval.sequences.tags import check_sentences
from skbayeseval.splitting.collect import Collection, Observe, observe_predictions
from skbayeseval.splitting.out_of_fold import OutOfFold

__all__ = [
    "ChunkTarget",
    "CollectedEvidence",
    "LabelTarget",
    "Target",
    "check_responses",
    "count_one",
    "score_by_scores",
    "score_counts",
]

Array = NDArray[Any]


class CollectedEvidence(NamedTuple):
    """What a posterior is made of.

    Attributes
    ----------
    evidence : Evidence
        The evidence.
    scored : WeightedInstances or None
        What metrics of instance weights are computed from, where there are such metrics.
    rows, scored_rows : ValidatedRows or None
        The same row by row, for metrics of counts and of instance scores.
    """

    evidence: Evidence
    scored: WeightedInstances | None = None
    rows: ValidatedRows | None = None
    scored_rows: ValidatedRows | None = None

    def with_weight(self, weight: float) -> CollectedEvidence:
        """Return the same evidence with another weight."""
        scored = None if self.scored is None else self.scored.with_weight(weight)
        evidence = scored if self.evidence is self.scored else self.evidence.with_weight(weight)
        assert evidence is not None
        return self._replace(evidence=evidence, scored=scored)


class Target(Protocol):
    """The truth, and what is kept and counted of what estimators say of it."""

    metrics: dict[str, Metric]

    @property
    def class_codes(self) -> Array | None:
        """The class of each instance; None if there are no such classes."""

    def observer(self, name: str) -> Observe:
        """Return the function that says what is kept of a fit of the estimator `name`."""

    def check_split(self, split: int, test: Array) -> None:
        """Raise where a metric is not defined for a test set."""

    def rehearsal(self) -> CollectedEvidence:
        """Return what estimators without an error would give."""

    def collected(self, collection: Collection) -> CollectedEvidence:
        """Return the evidence of the splits that did not fail."""

    def split_scores(self, name: str, collection: Collection) -> dict[str, Array]:
        """Return for each metric its value in each split, NaN where a fit failed."""

    def predicted(self, observed: Mapping[str, Any]) -> Any:
        """Return the predictions of a fit as the estimator gave them; None if none were kept."""

    def out_of_fold(self, collection: Collection) -> OutOfFold | None:
        """Return the predictions for the test sets; None if none were kept."""


class LabelTarget:
    """Classes, or the labels of a multi-label indicator."""

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
        self.groups = None if groups is None else group_codes(groups)
        self.pos_label = pos_label
        self.several = is_indicator(y)
        if self.several:
            if pos_label is not None:
                raise ValueError(
                    f"pos_label={pos_label!r} was given, but y is a multi-label indicator, which "
                    "has no positive class."
                )
            self.truth = check_indicator(y, "y")
            self.classes = indicator_labels(y if hasattr(y, "columns") else self.truth, labels, "y")
        else:
            vector = check_label_vector(y, "y")
            present = np.unique(vector).tolist()
            check_true_classes(present, "y")
            # From here on classes are their positions in `classes`, in predictions too.
            self.classes, (self.truth,) = encode_labels(
                [("y", vector)], tuple(present) if labels is None else labels
            )
        positive = resolve_pos_label(self.classes, pos_label)
        self.positive = 0 if positive is None else self.classes.index(positive)
        self.metrics = resolve_scoring(scoring, self.classes)
        of_scores = [m for m in self.metrics.values() if m.source == "instances"]
        self.counts_needed = len(of_scores) < len(self.metrics)
        self.kinds = tuple(sorted({score_metric(str(m.formula)).needs for m in of_scores}))
        for metric in of_scores:
            check_responses(metric, estimators)

    def observer(self, name: str) -> Observe:
        """Return the function that keeps the predictions and the scores that metrics need."""
        return partial(_observe_labels, self.classes, self.several, self.kinds, self.counts_needed)

    @property
    def class_codes(self) -> Array | None:
        """The class of each instance; None for a multi-label indicator."""
        return None if self.several else self.truth

    def check_split(self, split: int, test: Array) -> None:
        """Raise where a metric is not defined for a test set."""
        present = self.truth[test]
        for metric in self.metrics.values():
            if metric.source != "instances" or score_metric(str(metric.formula)).of_means:
                continue
            if self.several:
                sums = np.ravel(present.sum(axis=0))
                absent = [c for c, n in zip(self.classes, sums, strict=True) if n in (0, len(test))]
            else:
                found = np.bincount(present, minlength=len(self.classes))
                absent = [c for c, n in zip(self.classes, found, strict=True) if not n]
            if absent:
                raise ValueError(
                    f"scoring={metric.name!r} is not defined in split {split}, where all or none "
                    f"of the test set are of {absent}. Use fewer splits, or stratified ones."
                )

    def rehearsal(self) -> CollectedEvidence:
        """Return what estimators without an error would give."""
        rows = np.arange(self.truth.shape[0])
        scores: dict[str, Any] = {}
        if self.kinds:
            if self.several:
                perfect = self.truth.toarray()
            else:
                perfect = np.eye(len(self.classes))[self.truth]
            scores = dict.fromkeys(self.names, dict.fromkeys(self.kinds, perfect))
        said = dict.fromkeys(self.names, self.truth)
        return self._collected(rows, said, scores, 1.0, np.zeros(len(rows), dtype=int))

    def collected(self, collection: Collection) -> CollectedEvidence:
        """Return the evidence of the splits that did not fail."""
        rows = collection.test_indices()
        predictions = {}
        if self.counts_needed:
            predictions = {name: collection.pooled(name) for name in self.names}
            if not self.several:
                predictions = {name: one.astype(np.intp) for name, one in predictions.items()}
        scores = {
            name: {kind: collection.pooled(name, kind) for kind in self.kinds}
            for name in self.names
        }
        found = self._collected(
            rows, predictions, scores, collection.weight, collection.split_numbers()
        )
        if self.several and self.counts_needed:
            warn_of_empty_labels(found.evidence.margins()[0])
        return found

    def _collected(
        self,
        rows: Array,
        predictions: Mapping[str, Any],
        scores: Mapping[str, Any],
        weight: float,
        split: Array,
    ) -> CollectedEvidence:
        units = rows if self.groups is None else self.groups[rows]
        scored = scored_rows = None
        if self.kinds:
            given = {f"Instance scores of {name!r}": scores[name] for name in self.names}
            scored = self._scored(rows, given, weight, split)
            scored_rows = ScoreRows(rows, units, split, scored)
            if not self.counts_needed:
                return CollectedEvidence(scored, scored, None, scored_rows)
        truth = self.truth[rows]
        groups = None if self.groups is None else units
        counts: Evidence
        counted: ValidatedRows
        if self.several:
            named = {f"Predictions of {name!r}": predictions[name] for name in self.names}
            counts = UnitCounts.from_indicators(
                truth, named, labels=self.classes, weight=weight, groups=groups, instances=rows
            )
            said = tuple(check_indicator(predictions[name], name) for name in self.names)
            counted = LabelRows(rows, units, split, truth, said)
            return CollectedEvidence(counts, scored, counted, scored_rows)
        columns = np.column_stack([predictions[name] for name in self.names])
        classes, grouped = (len(self.classes), self.positive), groups is not None
        counted = ClassRows(rows, units, split, truth, columns, *classes, weighs_units=grouped)
        if groups is None:
            counts = PairedCounts.from_codes(truth, columns, self.classes, weight, self.pos_label)
        else:
            counts = UnitCounts.from_codes(
                truth,
                columns,
                self.classes,
                groups,
                pos_label=self.pos_label,
                weight=weight,
                instances=rows,
            )
        return CollectedEvidence(counts, scored, counted, scored_rows)

    def _scored(
        self, rows: Array, scores: Mapping[str, Any], weight: float = 1.0, run: Array | None = None
    ) -> ScoredInstances:
        truth = self.truth[rows].toarray() if self.several else self.truth[rows]
        return ScoredInstances.from_codes(
            truth,
            scores,
            self.classes,
            pos_label=self.pos_label,
            weight=weight,
            groups=None if self.groups is None else self.groups[rows],
            instances=rows,
            run=run,
        )

    def split_scores(self, name: str, collection: Collection) -> dict[str, Array]:
        """Return for each metric its value in each split, NaN where a fit failed."""
        runs = collection.runs[name]
        found = {key: np.full(len(runs), np.nan) for key in self.metrics}
        done = [i for i, run in enumerate(runs) if run.error is None]
        if self.counts_needed:
            said = [(collection.splits[i][1], runs[i].observed["predict"]) for i in done]
            for key, values in self._split_scores_of_counts(said).items():
                found[key][done] = values
        if self.kinds:
            for i in done:
                own = {name: {kind: runs[i].observed[kind] for kind in self.kinds}}
                scored = self._scored(collection.splits[i][1], own)
                for key, metric in self.metrics.items():
                    if metric.source == "instances":
                        found[key][i] = scored.observed(metric)[0]
        return found

    def predicted(self, observed: Mapping[str, Any]) -> Any:
        """Return predicted labels, or a multi-label indicator; None if none were kept."""
        found = observed.get("predict")
        return found if self.several or found is None else np.asarray(self.classes)[found]

    def out_of_fold(self, collection: Collection) -> OutOfFold | None:
        """Return the predicted labels, or label indicators; None if none were kept."""
        if not self.counts_needed:
            return None
        of_classes = (None, self.classes) if self.several else (self.classes, None)
        return collection.out_of_fold(self.truth.shape[0], *of_classes)

    def _split_scores_of_counts(self, said: list[tuple[Array, Any]]) -> dict[str, Any]:
        """Return the metrics of counts, given the test set and the predictions of each split."""
        metrics = {key: m for key, m in self.metrics.items() if m.source == "tables"}
        if self.several:
            counts = [count_one(self.truth[rows], p, self.classes, None) for rows, p in said]
            return {key: [score_counts(m, one) for one in counts] for key, m in metrics.items()}
        m = len(self.classes)
        tables = np.zeros((len(said), m, m))
        for table, (rows, predicted) in zip(tables, said, strict=True):
            np.add.at(table, (self.truth[rows], predicted), 1)
        return {key: score_tables(one, tables, self.positive) for key, one in metrics.items()}


class ChunkTarget:
    """Tags of sentences, whose chunks a counter counts."""

    # Sentences have no classes.
    class_codes = None

    def __init__(
        self, y: Any, names: tuple[str, ...], counter: Any, scoring: Any, groups: Any = None
    ) -> None:
        self.groups = None if groups is None else group_codes(groups)
        check_counter(counter)
        if len(names) != 2:
            raise ValueError(
                f"counter= compares two taggers, but there are {len(names)} estimators. Compare "
                "them in pairs."
            )
        self.y = y
        self.names = names
        self.counter = counter
        check_sentences(y, "y")
        # A chunk is there or not.
        self.metrics = resolve_scoring("f1" if scoring is None else scoring, (0, 1))
        if not counter.count_one(y, y).total:
            raise ValueError(f"y must contain chunks, but counter={counter!r} finds none in it.")

    def observer(self, name: str) -> Observe:
        """Return the function that keeps the predicted tags."""
        return partial(_observe_tags, self.counter, self.names.index(name))

    def check_split(self, split: int, test: Array) -> None:
        """Chunks are counted over all test sets, so any will do."""

    def rehearsal(self) -> CollectedEvidence:
        """Return what taggers without an error would give."""
        counted = self.counter.cells_and_types(self.y, *self.counter.perfect(self.y))
        rows = np.arange(len(counted[0]))
        return self._collected(counted, rows, np.zeros(len(rows), dtype=int), 1.0)

    def collected(self, collection: Collection) -> CollectedEvidence:
        """Return the evidence of the splits that did not fail."""
        tagged = [
            [tags for i in collection.kept for tags in collection.runs[name][i].observed["predict"]]
            for name in self.names
        ]
        rows = collection.test_indices()
        counted = self.counter.cells_and_types(_safe_indexing(self.y, rows), *tagged)
        return self._collected(counted, rows, collection.split_numbers(), collection.weight)

    def _collected(
        self, counted: tuple[Array, dict[str, Array]], rows: Array, split: Array, weight: float
    ) -> CollectedEvidence:
        cells, types = counted
        chunks = ChunkRows(rows, rows, split, cells)
        if self.groups is None:
            return CollectedEvidence(ChunkCounts.of_sentences(cells, weight, types), None, chunks)
        groups = self.groups[rows]
        counts = UnitCounts.from_chunks(cells, groups, weight=weight, instances=rows)
        return CollectedEvidence(
            counts, None, ChunkRows(rows, groups, split, cells, weighs_units=True)
        )

    def split_scores(self, name: str, collection: Collection) -> dict[str, Array]:
        """Return for each metric its value in each split, NaN where a fit failed."""
        found = {key: np.full(len(collection.splits), np.nan) for key in self.metrics}
        for i, run in enumerate(collection.runs[name]):
            if run.error is None:
                truth = _safe_indexing(self.y, collection.splits[i][1])
                tagger = self.names.index(name)
                counts = self.counter.count_one(truth, run.observed["predict"], tagger)
                for key, metric in self.metrics.items():
                    found[key][i] = score_counts(metric, counts)
        return found

    def predicted(self, observed: Mapping[str, Any]) -> Any:
        """Return the predicted tags; None if the fit failed."""
        return observed.get("predict")

    def out_of_fold(self, collection: Collection) -> OutOfFold:
        """Return the predicted tags."""
        return collection.out_of_fold(len(self.y))


def group_codes(groups: Any) -> Array:
    """Return groups as numbers."""
    found = np.unique(check_label_vector(groups, "groups", classes=False), return_inverse=True)[1]
    return np.ravel(found)


def count_one(truth: Any, predictions: Any, classes: Any, pos_label: Any) -> Any:
    """Count the predictions of one classifier: of classes, or of a multi-label indicator."""
    if is_indicator(truth):
        return UnitCounts.from_indicators(truth, {"predict": predictions}).margin(0)
    return ConfusionCounts.from_labels(truth, predictions, labels=classes, pos_label=pos_label)


def score_by_scores(
    metric: Metric, classes: tuple[Any, ...], pos_label: Any, estimator: Any, X: Any, y: Any
) -> float:
    """Return a metric of scores of a fitted estimator."""
    needs = score_metric(str(metric.formula)).needs
    scores = respond(estimator, X, needs, classes, is_indicator(y))
    scored = ScoredInstances.from_scores(
        y, {"scores": {needs: scores}}, labels=classes, pos_label=pos_label
    )
    return scored.observed(metric)[0]


def score_counts(metric: Metric, counts: Any) -> float:
    """Return the metric value as scikit-learn's scorer gives it."""
    if counts.table is None:
        return float(metric.of_totals(Totals(counts.hits, counts.true, counts.predicted)))
    return float(score_tables(metric, counts.table[None], counts.positive or 0)[0])


def score_tables(metric: Metric, tables: Array, positive: int) -> Array:
    """Return the metric value of each confusion table as scikit-learn's scorer gives it."""
    of_all = metric.formula is not None and not metric.formula.endswith("]")
    seen = (tables.sum(axis=1) + tables.sum(axis=2)) > 0
    if metric.needs_positive or not of_all or seen.all():
        return np.asarray(metric(tables, positive))
    # scikit-learn averages over the classes that occur.
    pruned = [table[np.ix_(here, here)] for table, here in zip(tables, seen, strict=True)]
    return np.array([float(metric(table, positive)) for table in pruned])


def check_responses(metric: Metric, estimators: Mapping[str, Any]) -> None:
    """Raise, before anything is fitted, if an estimator cannot give the scores of a metric."""
    methods = RESPONSES[score_metric(str(metric.formula)).needs]
    for name, estimator in estimators.items():
        if not any(hasattr(estimator, method) for method in methods):
            raise ValueError(
                f"scoring={metric.name!r} needs {' or '.join(methods)}, which estimator {name!r} "
                "does not have. Wrap it in CalibratedClassifierCV, or choose another metric."
            )


def _observe_labels(
    classes: tuple[Any, ...],
    several: bool,
    kinds: tuple[str, ...],
    counts_needed: bool,
    estimator: Any,
    X_test: Any,
    y_test: Any,
) -> dict[str, Any]:
    """Return predictions as positions among the classes, and the scores that metrics need.

    Positions, and multi-label indicators, are of the smallest type that can hold them: they come
    from other machines, and are kept for every split.
    """
    found: dict[str, Any] = {}
    if counts_needed:
        n_test = X_test.shape[0] if hasattr(X_test, "shape") else len(X_test)
        known = None if several else classes
        said = estimator.predict(X_test)
        said = columns_in_order(said, classes, "predict") if several else said
        codes = check_predictions(said, n_test, known)
        found["predict"] = codes.astype(np.min_scalar_type(1 if several else len(classes)))
    for kind in kinds:
        found[kind] = respond(estimator, X_test, kind, classes, several)
    return found


def _observe_tags(
    counter: ChunkCounter, tagger: int, estimator: Any, X_test: Any, y_test: Any
) -> dict[str, Any]:
    """Return predicted tags that the counter can read."""
    found = observe_predictions(estimator, X_test, y_test)
    counter.count_one(y_test, found["predict"], tagger)
    return {"predict": [[str(tag) for tag in tags] for tags in found["predict"]]}
