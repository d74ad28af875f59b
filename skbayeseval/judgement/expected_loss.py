"""Which of two classifiers to choose, by what the wrong choice would lose."""

from __future__ import annotations

from dataclasses import dataclass, field
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skbayeseval.judgement.decision import on_other_metrics
from skbayeseval.judgement.intervals import Interval
from skbayeseval.pages.elements import block, lines

__all__ = ["ExpectedLoss", "check_cost", "expected_loss"]


@dataclass(frozen=True)
class ExpectedLoss:
    """What choosing A or B loses on average; `str` and `repr` return it as sentences.

    Choosing a classifier loses the difference to the other one where the other one is better by
    more than the ROPE allows, and nothing otherwise.

    Attributes
    ----------
    a, b : float
        The expected loss of choosing A, and of choosing B, in units of the metric times its cost.
    choice : str
        The name of the classifier with the smaller loss.
    waiting : float
        What it would save, on average and at most, to wait until the difference is known (the
        expected value of perfect information): the loss of the better choice.
    names : tuple of str
        The names of A and B.
    metric : str
        The name of the metric.
    other_metrics : tuple of str
        Further metrics of the result, if this is about the first of them only because no other one
        was asked for.

    Examples
    --------
    >>> from skbayeseval import compare_counts
    >>> result = compare_counts((900, 50, 60), (890, 60, 70), random_state=0)
    >>> result.expected_loss(rope=0.01).choice
    'A'
    """

    a: float
    b: float
    choice: str
    waiting: float
    names: tuple[str, str] = ("A", "B")
    metric: str = "score"
    other_metrics: tuple[str, ...] = field(default=(), compare=False)

    def __str__(self) -> str:
        (name, loss), (other, larger) = sorted(
            zip(self.names, (self.a, self.b), strict=True), key=lambda one: one[1]
        )
        first = f"Choose {name}"
        if self.a == self.b:
            first = f"Choose either {name} or {other}"
        others = ""
        if self.other_metrics:
            others = f" {on_other_metrics(self.metric, self.other_metrics)}"
        return (
            f"{first}: its expected loss in {self.metric} is {loss:.2g}, that of {other} "
            f"{larger:.2g}. To wait until the difference is known would save {self.waiting:.2g} on "
            f"average, at most.{others}"
        )

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return block(lines(str(self)))


def expected_loss(
    draws: NDArray[Any],
    rope: Interval,
    cost: tuple[float, float],
    names: tuple[str, str],
    metric: str,
) -> ExpectedLoss:
    """Return the expected losses, given draws of A minus B."""
    a = cost[0] * float(np.mean(np.where(draws < rope.low, -draws, 0.0)))
    b = cost[1] * float(np.mean(np.where(draws > rope.high, draws, 0.0)))
    return ExpectedLoss(a, b, names[0] if a <= b else names[1], min(a, b), names, metric)


def check_cost(cost: Any) -> tuple[float, float]:
    """Return the costs of wrongly choosing A and of wrongly choosing B."""
    pair = (cost, cost) if isinstance(cost, Real) else cost
    try:
        a, b = (float(one) for one in pair)
    except (TypeError, ValueError) as error:
        raise TypeError(
            f"cost must be a number or a pair (of choosing A, of choosing B), got {cost!r}."
        ) from error
    if not (0 < a < np.inf and 0 < b < np.inf):
        raise ValueError(f"cost must be positive and finite, got {cost!r}.")
    return a, b
