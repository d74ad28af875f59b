"""Models for two classes: unpaired and paired (SIGIR 2016), and block cross-validation (ACL 2019).

Each model is a set of independent Dirichlet vectors that determine the confusion tables of the
classifiers. As in the papers, the positive class and the positive prediction come first in this
module; the tables that it returns are in the order of the labels.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import betaln, gammaln, roots_jacobi, roots_legendre

from skbayeseval.evidence.chunks import CELLS, ChunkCounts
from skbayeseval.evidence.counts import (
    ConfusionCounts,
    Evidence,
    check_paired,
    margins_of,
)
from skbayeseval.models.margins import BetaMargin, F1Margin, difference_log_density_at_zero
from skbayeseval.models.parameters import letter
from skbayeseval.models.specification import (
    Model,
    Shapes,
    Simplex,
    Specification,
    check_concentration,
)

__all__ = [
    "BCV",
    "BinaryModel",
    "Paired",
    "PairedChunks",
    "Unpaired",
    "log_density_of_equality",
]


Array = NDArray[Any]


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
            return _log_density_of_equal_accuracy(shapes, balanced=formula != "accuracy")
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


def log_density_of_equality(pairs: Array) -> float:
    """Log density at 0 of theta(1,0) - theta(0,1) when theta ~ Dirichlet(pairs)."""
    differ = pairs[1] + pairs[2]
    if differ <= 1:
        return np.inf
    # theta(1,0) and theta(0,1) are a Beta variable and its complement, times their sum. The density
    # of the former at 1/2, and the mean of the inverse of the latter:
    share = BetaMargin(pairs[1], pairs[2])
    at_half = share.log_density_by_mode(np.zeros(1))[0] - share.log_integral_by_mode()
    return float(at_half + np.log(2 * (pairs.sum() - 1) / (differ - 1)))


def _log_density_of_equal_accuracy(shapes: Shapes, balanced: bool) -> float | None:
    """Log density at 0 of the difference in accuracy under a smooth, weak (prior) Dirichlet.

    With X = theta+(1,0) - theta+(0,1) and Y likewise of theta-, the difference is
    mu X - (1 - mu) Y, or (X - Y) / 2 for the balanced accuracy. Returns None for large shapes, as
    in posteriors, because they would need more quadrature nodes.
    """
    x_shapes, y_shapes = shapes["theta+"], shapes["theta-"]
    if min(x_shapes.min(), y_shapes.min()) < 1 or max(x_shapes.sum(), y_shapes.sum()) > 50:
        return None
    if not balanced and "mu" not in shapes:  # the class proportions are fixed
        return None
    nodes, weights = roots_legendre(200)
    unit, unit_weights = (nodes + 1) / 2, weights / 2
    x = np.concatenate([-unit, unit])
    x_weights = np.concatenate([unit_weights, unit_weights])
    if balanced:
        density = _difference_density(x, x_shapes) * _difference_density(x, y_shapes)
        return float(np.log(2 * np.sum(x_weights * density)))

    a, b = shapes["mu"]
    if a + b > 50:
        return None
    total = 0.0
    for (small, large), (p, q) in (
        ((x_shapes, y_shapes), (a, b)),
        ((y_shapes, x_shapes), (b, a)),
    ):
        # Integrate over the smaller of mu and 1 - mu, so that the partner stays in [-1, 1]. The
        # factor mu^(p - 1) is part of the weights because it is singular at 0 for p < 1.
        nodes, weights = roots_jacobi(100, 0.0, p - 1)
        mu, mu_weights = (nodes + 1) / 4, weights / 4**p
        partner = mu[:, None] * x / (1 - mu[:, None])
        inner = _difference_density(x, small) * _difference_density(partner, large)
        given_mu = np.sum(x_weights * inner, axis=1) / (1 - mu)
        rest = np.exp((q - 1) * np.log1p(-mu) - betaln(p, q))
        total += float(np.sum(mu_weights * rest * given_mu))
    return float(np.log(total))


def _difference_density(x: Array, pairs: Array) -> Array:
    """Density of theta(1,0) - theta(0,1) at `x` when theta ~ Dirichlet(pairs)."""
    result = np.empty_like(x)
    same = pairs[0] + pairs[3]
    for sign, (first, second) in ((1, (pairs[1], pairs[2])), (-1, (pairs[2], pairs[1]))):
        here = x >= 0 if sign > 0 else x < 0
        size = np.abs(x[here])
        nodes, weights = roots_jacobi(40, same - 1, second - 1)
        u = (nodes + 1) / 2
        weights = weights / 2 ** (same + second - 1)
        larger = size[:, None] + (1 - size[:, None]) * u / 2
        integral = np.sum(weights * larger ** (first - 1), axis=1)
        scale = (1 - size) ** (second + same - 1) / 2**second
        result[here] = scale * integral
    log_constant = gammaln(pairs.sum()) - gammaln([pairs[1], pairs[2], same]).sum()
    return result * np.exp(log_constant)


# (tp, fp, fn) of A and of B as sums of the cells of `ChunkCounts`: gold chunks found by both, only
# by A, only by B, by neither; false alarms of both, only of A, only of B.
_SUMS = np.array(
    [
        [[1, 1, 0, 0, 0, 0, 0], [0, 0, 0, 0, 1, 1, 0], [0, 0, 1, 1, 0, 0, 0]],
        [[1, 0, 1, 0, 0, 0, 0], [0, 0, 0, 0, 1, 0, 1], [0, 1, 0, 1, 0, 0, 0]],
    ],
    dtype=float,
)


class PairedChunks(BCV):
    """Two taggers on the same sentences; the marginal of each is `BCV` without true negatives.

    The seven cells of `ChunkCounts` have a Dirichlet prior with ``lambda_ / 2`` in each cell. The
    true positives of a tagger are the sum of two cells, and so are its false positives and its
    false negatives. Each sum thus has the prior count `lambda_` of Wang and Li (2019), and
    precision, recall and F1 have the distributions of their eqs. 25 to 27.

    Parameters
    ----------
    lambda_ : float, default=1.0
        The prior count of the true positives, false positives and false negatives of each tagger.
        The default of ``model="paired"`` is 0.5.

    Examples
    --------
    >>> from skbayeseval.evidence import ChunkCounts
    >>> from skbayeseval.models import PairedChunks
    >>> pi, = PairedChunks().specification(ChunkCounts([80, 8, 3, 9, 4, 6, 10])).simplexes
    >>> pi.prior
    array([0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5])
    """

    name = "paired"
    infers_weight = True
    needs_pairs = True

    def specification(self, evidence: Any) -> Specification:
        """Return the specification of the posterior, given the evidence."""
        if not isinstance(evidence, ChunkCounts):
            raise ValueError(
                "PairedChunks needs the chunks that two taggers found in the same sentences. Use "
                "chunk_counter, or model='bcv' for separate counts of each tagger."
            )
        concentration = float(check_concentration(self.lambda_, (), "lambda"))
        prior = check_concentration(concentration / 2, (len(CELLS),), "lambda / 2")
        return Specification((Simplex("pi", prior, evidence.effective),), _chunk_tables)

    def margin(self, formula: str | None, shapes: Shapes, classifier: int) -> BetaMargin | None:
        """Return the distribution of one tagger's metric, None if not in closed form."""
        return super().margin(formula, {"pi_A": _SUMS[classifier] @ shapes["pi"]}, 0)

    def has_finite_prior_density(self, formula: str | None, shapes: Shapes) -> bool | None:
        """Return None: it is unknown whether the prior density of the difference is finite at 0."""
        return None


def _chunk_tables(draws: Mapping[str, Array]) -> Array:
    tp, fp, fn = np.moveaxis(_SUMS @ draws["pi"], 1, 0)
    # Rows are the true class, with the positive class last. Draws are last in memory, for speed.
    cells = np.array([[np.full_like(tp, np.nan), fp], [fn, tp]])
    return np.transpose(cells, (3, 2, 0, 1))
