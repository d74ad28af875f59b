"""Which of several classifiers are as good as the best, and which are surely worse."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from scipy.stats import rankdata

from skbayeseval._arrays import Array
from skbayeseval.judgement.decision import (
    Decision,
    InWords,
    basis_of,
    format_probability,
    on_the_scale,
)
from skbayeseval.judgement.intervals import Interval, hdi_of_rows

# Who is as good as the best is at least so probably not worse than the first.
LIKELY = 0.8

# A sentence names at most so many classifiers of a tier.
MOST_NAMES = 4


@dataclass(frozen=True, repr=False)
class RankingDecision(InWords):
    """The decision about several classifiers; `str` and `repr` return it as sentences.

    A classifier is compared with the best one of each draw, so that the best is not taken for
    known, and scores are partially pooled. It is equivalent to the best if the probability of a
    difference inside the ROPE is at least `prob`. It is surely worse if the one with the highest
    posterior mean is significantly better, as the decision about this pair of the ranking says: of
    many equal classifiers, each is worse than the best of each draw with a high probability.
    Otherwise it is open, and so is who is equivalent to the best but worse than the first with a
    probability of more than 20%, as a copy may be. Exact copies are decided alike.

    Attributes
    ----------
    equivalent, open, worse : tuple of str
        The names of the classifiers that are practically equivalent to the best, not settled, and
        surely worse; each in the order of their posterior means.
    tied : tuple of tuple of str
        Groups of classifiers, in the order of their posterior means, of which no pair is settled
        as better and worse. Groups can overlap.
    p_equivalent : dict of str to float
        For each classifier, the probability of being practically equivalent to the best; that of
        its pair, where that one is less sure.
    rope : Interval
        The region of practical equivalence.
    metric : str
        The name of the metric.
    prob : float
        The probability that is required.

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
    _to_ask: ClassVar[str] = "decision.best_alone, decision.settled or decision.equivalent"

    @property
    def best_alone(self) -> str | None:
        """The name of the best, if all others are surely worse; otherwise None."""
        return self.equivalent[0] if len(self.equivalent) == 1 and not self.open else None

    @property
    def settled(self) -> bool:
        """Whether no classifier is open."""
        return not self.open

    def states(self) -> dict[str, str]:
        """Return "equivalent", "open" or "worse" for each classifier, by name."""
        cases = {"equivalent": self.equivalent, "open": self.open, "worse": self.worse}
        return {name: case for case, names in cases.items() for name in names}

    def __str__(self) -> str:
        still = [f"{name} ({format_probability(self.p_equivalent[name])})" for name in self.open]
        limit = -self.rope.low
        within, by = (
            (f" or within {limit:.4g} of it", f" by more than {limit:.4g}") if limit else ("", "")
        )
        cases = {
            "the best" + within * (not self.best_alone): self.equivalent,
            f"not settled (probability of being the best{within})": still,
            f"surely worse than the best{by}": self.worse,
        }
        said = [f"{basis_of(self._called, self.prob, self.rope)}; allowing for chance:"]
        said += [f"  {case}: {', '.join(names)}" for case, names in cases.items() if names]
        return "\n".join([*said, *(f"  {note}" for note in self._notes())])


@dataclass(frozen=True, repr=False)
class Tiers(InWords):
    """Classifiers in tiers; `str` and `repr` return them in words. `Ranking.tiers` has the rule.

    Attributes
    ----------
    groups : tuple of tuple of str
        The names in each tier, the best tier first; in each, in the order of posterior means.
    rope : Interval
        The region of practical equivalence.
    metric : str
        The name of the metric.
    prob : float
        The probability that is required.

    Examples
    --------
    >>> from skbayeseval.judgement import Interval, Tiers
    >>> Tiers((("svm", "nb"), ("tree",)), Interval(-0.01, 0.01), "f1").numbers()
    {'svm': 1, 'nb': 1, 'tree': 2}
    """

    groups: tuple[tuple[str, ...], ...]
    rope: Interval
    metric: str = "score"
    prob: float = 0.95
    _to_ask: ClassVar[str] = "its groups or numbers()"

    def numbers(self) -> dict[str, int]:
        """Return the number of the tier of each classifier, by name; 1 is the best."""
        return {name: i for i, names in enumerate(self.groups, 1) for name in names}

    @property
    def _by(self) -> str:
        return f" by more than {-self.rope.low:.4g}" if self.rope.low else ""

    def in_short(self, most_names: int = MOST_NAMES) -> str:
        """Return a sentence on the first tier, without a full stop."""
        first, total = self.groups[0], len(self.numbers())
        where = f" on {self._called}"
        if len(self.groups) == 1:
            return f"None of {total} is surely worse than {first[0]}{where}{self._by}"
        if len(first) == 1:
            others = "the other" if total == 2 else f"all {total - 1} others"
            return f"{first[0]} is surely better than {others}{where}{self._by}"
        left, (best, *near) = total - len(first), first
        rest = "the other is" if left == 1 else f"the other {left} are"
        names = " and ".join(filter(None, [", ".join(near[:-1]), near[-1]]))
        said = names if len(near) <= most_names else f"{len(near)} of {total}"
        return f"{said} cannot be told apart from {best}{where}, {rest} worse{self._by}"

    @property
    def rule(self) -> str:
        """What a tier means."""
        rule = "those in a tier cannot be told apart from its first"
        if len(self.groups) > 1:
            rule += f"; those in lower tiers are surely worse than it{self._by}"
        return rule

    def __str__(self) -> str:
        said = [f"{basis_of(self._called, self.prob, self.rope)}; allowing for chance:"]
        said += [f"  tier {i}: {', '.join(names)}" for i, names in enumerate(self.groups, 1)]
        said.append(f"  {self.rule}")
        return "\n".join([*said, *(f"  {note}" for note in self._notes("these tiers"))])


