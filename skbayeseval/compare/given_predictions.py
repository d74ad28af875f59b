"""From predictions of the same instances, made elsewhere, to a posterior.

They are what a cross-validation with one split would have kept, and are counted by its targets.

Unlikely data are compared, but not by a gate. Labels in two spellings and scores of the other class
may be right, so they give an `UnlikelyDataWarning`, a `UserWarning`. The command line prints
warnings as it prints errors. With `--gate` they are errors, because nobody reads warnings there.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from skbayeseval._arrays import (
    Array,
    as_array,
    as_numbers,
    check_rows,
    columns_in_order,
    in_short,
    named_labels,
    number_of_samples,
    wrong,
)
from skbayeseval._labels import (
    check_indicator,
    encode_labels,
    is_indicator,
    kind_of_labels,
    resolve_pos_label,
)
from skbayeseval._running import has_bar
from skbayeseval._validation import UnlikelyDataWarning
from skbayeseval.compare.ordered_rows import are_in_order, check_blocks, target_in_order
from skbayeseval.compare.targets import (
    ChunkTarget,
    CollectedEvidence,
    LabelTarget,
    NumberTarget,
    Target,
)
from skbayeseval.evidence.instance_scores import RESPONSES, ScoredInstances, encode_truth
from skbayeseval.evidence.instances import Instances, index_of
from skbayeseval.evidence.interface import Evidence
from skbayeseval.evidence.joint_counts import MarginalCounts, PairedCounts
from skbayeseval.evidence.predicted_numbers import PredictedNumbers
from skbayeseval.evidence.units import UnitCounts, check_sample_weight
from skbayeseval.metrics.any_metric import AnyMetric, PerInstance
from skbayeseval.metrics.metric import Metric, ScoreMetric
from skbayeseval.metrics.registry import get_metric
from skbayeseval.metrics.scoring import (
    is_of_numbers,
    is_scorer,
    resolve_scoring,
    routed_to_all,
    spelled_out,
)
from skbayeseval.posterior.build import check_true_classes, make_posterior
from skbayeseval.posterior.posterior import Posterior

ResultParts = tuple[Posterior, tuple[str, ...], dict[str, Metric]]

# How to pass scores, by the argument for predictions.
SCORES = dict.fromkeys(("y_pred_a", "y_pred_b"), "y_score_a= and y_score_b=")
SCORES["y_pred"] = "y_score="

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
    weight: float
    groups: Any
    sample_weight: Any
    prevalence: Any
    params: Any
    blocks: Any
    counts: Any
    counter: Any = None
    engine: Any
    n_draws: Any
    random_state: Any

    def posterior(self, names: tuple[str, ...]) -> ResultParts:
        """Return what a result is made of: posterior, names and metrics."""
        more = {"groups": self.groups, "sample_weight": self.sample_weight, "counts": self.counts}
        columns = {"y_true": self.y_true, **self.predictions, **self.scores, **more}
        check_rows(columns)
        given = replace(self, scoring=self._routed(columns))
        make_target = given._kind_of_target()
        target = make_target(
            self.y_true, self.predictions or self.scores, given, self.groups, "y_true"
        )
        observed = {
            name: target.keep(name, predicted) for name, predicted in self.predictions.items()
        }
        check_blocks(self.blocks, self.groups, target.n_samples)

        is_ordered = are_in_order(columns.values(), self.blocks)
        collect = partial(target.in_one_split, observed, self.weight)
        collected = target_in_order(target, collect, self.blocks, is_ordered=is_ordered)
        if self.scores:
            scored: Any = collected.scored or collected.evidence
            warn_of_unlikely_scores(scored, list(self.scores), target.metrics.values())
        instances = None
        if collected.evidence.n_rows is not None:
            instances = Instances(collected.evidence.n_rows, index_of(columns.values()))
        posterior = make_posterior(
            collected.evidence,
            self.model,
            self.engine,
            self.n_draws,
            self.random_state,
            metrics=target.metrics.values(),
            prevalence=self.prevalence,
            scored=collected.scored,
            instances=instances,
        )
        posterior.shows_progress = has_bar()
        return posterior, names, target.metrics

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
            self._check_absent("tags with counter=", "sample_weight", "counts")
            if not self.predictions:
                raise ValueError("counter= requires predicted tags, but these are None.")
            return ChunkTarget
        metrics = [metric for _, metric in spelled_out(self.scoring)]
        if any(isinstance(metric, AnyMetric) and metric.of_items for metric in metrics):
            self._check_absent("metrics of items", "sample_weight", "counts")
            return ItemTarget
        if _are_numbers(self.scoring, [self.y_true, *self.predictions.values()]):
            self._check_absent("predictions of numbers, which have no classes", "counts")
            if not self.predictions:
                raise ValueError("Metrics of numbers require predictions, but these are None.")
            return NumberTarget
        if self.counts is not None:
            others = ("groups", "blocks", "sample_weight")
            beside = {**{name: getattr(self, name) for name in others}, **self.scores}
            for name, value in beside.items():
                if value is not None:
                    raise ValueError(
                        f"{name}= requires a row per instance, but counts= was given, with which a "
                        "row stands for several. Omit one."
                    )
        return GivenLabels

    def _check_absent(self, what: str, *others: str) -> None:
        """Raise if there are arguments that only apply to classes, or `others`."""
        names = ("labels", "pos_label", "prevalence", *others)
        for name, value in {**self.scores, **{name: getattr(self, name) for name in names}}.items():
            if value is not None:
                raise ValueError(f"{name}= does not apply to {what}. Omit it.")


class ItemTarget(Target):
    """Items of any kind, for functions that are given the truth and what was said of each."""

    def _resolve(self, sources: Mapping[str, Any], options: Any) -> None:
        check_rows({self.where: self.y, **sources}, columns=True)
        self.metrics = resolve_scoring(options.scoring)

    def in_one_split(
        self, observed: Mapping[str, Mapping[str, Any]], weight: float = 1.0
    ) -> CollectedEvidence:
        """Return the items."""
        predictions = {name: kept["predict"] for name, kept in observed.items()}
        return CollectedEvidence(
            PredictedNumbers.from_items(self.y, predictions, weight=weight, groups=self.groups)
        )


class GivenLabels(LabelTarget):
    """Predicted labels, which may be others than the true ones, and scores of the instances."""

    counts: PairedCounts | UnitCounts | None = None

    def _resolve(self, sources: Mapping[str, Any], options: Any) -> None:
        super()._resolve(sources, options)
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
        self.class_of_scores = self._class_of_scores() if self.scores_given else None

    def _find_classes(self, y: Any, options: Any) -> None:
        """Count the predictions, which tells the classes; encode the truth where scores need it."""
        self.predictions, self.scores_given = options.predictions, options.scores
        self.sample_weight = None
        if options.sample_weight is not None:
            self.sample_weight = check_sample_weight(options.sample_weight, self.n_samples)
        labels = options.labels
        if not self.predictions and not self.scores_given:
            raise ValueError(
                "There is nothing to compare: pass predictions, instance scores, or both."
            )
        if self.several and labels is None:
            labels = named_labels([y, *self.predictions.values(), *self.scores_given.values()])
        try:
            if self.scores_given:
                self.classes, self.truth = encode_truth(y, labels)
                self.scored_classes = self.classes
            if self.predictions:
                self.counts = self._count(y, labels, options)
                self.counting = (y, labels, options)
                self.classes = self.counts.labels
        except ValueError:
            if not self.several and kind_of_labels(y) == "continuous":
                resolve_scoring(options.scoring)  # a metric that is not known is told first
            elif not self.several:
                check_no_scores(self.predictions)
            raise
        if self.counts is not None and not self.several:
            present = np.flatnonzero(self.counts.margin(0).true)
            check_true_classes([self.classes[i] for i in present], "y_true")
            check_spelling(self.counts, list(self.predictions), "y_true", stacklevel=8)

    def _count(self, y: Any, labels: Any, options: Any) -> PairedCounts | UnitCounts:
        """Return the counts of predictions: of classes, multi-label indicators or groups."""
        common: Any = {"labels": labels, "weight": options.weight}
        common["sample_weight"] = self.sample_weight
        if self.several:
            return UnitCounts.from_indicators(y, self.predictions, groups=self.groups, **common)
        common["pos_label"] = options.pos_label
        if self.groups is not None or self.sample_weight is not None:
            return UnitCounts.from_labels(y, self.predictions, self.groups, **common)
        del common["sample_weight"]
        return PairedCounts.from_labels(y, self.predictions, counts=options.counts, **common)

    def weight_together(self, groups: Array | None) -> None:
        """Take groups for the unit of the evidence, which is counted anew."""
        if groups is not self.groups:
            self.groups = groups
            if self.predictions:
                self.counts = self._count(*self.counting)

    def in_one_split(
        self, observed: Mapping[str, Mapping[str, Any]], weight: float = 1.0
    ) -> CollectedEvidence:
        """Return the counts, and the scores of the instances."""
        scored = None
        options: Any = {"weight": weight, "sample_weight": self.sample_weight}
        options["groups"] = self.groups
        if self.scores_given:
            options["pos_label"] = self.class_of_scores
            scored = ScoredInstances.from_codes(
                self.truth, self.scores_given, self.scored_classes, **options
            )
        of_labels = [name for name, metric in self.metrics.items() if metric.needs == "labels"]
        if of_labels and not self.predictions:
            raise ValueError(
                f"scoring={of_labels[0]!r} requires predicted labels, but there are instance "
                "scores only. Pass predictions as well."
            )
        if of_labels:
            options.setdefault("pos_label", self.pos_label)
            scored = self._with_labels(scored, options)
        if scored is not None and (self.counts is None or not self._needs_tables):
            return CollectedEvidence(scored)
        assert self.counts is not None
        if len(self.predictions) == 1 and isinstance(self.counts, PairedCounts):
            return CollectedEvidence(MarginalCounts(self.counts.margins(), self.counts), scored)
        return CollectedEvidence(self.counts, scored)

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
            warnings.warn(
                f"{single[0]} is taken for the scores of class {taken!r}, although "
                f"{max(classes)!r} comes later in sorted order, so that scikit-learn would take "
                f"them for those of {max(classes)!r}. Pass pos_label= to say whose they are.",
                UnlikelyDataWarning,
                stacklevel=6,
            )
        return None

    def _with_labels(self, scored: ScoredInstances | None, options: Any) -> ScoredInstances:
        """Return scores of instances, and predicted labels for functions that are given these."""
        codes: Iterable[Any]
        if self.several:
            codes = [
                check_indicator(columns_in_order(predicted, self.classes, name), name).toarray()
                for name, predicted in self.predictions.items()
            ]
        else:
            _, codes = encode_labels(list(self.predictions.items()), self.classes)
        responses = {
            name: {"labels": labels} | (dict(scored.responses[k]) if scored is not None else {})
            for k, (name, labels) in enumerate(zip(self.predictions, codes, strict=True))
        }
        return ScoredInstances.from_scores(self.y, responses, labels=self.classes, **options)


def _is_one_column(scores: Any, name: str, classes: Sequence[Any]) -> bool:
    """Return whether scores have one column, which is not named after its class."""
    if isinstance(scores, pd.DataFrame):
        return scores.shape[1] == 1 and scores.columns[0] not in classes
    return as_array(scores, name).shape[1:] in ((), (1,))


def _are_numbers(scoring: Any, vectors: list[Any]) -> bool:
    """Return whether the metrics are those of numbers; a user's function may be of either kind."""
    if scoring is None:
        return False
    if is_of_numbers(scoring):
        return True
    is_function = any(
        isinstance(metric, PerInstance | AnyMetric) or is_scorer(metric)
        for _, metric in spelled_out(scoring)
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


def check_spelling(
    evidence: Evidence, arguments: Sequence[str], truth: str, stacklevel: int = 4
) -> None:
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
        in_common = not set(predicted).isdisjoint(known)
        why = _why_unlikely(predicted, known)
        if counts.declared or (in_common and why is None):
            continue
        values = f"{argument} contains {in_short(predicted)}, {truth} contains {in_short(known)}."
        if not in_common:
            raise ValueError(
                f"{argument} and {truth} have no label in common: {values} Write the labels of "
                "both in the same way. If they are right, pass labels= with all classes."
            )
        warnings.warn(
            f"The labels of {argument} may be written in another way than those of {truth}: "
            f"{values} {why} Write the labels of both in the same way. If they are right, pass "
            "labels= with all classes.",
            UnlikelyDataWarning,
            stacklevel=stacklevel,
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
            warnings.warn(
                f"{argument} has only two distinct values, as class predictions have. "
                f"{ranked[0].name} needs scores: the output of decision_function, or the column of "
                "the positive class of predict_proba.",
                stacklevel=4,
            )
        if area < FAR_BELOW_CHANCE:
            warnings.warn(
                f"The ROC AUC of {argument} is {area:.3f}, far below 0.5. These may be the "
                "scores of the other class: pass those of the positive class, or pos_label=.",
                UnlikelyDataWarning,
                stacklevel=4,
            )
