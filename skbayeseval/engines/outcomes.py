"""Exact draws of tables with sparse outcomes: the eta grid, and observed cells plus sticks.

The prior of a row of the table has a small total mass, spread over all its cells. A Dirichlet with
that prior and the observed counts is a mixture of the two: the observed cells get Gamma(count),
without the prior, and a further Gamma(mass) is spread by sticks over cells drawn from the full
prior (Sethuraman 1994). So a draw costs the observed cells and a constant for each row, not M^2 or
M^K, and no gamma of a tiny shape is ever drawn.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.special import expit, gammaln, log_expit

from skbayeseval.engines.gammas import GammaRows
from skbayeseval.metrics.confusion import Totals
from skbayeseval.models.specification import Eta, Outcomes, OutcomeSpecification

__all__ = [
    "EtaSampler",
    "GroupDraws",
    "Population",
    "draw_populations",
    "log_density_of_eta",
    "outcome_blocks",
    "stream_outcomes",
]

Array = NDArray[Any]

# A block of draws takes about this much memory. Part of the recipe, as the order of draws is.
BLOCK_BYTES = 2**26

# What the sticks leave out is less than this share of a row, on average.
REMAINDER = 1e-6


class Population(NamedTuple):
    """What instances are drawn from: outcomes, and how probable each is.

    Attributes
    ----------
    truth : ndarray of shape (n_outcomes,)
        The true class.
    predictions : ndarray of shape (n_outcomes, n_classifiers)
        What each classifier says.
    probability : ndarray of shape (n_outcomes,)
        Sums to 1.
    """

    truth: Array
    predictions: Array
    probability: Array


class GroupDraws(NamedTuple):
    """Draws of what the rows of one group stand on: class proportions, and logit(eta) of each."""

    mu: Array
    logits: tuple[Array | None, ...]


def stream_outcomes(
    specification: OutcomeSpecification,
    rng: np.random.Generator,
    n_draws: int,
    *,
    prior: bool,
    tables: bool,
    repeats: int = 1,
    remainder: float = REMAINDER,
) -> Iterator[Totals | Array]:
    """Yield blocks of draws: totals of shape (n_classifiers, n * repeats, M), or tables.

    Parameters
    ----------
    specification : OutcomeSpecification
        The model.
    rng : numpy.random.Generator
        The source of randomness; it is used alike whatever is asked for.
    n_draws : int
        How many draws in all.
    prior : bool
        Whether to leave the data out.
    tables : bool
        Whether to yield tables of shape (n_classifiers, n * repeats, M, M) instead of totals.
    repeats : int
        How often to draw each classifier with the same class proportions and sticks, given which
        classifiers are independent; its etas are spread evenly over the repeats.
    remainder : float
        The share of a row that sticks may leave out, on average.
    """
    for _, block in outcome_blocks(
        specification,
        rng,
        n_draws,
        prior=prior,
        tables=tables,
        repeats=repeats,
        remainder=remainder,
    ):
        yield block


def outcome_blocks(
    specification: OutcomeSpecification,
    rng: np.random.Generator,
    n_draws: int,
    *,
    prior: bool,
    tables: bool,
    repeats: int = 1,
    remainder: float = REMAINDER,
    given: Sequence[GroupDraws] | None = None,
) -> Iterator[tuple[list[GroupDraws], Totals | Array]]:
    """Yield blocks as `stream_outcomes` does, each with the draws that its rows stand on.

    With `given` those draws come from elsewhere, such as a Markov chain; the rows are then drawn
    from their conjugate posterior.
    """
    samplers = [_GroupSampler(group, prior, remainder) for group in specification.groups]
    # Groups are drawn one after another, and only what they give is kept.
    kept = sum(sampler.bytes_kept(tables) for sampler in samplers[1:])
    cost = repeats * (max(sampler.bytes_per_draw for sampler in samplers) + kept)
    block = max(1, min(4096, BLOCK_BYTES // cost))
    for start in range(0, n_draws, block):
        size = min(block, n_draws - start)
        bases, drawn = [], []
        for g, sampler in enumerate(samplers):
            if given is None:
                base = sampler.draw_base(rng, size, repeats)
            else:
                here = slice(start, start + size)
                logits = tuple(None if one is None else one[here] for one in given[g].logits)
                base = GroupDraws(given[g].mu[here], logits)
            bases.append(base)
            drawn.append(sampler.draw_rows(rng, base, tables, repeats))
        if tables:
            yield bases, np.concatenate(drawn)
        else:
            yield bases, Totals(*(np.concatenate(parts) for parts in zip(*drawn, strict=True)))


def draw_populations(
    specification: OutcomeSpecification, rng: np.random.Generator, n_draws: int
) -> list[tuple[Population, ...]]:
    """Return draws of the joint probabilities after the data, one population a group."""
    samplers = [_GroupSampler(group, False, REMAINDER) for group in specification.groups]
    return [tuple(s.draw_population(rng) for s in samplers) for _ in range(n_draws)]


class EtaSampler:
    """Draws of logit(eta), which keeps 1 - eta to full relative precision, by inverse CDF."""

    def __init__(self, eta: Eta, *, prior: bool) -> None:
        self.grid, log_density = _eta_grid(eta, prior)
        density = np.exp(log_density - log_density.max())
        self.mass = np.concatenate([[0.0], np.cumsum((density[1:] + density[:-1]) / 2)])

    def draw(self, rng: np.random.Generator, n_draws: int, n_strata: int = 1) -> Array:
        """Return draws of logit(eta), `n_draws` times one from each of the strata."""
        uniform = (np.arange(n_strata) + rng.random((n_draws, n_strata))).ravel() / n_strata
        return np.interp(uniform * self.mass[-1], self.mass, self.grid)


def log_density_of_eta(eta: Eta, logit: Array, *, prior: bool) -> Array:
    """Return the log density of logit(eta), up to a constant.

    With the rows integrated out, the likelihood is a product of Dirichlet-multinomials.
    """
    log_right, log_wrong = log_expit(logit), log_expit(-logit)
    total = eta.prior[0] * log_right + eta.prior[1] * log_wrong
    if not prior:
        shapes = (np.exp(log_right), np.exp(log_wrong) / (eta.n_classes - 1))
        for shape, (counts, times) in zip(shapes, (eta.right, eta.wrong), strict=True):
            for count, often in zip(counts, times, strict=True):
                total = total + often * (gammaln(shape + count) - gammaln(shape))
    return total


def _eta_grid(eta: Eta, prior: bool) -> tuple[Array, Array]:
    """Return a grid of logit(eta) around the mode, and the log density on it."""
    low, high = -60.0, 60.0
    for n_nodes in (201, 201, 1001):  # to find the place, to narrow it down, to draw from
        grid = np.linspace(low, high, n_nodes)
        log_density = log_density_of_eta(eta, grid, prior=prior)
        inside = np.flatnonzero(log_density > log_density.max() - 40)
        low = grid[max(inside[0] - 1, 0)]
        high = grid[min(inside[-1] + 1, n_nodes - 1)]
    return grid, log_density


class _GroupSampler:
    """Draws of one group of classifiers."""

    def __init__(self, group: Outcomes, prior: bool, remainder: float) -> None:
        self.group = group
        self.etas = [None if e is None else EtaSampler(e, prior=prior) for e in group.etas]
        self.n_classes = len(group.mu.prior)
        self.n_classifiers = len(group.etas)
        self.mu_shape = group.mu.prior if prior else group.mu.prior + group.mu.counts
        self.gammas = GammaRows(group.counts[: 0 if prior else None])
        self.truth = group.truth[self.gammas.order]
        self.predictions = group.predictions[self.gammas.order]
        self.counts = group.counts[self.gammas.order]
        self.to_row = self._indicator(self.truth)
        self.n_sticks = self._sticks_needed(remainder)
        cells = self.n_classifiers * min(self.n_classes, 200) ** 2  # should tables be wanted
        sticks = self.n_classes * self.n_sticks
        self.bytes_per_draw = 8 * (4 * len(self.truth) + 8 * sticks + 2 * cells)

    def bytes_kept(self, tables: bool) -> int:
        """Return the memory of a draw of totals, or of tables."""
        return 8 * self.n_classifiers * self.n_classes * (self.n_classes if tables else 3)

    def _sticks_needed(self, remainder: float) -> int:
        """Return how many sticks leave out less than `remainder` of any row, on average."""
        mass = self.group.mass
        fewest = np.bincount(self.truth, self.counts, self.n_classes).min()
        # A row's prior has mass / (mass + counts) of it, of which every stick V ~ Beta(1, mass)
        # leaves 1 - V, on average mass / (1 + mass).
        left_of_prior = remainder * (mass + fewest) / mass
        return max(1, int(np.ceil(np.log(left_of_prior) / np.log(mass / (1 + mass)))))

    def _indicator(self, columns: Array, n_columns: int | None = None) -> Any:
        """Return a sparse matrix that sums outcomes into columns, transposed for speed."""
        n_outcomes = len(columns)
        shape = (n_columns or self.n_classes, n_outcomes)
        return sparse.csr_matrix((np.ones(n_outcomes), (columns, np.arange(n_outcomes))), shape)

    def draw_base(self, rng: np.random.Generator, n: int, repeats: int) -> GroupDraws:
        """Return draws of the class proportions and, a repeat, of each logit(eta)."""
        logits = tuple(None if eta is None else eta.draw(rng, n, repeats) for eta in self.etas)
        known = self.group.known_mu
        mu = rng.dirichlet(self.mu_shape, n) if known is None else np.tile(known, (n, 1))
        return GroupDraws(mu, logits)

    def draw_rows(
        self, rng: np.random.Generator, base: GroupDraws, tables: bool, repeats: int
    ) -> Any:
        """Return totals of shape (n_classifiers, n * repeats, M), or tables."""
        mu, logits = base
        m = self.n_classes
        observed, sticks = self._draw_probabilities(rng, mu)
        if repeats > 1:
            mu = np.repeat(mu, repeats, axis=0)
            observed, sticks = (np.repeat(x, repeats, axis=-1) for x in (observed, sticks))

        found: list[Any] = []
        for k, logit in enumerate(logits):
            right, landed = self._where_sticks_land(rng, sticks.shape, logit)
            if tables:
                found.append(self._table(k, observed, sticks, landed))
                continue
            said = self.predictions[:, k]
            correct = np.flatnonzero(said == self.truth)
            hits = self.to_row[:, correct] @ observed[correct]
            hits = hits + np.einsum("smn,smn->mn", sticks, right)
            predicted = self._indicator(said) @ observed + _scatter(landed, sticks, m)
            found.append(Totals(hits.T, mu, predicted.T))
        if tables:
            return np.stack(found)
        return Totals(*(np.stack(parts) for parts in zip(*found, strict=True)))

    def draw_population(self, rng: np.random.Generator) -> Population:
        """Return one draw of the joint probabilities: the observed outcomes, and the sticks."""
        mu, logits = self.draw_base(rng, 1, 1)
        observed, sticks = self._draw_probabilities(rng, mu)
        landed = [self._where_sticks_land(rng, sticks.shape, one)[1].ravel() for one in logits]
        return Population(
            np.concatenate([self.truth, np.tile(np.arange(self.n_classes), self.n_sticks)]),
            np.concatenate([self.predictions, np.column_stack(landed)]),
            np.concatenate([observed.ravel(), sticks.ravel()]),
        )

    def _draw_probabilities(self, rng: np.random.Generator, mu: Array) -> tuple[Array, Array]:
        """Return probabilities of observed outcomes (n_outcomes, n) and sticks (n_sticks, M, n)."""
        n = len(mu)
        observed = self.gammas.draw(rng, n)
        unseen = rng.standard_gamma(self.group.mass, (self.n_classes, n))
        # A row's probabilities times the proportion of its class.
        scale = mu.T / (self.to_row @ observed + unseen)
        observed *= scale[self.truth]
        return observed, self._break_sticks(rng, unseen * scale)

    def _break_sticks(self, rng: np.random.Generator, prior: Array) -> Array:
        """Return the prior's share of each row, (M, n), broken into sticks, (n_sticks, M, n)."""
        # V ~ Beta(1, mass): 1 - V is a uniform to the power of 1 / mass.
        sticks = rng.random((self.n_sticks, *prior.shape))
        if self.group.mass != 1:
            sticks **= 1 / self.group.mass
        sticks[-1] = 0.0  # the remainder goes to the last
        remaining = prior
        for stick in sticks:
            stick *= remaining
            remaining, stick[...] = stick.copy(), remaining - stick
        return sticks

    def _where_sticks_land(
        self, rng: np.random.Generator, shape: tuple[int, ...], logit: Array | None
    ) -> tuple[Array, Array]:
        """Return whether a stick lands on the true class (1.0 or 0.0), and on which class."""
        m = self.n_classes
        u = rng.random(shape)
        p_wrong = 1 - 1 / m if logit is None else expit(-logit)
        # Below p_wrong a uniform u is wrong, and then u / p_wrong is uniform again.
        u *= (m - 1) / p_wrong
        steps = np.minimum(u, m - 1, out=u).astype(np.int32)  # past the next class; all: right
        right = (steps == m - 1).astype(float)
        steps += np.arange(1, m + 1, dtype=np.int32)[:, None]
        return right, np.where(steps < m, steps, steps - m)

    def _table(self, k: int, observed: Array, sticks: Array, landed: Array) -> Array:
        m = self.n_classes
        cells = self.truth * m + self.predictions[:, k]
        table = self._indicator(cells, m * m) @ observed
        table = table + _scatter(np.arange(m)[:, None] * m + landed, sticks, m * m)
        return table.T.reshape(-1, m, m)


def _scatter(where: Array, what: Array, size: int) -> Array:
    """Add up `what` of each draw at the places `where`, of shape (n_sticks, M, n): (size, n)."""
    n = what.shape[-1]
    flat = where * n + np.arange(n)
    return np.bincount(flat.ravel(), what.ravel(), n * size).reshape(size, n)
