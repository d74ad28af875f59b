"""
Several data sets, some results missing
=======================================

A table of a paper: systems in columns, data sets in rows, one score in each cell, and some cells
empty. Which system is best on data sets like these? A mean over the cells that are there favours
whoever was spared the hard data sets.
"""

# %%
# Scores of four systems on ten data sets. "boosting" was not run on the two hardest.
import numpy as np
import pandas as pd

from skbayeseval import compare_scores

rng = np.random.default_rng(0)
systems = {"boosting": 0.020, "forest": 0.015, "logistic": -0.010, "neighbours": -0.040}
difficulty = np.sort(rng.uniform(0.55, 0.95, 10))
scores = pd.DataFrame(
    {
        name: (difficulty + gain + rng.normal(0, 0.01, 10)).round(3)
        for name, gain in systems.items()
    },
    index=[f"data set {i}" for i in range(1, 11)],
)
scores.loc[["data set 1", "data set 2"], "boosting"] = None
print(scores)

# %%
# The plain means compare different data sets.
print(scores.mean().round(3))

# %%
# The hierarchical model has a level for each data set, so that only differences on the same data
# set count. It says how sure the order is.
ranking = compare_scores(scores, scoring="accuracy", random_state=0)
print(ranking)
print(ranking.decision(rope=0.01))

# %%
# Two of them, as any comparison.
print(ranking.pairs["boosting", "forest"].decision(rope=0.01))

# %%
# Whoever is better on average need not be better on the next data set.
on_next = ranking.metric("next data set")
print(on_next)
print(on_next.pairs["forest", "logistic"])

# %%
# The ranking, with those marked that are practically equivalent to the best.
ranking.plot(rope=0.01)
