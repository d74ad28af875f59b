"""The ways in which draws of a metric are made, and recipes that draw with them.

A `Recipe`, which is a `Prior` or a posterior, has one way for metrics of counts (`Exact`, or
`Given` draws of the parameters, such as those of Markov chains), and one for metrics of instance
scores (`Bootstrap`).
"""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, TypeVar, cast

import numpy as np
from numpy.random import Generator

from skbayeseval._arrays import Array
from skbayeseval._streams import PRIOR_ENTROPY, Stream, generator
from skbayeseval.evidence.instance_scores import WeightedInstances
from skbayeseval.evidence.interface import Evidence
from skbayeseval.evidence.joint_counts import as_evidence
from skbayeseval.evidence.unit_numbers import UnitNumbers
from skbayeseval.metrics.confusion import stacked
from skbayeseval.metrics.metric import Metric
from skbayeseval.models.base import Model, check_defined
from skbayeseval.models.bootstrap import (
    GroupScoreWeights,
    ScoreWeights,
    SumsOfMany,
    stream_bootstrap,
)
from skbayeseval.models.margins import Law

T = TypeVar("T")

# Weights that differ less are the same: standard deviations change by a quarter of a per mille.
TINY_STEP = 5e-4
Draws = Mapping[str, Array]
Blocks = Iterator[Array]
Weight = float | None

# What was computed of priors, which are equal for much evidence; so many of them, the latest.
_COMPUTED: dict[Hashable, Any] = {}
MOST_COMPUTED = 256


# More draws than there are of parameters that are known by draws.
ALL_KNOWN = sys.maxsize


class Mode(ABC):
    """A way to draw a metric; what a posterior asks of it.

    Attributes
    ----------
    evidence : Evidence or WeightedInstances
        What metrics are observed on.
    model_name : str
        The name of the model.
    """

    evidence: Any
    model_name: str

    @abstractmethod
    def stream(self, metric: Metric, rng: Generator, n_draws: int, weight: Weight = None) -> Blocks:
        """Yield blocks of draws of the metric, of shape (n_classifiers, n).

        `weight` is that of the counts, by default as in the evidence.
        """

    @abstractmethod
    def pair(self, i: int, j: int) -> Mode:
        """Return the same way for two of the classifiers."""

    @abstractmethod
    def units(self, metric: Metric, weight: Weight = None) -> UnitNumbers | None:
        """Return how many units the metric rests on; None unless units have random weights."""

    def law(self, metric: Metric, classifier: int | None = None) -> Law | None:
        """Return the law of one classifier's metric, or of A - B; None if not in closed form."""
        return None

    def log_density_at_zero(self, metric: Metric) -> float | None:
        """Return the log density of the difference at 0; None if not in closed form."""
        return None

    def sums_of_many(self, metric: Metric) -> SumsOfMany | None:
        """Return how very many instances are drawn together; None if each has its own weight."""
        return None


