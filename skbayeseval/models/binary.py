"""Models for two classes: unpaired and paired (SIGIR 2016), and block cross-validation (ACL 2019).

With a multi-label indicator, the unpaired model and that of block cross-validation hold for each
label.

Chunks have no true negatives. Two taggers on the same sentences are seven cells: gold chunks by who
found them, false alarms by who raised them. Half of the bcv prior in each cell makes either tagger
alone exactly bcv.

Very small priors are refused, not approximated. Below a Dirichlet shape of 0.01 cells underflow
often enough to bias ratios of cells.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike

from skbayeseval._arrays import Array
from skbayeseval.evidence.chunks import CELLS, ChunkCounts
from skbayeseval.evidence.counts import PairedCounts
from skbayeseval.evidence.interface import Evidence, letter
from skbayeseval.evidence.units import UnitCounts
from skbayeseval.metrics.metric import Metric
from skbayeseval.models.base import (
    Blocks,
    Model,
    Replicated,
    check_concentration,
    check_same_for_both,
    confusion,
    with_swapped_theta,
)
from skbayeseval.models.blocks import BLOCK, stream_blocks
from skbayeseval.models.gammas import SMALL, Simplex, gamma_rows
from skbayeseval.models.margins import (
    BetaMargin,
    log_density_of_equal_accuracy,
    log_density_of_equality,
    margin_of_ratio,
)
from skbayeseval.models.vectors import Vectors, VectorsOfLabels, positive_first


class Unpaired(Vectors):
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
    has_class_proportions = True
    infers_weight = False
    has_independent_classifiers = True

    def __init__(self, mu: ArrayLike = 1.0, rho: ArrayLike = 1.0) -> None:
        self.mu = mu
        self.rho = rho

    def _observe(self, evidence: Evidence) -> None:
        cells = [positive_first(m.effective, m.positive) for m in evidence.margins()]
        self._take_cells(cells, self.positive)

    def _take_cells(self, cells: Sequence[Array], positive: int | None) -> None:
        """Take the cells of each classifier, of shape (..., 2, 2), positive first."""
        mu = check_concentration(self.mu, (2,), "mu")
        rho = check_concentration(self.rho, (2, 2), "rho")
        if positive is None:
            check_same_for_both(mu, rho)
        simplexes = []
        for k, of_one in enumerate(cells):
            simplexes += [
                _simplex(f"mu_{letter(k)}", mu, of_one.sum(axis=-1)),
                _simplex(f"rho+_{letter(k)}", rho[0], of_one[..., 0, :]),
                _simplex(f"rho-_{letter(k)}", rho[1], of_one[..., 1, :]),
            ]
        self.simplexes, self.positive = tuple(simplexes), positive

    def cells(self, draws: Mapping[str, Array]) -> Array:
        """Return the cells of each classifier, positive first."""
        of_each = []
        for classifier in map(letter, range(len(draws) // 3)):
            rates = np.stack([draws[f"rho+_{classifier}"], draws[f"rho-_{classifier}"]])
            of_each.append(draws[f"mu_{classifier}"][:, None] * rates)
        return np.stack(of_each)

    def margin(self, metric: Metric, which: int, *, prior: bool = False) -> BetaMargin | None:
        """Return the distribution of one classifier's metric, None if not in closed form."""
        shapes = self.shapes(prior=prior)
        return _margin_of_rates(metric, *(shapes[f"rho{s}_{letter(which)}"] for s in "+-"))

    def has_finite_prior_density(self, metric: Metric) -> bool | None:
        """Return whether the prior density of the difference is finite at 0; None if unknown."""
        return self._has_bounded_prior(metric)


