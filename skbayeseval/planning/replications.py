"""Many posteriors at once: draws of the difference for each of many data sets, and new data sets.

Planning asks for one decision a simulated data set, thousands of times over. A draw of a single
posterior is cheap; what costs is the handling of each, so tables and metrics go through in batches.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skbayeseval.engines.exact import check_scores, draw_simplexes, stream_scores, stream_tables
from skbayeseval.engines.outcomes import Population, draw_populations
from skbayeseval.metrics.confusion import Metric
from skbayeseval.models.specification import (
    AnySpecification,
    OutcomeSpecification,
    Specification,
)

__all__ = ["draw_differences", "populations_after", "populations_of"]

Array = NDArray[Any]

# What sticks leave out goes to the last of them: for a decision, a share of the prior's mass of one
# count that need not be spread further.
REMAINDER = 1e-3


def draw_differences(
    specifications: Sequence[AnySpecification],
    metric: Metric,
    positive: int,
    rng: np.random.Generator,
    n_draws: int,
) -> Array:
    """Return draws of the difference, A minus B, of shape (n_specifications, n_draws).

    Parameters
    ----------
    specifications : sequence of Specification, or of another kind of it
        The same model after different data.
    metric, positive, rng, n_draws
        As in `stream_scores`.
    """
    vectors = [s for s in specifications if isinstance(s, Specification)]
    if vectors:
        draws = [draw_simplexes(s, rng, n_draws, prior=False) for s in vectors]
        together = {name: np.concatenate([d[name] for d in draws], axis=1) for name in draws[0]}
        scores = metric(vectors[0].tables(together), positive).T
    else:
        blocks = [
            stream_scores(s, metric, positive, rng, n_draws, prior=False, remainder=REMAINDER)
            for s in specifications
        ]
        scores = np.concatenate([block for of_one in blocks for block in of_one], axis=1)
    a, b = check_scores(scores, metric).reshape(2, len(specifications), n_draws)
    return a - b


def populations_after(
    specification: AnySpecification, rng: np.random.Generator, n_draws: int
) -> list[tuple[Population, ...]]:
    """Return what further instances may come from: draws of the probabilities of all outcomes.

    One population where the classifiers share instances, otherwise one each.
    """
    if isinstance(specification, OutcomeSpecification):
        return draw_populations(specification, rng, n_draws)
    if not isinstance(specification, Specification):
        raise TypeError(f"{type(specification).__name__} has no probabilities of outcomes.")
    if specification.joint is not None:
        joint = specification.joint(draw_simplexes(specification, rng, n_draws, prior=False))
        return [populations_of(table) for table in joint]
    tables = np.concatenate(list(stream_tables(specification, rng, n_draws, prior=False)))
    return [populations_of(*pair) for pair in tables]


def populations_of(*tables: Array) -> tuple[Population, ...]:
    """Return the populations of tables of probabilities: (truth, A), (truth, B), or (truth, A, B).

    A cell that is not a number is one that nobody counts.
    """
    found = []
    for table in tables:
        cells = np.argwhere(~np.isnan(table))
        probability = table[tuple(cells.T)]
        found.append(Population(cells[:, 0], cells[:, 1:], probability / probability.sum()))
    return tuple(found)
