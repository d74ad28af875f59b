"""Conversion of a result to ArviZ's InferenceData (0.x) or DataTree (1.x)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import numpy as np

from skbayeseval._arrays import Array
from skbayeseval._streams import Stream, generator
from skbayeseval._version import __version__
from skbayeseval.evidence.interface import letter, variable_names
from skbayeseval.metrics.metric import Metric
from skbayeseval.models.base import Replicated
from skbayeseval.models.pymc import to_inference_data
from skbayeseval.posterior.posterior import Posterior

PRIOR_DRAWS = 4000

# The number of draws for which counts are predicted, and the most and fewest that are useful.
PREDICTIVE_DRAWS = 1000
MOST_PREDICTED_NUMBERS = 2 * 10**7
FEWEST_PREDICTIVE_DRAWS = 100

# If the draws of the parameters have more elements than this, they are not exported.
MOST_NUMBERS = 5 * 10**7


def as_arviz(posterior: Posterior, names: tuple[str, ...], metrics: Mapping[str, Metric]) -> Any:
    """Return InferenceData (ArviZ 0.x) or a DataTree (1.x) of parameters, metrics and data."""
    labels, observed = posterior.counts[0].labels, posterior.evidence.observed_data()
    scores = {name: posterior.draws(metric) for name, metric in metrics.items()}
    parameters: dict[str, Array] = {}
    if posterior.n_draws * len(posterior.counts) * len(labels) <= MOST_NUMBERS:
        parameters = {**posterior.parameters(), **posterior.rates()}
    densities = None
    # Other metrics are not computed from these draws of the parameters, or not from them alone.
    of_tables = all(metric.source == "tables" for metric in metrics.values())
    if of_tables and posterior.weights is None and posterior.prior_name is None:
        densities = posterior.specification.log_densities(parameters)
    alone = posterior.evidence.is_of_difference
    chains = (posterior.n_chains, -1)
    groups = {
        "posterior": _by_chain({**_with_rates(parameters), **_named_scores(scores, alone)}, chains),
        "posterior_predictive": _predictive(posterior, _thinned(posterior, parameters), chains),
        "log_likelihood": {} if densities is None else _by_chain(densities[0], chains),
        "log_prior": {} if densities is None else _by_chain(densities[1], chains),
        **_prior_groups(posterior, metrics),
        "sample_stats": dict(posterior.stats),
        "observed_data": {name: values for name, (_, values) in observed.items()},
    }
    prior = posterior.prior_description
    attrs = {
        "inference_library": "skbayeseval",
        "inference_library_version": __version__,
        "model": posterior.model.name,
        "engine": posterior.engine,
        "prior_parameters": json.dumps(prior, default=lambda value: np.asarray(value).tolist()),
        "weight": posterior.weight,
        "classifiers": json.dumps(list(names)),
        "metrics": json.dumps(list(metrics)),
        "labels": json.dumps(list(labels), default=str),
    }
    dims = posterior.specification.dims()
    dims |= {
        f"{rate}_{name[3:]}": of_cells[:-1]
        for name, of_cells in dims.items()
        if name.startswith("pi_")
        for rate in ("rho+", "rho-", "mu")
    }
    dims |= {name: list(of_data) for name, (of_data, _) in observed.items()}
    coords: dict[str, list[Any]] = dict(posterior.specification.coordinates(labels))
    coords |= {dim: list(map(str, labels)) for dim in ("true", "predicted", "target")}
    coords["count"] = ["hits", "true", "predicted"]
    for of_data, values in observed.values():
        sizes = dict(zip(of_data, values.shape, strict=True))
        coords |= {dim: list(range(n)) for dim, n in sizes.items() if dim in ("split", "data_set")}
    return to_inference_data(groups, coords=coords, dims=dims, attrs=attrs)


def _n_predictive(posterior: Posterior) -> int:
    """Return for how many draws counts are predicted."""
    n_numbers = len(posterior.counts) * len(posterior.counts[0].labels) ** 2
    n_draws = min(PREDICTIVE_DRAWS, MOST_PREDICTED_NUMBERS // max(n_numbers, 1))
    return n_draws if n_draws >= FEWEST_PREDICTIVE_DRAWS else 0


def _thinned(posterior: Posterior, parameters: Mapping[str, Array]) -> dict[str, Array]:
    """Return evenly spaced draws of each chain."""
    n_draws = _n_predictive(posterior)
    if not n_draws or not parameters:
        return {}
    per_chain = posterior.n_draws // posterior.n_chains
    step = max(1, -(-per_chain * posterior.n_chains // n_draws))
    kept = (
        np.arange(posterior.n_chains)[:, None] * per_chain + np.arange(0, per_chain, step)
    ).ravel()
    return {name: values[kept] for name, values in parameters.items()}


def _predictive(
    posterior: Posterior,
    draws: Mapping[str, Array],
    chains: tuple[int, int],
    *,
    prior: bool = False,
) -> dict[str, Array]:
    """Return predicted counts, given draws of the parameters."""
    if not posterior.evidence.has_class_counts:
        return {}
    of = Replicated(
        draws,
        [np.asarray(counts.true, dtype=float) for counts in posterior.counts],
        [counts.weight for counts in posterior.counts],
        posterior.prevalence is not None,
        prior,
        generator(posterior.entropy, Stream.PREDICTIVE, int(prior)),
    )
    return _by_chain(posterior.specification.replicate(of), chains)


def _prior_groups(
    posterior: Posterior, metrics: Mapping[str, Metric]
) -> dict[str, dict[str, Array]]:
    """Return draws of the prior, and counts predicted from them, where the prior is proper."""
    proper = {
        n: metric
        for n, metric in metrics.items()
        if posterior.has_proper_prior(metric) and not metric.calls_per_draw
    }
    if not (proper and posterior.has_known_prior):
        return {}
    prior = posterior.prior
    n_draws = prior.affordable(PRIOR_DRAWS)
    scores = {name: prior.draws(m, n_draws) for name, m in proper.items() if m.available}
    parameters = _with_rates({**prior.parameters(n_draws), **prior.rates(n_draws)})
    groups = {"prior": _by_chain({**parameters, **_named_scores(scores)}, (1, -1))}
    if n_predictive := _n_predictive(posterior):
        draws = {**prior.parameters(n_predictive), **prior.rates(n_predictive)}
        groups["prior_predictive"] = _predictive(posterior, draws, (1, -1), prior=True)
    return groups


def _with_rates(parameters: dict[str, Array]) -> dict[str, Array]:
    """Add the rates of positive predictions if outcomes or cells were sampled."""
    rates = {}
    for name, values in parameters.items():
        if name in ("theta+", "theta-"):
            both, only_a, only_b, _ = np.moveaxis(values, -1, 0)
            rates[f"rho{name[-1]}_A"] = both + only_a
            rates[f"rho{name[-1]}_B"] = both + only_b
        elif name.startswith("pi_"):
            tp, fp, fn, *rest = np.moveaxis(values, -1, 0)
            rates[f"rho+_{name[3:]}"] = tp / (tp + fn)
            if rest:
                rates[f"rho-_{name[3:]}"] = fp / (fp + rest[0])
                rates[f"mu_{name[3:]}"] = tp + fn
    return {**parameters, **rates}


def _named_scores(scores: Mapping[str, Array], difference_alone: bool = False) -> dict[str, Array]:
    """Return the metric of each classifier and, for two classifiers, the difference."""
    named: dict[str, Array] = {}
    called = variable_names(scores)
    for metric, draws in scores.items():
        name = called[metric]
        if len(draws) > 1 or not difference_alone:
            named |= {f"{name}_{letter(k)}": of_classifier for k, of_classifier in enumerate(draws)}
        if len(draws) == 2:
            named[f"{name}_difference"] = draws[0] - draws[1]
        elif difference_alone:
            named[f"{name}_difference"] = draws[0]
    return named


def _by_chain(draws: Mapping[str, Array], chains: tuple[int, int]) -> dict[str, Array]:
    return {name: v.reshape(*chains, *v.shape[1:]) for name, v in draws.items()}
