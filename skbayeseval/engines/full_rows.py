"""Exact draws of the table of one classifier, where most cells were observed: cell by cell."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from skbayeseval.engines.etas import EtaSampler
from skbayeseval.engines.gammas import large_gammas
from skbayeseval.engines.rows import GroupDraws, RowSampler
from skbayeseval.metrics.confusion import Totals
from skbayeseval.models.specification import Outcomes

__all__ = ["FullRows"]

Array = NDArray[Any]


class FullRows(RowSampler):
    """Draw the rows of one classifier in which most cells were observed, cell by cell.

    Parameters
    ----------
    group : Outcomes
        The classifier and its outcomes.
    eta : EtaSampler
        The posterior of its eta.
    """

    def __init__(self, group: Outcomes, eta: EtaSampler) -> None:
        super().__init__(group, False)
        self.eta = eta
        m = self.n_classes
        table = np.zeros((m, m))
        # Weighted counts differ in their last digits.
        table[self.truth, self.predictions[:, 0]] = np.round(self.counts, 9)
        # Cells of the same kind have the same shapes. There are fewer kinds than cells.
        kinds, kind = np.unique(
            np.stack([table.ravel(), np.eye(m).ravel()]), axis=1, return_inverse=True
        )
        self.kind = kind.ravel()
        self.of_kind, self.is_right = kinds[0][:, None], kinds[1][:, None] == 1
        self.n_small = int(np.sum(self.of_kind < 1))  # these come first
        # If the shapes of each row add up to that of its class, the sums of rows have the
        # distribution of the class proportions, up to a factor, whatever the cells are of a row.
        self.rows_tell_mu = group.known_mu is None and bool(
            np.allclose(self.mu_shape, group.mass + table.sum(axis=1), rtol=0, atol=1e-6)
        )

    @staticmethod
    def suit(group: Outcomes) -> bool:
        """Return whether there is one classifier, with many cells observed and no empty row."""
        n_classes = len(group.mu.prior)
        if len(group.etas) > 1 or 2 * len(group.counts) <= n_classes**2:
            return False
        of_rows = np.bincount(group.truth, group.counts, n_classes)
        return bool(np.round(of_rows, 9).min() >= 1)

    @property
    def bytes_per_draw(self) -> int:
        """The memory in bytes that one draw needs, besides its totals."""
        return 8 * 6 * self.n_classes**2

    def draw_base(self, rng: np.random.Generator, n: int, repeats: int) -> GroupDraws:
        """Return draws of logit(eta) and, unless the rows tell, of the class proportions."""
        logit = self.eta.draw(rng, n, repeats)
        if self.rows_tell_mu and repeats == 1:
            return GroupDraws(None, (logit,))
        return GroupDraws(self.draw_proportions(rng, n), (logit,))

    def draw_rows(
        self, rng: np.random.Generator, base: GroupDraws, tables: bool, repeats: int
    ) -> Iterator[Any]:
        """Yield totals of shape (n * repeats, M), or tables."""
        mu, (logit,), _ = base
        assert logit is not None
        cells = self._draw_cells(rng, logit)
        of_rows = cells.sum(axis=1)
        if mu is None:
            assert self.rows_tell_mu
            scale = 1 / of_rows.sum(axis=0)
            cells *= scale
            mu = (of_rows * scale).T
        else:
            mu = np.repeat(mu, repeats, axis=0)
            cells *= (mu.T / of_rows)[:, None]
        if tables:
            yield cells.transpose(2, 0, 1)
        else:
            yield Totals(np.diagonal(cells), mu, cells.sum(axis=0).T)

    def _draw_cells(self, rng: np.random.Generator, logit: Array) -> Array:
        """Return Gamma variables of shape (M, M, n), given logit(eta)."""
        m, mass = self.n_classes, self.group.mass
        shapes = np.where(self.is_right, mass * expit(logit), mass / (m - 1) * expit(-logit))
        shapes += self.of_kind
        small = self.n_small
        if small == 0:
            return large_gammas(rng, shapes, self.kind).reshape(m, m, -1)
        cells, large = np.empty((m * m, len(logit))), self.kind >= small
        cells[large] = large_gammas(rng, shapes[small:], self.kind[large] - small)
        cells[~large] = rng.standard_gamma(shapes[self.kind[~large]])
        return cells.reshape(m, m, -1)
