"""Decisions from the HDI of a difference and a region of practical equivalence (ROPE)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from numbers import Real
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from skbayeseval._arrays import in_short
from skbayeseval.judgement.intervals import Interval, count_inside, hdi_of_rows

__all__ = [
    "WORDS",
    "Decision",
    "Probabilities",
    "check_rope",
    "decide",
    "decision_codes",
    "format_interval",
    "format_probability",
    "masses",
]


class Probabilities(NamedTuple):
    """Posterior probabilities that the difference is below, inside and above the ROPE.

    Examples
    --------
    >>> from skbayeseval.judgement import Probabilities
    >>> Probabilities(worse=0.02, equivalent=0.18, better=0.8).better
    0.8
    """

    worse: float
    equivalent: float
    better: float


@dataclass(frozen=True)
class Decision:
    """The decision about the difference A minus B; `str` returns it as a sentence.

    Attributes
    ----------
    code : {"<<", "<", "~", ">", ">>", "?"}
        The decision as an ASCII code.
    symbol : str
        The decision as a symbol for display.
    label : str
        The decision in words.
    hdi : Interval
        The highest-density interval of the difference.
    rope : Interval
        The region of practical equivalence.
    probabilities : Probabilities
        The posterior probabilities that the difference is below, inside and above the ROPE.
    names : tuple of str
        The names of A and B.
    metric : str
        The name of the metric.
    prob : float
        The probability mass of the HDI.
    depends_on_splits : bool
        Whether other random splits of the same data could change the decision.

    Examples
    --------
    >>> from skbayeseval import compare_counts
    >>> result = compare_counts((900, 50, 60), (700, 150, 260), random_state=0)
    >>> decision = result.decision(rope=0.01)
    >>> decision.code, decision.label
    ('>>', 'significantly better')
    """

    code: str
    symbol: str
    label: str
    hdi: Interval
    rope: Interval
    probabilities: Probabilities
    names: tuple[str, str] = ("A", "B")
    metric: str = "score"
    prob: float = 0.95
    depends_on_splits: bool = False

    def __str__(self) -> str:
        a, b = self.names
        verdict = {
            "~": f"{a} practically equivalent to {b}",
            "?": f"{a} against {b}: undecided",
        }.get(self.code, f"{a} {self.label} than {b}")
        sentence = (
            f"{self.symbol}  {verdict} ({self.metric}, {100 * self.prob:.3g}% HDI "
            f"{format_interval(self.hdi)}, ROPE {format_interval(self.rope)})"
        )
        return f"{sentence}\n{OTHER_SPLITS}" if self.depends_on_splits else sentence


OTHER_SPLITS = (
    "   Other random splits could change this decision; more repeats (n_repeats=) would help."
)


# The symbol and label of each code.
WORDS = {
    "<<": ("≪", "significantly worse"),
    "<": ("<", "slightly worse"),
    "~": ("≈", "practically equivalent"),
    ">": (">", "slightly better"),
    ">>": ("≫", "significantly better"),
    "?": ("?", "undecided"),
}


def decide(
    hdi: Interval,
    rope: Interval,
    probabilities: Probabilities,
    mean: float,
    *,
    names: tuple[str, str] = ("A", "B"),
    metric: str = "score",
    prob: float = 0.95,
) -> Decision:
    """Compare the HDI with the ROPE (Zhang et al. 2016, section 3.2.2)."""
    worse, _, better = probabilities
    code = str(_codes(np.array(hdi.low), np.array(hdi.high), rope, better - worse, mean))
    symbol, label = WORDS[code]
    return Decision(code, symbol, label, hdi, rope, probabilities, names, metric, prob)


def decision_codes(draws: NDArray[Any], rope: Interval, prob: float = 0.95) -> NDArray[Any]:
    """Return the decision code for each row of draws of the difference."""
    low, high = hdi_of_rows(draws, prob)
    better, worse = (draws > rope.high).mean(axis=1), (draws < rope.low).mean(axis=1)
    return _codes(low, high, rope, better - worse, draws.mean(axis=1))


def _codes(low: Any, high: Any, rope: Interval, lean: Any, mean: Any) -> NDArray[Any]:
    lean = np.where(lean == 0, mean, lean)
    inside = (rope.low <= low) & (high <= rope.high)
    conditions = [inside, high < rope.low, low > rope.high, lean < 0, lean > 0]
    return np.select(conditions, ["~", "<<", ">>", "<", ">"], default="?")


def masses(draws: NDArray[Any], rope: Interval) -> Probabilities:
    """Return the fractions of the draws that are below, inside and above the ROPE."""
    worse = float(np.mean(draws < rope.low))
    better = float(np.mean(draws > rope.high))
    equivalent = count_inside(draws, rope) / len(draws)
    return Probabilities(worse, equivalent, better)


def check_rope(rope: Any) -> Interval:
    """Return the ROPE as an interval: a number r means [-r, r]."""
    if isinstance(rope, Real) and not isinstance(rope, bool):
        if not 0 <= float(rope) < math.inf:
            raise ValueError(
                f"rope={rope!r} must be finite and at least 0: it is the largest difference of no "
                "practical relevance. Pass (low, high) for an asymmetric region."
            )
        return Interval(-float(rope), float(rope))
    try:
        if isinstance(rope, str):
            raise TypeError
        low, high = (float(end) for end in rope)
    except (TypeError, ValueError) as error:
        raise TypeError(
            f"rope must be a number or a pair (low, high), got {in_short(rope)}."
        ) from error
    if not low <= high:
        raise ValueError(f"rope=({low:g}, {high:g}) must have low <= high.")
    return Interval(low, high)


def format_probability(probability: float, *, words: bool = False) -> str:
    """Format a probability as a percentage that never claims certainty."""
    if probability >= 0.9995:
        return "more than 99.9%" if words else ">99.9%"
    if probability < 0.0005:
        return "less than 0.1%" if words else "<0.1%"
    return f"{probability:.1%}"


def format_interval(interval: Interval, sign: bool = True) -> str:
    """Format the interval with a number of digits that depends on its width."""
    width = interval.high - interval.low
    magnitude = math.floor(math.log10(width)) if 0 < width < math.inf else 0
    digits = min(max(1 - magnitude, 3), 8)
    ends = (f"{end + 0.0:{'+' if sign and end else ''}.{digits}f}" for end in interval)
    return f"[{', '.join(ends)}]"
