"""A posterior as a recipe: model, evidence and seed, streamed through metrics on demand.

Tables of draws are never stored. Asking for another metric streams them again from the same seed,
so every metric of a posterior sees the same draws.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from skbayeseval.engines.bootstrap import stream_bootstrap
from skbayeseval.engines.exact import check_scores, stream_scores
from skbayeseval.engines.parameters import stream_parameters
from skbayeseval.engines.shares import stream_shares
from skbayeseval.engines.signed_rank import draw_weights, region_probabilities
from skbayeseval.evidence.counts import Evidence, margins_of
from skbayeseval.evidence.instance_scores import PreparedRun, ScoredInstances
from skbayeseval.evidence.split_scores import DataSetScores, SplitScores
from skbayeseval.judgement.decision import Probabilities
from skbayeseval.judgement.intervals import Interval
from skbayeseval.metrics.confusion import Metric, Totals
from skbayeseval.models.data_sets import HierarchicalScores, SignedRank
from skbayeseval.models.margins import BetaMargin
from skbayeseval.models.scores import StudentMargin, law_of_scores
from skbayeseval.models.specification import (
    AnySpecification,
    Model,
    OutcomeSpecification,
    ScoreSpecification,
    Specification,
)
from skbayeseval.models.weights import ScoreWeights

__all__ = ["NEXT_DATA_SET", "Posterior", "Prior"]

Array = NDArray[Any]

# What the hierarchical model of data sets calls the difference on a further one.
NEXT_DATA_SET = "next data set"

# Children of the entropy, by what they seed.
_POSTERIOR = 0

# The prior says nothing of the data, so neither does its seed.
_PRIOR_ENTROPY = 20160717


class _Recipe:
    """Draws of metrics, before or after the data."""

    is_prior: ClassVar[bool]

    # Whether laws in closed form are those of the draws.
    has_closed_forms = True

    def __init__(
        self, model: Model, evidence: Evidence, prevalence: tuple[float, ...] | None = None
    ) -> None:
        self.model = model
        self.evidence = evidence
        self.prevalence = prevalence
        self.counts = margins_of(evidence)
        self.positive = self.counts[0].positive
        self.has_true_negatives = all(counts.has_true_negatives for counts in self.counts)
        self.specification = model.specification(evidence)
        if prevalence is not None:
            self.specification = self._with_prevalence(np.array(prevalence))

    def _with_prevalence(self, proportions: Array) -> AnySpecification:
        if isinstance(self.specification, OutcomeSpecification):
            return self.specification.with_prevalence(proportions)
        if isinstance(self.specification, Specification):
            positive_first = proportions if self.positive == 0 else proportions[::-1]
            return self.specification.with_prevalence(positive_first)
        raise ValueError("prevalence= goes with models of classes, not with weights or labels.")

    @property
    def shapes(self) -> dict[str, Array]:
        """The Dirichlet shapes, where the model is a set of Dirichlet vectors."""
        if self.has_closed_forms and isinstance(self.specification, Specification):
            return self.specification.shapes(prior=self.is_prior)
        return {}

    def stream(self, metric: Metric, rng: np.random.Generator, n_draws: int) -> Iterator[Array]:
        """Yield blocks of shape (n_classifiers, n) of the metric's draws."""
        for scores in stream_scores(
            self.specification, metric, self._positive_index, rng, n_draws, prior=self.is_prior
        ):
            yield check_scores(scores, metric)

    @property
    def _positive_index(self) -> int:
        return 1 if self.positive is None else self.positive

    def margin(self, metric: Metric, classifier: int) -> BetaMargin | StudentMargin | None:
        """Return the law of one classifier's score, where it is known in closed form."""
        if not self.has_closed_forms:
            return None
        if isinstance(self.specification, ScoreSpecification):
            alone = np.arange(len(self.counts)) == classifier
            return law_of_scores(self.specification, metric.name, alone)
        return self.model.margin(metric.formula, self.shapes, classifier)

    def difference_law(self, metric: Metric) -> StudentMargin | None:
        """Return the law of A - B, where it is known in closed form."""
        if not self.has_closed_forms or not isinstance(self.specification, ScoreSpecification):
            return None
        return law_of_scores(self.specification, metric.name, np.array([1.0, -1.0]))

    def independent_margins(self, metric: Metric) -> tuple[BetaMargin, BetaMargin] | None:
        """Return the laws of both scores if they are known and independent."""
        if not self.has_closed_forms:
            return None
        return self.model.independent_margins(metric.formula, self.shapes)

    def log_density_at_zero(self, metric: Metric) -> float | None:
        """Return the log density of the difference at 0, where it is known in closed form."""
        if not self.has_closed_forms:
            return None
        return self.model.log_density_at_zero(metric.formula, self.shapes)


