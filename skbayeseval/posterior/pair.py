"""Two classifiers of a joint posterior of several."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skbayeseval.metrics.confusion import Metric
from skbayeseval.models.specification import parameters_of_pair
from skbayeseval.posterior.chains import SampledPrior
from skbayeseval.posterior.prior import Prior, T
from skbayeseval.posterior.recipe import Posterior

__all__ = ["PairPosterior", "PairPrior"]

Array = NDArray[Any]


class PairPosterior(Posterior):
    """Two classifiers of a joint posterior of several.

    The draws are those of the joint posterior. Where weights are inferred, the pair has its own
    weight and draws, so that it does not depend on the other classifiers. The closed forms and the
    prior are those of the model of two classifiers, which is the margin of the joint model.
    """

    def __init__(self, joint: Posterior, i: int, j: int) -> None:
        self._joint = joint
        self._rows = [i, j]
        model = joint.model
        # With exact draws, the margin of the pair is the model of two, which has closed forms.
        if joint.has_independent_draws:
            model = model.of_pair()
        super().__init__(
            model,
            joint.evidence.pair(i, j),
            entropy=joint.entropy,
            n_draws=joint.n_draws,
            prevalence=joint.prevalence,
            scored=None if joint.scored is None else joint.scored.pair(i, j),
            weights=None if joint.weights is None else joint.weights.pair(i, j),
            instances=joint.instances,
        )
        self.engine = joint.engine
        self.shows_progress, self.n_jobs = joint.shows_progress, joint.n_jobs
        self.has_independent_draws = joint.has_independent_draws
        self.has_closed_forms = joint.has_closed_forms

    def of_rows(self, rows: Array, entropy: int) -> PairPosterior:
        """Return the posterior given some of the rows of the evidence, with exact draws."""
        return PairPosterior(self._joint.of_rows(rows, entropy), *self._rows)

    def under_published_prior(self) -> Posterior:
        """Return the posterior of Bayes factors, of the same pair."""
        joint = self._joint.under_published_prior()
        return self if joint is self._joint else PairPosterior(joint, *self._rows)

    @property
    def prior(self) -> Prior:
        """The prior of the same model."""
        joint = self._joint.prior
        return PairPrior(joint, self._rows) if isinstance(joint, SampledPrior) else super().prior

    @property
    def has_known_prior(self) -> bool:
        """Whether the prior is known; for a modified graph, it may not be."""
        return self._joint.has_known_prior

    @property
    def prior_name(self) -> str | None:
        """The name of a user-supplied prior; None if there is none."""
        return getattr(self._joint, "prior_name", None)

    @property
    def build_prior(self) -> Callable[..., Any] | None:
        """The function that builds a user-supplied prior; None unless it fits this pair."""
        of_both = len(self._joint.counts) == 2 and self._rows == [0, 1]
        return getattr(self._joint, "build_prior", None) if of_both else None

    @property
    def prior_description(self) -> dict[str, Any]:
        """The prior in the form that `prior=` accepts."""
        return self._joint.prior_description

    @property
    def n_chains(self) -> int:
        """The number of Markov chains; 1 for independent draws."""
        return self._joint.n_chains

    @property
    def stats(self) -> Mapping[str, Array]:
        """The sampler statistics, of shape (n_chains, n_draws per chain)."""
        return self._joint.stats

    def parameters(self) -> dict[str, Array]:
        """Return draws of the parameters of the pair, named as those of A and B."""
        found = parameters_of_pair(self._joint.parameters(), *self._rows)
        if type(self.model) is not type(self._joint.model):  # model of two classifiers
            return self._of_positive(found)
        return found

    def rates(self) -> dict[str, Array]:
        """Return draws of rates that are not parameters of the model."""
        return parameters_of_pair(self._joint.rates(), *self._rows)

    def _of_positive(self, parameters: Mapping[str, Array]) -> dict[str, Array]:
        """Return mu and the rates of the positive class, given those of both classes."""
        positive = self._positive_index
        found = {"mu": parameters["mu"][:, positive]} if "mu" in parameters else {}
        for name in ("A", "B"):
            recall = parameters[f"rho_{name}"]
            found[f"rho+_{name}"] = recall[:, positive]
            found[f"rho-_{name}"] = 1 - recall[:, 1 - positive]
        return found

    def effective_share(self, draws: Array) -> float:
        """Return the effective sample size divided by the number of draws."""
        return self._joint.effective_share(draws)

    def mcse(self, draws: Array) -> float | None:
        """Return the Monte Carlo standard error of the mean; None for independent draws."""
        return self._joint.mcse(draws)

    def draws(self, metric: Metric) -> Array:
        """Return read-only draws of the metric, of shape (2, n_draws)."""
        if self.weights is None or not self.weights.are_own:
            draws = self._joint.draws(metric)[self._rows]
        elif self._rows[0] < self._rows[1]:
            return super().draws(metric)
        else:
            draws = PairPosterior(self._joint, *self._rows[::-1]).draws(metric)[::-1]
        draws.flags.writeable = False
        return draws

    def draw_together(self, metrics: Sequence[Metric]) -> None:
        """Draw metrics of tables in one pass, for all classifiers at once."""
        self._joint.draw_together(metrics)

    def influence(self, metric: Metric) -> Array:
        """Return the influence of each row on the metric of both classifiers."""
        return self._joint.influence(metric)[self._rows]

    def _own_draws(self, metric: Metric, classifier: int) -> Array:
        """Return draws of the metric of one classifier, which do not depend on the other."""
        return self._joint._own_draws(metric, self._rows[classifier])

    def observed(self, metric: Metric) -> tuple[float, ...]:
        """Return the observed metric values of the pair."""
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
        """Yield blocks of draws of the metric, of shape (2, n)."""
        for block in self._joint.stream(metric, rng, n_draws):
            yield block[self._rows]
