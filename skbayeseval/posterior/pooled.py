"""The scores of several classifiers, partially pooled: what tells who is the best."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from skbayeseval._streams import Stream
from skbayeseval.judgement.distribution import Distribution
from skbayeseval.judgement.pooling import pool_scores
from skbayeseval.metrics.metric import Metric
from skbayeseval.posterior.posterior import Posterior

Array = NDArray[Any]


class PooledScores:
    """The scores of all classifiers of a posterior, pooled if there are three or more.

    Otherwise the best of several equal classifiers would look better than the others in every draw.
    A pair is not pooled: nobody was chosen. Copies have the same draws.
    """

    def __init__(self, posterior: Posterior) -> None:
        self._posterior = posterior
        self._pooled: dict[Metric, Array] = {}

    def pooled(self, metric: Metric, some: list[int] | None = None) -> Array:
        """Return the draws that tell who is the best (of some), of shape (n, n_draws)."""
        if some is None and metric in self._pooled:
            return self._pooled[metric]
        first = np.array(self._posterior.first_copies(metric))
        draws = self._posterior.draws(metric)[first if some is None else first[some]]
        if len(draws) < 3:
            return draws
        pooled = pool_scores(draws, self._posterior.rng(Stream.RANKING))
        pooled.flags.writeable = False
        if some is None:
            self._pooled[metric] = pooled
        return pooled

    def values(self, metric: Metric) -> list[Distribution]:
        """Return the metric of each classifier, as wide as alone where few units count."""
        posterior, first = self._posterior, self._posterior.first_copies(metric)
        alone = {}
        if len(first) < 3 or posterior.weights is None:
            alone = {k: posterior.value(metric, k) for k in dict.fromkeys(first)}
        if len(first) < 3:
            return [alone[k] for k in first]
        draws = self.pooled(metric)
        if alone:
            draws = draws + [alone[k].draws - posterior.draws(metric)[k] for k in first]
        # Draws of split scores do not keep bounds.
        draws = np.clip(draws, *(metric.bounds or (-np.inf, np.inf)))
        return [Distribution(row, posterior.mcse(row)) for row in draws]

    def by_mean(self, metric: Metric) -> list[int]:
        """Return the positions of the classifiers, the one with the highest mean first."""
        means = [value.mean for value in self.values(metric)]
        return np.argsort(np.negative(means), kind="stable").tolist()
