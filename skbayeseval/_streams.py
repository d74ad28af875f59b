"""The streams of random numbers that are derived from one `random_state`, each with its own name.

Every stream has a key of its own, so that no two of them draw the same numbers from the same
entropy. A new stream takes the next free key: a changed key changes the draws of every seed, and
what saved results answer.
"""

from __future__ import annotations

from enum import Enum, unique

import numpy as np


@unique
class Stream(Enum):
    """Who draws from the entropy, and the key of each.

    Blocks, chunks and subgroups are children of their stream, with one more number in the key. The
    blocks of a posterior have another bit generator, so that they share no numbers with the streams
    that add to them.
    """

    POSTERIOR = (0,)  # draws of metrics and parameters of a posterior
    FEW_UNITS = (0, 1)  # what few units add to draws of the bootstrap
    TWINS = (0, 1, 1)  # the difference of two classifiers that are equal so far
    FEW_CARRIERS = (0, 1, 2)  # what is added where few units carry the variance
    TRAINING = (0, 2)  # what training sets add, where weights are inferred
    TOGETHER = (0, 3)  # how independent draws of several classifiers vary together
    SPLITTER = (1,)  # the default splitter of a cross-validation
    HALVES = (2,)  # the splits into halves beside those of a cross-validation
    SAMPLE_SIZE = (4,)  # simulated test sets of required_sample_size
    RANKING = (7,)  # pooled scores of several classifiers
    SUBGROUPS = (10,)  # the posterior of each subgroup, by its first instance
    POOLED_SUBGROUPS = (11,)  # pooled differences of subgroups
    CHAINS = (12,)  # Markov chains
    PRIOR_CHAINS = (13,)  # prior draws of a graph
    NEXT_DATA_SET = (14,)  # the difference on a new data set, given Markov chains
    POWER = (15,)  # simulated test sets of power_analysis
    PREDICTIVE = (16,)  # counts that are predicted for ArviZ
    PRIOR = (17,)  # draws of a prior
    PRIOR_RATES = (18,)  # recalls of classes, given prior draws of the parameters


# Priors do not depend on the data, and neither does the entropy of their streams.
PRIOR_ENTROPY = 20160717


def sequence(entropy: int, stream: Stream, *child: int) -> np.random.SeedSequence:
    """Return the seeds of a stream, or of one of its children.

    Examples
    --------
    >>> from skbayeseval._streams import Stream, generator
    >>> generator(0, Stream.POSTERIOR).random() == generator(0, Stream.SPLITTER).random()
    False
    """
    return np.random.SeedSequence(entropy, spawn_key=(*stream.value, *child))


def generator(entropy: int, stream: Stream, *child: int) -> np.random.Generator:
    """Return a stream from its beginning."""
    return np.random.default_rng(sequence(entropy, stream, *child))


def seed_of(entropy: int, stream: Stream) -> int:
    """Return a seed below 2**32, as splitters and samplers take."""
    return int(sequence(entropy, stream).generate_state(1)[0])


def child_entropy(entropy: int, stream: Stream, *child: int) -> int:
    """Return the entropy of a posterior that is part of another."""
    state = sequence(entropy, stream, *child).generate_state(4)
    return int.from_bytes(state.tobytes(), "little")
