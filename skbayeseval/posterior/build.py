"""Build posteriors, exact ones and those of Markov chains, for all comparison functions.

Chains are judged by the difference. R-hat below 1.01, an effective size above 400 and no
divergences; otherwise the result warns once, repeats the warning whenever it is printed, and says
what to try.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from skbayeseval._arrays import as_numbers, in_short, positions_of, wrong
from skbayeseval._streams import Stream, seed_of
from skbayeseval._validation import check_random_state_entropy, check_size, warn_caller
from skbayeseval.evidence.instance_scores import WeightedInstances
from skbayeseval.evidence.instances import Instances
from skbayeseval.evidence.interface import Evidence
from skbayeseval.metrics.metric import Metric
from skbayeseval.models import resolve_model
from skbayeseval.models.pymc import (
    PyMCEngine,
    Trace,
    check_trace,
    group_of,
    trace_of,
)
from skbayeseval.posterior.inferred_weight import Weights
from skbayeseval.posterior.posterior import Posterior
from skbayeseval.posterior.prior import Prior

HIGHEST_R_HAT, LOWEST_ESS = 1.01, 400


def convergence_warnings(posterior: Posterior, metric: Metric, name: str) -> list[str]:
    """Return warnings about the chains of the differences, or of a single classifier."""
    warnings: list[str] = []
    divergences = int(np.sum(posterior.stats.get("diverging", 0)))
    if divergences:
        warnings.append(
            f"{divergences} of {posterior.n_draws} draws diverged, so the chains may miss part of "
            "the posterior. Increase target_accept: engine=PyMCEngine(target_accept=0.95)."
        )
    first, *others = posterior.draws(metric)
    what = f"the difference in {name}" if others else name
    quantities = [first - other for other in others] or [first]
    checked = [mixed for mixed in map(posterior.mixing, quantities) if mixed is not None]
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


def sample(like: Posterior, engine: PyMCEngine) -> Posterior:
    """Sample the posterior with the model and the evidence of `like`."""
    specification, labels, prior = like.specification, like.counts[0].labels, engine.prior
    entropy = like.entropy if engine.random_seed is None else int(engine.random_seed)
    trace = engine.draw(specification, labels, seed_of(entropy, Stream.CHAINS))
    own_prior = name = None
    if prior is not None:
        prior_seed = seed_of(entropy, Stream.PRIOR_CHAINS)
        draw = partial(engine.draw_prior, specification, labels, prior_seed)
        own_prior = Prior(like.model, like.evidence, like.prevalence, draw)
        name = getattr(prior, "__name__", type(prior).__name__)
    known = {"own_prior": own_prior, "prior_name": name, "build_prior": prior}
    return like.like(trace=trace, entropy=entropy, weights=None, instances=like.instances, **known)


def from_trace(trace: Any, like: Posterior) -> Posterior:
    """Return the posterior given by a trace of a modified graph of `like`."""
    specification = like.specification
    specification.check_graph()
    parameters = specification.parameters()
    names = [parameter.name for parameter in parameters]
    before = group_of(trace, "prior")
    prior = None
    if all(name in before for name in names):
        drawn = Trace({name: np.asarray(before[name]) for name in names}).flat()
        prior = Prior(like.model, like.evidence, like.prevalence, partial(dict, drawn))
    chains = trace_of(trace, names)
    check_trace(chains, parameters)
    known = {"own_prior": prior, "prior_name": "altered graph", "instances": like.instances}
    return like.like(trace=chains, weights=None, **known)


# By how many standard deviations a published prior may move an accuracy without a warning.
LARGEST_PULL = 1 / 3

# The default number of draws, and that of functions which are called for every draw.
N_DRAWS, N_CALLS = 20_000, 2_000

# With many classes, so many recalls of a classifier are drawn by default, in as many draws or more.
MOST_RECALLS, FEWEST_DRAWS = 5 * 10**6, 1_000

# What a draw takes of each classifier and of the difference: a number and a copy of it.
BYTES = 16


def make_posterior(
    evidence: Evidence,
    model: Any,
    engine: Any,
    n_draws: Any,
    random_state: Any,
    prevalence: Any = None,
    **known: Any,
) -> Posterior:
    """Return the posterior of the evidence under the given model, sampled if it is by chains.

    The parameters are those of `check_posterior`, which checks them.
    """
    drawing = (model, engine, n_draws, random_state, prevalence)
    posterior = check_posterior(evidence, *drawing, **known)
    for message in _cautions(posterior):
        warn_caller(message)
    sampler = resolve_engine(engine)
    return posterior if sampler is None else sample(posterior, sampler)


def check_posterior(
    evidence: Evidence,
    model: Any,
    engine: Any,
    n_draws: Any,
    random_state: Any,
    prevalence: Any = None,
    *,
    scored: WeightedInstances | None = None,
    weights: Weights | None = None,
    instances: Instances | None = None,
    metrics: Iterable[Metric] = (),
) -> Posterior:
    """Return the posterior before any chains are sampled; raise if something does not fit.

    `scored` holds the scores of the same instances, for metrics of instance scores. `weights` are
    inferred weights; Markov chains take the weight of the evidence instead. `instances` are those
    that the rows of the evidence belong to. If functions among the `metrics` are called for each
    draw, there are 2,000 draws by default instead of 20,000, and with more than 250 classes, there
    are fewer, down to 1,000.
    """
    sampler = resolve_engine(engine)
    counts = evidence.margins()[0]
    if n_draws is None:
        n_draws = default_draws(evidence, any(metric.calls_per_draw for metric in metrics))
    resolved = resolve_model(model, evidence)
    if resolved.needs_true_negatives and not counts.has_true_negatives:
        raise ValueError(
            f"model={resolved.name!r} requires true negatives, but only (tp, fp, fn) were given. "
            "Pass (tp, fp, fn, tn), or use model='bcv'."
        )
    posterior = Posterior(
        resolved,
        evidence,
        entropy=check_random_state_entropy(random_state),
        n_draws=check_size(n_draws, "n_draws", BYTES * (evidence.n_classifiers + 1), minimum=100),
        prevalence=None if prevalence is None else check_prevalence(prevalence, counts),
        scored=scored,
        weights=weights if sampler is None else None,
        instances=instances,
    )
    if sampler is None:
        return posterior
    sampler.check_specification(posterior.specification, counts.labels)
    if scored is not None:
        raise ValueError(
            "Metrics of instance scores use the Bayesian bootstrap, which has no PyMC model. Use "
            "engine='exact', or compare these metrics in a separate call."
        )
    return posterior


def default_draws(evidence: Evidence, calls_per_draw: bool = False) -> int:
    """Return the default number of draws, which is smaller where draws take long.

    Examples
    --------
    >>> from skbayeseval.evidence import PairedCounts
    >>> from skbayeseval.posterior.build import default_draws
    >>> [
    ...     default_draws(PairedCounts.from_labels(range(m), {"a": range(m)}))
    ...     for m in (250, 1000, 10_000)
    ... ]
    [20000, 5000, 1000]
    """
    number = N_CALLS if calls_per_draw else N_DRAWS
    if evidence.family != "classes":
        return number
    return max(FEWEST_DRAWS, min(number, MOST_RECALLS // len(evidence.margin(0).labels)))


def _cautions(posterior: Posterior) -> Iterator[str]:
    """Yield what to warn of: labels without positives, and priors that have a strong influence."""
    specification, counts = posterior.specification, posterior.counts[0]
    if posterior.evidence.has_class_counts and not counts.has_table:
        empty = [label for label, n in zip(counts.labels, counts.true, strict=True) if n == 0]
        if empty:
            yield (
                f"Labels {empty} have no positive instance. Their recall is set by zero_division, "
                "and so are their precision and F1 if they are never predicted."
            )
    n_classes, size = len(counts.labels), counts.total * counts.weight
    is_few = n_classes > 2 and 2 * specification.class_prior_mass > size
    if is_few and posterior.prevalence is None:
        yield (
            f"There are {n_classes} classes, but only {size:.0f} effective instances, so "
            "the prior of the class proportions has a strong influence. Consider a smaller mu: "
            f"model=skbayeseval.models.{type(posterior.model).__name__}(mu=...)."
        )
    if n_classes <= 2 or not posterior.model.prior_pulls_classes:
        return
    for group, counts in zip(specification.groups, posterior.counts, strict=True):
        true, right = counts.true * counts.weight, counts.hits * counts.weight
        total = true.sum()
        eta = group.etas[0].posterior.mean
        # The recall of a class of n instances has the mean (right + eta) / (n + 1).
        pull = ((true * eta - right) / (true + 1)).sum() / total
        accuracy = right.sum() / total
        sd = math.sqrt(max(accuracy * (1 - accuracy), 1 / total) / total)
        if abs(pull) > LARGEST_PULL * sd:
            yield (
                f"The published prior of model='hierarchical' moves an accuracy of {accuracy:.3f} "
                f"to {accuracy + pull:.3f}, because classes have few instances: "
                f"{abs(pull) / sd:.1f} standard deviations. "
                "model=skbayeseval.models.Recalls() does not; for predictions on the same "
                "instances, neither does model='paired'."
            )
            return


def resolve_engine(engine: Any) -> PyMCEngine | None:
    """Return the engine of Markov chains; None for exact draws."""
    known = ["exact", "pymc"]
    if not isinstance(engine, (str, PyMCEngine)):
        raise wrong("engine", f"one of {known} or a PyMCEngine", engine, TypeError)
    if isinstance(engine, str) and engine not in known:
        raise ValueError(
            f"engine={in_short(engine)} is not a known engine. Valid engines are {known}."
        )
    if engine == "exact":
        return None
    found = PyMCEngine() if isinstance(engine, str) else engine
    found.check()
    return found


def check_true_classes(present: Sequence[Any], name: str) -> None:
    """Raise if there are fewer than two true classes."""
    if len(present) < 2:
        only = ", ".join(map(repr, present)) or "none"
        raise ValueError(f"{name} must contain at least two classes, got only one class: {only}.")


def check_prevalence(prevalence: Any, counts: Any) -> tuple[float, ...]:
    """Return the proportion of each class, in the order of the labels."""
    n_classes = len(counts.labels)
    if isinstance(prevalence, pd.Series):
        order = positions_of(counts.labels, prevalence.index, "prevalence has the index")
        prevalence = prevalence.iloc[order].to_numpy()
    values = as_numbers(prevalence, "prevalence")
    if values.ndim == 0:
        if n_classes != 2 or counts.positive is None:
            raise ValueError(
                f"prevalence={prevalence!r} is a number, the proportion of the positive class of "
                "two classes. Pass pos_label=, or one proportion per class."
            )
        values = np.array([1 - values, values])
        values = values if counts.positive == 1 else values[::-1]
    if values.shape != (n_classes,) or not (values > 0).all() or not np.isclose(values.sum(), 1):
        wanted = f"a number in (0, 1) or {n_classes} positive numbers that sum to 1"
        raise wrong("prevalence", wanted, prevalence)
    return tuple((values / values.sum()).tolist())
