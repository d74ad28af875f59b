"""Results as plain dicts, and as files that need no pickle to read back."""

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
from scipy import sparse

from skbayeseval.engines.pymc import Trace
from skbayeseval.evidence.chunks import ChunkCounts
from skbayeseval.evidence.counts import ConfusionCounts, Evidence, PairedCounts, margins_of
from skbayeseval.evidence.instance_scores import ScoredInstances
from skbayeseval.evidence.split_scores import DataSetScores, SplitScores
from skbayeseval.evidence.units import UnitCounts
from skbayeseval.metrics.confusion import Metric
from skbayeseval.metrics.registry import metric_of_formula
from skbayeseval.models.registry import MODEL_CLASSES, from_prior
from skbayeseval.posterior.chains import SampledPosterior, SampledPrior
from skbayeseval.posterior.recipe import Posterior
from skbayeseval.splitting.collect import CrossValidation

__all__ = ["Parts", "describe", "read", "write"]

FORMAT = "skbayeseval result 1"

_ARRAYS_OF_SCORED = ("truth", "run", "unit", "shape")

# What reading a damaged archive raises.
_BROKEN = (zipfile.BadZipFile, zlib.error)


class Parts(NamedTuple):
    """What a result is made of."""

    kind: str
    posterior: Posterior
    names: tuple[str, ...]
    metrics: Mapping[str, Metric]
    cross_validation: CrossValidation | None = None


def describe(parts: Parts) -> dict[str, Any]:
    """Return all but the draws as plain lists, numbers and strings."""
    posterior = parts.posterior
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
        "n_chains": posterior.n_chains,
        "weight": posterior.weight,
        "n_draws": posterior.n_draws,
        "prevalence": None if posterior.prevalence is None else list(posterior.prevalence),
        "entropy": posterior.entropy,
        "evidence": _describe_evidence(posterior.evidence),
        "scored": _describe_scored(posterior),
        "cross_validation": _describe_cross_validation(parts.cross_validation),
    }


def write(parts: Parts, path: str | PathLike[str]) -> None:
    """Write the result, with the draws of its metrics, to a file."""
    try:
        header = json.dumps(describe(parts), allow_nan=False)
    except TypeError as error:
        raise TypeError(
            f"Only labels that are strings, numbers or booleans can be saved: {error}."
        ) from error
    draws = {
        f"draws_{i}": parts.posterior.draws(metric)
        for i, metric in enumerate(parts.metrics.values())
    }
    with open(path, "wb") as file:
        arrays: dict[str, Any] = {**draws, **_chains_to_keep(parts.posterior)}
        np.savez_compressed(file, header=np.array(header), **arrays)


def _chains_to_keep(posterior: Posterior) -> dict[str, NDArray[Any]]:
    """Return what cannot be drawn again: chains, statistics, and draws of a prior of one's own."""
    if posterior.engine == "exact":
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
    """Read what `write` wrote."""
    try:
        with open(path, "rb") as raw, np.load(raw, allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files}
        header = json.loads(str(arrays.pop("header")))
        if header["format"] != FORMAT:
            raise KeyError("format")
        return _parts(header, arrays)
    except (KeyError, ValueError, TypeError, AttributeError, EOFError, *_BROKEN) as error:
        raise ValueError(f"{path} is not a file that a result's save wrote.") from error


