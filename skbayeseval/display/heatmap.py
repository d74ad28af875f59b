"""Heatmap of the metric over a grid of two parameters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

import numpy as np
import pandas as pd

from skbayeseval.display.style import Display, label_ticks, short

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["HeatmapDisplay"]

# No numbers are written into grids with more cells.
MOST_NUMBERS = 120


class HeatmapDisplay(Display):
    """Posterior means of a metric over a grid of two parameters.

    The colour of a cell is the posterior mean. Cells that are practically equivalent to the best
    are marked with ≈, and cells that are surely worse are faded.

    Parameters
    ----------
    means : pandas.DataFrame
        The posterior means, with the parameter values as index and columns; NaN for combinations
        that were not evaluated.
    decisions : pandas.DataFrame
        The decision code of each cell compared with the best cell, with the same shape.
    metric : str, default="score"
        The name of the metric.
    note : str, default=""
        The title of the plot.

    Attributes
    ----------
    ax_ : matplotlib Axes
        The axes of the plot.
    figure_ : matplotlib Figure
        The figure of the plot.

    Examples
    --------
    >>> import pandas as pd
    >>> from skbayeseval.display import HeatmapDisplay
    >>> rows, columns = pd.Index([1, 10], name="C"), pd.Index(["0.1", "1"], name="gamma")
    >>> means = pd.DataFrame([[0.9, 0.95], [0.7, 0.94]], rows, columns)
    >>> decisions = pd.DataFrame([["<", "~"], ["<<", "~"]], rows, columns)
    >>> HeatmapDisplay(means, decisions, metric="f1").plot().ax_.get_xlabel()
    'gamma'
    """

    def __init__(
        self,
        means: pd.DataFrame,
        decisions: pd.DataFrame,
        *,
        metric: str = "score",
        note: str = "",
    ) -> None:
        self.means = means
        self.decisions = decisions
        self.metric = metric
        self.note = note

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw the plot.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            The axes to draw on. None creates a new figure.

        Returns
        -------
        display : HeatmapDisplay
            The display itself.
        """
        values = self.means.to_numpy(dtype=float)
        codes = self.decisions.to_numpy(dtype=object)
        n_rows, n_columns = values.shape
        ax = _grid_axes(ax, n_rows, n_columns)
        faded = np.where(codes == "<<", 0.35, 1.0)
        low, high = _range(values, codes)
        image = ax.imshow(
            values, cmap="viridis", alpha=faded, vmin=low, vmax=high, aspect="auto", origin="lower"
        )
        for (i, j), value in np.ndenumerate(values):
            if np.isnan(value):
                ax.text(j, i, "·", ha="center", va="center", color="grey")
                continue
            mark = "≈" if codes[i, j] == "~" else ""
            number = f"{value:.3f}" if values.size <= MOST_NUMBERS else ""
            dark = faded[i, j] == 1 and (value - low) < 0.55 * (high - low)
            ax.text(
                j, i, "\n".join(filter(None, (mark, number))), ha="center", va="center",
                color="white" if dark else "black", fontsize="small", linespacing=1.1,
            )  # fmt: skip
        for axis, labels in ((ax.xaxis, self.means.columns), (ax.yaxis, self.means.index)):
            label_ticks(axis, [short(str(label), 16) for label in labels])
        longest = max(len(short(str(label), 16)) for label in self.means.columns)
        crowded = longest * n_columns > 8 * (ax.get_window_extent().width / ax.figure.dpi)
        if crowded:
            for label in ax.get_xticklabels():
                label.set(rotation=40, ha="right", rotation_mode="anchor")
        ax.set_xlabel(short(str(self.means.columns.name), 40))
        ax.set_ylabel(short(str(self.means.index.name), 40))
        extend = "min" if np.nanmin(values) < low else "neither"
        bar = ax.figure.colorbar(image, ax=ax, extend=extend)
        bar.set_label(f"posterior mean of {short(self.metric)}")
        ax.set_title(self.note, fontsize="medium")
        ax.spines[:].set_visible(False)
        return self._drawn_on(ax)


def _range(values: np.ndarray, codes: np.ndarray) -> tuple[float, float]:
    """Return the colour range, based on the cells that are not surely worse.

    A few very poor candidates would otherwise dominate the colour range.
    """
    high = float(np.nanmax(values))
    hopeful = values[(codes != "<<") & ~np.isnan(values)]
    lowest = float(np.nanmin(values))
    low = max(lowest, high - 4 * (high - float(hopeful.min()))) if len(hopeful) else lowest
    return (low, high) if low < high else (lowest, high) if lowest < high else (low - 0.01, high)


def _grid_axes(ax: Axes | None, n_rows: int, n_columns: int) -> Axes:
    if ax is not None:
        return ax
    import matplotlib.pyplot as plt

    size = (min(max(2.6 + 0.62 * n_columns, 5.0), 14.0), min(max(1.5 + 0.45 * n_rows, 3.4), 12.0))
    return plt.subplots(figsize=size, layout="constrained")[1]
