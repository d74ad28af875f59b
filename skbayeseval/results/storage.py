"""Conversion of results to dicts and to files, without pickle."""

from __future__ import annotations

import json
import zipfile
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import partial
from os import PathLike
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from skbayeseval.engines.base import Trace
from skbayeseval.evidence import KINDS, Evidence
from skbayeseval.metrics.confusion import Metric
from skbayeseval.metrics.registry import metric_of_formula
from skbayeseval.models.registry import MODEL_CLASSES, from_prior
from skbayeseval.posterior.chains import SampledPosterior, SampledPrior
from skbayeseval.posterior.inferred_weight import StoredWeights
from skbayeseval.posterior.recipe import Posterior
from skbayeseval.splitting.collect import CrossValidation

__all__ = ["Parts", "describe", "read", "write"]

FORMAT = "skbayeseval result 3"

# The key in the header that refers to an array in the file.
_ARRAY = "<array>"

# The exceptions raised by reading a damaged archive.
_BROKEN = (zipfile.BadZipFile, zlib.error)


class Parts(NamedTuple):
    """The parts of a result."""

    kind: str
    posterior: Posterior
    names: tuple[str, ...]
    metrics: Mapping[str, Metric]
    cross_validation: CrossValidation | None = None


def describe(parts: Parts) -> dict[str, Any]:
    """Return the result without its draws as dicts, lists, numbers and strings."""
    return _plain(_header(parts))


def _header(parts: Parts) -> dict[str, Any]:
    """Return the result without its draws as a dict that may contain arrays."""
    posterior = parts.posterior
    scored = None if posterior.scored is posterior.evidence else posterior.scored
    return {
        "format": FORMAT,
        "kind": parts.kind,
        "names": list(parts.names),
        "metrics": [
            {
                "name": name,
                "formula": metric.formula,
                "zero_division": None if np.isnan(metric.zero_division) else metric.zero_division,
                "observed": _numbers(posterior.observed(metric)),
            }
            for name, metric in parts.metrics.items()
        ],
        "model": posterior.model.name,
        "model_class": type(posterior.model).__name__,
        "prior": {key: np.asarray(v).tolist() for key, v in posterior.model.prior().items()},
        "prior_name": getattr(posterior, "prior_name", None),
        "engine": posterior.engine,
        "independent_draws": posterior.has_independent_draws,
        "n_chains": posterior.n_chains,
        "weight": posterior.weight,
        "n_draws": posterior.n_draws,
        "prevalence": None if posterior.prevalence is None else list(posterior.prevalence),
        "entropy": posterior.entropy,
        "evidence": _saved_evidence(posterior.evidence),
        "scored": None if scored is None else _saved_evidence(scored),
        "weights": _saved_weights(parts),
        "cross_validation": _describe_cross_validation(parts.cross_validation),
    }


def _has_own_draws(posterior: Posterior) -> bool:
    """Return whether each classifier has draws of its own, beside the joint ones."""
    return posterior.weights is not None and posterior.weights.are_own


def _saved_weights(parts: Parts) -> dict[str, Any] | None:
    weights = parts.posterior.weights
    if weights is None:
        return None
    n_classifiers = parts.posterior.evidence.n_classifiers
    return StoredWeights.of(weights, parts.metrics, n_classifiers).saved()


def _saved_evidence(evidence: Evidence) -> dict[str, Any]:
    return {"kind": evidence.kind, **evidence.saved()}


def _restored_evidence(saved: dict[str, Any]) -> Evidence:
    return KINDS[saved["kind"]].restored(saved)


def write(parts: Parts, path: str | PathLike[str]) -> None:
    """Write the result and the draws of its metrics to a file."""
    arrays: dict[str, Any] = {}
    plain = _without_arrays(_header(parts), "", arrays)
    try:
        header = json.dumps(plain, allow_nan=False)
    except TypeError as error:
        raise TypeError(
            f"Cannot save the result: labels must be strings, numbers or booleans ({error})."
        ) from error
    arrays |= {
        f"draws_{i}": parts.posterior.draws(metric)
        for i, metric in enumerate(parts.metrics.values())
    }
    if _has_own_draws(parts.posterior):
        arrays |= {
            f"values_{i}_{k}": parts.posterior.value(metric, k).draws
            for i, metric in enumerate(parts.metrics.values())
            for k in range(parts.posterior.evidence.n_classifiers)
        }
    arrays |= _chains_to_keep(parts.posterior)
    with open(path, "wb") as file:
        np.savez_compressed(file, header=np.array(header), **arrays)


def _without_arrays(value: Any, path: str, arrays: dict[str, Any]) -> Any:
    """Return a value in which every array is moved to `arrays` and replaced by its name."""
    if isinstance(value, np.ndarray):
        arrays[f"array{path}"] = value
        return {_ARRAY: f"array{path}"}
    if isinstance(value, dict):
        return {k: _without_arrays(v, f"{path}/{k}", arrays) for k, v in value.items()}
    if isinstance(value, list):
        return [_without_arrays(v, f"{path}/{i}", arrays) for i, v in enumerate(value)]
    return value


def _with_arrays(value: Any, arrays: dict[str, Any]) -> Any:
    """Invert `_without_arrays`."""
    if isinstance(value, dict):
        if set(value) == {_ARRAY}:
            return arrays[value[_ARRAY]]
        return {k: _with_arrays(v, arrays) for k, v in value.items()}
    return [_with_arrays(v, arrays) for v in value] if isinstance(value, list) else value


def _plain(value: Any) -> Any:
    """Return a value in which arrays are replaced by lists, for JSON."""
    if isinstance(value, np.ndarray):
        return [_plain(row) for row in value] if value.ndim > 1 else _numbers_or_labels(value)
    if isinstance(value, dict):
        return {k: _plain(v) for k, v in value.items()}
    return [_plain(v) for v in value] if isinstance(value, list) else value


