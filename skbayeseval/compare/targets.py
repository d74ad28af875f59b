"""What is compared: classes, labels, numbers, tags or items, and how it is counted.

What cross-validation keeps is a target's business. `collect` fits, and hands each fitted estimator
with its test set to `observe`: predictions, scores of instances, or the values of scorers.
Predictions that were made elsewhere are a cross-validation with one split.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property, partial
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from sklearn.base import is_classifier
from sklearn.utils import _safe_indexing

from skbayeseval._arrays import (
    Array,
    check_same_length,
    columns_in_order,
    in_short,
    number_of_samples,
)
from skbayeseval._labels import (
    check_indicator,
    check_label_vector,
    encode_labels,
    indicator_labels,
    is_indicator,
    resolve_pos_label,
)
from skbayeseval.evidence.chunks import ChunkCounter, ChunkCounts, check_counter
from skbayeseval.evidence.instance_scores import (
    RESPONSES,
    ScoredInstances,
    WeightedInstances,
    respond,
)
from skbayeseval.evidence.interface import Evidence
from skbayeseval.evidence.one_classifier import ConfusionCounts
from skbayeseval.evidence.predicted_numbers import PredictedNumbers, check_numbers
from skbayeseval.evidence.units import UnitCounts, count_codes
from skbayeseval.evidence.validated_rows import (
    ChunkRows,
    ClassRows,
    LabelRows,
    ScoreRows,
    ValidatedRows,
)
from skbayeseval.metrics.any_metric import PerInstance
from skbayeseval.metrics.metric import Metric, ScoreMetric, Totals
from skbayeseval.metrics.scoring import is_of_numbers, resolve_scoring
from skbayeseval.posterior.build import check_true_classes
from skbayeseval.sequences import check_sentences
from skbayeseval.splitting.collect import Collection, Observe, observe_predictions
from skbayeseval.splitting.out_of_fold import OutOfFold


class CollectedEvidence(NamedTuple):
    """What a posterior is made of.

    Attributes
    ----------
    evidence : Evidence
        The evidence.
    scored : WeightedInstances or None
        What metrics of instance weights are computed from, if it is not the evidence.
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
        return self._replace(evidence=self.evidence.with_weight(weight), scored=scored)


class Target:
    """The truth, and what is kept and counted of what is said of it.

    Parameters
    ----------
    y : array-like
        The truth.
    sources : mapping
        Estimators by name; or what was predicted elsewhere, by the names of arguments.
    options : CrossValidationOptions or GivenPredictions
        What users chose: `scoring`, `labels`, `pos_label`, `counter` and `model`.
    groups : array-like or None
        The group of each instance.
    where : str, default="y"
        The argument that the truth was passed as.

    Attributes
    ----------
    metrics : dict of str to Metric
        What is computed.
    names : tuple of str
        The keys of `sources`.
    called : dict of str to str
        What errors call the predictions of each.
    groups : ndarray or None
        The number of each instance's group.
    """

    metrics: dict[str, Metric]

    def __init__(
        self, y: Any, sources: Mapping[str, Any], options: Any, groups: Any, where: str = "y"
    ) -> None:
        self.y, self.where, self.names = y, where, tuple(sources)
        of_estimators = where == "y"
        self.called = {
            name: f"Predictions of {name!r}" if of_estimators else name for name in sources
        }
        self.groups: Array | None = None
        if groups is not None:
            labels = check_label_vector(groups, "groups", classes=False)
            check_same_length(**{"groups": labels, where: y})
            self.groups = np.ravel(np.unique(labels, return_inverse=True)[1])
        self._resolve(sources, options)

    def _resolve(self, sources: Mapping[str, Any], options: Any) -> None:
        """Check the truth and the options, and find the metrics."""
        raise NotImplementedError

    @cached_property
    def n_samples(self) -> int:
        """The number of instances."""
        return number_of_samples(self.y, self.where)

    def weight_together(self, groups: Array | None) -> None:
        """Take groups, as numbers of instances, for the unit of the evidence."""
        self.groups = groups

    def keep(self, name: str, predictions: Any) -> Mapping[str, Any]:
        """Return what is kept of predictions of all instances that were made elsewhere."""
        return {"predict": predictions}

    def observer(self, name: str) -> Observe:
        """Return the function that says what is kept of a fit of the estimator `name`."""
        raise NotImplementedError

    def check_splits(self, tests: Sequence[Array]) -> None:
        """Raise if there are too few test sets, or a metric is not defined for one of them."""

    def perfect(self) -> Mapping[str, Mapping[str, Any]]:
        """Return what would be kept of estimators without an error, tested on all instances."""
        raise NotImplementedError

    def rehearsal(self) -> CollectedEvidence:
        """Return what estimators without an error would give."""
        return self.in_one_split(self.perfect())

    def in_one_split(
        self, observed: Mapping[str, Mapping[str, Any]], weight: float = 1.0
    ) -> CollectedEvidence:
        """Return the evidence of what was observed of all instances at once."""
        return self.collected(_one_split(np.arange(self.n_samples), observed, weight))

    def collected(self, collection: Collection) -> CollectedEvidence:
        """Return the evidence of the splits that did not fail."""
        raise NotImplementedError

    def scores(self, name: str, test: Array, observed: Mapping[str, Any]) -> Mapping[str, float]:
        """Return the value of each metric in one split."""
        raise NotImplementedError

    def split_scores(self, name: str, collection: Collection) -> dict[str, Array]:
        """Return for each metric its value in each split, NaN where a fit failed."""
        runs = collection.runs[name]
        values = {key: np.full(len(runs), np.nan) for key in self.metrics}
        for i, run in enumerate(runs):
            if run.error is None:
                scores = self.scores(name, collection.splits[i][1], run.observed)
                for key in self.metrics:
                    values[key][i] = scores[key]
        return values

    def predicted(self, observed: Mapping[str, Any]) -> Any:
        """Return the predictions of a fit as the estimator gave them; None if none were kept."""
        return observed.get("predict")

    def out_of_fold(self, collection: Collection) -> OutOfFold | None:
        """Return the predictions for the test sets; None if none were kept."""
        return collection.out_of_fold(self.n_samples)

    def _groups_of(self, rows: Array) -> Array | None:
        return None if self.groups is None else self.groups[rows]


