"""Required size of a test set: how many more labelled instances would settle a comparison."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

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
from skbayeseval.planning.simulate import (
    BYTES_OF_REPLICATION,
    Question,
    evenly,
    in_chunks,
    plausible,
)
from skbayeseval.posterior.posterior import Posterior

# The probability of a clear decision is reported at so many times the present size.
REPORTED_TIMES = (2, 5, 10)


@dataclass(frozen=True)
class SampleSize:
    """The number of labelled instances required for a clear decision; `str` returns a summary.

    A decision is clear if it is "significantly better", "significantly worse" or "practically
    equivalent". Its probability is an average over the differences that are plausible now.

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
    chances : dict of int to float
        The probability of a clear decision at 2, 5 and 10 times the current number, by the total
        number of instances; empty if the decision is clear already.
    n_even : int or None
        The total number of instances at which this probability is one half; None if even
        `largest` is not enough.

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
    chances: dict[int, float]
    n_even: int | None

    def __str__(self) -> str:
        if self.n_more == 0:
            return f"The decision is already clear: {self.decision.in_short()}"
        units = "items" if self.decision.units == "items" else "labelled instances"
        _, _, scarce = self.decision.units.partition(" of ")
        as_few = f", with as few of {scarce} among them as now," if scarce else ""
        chances = [
            f"{format_probability(chance, threshold=self.assurance)} with {total:,}"
            for total, chance in self.chances.items()
        ]
        for chance, size in ((0.5, self.n_even), (self.assurance, self.n_total)):
            if size is not None:
                chances.append(f"{100 * chance:.3g}% with about {two_digits(size):,}")
        if self.interval is not None:
            low, high = (f"{two_digits(end):,}" for end in self.interval)
            chances[-1] += f" (95% Monte Carlo interval: {low} to {high})"
        else:
            reached = format_probability(self.reached, threshold=self.assurance)
            chances.append(f"{reached} with {self.largest:,}, the most that was tried")
        return (
            f"In total, so many {units}{as_few} give a clear decision with probability: "
            f"{', '.join(chances)}. The decision now: {self.decision.in_short()}"
        )


def two_digits(number: float) -> int:
    """Round to two significant digits, the precision of simulations."""
    digits = max(math.floor(math.log10(number)) - 1, 0) if number >= 1 else 0
    return round(number / 10**digits) * 10**digits


def smoothed(fractions: Array) -> Array:
    """Return the isotonic regression of each row of fractions, which increase with the size."""
    return np.apply_along_axis(lambda row: isotonic_regression(row).x, -1, fractions)


# Replications are resampled within blocks of so many, whose truths are alike. Chunks are multiples.
BLOCK = 16

# The number of resamples of the bootstrap over replications.
N_RESAMPLES = 500


