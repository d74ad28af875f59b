"""Draws of the difference for many data sets at once, and populations of new instances.

A simulation needs one decision per simulated data set, for thousands of data sets. The overhead per
data set dominates the cost of drawing, so tables and metrics are computed in batches.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skbayeseval.engines.exact import check_scores, draw_simplexes, stream_scores, stream_tables
from skbayeseval.engines.outcomes import draw_populations
from skbayeseval.engines.rows import Population
from skbayeseval.metrics.confusion import Metric
from skbayeseval.models.specification import (
    AnySpecification,
    OutcomeSpecification,
    Specification,
)

__all__ = ["draw_differences", "populations_after", "populations_of"]

Array = NDArray[Any]

# Stick-breaking stops when, on average, this share of the mass remains, and the last stick receives
# the rest. This is accurate enough for decisions.
REMAINDER = 1e-3


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
        As in `stream_scores`.

    Returns
    -------
    draws : ndarray of shape (n_specifications, n_draws)
        The draws of the difference.
    """
    vectors = [s for s in specifications if isinstance(s, Specification)]
    if vectors:
        draws = [draw_simplexes(s, rng, n_draws, prior=False) for s in vectors]
        together = {name: np.concatenate([d[name] for d in draws], axis=1) for name in draws[0]}
        scores = metric(vectors[0].tables(together), positive).T
    else:
        blocks = [
            block
            for s in specifications
            for block in stream_scores(
                s, metric, positive, rng, n_draws, prior=False, remainder=REMAINDER
            )
        ]
        scores = np.concatenate(blocks, axis=1)
    a, b = check_scores(scores, metric).reshape(2, len(specifications), n_draws)
    return a - b


def populations_after(
    specification: AnySpecification, rng: np.random.Generator, n_draws: int
) -> list[tuple[Population, ...]]:
    """Draw populations of new instances from the posterior of the outcome probabilities.

    Each draw contains one population if the classifiers share instances, else one per classifier.
    """
    if isinstance(specification, OutcomeSpecification):
        return draw_populations(specification, rng, n_draws)
    if not isinstance(specification, Specification):
        raise TypeError(f"{type(specification).__name__} has no outcome probabilities.")
    if specification.joint is not None:
        joint = specification.joint(draw_simplexes(specification, rng, n_draws, prior=False))
        return [populations_of(table) for table in joint]
    tables = np.concatenate(list(stream_tables(specification, rng, n_draws, prior=False)))
    return [populations_of(*pair) for pair in tables]


def populations_of(*tables: Array) -> tuple[Population, ...]:
    """Return the populations for tables of probabilities: (truth, A), (truth, B), or (truth, A, B).

    NaN marks a cell that is not counted.
    """
    found = []
    for table in tables:
        cells = np.argwhere(~np.isnan(table))
        probability = table[tuple(cells.T)]
        found.append(Population(cells[:, 0], cells[:, 1:], probability / probability.sum()))
    return tuple(found)