class LabelTarget(Target):
    """Classes, or the labels of a multi-label indicator."""

    classes: tuple[Any, ...]
    truth: Any

    def _resolve(self, sources: Mapping[str, Any], options: Any) -> None:
        self.pos_label = pos_label = options.pos_label
        self.several = is_indicator(self.y)
        if self.several and pos_label is not None:
            raise ValueError(
                f"pos_label={in_short(pos_label)} was given, but {self.where} is a multi-label "
                "indicator, which has no positive class."
            )
        self._find_classes(self.y, options)
        positive = resolve_pos_label(self.classes, pos_label)
        self.positive = 0 if positive is None else self.classes.index(positive)
        self.metrics = resolve_scoring(options.scoring, self.classes, self.several, pos_label)
        of_scores = [m for m in self.metrics.values() if isinstance(m, ScoreMetric)]
        # The kinds of scores that metrics need, and what is observed of them.
        kinds = sorted({m.needs for m in of_scores})
        self.kinds = {kind: "predict" if kind == "labels" else kind for kind in kinds}
        self._needs_tables = len(of_scores) < len(self.metrics)
        self.counts_needed = self._needs_tables or "labels" in self.kinds

    def _find_classes(self, y: Any, options: Any) -> None:
        """Find the classes, or labels, and encode the truth as positions among them."""
        if self.several:
            self.truth = check_indicator(y, self.where)
            named = y if hasattr(y, "columns") else self.truth
            self.classes = indicator_labels(named, options.labels, self.where)
            return
        vector = check_label_vector(y, self.where)
        present = np.unique(vector).tolist()
        check_true_classes(present, self.where)
        labels = tuple(present) if options.labels is None else options.labels
        self.classes, (self.truth,) = encode_labels([(self.where, vector)], labels)

    def observer(self, name: str) -> Observe:
        """Return the function that keeps the predictions and the scores that metrics need."""
        kinds = tuple(self.kinds)
        return partial(_observe_labels, self.classes, self.several, kinds, self.counts_needed)

    def check_splits(self, tests: Sequence[Array]) -> None:
        """Raise where a metric of instance scores is not defined for a test set."""
        metrics = self.metrics.values()
        needing = [m.name for m in metrics if isinstance(m, ScoreMetric) and not m.of_means]
        for split, test in enumerate(tests) if needing else ():
            present = self.truth[test]
            if self.several:
                numbers = np.ravel(present.sum(axis=0))
                absent = (numbers == 0) | (numbers == len(test))
            else:
                absent = np.bincount(present, minlength=len(self.classes)) == 0
            if absent.any():
                which = [c for c, gone in zip(self.classes, absent, strict=True) if gone]
                raise ValueError(
                    f"scoring={needing[0]!r} is not defined in split {split}, where all or none "
                    f"of the test set are of {which}. Use fewer or stratified splits, or another "
                    "metric."
                )

    def perfect(self) -> Mapping[str, Mapping[str, Any]]:
        """Return the true labels as predictions, and as scores."""
        observed = {"predict": self.truth}
        if self.kinds:
            truth = self.truth
            scores = truth.toarray() if self.several else np.eye(len(self.classes))[truth]
            observed |= dict.fromkeys(self.kinds, scores)
        return dict.fromkeys(self.names, observed)

    def collected(self, collection: Collection) -> CollectedEvidence:
        """Return the evidence of the splits that did not fail."""
        rows, split = collection.tested()
        weight = collection.weight
        groups = self._groups_of(rows)
        units = rows if groups is None else groups
        scored = scored_rows = None
        if self.kinds:
            scores = {
                f"Instance scores of {name!r}": {
                    kind: collection.pooled(name, what) for kind, what in self.kinds.items()
                }
                for name in self.names
            }
            scored = self._scored(rows, scores, weight, split)
            scored_rows = ScoreRows(rows, units, split, scored)
            if not self.counts_needed:
                return CollectedEvidence(scored, scored_rows=scored_rows)
        truth = self.truth[rows]
        predictions = {name: collection.pooled(name) for name in self.names}
        counts: Evidence
        counted: ValidatedRows
        if self.several:
            named = {self.called[name]: predicted for name, predicted in predictions.items()}
            counts = UnitCounts.from_indicators(
                truth, named, labels=self.classes, weight=weight, groups=groups, instances=rows
            )
            indicators = tuple(check_indicator(p, name) for name, p in predictions.items())
            counted = LabelRows(rows, units, split, truth, indicators)
            return CollectedEvidence(counts, scored, counted, scored_rows)
        columns = np.column_stack([predicted.astype(np.intp) for predicted in predictions.values()])
        classes, grouped = (len(self.classes), self.positive), groups is not None
        counted = ClassRows(rows, units, split, truth, columns, *classes, weighs_units=grouped)
        options: Any = {"groups": groups, "pos_label": self.pos_label, "weight": weight}
        counts = count_codes(truth, columns, self.classes, instances=rows, **options)
        return CollectedEvidence(counts, scored, counted, scored_rows)

    def _scored(
        self, rows: Array, scores: Mapping[str, Any], weight: float = 1.0, run: Array | None = None
    ) -> ScoredInstances:
        return ScoredInstances.from_codes(
            self.truth[rows].toarray() if self.several else self.truth[rows],
            scores,
            self.classes,
            pos_label=self.pos_label,
            weight=weight,
            groups=self._groups_of(rows),
            instances=rows,
            run=run,
        )

    def scores(self, name: str, test: Array, observed: Mapping[str, Any]) -> dict[str, float]:
        """Return the value of each metric in one split."""
        values = {}
        if self.kinds:
            scores = {kind: observed[what] for kind, what in self.kinds.items()}
            scored = self._scored(test, {name: scores})
            of_scores = {k: m for k, m in self.metrics.items() if m.source == "instances"}
            values = {key: scored.observed(metric)[0] for key, metric in of_scores.items()}
        of_counts = {key: m for key, m in self.metrics.items() if m.source == "tables"}
        if of_counts and self.several:
            counts: Any = count_one(self.truth[test], observed["predict"], self.classes, None)
        elif of_counts:
            table = np.zeros((len(self.classes), len(self.classes)))
            np.add.at(table, (self.truth[test], observed["predict"]), 1)
            counts = ConfusionCounts.from_matrix(
                table, labels=self.classes, pos_label=self.pos_label
            )
        return values | {key: score_counts(m, counts) for key, m in of_counts.items()}

    def predicted(self, observed: Mapping[str, Any]) -> Any:
        """Return predicted labels, or a multi-label indicator; None if none were kept."""
        codes = observed.get("predict")
        return codes if self.several or codes is None else np.asarray(self.classes)[codes]

    def out_of_fold(self, collection: Collection) -> OutOfFold | None:
        """Return the predicted labels, or label indicators; None if none were kept."""
        if not self.counts_needed:
            return None
        classes, labels = (None, self.classes) if self.several else (self.classes, None)
        return collection.out_of_fold(self.n_samples, classes, labels, self.truth)


