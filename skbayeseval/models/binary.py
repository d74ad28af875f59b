"""Models for two classes: unpaired and paired (SIGIR 2016), and block cross-validation (ACL 2019).

Each model is a set of independent Dirichlet vectors that determine the confusion tables of the
classifiers. As in the papers, the positive class and the positive prediction come first in this
module; the tables that it returns are in the order of the labels.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, ClassVar

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike, NDArray
from scipy.special import gammaln, xlogy

from skbayeseval.engines.blocks import in_order, stream_blocks
from skbayeseval.engines.gammas import Simplex, dirichlet_rows
from skbayeseval.engines.variables import Parameter, log_binomial, log_multinomial
from skbayeseval.evidence.base import Evidence, letter
from skbayeseval.evidence.chunks import CELLS as CHUNK_CELLS
from skbayeseval.evidence.confusion import ConfusionCounts
from skbayeseval.evidence.counts import check_paired, margins_of
from skbayeseval.judgement.intervals import Interval
from skbayeseval.metrics.confusion import Metric
from skbayeseval.models.margins import BetaMargin, F1Margin, difference_log_density_at_zero
from skbayeseval.models.paired_prior import (
    log_density_of_equal_accuracy,
    log_density_of_equality,
    shares_given_rates,
)
from skbayeseval.models.specification import (
    BLOCK,
    AnySpecification,
    LogDensities,
    Model,
    Replicated,
    Shapes,
    blocks_of,
    check_concentration,
    confusion,
)

Array = NDArray[Any]


OUTCOMES = ("11", "10", "01", "00")
CELLS = ("tp", "fp", "fn", "tn")

# The most draws of which those in a region are counted.
MOST_COUNTED_DRAWS = 2**23

SMALLEST = np.finfo(float).tiny


class Vectors(AnySpecification):
    """Independent probability vectors, each with a Dirichlet prior; or one vector per label."""

    simplexes: tuple[Simplex, ...]

    # What the axis of labels is called, where there is one.
    of_labels: ClassVar[tuple[str, ...]] = ()

    def parameters(self) -> list[Parameter]:
        """Return the parameters that are sampled."""
        dimension = {"theta+": "outcome", "theta-": "outcome", "pi": "chunk"}
        return [
            Parameter(s.name, s.prior, True, self.of_labels)
            if s.prior.shape[-1] == 2
            else Parameter(s.name, s.prior, False, (*self.of_labels, dimension.get(s.name, "cell")))
            for s in self.simplexes
        ]

    def log_densities(self, draws: Mapping[str, Array]) -> LogDensities | None:
        """Return the log densities of draws of the parameters; None if one is missing."""
        if not self.simplexes or any(s.name not in draws for s in self.simplexes):
            return None
        likelihood, prior = {}, {}
        for simplex in self.simplexes:
            name, shapes, values = simplex.name, simplex.prior, draws[simplex.name]
            if values.ndim == shapes.ndim:  # the first of two that sum to 1
                values = np.stack([values, 1 - values], axis=-1)
            values = np.maximum(values, SMALLEST)
            norm = gammaln(shapes.sum(axis=-1)) - gammaln(shapes).sum(axis=-1)
            of_prior = xlogy(shapes - 1, values).sum(axis=-1) + norm
            of_counts = xlogy(simplex.counts, values).sum(axis=-1)
            likelihood[f"counts of {name}"] = of_counts.reshape(len(values), -1).sum(axis=1)
            prior[f"prior of {name}"] = of_prior.reshape(len(values), -1).sum(axis=1)
        return LogDensities(likelihood, prior)

    def _log_likelihoods(self, values: Mapping[str, Any], form: str) -> Iterator[tuple[str, Any]]:
        for simplex in self.simplexes:
            value, counts = values[simplex.name], simplex.counts
            if counts.shape[-1] == 2:
                term = log_binomial(value, counts[..., 0], counts[..., 1])
            else:
                term = log_multinomial(value, counts)
            yield f"counts of {simplex.name}", term


@dataclass(frozen=True)
class Specification(Vectors):
    """Independent probability vectors, and the confusion tables computed from them.

    Parameters
    ----------
    simplexes : tuple of Simplex
        The probability vectors to sample.
    tables : callable
        Maps draws, one array of shape (k, n_draws) per simplex, to tables of shape
        (n_draws, n_classifiers, M, M).
    fixed : mapping of str to ndarray
        Probability vectors with known values, by name.
    joint : callable, default=None
        If the classifiers share instances: maps draws to joint tables over (true class, prediction
        of A, prediction of B), of shape (n_draws, M, M, M).
    """

    simplexes: tuple[Simplex, ...]
    tables: Callable[[Mapping[str, Array]], Array]
    fixed: Mapping[str, Array] = field(default_factory=dict)
    joint: Callable[[Mapping[str, Array]], Array] | None = None

    draws_cost_one: ClassVar[bool] = True

    def shapes(self, *, prior: bool) -> dict[str, Array]:
        """Return the Dirichlet shapes of the prior or of the posterior."""
        return {s.name: s.prior if prior else s.prior + s.counts for s in self.simplexes}

    def coordinates(self, labels: tuple[Any, ...]) -> dict[str, list[str]]:
        """Return the names along each dimension of the parameters."""
        n_cells = max((len(s.prior) for s in self.simplexes if "pi_" in s.name), default=4)
        return {
            "outcome": list(OUTCOMES),
            "cell": list(CELLS[:n_cells]),
            "chunk": list(CHUNK_CELLS),
        }

    def with_prevalence(self, proportions: Array, positive: int | None) -> Specification:
        """Return the specification with known class proportions, in the order of the labels."""
        positive_first = proportions if positive == 0 else proportions[::-1]
        known = {s.name: positive_first for s in self.simplexes if s.name.startswith("mu")}
        if not known:
            raise ValueError(
                "prevalence= needs a model with separate class proportions: 'paired', 'unpaired' "
                "or 'hierarchical'."
            )
        sampled = tuple(s for s in self.simplexes if s.name not in known)
        return replace(self, simplexes=sampled, fixed=known)

    def draw(self, rng: Generator, size: int, *, prior: bool = False) -> dict[str, Array]:
        """Return draws of each probability vector, with shape (k, size)."""
        shapes = self.shapes(prior=prior)
        draws = dict(zip(shapes, dirichlet_rows(rng, list(shapes.values()), size), strict=True))
        return self._with_fixed(draws, size)

    def _given(self, draws: Mapping[str, Array], size: int) -> dict[str, Array]:
        """Return all entries of each probability vector, of shape (k, size)."""
        whole = {}
        for simplex in self.simplexes:
            values = draws[simplex.name]
            whole[simplex.name] = np.stack([values, 1 - values]) if values.ndim == 1 else values.T
        return self._with_fixed(whole, size)

    def _with_fixed(self, draws: dict[str, Array], size: int) -> dict[str, Array]:
        repeated = {name: np.repeat(p[:, None], size, axis=1) for name, p in self.fixed.items()}
        return draws | repeated

    def stream_tables(
        self, rng: Generator, n_draws: int, *, prior: bool = False
    ) -> Iterator[Array]:
        """Yield blocks of confusion tables of shape (n, n_classifiers, M, M)."""

        def draw(rng: Generator, size: int) -> Array:
            return self.tables(self.draw(rng, size, prior=prior))

        return stream_blocks(draw, rng, n_draws, BLOCK)

    def stream(
        self, metric: Metric, positive: int, rng: Generator, n_draws: int, *, prior: bool = False
    ) -> Iterator[Array]:
        """Yield blocks of draws of a metric, of shape (n_classifiers, n)."""

        def draw(rng: Generator, size: int) -> Array:
            tables = self.tables(self.draw(rng, size, prior=prior))
            return metric(tables, positive).swapaxes(-2, -1)

        return stream_blocks(draw, rng, n_draws, BLOCK)

    def stream_parameters(
        self, rng: Generator, n_draws: int, *, prior: bool
    ) -> Iterator[dict[str, Array]]:
        """Yield blocks of draws of the parameters."""

        def draw(rng: Generator, size: int) -> dict[str, Array]:
            drawn = self.draw(rng, size, prior=prior)
            vectors = {s.name: drawn[s.name] for s in self.simplexes}
            return {name: v[0] if len(v) == 2 else v.T for name, v in vectors.items()}

        return stream_blocks(draw, rng, n_draws, BLOCK)

    def _scores_given(
        self, draws: Mapping[str, Array], metric: Metric, positive: int, rng: Generator, prior: bool
    ) -> Iterator[Array]:
        def score(here: Mapping[str, Array], size: int) -> Array:
            return metric(self.tables(self._given(here, size)), positive).T

        return in_order(score, blocks_of(draws))

    def shares(
        self, metric: Metric, positive: int, rng: Generator, region: Interval
    ) -> Iterator[Array]:
        """Yield estimates of P(A - B in the region) under the prior, in blocks of shape (2, n).

        A user-supplied metric of paired classifiers need not be increasing: draws are counted.
        """
        if all("_" in simplex.name for simplex in self.simplexes):  # no shared parameter
            return super().shares(metric, positive, rng, region)
        shapes = self.shapes(prior=True)
        if metric.formula is not None and "theta+" in shapes:
            return shares_given_rates(shapes, self.fixed, metric, positive, rng, region)
        return self._shares_of_draws(metric, positive, rng, region, MOST_COUNTED_DRAWS, 1)

    def _replicate(self, of: Replicated) -> dict[str, Array]:
        whole = self._given(of.draws, of.n_draws)
        if all(name.startswith("pi") for name in whole):
            # Tables are sums of cells, so those of counts are counts.
            counts = {}
            for simplex, weight in zip(self.simplexes, of.weights, strict=False):
                total = simplex.counts.sum() / weight
                counts[simplex.name] = of.multinomial(total, weight, whole[simplex.name].T).T
            return confusion(np.moveaxis(self.tables(counts), 1, 0))
        if self.joint is not None:
            cube = of.instances(self.joint(whole), 0)
            # The outcomes (1, 1), (1, 0), (0, 1), (0, 0), as in the observed data.
            positive_first = cube if of.positive == 0 else cube[:, :, ::-1, ::-1]
            outcomes = positive_first.reshape(of.n_draws, 2, 4)
            return {"outcomes": outcomes, **confusion([cube.sum(axis=3), cube.sum(axis=2)])}
        tables = np.moveaxis(self.tables(whole), 1, 0)
        return confusion([of.instances(table, k) for k, table in enumerate(tables)])


class BinaryModel(Model):
    """Base class of the models for two classes: closed forms for independent metrics."""

    def independent_margins(
        self, formula: str | None, shapes: Shapes
    ) -> tuple[BetaMargin, BetaMargin] | None:
        """Return the distributions of both metrics, None unless known and independent."""
        a, b = (self.margin(formula, shapes, k) for k in range(2))
        return None if self.needs_pairs or a is None or b is None else (a, b)

    def log_density_at_zero(self, formula: str | None, shapes: Shapes) -> float | None:
        """Return the log density of the difference at 0; inf if infinite, None if unknown."""
        margins = self.independent_margins(formula, shapes)
        return None if margins is None else difference_log_density_at_zero(*margins)

    def has_finite_prior_density(self, formula: str | None, shapes: Shapes) -> bool | None:
        """Return whether the prior density of the difference is finite at 0; None if unknown."""
        # With uniform rates and proportions, every registered metric has a square-integrable
        # density. Larger shapes have densities bounded by a multiple of the uniform one.
        if formula is not None and min(shape.min() for shape in shapes.values()) >= 1:
            return True
        return None


class Unpaired(BinaryModel):
    """Two classifiers with separate class proportions and rates (Zhang et al. 2016, 3.1.1).

    Each classifier has its own mu ~ Beta, the probability of the positive class, and its own
    rho+, rho- ~ Beta, the probabilities of a positive prediction for instances of the positive and
    of the negative class.

    Parameters
    ----------
    mu : float or array-like of shape (2,), default=1.0
        Beta prior of mu, as (positive, negative).
    rho : float or array-like of shape (2,) or (2, 2), default=1.0
        Beta prior of the rates, as (predict positive, predict negative). Give one row for both
        classes, or one row per class with the positive class first.

    Examples
    --------
    >>> from skbayeseval import compare_counts
    >>> from skbayeseval.models import Unpaired
    >>> result = compare_counts((40, 10, 12, 80), (35, 10, 17, 80), model=Unpaired(rho=0.5))
    >>> result.model, result.prior
    ('unpaired', {'mu': 1.0, 'rho': 0.5})
    """

    name = "unpaired"

    def __init__(self, mu: ArrayLike = 1.0, rho: ArrayLike = 1.0) -> None:
        self.mu = mu
        self.rho = rho

    def specification(self, evidence: Evidence) -> Specification:
        """Return the specification of the posterior, given the evidence."""
        margins = margins_of(evidence)
        mu = check_concentration(self.mu, (2,), "mu")
        rho = check_concentration(self.rho, (2, 2), "rho")
        _check_orientation(margins[0].positive, mu, rho)
        simplexes = []
        for k, counts in enumerate(margins):
            classifier = letter(k)
            cells = _positive_first(counts.effective, counts.positive)
            simplexes += [
                Simplex(f"mu_{classifier}", mu, cells.sum(axis=1)),
                Simplex(f"rho+_{classifier}", rho[0], cells[0]),
                Simplex(f"rho-_{classifier}", rho[1], cells[1]),
            ]
        tables = partial(_unpaired_tables, margins[0].positive)
        return Specification(tuple(simplexes), tables)

    def margin(self, formula: str | None, shapes: Shapes, classifier: int) -> BetaMargin | None:
        """Return the distribution of one classifier's metric, None if not in closed form."""
        if formula == "recall":
            return BetaMargin(*shapes[f"rho+_{letter(classifier)}"])
        if formula == "specificity":
            return BetaMargin(*shapes[f"rho-_{letter(classifier)}"][::-1])
        return None


