"""What all samplers of the rows of confusion tables have in common."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from skbayeseval.engines.gammas import GammaRows
from skbayeseval.models.specification import Outcomes

__all__ = ["REMAINDER", "GroupDraws", "Population", "RowSampler", "scatter"]

Array = NDArray[Any]

# The expected fraction of a row that is lost by truncating the stick-breaking is below this.
REMAINDER = 1e-6


class Population(NamedTuple):
    """A distribution of outcomes, from which instances are simulated.

    Attributes
    ----------
    truth : ndarray of shape (n_outcomes,)
        The true class of each outcome.
    predictions : ndarray of shape (n_outcomes, n_classifiers)
        The predictions of each classifier.
    probability : ndarray of shape (n_outcomes,)
        The probability of each outcome; sums to 1.
    """

    truth: Array
    predictions: Array
    probability: Array


class GroupDraws(NamedTuple):
    """Draws on which the rows depend.

    Attributes
    ----------
    mu : ndarray of shape (n, M) or None
        The class proportions; None if they are still to be drawn, or follow from the rows.
    logits : tuple of ndarray of shape (n,) or None
        logit(eta) of each classifier.
    masses : tuple of ndarray of shape (n,)
        For recalls that vary between classes, the concentration of each classifier's recalls.
    """

    mu: Any
    logits: tuple[Array | None, ...]
    masses: tuple[Array, ...] = ()


class RowSampler:
    """Draw the rows of one group of classifiers, which share instances.

    Parameters
    ----------
    group : Outcomes
        The classifiers and their outcomes.
    prior : bool
        Whether to draw from the prior instead of the posterior.
    """

    n_sticks: int

    def __init__(self, group: Outcomes, prior: bool) -> None:
        self.group = group
        self.prior = prior
        self.n_classes = len(group.mu.prior)
        self.n_classifiers = len(group.etas)
        self.mu_shape = group.mu.prior if prior else group.mu.prior + group.mu.counts
        self.gammas = GammaRows(group.counts[: 0 if prior else None])
        self.truth = group.truth[self.gammas.order]
        self.predictions = group.predictions[self.gammas.order]
        self.counts = group.counts[self.gammas.order]
        self.to_row = self.indicator(self.truth)

    @property
    def bytes_per_draw(self) -> int:
        """The memory in bytes that one draw needs, besides its totals."""
        cells = min(self.n_classes, 200) ** 2  # of one classifier, if tables are drawn
        sticks = self.n_classes * self.n_sticks
        return 8 * (2 * len(self.truth) + 4 * sticks + 2 * cells)

    @property
    def bytes_of_totals(self) -> int:
        """The memory in bytes that the totals of one draw need, and the metric of them."""
        return 8 * 8 * self.n_classifiers * self.n_classes

    def sums_of_sticks(self, landed: Array, sticks: Array) -> Array:
        """Return what the sticks add to each predicted class, of shape (M, n).

        `landed` are classes, or classes plus M.
        """
        m = self.n_classes
        sums = scatter(landed, sticks, 2 * m)
        return sums[:m] + sums[m:]

    def cells_of_sticks(self, landed: Array, sticks: Array) -> Array:
        """Return what the sticks add to each cell of the table, of shape (M * M, n)."""
        m = self.n_classes
        return scatter(np.arange(m)[:, None] * m + landed % m, sticks, m * m)

    def indicator(self, columns: Array, n_columns: int | None = None) -> Any:
        """Return a sparse matrix that sums outcomes into columns; transposed for speed."""
        n_outcomes = len(columns)
        shape = (n_columns or self.n_classes, n_outcomes)
        return sparse.csr_matrix((np.ones(n_outcomes), (columns, np.arange(n_outcomes))), shape)

    def draw_proportions(self, rng: np.random.Generator, n: int) -> Array:
        """Return draws of the class proportions, of shape (n, M)."""
        known = self.group.known_mu
        return rng.dirichlet(self.mu_shape, n) if known is None else np.tile(known, (n, 1))

    def draw_base(self, rng: np.random.Generator, n: int, repeats: int) -> GroupDraws:
        """Return draws of the class proportions and, per repeat, of what else the rows need."""
        raise NotImplementedError

    def draw_rows(
        self, rng: np.random.Generator, base: GroupDraws, tables: bool, repeats: int
    ) -> Iterator[Any]:
        """Yield totals of shape (n * repeats, M), or tables, of each classifier."""
        raise NotImplementedError

    def draw_population(self, rng: np.random.Generator) -> Population:
        """Return one draw of the joint probabilities of outcomes."""
        raise NotImplementedError

    def arranged(self, rng: np.random.Generator, base: GroupDraws) -> GroupDraws:
        """Return draws from elsewhere, such as a Markov chain, as `draw_base` would return them."""
        return base


def scatter(where: Array, what: Array, size: int) -> Array:
    """Sum `what` of each draw at the indices `where`: from (n_sticks, M, n) to (size, n)."""
    n = what.shape[-1]
    flat = where * n
    flat += np.arange(n)
    return np.bincount(flat.ravel(), what.ravel(), n * size).reshape(size, n)
