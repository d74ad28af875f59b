"""Two estimators compared on several data sets: the signed-rank test and the hierarchical model.

In the signed-rank test (Benavoli et al. 2014), the differences on data sets are draws from an
unknown distribution whose prior is a Dirichlet process. A posteriori, this distribution has random
weights on the differences and on a pseudo-observation at 0. The test is about its Walsh average,
the mean of two independent draws.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike
from scipy import sparse
from sklearn.utils import check_scalar

from skbayeseval._arrays import Array
from skbayeseval.engines.blocks import block_size, in_order
from skbayeseval.engines.data_sets import PARAMETERS, build_data_sets_graph, sample_data_sets
from skbayeseval.engines.pymc import PriorBuilder, PyMCEngine, Trace
from skbayeseval.engines.variables import Parameter
from skbayeseval.evidence.split_scores import DataSetScores
from skbayeseval.judgement.decision import Probabilities
from skbayeseval.judgement.distribution import Distribution
from skbayeseval.judgement.intervals import Interval
from skbayeseval.metrics.metric import Metric
from skbayeseval.metrics.registry import NEXT_DATA_SET
from skbayeseval.models.base import Blocks, Draws
from skbayeseval.models.split_scores import ModelOfScores, without_noise

# Rounding errors of the differences must not create or break ties.
TOLERANCE = 1e-12


class SignedRank(ModelOfScores):
    """The Bayesian signed-rank test over data sets (Benavoli et al. 2014).

    The differences on the data sets come from an unknown distribution, which has a Dirichlet
    process prior. The reported difference is the pseudo-median of that distribution: the median of
    the mean of two differences drawn from it. As in the paper, the probabilities are the shares of
    posterior draws in which such a mean is most probably worse, equivalent or better.

    Parameters
    ----------
    strength : float, default=0.5
        The weight of the prior's single pseudo-observation, a difference of 0. A data set has
        weight 1.

    Examples
    --------
    >>> from skbayeseval import compare_scores
    >>> a, b = [0.81, 0.79, 0.94, 0.70, 0.88], [0.80, 0.75, 0.91, 0.71, 0.85]
    >>> compare_scores(a, b, test_fraction=None, model="signed-rank", random_state=0).model
    'signed-rank'
    """

    name = "signed-rank"
    takes = DataSetScores
    no_graph = "The signed-rank test has no PyMC model. Use engine='exact' or model='hierarchical'."

    def __init__(self, strength: float = 0.5) -> None:
        self.strength = strength

    # The mean difference on each data set, by metric.
    differences: Mapping[str, Array]

    def _observe(self, evidence: DataSetScores) -> None:
        check_scalar(self.strength, "strength", (int, float), min_val=0.01, max_val=1e6)
        differences = _differences(evidence)
        self.differences = {name: of_one.mean(axis=1) for name, of_one in differences.items()}

    def known_difference(
        self, metric: Metric, draws: Array, rng: Generator
    ) -> SignedRankDifference:
        """Return the posterior of the pseudo-median, given its draws and their source."""
        differences = self.differences[metric.name]
        weights = draw_weights(len(differences), float(self.strength), rng, len(draws))
        return SignedRankDifference(draws, weights, differences)

    def stream(self, metric: Metric, rng: Generator, number: int, *, prior: bool = False) -> Blocks:
        """Yield draws of the pseudo-median of the differences, of shape (1, number)."""
        differences = self.differences[metric.name]
        weights = draw_weights(len(differences), float(self.strength), rng, number)
        yield pseudo_medians(weights, differences)[None]


class HierarchicalScores(ModelOfScores):
    """The hierarchical correlated t-test over data sets (Corani et al. 2017), sampled by PyMC.

    The mean differences on the data sets come from a Student t distribution, and the splits of each
    data set are correlated as in `CorrelatedT`. Noisy data sets are shrunk towards the others. The
    reported difference is the centre of the t distribution, the average over data sets. The metric
    "next data set" is the difference on a new data set.

    Examples
    --------
    >>> from skbayeseval.models import HierarchicalScores
    >>> HierarchicalScores()
    HierarchicalScores()
    """

    name = "hierarchical scores"
    takes = DataSetScores
    derived_metrics = (NEXT_DATA_SET,)

    # The differences of the split scores in each metric, of shape (n_data_sets, n_splits), and the
    # correlation between splits.
    differences: Mapping[str, Array]
    correlation: float

    def _observe(self, evidence: DataSetScores) -> None:
        self.differences = _differences(evidence)
        n_splits = next(iter(self.differences.values())).shape[1]
        if n_splits < 3 or evidence.test_fraction is None:
            raise ValueError(
                "model='hierarchical' needs the scores of at least three splits of each data set, "
                "and test_fraction=. Use model='signed-rank' for one score per data set."
            )
        if len(self.differences) > 1:
            raise ValueError("model='hierarchical' accepts only one metric.")
        self.correlation = evidence.test_fraction

    def parameters(self) -> list[Parameter]:
        """Return the parameters that are sampled."""
        return list(PARAMETERS)

    def dims(self) -> dict[str, list[str]]:
        """Return the dimensions of each parameter, and of the difference on each data set."""
        return super().dims() | {"delta": ["data_set"]}

    def _scores_given(self, draws: Draws, metric: Metric, rng: Generator, prior: bool) -> Blocks:
        if metric.name in self.differences:
            yield draws["delta0"][None]
        elif "next_delta" in draws:
            yield draws["next_delta"][None]
        else:  # a new data set, in the trace of a modified graph
            yield (draws["delta0"] + draws["sigma0"] * rng.standard_t(draws["nu"]))[None]

    def build_graph(
        self,
        labels: tuple[Any, ...],
        *,
        prior: PriorBuilder | None = None,
        form: str = "collapsed",
        **_: Any,
    ) -> Any:
        """Return the hierarchical model as a `pymc.Model`."""
        self.check_graph(form)
        (differences,) = self.differences.values()
        return build_data_sets_graph(differences, self.correlation, prior)

    def sample(self, labels: tuple[Any, ...], engine: PyMCEngine, seed: int) -> Trace:
        """Return posterior draws of the parameters, of delta and of next_delta."""
        (differences,) = self.differences.values()
        return sample_data_sets(differences, self.correlation, engine, seed)


def _differences(evidence: DataSetScores) -> dict[str, Array]:
    """Return A - B for each metric, of shape (n_data_sets, n_splits)."""
    return {
        name: without_noise(scores[0] - scores[1], scores)
        for name, scores in evidence.scores.items()
    }


def draw_weights(n_data_sets: int, strength: float, rng: Generator, n_draws: int) -> Array:
    """Return Dirichlet weights of shape (1 + n_data_sets, n_draws).

    Parameters
    ----------
    n_data_sets : int
        The number of data sets, each of which has strength 1.
    strength : float
        The strength of the pseudo-observation at 0. Its weights are in the first row.
    rng : numpy.random.Generator
        The source of randomness.
    n_draws : int
        The number of draws.
    """
    weights = np.empty((1 + n_data_sets, n_draws))
    rng.standard_gamma(strength, out=weights[0])
    rng.standard_gamma(1.0, out=weights[1:])
    weights /= weights.sum(axis=0)
    return weights


def region_masses(weights: Array, differences: ArrayLike, low: float, high: float) -> Array:
    """Return the masses of Walsh averages below `low`, in between, and above `high`.

    Parameters
    ----------
    weights : ndarray of shape (1 + n_data_sets, n_draws)
        The output of `draw_weights`.
    differences : array-like of shape (n_data_sets,)
        One number per data set.
    low, high : float
        The limits of the region of practical equivalence; equal if there is no such region. Half of
        the mass at a limit is counted on each side.

    Returns
    -------
    masses : ndarray of shape (3, n_draws)
    """
    points = _points(differences)
    order = np.argsort(points, kind="stable")
    points = points[order]
    sums = points[:, None] + points
    tolerance = TOLERANCE * np.abs(points).max()
    # Sums increase along a row, so those below a limit, or not above it, come first.
    counts = [
        [(sums - 2 * limit < -tolerance).sum(axis=1), (sums - 2 * limit <= tolerance).sum(axis=1)]
        for limit in (low, high)
    ]
    below = np.empty((2, weights.shape[1]))
    for here in _blocks(weights.shape[1], 5 * len(points)):
        own = weights[order, here]
        cumulated = np.pad(np.cumsum(own, axis=0), ((1, 0), (0, 0)))
        for of_limit, (first, last) in zip(below, counts, strict=True):
            of_limit[here] = np.einsum("id,id->d", own, cumulated[first] + cumulated[last]) / 2
    return np.diff(below, axis=0, prepend=0.0, append=1.0)


def region_probabilities(
    weights: Array, differences: ArrayLike, low: float, high: float
) -> Probabilities:
    """Return the shares of draws in which each region has the largest mass.

    Regions with equal mass share the draw. If there is no region of practical equivalence
    (``low == high``), its probability is 0.

    Parameters
    ----------
    weights : ndarray of shape (1 + n_data_sets, n_draws)
        The output of `draw_weights`.
    differences : array-like of shape (n_data_sets,)
        One number per data set. Positive means better.
    low, high : float
        The limits of the region of practical equivalence.

    Examples
    --------
    >>> import numpy as np
    >>> from skbayeseval.models.data_sets import draw_weights, region_probabilities
    >>> weights = draw_weights(4, 0.5, np.random.default_rng(0), 1000)
    >>> region_probabilities(weights, [0.02, 0.03, 0.01, 0.04], 0.0, 0.0)
    Probabilities(worse=0.0, equivalent=0.0, better=1.0)
    """
    masses = region_masses(weights, differences, low, high)
    largest = masses >= masses.max(axis=0) - TOLERANCE
    shares = (largest / largest.sum(axis=0)).mean(axis=1)
    return Probabilities(*(float(share) for share in shares))


def pseudo_medians(weights: Array, differences: ArrayLike) -> Array:
    """Return the median of the Walsh averages in each draw (Hodges and Lehmann 1963).

    The averages are discrete. Their cumulative mass includes half of the mass at a value, and is
    interpolated between values (the mid-distribution function; Ma, Genton and Parzen 2011). So the
    median is positive if and only if the mass above 0, plus half of the mass at 0, exceeds 1/2.

    Parameters
    ----------
    weights, differences
        As in `region_masses`.

    Returns
    -------
    medians : ndarray of shape (n_draws,)
    """
    points = _points(differences)
    first, second = np.triu_indices(len(points))
    averages = (points[first] + points[second]) / 2
    order = np.argsort(averages, kind="stable")
    first, second, averages = first[order], second[order], averages[order]
    times = np.where(first == second, 1.0, 2.0)
    tolerance = TOLERANCE * np.abs(points).max()
    group = np.cumsum(np.diff(averages, prepend=averages[0]) > tolerance)
    values = averages[np.flatnonzero(np.diff(group, prepend=-1))]
    values[np.abs(values) <= tolerance] = 0.0
    if len(values) == 1:
        return np.full(weights.shape[1], values[0])
    adder = sparse.csr_matrix((times, (group, np.arange(len(group)))), (len(values), len(group)))

    def medians(here: slice) -> Array:
        mass = adder @ (weights[first, here] * weights[second, here])
        middle = np.cumsum(mass, axis=0) - mass / 2
        draws = np.arange(mass.shape[1])
        # Half of the mass at the first value is below 1/2, unless that value has all the mass.
        after = np.maximum((middle >= 0.5).argmax(axis=0), 1)
        lower, upper = middle[after - 1, draws], middle[after, draws]
        share = np.clip((0.5 - lower) / (upper - lower), 0.0, 1.0)
        return values[after - 1] + share * (values[after] - values[after - 1])

    blocks = ((here,) for here in _blocks(weights.shape[1], 5 * len(group)))
    return np.concatenate(list(in_order(medians, blocks)))


def _points(differences: ArrayLike) -> Array:
    """Return the pseudo-observation at 0, followed by the differences."""
    return np.concatenate([[0.0], np.asarray(differences, dtype=float)])


def _blocks(n_draws: int, rows: int) -> Iterator[slice]:
    block = block_size(8 * rows, most=5000)
    for start in range(0, n_draws, block):
        yield slice(start, min(start + block, n_draws))


class SignedRankDifference(Distribution):
    """The pseudo-median of differences on data sets (Benavoli et al. 2014).

    As in the paper, the probabilities are the fractions of draws in which the mean difference of
    two data sets is most probably below, inside or above the region.
    """

    def __init__(self, draws: Array, weights: Array, differences: Array) -> None:
        super().__init__(draws)
        self.weights = weights
        self.differences = differences

    def around(self, region: Interval) -> Probabilities:
        """Return the probabilities of values left of, in and right of a region."""
        return region_probabilities(self.weights, self.differences, *region)

    def mass(self, low: float, high: float) -> float:
        """Return the probability of the values from `low` to `high`."""
        if np.isinf(high):
            return 1.0 - self.around(Interval(low, low)).worse
        return self.around(Interval(low, high)).equivalent