class Paired(BinaryModel):
    """Two classifiers on the same instances (Zhang et al. 2016, section 3.1.2).

    mu ~ Beta is the probability of the positive class. For each true class, theta ~ Dirichlet
    holds the probabilities of the pairs of predictions (A, B), in the order (1, 1), (1, 0),
    (0, 1), (0, 0).

    Parameters
    ----------
    mu : float or array-like of shape (2,), default=1.0
        Beta prior of mu, as (positive, negative).
    theta : float or array-like of shape (4,) or (2, 4), default=1.0
        Dirichlet prior of the pairs of predictions. Give one row for both classes, or one row per
        class with the positive class first. The default of ``model="paired"`` is 0.25.

    Examples
    --------
    >>> from skbayeseval import compare_predictions
    >>> from skbayeseval.models import Paired
    >>> y, a, b = [1, 1, 0, 0, 1], [1, 1, 0, 1, 1], [1, 0, 0, 1, 0]
    >>> compare_predictions(y, a, b, model=Paired(theta=0.5), random_state=0).model
    'paired'
    """

    name = "paired"
    infers_weight = True
    needs_pairs = True

    def __init__(self, mu: ArrayLike = 1.0, theta: ArrayLike = 1.0) -> None:
        self.mu = mu
        self.theta = theta

    def specification(self, evidence: Evidence) -> Specification:
        """Return the specification of the posterior, given the evidence."""
        evidence = check_paired(evidence)
        mu = check_concentration(self.mu, (2,), "mu")
        theta = check_concentration(self.theta, (2, 4), "theta")
        _check_orientation(evidence.positive, mu, theta)
        positive = evidence.positive
        cells = evidence.cube() * evidence.weight
        cells = (cells if positive == 0 else cells[::-1, ::-1, ::-1]).reshape(2, 4)
        simplexes = (
            Simplex("mu", mu, cells.sum(axis=1)),
            Simplex("theta+", theta[0], cells[0]),
            Simplex("theta-", theta[1], cells[1]),
        )
        return Specification(
            simplexes, partial(_paired_tables, positive), joint=partial(_joint_tables, positive)
        )

    def margin(self, formula: str | None, shapes: Shapes, classifier: int) -> BetaMargin | None:
        """Return the distribution of one classifier's metric, None if not in closed form."""
        if formula not in ("recall", "specificity"):
            return None
        pairs = shapes["theta+" if formula == "recall" else "theta-"].reshape(2, 2)
        predicted = pairs.sum(axis=1 - classifier)
        return BetaMargin(*(predicted if formula == "recall" else predicted[::-1]))

    def log_density_at_zero(self, formula: str | None, shapes: Shapes) -> float | None:
        """Return the log density of the difference at 0; inf if infinite, None if unknown."""
        if formula in ("recall", "specificity"):
            return log_density_of_equality(shapes["theta+" if formula == "recall" else "theta-"])
        if formula in ("accuracy", "balanced_accuracy"):
            return log_density_of_equal_accuracy(shapes, balanced=formula != "accuracy")
        return None

    def has_finite_prior_density(self, formula: str | None, shapes: Shapes) -> bool | None:
        """Return whether the prior density of the difference is finite at 0; None if unknown."""
        # As a class becomes rare, the difference of some metrics vanishes in proportion to its
        # frequency. The density at 0 is then proportional to the mean of 1 / frequency.
        family, of_one_class = _family(formula)
        if "mu" in shapes and family in _VANISHES_WITH:
            flat = shapes["mu"] <= 1
            if of_one_class and flat.any() and not flat.all():
                return None  # the positive class is not known here
            if flat[list(_VANISHES_WITH[family])].any():
                return False
        return super().has_finite_prior_density(formula, shapes)


