"""
Two language models on a benchmark
==================================

Language models are graded item by item: right or wrong. Two models answer the same items, and items
come in groups, such as questions about the same text. Both matter, and neither is visible in two
percentages.
"""

# %%
# Evaluation programs export a table with a row for each answer. Here, two models answer 400
# questions about 80 texts. Some texts are hard for both models, and some for one of them.
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from skbayeseval import compare_items

NAMES = ("large", "small")
rng = np.random.default_rng(0)
text = np.repeat(np.arange(80), 5)
ease = rng.normal(0.8, 1, 80)[text] + rng.normal(0, 1, 400)
parts = []
for name, ability in zip(NAMES, (0.35, 0.0), strict=True):
    right = ease + ability + rng.normal(0, 1, 80)[text] > 0
    parts.append(pd.DataFrame({"model": name, "id": range(400), "text": text, "accuracy": right}))
table = pd.concat(parts)
print(table.head(3))

# %%
# Items are matched by their ids. Without groups, every question counts as one.
columns = {"system": "model", "item": "id", "score": "accuracy"}
alone = compare_items(table, **columns, random_state=0)
print(alone)

# %%
# With the texts as groups, the evidence is that of 80 texts.
grouped = compare_items(table, **columns, groups="text", random_state=0)
print(grouped)
print(grouped.decision(rope=0.01))

# %%
# The second interval is wider, and it is the one for texts that are yet to be read.
figure, axes = plt.subplots(2, 1, figsize=(6.5, 6), sharex=True, layout="constrained")
alone.plot(rope=0.01, ax=axes[0], title="400 questions, as if they were independent")
grouped.plot(rope=0.01, ax=axes[1], title="80 texts with five questions each")