class Prior(_Recipe):
    """What the model says of the metric before the data.

    Two priors are equal where they give the same draws, whatever the evidence.
    """

    is_prior = True

    def shares(self, metric: Metric, region: Interval) -> Iterator[Array]:
        """Yield estimates of P(A - B in the region), in blocks of shape (2, n)."""
        rng = np.random.default_rng(_PRIOR_ENTROPY)
        return stream_shares(self.specification, metric, self._positive_index, rng, region)

    def has_finite_density(self, metric: Metric) -> bool | None:
        """Whether the density of the difference at 0 is finite, None where nobody knows."""
        if not self.has_closed_forms:
            return None
        return self.model.has_finite_prior_density(metric.formula, self.shapes)

    def draws(self, metric: Metric, n_draws: int) -> Array:
        """Return draws of the metric, of shape (n_classifiers, n_draws)."""
        rng = np.random.default_rng(_PRIOR_ENTROPY)
        return np.concatenate(list(self.stream(metric, rng, n_draws)), axis=1)

    def parameters(self, n_draws: int) -> dict[str, Array]:
        """Return draws of the parameters, of shape (n_draws, ...)."""
        rng = np.random.default_rng(_PRIOR_ENTROPY)
        return _joined(stream_parameters(self.specification, rng, n_draws, prior=True))

    def rates(self, n_draws: int) -> dict[str, Array]:
        """Return what is derived from draws of the parameters, and not among them."""
        return {}

    def affordable(self, n_draws: int) -> int:
        """Return fewer draws where one costs more than two classes do, but never very few."""
        if isinstance(self.specification, Specification):
            return n_draws
        return max(2**14, n_draws // (4 * len(self.counts[0].labels)))

    def _key(self) -> tuple[Any, ...]:
        labels = self.counts[0].labels
        sizes = len(labels), len(self.counts)
        return self.model, sizes, self.positive, self.has_true_negatives, self.prevalence

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Prior) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())


