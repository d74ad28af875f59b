"""Bayes factors, with the best available estimate of odds or densities.

Bayes factors tell their error. The interval null needs the prior probability of the ROPE. It comes
from quadrature, from all pairs of draws of classifiers that the model says are independent, or from
counting a million draws of the prior, and more of them where few are in the ROPE. It is kept for
the process, since it depends on model, metric and ROPE alone; classes that the prior treats alike
share it. Savage-Dickey is used only where the prior density at 0 is finite; models say so by
argument, never by looking at draws. The posterior density then comes from a closed form or from a
kernel estimate around a normal start, whose bias in the tails is small against its error. The
kernel estimate of the papers is there on request, for their tables, and is never called reliable.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skbayeseval._arrays import in_short
from skbayeseval.judgement.bayes_factor import (
    PRIOR_DRAWS,
    BayesFactor,
    Estimate,
    density_by_kde,
    density_by_smoothing,
    density_of_draws,
    density_of_pairs,
    odds_of_draws,
    odds_of_pairs,
    odds_of_probabilities,
    ratio,
)
from skbayeseval.judgement.intervals import Interval, count_inside
from skbayeseval.judgement.rope import check_rope
from skbayeseval.metrics.metric import Metric
from skbayeseval.metrics.registry import of_class
from skbayeseval.models.margins import Law
from skbayeseval.posterior.posterior import Posterior
from skbayeseval.posterior.prior import Prior

# The number of draws in the papers' estimate of the prior density. It is part of the method,
# because the bandwidth depends on it.
KDE_PRIOR_DRAWS = 50_000

# The number of draws of the prior that are counted at first, and the most of them, for two classes:
# they end as soon as the standard error of the odds or of the density is below PRECISION.
FEWEST_DRAWS, MOST_DRAWS = 2**20, 2**23
PRECISION = 0.01

# The most draws of which all pairs are formed.
MOST_PAIRED_DRAWS = 2**18

# Half the width of the interval around 0 in which the prior density is averaged: over pairs of
# draws, and over draws. Densities that are finite at 0 change by less than 0.1% in the first.
NEARLY_ZERO, CLOSE_TO_ZERO = 1e-5, 2e-3


def bayes_factor(
    posterior: Posterior, metric: Metric, rope: Any = None, method: str | None = None
) -> BayesFactor:
    """Return the Bayes factor of equality over difference.

    With a ROPE, it is the Bayes factor of the interval null. Without a ROPE, it is the
    Savage-Dickey ratio, which requires that the prior density at 0 is known and finite. A model
    with the default prior has the published one instead.
    """
    if not posterior.has_proper_prior(metric):
        raise ValueError(
            f"The Bayes factor is not defined: {metric.name!r} has no proper prior under "
            f"model={posterior.drawn_by(metric)!r}. Use decision(rope), which needs none."
        )
    if metric.calls_per_draw:
        raise ValueError(
            f"The Bayes factor of {metric.name!r} is not computed: its function would be called "
            "for millions of draws of the prior. Use metrics.from_confusion."
        )
    changed = posterior.under_published_prior()
    if changed is not posterior:
        said = written(changed.model.prior())
        return replace(bayes_factor(changed, metric, rope, method), published_prior=said)
    if method is not None and not (isinstance(method, str) and method == "kde"):
        raise ValueError(
            f"method={in_short(method)} is not a known method. Pass 'kde', the kernel density "
            "estimate of the papers, or omit it."
        )
    if rope is not None:
        if method is not None:
            raise ValueError("method='kde' does not use rope=. Pass either rope= or method=.")
        region = check_rope(rope, metric)
        if region.low == region.high:
            raise ValueError(
                f"rope={tuple(region)} has zero width, so its prior probability is 0. Omit rope= "
                "for the Savage-Dickey ratio."
            )
        odds = posterior_odds(posterior, metric, region)
        return ratio(odds, _prior_odds(posterior.prior, metric, region), "interval")
    prior = posterior.prior
    if method == "kde":
        before, bandwidth = prior.remembered(
            ("kernel density", metric),
            lambda: density_by_kde(prior_difference_draws(prior, metric)),
        )
        after, _ = density_by_kde(np.subtract(*posterior.draws(metric)))
        return ratio(after, before, "kde", bandwidth)
    density = prior_density_at_zero(prior, metric)
    if density is None:
        infinite = np.inf == prior.log_density_at_zero(metric)
        infinite = infinite or prior.has_finite_density(metric) is False
        raise ValueError(
            "bayes_factor requires rope=, the largest difference that does not matter, because the "
            f"prior density of the difference in {metric.name!r} at 0 under model "
            f"{posterior.model.name!r} is {'infinite' if infinite else 'unknown'}."
        )
    exact = posterior.log_density_at_zero(metric)
    if exact is not None:
        return ratio(Estimate(exact), density, "savage-dickey")
    draws = np.subtract(*posterior.draws(metric))
    smoothed = density_by_smoothing(draws, posterior.effective_share(draws))
    return ratio(smoothed, density, "savage-dickey")


def written(prior: Mapping[str, Any]) -> str:
    """Return a prior in words."""
    return ", ".join(f"{name}={value}" for name, value in prior.items()) or "none"


def prior_density_at_zero(prior: Prior, metric: Metric) -> Estimate | None:
    """Return the log prior density of the difference at 0; None if unknown or infinite."""

    def compute() -> Estimate | None:
        exact = prior.log_density_at_zero(metric)
        if exact is not None:
            return Estimate(exact) if exact < np.inf else None
        if not prior.has_finite_density(metric):
            return None
        if prior.model.has_independent_classifiers:
            a, b = _draws_to_pair(prior, metric)
            return density_of_pairs(a, b, NEARLY_ZERO)
        around = Interval(-CLOSE_TO_ZERO, CLOSE_TO_ZERO)
        return density_of_draws(*_count_inside(prior, metric, around), CLOSE_TO_ZERO)

    return prior.remembered(("density at zero", metric), compute)


def _draws_to_pair(prior: Prior, metric: Metric) -> NDArray[Any]:
    return prior.draws(metric, min(MOST_PAIRED_DRAWS, prior.affordable(2 * FEWEST_DRAWS)))


def _count_inside(prior: Prior, metric: Metric, region: Interval) -> tuple[int, int]:
    """Return how many draws of the prior are in the region, and how many there are."""
    fewest, most = prior.affordable(FEWEST_DRAWS), prior.affordable(MOST_DRAWS)
    inside = n = 0
    for difference in prior.differences(metric, fewest):
        inside, n = inside + count_inside(difference, region), n + len(difference)
        is_precise = odds_of_draws(inside, n - inside).variance < PRECISION**2
        if n >= most or (n >= fewest and is_precise):
            break
    return inside, n


def prior_difference_draws(prior: Prior, metric: Metric) -> NDArray[Any]:
    """Return prior draws of the difference, as many as in the papers."""
    return np.subtract(*prior.draws(metric, min(KDE_PRIOR_DRAWS, prior.affordable(MOST_DRAWS))))


def posterior_odds(posterior: Posterior, metric: Metric, rope: Interval) -> Estimate:
    """Return the log odds that the difference is inside the ROPE."""
    law = posterior.law(metric)
    if law is not None:
        return _odds_of_law(law, rope)
    draws = np.subtract(*posterior.draws(metric))
    inside = count_inside(draws, rope)
    return odds_of_draws(inside, len(draws) - inside, posterior.effective_share(draws))


def _prior_odds(prior: Prior, metric: Metric, rope: Interval) -> Estimate:
    if prior.specification.has_classes_alike:
        metric = of_class(metric, 0)

    def compute() -> Estimate:
        law = prior.law(metric)
        if law is not None:
            return _odds_of_law(law, rope)
        if prior.model.has_independent_classifiers and prior.draw is None:
            a, b = _draws_to_pair(prior, metric)
            return odds_of_pairs(a, b, rope)
        inside, n = _count_inside(prior, metric, rope)
        return odds_of_draws(inside, n - inside, what=PRIOR_DRAWS)

    return prior.remembered(("odds", metric, rope), compute)


def _odds_of_law(law: Law, rope: Interval) -> Estimate:
    outside = law.below(rope.low) + law.above(rope.high)
    return odds_of_probabilities(law.mass(*rope), outside)
