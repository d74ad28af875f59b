"""One-sided questions: whether A is good enough, and whether it is better by enough."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from numbers import Real
from typing import Any

from skbayeseval._arrays import in_short
from skbayeseval._validation import as_float
from skbayeseval.judgement.decision import (
    format_probability,
    on_other_metrics,
    on_other_splits,
)
from skbayeseval.judgement.distribution import Distribution
from skbayeseval.judgement.intervals import Interval
from skbayeseval.pages.elements import block, lines

__all__ = ["OneSidedDecision", "check_margin", "one_sided"]


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
    depends_on_splits : bool
        Whether other random splits of the same data could change the answer.
    n_repeats : int
        The number of repeats of the cross-validation; 1 if there are none.
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
    depends_on_splits: bool = False
    n_repeats: int = 1
    other_metrics: tuple[str, ...] = field(default=(), compare=False)

    @property
    def settled(self) -> bool:
        """Whether the answer is yes or no."""
        return self.answer != "not settled"

    def __str__(self) -> str:
        a, b = self.names
        by = f" by more than {self.margin:.4g}" if self.margin else ""
        chance = format_probability(self.probability, threshold=self.prob)
        against = format_probability(1 - self.probability, threshold=self.prob)
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
            basis = f"({self.metric}; {100 * self.prob:.3g}% or more would be a yes)"
        if self.depends_on_splits:
            basis += f"\n   {on_other_splits(self.n_repeats, 'this answer')}"
        if self.other_metrics:
            basis += f"\n   {on_other_metrics(self.metric, self.other_metrics)}"
        return f"{verdict} {basis}"

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return block(lines(str(self)))


def check_margin(margin: Any, bounds: tuple[float, float] | None) -> float:
    """Return the margin, a number of at least 0 that is smaller than the metric's range."""
    if not isinstance(margin, Real) or isinstance(margin, bool):
        raise TypeError(f"margin must be a number, got {in_short(margin)}.")
    if not 0 <= as_float(margin) < math.inf:
        raise ValueError(f"margin={in_short(margin)} must be finite and at least 0.")
    if bounds is not None and float(margin) >= (bounds[1] - bounds[0]) / 2:
        raise ValueError(
            f"margin={margin!r} is at least half of the metric's range, from {bounds[0]:g} to "
            f"{bounds[1]:g}. Did you mean {float(margin) / 100:g}?"
        )
    return float(margin)


def one_sided(
    question: str,
    difference: Distribution,
    margin: float,
    prob: float,
    names: tuple[str, str],
    metric: str,
    *,
    shift: float = 0.0,
) -> OneSidedDecision:
    """Return the answer that the posterior of A minus B gives.

    `shift` is how far other random splits could move the difference.
    """
    limit = -margin if question == "non-inferiority" else margin

    def probability(move: float) -> float:
        around = difference.around(Interval(limit - move, limit - move))
        return 1 - around.worse if question == "non-inferiority" else around.better

    def answer(chance: float) -> str:
        return "yes" if chance >= prob else "no" if chance <= 1 - prob else "not settled"

    chance = probability(0.0)
    found = OneSidedDecision(question, answer(chance), chance, margin, prob, names, metric)
    moved = [answer(probability(move)) for move in (-shift, shift)] if shift else []
    return replace(found, depends_on_splits=any(one != found.answer for one in moved))
