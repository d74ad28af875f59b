"""Which classifier to choose, by what the wrong choice would lose."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skbayeseval._arrays import in_short
from skbayeseval._validation import as_float
from skbayeseval.judgement.decision import InWords

# So many other classifiers are named in a sentence.
MOST_NAMES = 5


@dataclass(frozen=True, repr=False)
class ExpectedLoss(InWords):
    """What choosing each classifier loses on average; `str` and `repr` return it as sentences.

    Choosing a classifier loses the difference to the best one where it is behind by more than the
    ROPE allows, and nothing otherwise.

    Attributes
    ----------
    losses : tuple of float
        The expected loss of choosing each classifier, in units of the metric times its cost.
    names : tuple of str
        The names of the classifiers.
    metric : str
        The name of the metric.
    cost : tuple of float
        What a loss of 1 in the metric costs, of choosing each classifier.
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

    losses: tuple[float, ...]
    names: tuple[str, ...]
    metric: str = "score"
    cost: tuple[float, ...] = (1.0, 1.0)
    other_metrics: tuple[str, ...] = field(default=(), compare=False)

    @property
    def a(self) -> float:
        """The expected loss of choosing A, the first classifier."""
        return self.losses[0]

    @property
    def b(self) -> float:
        """The expected loss of choosing B, the second classifier."""
        return self.losses[1]

    @property
    def choice(self) -> str:
        """The name of the classifier with the smallest loss."""
        return self.names[self.losses.index(self.waiting)]

    @property
    def waiting(self) -> float:
        """What it would save, on average and at most, to wait until the best is known.

        This is the expected value of perfect information: the loss of the best choice.
        """
        return min(self.losses)

    def __str__(self) -> str:
        (name, loss), *others = sorted(
            zip(self.names, self.losses, strict=True), key=lambda named: named[1]
        )
        equal = [other for other, larger in others if larger == loss]
        first = f"Choose either {' or '.join([name, *equal])}" if equal else f"Choose {name}"
        shown = [f"that of {other} {_written(larger)}" for other, larger in others[:MOST_NAMES]]
        if len(others) > MOST_NAMES:
            shown.append(f"those of {len(others) - MOST_NAMES} more are larger")
        what, costs = f"loss in {self.metric}", ""
        if set(self.cost) != {1.0}:
            each = [f"{c:,.12g} with {of}" for c, of in zip(self.cost, self.names, strict=True)]
            together = f"{self.cost[0]:,.12g}" if len(set(self.cost)) == 1 else " and ".join(each)
            what, costs = "cost", f", where a loss of 1 in {self.metric} costs {together}"
        known = "the difference is known" if len(self.names) == 2 else "it is known who is the best"
        sentence = (
            f"{first}: its expected {what} is {_written(loss)}, {', '.join(shown)}{costs}. To wait "
            f"until {known} would save {_written(self.waiting)} on average, at most."
        )
        return " ".join([sentence, *self._notes()])


def expected_loss(
    draws: NDArray[Any],
    allowed: Sequence[float],
    cost: tuple[float, ...],
    names: tuple[str, ...],
    metric: str,
    other_metrics: tuple[str, ...] = (),
) -> ExpectedLoss:
    """Return the expected losses.

    Parameters
    ----------
    draws : ndarray of shape (n_classifiers, n_draws)
        Draws of the metric of each classifier.
    allowed : sequence of float
        By how much each classifier may be behind the best without a loss.
    cost, names, metric, other_metrics
        As in `ExpectedLoss`.
    """
    behind = draws.max(axis=0) - draws
    lost = np.where(behind > np.asarray(allowed)[:, None], behind, 0.0).mean(axis=1)
    losses = tuple(float(one) for one in lost * np.array(cost))
    return ExpectedLoss(losses, names, metric, cost, other_metrics)


def _written(loss: float) -> str:
    """Return a loss with two digits, and large ones without an exponent."""
    return f"{loss:,.0f}" if loss >= 100 else f"{loss:.2g}"


def check_cost(cost: Any, number: int = 2) -> tuple[float, ...]:
    """Return the cost of wrongly choosing each of so many classifiers."""
    each = (cost,) * number if isinstance(cost, Real) else cost
    try:
        costs = tuple(as_float(one) for one in each)
    except (TypeError, ValueError):
        costs = ()
    if len(costs) != number:
        raise TypeError(
            f"cost must be a number, or {number} numbers, one per classifier, got {in_short(cost)}."
        )
    if not all(0 < one < np.inf for one in costs):
        raise ValueError(f"cost must be positive and finite, got {in_short(cost)}.")
    return costs
