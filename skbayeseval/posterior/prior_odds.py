"""Bayes factors of a posterior: which estimate of odds or density serves which model and metric."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from skbayeseval.judgement.bayes_factor import (
    BayesFactor,
    Estimate,
    density_by_kde,
    density_by_smoothing,
    density_of_independent_draws,
    density_of_shares,
    odds_of_draws,
    odds_of_probabilities,
    odds_of_shares,
    ratio,
)
from skbayeseval.judgement.decision import check_rope
from skbayeseval.judgement.intervals import Interval, count_inside
from skbayeseval.metrics.confusion import Metric
from skbayeseval.models.margins import BetaMargin, difference_probability
from skbayeseval.posterior.recipe import Posterior, Prior

__all__ = [
    "bayes_factor",
    "has_infinite_prior_density",
    "prior_density_at_zero",
    "prior_difference_draws",
]

METHODS = ("interval", "savage-dickey", "kde")

# The papers' estimate of the prior density stands on this many draws. It is part of the method:
# the bandwidth, and with it the estimate, depends on their number.
KDE_PRIOR_DRAWS = 50_000

LONGEST_PRIOR_SIMULATION = 2**23
MOST_INDEPENDENT_DRAWS = 2**18

# Half the width of the interval that stands for 0 in a prior density. Densities that are finite
# without being bounded change by less than 0.1% within it.
NEARLY_ZERO = 1e-5


def bayes_factor(
    posterior: Posterior, metric: Metric, rope: Any = None, method: str | None = None
) -> BayesFactor:
    """Return the Bayes factor of equality over difference.

    With a ROPE the interval null; without, Savage-Dickey where the prior density at 0 is known
    and finite, and the papers' kernel estimate elsewhere.
    """
    if not posterior.has_proper_prior(metric):
        raise ValueError(
            f"{metric.name!r} under model={posterior.model_name(metric)!r} has no proper prior, so "
            "there is no Bayes factor."
        )
    if method not in (None, *METHODS):
        raise ValueError(f"method={method!r} is not known. Known are: {list(METHODS)}.")
    if rope is not None:
        if method not in (None, "interval"):
            raise ValueError(f"method={method!r} has no ROPE; leave out rope= or method=.")
        return _interval_null(posterior, metric, check_rope(rope))
    if method == "interval":
        raise ValueError("method='interval' needs rope=, the differences that do not matter.")
    prior_density = prior_density_at_zero(posterior.prior, metric)
    if method == "savage-dickey" and prior_density is None:
        infinite = has_infinite_prior_density(posterior.prior, metric)
        raise ValueError(
            f"The prior density of the difference in {metric.name!r} at 0 under model "
            f"{posterior.model.name!r} is {'infinite' if infinite else 'not known'}. Give rope= "
            "for the interval null, which is always defined, or method='kde' for the papers' "
            "estimate."
        )
    if prior_density is not None and method != "kde":
        return ratio(_density(posterior, metric), prior_density, "savage-dickey")
    prior, bandwidth = _prior_density_by_kde(posterior.prior, metric)
    return ratio(density_by_kde(_difference(posterior, metric))[0], prior, "kde", bandwidth)


def prior_density_at_zero(prior: Prior, metric: Metric) -> Estimate | None:
    """Return the log density of the difference at 0 before the data, if it is known and finite."""
    return prior.remembered(("density at zero", metric), lambda: _density_at_zero(prior, metric))


def _density_at_zero(prior: Prior, metric: Metric) -> Estimate | None:
    exact = prior.log_density_at_zero(metric)
    if exact is not None:
        return Estimate(exact) if exact < np.inf else None
    if not prior.has_finite_density(metric):
        return None
    if prior.model.needs_pairs:
        around = Interval(-NEARLY_ZERO, NEARLY_ZERO)
        return density_of_shares(prior.shares(metric, around), 2 * NEARLY_ZERO)
    n_draws = min(MOST_INDEPENDENT_DRAWS, prior.affordable(LONGEST_PRIOR_SIMULATION))
    a, b = prior.draws(metric, n_draws)
    return density_of_independent_draws(a, b, NEARLY_ZERO)


def has_infinite_prior_density(prior: Prior, metric: Metric) -> bool:
    """Whether the density of the difference at 0 before the data is known to be infinite."""
    return prior.has_finite_density(metric) is False or prior.log_density_at_zero(metric) == np.inf


def prior_difference_draws(prior: Prior, metric: Metric) -> NDArray[Any]:
    """Return draws of the difference under the prior, as many as the papers took."""
    a, b = prior.draws(metric, min(KDE_PRIOR_DRAWS, prior.affordable(LONGEST_PRIOR_SIMULATION)))
    return a - b


def _interval_null(posterior: Posterior, metric: Metric, rope: Interval) -> BayesFactor:
    if rope.low == rope.high:
        raise ValueError(
            f"rope={tuple(rope)} has no width, so its prior probability is 0. Leave rope out for "
            "the Savage-Dickey factor."
        )
    margins = posterior.independent_margins(metric)
    if margins:
        odds = _odds_by_quadrature(*margins, rope)
    else:
        draws = _difference(posterior, metric)
        inside = count_inside(draws, rope)
        odds = odds_of_draws(inside, len(draws) - inside, posterior.effective_share(draws))
    return ratio(odds, _prior_odds(posterior.prior, metric, rope), "interval")


def _prior_odds(prior: Prior, metric: Metric, rope: Interval) -> Estimate:
    def compute() -> Estimate:
        margins = prior.independent_margins(metric)
        if margins:
            return _odds_by_quadrature(*margins, rope)
        return odds_of_shares(prior.shares(metric, rope))

    return prior.remembered(("odds", metric, rope), compute)


def _prior_density_by_kde(prior: Prior, metric: Metric) -> tuple[Estimate, float]:
    def compute() -> tuple[Estimate, float]:
        return density_by_kde(prior_difference_draws(prior, metric))

    return prior.remembered(("kernel density", metric), compute)


def _odds_by_quadrature(a: BetaMargin, b: BetaMargin, rope: Interval) -> Estimate:
    inside = difference_probability(a, b, rope.low, rope.high)
    below = difference_probability(a, b, -1.0, rope.low) if rope.low > -1 else 0.0
    above = difference_probability(a, b, rope.high, 1.0) if rope.high < 1 else 0.0
    return odds_of_probabilities(inside, below + above)


def _density(posterior: Posterior, metric: Metric) -> Estimate:
    exact = posterior.log_density_at_zero(metric)
    if exact is not None:
        return Estimate(exact)
    draws = _difference(posterior, metric)
    return density_by_smoothing(draws, posterior.effective_share(draws))


def _difference(posterior: Posterior, metric: Metric) -> NDArray[Any]:
    a, b = posterior.draws(metric)
    return a - b
