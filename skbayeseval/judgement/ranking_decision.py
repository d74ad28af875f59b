"""Which of several classifiers are as good as the best, and which are surely worse."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skbayeseval.judgement.decision import (
    format_interval,
    format_probability,
    on_other_metrics,
)
from skbayeseval.judgement.intervals import Interval
from skbayeseval.pages.elements import block, lines

__all__ = ["RankingDecision", "decide_ranking", "tied_groups"]

Array = NDArray[Any]


@dataclass(frozen=True)
class RankingDecision:
    """The decision about several classifiers; `str` and `repr` return it as sentences.

    A classifier is compared with the best one of each draw, so that the best is not taken for
    known. It is equivalent to the best if the probability of a difference inside the ROPE is at
    least `prob`, surely worse if that of a difference beyond the ROPE is, and open otherwise.

    Attributes
    ----------
    equivalent, open, worse : tuple of str
        The names of the classifiers that are practically equivalent to the best, not settled, and
        surely worse; each in the order of their posterior means.
    tied : tuple of tuple of str
        Groups of classifiers, in the order of their posterior means, of which no pair is settled
        as better and worse. Groups can overlap.
    p_equivalent : dict of str to float
        For each classifier, the probability of being practically equivalent to the best.
    rope : Interval
        The region of practical equivalence.
    metric : str
        The name of the metric.
    prob : float
        The probability that is required.
    other_metrics : tuple of str
        Further metrics of the ranking, if the decision is about the first of them only because no
        other one was asked for.

    Examples
    --------
    >>> import numpy as np
    >>> from skbayeseval import compare_many
    >>> y = np.arange(600) % 2
    >>> half, few = np.where(np.arange(600) < 300, 1 - y, y), np.where(np.arange(600) < 5, 1 - y, y)
    >>> ranking = compare_many(y, {"half": half, "few": few, "all": y}, random_state=0)
    >>> ranking.decision(rope=0.05).worse
    ('half',)
    """

    equivalent: tuple[str, ...]
    open: tuple[str, ...]
    worse: tuple[str, ...]
    tied: tuple[tuple[str, ...], ...]
    p_equivalent: dict[str, float]
    rope: Interval
    metric: str = "score"
    prob: float = 0.95
    other_metrics: tuple[str, ...] = field(default=(), compare=False)

    @property
    def best_alone(self) -> str | None:
        """The name of the best, if all others are surely worse; otherwise None."""
        return self.equivalent[0] if len(self.equivalent) == 1 and not self.open else None

    @property
    def settled(self) -> bool:
        """Whether no classifier is open."""
        return not self.open

    def __str__(self) -> str:
        def listed(names: Sequence[str], *, chances: bool = False) -> str:
            return ", ".join(
                f"{name} ({format_probability(self.p_equivalent[name])})" if chances else name
                for name in names
            )

        lines = [f"{self.metric}, ROPE {format_interval(self.rope)}, {self.prob:.3g} required:"]
        if self.best_alone is not None:
            lines.append(f"  the best: {self.best_alone}")
        elif self.equivalent:
            lines.append(f"  practically equivalent to the best: {listed(self.equivalent)}")
        if self.open:
            lines.append(
                "  not settled (probability of being equivalent to the best): "
                f"{listed(self.open, chances=True)}"
            )
        if self.worse:
            lines.append(f"  surely worse than the best: {listed(self.worse)}")
        if self.other_metrics:
            lines.append(f"  {on_other_metrics(self.metric, self.other_metrics)}")
        return "\n".join(lines)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return block(lines(str(self)))


def decide_ranking(
    draws: Array,
    order: Sequence[int],
    names: Sequence[str],
    rope: Interval,
    prob: float,
    metric: str,
    differ: Array,
) -> RankingDecision:
    """Return the decision, given draws of each classifier.

    Parameters
    ----------
    draws : ndarray of shape (n_classifiers, n_draws)
        Draws of the metric.
    order : sequence of int
        The classifiers by their posterior means, the best first.
    names : sequence of str
        The names of the classifiers.
    rope, prob, metric
        As in `RankingDecision`.
    differ : ndarray of bool, shape (n_classifiers, n_classifiers)
        Whether each pair is settled as better and worse.
    """
    behind = draws.max(axis=0) - draws
    # A difference to the best is never negative: what counts is how much worse is still equivalent.
    p_equivalent = (behind <= -rope.low).mean(axis=1)
    found: dict[str, list[str]] = {"equivalent": [], "open": [], "worse": []}
    for k in order:
        p = p_equivalent[k]
        case = "equivalent" if p >= prob else "worse" if p <= 1 - prob else "open"
        found[case].append(names[k])
    return RankingDecision(
        tuple(found["equivalent"]),
        tuple(found["open"]),
        tuple(found["worse"]),
        tied_groups([names[k] for k in order], differ[np.ix_(order, order)]),
        {names[k]: float(p_equivalent[k]) for k in order},
        rope,
        metric,
        prob,
    )


def tied_groups(names: Sequence[str], differ: Array) -> tuple[tuple[str, ...], ...]:
    """Return the longest runs of at least two ordered classifiers of which no pair differs."""
    runs: list[tuple[int, int]] = []
    for start in range(len(names)):
        end = start + 1
        while end < len(names) and not differ[start:end, end].any():
            end += 1
        if end - start > 1 and (not runs or end > runs[-1][1]):
            runs.append((start, end))
    return tuple(tuple(names[start:end]) for start, end in runs)
