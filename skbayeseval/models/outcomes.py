"""Classifiers with any number of classes: draws and PyMC graph of their outcomes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import replace
from itertools import chain
from typing import Any, Self, TypeVar

import numpy as np
from numpy.random import Generator
from scipy.special import logit

from skbayeseval._arrays import Array
from skbayeseval.engines import blocks
from skbayeseval.engines.blocks import child_of, in_order
from skbayeseval.engines.recalls import RecallRows
from skbayeseval.engines.rows import (
    Eta,
    FullRows,
    GroupDraws,
    Outcomes,
    Population,
    Recall,
    RowSampler,
    StickRows,
)
from skbayeseval.engines.variables import Parameter, Parameters, log_multinomial
from skbayeseval.evidence.interface import letter
from skbayeseval.metrics.metric import Metric, Totals
from skbayeseval.models.base import (
    Blocks,
    Draws,
    Model,
    Replicated,
    blocks_of,
    confusion,
    joined,
    metric_of_block,
)

T = TypeVar("T")

# Blocks of fewer draws would take longer; of more draws, threads would be without work. Round
# numbers of draws are evenly divided.
BLOCKS = (5000, 2500, 1250, 625, 250, 125, 50, 25)
FEWEST_DRAWS = 16

# eta must not round to 0 or 1, where its logit is infinite.
SMALLEST = np.finfo(float).tiny
CLOSEST_TO_ONE = 1 - np.finfo(float).epsneg


class OutcomeModel(Model):
    """One group of classifiers on the same instances, or a group for each classifier."""

    most_classifiers = None
    draws_metrics_together = True
    has_class_proportions = True

    groups: tuple[Outcomes, ...]

    @property
    def has_classes_alike(self) -> bool:
        """Whether the prior stays the same if the classes change places."""
        return all(group.known_mu is None and np.ptp(group.mu.prior) == 0 for group in self.groups)

    def parameters(self) -> list[Parameter]:
        """Return the parameters that are sampled; rows of tables are drawn given these."""
        parameters = []
        for g, group in enumerate(self.groups):
            mu, etas = group.names(g)
            if group.samples_mu:
                parameters.append(Parameter(mu, group.mu.prior, False, ("class",)))
            for name, eta in zip(etas, group.etas, strict=True):
                if eta is not None:
                    parameters.append(Parameter(name, eta.prior, True))
                if isinstance(eta, Recall):
                    parameters.append(Parameter(icc_name(name), eta.icc, True))
        return parameters

    def coordinates(self, labels: tuple[Any, ...]) -> dict[str, list[str]]:
        """Return the names along each dimension of the parameters."""
        names = list(map(str, labels))
        return {"class": names, "predicted": names}

    def dims(self) -> dict[str, list[str]]:
        """Return the dimensions of each parameter, of rates and of rows."""
        dims = super().dims()
        dims |= {group.names(g)[0]: ["class"] for g, group in enumerate(self.groups)}
        for classifier in map(letter, range(sum(len(group.etas) for group in self.groups))):
            dims[f"rho_{classifier}"] = ["class"]
            dims[f"theta_{classifier}"] = ["class", "predicted"]
        return dims

    @property
    def row_names(self) -> list[str]:
        """The names of the rows of each classifier's table, where classifiers stand alone."""
        alone = all(
            len(group.etas) == 1 and isinstance(group.etas[0], Eta) for group in self.groups
        )
        return [f"theta_{letter(g)}" for g in range(len(self.groups))] if alone else []

    @property
    def class_prior_mass(self) -> float:
        """What the prior of the class proportions weighs, in instances."""
        group = self.groups[0]
        return float(group.mu.prior.sum()) if group.samples_mu else 0.0

    def with_prevalence(self, proportions: Array) -> Self:
        """Return the model with known instead of sampled class proportions."""
        known = copy(self)
        known.groups = tuple(replace(group, known_mu=proportions) for group in self.groups)
        return known

    def stream(self, metric: Metric, rng: Generator, number: int, *, prior: bool = False) -> Blocks:
        """Yield blocks of draws of a metric, of shape (n_classifiers, n)."""
        tables = metric.needs_tables
        return self.blocks(self._score(metric), rng, number, prior=prior, tables=tables)

    def _score(self, metric: Metric) -> Callable[..., Array]:
        """Return a function that gives the metric of a block of draws."""
        return lambda _, block: metric_of_block(metric, self.positive_index, block)

    def draw_parameters(self, rng: Generator, n_draws: int, *, prior: bool) -> dict[str, Array]:
        """Return draws of the parameters and of rho, the recall of each class."""

        def named(bases: list[GroupDraws], totals: Totals) -> dict[str, Array]:
            return {**self._named(bases, totals), **_rates(bases, totals)}

        return joined(self.blocks(named, rng, n_draws, prior=prior))

    def blocks(
        self,
        of_block: Callable[[list[GroupDraws], Any], T],
        rng: Generator,
        n_draws: int,
        *,
        prior: bool,
        tables: bool = False,
        given: Sequence[GroupDraws] | None = None,
    ) -> Iterator[T]:
        """Yield what is asked of blocks of draws.

        Parameters
        ----------
        of_block : callable
            What is yielded of a block, given the draws that its rows depend on, and totals of shape
            (n_classifiers, n, M), or the tables of each classifier, of shape (n, M, M), which are
            drawn one after another.
        rng : numpy.random.Generator
            The source of randomness. Its use does not depend on `tables`.
        n_draws : int
            The total number of draws.
        prior : bool
            Whether to draw from the prior instead of the posterior.
        tables : bool, default=False
            Whether to draw tables instead of totals.
        given : sequence of GroupDraws, default=None
            Draws that come from elsewhere, such as a Markov chain; only the rows are then drawn,
            from their conjugate posterior.
        """
        samplers = [row_sampler(group, prior) for group in self.groups]
        # The number of draws per block is the same for totals and for tables. Groups are drawn one
        # after another, and of each, the totals are kept, from which the metric is computed.
        bytes_per_draw = max(sampler.bytes_per_draw for sampler in samplers)
        bytes_per_draw += sum(8 * 8 * one.n_classifiers * one.n_classes for one in samplers)
        fits = [size for size in BLOCKS if size * bytes_per_draw <= blocks.BLOCK_BYTES]
        block = fits[0] if fits else FEWEST_DRAWS

        def draw(rng: Generator, start: int) -> T:
            here = slice(start, min(start + block, n_draws))
            bases = [
                sampler.draw_base(rng, here.stop - start)
                if given is None
                else sampler.arranged(rng, given[g].part(here))
                for g, sampler in enumerate(samplers)
            ]
            rows = chain.from_iterable(
                sampler.draw_rows(rng, base, tables)
                for sampler, base in zip(samplers, bases, strict=True)
            )
            return of_block(bases, rows if tables else _stacked(rows))

        return in_order(draw, ((child_of(rng), start) for start in range(0, n_draws, block)))

    def draw_populations(self, rng: Generator, n_draws: int) -> list[tuple[Population, ...]]:
        """Return posterior draws of the joint probabilities, each with one population per group."""
        samplers = [row_sampler(group, False, of_populations=True) for group in self.groups]
        return [tuple(s.draw_population(rng) for s in samplers) for _ in range(n_draws)]

    def _scores_given(self, draws: Draws, metric: Metric, rng: Generator, prior: bool) -> Blocks:
        if self._has_rows(draws):
            n_cells = sum(len(group.mu.prior) ** 2 for group in self.groups)
            return in_order(
                lambda here, size: metric(self._tables_of_rows(here, size), self.positive_index),
                blocks_of(draws, blocks.BLOCK_BYTES // (16 * n_cells)),
            )
        given, tables, n = self._bases(draws), metric.needs_tables, _number(draws)
        return self.blocks(self._score(metric), rng, n, prior=prior, tables=tables, given=given)

    def rates_given(self, draws: Draws, rng: Generator, *, prior: bool) -> dict[str, Array]:
        """Return the recall of each class; empty unless rows are drawn given the parameters."""
        if self._has_rows(draws):
            return {}
        given = self._bases(draws)
        return joined(self.blocks(_rates, rng, _number(draws), prior=prior, given=given))

    def _bases(self, draws: Draws) -> list[GroupDraws]:
        """Return draws of the parameters, on which the rows of each group depend."""
        bases = []
        for g, group in enumerate(self.groups):
            _, names = group.names(g)
            logits = tuple(
                None if eta is None else logit(np.clip(draws[name], SMALLEST, CLOSEST_TO_ONE))
                for name, eta in zip(names, group.etas, strict=True)
            )
            masses = tuple(
                1 / np.clip(draws[icc_name(name)], SMALLEST, CLOSEST_TO_ONE) - 1
                for name, eta in zip(names, group.etas, strict=True)
                if isinstance(eta, Recall)
            )
            mu = _proportions(group, g, draws, _number(draws))
            bases.append(GroupDraws(mu, logits, masses))
        return bases

    def _has_rows(self, draws: Draws) -> bool:
        return bool(self.row_names) and all(name in draws for name in self.row_names)

    def _tables_of_rows(self, draws: Draws, size: int) -> Array:
        """Return tables of shape (n_classifiers, n, M, M)."""
        tables = []
        for g, group in enumerate(self.groups):
            mu = _proportions(group, g, draws, size)
            tables.append(mu[:, :, None] * draws[f"theta_{letter(g)}"])
        return np.stack(tables)

    def _named(self, bases: list[GroupDraws], totals: Totals) -> dict[str, Array]:
        """Return the draws of the parameters by name."""
        draws = {}
        for g, (group, base) in enumerate(zip(self.groups, bases, strict=True)):
            mu, etas = group.names(g)
            if group.known_mu is None:  # of the one classifier of the group, or of the first
                draws[mu] = totals.true[g].copy()
            for name, logit_eta in zip(etas, base.logits, strict=True):
                if logit_eta is not None:
                    draws[name] = 1 / (1 + np.exp(-np.maximum(logit_eta, logit(SMALLEST))))
            for name, mass in zip(etas, base.masses, strict=False):
                draws[icc_name(name)] = 1 / (1 + mass)
        return draws

    def _replicate(self, of: Replicated) -> dict[str, Array]:
        if self._has_rows(of.draws):
            tables = self._tables_of_rows(of.draws, of.n_draws)
        else:
            given = self._bases(of.draws)
            drawn = self.blocks(
                lambda _, tables: np.stack(list(tables)),
                of.rng,
                of.n_draws,
                prior=of.prior,
                tables=True,
                given=given,
            )
            tables = np.concatenate(list(drawn), axis=1)
        counts = []
        for k, table in enumerate(tables):
            if k < len(self.groups):  # classifiers of one group see the same instances
                true = of.classes(table.sum(axis=-1), k)
            counts.append(of.rows(table, true, k))
        return confusion(counts)

    def check_graph(self, form: str = "collapsed") -> None:
        """Raise if there is no PyMC graph of this form."""
        if any(group.samples_mu and (group.mu.prior == 0).any() for group in self.groups):
            raise ValueError(
                "Some labels are predicted but never the true class, and PyMC cannot sample a "
                "proportion that is 0. Pass labels= with all classes if these can occur, or use "
                "engine='exact'."
            )
        super().check_graph(form)

    @property
    def forms(self) -> list[str]:
        """The forms of graphs that there are."""
        etas = self.groups[0].etas
        joint = ["joint"] if isinstance(etas[0], Eta) and len(etas) > 1 else []
        return ["collapsed", *joint, *(["rows"] if self.row_names else [])]

    def _variables(self, parameters: Parameters, form: str) -> dict[str, Any]:
        """Return the parameters and, in the form "rows", theta, the rows of each classifier."""
        values = dict(parameters)
        if form == "rows":
            import pymc as pm

            for g, group in enumerate(self.groups):
                eta = values[group.names(g)[1][0]]
                diagonal = np.eye(len(group.mu.prior))
                omega = diagonal * eta + (1 - diagonal) * (1 - eta) / (len(diagonal) - 1)
                name = f"theta_{letter(g)}"
                values[name] = pm.Dirichlet(name, omega, dims=("class", "predicted"))
        return values

    def _log_likelihoods(self, values: Mapping[str, Any], form: str) -> Iterator[tuple[str, Any]]:
        import pytensor.tensor as pt

        for g, group in enumerate(self.groups):
            mu, etas = group.names(g)
            if group.samples_mu:
                yield f"counts of {mu}", log_multinomial(values[mu], group.mu.counts)
            if form == "rows":
                name = f"theta_{letter(g)}"
                cells = (group.truth, group.predictions[:, 0])
                yield f"counts of {name}", pt.sum(group.counts * pt.log(values[name][cells]))
            elif form == "joint":
                yield "counts of outcomes", _log_joint_outcomes(group, [values[k] for k in etas])
            else:
                for name, eta in zip(etas, group.etas, strict=True):
                    if isinstance(eta, Recall):
                        term = _log_beta_binomials(values[name], values[icc_name(name)], eta)
                        yield f"counts given {name}", term
                    elif eta is not None:
                        yield f"counts given {name}", _log_dirichlet_multinomial(values[name], eta)


def icc_name(eta: str) -> str:
    """Return the name of the intraclass correlation that goes with the name of an eta."""
    return eta.replace("eta", "icc")


def row_sampler(group: Outcomes, prior: bool, *, of_populations: bool = False) -> RowSampler:
    """Return what draws the rows of the group, or populations of all its classifiers together."""
    if not (prior or of_populations) and FullRows.suit(group):
        return FullRows(group)
    kind = RecallRows if isinstance(group.etas[0], Recall) else StickRows
    return kind(group, prior)


def _number(draws: Draws) -> int:
    """Return the number of draws."""
    return len(next(iter(draws.values())))


def _stacked(rows: Iterable[Totals]) -> Totals:
    """Return the totals of all classifiers."""
    hits, true, predicted = (
        np.stack([one.T for one in parts]) for parts in zip(*rows, strict=True)
    )
    return Totals(hits.swapaxes(1, 2), true.swapaxes(1, 2), predicted.swapaxes(1, 2))


def _rates(_: list[GroupDraws], totals: Totals) -> dict[str, Array]:
    with np.errstate(invalid="ignore"):  # a class that is predicted only has no recall
        return {
            f"rho_{letter(k)}": hits / true
            for k, (hits, true) in enumerate(zip(totals.hits, totals.true, strict=True))
        }


def _proportions(group: Outcomes, position: int, draws: Draws, size: int) -> Any:
    """Return the class proportions, None if they are still to be drawn."""
    if group.known_mu is not None:
        return np.tile(group.known_mu, (size, 1))
    name = group.names(position)[0]
    return draws.get(name) if group.estimates_mu else draws[name]


def _log_dirichlet_multinomial(value: Any, eta: Eta) -> Any:
    """Return the log likelihood of eta, with all rows integrated out."""
    of_right = _log_rising(value, eta.right)
    return of_right + _log_rising((1 - value) / (eta.n_classes - 1), eta.wrong)


def _log_beta_binomials(eta: Any, icc: Any, recall: Recall) -> Any:
    """Return the log likelihood of eta and the intraclass correlation, recalls integrated out."""
    mass = 1 / icc - 1
    of_recalls = _log_rising(mass * eta, recall.right) + _log_rising(mass * (1 - eta), recall.wrong)
    return of_recalls - _log_rising(mass, recall.right + recall.wrong)


def _log_rising(shape: Any, counts: Array) -> Any:
    """Return the sum over counts of log(Gamma(shape + count) / Gamma(shape))."""
    import pytensor.tensor as pt

    distinct, times = np.unique(counts[counts > 0], return_counts=True)
    return pt.sum(times * (pt.gammaln(shape + distinct) - pt.gammaln(shape)))


def _log_joint_outcomes(group: Outcomes, etas: list[Any]) -> Any:
    """Return the log likelihood of the joint outcomes of all classifiers given their etas."""
    import pytensor.tensor as pt

    n_classes = len(group.mu.prior)
    shape = pt.as_tensor_variable(np.ones(len(group.counts)))
    for k, eta in enumerate(etas):
        right = group.predictions[:, k] == group.truth
        shape *= pt.switch(right, eta, (1 - eta) / (n_classes - 1))
    return pt.sum(pt.gammaln(shape + group.counts) - pt.gammaln(shape))
