from collections import Counter

import numpy as np
import pytest

from skbayeseval.evidence import PairedCounts, counts

rng_of = np.random.default_rng

LABELS = {
    "small integers": [0, 1, 2],
    "signs": [-1, 0, 1],
    "wide integers": [-(2**40), 3, 2**50],
    "beyond floats": [2**62, 2**62 + 1, 2**63 - 1],
    "strings": ["cat", "dog", "zebra"],
    "long strings": ["cat" * 9, "dog", "zebra"],
    "small ones in another byte order": [1 << 56, 2 << 56, 3 << 56],
    "floats": [-1.0, 0.0, 7.0],
}


def as_arrays(labels, columns):
    values = np.array(labels)
    yield [values[column] for column in columns]
    yield [values[column].tolist() for column in columns]
    yield [values.astype(object)[column] for column in columns]
    yield [values.astype(values.dtype.newbyteorder())[column] for column in columns]
    if values.dtype.kind == "i" and abs(values).max() < 100:
        kinds = [np.int8, np.int64, np.float32]
        yield [values.astype(kind)[column] for kind, column in zip(kinds, columns, strict=True)]


def by_hand(labels, columns):
    return Counter(zip(*[[labels[i] for i in column] for column in columns], strict=True))


def count(y_true, *predictions):
    return PairedCounts.from_labels(y_true, {str(i): said for i, said in enumerate(predictions)})


def codes_of(found):
    return np.column_stack([found.truth, found.predictions])


def as_counter(found):
    rows = [tuple(found.labels[i] for i in row) for row in codes_of(found)]
    assert len(set(rows)) == len(rows)
    return Counter(dict(zip(rows, found.counts.astype(int).tolist(), strict=True)))


@pytest.mark.parametrize("labels", LABELS.values(), ids=LABELS)
def test_counts_are_those_of_a_loop(labels):
    columns = rng_of(0).integers(0, 3, (3, 200))
    expected = by_hand(labels, columns)
    for vectors in as_arrays(labels, columns):
        found = count(*vectors)
        assert found.labels == tuple(labels)
        assert as_counter(found) == expected


def test_strings_with_the_same_hash_are_told_apart(monkeypatch):
    monkeypatch.setattr(counts, "MULTIPLIER", np.uint64(1))
    found = count(np.array(["ab", "ba", "ab"]), np.array(["ab", "ab", "ba"]))
    assert as_counter(found) == {("ab", "ab"): 1, ("ba", "ab"): 1, ("ab", "ba"): 1}


@pytest.mark.parametrize("order", [[0, 1, 2, 3], [3, 1, 0, 2]])
def test_outcomes_that_are_given_twice(order):
    rows = np.array([[0, 0, 1], [0, 0, 1], [0, 1, 0], [1, 1, 1]])[order]
    times = np.array([1, 2, 4, 8])[order]
    found = PairedCounts(rows[:, 0], rows[:, 1:], times, (0, 1), outcome=np.arange(4))
    assert codes_of(found).tolist() == [[0, 0, 1], [0, 1, 0], [1, 1, 1]]
    assert found.counts.tolist() == [3, 4, 8]
    np.testing.assert_array_equal(codes_of(found)[found.outcome], rows)


@pytest.mark.parametrize(("n_vectors", "n_classes"), [(2, 4), (9, 300), (40, 300)])
def test_many_classes_and_many_vectors(n_vectors, n_classes):
    columns = rng_of(1).integers(0, n_classes, (n_vectors, 500))
    columns[:, 100:200] = columns[:, :100]
    found = count(*columns)
    assert as_counter(found) == Counter(map(tuple, columns.T.tolist()))
    codes = codes_of(found)[found.outcome]
    np.testing.assert_array_equal(np.array(found.labels)[codes], columns.T)
