"""Exact draws of tables with sparse outcomes, by stick-breaking.

The prior of a row of the table has a small total mass, spread over all cells of the row. A draw
from the Dirichlet posterior has two parts: each observed cell gets a Gamma(count) variable, without
the prior, and a Gamma(mass) variable is divided by stick-breaking among cells drawn from the prior
(Sethuraman 1994). So the cost of a draw is proportional to the number of observed cells plus the
number of rows, not to M^2 or M^K, and no Gamma variable with a tiny shape is drawn.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from typing import Any, TypeVar

import numpy as np
from numpy.polynomial import Chebyshev
from numpy.typing import NDArray
from scipy.special import expit, log_expit

from skbayeseval.engines.blocks import child_of, in_order
from skbayeseval.engines.gammas import large_gammas, log_rising
from skbayeseval.engines.recalls import RecallRows
from skbayeseval.engines.rows import REMAINDER, GroupDraws, Population, RowSampler
from skbayeseval.metrics.confusion import Totals
from skbayeseval.models.specification import Eta, Outcomes, OutcomeSpecification, Recall

__all__ = [
    "EtaSampler",
    "FullRows",
    "draw_populations",
    "outcome_blocks",
    "stream_outcomes",
]


Array = NDArray[Any]


# The degree with which the interpolation below has no error but that of rounding.
DEGREE = 24


class EtaSampler:
    """Draw logit(eta) by inverse CDF; the logit keeps the relative precision of 1 - eta.

    Parameters
    ----------
    eta : Eta
        The prior and the counts.
    prior : bool
        Whether to draw from the prior instead of the posterior.

    Examples
    --------
    >>> import numpy as np
    >>> from scipy.special import expit
    >>> from skbayeseval.engines.outcomes import EtaSampler
    >>> from skbayeseval.models.specification import Eta
    >>> counts = np.array([1.0]), np.array([6])  # six classes, of one instance each
    >>> none = np.array([]), np.array([], dtype=int)
    >>> eta = EtaSampler(Eta(np.ones(2), 6, right=counts, wrong=none), prior=False)
    >>> round(eta.mean, 3)  # Beta(7, 1)
    0.875
    >>> expit(eta.draw(np.random.default_rng(0), 3)).round(2)
    array([0.94, 0.83, 0.63])
    """

    def __init__(self, eta: Eta, *, prior: bool) -> None:
        self.grid, log_density = _eta_grid(eta, prior)
        density = np.exp(log_density - log_density.max())
        self.mass = np.concatenate([[0.0], np.cumsum((density[1:] + density[:-1]) / 2)])

    @property
    def mean(self) -> float:
        """The mean of eta."""
        weight = np.diff(self.mass)
        eta = expit(self.grid)
        return float(weight @ (eta[1:] + eta[:-1]) / (2 * weight.sum()))

    def draw(self, rng: np.random.Generator, n_draws: int, n_strata: int = 1) -> Array:
        """Return `n_draws` times `n_strata` draws of logit(eta), one per stratum."""
        uniform = (np.arange(n_strata) + rng.random((n_draws, n_strata))).ravel() / n_strata
        return np.interp(uniform * self.mass[-1], self.mass, self.grid)


def _eta_grid(eta: Eta, prior: bool) -> tuple[Array, Array]:
    """Return a grid of logit(eta) around the mode, and the log density on it."""
    log_density_of = _log_density(eta, prior)
    # Below 0 the log density falls by at least the first parameter per unit, above by the second.
    low, high = -max(60.0, 40 / eta.prior[0]), max(60.0, 40 / eta.prior[1])
    for n_steps in (200, 200, 1000):  # locate the mode, narrow the range, final grid
        n_nodes = 1 + round(n_steps * max(1.0, (high - low) / 120))
        grid = np.linspace(low, high, n_nodes)
        log_density = log_density_of(grid)
        inside = np.flatnonzero(log_density > log_density.max() - 40)
        low = grid[max(inside[0] - 1, 0)]
        high = grid[min(inside[-1] + 1, n_nodes - 1)]
    return grid, log_density


def _log_density(eta: Eta, prior: bool) -> Callable[[Array], Array]:
    """Return a function of logit(eta), the log of its density up to a constant.

    The rows are integrated out, so the likelihood is a product of Dirichlet-multinomials.
    """

    def log_prior(logit: Array) -> Array:
        return eta.prior[0] * log_expit(logit) + eta.prior[1] * log_expit(-logit)

    if prior:
        return log_prior
    of_right, of_wrong = _log_likelihood(*eta.right), _log_likelihood(*eta.wrong)

    def log_density(logit: Array) -> Array:
        # The prior mass of a right prediction is eta; 1 - eta is divided among the wrong ones.
        log_right, log_wrong = log_expit(logit), log_expit(-logit) - np.log(eta.n_classes - 1)
        return log_prior(logit) + of_right(log_right) + of_wrong(log_wrong)

    return log_density


def _log_likelihood(counts: Array, times: Array) -> Callable[[Array], Array]:
    """Return a function of log(shape), where the shape is at most 1, up to a constant.

    It is the sum of log(Gamma(shape + count) / Gamma(shape)) over counts.
    """
    counts, times = np.asarray(counts), np.asarray(times)
    large = counts >= 1
    # For a count of at least 1, that is log(shape) and an analytic function of the shape above -1:
    # a polynomial is as precise, and the same for all counts.
    of_large = Chebyshev.interpolate(
        lambda shape: log_rising(shape + 1, counts[large] - 1, times[large]), DEGREE, [0, 1]
    )

    def log_likelihood(log_shape: Array) -> Array:
        shape = np.exp(log_shape)
        of_small = log_rising(shape, counts[~large], times[~large])
        return times[large].sum() * log_shape + of_large(shape) + of_small

    return log_likelihood


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


T = TypeVar("T")


# The approximate memory of a block of draws. Changing it changes the draws of a given seed.
BLOCK_BYTES = 2**24


# Blocks of fewer draws would take longer; of more draws, threads would be without work. Round
# numbers of draws are evenly divided.
BLOCKS = (5000, 2500, 1250, 625, 250, 125, 50, 25)


FEWEST_DRAWS = 16


def as_arrays(block: Totals | Iterable[Array]) -> Totals | Array:
    """Return totals as they are, and the tables of all classifiers in one array."""
    return block if isinstance(block, Totals) else np.stack(list(block))


def stream_outcomes(
    specification: OutcomeSpecification,
    rng: np.random.Generator,
    n_draws: int,
    *,
    prior: bool,
    tables: bool,
    repeats: int = 1,
    remainder: float = REMAINDER,
    of_block: Callable[[Totals | Iterable[Array]], Any] = as_arrays,
) -> Iterator[Any]:
    """Yield blocks of draws: totals of shape (n_classifiers, n * repeats, M), or tables.

    Parameters
    ----------
    specification : OutcomeSpecification
        The model.
    rng : numpy.random.Generator
        The source of randomness. Its use does not depend on `tables`.
    n_draws : int
        The total number of draws.
    prior : bool
        Whether to draw from the prior instead of the posterior.
    tables : bool
        Whether to draw tables of shape (n_classifiers, n * repeats, M, M) instead of totals.
    repeats : int
        The number of times to draw each classifier with the same class proportions and sticks.
        Given these, classifiers are independent. The etas are stratified over the repeats.
    remainder : float
        The largest expected fraction of a row that may be lost by truncating the stick-breaking.
    of_block : callable
        What is yielded of a block, given totals of shape (n_classifiers, n * repeats, M), or the
        tables of each classifier, which are drawn one after another; by default all of it.
    """
    return outcome_blocks(
        specification,
        lambda _, block: of_block(block),
        rng,
        n_draws,
        prior=prior,
        tables=tables,
        repeats=repeats,
        remainder=remainder,
    )


def outcome_blocks(
    specification: OutcomeSpecification,
    of_block: Callable[[list[GroupDraws], Totals | Iterable[Array]], T],
    rng: np.random.Generator,
    n_draws: int,
    *,
    prior: bool,
    tables: bool,
    repeats: int = 1,
    remainder: float = REMAINDER,
    given: Sequence[GroupDraws] | None = None,
) -> Iterator[T]:
    """Yield what is asked of the blocks of `stream_outcomes` and the draws they depend on.

    With `given`, these draws come from elsewhere, such as a Markov chain, and only the rows are
    drawn, from their conjugate posterior.
    """
    samplers = [_sampler(group, prior, remainder) for group in specification.groups]
    block = _block_size(samplers, repeats)

    def draw(rng: np.random.Generator, start: int) -> T:
        here = slice(start, min(start + block, n_draws))
        bases = [
            sampler.draw_base(rng, here.stop - start, repeats)
            if given is None
            else sampler.arranged(rng, _part(given[g], here))
            for g, sampler in enumerate(samplers)
        ]
        rows = chain.from_iterable(
            sampler.draw_rows(rng, base, tables, repeats)
            for sampler, base in zip(samplers, bases, strict=True)
        )
        return of_block(bases, rows if tables else _stacked(rows))

    return in_order(draw, ((child_of(rng), start) for start in range(0, n_draws, block)))


def _block_size(samplers: Sequence[RowSampler], repeats: int) -> int:
    """Return the number of draws per block, which is the same for totals and for tables.

    Groups are drawn one after another, and of each, the totals are kept.
    """
    bytes_per_draw = max(one.bytes_per_draw for one in samplers)
    bytes_per_draw += sum(one.bytes_of_totals for one in samplers)
    fits = [size for size in BLOCKS if size * repeats * bytes_per_draw <= BLOCK_BYTES]
    return fits[0] if fits else max(1, FEWEST_DRAWS // repeats)


def _stacked(rows: Iterable[Totals]) -> Totals:
    """Return the totals of all classifiers."""
    hits, true, predicted = (
        np.stack([one.T for one in parts]) for parts in zip(*rows, strict=True)
    )
    return Totals(hits.swapaxes(1, 2), true.swapaxes(1, 2), predicted.swapaxes(1, 2))


def draw_populations(
    specification: OutcomeSpecification, rng: np.random.Generator, n_draws: int
) -> list[tuple[Population, ...]]:
    """Return posterior draws of the joint probabilities, each with one population per group."""
    samplers = [_sparse(group, False, REMAINDER) for group in specification.groups]
    return [tuple(s.draw_population(rng) for s in samplers) for _ in range(n_draws)]


def _sampler(group: Outcomes, prior: bool, remainder: float) -> RowSampler:
    eta = group.etas[0]
    if not prior and isinstance(eta, Eta) and FullRows.suit(group):
        return FullRows(group, EtaSampler(eta, prior=False))
    return _sparse(group, prior, remainder)


def _sparse(group: Outcomes, prior: bool, remainder: float) -> RowSampler:
    if isinstance(group.etas[0], Recall):
        return RecallRows(group, prior, remainder)
    return _GroupSampler(group, prior, remainder)


def _part(draws: GroupDraws, here: slice) -> GroupDraws:
    return GroupDraws(
        None if draws.mu is None else draws.mu[here],
        tuple(None if one is None else one[here] for one in draws.logits),
        tuple(one[here] for one in draws.masses),
    )


class _GroupSampler(RowSampler):
    """Draw rows with the published prior, whose mass is spread over all cells of a row."""

    def __init__(self, group: Outcomes, prior: bool, remainder: float) -> None:
        super().__init__(group, prior)
        m = self.n_classes
        self.etas = [
            EtaSampler(eta, prior=prior) if isinstance(eta, Eta) else None for eta in group.etas
        ]
        self.n_sticks = self._sticks_needed(remainder)
        self.to_hits, self.to_said = [], []
        for said in self.predictions.T:
            hit = np.where(said == self.truth, said, m)
            self.to_hits.append(self.indicator(hit, m + 1)[:m])
            self.to_said.append(self.indicator(said))

    def _sticks_needed(self, remainder: float) -> int:
        """Return the number of sticks that keeps the expected loss of a row below `remainder`."""
        mass = self.group.mass
        fewest = np.bincount(self.truth, self.counts, self.n_classes).min()
        # The prior is mass / (mass + counts) of a row, and each stick V ~ Beta(1, mass) leaves a
        # fraction 1 - V of it, mass / (1 + mass) on average.
        left_of_prior = remainder * (mass + fewest) / mass
        return max(1, int(np.ceil(np.log(left_of_prior) / np.log(mass / (1 + mass)))))

    def draw_base(self, rng: np.random.Generator, n: int, repeats: int) -> GroupDraws:
        """Return draws of the class proportions and, per repeat, of each logit(eta)."""
        logits = tuple(None if eta is None else eta.draw(rng, n, repeats) for eta in self.etas)
        return GroupDraws(self.draw_proportions(rng, n), logits)

    def draw_rows(
        self, rng: np.random.Generator, base: GroupDraws, tables: bool, repeats: int
    ) -> Iterator[Any]:
        """Yield totals of shape (n * repeats, M), or tables, of each classifier."""
        mu, logits, _ = base
        m = self.n_classes
        observed, sticks = self._draw_probabilities(rng, mu)
        if repeats > 1:
            mu = np.repeat(mu, repeats, axis=0)
            observed, sticks = (np.repeat(x, repeats, axis=-1) for x in (observed, sticks))

        for k, logit in enumerate(logits):
            right, landed = self._where_sticks_land(rng, sticks.shape, logit)
            if tables:
                cells = self.cells_of_sticks(landed, sticks)
                cells += self.indicator(self.truth * m + self.predictions[:, k], m * m) @ observed
                yield cells.T.reshape(-1, m, m)
            else:
                hits = np.einsum("smn,smn->mn", sticks, right)
                hits += self.to_hits[k] @ observed
                predicted = self.sums_of_sticks(landed, sticks)
                predicted += self.to_said[k] @ observed
                yield Totals(hits.T, mu, predicted.T)

    def draw_population(self, rng: np.random.Generator) -> Population:
        """Return one draw of the joint probabilities of observed outcomes and sticks."""
        mu, logits, _ = self.draw_base(rng, 1, 1)
        observed, sticks = self._draw_probabilities(rng, mu)
        landed = [self._where_sticks_land(rng, sticks.shape, one)[1].ravel() for one in logits]
        landed = [one % self.n_classes for one in landed]
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
        # The probabilities in a row, multiplied by the proportion of its class.
        scale = mu.T / (self.to_row @ observed + unseen)
        observed *= scale[self.truth]
        return observed, self._break_sticks(rng, unseen * scale)

    def _break_sticks(self, rng: np.random.Generator, prior: Array) -> Array:
        """Return the part of each row that is due to the prior, divided into sticks.

        `prior` has shape (M, n), the sticks have shape (n_sticks, M, n).
        """
        # If V ~ Beta(1, mass), 1 - V is a uniform variable to the power of 1 / mass.
        sticks = rng.random((self.n_sticks, *prior.shape))
        if self.group.mass != 1:
            sticks **= 1 / self.group.mass
        sticks[-1] = 0.0  # the last stick gets the remainder
        remaining = prior
        for stick in sticks:
            stick *= remaining
            remaining, stick[...] = stick.copy(), remaining - stick
        return sticks

    def _where_sticks_land(
        self, rng: np.random.Generator, shape: tuple[int, ...], logit: Array | None
    ) -> tuple[Array, Array]:
        """Return whether each stick is on the true class (1.0 or 0.0), and its class modulo M."""
        m = self.n_classes
        u = rng.random(shape)
        # 1 - eta may underflow; the least value only keeps the division below finite.
        p_wrong = 1 - 1 / m if logit is None else np.maximum(expit(-logit), 1e-300)
        # The class is wrong if u < p_wrong, and then u / p_wrong is uniform as well.
        u *= (m - 1) / p_wrong
        steps = np.minimum(u, m - 1, out=u).astype(np.intp)  # classes after the next; m - 1: right
        right = np.equal(steps, m - 1, out=u, casting="unsafe")
        steps += np.arange(1, m + 1)[:, None]
        return right, steps
