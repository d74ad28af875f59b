"""Truths to plan for: draws from a pilot's posterior, with differences shrunk towards 0.

A flat prior takes the difference that a pilot happened to show at face value. Most pairs that are
compared are nearly equal, so that a large difference in a small pilot is partly luck (the winner's
curse), and a plan that believes it promises too much. Planning therefore assumes that classifiers
split their disagreements about evenly: given how often they disagree, the difference has a normal
prior with mean 0, instead of a flat one. It weighs as much as 400 instances without a difference.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skbayeseval.engines.rows import Population
from skbayeseval.evidence.influence import cell_influence
from skbayeseval.metrics.confusion import Metric
from skbayeseval.planning.replications import side_by_side

__all__ = ["SCALE", "plausibility", "spread_of_instances", "tables_of"]

Array = NDArray[Any]

# The standard deviation of the difference, as a share of that of the difference on one instance,
# which is the square root of the disagreement for accuracy. With an agreement of 0.9, it is 0.016.
SCALE = 0.05


def plausibility(
    drawn: Sequence[tuple[Population, ...]], metric: Metric, positive: int, n_classes: int
) -> Array:
    """Return the relative weights of populations drawn under a flat prior.

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
    weights : ndarray of shape (n_populations,)
        The weights, which sum to 1.
    """
    differences, mean = [], np.zeros((n_classes, n_classes))
    for populations in side_by_side(drawn):
        tables = tables_of(populations, n_classes)
        a, b = metric(tables, positive).T
        differences.append(a - b)
        mean += tables.mean(axis=1).sum(axis=0) / len(drawn)
    difference = np.concatenate(differences)
    scale = SCALE * spread_of_instances(drawn, cell_influence(metric, mean, positive))
    ratio = np.divide(difference, scale, out=np.zeros_like(difference), where=scale > 0)
    log_weights = -0.5 * ratio**2
    weights = np.exp(log_weights - log_weights.max())
    return np.asarray(weights / weights.sum())


def spread_of_instances(drawn: Sequence[tuple[Population, ...]], influence: Array) -> Array:
    """Return the root mean square of what an instance adds to the difference, of each population.

    `influence` holds the influence of an instance in each cell of the confusion table. If only the
    table of each classifier is known, half of all errors are taken for disagreements.
    """
    found = []
    for populations in side_by_side(drawn):
        if len(populations) == 1:
            truth, (a, b), probability = _columns(populations[0])
            found.append(probability @ (influence[truth, a] - influence[truth, b]) ** 2)
        else:
            errors = [
                probability @ (influence[truth, said] - influence[truth, truth]) ** 2
                for truth, (said,), probability in map(_columns, populations)
            ]
            found.append(np.mean(errors, axis=0))
    return np.sqrt(np.concatenate(found))


def tables_of(populations: Sequence[Population], n_classes: int) -> Array:
    """Return the tables of probabilities of both classifiers, of shape (..., 2, M, M).

    The probabilities of the populations may have several rows, which then are the first axis.
    """
    tables = []
    for truth, predictions, probability in map(_columns, populations):
        rows = n_classes**2 * np.arange(probability[..., 0].size)[:, None]
        for said in predictions:
            cells = (rows + truth * n_classes + said).ravel()
            table = np.bincount(cells, probability.ravel(), len(rows) * n_classes**2)
            tables.append(table.reshape(*probability.shape[:-1], n_classes, n_classes))
    return np.stack(tables, axis=-3)


def _columns(population: Population) -> tuple[Array, Array, Array]:
    truth, predictions, probability = population
    return truth, predictions.T, probability / probability.sum(axis=-1, keepdims=True)
