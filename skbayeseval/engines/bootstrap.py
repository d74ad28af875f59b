"""Exact draws of metrics of instance scores by the Bayesian bootstrap (Rubin 1981).

The bootstrap is over instances or groups, and all classifiers share the weights of a draw. The
metric is computed within each run, because scores of different fits are on different scales, and
then averaged over runs in proportion to the weight of each run in the draw. With equal weights,
this is the mean over runs.

20,000 draws of a million Gamma variables take minutes. Beyond 16,384 distinct items, only the 4,096
farthest from the mean have weights of their own. The sum over the others is normal, with its exact
mean and covariance: what is lost are the third and higher cumulants of sums of so many small terms.
The ROC AUC of very many instances is a sum of two such means (docs/models.md), and what that leaves
out is bounded before it is used (`SumOfMeans`).

Random weights of k units know only the k units that were seen. Their draws vary like a mean of k
values with known variance, and not at all if all units are alike. Two things are added, shared by
all classifiers of a draw, so that exchanging A and B changes the sign of a difference only.

- Half an instance that was not seen, on which all classifiers do equally well; how well is uniform
  over the range of the metric. A whole unseen group would outweigh groups that are large and alike.
- The spread of Student's t (`_factor`). A fixed factor t_{k-1} / 1.96 covered equally well, but
  fits intervals of 95% only. A metric with a known range is stretched on the logit scale: clipped
  draws pile up at the end, where the HDI prefers them, and covered 0.89 where others covered 0.92.

Both bring the simulated coverage to 0.91 or more from 5 units on (docs/calibration.md). A handful
of the units may carry most of the variance, which is then known less well than their number says:
draws of a difference, or of one classifier, are stretched further (`allow_for_few_carriers`). Where
the range of a metric is unknown, scores of items have the range that was seen.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import reduce
from typing import Self

import numpy as np
from numpy.random import Generator
from scipy.special import expit, logit

from skbayeseval._arrays import Array
from skbayeseval.engines.blocks import block_size, stream_blocks
from skbayeseval.engines.gammas import GammaRows
from skbayeseval.evidence.unit_numbers import UnitNumbers
from skbayeseval.metrics.instance_scores import Prepared, Sums

# Up to this number, all instances have weights of their own.
MANY = 2**15

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


# Up to this number, all units have weights of their own.
MOST_UNITS = 2**14

# If there are more, this number of those farthest from the mean.
FARTHEST = 2**12


class WeightedSums:
    """Sums over units, weighted by independent Gamma(1) variables.

    Equal units share one weight: the sum of k Gamma(1) variables is a Gamma(k) variable.

    Parameters
    ----------
    rows : ndarray of shape (n_rows, n_units)
        What is summed.
    most, farthest : int
        The most units that all have weights of their own, and the number of those that have if
        there are more.

    Examples
    --------
    >>> import numpy as np
    >>> from skbayeseval.engines.bootstrap import WeightedSums
    >>> sums = WeightedSums(np.array([[1.0, 1.0, 1.0, 1.0], [0.0, 0.0, 0.0, 3.0]]))
    >>> sums.n_own  # three of the four units are equal
    2
    >>> sums.draw(np.random.default_rng(0), 5).shape
    (2, 5)
    """

    def __init__(self, rows: Array, most: int = MOST_UNITS, farthest: int = FARTHEST) -> None:
        rows, times = _distinct(rows)
        self._mean = self._root = None
        if len(times) > most:
            own = _farthest(rows, times, farthest)
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


def _distinct(rows: Array) -> tuple[Array, Array]:
    """Return the distinct columns and how often each occurs; as they are if few are equal.

    They are in the order in which they occur first, which does not change if rows are exchanged.
    """
    n = rows.shape[1]
    codes = np.zeros(n, dtype=np.int64)
    for row in rows:
        values, own = np.unique(row, return_inverse=True)
        distinct, first, codes, times = np.unique(
            codes * len(values) + own, return_index=True, return_inverse=True, return_counts=True
        )
        if 2 * len(distinct) > n:
            return rows, np.ones(n)
    order = np.argsort(first)
    return rows[:, first[order]], times[order].astype(float)


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


class SumOfMeans:
    """Draw a metric that is a sum of weighted means over disjoint sets of very many instances.

    The log loss is one mean. A ROC AUC is a mean over positives plus a mean over negatives, apart
    from a term of expectation 0 in which both weights are multiplied. Its variance is less than
    that of the pairs of a positive and a negative divided by their number; it is left out where
    this is next to nothing compared with the variance of the means, for each classifier and each
    difference. In each mean, the instances that are farthest from it have weights of their own.

    Parameters
    ----------
    sets : sequence of ndarray of shape (n_classifiers, n)
        The values that are averaged in each set.

    Examples
    --------
    >>> import numpy as np
    >>> from skbayeseval.engines.bootstrap import SumOfMeans
    >>> values = np.random.default_rng(0).random((2, 100_000))
    >>> (draws,) = SumOfMeans([values]).stream(np.random.default_rng(0), 500)
    >>> draws.std(axis=1).round(4)  # sqrt(1 / 12 / 100_000)
    array([0.0009, 0.0009])
    """

    def __init__(self, sets: Sequence[Array]) -> None:
        self._means = [values.mean(axis=1) for values in sets]
        self._sums = []
        for values, mean in zip(sets, self._means, strict=True):
            deviations = values - mean[:, None]
            centre = deviations.mean(axis=0)
            # Instances that matter to a difference need not be far from the mean of any classifier.
            rows = np.vstack([np.ones_like(centre), centre, deviations - centre])
            self._sums.append(WeightedSums(rows))

    @classmethod
    def of(cls, runs: Sequence[tuple[Array, Sequence[Prepared]]], shape: Array) -> Self | None:
        """Return the sampler; None where instances must have weights of their own.

        The parameters are those of `stream_bootstrap`.
        """
        units, of_each = runs[0]
        if len(shape) <= MANY or len(runs) > 1 or len(units) != len(shape) or (shape != 1).any():
            return None
        parts = [means for prepared in of_each if (means := prepared.means()) is not None]
        if len(parts) < len(of_each):
            return None
        sets = [np.stack(values) for values in zip(*parts, strict=True)]
        if len(sets) == 2:
            left_out, variance = _left_out(*sets)
            if (left_out > LEFT_OUT * variance).any():
                return None
        return cls(sets)

    def stream(self, rng: Generator, n_draws: int) -> Iterator[Array]:
        """Yield blocks of draws of the metric, of shape (n_classifiers, n)."""

        def draw(rng: Generator, size: int) -> Array:
            found = sum(self._means)[:, None]
            for sums in self._sums:
                total, centre, *own = sums.draw(rng, size)
                found = found + (centre + np.stack(own)) / total
            return found

        return stream_blocks(draw, rng, n_draws, min(sums.block for sums in self._sums))


def _left_out(positives: Array, negatives: Array) -> tuple[Array, Array]:
    """Return how much is left out at most of each classifier and difference, and their variances.

    A pair is ordered rightly (1), wrongly (0) or tied (1/2), so that its variance is at most
    area (1 - area), and that of its difference between two classifiers is at most the probability
    that one of them orders it wrongly, or that one of them orders it rightly.
    """
    area = positives.mean(axis=1)
    a, b = np.triu_indices(len(area), 1)
    variance = sum(np.cov(values) / values.shape[1] for values in (positives, negatives))
    variance = np.atleast_2d(variance)
    variances = np.diag(variance)
    right = area[a] + area[b]
    of_differences = np.minimum(right, 2 - right)
    for pair, (i, j) in enumerate(zip(a, b, strict=True)):
        if all(np.array_equal(values[i], values[j]) for values in (positives, negatives)):
            of_differences[pair] = 0.0
    left_out = np.concatenate([area * (1 - area), of_differences])
    left_out /= positives.shape[1] * negatives.shape[1]
    differences = np.maximum(variances[a] + variances[b] - 2 * variance[a, b], 0.0)
    return left_out, np.concatenate([variances, differences])


Range = tuple[float, float]

# What the unseen instance weighs, as in Jeffreys' prior of a proportion.
UNSEEN = 0.5

# Fewer than two units, or degrees of freedom, say nothing about a variance.
FEWEST = 2.0

# Keeps logits finite.
SMALLEST_SHARE = 1e-12


def allow_for_few_units(
    draws: Array, units: UnitNumbers, bounds: Range | None, rng: Generator
) -> Array:
    """Return draws that are wide enough for the number of units.

    Parameters
    ----------
    draws : ndarray of shape (n_classifiers, n_draws)
        Draws of a metric by the Bayesian bootstrap.
    units : UnitNumbers
        How many units the metric rests on.
    bounds : (float, float) or None
        The range of the metric; None if it is unbounded or unknown. There is no unseen instance
        then, unless `units` has the range that was seen.
    rng : numpy.random.Generator
        The source of randomness.

    Examples
    --------
    >>> import numpy as np
    >>> from skbayeseval.engines.bootstrap import allow_for_few_units
    >>> from skbayeseval.evidence.unit_numbers import UnitNumbers
    >>> rng = np.random.default_rng(0)
    >>> right = np.ones((1, 1000))  # everything was right, in five instances
    >>> draws = allow_for_few_units(right, UnitNumbers("instances", 5, 5, 5, 5), (0, 1), rng)
    >>> bool(draws.min() < 0.8), bool(draws.max() < 1)
    (True, True)
    """
    factor = _factor(units, rng, draws.shape[1])
    possible = bounds or units.seen
    if possible is None:
        return _stretched(draws, factor)
    low, width = possible[0], possible[1] - possible[0]
    # The share of the unseen instance in each draw, and how well all classifiers do on it.
    unseen = rng.beta(UNSEEN, max(units.instances, SMALLEST_SHARE), draws.shape[1])
    value = rng.random(draws.shape[1])
    shares = (1 - unseen) * (draws - low) / width + unseen * value
    if bounds is None:
        return low + width * _stretched(shares, factor)
    shares = np.clip(shares, SMALLEST_SHARE, 1 - SMALLEST_SHARE)
    return low + width * expit(_stretched(logit(shares), factor))


def allow_for_few_carriers(
    draws: Array,
    units: UnitNumbers,
    carriers: float,
    bounds: Range | None,
    rng: Generator,
    *,
    of_areas: bool,
) -> Array:
    """Return draws that are wide enough where few of the units carry the variance.

    The variance of k values of kurtosis q is known with 2 k / (q - 1) degrees of freedom: as well
    as from k normal values, if q is 3. Differences of areas under curves get k / q, less than half
    as many: where pairs in the wrong order are rare, the few that were seen have too small a
    kurtosis (benchmarks/constants.md).

    Parameters
    ----------
    draws : ndarray of shape (n_draws,)
        Draws of a difference, or of the metric of one classifier, by `allow_for_few_units`.
    units : UnitNumbers
        How many units the metric rests on.
    carriers : float
        The effective number of units, k / q.
    bounds : (float, float) or None
        The range of the draws; None if it is unbounded or unknown.
    rng : numpy.random.Generator
        The source of randomness.
    of_areas : bool
        Whether the draws are of a difference of areas under curves.

    Examples
    --------
    >>> import numpy as np
    >>> from skbayeseval.engines.bootstrap import allow_for_few_carriers
    >>> from skbayeseval.evidence.unit_numbers import UnitNumbers
    >>> rng, units = np.random.default_rng(0), UnitNumbers("instances", 50, 50, 50, 50)
    >>> draws = rng.normal(size=1000)
    >>> for carriers in (50 / 3, 4.0):  # normal values, and few that stand out
    ...     wide = allow_for_few_carriers(draws, units, carriers, None, rng, of_areas=False)
    ...     print(bool(wide.std() > 1.1 * draws.std()))
    False
    True
    """
    k = max(units.effective, FEWEST)
    df = carriers if of_areas else 2 / max(1 / carriers - 1 / k, SMALLEST_SHARE)
    df = max(df, FEWEST)
    if df >= k - 1:
        return draws
    # chi2(k - 1) times this Beta variable is chi2(df).
    fewer = rng.beta(df / 2, (k - 1 - df) / 2, len(draws))
    factor = np.sqrt(df / ((k - 1) * np.maximum(fewer, SMALLEST_SHARE)))
    if bounds is None:
        return _stretched(draws[None], factor)[0]
    # The logit, such that draws of A - B and of B - A are exactly the negatives of each other.
    centre, half = (bounds[0] + bounds[1]) / 2, (bounds[1] - bounds[0]) / 2
    most = 1 - 2 * SMALLEST_SHARE
    logits = np.arctanh(np.clip((draws - centre) / half, -most, most))
    return centre + half * np.tanh(_stretched(logits[None], factor)[0])


def difference_of_twins(units: UnitNumbers, bounds: Range, rng: Generator, n_draws: int) -> Array:
    """Return draws of the difference of two classifiers that no unit tells apart.

    Half an unseen instance is all that could be for A and nothing for B, another half the other way
    round, as in the prior of the paired model. For each draw there is its negative, so that A and B
    can be swapped, and neither is ahead.
    """
    seen, half = max(units.instances, SMALLEST_SHARE), -(-n_draws // 2)
    _, only_a, only_b = rng.dirichlet([seen, UNSEEN, UNSEEN], half).T
    difference = _factor(units, rng, half) * (only_a - only_b)
    difference = np.concatenate([difference, -difference])[:n_draws]
    return (bounds[1] - bounds[0]) * np.clip(difference, -1.0, 1.0)


def _factor(units: UnitNumbers, rng: Generator, n_draws: int) -> Array:
    """Return by how much each draw is stretched about the mean."""
    # k / (k - 1) is for the variance of k values around their own mean, (W + 1) / W for Dirichlet
    # weights that sum to W (k for plain ones), and (k - 1) / chi2(k - 1) for the variance that is
    # not known.
    k, total = max(units.effective, FEWEST), max(units.shape, SMALLEST_SHARE)
    return np.sqrt(k * (1 + 1 / total) / rng.chisquare(k - 1, n_draws))


def _stretched(draws: Array, factor: Array) -> Array:
    mean = draws.mean(axis=1, keepdims=True)
    return mean + factor * (draws - mean)
