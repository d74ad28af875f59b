"""Models that weight instances or groups of instances, and models of independent labels."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from skbayeseval.engines.blocks import in_order, stream_blocks
from skbayeseval.engines.gammas import GammaRows, Simplex
from skbayeseval.evidence.base import letter
from skbayeseval.evidence.instance_scores import WeightedInstances
from skbayeseval.evidence.units import UnitCounts
from skbayeseval.judgement.intervals import Interval
from skbayeseval.metrics.confusion import Metric, Totals
from skbayeseval.models.binary import CELLS, Vectors
from skbayeseval.models.specification import (
    BATCH,
    MOST_INDEPENDENT_DRAWS,
    AnySpecification,
    Model,
    Replicated,
    Shapes,
    blocks_of,
    check_concentration,
    metric_of_block,
)

Array = NDArray[Any]


# The approximate memory of a block of draws. Changing it changes the draws of a given seed.
BLOCK_BYTES = 2**24

# The memory of a block of weights, which are drawn and summed faster in the processor's cache.
CACHED_BYTES = 3 * 2**20

NO_GRAPH = (
    "Models that weight instances or groups (the Bayesian bootstrap) have no PyMC model. Use "
    "engine='exact'. For a multi-label indicator without groups=, model='unpaired' and "
    "model='bcv' have a PyMC model."
)


@dataclass(frozen=True)
class WeightSpecification(AnySpecification):
    """Normalised Gamma weights of units; all else are weighted sums over units.

    Parameters
    ----------
    units : UnitCounts
        The counts of the units, and the Gamma shapes of their weights.
    """

    units: UnitCounts

    no_graph: ClassVar[str] = NO_GRAPH

    def stream(
        self, metric: Metric, positive: int, rng: Generator, n_draws: int, *, prior: bool = False
    ) -> Iterator[Array]:
        """Yield blocks of draws of a metric, of shape (n_classifiers, n)."""
        tables = metric.needs_tables
        units = self.units.distinct()
        gammas = GammaRows(units.shape)
        n_classifiers, m = len(units.hits), len(units.labels)
        summed = units.cells if tables else (*units.hits, *units.predicted, units.true)
        # All sums over units in one product, of matrices whose rows are in order.
        to_sums = sparse.vstack([matrix[gammas.order].T for matrix in summed], format="csr")
        sizes = units.sizes[gammas.order]

        def draw(rng: Generator, size: int) -> Array:
            weights = gammas.draw(rng, size)
            sums = to_sums @ weights
            sums /= sizes @ weights
            sums = sums.reshape(len(summed), -1, size).swapaxes(1, 2)
            if tables:
                cells = np.ascontiguousarray(sums).reshape(len(summed), size, m, m)
                return metric_of_block(metric, positive, cells)
            hits, predicted, true = sums[:n_classifiers], sums[n_classifiers:-1], sums[-1]
            totals = Totals(hits, np.broadcast_to(true, hits.shape), predicted)
            return metric.of_totals(totals, positive)

        # Blocks, and so draws, do not depend on the metric. A product must not take seconds: it
        # cannot be interrupted.
        entries = units.true.nnz + sum(
            matrix.nnz for of_all in (units.hits, units.predicted, units.cells) for matrix in of_all
        )
        cells = n_classifiers * min(m, 200) ** 2 if units.cells else 0
        block = _size(8 * (3 * len(sizes) + 8 * n_classifiers * m + 2 * cells) + entries)
        cached = max(16, CACHED_BYTES // (8 * len(sizes)))
        return stream_blocks(draw, rng, n_draws, min(block, cached))


class RankSpecification(AnySpecification):
    """Weights of units, for metrics of instance scores, which `stream_bootstrap` draws."""

    no_graph = NO_GRAPH

    def stream(
        self, metric: Metric, positive: int, rng: Generator, n_draws: int, *, prior: bool = False
    ) -> Iterator[Array]:
        """Raise: all metrics that are computed from instance scores are drawn elsewhere."""
        raise ValueError(f"scoring={metric.name!r} cannot be computed from instance scores.")


@dataclass(frozen=True)
class LabelSpecification(Vectors):
    """Independent binary models, one per label and classifier.

    Parameters
    ----------
    cells : ndarray of shape (n_classifiers, n_labels, 4)
        Effective counts (tp, fp, fn, tn).
    mu, rho : ndarray of shape (2,) and (2, 2), default=None
        Beta priors, as in `Unpaired`.
    cell_prior : ndarray of shape (4,), default=None
        Dirichlet prior of the cells, as in `BCV`.
    """

    cells: Array
    mu: Any = None
    rho: Any = None
    cell_prior: Array | None = None

    of_labels: ClassVar[tuple[str, ...]] = ("target",)

    @property
    def simplexes(self) -> tuple[Simplex, ...]:  # type: ignore[override]
        """The probability vectors of each classifier, with one row per label."""
        vectors = []
        for k, cells in enumerate(self.cells):
            tp, fp, fn, tn = cells.T
            of_each: dict[str, tuple[Any, tuple[Array, ...]]] = {
                "pi": (self.cell_prior, (tp, fp, fn, tn))
            }
            if self.cell_prior is None:
                of_each = {
                    "mu": (self.mu, (tp + fn, fp + tn)),
                    "rho+": (self.rho[0], (tp, fn)),
                    "rho-": (self.rho[1], (fp, tn)),
                }
            for stem, (prior, counts) in of_each.items():
                prior = np.tile(prior, (len(cells), 1))
                vectors.append(Simplex(f"{stem}_{letter(k)}", prior, np.stack(counts, axis=-1)))
        return tuple(vectors)

    def coordinates(self, labels: tuple[Any, ...]) -> dict[str, list[str]]:
        """Return the names along each dimension of the parameters."""
        # ArviZ 1.x has a dimension "label" of its own.
        return {"target": list(map(str, labels)), "cell": list(CELLS)}

    def stream(
        self, metric: Metric, positive: int, rng: Generator, n_draws: int, *, prior: bool = False
    ) -> Iterator[Array]:
        """Yield blocks of draws of a metric, of shape (n_classifiers, n)."""

        def draw(rng: Generator, size: int) -> Array:
            return metric.of_totals(_label_totals(self._draw(rng, size, prior)), positive)

        return stream_blocks(draw, rng, n_draws, self._block)

    def stream_parameters(
        self, rng: Generator, n_draws: int, *, prior: bool
    ) -> Iterator[dict[str, Array]]:
        """Yield blocks of draws of the parameters."""

        def draw(rng: Generator, size: int) -> dict[str, Array]:
            return {
                f"{name}_{letter(k)}": of_one
                for name, values in self._draw(rng, size, prior).items()
                for k, of_one in enumerate(values)
            }

        return stream_blocks(draw, rng, n_draws, self._block)

    @property
    def _block(self) -> int:
        n_classifiers, n_labels, _ = self.cells.shape
        return _size(8 * 8 * n_classifiers * n_labels)

    def _draw(self, rng: Generator, size: int, prior: bool) -> dict[str, Array]:
        """Return draws of the parameters.

        These are either mu, rho+ and rho- of shape (n_classifiers, n, n_labels), or pi, the cells
        (tp, fp, fn, tn), of shape (n_classifiers, n, n_labels, 4).
        """
        counts = np.zeros_like(self.cells) if prior else self.cells
        n_classifiers, n_labels, _ = counts.shape
        shape = (n_classifiers, size, n_labels)
        if self.cell_prior is not None:
            cells = rng.standard_gamma((counts + self.cell_prior)[:, None], (*shape, 4))
            return {"pi": cells / cells.sum(axis=-1, keepdims=True)}
        tp, fp, fn, tn = np.moveaxis(counts[:, None], -1, 0)
        (present, absent), rho = self.mu, self.rho
        return {
            "mu": rng.beta(present + tp + fn, absent + fp + tn, shape),
            "rho+": rng.beta(rho[0, 0] + tp, rho[0, 1] + fn, shape),
            "rho-": rng.beta(rho[1, 0] + fp, rho[1, 1] + tn, shape),
        }

    def _scores_given(
        self, draws: Mapping[str, Array], metric: Metric, positive: int, rng: Generator, prior: bool
    ) -> Iterator[Array]:
        def score(here: Mapping[str, Array], _: int) -> Array:
            of_classifiers: dict[str, list[Array]] = {}
            for name, values in here.items():
                of_classifiers.setdefault(name.rpartition("_")[0], []).append(values)
            together = {name: np.stack(values) for name, values in of_classifiers.items()}
            return metric.of_totals(_label_totals(together), positive)

        return in_order(score, blocks_of(draws))

    def shares(
        self, metric: Metric, positive: int, rng: Generator, region: Interval
    ) -> Iterator[Array]:
        """Yield estimates of P(A - B in the region) under the prior, in blocks of shape (2, n)."""
        n_draws = max(2**14, MOST_INDEPENDENT_DRAWS // self.cells.shape[1])
        return self._shares_of_draws(metric, positive, rng, region, n_draws, BATCH)

    def _replicate(self, of: Replicated) -> dict[str, Array]:
        counts = {}
        for k, (cells, weight) in enumerate(zip(self.cells, of.weights, strict=True)):
            name = letter(k)
            if self.cell_prior is not None:
                shares = of.draws[f"pi_{name}"]
            else:
                mu, hit, alarm = (of.draws[f"{stem}_{name}"] for stem in ("mu", "rho+", "rho-"))
                tp, fn, fp = mu * hit, mu * (1 - hit), (1 - mu) * alarm
                shares = np.stack([tp, fp, fn, (1 - mu) * (1 - alarm)], axis=-1)
            replicated = of.multinomial(cells.sum(axis=1) / weight, weight, shares)
            tp, fp, fn, _ = np.moveaxis(replicated, -1, 0)
            counts[f"counts_{name}"] = np.stack([tp, tp + fn, tp + fp], axis=-1)
        return counts


def _label_totals(parameters: Mapping[str, Array]) -> Totals:
    """Return the totals of hits, true and predicted, of shape (n_classifiers, n, n_labels)."""
    if "pi" in parameters:
        tp, fp, fn, _ = np.moveaxis(parameters["pi"], -1, 0)
    else:
        mu, hit, alarm = (parameters[name] for name in ("mu", "rho+", "rho-"))
        tp, fn, fp = mu * hit, mu * (1 - hit), (1 - mu) * alarm
    return Totals(tp, tp + fn, tp + fp)


def _size(bytes_per_draw: int) -> int:
    return max(1, min(1024, BLOCK_BYTES // bytes_per_draw))


class InstanceWeights(Model):
    """Random instance weights, shared by all labels and classifiers (the Bayesian bootstrap).

    Each instance has one Gamma(1) weight; the weights are normalised. An instance that is hard for
    all labels or all classifiers therefore affects them together, which models of independent
    labels cannot represent.

    Examples
    --------
    >>> from skbayeseval import compare_predictions
    >>> y, a, b = [[1, 0], [1, 1], [0, 1]], [[1, 0], [1, 0], [0, 1]], [[0, 1], [1, 1], [0, 1]]
    >>> compare_predictions(y, a, b, scoring="f1_micro", random_state=0).model
    'paired'
    """

    name = "paired"
    infers_weight = True
    needs_pairs = True
    has_proper_prior = False
    weights_units = True

    def specification(self, evidence: Any) -> WeightSpecification:
        """Return the specification of the posterior, given the evidence."""
        units = check_units(evidence)
        check_several(units)
        return WeightSpecification(units)


class GroupWeights(InstanceWeights):
    """Random weights of groups of instances that belong together, for any metric.

    Examples
    --------
    >>> from skbayeseval import compare_predictions
    >>> y, a, b = [0, 1, 1, 0], [0, 1, 1, 1], [0, 1, 0, 0]
    >>> result = compare_predictions(y, a, b, groups=["x", "x", "y", "z"], random_state=0)
    >>> result.model
    'group weights'
    """

    name = "group weights"
    needs_true_negatives = False


class ScoreWeights(InstanceWeights):
    """Random instance weights, for metrics of instance scores (ROC AUC) or of numbers (R2).

    Examples
    --------
    >>> from skbayeseval import compare_predictions
    >>> y, a, b = [0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], [0.2, 0.3, 0.1, 0.6]
    >>> result = compare_predictions(
    ...     y, None, None, y_score_a=a, y_score_b=b, scoring="roc_auc", random_state=0
    ... )
    >>> result.model
    'instance weights'
    """

    name = "instance weights"
    needs_true_negatives = False

    def specification(self, evidence: Any) -> RankSpecification:  # type: ignore[override]
        """Return the specification of the posterior, given the evidence."""
        if not isinstance(evidence, WeightedInstances):
            raise ValueError(
                "ScoreWeights requires instance scores, such as y_score_a= and y_score_b=, or "
                "predictions of numbers."
            )
        check_several(evidence)
        return RankSpecification()


class GroupScoreWeights(ScoreWeights):
    """Random weights of groups of instances, for metrics of instance scores or of numbers.

    Examples
    --------
    >>> from skbayeseval import compare_predictions
    >>> y, a, b = [0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], [0.2, 0.3, 0.1, 0.6]
    >>> scores = {"y_score_a": a, "y_score_b": b, "scoring": "neg_brier_score"}
    >>> compare_predictions(y, None, None, **scores, groups=["x", "y", "y", "z"]).model
    'group weights'
    """

    name = "group weights"


class IndependentLabels(Model):
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

    name = "unpaired"

    def __init__(self, mu: ArrayLike = 1.0, rho: ArrayLike = 1.0) -> None:
        self.mu = mu
        self.rho = rho

    def specification(self, evidence: Any) -> LabelSpecification:
        """Return the specification of the posterior, given the evidence."""
        units = check_units(evidence)
        mu = check_concentration(self.mu, (2,), "mu")
        rho = check_concentration(self.rho, (2, 2), "rho")
        cells = np.stack([units.label_tables(k) for k in range(units.n_classifiers)])
        return LabelSpecification(cells, mu=mu, rho=rho)

    def has_finite_prior_density(self, formula: str | None, shapes: Shapes) -> bool | None:
        """Return whether the prior density of the difference is finite at 0; None if unknown."""
        smooth = min(np.min(self.mu), np.min(self.rho)) >= 1
        return True if smooth and formula is not None else None


class IndependentLabelsBCV(Model):
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

    name = "bcv"

    def __init__(self, lambda_: float = 1.0) -> None:
        self.lambda_ = lambda_

    def specification(self, evidence: Any) -> LabelSpecification:
        """Return the specification of the posterior, given the evidence."""
        units = check_units(evidence)
        concentration = check_concentration(self.lambda_, (4,), "lambda")
        cells = np.stack([units.label_tables(k) for k in range(units.n_classifiers)])
        return LabelSpecification(cells, cell_prior=concentration)

    def has_finite_prior_density(self, formula: str | None, shapes: Shapes) -> bool | None:
        """Return whether the prior density of the difference is finite at 0; None if unknown."""
        return True if self.lambda_ >= 1 and formula is not None else None

    def prior(self) -> dict[str, Any]:
        """Return the prior in the form that `prior=` accepts."""
        return {"lambda": self.lambda_}


def check_several(evidence: UnitCounts | WeightedInstances) -> None:
    """Raise if there is a single unit, which says nothing about how much units vary."""
    if len(evidence.shape) > 1:
        return
    if evidence.grouped:
        raise ValueError(
            "groups has a single group, which does not tell how much groups vary. Pass at least "
            "two groups, better 20 or more; or omit groups= if the instances are independent."
        )
    raise ValueError(
        "y_true has a single instance, which does not tell how much instances vary. Pass at least "
        "two instances, better 20 or more."
    )


def check_units(evidence: Any) -> UnitCounts:
    """Return the evidence; raise unless it has predictions for each unit."""
    if not isinstance(evidence, UnitCounts):
        raise ValueError(
            "Models of instance weights require the predictions for each instance. Use "
            "compare_predictions."
        )
    return evidence
