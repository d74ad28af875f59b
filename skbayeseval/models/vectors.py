"""Models that consist of independent Dirichlet vectors, from which the cells of tables follow.

A model says which vectors there are, with their prior and counts, and how the cells of the
classifiers' confusion tables follow from them. As in the papers, the positive class and the
positive prediction come first here; tables are in the order of the labels.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from copy import copy
from typing import Any, ClassVar, Self

import numpy as np
from numpy.random import Generator
from scipy.special import gammaln, xlogy

from skbayeseval._arrays import Array
from skbayeseval.evidence.interface import letter
from skbayeseval.metrics.metric import Metric, Totals
from skbayeseval.models.base import (
    Blocks,
    Draws,
    Model,
    Replicated,
    blocks_of,
    check_defined,
    confusion,
    joined,
)
from skbayeseval.models.blocks import BLOCK, block_size, in_order, stream_blocks
from skbayeseval.models.gammas import Simplex, dirichlet, gamma_rows, shares_of
from skbayeseval.models.pymc import Parameter, log_binomial, log_multinomial
from skbayeseval.models.rows import Population

SMALLEST = np.finfo(float).tiny

# The number of draws of several rows of shapes in memory at once.
ROWS_BLOCK = 2**13


class Vectors(Model):
    """Independent probability vectors, each with a Dirichlet prior; or one vector per label.

    Draws of a vector of k entries have the shape (k, n), or (k, n_labels, n).
    """

    most_classifiers: ClassVar[int | None] = None
    draws_cost_one = True
    draws_metrics_together = True

    # What the axis of labels is called, where there is one.
    of_labels: ClassVar[tuple[str, ...]] = ()

    # What the entries of a vector are, in the words of ArviZ: the dimension and its coordinates, by
    # the name of the vector without the letter of a classifier.
    entries: ClassVar[Mapping[str, tuple[str, tuple[str, ...]]]] = {}

    # The vectors that are sampled, and those that are known, of shape (k, 1), by name.
    simplexes: tuple[Simplex, ...]
    fixed: Mapping[str, Array] = {}

    def cells(self, draws: Mapping[str, Array]) -> Array:
        """Return the cells of each classifier, of shape (n_classifiers, 2, 2, ..., n).

        The axes of length 2 are the true class and the prediction, positive first.
        """
        raise NotImplementedError

    def tables(self, draws: Mapping[str, Array]) -> Array:
        """Return tables of shape (n, n_classifiers, 2, 2), in the order of the labels.

        It is a view with draws last in memory, which makes sums over the short axes several times
        faster.
        """
        return positive_first(np.moveaxis(self.cells(draws), -1, 0), self.positive)

    def _scores(self, draws: Mapping[str, Array], metric: Metric) -> Array:
        """Return the metric of each classifier, of shape (n_classifiers, n)."""
        return metric(self.tables(draws), self.positive_index).swapaxes(-2, -1)

    @property
    def _block(self) -> int:
        return BLOCK

    def shapes(self, *, prior: bool) -> dict[str, Array]:
        """Return the Dirichlet shapes of the prior or of the posterior."""
        return {s.name: s.prior if prior else s.prior + s.counts for s in self.simplexes}

    def draw(self, rng: Generator, size: int, *, prior: bool = False) -> dict[str, Array]:
        """Return draws of each probability vector."""
        shapes = self.shapes(prior=prior)
        drawn = {name: dirichlet(rng, shape.T, size) for name, shape in shapes.items()}
        return {**drawn, **self.fixed}

    def _given(self, draws: Mapping[str, Array]) -> dict[str, Array]:
        """Return all entries of each probability vector, given draws of the parameters."""
        whole = {s.name: _entries(s, draws[s.name]).T for s in self.simplexes}
        return {**whole, **self.fixed}

    def joint(self, draws: Mapping[str, Array]) -> Array | None:
        """Return joint tables over (truth, prediction of A, prediction of B), (n, 2, 2, 2).

        None unless the classifiers share instances, and the model knows their joint outcomes.
        """
        return None

    def draw_populations(self, rng: Generator, n_draws: int) -> list[tuple[Population, ...]]:
        """Return posterior draws of the probabilities of outcomes, to simulate new test sets."""
        drawn = self.draw(rng, n_draws)
        joint = self.joint(drawn)
        if joint is not None:
            return populations_of_tables(joint)
        if self.needs_pairs:
            return super().draw_populations(rng, n_draws)
        return populations_of_tables(*np.moveaxis(self.tables(drawn), 1, 0))

    def stacked_shapes(self) -> Array:
        """Return the Dirichlet shapes of all probability vectors, one after the other."""
        return np.concatenate([*self.shapes(prior=False).values()])

    def differences_of_shapes(
        self, shapes: Array, metric: Metric, rng: Generator, n_draws: int
    ) -> Array:
        """Return draws of A - B of shape (n_rows, n_draws), given other shapes in each row.

        `shapes` has the shape (n_rows, n_shapes), in the order of `stacked_shapes`.
        """
        n_rows = max(1, ROWS_BLOCK // n_draws)
        differences = []
        for start in range(0, len(shapes), n_rows):
            here = shapes[start : start + n_rows]
            drawn, end = {}, 0
            gammas = gamma_rows(rng, here.ravel(), n_draws).reshape(*here.shape, -1).swapaxes(0, 1)
            for simplex in self.simplexes:
                begin, end = end, end + len(simplex.prior)
                vectors = shares_of(rng, gammas[begin:end], here[:, begin:end].T)
                drawn[simplex.name] = vectors.reshape(end - begin, -1)
            a, b = check_defined(self._scores({**drawn, **self.fixed}, metric), metric)
            differences.append((a - b).reshape(len(here), n_draws))
        return np.concatenate(differences)

    def stream(self, metric: Metric, rng: Generator, number: int, *, prior: bool = False) -> Blocks:
        """Yield blocks of draws of a metric, of shape (n_classifiers, n)."""

        def draw(rng: Generator, size: int) -> Array:
            return self._scores(self.draw(rng, size, prior=prior), metric)

        return stream_blocks(draw, rng, number, self._block)

    def draw_parameters(self, rng: Generator, n_draws: int, *, prior: bool) -> dict[str, Array]:
        """Return draws of the parameters, of shape (n_draws, ...)."""

        def draw(rng: Generator, size: int) -> dict[str, Array]:
            drawn = self.draw(rng, size, prior=prior)
            vectors = {s.name: drawn[s.name] for s in self.simplexes}
            return {name: v[0].T if len(v) == 2 else v.T for name, v in vectors.items()}

        return joined(stream_blocks(draw, rng, n_draws, self._block))

    def _scores_given(self, draws: Draws, metric: Metric, rng: Generator, prior: bool) -> Blocks:
        def score(here: Mapping[str, Array], _: int) -> Array:
            return self._scores(self._given(here), metric)

        return in_order(score, blocks_of(draws))

    def _replicate(self, of: Replicated) -> dict[str, Array]:
        tables = np.moveaxis(self.tables(self._given(of.draws)), 1, 0)
        return confusion([of.instances(table, k) for k, table in enumerate(tables)])

    def with_prevalence(self, proportions: Array) -> Self:
        """Return the model with known class proportions, in the order of the labels."""
        in_order_of_model = proportions if self.positive == 0 else proportions[::-1]
        column = in_order_of_model[:, None]
        known = {s.name: column for s in self.simplexes if s.name.startswith("mu")}
        fixed = copy(self)
        fixed.simplexes = tuple(s for s in self.simplexes if s.name not in known)
        fixed.fixed = known
        return fixed

    def parameters(self) -> list[Parameter]:
        """Return the parameters that are sampled."""
        return [
            Parameter(s.name, s.prior, True, self.of_labels)
            if s.prior.shape[-1] == 2
            else Parameter(s.name, s.prior, False, (*self.of_labels, self._entries_of(s)[0]))
            for s in self.simplexes
        ]

    def coordinates(self, labels: tuple[Any, ...]) -> dict[str, list[str]]:
        """Return the names along each dimension of the parameters."""
        long = [self._entries_of(s) for s in self.simplexes if s.prior.shape[-1] > 2]
        of_labels = {name: list(map(str, labels)) for name in self.of_labels}
        return of_labels | {dimension: list(names) for dimension, names in long}

    def _entries_of(self, simplex: Simplex) -> tuple[str, tuple[str, ...]]:
        """Return the dimension of a vector's entries, and their names."""
        n_entries, unnamed = simplex.prior.shape[-1], f"entry of {simplex.name}"
        of_all = (unnamed, tuple(map(str, range(n_entries))))
        dimension, names = self.entries.get(simplex.name.partition("_")[0], of_all)
        return dimension, names[:n_entries]

    def log_densities(self, draws: Draws) -> tuple[dict[str, Array], dict[str, Array]] | None:
        """Return the terms of the log likelihood and of the log prior; None if one is missing."""
        if not self.simplexes or any(s.name not in draws for s in self.simplexes):
            return None
        likelihood, prior = {}, {}
        for simplex in self.simplexes:
            name, shapes = simplex.name, simplex.prior
            values = np.maximum(_entries(simplex, draws[name]), SMALLEST)
            norm = gammaln(shapes.sum(axis=-1)) - gammaln(shapes).sum(axis=-1)
            of_prior = xlogy(shapes - 1, values).sum(axis=-1) + norm
            of_counts = xlogy(simplex.counts, values).sum(axis=-1)
            likelihood[f"counts of {name}"] = of_counts.reshape(len(values), -1).sum(axis=1)
            prior[f"prior of {name}"] = of_prior.reshape(len(values), -1).sum(axis=1)
        return likelihood, prior

    def _log_likelihoods(self, values: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
        for simplex in self.simplexes:
            value, counts = values[simplex.name], simplex.counts
            if counts.shape[-1] == 2:
                term = log_binomial(value, counts[..., 0], counts[..., 1])
            else:
                term = log_multinomial(value, counts)
            yield f"counts of {simplex.name}", term

    def _has_bounded_prior(self, metric: Metric) -> bool | None:
        """Return whether a metric of the package has a square-integrable prior density.

        With uniform rates and proportions, each of them has one. Larger shapes have densities
        bounded by a multiple of the uniform one. Of other metrics and shapes, it is unknown: None.
        """
        smallest = min(shape.min() for shape in self.shapes(prior=True).values())
        return True if metric.is_of_totals and smallest >= 1 else None


class VectorsOfLabels(Vectors):
    """The same vectors for each label of an indicator; labels are independent."""

    # ArviZ 1.x has a dimension "label" of its own.
    of_labels = ("target",)
    draws_cost_one = False
    has_class_proportions = False

    def _scores(self, draws: Mapping[str, Array], metric: Metric) -> Array:
        cells = self.cells(draws).swapaxes(-2, -1)
        tp, fn, fp = cells[:, 0, 0], cells[:, 0, 1], cells[:, 1, 0]
        return metric.of_totals(Totals(tp, tp + fn, tp + fp), self.positive_index)

    @property
    def _block(self) -> int:
        n_classifiers = len({simplex.name.rpartition("_")[2] for simplex in self.simplexes})
        n_labels = len(self.simplexes[0].prior)
        return block_size(8 * 8 * n_classifiers * n_labels, most=1024)

    def margin(self, metric: Metric, which: int, *, prior: bool = False) -> None:
        """Return None: averages over labels have no closed form."""

    def _replicate(self, of: Replicated) -> dict[str, Array]:
        counts = {}
        cells = self.cells(self._given(of.draws))
        total = self.simplexes[0].counts.sum(axis=1)
        for k, (table, weight) in enumerate(zip(cells, of.weights, strict=True)):
            # The cells (tp, fn, fp, tn) of each draw and label.
            shares = np.moveaxis(table.reshape(4, *table.shape[2:]), 0, -1).swapaxes(0, 1)
            replicated = of.multinomial(total / weight, weight, shares)
            tp, fn, fp, _ = np.moveaxis(replicated, -1, 0)
            counts[f"counts_{letter(k)}"] = np.stack([tp, tp + fn, tp + fp], axis=-1)
        return counts


def _entries(simplex: Simplex, values: Array) -> Array:
    """Return all entries on the last axis; of two that sum to 1, only the first is a parameter."""
    if values.ndim > simplex.prior.ndim:
        return values
    return np.stack([values, 1 - values], axis=-1)


def populations_of_tables(*tables: Array) -> list[tuple[Population, ...]]:
    """Return the populations of draws of tables, one per table that a draw has.

    Parameters
    ----------
    *tables : ndarray of shape (n_draws, n_classes, n_classes, ...)
        The probabilities of (truth, A), (truth, B), or (truth, A, B). NaN marks a cell that is not
        counted.
    """
    populations = []
    for table in tables:
        cells = np.argwhere(~np.isnan(table[0]))
        probability = table[(slice(None), *cells.T)]
        probability = probability / probability.sum(axis=1, keepdims=True)
        populations.append([Population(cells[:, 0], cells[:, 1:], row) for row in probability])
    return list(zip(*populations, strict=True))


def positive_first(tables: Array, positive: int | None) -> Array:
    """Convert tables between label order and positive-class-first order (its own inverse)."""
    return tables if positive == 0 else tables[..., ::-1, ::-1]
