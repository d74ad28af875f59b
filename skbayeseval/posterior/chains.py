"""Posteriors represented by Markov chains of their parameters."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skbayeseval.engines.arviz import Diagnostics, diagnose
from skbayeseval.engines.base import Engine, Trace
from skbayeseval.engines.pymc import check_trace, group_of, trace_of
from skbayeseval.evidence.counts import Evidence
from skbayeseval.judgement.intervals import Interval
from skbayeseval.metrics.confusion import Metric
from skbayeseval.models.specification import Model, check_scores
from skbayeseval.posterior.prior import Memory, Prior, T
from skbayeseval.posterior.recipe import Posterior

__all__ = [
    "SampledPosterior",
    "SampledPrior",
    "convergence_warnings",
    "mixing",
]


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


Array = NDArray[Any]


# Spawn keys of the seeds that are derived from the entropy: 0 is the posterior, 1 the splitter.
_CHAINS = 2


_PRIOR = 3


class SampledPrior(Prior):
    """A prior that is not conjugate, represented by draws of its parameters."""

    has_closed_forms = False

    def __init__(
        self,
        model: Model,
        evidence: Evidence,
        prevalence: tuple[float, ...] | None,
        draw: Callable[[], Mapping[str, Array]],
    ) -> None:
        super().__init__(model, evidence, prevalence)
        self._draw = draw
        self._drawn: Mapping[str, Array] | None = None
        self._memory = Memory()

    def parameters(self, n_draws: int | None = None) -> dict[str, Array]:
        """Return at most `n_draws` draws of the parameters."""
        if self._drawn is None:
            self._drawn = self._draw()
        return {name: values[:n_draws] for name, values in self._drawn.items()}

    def rates(self, n_draws: int) -> dict[str, Array]:
        """Return the recall of each class, drawn given the parameters."""
        rng = np.random.default_rng(_PRIOR)
        return self.specification.rates_given(self.parameters(n_draws), rng, prior=True)

    def stream(self, metric: Metric, rng: np.random.Generator, n_draws: int) -> Iterator[Array]:
        """Yield blocks of draws of the metric, of shape (n_classifiers, n)."""
        for scores in self.specification.scores_given(
            self.parameters(n_draws),
            self._over_classes(metric),
            self._positive_index,
            rng,
            prior=True,
        ):
            yield check_scores(scores, metric)

    def shares(self, metric: Metric, region: Interval) -> Iterator[Array]:
        """Yield whether each draw of A - B is in the region, in a block of shape (2, n)."""
        a, b = self.draws(metric, len(next(iter(self.parameters().values()))))
        inside = (a - b >= region.low) & (a - b <= region.high)
        yield inside[: len(inside) // 2 * 2].reshape(2, -1).astype(float)

    def remembered(self, key: Hashable, compute: Callable[[], T]) -> T:
        """Return what was computed before of this prior, else compute it."""
        return self._memory.get(key, compute)

    def __eq__(self, other: object) -> bool:
        return self is other

    def __hash__(self) -> int:
        return id(self)


class SampledPosterior(Posterior):
    """A posterior represented by Markov chains of its parameters.

    Parameters
    ----------
    model, evidence, entropy, prevalence
        As in `Posterior`.
    trace : Trace
        The chains.
    prior : SampledPrior, default=None
        The prior, if it is not the prior of the model.
    prior_name : str, default=None
        The name of that prior.
    build_prior : callable, default=None
        The function that builds the variables of that prior, if it is available.
    """

    engine = "pymc"
    has_independent_draws = False
    has_closed_forms = False

    def __init__(
        self,
        model: Model,
        evidence: Evidence,
        *,
        entropy: int,
        trace: Trace,
        prevalence: tuple[float, ...] | None = None,
        prior: SampledPrior | None = None,
        prior_name: str | None = None,
        build_prior: Callable[..., Any] | None = None,
    ) -> None:
        n_draws = trace.n_draws
        super().__init__(model, evidence, entropy=entropy, n_draws=n_draws, prevalence=prevalence)
        self.has_warned = False
        self.trace = trace
        self.prior_name = prior_name
        self.build_prior = build_prior
        self._prior = prior

    @classmethod
    def sample(
        cls,
        like: Posterior,
        engine: Engine,
        prior: Callable[..., Any] | None,
    ) -> SampledPosterior:
        """Sample the posterior with the model and the evidence of `like`."""
        labels = like.counts[0].labels
        entropy = like.entropy if engine.random_seed is None else int(engine.random_seed)

        def seed(child: int) -> int:
            sequence = np.random.SeedSequence(entropy, spawn_key=(child,))
            return int(sequence.generate_state(1)[0])

        trace = engine.draw(like.specification, labels, prior, seed(_CHAINS))
        sampled_prior = None
        if prior is not None:
            draw = partial(engine.draw_prior, like.specification, labels, prior, seed(_PRIOR))
            sampled_prior = SampledPrior(like.model, like.evidence, like.prevalence, draw)
        found = cls(
            like.model,
            like.evidence,
            entropy=entropy,
            trace=trace,
            prevalence=like.prevalence,
            prior=sampled_prior,
            prior_name=None if prior is None else getattr(prior, "__name__", type(prior).__name__),
            build_prior=prior,
        )
        found.engine = engine.name
        found.instances = like.instances
        return found

    @classmethod
    def from_trace(cls, trace: Any, like: Posterior) -> SampledPosterior:
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
            prior = SampledPrior(like.model, like.evidence, like.prevalence, partial(dict, drawn))
        chains = trace_of(trace, names + rows)
        check_trace(chains, parameters)
        found = cls(
            like.model,
            like.evidence,
            entropy=like.entropy,
            trace=chains,
            prevalence=like.prevalence,
            prior=prior,
            prior_name="altered graph",
        )
        found.instances = like.instances
        return found

    @property
    def has_known_prior(self) -> bool:
        """Whether the prior is known; for a modified graph, it may not be."""
        return self.prior_name is None or self._prior is not None

    @property
    def prior(self) -> Prior:
        """The prior of the same model."""
        if self._prior is not None:
            return self._prior
        if self.prior_name is not None:
            raise ValueError(
                "The Bayes factor requires the prior, which is unknown for a modified graph. Add "
                "prior draws to the trace: trace.extend(pymc.sample_prior_predictive(...)) with "
                "ArviZ 0.x, trace.update(...) with ArviZ 1.x."
            )
        return super().prior

    def under_published_prior(self) -> Posterior:
        """Return the posterior of Bayes factors: this one, if the user supplied its prior."""
        return super().under_published_prior() if self.prior_name is None else self

    @property
    def prior_description(self) -> dict[str, Any]:
        """The prior in the form that `prior=` accepts, or the name of a callable prior."""
        if self.prior_name is None:
            return super().prior_description
        return {"callable": self.prior_name}

    @property
    def n_chains(self) -> int:
        """The number of Markov chains."""
        return self.trace.n_chains

    @property
    def stats(self) -> Mapping[str, Array]:
        """The sampler statistics, of shape (n_chains, n_draws per chain)."""
        return self.trace.stats

    def parameters(self) -> dict[str, Array]:
        """Return draws of the parameters, of shape (n_draws, ...)."""
        return self.trace.flat()

    def rates(self) -> dict[str, Array]:
        """Return the recall of each class; empty unless rows are drawn given the parameters."""
        rng = np.random.default_rng(self._seed())
        return self.specification.rates_given(self.parameters(), rng, prior=False)

    def effective_share(self, draws: Array) -> float:
        """Return the effective sample size divided by the number of draws."""
        ess = diagnose(draws.reshape(self.n_chains, -1)).ess
        return min(1.0, ess / len(draws)) if np.isfinite(ess) else 1.0

    def mcse(self, draws: Array) -> float:
        """Return the Monte Carlo standard error of the mean."""
        return diagnose(draws.reshape(self.n_chains, -1)).mcse

    def stream(self, metric: Metric, rng: np.random.Generator, n_draws: int) -> Iterator[Array]:
        """Yield blocks of draws of the metric, of shape (n_classifiers, n)."""
        for scores in self.specification.scores_given(
            self.trace.flat(),
            self._over_classes(metric),
            self._positive_index,
            rng,
            prior=False,
        ):
            yield check_scores(scores, metric)