def smallest_size(
    settled: Array, sizes: Array, assurance: float, rng: np.random.Generator
) -> tuple[float | None, Interval, float]:
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
    size : float or None
        The required size; None if the assurance is not reached.
    interval : Interval
        Its 95% bootstrap interval.
    reached : float
        The fraction of clear decisions at the required size, or else at the largest.
    """
    n = len(settled)
    rising = smoothed(settled.mean(axis=0))
    # Replications that follow each other have like truths, and may stand for each other.
    first = np.arange(n) // BLOCK * BLOCK
    number = np.minimum(BLOCK, n - first)
    resamples = (first + (rng.random(n) * number).astype(int) for _ in range(N_RESAMPLES))
    resampled = smoothed(np.array([settled[rows].mean(axis=0) for rows in resamples]))
    found = [crossing(row, sizes, assurance, n) for row in resampled]
    interval = Interval(*np.quantile(found, [0.025, 0.975]).tolist())
    if rising[-1] < assurance:
        return None, interval, float(rising[-1])
    return crossing(rising, sizes, assurance, n), interval, float(max(assurance, rising[0]))


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


# The sizes that are simulated, besides one more than now and the largest, as multiples of it.
TIMES = (1.25, 1.5, 2, 3, 5, 10, 20, 50, 150, 400)

# The number of true differences that the posterior of a mean is approximated by.
N_STEPS = 1201


def simulated_settled(
    truth: Array,
    mean: float,
    sd: float,
    n_now: int,
    sizes: Array,
    decision: Decision,
    rng: np.random.Generator,
) -> Array:
    """Return whether the decision on items is clear, of shape (n_replications, n_sizes).

    Every replication has its own true difference, to whose items new ones are added. The difference
    is taken to be normal with a standard deviation that falls with the square root of their number.
    """
    of_item = sd * np.sqrt(n_now)
    more = np.diff(sizes, prepend=n_now)
    noise = of_item * np.sqrt(more) * rng.standard_normal((len(truth), len(sizes)))
    means = (n_now * mean + np.cumsum(truth[:, None] * more + noise, axis=1)) / sizes
    half = ndtri((1 + decision.prob) / 2) * of_item / np.sqrt(sizes)
    low, high = means - half, means + half
    inside = (low >= decision.rope.low) & (high <= decision.rope.high)
    return inside | (low > decision.rope.high) | (high < decision.rope.low)


def _settled_items(
    posterior: Posterior,
    metric: Metric,
    decision: Decision,
    sizes: Array,
    n: int,
    seed: np.random.SeedSequence,
) -> Array:
    """Return whether the decision on items is clear for true differences that are plausible.

    The posterior of the mean difference is normal, and is shrunk as in `plausibility`.
    """
    evidence: Any = posterior.evidence
    differences = evidence.sign * (evidence.means[0] - evidence.means[1])
    mean, sd = float(differences.mean()), posterior.difference(metric).sd
    rng, steps = np.random.default_rng(seed), np.linspace(-6, 6, N_STEPS)
    truth = mean + sd * steps
    weights = np.exp(-0.5 * steps**2) * plausible(truth, np.sqrt(np.mean(differences**2)))
    truth = truth[evenly(weights, n, rng)]
    return simulated_settled(truth, mean, sd, len(differences), sizes, decision, rng)


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
    question = None
    if not posterior.evidence.is_of_items:
        posterior = posterior.exact("required_sample_size")
        rule = (decision.rope, decision.prob, posterior.prevalence, SETTLED)
        question = Question(posterior.model, metric, *rule)
    assurance = check_probability(assurance, "assurance")
    most = 1000 * n_now if largest is None else check_whole_number(largest, "largest", n_now)
    n = check_size(n_replications, "n_replications", BYTES_OF_REPLICATION, 50)
    entropy = posterior.entropy
    if random_state is not None:
        entropy = check_random_state_entropy(random_state)
    seed = sequence(entropy, Stream.SAMPLE_SIZE)
    if decision.settled:
        now = Interval(n_now, n_now)
        return SampleSize(n_now, 0, n_now, assurance, 1.0, 0.0, now, most, decision, {}, n_now)
    reported = [times * n_now for times in REPORTED_TIMES if times * n_now <= most]
    sizes = np.round(n_now * np.array(TIMES))
    sizes = np.unique([n_now + 1, *sizes[sizes <= most], max(most, n_now + 1)])
    if question is None:
        settled = _settled_items(posterior, metric, decision, sizes, n, seed)
    else:
        counts = posterior.counts[0]
        worth = max(c.total for c in posterior.counts) * counts.weight / n_now
        job = {"truth": posterior, "like": counts, "base": posterior.evidence}
        job |= {"questions": [question], "sizes": (sizes - n_now) * worth}
        (codes,) = in_chunks([job], n, seed, n_jobs, verbose)
        settled = np.isin(codes[:, :, 0], SETTLED)
    rng = np.random.default_rng(seed.spawn(1)[0])
    size, interval, reached = smallest_size(settled, sizes, assurance, rng)
    total = None if size is None else math.ceil(size)
    rising = smoothed(settled.mean(axis=0))
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
        {size: float(rising[sizes == size][0]) for size in reported},
        math.ceil(crossing(rising, sizes, 0.5, n)) if rising[-1] >= 0.5 else None,
    )