class ChunkTarget(Target):
    """Tags of sentences, whose chunks a counter counts."""

    def _resolve(self, sources: Mapping[str, Any], options: Any) -> None:
        if options.labels is not None or options.pos_label is not None:
            raise ValueError(
                "labels and pos_label do not apply with counter=. To select types of chunks, pass "
                "chunk_counter(..., types=...)."
            )
        counter, scoring = options.counter, options.scoring
        check_counter(counter)
        if len(self.names) != 2:
            raise ValueError(
                f"counter= compares two taggers, but there are {len(self.names)} estimators. "
                "Compare them in pairs."
            )
        self.counter, model = counter, options.model
        # Published models take chunks for independent. By default, sentences are weighted.
        self.weighs_sentences = getattr(model, "weights_units", str(model) != "bcv")
        check_sentences(self.y, self.where)
        # A chunk is there or not.
        self.metrics = resolve_scoring("f1" if scoring is None else scoring, (0, 1))

    def observer(self, name: str) -> Observe:
        """Return the function that keeps the predicted tags."""
        return partial(_observe_tags, self.counter, self.names.index(name))

    def perfect(self) -> Mapping[str, Mapping[str, Any]]:
        """Return the true tags, in the scheme of each tagger."""
        tags = self.counter.perfect(self.y)
        return {name: {"predict": tagged} for name, tagged in zip(self.names, tags, strict=True)}

    def collected(self, collection: Collection) -> CollectedEvidence:
        """Return the evidence of the splits that did not fail."""
        tagged = [
            [tags for i in collection.kept for tags in collection.runs[name][i].observed["predict"]]
            for name in self.names
        ]
        rows, split = collection.tested()
        weight, groups = collection.weight, self._groups_of(rows)
        cells, types = self.counter.cells_and_types(_safe_indexing(self.y, rows), *tagged)
        if not cells[:, :4].any() and len(np.unique(rows)) == self.n_samples:
            raise ValueError(
                f"{self.where} must contain chunks, but counter={self.counter!r} finds none in it."
            )
        if groups is None and not self.weighs_sentences:
            counts: Evidence = ChunkCounts.of_sentences(cells, weight, types)
            return CollectedEvidence(counts, rows=ChunkRows(rows, rows, split, cells))
        counts = UnitCounts.from_chunks(cells, groups, weight=weight, instances=rows, types=types)
        units = rows if groups is None else groups
        return CollectedEvidence(
            counts, rows=ChunkRows(rows, units, split, cells, weighs_units=True)
        )

    def scores(self, name: str, test: Array, observed: Mapping[str, Any]) -> dict[str, float]:
        """Return the value of each metric in one split."""
        truth, tagger = _safe_indexing(self.y, test), self.names.index(name)
        counts = self.counter.count_one(truth, observed["predict"], tagger)
        return {key: score_counts(metric, counts) for key, metric in self.metrics.items()}


