"""Draws of the difference for many data sets at once, and populations of new instances.

A simulation needs one decision per simulated data set, for thousands of data sets. The overhead per
data set dominates the cost of drawing, so tables and metrics are computed in batches.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import softmax

from skbayeseval.engines.rows import Population
from skbayeseval.evidence.validated_rows import cell_influence
from skbayeseval.metrics.confusion import Metric
from skbayeseval.models.binary import Specification
from skbayeseval.models.outcomes import OutcomeSpecification
from skbayeseval.models.specification import AnySpecification, check_scores
from skbayeseval.posterior.recipe import Posterior

Array = NDArray[Any]


# Stick-breaking stops when, on average, this share of the mass remains, and the last stick receives
# the rest. This is accurate enough for decisions.
REMAINDER = 1e-3


# If all shapes of a Dirichlet vector are smaller, NumPy does not draw it from Gamma variables.
TINY = 0.1


# The number of draws in memory at once.
BLOCK = 2**13


def draw_differences(
    specifications: Sequence[Any],
    metric: Metric,
    positive: int,
    rng: np.random.Generator,
    n_draws: int,
) -> Array:
    """Return draws of the difference A minus B for each specification.

    Parameters
    ----------
    specifications : sequence of Specification or of OutcomeSpecification
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
        shapes = [np.concatenate([*s.shapes(prior=False).values()]) for s in specifications]
        return differences_of_shapes(first, np.array(shapes), metric, positive, rng, n_draws)
    blocks = [
        block
        for specification in specifications
        for block in specification.stream(metric, positive, rng, n_draws, remainder=REMAINDER)
    ]
    a, b = check_scores(np.concatenate(blocks, axis=1), metric)
    return (a - b).reshape(len(specifications), n_draws)


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
    assert isinstance(specification, Specification)
    if specification.joint is not None:
        return _one_by_one(specification.joint(specification.draw(rng, n_draws)))
    tables = np.concatenate(list(specification.stream_tables(rng, n_draws)))
    return _one_by_one(*np.moveaxis(tables, 1, 0))


def _one_by_one(*tables: Array) -> list[tuple[Population, ...]]:
    """Return the populations of each of many tables with the same cells."""
    found = []
    for of_all in tables:
        cells = np.argwhere(~np.isnan(of_all[0]))
        probability = of_all[(slice(None), *cells.T)]
        probability = probability / probability.sum(axis=1, keepdims=True)
        found.append([Population(cells[:, 0], cells[:, 1:], row) for row in probability])
    return list(zip(*found, strict=True))


def populations_of(*tables: Array) -> tuple[Population, ...]:
    """Return the populations for tables of probabilities: (truth, A), (truth, B), or (truth, A, B).

    NaN marks a cell that is not counted.
    """
    return _one_by_one(*(np.asarray(table)[None] for table in tables))[0]


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
    tables = tables_of(drawn, n_classes)
    a, b = metric(tables, positive).T
    influence = cell_influence(metric, tables.mean(axis=(0, 1)), positive)
    scale = SCALE * spread_of_instances(drawn, influence)
    ratio = np.divide(a - b, scale, out=np.zeros_like(scale), where=scale > 0)
    return np.asarray(softmax(-0.5 * ratio**2))


def spread_of_instances(drawn: Sequence[tuple[Population, ...]], influence: Array) -> Array:
    """Return the root mean square of what an instance adds to the difference, of each population.

    `influence` holds the influence of an instance in each cell of the confusion table. If only the
    table of each classifier is known, half of all errors are taken for disagreements.
    """
    spread = []
    for draw, truth, predictions, probability in _end_to_end(drawn):
        said = influence[truth[:, None], predictions].T
        other = said[1] if len(said) == 2 else influence[truth, truth]
        spread.append(np.bincount(draw, probability * (said[0] - other) ** 2, len(drawn)))
    return np.sqrt(np.mean(spread, axis=0))


def tables_of(drawn: Sequence[tuple[Population, ...]], n_classes: int) -> Array:
    """Return the tables of probabilities of both classifiers, of shape (n_draws, 2, M, M)."""
    shape = (len(drawn), n_classes, n_classes)
    tables = []
    for draw, truth, predictions, probability in _end_to_end(drawn):
        for said in predictions.T:
            cell = np.ravel_multi_index((draw, truth, said), shape)
            tables.append(np.bincount(cell, probability, np.prod(shape)).reshape(shape))
    return np.stack(tables, axis=1)


def _end_to_end(drawn: Sequence[tuple[Population, ...]]) -> Iterator[tuple[Array, ...]]:
    """Yield the number of the draw of each outcome, and all outcomes, of each population."""
    for populations in zip(*drawn, strict=True):
        sizes = [len(population.truth) for population in populations]
        columns = zip(*populations, strict=True)
        yield np.repeat(np.arange(len(sizes)), sizes), *map(np.concatenate, columns)


Truth = tuple[Population, ...] | Posterior


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
    pool = populations_after(truth.specification, rng, POOL * n)
    positive = 1 if truth.positive is None else truth.positive
    weights = plausibility(pool, metric, positive, len(truth.counts[0].labels))
    drawn = [pool[i] for i in rng.choice(len(pool), n, p=weights)]
    if truth.prevalence is None:
        return drawn
    # A test set sampled by class keeps its observed class proportions.
    shares = truth.counts[0].true / truth.counts[0].true.sum()
    return [tuple(_with_classes(p, shares) for p in populations) for populations in drawn]


def _with_classes(population: Population, shares: Array) -> Population:
    truth, predictions, probability = population
    of_class = np.bincount(truth, probability, len(shares))
    return Population(truth, predictions, probability * (shares / of_class)[truth])
