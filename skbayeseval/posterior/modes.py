"""The ways in which draws of a metric are made, one class each.

A `Recipe`, which is a prior or a posterior, has one for metrics of counts (`Exact`, or `Given`
draws of the parameters such as `Chains`), and one for metrics of instance scores (`Bootstrap`).
Where weights of counts are inferred, both are inside a `Mixture`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.random import Generator

from skbayeseval._arrays import Array
from skbayeseval._streams import Stream
from skbayeseval.engines.bootstrap import SumOfMeans, allow_for_few_units, stream_bootstrap
from skbayeseval.engines.pymc import Trace, diagnose
from skbayeseval.evidence.instance_scores import WeightedInstances
from skbayeseval.evidence.interface import Evidence
from skbayeseval.evidence.joint_counts import as_evidence
from skbayeseval.evidence.unit_numbers import UnitNumbers
from skbayeseval.metrics.confusion import stacked
from skbayeseval.metrics.metric import Metric
from skbayeseval.models.base import Model, check_no_nan
from skbayeseval.models.bootstrap import GroupScoreWeights, ScoreWeights
from skbayeseval.models.margins import Law
from skbayeseval.posterior.inferred_weight import WeightPosterior, Weights, spread_out

Draws = Mapping[str, Array]
Blocks = Iterator[Array]
Together = tuple[Metric, Blocks]
Weight = float | None


class Drawing(Protocol):
    """How many draws are made, from which seed, and how they are collected: a posterior."""

    n_draws: int

    def rng(self, stream: Stream = Stream.POSTERIOR) -> Generator:
        """Return a stream from its beginning."""

    def collected(self, blocks: Iterable[Array], metric: Metric) -> Array:
        """Return all blocks as one array."""


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

    def draws(self, metric: Metric, drawing: Drawing, weight: Weight = None) -> Array:
        """Return draws of the metric, of shape (n_classifiers, n_draws), wide enough."""
        blocks = self.stream(metric, drawing.rng(), drawing.n_draws, weight)
        return self.wide_enough(metric, drawing.collected(blocks, metric), drawing, weight)

    def wide_enough(
        self, metric: Metric, draws: Array, drawing: Drawing, weight: Weight = None
    ) -> Array:
        """Return draws that allow for few units."""
        units = self.units(metric, weight)
        if units is None or not draws.shape[1]:
            return draws
        wide = allow_for_few_units(draws, units, metric.bounds, drawing.rng(Stream.FEW_UNITS))
        # With one end, such as errors have, draws may have been stretched beyond it.
        return wide if metric.bounds is not None else np.clip(wide, *metric.extent)

    def draws_of_one(self, metric: Metric, classifier: int, drawing: Drawing) -> Array | None:
        """Return draws that one classifier has for itself; None if they are those of all."""
        return None

    def with_another(self, classifier: int) -> tuple[Mode, int]:
        """Return a mode of few classifiers, cheap to draw, and the place of the classifier."""
        return self, classifier

    def stream_together(self, metrics: Sequence[Metric], drawing: Drawing) -> Together | None:
        """Return all metrics as one with its blocks; None unless each has its draws alone."""
        return None

    def law(self, metric: Metric, classifier: int | None = None) -> Law | None:
        """Return the law of one classifier's metric, or of A - B; None if not in closed form."""
        return None

    def log_density_at_zero(self, metric: Metric) -> float | None:
        """Return the log density of the difference at 0; None if not in closed form."""
        return None

    def units(self, metric: Metric, weight: Weight = None) -> UnitNumbers | None:
        """Return how many units the metric rests on; None unless units have random weights."""
        return None

    def carried_by(self, metric: Metric, classifier: int | None = None) -> float:
        """Return how many units carry the variance of a difference, or of one classifier.

        It is infinite where all count alike.
        """
        return np.inf

    def is_area(self, metric: Metric) -> bool:
        """Return whether the metric is an area under a curve of scores."""
        return False

    def sum_of_means(self, metric: Metric) -> SumOfMeans | None:
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

    n_chains: int = 1
    stats: ClassVar[Mapping[str, Array]] = {}

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

    def over_classes(self, metric: Metric) -> Metric:
        """Return the metric whose macro average is over the labels of each classifier."""
        return metric if self._averaged is None else metric.over(self._averaged)

    def stream(self, metric: Metric, rng: Generator, n_draws: int, weight: Weight = None) -> Blocks:
        """Yield blocks of draws of the metric, of shape (n_classifiers, n)."""
        specification = self.specification
        if weight is not None:
            weighted = self.evidence.with_weight(weight)
            specification = self.model.specification(weighted, self.prevalence)
        n_rows = 1 if self.evidence.is_of_difference else self.evidence.n_classifiers
        for scores in self._blocks(specification, self.over_classes(metric), rng, n_draws):
            if scores.shape[:1] != (n_rows,) or scores.ndim != 2:
                raise ValueError(
                    f"{type(self.model).__name__} must give draws of shape (n_classifiers, n) for "
                    f"{n_rows} classifiers, got an array of shape {scores.shape}."
                )
            yield check_no_nan(scores, metric)

    @abstractmethod
    def _blocks(self, given: Model, metric: Metric, rng: Generator, n_draws: int) -> Blocks:
        """Yield blocks of draws by the model, given evidence."""

    def with_another(self, classifier: int) -> tuple[Mode, int]:
        """Return the mode of a pair, if there are more classifiers."""
        n = self.evidence.n_classifiers
        if n <= 2:
            return self, classifier
        pair = self.evidence.pair(classifier, (classifier + 1) % n)
        return Exact(self.model.of_pair(), pair, self.prevalence), 0

    def units(self, metric: Metric, weight: Weight = None) -> UnitNumbers | None:
        """Return how many units the metric rests on; None unless units have random weights."""
        if metric.source not in ("tables", "items") or not self.model.weights_units:
            return None
        evidence = self.evidence if weight is None else self.evidence.with_weight(weight)
        return evidence.unit_numbers(metric)

    def carried_by(self, metric: Metric, classifier: int | None = None) -> float:
        """Return how many items carry the variance; infinite for metrics of tables."""
        if metric.source == "items" and self.model.weights_units:
            return float(self.evidence.carriers(classifier))
        return np.inf

    @abstractmethod
    def parameters(self, rng: Generator, n_draws: int) -> dict[str, Array]:
        """Return draws of the parameters, of shape (n_draws, ...)."""

    def rates(self, rng: Generator, n_draws: int) -> dict[str, Array]:
        """Return draws of rates that are not parameters of the model: the recall of each class."""
        return {}

    def mcse(self, draws: Array) -> float | None:
        """Return the Monte Carlo standard error of the mean; None for independent draws."""
        return None

    def effective_share(self, draws: Array) -> float:
        """Return the effective sample size divided by the number of draws."""
        return 1.0


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

    def stream_together(self, metrics: Sequence[Metric], drawing: Drawing) -> Together | None:
        """Return all metrics as one, with its blocks; None unless the model takes such a metric."""
        if not self.specification.draws_metrics_together:
            return None
        combined = stacked([self.over_classes(metric) for metric in metrics])
        blocks = self._blocks(self.specification, combined, drawing.rng(), drawing.n_draws)
        return combined, self._checked(blocks, (len(metrics), self.evidence.n_classifiers))

    def _checked(self, blocks: Blocks, shape: tuple[int, int]) -> Blocks:
        for scores in blocks:
            if scores.shape[:-1] != shape:
                raise ValueError(
                    f"{type(self.model).__name__} must give draws of shape {shape} + (n,) for "
                    f"{shape[0]} metrics, got an array of shape {scores.shape}."
                )
            yield scores

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

    @property
    def n_known(self) -> int:
        """The number of draws."""
        return len(next(iter(self.known.values())))

    def parameters(self, rng: Generator, n_draws: int) -> dict[str, Array]:
        """Return the first of the draws of the parameters."""
        return {name: values[:n_draws] for name, values in self.known.items()}

    def rates(self, rng: Generator, n_draws: int) -> dict[str, Array]:
        """Return draws of rates that are not parameters of the model: the recall of each class."""
        given = self.parameters(rng, n_draws)
        return self.specification.rates_given(given, rng, prior=self.prior)

    def _blocks(self, given: Model, metric: Metric, rng: Generator, n_draws: int) -> Blocks:
        return given.scores_given(self.parameters(rng, n_draws), metric, rng, prior=self.prior)