class NumberTarget(Target):
    """Numbers that regressors predict. Metrics are computed within splits and averaged."""

    def _resolve(self, sources: Mapping[str, Any], options: Any) -> None:
        scoring = options.scoring
        if options.labels is not None or options.pos_label is not None:
            raise ValueError(
                "labels and pos_label do not apply to metrics of numbers. Omit them, or choose a "
                "metric of classes."
            )
        tagged = {n: source for n, source in sources.items() if hasattr(source, "__sklearn_tags__")}
        classifiers = [name for name, source in tagged.items() if is_classifier(source)]
        if classifiers and not is_of_numbers(scoring):
            raise ValueError(
                f"Estimator {classifiers[0]!r} is a classifier, but another one is a regressor. "
                "Compare estimators of the same kind, or pass a metric of numbers, such as "
                "scoring='neg_mean_absolute_error'."
            )
        self.truth = check_numbers(self.y, self.where)
        self.sample_weight = options.sample_weight
        # As the score method of scikit-learn's regressors.
        self.metrics = resolve_scoring("r2" if scoring is None else scoring)

    def observer(self, name: str) -> Observe:
        """Return the function that keeps the predicted numbers."""
        return _observe_numbers

    def keep(self, name: str, predictions: Any) -> Mapping[str, Any]:
        """Return predicted numbers."""
        return {"predict": check_numbers(predictions, name, len(self.truth))}

    def check_splits(self, tests: Sequence[Array]) -> None:
        """Raise where a metric is not defined for a test set."""
        for split, test in enumerate(tests):
            try:
                self.scores(self.names[0], test, {"predict": self.truth[test]})
            except ValueError as error:
                raise ValueError(
                    f"{error} This is so in the test set of split {split}: use fewer splits, or "
                    "another metric."
                ) from error

    def perfect(self) -> Mapping[str, Mapping[str, Any]]:
        """Return the true numbers."""
        return {name: {"predict": self.truth} for name in self.names}

    def collected(self, collection: Collection) -> CollectedEvidence:
        """Return the evidence of the splits that did not fail."""
        rows, split = collection.tested()
        groups = self._groups_of(rows)
        units = rows if groups is None else groups
        numbers = PredictedNumbers.from_predictions(
            self.truth[rows],
            {self.called[name]: collection.pooled(name) for name in collection.runs},
            weight=collection.weight,
            groups=groups,
            sample_weight=self.sample_weight,
            instances=rows,
            run=split,
        )
        return CollectedEvidence(numbers, scored_rows=ScoreRows(rows, units, split, numbers))

    def out_of_fold(self, collection: Collection) -> OutOfFold:
        """Return the predicted numbers."""
        return collection.out_of_fold(self.n_samples, truth=self.truth)

    def scores(self, name: str, test: Array, observed: Mapping[str, Any]) -> dict[str, float]:
        """Return the value of each metric in one split."""
        numbers = self.collected(_one_split(test, {name: observed})).evidence
        return {key: numbers.observed(metric)[0] for key, metric in self.metrics.items()}


