"""Convergence diagnostics of Markov chains, and warnings about them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from skbayeseval.engines.arviz import Diagnostics, diagnose
from skbayeseval.metrics.confusion import Metric
from skbayeseval.posterior.recipe import Posterior

__all__ = ["convergence_warnings", "mixing"]

HIGHEST_R_HAT = 1.01
LOWEST_ESS = 400


def mixing(posterior: Posterior, draws: NDArray[Any]) -> Diagnostics | None:
    """Return the convergence diagnostics of the draws; None for independent draws."""
    if posterior.has_independent_draws:
        return None
    return diagnose(draws.reshape(posterior.n_chains, -1))


def convergence_warnings(posterior: Posterior, metric: Metric, name: str) -> list[str]:
    """Return warnings about the chains of the differences, or of a single classifier."""
    if posterior.has_independent_draws:
        return []
    found = []
    divergences = int(np.sum(posterior.stats.get("diverging", 0)))
    if divergences:
        found.append(
            f"{divergences} of {posterior.n_draws} draws diverged, so the chains may miss part of "
            "the posterior. Increase target_accept: engine=PyMCEngine(target_accept=0.95)."
        )
    first, *others = posterior.draws(metric)
    what = f"the difference in {name}" if others else name
    checked = [diagnose((first - o).reshape(posterior.n_chains, -1)) for o in others] or [
        diagnose(first.reshape(posterior.n_chains, -1))
    ]
    if posterior.n_chains == 1:
        found.append(
            "One chain is not enough to check convergence. Use several: "
            "engine=PyMCEngine(chains=4)."
        )
    elif not (worst := np.max([one.r_hat for one in checked])) < HIGHEST_R_HAT:
        found.append(
            f"R-hat of {what} is {worst:.3f}, not below {HIGHEST_R_HAT}: the chains have not "
            "converged. Run longer chains: engine=PyMCEngine(tune=4000, draws=4000)."
        )
    if not (least := np.min([one.ess for one in checked])) > LOWEST_ESS:
        found.append(
            f"The effective sample size of {what} is {least:.0f}, not above {LOWEST_ESS}: its "
            "interval is imprecise. Increase draws: engine=PyMCEngine(draws=4000)."
        )
    return found
