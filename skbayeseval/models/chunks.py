"""The model of two taggers on the same sentences: chunk counts without true negatives."""

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

# (tp, fp, fn) of A and of B as sums of the cells of `ChunkCounts`: gold chunks found by both, only
# by A, only by B, by neither; false alarms of both, only of A, only of B.
_SUMS = np.array(
    [
        [[1, 1, 0, 0, 0, 0, 0], [0, 0, 0, 0, 1, 1, 0], [0, 0, 1, 1, 0, 0, 0]],
        [[1, 0, 1, 0, 0, 0, 0], [0, 0, 0, 0, 1, 0, 1], [0, 1, 0, 1, 0, 0, 0]],
    ],
    dtype=float,
)


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
        return Specification((Simplex("pi", prior, evidence.effective),), _chunk_tables)

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
