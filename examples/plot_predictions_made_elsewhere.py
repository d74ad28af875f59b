"""
Predictions made elsewhere
==========================

Labels from any source will do: files, other languages, people. So will confusion matrices and bare
counts, at the price of not knowing which instances both classifiers got right.
"""

# %%
# Two spam filters on the same 300 messages.
import numpy as np
from sklearn.metrics import confusion_matrix

from skbayeseval import compare_confusion_matrices, compare_predictions, metrics, score_posterior

rng = np.random.default_rng(0)
truth = np.where(rng.random(300) < 0.3, "spam", "ham")
other = np.where(truth == "spam", "ham", "spam")
difficulty = rng.random(300)
old = np.where(difficulty < 0.86, truth, other)
new = np.where(difficulty + 0.02 * rng.random(300) < 0.93, truth, other)

paired = compare_predictions(
    truth, new, old, scoring="f1", pos_label="spam", names=("new", "old"), random_state=0
)
print(paired)

# %%
# From the two confusion matrices alone the same question is harder: the interval is wider, because
# easy and hard messages are easy and hard for both filters.
unpaired = compare_confusion_matrices(
    confusion_matrix(truth, new),
    confusion_matrix(truth, old),
    labels=["ham", "spam"],
    scoring="f1",
    pos_label="spam",
    names=("new", "old"),
    random_state=0,
)
for result in (paired, unpaired):
    print(result.model, result.hdi(), result.decision(rope=0.01))

# %%
# A missed spam is a nuisance, a lost message a disaster: any function of the confusion table can be
# the metric. Rows are the truth, in the order of ``labels``.
cost = metrics.from_confusion(lambda t: -(10 * t[..., 0, 1] + t[..., 1, 0]), "minus_cost")
print(paired.metric(cost).decision(rope=0.05))
paired.plot(rope=0.01)

# %%
# And of one filter alone: how sure is its recall?
alone = score_posterior(truth, new, scoring="recall", pos_label="spam", name="new", random_state=0)
print(alone)
print("P(recall > 0.9) =", alone.probability(above=0.9))
alone.plot()
