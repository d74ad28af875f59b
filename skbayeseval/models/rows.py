"""Exact draws of the rows of confusion tables: sticks for sparse ones, cells for full ones.

The prior of a row has a small total mass (1, or 4 theta for K binary classifiers), spread over all
of its M^K cells. A draw from the Dirichlet posterior has two parts (Sethuraman 1994): every
observed outcome gets a Gamma(count) variable, without the prior, and a Gamma(mass) variable is
divided by stick-breaking among cells drawn from the prior. So a draw costs the observed outcomes
and the rows, not M^K, and no Gamma variable has a tiny shape. The last stick gets the remainder,
less than 1e-6 of a row on average, and its cell is drawn like the others: means are exact.

Where one classifier's table has few empty cells, every cell is a Gamma variable instead
(`FullRows`). With the prior `mu=1`, the sums of its rows are to each other as the class proportions
are, which are then not drawn.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.random import Generator
from scipy import sparse
from scipy.special import expit, log_expit

from skbayeseval._arrays import Array
from skbayeseval.evidence.interface import letter
from skbayeseval.metrics.metric import Totals
from skbayeseval.models.gammas import GammaRows, Simplex, dirichlet, log_rising

# The expected fraction of a row that is lost by truncating the stick-breaking is below this.
REMAINDER = 1e-6

# Of no more classes, outcomes are summed by a dense matrix.
DENSE = 4

# The density of eta is interpolated between its nodes, in so many steps.
FINER = 5


@dataclass(frozen=True)
class Eta:
    """The concentration of a hierarchical prior on the diagonal (Zhang et al. 2015, section III).

    Row j of a confusion table is Dirichlet with eta on class j and (1 - eta) / (M - 1) on every
    other class. Given eta, empty cells drop out of the likelihood.

    Parameters
    ----------
    prior : ndarray of shape (2,)
        Beta prior of eta.
    n_classes : int
        The number of classes, M.
    right, wrong : ndarray
        The effective counts of the observed cells on and off the diagonal.
    """

    prior: Array
    n_classes: int
    right: Array
    wrong: Array

    @cached_property
    def posterior(self) -> EtaSampler:
        """The posterior of eta."""
        return EtaSampler(self, prior=False)


@dataclass(frozen=True)
class Recall:
    """The distribution of a classifier's recalls over the classes.

    The recall of class j is Beta(s eta, s (1 - eta)). 1 / (1 + s) is the intraclass correlation: by
    how much two instances of one class are more alike, in being right or wrong, than two instances
    of different classes.

    Parameters
    ----------
    prior, icc : ndarray of shape (2,)
        Beta priors of eta and of the intraclass correlation.
    right, wrong : ndarray of shape (n_classes,)
        The effective numbers of right and wrong predictions of each class.
    """

    prior: Array
    icc: Array
    right: Array
    wrong: Array


@dataclass(frozen=True)
class Outcomes:
    """Classifiers on the same instances: class proportions and observed outcomes.

    For true class j, an outcome is the tuple of all predictions. The Dirichlet prior of the
    outcomes has total mass `mass`, distributed as the product of the classifiers' own priors. The
    prior of one classifier has eta on class j and spreads the rest over the other classes. Without
    an eta, it is uniform. With a `Recall`, classifiers have no joint prior: each has its own
    recalls and its own distribution of wrong predictions.

    Parameters
    ----------
    mu : Simplex
        The class proportions.
    truth : ndarray of shape (n_outcomes,)
        The true class of each distinct outcome.
    predictions : ndarray of shape (n_outcomes, n_classifiers)
        The predictions of each classifier.
    counts : ndarray of shape (n_outcomes,)
        Effective counts.
    etas : tuple of Eta, Recall or None
        The eta, or the distribution of recalls, of each classifier.
    mass : float
        The total mass of the Dirichlet prior of a row.
    known_mu : ndarray of shape (n_classes,), default=None
        Known class proportions, to use in place of `mu`.
    estimates_mu : bool, default=False
        Whether the distribution of the class proportions is learned from all classes.
    """

    mu: Simplex
    truth: Array
    predictions: Array
    counts: Array
    etas: tuple[Eta | Recall | None, ...]
    mass: float = 1.0
    known_mu: Array | None = None
    estimates_mu: bool = False

    @property
    def samples_mu(self) -> bool:
        """Whether the class proportions are a parameter with a Dirichlet prior."""
        return self.known_mu is None and not self.estimates_mu

    def names(self, position: int) -> tuple[str, list[str]]:
        """Return what mu and the etas are called in the group at that position."""
        if len(self.etas) == 1:
            return f"mu_{letter(position)}", [f"eta_{letter(position)}"]
        return "mu", [f"eta_{letter(k)}" for k in range(len(self.etas))]


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
        The class proportions; None if they are still to be drawn.
    logits : tuple of ndarray of shape (n,) or None
        logit(eta) of each classifier.
    masses : tuple of ndarray of shape (n,)
        For recalls that vary between classes, the concentration of each classifier's recalls.
    """

    mu: Any
    logits: tuple[Array | None, ...]
    masses: tuple[Array, ...] = ()

    def part(self, here: slice) -> GroupDraws:
        """Return some of the draws."""
        return GroupDraws(
            None if self.mu is None else self.mu[here],
            tuple(None if logit is None else logit[here] for logit in self.logits),
            tuple(mass[here] for mass in self.masses),
        )


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
    # Draws of the class proportions and of what else the rows need; totals of shape (n, M), or
    # tables, of each classifier, given these; one draw of the joint probabilities of outcomes.
    draw_base: Callable[[Generator, int], GroupDraws]
    draw_rows: Callable[[Generator, GroupDraws, bool], Iterator[Any]]
    draw_population: Callable[[Generator], Population]

    def __init__(self, group: Outcomes, prior: bool) -> None:
        self.group = group
        self.n_classes = len(group.mu.prior)
        self.n_classifiers = len(group.etas)
        self.mu_shape = group.mu.prior if prior else group.mu.prior + group.mu.counts
        self.gammas = GammaRows(group.counts[: 0 if prior else None])
        self.truth = group.truth[self.gammas.order]
        self.predictions = group.predictions[self.gammas.order]
        self.counts = group.counts[self.gammas.order]

    @cached_property
    def to_row(self) -> Any:
        """The sparse matrix that sums outcomes by their true class."""
        return self.indicator(self.truth)

    @property
    def bytes_per_draw(self) -> int:
        """The memory in bytes that one draw needs, besides its totals."""
        cells = min(self.n_classes, 200) ** 2  # of one classifier, if tables are drawn
        sticks = self.n_classes * self.n_sticks
        return 8 * (2 * len(self.truth) + 4 * sticks + 2 * cells)

    def sums_of_sticks(self, landed: Array, sticks: Array) -> Array:
        """Return what the sticks add to each predicted class, of shape (M, n).

        `landed` are classes, or classes plus M.
        """
        m = self.n_classes
        sums = _scatter(landed, sticks, 2 * m)
        return sums[:m] + sums[m:]

    def cells_of_sticks(self, landed: Array, sticks: Array) -> Array:
        """Return what the sticks add to each cell of the table, of shape (M * M, n)."""
        m = self.n_classes
        return _scatter(np.arange(m)[:, None] * m + landed % m, sticks, m * m)

    def indicator(self, columns: Array, n_columns: int | None = None) -> Any:
        """Return a sparse matrix that sums outcomes into columns; transposed for speed."""
        n_outcomes = len(columns)
        shape = (n_columns or self.n_classes, n_outcomes)
        return sparse.csr_matrix((np.ones(n_outcomes), (columns, np.arange(n_outcomes))), shape)

    def draw_proportions(self, rng: Generator, n: int) -> Array:
        """Return draws of the class proportions, of shape (n, M)."""
        known = self.group.known_mu
        return dirichlet(rng, self.mu_shape, n).T if known is None else np.tile(known, (n, 1))

    def break_sticks(self, rng: Generator, prior: Array) -> Array:
        """Return what is due to the prior, divided into sticks that sum to it.

        `prior` has two axes; that of sticks comes before them.
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

    def arranged(self, rng: Generator, base: GroupDraws) -> GroupDraws:
        """Return draws from elsewhere, such as a Markov chain, as `draw_base` would return them."""
        return base


def _scatter(where: Array, what: Array, size: int) -> Array:
    """Sum `what` of each draw at the indices `where`: from (n_sticks, M, n) to (size, n)."""
    n = what.shape[-1]
    flat = where * n
    flat += np.arange(n)
    return np.bincount(flat.ravel(), what.ravel(), n * size).reshape(size, n)


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
    >>> from skbayeseval.models.rows import Eta, EtaSampler
    >>> counts = np.ones(6)  # six classes, of one instance each
    >>> eta = EtaSampler(Eta(np.ones(2), 6, right=counts, wrong=np.array([])), prior=False)
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

    def draw(self, rng: Generator, n_draws: int) -> Array:
        """Return draws of logit(eta)."""
        return np.interp(rng.random(n_draws) * self.mass[-1], self.mass, self.grid)


def _eta_grid(eta: Eta, prior: bool) -> tuple[Array, Array]:
    """Return a grid of logit(eta) around the mode, and the log density on it."""
    # Below 0 the log density falls by at least the first parameter per unit, above by the second.
    low, high = -max(60.0, 40 / eta.prior[0]), max(60.0, 40 / eta.prior[1])
    for _ in range(3):  # locate the mode, narrow the range, final grid
        n_nodes = 1 + round(200 * max(1.0, (high - low) / 120))
        grid = np.linspace(low, high, n_nodes)
        log_density = log_density_of_eta(eta, grid, prior=prior)
        inside = np.flatnonzero(log_density > log_density.max() - 40)
        low = grid[max(inside[0] - 1, 0)]
        high = grid[min(inside[-1] + 1, n_nodes - 1)]
    return _refined(grid), _refined(log_density)


def _refined(values: Array) -> Array:
    """Return values at evenly spaced nodes, and between them those of cubics through four nodes.

    The first and the last node are left out.
    """
    t = np.arange(FINER) / FINER  # 0 at the second of the four nodes, 1 at the third
    weights = [
        -t * (t - 1) * (t - 2) / 6,
        (t + 1) * (t - 1) * (t - 2) / 2,
        -(t + 1) * t * (t - 2) / 2,
        (t + 1) * t * (t - 1) / 6,
    ]
    of_four = np.lib.stride_tricks.sliding_window_view(values, 4)
    return np.append((of_four @ np.array(weights)).ravel(), values[-2])


def log_density_of_eta(eta: Eta, logit: Array, *, prior: bool) -> Array:
    """Return the log density of logit(eta), up to a constant.

    The rows are integrated out, so the likelihood is a product of Dirichlet-multinomials.
    """
    log_prior = eta.prior[0] * log_expit(logit) + eta.prior[1] * log_expit(-logit)
    if prior:
        return log_prior
    # The prior mass of a right prediction is eta; 1 - eta is divided among the wrong ones.
    of_right = log_rising(expit(logit), eta.right)
    return log_prior + of_right + log_rising(expit(-logit) / (eta.n_classes - 1), eta.wrong)


class FullRows(RowSampler):
    """Draw the rows of one classifier, after the data, most of whose cells were observed.

    Parameters
    ----------
    group : Outcomes
        The classifier and its outcomes.
    """

    def __init__(self, group: Outcomes) -> None:
        super().__init__(group, prior=False)
        eta = group.etas[0]
        assert isinstance(eta, Eta)
        self.eta = eta.posterior
        self.table = np.zeros((self.n_classes, self.n_classes))
        self.table[self.truth, self.predictions[:, 0]] = self.counts
        # Then the cells, of all rows together, are a Dirichlet vector given eta.
        self.proportions_are_sums = group.known_mu is None and np.allclose(
            self.table.sum(axis=1) + group.mass, self.mu_shape, rtol=1e-12, atol=0
        )

    @staticmethod
    def suit(group: Outcomes) -> bool:
        """Return whether one classifier has an eta, many cells observed and no empty row."""
        n_classes = len(group.mu.prior)
        has_one_eta = len(group.etas) == 1 and isinstance(group.etas[0], Eta)
        if not has_one_eta or 2 * len(group.counts) <= n_classes**2:
            return False
        of_rows = np.bincount(group.truth, group.counts, n_classes)
        return bool(np.round(of_rows, 9).min() >= 1)

    @property
    def bytes_per_draw(self) -> int:
        """The memory in bytes that one draw needs, besides its totals."""
        # Less than it does: NumPy is twice as slow in rows of fewer than 4096 draws.
        return 8 * 2 * self.n_classes**2

    def draw_base(self, rng: Generator, n: int) -> GroupDraws:
        """Return draws of logit(eta), and of the class proportions where rows do not tell them."""
        mu = None if self.proportions_are_sums else self.draw_proportions(rng, n)
        return GroupDraws(mu, (self.eta.draw(rng, n),))

    def _shapes(self, logit: Array) -> Array:
        """Return the Gamma shapes of all cells, of shape (M * M, n), given n values of eta."""
        m, mass, counts = self.n_classes, self.group.mass, self.table.reshape(-1, 1)
        shapes = counts + mass / (m - 1) * expit(-logit)
        shapes[:: m + 1] = counts[:: m + 1] + mass * expit(logit)
        return shapes

    def draw_rows(self, rng: Generator, base: GroupDraws, tables: bool) -> Iterator[Any]:
        """Yield totals of shape (n, M), or tables."""
        (logit,), m = base.logits, self.n_classes
        assert logit is not None
        cells = rng.standard_gamma(self._shapes(logit)).reshape(m, m, -1)
        true = cells.sum(axis=1)
        mu = true / true.sum(axis=0) if base.mu is None else base.mu.T
        scale = mu / true
        if tables:
            cells *= scale[:, None]
            yield cells.transpose(2, 0, 1)
        else:
            predicted = np.einsum("jkn,jn->kn", cells, scale)
            yield Totals(np.diagonal(cells) * scale.T, mu.T, predicted.T)


class StickRows(RowSampler):
    """Draw rows with the published prior, whose mass is spread over all cells of a row."""

    def __init__(self, group: Outcomes, prior: bool) -> None:
        super().__init__(group, prior)
        m = self.n_classes
        self.etas = [
            EtaSampler(eta, prior=prior) if isinstance(eta, Eta) else None for eta in group.etas
        ]
        # The prior is mass / (mass + counts) of a row, and each stick V ~ Beta(1, mass) leaves a
        # fraction 1 - V of it, mass / (1 + mass) on average.
        mass, fewest = group.mass, np.bincount(self.truth, self.counts, m).min()
        left_of_prior = REMAINDER * (mass + fewest) / mass
        self.n_sticks = max(1, int(np.ceil(np.log(left_of_prior) / np.log(mass / (1 + mass)))))
        # A product of few classes is dense, and one of all classifiers.
        self.is_dense, self.to_totals = m <= DENSE, []
        for said in self.predictions.T:
            hit = np.where(said == self.truth, said, m)
            of_one = sparse.vstack([self.indicator(hit, m + 1)[:m], self.indicator(said)])
            self.to_totals.append(of_one.toarray() if self.is_dense else of_one.tocsr())
        if self.is_dense:
            self.all_to_totals = np.concatenate(self.to_totals)

    def draw_base(self, rng: Generator, n: int) -> GroupDraws:
        """Return draws of the class proportions and of each logit(eta)."""
        logits = tuple(None if eta is None else eta.draw(rng, n) for eta in self.etas)
        return GroupDraws(self.draw_proportions(rng, n), logits)

    def draw_rows(self, rng: Generator, base: GroupDraws, tables: bool) -> Iterator[Any]:
        """Yield totals of shape (n, M), or tables, of each classifier."""
        mu, logits, _ = base
        m = self.n_classes
        observed, sticks = self._draw_probabilities(rng, mu)
        if self.is_dense and not tables:
            totals = (self.all_to_totals @ observed).reshape(len(logits), 2, m, -1)
        for k, logit in enumerate(logits):
            right, landed = self._where_sticks_land(rng, sticks.shape, logit)
            if tables:
                cells = self.cells_of_sticks(landed, sticks)
                cells += self.indicator(self.truth * m + self.predictions[:, k], m * m) @ observed
                yield cells.T.reshape(-1, m, m)
            else:
                of_one = totals[k] if self.is_dense else self.to_totals[k] @ observed
                hits, predicted = of_one.reshape(2, m, -1)
                hits += np.einsum("smn,smn->mn", sticks, right)
                predicted += self.sums_of_sticks(landed, sticks)
                yield Totals(hits.T, mu, predicted.T)

    def draw_population(self, rng: Generator) -> Population:
        """Return one draw of the joint probabilities of observed outcomes and sticks."""
        mu, logits, _ = self.draw_base(rng, 1)
        observed, sticks = self._draw_probabilities(rng, mu)
        landed = [self._where_sticks_land(rng, sticks.shape, one)[1].ravel() for one in logits]
        landed = [one % self.n_classes for one in landed]
        return Population(
            np.concatenate([self.truth, np.tile(np.arange(self.n_classes), self.n_sticks)]),
            np.concatenate([self.predictions, np.column_stack(landed)]),
            np.concatenate([observed.ravel(), sticks.ravel()]),
        )

    def _draw_probabilities(self, rng: Generator, mu: Array) -> tuple[Array, Array]:
        """Return probabilities of observed outcomes (n_outcomes, n) and sticks (n_sticks, M, n)."""
        n = len(mu)
        observed = self.gammas.draw(rng, n)
        unseen = rng.standard_gamma(self.group.mass, (self.n_classes, n))
        # The probabilities in a row, multiplied by the proportion of its class.
        scale = mu.T / (self.to_row @ observed + unseen)
        observed *= scale[self.truth]
        return observed, self.break_sticks(rng, unseen * scale)

    def _where_sticks_land(
        self, rng: Generator, shape: tuple[int, ...], logit: Array | None
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
