"""Conversion of results to dicts and to files, without pickle."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skbayeseval import evidence as kinds_of_evidence
from skbayeseval._arrays import in_short
from skbayeseval._files import (
    check_path,
    check_place,
    decode,
    encode,
    plain,
    read_archive,
    storable,
    write_archive,
)
from skbayeseval.evidence import Evidence
from skbayeseval.judgement.distribution import Distribution
from skbayeseval.metrics.any_metric import AnyMetric
from skbayeseval.metrics.metric import (
    UNLIMITED,
    Metric,
    NumberMetric,
    ScoreMetric,
    TableMetric,
)
from skbayeseval.metrics.registry import metric_of_formula
from skbayeseval.models import MODEL_CLASSES, from_prior, resolve_model
from skbayeseval.models.base import Model
from skbayeseval.models.pymc import Trace
from skbayeseval.posterior.inferred_weight import KnownWeights, QuantityWeight, WeightPosterior
from skbayeseval.posterior.pair import PooledPair
from skbayeseval.posterior.posterior import Posterior
from skbayeseval.posterior.prior import Prior
from skbayeseval.results.words import facts_of
from skbayeseval.splitting.collect import CrossValidation

FORMAT = "skbayeseval result 8"

# The records in a file: evidence of all kinds, weights, cross-validations.
CLASSES: dict[str, type] = {
    record.__name__: record
    for record in (
        *(getattr(kinds_of_evidence, name) for name in kinds_of_evidence.__all__),
        CrossValidation,
        KnownWeights,
        QuantityWeight,
        WeightPosterior,
    )
}


# The arguments that a result is made of; of two classifiers, the last is that of a pair of many.
Parts = tuple[Any, ...]


def describe(result: Any) -> dict[str, Any]:
    """Return the result without its draws, and in words, as dicts, lists, numbers and strings."""
    headlines = {name: result._told(metric)[0] for name, metric in result._metrics.items()}
    facts = [{"about": fact.keyword, "words": fact.words} for fact in facts_of(result)]
    return plain(_header(result) | {"headlines": headlines, "facts": facts})


def _header(result: Any) -> dict[str, Any]:
    """Return a result without its draws as a dict that may contain arrays."""
    posterior, names, metrics, record, *of_many = result._parts
    evidence, weights = posterior.evidence, posterior.weights
    scored = None if posterior.scored is evidence else posterior.scored
    one_pair_of = next((pooled.number for pooled in of_many if pooled is not None), None)
    return {
        "format": FORMAT,
        "kind": type(result).__name__,
        "names": list(names),
        "one_pair_of": one_pair_of,
        "metrics": [
            {
                "name": name,
                "formula": metric.formula,
                "zero_division": metric.zero_division,
                "source": metric.source,
                "needs": metric.needs,
                "limits": None if metric.limits == UNLIMITED else metric.limits,
                "observed": list(map(float, posterior.observed(metric))),
                "own": metric.own
                and {name: getattr(metric.own, name) for name in ("how", "words", "caution")},
            }
            for name, metric in metrics.items()
        ],
        "model": posterior.model.name,
        "model_class": type(posterior.model).__name__,
        "prior": _saved_prior(posterior.model),
        "published_prior": posterior.model.published and _saved_prior(posterior.model.published),
        "prior_name": posterior.prior_name,
        "engine": posterior.engine,
        "independent_draws": posterior.trace is None,
        "n_chains": posterior.n_chains,
        "weight": posterior.weight,
        "n_draws": posterior.n_draws,
        "prevalence": None if posterior.prevalence is None else list(posterior.prevalence),
        "entropy": posterior.entropy,
        "evidence": evidence,
        "scored": scored,
        "weights": weights and KnownWeights.of(weights, metrics, evidence.n_classifiers),
        "cross_validation": _saved_cross_validation(record),
    }


def _saved_prior(model: Model) -> dict[str, Any]:
    return {key: np.asarray(value).tolist() for key, value in model.prior().items()}


def _n_own_draws(posterior: Posterior) -> int:
    """Return how many classifiers have draws of their own, beside the joint ones: all or none."""
    are_own = posterior.weights is not None and posterior.weights.are_own
    return posterior.evidence.n_classifiers if are_own else 0


def _has_own_influence(posterior: Posterior, metric: Metric) -> bool:
    """Return whether few rows may carry a user-supplied function, which is not stored."""
    unknown = not metric.is_registered and metric.weighs_instances
    return unknown and posterior.scored is not None and posterior.weights is None


def _saved_cross_validation(record: CrossValidation | None) -> CrossValidation | None:
    """Return the record without predictions and estimators; objects in parameters as their repr."""
    if record is None:
        return None
    results = {}
    for name, of_one in record.results.items():
        results[name] = {key: values for key, values in of_one.items() if key != "estimator"}
        if "best_params" in of_one:
            results[name]["best_params"] = storable(of_one["best_params"])
    return replace(record, results=results, out_of_fold=None)


def write(result: Any, path: str | PathLike[str]) -> None:
    """Write the result and the draws of its metrics to a file."""
    check_place(path)
    arrays: dict[str, NDArray[Any]] = {}
    kind = type(result._posterior.model)
    if MODEL_CLASSES.get(kind.__name__) is not kind:
        raise TypeError(
            f"Cannot save the result: {kind.__name__} is a model of your own, which a file cannot "
            "restore. Keep the draws (result.draws) or the summary instead."
        )
    try:
        header = encode(_header(result), arrays)
    except TypeError as error:
        raise TypeError(
            "Cannot save the result: labels must be strings, numbers or booleans, and items of "
            f"other kinds are not stored ({str(error)[:200]})."
        ) from error
    posterior = result._posterior
    for i, metric in enumerate(result._metrics.values()):
        arrays[f"draws_{i}"] = posterior.draws(metric)
        for k in range(_n_own_draws(posterior)):
            arrays[f"values_{i}_{k}"] = posterior.value(metric, k).draws
        if _has_own_influence(posterior, metric):
            arrays[f"influence_{i}"] = posterior.influence(metric)
        for pooled in filter(None, result._parts[4:]):
            arrays[f"pooled_{i}"] = np.stack([one.draws for one in pooled.drawn(metric)])
    write_archive(path, header, arrays | _chains_to_keep(posterior))


def _chains_to_keep(posterior: Posterior) -> dict[str, NDArray[Any]]:
    """Return what cannot be drawn again: chains, statistics and draws of a callable prior."""
    if posterior.trace is None:
        return {}
    shape = (posterior.n_chains, -1)
    found = {
        f"chains/{name}": values.reshape(*shape, *values.shape[1:])
        for name, values in posterior.parameters().items()
    }
    found |= {f"stats/{name}": values for name, values in posterior.stats.items()}
    if posterior.own_prior is not None:
        drawn = posterior.own_prior.parameters()
        found |= {f"prior/{name}": values for name, values in drawn.items()}
    return found


def read(path: str | PathLike[str], kind: str | None = None) -> tuple[str, Parts]:
    """Return the name of the class of a result that `write` wrote, and what it is made of.

    A file of another kind is a ValueError. `kind` is the class of result that must be in it; by
    default, any.
    """
    check_path(path)
    try:
        header, arrays = read_archive(path)
        version = header["format"]
        if version != FORMAT:
            raise ValueError(
                f"its format is {version!r}, but this version of skbayeseval reads {FORMAT!r}. "
                "Load it with the version that wrote it, or compare again"
            )
        found, parts = _parts(decode(header, arrays, CLASSES), arrays)
    except Exception as error:
        if isinstance(error, OSError) and error.filename is not None:  # the file cannot be opened
            raise
        reason = str(error)
        if not isinstance(error, ValueError):
            reason = f"its content is not consistent ({type(error).__name__}: {in_short(reason)})"
        raise ValueError(
            f"{path} is not a valid result file: {reason.rstrip('.')}. It must be written by the "
            "save method of a result."
        ) from error
    if kind not in (None, found):
        raise ValueError(f"{path} contains a {found}, not a {kind}. Use load_result.")
    return found, parts


def _parts(header: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> tuple[str, Parts]:
    """Return the class of a result by name, and the parts of the result."""
    posterior = _restored_posterior(header, header["evidence"], arrays)
    metrics: dict[str, Metric] = {}
    of_pair: dict[Metric, list[Distribution]] = {}
    number = header.get("one_pair_of")
    for i, saved in enumerate(header["metrics"]):
        metric = metrics[saved["name"]] = _restored_metric(saved)
        posterior.remember(arrays[f"draws_{i}"], "draws", metric)
        posterior.remember(tuple(saved["observed"]), "observed", metric)
        for one in range(_n_own_draws(posterior)):
            posterior.remember(arrays[f"values_{i}_{one}"], "draws of one", metric, one)
        if _has_own_influence(posterior, metric):
            posterior.remember(arrays[f"influence_{i}"], "influence", metric)
        if number is not None:
            rows = arrays[f"pooled_{i}"]
            of_pair[metric] = [Distribution(row, posterior.mcse(row)) for row in rows]
    parts: Parts = posterior, tuple(header["names"]), metrics, header["cross_validation"]
    if number is not None:
        parts = *parts, PooledPair(number, partial(_known_of_pair, of_pair))
    return header["kind"], parts


def _known_of_pair(
    known: Mapping[Metric, Sequence[Distribution]], metric: Metric
) -> Sequence[Distribution]:
    if metric not in known:
        raise ValueError(
            f"The file has this pair of a ranking only in {[one.name for one in known]}, not in "
            f"{metric.name!r}, because the other classifiers are not in it. Ask the pair by itself "
            "(alone), or save the ranking."
        )
    return known[metric]


def _restored_posterior(
    header: Mapping[str, Any], evidence: Evidence, arrays: Mapping[str, NDArray[Any]]
) -> Posterior:
    kind, published = MODEL_CLASSES[header["model_class"]], header["published_prior"]
    model = resolve_model(from_prior(kind, header["prior"]), evidence)
    model.published = None if published is None else from_prior(kind, published)
    prevalence = None if header["prevalence"] is None else tuple(header["prevalence"])
    common: dict[str, Any] = {"entropy": header["entropy"], "prevalence": prevalence}
    if header["independent_draws"]:
        common |= {name: header[name] for name in ("n_draws", "scored", "weights")}
        return Posterior(model, evidence, **common)
    chains, stats, prior = (
        {key.partition("/")[2]: v for key, v in arrays.items() if key.startswith(f"{group}/")}
        for group in ("chains", "stats", "prior")
    )
    return Posterior(
        model,
        evidence,
        trace=Trace(chains, stats),
        prior_name=header["prior_name"],
        own_prior=Prior(model, evidence, prevalence, partial(dict, prior)) if prior else None,
        **common,
    )


def _restored_metric(saved: Mapping[str, Any]) -> Metric:
    name, formula, zero_division = saved["name"], saved["formula"], saved["zero_division"]
    if formula is not None:
        return replace(metric_of_formula(formula, zero_division), name=name)
    kinds: dict[str, Callable[..., Metric]] = {
        "tables": partial(TableMetric, zero_division=zero_division, counts_alike="instances"),
        "instances": partial(ScoreMetric, needs=saved["needs"], is_area=False),
        "numbers": NumberMetric,
    }
    missing, limits = partial(_missing_function, name), saved["limits"] or UNLIMITED
    own = saved.get("own") and AnyMetric(missing, name, **saved["own"])
    about = {"own": own, "words": own.words} if own else {}
    return kinds[saved["source"]](name, missing, limits=limits, available=False, **about)


def _missing_function(name: str, *_: Any) -> NDArray[Any]:
    raise ValueError(
        f"Metric {name!r} is a user-supplied function, which is not stored in the file. The saved "
        "draws are available. To compute new ones, pass the Metric to the metric method."
    )
