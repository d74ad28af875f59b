"""What all models have in common: given evidence, they draw metrics and parameters themselves.

A parameter has the name that the papers give it: mu are the class proportions; rho+ and rho- the
rates of positive predictions; theta the outcomes of a true class; eta the concentration of the
hierarchical prior; pi the cells (tp, fp, fn, tn). A or B after an underscore is the classifier.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from copy import copy
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike

from skbayeseval._arrays import Array
from skbayeseval._validation import ParameterObject
from skbayeseval.evidence.interface import Evidence, letter
from skbayeseval.judgement.distribution import Distribution
from skbayeseval.metrics.metric import Metric, Totals
from skbayeseval.models.blocks import BLOCK
from skbayeseval.models.margins import BetaDifference, BetaMargin, Law
from skbayeseval.models.pymc import (
    Parameter,
    Parameters,
    PriorBuilder,
    PyMCEngine,
    Trace,
    call_prior,
    publish,
    sample,
)
from skbayeseval.models.rows import Population

Draws = Mapping[str, Array]
Blocks = Iterator[Array]

SMALLEST_CONCENTRATION = 0.01


class Replicated(NamedTuple):
    """Draws of the parameters, and the test set that is to be replicated.

    A count of weight w is worth w independent instances. So the counts of N instances are predicted
    as those of w N independent ones, each counted 1 / w times: as wide as the model takes them to
    be.

    Parameters
    ----------
    draws : mapping of str to ndarray of shape (n_draws, ...)
        Draws of the parameters.
    true : list of ndarray of shape (n_classes,)
        For each classifier, the observed number of instances of each class.
    weights : list of float
        For each classifier, the weight of one count.
    fixed_classes : bool
        Whether the test set was sampled by class, so that `true` is not random.
    prior : bool
        Whether the draws are those of the prior.
    rng : numpy.random.Generator
        The source of randomness.
    """

    draws: Mapping[str, Array]
    true: list[Array]
    weights: list[float]
    fixed_classes: bool
    prior: bool
    rng: Generator

    @property
    def n_draws(self) -> int:
        """The number of draws."""
        return len(next(iter(self.draws.values())))

    def instances(self, shares: Array, k: int) -> Array:
        """Return counts, given probabilities of shape (n_draws, n_classes, ...)."""
        flat = shares.reshape(len(shares), shares.shape[1], -1)
        return self.rows(flat, self.classes(flat.sum(axis=-1), k), k).reshape(shares.shape)

    def classes(self, shares: Array, k: int) -> Array:
        """Return how many independent instances there are of each class, (n_draws, n_classes)."""
        if self.fixed_classes:
            effective = np.round(self.true[k] * self.weights[k]).astype(int)
            return np.tile(effective, (len(shares), 1))
        total = round(self.true[k].sum() * self.weights[k])
        return self.rng.multinomial(total, _normalised(shares))

    def rows(self, shares: Array, true: Array, k: int) -> Array:
        """Return counts, given the number of independent instances of each class."""
        effective = self.true[k] * self.weights[k]
        rounded = np.round(effective if self.fixed_classes else effective.sum()).sum()
        return self.rng.multinomial(true, _normalised(shares)) / (rounded / self.true[k].sum())

    def multinomial(self, total: Any, weight: float, shares: Array) -> Array:
        """Return counts that sum to `total`, of round(weight * total) independent instances."""
        n = np.round(np.asarray(total) * weight).astype(int)
        counts = self.rng.multinomial(n, _normalised(shares))
        return counts * (np.asarray(total) / np.maximum(n, 1))[..., None]


def _normalised(shares: Array) -> Array:
    """Return probabilities that sum to 1; uniform ones for a class that cannot occur."""
    total = shares.sum(axis=-1, keepdims=True)
    return np.where(total > 0, shares / np.where(total > 0, total, 1), 1 / shares.shape[-1])


class Model(ParameterObject):
    """Base class of all models: a prior and, given evidence, draws, closed forms and a PyMC graph.

    A model with parameters only says what its prior is. `specification` returns the same model,
    given evidence, which all other methods need. Models use counts, not data or estimators.
    """

    name: str
    # The kind of evidence that it takes.
    takes: ClassVar[type] = object
    needs_pairs: ClassVar[bool] = False
    # Whether it has proportions of classes, which `with_prevalence` makes known ones.
    has_class_proportions: ClassVar[bool] = False
    # Whether classifiers are independent of each other.
    has_independent_classifiers: ClassVar[bool] = False
    # How many classifiers it takes at most; None for any number.
    most_classifiers: ClassVar[int | None] = 2
    needs_true_negatives: ClassVar[bool] = True
    has_proper_prior: ClassVar[bool] = True
    # Whether the weight of cross-validated counts is inferred by default, or the published one.
    infers_weight: ClassVar[bool] = True
    # Whether it draws random weights of units: instances, or groups of them.
    weights_units: ClassVar[bool] = False
    # Quantities beside the metrics of the evidence that the model has a posterior of.
    derived_metrics: ClassVar[tuple[str, ...]] = ()
    # Why there is no PyMC graph, if there is none.
    no_graph: ClassVar[str] = ""
    # Whether the prior of each class moves an accuracy where classes have few instances.
    prior_pulls_classes: ClassVar[bool] = False
    # Whether `stream` takes metrics with several values per table, on a first axis (`stacked`).
    draws_metrics_together: ClassVar[bool] = False
    # Whether a draw costs no more than that of two classes.
    draws_cost_one: ClassVar[bool] = False
    # Where the entries of parameters that both classifiers share go when A and B are swapped; only
    # class proportions, which are called `mu...`, need none.
    swapped_entries: ClassVar[Mapping[str, list[int]]] = {}
    # What a model that is asked for by name has in place of the published prior, which makes
    # intervals too wide where classifiers seldom disagree (docs/calibration.md, single test sets).
    default_prior: ClassVar[dict[str, Any]] = {}
    # The index of the positive class in the evidence; None if it is not known.
    positive: int | None = None
    # The model of Bayes factors, with the published prior, where this one has the default prior.
    published: Model | None = None
    # The distribution of A - B, given the metric, its draws and their source, where the model knows
    # more of it than draws tell.
    known_difference: ClassVar[Callable[..., Distribution] | None] = None
    # What models with parameters have beside these: metrics given draws of the parameters (the
    # arguments of `scores_given`), and the name and the value of each term of the log likelihood.
    _scores_given: Callable[..., Blocks]
    _log_likelihoods: Callable[..., Iterator[tuple[str, Any]]]

    @property
    def positive_index(self) -> int:
        """The index of the class that metrics of one class are about; the second, if unknown."""
        return 1 if self.positive is None else self.positive

    def prior(self) -> dict[str, Any]:
        """Return the parameters of the prior, by the names that the papers use."""
        return {name.rstrip("_"): value for name, value in self.get_params().items()}

    def of_pair(self) -> Model:
        """Return the model of two classifiers that is the margin of this one."""
        return self

    def mirrored(self) -> Model:
        """Return the model with A and B swapped: another one if the prior tells them apart."""
        return self

    def parameters_of_pair(self, draws: Draws, i: int, j: int) -> dict[str, Array]:
        """Return the draws of the parameters of classifiers `i` and `j`, renamed to A and B."""
        renamed = {}
        for name, values in draws.items():
            stem, _, owner = name.rpartition("_")
            if not stem:
                if i > j and not name.startswith("mu"):
                    values = values[..., self._swapped(name)]
                renamed[name] = values
            elif owner in (letter(i), letter(j)):
                renamed[f"{stem}_{'A' if owner == letter(i) else 'B'}"] = values
        return renamed

    def _swapped(self, name: str) -> list[int]:
        if name not in self.swapped_entries:
            raise ValueError(
                f"{type(self).__name__} must declare swapped_entries[{name!r}]: where the entries "
                f"of {name!r}, which both classifiers share, go when A and B are swapped."
            )
        return self.swapped_entries[name]

    def parameters_of_joint(self, draws: Draws, positive: int | None) -> dict[str, Array]:
        """Return draws of the parameters of this model, given those of a model it is a margin of.

        `positive` is the index of the positive class.
        """
        return dict(draws)

    def specification(self, evidence: Any, prevalence: Sequence[float] | None = None) -> Self:
        """Return the model given the evidence, and the class proportions if these are known."""
        if self.needs_pairs and isinstance(evidence, Evidence) and not evidence.is_paired:
            raise ValueError(
                f"model={self.name!r} requires the predictions of both classifiers for each "
                "instance, but only separate counts were given. Use compare_predictions or "
                "model='unpaired'."
            )
        if not isinstance(evidence, self.takes):
            raise ValueError(
                f"{type(self).__name__} requires evidence of type {self.takes.__name__}, got "
                f"{type(evidence).__name__}."
            )
        observing = copy(self)
        if isinstance(evidence, Evidence) and evidence.has_class_counts:
            observing.positive = evidence.margins()[0].positive
        observing._observe(evidence)
        if prevalence is None:
            return observing
        if not self.has_class_proportions:
            raise ValueError(
                "prevalence= requires a model with class proportions, such as 'paired', 'unpaired' "
                "or 'hierarchical'. It does not apply to model='bcv', groups, blocks, multi-label "
                "indicators, chunks, scores, or a model of your own that does not declare "
                "has_class_proportions=True."
            )
        return observing.with_prevalence(np.array(prevalence))

    def _observe(self, evidence: Any) -> None:
        """Keep what the posterior depends on; raise if prior and evidence do not fit."""
        raise NotImplementedError

    def stream(self, metric: Metric, rng: Generator, number: int, *, prior: bool = False) -> Blocks:
        """Yield blocks of exact draws of a metric, of shape (n_classifiers, n).

        Parameters
        ----------
        metric : Metric
            The metric to compute from each draw.
        rng : numpy.random.Generator
            The source of randomness.
        number : int
            The total number of draws.
        prior : bool, default=False
            Whether to draw from the prior instead of the posterior.
        """
        raise TypeError(f"The exact engine does not support {type(self).__name__}.")

    def draw_populations(self, rng: Generator, n_draws: int) -> list[tuple[Population, ...]]:
        """Return posterior draws of the probabilities of outcomes, to simulate new test sets.

        Each draw has one population if the classifiers share instances, else one per classifier.
        """
        raise TypeError(
            f"New test sets cannot be simulated from {type(self).__name__}, which has no "
            "draw_populations(). Compare with model='paired' or model='unpaired' to plan."
        )

    def stacked_shapes(self) -> Array | None:
        """Return the shapes of all Dirichlet vectors that the posterior consists of.

        None if it does not. Posteriors of many test sets can be drawn at once where there are any.
        """
        return None

    # Where there are such shapes: as in `Vectors`.
    differences_of_shapes: Callable[..., Array]

    def parameters(self) -> list[Parameter]:
        """Return the parameters that are sampled; none where only weights are drawn."""
        return []

    def draw_parameters(self, rng: Generator, n_draws: int, *, prior: bool) -> dict[str, Array]:
        """Return exact draws of the parameters, of shape (n_draws, ...), where there are any.

        For tables drawn by rows, this includes rho, the recall of each class.
        """
        return {}

    def scores_given(self, draws: Draws, metric: Metric, rng: Generator, *, prior: bool) -> Blocks:
        """Yield blocks of draws of a metric, of shape (n_classifiers, n), given parameters.

        Parameters
        ----------
        draws : mapping of str to ndarray of shape (n_draws, ...)
            Draws of the parameters.
        metric : Metric
            The metric to compute from each draw.
        rng : numpy.random.Generator
            Used to draw the rows of tables given eta, unless `draws` contains them as theta.
        prior : bool
            Whether rows are drawn from the prior instead of the posterior.
        """
        missing = [p.name for p in self.parameters() if p.name not in draws]
        if missing:
            raise ValueError(
                f"There are no draws of {missing[0]!r}, only of {list(draws)}. Other metrics "
                "cannot be computed from them."
            )
        return self._scores_given(draws, metric, rng, prior)

    def rates_given(self, draws: Draws, rng: Generator, *, prior: bool) -> dict[str, Array]:
        """Return the recall of each class; empty unless rows are drawn given the parameters."""
        return {}

    def log_densities(self, draws: Draws) -> tuple[dict[str, Array], dict[str, Array]] | None:
        """Return the terms of the log likelihood, and of the log prior, of draws, by name.

        None if these are not all there is.
        That is so where rows of tables or weights of units are drawn besides the parameters, and
        where the draws lack a parameter.
        """
        return None

    def replicate(self, of: Replicated) -> dict[str, Array]:
        """Return predicted counts of shape (n_draws, ...), named as the observed data in ArviZ.

        Empty if the model does not predict counts, or if the draws lack a parameter.
        """
        names = [parameter.name for parameter in self.parameters()]
        if not of.draws or any(name not in of.draws for name in names):
            return {}
        return self._replicate(of)

    def _replicate(self, of: Replicated) -> dict[str, Array]:
        return {}

    def check_graph(self) -> None:
        """Raise if there is no PyMC graph, or if it has no parameters to sample."""
        if self.no_graph:
            raise ValueError(self.no_graph)
        if not self.parameters():
            raise ValueError(
                f"{type(self).__name__} has no parameters for PyMC to sample: those that "
                "prevalence= leaves are drawn from their conjugate posterior, and a model of your "
                "own has none without parameters(). Use engine='exact'."
            )

    def build_graph(
        self,
        labels: tuple[Any, ...],
        *,
        prior: PriorBuilder | None = None,
        likelihood: bool = True,
        name: str = "",
    ) -> Any:
        """Return a `pymc.Model` with the same prior and effective counts.

        Parameters
        ----------
        labels : tuple
            The classes, or the labels of an indicator.
        prior : callable, default=None
            A function that is called in the context of the model. Variables that it builds or
            returns with the name of a parameter replace the published prior.
        likelihood : bool, default=True
            Whether to include the likelihood of the data.
        name : str, default=""
            A prefix of the names of all variables, to combine several graphs in one model.
        """
        self.check_graph()
        import pymc as pm

        # Do not nest the graph in another model whose context is active.
        parent = {} if name else {"model": None}
        with pm.Model(name, coords=self.coordinates(labels), **parent) as model:
            parameters = Parameters(self.parameters(), publish)
            if prior is not None:
                call_prior(prior, parameters, model)
            values = dict(parameters)
            if likelihood:
                for term_name, term in self._log_likelihoods(values):
                    pm.Potential(term_name, term)
        return model

    def sample(self, labels: tuple[Any, ...], engine: PyMCEngine, seed: int) -> Trace:
        """Return posterior draws of the parameters, sampled by PyMC."""
        names = [parameter.name for parameter in self.parameters()]
        return sample(self.build_graph(labels, prior=engine.prior), engine, names, seed)

    def coordinates(self, labels: tuple[Any, ...]) -> dict[str, list[str]]:
        """Return the names along each dimension of the parameters."""
        return {}

    def dims(self) -> dict[str, list[str]]:
        """Return the dimensions of each parameter, and of what is derived from it."""
        return {p.name: list(p.dims) for p in self.parameters() if p.dims}

    def shapes(self, *, prior: bool) -> dict[str, Array]:
        """Return the Dirichlet shapes before or after the data, where there are such vectors."""
        return {}

    @property
    def has_classes_alike(self) -> bool:
        """Whether the prior is known to stay the same if the classes change places."""
        return False

    @property
    def class_prior_mass(self) -> float:
        """What the prior of the class proportions weighs, in instances."""
        return 0.0

    def with_prevalence(self, proportions: Array) -> Self:
        """Return the model with known class proportions, in the order of the labels."""
        raise NotImplementedError

    def margin(self, metric: Metric, which: int, *, prior: bool = False) -> BetaMargin | None:
        """Return the distribution of one classifier's metric, None if not in closed form."""
        return None

    def law(self, metric: Metric, which: int | None = None, *, prior: bool = False) -> Law | None:
        """Return the law of one classifier's metric, or of A - B; None if not in closed form."""
        if which is not None:
            return self.margin(metric, which, prior=prior)
        if not self.has_independent_classifiers:
            return None
        a, b = (self.margin(metric, k, prior=prior) for k in range(2))
        return None if a is None or b is None else BetaDifference(a, b)

    def log_density_at_zero(self, metric: Metric, *, prior: bool = False) -> float | None:
        """Return the log density of the difference at 0; inf if infinite, None if unknown.

        The density is known if it has a closed form or a fast quadrature.
        """
        law = self.law(metric, prior=prior)
        return law.log_density_at_zero() if isinstance(law, BetaDifference) else None

    def has_finite_prior_density(self, metric: Metric) -> bool | None:
        """Return whether the prior density of the difference is finite at 0; None if unknown.

        See docs/bayes_factors.md for the reasons.
        """
        return None


