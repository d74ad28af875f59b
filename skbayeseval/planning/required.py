"""How many more labelled instances would probably settle a comparison."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from skbayeseval._validation import (
    check_probability,
    check_random_state_entropy,
    check_size,
    check_whole_number,
)
from skbayeseval.judgement.decision import SETTLED, Decision
from skbayeseval.judgement.intervals import Interval
from skbayeseval.metrics.confusion import Metric
from skbayeseval.planning.replications import SCALE
from skbayeseval.planning.sample_size import SampleSize, smallest_size, smoothed
from skbayeseval.planning.simulate import BYTES_OF_REPLICATION, Question, sample_size
from skbayeseval.posterior.recipe import Posterior

__all__ = [
    "items_needed",
    "required_sample_size",
    "simulated_settled",
]


Array = NDArray[Any]


# The number of sizes that are simulated, evenly spaced on a log scale.
N_SIZES = 120


def items_needed(
    differences: Array,
    sd: float,
    decision: Decision,
    *,
    largest: float,
    assurance: float,
    n_replications: int,
    seed: np.random.SeedSequence,
) -> tuple[float | None, Interval | None, float]:
    """Return the required number of items, its interval, and the fraction of clear decisions.

    The difference is taken to be normal with a standard deviation that falls with the square root
    of the number of items. It is shrunk as described in `near_equal`: its prior is normal, with a
    standard deviation of a twentieth of the root mean squared difference of an item. If the
    assurance is not reached, size and interval are None.

    Parameters
    ----------
    differences : ndarray of shape (n_items,)
        The difference between A and B on each item that was seen.
    sd : float
        The standard deviation of the posterior of the mean difference.
    decision : Decision
        The decision from these items.
    largest : float
        The largest number of items to try.
    assurance : float
        The required fraction of clear decisions.
    n_replications : int
        The number of simulated sets of items.
    seed : numpy.random.SeedSequence
        The seed of the simulation.
    """
    n_now = len(differences)
    rng = np.random.default_rng(seed)
    prior = SCALE**2 * float(np.mean(differences**2))
    kept = prior / (prior + sd**2)
    mean = float(differences.mean())
    truth = kept * mean + np.sqrt(kept) * sd * rng.standard_normal(n_replications)
    sizes = np.unique(np.round(np.geomspace(n_now + 1, largest, N_SIZES)))
    settled = simulated_settled(truth, mean, sd, n_now, sizes, decision, rng)
    rising = smoothed(settled.mean(axis=0))
    if rising[-1] < assurance:
        return None, None, float(rising[-1])
    size, interval = smallest_size(settled, sizes, assurance, rng)
    return size, interval, float(max(assurance, rising[0]))


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
    sums = n_now * mean + np.cumsum(truth[:, None] * more + noise, axis=1)
    means = sums / sizes
    half = ndtri((1 + decision.prob) / 2) * of_item / np.sqrt(sizes)
    low, high = means - half, means + half
    inside = (low >= decision.rope.low) & (high <= decision.rope.high)
    return inside | (low > decision.rope.high) | (high < decision.rope.low)


# A child of the entropy: 0 is the posterior's, 1 the splitter's, 2 and 3 those of Markov chains.
_PLANNING = 4


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
    assurance = check_probability(assurance, "assurance")
    most = 1000 * n_now if largest is None else check_whole_number(largest, "largest", n_now)
    n = check_size(n_replications, "n_replications", BYTES_OF_REPLICATION, 50)
    entropy = posterior.entropy
    if random_state is not None:
        entropy = check_random_state_entropy(random_state)
    question = None
    if not evidence.is_of_items:
        question = Question(
            posterior.model, metric, decision.rope, decision.prob, posterior.prevalence, SETTLED
        )
    if decision.code in SETTLED:
        here = Interval(n_now, n_now)
        return SampleSize(n_now, 0, n_now, assurance, 1.0, 0.0, here, most, decision)
    seed = np.random.SeedSequence(entropy, spawn_key=(_PLANNING,))
    if question is None:
        size, interval, reached = items_needed(
            evidence.sign * (evidence.means[0] - evidence.means[1]),
            posterior.difference(metric).sd,
            decision,
            largest=most,
            assurance=assurance,
            n_replications=n,
            seed=seed,
        )
    else:
        size, interval, reached = sample_size(
            posterior,
            question,
            n_now=n_now,
            largest=most,
            assurance=assurance,
            n_replications=n,
            n_jobs=n_jobs,
            verbose=verbose,
            seed=seed,
        )
    total = None if size is None else math.ceil(size)
    more = None if total is None else total - n_now
    mcse = math.sqrt(reached * (1 - reached) / n)
    return SampleSize(total, more, n_now, assurance, reached, mcse, interval, most, decision)
