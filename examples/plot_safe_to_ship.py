"""
Is it safe to ship the new model?
=================================

The new model is cheaper to run. It need not be better than the old one, but it must not be worse by
more than one percentage point of accuracy. This is a question of non-inferiority: one-sided, with a
margin in place of a region of practical equivalence.
"""

# %%
# Both models have predicted the labels of the same 3,000 instances. They mostly fail on the same
# ones, which makes the difference much more certain than either accuracy.
import matplotlib.pyplot as plt
import numpy as np

from skbayeseval import compare_predictions

rng = np.random.default_rng(0)
truth = rng.integers(0, 2, 3000)
difficulty = rng.random(3000)
old = np.where(difficulty < 0.92, truth, 1 - truth)
new = np.where(difficulty + rng.normal(0, 0.01, 3000) < 0.918, truth, 1 - truth)

result = compare_predictions(truth, new, old, names=("new", "old"), random_state=0)
print(result)

# %%
# Is it safe, and would it even be an improvement?
print(result.non_inferiority(margin=0.01))
print(result.superiority())

# %%
# If one has to choose now: the expected loss says what each choice loses on average, and what it
# would be worth to know the truth.
print(result.expected_loss())

# %%
# How much margin is needed? For every margin, the posterior probability that the new model is not
# worse by more: the answer to whoever asks "and with half a point?".
margins = np.linspace(0, 0.015, 60)
safe = [result.non_inferiority(margin).probability for margin in margins]
figure, ax = plt.subplots(figsize=(6, 3.5), layout="constrained")
ax.plot(margins, safe)
ax.axhline(0.95, color="grey", linestyle="--")
ax.text(0.015, 0.94, "95% required", ha="right", va="top", color="grey")
ax.set(
    xlabel="margin: the largest loss of accuracy that is acceptable",
    ylabel="P(new is not worse by more)",
    title=f"Safe with a margin of {margins[np.argmax(np.array(safe) > 0.95)]:.3f} or more",
)