class Paired(Vectors):
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
    entries = dict.fromkeys(("theta+", "theta-"), ("outcome", ("11", "10", "01", "00")))
    swapped_entries: ClassVar[Mapping[str, list[int]]] = {
        "theta+": [0, 2, 1, 3],
        "theta-": [0, 2, 1, 3],
    }
    has_class_proportions = True
    needs_pairs = True
    most_classifiers = 2
    default_prior: ClassVar[dict[str, Any]] = {"theta": 0.25}

    def __init__(self, mu: ArrayLike = 1.0, theta: ArrayLike = 1.0) -> None:
        self.mu = mu
        self.theta = theta

    def mirrored(self) -> Model:
        """Return the model with A and B swapped."""
        return with_swapped_theta(self)

    def _observe(self, evidence: PairedCounts) -> None:
        mu = check_concentration(self.mu, (2,), "mu")
        theta = check_concentration(self.theta, (2, 4), "theta")
        if self.positive is None:
            check_same_for_both(mu, theta)
        cells = evidence.cube() * evidence.weight
        cells = (cells if self.positive == 0 else cells[::-1, ::-1, ::-1]).reshape(2, 4)
        self.simplexes = (
            Simplex("mu", mu, cells.sum(axis=1)),
            Simplex("theta+", theta[0], cells[0]),
            Simplex("theta-", theta[1], cells[1]),
        )

    def draw(self, rng: Generator, size: int, *, prior: bool = False) -> dict[str, Array]:
        """Return draws of each probability vector."""
        if not self._is_one_vector:
            return super().draw(rng, size, prior=prior)
        gammas = np.reshape(self._gammas(rng, size, prior=prior), (2, 4, size))
        sums = gammas.sum(axis=1)
        pairs = gammas / sums[:, None]
        return {"mu": sums / sums.sum(axis=0), "theta+": pairs[0], "theta-": pairs[1]}

    def stream(self, metric: Metric, rng: Generator, number: int, *, prior: bool = False) -> Blocks:
        """Yield blocks of draws of a metric, of shape (n_classifiers, n)."""
        ratio = metric.ratio
        if ratio is None or not self._is_one_vector:
            return super().stream(metric, rng, number, prior=prior)

        def draw(rng: Generator, size: int) -> Array:
            rows = self._gammas(rng, size, prior=prior, whole=metric.needs_true_negatives)
            scores = np.empty((2, size))
            for k, pairs in enumerate(_PAIRS):
                tp, fn, fp, tn = (rows[i] + rows[j] for i, j in pairs)
                scores[k] = ratio.of_cells((tp, fp, fn, tn), metric.zero_division)
            return scores

        return stream_blocks(draw, rng, number, BLOCK)

    @property
    def _is_one_vector(self) -> bool:
        """Whether all eight cells are one Dirichlet vector, as under the default prior.

        Gamma variables are then the cells up to a factor, and of ratios the factor cancels.
        """
        if self.fixed:
            return False
        mu, *pairs = (simplex.prior for simplex in self.simplexes)
        is_sum = np.array_equal(mu, np.sum(pairs, axis=1))
        return is_sum and bool(np.max(pairs, axis=1).min() >= SMALL)

    def _gammas(self, rng: Generator, size: int, *, prior: bool, whole: bool = True) -> list[Any]:
        """Return Gamma variables of the pairs of the positive and of the negative class.

        The true negatives of both classifiers are drawn last. They are NaN unless `whole`.
        """
        shapes = self.shapes(prior=prior)
        shape = np.concatenate([shapes["theta+"], shapes["theta-"]])
        rows = [*gamma_rows(rng, shape[:7], size)]
        return [*rows, *gamma_rows(rng, shape[7:], size)] if whole else [*rows, np.nan]

    def _joint_cells(self, draws: Mapping[str, Array]) -> Array:
        """Return the cells (truth, prediction of A, prediction of B, n), positive first."""
        pairs = np.stack([draws["theta+"], draws["theta-"]])
        pairs *= draws["mu"][:, None]
        return pairs.reshape(2, 2, 2, -1)

    def cells(self, draws: Mapping[str, Array]) -> Array:
        """Return the cells of each classifier, positive first."""
        joint = self._joint_cells(draws)
        return np.stack([joint.sum(axis=2), joint.sum(axis=1)])

    def joint(self, draws: Mapping[str, Array]) -> Array:
        """Return joint tables over (truth, prediction of A, prediction of B), (n, 2, 2, 2)."""
        cells = np.moveaxis(self._joint_cells(draws), -1, 0)
        return cells if self.positive == 0 else cells[:, ::-1, ::-1, ::-1]

    def parameters_of_joint(
        self, draws: Mapping[str, Array], positive: int | None
    ) -> dict[str, Array]:
        """Return mu and the rates of the positive class, given recalls of each class."""
        label = 1 if positive is None else positive
        rates = {"mu": draws["mu"][:, label]} if "mu" in draws else {}
        for name in ("A", "B"):
            recall = draws[f"rho_{name}"]
            rates[f"rho+_{name}"] = recall[:, label]
            rates[f"rho-_{name}"] = 1 - recall[:, 1 - label]
        return rates

    def _replicate(self, of: Replicated) -> dict[str, Array]:
        cube = of.instances(self.joint(self._given(of.draws)), 0)
        # The outcomes (1, 1), (1, 0), (0, 1), (0, 0), as in the observed data.
        outcomes = positive_first(cube, self.positive).reshape(of.n_draws, 2, 4)
        return {"outcomes": outcomes, **confusion([cube.sum(axis=3), cube.sum(axis=2)])}

    def margin(self, metric: Metric, which: int, *, prior: bool = False) -> BetaMargin | None:
        """Return the distribution of one classifier's metric, None if not in closed form."""
        shapes = self.shapes(prior=prior)
        pairs = (shapes[name].reshape(2, 2) for name in ("theta+", "theta-"))
        return _margin_of_rates(metric, *(table.sum(axis=1 - which) for table in pairs))

    def log_density_at_zero(self, metric: Metric, *, prior: bool = False) -> float | None:
        """Return the log density of the difference at 0; inf if infinite, None if unknown."""
        if not metric.is_of_totals:
            return None
        shapes, values = self.shapes(prior=prior), metric(_TABLES, self.positive_index)

        def equals(others: Array) -> bool:
            return np.allclose(values, others, rtol=1e-12, atol=0)

        recalls = np.diagonal(_TABLES, axis1=1, axis2=2) / _TABLES.sum(axis=2)
        for name, label in (("theta+", self.positive_index), ("theta-", 1 - self.positive_index)):
            if equals(recalls[:, label]):
                return log_density_of_equality(shapes[name])
        if equals(np.trace(_TABLES, axis1=1, axis2=2)):
            return log_density_of_equal_accuracy(shapes, balanced=False)
        if equals(recalls.mean(axis=1)):
            return log_density_of_equal_accuracy(shapes, balanced=True)
        return None

    def has_finite_prior_density(self, metric: Metric) -> bool | None:
        """Return whether the prior density of the difference is finite at 0; None if unknown."""
        # As a class becomes rare, the difference of some metrics vanishes in proportion to its
        # frequency. The density at 0 is then proportional to the mean of 1 / frequency.
        if metric.is_of_totals and "mu" not in self.fixed:
            labels = (self.positive_index, 1 - self.positive_index)
            for label, shape in zip(labels, self.shapes(prior=True)["mu"], strict=True):
                if shape <= 1 and _vanishes_with(label, metric, self.positive_index):
                    return False
        return self._has_bounded_prior(metric)


