"""Exact draws of mean scores, given split scores."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skbayeseval.engines.blocks import stream_blocks
from skbayeseval.judgement.halves import roots_with_halves, variance_with_halves
from skbayeseval.models.specification import ScoreSpecification

__all__ = ["stream_means"]

Array = NDArray[Any]

# The approximate memory of a block of draws. Changing it changes the draws of a given seed.
BLOCK_BYTES = 2**24


def stream_means(
    specification: ScoreSpecification, metric: str, rng: np.random.Generator, n_draws: int
) -> Iterator[Array]:
    """Yield blocks of draws of the mean score of each estimator, of shape (n_estimators, n).

    The posterior is a multivariate t: the sample means plus
    sqrt(1/J + rho / (1 - rho)) S^(1/2) z / sqrt(chi2 / (J - 1)). With C the centred split scores,
    S = C C^T / (J - 1), so sqrt(J - 1) S^(1/2) z is drawn as C g, with one standard normal variable
    per split in g. This avoids the square root of S, which is singular if there are more estimators
    than splits, and the draws of a pair do not depend on the other estimators. Comparisons of
    halves add columns to C, and degrees of freedom; variance that is added to the scores of an
    estimator is a column of its own.
    """
    scores = specification.scores[metric]
    n_estimators, n_splits = scores.shape
    means = scores.mean(axis=1, keepdims=True)
    roots, df = np.sqrt(specification.inflation) * (scores - means), n_splits - 1.0
    if specification.halves:
        differences = specification.halves[metric]
        roots = roots_with_halves(roots / np.sqrt(df), differences)
        _, df = variance_with_halves(0.0, differences[0])
    added = np.zeros(n_estimators) if specification.added is None else specification.added[metric]
    if added.any():
        own = np.diag(np.sqrt(df * specification.inflation * added))
        roots = np.hstack([roots, own[:, added > 0]])
    # The draws of a pair do not depend on the number of estimators, and so blocks must not.
    block = max(1, min(5000, BLOCK_BYTES // (16 * roots.shape[1])))

    def draw(rng: np.random.Generator, size: int) -> Array:
        normal = rng.standard_normal((roots.shape[1], size))
        return means + roots @ normal / np.sqrt(rng.chisquare(df, size))

    return stream_blocks(draw, rng, n_draws, block)
