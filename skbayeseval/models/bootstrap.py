"""Models that weight instances or groups of instances (the Bayesian bootstrap; Rubin 1981).

Weights of instances have no proper prior. The Bayesian bootstrap of multi-label indicators and of
groups gives intervals and decisions, but no Bayes factor: ValueError, and NaN in the summary.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from numpy.random import Generator
from scipy import sparse

from skbayeseval._arrays import Array
from skbayeseval.engines.blocks import block_size, stream_blocks
from skbayeseval.engines.gammas import GammaRows
from skbayeseval.evidence.instance_scores import WeightedInstances
from skbayeseval.evidence.units import UnitCounts
from skbayeseval.metrics.metric import Metric, Totals
from skbayeseval.models.base import Blocks, Model, check_several, metric_of_block

# The memory of a block of weights, which are drawn and summed faster in the processor's cache.
CACHED_BYTES = 3 * 2**20


class InstanceWeights(Model):
    """Random instance weights, shared by all labels and classifiers (the Bayesian bootstrap).

    Each instance has one Gamma(1) weight; the weights are normalised. An instance that is hard for
    all labels or all classifiers therefore affects them together, which models of independent
    labels cannot represent. Tagged sentences are such instances, with all of their chunks.

    Examples
    --------
    >>> from skbayeseval import compare_predictions
    >>> y, a, b = [[1, 0], [1, 1], [0, 1]], [[1, 0], [1, 0], [0, 1]], [[0, 1], [1, 1], [0, 1]]
    >>> compare_predictions(y, a, b, scoring="f1_micro", random_state=0).model
    'paired'
    """

    name = "paired"
    takes: ClassVar[type] = UnitCounts
    needs_pairs = True
    needs_true_negatives = False
    most_classifiers = None
    has_proper_prior = False
    weights_units = True
    draws_metrics_together = True
    no_graph = (
        "Models that weight instances or groups (the Bayesian bootstrap) have no PyMC model. Use "
        "engine='exact'. Without groups=, model='bcv' of a multi-label indicator or of tags, and "
        "model='unpaired' of an indicator, have a PyMC model."
    )

    units: UnitCounts

    def _observe(self, evidence: UnitCounts) -> None:
        self.units = evidence
        check_several(len(evidence.shape), evidence.units_in_words.removesuffix("s"))

    def stream(self, metric: Metric, rng: Generator, number: int, *, prior: bool = False) -> Blocks:
        """Yield blocks of draws of a metric, of shape (n_classifiers, n)."""
        tables = metric.needs_tables
        units = self.units.distinct()
        gammas = GammaRows(units.shape)
        n_classifiers, m = len(units.hits), len(units.labels)
        summed = units.cells if tables else (*units.hits, *units.predicted, units.true)
        # All sums over units in one product, of matrices whose rows are in order.
        to_sums = sparse.vstack([matrix[gammas.order].T for matrix in summed], format="csr")
        sizes = units.sizes[gammas.order]

        def draw(rng: Generator, size: int) -> Array:
            weights = gammas.draw(rng, size)
            sums = to_sums @ weights
            sums /= sizes @ weights
            sums = sums.reshape(len(summed), -1, size).swapaxes(1, 2)
            if tables:
                cells = np.ascontiguousarray(sums).reshape(len(summed), size, m, m)
                return metric_of_block(metric, self.positive_index, cells)
            hits, predicted, true = sums[:n_classifiers], sums[n_classifiers:-1], sums[-1]
            totals = Totals(hits, np.broadcast_to(true, hits.shape), predicted)
            return metric.of_totals(totals, self.positive_index)

        # Blocks, and so draws, do not depend on the metric. A product must not take seconds: it
        # cannot be interrupted.
        entries = units.true.nnz + sum(
            matrix.nnz for of_all in (units.hits, units.predicted, units.cells) for matrix in of_all
        )
        cells = n_classifiers * min(m, 200) ** 2 if units.cells else 0
        block = block_size(
            8 * (3 * len(sizes) + 8 * n_classifiers * m + 2 * cells) + entries, most=1024
        )
        cached = max(16, CACHED_BYTES // (8 * len(sizes)))
        return stream_blocks(draw, rng, number, min(block, cached))


class GroupWeights(InstanceWeights):
    """Random weights of groups of instances that belong together, for any metric.

    Examples
    --------
    >>> from skbayeseval import compare_predictions
    >>> y, a, b = [0, 1, 1, 0], [0, 1, 1, 1], [0, 1, 0, 0]
    >>> result = compare_predictions(y, a, b, groups=["x", "x", "y", "z"], random_state=0)
    >>> result.model
    'group weights'
    """

    name = "group weights"


class ScoreWeights(InstanceWeights):
    """Random instance weights, for metrics of instance scores (ROC AUC) or of numbers (R2).

    Examples
    --------
    >>> from skbayeseval import compare_predictions
    >>> y, a, b = [0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], [0.2, 0.3, 0.1, 0.6]
    >>> result = compare_predictions(
    ...     y, None, None, y_score_a=a, y_score_b=b, scoring="roc_auc", random_state=0
    ... )
    >>> result.model
    'instance weights'
    """

    name = "instance weights"
    takes = WeightedInstances

    def stream(self, metric: Metric, rng: Generator, number: int, *, prior: bool = False) -> Blocks:
        """Raise: all metrics of instance scores are drawn by `stream_bootstrap`."""
        raise ValueError(f"scoring={metric.name!r} cannot be computed from instance scores.")


class GroupScoreWeights(ScoreWeights):
    """Random weights of groups of instances, for metrics of instance scores or of numbers.

    Examples
    --------
    >>> from skbayeseval import compare_predictions
    >>> y, a, b = [0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], [0.2, 0.3, 0.1, 0.6]
    >>> scores = {"y_score_a": a, "y_score_b": b, "scoring": "neg_brier_score"}
    >>> compare_predictions(y, None, None, **scores, groups=["x", "y", "y", "z"]).model
    'group weights'
    """

    name = "group weights"