def metric_of_block(
    metric: Metric, positive: int, block: Totals | Array | Iterable[Array]
) -> Array:
    """Return the values of a metric, of shape (n_classifiers, n), given totals or tables.

    Tables may come one classifier at a time, so that no more need to be in memory.
    """
    if isinstance(block, Totals):
        return metric.of_totals(block, positive)
    return np.stack([metric(tables) for tables in block])


class UndefinedDrawsError(ValueError):
    """Draws of a metric are infinite or NaN, so that they have no mean."""


def check_defined(scores: Array, metric: Metric) -> Array:
    """Return the metric values; raise if one of them is infinite or NaN."""
    if not np.isfinite(scores).all():
        share = 1 - np.isfinite(scores).mean()
        raise UndefinedDrawsError(
            f"Metric {metric.name!r} is infinite or NaN in {share:.2g} of the draws. It must be "
            "finite for every table without zeros. If a ratio without a limit is not, this model "
            "saw too few errors: choose a metric with limits."
        )
    return scores


def joined(blocks: Iterable[Draws]) -> dict[str, Array]:
    """Return the draws of all blocks by name."""
    blocks = list(blocks)
    return {name: np.concatenate([block[name] for block in blocks]) for name in blocks[0]}


def blocks_of(draws: Draws, most: int = BLOCK) -> Iterator[tuple[dict[str, Array], int]]:
    """Yield draws of parameters in blocks, and the size of each."""
    n_draws = len(next(iter(draws.values())))
    size = max(1, min(BLOCK, most))
    for start in range(0, n_draws, size):
        here = {name: values[start : start + size] for name, values in draws.items()}
        yield here, min(size, n_draws - start)