class BCV(BinaryModel):
    """Counts of m x 2 block-regularised cross-validation (Wang and Li 2019).

    For each classifier, the probabilities of (TP, FP, FN, TN) have a Dirichlet prior with
    `lambda_` in each cell. Precision, recall and F1 then have the distributions of the paper's
    eqs. 25 to 27. The weight of the evidence turns pooled counts into effective counts.

    Parameters
    ----------
    lambda_ : float, default=1.0
        The prior count in each cell.

    Examples
    --------
    >>> from skbayeseval import compare_counts
    >>> from skbayeseval.models import BCV
    >>> result = compare_counts((40, 10, 12), (35, 10, 17), model=BCV(lambda_=0.5))
    >>> low, high = result.interval(of="a")
    >>> round(low, 3), round(high, 3)
    (0.681, 0.857)
    """

    name = "bcv"
    needs_true_negatives = False

    def __init__(self, lambda_: float = 1.0) -> None:
        self.lambda_ = lambda_

    def specification(self, evidence: Evidence) -> Specification:
        """Return the specification of the posterior, given the evidence."""
        margins = margins_of(evidence)
        n_cells = 4 if all(counts.has_true_negatives for counts in margins) else 3
        concentration = float(check_concentration(self.lambda_, (), "lambda"))
        simplexes = tuple(
            Simplex(f"pi_{classifier}", np.full(n_cells, concentration), _cells(counts)[:n_cells])
            for classifier, counts in zip(map(letter, range(len(margins))), margins, strict=True)
        )
        return Specification(simplexes, partial(_bcv_tables, margins[0].positive))

    def margin(self, formula: str | None, shapes: Shapes, classifier: int) -> BetaMargin | None:
        """Return the distribution of one classifier's metric, None if not in closed form."""
        tp, fp, fn, *rest = shapes[f"pi_{letter(classifier)}"]
        if formula == "precision":
            return BetaMargin(tp, fp)
        if formula == "recall":
            return BetaMargin(tp, fn)
        if formula == "jaccard":
            return BetaMargin(tp, fp + fn)
        if formula == "f1":
            return F1Margin(tp, fp + fn)
        if formula == "specificity" and rest:
            return BetaMargin(rest[0], fp)
        if formula == "accuracy" and rest:
            return BetaMargin(tp + rest[0], fp + fn)
        return None

    def prior(self) -> dict[str, Any]:
        """Return the prior in the form that `prior=` accepts."""
        return {"lambda": self.lambda_}


