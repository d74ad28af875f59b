"""Posteriors given by a model, evidence and a seed; metrics are drawn on demand.

Draws of tables are not stored. They are drawn again from the same seed for every metric, so all
metrics of a posterior are computed from the same draws.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from contextlib import nullcontext, suppress
from dataclasses import KW_ONLY, dataclass, fields
from functools import partial
from typing import Any, cast

import numpy as np
from joblib import parallel_config

from skbayeseval._arrays import Array
from skbayeseval._running import progress_if_long, seconds_of
from skbayeseval._streams import Stream, generator
from skbayeseval.evidence.instance_scores import WeightedInstances
from skbayeseval.evidence.instances import Instances
from skbayeseval.evidence.interface import Evidence
from skbayeseval.evidence.item_scores import ItemScores
from skbayeseval.evidence.unit_numbers import UnitNumbers, effective_number
from skbayeseval.judgement.distribution import Distribution
from skbayeseval.metrics.metric import Metric
from skbayeseval.models.base import Model
from skbayeseval.models.bootstrap import SumsOfMany, stream_bootstrap
from skbayeseval.models.few_units import (
    allow_for_few_carriers,
    allow_for_few_units,
    difference_of_twins,
)
from skbayeseval.models.margins import Law, difference_bounds
from skbayeseval.models.pymc import Diagnostics, Trace, diagnose
from skbayeseval.posterior.inferred_weight import (
    KnownWeights,
    WeightPosterior,
    Weights,
    shift_by_other_splits,
    spread_out,
)
from skbayeseval.posterior.prior import Blocks, Prior, T, stream

# The most numbers that are drawn before they are asked for, with others.
MOST_TOGETHER = 2**25

# The number of draws that are timed before all others.
N_TIMED = 4

# Weights that differ less are the same: standard deviations change by a quarter of a per mille.
TINY_STEP = 5e-4


@dataclass(eq=False, repr=False)
class Posterior:
    """The posterior of a model, given evidence: independent draws, or Markov chains.

    Parameters
    ----------
    model : model instance
        The model, including its prior.
    evidence : Evidence
        The data.
    entropy : int
        The entropy from which all seeds are derived.
    n_draws : int
        The number of draws of each metric.
    prevalence : tuple of float, default=None
        Known class proportions, in the order of the labels.
    scored : WeightedInstances, default=None
        The scores of the same instances, for metrics of instance scores. These metrics use instance
        weights (the Bayesian bootstrap), whatever the model.
    weights : Weights, default=None
        The weights of counts, where they are inferred; each metric, difference and classifier has
        its own. By default, the weight of the evidence.
    instances : Instances, default=None
        Which instances the rows of the evidence belong to; None if that is not known.
    trace : Trace, default=None
        Markov chains of the parameters; None for independent draws.
    own_prior : Prior, default=None
        The prior of the chains, if it is not that of the model.
    prior_name : str, default=None
        The name of that prior.
    build_prior : callable, default=None
        The function that builds the variables of that prior, if it is available.
    shows_progress : bool, default=False
        Whether draws that take long show progress.
    n_jobs : int, default=None
        The number of threads; by default as joblib is set.
    """

    model: Model
    evidence: Evidence
    prevalence: tuple[float, ...] | None = None
    _: KW_ONLY
    entropy: int
    n_draws: int = 0
    scored: WeightedInstances | None = None
    weights: Weights | None = None
    instances: Instances | None = None
    trace: Trace | None = None
    own_prior: Prior | None = None
    prior_name: str | None = None
    build_prior: Callable[..., Any] | None = None
    shows_progress: bool = False
    n_jobs: int | None = None

    def __post_init__(self) -> None:
        self.counts = self.evidence.margins()
        # The weight of one count; where weights are inferred, that of the first metric.
        self.weight: float = self.counts[0].weight
        self.positive = self.counts[0].positive
        self.has_true_negatives = self.counts[0].has_true_negatives
        self.specification = self.model.specification(self.evidence, self.prevalence)
        if self.scored is None and isinstance(self.evidence, WeightedInstances):
            self.scored = self.evidence
        self.has_warned = self.trace is None  # whether convergence warnings were issued
        if self.trace is not None:
            self.n_draws = self.trace.n_draws
        # Metrics that are drawn together as soon as the draws of one of them are needed.
        self.asked: dict[Metric, None] = {}
        self._known: dict[Hashable, Any] = {}  # what was computed, or is known from a file

    def source(self, metric: Metric) -> Any:
        """Return the evidence that the metric is computed from: scores beside it, or itself."""
        return self.scored if metric.weighs_instances and self.scored is not None else self.evidence

    def _once(self, key: tuple[str, *tuple[Hashable, ...]], compute: Callable[[], T]) -> T:
        """Return what is known under the key, else compute it; arrays become read-only."""
        if key not in self._known:
            known = compute()
            if isinstance(known, np.ndarray):
                known.flags.writeable = False
            self._known[key] = known
        return cast(T, self._known[key])

    def fields(self) -> dict[str, Any]:
        """Return what the posterior is made of, by the names of the parameters."""
        return {one.name: getattr(self, one.name) for one in fields(Posterior)}

    def like(self, **changes: Any) -> Posterior:
        """Return the same posterior but for the changes, with exact draws unless changed.

        Instances, and scores beside the evidence, are those of the rows, which may change as well.
        """
        of_chains = ("trace", "own_prior", "prior_name", "build_prior")
        new = dict.fromkeys(("instances", "scored", *of_chains))
        return Posterior(**(self.fields() | new | changes))

    @property
    def engine(self) -> str:
        """The name of the engine."""
        return "exact" if self.trace is None else "pymc"

    def has_proper_prior(self, metric: Metric) -> bool:
        """Return whether the metric has a proper prior, which Bayes factors require."""
        return self.model.has_proper_prior and not metric.weighs_instances

    def drawn_by(self, metric: Metric) -> str:
        """Return the name of the model that the metric is drawn by."""
        if self.scored is None or not metric.weighs_instances:
            return self.model.name
        return "group weights" if self.scored.grouped else "instance weights"

    def law(self, metric: Metric, classifier: int | None = None) -> Law | None:
        """Return the law of one classifier's metric, or of A - B; None if not in closed form."""
        if self.weights is not None or self.trace is not None:
            return None
        is_scored = self.source(metric) is self.scored
        return None if is_scored else self.specification.law(metric, classifier)

    def log_density_at_zero(self, metric: Metric) -> float | None:
        """Return the log density of the difference at 0; None if not in closed form."""
        if self.weights is not None or self.trace is not None:
            return None
        is_scored = self.source(metric) is self.scored
        return None if is_scored else self.specification.log_density_at_zero(metric)

    def sums_of_many(self, metric: Metric, weight: float | None = None) -> SumsOfMany | None:
        """Return how very many instances are drawn together; None if each has its own weight."""
        scored = self.scored
        if scored is None or not (metric.weighs_instances and metric.available):
            return None
        shape = self._shape(weight)
        return self._once(
            ("sums of many", metric, weight), lambda: SumsOfMany.of(scored.runs(metric), shape)
        )

    def _shape(self, weight: float | None) -> Array:
        """Return the Gamma shapes of instances, or groups, at a weight of the counts."""
        assert self.scored is not None
        if weight is None:
            return self.scored.shape
        # Exponential variables are drawn five times as fast as Gamma variables of almost shape 1.
        return self.scored.with_weight(1.0 if abs(weight - 1) < TINY_STEP else weight).shape

    def units(self, metric: Metric, weight: float | None = None) -> UnitNumbers | None:
        """Return how many units the metric rests on, at a weight of the counts.

        None unless units have random weights.
        """
        source = self.source(metric)
        is_weighted = metric.source in ("tables", "items") and self.model.weights_units
        if not is_weighted and source is not self.scored:
            return None
        return (source if weight is None else source.with_weight(weight)).unit_numbers(metric)

    def influence(self, metric: Metric) -> Array:
        """Return the influence of each row on the metric of each classifier."""
        assert self.scored is not None
        scored = self.scored
        return self._once(("influence", metric), lambda: scored.influence(metric))

    def carried_by(self, metric: Metric, classifier: int | None = None) -> float:
        """Return how many units carry the variance of a difference, or of one classifier.

        It is infinite where all count alike, and where weights are inferred, which allow for it.
        """
        if self.weights is not None:
            return np.inf
        if metric.weighs_instances and self.scored is not None:
            influence = self.influence(metric)
            one = influence[0] - influence[1] if classifier is None else influence[classifier]
            return effective_number(np.bincount(self.scored.unit, weights=one))
        evidence: Any = self.evidence
        is_weighted = metric.source == "items" and self.model.weights_units
        return float(evidence.carriers(classifier)) if is_weighted else np.inf

    def _allowing_for_few_carriers(
        self, metric: Metric, units: UnitNumbers, draws: Array, classifier: int | None = None
    ) -> Array:
        """Return draws of the difference, or of one classifier, that are wide enough."""
        carriers = self.carried_by(metric, classifier)
        if np.isinf(carriers):
            return draws
        of_difference = classifier is None
        return self._once(
            ("stretched", metric, classifier),
            lambda: allow_for_few_carriers(
                draws,
                units,
                carriers,
                difference_bounds(metric.bounds) if of_difference else metric.bounds,
                self.rng(Stream.FEW_CARRIERS),
                of_areas=of_difference and metric.is_area,
            ),
        )

    @property
    def prior(self) -> Prior:
        """The prior of the same model."""
        if not self.has_known_prior:
            raise ValueError(
                "The Bayes factor requires the prior, which is unknown for a modified graph. Add "
                "prior draws to the trace: trace.extend(pymc.sample_prior_predictive(...)) with "
                "ArviZ 0.x, trace.update(...) with ArviZ 1.x."
            )
        return self.own_prior or Prior(self.model, self.evidence, self.prevalence)

    @property
    def prior_description(self) -> dict[str, Any]:
        """The parameters of the prior, or the name of a callable prior."""
        return self.model.prior() if self.prior_name is None else {"callable": self.prior_name}

    @property
    def has_known_prior(self) -> bool:
        """Whether the prior is known; for a modified graph, it may not be."""
        return self.prior_name is None or self.own_prior is not None

    @property
    def n_chains(self) -> int:
        """The number of Markov chains; 1 for independent draws."""
        return 1 if self.trace is None else self.trace.n_chains

    @property
    def stats(self) -> Mapping[str, Array]:
        """The sampler statistics, of shape (n_chains, n_draws per chain)."""
        return {} if self.trace is None else self.trace.stats

    def parameters(self) -> dict[str, Array]:
        """Return draws of the parameters, of shape (n_draws, ...)."""
        if self.trace is not None:
            return self.trace.flat()
        with nullcontext() if self.n_jobs is None else parallel_config(n_jobs=self.n_jobs):
            return self.specification.draw_parameters(self.rng(), self.n_draws, prior=False)

    def rates(self) -> dict[str, Array]:
        """Return draws of rates that are not parameters of the model: the recall of each class."""
        if self.trace is None:
            return {}
        return self.specification.rates_given(self.trace.flat(), self.rng(), prior=False)

    def difference(self, metric: Metric) -> Distribution:
        """Return the posterior of A - B."""
        law = self.law(metric)
        if law is not None:
            bounds = difference_bounds(metric.bounds)
            return law.known(lambda: cast(Array, np.subtract(*self.draws(metric))), bounds)
        first, *second = self.draws(metric)
        difference = first - second[0] if second else first
        if self.specification.known_difference is not None:
            return self.specification.known_difference(metric, difference, self.rng())
        units = self.units(metric)
        if units is not None:
            bounds = metric.bounds or units.seen
            alike = isinstance(self.evidence, ItemScores) and self.evidence.has_equal_differences()
            if bounds and (alike or not difference.any()):
                width = bounds[1] - bounds[0]
                twins = difference_of_twins(units, bounds, self.rng(Stream.TWINS), len(difference))
                # Who may differ elsewhere gets the mirrored draws when A and B are swapped.
                if self.evidence.has_class_counts:
                    a, b = ([*map(float, (*c.hits, *c.predicted))] for c in self.counts)
                    twins = -twins if a < b else twins
                return Distribution(np.clip(difference + twins, -width, width))
            difference = self._allowing_for_few_carriers(metric, units, difference)
        return Distribution(difference, self.mcse(difference))

    def value(self, metric: Metric, classifier: int) -> Distribution:
        """Return the posterior of the metric of one classifier."""
        if self.evidence.is_of_difference:
            raise ValueError(
                f"model={self.model.name!r} models the difference only: there are no draws of A "
                "and B alone."
            )
        of_one = self.draws_of_one(metric, classifier)
        if of_one is not None:
            return Distribution(of_one)
        law = self.law(metric, classifier)
        if law is not None:
            return law.known(lambda: self.draws(metric)[classifier], metric.bounds)
        draws, units = self.draws(metric)[classifier], self.units(metric)
        if units is not None:
            draws = self._allowing_for_few_carriers(metric, units, draws, classifier)
        return Distribution(draws, self.mcse(draws))

    def of_rows(self, rows: Array, entropy: int) -> Posterior:
        """Return the posterior given some of the rows of the evidence, with exact draws.

        Weights of counts that are inferred are then inferred from these rows.
        """
        evidence = self.evidence.of_rows(rows)
        scored = None
        if self.scored is not None and self.scored is not self.evidence:
            scored = self.scored.of_rows(rows)
        weights = None if self.weights is None else self.weights.of_rows(rows)
        return self.like(evidence=evidence, entropy=entropy, scored=scored, weights=weights)

    def of_types(self, metric: Metric) -> dict[str, Posterior]:
        """Return the posterior of each type of chunk, with the weight of all and exact draws."""
        by_type = self.evidence.by_type
        if not by_type or self.prior_name is not None:
            return {}
        weights = None
        if self.weights is not None:
            weight, n = self.weights.difference(metric), self.evidence.n_classifiers
            weights = KnownWeights(n, self.weights.basis, {"": weight})
        return {
            kind: self.like(evidence=counts, weights=weights) for kind, counts in by_type.items()
        }

    def under_published_prior(self) -> Posterior:
        """Return the posterior of Bayes factors: with the published prior, if this has the default.

        The default prior has an infinite density at 0.
        """
        model = self.model.published
        if model is None or self.prior_name is not None:
            return self
        published = model.of_pair() if self.evidence.n_classifiers == 2 else model
        return self._once(("published prior",), lambda: self.like(model=published))

    def what_is_identical(self, metric: Metric) -> str | None:
        """Return in what both classifiers are identical, such as "predictions"; None if not."""
        return None if any(self.first_copies(metric)) else self.source(metric).identical_in

    def first_copies(self, metric: Metric) -> list[int]:
        """Return for each classifier the first one that it is a copy of, which may be itself."""
        source = self.source(metric)
        return self._once(("copies", metric), lambda: source.first_copies(metric.name))

    def resplitting(self, metric: Metric) -> tuple[float, int]:
        """Return how far other random splits could move the result, and how many repeats tell.

        The result is the difference of two, or the metric of one. If that is unknown, the first
        number is 0.
        """
        known = None
        if self.weights is not None and self.evidence.n_classifiers <= 2:
            asked = range(self.evidence.n_classifiers)
            known = self.weights.quantity(metric, *asked).resplitting
        return (0.0, 1) if known is None else (shift_by_other_splits(*known), known[1])

    def at_half(self, metric: Metric) -> tuple[float, float] | None:
        """Return the difference at half of the data and its standard deviation, if it is known."""
        if self.weights is None or self.evidence.n_classifiers != 2:
            return None
        return self.weights.quantity(metric, 0, 1).at_half

    def mixing(self, draws: Array) -> Diagnostics | None:
        """Return the convergence diagnostics of draws; None for independent draws."""
        return None if self.trace is None else diagnose(draws.reshape(self.n_chains, -1))

    def mcse(self, draws: Array) -> float | None:
        """Return the Monte Carlo standard error of the mean; None for independent draws."""
        return None if self.trace is None else diagnose(draws.reshape(self.n_chains, -1)).mcse

    def effective_share(self, draws: Array) -> float:
        """Return the effective sample size divided by the number of draws."""
        mixed = self.mixing(draws)
        if mixed is None or not np.isfinite(mixed.ess):
            return 1.0
        return min(1.0, mixed.ess / len(draws))

    def exact(self, asked: str) -> Posterior:
        """Return the same posterior with exact draws; raise if `asked` cannot simulate from it."""
        if self.evidence.family != "classes":
            raise ValueError(
                f"{asked} simulates independent instances with one label each. It does not support "
                f"multi-label indicators, groups, chunks or scores (model={self.model.name!r})."
            )
        if self.prior_name is not None:
            raise ValueError(
                f"{asked} requires a conjugate prior, but this result has a user-supplied prior. "
                "Compare again with engine='exact'."
            )
        return self.like(weights=None)

    def draws(self, metric: Metric) -> Array:
        """Return read-only draws of the metric, of shape (n_classifiers, n_draws)."""
        if ("draws", metric) not in self._known and len(self.asked) > 1 and metric in self.asked:
            self.draw_together([*self.asked])
        drawn = self._drawn_at if self.weights is None else self._weighted
        return self._once(("draws", metric), lambda: drawn([metric])[0])

    def _weighted(self, metrics: Sequence[Metric]) -> list[Array]:
        """Return draws of a metric with inferred weights of counts.

        With weights of each classifier, each is spread by its own; otherwise differences are.
        """
        assert self.weights is not None
        (metric,) = metrics
        each = self.weights.each(metric)
        draws = self._spread(metric, self.weights.difference(metric), each)
        return [self.weights.together(metric, draws, self.rng(Stream.TOGETHER))]

    def draws_of_one(self, metric: Metric, classifier: int) -> Array | None:
        """Return draws that one classifier has for itself; None if they are those of all."""
        return self._once(
            ("draws of one", metric, classifier), lambda: self._drawn_alone(metric, classifier)
        )

    def _drawn_alone(self, metric: Metric, classifier: int) -> Array | None:
        if self.weights is None or not self.weights.are_own:
            return None
        drawn, row, n = self, classifier, self.evidence.n_classifiers
        if n > 2:  # two are cheaper to draw than all
            pair, row = (classifier, (classifier + 1) % n), 0
            changes = {"model": self.model.of_pair(), "evidence": self.evidence.pair(*pair)}
            if self.scored is not None and self.scored is not self.evidence:
                changes["scored"] = self.scored.pair(*pair)
            drawn = self.like(weights=None, **changes)
        weight = self.weights.quantity(metric, classifier).weight
        return drawn._spread(metric, weight, [weight])[row]

    def _spread(
        self, metric: Metric, weight: WeightPosterior, each: Sequence[WeightPosterior]
    ) -> Array:
        """Return draws, spread by a mixture of weights of counts.

        They are drawn as if all variation were test noise, and then spread by what training sets
        add to it. So the weight, which is not known exactly, leaves the middle where it is.
        """
        (draws,) = self._drawn_at([metric], weight.of_tests)
        factors = np.array(
            [
                own.factors(self.rng(Stream.TRAINING), self.n_draws, weight.of_tests)
                for own in each or [weight]
            ]
        )
        return spread_out(draws, factors, metric.limits, together=not each)

    def _drawn_at(self, metrics: Sequence[Metric], weight: float | None = None) -> list[Array]:
        """Return draws of metrics at a weight of the counts, by default that of the evidence.

        Progress is shown if they take long. Draws allow for few units.
        """
        metric, blocks = metrics[0], partial(self._blocks, metrics, weight)
        expected = 0.0
        if metric.calls_per_draw:
            self.observed(metric)  # checks the function, once
            with suppress(ValueError):  # of a draw, which is told with those of all
                list(blocks(1))
                one = seconds_of(lambda: list(blocks(1)))
                more = seconds_of(lambda: list(blocks(1 + N_TIMED)))
                expected = self.n_draws * (more - one) / N_TIMED
        progress = progress_if_long(
            f"drawing {metric.name}", self.n_draws, show=self.shows_progress, expected=expected
        )
        threads: Any = nullcontext() if self.n_jobs is None else parallel_config(n_jobs=self.n_jobs)
        collected: list[Array] = []
        done = 0
        with threads, progress as advance:
            for block in blocks(self.n_draws):
                collected.append(block)
                done += block.shape[-1]
                advance(done)
        drawn = np.concatenate(collected, axis=-1)
        wide = []
        for metric, draws in zip(metrics, drawn if len(metrics) > 1 else [drawn], strict=True):
            units = self.units(metric, weight)
            if units is not None and draws.shape[1]:
                draws = allow_for_few_units(draws, units, metric.bounds, self.rng(Stream.FEW_UNITS))
                if metric.bounds is None:  # errors have one end, beyond which they were stretched
                    draws = np.clip(draws, *metric.limits)
            wide.append(draws)
        return wide

    def _blocks(self, metrics: Sequence[Metric], weight: float | None, n_draws: int) -> Blocks:
        """Return blocks of draws of a metric by the bootstrap, or of several by the model."""
        metric, scored = metrics[0], self.scored
        if scored is None or not metric.weighs_instances:
            given = self.specification
            if weight is not None:
                given = self.model.specification(self.evidence.with_weight(weight), self.prevalence)
            known = None if self.trace is None else self.trace.flat()
            return stream(given, self.evidence, metrics, self.rng(), n_draws, parameters=known)
        together = self.sums_of_many(metric, weight)
        if together is not None:
            return together.stream(self.rng(), n_draws)
        runs, shape = scored.runs(metric), self._shape(weight)
        return stream_bootstrap(runs, shape, scored.n_classifiers, self.rng(), n_draws)

    def draw_together(self, metrics: Sequence[Metric]) -> None:
        """Draw metrics of totals in one pass, where each then has the draws that it has alone.

        All others are drawn one by one, on demand: Markov chains, metrics whose weights are
        inferred, and those that are NaN somewhere, which is an error.
        """
        missing = [m for m in metrics if m.is_of_totals and ("draws", m) not in self._known]
        size = len(missing) * self.evidence.n_classifiers * self.n_draws
        takes_several = self.specification.draws_metrics_together and self.trace is None
        if len(missing) < 2 or size > MOST_TOGETHER or not takes_several or self.weights:
            return
        for metric, draws in zip(missing, self._drawn_at(missing), strict=True):
            if np.isfinite(draws).all():
                self.remember(draws, "draws", metric)

    def rng(self, stream: Stream = Stream.POSTERIOR) -> np.random.Generator:
        """Return the source of the draws from its beginning, or another one of this posterior."""
        return generator(self.entropy, stream)

    def observed(self, metric: Metric) -> tuple[float, ...]:
        """Return the observed metric value of each classifier."""
        source = self.source(metric)
        return self._once(("observed", metric), lambda: source.observed(metric))

    def remember(self, known: Any, what: str, *of: Hashable) -> None:
        """Store what is known from a file: "draws" or "observed" values of a metric, or others."""
        self._once((what, *of), lambda: known)

    def check_metric(self, metric: Metric) -> Metric:
        """Return the metric; raise if it cannot be computed from the evidence."""
        if metric.source == "splits" and metric.name in self.model.derived_metrics:
            return metric
        evidence = self.evidence
        if metric.source == "splits" and not (evidence.is_of_splits or evidence.is_of_items):
            raise ValueError(
                f"scoring={metric.name!r} cannot be computed from predictions, only from split "
                "scores. Use model='scores'."
            )
        has_no_predictions = self.scored is None and not evidence.has_class_counts
        if not metric.weighs_instances or evidence.is_of_splits or has_no_predictions:
            evidence.check_metric(metric)
            return metric
        if self.scored is None and metric.source == "numbers":
            raise ValueError(
                f"scoring={metric.name!r} requires predictions of numbers, but this posterior is "
                "one of class labels. Pass it as scoring= of a comparison."
            )
        if self.scored is None:
            raise ValueError(
                f"scoring={metric.name!r} requires instance scores, but only predictions are "
                "available. Pass y_score_a= and y_score_b= (scores= to compare_many, y_score= to "
                "score_posterior), or pass it as scoring= of a cross-validation."
            )
        if self.prevalence is not None:
            raise ValueError(
                f"prevalence= does not apply to {metric.name!r}, which is computed from instance "
                "scores. Compare by this metric without prevalence=."
            )
        self.scored.check_metric(metric)
        if metric.available:
            self.scored.runs(metric)
        units = self.scored.unit_numbers(metric)
        if units.number == 1:
            raise ValueError(
                f"y_true has one of {units.what} only, which does not tell how much "
                f"{metric.name!r} varies. Pass a test set with at least two {units.what}, better "
                "20 or more."
            )
        return metric
