"""What is compared: classes, labels, numbers, tags or items, and how it is counted.

Predictions are one table, wherever they come from (`Predictions`). Fits fill it: `collect` hands
each fitted estimator with its test set to `observe`, which keeps predictions or scores of
instances. Arrays fill it, of a test set or with the fold of each row. From there on, there is one
way: a target makes evidence of the table.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from types import MappingProxyType
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
from skbayeseval.evidence.counts import ConfusionCounts, MarginalCounts, PairedCounts
from skbayeseval.evidence.instance_scores import (
    RESPONSES,
    ScoredInstances,
    WeightedInstances,
    respond,
)
from skbayeseval.evidence.interface import Evidence
from skbayeseval.evidence.predicted_numbers import PredictedNumbers, check_numbers
from skbayeseval.evidence.units import UnitCounts, count_codes
from skbayeseval.evidence.validated_rows import (
    ChunkRows,
    ClassRows,
    LabelRows,
    ScoreRows,
    ValidatedRows,
)
from skbayeseval.metrics.any_metric import AnyMetric
from skbayeseval.metrics.metric import Metric, ScoreMetric, Totals
from skbayeseval.metrics.scoring import is_of_numbers, resolve_scoring
from skbayeseval.posterior.build import check_true_classes
from skbayeseval.sequences import check_sentences
from skbayeseval.splitting.collect import Collection, Observe, observe_predictions
from skbayeseval.splitting.out_of_fold import OutOfFold


@dataclass(frozen=True, eq=False, kw_only=True)
class Predictions:
    """What was said of instances in test sets: a row for each instance in each of them.

    Attributes
    ----------
    number : int
        The number of instances.
    instance : ndarray of shape (n_rows,) or None
        The position of the instance in the data; None if each instance is a row.
    split : ndarray of shape (n_rows,) or None
        The split, or fold, in which it was tested, numbered from 0; None for a single test set.
    truth : array-like
        What was true of each row.
    said : dict of str to dict
        For each classifier, what is known of each row: "predict", and scores by their kind.
    group : ndarray of shape (n_rows,) or None
        The group of the instance.
    sample_weight : ndarray of shape (n_rows,) or None
        How much each row counts.
    weight : float
        The published weight of one row.
    counted : PairedCounts or None
        How many rows of each kind there are, if that is all that is asked of labels.
    """

    number: int
    instance: Any
    split: Array | None = None
    truth: Any
    said: Mapping[str, Mapping[str, Any]]
    group: Array | None = None
    sample_weight: Array | None = None
    weight: float = 1.0
    counted: PairedCounts | None = None

    @property
    def unit(self) -> Array:
        """The unit of each row: its group, or the instance."""
        return self.instance if self.group is None else self.group

    @property
    def units(self) -> dict[str, Any]:
        """What constructors of evidence take of units, and the weight of their rows."""
        return {"groups": self.group, "instances": self.instance, "weight": self.weight}

    @cached_property
    def parts(self) -> list[Array]:
        """The rows of each split."""
        assert self.split is not None
        return np.split(np.arange(len(self.split)), np.cumsum(np.bincount(self.split))[:-1])

    def of_split(self, rows: Array) -> Predictions:
        """Return the rows of one split, as those of a test set."""
        said = {
            name: {what: _safe_indexing(values, rows) for what, values in of_one.items()}
            for name, of_one in self.said.items()
        }
        return Predictions(
            number=self.number,
            instance=self.instance[rows],
            truth=_safe_indexing(self.truth, rows),
            said=said,
            sample_weight=None if self.sample_weight is None else self.sample_weight[rows],
        )

    def out_of_fold(self, described: Mapping[str, Any], index: Any) -> OutOfFold:
        """Return the predictions of each split, and the truth of each instance."""
        first = np.zeros(self.number, dtype=np.intp)  # a row of each instance
        first[self.instance] = np.arange(len(self.instance))
        smallest = np.min_scalar_type(self.number)
        tests = [self.instance[rows].astype(smallest) for rows in self.parts]
        said = {
            name: [_safe_indexing(of_one["predict"], rows) for rows in self.parts]
            for name, of_one in self.said.items()
        }
        known = {"truth": _safe_indexing(self.truth, first), "index": index, **described}
        return OutOfFold(self.number, tests, said, **known)


class CollectedEvidence(NamedTuple):
    """What a posterior is made of.

    Attributes
    ----------
    evidence : Evidence
        The evidence.
    scored : WeightedInstances or None
        What metrics of instance weights are computed from, if it is not the evidence.
    rows, scored_rows : ValidatedRows or None
        The same row by row, for metrics of counts and of instance scores; None of a test set.
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
        The truth: of all instances, or of the rows of predictions that were made elsewhere.
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
    described : dict or None
        What predictions that are kept mean, as `OutOfFold` has it; None if none are kept.
    """

    metrics: dict[str, Metric]
    truth: Any
    sample_weight: Any = None
    counted: PairedCounts | None = None
    described: Mapping[str, Any] | None = MappingProxyType({})

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

    def said(self, given: Any) -> Mapping[str, Mapping[str, Any]]:
        """Return what is kept of predictions that were made elsewhere."""
        return {name: {"predict": said} for name, said in given.predictions.items()}

    def observer(self, name: str) -> Observe:
        """Return the function that says what is kept of a fit of the estimator `name`."""
        raise NotImplementedError

    def check_splits(self, truths: Sequence[Any]) -> None:
        """Raise if there are too few test sets, or a metric is not defined for one of them."""

    def rows_of(
        self, instance: Array, said: Mapping[str, Mapping[str, Any]], split: Array | None = None
    ) -> Predictions:
        """Return the table of what was said of instances, given by their positions."""
        return Predictions(
            number=number_of_samples(self.y, self.where),
            instance=instance,
            split=split,
            truth=_safe_indexing(self.truth, instance),
            said=said,
            group=None if self.groups is None else self.groups[instance],
        )

    def of_fits(self, collection: Collection) -> Predictions:
        """Return the table of what fits said, in the splits that did not fail."""
        instance, split = collection.tested()
        kept = collection.runs[self.names[0]][collection.kept[0]].observed
        said = {name: {what: collection.pooled(name, what) for what in kept} for name in self.names}
        return replace(self.rows_of(instance, said, split), weight=collection.weight)

    def perfect(self) -> CollectedEvidence:
        """Return what estimators without an error would give."""
        everywhere = np.arange(number_of_samples(self.y, self.where))
        return self.collected(self.rows_of(everywhere, self._true()))

    def _true(self) -> Mapping[str, Mapping[str, Any]]:
        """Return the truth of all instances in the form of predictions."""
        return {key: {"predict": self.truth} for key in self.names}

    def collected(self, table: Predictions) -> CollectedEvidence:
        """Return the evidence of predictions."""
        raise NotImplementedError

    def scores(self, name: str, table: Predictions) -> Mapping[str, float]:
        """Return the value of each metric in one split, as scikit-learn's scorers give it."""
        found = self.collected(replace(table, said={name: table.said[name]}, group=None))
        of_rows = found.scored or found.evidence
        return {
            key: score_counts(metric, found.evidence.margin(0))
            if metric.source == "tables"
            else of_rows.observed(metric)[0]
            for key, metric in self.metrics.items()
        }

    def split_scores(self, name: str, collection: Collection) -> dict[str, Array]:
        """Return for each metric its value in each split, NaN where a fit failed."""
        each, missing = [], dict.fromkeys(self.metrics, np.nan)
        for (_, test), run in zip(collection.splits, collection.runs[name], strict=True):
            said = {name: run.observed}
            each.append(missing if run.error else self.scores(name, self.rows_of(test, said)))
        return {key: np.array([scores[key] for scores in each]) for key in self.metrics}

    def predicted(self, observed: Mapping[str, Any]) -> Any:
        """Return the predictions of a fit as the estimator gave them; None if none were kept."""
        return observed.get("predict")