class BCV(Vectors):
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
    entries: ClassVar[Mapping[str, Any]] = {"pi": ("cell", ("tp", "fp", "fn", "tn"))}
    infers_weight = False
    has_independent_classifiers = True
    needs_true_negatives = False

    def __init__(self, lambda_: float = 1.0) -> None:
        self.lambda_ = lambda_

    def _observe(self, evidence: Evidence) -> None:
        margins = evidence.margins()
        n_cells = 4 if all(counts.has_true_negatives for counts in margins) else 3
        cells = [positive_first(m.effective, m.positive).ravel()[_BY_NAME] for m in margins]
        self._take_cells([of_one[:n_cells] for of_one in cells], self.positive)

    def _take_cells(self, cells: Sequence[Array], positive: int | None) -> None:
        """Take the cells of each classifier, in the order (tp, fp, fn, tn)."""
        prior = check_concentration(self.lambda_, (), "lambda")
        simplexes = [_simplex(f"pi_{letter(k)}", prior, of_one) for k, of_one in enumerate(cells)]
        self.simplexes, self.positive = tuple(simplexes), positive

    def cells(self, draws: Mapping[str, Array]) -> Array:
        """Return the cells of each classifier, positive first."""
        of_each = []
        for tp, fp, fn, *rest in draws.values():
            tn = rest[0] if rest else np.full_like(tp, np.nan)
            of_each.append([[tp, fn], [fp, tn]])
        return np.array(of_each)

    def _replicate(self, of: Replicated) -> dict[str, Array]:
        # Tables are sums of cells, so those of counts are counts.
        counts, shares = {}, self._given(of.draws)
        for simplex, weight in zip(self.simplexes, of.weights, strict=False):
            total = simplex.counts.sum() / weight
            counts[simplex.name] = of.multinomial(total, weight, shares[simplex.name].T).T
        return confusion(np.moveaxis(self.tables(counts), 1, 0))

    def margin(self, metric: Metric, which: int, *, prior: bool = False) -> BetaMargin | None:
        """Return the distribution of one classifier's metric, None if not in closed form."""
        if metric.ratio is None:
            return None
        shapes = np.full(4, np.nan)  # chunks have no true negatives
        known = self._cell_shapes(which, prior)
        shapes[: len(known)] = known
        return margin_of_ratio(metric.ratio, shapes)

    def has_finite_prior_density(self, metric: Metric) -> bool | None:
        """Return whether the prior density of the difference is finite at 0; None if unknown."""
        return self._has_bounded_prior(metric)

    def _cell_shapes(self, classifier: int, prior: bool) -> Array:
        """Return the Dirichlet shapes of one classifier's (tp, fp, fn), and of its tn if known."""
        return self.shapes(prior=prior)[f"pi_{letter(classifier)}"]


