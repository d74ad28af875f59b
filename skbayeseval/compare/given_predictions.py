"""From predictions of the same instances, made elsewhere, to a result.

They fill the table that fits would have filled: of a test set, or of a cross-validation that has
run.

Unlikely data are compared, but not by a gate. Labels in two spellings and scores of the other class
may be right, so they give an `UnlikelyDataWarning`, a `UserWarning`. The command line prints
warnings as it prints errors. With `--gate` they are errors, because nobody reads warnings there.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np
import pandas as pd
from sklearn.utils import _safe_indexing

from skbayeseval._arrays import (
    as_array,
    as_numbers,
    check_rows,
    check_same_length,
    columns_in_order,
    in_short,
    named_labels,
    number_of_samples,
    wrong,
)
from skbayeseval._labels import (
    check_indicator,
    indicator_labels,
    is_indicator,
    kind_of_labels,
    resolve_pos_label,
)
from skbayeseval._running import has_bar
from skbayeseval._validation import UnlikelyDataWarning, warn_caller
from skbayeseval.compare.inference import (
    WEIGHTS,
    check_cv_weight,
    cv_scores,
    infer,
)
from skbayeseval.compare.ordered_rows import are_in_order, check_blocks
from skbayeseval.compare.targets import (
    ChunkTarget,
    CollectedEvidence,
    LabelTarget,
    NumberTarget,
    Predictions,
    Target,
)
from skbayeseval.evidence.counts import MOST_ROWS, PairedCounts
from skbayeseval.evidence.instance_scores import RESPONSES, ScoredInstances, encode_truth
from skbayeseval.evidence.instances import Instances, index_of
from skbayeseval.evidence.interface import Evidence
from skbayeseval.evidence.predicted_numbers import PredictedNumbers
from skbayeseval.evidence.units import check_sample_weight
from skbayeseval.metrics.any_metric import AnyMetric
from skbayeseval.metrics.metric import Metric, ScoreMetric
from skbayeseval.metrics.registry import get_metric
from skbayeseval.metrics.scoring import (
    is_of_numbers,
    is_scorer,
    resolve_scoring,
    routed_to_all,
    spelled_out,
)
from skbayeseval.posterior.build import check_true_classes
from skbayeseval.posterior.inferred_weight import InferredWeights
from skbayeseval.results.result import Result
from skbayeseval.splitting.collect import CrossValidation
from skbayeseval.splitting.splits import Folds, check_folds

# What is said of the predictions.
R = TypeVar("R", bound=Result)

# How to pass scores, by the argument for predictions.
SCORES = dict.fromkeys(("y_pred_a", "y_pred_b"), "y_score_a= and y_score_b=")
SCORES["y_pred"] = "y_score="

# What does not apply to predictions of anything else than classes.
OF_CLASSES = ("labels", "pos_label", "prevalence", "counts")

# A ROC AUC below this is that of a useful classifier whose scores are turned around.
FAR_BELOW_CHANCE = 0.35

# With fewer instances of a class, such a ROC AUC may be due to chance.
ENOUGH = 10


@dataclass(frozen=True, kw_only=True)
class GivenPredictions:
    """What is known of the same instances; the attributes are arguments of `compare_predictions`.

    `predictions` and `scores` are those of each classifier, by the names of their arguments; empty
    if there are none.
    """

    y_true: Any
    predictions: Mapping[str, Any]
    scores: Mapping[str, Any]
    scoring: Any
    labels: Any
    pos_label: Any
    model: Any
    weight: Any
    groups: Any
    sample_weight: Any
    prevalence: Any
    params: Any
    blocks: Any
    counts: Any
    folds: Any
    counter: Any = None
    engine: Any
    n_draws: Any
    random_state: Any

    def result(self, make_result: type[R], names: tuple[str, ...]) -> R:
        """Return what is said of the predictions; `make_result` is the class of the result."""
        more = {
            name: getattr(self, name) for name in ("groups", "sample_weight", "counts", "folds")
        }
        columns = {"y_true": self.y_true, **self.predictions, **self.scores, **more}
        check_rows(columns)
        given = replace(self, scoring=self._routed(columns))
        make_target = given._kind_of_target()
        folds, weight = None, 1.0 if self.weight is None else self.weight
        if self.folds is not None:
            given._check_of_folds(make_target)
            folds = check_folds(self.folds, number_of_samples(self.y_true, "y_true"))
            given, weight = given._tested(folds), self.weight
        elif isinstance(self.weight, str) and self.weight in WEIGHTS:
            raise ValueError(
                f"weight={self.weight!r} is of cross-validated predictions: pass folds=, the fold "
                "of each instance, or a number."
            )
        target = make_target(
            given.y_true, given.predictions or given.scores, given, given.groups, "y_true"
        )
        n = number_of_samples(self.y_true, "y_true")
        if self.blocks is not None:
            check_blocks(self.blocks, self.groups, n)
        tested = None if folds is None else folds.instance
        table = Predictions(
            number=n,
            instance=tested,
            split=None if folds is None else folds.split,
            truth=target.truth,
            said=target.said(given),
            group=target.groups,
            sample_weight=target.sample_weight,
            weight=weight if folds is None else folds.weight,
            counted=target.counted,
        )
        if folds is not None:
            target.check_splits(table.parts)
        index = index_of(columns.values())
        posterior, weights = infer(
            target,
            table,
            weight,
            (self.model, self.engine, self.n_draws, self.random_state),
            blocks=self.blocks,
            is_ordered=are_in_order(columns.values(), self.blocks),
            instances=Instances(n, index, tested),
            prevalence=self.prevalence,
        )
        if self.scores:
            scored: Any = posterior.scored or posterior.evidence
            warn_of_unlikely_scores(scored, list(self.scores), target.metrics.values())
        posterior.shows_progress = has_bar()
        record = None
        if folds is not None:
            record = self._record(folds, target, table, names, index, weights)
        return make_result(posterior, names, target.metrics, record)

    def _check_of_folds(self, make_target: type[Target]) -> None:
        """Raise if there are arguments that do not apply to cross-validated predictions."""
        if make_target is ItemTarget:
            self._check_absent("metrics of items", "folds")
        self._check_absent("predictions with folds=", "counts", "prevalence")
        if isinstance(self.model, str) and self.model == "scores":
            raise ValueError(
                "model='scores' models scores of splits: pass these to compare_scores, or omit "
                "model= to compare the predictions."
            )
        check_cv_weight(self.weight)

    def _tested(self, folds: Folds) -> GivenPredictions:
        """Return the same with a row for each instance and repeat in which it was tested."""

        def of_instances(values: Any) -> Any:
            return None if values is None else _safe_indexing(values, folds.instance)

        def of_repeats(values: Any, name: str) -> Any:
            if folds.shape[1] == 1 and len(getattr(values, "shape", ())) < 3:
                return of_instances(values)
            array = as_array(values, name)
            if array.shape[:2] != folds.shape:
                raise ValueError(
                    f"folds has {folds.shape[1]} repeats, so {name} must have the shape "
                    f"{folds.shape}, got {array.shape}."
                )
            return array[folds.instance, folds.repeat]

        if folds.shape[1] > 1 and (self.counter is not None or is_indicator(self.y_true)):
            raise ValueError(
                f"folds has {folds.shape[1]} repeats, but multi-label indicators and tags must "
                "have one. Compare the repeats one by one."
            )
        columns = {"y_true": self.y_true, **self.predictions, **self.scores}
        check_same_length(**columns, groups=self.groups, sample_weight=self.sample_weight)
        return replace(
            self,
            y_true=of_instances(self.y_true),
            predictions={name: of_repeats(said, name) for name, said in self.predictions.items()},
            scores={name: of_repeats(said, name) for name, said in self.scores.items()},
            groups=of_instances(self.groups),
            sample_weight=of_instances(self.sample_weight),
            weight=1.0,
        )

    def _record(
        self,
        folds: Folds,
        target: Target,
        table: Predictions,
        names: tuple[str, ...],
        index: pd.Index[Any] | None,
        weights: InferredWeights | None,
    ) -> CrossValidation:
        """Return what is known of the cross-validation that the predictions are of."""
        splits = [table.of_split(rows) for rows in table.parts]
        sizes = np.array([len(rows) for rows in table.parts])
        several = isinstance(self.scoring, (list, tuple, set, Mapping))
        scores, results = {}, {}
        for name, argument in zip(names, target.names, strict=True):
            each = [target.scores(argument, split) for split in splits]
            scores[name] = {key: np.array([one[key] for one in each]) for key in target.metrics}
            results[name] = cv_scores(scores[name], sizes, target, several=several)
        said = None
        if target.described is not None:
            by_argument = table.out_of_fold(target.described, index)
            by_name = dict(zip(names, by_argument.predictions.values(), strict=True))
            said = replace(by_argument, predictions=by_name)
        return CrossValidation(
            "folds as given",
            len(sizes),
            folds.sizes[0],
            results,
            {key: {name: scores[name][key] for name in names} for key in target.metrics},
            folds.sizes[1],
            folds.two_fold_repeats,
            published_weight=folds.weight,
            n_instances=table.number,
            out_of_fold=said,
            cautions=weights.cautions(names, target.metrics.values()) if weights else {},
        )

    def _routed(self, columns: Mapping[str, Any]) -> Any:
        """Return `scoring`, whose scorers and functions know the columns in `params`."""
        if not isinstance(self.params, Mapping | None):
            raise wrong("params", "a dict of columns, by their names", self.params, TypeError)
        if not self.params:
            return self.scoring
        check_rows({**columns, **self.params})
        n = number_of_samples(self.y_true, "y_true")
        return routed_to_all(self.scoring, self.params, n)

    def _kind_of_target(self) -> type[Target]:
        """Return what is compared: chunks, items of any kind, numbers, or classes and labels."""
        if self.counter is not None:
            self._check_absent("tags with counter=", *self.scores, *OF_CLASSES, "sample_weight")
            if not self.predictions:
                raise ValueError("counter= requires predicted tags, but these are None.")
            return ChunkTarget
        metrics = [metric for _, metric in spelled_out(self.scoring)]
        if any(isinstance(metric, AnyMetric) and metric.of_items for metric in metrics):
            self._check_absent("metrics of items", *self.scores, *OF_CLASSES, "sample_weight")
            return ItemTarget
        if self.scoring is not None and _are_numbers(
            self.scoring, [self.y_true, *self.predictions.values()]
        ):
            self._check_absent(
                "predictions of numbers, which have no classes", *self.scores, *OF_CLASSES
            )
            if not self.predictions:
                raise ValueError("Metrics of numbers require predictions, but these are None.")
            return NumberTarget
        if self.counts is not None:
            what = "rows that stand for several instances, as with counts="
            self._check_absent(what, *self.scores, "groups", "blocks", "sample_weight")
        return GivenLabels

    def _check_absent(self, what: str, *names: str) -> None:
        """Raise if there are arguments of these names."""
        for name in names:
            if name in self.scores or getattr(self, name) is not None:
                raise ValueError(f"{name}= does not apply to {what}. Omit it.")


class ItemTarget(Target):
    """Items of any kind, for functions that are given the truth and what was said of each."""

    def _resolve(self, sources: Mapping[str, Any], options: Any) -> None:
        check_rows({self.where: self.y, **sources}, columns=True)
        self.metrics, self.truth = resolve_scoring(options.scoring), self.y

    def collected(self, table: Predictions) -> CollectedEvidence:
        """Return the items."""
        said = {name: of_one["predict"] for name, of_one in table.said.items()}
        options: Any = {"weight": table.weight, "groups": table.group}
        return CollectedEvidence(PredictedNumbers.from_items(table.truth, said, **options))


class GivenLabels(LabelTarget):
    """Predicted labels, which may be others than the true ones, and scores of the instances."""

    pairs: PairedCounts | None = None

    def _resolve(self, sources: Mapping[str, Any], options: Any) -> None:
        super()._resolve(sources, options)
        of_labels = [name for name, metric in self.metrics.items() if metric.needs == "labels"]
        if of_labels and not self.predictions:
            raise ValueError(
                f"scoring={of_labels[0]!r} requires predicted labels, but there are instance "
                "scores only. Pass predictions as well."
            )
        needed = self._needs_tables or (options.folds is not None and "labels" in self.kinds)
        self.counts_needed = bool(self.predictions) and needed
        self.described = self.described if self.counts_needed else None
        if options.counts is not None:
            if self.several:
                raise ValueError(
                    "counts= requires one label per instance, but y_true is a multi-label "
                    "indicator. Pass a row per instance."
                )
            for name, metric in self.metrics.items():
                if metric.source != "tables":
                    raise ValueError(
                        f"scoring={name!r} is computed from instances, but counts= was given. Pass "
                        "a row per instance, or a metric of predicted classes."
                    )
        self.kinds = {"labels": "predict"} if of_labels else {}
        if self.scores_given:
            self.kinds |= {kind: kind for kind in RESPONSES}
            self.class_of_scores = self._class_of_scores()
        if options.folds is options.groups is options.sample_weight is None:
            self.counted = self.pairs

    def _find_classes(self, y: Any, options: Any) -> None:
        """Count the predictions, which tells the classes; encode the truth where scores need it."""
        self.predictions, self.scores_given = options.predictions, options.scores
        metrics = [metric for _, metric in spelled_out(options.scoring)]
        beside = (options.groups, options.blocks, options.sample_weight, options.folds)
        # Whether more is asked than how many rows of each kind there are.
        self.by_row = (
            bool(self.scores_given)
            or any(not isinstance(metric, str | None) or is_scorer(metric) for metric in metrics)
            or any(one is not None for one in beside)
        )
        if options.sample_weight is not None:
            n = number_of_samples(y, "y_true")
            self.sample_weight = check_sample_weight(options.sample_weight, n)
        labels = options.labels
        if not self.predictions and not self.scores_given:
            raise ValueError(
                "There is nothing to compare: pass predictions, instance scores, or both."
            )
        if self.several and labels is None:
            labels = named_labels([y, *self.predictions.values(), *self.scores_given.values()])
        try:
            if self.scores_given:
                self.classes, self.truth_of_scores = encode_truth(y, labels)
                self.scored_classes, self.truth = self.classes, self.truth_of_scores
            if self.several:
                self.truth = check_indicator(y, "y_true")
                named = y if hasattr(y, "columns") else self.truth
                self.classes = indicator_labels(named, labels, "y_true")
            elif self.predictions:
                self.pairs = PairedCounts.from_labels(
                    y,
                    self.predictions,
                    labels=labels,
                    pos_label=options.pos_label,
                    weight=1.0 if options.weight is None else options.weight,
                    counts=options.counts,
                    most_rows=math.inf if self.by_row else MOST_ROWS,
                )
                self.classes, self.declared = self.pairs.labels, labels is not None
                self.truth = self.pairs.truth[self.pairs.outcome] if self.by_row else None
        except ValueError:
            if not self.several and kind_of_labels(y) == "continuous":
                resolve_scoring(options.scoring)  # a metric that is not known is told first
            elif not self.several:
                check_no_scores(self.predictions)
            raise
        if self.pairs is not None:
            present = np.flatnonzero(self.pairs.margin(0).true)
            check_true_classes([self.classes[i] for i in present], "y_true")
            check_spelling(self.pairs, list(self.predictions), "y_true")

    def said(self, given: GivenPredictions) -> dict[str, dict[str, Any]]:
        """Return the positions of predicted classes, or indicators, and scores by their kinds."""
        said: dict[str, dict[str, Any]] = {name: {} for name in self.names}
        if self.several:
            for name, predicted in self.predictions.items():
                columns = columns_in_order(predicted, self.classes, name)
                said[name]["predict"] = check_indicator(columns, name).astype(np.uint8)
        elif self.pairs is not None and self.by_row:
            for name, codes in zip(self.predictions, self.pairs.predictions.T, strict=True):
                said[name]["predict"] = codes[self.pairs.outcome]
        if self.scores_given:
            scored = ScoredInstances.from_codes(
                self.truth_of_scores,
                self.scores_given,
                self.scored_classes,
                pos_label=self.class_of_scores,
            )
            for name, of_one in zip(self.names, scored.responses, strict=True):
                said[name] |= of_one
        return said

    def _class_of_scores(self) -> Any:
        """Return the class whose scores are passed if they have one column; None by default.

        It is `pos_label`, or the positive class of the metrics' own. By default it is 1 or the last
        of the classes, which need not be the one that scikit-learn's functions take, the greater.
        """
        classes = self.scored_classes
        of_scores = [metric for metric in self.metrics.values() if metric.needs in RESPONSES]
        is_binary = len(classes) == 2 and not self.several
        if self.pos_label is not None or not of_scores or not is_binary:
            return self.pos_label
        default = resolve_pos_label(classes, None)
        named = {metric.named_class for metric in of_scores}
        if any(metric.needs_positive for metric in of_scores):
            if default is None:
                return None  # which is an error, as the metric needs one
            named.add(default)
        named.discard(None)
        if len(named) == 1:
            return named.pop()
        given = self.scores_given.items()
        single = [name for name, scores in given if _is_one_column(scores, name, classes)]
        taken = classes[1] if default is None else default
        if single and named:
            raise ValueError(
                f"{single[0]} has one column, but the metrics have different positive classes, "
                f"{classes[0]!r} and {classes[1]!r}. Pass a column for each class."
            )
        if single and taken != max(classes):
            warn_caller(
                f"{single[0]} is taken for the scores of class {taken!r}, although "
                f"{max(classes)!r} comes later in sorted order, so that scikit-learn would take "
                f"them for those of {max(classes)!r}. Pass pos_label= to say whose they are.",
                UnlikelyDataWarning,
            )
        return None


def _is_one_column(scores: Any, name: str, classes: Sequence[Any]) -> bool:
    """Return whether scores have one column, which is not named after its class."""
    if isinstance(scores, pd.DataFrame):
        return scores.shape[1] == 1 and scores.columns[0] not in classes
    return as_array(scores, name).shape[1:] in ((), (1,))


def _are_numbers(scoring: Any, vectors: list[Any]) -> bool:
    """Return whether the metrics are those of numbers; a user's function may be of either kind."""
    if is_of_numbers(scoring):
        return True
    is_function = any(
        isinstance(metric, AnyMetric) or is_scorer(metric) for _, metric in spelled_out(scoring)
    )
    return is_function and any(
        not is_indicator(vector) and kind_of_labels(vector) == "continuous" for vector in vectors
    )


