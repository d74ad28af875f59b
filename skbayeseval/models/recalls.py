"""Exact draws of tables whose classes share a distribution of recalls.

The recall of class j is Beta(s eta, s (1 - eta)), with the mean eta and the concentration s of each
classifier on a grid of two. Given both, recalls are conjugate. Wrong predictions are divided among
the other classes by a Dirichlet distribution of mass 1.

Every classifier has its own posterior of recalls: a joint prior of all classifiers would make a
pair depend on who else is compared. Margins are exact, and the dependence of classifiers on the
same instances is chosen: they share the Gamma variables of the observed outcomes, and their etas,
and what the prior adds to their rows, are as correlated as being right is. Draws of Markov chains
are put in an order in which they go together.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.random import Generator
from scipy.special import expit, gammaln, log_expit, ndtr

from skbayeseval._arrays import Array
from skbayeseval.metrics.metric import Totals
from skbayeseval.models.gammas import correlated_gammas, gamma_rows, log_rising
from skbayeseval.models.rows import REMAINDER, GroupDraws, Outcomes, Population, Recall, RowSampler

# The grid of rates, how closely a rate follows its node (the shape of a Gamma distribution), and
# the concentration of the Dirichlet process, in classes.
N_NODES = 40
SMALLEST_RATE = 0.05
SHAPE = 20.0
CONCENTRATION = 4.0
N_ITERATIONS = 100


class ProportionSampler:
    """Draw class proportions given how many instances each class has.

    Parameters
    ----------
    counts : ndarray of shape (n_classes,)
        The effective number of instances of each class.

    Examples
    --------
    >>> import numpy as np
    >>> from skbayeseval.models.recalls import ProportionSampler
    >>> draws = ProportionSampler(np.array([9.0, 11.0, 10.0])).draw(np.random.default_rng(0), 4)
    >>> draws.shape, draws.sum(axis=1).round(6).tolist()
    ((4, 3), [1.0, 1.0, 1.0, 1.0])
    """

    def __init__(self, counts: Array) -> None:
        # Sums of weighted counts differ in their last digits.
        self.counts = np.round(counts, 9)
        self.distinct, kind = np.unique(self.counts, return_inverse=True)
        times = np.bincount(kind)
        largest = 1.5 * self.distinct[-1] + 1
        self.nodes = np.geomspace(SMALLEST_RATE, largest, N_NODES)
        cumulative = np.cumsum(_responsibilities(self.distinct, times, self.nodes), axis=1)
        cumulative = np.minimum(cumulative, 1.0)
        cumulative[:, -1] = 1.0
        # The distribution functions one above another, to look all draws up at once.
        self.cumulative = (cumulative + np.arange(len(self.distinct))[:, None]).ravel()
        self.kind = kind[:, None]

    def draw(self, rng: Generator, n_draws: int) -> Array:
        """Return draws of shape (n_draws, n_classes)."""
        uniform = rng.random((len(self.counts), n_draws))
        value = np.minimum(uniform + self.kind, np.nextafter(self.kind + 1.0, 0.0))
        node = np.searchsorted(self.cumulative, value, side="right") % N_NODES
        rates = gamma_rows(rng, SHAPE + self.counts, n_draws)
        rates /= 1 + SHAPE / self.nodes[node]
        return np.ascontiguousarray((rates / rates.sum(axis=0)).T)


def _responsibilities(counts: Array, times: Array, nodes: Array) -> Array:
    """Return the probability of each node, for each distinct count.

    Each class learns from all classes but itself (collapsed variational inference of order zero),
    so that a class unlike all others keeps the uncertainty of its own count.
    """
    n = counts[:, None]
    log_likelihood = (
        gammaln(n + SHAPE) + SHAPE * np.log(SHAPE / nodes) - (n + SHAPE) * np.log1p(SHAPE / nodes)
    )
    likelihood = np.exp(log_likelihood - log_likelihood.max(axis=1, keepdims=True))
    responsibilities = likelihood / likelihood.sum(axis=1, keepdims=True)
    for _ in range(N_ITERATIONS):
        of_others = times @ responsibilities - responsibilities
        responsibilities = likelihood * (CONCENTRATION / len(nodes) + of_others)
        responsibilities /= responsibilities.sum(axis=1, keepdims=True)
    return responsibilities


# The grid over log(s) and logit(eta), and the drop in log density at its edges.
FEWEST_NODES, LARGEST_STEPS = (81, 121), (0.12, 0.12)
DROP = 25.0

# Fewer nodes of logit(eta) within that drop, for one log(s), are too coarse a grid.
FEWEST_INSIDE = 10

# The number of nodes of an axis while its range is looked for, and how often that of logit(eta) is
# narrowed.
FEW, N_NARROWINGS = 31, 6

# Beyond this, recalls are 0 or 1 for all that a computer can tell.
WIDEST = 200.0

# With a larger s all recalls are alike, and the likelihood is lost to rounding errors.
LARGEST_LOG_MASS = 18.0

# The number of draws with similar s among which etas change places.
SIMILAR = 32

# With more classes than this, the remainder may be this large: five sticks, whose places have a
# variance that is 0.4% too large, of which an average over the classes hardly notices anything.
MANY_CLASSES, REMAINDER_OF_MANY = 1000, 1e-2

# The number of outcomes that stand for the prior of a row when instances are simulated.
FEWEST_OUTCOMES, MOST_OUTCOMES = 20, 60


def log_density_of_recall(recall: Recall, log_mass: Array, logit: Array, *, prior: bool) -> Array:
    """Return the log density of (log(s), logit(eta)), up to a constant.

    The recalls are integrated out, so the likelihood is a product of beta-binomials.
    """
    total = recall.prior[0] * log_expit(logit) + recall.prior[1] * log_expit(-logit)
    # 1 / (1 + s) is the intraclass correlation.
    total = total + recall.icc[0] * log_expit(-log_mass) + recall.icc[1] * log_expit(log_mass)
    if prior:
        return total
    mass = np.exp(log_mass)
    for shape, counts, sign in (
        (mass * expit(logit), recall.right, 1),
        (mass * expit(-logit), recall.wrong, 1),
        (mass, recall.right + recall.wrong, -1),
    ):
        total = total + sign * log_rising(shape, counts)
    return total


class RecallGrid:
    """Draw log(s) and logit(eta) of one classifier from a grid.

    Parameters
    ----------
    recall : Recall
        The priors and the counts of the classifier.
    prior : bool
        Whether to draw from the prior instead of the posterior.

    Examples
    --------
    >>> import numpy as np
    >>> from scipy.special import expit
    >>> from skbayeseval.models.recalls import RecallGrid
    >>> from skbayeseval.models.rows import Recall
    >>> counts = Recall(np.ones(2), np.ones(2), right=np.full(50, 8.0), wrong=np.full(50, 2.0))
    >>> uniform = np.random.default_rng(0).random((3, 1000))
    >>> logit, mass = RecallGrid(counts, prior=False).draw(uniform)
    >>> bool(abs(expit(logit).mean() - 0.8) < 0.01)
    True
    """

    def __init__(self, recall: Recall, *, prior: bool) -> None:
        edges = [
            (-min(WIDEST, 30.0 / min(1.0, b)), min(WIDEST, 30.0 / min(1.0, a)))
            for a, b in (recall.icc, recall.prior[::-1])
        ]  # the log density falls by at least that much beyond 0
        if not prior:
            edges[0] = edges[0][0], min(LARGEST_LOG_MASS, edges[0][1])
        widest = list(edges)
        for finest in (False, False, True):  # locate the mode, narrow the range, final grid
            axes = [
                np.linspace(*ends, _n_nodes(i, ends) if finest else FEW)
                for i, ends in enumerate(edges)
            ]
            log_mass, logit = axes
            log_density = log_density_of_recall(recall, log_mass[:, None], logit, prior=prior)
            inside = log_density > log_density.max() - DROP
            edges = [_around(axis, inside.any(axis=1 - i)) for i, axis in enumerate(axes)]
        self.log_mass, first, step = log_mass, logit[:1], logit[1:2] - logit[0]
        seen = log_density > log_density.max(axis=1, keepdims=True) - DROP
        if not prior and (seen.sum(axis=1) < FEWEST_INSIDE).any():
            # Where all recalls are alike, eta is known much better than where they are not.
            self.log_mass, first, step, log_density = _row_by_row(recall, widest)
        density = np.exp(log_density - log_density.max())
        self.first, self.step = (np.broadcast_to(one, len(density)) for one in (first, step))
        self.of_mass = np.cumsum(density.sum(axis=1) * (self.step / self.step[0]))
        inner = (density[:, 1:] + density[:, :-1]) / 2
        of_logit = np.pad(np.cumsum(inner, axis=1), ((0, 0), (1, 0)))
        # The distribution functions of all nodes one above another, to look all draws up at once.
        # Nodes without mass are never drawn.
        total, evenly = of_logit[:, -1:], np.linspace(0, 1, of_logit.shape[1])
        of_logit = np.where(total > 0, of_logit / np.maximum(total, 1e-300), evenly)
        self.of_logit = (of_logit + np.arange(len(density))[:, None]).ravel()

    def draw(self, uniform: Array) -> tuple[Array, Array]:
        """Return draws of logit(eta) and of s, given uniform variables of shape (3, n_draws).

        Both increase with the variables, so that those of several classifiers can go together.
        """
        node = np.searchsorted(self.of_mass, uniform[0] * self.of_mass[-1])
        step = self.log_mass[1] - self.log_mass[0]
        mass = np.exp(self.log_mass[node] + step * (uniform[1] - 0.5))
        value = np.minimum(node + uniform[2], np.nextafter(node + 1.0, 0.0))
        after = np.searchsorted(self.of_logit, value, side="right")
        low, high = self.of_logit[after - 1], self.of_logit[after]
        n_nodes = len(self.of_logit) // len(self.log_mass)
        steps = after % n_nodes - 1 + (value - low) / (high - low)
        return self.first[node] + self.step[node] * steps, mass


def _row_by_row(recall: Recall, edges: list[tuple[float, float]]) -> tuple[Array, ...]:
    """Return nodes of log(s), the first logit(eta) and the step of each, and the log density.

    Every log(s) has the nodes of logit(eta) that it needs.
    """
    ends = edges[0]
    for finest in (False, True):  # narrow the range, final grid
        log_mass = np.linspace(*ends, _n_nodes(0, ends) if finest else FEW)
        low, high = (np.full(len(log_mass), end) for end in edges[1])
        for n_nodes in [FEW] * N_NARROWINGS + [FEWEST_NODES[1]] * finest:
            logit = np.linspace(low, high, n_nodes, axis=1)
            log_density = log_density_of_recall(recall, log_mass[:, None], logit, prior=False)
            inside = log_density > log_density.max(axis=1, keepdims=True) - DROP
            low, high = np.transpose([_around(*row) for row in zip(logit, inside, strict=True)])
        step = logit[:, 1] - logit[:, 0]
        of_rows = log_density.max(axis=1) + np.log(step)
        ends = _around(log_mass, of_rows > of_rows.max() - DROP)
    return log_mass, logit[:, 0], step, log_density


def _n_nodes(axis: int, ends: tuple[float, float]) -> int:
    """Return the number of nodes of the final grid between these ends, by the axis."""
    return max(FEWEST_NODES[axis], int((ends[1] - ends[0]) / LARGEST_STEPS[axis] + 1e-6))


def _around(axis: Array, inside: Array) -> tuple[float, float]:
    """Return the range of the nodes inside, and one node beyond."""
    where = np.flatnonzero(inside)
    return axis[max(where[0] - 1, 0)], axis[min(where[-1] + 1, len(axis) - 1)]


class RecallRows(RowSampler):
    """Draw rows given the distribution of recalls of each classifier."""

    def __init__(self, group: Outcomes, prior: bool) -> None:
        super().__init__(group, prior)
        recalls = [one for one in group.etas if isinstance(one, Recall)]
        self.grids = [RecallGrid(one, prior=prior) for one in recalls]
        is_right = self.predictions == self.truth[:, None]
        self.cells = [self._cells_of(k) for k in range(self.n_classifiers)]
        # On average, a stick leaves half of what was left. The class of the last stick, which gets
        # the remainder, is drawn like the others: means are exact. Variances depend on the square
        # of the remainder, of which a stick leaves a third.
        has_many = not prior and self.n_classes > MANY_CLASSES
        remainder = REMAINDER_OF_MANY if has_many else REMAINDER
        self.n_sticks = max(1, int(np.ceil(np.log(1 / remainder) / np.log(2 if prior else 3))))
        self.mixing = None if prior else self._square_root_of_correlation(is_right)
        estimated = group.estimates_mu and group.known_mu is None and not prior
        self.possible = group.mu.prior > 0
        self.proportions = ProportionSampler(group.mu.counts[self.possible]) if estimated else None

    def _cells_of(self, k: int) -> tuple[Any, Array, Any, Any, Array]:
        """Return what there is of the observed cells of one classifier's table.

        First the matrix that sums outcomes into the M cells of right predictions, and those of
        wrong ones; the latter, as truth * M + prediction; the matrices that sum these into true and
        into predicted classes; and, per true class, 1 / the number of wrong predictions, very large
        if there are none.
        """
        m, predicted = self.n_classes, self.predictions[:, k]
        wrong = np.flatnonzero(predicted != self.truth)
        cells, place = np.unique(self.truth[wrong] * m + predicted[wrong], return_inverse=True)
        of_outcomes = self.truth.copy()
        of_outcomes[wrong] = m + place
        n_wrong = np.bincount(self.truth[wrong], self.counts[wrong], m)[:, None]
        to_truth, to_said = self.indicator(cells // m), self.indicator(cells % m)
        sums = self.indicator(of_outcomes, m + len(cells))
        return sums, cells, to_truth, to_said, 1 / np.maximum(n_wrong, 1e-300)

    def _square_root_of_correlation(self, is_right: Array) -> Array:
        """Return the square root of the correlation matrix of being right, within classes.

        It has a row per classifier and a column per normal variable that is needed: classifiers
        that are right on the same instances share theirs.

        Differences of recalls between classes say nothing about how far an average over these
        classes is from its true value, so they do not enter.
        """
        is_right, which = np.unique(is_right, axis=1, return_inverse=True)
        weighted = self.counts[:, None] * is_right
        of_class = self.to_row @ weighted
        true = np.maximum(self.to_row @ self.counts, 1e-300)
        covariance = is_right.T @ weighted - of_class.T @ (of_class / true[:, None])
        # Right or wrong throughout in every class: nothing is known of the correlation.
        known = np.diag(covariance) > 1e-9 * self.counts.sum()
        sd = np.sqrt(np.where(known, np.diag(covariance), 1.0))
        correlation = np.where(np.outer(known, known), covariance / np.outer(sd, sd), 0.0)
        np.fill_diagonal(correlation, 1.0)
        values, vectors = np.linalg.eigh(correlation)
        return (vectors * np.sqrt(np.maximum(values, 0.0)) @ vectors.T)[which.ravel()]

    def draw_proportions(self, rng: Generator, n: int) -> Array:
        """Return draws of the class proportions, of shape (n, M)."""
        if self.proportions is None:
            return super().draw_proportions(rng, n)
        proportions = np.zeros((n, self.n_classes))
        proportions[:, self.possible] = self.proportions.draw(rng, n)
        return proportions

    def draw_base(self, rng: Generator, n: int) -> GroupDraws:
        """Return draws of the class proportions and of each logit(eta) and s.

        Large s of all classifiers go together, and the etas are as correlated as being right is.
        """
        if self.mixing is None:
            uniforms = rng.random((self.n_classifiers, 3, n))
        else:
            uniforms = np.empty((self.n_classifiers, 3, n))
            uniforms[:, :2] = rng.random((2, n))
            uniforms[:, 2] = ndtr(self.mixing @ rng.standard_normal((self.mixing.shape[1], n)))
        logits, masses = zip(
            *(grid.draw(uniform) for grid, uniform in zip(self.grids, uniforms, strict=True)),
            strict=True,
        )
        return GroupDraws(self.draw_proportions(rng, n), logits, masses)

    def arranged(self, rng: Generator, base: GroupDraws) -> GroupDraws:
        """Return the draws of Markov chains in an order in which classifiers go together.

        The draws of each classifier are independent of the others, so their order is free. It is
        chosen such that they go together as in `draw_base`.
        """
        mu, logits, masses = base
        n = len(masses[0])
        if mu is None:
            mu = self.draw_proportions(rng, n)
        if self.mixing is None or self.n_classifiers == 1:
            return GroupDraws(mu, logits, masses)
        similar = np.arange(n) // SIMILAR
        normal = rng.standard_normal((n, self.mixing.shape[1])) @ self.mixing.T
        shuffle = rng.permutation(n)
        orders = []
        for logit, mass, one in zip(logits, masses, normal.T, strict=True):
            assert logit is not None
            by_mass = np.argsort(mass)
            order = np.empty(n, dtype=np.intp)
            order[np.lexsort((one, similar))] = by_mass[np.lexsort((logit[by_mass], similar))]
            orders.append(order[shuffle])
        return GroupDraws(
            mu,
            tuple(one[order] for one, order in zip(logits, orders, strict=True) if one is not None),
            tuple(one[order] for one, order in zip(masses, orders, strict=True)),
        )

    def draw_rows(self, rng: Generator, base: GroupDraws, tables: bool) -> Iterator[Any]:
        """Yield totals of shape (n, M), or tables, of each classifier."""
        m, mu = self.n_classes, base.mu
        outcomes = self.gammas.draw(rng, len(mu))
        sticks = self.break_sticks(rng, np.ones((m, len(mu))))
        added = self._added_by_prior(rng, base)
        mu_of_rows = np.ascontiguousarray(mu.T)

        for of_one, right, rest in zip(self.cells, *added, strict=True):
            sums, cells, to_truth, to_said, per_wrong = of_one
            observed = sums @ outcomes
            right += observed[:m]
            observed = observed[m:]
            missed = to_truth @ observed
            rest += missed
            scale = mu_of_rows / (right + rest)
            hits = right * scale
            wrong = rest * scale
            # What part of the wrong predictions is on cells that were observed: Beta(n_wrong, 1).
            seen = np.exp(-per_wrong * rng.standard_exponential(wrong.shape))
            seen *= wrong
            wrong -= seen
            seen /= np.maximum(missed, 1e-300)
            observed *= seen[cells // m]
            unseen = sticks * wrong
            landed = self._where_sticks_land(rng, sticks.shape)
            if tables:
                table = self.cells_of_sticks(landed, unseen)
                table[cells] += observed
                table[:: m + 1] += hits
                yield table.T.reshape(-1, m, m)
            else:
                predicted = self.sums_of_sticks(landed, unseen)
                predicted += to_said @ observed
                predicted += hits
                yield Totals(hits.T, mu, predicted.T)

    def draw_population(self, rng: Generator) -> Population:
        """Return one draw of the joint probabilities of outcomes.

        What the prior adds to a row copies who is right from an observed outcome of any class. The
        wrong predictions are those of an outcome of the same row with the same ones right, if there
        is one; otherwise they are off by as many classes as in the copied outcome.
        """
        mu, _, masses = self.draw_base(rng, 1)
        observed = self.gammas.draw(rng, 1)[:, 0]
        mass = float(np.exp(np.mean(np.log(masses))))
        n_added = int(np.clip(np.ceil(4 * mass), FEWEST_OUTCOMES, MOST_OUTCOMES))
        added = rng.standard_gamma(mass / n_added, (self.n_classes, n_added))
        added = np.maximum(added, 1e-300)
        scale = mu[0] / (self.to_row @ observed + added.sum(axis=1))
        copied = rng.choice(len(observed), added.shape, p=observed / observed.sum())
        copied = self._of_own_row(rng, copied, observed)
        off = self.predictions[copied] - self.truth[copied][..., None]
        rows = np.arange(self.n_classes)[:, None]
        landed = (rows[..., None] + off) % self.n_classes
        return Population(
            np.concatenate([self.truth, np.repeat(rows, n_added)]),
            np.concatenate([self.predictions, landed.reshape(-1, self.n_classifiers)]),
            np.concatenate([observed * scale[self.truth], (added * scale[:, None]).ravel()]),
        )

    def _of_own_row(self, rng: Generator, copied: Array, observed: Array) -> Array:
        """Replace outcomes, given per row, by outcomes of the row with the same ones right."""
        is_right = self.predictions == self.truth[:, None]
        _, pattern = np.unique(is_right, axis=0, return_inverse=True)
        pattern = pattern.ravel()
        n_patterns = pattern.max() + 1
        kinds = self.truth * n_patterns + pattern
        order = np.argsort(kinds, kind="stable")
        wanted = np.arange(self.n_classes)[:, None] * n_patterns + pattern[copied]
        replaced = copied.copy()
        for cell in np.unique(wanted):
            low, high = np.searchsorted(kinds[order], [cell, cell + 1])
            if low < high:
                same = order[low:high]
                where = wanted == cell
                weight = observed[same] / observed[same].sum()
                replaced[where] = rng.choice(same, int(where.sum()), p=weight)
        return replaced

    def _added_by_prior(self, rng: Generator, base: GroupDraws) -> tuple[Array, Array]:
        """Return what the prior adds to right and to wrong predictions, each (K, M, n)."""
        logits = np.array(base.logits)
        shapes = np.array(base.masses) * np.array([expit(logits), expit(-logits)])
        right, wrong = (
            correlated_gammas(rng, of_all, self.n_classes, self.mixing) for of_all in shapes
        )
        # With tiny shapes both underflow. Then one of them is all; by what factor does not matter.
        lost = right + wrong < 1e-290
        if lost.any():
            chance = np.broadcast_to(expit(logits)[:, None], right.shape)[lost]
            is_right = rng.random(len(chance)) < chance
            right[lost], wrong[lost] = 1e-280 * is_right, 1e-280 * ~is_right
        return right, wrong

    def _where_sticks_land(self, rng: Generator, shape: tuple[int, ...]) -> Array:
        """Return the class, other than the true one, that each stick is on, modulo M."""
        landed = rng.integers(1, self.n_classes, shape)
        landed += np.arange(self.n_classes)[:, None]
        return landed