class Posterior(_Recipe):
    """What the model says of the metric after the data.

    Parameters
    ----------
    model : model instance
        The prior, and what the posterior is.
    evidence : PairedCounts or tuple of ConfusionCounts
        The data.
    entropy : int
        What all draws follow from.
    n_draws : int
        How many draws of each metric.
    prevalence : tuple of float, default=None
        Class proportions that are known, in the order of the labels.
    scored : ScoredInstances, default=None
        The scores of the same instances, for metrics that are no function of counts. These are
        given by weights of instances, whatever the model.
    """

    engine: str = "exact"
    is_prior = False

    def __init__(
        self,
        model: Model,
        evidence: Evidence,
        *,
        entropy: int,
        n_draws: int,
        prevalence: tuple[float, ...] | None = None,
        scored: ScoredInstances | None = None,
    ) -> None:
        super().__init__(model, evidence, prevalence)
        self.scored = evidence if isinstance(evidence, ScoredInstances) else scored
        self.entropy = entropy
        self.n_draws = n_draws
        self.told = True  # whether what is wrong with the draws has been said
        self._draws: dict[Metric, Array] = {}
        self._observed: dict[Metric, tuple[float, ...]] = {}
        self._runs: dict[str, list[PreparedRun]] = {}

    def model_name(self, metric: Metric) -> str:
        """Return the name of the model that gives the metric."""
        return ScoreWeights.name if metric.source == "instances" else self.model.name

    def has_proper_prior(self, metric: Metric) -> bool:
        """Whether the metric has a proper prior, and with it Bayes factors."""
        return self.model.has_proper_prior and metric.source != "instances"

    def stream(self, metric: Metric, rng: np.random.Generator, n_draws: int) -> Iterator[Array]:
        """Yield blocks of shape (n_classifiers, n) of the metric's draws."""
        if metric.source != "instances" or self.scored is None:
            return super().stream(metric, rng, n_draws)
        runs = self._prepared(self.scored, metric)
        return stream_bootstrap(runs, self.scored.shape, self.scored.n_classifiers, rng, n_draws)

    def _prepared(self, scored: ScoredInstances, metric: Metric) -> list[PreparedRun]:
        """Return what the metric needs of each run, once for all blocks of draws."""
        formula = str(metric.formula)
        if formula not in self._runs:
            self._runs[formula] = list(scored.prepared(formula))
        return self._runs[formula]

    @property
    def prior(self) -> Prior:
        """The same model before the data."""
        return Prior(self.model, self.evidence, self.prevalence)

    @property
    def prior_description(self) -> dict[str, Any]:
        """The parameters of the prior, as `prior=` takes them."""
        return self.model.prior()

    @property
    def has_known_prior(self) -> bool:
        """Whether there is a `prior`: not for a graph that was altered elsewhere."""
        return True

    @property
    def n_chains(self) -> int:
        """The number of Markov chains; independent draws count as one."""
        return 1

    @property
    def stats(self) -> Mapping[str, Array]:
        """Statistics of the sampler, of shape (n_chains, n_draws of a chain)."""
        return {}

    def parameters(self) -> dict[str, Array]:
        """Return draws of the parameters, of shape (n_draws, ...), those behind all metrics."""
        rng = np.random.default_rng(self._seed())
        return _joined(stream_parameters(self.specification, rng, self.n_draws, prior=False))

    def rates(self) -> dict[str, Array]:
        """Return what is derived from draws of the parameters, and not among them."""
        return {}

    def probabilities(self, metric: Metric, region: Interval) -> Probabilities | None:
        """Return the mass of the difference left of, in and right of a region.

        None means that it is to be counted from the draws.
        """
        law = self.difference_law(metric)
        if law is not None:
            worse, better = law.below(region.low), law.above(region.high)
            return Probabilities(worse, max(0.0, 1.0 - worse - better), better)
        if isinstance(self.model, SignedRank):
            differences = self.model.specification(self.evidence).differences[metric.name]
            rng = np.random.default_rng(self._seed())
            weights = draw_weights(len(differences), self.model.strength, rng, self.n_draws)
            return Probabilities(*region_probabilities(weights, differences, *region))
        return None

    def _seed(self) -> np.random.SeedSequence:
        return np.random.SeedSequence(self.entropy, spawn_key=(_POSTERIOR,))

    def effective_share(self, draws: Array) -> float:
        """Return what one of the draws is worth in independent ones."""
        return 1.0

    @property
    def weight(self) -> float:
        """What one count is worth."""
        return self.counts[0].weight

    def draws(self, metric: Metric) -> Array:
        """Return read-only draws of the metric, of shape (n_classifiers, n_draws)."""
        if metric not in self._draws:
            rng = np.random.default_rng(self._seed())
            draws = np.concatenate(list(self.stream(metric, rng, self.n_draws)), axis=1)
            draws.flags.writeable = False
            self._draws[metric] = draws
        return self._draws[metric]

    def observed(self, metric: Metric) -> tuple[float, ...]:
        """Return the plain scores of the counts."""
        if metric in self._observed:
            return self._observed[metric]
        if isinstance(self.evidence, (SplitScores, DataSetScores)):
            return self.evidence.means(metric.name)
        if metric.source == "instances" and self.scored is not None:
            return self.scored.observed(str(metric.formula))
        return tuple(self._observed_score(metric, counts) for counts in self.counts)

    def _observed_score(self, metric: Metric, counts: Any) -> float:
        if counts.table is not None:
            return float(metric(counts.table, self._positive_index))
        return float(metric.of_totals(Totals(counts.hits, counts.true, counts.predicted)))

    def remember(self, metric: Metric, draws: Array, observed: tuple[float, ...]) -> None:
        """Keep draws and scores that were computed before, such as those of a saved result."""
        draws.flags.writeable = False
        self._draws[metric] = draws
        self._observed[metric] = observed

    def check_metric(self, metric: Metric) -> Metric:
        """Raise if the evidence does not hold what the metric needs."""
        if isinstance(self.evidence, (SplitScores, DataSetScores)):
            known = list(self.evidence.scores)
            if isinstance(self.model, HierarchicalScores):
                known.append(NEXT_DATA_SET)
            if metric.source != "splits" or metric.name not in known:
                raise ValueError(
                    f"The splits were not scored by {metric.name!r}, only by {known}, and nothing "
                    "else is known of them."
                )
            return metric
        labels = self.counts[0].labels
        if metric.source == "instances":
            return self._check_metric_of_scores(metric)
        if metric.source == "splits" or isinstance(self.evidence, ScoredInstances):
            raise ValueError(
                f"scoring={metric.name!r} is not known of these instances: "
                + (
                    "give predictions too, and name it in scoring= beside the metrics of scores."
                    if metric.source == "tables"
                    else "use model='scores'."
                )
            )
        if self.counts[0].table is None and (metric.one_of_many or metric.needs_tables):
            raise ValueError(
                f"scoring={metric.name!r} needs one class an instance, but y is a multi-label "
                "indicator. Use the micro, macro or weighted average of precision, recall, F1 or "
                "Jaccard, or metrics.per_class."
            )
        if metric.needs_positive and self.counts[0].table is None:
            raise ValueError(
                f"Target is multilabel-indicator but scoring={metric.name!r} is of one of two "
                f"classes. Please choose another average setting, such as '{metric.name}_micro'."
            )
        if metric.needs_positive and len(labels) > 2:
            raise ValueError(
                f"Target is multiclass but scoring={metric.name!r} is of one of two classes. "
                f"Please choose another average setting, such as '{metric.name}_micro', "
                f"'{metric.name}_macro', '{metric.name}_weighted' or "
                f"metrics.per_class('{metric.name}')."
            )
        if metric.needs_positive and self.positive is None:
            raise ValueError(_which_is_positive(metric, labels))
        if metric.needs_true_negatives and not self.has_true_negatives:
            raise ValueError(
                f"scoring={metric.name!r} needs the true negatives, but the counts hold "
                "(tp, fp, fn) only. Give (tp, fp, fn, tn), or a metric such as 'f1', "
                "'precision', 'recall' or 'jaccard'."
            )
        return metric

    def _check_metric_of_scores(self, metric: Metric) -> Metric:
        if self.scored is None:
            raise ValueError(
                f"scoring={metric.name!r} needs scores of the instances, not only predictions: "
                "give y_score_a= and y_score_b= (scores= in compare_many, y_score= in "
                "score_posterior), or name it in scoring= of a cross-validating face."
            )
        if self.prevalence is not None:
            raise ValueError(
                f"prevalence= is of models of classes; {metric.name!r} weights instances as they "
                "are. Ask for it without prevalence=."
            )
        one_of_two = self.scored.truth.ndim == 1 and len(self.scored.labels) == 2
        if metric.needs_positive and one_of_two and self.scored.positive is None:
            raise ValueError(_which_is_positive(metric, self.scored.labels))
        self._prepared(self.scored, metric)
        return metric


def _which_is_positive(metric: Metric, labels: tuple[Any, ...]) -> str:
    return (
        f"pos_label=1 is not a valid label. It should be one of {list(labels)}: {metric.name!r} is "
        "about one of the two classes, so say which with pos_label=."
    )


def _joined(blocks: Iterator[dict[str, Array]]) -> dict[str, Array]:
    parts = list(blocks)
    names = parts[0] if parts else ()
    return {name: np.concatenate([part[name] for part in parts]) for name in names}
