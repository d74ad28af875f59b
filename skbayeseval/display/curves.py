"""Curves of two classifiers with bands: ROC, precision-recall, calibration and net benefit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from skbayeseval.display.layout import font_size, legend_below, plain_ticks, room, set_ylabel
from skbayeseval.display.style import GREY, Display, Heading, Pen
from skbayeseval.display.words import plain, shorten

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["CurveDisplay"]


class _Axes(NamedTuple):
    """The axis labels of a kind of curve, and the line that it is compared with."""

    x: str
    y: str
    reference: str


KINDS = {
    "roc": _Axes("false positive rate", "true positive rate", "chance"),
    "precision_recall": _Axes("recall", "precision", "all positive"),
    "calibration": _Axes("mean predicted probability", "fraction of positives", "calibrated"),
    "net_benefit": _Axes("threshold probability", "net benefit", "treat all"),
    "net_benefit_difference": _Axes("threshold probability", "difference in net benefit", ""),
}


class CurveDisplay(Display):
    """Mean curves of several classifiers with pointwise bands.

    Parameters
    ----------
    curves : mapping of str to (x, mean, low, high)
        For each classifier, the points of its curve and the ends of the band.
    kind : str
        What the curves are: "roc", "precision_recall", "calibration", "net_benefit" or
        "net_benefit_difference".
    reference : (x, y), default=None
        The line to compare with: chance, perfect calibration, or "treat all".
    finding : str, default=""
        What the curves show, the title of the plot.
    prob : float, default=0.95
        The probability mass of the band at each point.

    Attributes
    ----------
    ax_ : matplotlib Axes
        The axes of the plot.
    figure_ : matplotlib Figure
        The figure of the plot.
    line_, fill_, text_ : list of matplotlib artists
        The curves, the bands, and nothing.

    Examples
    --------
    >>> import numpy as np
    >>> from skbayeseval.display import CurveDisplay
    >>> x = np.linspace(0, 1, 5)
    >>> curves = {"svm": (x, x**0.3, x**0.4, x**0.2)}
    >>> display = CurveDisplay(curves, kind="roc", reference=([0, 1], [0, 1])).plot()
    >>> display.ax_.get_xlabel(), len(display.fill_)
    ('false positive rate', 1)
    """

    def __init__(
        self,
        curves: Mapping[str, Sequence[ArrayLike]],
        *,
        kind: str,
        reference: tuple[ArrayLike, ArrayLike] | None = None,
        finding: str = "",
        prob: float = 0.95,
    ) -> None:
        self.curves = {
            name: tuple(np.asarray(part, dtype=float) for part in curve)
            for name, curve in curves.items()
        }
        self.kind = kind
        self.reference = reference
        self.finding = finding
        self.prob = prob

    def _size(self) -> tuple[float, float]:
        return 6.0, 4.6

    def _draw(self, ax: Axes, pen: Pen) -> Heading:
        words = KINDS[self.kind]
        width, small = room(ax).width, font_size("small")
        # A legend of two columns leaves more height for the curves.
        line = width / 2 if room(ax).height < 3 else width
        names = shorten(list(self.curves), 0.94 * line - 0.6, small)
        dashes: list[Any] = ["-", "--", "-.", ":"]
        marker = "o" if self.kind == "calibration" else None
        for k, (name, (x, mean, low, high)) in enumerate(
            zip(names, self.curves.values(), strict=True)
        ):
            colour = pen.colors[k % len(pen.colors)]
            options = pen.fill_options(color=colour, alpha=0.2, linewidth=0)
            pen.fills.append(ax.fill_between(x, low, high, **options))
            pen.line(
                ax, x, mean, color=colour, linestyle=dashes[k % 4], label=plain(name),
                marker=marker, markersize=4,
            )  # fmt: skip
        if self.reference is not None:
            ax.plot(*self.reference, color=GREY, linestyle=":", linewidth=1, label=words.reference)
        ax.set_xlabel(words.x)
        if self.kind.startswith("net_benefit"):
            both = self.kind == "net_benefit"
            ax.axhline(0, color=GREY, linewidth=0.8, label="treat none" if both else None)
            x = next(iter(self.curves.values()))[0]
            ax.set_xlim(x[0] - 0.02 * (x[-1] - x[0]), x[-1] + 0.02 * (x[-1] - x[0]))
            if both:
                top = max(high.max() for _, _, _, high in self.curves.values())
                ax.set_ylim(-0.25 * max(top, 1e-3), 1.1 * max(top, 1e-3))
        else:
            ax.set_xlim(-0.02, 1.02)
            ax.set_ylim(-0.02, 1.02)
        ax.spines[["right", "top"]].set_visible(False)
        plain_ticks(ax)
        plain_ticks(ax, "y")
        set_ylabel(ax, words.y)
        legend_below(ax)
        said = self.finding or f"{words.y} by {words.x}"
        return Heading(f"{said}; {100 * self.prob:.3g}% bands")
