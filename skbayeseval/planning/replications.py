"""Draws of the difference for many data sets at once, and populations of new instances.

A simulation needs one decision per simulated data set, for thousands of data sets. The overhead per
data set dominates the cost of drawing, so tables and metrics are computed in batches.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skbayeseval.engines.rows import Population
from skbayeseval.evidence.validated_rows import cell_influence
from skbayeseval.metrics.confusion import Metric
from skbayeseval.models.binary import Specification
from skbayeseval.models.outcomes import OutcomeSpecification
from skbayeseval.models.specification import AnySpecification, check_scores

Array = NDArray[Any]


# Stick-breaking stops when, on average, this share of the mass remains, and the last stick receives
# the rest. This is accurate enough for decisions.
REMAINDER = 1e-3


# If all shapes of a Dirichlet vector are smaller, NumPy does not draw it from Gamma variables.
TINY = 0.1


# The number of draws in memory at once.
BLOCK = 2**13


def draw_differences(
    specifications: Sequence[AnySpecification],
    metric: Metric,
    positive: int,
    rng: np.random.Generator,
    n_draws: int,
) -> Array:
    """Return draws of the difference A minus B for each specification.

    Parameters
    ----------
    specifications : sequence of AnySpecification
        The posteriors of the same model for different data sets.
    metric, positive, rng, n_draws
        As in `AnySpecification.stream`.

    Returns
    -------
    draws : ndarray of shape (n_specifications, n_draws)
        The draws of the difference.
    """
    first = specifications[0]
    if isinstance(first, Specification):
        shapes = np.array([all_shapes(s) for s in specifications])
        return differences_of_shapes(first, shapes, metric, positive, rng, n_draws)
    blocks = [
        s.stream(metric, positive, rng, n_draws, remainder=REMAINDER)
        for s in specifications
        if isinstance(s, OutcomeSpecification)
    ]
    scores = np.concatenate([block for of_one in blocks for block in of_one], axis=1)
    a, b = check_scores(scores, metric).reshape(2, len(specifications), n_draws)
    return a - b


def all_shapes(specification: AnySpecification) -> Array:
    """Return the Dirichlet shapes of all probability vectors, one after the other."""
    return np.concatenate([*specification.shapes(prior=False).values()])


def differences_of_shapes(
    form: Specification,
    shapes: Array,
    metric: Metric,
    positive: int,
    rng: np.random.Generator,
    n_draws: int,
) -> Array:
    """Return draws of the difference A minus B for each row of Dirichlet shapes.

    Parameters
    ----------
    form : Specification
        A specification with the same probability vectors.
    shapes : ndarray of shape (n_rows, n_cells)
        The shapes of all probability vectors of `form`, one after the other.
    metric, positive, rng, n_draws
        As in `AnySpecification.stream`.

    Returns
    -------
    draws : ndarray of shape (n_rows, n_draws)
        The draws of the difference.
    """
    rows = max(1, BLOCK // n_draws)
    found = []
    for start in range(0, len(shapes), rows):
        here = shapes[start : start + rows]
        drawn, end = {}, 0
        gammas = rng.standard_gamma(here[..., None], (*here.shape, n_draws))
        for simplex in form.simplexes:
            begin, end = end, end + len(simplex.prior)
            vectors = gammas[:, begin:end]
            # Gamma variables of tiny shapes can all be 0 at once; NumPy then has another way.
            for i in np.flatnonzero(here[:, begin:end].max(axis=1) < TINY):
                vectors[i] = rng.dirichlet(here[i, begin:end], n_draws).T
            shares = vectors / vectors.sum(axis=1, keepdims=True)
            drawn[simplex.name] = np.moveaxis(shares, 1, 0).reshape(end - begin, -1)
        for name, known in form.fixed.items():
            drawn[name] = np.repeat(known[:, None], len(here) * n_draws, axis=1)
        a, b = check_scores(metric(form.tables(drawn), positive).T, metric)
        found.append((a - b).reshape(len(here), n_draws))
    return np.concatenate(found)


def populations_after(
    specification: AnySpecification, rng: np.random.Generator, n_draws: int
) -> list[tuple[Population, ...]]:
    """Draw populations of new instances from the posterior of the outcome probabilities.

    Each draw contains one population if the classifiers share instances, else one per classifier.
    """
    if isinstance(specification, OutcomeSpecification):
        return specification.draw_populations(rng, n_draws)
    if not isinstance(specification, Specification):
        raise TypeError(f"{type(specification).__name__} has no outcome probabilities.")
    if specification.joint is not None:
        joint = specification.joint(specification.draw(rng, n_draws))
        return _one_by_one(joint)
    tables = np.concatenate(list(specification.stream_tables(rng, n_draws)))
    return _one_by_one(*np.moveaxis(tables, 1, 0))


def _one_by_one(*tables: Array) -> list[tuple[Population, ...]]:
    """Return the populations of each of many tables with the same cells."""
    found = []
    for of_all in tables:
        cells = np.argwhere(~np.isnan(of_all[0]))
        truth, predictions = cells[:, 0], cells[:, 1:]
        probability = of_all[(slice(None), *cells.T)]
        probability = probability / probability.sum(axis=1, keepdims=True)
        found.append([Population(truth, predictions, one) for one in probability])
    return list(zip(*found, strict=True))


def populations_of(*tables: Array) -> tuple[Population, ...]:
    """Return the populations for tables of probabilities: (truth, A), (truth, B), or (truth, A, B).

    NaN marks a cell that is not counted.
    """
    return _one_by_one(*(np.asarray(table)[None] for table in tables))[0]


def side_by_side(populations: Sequence[tuple[Population, ...]]) -> list[tuple[Population, ...]]:
    """Return populations with a row of probabilities per draw: as few as have the same cells.

    Draws of two classes all have the same cells, and become one tuple of populations. Draws of
    more classes have a tuple each, with a single row.
    """
    first = populations[0]
    if all(
        one.truth is same.truth and one.predictions is same.predictions
        for drawn in populations
        for one, same in zip(drawn, first, strict=True)
    ):
        return [
            tuple(
                Population(
                    same.truth, same.predictions, np.array([one.probability for one in ones])
                )
                for same, ones in zip(first, zip(*populations, strict=True), strict=True)
            )
        ]
    return [
        tuple(Population(p.truth, p.predictions, p.probability[None]) for p in drawn)
        for drawn in populations
    ]


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
