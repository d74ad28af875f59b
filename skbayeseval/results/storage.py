"""Conversion of results to dicts and to files, without pickle."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from os import PathLike
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from skbayeseval._archive import decode, encode, plain, read_archive, storable, write_archive
from skbayeseval._files import check_path
from skbayeseval._validation import check_names, check_whole_number
from skbayeseval.engines.base import Trace
from skbayeseval.engines.pymc import check_trace
from skbayeseval.evidence import KINDS, Evidence
from skbayeseval.evidence.instance_scores import ScoredInstances
from skbayeseval.evidence.predicted_numbers import PredictedNumbers
from skbayeseval.metrics.confusion import Metric, check_zero_division
from skbayeseval.metrics.registry import metric_of_formula
from skbayeseval.models.registry import MODEL_CLASSES, from_prior
from skbayeseval.models.specification import Model
from skbayeseval.posterior.inferred_weight import KnownWeights
from skbayeseval.posterior.prior import Prior
from skbayeseval.posterior.recipe import Posterior
from skbayeseval.splitting.collect import CrossValidation

FORMAT = "skbayeseval result 5"

# The numbers of classifiers that results of each kind have: at least, at most.
RESULTS: dict[str, tuple[int, float]] = {
    "ComparisonResult": (2, 2),
    "ScoreResult": (1, 1),
    "Ranking": (2, np.inf),
}

ESTIMANDS = ("full", "learner", "fitted")


class Parts(NamedTuple):
    """The parts of a result."""

    kind: str
    posterior: Posterior
    names: tuple[str, ...]
    metrics: Mapping[str, Metric]
    cross_validation: CrossValidation | None = None


def describe(parts: Parts) -> dict[str, Any]:
    """Return the result without its draws as dicts, lists, numbers and strings."""
    return plain(_header(parts))


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
                "zero_division": metric.zero_division,
                "observed": list(map(float, posterior.observed(metric))),
            }
            for name, metric in parts.metrics.items()
        ],
        "model": posterior.model.name,
        "model_class": type(posterior.model).__name__,
        "prior": _saved_prior(posterior.model),
        "published_prior": posterior.model.published and _saved_prior(posterior.model.published),
        "prior_name": posterior.prior_name,
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
        "cross_validation": _saved_cross_validation(parts.cross_validation),
    }


def _saved_prior(model: Model) -> dict[str, Any]:
    return {key: np.asarray(value).tolist() for key, value in model.prior().items()}


def _has_own_draws(posterior: Posterior) -> bool:
    """Return whether each classifier has draws of its own, beside the joint ones."""
    return posterior.weights is not None and posterior.weights.are_own


def _has_own_influence(posterior: Posterior, metric: Metric) -> bool:
    """Return whether few rows may carry a user-supplied function, which is not stored."""
    unknown = metric.formula is None and metric.weighs_instances
    return unknown and posterior.scored is not None and posterior.weights is None


def _saved_weights(parts: Parts) -> dict[str, Any] | None:
    weights = parts.posterior.weights
    if weights is None:
        return None
    n_classifiers = parts.posterior.evidence.n_classifiers
    return KnownWeights.of(weights, parts.metrics, n_classifiers).saved()


def _saved_evidence(evidence: Evidence) -> dict[str, Any]:
    return {"kind": evidence.kind, **evidence.saved()}


def _saved_cross_validation(record: CrossValidation | None) -> dict[str, Any] | None:
    """Return the record without predictions and estimators; objects in parameters as their repr."""
    if record is None:
        return None
    results = {
        name: {
            key: storable(values) if key == "best_params" else values
            for key, values in of_one.items()
            if key != "estimator"
        }
        for name, of_one in record.results.items()
    }
    saved = {**vars(record), "results": results}
    del saved["out_of_fold"]
    return saved


def write(parts: Parts, path: str | PathLike[str]) -> None:
    """Write the result and the draws of its metrics to a file."""
    arrays: dict[str, NDArray[Any]] = {}
    try:
        header = encode(_header(parts), arrays)
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
    arrays |= {
        f"influence_{i}": parts.posterior.influence(metric)
        for i, metric in enumerate(parts.metrics.values())
        if _has_own_influence(parts.posterior, metric)
    }
    arrays |= _chains_to_keep(parts.posterior)
    write_archive(path, header, arrays)


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
    if posterior.own_prior is not None:
        drawn = posterior.own_prior.parameters()
        found |= {f"prior/{name}": values for name, values in drawn.items()}
    return found


def read(path: str | PathLike[str], kind: str | None = None) -> Parts:
    """Read a file written by `write`; raise a ValueError unless it is whole and consistent.

    `kind` is the kind of result that must be in it; by default, any.
    """
    check_path(path)
    with _naming(path):
        header, arrays = read_archive(path)
    _check_kind(path, header, kind)
    with _naming(path):
        return _restored(header, arrays)


@contextmanager
def _naming(path: str | PathLike[str]) -> Iterator[None]:
    """Turn whatever a damaged file leads to into a ValueError that names the file."""
    try:
        yield
    except MemoryError:
        raise
    except Exception as error:
        if isinstance(error, OSError) and error.filename is not None:  # the file cannot be opened
            raise
        reason = str(error) if isinstance(error, ValueError) else repr(error)
        raise ValueError(
            f"{path} is not a valid result file: {reason.rstrip('.')}. It must be written by the "
            "save method of a result."
        ) from error


def _check_kind(path: str | PathLike[str], header: Mapping[str, Any], kind: str | None) -> None:
    """Raise unless the file has the version and the kind of result that is asked for."""
    version, found = header.get("format"), header.get("kind")
    if version != FORMAT:
        raise ValueError(
            f"{path} is not a valid result file: its format is {version!r}, but this version of "
            f"skbayeseval reads {FORMAT!r}. Load it with the version that wrote it."
        )
    if not isinstance(found, str) or found not in RESULTS:
        raise ValueError(
            f"{path} is not a valid result file: it contains {found!r}, which is none of "
            f"{list(RESULTS)}."
        )
    if kind not in (None, found):
        raise ValueError(f"{path} contains a {found}, not a {kind}. Use load_result.")


def _restored(encoded: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> Parts:
    """Return the parts of a result; raise unless they would be stored as they were found."""
    parts = _parts(decode(encoded, arrays), arrays)
    again: dict[str, NDArray[Any]] = {}
    described = encode(_header(parts), again)
    different = [key for key in described if described[key] != encoded.get(key)]
    different += [key for key in encoded if key not in described]
    if different:
        raise ValueError(f"{different[0]!r} in its header is not what a result would store.")
    for name, values in again.items():
        if values.dtype != arrays[name].dtype or values.tobytes() != arrays[name].tobytes():
            raise ValueError(f"array {name!r} is not what a result would store.")
    return parts


def _parts(header: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> Parts:
    evidence = KINDS[header["evidence"]["kind"]].restored(header["evidence"])
    n_classifiers = evidence.n_classifiers
    least, most = RESULTS[header["kind"]]
    if not least <= n_classifiers <= most:
        raise ValueError(f"it has evidence of {n_classifiers} classifiers.")
    names = check_names(header["names"], n_classifiers)
    posterior = _restored_posterior(header, evidence, arrays)
    saved_metrics = header["metrics"]
    metrics = {saved["name"]: _restored_metric(saved, evidence) for saved in saved_metrics}
    if not metrics or len(metrics) < len(saved_metrics):
        raise ValueError("it has no metrics, or several with the same name.")
    for i, (saved, metric) in enumerate(zip(saved_metrics, metrics.values(), strict=True)):
        observed = _checked_observed(posterior, metric, saved["observed"])
        rows = 1 if evidence.is_of_difference else n_classifiers
        draws = _checked_draws(arrays[f"draws_{i}"], (rows, posterior.n_draws), metric)
        posterior.remember(metric, draws, observed)
        for k in range(n_classifiers if _has_own_draws(posterior) else 0):
            own = _checked_draws(arrays[f"values_{i}_{k}"], (posterior.n_draws,), metric)
            posterior.remember_value(metric, k, own)
        if _has_own_influence(posterior, metric):
            influence = arrays[f"influence_{i}"]
            assert posterior.scored is not None
            if influence.shape != (n_classifiers, len(posterior.scored.unit)):
                raise ValueError(f"the influence of rows on {metric.name!r} has another shape.")
            if influence.dtype != np.float64 or not np.isfinite(influence).all():
                raise ValueError(f"the influence of rows on {metric.name!r} must be finite.")
            posterior.remember_influence(metric, influence)
    record = header["cross_validation"]
    cross_validation = None if record is None else _restored_cross_validation(record, names)
    return Parts(header["kind"], posterior, names, metrics, cross_validation)


def _restored_posterior(
    header: Mapping[str, Any], evidence: Evidence, arrays: Mapping[str, NDArray[Any]]
) -> Posterior:
    kind, published = MODEL_CLASSES[header["model_class"]], header["published_prior"]
    model = from_prior(kind, header["prior"])
    model.published = None if published is None else from_prior(kind, published)
    common: dict[str, Any] = {
        "entropy": check_whole_number(header["entropy"], "entropy", minimum=0),
        "prevalence": _checked_prevalence(header["prevalence"], evidence),
    }
    if header["independent_draws"] is True:
        scored = header["scored"]
        known = header["weights"]
        return Posterior(
            model,
            evidence,
            n_draws=check_whole_number(header["n_draws"], "n_draws"),
            scored=None if scored is None else ScoredInstances.restored(scored),
            weights=None
            if known is None
            else KnownWeights.restored(
                known, [metric["name"] for metric in header["metrics"]], evidence.n_classifiers
            ),
            **common,
        )
    chains, stats, prior = (
        {key.partition("/")[2]: v for key, v in arrays.items() if key.startswith(f"{kind}/")}
        for kind in ("chains", "stats", "prior")
    )
    if not isinstance(header["engine"], str) or not isinstance(header["prior_name"], str | None):
        raise ValueError("the names of its engine and of its prior must be texts.")
    drawn = None
    if prior:
        drawn = Prior(model, evidence, common["prevalence"], partial(dict, prior))
    trace = Trace(chains, stats)
    posterior = Posterior(
        model, evidence, trace=trace, prior_name=header["prior_name"], prior=drawn, **common
    )
    check_trace(trace, posterior.specification.parameters())
    if any(values.shape[:2] != next(iter(chains.values())).shape[:2] for values in stats.values()):
        raise ValueError("the statistics of its chains are not those of every draw.")
    posterior.engine = header["engine"]
    return posterior


def _checked_prevalence(saved: Any, evidence: Evidence) -> tuple[float, ...] | None:
    if saved is None:
        return None
    shares = np.array(saved, dtype=float)
    n_classes = len(evidence.margins()[0].labels)
    if shares.shape != (n_classes,) or not (shares > 0).all() or not np.isclose(shares.sum(), 1):
        raise ValueError(
            f"its prevalence is {saved!r}, not the proportions of {n_classes} classes."
        )
    return tuple(shares.tolist())


def _checked_observed(posterior: Posterior, metric: Metric, saved: Any) -> tuple[float, ...]:
    """Return the stored values of a metric; raise unless they are those of the evidence."""
    observed = np.array(saved, dtype=float)
    posterior.check_metric(metric)
    if metric.available:
        expected = np.array(posterior.observed(metric))
        if not np.allclose(observed, expected, rtol=1e-6, atol=1e-9, equal_nan=True):
            raise ValueError(
                f"{metric.name!r} is {observed.tolist()}, but {expected.tolist()} for its evidence."
            )
    if observed.shape != (posterior.evidence.n_classifiers,):
        raise ValueError(f"{metric.name!r} must have one value per classifier, got {saved!r}.")
    return tuple(observed.tolist())


def _checked_draws(
    draws: NDArray[Any], shape: tuple[int, ...], metric: Metric
) -> NDArray[np.floating[Any]]:
    """Return the draws of a metric; raise unless they have the shape and range of such draws."""
    if draws.dtype != np.float64 or draws.shape != shape:
        raise ValueError(
            f"the draws of {metric.name!r} have shape {draws.shape} and type {draws.dtype}, must "
            f"be {shape} and float64."
        )
    if not np.isfinite(draws).all() and (metric.formula is not None or np.isnan(draws).any()):
        raise ValueError(f"the draws of {metric.name!r} contain NaN or infinity.")
    # Mean split scores are t-distributed, which knows no bounds.
    bounds = None if metric.source == "splits" else metric.bounds
    low, high = bounds or (-np.inf, np.inf)
    rounding = 1e-9
    if draws.min() < low - rounding or draws.max() > high + rounding:
        raise ValueError(f"the draws of {metric.name!r} are not between {low:g} and {high:g}.")
    return draws


def _restored_cross_validation(saved: Mapping[str, Any], names: tuple[str, ...]) -> CrossValidation:
    record = CrossValidation(**saved)
    numbers = (
        record.train_size,
        record.test_size or 1.0,
        record.published_weight or 1.0,
        record.n_instances or 1,
        record.further_size or 1.0,
    )
    fits = (
        isinstance(record.splitter, str)
        and record.estimand in ESTIMANDS
        and all(isinstance(one, (int, float)) and 0 < one < np.inf for one in numbers)
        and (record.estimand == "full") == (record.further_size is not None)
        and record.two_fold_repeats in (None, record.n_splits / 2)
        and set(record.results) >= set(names)
        and all(set(of_each) == set(record.results) for of_each in record.scores.values())
    )
    if not fits:
        raise ValueError("the description of its cross-validation is not one.")
    n_splits = check_whole_number(record.n_splits, "n_splits")
    series = [values for of_each in record.scores.values() for values in of_each.values()]
    for of_one in record.results.values():
        series += [v for key, v in of_one.items() if key not in ("best_params", "indices")]
        for chosen in of_one.get("best_params", []):
            if not isinstance(chosen, dict | None):
                raise ValueError(f"chosen parameters must be a dict, got {chosen!r}.")
    lengths = {len(values) for values in series}
    if len(lengths) > 1 or min(lengths, default=n_splits) < n_splits:
        raise ValueError(f"it has {n_splits} splits, but series of lengths {sorted(lengths)}.")
    if any(values.dtype.kind not in "fiu" or values.ndim != 1 for values in series):
        raise ValueError("the series of its splits must be numbers.")
    return record


def _restored_metric(saved: Mapping[str, Any], evidence: Evidence) -> Metric:
    name, formula, zero_division = saved["name"], saved["formula"], saved["zero_division"]
    if not isinstance(name, str):
        raise ValueError(f"the name of a metric must be a text, got {name!r}.")
    if formula is None:
        missing, value = partial(_missing_function, name), check_zero_division(zero_division)
        source = "numbers" if isinstance(evidence, PredictedNumbers) else "tables"
        return Metric(name, missing, zero_division=value, available=False, source=source)
    return replace(metric_of_formula(formula, zero_division), name=name)


def _missing_function(name: str, *_: Any) -> NDArray[Any]:
    raise ValueError(
        f"Metric {name!r} is a user-supplied function, which is not stored in the file. The saved "
        "draws are available. To compute new ones, pass the Metric to the metric method."
    )
