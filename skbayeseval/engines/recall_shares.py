"""The prior probability of a region of differences, where classes share a distribution of recalls.

Given class proportions, stick lengths, and the classes on which the sticks of each classifier land,
classifiers are independent, and what they predict is a sparse matrix times their wrong predictions.
All of this is drawn once for many draws of recalls, of which all pairs are formed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.special import expit

from skbayeseval.engines.recalls import RecallGrid, RecallRows
from skbayeseval.metrics.confusion import Totals
from skbayeseval.models.specification import Outcomes, OutcomeSpecification, Recall

__all__ = ["has_recall_shares", "stream_totals_given_sticks"]

Array = NDArray[Any]

GOLDEN = (np.sqrt(5) - 1) / 2

# The most numbers in an array.
BLOCK = 2**19


def has_recall_shares(specification: OutcomeSpecification) -> bool:
    """Return whether the classifiers share instances, and each has a distribution of recalls."""
    groups = specification.groups
    return len(groups) == 1 and all(isinstance(eta, Recall) for eta in groups[0].etas)


def stream_totals_given_sticks(
    group: Outcomes, rng: np.random.Generator, n_draws: int, repeats: int, remainder: float
) -> Iterator[Totals]:
    """Yield blocks of totals under the prior, of shape (n_classifiers, n * repeats, M).

    Parameters
    ----------
    group : Outcomes
        The classifiers.
    rng : numpy.random.Generator
        The source of randomness.
    n_draws : int
        The number of draws of class proportions and sticks.
    repeats : int
        The number of draws of each classifier's recalls given these.
    remainder : float
        As in `stream_outcomes`.
    """
    rows = RecallRows(group, True, remainder)
    block = max(1, BLOCK // (rows.n_classes * max(repeats, rows.n_sticks)))
    for start in range(0, n_draws, block):
        n = min(block, n_draws - start)
        mu = group.known_mu
        mu = rows.draw_proportions(rng, n) if mu is None else np.tile(mu, (n, 1))
        sticks = _break_sticks(rng, (rows.n_sticks, *mu.shape))
        yield _totals(rows.grids, mu, sticks, rng, repeats)


def _totals(
    grids: Sequence[RecallGrid], mu: Array, sticks: Array, rng: np.random.Generator, repeats: int
) -> Totals:
    n, m = mu.shape
    true = np.repeat(mu[:, :, None], repeats, axis=2)
    all_hits, all_predicted = [], []
    for grid in grids:
        logit, mass = grid.draw(_evenly_spread(rng, n, repeats))
        right, wrong = ((mass * expit(x)).reshape(n, 1, repeats) for x in (logit, -logit))
        hits = true * rng.beta(right, wrong, true.shape)
        missed = (true - hits).reshape(n * m, repeats)
        predicted = hits + (_landing(sticks, rng) @ missed).reshape(hits.shape)
        all_hits.append(hits)
        all_predicted.append(predicted)
    shape = len(grids), n * repeats, m
    return Totals(
        *(
            np.moveaxis(np.array(total), 2, 3).reshape(shape)
            for total in (all_hits, [true] * len(grids), all_predicted)
        )
    )


def _landing(sticks: Array, rng: np.random.Generator) -> Any:
    """Return the matrix that moves the wrong predictions of each class to other classes."""
    _, n, m = sticks.shape
    true = np.arange(m)
    landed = (true + rng.integers(1, m, sticks.shape)) % m
    first = m * np.arange(n)[:, None]
    cells = np.broadcast_to(first + true, sticks.shape).ravel()
    return sparse.csr_array((sticks.ravel(), ((first + landed).ravel(), cells)), (n * m, n * m))


def _break_sticks(rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
    """Return fractions that sum to 1 over the first axis: what each break leaves of the rest."""
    left = np.cumprod(rng.random(shape), axis=0)
    left[-1] = 0.0  # the last stick is all of the rest
    return np.asarray(-np.diff(left, axis=0, prepend=1.0))


def _evenly_spread(rng: np.random.Generator, n: int, repeats: int) -> Array:
    """Return uniform variables of shape (3, n * repeats), for `RecallGrid.draw`.

    The first and the last are `repeats` points of a lattice in the unit square (Kronecker's, with
    the golden ratio), shifted at random for each of the n draws.
    """
    uniform = rng.random((3, n, repeats))
    shift = rng.random((2, n, 1))
    steps = np.arange(repeats)
    uniform[0] = (shift[0] + steps / repeats) % 1
    uniform[2] = (shift[1] + steps * GOLDEN) % 1
    return uniform.reshape(3, -1)
