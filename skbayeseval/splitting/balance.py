"""Partitions into blocks that agree in the sums of several columns."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["balanced_partition", "deal"]

Array = NDArray[Any]

# How many units of either block a search for a better place looks at.
CANDIDATES = 400

# Of two blocks that would do equally well, the one with fewer units is taken.
TIE = 1e-6


def deal(codes: Array, n_blocks: int, rng: np.random.RandomState) -> Array:
    """Deal units of each class round and round: sizes and class counts agree within 1."""
    shuffled = rng.permutation(len(codes))
    by_class = shuffled[np.argsort(codes[shuffled], kind="stable")]
    blocks = np.empty(len(codes), dtype=int)
    blocks[by_class] = rng.permutation(n_blocks)[np.arange(len(codes)) % n_blocks]
    return blocks


def balanced_partition(
    columns: Array, n_blocks: int, rng: np.random.RandomState, *, equal_sizes: bool
) -> Array:
    """Return blocks whose sums of every column are close to one another.

    Greedy, heavy units first in an order that chance has a hand in, each to the block that lacks
    most of what it has; then moves and swaps between the blocks that differ most, as long as they
    help.

    Parameters
    ----------
    columns : ndarray of shape (n_units, k)
        What each unit adds to the sums, at least 0.
    n_blocks : int
        The number of blocks.
    rng : numpy.random.RandomState
        Makes the partition a random one.
    equal_sizes : bool
        Whether the numbers of units, too, must agree within 1.

    Returns
    -------
    blocks : ndarray of shape (n_units,)
    """
    total = columns.sum(axis=0)
    scaled = columns[:, total > 0] / total[total > 0] * n_blocks  # a block's share is 1
    n_units = len(scaled)
    if scaled.shape[1] == 0:
        return deal(np.zeros(n_units, dtype=int), n_blocks, rng)
    blocks = np.full(n_units, -1)
    sums = np.zeros((n_blocks, scaled.shape[1]))
    sizes = np.zeros(n_blocks, dtype=int)
    capacity = np.full(n_blocks, -(-n_units // n_blocks) if equal_sizes else n_units)
    if equal_sizes and n_units % n_blocks:
        # Only the first n_units mod n_blocks blocks, in a random order, may take one more.
        capacity -= 1
        capacity[rng.permutation(n_blocks)[: n_units % n_blocks]] += 1
    weight = np.sqrt(np.square(scaled).sum(axis=1)) * rng.uniform(0.4, 1.6, n_units)
    for unit in np.argsort(-weight + 1e-12 * rng.uniform(size=n_units)):
        # Adding x to block b changes the sum of squared sums by 2 x . s_b + const.
        cost = sums @ scaled[unit] + TIE * sizes
        cost[sizes >= capacity] = np.inf
        block = _first_smallest(cost)
        blocks[unit], sizes[block] = block, sizes[block] + 1
        sums[block] += scaled[unit]
    _improve(scaled, blocks, sums, rng, moves=not equal_sizes)
    return rng.permutation(n_blocks)[blocks]


def _improve(
    scaled: Array, blocks: Array, sums: Array, rng: np.random.RandomState, *, moves: bool
) -> None:
    """Swap (and move) units while the sums come closer, the worst block first."""
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
    scaled: Array,
    blocks: Array,
    sums: Array,
    block: int,
    other: int,
    rng: np.random.RandomState,
    *,
    moves: bool,
) -> tuple[float, list[int], list[int], Array] | None:
    """Return the swap of two units that helps most, and what `block` gains; None if none helps."""
    here = _sample(np.flatnonzero(blocks == block), rng)
    there = _sample(np.flatnonzero(blocks == other), rng)
    gap = sums[block] - sums[other]
    given, taken = scaled[here], scaled[there]
    if moves:  # nothing may be given, or nothing taken
        given = np.vstack([given, np.zeros_like(gap)])
        taken = np.vstack([taken, np.zeros_like(gap)])
    # With v = what the block gains, the squared error changes by 2 v . gap + 2 v . v.
    change = (
        2 * ((taken @ gap)[None, :] - (given @ gap)[:, None])
        + 2 * np.square(given).sum(axis=1)[:, None]
        + 2 * np.square(taken).sum(axis=1)[None, :]
        - 4 * given @ taken.T
    )
    i, j = np.unravel_index(_first_smallest(change), change.shape)
    if change[i, j] > -1e-12:
        return None
    mine = [int(here[i])] if i < len(here) else []
    theirs = [int(there[j])] if j < len(there) else []
    return float(change[i, j]), mine, theirs, taken[j] - given[i]


def _first_smallest(cost: Array) -> int:
    """Return where the first smallest cost is; what differs by rounding alone is equal.

    Otherwise the last bits, which depend on the processor, would decide between ties.
    """
    return int(np.argmax(cost <= cost.min() + 1e-9))


def _sample(units: Array, rng: np.random.RandomState) -> Array:
    return units if len(units) <= CANDIDATES else rng.choice(units, CANDIDATES, replace=False)
