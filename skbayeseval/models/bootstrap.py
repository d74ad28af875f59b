"""Random weights of instances or of groups of instances (the Bayesian bootstrap; Rubin 1981).

All classifiers share the weights of a draw. A metric of instance scores is computed within each
run, because scores of different fits are on different scales, and then averaged over runs in
proportion to the weight of each run in the draw. With equal weights, this is the mean over runs.

Weights of instances have no proper prior. The Bayesian bootstrap of multi-label indicators and of
groups gives intervals and decisions, but no Bayes factor: ValueError, and NaN in the summary.

20,000 draws of a million Gamma variables take minutes. Of more than 4,096 distinct units, only the
farthest from the mean have weights of their own. The sum over the others is normal, with its exact
mean and covariance: what is lost are the third and higher cumulants of sums of so many small terms.
So are drawn items, and metrics that are functions of few sums, such as the log loss and R2. The ROC
AUC is one but for a rest (docs/models.md), which is bounded before it is left out (`SumsOfMany`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import reduce
from typing import Any, ClassVar, Self

import numpy as np
from numpy.random import Generator
from scipy import sparse

from skbayeseval._arrays import Array
from skbayeseval.evidence.units import WeightedUnits
from skbayeseval.metrics.instance_scores import InSums, Prepared, Sums
from skbayeseval.metrics.metric import Metric, Totals
from skbayeseval.models.base import Blocks, Model, check_several, metric_of_block
from skbayeseval.models.blocks import block_size, stream_blocks
from skbayeseval.models.gammas import GammaRows

# The memory of a block of weights, which are drawn and summed faster in the processor's cache.
CACHED_BYTES = 3 * 2**20


class InstanceWeights(Model):
    """Random weights of instances, or of groups of instances, shared by all classifiers.

    Each instance, or group, has one Gamma(1) weight; the weights are normalised (the Bayesian
    bootstrap). Metrics of instance scores, such as ROC AUC, and of numbers, such as R2, are drawn
    with the same weights, by `stream_bootstrap`. An instance that is hard for
    all labels or all classifiers therefore affects them together, which models of independent
    labels cannot represent. Tagged sentences are such instances, with all of their chunks.

    Examples
    --------
    >>> from skbayeseval import compare_predictions
    >>> y, a, b = [[1, 0], [1, 1], [0, 1]], [[1, 0], [1, 0], [0, 1]], [[0, 1], [1, 1], [0, 1]]
    >>> compare_predictions(y, a, b, scoring="f1_micro", random_state=0).model
    'paired'
    >>> y, a, b = [0, 1, 1, 0], [0, 1, 1, 1], [0, 1, 0, 0]
    >>> compare_predictions(y, a, b, groups=["x", "x", "y", "z"], random_state=0).model
    'group weights'
    """

    name = "paired"
    takes: ClassVar[type] = WeightedUnits
    needs_pairs = True
    needs_true_negatives = False
    most_classifiers = None
    has_proper_prior = False
    weights_units = True
    draws_metrics_together = True
    no_graph = (
        "Models that weight instances or groups (the Bayesian bootstrap) have no PyMC model. Use "
        "engine='exact'. Without groups=, model='bcv' of a multi-label indicator or of tags, and "
        "model='unpaired' of an indicator, have a PyMC model."
    )

    units: Any

    def _observe(self, evidence: WeightedUnits) -> None:
        self.units = evidence
        check_several(len(evidence.shape), evidence.units_in_words.removesuffix("s"))

    def stream(self, metric: Metric, rng: Generator, number: int, *, prior: bool = False) -> Blocks:
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
                return metric_of_block(metric, self.positive_index, cells)
            hits, predicted, true = sums[:n_classifiers], sums[n_classifiers:-1], sums[-1]
            totals = Totals(hits, np.broadcast_to(true, hits.shape), predicted)
            return metric.of_totals(totals, self.positive_index)

        # Blocks, and so draws, do not depend on the metric. A product must not take seconds: it
        # cannot be interrupted.
        entries = units.true.nnz + sum(
            matrix.nnz for of_all in (units.hits, units.predicted, units.cells) for matrix in of_all
        )
        cells = n_classifiers * min(m, 200) ** 2 if units.cells else 0
        block = block_size(
            8 * (3 * len(sizes) + 8 * n_classifiers * m + 2 * cells) + entries, most=1024
        )
        cached = max(16, CACHED_BYTES // (8 * len(sizes)))
        return stream_blocks(draw, rng, number, min(block, cached))


# The most that may be left out of a variance, as a share of it: 0.5% of a standard deviation.
LEFT_OUT = 0.01


def stream_bootstrap(
    runs: Sequence[tuple[Array, Sequence[Prepared]]],
    shape: Array,
    n_classifiers: int,
    rng: Generator,
    n_draws: int,
) -> Iterator[Array]:
    """Yield blocks of draws of a metric.

    Parameters
    ----------
    runs : sequence of (ndarray of shape (n,), sequence of Prepared)
        For each run, the unit of each instance, and the metric of each classifier as a function of
        the instance weights.
    shape : ndarray of shape (n_units,)
        The Gamma shape of the weight of each unit.
    n_classifiers : int
        The number of classifiers.
    rng : numpy.random.Generator
        The source of randomness.
    n_draws : int
        The total number of draws.

    Yields
    ------
    scores : ndarray of shape (n_classifiers, n)
        Metric values, averaged over runs.
    """
    gammas = GammaRows(np.asarray(shape, dtype=float))
    places = [gammas.place[units] for units, _ in runs]
    plain = [[metric.sums(np.ones((len(units), 1))) for metric in each] for units, each in runs]
    # The weights of units, the weights of a run's instances, and the arrays of the metric.
    rows = len(shape) + 4 * max(len(place) for place in places)
    block = block_size(8 * rows, most=5000)
    takes_counts = any(metric.takes_counts for _, each in runs for metric in each)
    if takes_counts:  # drawn with replacement (Efron 1979), as many as the evidence is worth
        places = [units for units, _ in runs]
        n_drawn, shares = max(1, round(float(np.sum(shape)))), np.asarray(shape) / np.sum(shape)

    def draw(rng: Generator, size: int) -> Array:
        weights = (
            rng.multinomial(n_drawn, shares, size).T if takes_counts else gammas.draw(rng, size)
        )
        sums: list[list[Sums]] = [[] for _ in range(n_classifiers)]
        for place, (_, prepared), unweighted in zip(places, runs, plain, strict=True):
            of_run = weights[place]
            for k, metric in enumerate(prepared):
                try:
                    of_one = metric.drawn(of_run)
                except ValueError as error:  # of a function that is not defined for all weights
                    raise ValueError(f"Classifier {k + 1} of {n_classifiers}: {error}") from error
                sums[k].append(of_one.relative_to(unweighted[k]))
        return np.stack([reduce(Sums.plus, of_runs).average() for of_runs in sums])

    return stream_blocks(draw, rng, n_draws, block)


# If there are more units, so many of those farthest from the mean have weights of their own.
MANY = 2**12


class WeightedSums:
    """Sums over units, weighted by independent Gamma variables.

    Equal units share one weight: the sum of k Gamma(1) variables is a Gamma(k) variable.

    Parameters
    ----------
    rows : ndarray of shape (n_rows, n_units)
        What is summed.
    shape : ndarray of shape (n_units,), default=None
        The Gamma shape of the weight of each unit, by default 1.
    most : int
        The number of units that have weights of their own; all if there are no more.

    Examples
    --------
    >>> import numpy as np
    >>> from skbayeseval.models.bootstrap import WeightedSums
    >>> sums = WeightedSums(np.array([[1.0, 1.0, 1.0, 1.0], [0.0, 0.0, 0.0, 3.0]]))
    >>> sums.n_own  # three of the four units are equal
    2
    >>> sums.draw(np.random.default_rng(0), 5).shape
    (2, 5)
    """

    def __init__(self, rows: Array, shape: Array | None = None, most: int = MANY) -> None:
        rows, times = _distinct(rows, np.ones(rows.shape[1]) if shape is None else shape)
        self._mean = self._root = None
        if len(times) > most:
            own = _farthest(rows, times, most)
            rest = ~own
            self._mean = rows[:, rest] @ times[rest]
            values, vectors = np.linalg.eigh((rows[:, rest] * times[rest]) @ rows[:, rest].T)
            self._root = vectors * np.sqrt(np.maximum(values, 0.0))
            rows, times = rows[:, own], times[own]
        self._gammas = GammaRows(times)
        self._rows = np.ascontiguousarray(rows[:, self._gammas.order])

    @property
    def n_own(self) -> int:
        """The number of weights that are drawn."""
        return self._rows.shape[1]

    def draw(self, rng: Generator, n_draws: int) -> Array:
        """Return draws of the sums, of shape (n_rows, n_draws)."""
        sums = self._rows @ self._gammas.draw(rng, n_draws)
        if self._root is not None and self._mean is not None:
            sums += self._mean[:, None] + self._root @ rng.standard_normal((len(sums), n_draws))
        return sums

    @property
    def block(self) -> int:
        """The number of draws in a block."""
        return block_size(8 * (self.n_own + 1))


def _distinct(rows: Array, shape: Array) -> tuple[Array, Array]:
    """Return the distinct columns and the total shape of each; as they are if few are equal.

    They are in the order in which they occur first, which does not change if rows are exchanged.
    """
    n = rows.shape[1]
    codes = np.zeros(n, dtype=np.int64)
    for row in rows:
        values, own = np.unique(row, return_inverse=True)
        distinct, first, codes = np.unique(
            codes * len(values) + own, return_index=True, return_inverse=True
        )
        if 2 * len(distinct) > n:
            return rows, shape
    order = np.argsort(first)
    return rows[:, first[order]], np.bincount(codes, weights=shape)[order]


def _farthest(rows: Array, times: Array, number: int) -> Array:
    """Return a mask of the units that are farthest from the mean in any of the rows."""
    total = times.sum()
    deviations = rows - (rows @ times / total)[:, None]
    spread = np.sqrt(deviations**2 @ times / total)
    distance = np.sqrt(times) * np.max(
        np.abs(deviations) / np.where(spread > 0, spread, 1.0)[:, None], axis=0
    )
    is_far = np.zeros(len(times), dtype=bool)
    is_far[np.argpartition(distance, -number)[-number:]] = True
    return is_far


class SumsOfMany:
    """Draw a metric that is a function of few weighted sums over very many units.

    Means and R2 are such functions. A ROC AUC is one apart from a term of expectation 0 in which
    the weights of a positive and a negative are multiplied. Its variance is less than that of the
    pairs of both divided by their number; it is left out where this is next to nothing compared
    with the variance of all else, for each classifier and each difference.

    Parameters
    ----------
    rows : ndarray of shape (n_classifiers, n_sums, n_units)
        What each unit adds to each sum of each classifier.
    values : callable
        Maps draws of the sums, of shape (n_classifiers, n_sums, n), to metrics (n_classifiers, n).
    shape : ndarray of shape (n_units,)
        The Gamma shape of the weight of each unit.

    Examples
    --------
    >>> import numpy as np
    >>> from skbayeseval.models.bootstrap import SumsOfMany
    >>> rows = np.ones((1, 2, 100_000))
    >>> rows[0, 1] = np.random.default_rng(0).random(100_000)
    >>> sampler = SumsOfMany(rows, lambda sums: sums[:, 1] / sums[:, 0], np.ones(100_000))
    >>> draws = np.hstack(list(sampler.stream(np.random.default_rng(0), 4000)))
    >>> draws.std(axis=1).round(4)  # sqrt(1 / 12 / 100_000)
    array([0.0009])
    """

    def __init__(self, rows: Array, values: Callable[[Array], Array], shape: Array) -> None:
        # Units that matter to a difference need not be far from the mean of any classifier.
        centre = rows.mean(axis=0)
        self._own = (rows != rows[0]).any(axis=(0, 2))
        self._shape = rows.shape[:2]
        of_each = (rows[:, self._own] - centre[self._own]).reshape(-1, rows.shape[2])
        self._sums = WeightedSums(np.vstack([centre, of_each]), shape)
        self._values = values

    @classmethod
    def of(cls, runs: Sequence[tuple[Array, Sequence[Prepared]]], shape: Array) -> Self | None:
        """Return the sampler; None where units must have weights of their own.

        The parameters are those of `stream_bootstrap`.
        """
        if len(shape) <= MANY:
            return None
        rows, of_runs = [], []
        for units, of_each in runs:
            found = [one for prepared in of_each if (one := prepared.in_sums()) is not None]
            if len(found) < len(of_each):
                return None
            plain = [metric.sums(np.ones((len(units), 1))) for metric in of_each]
            of_runs.append((found, plain))
            adder = sparse.csr_array(
                (np.ones(len(units)), (np.arange(len(units)), units)), (len(units), len(shape))
            )
            rows.append(np.stack([one.rows @ adder for one in found]))
        if found[0].leaves_out_pairs and _leaves_out_too_much(runs, of_runs, shape):
            return None
        ends = np.cumsum([of_run.shape[1] for of_run in rows])[:-1]

        def values(sums: Array) -> Array:
            draws = []
            for k, of_one in enumerate(sums):
                each = [
                    found[k].of_sums(of_run).relative_to(plain[k])
                    for of_run, (found, plain) in zip(np.split(of_one, ends), of_runs, strict=True)
                ]
                draws.append(reduce(Sums.plus, each).average())
            return np.stack(draws)

        return cls(np.concatenate(rows, axis=1), values, shape)

    def stream(self, rng: Generator, n_draws: int) -> Iterator[Array]:
        """Yield blocks of draws of the metric, of shape (n_classifiers, n)."""

        def draw(rng: Generator, size: int) -> Array:
            drawn = self._sums.draw(rng, size)
            centre, of_each = np.split(drawn, [self._shape[1]])
            sums = np.repeat(centre[None], self._shape[0], axis=0)
            sums[:, self._own] += of_each.reshape(self._shape[0], -1, size)
            return self._values(sums)

        return stream_blocks(draw, rng, n_draws, self._sums.block)


def _leaves_out_too_much(
    runs: Sequence[tuple[Array, Sequence[Prepared]]],
    of_runs: Sequence[tuple[Sequence[InSums], Sequence[Sums]]],
    shape: Array,
) -> bool:
    """Return whether pairs of a positive and a negative matter beside each alone.

    A pair is ordered rightly (1), wrongly (0) or tied (1/2), so that its variance is at most
    area (1 - area), and that of its difference between two classifiers is at most the probability
    that one of them orders it wrongly, or that one of them orders it rightly. Pairs are weighted by
    products, so that what is left out is more where weights vary more. That of disjoint runs is
    independent, that of several passes over the same units may be the same in each.
    """
    n = len(runs[0][1])
    a, b = np.triu_indices(n, 1)
    influence, left_out = np.zeros((n, len(shape))), 0.0
    for (units, _), (found, plain) in zip(runs, of_runs, strict=True):
        if len(np.unique(units)) < len(units):  # groups
            return True
        area = np.array([sums.average()[0] for sums in plain])
        is_positive = found[0].rows[0]
        n_positive = is_positive.sum()
        size = np.where(is_positive, n_positive, len(units) - n_positive)
        own = np.stack([one.rows[1] + one.rows[3] for one in found]) / size
        influence[:, units] += own / len(runs)
        right = area[a] + area[b]
        of_differences = np.minimum(right, 2 - right)
        of_differences[(own[a] == own[b]).all(axis=1)] = 0.0
        at_most = np.concatenate([area * (1 - area), of_differences])
        left_out = left_out + at_most / n_positive / (len(units) - n_positive) / len(runs) ** 2
    covariance = influence @ influence.T
    variances = np.diag(covariance)
    differences = np.maximum(variances[a] + variances[b] - 2 * covariance[a, b], 0.0)
    variance = np.concatenate([variances, differences]) * shape.min()
    n_passes = np.bincount(np.concatenate([units for units, _ in runs])).max()
    return bool((n_passes * left_out > LEFT_OUT * variance).any())
