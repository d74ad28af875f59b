"""Several classifiers of a joint posterior: their scores, partially pooled, and two of them.

`Ranking.pairs[i, j]` is drawn as the ranking is: a pair of two rows of the pooled draws. The pair
alone is a view of two rows of the joint draws; its closed forms and its prior are those of the
model of two, which is its margin. Where units that are alike share a weight, a comparison of the
two alone has other draws of the same distribution.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from skbayeseval._arrays import Array
from skbayeseval._streams import Stream
from skbayeseval.judgement.distribution import Distribution
from skbayeseval.judgement.pooling import pool_scores
from skbayeseval.metrics.metric import Metric
from skbayeseval.metrics.registry import split_metric
from skbayeseval.posterior.posterior import Posterior


class PooledScores:
    """The scores of all classifiers of a posterior, pooled if there are three or more.

    Otherwise the best of several equal classifiers would look better than the others in every draw.
    A pair is not pooled: nobody was chosen. Copies have the same draws. How a further data set
    deviates from the mean over data sets is not learned from noise, and is added to pooled means.
    """

    def __init__(self, posterior: Posterior) -> None:
        self._posterior = posterior
        self._pooled: dict[Metric, Array] = {}
        self._values: dict[Metric, list[Distribution]] = {}

    def pooled(self, metric: Metric) -> Array:
        """Return the draws that tell who is the best, of shape (n_classifiers, n_draws)."""
        if metric in self._pooled:
            return self._pooled[metric]
        rows = self._posterior.first_copies(metric)
        draws = self._posterior.draws(metric)[rows]
        if len(draws) < 3:
            return draws
        if metric.name in self._posterior.model.derived_metrics:
            evidence: Any = self._posterior.evidence
            mean = split_metric(evidence.metric)
            pooled = self.pooled(mean) + draws - self._posterior.draws(mean)[rows]
        else:
            pooled = pool_scores(draws, self._posterior.rng(Stream.RANKING))
        pooled.flags.writeable = False
        self._pooled[metric] = pooled
        return pooled

    def values(self, metric: Metric) -> list[Distribution]:
        """Return the metric of each classifier, as wide as alone where few units count."""
        if metric in self._values:  # each pair asks
            return self._values[metric]
        posterior, first = self._posterior, self._posterior.first_copies(metric)
        alone = {}
        if len(first) < 3 or posterior.weights is None:
            alone = {k: posterior.value(metric, k) for k in dict.fromkeys(first)}
        if len(first) < 3:
            values = [alone[k] for k in first]
        else:
            draws = self.pooled(metric)
            if alone:
                draws = draws + [alone[k].draws - posterior.draws(metric)[k] for k in first]
            # Draws of split scores do not keep bounds.
            draws = np.clip(draws, *(metric.bounds or (-np.inf, np.inf)))
            values = [Distribution(row, posterior.mcse(row)) for row in draws]
        self._values[metric] = values
        return values

    def of_pair(self, metric: Metric, alone: PairPosterior) -> Sequence[Distribution]:
        """Return the difference of two of the classifiers, and the metric of each of them.

        The difference is as wide as that of the pair alone where few units count, and copies may
        differ elsewhere by as much as they may alone.
        """
        (i, j), values = alone.rows, self.values(metric)
        difference = alone.difference(metric)
        if alone.what_is_identical(metric) is None:
            a, b = self.pooled(metric)[[i, j]]
            draws = a - b
            if not alone.has_own_draws:
                a, b = self._posterior.draws(metric)[[i, j]]
                draws = draws + (difference.draws - (a - b))
            difference = Distribution(draws, alone.mcse(draws))
        return difference, values[i], values[j]

    def by_mean(self, metric: Metric) -> list[int]:
        """Return the positions of the classifiers, the one with the highest mean first."""
        means = [value.mean for value in self.values(metric)]
        return np.argsort(np.negative(means), kind="stable").tolist()


class PooledPair(NamedTuple):
    """Two of three or more classifiers, drawn as their ranking is.

    Attributes
    ----------
    number : int
        How many were ranked.
    drawn : callable
        Returns the posterior of A - B, of A and of B, for a metric.
    """

    number: int
    drawn: Callable[[Metric], Sequence[Distribution]]


class PairPosterior(Posterior):
    """Two classifiers of a joint posterior of several.

    The draws are those of the joint posterior. Where weights are inferred, or the grades of a judge
    corrected, the pair has its own draws, so that it does not depend on the other classifiers. The
    closed forms and the prior are those of the model of two classifiers, which is the margin of the
    joint model.
    """

    def __init__(self, joint: Posterior, i: int, j: int) -> None:
        self._joint = joint
        self.rows = [i, j]
        of_both = len(joint.counts) == 2 and (i, j) == (0, 1)
        # With exact draws, the margin of the pair is the model of two, which has closed forms.
        model = joint.model.of_pair() if joint.trace is None else joint.model
        self._is_margin = model is not joint.model
        options = joint.fields() | {
            "model": model.mirrored() if i > j else model,
            "build_prior": joint.build_prior if of_both else None,
        }
        for name in ("evidence", "scored", "weights", "own_prior"):
            of_all = options[name]
            options[name] = None if of_all is None else of_all.pair(i, j)
        super().__init__(**options)
        self.has_warned = True

    def influence(self, metric: Metric) -> Array:
        """Return the influence of each row on the metric of both classifiers."""
        return self._joint.influence(metric)[self.rows]

    def of_rows(self, rows: Array, entropy: int) -> PairPosterior:
        """Return the posterior given some of the rows of the evidence, with exact draws."""
        return PairPosterior(self._joint.of_rows(rows, entropy), *self.rows)

    def under_published_prior(self) -> Posterior:
        """Return the posterior of Bayes factors, of the same pair."""
        joint = self._joint.under_published_prior()
        return self if joint is self._joint else PairPosterior(joint, *self.rows)

    def parameters(self) -> dict[str, Array]:
        """Return draws of the parameters of the pair, named as those of A and B."""
        draws = self._joint.model.parameters_of_pair(self._joint.parameters(), *self.rows)
        return self.model.parameters_of_joint(draws, self.positive) if self._is_margin else draws

    def rates(self) -> dict[str, Array]:
        """Return draws of rates that are not parameters of the model: the recall of each class."""
        return self._joint.model.parameters_of_pair(self._joint.rates(), *self.rows)

    def draws(self, metric: Metric) -> Array:
        """Return read-only draws of the metric, of shape (2, n_draws)."""
        if not self.has_own_draws:
            draws = self._joint.draws(metric)[self.rows]
        elif self.rows[0] < self.rows[1]:
            return super().draws(metric)
        else:
            draws = PairPosterior(self._joint, *self.rows[::-1]).draws(metric)[::-1]
        draws.flags.writeable = False
        return draws

    @property
    def has_own_draws(self) -> bool:
        """Whether the draws are not those of the joint posterior."""
        are_own = self.weights is not None and self.weights.are_own
        return are_own or self.evidence.depends_on_others

    def draw_together(self, metrics: Sequence[Metric]) -> None:
        """Draw metrics of tables in one pass, for all classifiers at once."""
        self._joint.draw_together(metrics)

    def draws_of_one(self, metric: Metric, classifier: int) -> Array | None:
        """Return draws that one classifier has for itself, which do not depend on the other."""
        return self._joint.draws_of_one(metric, self.rows[classifier])

    def observed(self, metric: Metric) -> tuple[float, ...]:
        """Return the observed metric values of the pair."""
        if self.evidence.depends_on_others:
            return super().observed(metric)
        observed = self._joint.observed(metric)
        return tuple(observed[i] for i in self.rows)
