"""The columns that Zhang et al. publish for a comparison, and the allowed differences."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from skbayeseval import ComparisonResult
from skbayeseval.reproduce.tables import Line

__all__ = ["bound", "posterior_lines"]


def bound(a: str, b: str) -> float:
    """Return the allowed deviation of a reproduced difference in F1.

    Naive Bayes has a closed form, while the solver of the SVMs has changed since publication.
    """
    return 0.005 if "SVM" in a + b else 0.003


def posterior_lines(
    row: str, printed: Mapping[str, Any], result: ComparisonResult, rope: Any, within: float
) -> Iterator[Line]:
    """Yield all published values of a posterior except its Bayes factor.

    Parameters
    ----------
    row : str
        The name of the row.
    printed : dict
        The published row.
    result : ComparisonResult
        The reproduced result.
    rope : (float, float)
        The ROPE of the paper.
    within : float
        The allowed deviation of means, standard deviations and ends of HDIs. Percentages may
        deviate by ``500 * within`` percentage points.

    Yields
    ------
    line : Line
        One value.
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
