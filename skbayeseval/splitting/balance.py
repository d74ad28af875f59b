"""Partitions of instances into blocks with similar column sums."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from skbayeseval._arrays import Array

# The search for a swap considers at most this many units of each block.
CANDIDATES = 400

# Cost per unit already in a block; breaks ties in favour of the smaller block.
TIE = 1e-6


def deal(codes: Array, n_blocks: int, rng: np.random.RandomState) -> Array:
    """Assign units to blocks in turn, class by class.

    Block sizes and class counts differ by at most 1 between blocks.
    """
    shuffled = rng.permutation(len(codes))
    by_class = shuffled[np.argsort(codes[shuffled], kind="stable")]
    blocks = np.empty(len(codes), dtype=int)
    blocks[by_class] = rng.permutation(n_blocks)[np.arange(len(codes)) % n_blocks]
    return blocks


def balanced_partition(
    columns: Any, n_blocks: int, rng: np.random.RandomState, *, equal_sizes: bool
) -> Array:
    """Partition units into blocks whose column sums are close to each other.

    A greedy pass assigns units one at a time, roughly from heaviest to lightest in a randomised
    order. Each unit goes to the block that increases the squared error least. A local search then
    moves and swaps units between blocks as long as the squared error decreases.

    Parameters
    ----------
    columns : ndarray or sparse matrix of shape (n_units, k)
        The contribution of each unit to the column sums. Must be non-negative.
    n_blocks : int
        The number of blocks.
    rng : numpy.random.RandomState
        The random number generator.
    equal_sizes : bool
        Whether block sizes must differ by at most 1.

    Returns
    -------
    blocks : ndarray of shape (n_units,)
        The block index of each unit.
    """
    # Most units contribute to few of many columns, such as classes.
    columns = sparse.csr_matrix(columns, dtype=float)
    total = np.ravel(columns.sum(axis=0))
    scaled = columns[:, np.flatnonzero(total > 0)]
    scaled.data *= n_blocks / total[total > 0][scaled.indices]  # the target sum per block is 1
    n_units = scaled.shape[0]
    if scaled.shape[1] == 0:
        return deal(np.zeros(n_units, dtype=int), n_blocks, rng)
    blocks = np.full(n_units, -1)
    sums = np.zeros((n_blocks, scaled.shape[1]))
    sizes = np.zeros(n_blocks, dtype=int)
    capacity = np.full(n_blocks, -(-n_units // n_blocks) if equal_sizes else n_units)
    if equal_sizes and n_units % n_blocks:
        # n_units % n_blocks randomly chosen blocks hold one unit more than the others.
        capacity -= 1
        capacity[rng.permutation(n_blocks)[: n_units % n_blocks]] += 1
    weight = np.sqrt(_squared(scaled)) * rng.uniform(0.4, 1.6, n_units)
    for unit in np.argsort(-weight + 1e-12 * rng.uniform(size=n_units)):
        entries = slice(*scaled.indptr[unit : unit + 2])
        here, x = scaled.indices[entries], scaled.data[entries]
        # Adding x to block b changes the sum of squared sums by 2 x . s_b + const.
        cost = sums[:, here] @ x + TIE * sizes
        cost[sizes >= capacity] = np.inf
        block = _first_smallest(cost)
        blocks[unit], sizes[block] = block, sizes[block] + 1
        sums[block, here] += x
    _improve(scaled, blocks, sums, rng, moves=not equal_sizes)
    return rng.permutation(n_blocks)[blocks]


def _squared(rows: Any) -> Array:
    """Return the sum of squares of each row of a sparse matrix."""
    return np.ravel(rows.multiply(rows).sum(axis=1))


def _improve(
    scaled: Any, blocks: Array, sums: Array, rng: np.random.RandomState, *, moves: bool
) -> None:
    """Swap (and optionally move) units while the squared error decreases, worst block first."""
    n_blocks = len(sums)
    for _ in range(50 * n_blocks):
        for block in np.argsort(-np.abs(sums - 1).max(axis=1).round(9), kind="stable"):
            found = [
                (*swap, int(other))
                for other in range(n_blocks)
                if other != block
                and (swap := _best_swap(scaled, blocks, sums, block, other, rng, moves=moves))
            ]
            if found:
                break
        else:
            return
        _, mine, theirs, gain, other = found[
            _first_smallest(np.array([change for change, *_ in found]))
        ]
        blocks[mine], blocks[theirs] = other, block
        sums[block] += gain
        sums[other] -= gain


def _best_swap(
    scaled: Any,
    blocks: Array,
    sums: Array,
    block: int,
    other: int,
    rng: np.random.RandomState,
    *,
    moves: bool,
) -> tuple[float, list[int], list[int], Array] | None:
    """Return the swap that reduces the squared error most, or None if no swap does.

    The last element of the tuple is the change of the column sums of `block`.
    """
    here = _sample(np.flatnonzero(blocks == block), rng)
    there = _sample(np.flatnonzero(blocks == other), rng)
    gap = sums[block] - sums[other]
    given, taken = scaled[here], scaled[there]
    if moves:  # the zero row stands for a move without a unit in exchange
        nothing = sparse.csr_matrix((1, len(gap)))
        given, taken = (sparse.vstack([rows, nothing], format="csr") for rows in (given, taken))
    # If `block` gains v, the squared error changes by 2 v . gap + 2 v . v.
    change = (
        2 * ((taken @ gap)[None, :] - (given @ gap)[:, None])
        + 2 * _squared(given)[:, None]
        + 2 * _squared(taken)[None, :]
        - 4 * (given @ taken.T).toarray()
    )
    i, j = np.unravel_index(_first_smallest(change), change.shape)
    if change[i, j] > -1e-12:
        return None
    mine = [int(here[i])] if i < len(here) else []
    theirs = [int(there[j])] if j < len(there) else []
    return float(change[i, j]), mine, theirs, (taken[[j]] - given[[i]]).toarray()[0]


def _first_smallest(cost: Array) -> int:
    """Return the index of the first minimum, treating costs within 1e-9 as equal.

    Without the tolerance, ties would be broken by rounding errors, which depend on the processor.
    """
    return int(np.argmax(cost <= cost.min() + 1e-9))


def _sample(units: Array, rng: np.random.RandomState) -> Array:
    return units if len(units) <= CANDIDATES else rng.choice(units, CANDIDATES, replace=False)