class IndependentLabels(VectorsOfLabels, Unpaired):
    """Independent binary models, one per label (Zhang et al. 2015, section V).

    Parameters
    ----------
    mu : float or array-like of shape (2,), default=1.0
        Beta prior of the frequency of each label, as (present, absent).
    rho : float or array-like of shape (2,) or (2, 2), default=1.0
        Beta prior of the rates, as in `Unpaired`.

    Examples
    --------
    >>> from skbayeseval import compare_predictions
    >>> y, a, b = [[1, 0], [1, 1], [0, 1]], [[1, 0], [1, 0], [0, 1]], [[0, 1], [1, 1], [0, 1]]
    >>> result = compare_predictions(y, a, b, scoring="f1_micro", model="unpaired")
    >>> result.model
    'unpaired'
    """

    takes = UnitCounts

    def _observe(self, evidence: Any) -> None:
        named = [evidence.label_tables(k) for k in range(evidence.n_classifiers)]
        self._take_cells([of_one[:, _BY_NAME].reshape(-1, 2, 2) for of_one in named], 0)


class IndependentLabelsBCV(VectorsOfLabels, BCV):
    """Independent `BCV` models, one per label.

    Parameters
    ----------
    lambda_ : float, default=1.0
        The prior count in each cell.

    Examples
    --------
    >>> from skbayeseval import compare_predictions
    >>> y, a, b = [[1, 0], [1, 1], [0, 1]], [[1, 0], [1, 0], [0, 1]], [[0, 1], [1, 1], [0, 1]]
    >>> compare_predictions(y, a, b, scoring="f1_micro", model="bcv").prior
    {'lambda': 1.0}
    """

    takes = UnitCounts
    needs_true_negatives = True

    def _observe(self, evidence: Any) -> None:
        self._take_cells([evidence.label_tables(k) for k in range(evidence.n_classifiers)], 0)


# The cells (tp, fn, fp, tn) of A and of B as sums of two of the eight pairs.
_PAIRS = (((0, 1), (2, 3), (4, 5), (6, 7)), ((0, 2), (1, 3), (4, 6), (5, 7)))

