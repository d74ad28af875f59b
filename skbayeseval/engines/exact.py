"""The exact engine: independent draws from conjugate posteriors, no Markov chain."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skbayeseval.engines.outcomes import REMAINDER, stream_outcomes
from skbayeseval.engines.scores import stream_means
from skbayeseval.engines.signed_rank import draw_weights, pseudo_medians
from skbayeseval.engines.weights import stream_labels, stream_weights
from skbayeseval.metrics.confusion import Metric, Totals
from skbayeseval.models.specification import (
    AnySpecification,
    DataSetSpecification,
    LabelSpecification,
    RankSpecification,
    ScoreSpecification,
    Specification,
    WeightSpecification,
)

__all__ = ["check_scores", "draw_simplexes", "stream_scores", "stream_tables"]

Array = NDArray[Any]

# Draws a block. Part of the recipe: the same seed gives the same draws only for the same size.
BLOCK = 8192


def stream_scores(
    specification: AnySpecification,
    metric: Metric,
    positive: int,
    rng: np.random.Generator,
    n_draws: int,
    *,
    prior: bool,
    remainder: float = REMAINDER,
) -> Iterator[Array]:
    """Yield blocks of draws of a metric.

    Parameters
    ----------
    specification : Specification, or another kind of it
        The model.
    metric : Metric
        What to compute of each draw.
    positive : int
        The index of the positive class.
    rng : numpy.random.Generator
        The source of randomness.
    n_draws : int
        How many draws in all.
    prior : bool
        Whether to leave the data out.
    remainder : float
        As in `stream_outcomes`.

    Yields
    ------
    scores : ndarray of shape (n_classifiers, n)
    """
    if isinstance(specification, Specification):
        for tables in stream_tables(specification, rng, n_draws, prior=prior):
            yield metric(tables, positive).T
        return
    if isinstance(specification, ScoreSpecification):
        yield from stream_means(specification, metric.name, rng, n_draws)
        return
    if isinstance(specification, DataSetSpecification):
        differences = specification.differences[metric.name]
        strength = specification.strength
        assert strength is not None
        weights = draw_weights(len(differences), strength, rng, n_draws)
        yield pseudo_medians(weights, differences)[None]
        return
    blocks: Iterator[Totals | Array]
    if isinstance(specification, LabelSpecification):
        blocks = stream_labels(specification, rng, n_draws, prior=prior)
    elif isinstance(specification, RankSpecification):
        raise ValueError(f"scoring={metric.name!r} is no metric of scores.")
    elif isinstance(specification, WeightSpecification):
        blocks = stream_weights(specification, rng, n_draws, tables=metric.needs_tables)
    else:
        blocks = stream_outcomes(
            specification,
            rng,
            n_draws,
            prior=prior,
            tables=metric.needs_tables,
            remainder=remainder,
        )
    for block in blocks:
        yield metric.of_totals(block, positive) if isinstance(block, Totals) else metric(block)


def check_scores(scores: Array, metric: Metric) -> Array:
    """Return the scores; raise if one of them is not a number."""
    if np.isnan(scores).any():
        raise ValueError(
            f"Metric {metric.name!r} is not a number (NaN) for some tables without zeros; it must "
            "be defined for every such table."
        )
    return scores


def stream_tables(
    specification: Specification, rng: np.random.Generator, n_draws: int, *, prior: bool
) -> Iterator[Array]:
    """Yield blocks of confusion tables of shape (n, n_classifiers, M, M)."""
    for start in range(0, n_draws, BLOCK):
        size = min(BLOCK, n_draws - start)
        yield specification.tables(draw_simplexes(specification, rng, size, prior=prior))


def draw_simplexes(
    specification: Specification, rng: np.random.Generator, size: int, *, prior: bool
) -> dict[str, Array]:
    """Return draws of each probability vector, of shape (k, size)."""
    draws = {
        name: np.ascontiguousarray(rng.dirichlet(shape, size).T)
        for name, shape in specification.shapes(prior=prior).items()
    }
    for name, known in specification.fixed.items():
        draws[name] = np.repeat(known[:, None], size, axis=1)
    return draws
