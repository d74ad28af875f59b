"""The columns that Zhang et al. print for a comparison, and the bounds they are held to."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from skbayeseval import ComparisonResult
from skbayeseval.reproduce.tables import Line

__all__ = ["bound", "posterior_lines"]


def bound(a: str, b: str) -> float:
    """Return how near differences of scores must come.

    Naive Bayes has a closed form; SVMs come from a solver that has changed since.
    """
    return 0.005 if "SVM" in a + b else 0.003


def posterior_lines(
    row: str, printed: Mapping[str, Any], result: ComparisonResult, rope: Any, within: float
) -> Iterator[Line]:
    """Yield all that is printed of a posterior but its Bayes factor.

    Parameters
    ----------
    row : str
        What the row is called.
    printed : dict
        The printed row.
    result : ComparisonResult
        Ours.
    rope : (float, float)
        The paper's.
    within : float
        The bound of scores; percentages may differ by 500 times as many points.

    Yields
    ------
    line : Line
    """
    decision = result.decision(rope)
    lower, _, greater = result.probability()
    points = 500 * within
    yield Line(row, "mean", printed["mean"], float(result.draws.mean()), within)
    yield Line(row, "std", printed["std"], float(result.draws.std()), within)
    yield Line(row, "% below 0", printed["pct_lower"], 100 * lower, points, digits=1)
    yield Line(row, "% above 0", printed["pct_greater"], 100 * greater, points, digits=1)
    inside = 100 * decision.probabilities.equivalent
    yield Line(row, "% in ROPE", printed["pct_rope"], inside, points, digits=1)
    yield Line(row, "HDI low", printed["hdi"][0], decision.hdi.low, within)
    yield Line(row, "HDI high", printed["hdi"][1], decision.hdi.high, within)
    yield Line(row, "decision", printed["decision"], decision.code)
