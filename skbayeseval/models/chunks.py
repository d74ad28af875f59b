"""The model of two taggers on the same sentences: chunks, without true negatives."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skbayeseval.evidence.chunks import CELLS, ChunkCounts
from skbayeseval.models.binary import BCV
from skbayeseval.models.margins import BetaMargin
from skbayeseval.models.specification import Shapes, Simplex, Specification, check_concentration

__all__ = ["PairedChunks"]

Array = NDArray[Any]

# (tp, fp, fn) of A and of B as sums of the cells of `ChunkCounts`: gold chunks that both found,
# only A, only B, neither; false alarms of both, only of A, only of B.
_SUMS = np.array(
    [
        [[1, 1, 0, 0, 0, 0, 0], [0, 0, 0, 0, 1, 1, 0], [0, 0, 1, 1, 0, 0, 0]],
        [[1, 0, 1, 0, 0, 0, 0], [0, 0, 0, 0, 1, 0, 1], [0, 1, 0, 1, 0, 0, 0]],
    ],
    dtype=float,
)


class PairedChunks(BCV):
    """Two taggers on the same sentences; each alone is exactly `BCV` without true negatives.

    The seven cells of `ChunkCounts` have a Dirichlet prior with ``lambda_ / 2`` in each. The true
    positives of a tagger are two of the cells, and so are its false positives and its false
    negatives: each sum has the prior count `lambda_` of Wang and Li (2019), and precision, recall
    and F1 have the laws of their eqs. 25 to 27.

    Parameters
    ----------
    lambda_ : float, default=1.0
        The prior's count in true positives, false positives and false negatives of either.

    Examples
    --------
    >>> from skbayeseval.evidence import ChunkCounts
    >>> from skbayeseval.models import PairedChunks
    >>> pi, = PairedChunks().specification(ChunkCounts([80, 8, 3, 9, 4, 6, 10])).simplexes
    >>> pi.prior
    array([0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5])
    """

    name = "paired"
    needs_pairs = True

    def specification(self, evidence: Any) -> Specification:
        """Return what is to be sampled, given the evidence."""
        if not isinstance(evidence, ChunkCounts):
            raise ValueError(
                "PairedChunks needs chunks that two taggers found in the same sentences: use a "
                "chunk_counter, or model='bcv' for the counts of each alone."
            )
        concentration = float(check_concentration(self.lambda_, (), "lambda"))
        prior = check_concentration(concentration / 2, (len(CELLS),), "lambda / 2")
        return Specification((Simplex("pi", prior, evidence.effective),), _chunk_tables)

    def margin(self, formula: str | None, shapes: Shapes, classifier: int) -> BetaMargin | None:
        """Return the law of one tagger's score, where it is known in closed form."""
        return super().margin(formula, {"pi_A": _SUMS[classifier] @ shapes["pi"]}, 0)

    def has_finite_prior_density(self, formula: str | None, shapes: Shapes) -> bool | None:
        """Whether the difference has a finite density at 0 before the data: nobody knows."""
        return None


def _chunk_tables(draws: Mapping[str, Array]) -> Array:
    tp, fp, fn = np.moveaxis(_SUMS @ draws["pi"], 1, 0)
    # Rows the true class, the positive one last; draws last in memory, as in the binary models.
    cells = np.array([[np.full_like(tp, np.nan), fp], [fn, tp]])
    return np.transpose(cells, (3, 2, 0, 1))