def check_no_scores(predictions: Mapping[str, Any]) -> None:
    """Raise if predictions of classes, by argument, are continuous numbers, as probabilities."""
    for argument, predicted in predictions.items():
        if kind_of_labels(predicted) != "continuous":
            continue
        numbers = as_numbers(predicted, argument)
        if np.isfinite(numbers).all():  # other checks tell of NaN
            raise ValueError(
                f"{argument} must contain class labels, got continuous values in an array of shape "
                f"{numbers.shape}. Pass probabilities and other scores as "
                f"{SCORES.get(argument, 'scores=')}, with a metric such as scoring='roc_auc', or "
                "threshold them. Numbers are compared by metrics such as scoring='r2'."
            )


def check_spelling(evidence: Evidence, arguments: Sequence[str], truth: str) -> None:
    """Raise or warn if predicted labels seem to be true labels that are written in another way.

    It is an error if a classifier only predicts labels that are never true.

    Parameters
    ----------
    evidence : Evidence
        Counts of classes. Labels that were declared are as they should be.
    arguments : sequence of str
        What the predictions of each classifier are called.
    truth : str
        What the true labels are called.
    """
    for argument, counts in zip(arguments, evidence.margins(), strict=True):
        predicted, known = (
            [label for label, n in zip(counts.labels, numbers, strict=True) if n > 0]
            for numbers in (counts.predicted, counts.true)
        )
        if counts.declared or set(predicted) <= set(known):
            continue
        in_common, why = not set(predicted).isdisjoint(known), _why_unlikely(predicted, known)
        if in_common and why is None:
            continue
        values = f"{argument} contains {in_short(predicted)}, {truth} contains {in_short(known)}."
        if not in_common:
            raise ValueError(
                f"{argument} and {truth} have no label in common: {values} Write the labels of "
                "both in the same way. If they are right, pass labels= with all classes."
            )
        warn_caller(
            f"The labels of {argument} may be written in another way than those of {truth}: "
            f"{values} {why} Write the labels of both in the same way. If they are right, pass "
            "labels= with all classes.",
            UnlikelyDataWarning,
        )


