"""What priors and posteriors have in common, and priors."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from skbayeseval.evidence.base import Evidence
from skbayeseval.evidence.counts import as_evidence
from skbayeseval.judgement.intervals import Interval
from skbayeseval.metrics.confusion import Metric
from skbayeseval.models.base import Model, check_scores, parameters_of_pair
from skbayeseval.models.margins import Law

Array = NDArray[Any]
Draws = Mapping[str, Array]
T = TypeVar("T")

# The prior does not depend on the data, and neither do its seeds: of draws, and of rates given
# draws of the parameters.
_PRIOR_ENTROPY, _RATES_ENTROPY = 20160717, 3


# What was computed of priors, which are equal for much evidence; so many of them, the latest.
_COMPUTED: dict[Hashable, Any] = {}
MOST_COMPUTED = 256


@dataclass(eq=False, repr=False)
class Recipe:
    """Base class of priors and posteriors, which give draws of metrics."""

    model: Model
    evidence: Evidence
    prevalence: tuple[float, ...] | None = None

    is_prior: ClassVar[bool]
    # Whether closed forms of the model apply to the draws.
    has_closed_forms: bool = field(init=False)

    def __post_init__(self) -> None:
        self.evidence = as_evidence(self.evidence)
        self.counts = self.evidence.margins()
        self.positive = self.counts[0].positive
        self.has_true_negatives = self.counts[0].has_true_negatives
        self._averaged = None
        if self.evidence.has_class_counts:
            averaged = np.array([counts.averaged for counts in self.counts])
            self._averaged = None if averaged.all() else averaged[:, None]
        self.specification = self.model.specification(self.evidence)
        if self.prevalence is not None:
            self.specification = self.specification.with_prevalence(np.array(self.prevalence))

    def _given(self, n_draws: int | None) -> Draws | None:
        """Return draws of the parameters, where these are known by draws; else None."""
        return None

    def stream(
        self, metric: Metric, rng: np.random.Generator, n_draws: int, weight: float | None = None
    ) -> Iterator[Array]:
        """Yield blocks of draws of the metric, of shape (n_classifiers, n).

        `weight` is that of the counts, by default as in the evidence.
        """
        specification = self.specification
        if weight is not None:
            specification = self.model.specification(self.evidence.with_weight(weight))
        own = self._over_classes(metric)
        given = self._given(n_draws)
        if given is None:
            blocks = specification.stream(own, rng, n_draws, prior=self.is_prior)
        else:
            blocks = specification.scores_given(given, own, rng, prior=self.is_prior)
        for scores in blocks:
            n_rows = 1 if self.evidence.is_of_difference else self.evidence.n_classifiers
            if scores.shape[:1] != (n_rows,) or scores.ndim != 2:
                raise ValueError(
                    f"{type(self.model).__name__} must give draws of shape (n_classifiers, n) for "
                    f"{n_rows} classifiers, got an array of shape {scores.shape}."
                )
            yield check_scores(scores, metric)

    def _over_classes(self, metric: Metric) -> Metric:
        """Return the metric whose macro average is over the labels of each classifier."""
        return metric if self._averaged is None else metric.over(self._averaged)

    def law(self, metric: Metric, classifier: int | None = None) -> Law | None:
        """Return the law of one classifier's metric, or of A - B; None if not in closed form."""
        if not self.has_closed_forms:
            return None
        return self.specification.law(metric, classifier, prior=self.is_prior)

    def log_density_at_zero(self, metric: Metric) -> float | None:
        """Return the log density of the difference at 0; None if not in closed form."""
        if not self.has_closed_forms:
            return None
        return self.specification.log_density_at_zero(metric, prior=self.is_prior)


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

    is_prior = True

    draw: Callable[[], Draws] | None = None
    _pair: tuple[int, int] | None = None
    _computed: dict[Hashable, Any] = field(default_factory=dict)  # if parameters are known by draws

    def __post_init__(self) -> None:
        super().__post_init__()
        self.has_closed_forms = self.draw is None

    def pair(self, i: int, j: int) -> Prior:
        """Return the prior of two of the classifiers, where parameters are known by draws."""
        return replace(self, _pair=(i, j))

    def _given(self, n_draws: int | None) -> Draws | None:
        if self.draw is None:
            return None
        if "parameters" not in self._computed:
            self._computed["parameters"] = self.draw()
        return {name: values[:n_draws] for name, values in self._computed["parameters"].items()}

    def _of_pair(self, parameters: Draws) -> dict[str, Array]:
        return (
            dict(parameters) if self._pair is None else parameters_of_pair(parameters, *self._pair)
        )

    def parameters(self, n_draws: int | None = None) -> dict[str, Array]:
        """Return (at most) `n_draws` draws of the parameters, of shape (n_draws, ...)."""
        given = self._given(n_draws)
        if given is not None:
            return self._of_pair(given)
        assert n_draws is not None
        rng = np.random.default_rng(_PRIOR_ENTROPY)
        return self.specification.draw_parameters(rng, n_draws, prior=True)

    def rates(self, n_draws: int) -> dict[str, Array]:
        """Return draws of rates that are not parameters of the model."""
        given = self._given(n_draws)
        if given is None:
            return {}
        rng = np.random.default_rng(_RATES_ENTROPY)
        return self._of_pair(self.specification.rates_given(given, rng, prior=True))

    def draws(self, metric: Metric, n_draws: int) -> Array:
        """Return draws of the metric, of shape (n_classifiers, n_draws)."""
        rng = np.random.default_rng(_PRIOR_ENTROPY)
        draws = np.concatenate(list(self.stream(metric, rng, n_draws)), axis=1)
        return draws if self._pair is None else draws[list(self._pair)]

    def shares(self, metric: Metric, region: Interval) -> Iterator[Array]:
        """Yield estimates of P(A - B in the region), in blocks of shape (2, n)."""
        given = self._given(None)
        if given is None:
            rng = np.random.default_rng(_PRIOR_ENTROPY)
            own = self._over_classes(metric)
            yield from self.specification.shares(own, rng, region)
        else:  # whether each draw is in the region
            a, b = self.draws(metric, len(next(iter(given.values()))))
            inside = (a - b >= region.low) & (a - b <= region.high)
            yield inside[: len(inside) // 2 * 2].reshape(2, -1).astype(float)

    def has_finite_density(self, metric: Metric) -> bool | None:
        """Return whether the density of the difference is finite at 0; None if unknown."""
        if not self.has_closed_forms:
            return None
        return self.specification.has_finite_prior_density(metric.formula)

    def affordable(self, n_draws: int) -> int:
        """Return `n_draws`, reduced if draws are expensive because there are many classes."""
        if self.specification.draws_cost_one:
            return n_draws
        return max(2**14, n_draws // (4 * len(self.counts[0].labels)))

    def remembered(self, key: Hashable, compute: Callable[[], T]) -> T:
        """Return what was computed before of an equal prior, else compute it.

        Only results are kept, and the prior's parameters as their key, never the evidence.
        """
        computed, own = (
            (_COMPUTED, self._key()) if self.draw is None else (self._computed, self._pair)
        )
        if (own, key) in computed:
            return cast(T, computed[own, key])
        computed[own, key] = value = compute()
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

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Prior) or self.draw is not None or other.draw is not None:
            return self is other
        return self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())
