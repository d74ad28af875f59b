"""A posterior as a recipe: model, evidence and seed, streamed through metrics on demand.

Tables of draws are never stored. Asking for another metric streams them again from the same seed,
so every metric of a posterior sees the same draws.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skbayeseval.engines.exact import stream_tables
from skbayeseval.evidence.counts import Evidence, margins_of
from skbayeseval.metrics import Metric
from skbayeseval.models.binary import BinaryModel
from skbayeseval.models.margins import BetaMargin

__all__ = ["Posterior", "Prior"]

Array = NDArray[Any]

# Children of the entropy, by what they seed.
_POSTERIOR = 0

# The prior says nothing of the data, so neither does its seed.
_PRIOR_ENTROPY = 20160717


class _Recipe:
    """Draws of metrics under given Dirichlet shapes."""

    model: BinaryModel

    def __init__(self, model: BinaryModel, evidence: Evidence) -> None:
        self.model = model
        self.evidence = evidence
        self.counts = margins_of(evidence)
        self.specification = model.specification(evidence)
        self.positive = self.counts[0].positive
        self.has_true_negatives = all(counts.has_true_negatives for counts in self.counts)

    @property
    def shapes(self) -> dict[str, Array]:
        raise NotImplementedError

    def stream(self, metric: Metric, rng: np.random.Generator, n_draws: int) -> Iterator[Array]:
        """Yield blocks of shape (n_classifiers, n) of the metric's draws."""
        for tables in stream_tables(self.specification, self.shapes, rng, n_draws):
            values = metric(tables, self._positive_index)
            if np.isnan(values).any():
                raise ValueError(
                    f"Metric {metric.name!r} is not a number (NaN) for some tables without zeros; "
                    "it must be defined for every such table."
                )
            yield values.T

    @property
    def _positive_index(self) -> int:
        return 1 if self.positive is None else self.positive

    def margin(self, metric: Metric, classifier: int) -> BetaMargin | None:
        """Return the law of one classifier's score, where it is known in closed form."""
        return self.model.margin(metric.formula, self.shapes, classifier)

    def independent_margins(self, metric: Metric) -> tuple[BetaMargin, BetaMargin] | None:
        """Return the laws of both scores if they are known and independent."""
        return self.model.independent_margins(metric.formula, self.shapes)

    def log_density_at_zero(self, metric: Metric) -> float | None:
        """Return the log density of the difference at 0, where it is known in closed form."""
        return self.model.log_density_at_zero(metric.formula, self.shapes)


class Prior(_Recipe):
    """What the model says of the metric before the data.

    Two priors are equal where they give the same draws, whatever the evidence.
    """

    @property
    def shapes(self) -> dict[str, Array]:
        """The Dirichlet shapes before the data."""
        return self.specification.prior_shapes()

    def difference_blocks(self, metric: Metric, n_draws: int) -> Iterator[Array]:
        """Yield blocks of draws of the difference."""
        for a, b in self.stream(metric, np.random.default_rng(_PRIOR_ENTROPY), n_draws):
            yield a - b

    def draws(self, metric: Metric, n_draws: int) -> Array:
        """Return draws of the metric, of shape (n_classifiers, n_draws)."""
        rng = np.random.default_rng(_PRIOR_ENTROPY)
        return np.concatenate(list(self.stream(metric, rng, n_draws)), axis=1)

    def _key(self) -> tuple[Any, ...]:
        return self.model, self.positive, self.has_true_negatives

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
    """

    engine = "exact"

    def __init__(
        self, model: BinaryModel, evidence: Evidence, *, entropy: int, n_draws: int
    ) -> None:
        super().__init__(model, evidence)
        self.entropy = entropy
        self.n_draws = n_draws
        self._draws: dict[Metric, Array] = {}
        self._observed: dict[Metric, tuple[float, ...]] = {}

    @property
    def shapes(self) -> dict[str, Array]:
        """The Dirichlet shapes after the data."""
        return self.specification.posterior_shapes()

    @property
    def prior(self) -> Prior:
        """The same model before the data."""
        return Prior(self.model, self.evidence)

    @property
    def weight(self) -> float:
        """What one count is worth."""
        return self.counts[0].weight

    def draws(self, metric: Metric) -> Array:
        """Return read-only draws of the metric, of shape (n_classifiers, n_draws)."""
        if metric not in self._draws:
            seed = np.random.SeedSequence(self.entropy, spawn_key=(_POSTERIOR,))
            rng = np.random.default_rng(seed)
            draws = np.concatenate(list(self.stream(metric, rng, self.n_draws)), axis=1)
            draws.flags.writeable = False
            self._draws[metric] = draws
        return self._draws[metric]

    def observed(self, metric: Metric) -> tuple[float, ...]:
        """Return the plain scores of the counts."""
        if metric in self._observed:
            return self._observed[metric]
        return tuple(float(metric(counts.table, self._positive_index)) for counts in self.counts)

    def remember(self, metric: Metric, draws: Array, observed: tuple[float, ...]) -> None:
        """Keep draws and scores that were computed before, such as those of a saved result."""
        draws.flags.writeable = False
        self._draws[metric] = draws
        self._observed[metric] = observed

    def check_metric(self, metric: Metric) -> Metric:
        """Raise if the evidence does not hold what the metric needs."""
        labels = self.counts[0].labels
        if metric.needs_positive and self.positive is None:
            raise ValueError(
                f"pos_label=1 is not a valid label. It should be one of {list(labels)}: "
                f"{metric.name!r} is about one of the two classes, so say which with pos_label=."
            )
        if metric.needs_true_negatives and not self.has_true_negatives:
            raise ValueError(
                f"scoring={metric.name!r} needs the true negatives, but the counts hold "
                "(tp, fp, fn) only. Give (tp, fp, fn, tn), or a metric such as 'f1', "
                "'precision', 'recall' or 'jaccard'."
            )
        return metric