def _parts(header: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> Parts:
    evidence = _read_evidence(header["evidence"])
    prevalence = header["prevalence"]
    model = from_prior(MODEL_CLASSES[header["model_class"]], header["prior"])
    common: dict[str, Any] = {
        "entropy": header["entropy"],
        "prevalence": None if prevalence is None else tuple(prevalence),
    }
    posterior: Posterior
    if header["engine"] == "exact":
        saved = header.get("scored")
        scored = None if saved is None else _read_evidence(saved)
        posterior = Posterior(
            model,
            evidence,
            n_draws=header["n_draws"],
            scored=scored if isinstance(scored, ScoredInstances) else None,
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
    metrics = {}
    for i, saved in enumerate(header["metrics"]):
        metric = _read_metric(saved)
        metrics[metric.name] = metric
        observed = tuple(np.array(saved["observed"], dtype=float).tolist())
        posterior.remember(metric, arrays[f"draws_{i}"], observed)
    return Parts(
        header["kind"],
        posterior,
        tuple(header["names"]),
        metrics,
        _read_cross_validation(header["cross_validation"]),
    )


def _describe_scored(posterior: Posterior) -> dict[str, Any] | None:
    if posterior.scored is None or posterior.scored is posterior.evidence:
        return None
    return _describe_evidence(posterior.scored)


def _describe_evidence(evidence: Evidence) -> dict[str, Any]:
    if isinstance(evidence, PairedCounts):
        return {
            "kind": "paired",
            "labels": list(evidence.labels),
            "pos_label": evidence.pos_label,
            "truth": evidence.truth.tolist(),
            "predictions": evidence.predictions.tolist(),
            "counts": evidence.counts.tolist(),
            "weight": evidence.weight,
        }
    if isinstance(evidence, UnitCounts):
        return {
            "kind": "units",
            "labels": list(evidence.labels),
            "pos_label": evidence.pos_label,
            "true": _describe_sparse(evidence.true),
            **{
                name: [_describe_sparse(matrix) for matrix in getattr(evidence, name)]
                for name in ("hits", "predicted", "cells")
            },
            "shape": evidence.shape.tolist(),
            "sizes": evidence.sizes.tolist(),
            "weight": evidence.weight,
            "grouped": evidence.grouped,
        }
    if isinstance(evidence, ChunkCounts):
        return {
            "kind": "chunks",
            "labels": list(evidence.labels),
            "pos_label": evidence.pos_label,
            "cells": evidence.cells.tolist(),
            "weight": evidence.weight,
        }
    if isinstance(evidence, ScoredInstances):
        return {
            "kind": "scored",
            "labels": list(evidence.labels),
            "pos_label": evidence.pos_label,
            "responses": [
                {kind: scores.tolist() for kind, scores in of_one.items()}
                for of_one in evidence.responses
            ],
            **{name: getattr(evidence, name).tolist() for name in _ARRAYS_OF_SCORED},
            "weight": evidence.weight,
            "grouped": evidence.grouped,
        }
    if isinstance(evidence, (SplitScores, DataSetScores)):
        return {
            "kind": "splits" if isinstance(evidence, SplitScores) else "data sets",
            "scores": {name: values.tolist() for name, values in evidence.scores.items()},
            "test_fraction": evidence.test_fraction,
        }
    evidence = margins_of(evidence)
    return {
        "kind": "marginal",
        "labels": list(evidence[0].labels),
        "pos_label": evidence[0].pos_label,
        "tables": [[_numbers(row) for row in counts.table] for counts in evidence],
        "weights": [counts.weight for counts in evidence],
    }


def _read_evidence(saved: dict[str, Any]) -> Evidence:
    if saved["kind"] in ("splits", "data sets"):
        kind = SplitScores if saved["kind"] == "splits" else DataSetScores
        return kind(saved["scores"], saved["test_fraction"])
    labels, pos_label = tuple(saved["labels"]), saved["pos_label"]
    if saved["kind"] == "scored":
        responses = tuple(
            {kind: np.array(scores, dtype=float) for kind, scores in of_one.items()}
            for of_one in saved["responses"]
        )
        truth, run, unit, shape = (np.array(saved[name]) for name in _ARRAYS_OF_SCORED)
        return ScoredInstances(
            truth, responses, run, unit, shape, labels, saved["weight"], pos_label, saved["grouped"]
        )
    if saved["kind"] == "paired":
        return PairedCounts(
            np.array(saved["truth"]),
            np.array(saved["predictions"]),
            np.array(saved["counts"]),
            labels,
            saved["weight"],
            pos_label,
        )
    if saved["kind"] == "units":
        hits, predicted, cells = (
            tuple(_read_sparse(matrix) for matrix in saved[name])
            for name in ("hits", "predicted", "cells")
        )
        return UnitCounts(
            _read_sparse(saved["true"]),
            hits,
            predicted,
            cells,
            np.array(saved["shape"]),
            np.array(saved["sizes"]),
            labels,
            saved["weight"],
            pos_label,
            saved["grouped"],
        )
    if saved["kind"] == "chunks":
        return ChunkCounts(np.array(saved["cells"]), saved["weight"])
    return tuple(
        ConfusionCounts(np.array(table, dtype=float), labels, weight, pos_label)
        for table, weight in zip(saved["tables"], saved["weights"], strict=True)
    )


def _describe_sparse(matrix: Any) -> dict[str, Any]:
    entries = sparse.coo_matrix(matrix)
    order = np.lexsort((entries.col, entries.row))
    return {
        "shape": list(entries.shape),
        "row": entries.row[order].tolist(),
        "col": entries.col[order].tolist(),
        "data": entries.data[order].tolist(),
    }


def _read_sparse(saved: dict[str, Any]) -> Any:
    entries = (saved["data"], (saved["row"], saved["col"]))
    return sparse.csr_matrix(entries, saved["shape"])


def _describe_cross_validation(record: CrossValidation | None) -> dict[str, Any] | None:
    """Return the record as lists; fitted estimators are left out."""
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
        f"Metric {name!r} is a function of your own, which the file does not hold. Its draws are "
        "here; for more, pass the metric itself to the result's metric method."
    )


def _numbers(values: Iterable[float]) -> list[float | None]:
    """Return plain numbers; JSON has no NaN."""
    return [None if np.isnan(value) else float(value) for value in values]
