"""
Chunking: two taggers from their counts, and from their tags
============================================================

Named entities, phrases and words are chunks: a tagger finds them or not, and raises false alarms,
but there are no true negatives. Precision, recall and F1 need none.
"""

# %%
# From counts
# -----------
# All that a report gives is often (tp, fp, fn) of each tagger. The two are then taken to be
# independent, as Wang and Li (2019) do.
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
# Counts pooled over cross-validation say the same sentences over and over: six runs of a 3 x 2
# block-regularised cross-validation are worth 0.3688 of what they seem.
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
# With the sentences at hand more is known: which chunks both found, only one, or neither. Here are
# sentences made up of names and other words, and a tagger that remembers what it has seen.
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
    """Gives a word the tag that it had most often, after the same tag if it has been seen so."""

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
# Does it help to tell the ends of chunks apart, that is, to learn IOBES instead of IOB2?
# ``ConvertTags`` makes a tagger learn another scheme, the counter reads each in its own, and the
# blocks of the cross-validation agree in the number of chunks of each type.
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
