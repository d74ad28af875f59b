"""Chunks of two taggers in the same sentences: the model, and the prior of their difference.

Given all cells but one, a region of differences is an interval of the last one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray
from scipy.special import gammainc

from skbayeseval.engines.blocks import stream_blocks
from skbayeseval.engines.gammas import Simplex
from skbayeseval.evidence.chunks import CELLS, ChunkCounts
from skbayeseval.judgement.intervals import Interval
from skbayeseval.metrics.confusion import Metric
from skbayeseval.models.binary import BCV, Specification
from skbayeseval.models.margins import BetaMargin
from skbayeseval.models.specification import Shapes, check_concentration

Array = NDArray[Any]

CHUNK_BLOCK = 2**14
MOST_BLOCKS = 2**8


_FBETA = re.compile(r"f(\d+(?:\.\d+)?(?:e[+-]?\d+)?)")

# (tp, fp, fn) of A and of B as sums of the cells of `ChunkCounts`: gold chunks found by both, only
# by A, only by B, by neither; false alarms of both, only of A, only of B.
_SUMS = np.array(
    [
        [[1, 1, 0, 0, 0, 0, 0], [0, 0, 0, 0, 1, 1, 0], [0, 0, 1, 1, 0, 0, 0]],
        [[1, 0, 1, 0, 0, 0, 0], [0, 0, 0, 0, 1, 0, 1], [0, 1, 0, 1, 0, 0, 0]],
    ],
    dtype=float,
)


class ChunkSpecification(Specification):
    """The probabilities of the seven cells of `ChunkCounts`."""

    def shares(
        self, metric: Metric, positive: int, rng: Generator, region: Interval
    ) -> Iterator[Array]:
        """Yield estimates of P(A - B in the region) under the prior, in blocks of shape (2, n)."""
        if metric.formula is None or not has_chunk_shares(metric.formula):
            return super().shares(metric, positive, rng, region)
        return shares_of_chunks(self.simplexes[0].prior, metric.formula, rng, region)


class PairedChunks(BCV):
    """Two taggers on the same sentences; the marginal of each is `BCV` without true negatives.

    The seven cells of `ChunkCounts` have a Dirichlet prior with ``lambda_ / 2`` in each cell. The
    true positives of a tagger are the sum of two cells, and so are its false positives and its
    false negatives. Each sum thus has the prior count `lambda_` of Wang and Li (2019), and
    precision, recall and F1 have the distributions of their eqs. 25 to 27.

    Parameters
    ----------
    lambda_ : float, default=1.0
        The prior count of the true positives, false positives and false negatives of each tagger.
        The default of ``model="paired"`` is 0.5.

    Examples
    --------
    >>> from skbayeseval.evidence import ChunkCounts
    >>> from skbayeseval.models import PairedChunks
    >>> pi, = PairedChunks().specification(ChunkCounts([80, 8, 3, 9, 4, 6, 10])).simplexes
    >>> pi.prior
    array([0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5])
    """

    name = "paired"
    infers_weight = True
    needs_pairs = True

    def specification(self, evidence: Any) -> Specification:
        """Return the specification of the posterior, given the evidence."""
        if not isinstance(evidence, ChunkCounts):
            raise ValueError(
                "PairedChunks needs the chunks that two taggers found in the same sentences. Use "
                "chunk_counter, or model='bcv' for separate counts of each tagger."
            )
        concentration = float(check_concentration(self.lambda_, (), "lambda"))
        prior = check_concentration(concentration / 2, (len(CELLS),), "lambda / 2")
        return ChunkSpecification((Simplex("pi", prior, evidence.effective),), _chunk_tables)

    def margin(self, formula: str | None, shapes: Shapes, classifier: int) -> BetaMargin | None:
        """Return the distribution of one tagger's metric, None if not in closed form."""
        return super().margin(formula, {"pi_A": _SUMS[classifier] @ shapes["pi"]}, 0)

    def has_finite_prior_density(self, formula: str | None, shapes: Shapes) -> bool | None:
        """Return None: it is unknown whether the prior density of the difference is finite at 0."""
        return None


def _chunk_tables(draws: Mapping[str, Array]) -> Array:
    tp, fp, fn = np.moveaxis(_SUMS @ draws["pi"], 1, 0)
    # Rows are the true class, with the positive class last. Draws are last in memory, for speed.
    cells = np.array([[np.full_like(tp, np.nan), fp], [fn, tp]])
    return np.transpose(cells, (3, 2, 0, 1))


def has_chunk_shares(formula: str | None) -> bool:
    """Return whether the metric of chunks has such an interval."""
    return formula in ("precision", "recall", "jaccard") or bool(_FBETA.fullmatch(str(formula)))


def shares_of_chunks(
    prior: Array, formula: str, rng: Generator, region: Interval
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

    def draw(rng: Generator, size: int) -> Array:
        cells = rng.standard_gamma(prior, (size, 7)).T
        bounds = (_bound(cells, formula, end) for end in region)
        at_low, at_high = (gammainc(prior[free], x) for x in bounds)
        # The difference decreases with the cell of recall and increases with false alarms.
        share = at_low - at_high if formula == "recall" else at_high - at_low
        return share.reshape(2, -1)

    return stream_blocks(draw, rng, MOST_BLOCKS * CHUNK_BLOCK, CHUNK_BLOCK)


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
