"""Posteriors represented by Markov chains of their parameters.

Chains are judged by the difference. R-hat below 1.01, an effective size above 400 and no
divergences; otherwise the result warns once, repeats the warning whenever it is printed, and says
what to try.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skbayeseval._streams import Stream, seed_of
from skbayeseval.engines.arviz import Diagnostics, diagnose
from skbayeseval.engines.base import Engine, Trace
from skbayeseval.engines.pymc import check_trace, group_of, trace_of
from skbayeseval.metrics.metric import Metric
from skbayeseval.posterior.posterior import Posterior
from skbayeseval.posterior.prior import Prior

HIGHEST_R_HAT, LOWEST_ESS = 1.01, 400


def mixing(posterior: Posterior, draws: NDArray[Any]) -> Diagnostics | None:
    """Return the convergence diagnostics of the draws; None for independent draws."""
    if posterior.has_independent_draws:
        return None
    return diagnose(draws.reshape(posterior.n_chains, -1))


def convergence_warnings(posterior: Posterior, metric: Metric, name: str) -> list[str]:
    """Return warnings about the chains of the differences, or of a single classifier."""
    if posterior.has_independent_draws:
        return []
    warnings = []
    divergences = int(np.sum(posterior.stats.get("diverging", 0)))
    if divergences:
        warnings.append(
            f"{divergences} of {posterior.n_draws} draws diverged, so the chains may miss part of "
            "the posterior. Increase target_accept: engine=PyMCEngine(target_accept=0.95)."
        )
    first, *others = posterior.draws(metric)
    what = f"the difference in {name}" if others else name
    quantities = [first - other for other in others] or [first]
    checked = [diagnose(draws.reshape(posterior.n_chains, -1)) for draws in quantities]
    worst, least = np.max([one.r_hat for one in checked]), np.min([one.ess for one in checked])
    if posterior.n_chains == 1:
        warnings.append(
            "One chain is not enough to check convergence. Use several: "
            "engine=PyMCEngine(chains=4)."
        )
    elif not worst < HIGHEST_R_HAT:
        warnings.append(
            f"R-hat of {what} is {worst:.3f}, not below {HIGHEST_R_HAT}: the chains have not "
            "converged. Run longer chains: engine=PyMCEngine(tune=4000, draws=4000)."
        )
    if not least > LOWEST_ESS:
        warnings.append(
            f"The effective sample size of {what} is {least:.0f}, not above {LOWEST_ESS}: its "
            "interval is imprecise. Increase draws: engine=PyMCEngine(draws=4000)."
        )
    return warnings


def sample(like: Posterior, engine: Engine, prior: Callable[..., Any] | None) -> Posterior:
    """Sample the posterior with the model and the evidence of `like`."""
    specification, labels = like.specification, like.counts[0].labels
    entropy = like.entropy if engine.random_seed is None else int(engine.random_seed)
    trace = engine.draw(specification, labels, prior, seed_of(entropy, Stream.CHAINS))
    own_prior = name = None
    if prior is not None:
        prior_seed = seed_of(entropy, Stream.PRIOR_CHAINS)
        draw = partial(engine.draw_prior, specification, labels, prior, prior_seed)
        own_prior = Prior(like.model, like.evidence, like.prevalence, draw)
        name = getattr(prior, "__name__", type(prior).__name__)
    known = {"own_prior": own_prior, "prior_name": name, "build_prior": prior}
    return _with_chains(like, trace, engine.name, entropy=entropy, **known)


def _with_chains(like: Posterior, trace: Trace, engine: str, **options: Any) -> Posterior:
    """Return the posterior of the chains, with the model and the evidence of `like`."""
    options |= {"instances": like.instances, "weights": None, "engine": engine}
    return like.like(like.model, like.evidence, trace=trace, **options)


def from_trace(trace: Any, like: Posterior) -> Posterior:
    """Return the posterior given by a trace of a modified graph of `like`."""
    specification = like.specification
    specification.check_graph()
    parameters = specification.parameters()
    names = [parameter.name for parameter in parameters]
    after = group_of(trace, "posterior")
    rows = [name for name in specification.row_names if name in after]
    if rows and len(rows) < len(specification.row_names):
        missing = next(name for name in specification.row_names if name not in rows)
        raise ValueError(f"trace has variable {rows[0]!r}, but not {missing!r}.")
    before = group_of(trace, "prior")
    prior = None
    if all(name in before for name in names):
        drawn = Trace({name: np.asarray(before[name]) for name in names}).flat()
        prior = Prior(like.model, like.evidence, like.prevalence, partial(dict, drawn))
    chains = trace_of(trace, names + rows)
    check_trace(chains, parameters)
    return _with_chains(like, chains, "pymc", own_prior=prior, prior_name="altered graph")