def _numbers_or_labels(values: NDArray[Any]) -> list[Any]:
    return _numbers(values) if values.dtype.kind == "f" else values.tolist()


def _chains_to_keep(posterior: Posterior) -> dict[str, NDArray[Any]]:
    """Return what cannot be drawn again: chains, statistics and draws of a callable prior."""
    if posterior.has_independent_draws:
        return {}
    shape = (posterior.n_chains, -1)
    found = {
        f"chains/{name}": values.reshape(*shape, *values.shape[1:])
        for name, values in posterior.parameters().items()
    }
    found |= {f"stats/{name}": values for name, values in posterior.stats.items()}
    if posterior.has_known_prior and isinstance(posterior.prior, SampledPrior):
        drawn = posterior.prior.parameters()
        found |= {f"prior/{name}": values for name, values in drawn.items()}
    return found


def read(path: str | PathLike[str]) -> Parts:
    """Read a file written by `write`."""
    try:
        with open(path, "rb") as raw, np.load(raw, allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files}
        header = json.loads(str(arrays.pop("header")))
        if header["format"] != FORMAT:
            raise KeyError("format")
        return _parts(header, arrays)
    except (KeyError, ValueError, TypeError, AttributeError, EOFError, *_BROKEN) as error:
        raise ValueError(
            f"{path} is not a valid result file. It must be written by the save method of a result."
        ) from error


def _parts(header: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> Parts:
    header = _with_arrays(header, arrays)
    evidence = _restored_evidence(header["evidence"])
    prevalence = header["prevalence"]
    model = from_prior(MODEL_CLASSES[header["model_class"]], header["prior"])
    common: dict[str, Any] = {
        "entropy": header["entropy"],
        "prevalence": None if prevalence is None else tuple(prevalence),
    }
    posterior: Posterior
    if header["independent_draws"]:
        saved = header["scored"]
        scored: Any = None if saved is None else _restored_evidence(saved)
        known = header["weights"]
        posterior = Posterior(
            model,
            evidence,
            n_draws=header["n_draws"],
            scored=scored,
            weights=None if known is None else StoredWeights.restored(known),
            **common,
        )
    else:
        chains, stats, prior = (
            {key.partition("/")[2]: v for key, v in arrays.items() if key.startswith(f"{kind}/")}
            for kind in ("chains", "stats", "prior")
        )
        posterior = SampledPosterior(
            model,
            evidence,
            trace=Trace(chains, stats),
            prior_name=header["prior_name"],
            prior=SampledPrior(model, evidence, common["prevalence"], lambda: prior)
            if prior
            else None,
            **common,
        )
        posterior.engine = header["engine"]
    metrics = {}
    for i, saved in enumerate(header["metrics"]):
        metric = _read_metric(saved)
        metrics[metric.name] = metric
        observed = tuple(np.array(saved["observed"], dtype=float).tolist())
        posterior.remember(metric, arrays[f"draws_{i}"], observed)
        for k in range(evidence.n_classifiers if _has_own_draws(posterior) else 0):
            posterior.remember_value(metric, k, arrays[f"values_{i}_{k}"])
    return Parts(
        header["kind"],
        posterior,
        tuple(header["names"]),
        metrics,
        _read_cross_validation(header["cross_validation"]),
    )


def _describe_cross_validation(record: CrossValidation | None) -> dict[str, Any] | None:
    """Return the record as dicts and lists, without fitted estimators."""
    if record is None:
        return None
    results: dict[str, dict[str, Any]] = {}
    for name, of_one in record.results.items():
        results[name] = {
            key: _numbers(values)
            for key, values in of_one.items()
            if key not in ("estimator", "indices", "best_params")
        }
        if "best_params" in of_one:
            plain = json.dumps(of_one["best_params"], default=str)
            results[name]["best_params"] = json.loads(plain)
        if "indices" in of_one:
            results[name]["indices"] = {
                side: [rows.tolist() for rows in splits]
                for side, splits in of_one["indices"].items()
            }
    scores = {
        metric: {name: _numbers(values) for name, values in of_each.items()}
        for metric, of_each in record.scores.items()
    }
    return {**vars(record), "results": results, "scores": scores}


def _read_cross_validation(saved: dict[str, Any] | None) -> CrossValidation | None:
    if saved is None:
        return None
    for of_one in saved["results"].values():
        for key, values in of_one.items():
            if key == "best_params":
                continue
            if key == "indices":
                of_one[key] = {
                    side: tuple(np.array(rows, dtype=int) for rows in splits)
                    for side, splits in values.items()
                }
            else:
                of_one[key] = np.array(values, dtype=float)
    for of_each in saved["scores"].values():
        for name, values in of_each.items():
            of_each[name] = np.array(values, dtype=float)
    return CrossValidation(**saved)


def _read_metric(saved: dict[str, Any]) -> Metric:
    name, formula = saved["name"], saved["formula"]
    if formula is None:
        return Metric(name, partial(_missing_function, name), available=False)
    zero_division = np.nan if saved["zero_division"] is None else saved["zero_division"]
    metric = metric_of_formula(formula, zero_division)
    return replace(metric, name=name)


def _missing_function(name: str, *_: Any) -> NDArray[Any]:
    raise ValueError(
        f"Metric {name!r} is a user-supplied function, which is not stored in the file. The saved "
        "draws are available. To compute new ones, pass the Metric to the metric method."
    )


def _numbers(values: Iterable[float]) -> list[float | None]:
    """Return a list of floats, with None for NaN, which JSON does not support."""
    return [None if np.isnan(value) else float(value) for value in values]
