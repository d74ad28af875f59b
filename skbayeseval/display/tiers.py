"""Tiers: what a leaderboard shows."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, replace
from typing import TYPE_CHECKING

import pandas as pd

from skbayeseval.display.style import GREY, Display, Pen, figure_height, plain, shorten, wrap
from skbayeseval.judgement.ranking_decision import Tiers

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(eq=False, repr=False)
class TiersDisplay(Display):
    """Posterior means and HDIs in tiers, each of them shaded; the best is at the top.

    Nobody in a tier can be told apart from the first of it. Intervals of two tiers may overlap all
    the same, because errors go together.

    Parameters
    ----------
    table : pandas.DataFrame
        The columns mean, hdi_low and hdi_high, with one row per classifier.
    tiers : Tiers
        The tiers, of the names in the index of the table.
    metric : str, default="score"
        The name of the metric.
    prob : float, default=0.95
        The probability mass of the HDI.

    Attributes
    ----------
    ax_ : matplotlib Axes
        The axes of the plot.
    figure_ : matplotlib Figure
        The figure of the plot.
    line_, fill_, text_ : list of matplotlib artists
        The means, the tiers and the HDIs, and the names of the tiers.

    Examples
    --------
    >>> import numpy as np
    >>> from skbayeseval import compare_many
    >>> y = np.arange(600) % 2
    >>> half, few = (np.where(np.arange(600) < k, 1 - y, y) for k in (300, 5))
    >>> ranking = compare_many(y, {"half": half, "few": few, "all": y}, random_state=0)
    >>> display = ranking.plot("tiers", rope=0.02)
    >>> [text.get_text() for text in display.text_]
    ['tier 1', 'tier 2']
    """

    table: pd.DataFrame
    _: KW_ONLY
    tiers: Tiers
    metric: str = "score"
    prob: float = 0.95

    def _size(self) -> tuple[float, float]:
        return 7.0, max(figure_height(len(self.table)), 2.2)

    def _draw(self, ax: Axes, pen: Pen) -> str:
        number, size = pen.fit_rows(len(self.table))
        groups = self.tiers.groups
        names = [name for group in groups for name in group][:number]
        row = len(names) - 1  # from the top to the bottom
        for i, group in enumerate(groups, 1):
            some = group[: row + 1]
            if not some:
                break
            color, bottom = pen.colors[(i - 1) % len(pen.colors)], row - len(some) + 1
            options = pen.fill_options(color=color, alpha=0.1, linewidth=0)
            pen.fills.append(ax.axhspan(bottom - 0.5, row + 0.5, **options))
            shown = self.table.loc[list(some), ["mean", "hdi_low", "hdi_high"]]
            rows = range(row, bottom - 1, -1)
            pen.intervals(rows, shown.to_numpy().T, color=color, marker="o", size=size)
            pen.text(
                1.02, (row + bottom) / 2, f"tier {i}", transform=ax.get_yaxis_transform(),
                va="center", color=GREY, fontsize=size,
            )  # fmt: skip
            row = bottom - 1
        pen.name_rows(names[::-1], size)
        label = f"{plain(self.metric)} (mean and {100 * self.prob:.3g}% HDI)"
        pen.set_xlabel(wrap(label, 0.9 * pen.width, pen.medium))
        pen.open_box()
        pen.plain_ticks(inches=0.55 * pen.width)
        return self._finding(pen, len(names))

    def _finding(self, pen: Pen, shown: int) -> str:
        total = [name for group in self.tiers.groups for name in group]
        short = dict(zip(total, shorten(total, 0.45 * pen.width, pen.medium), strict=True))
        groups = tuple(tuple(plain(short[name]) for name in group) for group in self.tiers.groups)
        said = replace(self.tiers, groups=groups, metric=plain(self.metric)).in_short(1)
        return f"{said}; {len(total) - shown} not shown" if shown < len(total) else said
