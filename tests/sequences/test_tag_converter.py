from itertools import chain

import numpy as np
import pytest
from sklearn import config_context
from sklearn.base import BaseEstimator, clone
from sklearn.exceptions import NotFittedError

from skbayeseval import ConvertTags


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
