"""Two classifiers of a joint posterior of several."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skbayeseval.engines.given_parameters import parameters_of_pair
from skbayeseval.metrics.confusion import Metric
from skbayeseval.posterior.chains import SampledPrior
from skbayeseval.posterior.recipe import Posterior, Prior, T

__all__ = ["PairPosterior", "PairPrior"]

Array = NDArray[Any]


class PairPosterior(Posterior):
    """Two classifiers of a joint posterior of several.

    Its draws are those of the joint posterior. The margin of any pair is the model of two
    classifiers, which gives the closed forms and the prior.
    """

    def __init__(self, joint: Posterior, i: int, j: int) -> None:
        self._joint = joint
        self._rows = [i, j]
        model = joint.model
        # Exact draws of the two are those of the model of two, which is known in closed form.
        if joint.has_independent_draws:
            model = model.of_pair()
        super().__init__(
            model,
            joint.evidence.pair(i, j),
            entropy=joint.entropy,
            n_draws=joint.n_draws,
            prevalence=joint.prevalence,
            scored=None if joint.scored is None else joint.scored.pair(i, j),
        )
        self.engine = joint.engine
        self.has_independent_draws = joint.has_independent_draws
        self.has_closed_forms = joint.has_closed_forms

    @property
    def prior(self) -> Prior:
        """The same model before the data."""
        joint = self._joint.prior
        return PairPrior(joint, self._rows) if isinstance(joint, SampledPrior) else super().prior

    @property
    def has_known_prior(self) -> bool:
        """Whether there is a `prior`: not for a graph that was altered elsewhere."""
        return self._joint.has_known_prior

    @property
    def prior_name(self) -> str | None:
        """What a prior of one's own is called."""
        return getattr(self._joint, "prior_name", None)

    @property
    def build_prior(self) -> Callable[..., Any] | None:
        """What builds the variables of a prior of one's own, where they are those of the two."""
        of_both = len(self._joint.counts) == 2 and self._rows == [0, 1]
        return getattr(self._joint, "build_prior", None) if of_both else None

    @property
    def prior_description(self) -> dict[str, Any]:
        """The parameters of the prior, as `prior=` takes them."""
        return self._joint.prior_description

    @property
    def n_chains(self) -> int:
        """The number of Markov chains; independent draws count as one."""
        return self._joint.n_chains

    @property
    def stats(self) -> Mapping[str, Array]:
        """Statistics of the sampler, of shape (n_chains, n_draws of a chain)."""
        return self._joint.stats

    def parameters(self) -> dict[str, Array]:
        """Return draws of the parameters that the two have, named as those of A and B."""
        found = parameters_of_pair(self._joint.parameters(), *self._rows)
        if type(self.model) is not type(self._joint.model):  # of two instead of many classifiers
            return self._of_positive(found)
        return found

    def rates(self) -> dict[str, Array]:
        """Return what is derived from draws of the parameters, and not among them."""
        return parameters_of_pair(self._joint.rates(), *self._rows)

    def _of_positive(self, parameters: Mapping[str, Array]) -> dict[str, Array]:
        """Return proportions and recalls of both classes as those of the positive one."""
        positive = self._positive_index
        found = {"mu": parameters["mu"][:, positive]} if "mu" in parameters else {}
        for name in ("A", "B"):
            recall = parameters[f"rho_{name}"]
            found[f"rho+_{name}"] = recall[:, positive]
            found[f"rho-_{name}"] = 1 - recall[:, 1 - positive]
        return found

    def effective_share(self, draws: Array) -> float:
        """Return what one of the draws is worth in independent ones."""
        return self._joint.effective_share(draws)

    def mcse(self, draws: Array) -> float | None:
        """Return the Monte Carlo standard error of a mean; None for independent draws."""
        return self._joint.mcse(draws)

    def draws(self, metric: Metric) -> Array:
        """Return read-only draws of the metric, of shape (2, n_draws)."""
        draws = self._joint.draws(metric)[self._rows]
        draws.flags.writeable = False
        return draws

    def observed(self, metric: Metric) -> tuple[float, ...]:
        """Return the plain scores of the two."""
        observed = self._joint.observed(metric)
        return tuple(observed[i] for i in self._rows)


class PairPrior(SampledPrior):
    """Two classifiers of a joint prior of several."""

    def __init__(self, joint: SampledPrior, rows: list[int]) -> None:
        def draw() -> Mapping[str, Array]:
            return parameters_of_pair(joint.parameters(), *rows)

        super().__init__(joint.model, joint.evidence, joint.prevalence, draw)
        self._joint = joint
        self._rows = rows

    def remembered(self, key: Hashable, compute: Callable[[], T]) -> T:
        """Return what was computed before of this pair, else compute it."""
        return self._joint.remembered((tuple(self._rows), key), compute)

    def rates(self, n_draws: int) -> dict[str, Array]:
        """Return the recall of each class, drawn given the parameters."""
        return parameters_of_pair(self._joint.rates(n_draws), *self._rows)

    def stream(self, metric: Metric, rng: np.random.Generator, n_draws: int) -> Iterator[Array]:
        """Yield blocks of shape (2, n) of the metric's draws."""
        for block in self._joint.stream(metric, rng, n_draws):
            yield block[self._rows]
