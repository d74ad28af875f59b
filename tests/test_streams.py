"""Streams of random numbers of one entropy."""

from itertools import combinations

import numpy as np
import pytest

from skbayeseval._streams import Stream, child_entropy, generator, seed_of
from skbayeseval.models.blocks import child_of


@pytest.mark.parametrize("make", [lambda *key: generator(*key).random(8), seed_of, child_entropy])
def test_streams_of_the_same_entropy_differ(make):
    assert len(Stream) == len(Stream.__members__)  # none is another name of another one
    drawn = [np.atleast_1d(make(7, stream)) for stream in Stream]
    for one, other in combinations(drawn, 2):
        assert not np.isin(one, other).any()
    np.testing.assert_array_equal(make(7, Stream.POSTERIOR), drawn[0])
    assert not np.isin(make(8, Stream.POSTERIOR), drawn[0]).any()


def test_children_of_a_stream_differ():
    first, second = (child_entropy(7, Stream.SUBGROUPS, child) for child in (0, 1))
    assert first != second != child_entropy(7, Stream.SUBGROUPS)


def test_blocks_of_a_posterior_share_no_numbers_with_other_streams():
    rng = generator(7, Stream.POSTERIOR)
    blocks = [child_of(rng).random(8) for _ in range(8)]
    for stream in Stream:
        assert not np.isin(generator(7, stream).random(8), blocks).any()