# The cells (tp, fn, fp, tn) of a table in the order (tp, fp, fn, tn), and the other way round.
_BY_NAME = [0, 2, 1, 3]


def _tables(rare: int, share: ArrayLike, of_rare: ArrayLike, of_other: ArrayLike) -> Array:
    """Return tables given the share of a class, its recall, and that of the other class."""
    right = np.stack(np.broadcast_arrays(of_rare, of_other), axis=-1)
    true = np.stack(np.broadcast_arrays(share, 1 - np.asarray(share)), axis=-1)
    rows = np.stack([right, 1 - right], axis=-1)
    rows[..., 1, :] = rows[..., 1, ::-1]
    tables = true[..., None] * rows
    return tables if rare == 0 else tables[..., ::-1, ::-1]


# Tables of two classes on which metrics that are the same have the same values, and others not.
_TABLES = _tables(0, *np.meshgrid([0.2, 0.6], [0.1, 0.45, 0.8], [0.3, 0.9])).reshape(-1, 2, 2)


def _vanishes_with(rare: int, metric: Metric, positive: int) -> bool:
    """Return whether the difference falls in proportion to the share of a class that gets rare.

    It is computed for two classifiers and two shares, of which the second is a sixteenth of the
    first. All numbers are powers of 2 and their sums, so that terms that cancel leave no rounding
    errors behind.
    """
    shares, of_rare, of_other = 2.0 ** np.array([[-40], [-44]]), [0.5, 0.125], [0.75, 0.375]
    a, b = metric(_tables(rare, shares, of_rare, of_other), positive).T
    first, second = np.abs(a - b)
    return bool(second <= first / 8)


def _margin_of_rates(metric: Metric, positives: Array, negatives: Array) -> BetaMargin | None:
    """Return the distribution of a rate of one class; None for metrics of both classes.

    `positives` and `negatives` are the shapes of (predict positive, predict negative).
    """
    if metric.ratio is None:
        return None
    tp, fp, fn, tn = metric.ratio.bottom
    if (tp or fn) and (fp or tn):
        return None
    return margin_of_ratio(metric.ratio, np.stack([positives, negatives], axis=1).ravel())


def _simplex(name: str, prior: Array, counts: Array) -> Simplex:
    """Return a vector, or one per label, with the same prior."""
    return Simplex(name, np.broadcast_to(prior, counts.shape).copy(), counts)


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

    Examples
    --------
    >>> from skbayeseval.evidence import ChunkCounts
    >>> from skbayeseval.models import PairedChunks
    >>> pi, = PairedChunks().specification(ChunkCounts([80, 8, 3, 9, 4, 6, 10])).simplexes
    >>> pi.prior
    array([0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5])
    """

    name = "paired"
    entries: ClassVar[Mapping[str, Any]] = {"pi": ("chunk", CELLS)}
    swapped_entries: ClassVar[Mapping[str, list[int]]] = {"pi": [0, 2, 1, 3, 4, 6, 5]}
    takes = ChunkCounts
    infers_weight = True
    needs_pairs = True
    has_independent_classifiers = False
    most_classifiers = 2

    def _observe(self, evidence: Any) -> None:
        concentration = float(check_concentration(self.lambda_, (), "lambda"))
        prior = check_concentration(concentration / 2, (len(CELLS),), "lambda / 2")
        self.simplexes, self.positive = (Simplex("pi", prior, evidence.effective),), 1

    def cells(self, draws: Mapping[str, Array]) -> Array:
        """Return the cells of each tagger, positive first, without true negatives."""
        return super().cells(dict(zip("AB", _SUMS @ draws["pi"], strict=True)))

    def _cell_shapes(self, classifier: int, prior: bool) -> Array:
        return _SUMS[classifier] @ self.shapes(prior=prior)["pi"]

    def has_finite_prior_density(self, metric: Metric) -> bool | None:
        """Return None: it is unknown whether the prior density of the difference is finite at 0."""
        return None
