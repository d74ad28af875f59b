"""Decisions from the HDI of a difference and a region of practical equivalence (ROPE)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from skbayeseval.judgement.intervals import Interval, count_inside, hdi_of_rows
from skbayeseval.judgement.rope import describe_side
from skbayeseval.pages.elements import block, lines, shares

__all__ = [
    "MARKS",
    "NO_ROPE",
    "SETTLED",
    "WORDS",
    "Decision",
    "Probabilities",
    "codes_given_hdi",
    "decide",
    "decision_codes",
    "format_interval",
    "format_probability",
    "in_a_table",
    "masses",
    "on_other_metrics",
    "times_as_much",
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
    """The decision about the difference A minus B; `str` and `repr` return it as a sentence.

    A decision is settled if the HDI is beyond the ROPE or inside it. Otherwise the code tells only
    which side of the ROPE has more probability, and the sentence gives the probabilities.

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
    more_evidence : float
        How many times the present evidence would probably settle the decision, if the difference
        stays what its posterior mean is: 1 if it is settled, infinity if the mean is at a limit of
        the ROPE.
    depends_on_splits : bool
        Whether other random splits of the same data could change the decision.
    units : str or None
        What there must be more of to settle the decision, such as "groups"; None for "evidence".
    other_metrics : tuple of str
        Further metrics of the result, if the decision is about the first of them only because no
        other one was asked for.

    Examples
    --------
    >>> from skbayeseval import compare_counts
    >>> result = compare_counts((900, 50, 60), (700, 150, 260), random_state=0)
    >>> decision = result.decision(rope=0.01)
    >>> decision.code, decision.label, decision.settled
    ('>>', 'significantly better', True)
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
    more_evidence: float = 1.0
    depends_on_splits: bool = False
    units: str | None = None
    other_metrics: tuple[str, ...] = field(default=(), compare=False)

    @property
    def settled(self) -> bool:
        """Whether A is significantly better or worse, or practically equivalent."""
        return self.code in SETTLED

    def __str__(self) -> str:
        basis = (
            f"({self.metric}, {100 * self.prob:.3g}% HDI {format_interval(self.hdi)}, "
            f"ROPE {format_interval(self.rope)})"
        )
        a, b = self.names
        if not self.settled:
            # Without the symbol: "<" and ">" would read as if they were decisions.
            lines = [f"not settled: {self._state()}", f"   {basis}"]
            lines.append(self._what_would_settle_it())
        elif self.code == "~":
            lines = [f"{self.symbol}  {a} practically equivalent to {b} {basis}"]
        else:
            lines = [f"{self.symbol}  {a} {self.label} than {b} {basis}"]
        if self.depends_on_splits:
            lines.append(OTHER_SPLITS)
        if self.other_metrics:
            lines.append(f"   {on_other_metrics(self.metric, self.other_metrics)}")
        return "\n".join(lines)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        a, b = self.names
        worse, equivalent, better = self.probabilities
        cases = [(f"{b} better", worse, "#d55e00"), ("equivalent", equivalent, "#009e73")]
        return block(lines(str(self)), shares([*cases, (f"{a} better", better, "#0072b2")]))

    def _state(self) -> str:
        """Return what is known: the most probable of the three cases first."""
        a, b = self.names
        worse, equivalent, better = self.probabilities
        first, second = (a, b) if better >= worse else (b, a)
        by = describe_side(self.rope, better=better >= worse)
        cases = [
            (max(worse, better), f"{first} is better than {second}{by}", f"{first} better"),
            (equivalent, f"{a} and {b} are practically equivalent", "equivalent"),
            (min(worse, better), f"{second} is better than {first}", f"{second} better"),
        ]
        if self.rope.low == self.rope.high:
            del cases[1]
        cases.sort(key=lambda case: -case[0])
        rest = ", ".join(f"{short} {_percent(chance)}" for chance, _, short in cases[1:])
        return f"{cases[0][1]} with probability {_percent(cases[0][0])}, {rest}"

    def _what_would_settle_it(self) -> str:
        if self.more_evidence > MOST_EVIDENCE:
            return (
                "   The difference is so close to a limit of the ROPE that more evidence would "
                "hardly settle it."
            )
        needed = times_as_much(self, "evidence")
        return f"   {needed} would settle it, if the difference stays as it is."


def times_as_much(decision: Decision, evidence: str) -> str:
    """Return how much more would settle a decision, such as "About 120 times as much evidence"."""
    if decision.more_evidence < 1.1:
        return f"Slightly more {decision.units or evidence}"
    much = f"as much {evidence}" if decision.units is None else f"as many {decision.units}"
    return f"About {float(f'{decision.more_evidence:.2g}'):,g} times {much}"


def on_other_metrics(metric: str, others: Sequence[str]) -> str:
    """Return a sentence that a statement is about one metric only, and how to ask for others."""
    which = " or ".join(map(repr, others))
    if len(others) > 3:
        which = f" one of the {len(others)} others"
    return f"This is about {metric} only: for other metrics, pass metric={which}."


def _percent(probability: float) -> str:
    """Format a probability as a whole percentage that never claims certainty."""
    if probability > 0.995:
        return ">99%"
    return f"{probability:.0%}" if probability >= 0.005 else "<1%"


OTHER_SPLITS = (
    "   Other random splits could change this decision; more repeats, such as "
    "cv=BlockRegularizedCV(7), would help."
)


# The codes of settled decisions.
SETTLED = ("<<", "~", ">>")

# More evidence than this, as a multiple of the present, is out of reach.
MOST_EVIDENCE = 1000.0

# The symbol and label of each code.
WORDS = {
    "<<": ("≪", "significantly worse"),
    "<": ("<", "not settled"),
    "~": ("≈", "practically equivalent"),
    ">": (">", "not settled"),
    ">>": ("≫", "significantly better"),
    "?": ("?", "not settled"),
}

# The symbol of each code where there is only room for one character, as in figures.
MARKS = {code: symbol if code in SETTLED else "?" for code, (symbol, _) in WORDS.items()}

# What summaries have in the place of a code if no ROPE was given.
NO_ROPE = "no ROPE"


def in_a_table(code: str) -> str:
    """Return a decision as tables show it: the symbol of what is settled, otherwise words."""
    symbol, label = WORDS[code]
    return symbol if code in SETTLED else label


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
    more = 1.0 if code in SETTLED else _more_evidence(hdi, rope, mean)
    return Decision(code, symbol, label, hdi, rope, probabilities, names, metric, prob, more)


def _more_evidence(hdi: Interval, rope: Interval, mean: float) -> float:
    """Return by what factor the evidence must grow until the HDI is beyond or inside the ROPE.

    The ends of the HDI approach the mean like one over the square root of the evidence.
    """
    if mean < rope.low:
        room = [(hdi.high - mean) / (rope.low - mean)]
    elif mean > rope.high:
        room = [(mean - hdi.low) / (mean - rope.high)]
    elif rope.low < mean < rope.high:
        room = [(hdi.high - mean) / (rope.high - mean), (mean - hdi.low) / (mean - rope.low)]
    else:
        return math.inf
    return max(1.0, max(room) ** 2)


def decision_codes(draws: NDArray[Any], rope: Interval, prob: float = 0.95) -> NDArray[Any]:
    """Return the decision code for each row of draws of the difference."""
    return codes_given_hdi(draws, *hdi_of_rows(draws, prob), rope)


def codes_given_hdi(
    draws: NDArray[Any], low: NDArray[Any], high: NDArray[Any], rope: Interval
) -> NDArray[Any]:
    """Return the decision code for each row of draws, whose HDIs have these ends."""
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
