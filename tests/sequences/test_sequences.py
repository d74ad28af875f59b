from itertools import chain

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from seqeval.metrics.sequence_labeling import get_entities
from sklearn import config_context
from sklearn.base import BaseEstimator, clone
from sklearn.exceptions import NotFittedError

from skbayeseval import ConvertTags
from skbayeseval.sequences import (
    SCHEMES,
    Chunk,
    chunks_to_tags,
    convert_tags,
    read_conll,
    tags_to_chunks,
)

PREFIXES = {"IOB1": "BI", "IOB2": "BI", "IOBES": "BIES", "BMES": "BMES"}


def sentences(scheme, types=("PER", "ORG", "a-b")):
    """Any tags of the scheme in any order, most of them malformed."""
    tags = ["O", *(f"{prefix}-{kind}" for prefix in PREFIXES[scheme] for kind in types)]
    return st.lists(st.lists(st.sampled_from(tags), max_size=9), min_size=1, max_size=4)


def any_scheme():
    return st.sampled_from(list(SCHEMES)).flatmap(
        lambda scheme: st.tuples(st.just(scheme), sentences(scheme))
    )


@given(any_scheme())
def test_chunks_are_those_of_seqeval(case):
    # seqeval without a mode is conlleval; it has no M, which is an I.
    scheme, y = case
    for tags, chunks in zip(y, tags_to_chunks(y, scheme), strict=True):
        expected = get_entities([tag.replace("M-", "I-") for tag in tags])
        assert chunks == [(kind, first, last + 1) for kind, first, last in expected]


@given(st.lists(st.sampled_from(["B", "M", "E", "S", "O"]), max_size=12))
def test_chunks_without_types(tags):
    (chunks,) = tags_to_chunks([tags], "BMES")
    expected = get_entities([tag.replace("M", "I") for tag in tags])
    assert [(chunk.start, chunk.stop) for chunk in chunks] == [(i, j + 1) for _, i, j in expected]


# By hand, from conlleval's tables of what begins and what ends a chunk.
@pytest.mark.parametrize(
    ("scheme", "tags", "chunks"),
    [
        ("IOB1", "I-A I-A O I-A", [("A", 0, 2), ("A", 3, 4)]),
        ("IOB1", "I-A B-A I-A", [("A", 0, 1), ("A", 1, 3)]),  # two that touch
        ("IOB1", "I-A I-B B-B", [("A", 0, 1), ("B", 1, 2), ("B", 2, 3)]),
        ("IOB2", "O I-A I-A", [("A", 1, 3)]),  # no B: begins all the same
        ("IOB2", "B-A I-B I-B", [("A", 0, 1), ("B", 1, 3)]),  # the type changes
        ("IOBES", "B-A I-A E-A S-B", [("A", 0, 3), ("B", 3, 4)]),
        ("IOBES", "I-A E-A E-A", [("A", 0, 2), ("A", 2, 3)]),
        ("IOBES", "S-A I-A", [("A", 0, 1), ("A", 1, 2)]),
        ("IOBES", "B-A S-A E-A", [("A", 0, 1), ("A", 1, 2), ("A", 2, 3)]),
        ("BMES", "B M M E S B E", [("", 0, 4), ("", 4, 5), ("", 5, 7)]),
        ("BMES", "M M B", [("", 0, 2), ("", 2, 3)]),
    ],
)
def test_by_hand(scheme, tags, chunks):
    assert tags_to_chunks([tags.split()], scheme) == [chunks]


@given(any_scheme(), st.sampled_from(list(SCHEMES)))
def test_conversion_keeps_the_chunks(case, target):
    source, y = case
    converted = convert_tags(y, source, target)
    assert [len(tags) for tags in converted] == [len(tags) for tags in y]
    assert tags_to_chunks(converted, target) == tags_to_chunks(y, source)
    assert convert_tags(converted, target, target) == converted


@pytest.mark.parametrize(
    ("scheme", "tags"),
    [
        ("IOB1", "I-A I-A B-A I-A I-B O I-A"),
        ("IOB2", "B-A I-A B-A I-A B-B O B-A"),
        ("IOBES", "B-A E-A B-A E-A S-B O S-A"),
        ("BMES", "B-A E-A B-A E-A S-B O S-A"),
    ],
)
def test_tags_by_hand(scheme, tags):
    chunks = [Chunk("A", 6, 7), Chunk("A", 0, 2), Chunk("A", 2, 4), Chunk("B", 4, 5)]
    assert chunks_to_tags(chunks, 7, scheme) == tags.split()


def test_long_chunks_and_no_types():
    assert chunks_to_tags([Chunk("", 0, 4)], 5, "BMES") == ["B", "M", "M", "E", "O"]


@pytest.mark.parametrize(
    "y",
    [
        np.array([["B-A", "I-A"], ["O", "B-B"]]),
        pd.Series([["B-A", "I-A"], ["O", "B-B"]]),
        (("B-A", "I-A"), ["O", "B-B"]),
    ],
)
def test_kinds_of_sequences(y):
    assert tags_to_chunks(y, "IOB2") == [[("A", 0, 2)], [("B", 1, 2)]]


