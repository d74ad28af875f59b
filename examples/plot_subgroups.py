"""
Is it better for everyone? Subgroups
====================================

A model that is better on average can be worse for some. Looking at each subgroup alone misleads in
the other direction: of many small subgroups, one stands out by luck. ``result.by`` compares within
subgroups and draws them together as far as the data allow.
"""

# %%
# Predictions for patients of seven hospitals, of which some sent few cases. In one of them, the new
# model is worse.
import numpy as np

from skbayeseval import compare_predictions

rng = np.random.default_rng(1)
sites = ["Aachen", "Bonn", "Celle", "Dessau", "Essen", "Fulda", "Gera"]
site = np.repeat(sites, [600, 400, 300, 250, 120, 40, 25])
truth = rng.integers(0, 2, site.size)
accuracy_new = np.where(site == "Dessau", 0.74, 0.90)
old = np.where(rng.random(site.size) < 0.84, truth, 1 - truth)
new = np.where(rng.random(site.size) < accuracy_new, truth, 1 - truth)

result = compare_predictions(truth, new, old, names=("new", "old"), random_state=0)
print(result)

# %%
# Overall, the new model is better. By hospital:
by_site = result.by(site)
print(by_site.decision(rope=0.02))
print(by_site.summary(rope=0.02)[["n", "mean", "hdi_low", "hdi_high", "p_better"]].round(3))

# %%
# The forest plot shows the pooled differences with their intervals, and the overall one.
by_site.plot(rope=0.02)
