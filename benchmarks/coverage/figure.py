"""Draw the coverage of 95% intervals as heat maps, from the table that `run.py` wrote.

python benchmarks/coverage/figure.py benchmarks/coverage/results.csv docs/images/coverage.png
"""

from __future__ import annotations

import sys

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.colors import LinearSegmentedColormap, TwoSlopeNorm

METRICS = {"accuracy": "acc", "f1": "F1", "f1_macro": "F1", "roc_auc": "AUC"}
COLUMNS = ["acc", "F1", "AUC"]


def main(source: str, target: str) -> None:
    """Read the table and write the figure."""
    cells = pd.read_csv(source)
    cells["column"] = cells["metric"].map(METRICS)
    scenarios, schemes = cells["scenario"].unique(), cells["scheme"].unique()
    # Too sure is orange, too cautious blue, right is white.
    colours = LinearSegmentedColormap.from_list("coverage", ["#b34d00", "white", "#3b75af"])
    figure, axes = plt.subplots(
        1, len(schemes), figsize=(1.5 * len(schemes) + 2, 9), sharey=True, layout="constrained"
    )
    for ax, scheme in zip(axes, schemes, strict=True):
        table = cells[cells["scheme"] == scheme].pivot(
            index="scenario", columns="column", values="coverage"
        )
        values = table.reindex(index=scenarios, columns=COLUMNS).to_numpy()
        image = ax.imshow(
            np.clip(values, 0.8, 1), cmap=colours, norm=TwoSlopeNorm(0.95, 0.8, 1.0), aspect="auto"
        )
        for (i, j), value in np.ndenumerate(values):
            if not np.isnan(value):
                ax.text(j, i, f"{100 * value:.0f}", ha="center", va="center", fontsize=7)
        ax.set_xticks(range(3), COLUMNS, fontsize=8)
        ax.set_yticks(range(len(scenarios)), scenarios, fontsize=8)
        ax.set_title(scheme.replace(" ", "\n"), fontsize=9)
        ax.tick_params(length=0)
        for side in ax.spines.values():
            side.set_visible(False)
    bar = figure.colorbar(image, ax=axes, shrink=0.3, ticks=[0.8, 0.9, 0.95, 1.0])
    bar.set_label("coverage of the 95% HDI")
    figure.savefig(target, dpi=110)


if __name__ == "__main__":
    main(*sys.argv[1:])
