"""From a table of predictions to a posterior: evidence, blocks, weights."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from skbayeseval._arrays import Array, wrong
from skbayeseval._validation import check_weight
from skbayeseval.compare.ordered_rows import blocks_of_evidence, length_of_blocks
from skbayeseval.compare.targets import CollectedEvidence, Predictions, Target
from skbayeseval.evidence.instances import Instances
from skbayeseval.evidence.interface import Evidence
from skbayeseval.models import resolve_model
from skbayeseval.models.base import Model
from skbayeseval.posterior.build import make_posterior, resolve_engine
from skbayeseval.posterior.inferred_weight import InferredWeights, ObservedRows
from skbayeseval.posterior.posterior import Posterior

WEIGHTS = ("inferred", "published")


def _in_blocks(
    target: Target, table: Predictions, collected: CollectedEvidence, blocks: Any
) -> CollectedEvidence:
    """Return the evidence of a table with blocks of consecutive rows, where there are to be any."""
    length, losses = length_of_blocks(collected.evidence, blocks, table.instance)
    if length == 1:
        return collected
    instance = np.arange(table.number) if table.instance is None else table.instance
    collected = target.collected(replace(table, group=instance // length, counted=None))
    evidence = blocks_of_evidence(collected.evidence, length, losses)
    scored: Any = collected.scored and blocks_of_evidence(collected.scored, length)
    return collected._replace(evidence=evidence, scored=scored)


def check_cv_weight(weight: Any) -> None:
    """Raise unless `weight` is one that counts of a cross-validation can have."""
    if isinstance(weight, str) and weight not in WEIGHTS:
        raise wrong("weight", f"one of {list(WEIGHTS)} or a number", weight)
    if weight is not None and not isinstance(weight, str):
        check_weight(weight)


def weight_for(weight: Any, model: Model, evidence: Evidence, *, of_all: bool = False) -> Any:
    """Return the weight of cross-validated counts, by default that of the model; raise if none.

    `of_all` is whether learners trained on all instances are compared.
    """
    if weight is None:
        weight = "inferred" if model.infers_weight or of_all else "published"
    if weight == "inferred" and evidence.family == "labels" and not model.weights_units:
        raise ValueError(
            f"model={model.name!r} of a multi-label indicator has no inferred weight. Use "
            "model='paired' or weight='published'."
        )
    return weight if isinstance(weight, str) else float(weight)


def infer(
    target: Target,
    table: Predictions,
    weight: Any,
    drawing: tuple[Any, Any, Any, Any],
    *,
    blocks: Any,
    is_ordered: bool,
    instances: Instances,
    halved: Predictions | None = None,
    prevalence: Any = None,
) -> tuple[Posterior, InferredWeights | None]:
    """Return the posterior, and the weights if they are inferred.

    Parameters
    ----------
    target : Target
        What is compared.
    table : Predictions
        What was said, with its published weight.
    weight : "inferred", "published", float or None
        The weight that it is to have, as the user gave it; "published" is the one that it has.
    drawing : tuple
        The model, the engine, the number of draws and the seed.
    blocks : int, "auto" or None
        The consecutive rows that are weighted together, as the user gave them.
    is_ordered : bool
        Whether the rows are visibly in order of time.
    instances : Instances
        The instances that the rows belong to.
    halved : Predictions, default=None
        What was said in further splits into halves.
    prevalence : float or array-like, default=None
        The proportions of the classes, if they are known.
    """
    collected = target.collected(table)
    if blocks is not None or (is_ordered and table.group is None):
        collected = _in_blocks(target, table, collected, blocks)
    model, engine, n_draws, random_state = drawing
    weights, metrics = None, target.metrics.values()
    if table.split is not None:
        known = resolve_model(model, collected.evidence)
        weight = weight_for(weight, known, collected.evidence)
    if weight == "inferred":
        counted = None if collected.rows is None else ObservedRows(collected.rows)
        scored = None if collected.scored_rows is None else ObservedRows(collected.scored_rows)
        if halved is not None:
            of_halves = target.collected(halved)
            source = of_halves.scored or of_halves.evidence
            if counted is not None:
                counted = ObservedRows(counted.rows, of_halves.rows, of_halves.evidence.observed)
            if scored is not None:
                scored = ObservedRows(scored.rows, of_halves.scored_rows, source.observed)
        weights = InferredWeights(counted, scored, len(target.names), known.needs_pairs)
        inferred = [weights.difference(metric) for metric in metrics]
        # What needs a single one has the median of the first metric; Markov chains the smallest
        # that gives all metrics their variance.
        weight = inferred[0].median
        if resolve_engine(engine) is not None:
            weight = min(of_metric.matching_variance for of_metric in inferred)
    if weight != "published" and weight != table.weight:
        collected = collected.with_weight(weight)
    posterior = make_posterior(
        collected.evidence,
        model,
        engine,
        n_draws,
        random_state,
        prevalence=prevalence,
        metrics=metrics,
        scored=collected.scored,
        weights=weights,
        instances=None if collected.evidence.n_rows is None else instances,
    )
    return posterior, weights


def cv_scores(
    scores: Mapping[str, Array], sizes: Array, target: Target, *, several: bool
) -> dict[str, Array]:
    """Return split scores as `cross_validate` names them.

    Scores that are sums over test sets, whose `sizes` are given, are told per instance.
    """
    named = {}
    for key, values in scores.items():
        own = target.metrics[key].own
        values = values * sizes if own and own.is_sum else values
        values.flags.writeable = False
        named[f"test_{key}" if several or len(scores) > 1 else "test_score"] = values
    return named
