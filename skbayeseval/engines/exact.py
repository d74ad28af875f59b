"""The exact engine: independent draws from conjugate posteriors, without Markov chains."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial, singledispatch
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from skbayeseval.engines.blocks import stream_blocks
from skbayeseval.engines.gammas import dirichlet_rows
from skbayeseval.engines.items import draw_clustered, stream_item_means, stream_right_or_wrong
from skbayeseval.engines.outcomes import stream_outcomes
from skbayeseval.engines.rows import REMAINDER
from skbayeseval.engines.scores import stream_means
from skbayeseval.engines.signed_rank import draw_weights, pseudo_medians
from skbayeseval.engines.systems import draw_system_means
from skbayeseval.engines.weights import stream_labels, stream_weights
from skbayeseval.metrics.confusion import Metric, Totals
from skbayeseval.models.data_sets import SystemSpecification
from skbayeseval.models.items import (
    ClusteredSpecification,
    ItemWeightSpecification,
    RightOrWrongSpecification,
)
from skbayeseval.models.specification import (
    AnySpecification,
    DataSetSpecification,
    LabelSpecification,
    OutcomeSpecification,
    RankSpecification,
    ScoreSpecification,
    Specification,
    WeightSpecification,
)

__all__ = [
    "check_scores",
    "draw_simplexes",
    "metric_of_block",
    "stream_scores",
    "stream_tables",
]

Array = NDArray[Any]

# The number of draws per block. Changing it changes the draws of a given seed.
BLOCK = 25_000


class Request(NamedTuple):
    """What is asked of the exact engine; see `stream_scores`."""

    metric: Metric
    positive: int
    rng: np.random.Generator
    n_draws: int
    prior: bool
    remainder: float


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
    specification : Specification, or another kind of specification
        The model.
    metric : Metric
        The metric to compute from each draw.
    positive : int
        The index of the positive class.
    rng : numpy.random.Generator
        The source of randomness.
    n_draws : int
        The total number of draws.
    prior : bool
        Whether to draw from the prior instead of the posterior.
    remainder : float
        As in `stream_outcomes`.

    Yields
    ------
    scores : ndarray of shape (n_classifiers, n)
    """
    return _stream(specification, Request(metric, positive, rng, n_draws, prior, remainder))


@singledispatch
def _stream(specification: AnySpecification, request: Request) -> Iterator[Array]:
    raise TypeError(f"The exact engine does not support {type(specification).__name__}.")


@_stream.register
def _(specification: Specification, request: Request) -> Iterator[Array]:
    metric, positive, rng, n_draws, prior, _ = request

    def draw(rng: np.random.Generator, size: int) -> Array:
        tables = specification.tables(draw_simplexes(specification, rng, size, prior=prior))
        return metric(tables, positive).swapaxes(-2, -1)

    return stream_blocks(draw, rng, n_draws, BLOCK)


@_stream.register
def _(specification: OutcomeSpecification, request: Request) -> Iterator[Array]:
    metric, positive, rng, n_draws, prior, remainder = request
    return stream_outcomes(
        specification,
        rng,
        n_draws,
        prior=prior,
        tables=metric.needs_tables,
        remainder=remainder,
        of_block=partial(metric_of_block, metric, positive),
    )


@_stream.register
def _(specification: LabelSpecification, request: Request) -> Iterator[Array]:
    metric, positive, rng, n_draws, prior, _ = request
    of_block = partial(metric_of_block, metric, positive)
    return stream_labels(specification, rng, n_draws, prior=prior, of_block=of_block)


@_stream.register
def _(specification: WeightSpecification, request: Request) -> Iterator[Array]:
    metric, positive, rng, n_draws, *_ = request
    of_block = partial(metric_of_block, metric, positive)
    return stream_weights(
        specification, rng, n_draws, tables=metric.needs_tables, of_block=of_block
    )


@_stream.register
def _(specification: RankSpecification, request: Request) -> Iterator[Array]:
    raise ValueError(f"scoring={request.metric.name!r} cannot be computed from instance scores.")


@_stream.register
def _(specification: ScoreSpecification, request: Request) -> Iterator[Array]:
    return stream_means(specification, request.metric.name, request.rng, request.n_draws)


@_stream.register
def _(specification: DataSetSpecification, request: Request) -> Iterator[Array]:
    differences, strength = specification.ranked(request.metric.name)
    assert strength is not None
    weights = draw_weights(len(differences), strength, request.rng, request.n_draws)
    yield pseudo_medians(weights, differences)[None]


@_stream.register
def _(specification: SystemSpecification, request: Request) -> Iterator[Array]:
    yield draw_system_means(specification, request.metric.name, request.rng, request.n_draws)


@_stream.register
def _(specification: ItemWeightSpecification, request: Request) -> Iterator[Array]:
    return stream_item_means(specification, request.rng, request.n_draws)


@_stream.register
def _(specification: RightOrWrongSpecification, request: Request) -> Iterator[Array]:
    return stream_right_or_wrong(specification, request.rng, request.n_draws, prior=request.prior)


@_stream.register
def _(specification: ClusteredSpecification, request: Request) -> Iterator[Array]:
    yield draw_clustered(specification, request.rng, request.n_draws, prior=request.prior)


def metric_of_block(
    metric: Metric, positive: int, block: Totals | Array | Iterable[Array]
) -> Array:
    """Return the values of a metric, of shape (n_classifiers, n), given totals or tables.

    Tables may come one classifier at a time, so that no more need to be in memory.
    """
    if isinstance(block, Totals):
        return metric.of_totals(block, positive)
    return np.stack([metric(tables) for tables in block])


def check_scores(scores: Array, metric: Metric) -> Array:
    """Return the metric values; raise if one of them is NaN."""
    if np.isnan(scores).any():
        raise ValueError(
            f"Metric {metric.name!r} is NaN for a table without zeros. It must be defined for "
            "every such table."
        )
    return scores


def stream_tables(
    specification: Specification, rng: np.random.Generator, n_draws: int, *, prior: bool
) -> Iterator[Array]:
    """Yield blocks of confusion tables of shape (n, n_classifiers, M, M)."""

    def draw(rng: np.random.Generator, size: int) -> Array:
        return specification.tables(draw_simplexes(specification, rng, size, prior=prior))

    return stream_blocks(draw, rng, n_draws, BLOCK)


def draw_simplexes(
    specification: Specification, rng: np.random.Generator, size: int, *, prior: bool
) -> dict[str, Array]:
    """Return draws of each probability vector, with shape (k, size)."""
    shapes = specification.shapes(prior=prior)
    draws = dict(zip(shapes, dirichlet_rows(rng, list(shapes.values()), size), strict=True))
    for name, known in specification.fixed.items():
        draws[name] = np.repeat(known[:, None], size, axis=1)
    return draws
