"""One-sided questions: whether A is good enough, and whether it is better by enough."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from numbers import Real
from typing import Any

from skbayeseval.judgement.decision import format_probability, on_other_metrics
from skbayeseval.pages.elements import block, lines

__all__ = ["OneSidedDecision", "check_margin", "non_inferiority", "superiority"]


@dataclass(frozen=True)
class OneSidedDecision:
    """The answer to a one-sided question about A minus B; `str` and `repr` return a sentence.

    Attributes
    ----------
    question : {"non-inferiority", "superiority"}
        Whether A is not worse than B by more than the margin, or better by more than the margin.
    answer : {"yes", "no", "not settled"}
        "yes" if the probability is at least `prob`, "no" if it is at most ``1 - prob``.
    probability : float
        The posterior probability that the answer is yes.
    margin : float
        The margin.
    prob : float
        The probability that is required.
    names : tuple of str
        The names of A and B.
    metric : str
        The name of the metric.
    other_metrics : tuple of str
        Further metrics of the result, if the answer is about the first of them only because no
        other one was asked for.

    Examples
    --------
    >>> from skbayeseval import compare_counts
    >>> result = compare_counts((900, 50, 60), (890, 60, 70), random_state=0)
    >>> result.non_inferiority(0.01).answer
    'yes'
    """

    question: str
    answer: str
    probability: float
    margin: float
    prob: float
    names: tuple[str, str] = ("A", "B")
    metric: str = "score"
    other_metrics: tuple[str, ...] = field(default=(), compare=False)

    @property
    def settled(self) -> bool:
        """Whether the answer is yes or no."""
        return self.answer != "not settled"

    def __str__(self) -> str:
        a, b = self.names
        by = f" by more than {self.margin:.4g}" if self.margin else ""
        chance = format_probability(self.probability)
        against = format_probability(1 - self.probability)
        basis = f"({self.metric})"
        if self.question == "non-inferiority":
            no_worse = f"{a} is not worse than {b}{by} with probability"
            verdict = {
                "yes": f"safe to ship: {no_worse} {chance}",
                "no": f"not safe to ship: {a} is worse than {b}{by} with probability {against}",
            }.get(self.answer, f"not settled: {no_worse} {chance}")
        else:
            better = f"{a} is better than {b}{by} with probability"
            verdict = {
                "yes": f"{better} {chance}",
                "no": f"{a} is not better than {b}{by} with probability {against}",
            }.get(self.answer, f"not settled: {better} {chance}")
        if not self.settled:
            basis = f"({self.metric}; {self.prob:.3g} or more would be a yes)"
        if self.other_metrics:
            basis += f"\n   {on_other_metrics(self.metric, self.other_metrics)}"
        return f"{verdict} {basis}"

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return block(lines(str(self)))


def non_inferiority(
    above_minus_margin: float, margin: float, prob: float, names: tuple[str, str], metric: str
) -> OneSidedDecision:
    """Return the answer, given the probability that A - B is above minus the margin."""
    return _decide("non-inferiority", above_minus_margin, margin, prob, names, metric)


def superiority(
    above_margin: float, margin: float, prob: float, names: tuple[str, str], metric: str
) -> OneSidedDecision:
    """Return the answer, given the probability that A - B is above the margin."""
    return _decide("superiority", above_margin, margin, prob, names, metric)


def check_margin(margin: Any, bounds: tuple[float, float] | None) -> float:
    """Return the margin, a number of at least 0 that is smaller than the metric's range."""
    if not isinstance(margin, Real) or isinstance(margin, bool):
        raise TypeError(f"margin must be a number, got {margin!r}.")
    if not 0 <= float(margin) < math.inf:
        raise ValueError(f"margin={margin!r} must be finite and at least 0.")
    if bounds is not None and float(margin) >= (bounds[1] - bounds[0]) / 2:
        raise ValueError(
            f"margin={margin!r} is at least half of the metric's range, from {bounds[0]:g} to "
            f"{bounds[1]:g}. Did you mean {float(margin) / 100:g}?"
        )
    return float(margin)


def _decide(
    question: str,
    probability: float,
    margin: float,
    prob: float,
    names: tuple[str, str],
    metric: str,
) -> OneSidedDecision:
    answer = "not settled"
    if probability >= prob:
        answer = "yes"
    elif probability <= 1 - prob:
        answer = "no"
    return OneSidedDecision(question, answer, probability, margin, prob, names, metric)