def _why_unlikely(predicted: Sequence[Any], known: Sequence[Any]) -> str | None:
    """Return what is wrong with predicted labels, given the true ones; None if nothing is."""
    plain = {_plain(label): label for label in known}
    for label in predicted:
        twin = plain.get(_plain(label), label)
        if twin != label and len(plain) == len(known):  # else case or spaces tell them apart
            return (
                f"{label!r} and {twin!r} are different classes, though they differ only in case or "
                f"spaces, so that each {label!r} counts as wrong."
            )
    if len(predicted) == len(known) == 2 and len({*predicted, *known}) == 3:  # -1 and 1 for 0 and 1
        (other,), (missing,) = set(predicted) - set(known), set(known) - set(predicted)
        return f"{missing!r} is never predicted, and each {other!r} counts as wrong."
    return None


def _plain(label: Any) -> Any:
    return label.strip().casefold() if isinstance(label, str) else label


def warn_of_unlikely_scores(
    scored: ScoredInstances, arguments: Sequence[str], metrics: Iterable[Metric]
) -> None:
    """Warn of class predictions in place of scores, and of scores of the other class.

    Parameters
    ----------
    scored : ScoredInstances
        The scores.
    arguments : sequence of str
        The names of the arguments in which the scores were passed.
    metrics : iterable of Metric
        The metrics that are computed.
    """
    of_scores = [metric for metric in metrics if metric.needs in RESPONSES]
    ranked = [metric for metric in of_scores if isinstance(metric, ScoreMetric) and metric.ranks]
    if not of_scores or scored.truth.ndim != 1 or len(scored.labels) != 2:
        return
    if np.bincount(scored.truth, minlength=2).min() < ENOUGH:
        return
    areas = scored.observed(get_metric("roc_auc"))
    for k, (argument, area) in enumerate(zip(arguments, areas, strict=True)):
        if ranked and len(np.unique(scored.responses[k]["ranking"])) <= 2:
            warn_caller(
                f"{argument} has only two distinct values, as class predictions have. "
                f"{ranked[0].name} needs scores: the output of decision_function, or the column of "
                "the positive class of predict_proba."
            )
        if area < FAR_BELOW_CHANCE:
            warn_caller(
                f"The ROC AUC of {argument} is {area:.3f}, far below 0.5. These may be the "
                "scores of the other class: pass those of the positive class, or pos_label=.",
                UnlikelyDataWarning,
            )