def _one_split(
    rows: Array, observed: Mapping[str, Mapping[str, Any]], weight: float = 1.0
) -> Collection:
    """Return what was observed of some instances as the outputs in one split."""
    runs: dict[str, Any] = {name: [SimpleNamespace(observed=o)] for name, o in observed.items()}
    return Collection([(rows, rows)], [0], runs, weight=weight)


def count_one(truth: Any, predictions: Any, classes: Any, pos_label: Any) -> Any:
    """Count the predictions of one classifier: of classes, or of a multi-label indicator."""
    if is_indicator(truth):
        return UnitCounts.from_indicators(truth, {"predict": predictions}).margin(0)
    return ConfusionCounts.from_labels(truth, predictions, labels=classes, pos_label=pos_label)


def score_learner(
    metric: Metric | PerInstance,
    classes: tuple[Any, ...],
    pos_label: Any,
    estimator: Any,
    X: Any,
    y: Any,
) -> float:
    """Return a metric of a fitted estimator as scikit-learn's scorer gives it."""
    if isinstance(metric, PerInstance):
        return float(metric.values(np.asarray(y), np.asarray(estimator.predict(X))).mean())
    if metric.source == "numbers":
        numbers = PredictedNumbers.from_predictions(y, {"y_pred": estimator.predict(X)})
        return numbers.observed(metric)[0]
    if metric.source == "instances":
        needs, of_labels = metric.needs, metric.needs == "labels"
        observed = _observe_labels(classes, is_indicator(y), (needs,), of_labels, estimator, X, y)
        scores = {"scores": {needs: observed["predict" if of_labels else needs]}}
        scored = ScoredInstances.from_scores(y, scores, labels=classes, pos_label=pos_label)
        return scored.observed(metric)[0]
    return score_counts(metric, count_one(y, estimator.predict(X), classes, pos_label))


def score_counts(metric: Metric, counts: Any) -> float:
    """Return the metric value as scikit-learn's scorer gives it."""
    if counts.table is None:
        return float(metric.of_totals(Totals(counts.hits, counts.true, counts.predicted)))
    table = counts.table[None]
    occurs = (table.sum(axis=1) + table.sum(axis=2)) > 0  # scikit-learn averages over these
    return float(metric.over(occurs)(table, counts.positive or 0)[0])


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
    observed: dict[str, Any] = {}
    if counts_needed:
        predicted = observe_predictions(estimator, X_test, y_test)["predict"]
        if several:
            predicted = columns_in_order(predicted, classes, "predict")
            indicator = check_indicator(predicted, "predict")
            codes = indicator if sparse.issparse(predicted) else indicator.toarray()
        else:
            _, (codes,) = encode_labels([("predict", predicted)], classes)
        observed["predict"] = codes.astype(np.min_scalar_type(1 if several else len(classes)))
    for response in set(kinds) - {"labels"}:
        observed[response] = respond(estimator, X_test, response, classes, several)
        if not np.isfinite(observed[response]).all():
            raise ValueError(f"{' or '.join(RESPONSES[response])} returned NaN or infinity")
    return observed


def _observe_tags(
    counter: ChunkCounter, tagger: int, estimator: Any, X_test: Any, y_test: Any
) -> dict[str, Any]:
    """Return predicted tags that the counter can read."""
    predicted = observe_predictions(estimator, X_test, y_test)["predict"]
    counter.count_one(y_test, predicted, tagger)
    return {"predict": [[str(tag) for tag in tags] for tags in predicted]}


def _observe_numbers(estimator: Any, X_test: Any, y_test: Any) -> dict[str, Any]:
    """Return the predicted numbers."""
    predicted = observe_predictions(estimator, X_test, y_test)["predict"]
    return {"predict": check_numbers(predicted, "predict")}
