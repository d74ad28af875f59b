"""Required size of a test set: how many more labelled instances would settle a comparison."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import isotonic_regression
from scipy.special import ndtri

from skbayeseval._arrays import Array
from skbayeseval._streams import Stream, sequence
from skbayeseval._validation import (
    check_probability,
    check_random_state_entropy,
    check_size,
    check_whole_number,
)
from skbayeseval.judgement.decision import SETTLED, Decision, format_probability
from skbayeseval.judgement.intervals import Interval
from skbayeseval.metrics.metric import Metric
from skbayeseval.planning.simulate import BYTES_OF_REPLICATION, SCALE, Question, in_chunks
from skbayeseval.posterior.posterior import Posterior

# A size that is more than so many times the present one is not told in words.
MOST_TIMES = 10


@dataclass(frozen=True)
class SampleSize:
    """The number of labelled instances required for a clear decision; `str` returns a summary.

    A decision is clear if it is "significantly better", "significantly worse" or "practically
    equivalent".

    Attributes
    ----------
    n_total : int or None
        The required total number of instances; None if even `largest` is not enough.
    n_more : int or None
        The number of additional instances to label.
    n_now : int
        The current number of instances.
    assurance : float
        The requested probability of a clear decision.
    reached : float
        The estimated probability of a clear decision at `n_total`, or at `largest`.
    mcse : float
        The Monte Carlo standard error of `reached`.
    interval : Interval or None
        The 95% Monte Carlo interval of `n_total`.
    largest : int
        The largest total number of instances that was simulated.
    decision : Decision
        The decision from the current instances.

    Examples
    --------
    >>> from skbayeseval import compare_counts
    >>> result = compare_counts((900, 50, 60), (700, 150, 260), random_state=0)
    >>> size = result.required_sample_size(rope=0.01)
    >>> size.n_total, size.n_more
    (1110, 0)
    """

    n_total: int | None
    n_more: int | None
    n_now: int
    assurance: float
    reached: float
    mcse: float
    interval: Interval | None
    largest: int
    decision: Decision

    @property
    def never(self) -> bool:
        """Whether even the largest simulated number of instances is not enough."""
        return self.n_total is None

    def __str__(self) -> str:
        sure = f"{100 * self.assurance:.3g}%"
        units = "items" if self.decision.units == "items" else "labelled instances"
        _, _, scarce = self.decision.units.partition(" of ")
        as_few = f", with as few of {scarce} among them as now," if scarce else ""
        now = f"The decision now: {self.decision.in_short()}"
        if self.n_more == 0:
            return f"The decision is already clear: {self.decision.in_short()}"
        if (self.n_total or self.largest) > MOST_TIMES * self.n_now:
            return (
                f"More than {MOST_TIMES} times the present {self.n_now:,} {units}{as_few} would be "
                f"needed for a clear decision with probability {sure}: consider a wider or a "
                f"narrower ROPE. {now}"
            )
        if self.n_total is None or self.n_more is None or self.interval is None:
            reached = format_probability(self.reached, threshold=self.assurance)
            return (
                f"Not reached: even {self.largest:,} {units} in total{as_few} would give a "
                f"clear decision only with probability {reached}, not {sure}. {now}"
            )
        numbers = (self.n_total, self.n_more, *self.interval)
        total, more, low, high = (f"{two_digits(number):,}" for number in numbers)
        return (
            f"About {total} {units} in total, {more} more than now{as_few or ','} would give a "
            f"clear decision with probability {sure} (95% Monte Carlo interval: {low} to {high}). "
            f"{now}"
        )


def two_digits(number: float) -> int:
    """Round to two significant digits, the precision of simulations."""
    digits = max(math.floor(math.log10(number)) - 1, 0) if number >= 1 else 0
    return round(number / 10**digits) * 10**digits


def smoothed(fractions: Array) -> Array:
    """Return the isotonic regression of each row of fractions, which increase with the size."""
    return np.apply_along_axis(lambda row: isotonic_regression(row).x, -1, fractions)


# How many replications that follow each other are taken for alike. Chunks are a multiple of it.
ALIKE = 16

# The number of resamples of the bootstrap over replications.
N_RESAMPLES = 500


class Required(NamedTuple):
    """The required size, its interval, and the fraction of clear decisions at it.

    If the assurance is not reached, the size is None, and the fraction that at the largest size.
    """

    size: float | None
    interval: Interval
    reached: float


def smallest_size(
    settled: Array, sizes: Array, assurance: float, rng: np.random.Generator
) -> Required:
    """Return the size at which the fraction of clear decisions reaches the assurance.

    Parameters
    ----------
    settled : ndarray of bool of shape (n_replications, n_sizes)
        Whether the decision is clear. Each row is one test set of increasing size. Those that
        follow each other may have like truths, as those of `truths` have.
    sizes : ndarray of shape (n_sizes,)
        The sizes, in increasing order.
    assurance : float
        The required fraction of clear decisions.
    rng : numpy.random.Generator
        The random number generator of the bootstrap over replications.

    Returns
    -------
    required : Required
        The required size and its 95% bootstrap interval.
    """
    n = len(settled)
    rising = smoothed(settled.mean(axis=0))
    # Replications that follow each other have like truths, and may stand for each other.
    first = np.arange(n) // ALIKE * ALIKE
    number = np.minimum(ALIKE, n - first)
    resamples = (first + (rng.random(n) * number).astype(int) for _ in range(N_RESAMPLES))
    resampled = smoothed(np.array([settled[rows].mean(axis=0) for rows in resamples]))
    found = [crossing(row, sizes, assurance, n) for row in resampled]
    interval = Interval(*np.quantile(found, [0.025, 0.975]).tolist())
    if rising[-1] < assurance:
        return Required(None, interval, float(rising[-1]))
    size = crossing(rising, sizes, assurance, n)
    return Required(size, interval, float(max(assurance, rising[0])))


def crossing(rising: Array, sizes: Array, assurance: float, n: int) -> float:
    """Return the size at which fractions of n replications reach the assurance, or the last size.

    Between sizes, the normal quantile of the fraction is interpolated, which is nearly linear in
    log(size): a decision is clear if an estimate, whose error decreases with the size, is beyond a
    limit. Fractions of 0 and 1 count as half a replication more and less.
    """
    above = np.flatnonzero(rising >= assurance)
    i = above[0] if len(above) else -1
    if i <= 0:
        return float(sizes[i])
    fractions = np.array([rising[i - 1], assurance, rising[i]])
    before, here, after = ndtri(np.clip(fractions, 1 / (2 * n), 1 - 1 / (2 * n)))
    share = (here - before) / (after - before) if after > before else 1.0
    return float(sizes[i - 1] * (sizes[i] / sizes[i - 1]) ** share)


# The number of sizes that are simulated, evenly spaced on a log scale.
N_ITEM_SIZES = 120


class Search(NamedTuple):
    """What both searches for a size need: the present number, the largest, and so on."""

    n_now: int
    largest: int
    assurance: float
    n_replications: int
    seed: np.random.SeedSequence


def items_needed(search: Search, differences: Array, sd: float, decision: Decision) -> Required:
    """Return the required number of items.

    The difference is taken to be normal with a standard deviation that falls with the square root
    of the number of items. It is shrunk as described in `plausibility`: its prior is normal, with a
    standard deviation of a twentieth of the root mean squared difference of an item.

    Parameters
    ----------
    search : Search
        The search.
    differences : ndarray of shape (n_items,)
        The difference between A and B on each item that was seen.
    sd : float
        The standard deviation of the posterior of the mean difference.
    decision : Decision
        The decision from these items.
    """
    n_now = len(differences)
    rng = np.random.default_rng(search.seed)
    prior = SCALE**2 * float(np.mean(differences**2))
    kept = prior / (prior + sd**2)
    mean = float(differences.mean())
    truth = kept * mean + np.sqrt(kept) * sd * rng.standard_normal(search.n_replications)
    sizes = np.unique(np.round(np.geomspace(n_now + 1, search.largest, N_ITEM_SIZES)))
    settled = simulated_settled(truth, mean, sd, n_now, sizes, decision, rng)
    return smallest_size(settled, sizes, search.assurance, rng)


def simulated_settled(
    truth: Array,
    mean: float,
    sd: float,
    n_now: int,
    sizes: Array,
    decision: Decision,
    rng: np.random.Generator,
) -> Array:
    """Return whether the decision is clear, of shape (n_replications, n_sizes).

    Every replication has its own true difference, to whose items new ones are added.
    """
    of_item = sd * np.sqrt(n_now)
    more = np.diff(sizes, prepend=n_now)
    noise = of_item * np.sqrt(more) * rng.standard_normal((len(truth), len(sizes)))
    means = (n_now * mean + np.cumsum(truth[:, None] * more + noise, axis=1)) / sizes
    half = ndtri((1 + decision.prob) / 2) * of_item / np.sqrt(sizes)
    low, high = means - half, means + half
    inside = (low >= decision.rope.low) & (high <= decision.rope.high)
    return inside | (low > decision.rope.high) | (high < decision.rope.low)


# The search for a size first increases the size by FACTOR. Then it evaluates sizes that differ by
# LARGEST_STEP, or N_SIZES sizes if these are fewer, and goes on by FACTOR if the interval of the
# size ends at one of the outer ones.
FACTOR, LARGEST_STEP, N_SIZES = 4.0, 1.6, 6


def instances_needed(
    search: Search, posterior: Posterior, question: Question, n_jobs: Any, verbose: int
) -> Required:
    """Return the required number of instances.

    A coarse search over widely spaced sizes brackets the size at which the fraction of clear
    decisions reaches the assurance. Within the bracket, each replication is one test set of
    increasing size.
    """
    n_now, assurance, largest = search.n_now, search.assurance, float(search.largest)
    counts = posterior.counts[0]
    worth = max(c.total for c in posterior.counts) * counts.weight / n_now  # weight per instance
    job = {"truth": posterior, "like": counts, "base": posterior.evidence}

    def settled(totals: Sequence[float] | Array, n: int) -> Array:
        here = job | {"questions": [question], "sizes": (np.asarray(totals) - n_now) * worth}
        (codes,) = in_chunks([here], n, search.seed.spawn(1)[0], n_jobs, verbose)
        return np.isin(codes[:, :, 0], SETTLED)

    n_looks = max(search.n_replications // 4, 50)
    error = 3 * math.sqrt(assurance * (1 - assurance) / n_looks)
    smallest, total = n_now + 1.0, n_now + n_now / FACTOR**2
    low, high = smallest, largest
    while total < largest:
        fraction = settled([total], n_looks).mean()
        if fraction >= min(assurance + error, 1.0):
            high = total
            break
        if fraction < assurance - error:
            low = total
        total = n_now + FACTOR * (total - n_now)
    while True:
        n_sizes = min(N_SIZES, 1 + math.ceil(np.log(high / low) / np.log(LARGEST_STEP)))
        totals = np.unique(np.round(np.geomspace(low, high, n_sizes)))
        clear = settled(totals, search.n_replications)
        rng = np.random.default_rng(search.seed.spawn(1)[0])
        required = smallest_size(clear, totals, assurance, rng)
        # By chance, a look may have been wrong, and the interval would go on beyond these sizes.
        ends = required.interval
        more_below = low > smallest and ends.low <= totals[0]
        more_above = high < largest and ends.high >= totals[-1]
        if len(totals) == 1 and required.size is not None:
            more_above = False
        if not (more_below or more_above):
            return required
        above = totals[totals <= ends.low].max(initial=low)
        low = max(low / FACTOR, smallest) if more_below else float(above)
        high = min(FACTOR * high, largest) if more_above else high


def required_sample_size(
    posterior: Posterior,
    metric: Metric,
    decision: Decision,
    *,
    n_now: int,
    assurance: float,
    largest: int | None,
    n_replications: int,
    n_jobs: int | None,
    verbose: int,
    random_state: Any,
) -> SampleSize:
    """Return the smallest size at which the decision is settled as often as asked for."""
    evidence: Any = posterior.evidence
    if not evidence.is_of_items:
        posterior = posterior.exact("required_sample_size")
        rule = (decision.rope, decision.prob, posterior.prevalence, SETTLED)
        question = Question(posterior.model, metric, *rule)
    assurance = check_probability(assurance, "assurance")
    most = 1000 * n_now if largest is None else check_whole_number(largest, "largest", n_now)
    n = check_size(n_replications, "n_replications", BYTES_OF_REPLICATION, 50)
    entropy = posterior.entropy
    if random_state is not None:
        entropy = check_random_state_entropy(random_state)
    search = Search(n_now, most, assurance, n, sequence(entropy, Stream.SAMPLE_SIZE))
    if decision.settled:
        required = Required(n_now, Interval(n_now, n_now), 1.0)
    elif evidence.is_of_items:
        differences = evidence.sign * (evidence.means[0] - evidence.means[1])
        required = items_needed(search, differences, posterior.difference(metric).sd, decision)
    else:
        required = instances_needed(search, posterior, question, n_jobs, verbose)
    size, interval, reached = required
    total = None if size is None else math.ceil(size)
    return SampleSize(
        total,
        None if total is None else total - n_now,
        n_now,
        assurance,
        reached,
        math.sqrt(reached * (1 - reached) / n),
        None if total is None else interval,
        most,
        decision,
    )
