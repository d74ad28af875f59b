"""The prior probability of a region of differences, more precise than by counting draws.

Few draws fall into a narrow region, so counting them is inefficient. Instead, every draw gives a
share: the probability of the region given a part of the variables (Rao-Blackwellization). All
functions yield blocks of shape (2, n), two independent unbiased estimates from each of n strata,
whose differences give the Monte Carlo error.

- Independent classifiers: the share of all pairs of draws.
- Rows of outcomes: classifiers are independent given class proportions and sticks, so the share of
  all pairs again.
- Two paired binary classifiers: B's metric increases with each of its rates, so given all but one
  of them, the region is an interval of the last one.
- Chunks of two taggers: the same, given all but one cell.
- Right or wrong per item: given how often the systems disagree, who is right then is Beta.
- Paired classifiers and a user-supplied metric, which need not be increasing: counting.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.special import expit, gammainc

from skbayeseval.engines.blocks import stream_blocks
from skbayeseval.engines.exact import BLOCK, check_scores, metric_of_block, stream_scores
from skbayeseval.engines.outcomes import as_arrays, stream_outcomes
from skbayeseval.engines.rates import is_paired, shares_given_rates
from skbayeseval.engines.recalls import RecallGrid, RecallRows
from skbayeseval.engines.rows import REMAINDER
from skbayeseval.judgement.intervals import Interval
from skbayeseval.metrics.confusion import Metric, Totals
from skbayeseval.metrics.registry import of_classes
from skbayeseval.models.items import ClusteredSpecification, RightOrWrongSpecification
from skbayeseval.models.margins import BetaMargin
from skbayeseval.models.specification import (
    AnySpecification,
    LabelSpecification,
    Outcomes,
    OutcomeSpecification,
    Recall,
    Specification,
)

__all__ = [
    "has_chunk_shares",
    "has_recall_shares",
    "shares_of_chunks",
    "stream_shares",
    "stream_totals_given_sticks",
]


Array = NDArray[Any]


CHUNK_BLOCK = 2**14


MOST_BLOCKS = 2**8


_FBETA = re.compile(r"f(\d+(?:\.\d+)?(?:e[+-]?\d+)?)")


def has_chunk_shares(formula: str | None) -> bool:
    """Return whether the metric is one of those in the description of this module."""
    return formula in ("precision", "recall", "jaccard") or bool(_FBETA.fullmatch(str(formula)))


def shares_of_chunks(
    prior: Array, formula: str, rng: np.random.Generator, region: Interval
) -> Iterator[Array]:
    """Yield estimates of P(A - B in the region) under the prior, in blocks of shape (2, n).

    Parameters
    ----------
    prior : ndarray of shape (7,)
        The Dirichlet prior of the cells, in the order of `ChunkCounts`.
    formula : str
        The registered name of the metric.
    rng : numpy.random.Generator
        The source of randomness.
    region : Interval
        The region of differences.
    """
    free = 2 if formula == "recall" else 6

    def draw(rng: np.random.Generator, size: int) -> Array:
        cells = rng.standard_gamma(prior, (size, 7)).T
        bounds = (_bound(cells, formula, end) for end in region)
        at_low, at_high = (gammainc(prior[free], x) for x in bounds)
        # The difference decreases with the cell of recall and increases with false alarms.
        share = at_low - at_high if formula == "recall" else at_high - at_low
        return share.reshape(2, -1)

    return stream_blocks(draw, rng, MOST_BLOCKS * CHUNK_BLOCK, CHUNK_BLOCK)


def _bound(cells: Array, formula: str, difference: float) -> Array:
    """Return the value of the free cell at which A - B equals `difference`."""
    both, only_a, only_b, neither, false_both, false_a, _ = cells
    if formula == "recall":
        # The difference is (only_a - x) / (both + only_a + x + neither).
        if difference <= -1:
            return np.full_like(both, np.inf)
        others = both + only_a + neither
        return np.maximum((only_a - difference * others) / (1 + difference), 0.0)
    found_a, found_b = both + only_a, both + only_b
    gold = found_a + only_b + neither
    # The metric is gain * found / (gain * found + miss * missed + false alarms).
    beta = _FBETA.fullmatch(formula)
    gain, miss = {"precision": (1.0, 0.0), "jaccard": (1.0, 1.0)}.get(
        formula, (1 + float(beta[1]) ** 2, float(beta[1]) ** 2) if beta else (0.0, 0.0)
    )
    of_a = gain * found_a
    of_a = of_a / (of_a + miss * (gold - found_a) + false_both + false_a)
    of_b = of_a - difference
    top, rest = gain * found_b, gain * found_b + miss * (gold - found_b) + false_both
    with np.errstate(divide="ignore", invalid="ignore"):
        bound = np.where(of_b > 0, top / of_b - rest, np.inf)
    return np.maximum(bound, 0.0)


GOLDEN = (np.sqrt(5) - 1) / 2


# The most numbers in an array.
RECALL_BLOCK = 2**19


def has_recall_shares(specification: OutcomeSpecification) -> bool:
    """Return whether the classifiers share instances, and each has a distribution of recalls."""
    groups = specification.groups
    return len(groups) == 1 and all(isinstance(eta, Recall) for eta in groups[0].etas)


def stream_totals_given_sticks(
    group: Outcomes, rng: np.random.Generator, n_draws: int, repeats: int, remainder: float
) -> Iterator[Totals]:
    """Yield blocks of totals under the prior, of shape (n_classifiers, n * repeats, M).

    Parameters
    ----------
    group : Outcomes
        The classifiers.
    rng : numpy.random.Generator
        The source of randomness.
    n_draws : int
        The number of draws of class proportions and sticks.
    repeats : int
        The number of draws of each classifier's recalls given these.
    remainder : float
        As in `stream_outcomes`.
    """
    rows = RecallRows(group, True, remainder)
    block = max(1, RECALL_BLOCK // (rows.n_classes * max(repeats, rows.n_sticks)))
    for start in range(0, n_draws, block):
        n = min(block, n_draws - start)
        mu = group.known_mu
        mu = rows.draw_proportions(rng, n) if mu is None else np.tile(mu, (n, 1))
        sticks = _break_sticks(rng, (rows.n_sticks, *mu.shape))
        yield _totals(rows.grids, mu, sticks, rng, repeats)


def _totals(
    grids: Sequence[RecallGrid], mu: Array, sticks: Array, rng: np.random.Generator, repeats: int
) -> Totals:
    n, m = mu.shape
    true = np.repeat(mu[:, :, None], repeats, axis=2)
    all_hits, all_predicted = [], []
    for grid in grids:
        logit, mass = grid.draw(_evenly_spread(rng, n, repeats))
        right, wrong = ((mass * expit(x)).reshape(n, 1, repeats) for x in (logit, -logit))
        hits = true * rng.beta(right, wrong, true.shape)
        missed = (true - hits).reshape(n * m, repeats)
        predicted = hits + (_landing(sticks, rng) @ missed).reshape(hits.shape)
        all_hits.append(hits)
        all_predicted.append(predicted)
    shape = len(grids), n * repeats, m
    return Totals(
        *(
            np.moveaxis(np.array(total), 2, 3).reshape(shape)
            for total in (all_hits, [true] * len(grids), all_predicted)
        )
    )


def _landing(sticks: Array, rng: np.random.Generator) -> Any:
    """Return the matrix that moves the wrong predictions of each class to other classes."""
    _, n, m = sticks.shape
    true = np.arange(m)
    landed = (true + rng.integers(1, m, sticks.shape)) % m
    first = m * np.arange(n)[:, None]
    cells = np.broadcast_to(first + true, sticks.shape).ravel()
    return sparse.csr_array((sticks.ravel(), ((first + landed).ravel(), cells)), (n * m, n * m))


def _break_sticks(rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
    """Return fractions that sum to 1 over the first axis: what each break leaves of the rest."""
    left = np.cumprod(rng.random(shape), axis=0)
    left[-1] = 0.0  # the last stick is all of the rest
    return np.asarray(-np.diff(left, axis=0, prepend=1.0))


def _evenly_spread(rng: np.random.Generator, n: int, repeats: int) -> Array:
    """Return uniform variables of shape (3, n * repeats), for `RecallGrid.draw`.

    The first and the last are `repeats` points of a lattice in the unit square (Kronecker's, with
    the golden ratio), shifted at random for each of the n draws.
    """
    uniform = rng.random((3, n, repeats))
    shift = rng.random((2, n, 1))
    steps = np.arange(repeats)
    uniform[0] = (shift[0] + steps / repeats) % 1
    uniform[2] = (shift[1] + steps * GOLDEN) % 1
    return uniform.reshape(3, -1)


# Limits at which streams end even if the error is still large: after ten to twenty seconds.
MOST_COUNTED_DRAWS = 2**23


MOST_INDEPENDENT_DRAWS = 2**22


MOST_STICKS = 2**28


MOST_RECALLS = 12_800_000


# The number of classes whose shares are averaged.
MOST_CLASSES = 16


# The number of draws per class that share class proportions and sticks: of averages over classes,
# and of metrics of one class. The most of them, and the most recalls that they may have.
PER_CLASS, PER_OWN_CLASS = 8, 3


MOST_REPEATS, MOST_SHARED_RECALLS = 256, 200_000


# The number of draws per classifier of which all pairs are formed.
BATCH = 256


# The memory for the sticks of a batch.
BATCH_BYTES = 2**26


def stream_shares(
    specification: AnySpecification,
    metric: Metric,
    positive: int,
    rng: np.random.Generator,
    region: Interval,
) -> Iterator[Array]:
    """Yield estimates of P(A - B in the region) under the prior, in blocks of shape (2, n).

    Parameters
    ----------
    specification : Specification, or another kind of specification
        The model of two classifiers.
    metric : Metric
        The metric whose difference is taken.
    positive : int
        The index of the positive class.
    rng : numpy.random.Generator
        The source of randomness.
    region : Interval
        The region of differences.
    """
    if isinstance(specification, OutcomeSpecification):
        return _in_twos(_given_sticks(specification, metric, positive, rng, region))
    if isinstance(specification, (ClusteredSpecification, RightOrWrongSpecification)):
        return _in_twos(_given_disagreement(specification.theta, specification.sign, rng, region))
    if isinstance(specification, Specification) and _share_parameters(specification):
        if metric.formula is not None and is_paired(specification):
            return shares_given_rates(specification, metric, positive, rng, region)
        if metric.formula is not None and has_chunk_shares(metric.formula):
            return shares_of_chunks(specification.simplexes[0].prior, metric.formula, rng, region)
        batch, longest = 1, MOST_COUNTED_DRAWS
    else:
        batch, longest = BATCH, MOST_INDEPENDENT_DRAWS
        if isinstance(specification, LabelSpecification):
            longest = max(2**14, longest // specification.cells.shape[1])
    scores = stream_scores(specification, metric, positive, rng, longest, prior=True)
    return _in_twos(
        _of_all_pairs(check_scores(both, metric), min(batch, both.shape[1]), region)
        for both in scores
    )


def _share_parameters(specification: Specification) -> bool:
    """Return whether a parameter is shared by the classifiers."""
    return any("_" not in simplex.name for simplex in specification.simplexes)


def _in_twos(blocks: Iterable[Array]) -> Iterator[Array]:
    """Yield independent shares in blocks of shape (2, n)."""
    rest = np.empty(0)
    for block in blocks:
        joined = np.concatenate([rest, block])
        even = len(joined) - len(joined) % 2
        rest = joined[even:]
        if even:
            yield joined[:even].reshape(2, -1)


def _of_all_pairs(scores: Array, size: int, region: Interval) -> Array:
    """Return, per batch of `size` draws, the share of their pairs that is in the region."""
    n_batches = scores.shape[1] // size
    a, b = scores[:, : n_batches * size].reshape(2, n_batches, size)
    difference = a[:, :, None] - b[:, None, :]
    return ((difference >= region.low) & (difference <= region.high)).mean(axis=(1, 2))


def _given_disagreement(
    theta: Array, sign: float, rng: np.random.Generator, region: Interval
) -> Iterator[Array]:
    """Yield shares of sign (theta_2 - theta_3), given theta_2 + theta_3, of Dirichlet(theta)."""
    both, only_a, only_b, neither = theta
    winner = BetaMargin(only_a, only_b) if sign > 0 else BetaMargin(only_b, only_a)

    def draw(rng: np.random.Generator, size: int) -> Array:
        disagree = np.maximum(rng.beta(only_a + only_b, both + neither, size), 1e-300)
        return winner.mass((region.low / disagree + 1) / 2, (region.high / disagree + 1) / 2)

    return stream_blocks(draw, rng, MOST_INDEPENDENT_DRAWS, BLOCK)


def _given_sticks(
    specification: OutcomeSpecification,
    metric: Metric,
    positive: int,
    rng: np.random.Generator,
    region: Interval,
) -> Iterator[Array]:
    """Yield shares given class proportions and sticks, from batches of draws."""
    group = specification.groups[0]
    n_classes = len(group.mu.prior)
    # Sticks much smaller than the region do not matter, except for functions of single cells.
    remainder = REMAINDER if metric.needs_tables else min(1e-4, (region.high - region.low) / 100)
    # All classes of a draw tell about a metric of one class, if these have the same prior.
    alike = [metric]
    if specification.has_classes_alike:
        alike = of_classes(metric, range(min(n_classes, MOST_CLASSES)))
    if has_recall_shares(specification) and not metric.needs_tables:
        # A metric of one class varies more with its proportion, so more of these are drawn.
        repeats = (PER_CLASS if len(alike) == 1 else PER_OWN_CLASS) * n_classes
        repeats = max(2, min(repeats, MOST_REPEATS, MOST_SHARED_RECALLS // n_classes))
        n_draws = max(2**5, MOST_RECALLS // (2 * repeats * n_classes))
        blocks = stream_totals_given_sticks(group, rng, n_draws, repeats, remainder)
        return (_mean_of_all_pairs(alike, block, positive, repeats, region) for block in blocks)
    sticks = n_classes * np.log(remainder) / np.log(group.mass / (1 + group.mass))
    cells = n_classes**2 if metric.needs_tables else 0
    # With more classes, the sticks vary less between draws.
    repeats = int(min(8 * n_classes, 512, max(2, BATCH_BYTES // (64 * (sticks + cells)))))
    n_draws = max(2**7, int(MOST_STICKS / (2 * repeats * sticks)))
    return stream_outcomes(
        specification,
        rng,
        n_draws,
        prior=True,
        tables=metric.needs_tables,
        repeats=repeats,
        remainder=remainder,
        of_block=lambda block: _mean_of_all_pairs(
            alike, as_arrays(block), positive, repeats, region
        ),
    )


def _mean_of_all_pairs(
    metrics: list[Metric], block: Totals | Array, positive: int, repeats: int, region: Interval
) -> Array:
    """Return the shares of batches of `repeats` draws, as the mean over these metrics."""
    shares = [
        _of_all_pairs(
            check_scores(metric_of_block(metric, positive, block), metric), repeats, region
        )
        for metric in metrics
    ]
    return np.mean(shares, axis=0)