@pytest.mark.parametrize(
    ("y", "scheme", "error", "message"),
    [
        ([["O"]], "IOB3", ValueError, r"scheme='IOB3' is not a known scheme. Valid schemes are"),
        ([["O"], ["Q-PER"]], "IOB2", ValueError, r"y\[1\] contains 'Q-PER', .* of scheme 'IOB2'"),
        ([["S-PER"]], "IOB2", ValueError, r"'O' and those with a prefix in \['B', 'I'\], such as"),
        ([["O", 3]], "IOB2", ValueError, r"y\[0\] contains 3, which is not a tag"),
        ([["O", ["O"]]], "IOB2", ValueError, r"y\[0\] contains \['O'\], which is not a tag"),
        (["B-PER", "O"], "IOB2", ValueError, r"one sequence of tags per sentence.*y\[0\] is"),
        ("O O", "IOB2", TypeError, "y must be a sequence of sequences of tags, got 'O O'"),
        ([], "IOB2", ValueError, "y is empty"),
    ],
)
def test_bad_tags(y, scheme, error, message):
    with pytest.raises(error, match=message):
        tags_to_chunks(y, scheme)


def test_bad_conversions():
    with pytest.raises(ValueError, match="target='X' is not a known scheme"):
        convert_tags([["O"]], "IOB2", "X")
    with pytest.raises(ValueError, match="source='X' is not a known scheme"):
        convert_tags([["O"]], "X", "IOB2")


def test_files(tmp_path):
    path = tmp_path / "tags"
    path.write_text(
        "-DOCSTART- -X- O O\n\nÉva NNP I-NP B-PER\nsleeps VBZ I-VP O\n\n\n \nRome\tNNP\tO\tB-LOC",
        encoding="utf-8",
    )
    found = read_conll(path)
    assert found.tags == [["B-PER", "O"], ["B-LOC"]]
    assert found.tokens == [
        [["Éva", "NNP", "I-NP"], ["sleeps", "VBZ", "I-VP"]],
        [["Rome", "NNP", "O"]],
    ]


def test_files_of_tags_alone(tmp_path):
    path = tmp_path / "tags"
    path.write_text("B-PER\r\nO\r\n\r\nO\r\n", encoding="utf-8")
    assert read_conll(path) == ([[[], []], [[]]], [["B-PER", "O"], ["O"]])


def test_files_without_sentences(tmp_path):
    path = tmp_path / "tags"
    path.write_text("\n-DOCSTART- O\n", encoding="utf-8")
    with pytest.raises(ValueError, match="tags contains no sentences"):
        read_conll(path)
    with pytest.raises(FileNotFoundError):
        read_conll(tmp_path / "absent")


class Tagger(BaseEstimator):
    """Tags every word as it was tagged last."""

    def __init__(self, unknown="O"):
        self.unknown = unknown

    def fit(self, X, y, sample_weight=None):
        self.seen_ = dict(zip(chain(*X), chain(*y), strict=True))
        self.classes_ = np.unique(list(chain(*y)))
        self.sample_weight_ = sample_weight
        return self

    def predict(self, X):
        return [[self.seen_.get(word, self.unknown) for word in words] for words in X]


X = [["Ada", "Lovelace", "wrote"], ["Babbage", "built"]]


Y = [["B-PER", "I-PER", "O"], ["B-PER", "O"]]


def test_learns_the_other_scheme():
    tagger = ConvertTags(Tagger(), "IOB2", "IOBES").fit(X, Y)
    assert tagger.predict(X) == [["B-PER", "E-PER", "O"], ["S-PER", "O"]]
    assert list(tagger.classes_) == ["B-PER", "E-PER", "O", "S-PER"]
    assert not hasattr(tagger.estimator, "seen_")  # a clone is fitted


def test_scikit_learns_manners():
    tagger = ConvertTags(Tagger(unknown="X"), source="IOB2", target="IOBES")
    assert clone(tagger).get_params()["estimator__unknown"] == "X"
    tagger.set_params(estimator__unknown="O", target="BMES")
    assert tagger.estimator.unknown == "O"
    with pytest.raises(NotFittedError):
        tagger.predict(X)
    assert not hasattr(tagger, "classes_")
    assert not hasattr(ConvertTags(BaseEstimator(), "IOB2", "IOBES"), "predict")
    with pytest.raises(ValueError, match="target='X' is not a known scheme"):
        ConvertTags(Tagger(), "IOB2", "X").fit(X, Y)
    with pytest.raises(ValueError, match=r"y\[0\] contains 'I-PER'.*'BMES'"):
        ConvertTags(Tagger(), "BMES", "IOB2").fit(X, Y)


def test_parameters_of_fit():
    weights = [1.0, 2.0]
    plain = ConvertTags(Tagger(), "IOB2", "IOBES").fit(X, Y, sample_weight=weights)
    assert plain.estimator_.sample_weight_ == weights
    with config_context(enable_metadata_routing=True):
        asking = Tagger().set_fit_request(sample_weight=True)
        routed = ConvertTags(asking, "IOB2", "IOBES").fit(X, Y, sample_weight=weights)
    assert routed.estimator_.sample_weight_ == weights