def confusion(tables: Any) -> dict[str, Array]:
    """Return the tables of classifiers, named as the observed data in ArviZ."""
    return {f"confusion_{letter(k)}": table for k, table in enumerate(tables)}


def check_same_for_both(mu: Array, rates: Array | None = None) -> None:
    """Raise unless the prior stays the same if the classes change places.

    It must, where the positive one of two is unknown.
    """
    alike = rates is None or np.array_equal(rates[0], rates[1][::-1])
    if mu[0] != mu[1] or not alike:
        raise ValueError(
            "The prior differs between the positive and the negative class, but neither class is "
            "1. Specify the positive class with pos_label=."
        )


def check_several(number: int, what: str) -> None:
    """Raise if there is a single unit, which says nothing about how much units vary."""
    if number == 1:
        hint = ", or omit groups= if all else is independent" if what == "group" else ""
        size = " (n_samples=1)" if what == "instance" else ""
        raise ValueError(
            f"There is a single {what}{size}, which does not tell how much {what}s vary. Pass at "
            f"least two {what}s, better 20 or more{hint}."
        )


def with_swapped_theta(model: Model) -> Model:
    """Return a model whose `theta` is one number, or has both, only A, only B and neither."""
    theta = np.asarray(model.get_params()["theta"])
    if theta.shape[-1:] != (4,):
        return model
    return copy(model).set_params(theta=theta[..., [0, 2, 1, 3]].tolist())


def check_concentration(value: ArrayLike, shape: tuple[int, ...], name: str) -> Array:
    """Return a prior parameter, broadcast to `shape`; every entry must be greater than 0.

    Below `SMALLEST_CONCENTRATION`, probabilities underflow often enough to bias their ratios.
    """
    try:
        if np.asarray(value).dtype.kind not in "iuf":
            raise TypeError
        array = np.broadcast_to(np.asarray(value, dtype=float), shape)
    except (TypeError, ValueError) as error:
        array_like = f" or an array that broadcasts to shape {shape}" if shape else ""
        raise ValueError(f"prior {name!r} must be a number{array_like}, got {value!r}.") from error
    if not (np.isfinite(array).all() and (array >= SMALLEST_CONCENTRATION).all()):
        raise ValueError(
            f"prior {name!r} must contain finite numbers greater than 0, and at least "
            f"{SMALLEST_CONCENTRATION} to keep draws in floating-point range, got {value!r}."
        )
    return array.copy()
