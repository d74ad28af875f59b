"""Models for any number of classes, and for any number of classifiers on the same instances.

In the hierarchical model (Zhang et al. 2015, section III) the classes of one classifier share
information through eta, the concentration of their prior on the diagonal. The paired models
describe several classifiers on the same instances. The prior of a tuple of predictions is the
product of the classifiers' own priors. The marginal posterior of each classifier is therefore that
of its own model, and the comparison of two classifiers does not depend on which others are
included.

Each eta from its own margin. In the paired model of many classes the etas are drawn from each
classifier's own confusion counts, not from the joint outcomes: a modular ("cut") posterior. Every
classifier alone is then exactly the hierarchical model, and a pair's answer is the same whatever
else is compared.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import replace
from itertools import chain
from typing import Any, ClassVar, Self, TypeVar

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike
from scipy.special import logit

from skbayeseval._arrays import Array
from skbayeseval.evidence.counts import ConfusionCounts
from skbayeseval.evidence.interface import letter
from skbayeseval.metrics.metric import Metric, Totals
from skbayeseval.models import blocks
from skbayeseval.models.base import (
    Blocks,
    Draws,
    Model,
    Replicated,
    check_concentration,
    check_same_for_both,
    confusion,
    joined,
    metric_of_block,
)
from skbayeseval.models.binary import Paired
from skbayeseval.models.blocks import child_of, in_order
from skbayeseval.models.gammas import Simplex
from skbayeseval.models.pymc import Parameter, log_multinomial
from skbayeseval.models.recalls import RecallRows
from skbayeseval.models.rows import (
    Eta,
    FullRows,
    GroupDraws,
    Outcomes,
    Population,
    Recall,
    RowSampler,
    StickRows,
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

    def _observe(self, evidence: Any) -> None:
        if self.needs_pairs:
            counts = evidence.counts * evidence.weight
            outcomes = (evidence.truth, evidence.predictions, counts, evidence.margins())
            self.groups = (self._outcomes(*outcomes),)
            return
        groups = []
        for margin in evidence.margins():
            truth, predicted, number = margin.cells
            counts = number * margin.weight
            groups.append(self._outcomes(truth, predicted[:, None], counts, (margin,)))
        self.groups = tuple(groups)

    def _outcomes(
        self, truth: Array, predictions: Array, counts: Array, margins: tuple[ConfusionCounts, ...]
    ) -> Outcomes:
        """Return one group of classifiers, given their outcomes and the table of each."""
        raise NotImplementedError

    def has_finite_prior_density(self, metric: Metric) -> bool | None:
        """Return whether the prior density of the difference is finite at 0; None if unknown."""
        # As eta approaches 1, tables approach perfection so quickly that P(1 - metric < e)
        # decreases only like a power of 1 / log(1 / e), far more slowly than e. With an intraclass
        # correlation near 1, every recall is near 0 or 1, for both classifiers.
        return False if metric.is_of_totals else None

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
        return {"class": list(map(str, labels))}

    def dims(self) -> dict[str, list[str]]:
        """Return the dimensions of each parameter, and of rates."""
        dims = super().dims()
        dims |= {group.names(g)[0]: ["class"] for g, group in enumerate(self.groups)}
        for classifier in map(letter, range(sum(len(group.etas) for group in self.groups))):
            dims[f"rho_{classifier}"] = ["class"]
        return dims

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
        given, tables, n = self._bases(draws), metric.needs_tables, _number(draws)
        return self.blocks(self._score(metric), rng, n, prior=prior, tables=tables, given=given)

    def rates_given(self, draws: Draws, rng: Generator, *, prior: bool) -> dict[str, Array]:
        """Return the recall of each class; empty unless rows are drawn given the parameters."""
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
        drawn = self.blocks(
            lambda _, tables: np.stack(list(tables)),
            of.rng,
            of.n_draws,
            prior=of.prior,
            tables=True,
            given=self._bases(of.draws),
        )
        tables = np.concatenate(list(drawn), axis=1)
        counts = []
        for k, table in enumerate(tables):
            if k < len(self.groups):  # classifiers of one group see the same instances
                true = of.classes(table.sum(axis=-1), k)
            counts.append(of.rows(table, true, k))
        return confusion(counts)

    def check_graph(self) -> None:
        """Raise if there is no PyMC graph."""
        if any(group.samples_mu and (group.mu.prior == 0).any() for group in self.groups):
            raise ValueError(
                "Some labels are predicted but never the true class, and PyMC cannot sample a "
                "proportion that is 0. Pass labels= with all classes if these can occur, or use "
                "engine='exact'."
            )
        super().check_graph()

    def _log_likelihoods(self, values: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
        for g, group in enumerate(self.groups):
            mu, etas = group.names(g)
            if group.samples_mu:
                yield f"counts of {mu}", log_multinomial(values[mu], group.mu.counts)
            for name, eta in zip(etas, group.etas, strict=True):
                if isinstance(eta, Recall):
                    term = _log_beta_binomials(values[name], values[icc_name(name)], eta)
                    yield f"counts given {name}", term
                elif eta is not None:
                    yield f"counts given {name}", _log_dirichlet_multinomial(values[name], eta)


class Hierarchical(OutcomeModel):
    """Independent classifiers whose classes share eta (Zhang et al. 2015, section III).

    Each classifier has its own class proportions mu ~ Dirichlet and its own eta ~ Beta. Row j of
    its confusion table is Dirichlet with eta on class j and (1 - eta) / (M - 1) on every other
    class.

    Parameters
    ----------
    mu : float or array-like of shape (n_classes,), default=1.0
        Dirichlet prior of the class proportions, in the order of the labels. With two classes,
        the positive class comes first.
    eta : float or array-like of shape (2,), default=1.0
        Beta prior of eta, as (correct, incorrect).

    Examples
    --------
    >>> from skbayeseval import compare_predictions
    >>> from skbayeseval.models import Hierarchical
    >>> y, a, b = [0, 1, 2] * 4, [0, 1, 2, 0, 1, 1] * 2, [0, 1, 1, 0, 2, 2] * 2
    >>> compare_predictions(y, a, b, model=Hierarchical(), random_state=0).model
    'hierarchical'
    """

    name = "hierarchical"
    has_independent_classifiers = True
    prior_pulls_classes = True

    def __init__(self, mu: ArrayLike = 1.0, eta: ArrayLike = 1.0) -> None:
        self.mu = mu
        self.eta = eta

    def _outcomes(
        self, truth: Array, predictions: Array, counts: Array, margins: tuple[ConfusionCounts, ...]
    ) -> Outcomes:
        mu = class_proportions(self.mu, margins[0])
        etas = tuple(_eta(self.eta, margin) for margin in margins)
        return Outcomes(mu, truth, predictions, counts, etas)


class PairedHierarchical(Hierarchical):
    """Classifiers on the same instances, with the published prior of more than two classes.

    All classifiers share the class proportions mu. For true class j, the probabilities of the
    tuples of predictions are Dirichlet, with the product of the classifiers' hierarchical priors.
    Each classifier's eta is inferred from that classifier's own confusion counts, independently of
    the others (a modular, "cut" posterior). The marginal posterior of every classifier is therefore
    that of `Hierarchical`.

    Parameters
    ----------
    mu : float or array-like of shape (n_classes,), default=1.0
        Dirichlet prior of the class proportions, in the order of the labels. With two classes,
        the positive class comes first.
    eta : float or array-like of shape (2,), default=1.0
        Beta prior of each eta, as (correct, incorrect).

    Examples
    --------
    >>> from skbayeseval import compare_predictions
    >>> from skbayeseval.models import PairedHierarchical
    >>> y, a, b = [0, 1, 2] * 4, [0, 1, 2, 0, 1, 1] * 2, [0, 1, 1, 0, 2, 2] * 2
    >>> result = compare_predictions(y, a, b, model=PairedHierarchical(), random_state=0)
    >>> result.model, result.prior
    ('paired hierarchical', {'eta': 1.0, 'mu': 1.0})
    """

    name = "paired hierarchical"
    needs_pairs = True
    has_independent_classifiers = False
    prior_pulls_classes = False


class PairedMany(OutcomeModel):
    """Three or more classifiers on the same instances, for two classes.

    For each true class, the probabilities of the 2^K tuples of predictions are Dirichlet with
    4 `theta` / 2^K in each. The marginal posterior of every pair of classifiers is therefore that
    of `Paired` (Zhang et al. 2016).

    Parameters
    ----------
    mu : float or array-like of shape (2,), default=1.0
        Beta prior of mu, as (positive, negative).
    theta : float, default=1.0
        Dirichlet prior of each of the four pairs of predictions of two classifiers. The default of
        ``model="paired"`` is 0.25.

    Examples
    --------
    >>> from skbayeseval import compare_many
    >>> y = [0, 1, 1, 0]
    >>> predictions = {"a": [0, 1, 1, 0], "b": [0, 0, 1, 0], "c": [1, 1, 1, 0]}
    >>> compare_many(y, predictions, random_state=0).model
    'paired'
    """

    name = "paired"
    needs_pairs = True
    default_prior: ClassVar[dict[str, Any]] = {"theta": 0.25}

    def __init__(self, mu: ArrayLike = 1.0, theta: float = 1.0) -> None:
        self.mu = mu
        self.theta = theta

    def _outcomes(
        self, truth: Array, predictions: Array, counts: Array, margins: tuple[ConfusionCounts, ...]
    ) -> Outcomes:
        theta = float(check_concentration(self.theta, (), "theta"))
        mu, etas = class_proportions(self.mu, margins[0]), (None,) * len(margins)
        return Outcomes(mu, truth, predictions, counts, etas, mass=4 * theta)

    def has_finite_prior_density(self, metric: Metric) -> bool | None:
        """Return None: it is unknown whether the prior density of the difference is finite at 0."""
        return None

    def of_pair(self) -> Model:
        """Return the model of two classifiers that is the margin of this one."""
        pair = Paired(mu=self.mu, theta=self.theta)
        pair.published = None if self.published is None else self.published.of_pair()
        return pair


def class_proportions(mu: ArrayLike, counts: ConfusionCounts) -> Simplex:
    """Return the class proportions. The prior of two classes has the positive class first.

    A label that cannot be the true class has the proportion 0.
    """
    n_classes = len(counts.labels)
    prior = check_concentration(mu, (n_classes,), "mu")
    if n_classes == 2 and counts.positive != 0:
        if counts.positive is None:
            check_same_for_both(prior)
        prior = prior[::-1]
    return Simplex("mu", np.where(counts.possible, prior, 0.0), counts.true * counts.weight)


def _eta(prior: ArrayLike, counts: ConfusionCounts) -> Eta:
    truth, predicted, number = counts.cells
    right, effective = truth == predicted, number * counts.weight
    prior = check_concentration(prior, (2,), "eta")
    return Eta(prior, len(counts.labels), effective[right], effective[~right])


class Recalls(OutcomeModel):
    """One classifier, or independent ones, for more than two classes.

    Parameters
    ----------
    mu, eta, icc
        As in `PairedRecalls`.

    Examples
    --------
    >>> from skbayeseval import score_posterior
    >>> result = score_posterior([0, 1, 2] * 4, [0, 1, 2, 0, 1, 1] * 2, random_state=0)
    >>> result.model
    'recalls'
    """

    name = "recalls"
    has_independent_classifiers = True

    def __init__(
        self, mu: ArrayLike | None = None, eta: ArrayLike = 1.0, icc: ArrayLike = 1.0
    ) -> None:
        self.mu = mu
        self.eta = eta
        self.icc = icc

    def _outcomes(
        self, truth: Array, predictions: Array, counts: Array, margins: tuple[ConfusionCounts, ...]
    ) -> Outcomes:
        return Outcomes(
            class_proportions(1.0 if self.mu is None else self.mu, margins[0]),
            truth,
            predictions,
            counts,
            tuple(self._recall(margin) for margin in margins),
            estimates_mu=self.mu is None,
        )

    def _recall(self, counts: ConfusionCounts) -> Recall:
        right, true = counts.hits * counts.weight, counts.true * counts.weight
        return Recall(
            check_concentration(self.eta, (2,), "eta"),
            check_concentration(self.icc, (2,), "icc"),
            right,
            np.maximum(true - right, 0.0),
        )


class PairedRecalls(Recalls):
    """Classifiers on the same instances, for more than two classes.

    All classifiers share the class proportions mu. The recall of class j is Beta(s eta,
    s (1 - eta)), and the wrong predictions of the class are divided by a Dirichlet distribution of
    mass 1. Each classifier has its own eta and intraclass correlation 1 / (1 + s), inferred from
    its own confusion counts. In a draw, the etas of two classifiers are as correlated as their
    errors, and the observed outcomes are shared.

    Parameters
    ----------
    mu : float, array-like of shape (n_classes,) or None, default=None
        Dirichlet prior of the class proportions, in the order of the labels. With None, the
        distribution of the proportions is learned from all classes.
    eta : float or array-like of shape (2,), default=1.0
        Beta prior of each eta, the mean recall, as (correct, incorrect).
    icc : float or array-like of shape (2,), default=1.0
        Beta prior of each intraclass correlation. 0: all classes have the same recall. 1: in each
        class, all instances are right or all are wrong.

    Examples
    --------
    >>> from skbayeseval import compare_predictions
    >>> y, a, b = [0, 1, 2] * 4, [0, 1, 2, 0, 1, 1] * 2, [0, 1, 1, 0, 2, 2] * 2
    >>> result = compare_predictions(y, a, b, random_state=0)
    >>> result.model, result.prior
    ('paired', {'eta': 1.0, 'icc': 1.0, 'mu': None})
    """

    name = "paired"
    needs_pairs = True
    has_independent_classifiers = False


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
