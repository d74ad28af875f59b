"""Figures that several papers have in common."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from skbayeseval import ComparisonResult

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["comparison_figure"]


def comparison_figure(result: ComparisonResult, kinds: tuple[str, ...], rope: Any) -> Figure:
    """Draw several plots of a result side by side.

    Parameters
    ----------
    result : ComparisonResult
        The result to draw.
    kinds : tuple of str
        The kinds of plot, as in `ComparisonResult.plot`.
    rope : (float, float)
        The ROPE to mark.

    Returns
    -------
    figure : matplotlib Figure
        The figure, with one plot per kind.
    """
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(
        1, len(kinds), figsize=(6.2 * len(kinds), 4.8), layout="constrained", squeeze=False
    )
    for kind, ax in zip(kinds, axes[0], strict=True):
        result.plot(kind, rope=rope, ax=ax)
    return figure