class ModelMode(Mode):
    """Draws by the model; subclasses know its parameters exactly, or by draws.

    Parameters
    ----------
    model : Model
        The model, including its prior.
    evidence : Evidence
        The data.
    prevalence : tuple of float, default=None
        Known class proportions, in the order of the labels.
    prior : bool, default=False
        Whether to draw from the prior instead of the posterior.
    """

    def __init__(
        self,
        model: Model,
        evidence: Evidence,
        prevalence: tuple[float, ...] | None = None,
        *,
        prior: bool = False,
    ) -> None:
        self.model, self.evidence, self.prevalence, self.prior = model, evidence, prevalence, prior
        self.model_name = model.name
        self.specification = model.specification(evidence, prevalence)

    @cached_property
    def _averaged(self) -> Array | None:
        """Which classes each classifier's macro averages are over; None if over all."""
        if not self.evidence.has_class_counts:
            return None
        averaged = np.array([counts.averaged for counts in self.evidence.margins()])
        return None if averaged.all() else averaged[:, None]

    def _over_classes(self, metric: Metric) -> Metric:
        """Return the metric whose macro average is over the labels of each classifier."""
        return metric if self._averaged is None else metric.over(self._averaged)

    def stream(self, metric: Metric, rng: Generator, n_draws: int, weight: Weight = None) -> Blocks:
        """Yield blocks of draws of the metric, of shape (n_classifiers, n)."""
        specification = self.specification
        if weight is not None:
            weighted = self.evidence.with_weight(weight)
            specification = self.model.specification(weighted, self.prevalence)
        n_rows = 1 if self.evidence.is_of_difference else self.evidence.n_classifiers
        blocks = self._blocks(specification, self._over_classes(metric), rng, n_draws)
        for scores in self._checked(blocks, (n_rows,)):
            yield check_defined(scores, metric)

    def stream_together(
        self, metrics: Sequence[Metric], rng: Generator, n_draws: int
    ) -> tuple[Metric, Blocks]:
        """Return all metrics as one with its blocks, of shape (n_metrics, n_classifiers, n)."""
        combined = stacked([self._over_classes(metric) for metric in metrics])
        blocks = self._blocks(self.specification, combined, rng, n_draws)
        return combined, self._checked(blocks, (len(metrics), self.evidence.n_classifiers))

    def _checked(self, blocks: Blocks, shape: tuple[int, ...]) -> Blocks:
        """Yield blocks; raise if those of a user's model have another shape."""
        for scores in blocks:
            if scores.shape[:-1] != shape:
                raise ValueError(
                    f"{type(self.model).__name__} must give draws of shape {shape} + (n,), one row "
                    f"per classifier, got an array of shape {scores.shape}."
                )
            yield scores

    @abstractmethod
    def _blocks(self, given: Model, metric: Metric, rng: Generator, n_draws: int) -> Blocks:
        """Yield blocks of draws by the model, given evidence."""

    def pair(self, i: int, j: int) -> Mode:
        """Return the exact draws of two of the classifiers."""
        return Exact(self.model.of_pair(), self.evidence.pair(i, j), self.prevalence)

    def units(self, metric: Metric, weight: Weight = None) -> UnitNumbers | None:
        """Return how many units the metric rests on; None unless units have random weights."""
        if metric.source not in ("tables", "items") or not self.model.weights_units:
            return None
        evidence = self.evidence if weight is None else self.evidence.with_weight(weight)
        return evidence.unit_numbers(metric)

    @abstractmethod
    def parameters(self, rng: Generator, n_draws: int) -> dict[str, Array]:
        """Return draws of the parameters, of shape (n_draws, ...)."""

    def rates(self, rng: Generator, n_draws: int) -> dict[str, Array]:
        """Return draws of rates that are not parameters of the model: the recall of each class."""
        return {}


class Exact(ModelMode):
    """Independent draws by the model, which knows closed forms."""

    def _blocks(self, given: Model, metric: Metric, rng: Generator, n_draws: int) -> Blocks:
        n_drawn = 0
        for scores in given.stream(metric, rng, n_draws, prior=self.prior):
            n_drawn += scores.shape[-1]
            yield scores
        if n_drawn != n_draws:
            raise ValueError(
                f"{type(self.model).__name__} must give {n_draws} draws, got {n_drawn}."
            )

    def law(self, metric: Metric, classifier: int | None = None) -> Law | None:
        """Return the law of one classifier's metric, or of A - B; None if not in closed form."""
        return self.specification.law(metric, classifier, prior=self.prior)

    def log_density_at_zero(self, metric: Metric) -> float | None:
        """Return the log density of the difference at 0; None if not in closed form."""
        return self.specification.log_density_at_zero(metric, prior=self.prior)

    def parameters(self, rng: Generator, n_draws: int) -> dict[str, Array]:
        """Return draws of the parameters, of shape (n_draws, ...)."""
        return self.specification.draw_parameters(rng, n_draws, prior=self.prior)


