"""Cross-validated taggers: tags to chunks to a result."""

from itertools import chain

import numpy as np
import pandas as pd
import pytest
from seqeval.metrics import f1_score
from sklearn.base import BaseEstimator
from sklearn.model_selection import KFold

from skbayeseval import (
    BayesianComparer,
    BlockRegularizedCV,
    ConvertTags,
    bayesian_cross_validate,
    chunk_counter,
    compare_predictions,
    load_result,
)
from skbayeseval.metrics import get_metric
from skbayeseval.sequences import convert_tags

WORDS = {"PER": ["ada", "grace", "alan"], "ORG": ["acme", "initech"], "O": ["in", "met", "left"]}


def sentences(n, length=None, seed=0):
    """Names of one or two words among others; some words are both."""
    rng = np.random.default_rng(seed)
    X, y = [], []
    for _ in range(n):
        words, tags = [], []
        while len(words) < (length or rng.integers(2, 9)):
            kind = rng.choice(["PER", "ORG", "O", "O"])
            size = 1 if kind == "O" else rng.integers(1, 3)
            pool = WORDS[kind] + (["may"] if kind != "ORG" else [])
            words += rng.choice(pool, size).tolist()
            tags += ["O"] if kind == "O" else [f"B-{kind}", f"I-{kind}"][:size]
        X.append(words[:length])
        y.append(tags[:length])
    return X, y


class Tagger(BaseEstimator):
    """Tags a word, or a word and the one before it, as it was tagged most often."""

    def __init__(self, look_back=False, as_array=False):
        self.look_back = look_back
        self.as_array = as_array

    def _keys(self, words):
        before = ["", *words[:-1]] if self.look_back else [""] * len(words)
        return list(zip(before, words, strict=True))

    def fit(self, X, y):
        keys = chain.from_iterable(self._keys(words) for words in X)
        pairs = pd.DataFrame({"key": list(keys), "tag": list(chain(*y))})
        self.tags_ = pairs.groupby("key")["tag"].agg(lambda tags: tags.mode()[0]).to_dict()
        return self

    def predict(self, X):
        tagged = [[self.tags_.get(key, "O") for key in self._keys(words)] for words in X]
        return np.array(tagged) if self.as_array else tagged


COUNTER = chunk_counter("IOB2", "IOBES")
A = ("plain", Tagger())
FEW = {"n_draws": 100, "random_state": 0}
B = ("looks back", ConvertTags(Tagger(look_back=True), "IOB2", "IOBES"))


def test_two_schemes(tmp_path):
    X, y = sentences(400)
    result = bayesian_cross_validate(A, B, X, y, counter=COUNTER, random_state=0)
    assert result.names == ("plain", "looks back")
    assert result.metrics == ("f1",)
    assert result.model == "paired"
    assert 0.01 < result.weight < 1 / 3
    assert result.decision(rope=0.01).code == "<<"
    # Every gold chunk is counted once in each of three repeats.
    gold = sum(tag.startswith("B") for tag in chain(*y))
    assert result.evidence.margin(0).table[1].sum() == 3 * gold
    assert len(result.evidence.shape) == 400  # a sentence has one weight in all repeats
    result.save(tmp_path / "file")
    np.testing.assert_array_equal(load_result(tmp_path / "file").draws, result.draws)
    assert "  applies to  learners trained on 200 instances, not models refitted" in str(result)
    assert result.details().endswith("\n  splits      6 (BlockRegularizedCV)")


