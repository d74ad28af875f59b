"""The rows of summaries: of a difference, of one classifier, and under other models and priors."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pandas as pd

from skbayeseval.judgement.decision import NO_ROPE
from skbayeseval.judgement.distribution import Distribution, decision_of
from skbayeseval.judgement.intervals import Interval
from skbayeseval.judgement.rope import check_rope
from skbayeseval.metrics.metric import Metric
from skbayeseval.models import published_and_alternative_models
from skbayeseval.models.base import UndefinedDrawsError
from skbayeseval.posterior.posterior import Posterior
from skbayeseval.posterior.prior_odds import (
    bayes_factor,
    posterior_odds,
    prior_density_at_zero,
    written,
)


def summary_row(
    posterior: Posterior,
    metric: Metric,
    names: tuple[str, str],
    rope: Any,
    prob: float,
    *,
    difference: Distribution | None = None,
    bayes_factor: bool = False,
) -> dict[str, Any]:
    """Return the summary row of one metric, by default of the difference of the posterior."""
    difference = posterior.difference(metric) if difference is None else difference
    region = check_rope(0.0 if rope is None else rope, metric, posterior.observed(metric)[1])
    decision = decision_of(difference, region, prob, names, metric.name)
    row: dict[str, Any] = {"mean": difference.mean, "sd": difference.sd, "mcse": difference.mcse}
    if bayes_factor:
        row["bf"] = _factor(posterior, metric, None if rope is None else region)
    row |= dict(zip(("p_worse", "p_rope", "p_better"), decision.probabilities, strict=True))
    row |= _interval(difference, prob)
    row["decision"] = NO_ROPE if rope is None else decision.settled_code
    return row | _mixing(posterior, difference)


def score_row(posterior: Posterior, metric: Metric, prob: float) -> dict[str, Any]:
    """Return the summary row of one metric of one classifier."""
    value = posterior.value(metric, 0)
    row = {"observed": posterior.observed(metric)[0], "mean": value.mean, "sd": value.sd}
    row |= {"mcse": value.mcse, **_interval(value, prob)}
    return row | _mixing(posterior, value)


def _interval(value: Distribution, prob: float) -> dict[str, float]:
    low, high = value.hdi(prob)
    return {"hdi_low": low, "hdi_high": high, "hdi_mcse": value.hdi_mcse(prob)}


def _mixing(posterior: Posterior, value: Distribution) -> dict[str, float]:
    """Return the diagnostics of Markov chains."""
    mixed = posterior.mixing(value.draws)
    return {} if mixed is None else {"ess": mixed.ess, "r_hat": mixed.r_hat}


def under_other_priors(
    posterior: Posterior, metric: Metric, row: Callable[[Posterior], dict[str, Any]]
) -> pd.DataFrame:
    """Return one row per model that fits the evidence, and per prior.

    `row` gives the row of a posterior. If there is no other model or prior, the only row says so.
    """
    evidence, rows, index = posterior.evidence, [], []
    models = []
    if metric.source in ("tables", "items"):
        models = published_and_alternative_models(evidence)
    if posterior.trace is not None or posterior.model not in models:
        rows.append(row(posterior))
        prior = posterior.prior_description if metric.source in ("tables", "items") else {}
        alone = "" if models else " (no other model or prior fits)"
        index.append((posterior.drawn_by(metric), written(prior) + alone))
    weights = posterior.weights
    for model in models:
        same = posterior.like(
            model=model,
            prevalence=posterior.prevalence if model.has_class_proportions else None,
            weights=None if weights is None else weights.for_model(paired=model.needs_pairs),
        )
        same.check_metric(metric)
        try:
            rows.append(row(same))
        except UndefinedDrawsError:
            rows.append({})
        index.append((model.name, written(model.prior())))
    return pd.DataFrame(rows, index=pd.MultiIndex.from_tuples(index, names=["model", "prior"]))


def _factor(posterior: Posterior, metric: Metric, rope: Interval | None) -> float:
    """Return the Bayes factor, or NaN if it is not defined or not reliable."""
    if metric.calls_per_draw or not (
        metric.available and posterior.has_proper_prior(metric) and posterior.has_known_prior
    ):
        return math.nan
    posterior = posterior.under_published_prior()
    if rope is None or rope.low == rope.high:
        if prior_density_at_zero(posterior.prior, metric) is None:
            return math.nan
        rope = None
    elif not posterior_odds(posterior, metric, rope).reliable:
        return math.nan  # whatever the prior, whose simulation can take a while
    try:
        factor = bayes_factor(posterior, metric, rope)
    except UndefinedDrawsError:  # of the prior
        return math.nan
    return factor.value if factor.reliable else math.nan
