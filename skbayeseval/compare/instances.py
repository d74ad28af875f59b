"""From predictions of the same instances to a posterior: classes, scores, numbers or tags."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from skbayeseval._arrays import check_rows, named_labels
from skbayeseval._labels import is_indicator, kind_of_labels
from skbayeseval._running import has_bar
from skbayeseval.compare.unlikely import (
    check_no_scores,
    warn_of_unlikely_labels,
    warn_of_unlikely_scores,
)
from skbayeseval.evidence.base import Evidence
from skbayeseval.evidence.chunk_counter import check_counter
from skbayeseval.evidence.chunks import ChunkCounts
from skbayeseval.evidence.counts import MarginalCounts, PairedCounts, margins_of
from skbayeseval.evidence.instance_scores import ScoredInstances
from skbayeseval.evidence.instances import Instances, index_of
from skbayeseval.evidence.predicted_numbers import PredictedNumbers
from skbayeseval.evidence.units import UnitCounts
from skbayeseval.metrics.confusion import Metric
from skbayeseval.metrics.scoring import PerInstance, is_of_numbers, resolve_scoring, spelled_out
from skbayeseval.posterior.build import count_predictions, make_posterior
from skbayeseval.posterior.recipe import Posterior

ResultParts = tuple[Posterior, tuple[str, ...], dict[str, Metric]]


def posterior_of_instances(
    y_true: Any,
    predictions: Mapping[str, Any],
    scores: Mapping[str, Any],
    names: tuple[str, ...],
    *,
    scoring: Any,
    labels: Any,
    pos_label: Any,
    weight: float,
    groups: Any,
    sample_weight: Any,
    prevalence: Any,
    options: tuple[Any, ...],
    counter: Any = None,
) -> ResultParts:
    """Return what a result is made of: posterior, names and metrics.

    `options` are the model, the engine, the prior, n_draws and the random state.
    """
    options = (*options, prevalence)
    of_classes = {"labels": labels, "pos_label": pos_label}
    if counter is not None:
        check_counter(counter)
        absent = {**scores, **of_classes, "sample_weight": sample_weight, "prevalence": prevalence}
        _check_absent(absent, "tags with counter=")
    given = {
        "y_true": y_true,
        **predictions,
        **scores,
        "groups": groups,
        "sample_weight": sample_weight,
    }
    check_rows(given)
    if counter is not None:
        said = (predictions.get("y_pred_a"), predictions.get("y_pred_b"))
        cells, types = counter.cells_and_types(y_true, *said)
        if not cells[:, :4].any():
            raise ValueError(
                f"y_true must contain chunks, but counter={counter!r} finds none in it."
            )
        evidence: Evidence = ChunkCounts.of_sentences(cells, weight, types)
        if groups is not None:
            evidence = UnitCounts.from_chunks(cells, groups, weight=weight)
        # A chunk is there or not.
        metrics = resolve_scoring("f1" if scoring is None else scoring, (0, 1))
        posterior = make_posterior(evidence, *options, instances=_instances(evidence, given))
        return posterior, names, metrics
    if _are_numbers(scoring, [y_true, *predictions.values()]):
        absent = {**of_classes, "prevalence": prevalence, **scores}
        _check_absent(absent, "predictions of numbers, which have no classes")
        if not predictions:
            raise ValueError("Metrics of numbers require predictions, but these are None.")
        evidence = PredictedNumbers.from_predictions(
            y_true, predictions, weight=weight, groups=groups, sample_weight=sample_weight
        )
        posterior = make_posterior(evidence, *options, instances=_instances(evidence, given))
        return posterior, names, resolve_scoring(scoring)
    if not is_indicator(y_true) and kind_of_labels(y_true) == "continuous":
        resolve_scoring(scoring)  # a metric that is not known is told first
    if sample_weight is not None:
        raise ValueError(
            "sample_weight applies to metrics of predicted numbers, such as scoring='r2'; counts "
            "of classes have no such weights. Omit it."
        )
    check_no_scores(y_true, predictions)
    if labels is None and is_indicator(y_true):
        labels = named_labels([y_true, *predictions.values(), *scores.values()])
    common: dict[str, Any] = {
        "labels": labels,
        "pos_label": pos_label,
        "weight": weight,
        "groups": groups,
    }
    scored = ScoredInstances.from_scores(y_true, scores, **common) if scores else None
    if predictions:
        evidence = count_predictions(y_true, predictions, **common)
        if not is_indicator(y_true):
            warn_of_unlikely_labels(evidence, list(predictions), "y_true")
        if len(predictions) == 1 and isinstance(evidence, PairedCounts):
            evidence = MarginalCounts(evidence.margins())
    elif scored is not None:
        evidence = scored
    else:
        raise ValueError("There is nothing to compare: pass predictions, instance scores, or both.")
    metrics = resolve_scoring(scoring, margins_of(evidence)[0].labels)
    if scored is not None:
        warn_of_unlikely_scores(scored, list(scores), metrics.values())
    if scored is not None and all(metric.source == "instances" for metric in metrics.values()):
        evidence, scored = scored, None
    instances = _instances(evidence, given)
    posterior = make_posterior(evidence, *options, scored=scored, instances=instances)
    posterior.shows_progress = has_bar()
    return posterior, names, metrics


def _instances(evidence: Evidence, given: Mapping[str, Any]) -> Instances | None:
    """Return the instances, each of which is a row of the evidence; None if these are not kept."""
    return None if evidence.n_rows is None else Instances(evidence.n_rows, index_of(given.values()))


def _are_numbers(scoring: Any, vectors: list[Any]) -> bool:
    """Return whether the metrics are those of numbers; a user's function may be of either kind."""
    if scoring is None:
        return False
    if is_of_numbers(scoring):
        return True
    own = any(isinstance(one, PerInstance) for _, one in spelled_out(scoring))
    return own and any(
        not is_indicator(one) and kind_of_labels(one) == "continuous" for one in vectors
    )


def _check_absent(arguments: Mapping[str, Any], what: str) -> None:
    given = [name for name, value in arguments.items() if value is not None]
    if given:
        raise ValueError(f"{given[0]}= does not apply to {what}. Omit it.")
