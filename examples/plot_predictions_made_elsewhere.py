"""
Predictions made elsewhere
==========================

Predictions may come from any source: files, other programs, human annotators. Confusion matrices
and counts can be compared too, but they do not show which instances both classifiers got right.
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
# The two confusion matrices alone contain less information, so the interval is wider: they do not
# show that the same messages are hard for both filters.
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
# Any function of the confusion table can be the metric. Here, losing a message costs ten times as
# much as missing spam. Rows are the true classes, in the order of ``labels``.
cost = metrics.from_confusion(lambda t: -(10 * t[..., 0, 1] + t[..., 1, 0]), "minus_cost")
print(paired.metric(cost).decision(rope=0.05))
paired.plot(rope=0.01)

# %%
# A single filter: how certain is its recall?
alone = score_posterior(truth, new, scoring="recall", pos_label="spam", name="new", random_state=0)
print(alone)
print("P(recall > 0.9) =", alone.probability(above=0.9))
alone.plot()