def decide_ranking(
    draws: Array,
    order: Sequence[int],
    names: Sequence[str],
    rope: Interval,
    prob: float,
    metric: str,
    pair: Callable[[int], Decision],
) -> RankingDecision:
    """Return the decision, given partially pooled draws of each classifier, and their order.

    `pair` returns the decision about the first of `order`, compared with another classifier. It is
    called for those about which the draws settle something.
    """
    # A difference to the best is never negative: what counts is how much worse is still equivalent.
    p_equivalent = (draws.max(axis=0) - draws <= -rope.low).mean(axis=1)
    p_worse = worse_than(draws[order[0]], draws, rope)
    first = first_alike(draws)
    cases: dict[str, list[str]] = {"equivalent": [], "open": [], "worse": []}
    for one in dict.fromkeys(first[list(order)].tolist()):
        copies = [k for k in order if first[k] == one]
        p = p_equivalent[one]
        case = "open"
        if p >= prob:
            case = "equivalent"
        elif p_worse[one] >= prob:  # else the interval of the pair is not beyond the ROPE
            case = "worse"
        # Copies of the first may differ from it on other instances.
        compared = copies if copies[0] != order[0] else copies[1:]
        if case != "open" and compared:
            against = pair(compared[0])
            not_worse = 1 - against.probabilities.better
            if case == "equivalent" and not_worse < min(prob, LIKELY):
                case, p_equivalent[copies] = "open", not_worse
            elif case == "worse" and against.code != ">>":
                case = "open"
        cases[case] += [names[k] for k in copies]
    # Whether each pair differs by more than the ROPE, as a two-sided interval tells.
    ordered = draws[list(order)]
    better = [(ahead - ordered > rope.high).mean(axis=1) for ahead in ordered]
    behind = [(ahead - ordered < rope.low).mean(axis=1) for ahead in ordered]
    differ = np.maximum(better, behind) >= (1 + prob) / 2
    equivalent, still_open, worse = (tuple(each) for each in cases.values())
    return RankingDecision(
        equivalent,
        still_open,
        worse,
        tied_groups([names[k] for k in order], differ),
        {names[k]: float(p_equivalent[k]) for k in order},
        rope,
        metric,
        prob,
    )


def who_is_best(name: str, number: int, p_best: float, on: str = "", copies: int = 0) -> str:
    """Return who is most probably the best of some, with so many copies, and if that is clear.

    Examples
    --------
    >>> from skbayeseval.judgement.ranking_decision import who_is_best
    >>> who_is_best("svm", 3, 0.52)
    'No clear winner of 3 (svm the best with probability 52.0%)'
    >>> who_is_best("svm", 3, 0.98, on=" on f1", copies=1)
    'svm (with 1 exact copy) is the best of 3 on f1 (probability 98.0%)'
    """
    if copies:
        if copies == number - 1:
            return f"No winner of {number}{on}: they are exact copies of each other"
        name = f"{name} (with {copies} exact {'copy' if copies == 1 else 'copies'})"
    best = f"the best of {number}{on}"
    return on_the_scale(p_best, name, best, f"No clear winner of {number}{on}", leads="the best")


def first_alike(draws: Array) -> Array:
    """Return for each row the first one with the same draws, which may be itself.

    Examples
    --------
    >>> import numpy as np
    >>> from skbayeseval.judgement.ranking_decision import first_alike
    >>> first_alike(np.array([[0.8, 0.9], [0.7, 0.8], [0.8, 0.9]]))
    array([0, 1, 0])
    """
    seen: dict[bytes, int] = {}
    return np.array([seen.setdefault(row.tobytes(), k) for k, row in enumerate(draws)])


def best_and_ranks(draws: Array) -> tuple[Array, Array]:
    """Return the probability of each row to be the best, and its rank in each draw.

    Rows with the same draws are copies of one classifier: they count once, and each of them has the
    probability and the ranks of that one.

    Examples
    --------
    >>> import numpy as np
    >>> from skbayeseval.judgement.ranking_decision import best_and_ranks
    >>> best_and_ranks(np.array([[0.8, 0.9], [0.7, 0.95], [0.8, 0.9]]))[0]
    array([0.5, 0.5, 0.5])
    """
    distinct, position = np.unique(first_alike(draws), return_inverse=True)
    draws = draws[distinct]
    best = draws == draws.max(axis=0)
    p_best = (best / best.sum(axis=0)).mean(axis=1)
    return p_best[position], rankdata(-draws, axis=0)[position]


def number_of_copies(table: pd.DataFrame, name: Any) -> int:
    """Return how many other rows of a table of numbers are the same as one of them."""
    rows = table.to_numpy()
    return int((rows == rows[table.index.get_loc(name)]).all(axis=1).sum()) - 1


def behind_the_best(draws: Array, prob: float) -> pd.DataFrame:
    """Return the mean and the HDI of the difference of each row to the best of each draw."""
    behind = draws - draws.max(axis=0)
    low, high = hdi_of_rows(behind, prob)
    return pd.DataFrame({"behind": behind.mean(axis=1), "behind_low": low, "behind_high": high})


def worse_than(first: Array, draws: Array, rope: Interval) -> Array:
    """Return the probability that each classifier is worse than the first by more than the ROPE."""
    return np.asarray((first - draws > -rope.low).mean(axis=1))


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
