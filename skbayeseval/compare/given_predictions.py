"""From predictions of the same instances, made elsewhere, to a posterior.

They are what a cross-validation with one split would have kept, and are counted by its targets.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from skbayeseval._arrays import (
    Array,
    as_array,
    check_rows,
    columns_in_order,
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
from skbayeseval.compare.ordered_rows import are_in_order, check_blocks, collect_in_order
from skbayeseval.compare.targets import (
    ChunkTarget,
    CollectedEvidence,
    LabelTarget,
    NumberTarget,
    Target,
)
from skbayeseval.compare.unlikely_data import (
    check_no_scores,
    check_spelling,
    warn_of_unlikely_scores,
)
from skbayeseval.evidence.chunks import check_counter
from skbayeseval.evidence.instance_scores import RESPONSES, ScoredInstances, encode_truth
from skbayeseval.evidence.instances import Instances, index_of
from skbayeseval.evidence.joint_counts import MarginalCounts, PairedCounts
from skbayeseval.evidence.predicted_numbers import PredictedNumbers
from skbayeseval.evidence.units import UnitCounts, check_sample_weight
from skbayeseval.metrics.any_metric import AnyMetric
from skbayeseval.metrics.metric import Metric
from skbayeseval.metrics.scoring import (
    PerInstance,
    is_of_numbers,
    is_scorer,
    resolve_scoring,
    routed,
    spelled_out,
)
from skbayeseval.posterior.build import check_true_classes, make_posterior
from skbayeseval.posterior.posterior import Posterior

ResultParts = tuple[Posterior, tuple[str, ...], dict[str, Metric]]
Options = tuple[Any, Any, Any, Any, Any]
GivenTarget = type["GivenLabels | ChunkTarget | ItemTarget | NumberTarget"]


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
    weight: float
    groups: Any
    sample_weight: Any
    prevalence: Any
    params: Any = None
    counter: Any = None
    blocks: Any = None

    def posterior(self, names: tuple[str, ...], options: Options) -> ResultParts:
        """Return what a result is made of: posterior, names and metrics.

        `options` are the model, the engine, the prior, n_draws and the random state.
        """
        if self.counter is not None:
            check_counter(self.counter)
            self._check_absent("tags with counter=", "sample_weight")
        more = {"groups": self.groups, "sample_weight": self.sample_weight}
        columns = {"y_true": self.y_true, **self.predictions, **self.scores, **more}
        check_rows(columns)
        given = replace(self, scoring=self._routed())
        make_target = given._kind_of_target()
        target = make_target(
            self.y_true, self.predictions or self.scores, given, self.groups, "y_true"
        )
        observed = {
            name: target.keep(name, predicted) for name, predicted in self.predictions.items()
        }
        check_blocks(self.blocks, self.groups, target.n_samples)

        def collect(groups: Array | None) -> CollectedEvidence:
            target.weight_together(groups)
            return target.in_one_split(observed, self.weight)

        collected = collect_in_order(
            collect,
            target.groups,
            target.n_samples,
            self.blocks,
            is_ordered=are_in_order(columns.values(), self.blocks),
        )
        instances = None
        if collected.evidence.n_rows is not None:
            instances = Instances(collected.evidence.n_rows, index_of(columns.values()))
        posterior = make_posterior(
            collected.evidence,
            *options,
            metrics=target.metrics.values(),
            prevalence=self.prevalence,
            scored=collected.scored,
            instances=instances,
        )
        posterior.shows_progress = has_bar()
        return posterior, names, target.metrics

    def _routed(self) -> Any:
        """Return `scoring`, whose scorers and functions know the columns in `params`."""
        if not isinstance(self.params, Mapping | None):
            raise wrong("params", "a dict of columns, by their names", self.params, TypeError)
        if not self.params:
            return self.scoring
        check_rows({"y_true": self.y_true, **self.params})
        n = number_of_samples(self.y_true, "y_true")
        scoring, wanted = routed(self.scoring, self.params, n)
        others = [name for name in self.params if name not in wanted]
        if others:
            raise TypeError(
                f"params contains {others[0]!r}, which no metric of scoring= takes. A function "
                f"takes it as an argument of this name, such as metrics.resampled(function), and "
                f"a scorer by make_scorer(function).set_score_request({others[0]}=True), with "
                "metadata routing enabled."
            )
        return scoring

    def _kind_of_target(self) -> GivenTarget:
        """Return what is compared: chunks, items of any kind, numbers, or classes and labels."""
        if self.counter is not None:
            if not self.predictions:
                raise ValueError("counter= requires predicted tags, but these are None.")
            return ChunkTarget
        metrics = [metric for _, metric in spelled_out(self.scoring)]
        if any(isinstance(metric, AnyMetric) and metric.of_items for metric in metrics):
            self._check_absent("metrics of items", "sample_weight")
            return ItemTarget
        if _are_numbers(self.scoring, [self.y_true, *self.predictions.values()]):
            self._check_absent("predictions of numbers, which have no classes")
            if not self.predictions:
                raise ValueError("Metrics of numbers require predictions, but these are None.")
            return NumberTarget
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
    is_counted_anew = False

    def _find_classes(self, y: Any, options: Any) -> None:
        """Count the predictions, which tells the classes; encode the truth where scores need it."""
        self.predictions, self.scores_given = options.predictions, options.scores
        labels = options.labels
        self.sample_weight = None
        if options.sample_weight is not None:
            self.sample_weight = check_sample_weight(options.sample_weight, self.n_samples)
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
            check_spelling(self.counts, list(self.predictions), "y_true", stacklevel=7)

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
        return PairedCounts.from_labels(y, self.predictions, **common)

    def weight_together(self, groups: Array | None) -> None:
        """Take groups for the unit of the evidence, which is counted anew."""
        if groups is not self.groups:
            self.groups, self.is_counted_anew = groups, True
            if self.predictions:
                self.counts = self._count(*self.counting)

    def in_one_split(
        self, observed: Mapping[str, Mapping[str, Any]], weight: float = 1.0
    ) -> CollectedEvidence:
        """Return the counts, and the scores of the instances."""
        scored, positive = None, self.pos_label
        if self.scores_given:
            if len(self.scored_classes) == 2 and not self.several:
                positive = self._class_of_scores()
            scored = ScoredInstances.from_codes(
                self.truth,
                self.scores_given,
                self.scored_classes,
                weight=weight,
                groups=self.groups,
                pos_label=positive,
                sample_weight=self.sample_weight,
            )
            if not self.is_counted_anew:
                warn_of_unlikely_scores(scored, list(self.scores_given), self.metrics.values())
        of_labels = [name for name, metric in self.metrics.items() if metric.needs == "labels"]
        if of_labels and not self.predictions:
            raise ValueError(
                f"scoring={of_labels[0]!r} requires predicted labels, but there are instance "
                "scores only. Pass predictions as well."
            )
        if of_labels:
            scored = self._with_labels(scored, positive, weight)
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
        if self.pos_label is not None or not of_scores:
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
        single = [
            name
            for name, scores in self.scores_given.items()
            if _is_one_column(scores, name, classes)
        ]
        taken = classes[1] if default is None else default
        if single and named:
            raise ValueError(
                f"{single[0]} has one column, but the metrics have different positive classes, "
                f"{classes[0]!r} and {classes[1]!r}. Pass a column for each class, or compare in "
                "two calls."
            )
        if single and taken != max(classes) and not self.is_counted_anew:
            warnings.warn(
                f"{single[0]} is taken for the scores of class {taken!r}, although "
                f"{max(classes)!r} comes later in sorted order, so that scikit-learn would take "
                f"them for those of {max(classes)!r}. Pass pos_label= to say whose they are.",
                UnlikelyDataWarning,
                stacklevel=5,
            )
        return None

    def _with_labels(
        self, scored: ScoredInstances | None, positive: Any, weight: float
    ) -> ScoredInstances:
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
        return ScoredInstances.from_scores(
            self.y,
            responses,
            labels=self.classes,
            weight=weight,
            groups=self.groups,
            pos_label=positive,
            sample_weight=self.sample_weight,
        )


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