# The difference of these metrics vanishes as the positive class (0) or the negative class (1)
# becomes rare.
_VANISHES_WITH = {
    "f": (0,),
    "jaccard": (0,),
    "precision": (0, 1),
    "precision_macro": (0, 1),
    "precision_weighted": (0, 1),
    "cohen_kappa": (0, 1),
}


def _family(formula: str | None) -> tuple[str, bool]:
    """Return a formula with F-beta as "f", and whether it has the index of a class."""
    name, bracket, _ = str(formula).partition("[")
    beta = re.match(r"f(\d+(?:\.\d+)?(?:e[+-]?\d+)?)", name)
    if beta:
        name = ("f" if float(beta[1]) > 0 else "precision") + name[beta.end() :]
    return name, bool(bracket)


def _check_orientation(positive: int | None, mu: Array, rates: Array) -> None:
    """Raise if the prior is asymmetric in the classes but the positive class is unknown."""
    symmetric = mu[0] == mu[1] and np.array_equal(rates[0], rates[1][::-1])
    if positive is None and not symmetric:
        raise ValueError(
            "The prior differs between the positive and the negative class, but neither class is "
            "1. Specify the positive class with pos_label=."
        )


def _positive_first(tables: Array, positive: int | None) -> Array:
    """Convert tables between label order and positive-class-first order (its own inverse)."""
    return tables if positive == 0 else tables[..., ::-1, ::-1]


