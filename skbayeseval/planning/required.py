"""How many more labelled instances would probably settle a comparison."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from skbayeseval._validation import (
    check_probability,
    check_random_state_entropy,
    check_size,
    check_whole_number,
)
from skbayeseval.judgement.decision import Decision
from skbayeseval.judgement.intervals import Interval
from skbayeseval.metrics.confusion import Metric
from skbayeseval.planning.items import items_needed
from skbayeseval.planning.sample_size import SETTLED, SampleSize
from skbayeseval.planning.simulate import BYTES_OF_REPLICATION, Question, sample_size
from skbayeseval.posterior.recipe import Posterior

__all__ = ["required_sample_size"]

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
