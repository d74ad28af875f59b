from itertools import chain

import numpy as np
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


def sentences(scheme, types=("", "-PER", "-ORG", "-a-b")):
    """Any tags of the scheme in any order, most of them malformed."""
    tags = ["O", *(f"{prefix}{kind}" for prefix in PREFIXES[scheme] for kind in types)]
    return st.lists(st.lists(st.sampled_from(tags), max_size=9), min_size=1, max_size=4)


def any_scheme():
    return st.sampled_from(list(SCHEMES)).flatmap(
        lambda scheme: st.tuples(st.just(scheme), sentences(scheme))
    )


@given(any_scheme())
def test_chunks_are_those_of_seqeval(case):
    # seqeval without a mode is conlleval; it has no M, which is an I, and calls no type "_".
    scheme, y = case
    for tags, chunks in zip(y, tags_to_chunks(y, scheme), strict=True):
        expected = get_entities([tag.replace("M", "I") for tag in tags])
        assert chunks == [(kind.strip("_"), first, last + 1) for kind, first, last in expected]


@given(any_scheme(), st.sampled_from(list(SCHEMES)))
def test_conversion_keeps_the_chunks(case, target):
    source, y = case
    converted = convert_tags(y, source, target)
    assert [len(tags) for tags in converted] == [len(tags) for tags in y]
    assert tags_to_chunks(converted, target) == tags_to_chunks(y, source)
    assert convert_tags(converted, target, target) == converted


# From conlleval's tables of what begins and what ends a chunk.
@pytest.mark.parametrize(
    ("scheme", "tags"),
    [
        ("IOB1", "I-A I-A B-A I-A I-B O I-A"),
        ("IOB2", "B-A I-A B-A I-A B-B O B-A"),
        ("IOBES", "B-A E-A B-A E-A S-B O S-A"),
        ("BMES", "B-A E-A B-A E-A S-B O S-A"),
    ],
)
def test_by_hand(scheme, tags):
    chunks = [Chunk("A", 6, 7), Chunk("A", 0, 2), Chunk("A", 2, 4), Chunk("B", 4, 5)]
    assert chunks_to_tags(chunks, 7, scheme) == tags.split()
    assert tags_to_chunks([tags.split()], scheme) == [[*chunks[1:], chunks[0]]]
    assert chunks_to_tags([Chunk("", 0, 4)], 5, "BMES") == ["B", "M", "M", "E", "O"]


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


def test_files(tmp_path):
    path = tmp_path / "tags"
    path.write_text(
        "-DOCSTART- -X- O O\n\nÉva NNP I-NP B-PER\nsleeps VBZ I-VP O\n\n\n \nRome\tNNP\tO\tB-LOC",
        encoding="utf-8",
    )
    tokens, tags = read_conll(path)
    assert tags == [["B-PER", "O"], ["B-LOC"]]
    assert tokens == [
        [["Éva", "NNP", "I-NP"], ["sleeps", "VBZ", "I-VP"]],
        [["Rome", "NNP", "O"]],
    ]
    path.write_text("B-PER\r\nO\r\n\r\nO\r\n", encoding="utf-8")
    assert read_conll(path) == ([[[], []], [[]]], [["B-PER", "O"], ["O"]])
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
    for name, schemes in (("target", ("IOB2", "X")), ("source", ("X", "IOB2"))):
        with pytest.raises(ValueError, match=f"{name}='X' is not a known scheme"):
            ConvertTags(Tagger(), *schemes).fit(X, Y)
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