def _unpaired_tables(positive: int | None, draws: Mapping[str, Array]) -> Array:
    of_each = []
    for classifier in map(letter, range(len(draws) // 3)):
        rates = np.stack([draws[f"rho+_{classifier}"], draws[f"rho-_{classifier}"]])
        of_each.append(draws[f"mu_{classifier}"][:, None] * rates)
    return _tables(np.stack(of_each), positive)


def _paired_cells(draws: Mapping[str, Array]) -> Array:
    mu = draws["mu"]
    cells = np.empty((2, 4, mu.shape[1]))
    np.multiply(mu[0], draws["theta+"], out=cells[0])
    np.multiply(mu[1], draws["theta-"], out=cells[1])
    return cells.reshape(2, 2, 2, -1)


def _joint_tables(positive: int | None, draws: Mapping[str, Array]) -> Array:
    cells = np.moveaxis(_paired_cells(draws), -1, 0)
    return cells if positive == 0 else cells[:, ::-1, ::-1, ::-1]


def _paired_tables(positive: int | None, draws: Mapping[str, Array]) -> Array:
    joint = _paired_cells(draws)
    of_both = np.empty_like(joint)
    np.add(joint[:, :, 0], joint[:, :, 1], out=of_both[0])
    np.add(joint[:, 0], joint[:, 1], out=of_both[1])
    return _tables(of_both, positive)


def _bcv_tables(positive: int | None, draws: Mapping[str, Array]) -> Array:
    of_each = []
    for tp, fp, fn, *rest in draws.values():
        tn = rest[0] if rest else np.full_like(tp, np.nan)
        of_each.append([[tp, fn], [fp, tn]])
    return _tables(np.array(of_each), positive)


def _tables(cells: Array, positive: int | None) -> Array:
    """Return tables in label order, from cells (n_classifiers, 2, 2, n_draws), positive first.

    The result is a view with draws last in memory, which makes sums over the short axes several
    times faster.
    """
    return _positive_first(np.moveaxis(cells, -1, 0), positive)


def _cells(counts: ConfusionCounts) -> Array:
    (tp, fn), (fp, tn) = _positive_first(counts.effective, counts.positive)
    return np.array([tp, fp, fn, tn])
