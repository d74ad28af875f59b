"""
Chunking: comparing two taggers from counts and from tags
=========================================================

Named entities, phrases and words are chunks. A tagger finds or misses chunks and raises false
alarms, but there are no true negatives. Precision, recall and F1 do not need them.
"""

# %%
# From counts
# -----------
# Often only the counts (tp, fp, fn) of each tagger are reported. The taggers are then assumed to be
# independent, as in Wang and Li (2019).
import numpy as np
from sklearn.base import BaseEstimator

from skbayeseval import (
    BlockRegularizedCV,
    ConvertTags,
    bayesian_cross_validate,
    chunk_counter,
    compare_counts,
)

counts = compare_counts((880, 95, 120), (862, 101, 138), names=("new", "old"), random_state=0)
print(counts)
print(counts.decision(rope=0.005))

# %%
# Counts pooled over a cross-validation contain every sentence several times. In a 3 x 2
# block-regularised cross-validation, which has six runs, each count has a weight of 0.3688.
runs_new = [
    (440, 47, 60),
    (441, 49, 59),
    (437, 46, 63),
    (443, 48, 57),
    (439, 45, 61),
    (440, 50, 60),
]
runs_old = [
    (431, 50, 69),
    (430, 52, 70),
    (428, 51, 72),
    (434, 49, 66),
    (432, 50, 68),
    (431, 51, 69),
]
pooled = compare_counts(
    runs_new, runs_old, weight=BlockRegularizedCV(3).weight, names=("new", "old"), random_state=0
)
print(pooled.bayes_test())  # H1: old is better than new
pooled.plot(rope=0.005)

# %%
# From tags
# ---------
# If the tags are available, the comparison also uses which chunks were found by both taggers, by
# one, or by neither. The sentences here are random sequences of names and other words, and the
# tagger memorises the tags in the training data.
rng = np.random.default_rng(0)
names = [f"Name{i}" for i in range(120)]
others = [f"word{i}" for i in range(60)]


def sentence():
    words, tags = [], []
    for _ in range(rng.integers(3, 7)):
        words.append(str(rng.choice(others)))
        tags.append("O")
        kind = str(rng.choice(["PER", "ORG"]))
        for position in range(rng.integers(0, 4)):
            words.append(str(rng.choice(names)) + kind)
            tags.append(("I-" if position else "B-") + kind)
    return words, tags


X, y = zip(*(sentence() for _ in range(400)), strict=True)


class Memory(BaseEstimator):
    """Predict the most frequent tag of a word, given the preceding tag if that pair was seen."""

    def fit(self, X, y):
        self.seen_ = {}
        for words, tags in zip(X, y, strict=True):
            for word, tag, before in zip(words, tags, ["O", *tags], strict=False):
                for key in ((word, before), word):
                    self.seen_.setdefault(key, []).append(tag)
        return self

    def predict(self, X):
        return [self._tag(words) for words in X]

    def _tag(self, words):
        tags = []
        for word in words:
            before = tags[-1] if tags else "O"
            seen = self.seen_.get((word, before)) or self.seen_.get(word, ["O"])
            tags.append(max(sorted(set(seen)), key=seen.count))
        return tags


# %%
# Does it help to mark the ends of chunks, that is, to train on IOBES instead of IOB2?
# ``ConvertTags`` trains a tagger on another scheme, and the counter reads the tags of each tagger
# in its own scheme. The blocks of the cross-validation have similar numbers of chunks per type.
result = bayesian_cross_validate(
    ("IOB2", Memory()),
    ("IOBES", ConvertTags(Memory(), "IOB2", "IOBES")),
    list(X),
    list(y),
    scoring=["f1", "precision", "recall"],
    counter=chunk_counter("IOB2", "IOBES"),
    random_state=0,
)
print(result)
print(result.decision(rope=0.005))
result.plot(rope=0.005)
