"""
A rare class: what do few positives tell?
=========================================

With 2,000 instances, of which 24 are positive, accuracy is near 1 for everything, and the F1 of a
classifier rests on 24 instances. How sure can one be of a difference?
"""

# %%
# A detector of fraud, old and new.
import matplotlib.pyplot as plt
import numpy as np

from skbayeseval import compare_predictions

rng = np.random.default_rng(0)
truth = np.zeros(2000, dtype=int)
truth[:24] = 1
found_old = np.where(truth == 1, rng.random(2000) < 0.55, rng.random(2000) < 0.004)
found_new = np.where(truth == 1, found_old | (rng.random(2000) < 0.45), found_old).astype(int)

result = compare_predictions(
    truth,
    found_new,
    found_old.astype(int),
    scoring=["f1", "recall", "precision", "accuracy"],
    names=("new", "old"),
    random_state=0,
)
print(result)

# %%
# The difference in accuracy is known to a fraction of a percent, and says nothing: the interval of
# F1 is what 24 positives allow.
print(result.summary(rope=0.02)[["mean", "hdi_low", "hdi_high", "decision"]])

# %%
# With so few positives the prior matters. ``prior_sensitivity`` repeats the analysis with other
# models and priors; if their answers differ, the data alone do not decide.
print(result.prior_sensitivity(rope=0.02)[["mean", "hdi_low", "hdi_high", "decision"]])

# %%
# The same difference in four metrics.
figure, axes = plt.subplots(2, 2, figsize=(10, 6.5), layout="constrained")
for metric, ax in zip(result.metrics, axes.flat, strict=True):
    result.plot(metric=metric, ax=ax, title=metric)