class Chains(Given):
    """Markov chains of the parameters."""

    def __init__(self, trace: Trace, *args: Any) -> None:
        super().__init__(trace.flat, *args)
        self.n_chains = trace.n_chains
        self.stats = trace.stats  # type: ignore[misc]

    def mcse(self, draws: Array) -> float | None:
        """Return the Monte Carlo standard error of the mean."""
        return diagnose(draws.reshape(self.n_chains, -1)).mcse

    def effective_share(self, draws: Array) -> float:
        """Return the effective sample size divided by the number of draws."""
        ess = diagnose(draws.reshape(self.n_chains, -1)).ess
        return min(1.0, ess / len(draws)) if np.isfinite(ess) else 1.0


class Bootstrap(Mode):
    """Random weights of instances, for metrics of instance scores, whatever the model.

    Parameters
    ----------
    scored : WeightedInstances
        The scores of the instances.
    influence : callable, default=None
        Maps a metric to the influence of each row, where a posterior of more classifiers knows it.
    """

    def __init__(
        self, scored: WeightedInstances, influence: Callable[[Metric], Array] | None = None
    ) -> None:
        self.evidence = scored
        kind = GroupScoreWeights if getattr(scored, "grouped", False) else ScoreWeights
        self.model_name = kind.name
        self.known_influence: dict[Metric, Array] = {}
        self._influence = scored.influence if influence is None else influence
        self._sums: dict[Metric, SumOfMeans | None] = {}

    def stream(self, metric: Metric, rng: Generator, n_draws: int, weight: Weight = None) -> Blocks:
        """Yield blocks of draws of the metric, of shape (n_classifiers, n)."""
        scored, sum_of_means = self.evidence, None
        if weight is None:
            sum_of_means = self.sum_of_means(metric)
        if sum_of_means is not None:
            return sum_of_means.stream(rng, n_draws)
        shape = scored.shape if weight is None else scored.with_weight(weight).shape
        return stream_bootstrap(scored.runs(metric), shape, scored.n_classifiers, rng, n_draws)

    def sum_of_means(self, metric: Metric) -> SumOfMeans | None:
        """Return how very many instances are drawn together; None if each has its own weight."""
        if not metric.available:
            return None
        if metric not in self._sums:
            self._sums[metric] = SumOfMeans.of(self.evidence.runs(metric), self.evidence.shape)
        return self._sums[metric]

    def with_another(self, classifier: int) -> tuple[Mode, int]:
        """Return the mode of a pair, if there are more classifiers."""
        n = self.evidence.n_classifiers
        if n <= 2:
            return self, classifier
        return Bootstrap(self.evidence.pair(classifier, (classifier + 1) % n)), 0

    def units(self, metric: Metric, weight: Weight = None) -> UnitNumbers | None:
        """Return how many units the metric rests on."""
        scored = self.evidence if weight is None else self.evidence.with_weight(weight)
        return scored.unit_numbers(metric)

    def carried_by(self, metric: Metric, classifier: int | None = None) -> float:
        """Return how many units carry the variance of a difference, or of one classifier."""
        influence = self.influence(metric)
        row = influence[0] - influence[1] if classifier is None else influence[classifier]
        return self.evidence.carried_by(row)

    def influence(self, metric: Metric) -> Array:
        """Return the influence of each row on the metric of each classifier."""
        if metric not in self.known_influence:
            self.known_influence[metric] = influence = self._influence(metric)
            influence.flags.writeable = False
        return self.known_influence[metric]

    def is_area(self, metric: Metric) -> bool:
        """Return whether the metric is an area under a curve of scores."""
        return self.evidence.is_area(metric)


