"""The prior probability of a region of differences, for the chunks that two taggers found.

The seven cells are independent Gamma variables divided by their sum. Metrics of chunks are ratios
of cells, so the sum cancels. Precision, F-beta and Jaccard of B decrease with B's own false alarms,
on which A's metric does not depend. The difference in recall decreases with the number of chunks
that only B found. Given the other six cells, a region of differences is therefore an interval of
the last cell, whose probability is a difference of Gamma CDFs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammainc

from skbayeseval.engines.blocks import stream_blocks
from skbayeseval.judgement.intervals import Interval

__all__ = ["has_chunk_shares", "shares_of_chunks"]

Array = NDArray[Any]

BLOCK = 2**14
MOST_BLOCKS = 2**8
_FBETA = re.compile(r"f(\d+(?:\.\d+)?(?:e[+-]?\d+)?)")


def has_chunk_shares(formula: str | None) -> bool:
    """Return whether the metric is one of those in the description of this module."""
    return formula in ("precision", "recall", "jaccard") or bool(_FBETA.fullmatch(str(formula)))


def shares_of_chunks(
    prior: Array, formula: str, rng: np.random.Generator, region: Interval
) -> Iterator[Array]:
    """Yield estimates of P(A - B in the region) under the prior, in blocks of shape (2, n).

    Parameters
    ----------
    prior : ndarray of shape (7,)
        The Dirichlet prior of the cells, in the order of `ChunkCounts`.
    formula : str
        The registered name of the metric.
    rng : numpy.random.Generator
        The source of randomness.
    region : Interval
        The region of differences.
    """
    free = 2 if formula == "recall" else 6

    def draw(rng: np.random.Generator, size: int) -> Array:
        cells = rng.standard_gamma(prior, (size, 7)).T
        bounds = (_bound(cells, formula, end) for end in region)
        at_low, at_high = (gammainc(prior[free], x) for x in bounds)
        # The difference decreases with the cell of recall and increases with false alarms.
        share = at_low - at_high if formula == "recall" else at_high - at_low
        return share.reshape(2, -1)

    return stream_blocks(draw, rng, MOST_BLOCKS * BLOCK, BLOCK)


def _bound(cells: Array, formula: str, difference: float) -> Array:
    """Return the value of the free cell at which A - B equals `difference`."""
    both, only_a, only_b, neither, false_both, false_a, _ = cells
    if formula == "recall":
        # The difference is (only_a - x) / (both + only_a + x + neither).
        if difference <= -1:
            return np.full_like(both, np.inf)
        others = both + only_a + neither
        return np.maximum((only_a - difference * others) / (1 + difference), 0.0)
    found_a, found_b = both + only_a, both + only_b
    gold = found_a + only_b + neither
    # The metric is gain * found / (gain * found + miss * missed + false alarms).
    beta = _FBETA.fullmatch(formula)
    gain, miss = {"precision": (1.0, 0.0), "jaccard": (1.0, 1.0)}.get(
        formula, (1 + float(beta[1]) ** 2, float(beta[1]) ** 2) if beta else (0.0, 0.0)
    )
    of_a = gain * found_a
    of_a = of_a / (of_a + miss * (gold - found_a) + false_both + false_a)
    of_b = of_a - difference
    top, rest = gain * found_b, gain * found_b + miss * (gold - found_b) + false_both
    with np.errstate(divide="ignore", invalid="ignore"):
        bound = np.where(of_b > 0, top / of_b - rest, np.inf)
    return np.maximum(bound, 0.0)