class LabelTarget(Target):
    """Classes, or the labels of a multi-label indicator."""

    classes: tuple[Any, ...]
    # Those that scores are of, if they were made elsewhere.
    scored_classes: tuple[Any, ...] = ()
    # Whether every class is known to be one, and need not occur.
    declared = True

    def _resolve(self, sources: Mapping[str, Any], options: Any) -> None:
        self.pos_label = pos_label = options.pos_label
        self.several = is_indicator(self.y)
        if self.several and pos_label is not None:
            raise ValueError(
                f"pos_label={in_short(pos_label)} was given, but {self.where} is a multi-label "
                "indicator, which has no positive class."
            )
        self.class_of_scores = pos_label
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
        meaning = {"labels" if self.several else "classes": self.classes}
        self.described = meaning if self.counts_needed else None

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
        needing = [m.name for m in metrics if m.is_area]
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

    def _true(self) -> Mapping[str, Mapping[str, Any]]:
        """Return the true labels as predictions, and as scores."""
        observed = {"predict": self.truth}
        if self.kinds:
            truth = self.truth
            scores = truth.toarray() if self.several else np.eye(len(self.classes))[truth]
            observed |= dict.fromkeys(self.kinds, scores)
        return dict.fromkeys(self.names, observed)

    def collected(self, table: Predictions) -> CollectedEvidence:
        """Return the evidence of predictions."""
        split, weighted = table.split, table.sample_weight
        scored, scored_rows = self._scored(table) if self.kinds else None, None
        if scored is not None:
            if split is not None:
                scored_rows = ScoreRows(table.instance, table.unit, split, scored)
            if not self.counts_needed:
                return CollectedEvidence(scored, scored_rows=scored_rows)
        counts: Evidence
        counted: ValidatedRows | None = None
        if table.counted is not None:
            counts = table.counted
            if len(self.names) == 1:  # alone, it has the model of one
                counts = MarginalCounts(counts.margins(), table.counted)
            return CollectedEvidence(counts, scored)
        predictions = {self.called[name]: said["predict"] for name, said in table.said.items()}
        if self.several:
            counts = UnitCounts.from_indicators(
                table.truth,
                predictions,
                labels=self.classes,
                sample_weight=weighted,
                **table.units,
            )
            if split is not None:
                said = tuple(check_indicator(p, name) for name, p in predictions.items())
                counted = LabelRows(
                    table.instance, table.unit, split, table.truth, said, sample_weight=weighted
                )
            return CollectedEvidence(counts, scored, counted, scored_rows)
        columns = np.column_stack([said.astype(np.intp) for said in predictions.values()])
        counts = count_codes(
            table.truth,
            columns,
            self.classes,
            pos_label=self.pos_label,
            declared=self.declared,
            sample_weight=weighted,
            **table.units,
        )
        if split is not None:
            counted = ClassRows(
                table.instance,
                table.unit,
                split,
                table.truth,
                columns,
                len(self.classes),
                self.positive,
                weighs_units=isinstance(counts, UnitCounts),
                sample_weight=weighted,
            )
        return CollectedEvidence(counts, scored, counted, scored_rows)

    def _scored(self, table: Predictions) -> ScoredInstances:
        """Return the scores of instances that metrics need."""
        scores = {
            f"Instance scores of {name!r}": {
                kind: said[what] for kind, what in self.kinds.items() if what in said
            }
            for name, said in table.said.items()
        }
        truth = table.truth.toarray() if self.several else table.truth
        classes = self.scored_classes
        if "labels" in self.kinds or not classes:
            classes = self.classes
        elif classes != self.classes:  # others are predicted, but never true
            places = [classes.index(c) if c in classes else -1 for c in self.classes]
            truth = np.array(places)[truth]
        return ScoredInstances.from_codes(
            truth,
            scores,
            classes,
            pos_label=self.class_of_scores,
            run=table.split,
            sample_weight=table.sample_weight,
            **table.units,
        )

    def predicted(self, observed: Mapping[str, Any]) -> Any:
        """Return predicted labels, or a multi-label indicator; None if none were kept."""
        codes = observed.get("predict")
        return codes if self.several or codes is None else np.asarray(self.classes)[codes]


