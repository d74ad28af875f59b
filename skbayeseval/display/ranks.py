"""Mean ranks of systems over data sets, as Demsar (2006) draws them."""

from __future__ import annotations

import math
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from skbayeseval.display.style import (
    GREY,
    Display,
    Pen,
    escape_dollars,
    figure_height,
    label_ticks,
    line_height,
    shorten,
    wrap,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(eq=False, repr=False)
class CriticalDifferenceDisplay(Display):
    """Critical difference diagram: mean ranks, and bars that join those who do not differ [1]_.

    The better half has its names on the left, the best at the top, the other half on the right.
    Bars join systems whose mean ranks differ by less than the critical difference (CD).

    Parameters
    ----------
    ranks : pandas.Series
        The mean rank of each system, by name; 1 is best.
    critical : float
        The critical difference.
    metric : str, default="score"
        The name of the score.

    Attributes
    ----------
    ax_ : matplotlib Axes
        The axes of the plot.
    figure_ : matplotlib Figure
        The figure of the plot.
    line_, fill_, text_ : list of matplotlib artists
        The lines from ranks to names and the one of the critical difference, the bars, and the
        names on the right.

    References
    ----------
    .. [1] Demsar, "Statistical comparisons of classifiers over multiple data sets", JMLR 7, 2006.

    Examples
    --------
    >>> import pandas as pd
    >>> from skbayeseval.display import CriticalDifferenceDisplay
    >>> ranks = pd.Series({"C4.5": 3.143, "+m": 2.0, "+cf": 2.893, "+m+cf": 1.964})
    >>> display = CriticalDifferenceDisplay(ranks, critical=1.25).plot()
    >>> display.bars()
    [(1.964, 3.143)]
    """

    ranks: pd.Series
    critical: float
    _: KW_ONLY
    metric: str = "score"

    def bars(self) -> list[tuple[float, float]]:
        """Return the ends of the bars, the best systems first."""
        ranks = sorted(self.ranks)
        bars: list[tuple[float, float]] = []
        for low in ranks:
            high = max(rank for rank in ranks if rank - low < self.critical)
            if low < high and (not bars or high > bars[-1][1]):
                bars.append((low, high))
        return bars

    def _size(self) -> tuple[float, float]:
        return 7.0, figure_height(math.ceil(len(self.ranks) / 2) + 3) + 0.2

    def _draw(self, ax: Axes, pen: Pen) -> str:
        from matplotlib.transforms import ScaledTranslation, blended_transform_factory

        total, bars = len(self.ranks), self.bars()
        rows, size = pen.fit_rows(math.ceil(total / 2) + 1, more_lines=3)
        shown = self.ranks.sort_values(kind="stable").iloc[: max(2 * (rows - 1), 2)]
        half, margin = math.ceil(len(shown) / 2), 0.02 * (total - 1)
        top = max(1.4, 0.25 * len(bars) + 0.6)
        left, right = 1 - margin, total + margin
        ax.set(xlim=(left, right), ylim=(0.5 - top - half, 0))
        names = shorten([str(name) for name in shown.index], 0.25 * pen.width, size)
        for i, (name, rank) in enumerate(zip(names, shown, strict=True)):
            row, end = (-i, left) if i < half else (i + 1 - len(shown), right)
            pen.line([rank, rank, end], [0, row - top, row - top], color=GREY, linewidth=1)
            if i >= half:
                pen.text_in_row(1.02, row - top, name, size, color="black")
        label_ticks(ax.yaxis, -top - np.arange(half), names[:half], fontsize=size)
        for i, (low, high) in enumerate(bars, 1):
            options = pen.fill_options(color=pen.colors[0], linewidth=min(3, size / 3))
            height = (0.2 - top) * i / (len(bars) + 1)
            pen.fills.append(ax.hlines(height, low - margin / 4, high + margin / 4, **options))
        # The length of the critical difference is shown above the numbers of the axis.
        above = line_height(pen.medium) + line_height(pen.small) / 2 + 4
        shift = ScaledTranslation(0, above / 72, ax.figure.dpi_scale_trans)
        place = blended_transform_factory(ax.transData, ax.transAxes + shift)
        end = min(1 + self.critical, right)
        pen.line([1, end], [1, 1], color="black", marker="|", transform=place, clip_on=False)
        pen.text(end + margin / 2, 1, "CD", transform=place, va="center")
        pen.pad = above + line_height(pen.small)
        label = f"mean rank by {escape_dollars(self.metric)}; 1 is best, CD is {self.critical:.3g}"
        pen.set_xlabel(wrap(label, 0.9 * pen.width, pen.medium))
        pen.plain_ticks(inches=0.4 * pen.width)
        ax.xaxis.tick_top()
        ax.tick_params(axis="y", length=0)
        ax.spines[["left", "right", "bottom"]].set_visible(False)
        best, behind = names[0], int((shown.iloc[0] + self.critical <= self.ranks).sum())
        finding = f"{best} has the best mean rank, ahead of {behind} of {total - 1} by the CD"
        return finding if len(shown) == total else f"{finding} (the best {len(shown)} are shown)"