@pytest.mark.parametrize("groups", [None, np.arange(60) // 4])
def test_every_face_gives_the_same(groups):
    """Two taggers on one test set: cross-validated, as an estimator, and from their tags."""
    X, y = sentences(60)
    train, test = np.arange(40), np.arange(40, 60)
    options = {"counter": COUNTER, "scoring": ["f1", "recall"], "weight": 1.0, "random_state": 0}
    split = {"cv": [(train, test)]}
    result = bayesian_cross_validate(A, B, X, y, groups=groups, **split, **options)
    given = {} if groups is None else {"groups": groups}
    comparer = BayesianComparer([A, B], **split, **options).fit(X, y, **given)

    tagged = [tagger.fit(X[:40], y[:40]).predict(X[40:]) for _, tagger in (A, B)]
    options["groups"] = None if groups is None else groups[test]
    ours = compare_predictions(y[40:], *tagged, names=("plain", "looks back"), **options)
    for other in (comparer.result_, ours):
        assert other.model == result.model
        for metric in ("f1", "recall"):
            seen, same = other.metric(metric), result.metric(metric)
            np.testing.assert_allclose(seen.draws, same.draws, atol=1e-12)
            assert seen.observed_b == pytest.approx(same.observed_b)


def test_scores_of_the_splits_are_those_of_seqeval():
    X, y = sentences(60)
    options = {"cv": KFold(3), "scoring": ["f1", "recall"], **FEW}
    result = bayesian_cross_validate(A, B, X, y, counter=COUNTER, **options)
    for k, (train, test) in enumerate(KFold(3).split(X)):
        X_train, y_train, X_test, y_test = (
            [of[i] for i in rows] for rows in (train, test) for of in (X, y)
        )
        for name, tagger in (A, B):
            tags = tagger.fit(X_train, y_train).predict(X_test)
            tags = tags if name == "plain" else convert_tags(tags, "IOBES", "IOB2")
            expected = f1_score(y_test, tags)
            assert result.cv_results[name]["test_f1"][k] == pytest.approx(expected)
    assert list(result.frequentist().index[-1:]) == ["corrected resampled t"]
    by_chunk = bayesian_cross_validate(A, B, X, y, counter=COUNTER, model="bcv", **options)
    assert "McNemar, exact" in by_chunk.frequentist().index  # each sentence was tagged once


@pytest.mark.parametrize("cv", [KFold(3), BlockRegularizedCV(regularize=None, random_state=0)])
def test_sentences_are_the_groups(cv):
    X, y = sentences(60)
    splits = list(cv.split(X, y))
    options = {"counter": COUNTER, "cv": splits, "random_state": 0}
    default = bayesian_cross_validate(A, B, X, y, **options)
    grouped = bayesian_cross_validate(A, B, X, y, groups=np.arange(60), **options)
    np.testing.assert_array_equal(default.draws, grouped.draws)
    assert default.weight == grouped.weight
    by_chunk = bayesian_cross_validate(A, B, X, y, model="bcv", **options)
    assert by_chunk.evidence.cells.sum() == default.evidence.margin(0).total


def test_sentences_of_equal_length():
    # predict may give a 2-D array, and y may be one.
    X, y = sentences(40, length=5)
    a, b = Tagger(as_array=True), Tagger(look_back=True, as_array=True)
    pair, options = (a, ConvertTags(b, "IOB2", "IOBES")), {"counter": COUNTER, **FEW}
    results = [
        bayesian_cross_validate(*pair, X, target, **options)
        for target in (y, np.array(y), pd.Series(y))
    ]
    plain = bayesian_cross_validate(A[1], B[1], X, y, **options)
    for result in results:
        np.testing.assert_array_equal(result.draws, plain.draws)


def test_classes_are_types_with_the_weight_of_all():
    X, y = sentences(200)
    options = {"cv": KFold(3), "random_state": 0, "n_draws": 1000}
    result = bayesian_cross_validate(A, B, X, y, counter=COUNTER, **options)
    table = result.plot("classes").table
    assert list(table.index) == ["ORG", "PER"]
    of_types = result._posterior.of_types(get_metric("f1"))
    for kind, one in of_types.items():
        counter = chunk_counter("IOB2", "IOBES", types=kind)
        alone = bayesian_cross_validate(A, B, X, y, counter=counter, **options)
        tables = (of.evidence.margin(1).table for of in (one, alone))
        np.testing.assert_array_equal(*tables)
        assert one.weights.difference(get_metric("f1")).median == result.weight
        assert table["mean"][kind] == one.difference(get_metric("f1")).mean


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"labels": ["O"]}, ValueError, "labels and pos_label do not apply with counter="),
        ({"scoring": "accuracy"}, ValueError, "scoring='accuracy' requires true negatives"),
        ({"counter": chunk_counter("BMES")}, ValueError, "'I-[A-Z]*', which is not a tag of"),
        ({"counter": chunk_counter("IOB2", types="LOC")}, ValueError, "y must contain chunks,"),
        ({"y": ["O"] * 40}, ValueError, "one sequence of tags per sentence"),
    ],
)
def test_bad_arguments(arguments, error, message):
    X, y = sentences(40)
    with pytest.raises(error, match=message):
        bayesian_cross_validate(A, B, X, **{"y": y, "counter": COUNTER, **arguments})
    with pytest.raises(ValueError, match="two taggers, but there are 3 estimators"):
        BayesianComparer([A, B, Tagger()], counter=COUNTER).fit(X, y)
