"""From predictions of the same instances to a posterior: classes, scores, numbers or tags.

Unlikely data are compared, but not by a gate. Labels in two spellings, scores of the other class
and scores on different scales may be right, so they give an `UnlikelyDataWarning`, a `UserWarning`.
The command line prints warnings as it prints errors. With `--gate` they are errors, because nobody
reads warnings there.
"""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from skbayeseval._arrays import (
    as_array,
    as_numbers,
    check_rows,
    columns_in_order,
    in_short,
    named_labels,
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
from skbayeseval.evidence.base import Evidence
from skbayeseval.evidence.chunks import ChunkCounts, check_counter
from skbayeseval.evidence.counts import MarginalCounts, PairedCounts
from skbayeseval.evidence.instance_scores import RESPONSES, ScoredInstances, encode_truth
from skbayeseval.evidence.predicted_numbers import PredictedNumbers
from skbayeseval.evidence.units import UnitCounts
from skbayeseval.evidence.validated_rows import Instances, index_of
from skbayeseval.metrics.any_metric import AnyMetric
from skbayeseval.metrics.confusion import Metric
from skbayeseval.metrics.registry import (
    PerInstance,
    get_metric,
    is_of_numbers,
    is_scorer,
    resolve_scoring,
    spelled_out,
)
from skbayeseval.posterior.build import check_true_classes, make_posterior
from skbayeseval.posterior.recipe import Posterior

Array = NDArray[Any]


# How to pass scores, by the argument for predictions.
SCORES = {
    "y_pred_a": "y_score_a= and y_score_b=",
    "y_pred_b": "y_score_a= and y_score_b=",
    "y_pred": "y_score=",
}


# A ROC AUC below this is that of a useful classifier whose scores are turned around.
FAR_BELOW_CHANCE = 0.35


# With fewer instances of a class, such a ROC AUC may be due to chance.
ENOUGH = 10


# Percentages are 100 times as large as shares; two systems are hardly apart by such a factor.
LIKE_PERCENTAGES = (30, 300)


def check_no_scores(y_true: Any, predictions: Mapping[str, Any]) -> None:
    """Raise if predictions of classes, by argument, are continuous numbers, as probabilities."""
    if is_indicator(y_true):
        return
    for argument, predicted in predictions.items():
        array = predicted.array if isinstance(predicted, pd.Series) else predicted
        is_vector = getattr(array, "ndim", 0) == 1 and len(array) > 0
        begins_with_text = is_vector and isinstance(array[0], str)  # quickly told
        if begins_with_text or kind_of_labels(predicted) != "continuous":
            continue
        numbers = as_numbers(predicted, argument)
        if not np.isfinite(numbers).all() or kind_of_labels(y_true) == "continuous":
            continue  # other checks tell of that
        example = numbers[numbers != np.floor(numbers)][0]
        shape = "" if numbers.ndim == 1 else f" in an array of shape {numbers.shape}"
        raise ValueError(
            f"{argument} must contain class labels, got continuous values such as {example:.6g}"
            f"{shape}. Pass probabilities and other scores as {SCORES.get(argument, 'scores=')}, "
            "with a metric of scores such as scoring='roc_auc', or threshold them first. To "
            "compare predictions of numbers, pass a metric of numbers, such as scoring='r2'."
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
        said, known = (
            [label for label, n in zip(counts.labels, numbers, strict=True) if n > 0]
            for numbers in (counts.predicted, counts.true)
        )
        if counts.declared:
            continue
        if not set(said) & set(known):
            raise ValueError(
                f"{argument} and {truth} have no label in common: {argument} contains "
                f"{in_short(said)}, {truth} contains {in_short(known)}. Write the labels of both "
                "in the same way. If they are right, pass labels= with all classes."
            )
        why = _why_unlikely(said, known)
        if why is not None:
            warnings.warn(
                f"The labels of {argument} may be written in another way than those of {truth}: "
                f"{argument} contains {in_short(said)}, {truth} contains {in_short(known)}. {why} "
                "Write the labels of both in the same way. If they are right, pass labels= with "
                "all classes.",
                UnlikelyDataWarning,
                stacklevel=stacklevel,
            )


def _why_unlikely(said: Sequence[Any], known: Sequence[Any]) -> str | None:
    """Return what is wrong with predicted labels, given the true ones; None if nothing is."""
    plain = {_plain(label): label for label in known}
    for label in said if len(plain) == len(known) else ():  # else case or spaces tell them apart
        twin = plain.get(_plain(label), label)
        if twin != label:
            return (
                f"{label!r} and {twin!r} are different classes, though they differ only in case or "
                f"spaces, so that each {label!r} counts as wrong."
            )
    if len(said) == len(known) == 2 and len({*said, *known}) == 3:  # -1 and 1 for 0 and 1
        (other,), (missing,) = set(said) - set(known), set(known) - set(said)
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
    of_scores = [one for one in metrics if one.needs in RESPONSES]
    ranked = [one for one in of_scores if one.formula in ("roc_auc", "average_precision")]
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
                UserWarning,
                stacklevel=5,
            )
        if area < FAR_BELOW_CHANCE:
            warnings.warn(
                f"The ROC AUC of {argument} is {area:.3f}, far below 0.5. These may be the "
                "scores of the other class: pass those of the positive class, or pos_label=.",
                UnlikelyDataWarning,
                stacklevel=5,
            )


def warn_of_other_scales(
    scores: Mapping[str, Array], *, shares: bool = True, hint: str = "", stacklevel: int = 2
) -> None:
    """Warn if one system's scores are right or wrong, or shares, and another's are not.

    Grades or counts of which one system has only 0 and 1 are no reason to warn, if another has 1
    besides larger ones.

    Parameters
    ----------
    scores : mapping of str to ndarray
        The scores of each system, by argument; NaN where there is none.
    shares : bool, default=True
        Whether scores in [0, 1] are taken for shares; times and errors have no such limit.
    hint : str, default=""
        What to do if the scores are on the same scale.
    stacklevel : int, default=2
        As in `warnings.warn`.
    """
    known = {name: values[np.isfinite(values)] for name, values in scores.items()}
    for (name, small), (other, large) in itertools.permutations(known.items(), 2):
        if _are_only(small, 0, 1):
            leaves_out_one = large.max() > 1 and not ((large > 0) & (large <= 1)).any()
            differ = leaves_out_one or _are_only(large, -1, 1)
        else:
            differ = shares and _are_shares_and_percentages(small, large)
        if differ:
            warnings.warn(
                f"{name} and {other} may be on different scales: {name} contains "
                f"{_described(small)}, {other} contains {_described(large)}. Bring them to the "
                f"same scale, for example by dividing percentages by 100.{hint}",
                UnlikelyDataWarning,
                stacklevel=stacklevel + 1,
            )
            return


def _are_only(scores: Array, low: int, high: int) -> bool:
    """Return whether both values occur, and no other."""
    if scores.min() != low or scores.max() != high:
        return False
    return bool(((scores == low) | (scores == high)).all())


def _are_shares_and_percentages(small: Array, large: Array) -> bool:
    if min(small.min(), large.min()) < 0 or not 0 < small.max() <= 1 < large.max() <= 100:
        return False
    least, most = LIKE_PERCENTAGES
    return bool(least <= np.median(large[large > 0]) / np.median(small[small > 0]) <= most)


def _described(scores: Array) -> str:
    values = np.unique(scores)
    if len(values) <= 2:
        return " and ".join(f"{value:g}" for value in values)
    return f"numbers from {values[0]:g} to {values[-1]:g}"


ResultParts = tuple[Posterior, tuple[str, ...], dict[str, Metric]]
Options = tuple[Any, Any, Any, Any, Any]
EvidenceParts = tuple[Evidence, ScoredInstances | None, dict[str, Metric]]


@dataclass(frozen=True, kw_only=True)
class SameInstances:
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
    counter: Any = None

    def posterior(self, names: tuple[str, ...], options: Options) -> ResultParts:
        """Return what a result is made of: posterior, names and metrics.

        `options` are the model, the engine, the prior, n_draws and the random state.
        """
        if self.counter is not None:
            check_counter(self.counter)
            self._check_absent("tags with counter=", "sample_weight")
        more = {"groups": self.groups, "sample_weight": self.sample_weight}
        rows = {"y_true": self.y_true, **self.predictions, **self.scores, **more}
        check_rows(rows)
        if self.counter is not None:
            evidence, scored, metrics = self._of_tags()
        elif any(
            isinstance(one, AnyMetric) and one.of_items for _, one in spelled_out(self.scoring)
        ):
            evidence, scored, metrics = self._of_items()
        elif _are_numbers(self.scoring, [self.y_true, *self.predictions.values()]):
            evidence, scored, metrics = self._of_numbers()
        else:
            evidence, scored, metrics = self._of_classes()
        instances = None
        if evidence.n_rows is not None:
            instances = Instances(evidence.n_rows, index_of(rows.values()))
        posterior = make_posterior(
            evidence,
            *options,
            metrics=metrics.values(),
            prevalence=self.prevalence,
            scored=scored,
            instances=instances,
        )
        posterior.shows_progress = has_bar()
        return posterior, names, metrics

    def _check_absent(self, what: str, *others: str) -> None:
        """Raise if there are arguments that only apply to classes, or `others`."""
        names = ("labels", "pos_label", "prevalence", *others)
        for name, value in {**self.scores, **{name: getattr(self, name) for name in names}}.items():
            if value is not None:
                raise ValueError(f"{name}= does not apply to {what}. Omit it.")

    def _of_tags(self) -> EvidenceParts:
        said = (self.predictions.get("y_pred_a"), self.predictions.get("y_pred_b"))
        cells, types = self.counter.cells_and_types(self.y_true, *said)
        if not cells[:, :4].any():
            raise ValueError(
                f"y_true must contain chunks, but counter={self.counter!r} finds none in it."
            )
        # A chunk is there or not.
        metrics = resolve_scoring("f1" if self.scoring is None else self.scoring, (0, 1))
        if self.groups is not None:
            return UnitCounts.from_chunks(cells, self.groups, weight=self.weight), None, metrics
        return ChunkCounts.of_sentences(cells, self.weight, types), None, metrics

    def _of_items(self) -> EvidenceParts:
        self._check_absent("metrics of items", "sample_weight")
        check_rows({"y_true": self.y_true, **self.predictions}, columns=True)
        evidence = PredictedNumbers.from_items(
            self.y_true, self.predictions, weight=self.weight, groups=self.groups
        )
        return evidence, None, resolve_scoring(self.scoring)

    def _of_numbers(self) -> EvidenceParts:
        self._check_absent("predictions of numbers, which have no classes")
        if not self.predictions:
            raise ValueError("Metrics of numbers require predictions, but these are None.")
        evidence = PredictedNumbers.from_predictions(
            self.y_true,
            self.predictions,
            weight=self.weight,
            groups=self.groups,
            sample_weight=self.sample_weight,
        )
        return evidence, None, resolve_scoring(self.scoring)

    def _of_classes(self) -> EvidenceParts:
        y_true, predictions, scores = self.y_true, self.predictions, self.scores
        several = is_indicator(y_true)
        if not several and kind_of_labels(y_true) == "continuous":
            resolve_scoring(self.scoring)  # a metric that is not known is told first
        if self.sample_weight is not None:
            raise ValueError(
                "sample_weight applies to metrics of predicted numbers, such as scoring='r2'; "
                "counts of classes have no such weights. Omit it."
            )
        check_no_scores(y_true, predictions)
        labels = self.labels
        if labels is None and several:
            labels = named_labels([y_true, *predictions.values(), *scores.values()])
        if not predictions and not scores:
            raise ValueError(
                "There is nothing to compare: pass predictions, instance scores, or both."
            )
        true_classes, truth = encode_truth(y_true, labels) if scores else ((), np.empty(0))
        evidence = self._counts(labels, several) if predictions else None
        classes = true_classes if evidence is None else evidence.margins()[0].labels
        resolve_pos_label(classes, self.pos_label)
        metrics = resolve_scoring(self.scoring, classes, several, self.pos_label)
        common: Any = {"weight": self.weight, "groups": self.groups, "pos_label": self.pos_label}
        scored = None
        if scores:
            if len(true_classes) == 2 and not several:
                common["pos_label"] = self._class_of_scores(true_classes, metrics.values())
            scored = ScoredInstances.from_codes(truth, scores, true_classes, **common)
            warn_of_unlikely_scores(scored, list(scores), metrics.values())
        of_labels = [name for name, metric in metrics.items() if metric.needs == "labels"]
        if of_labels and not predictions:
            raise ValueError(
                f"scoring={of_labels[0]!r} requires predicted labels, but there are instance "
                "scores only. Pass predictions as well."
            )
        if of_labels:
            scored = self._scored_with_labels(scored, common | {"labels": classes})
        if scored is not None and (
            evidence is None or all(m.source == "instances" for m in metrics.values())
        ):
            evidence, scored = scored, None
        assert evidence is not None
        return evidence, scored, metrics

    def _class_of_scores(self, classes: tuple[Any, ...], metrics: Iterable[Metric]) -> Any:
        """Return the class whose scores are passed if they have one column; None by default.

        It is `pos_label`, or the positive class of the metrics' own. By default it is 1 or the last
        of the classes, which need not be the one that scikit-learn's functions take, the greater.
        """
        of_scores = [one for one in metrics if one.needs in RESPONSES]
        if self.pos_label is not None or not of_scores:
            return self.pos_label
        default = resolve_pos_label(classes, None)
        named = {one.named_class for one in of_scores}
        if any(one.needs_positive for one in of_scores):
            if default is None:
                return None  # which is an error, as the metric needs one
            named.add(default)
        named.discard(None)
        if len(named) == 1:
            return named.pop()
        single = [name for name, one in self.scores.items() if _is_one_column(one, name, classes)]
        taken = classes[1] if default is None else default
        if single and named:
            raise ValueError(
                f"{single[0]} has one column, but the metrics have different positive classes, "
                f"{classes[0]!r} and {classes[1]!r}. Pass a column for each class, or compare in "
                "two calls."
            )
        if single and taken != max(classes):
            warnings.warn(
                f"{single[0]} is taken for the scores of class {taken!r}, although "
                f"{max(classes)!r} comes later in sorted order, so that scikit-learn would take "
                f"them for those of {max(classes)!r}. Pass pos_label= to say whose they are.",
                UnlikelyDataWarning,
                stacklevel=5,
            )
        return None

    def _counts(self, labels: Any, several: bool) -> Evidence:
        """Return the counts of predictions: of classes, multi-label indicators or groups."""
        if several:
            if self.pos_label is not None:
                raise ValueError(
                    f"pos_label={in_short(self.pos_label)} was given, but y_true is a multi-label "
                    "indicator, which has no positive class."
                )
            return UnitCounts.from_indicators(
                self.y_true, self.predictions, labels=labels, weight=self.weight, groups=self.groups
            )
        options = {"labels": labels, "pos_label": self.pos_label, "weight": self.weight}
        counts: PairedCounts | UnitCounts
        if self.groups is None:
            counts = PairedCounts.from_labels(self.y_true, self.predictions, **options)
        else:
            counts = UnitCounts.from_labels(self.y_true, self.predictions, self.groups, **options)
        present = np.flatnonzero(counts.margin(0).true)
        check_true_classes([counts.labels[i] for i in present], "y_true")
        check_spelling(counts, list(self.predictions), "y_true", stacklevel=6)
        if len(self.predictions) == 1 and isinstance(counts, PairedCounts):
            return MarginalCounts(counts.margins())
        return counts

    def _scored_with_labels(
        self, scored: ScoredInstances | None, common: Mapping[str, Any]
    ) -> ScoredInstances:
        """Return scores of instances, and predicted labels for functions that are given these."""
        codes: Iterable[Any]
        if is_indicator(self.y_true):
            codes = [
                check_indicator(columns_in_order(one, common["labels"], name), name).toarray()
                for name, one in self.predictions.items()
            ]
        else:
            _, codes = encode_labels(list(self.predictions.items()), common["labels"])
        said = {
            name: {"labels": labels} | (dict(scored.responses[k]) if scored is not None else {})
            for k, (name, labels) in enumerate(zip(self.predictions, codes, strict=True))
        }
        return ScoredInstances.from_scores(self.y_true, said, **common)


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
    own = any(
        isinstance(one, PerInstance | AnyMetric) or is_scorer(one)
        for _, one in spelled_out(scoring)
    )
    return own and any(
        not is_indicator(one) and kind_of_labels(one) == "continuous" for one in vectors
    )