class Given(ModelMode):
    """Draws of the parameters are given, and no closed form applies.

    Parameters
    ----------
    draw : callable
        Returns the draws of the parameters; called once.
    model, evidence, prevalence, prior
        As in `Exact`.
    """

    def __init__(self, draw: Callable[[], Draws], *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._draw = draw

    @cached_property
    def known(self) -> Draws:
        """All draws of the parameters."""
        return self._draw()

    def parameters(self, rng: Generator, n_draws: int) -> dict[str, Array]:
        """Return the first of the draws of the parameters."""
        return {name: values[:n_draws] for name, values in self.known.items()}

    def rates(self, rng: Generator, n_draws: int) -> dict[str, Array]:
        """Return draws of rates that are not parameters of the model: the recall of each class."""
        given = self.parameters(rng, n_draws)
        return self.specification.rates_given(given, rng, prior=self.prior)

    def _blocks(self, given: Model, metric: Metric, rng: Generator, n_draws: int) -> Blocks:
        return given.scores_given(self.parameters(rng, n_draws), metric, rng, prior=self.prior)


class Bootstrap(Mode):
    """Random weights of instances, for metrics of instance scores, whatever the model."""

    def __init__(self, scored: WeightedInstances) -> None:
        self.evidence = scored
        self.model_name = (GroupScoreWeights if scored.grouped else ScoreWeights).name
        self._sums: dict[tuple[Metric, Weight], SumsOfMany | None] = {}

    def stream(self, metric: Metric, rng: Generator, n_draws: int, weight: Weight = None) -> Blocks:
        """Yield blocks of draws of the metric, of shape (n_classifiers, n)."""
        sums_of_many = self.sums_of_many(metric, weight)
        if sums_of_many is not None:
            return sums_of_many.stream(rng, n_draws)
        runs, n_classifiers = self.evidence.runs(metric), self.evidence.n_classifiers
        return stream_bootstrap(runs, self._shape(weight), n_classifiers, rng, n_draws)

    def _shape(self, weight: Weight) -> Array:
        """Return the Gamma shapes of the units at a weight of the counts."""
        if weight is None:
            return self.evidence.shape
        # Exponential variables are drawn five times as fast as Gamma variables of almost shape 1.
        is_one = abs(weight - 1) < TINY_STEP
        return self.evidence.with_weight(1.0 if is_one else weight).shape

    def sums_of_many(self, metric: Metric, weight: Weight = None) -> SumsOfMany | None:
        """Return how very many instances are drawn together; None if each has its own weight."""
        if not metric.available:
            return None
        if (metric, weight) not in self._sums:
            sampler = SumsOfMany.of(self.evidence.runs(metric), self._shape(weight))
            self._sums[metric, weight] = sampler
        return self._sums[metric, weight]

    def pair(self, i: int, j: int) -> Mode:
        """Return the same way for two of the classifiers."""
        return Bootstrap(self.evidence.pair(i, j))

    def units(self, metric: Metric, weight: Weight = None) -> UnitNumbers | None:
        """Return how many units the metric rests on."""
        scored = self.evidence if weight is None else self.evidence.with_weight(weight)
        return scored.unit_numbers(metric)


@dataclass(eq=False, repr=False)
class Recipe(ABC):
    """Base class of priors and posteriors, which give draws of metrics."""

    model: Model
    evidence: Evidence
    prevalence: tuple[float, ...] | None = None

    def __post_init__(self) -> None:
        self.evidence = as_evidence(self.evidence)
        self.counts = self.evidence.margins()
        self.positive = self.counts[0].positive
        self.has_true_negatives = self.counts[0].has_true_negatives
        self._of_counts = self._mode_of_counts()
        self.specification = self._of_counts.specification

    @abstractmethod
    def _mode_of_counts(self) -> ModelMode:
        """Return how metrics of counts are drawn."""

    def mode(self, metric: Metric) -> Mode:
        """Return how the metric is drawn."""
        return self._of_counts

    def stream(self, metric: Metric, rng: Generator, n_draws: int) -> Blocks:
        """Yield blocks of draws of the metric, of shape (n_classifiers, n)."""
        return self.mode(metric).stream(metric, rng, n_draws)

    def law(self, metric: Metric, classifier: int | None = None) -> Law | None:
        """Return the law of one classifier's metric, or of A - B; None if not in closed form."""
        return self.mode(metric).law(metric, classifier)

    def log_density_at_zero(self, metric: Metric) -> float | None:
        """Return the log density of the difference at 0; None if not in closed form."""
        return self.mode(metric).log_density_at_zero(metric)


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

    def parameters(self, n_draws: int = ALL_KNOWN) -> dict[str, Array]:
        """Return (at most) `n_draws` draws of the parameters, or all that are known by draws."""
        return self._of_pair(self._of_counts.parameters(self._rng(), n_draws))

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
            a, b = self.draws(metric, ALL_KNOWN)
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