class ChunkTarget(Target):
    """Tags of sentences, whose chunks a counter counts."""

    described = MappingProxyType({"truth": None})

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
        self.truth = check_sentences(self.y, self.where)
        # A chunk is there or not.
        self.metrics = resolve_scoring("f1" if scoring is None else scoring, (0, 1))

    def observer(self, name: str) -> Observe:
        """Return the function that keeps the predicted tags."""
        return partial(_observe_tags, self.counter, self.names.index(name))

    def _true(self) -> Mapping[str, Mapping[str, Any]]:
        """Return the true tags, in the scheme of each tagger."""
        tags = self.counter.perfect(self.y)
        return {name: {"predict": tagged} for name, tagged in zip(self.names, tags, strict=True)}

    def collected(self, table: Predictions) -> CollectedEvidence:
        """Return the evidence of predictions."""
        tagged = [said["predict"] for said in table.said.values()]
        cells, types = self.counter.cells_and_types(table.truth, *tagged)
        tested = table.number if table.instance is None else len(np.unique(table.instance))
        if not cells[:, :4].any() and tested == table.number:
            raise ValueError(
                f"{self.where} must contain chunks, but counter={self.counter!r} finds none in it."
            )
        rows, instance, split = None, table.instance, table.split
        if table.group is None and not self.weighs_sentences:
            counts: Evidence = ChunkCounts.of_sentences(cells, table.weight, types)
            if split is not None:
                rows = ChunkRows(instance, instance, split, cells)
            return CollectedEvidence(counts, rows=rows)
        counts = UnitCounts.from_chunks(cells, **table.units, types=types)
        if split is not None:
            rows = ChunkRows(instance, table.unit, split, cells, weighs_units=True)
        return CollectedEvidence(counts, rows=rows)

    def scores(self, name: str, table: Predictions) -> dict[str, float]:
        """Return the value of each metric in one split."""
        said, tagger = table.said[name]["predict"], self.names.index(name)
        counts = self.counter.count_one(table.truth, said, tagger)
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
        self.sample_weight = getattr(options, "sample_weight", None)
        # As the score method of scikit-learn's regressors.
        self.metrics = resolve_scoring("r2" if scoring is None else scoring)

    def observer(self, name: str) -> Observe:
        """Return the function that keeps the predicted numbers."""
        return _observe_numbers

    def said(self, given: Any) -> Mapping[str, Mapping[str, Any]]:
        """Return predicted numbers."""
        n = len(self.truth)
        return {
            name: {"predict": check_numbers(said, name, n)}
            for name, said in given.predictions.items()
        }

    def check_splits(self, tests: Sequence[Array]) -> None:
        """Raise where a metric is not defined for a test set."""
        name = self.names[0]
        for split, test in enumerate(tests):
            try:
                perfect = {name: {"predict": self.truth[test]}}
                self.scores(name, self.rows_of(test, perfect))
            except ValueError as error:
                raise ValueError(
                    f"{error} This is so in the test set of split {split}: use fewer splits, or "
                    "another metric."
                ) from error

    def collected(self, table: Predictions) -> CollectedEvidence:
        """Return the evidence of predictions."""
        numbers = PredictedNumbers.from_predictions(
            table.truth,
            {self.called[name]: said["predict"] for name, said in table.said.items()},
            sample_weight=table.sample_weight,
            run=table.split,
            **table.units,
        )
        rows = None
        if table.split is not None:
            rows = ScoreRows(table.instance, table.unit, table.split, numbers)
        return CollectedEvidence(numbers, scored_rows=rows)


def count_one(truth: Any, predictions: Any, classes: Any, pos_label: Any) -> Any:
    """Count the predictions of one classifier: of classes, or of a multi-label indicator."""
    if is_indicator(truth):
        return UnitCounts.from_indicators(truth, {"predict": predictions}).margin(0)
    return ConfusionCounts.from_labels(truth, predictions, labels=classes, pos_label=pos_label)


def score_learner(
    metric: Metric | AnyMetric,
    classes: tuple[Any, ...],
    pos_label: Any,
    estimator: Any,
    X: Any,
    y: Any,
) -> float:
    """Return a metric of a fitted estimator as scikit-learn's scorer gives it."""
    if isinstance(metric, AnyMetric):
        return float(metric.of_each(np.asarray(y), np.asarray(estimator.predict(X))).mean())
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
    if not counts.has_table:
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
