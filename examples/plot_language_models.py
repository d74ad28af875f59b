"""
Two language models on a benchmark
==================================

Language models are graded item by item: right or wrong. Two models answer the same items, and items
come in groups, such as questions about the same text. Both matter, and neither is visible in two
percentages.
"""

# %%
# Evaluation programs write one JSON object per item. Here are two such logs, of 400 questions about
# 80 texts. Some texts are hard for both models, and some for one of them.
import json
import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

from skbayeseval import compare_items, read_samples

NAMES = ("large", "small")
rng = np.random.default_rng(0)
text = np.repeat(np.arange(80), 5)
ease = rng.normal(0.8, 1, 80)[text] + rng.normal(0, 1, 400)
folder = Path(tempfile.mkdtemp())
for name, ability in zip(NAMES, (0.35, 0.0), strict=True):
    right = ease + ability + rng.normal(0, 1, 80)[text] > 0
    lines = [
        json.dumps({"doc_id": i, "text": f"text {t}", "acc": int(r)})
        for i, (t, r) in enumerate(zip(text, right, strict=True))
    ]
    (folder / f"{name}.jsonl").write_text("\n".join(lines))
print(lines[0])

# %%
# Items are matched by their ids. Without groups, every question counts as one.
large, small = (read_samples(folder / f"{name}.jsonl", id="doc_id", score="acc") for name in NAMES)
alone = compare_items(large, small, names=NAMES, scoring="accuracy", random_state=0)
print(alone)

# %%
# With the texts as groups, the evidence is that of 80 texts.
large, small = (
    read_samples(folder / f"{name}.jsonl", id="doc_id", score="acc", group="text") for name in NAMES
)
grouped = compare_items(large, small, names=NAMES, scoring="accuracy", random_state=0)
print(grouped)
print(grouped.decision(rope=0.01))

# %%
# The second interval is wider, and it is the one for texts that are yet to be read.
figure, axes = plt.subplots(2, 1, figsize=(6.5, 6), sharex=True, layout="constrained")
alone.plot(rope=0.01, ax=axes[0], title="400 questions, as if they were independent")
grouped.plot(rope=0.01, ax=axes[1], title="80 texts with five questions each")
