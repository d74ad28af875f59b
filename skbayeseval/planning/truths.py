"""What is assumed of new instances: populations that are given, or drawn from a posterior.

A pilot's truth is drawn from its posterior, not fixed at its estimate, and with a prior that
expects disagreements to be split about evenly: the flat prior believes every difference that a
small pilot happens to show. The prior is relative to how often the two disagree, so that it does
not shrink classifiers that are not alike.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from scipy.special import softmax

from skbayeseval._arrays import Array
from skbayeseval.engines.rows import Population
from skbayeseval.evidence.unit_numbers import cell_influence
from skbayeseval.metrics.metric import Metric
from skbayeseval.models.vectors import populations_of_tables
from skbayeseval.posterior.posterior import Posterior

# The standard deviation of the difference, as a share of that of the difference on one instance,
# which is the square root of the disagreement for accuracy. With an agreement of 0.9, it is 0.016.
SCALE = 0.05


def plausibility(
    drawn: Sequence[tuple[Population, ...]], metric: Metric, positive: int, n_classes: int
) -> tuple[Array, Array]:
    """Return the differences and relative weights of populations drawn under a flat prior.

    Parameters
    ----------
    drawn : sequence of tuple of Population
        Each has one population of pairs of predictions, or one population per classifier.
    metric : Metric
        The metric whose difference is shrunk.
    positive : int
        The index of the positive class.
    n_classes : int
        The number of classes.

    Returns
    -------
    differences, weights : ndarray of shape (n_populations,)
        The differences in the metric, A minus B, and the weights, which sum to 1.
    """
    tables = tables_of(drawn, n_classes)
    a, b = metric(tables, positive).T
    influence = cell_influence(metric, tables.mean(axis=(0, 1)), positive)
    scale = SCALE * spread_of_instances(drawn, influence)
    ratio = np.divide(a - b, scale, out=np.zeros_like(scale), where=scale > 0)
    return a - b, np.asarray(softmax(-0.5 * ratio**2))


def spread_of_instances(drawn: Sequence[tuple[Population, ...]], influence: Array) -> Array:
    """Return the root mean square of what an instance adds to the difference, of each population.

    `influence` holds the influence of an instance in each cell of the confusion table. If only the
    table of each classifier is known, half of all errors are taken for disagreements.
    """
    spread = []
    for draw, truth, predictions, probability in _end_to_end(drawn):
        added = influence[truth[:, None], predictions].T
        other = added[1] if len(added) == 2 else influence[truth, truth]
        spread.append(np.bincount(draw, probability * (added[0] - other) ** 2, len(drawn)))
    return np.sqrt(np.mean(spread, axis=0))


def tables_of(drawn: Sequence[tuple[Population, ...]], n_classes: int) -> Array:
    """Return the tables of probabilities of both classifiers, of shape (n_draws, 2, M, M)."""
    shape = (len(drawn), n_classes, n_classes)
    tables = []
    for draw, truth, predictions, probability in _end_to_end(drawn):
        for predicted in predictions.T:
            cell = np.ravel_multi_index((draw, truth, predicted), shape)
            tables.append(np.bincount(cell, probability, np.prod(shape)).reshape(shape))
    return np.stack(tables, axis=1)


def _end_to_end(drawn: Sequence[tuple[Population, ...]]) -> Iterator[tuple[Array, ...]]:
    """Yield the number of the draw of each outcome, and all outcomes, of each population."""
    for populations in zip(*drawn, strict=True):
        sizes = [len(population.truth) for population in populations]
        columns = zip(*populations, strict=True)
        yield np.repeat(np.arange(len(sizes)), sizes), *map(np.concatenate, columns)


Truth = tuple[Population, ...] | Posterior


def populations_of(*tables: Array) -> tuple[Population, ...]:
    """Return the populations for tables of probabilities: (truth, A), (truth, B), or (truth, A, B).

    NaN marks a cell that is not counted.
    """
    (populations,) = populations_of_tables(*(np.asarray(table)[None] for table in tables))
    return populations


# Number of draws from the posterior for each truth that is chosen among them.
POOL = 10


def truths(
    truth: Truth, metric: Metric, rng: np.random.Generator, n: int
) -> list[tuple[Population, ...]]:
    """Return the truth of each replication: fixed, or drawn from a posterior.

    The difference in the metric is shrunk as described in `plausibility`.
    """
    if not isinstance(truth, Posterior):
        return [truth] * n
    pool = truth.specification.draw_populations(rng, POOL * n)
    positive = 1 if truth.positive is None else truth.positive
    differences, weights = plausibility(pool, metric, positive, len(truth.counts[0].labels))
    # Evenly spaced in the order of the differences: as often as the weights say, with less chance.
    order = np.argsort(differences, kind="stable")
    reached = np.cumsum(weights[order])
    chosen = np.searchsorted(reached, reached[-1] * (np.arange(n) + rng.random(n)) / n)
    drawn = [pool[i] for i in order[np.minimum(chosen, len(pool) - 1)]]
    if truth.prevalence is None:
        return drawn
    # A test set sampled by class keeps its observed class proportions.
    shares = truth.counts[0].true / truth.counts[0].true.sum()
    return [tuple(_with_classes(p, shares) for p in populations) for populations in drawn]


def _with_classes(population: Population, shares: Array) -> Population:
    truth, predictions, probability = population
    of_class = np.bincount(truth, probability, len(shares))
    return Population(truth, predictions, probability * (shares / of_class)[truth])
