"""Priors, of which Bayes factors need draws, densities and probabilities."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar, cast

import numpy as np

from skbayeseval._arrays import Array
from skbayeseval._streams import PRIOR_ENTROPY, Stream, generator
from skbayeseval.metrics.metric import Metric
from skbayeseval.posterior.modes import Exact, Given, ModelMode, Recipe

Draws = Mapping[str, Array]
T = TypeVar("T")

# What was computed of priors, which are equal for much evidence; so many of them, the latest.
_COMPUTED: dict[Hashable, Any] = {}
MOST_COMPUTED = 256


@dataclass(eq=False, repr=False)
class Prior(Recipe):
    """The prior of a model.

    Two priors are equal if they give the same draws, even if the evidence differs.

    Parameters
    ----------
    model, evidence, prevalence
        As in `Posterior`.
    draw : callable, default=None
        Draws the parameters of a prior that is not conjugate, to which no closed form applies. Such
        a prior is equal to itself only.
    """

    draw: Callable[[], Draws] | None = None
    _pair: tuple[int, int] | None = None
    _shared_mode: ModelMode | None = None  # that of a prior of more classifiers
    _computed: dict[Hashable, Any] = field(default_factory=dict)  # if parameters are known by draws

    def _mode_of_counts(self) -> ModelMode:
        if self._shared_mode is not None:
            return self._shared_mode
        if self.draw is None:
            return Exact(self.model, self.evidence, self.prevalence, prior=True)
        return Given(self.draw, self.model, self.evidence, self.prevalence, prior=True)

    def pair(self, i: int, j: int) -> Prior:
        """Return the prior of two of the classifiers, where parameters are known by draws."""
        return replace(self, _pair=(i, j), _shared_mode=self._of_counts)

    def _rng(self) -> np.random.Generator:
        return generator(PRIOR_ENTROPY, Stream.PRIOR)

    def _of_pair(self, parameters: Draws) -> dict[str, Array]:
        if self._pair is None:
            return dict(parameters)
        return self.model.parameters_of_pair(parameters, *self._pair)

    def parameters(self, n_draws: int | None = None) -> dict[str, Array]:
        """Return (at most) `n_draws` draws of the parameters, or all that are known by draws."""
        mode = self._of_counts
        if n_draws is None:
            assert isinstance(mode, Given)
            n_draws = mode.n_known
        return self._of_pair(mode.parameters(self._rng(), n_draws))

    def rates(self, n_draws: int) -> dict[str, Array]:
        """Return draws of rates that are not parameters of the model."""
        rng = generator(PRIOR_ENTROPY, Stream.PRIOR_RATES)
        return self._of_pair(self._of_counts.rates(rng, n_draws))

    def draws(self, metric: Metric, n_draws: int) -> Array:
        """Return draws of the metric, of shape (n_classifiers, n_draws)."""
        draws = np.concatenate(list(self.stream(metric, self._rng(), n_draws)), axis=1)
        return draws if self._pair is None else draws[list(self._pair)]

    def differences(self, metric: Metric, n_draws: int) -> Iterator[Array]:
        """Yield blocks of draws of A - B without end, `n_draws` at a time, or all that are known.

        A model of a user may give all that it is asked for in one block.
        """
        if isinstance(self._of_counts, Given):
            a, b = self.draws(metric, self._of_counts.n_known)
            yield a - b
            return
        rng = self._rng()
        while True:
            for a, b in self.stream(metric, rng, n_draws):
                yield a - b

    def has_finite_density(self, metric: Metric) -> bool | None:
        """Return whether the density of the difference is finite at 0; None if unknown."""
        if self.draw is not None:
            return None
        return self.specification.has_finite_prior_density(metric)

    def affordable(self, n_draws: int) -> int:
        """Return `n_draws`, reduced if draws are expensive because there are many classes."""
        if self.specification.draws_cost_one:
            return n_draws
        return max(2**14, n_draws // (4 * len(self.counts[0].labels)))

    def remembered(self, key: Hashable, compute: Callable[[], T]) -> T:
        """Return what was computed before of an equal prior, else compute it.

        Only results are kept, and the prior's parameters as their key, never the evidence.
        """
        computed, of_prior = (
            (_COMPUTED, self._key()) if self.draw is None else (self._computed, self._pair)
        )
        if (of_prior, key) in computed:
            return cast(T, computed[of_prior, key])
        computed[of_prior, key] = value = compute()
        for oldest in list(computed)[:-MOST_COMPUTED]:
            computed.pop(oldest, None)
        return value

    def _key(self) -> tuple[Any, ...]:
        only_predicted = tuple(
            (tuple(counts.true > 0), tuple(counts.averaged))
            for counts in self.counts
            if not all(counts.possible)
        )
        return (
            self.model,
            (len(self.counts[0].labels), len(self.counts)),
            self.positive,
            self.has_true_negatives,
            self.prevalence,
            only_predicted,
        )
