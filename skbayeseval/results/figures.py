"""The displays of a comparison."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from skbayeseval._arrays import in_short
from skbayeseval.evidence import Evidence
from skbayeseval.judgement.intervals import Interval
from skbayeseval.metrics.confusion import Metric
from skbayeseval.posterior.diagnostics import mixing
from skbayeseval.posterior.prior_odds import (
    bayes_factor,
    prior_density_at_zero,
    prior_difference_draws,
)
from skbayeseval.posterior.recipe import Posterior
from skbayeseval.splitting.collect import CrossValidation

if TYPE_CHECKING:
    from skbayeseval.display import (
        FactorDisplay,
        JointDisplay,
        PosteriorDisplay,
        ScoresDisplay,
        TraceDisplay,
    )

__all__ = ["comparison_display"]


def comparison_display(
    kind: str,
    posterior: Posterior,
    record: CrossValidation | None,
    metric: Metric,
    names: tuple[str, str],
    rope: Interval | None,
    prob: float,
) -> Any:
    """Return the display of that kind, not yet drawn."""
    displays: dict[str, Callable[[], Any]] = {
        "posterior": lambda: posterior_display(posterior, metric, names, rope, prob),
        "joint": lambda: joint_display(posterior, metric, names, rope),
        "factor": lambda: factor_display(posterior, metric, names),
        "scores": lambda: scores_display(posterior.evidence, record, metric, names),
        "trace": lambda: trace_display(posterior, metric, names),
    }
    if not isinstance(kind, str) or kind not in displays:
        raise ValueError(
            f"kind={in_short(kind)} is not a known kind. Valid kinds are {list(displays)}."
        )
    return displays[kind]()


def posterior_display(
    posterior: Posterior,
    metric: Metric,
    names: tuple[str, str],
    rope: Interval | None,
    prob: float,
) -> PosteriorDisplay:
    """Return the display of the posterior of the difference."""
    from skbayeseval.display import PosteriorDisplay

    difference = posterior.difference(metric)
    return PosteriorDisplay(difference, names=names, metric=metric.name, rope=rope, prob=prob)


def joint_display(
    posterior: Posterior, metric: Metric, names: tuple[str, str], rope: Interval | None
) -> JointDisplay:
    """Return the display of draws of A against draws of B, with the weight of their difference."""
    from skbayeseval.display import JointDisplay

    posterior.value(metric, 0)  # raises where there is no posterior of A and B alone
    return JointDisplay(
        *posterior.draws(metric),
        names=names,
        metric=metric.name,
        rope=rope,
        difference=posterior.difference(metric),
    )


def factor_display(posterior: Posterior, metric: Metric, names: tuple[str, str]) -> FactorDisplay:
    """Return the display of the prior and posterior density at 0."""
    from skbayeseval.display import FactorDisplay

    factor = bayes_factor(posterior, metric)
    exact = prior_density_at_zero(posterior.prior, metric)
    return FactorDisplay(
        posterior.difference(metric).draws,
        prior_difference_draws(posterior.prior, metric),
        factor=factor,
        prior_at_zero=None if exact is None else math.exp(exact.log),
        names=names,
        metric=metric.name,
    )


def scores_display(
    evidence: Evidence, record: CrossValidation | None, metric: Metric, names: tuple[str, str]
) -> ScoresDisplay:
    """Return the display of the split scores of both."""
    from skbayeseval.display import ScoresDisplay

    of_splits = evidence.of_splits(metric.name)
    if of_splits is None and record is None:
        raise ValueError(
            "kind='scores' requires the split scores of a cross-validation, which this result "
            "does not have. Use bayesian_cross_validate or BayesianComparer."
        )
    if of_splits is None and record is not None:
        if metric.name not in record.scores:
            raise ValueError(
                f"There are no split scores of {metric.name!r}, only of {list(record.scores)}."
            )
        of_splits = tuple(record.scores[metric.name][name] for name in names)
    a, b = of_splits
    return ScoresDisplay(a, b, names=names, metric=metric.name)


def trace_display(posterior: Posterior, metric: Metric, names: tuple[str, str]) -> TraceDisplay:
    """Return the display of the draws in the order in which they were drawn."""
    from skbayeseval.display import TraceDisplay

    draws = posterior.difference(metric).draws
    mixed = mixing(posterior, draws)
    return TraceDisplay(
        draws.reshape(posterior.n_chains, -1),
        names=names,
        metric=metric.name,
        note=f"{posterior.n_draws:,} independent draws"
        if mixed is None
        else f"effective sample size {mixed.ess:,.0f}, R-hat {mixed.r_hat:.3f}",
    )