class Mixture(Mode):
    """Draws of another mode, spread by a mixture of weights of counts.

    They are drawn as if all variation were test noise, and then spread by what training sets add to
    it. So the weight, which is not known exactly, leaves the middle where it is.

    Parameters
    ----------
    mode : Mode
        The mode of the draws.
    weights : Weights
        The weights, which allow for few units that carry the variance.
    """

    def __init__(self, mode: Mode, weights: Weights) -> None:
        self.mode, self.weights = mode, weights
        self.evidence, self.model_name = mode.evidence, mode.model_name

    def stream(self, metric: Metric, rng: Generator, n_draws: int, weight: Weight = None) -> Blocks:
        """Yield blocks of draws of the metric, of shape (n_classifiers, n), before the spread."""
        return self.mode.stream(metric, rng, n_draws, weight)

    def draws(self, metric: Metric, drawing: Drawing, weight: Weight = None) -> Array:
        """Return draws of the metric, of shape (n_classifiers, n_draws), as wide as inferred.

        With weights of each classifier, each is spread by its own; otherwise differences are.
        """
        each = self.weights.each(metric)
        draws = self._spread(self.mode, metric, drawing, self.weights.difference(metric), each)
        return self.weights.together(metric, draws, drawing.rng(Stream.TOGETHER))

    def draws_of_one(self, metric: Metric, classifier: int, drawing: Drawing) -> Array | None:
        """Return draws that one classifier has for itself; None if they are those of all."""
        if not self.weights.are_own:
            return None
        weight = self.weights.quantity(metric, classifier).weight
        mode, row = self.mode.with_another(classifier)
        return self._spread(mode, metric, drawing, weight, [weight])[row]

    @staticmethod
    def _spread(
        mode: Mode,
        metric: Metric,
        drawing: Drawing,
        weight: WeightPosterior,
        each: Sequence[WeightPosterior],
    ) -> Array:
        draws, drawn_at = mode.draws(metric, drawing, weight.of_tests), weight.of_tests
        factors = np.array(
            [
                own.factors(drawing.rng(Stream.TRAINING), drawing.n_draws, drawn_at)
                for own in each or [weight]
            ]
        )
        return spread_out(draws, factors, metric.extent, together=not each)

    def units(self, metric: Metric, weight: Weight = None) -> UnitNumbers | None:
        """Return how many units the metric rests on; None unless units have random weights."""
        return self.mode.units(metric, weight)


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
