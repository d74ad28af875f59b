"""The papers' figures that several of them have."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from skbayeseval import ComparisonResult

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["comparison_figure"]


def comparison_figure(result: ComparisonResult, kinds: tuple[str, ...], rope: Any) -> Figure:
    """Draw a result in several ways, one beside the other.

    Parameters
    ----------
    result : ComparisonResult
        What to draw.
    kinds : tuple of str
        As of `ComparisonResult.plot`.
    rope : (float, float)
        The ROPE to mark.

    Returns
    -------
    figure : matplotlib Figure
    """
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(
        1, len(kinds), figsize=(6.2 * len(kinds), 4.8), layout="constrained", squeeze=False
    )
    for kind, ax in zip(kinds, axes[0], strict=True):
        result.plot(kind, rope=rope, ax=ax)
    return figure
