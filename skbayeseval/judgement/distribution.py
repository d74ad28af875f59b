"""The posterior of one quantity: every method, sentence, table and figure asks it.

Closed forms where they exist. Under `bcv` precision, recall, Jaccard and accuracy are Beta
variables and F1 is an increasing function of one; under the other models recall and specificity
are. Intervals are then quantiles, and P(A > B), intervals of the difference and Bayes factors for
independent A and B are one-dimensional integrals: the trapezoidal rule in the logit of the Beta
variable, where its density is analytic and falls off exponentially for all shapes.
"""

from __future__ import annotations

import math
from bisect import bisect
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtr, ndtri

from skbayeseval._arrays import Array
from skbayeseval._validation import check_probability
from skbayeseval.judgement.decision import (
    CLEARLY,
    PROBABLY,
    Decision,
    InWords,
    Lead,
    Probabilities,
    code_of,
    format_probability,
    percent,
)
from skbayeseval.judgement.intervals import (
    Interval,
    check_draws,
    count_inside,
    hdi,
    hdi_mcse,
)


class Distribution:
    """The posterior of one quantity, known by draws; subclasses know some of it in closed form.

    Draws are read-only.

    Parameters
    ----------
    draws : array-like of shape (n_draws,), or callable
        Draws of the quantity, or a function that returns them, called when they are first needed.
    mcse : float, default=None
        The Monte Carlo standard error of the mean; by default that of independent draws.

    Examples
    --------
    >>> import numpy as np
    >>> from skbayeseval.judgement import Distribution
    >>> difference = Distribution(np.arange(-10, 91) / 1000)
    >>> round(difference.mean, 3), round(difference.mass(0.0, 1.0), 3)
    (0.04, 0.901)
    """

    def __init__(
        self, draws: ArrayLike | Callable[[], ArrayLike], mcse: float | None = None
    ) -> None:
        self._given = draws
        self._mcse = mcse
        self._hdis: dict[float, Interval] = {}

    def __getstate__(self) -> dict[str, Any]:
        """Return the draws, not the function that would return them."""
        return self.__dict__ | {"_given": self.draws}

    @cached_property
    def draws(self) -> Array:
        """The draws, which are read-only."""
        given = self._given() if callable(self._given) else self._given
        draws = np.asarray(given, dtype=float).view()
        draws.flags.writeable = False
        return draws

    @cached_property
    def mean(self) -> float:
        """The mean."""
        return float(self.draws.mean())

    @cached_property
    def middle(self) -> float:
        """The mean; the median if a few draws carry the mean, as of ratios that have none."""
        low, median, high = np.quantile(self.draws, [0.25, 0.5, 0.75])
        return self.mean if low <= self.mean <= high else float(median)

    @cached_property
    def sd(self) -> float:
        """The standard deviation."""
        return float(self.draws.std(ddof=1))

    @property
    def mcse(self) -> float:
        """The Monte Carlo standard error of the mean."""
        return self.sd / math.sqrt(len(self.draws)) if self._mcse is None else self._mcse

    def hdi(self, prob: float = 0.95) -> Interval:
        """Return the highest-density interval."""
        prob = check_probability(prob)
        if prob not in self._hdis:
            self._hdis[prob] = hdi(self.draws, prob)
        return self._hdis[prob]

    def hdi_mcse(self, prob: float = 0.95) -> float:
        """Return the Monte Carlo standard error of the ends of the HDI, the larger of the two."""
        return hdi_mcse(check_draws(self.draws), check_probability(prob))

    def interval(self, prob: float = 0.95) -> Interval:
        """Return the equal-tailed interval."""
        tail = (1 - check_probability(prob)) / 2
        low, high = np.quantile(check_draws(self.draws), [tail, 1 - tail])
        return Interval(float(low), float(high))

    def mass(self, low: float, high: float) -> float:
        """Return the probability of the values from `low` to `high`, both included."""
        return count_inside(self.draws, Interval(low, high)) / len(self.draws)

    def around(self, region: Interval) -> Probabilities:
        """Return the probabilities of values left of, in and right of a region."""
        worse = int(np.count_nonzero(self.draws < region.low))
        better = int(np.count_nonzero(self.draws > region.high))
        n = len(self.draws)
        return Probabilities(worse / n, (n - worse - better) / n, better / n)


# A lead of fewer standard errors of the draws is one by chance.
MOST_CHANCE = 4


def lead_of(
    difference: Distribution, names: tuple[str, str], prob: float = 0.95, *, shift: float = 0.0
) -> Lead:
    """Return who is ahead; `shift` is how far other random splits could move the difference."""
    worse, equal, better = difference.around(Interval(0.0, 0.0))
    sign, over = int(better > worse) - int(better < worse), list[float]()
    if abs(better - worse) * difference.sd < MOST_CHANCE * difference.mcse:
        sign = 0  # a coin flip, which other draws could change
    chance = max(worse, better)
    if sign and shift:
        moved = (difference.around(Interval(move, move)) for move in (shift, -shift))
        over = sorted(one.better if sign > 0 else one.worse for one in moved)
        if len({bisect((PROBABLY, CLEARLY), one) for one in (chance, *over)}) == 1:
            over = []  # all say the same
    interval = difference.hdi(prob)
    return Lead(names, sign, chance, equal, difference.middle, interval, prob, tuple(over))


def as_distribution(draws: Distribution | ArrayLike) -> Distribution:
    """Return a distribution; draws alone are taken for independent ones."""
    return draws if isinstance(draws, Distribution) else Distribution(draws)


def decision_of(
    difference: Distribution,
    rope: Interval,
    prob: float,
    names: tuple[str, str],
    metric: str,
    *,
    shift: float = 0.0,
) -> Decision:
    """Return the decision that the posterior of a difference leads to.

    `shift` is how far other random splits could move the difference; the decision then tells
    whether it depends on them.
    """
    hdi, around = difference.hdi(prob), difference.around(rope)

    def code(move: float) -> str:
        moved = Interval(hdi.low + move, hdi.high + move)
        beyond = difference.around(Interval(rope.low - move, rope.high - move))
        return code_of(moved, rope, beyond, difference.mean + move)

    lead, now = lead_of(difference, names, prob, shift=shift), code(0.0)
    changes = shift != 0 and {code(-shift), code(shift)} != {now}
    return Decision(now, hdi, rope, around, lead, names, metric, prob, depends_on_splits=changes)


@dataclass(frozen=True, repr=False)
class OneSidedDecision(InWords):
    """The answer to a one-sided question about A minus B; `str` and `repr` return a sentence.

    In a condition, it is true if the answer is yes, and false if it is no or not settled.

    Attributes
    ----------
    question : {"non-inferiority", "superiority", "above"}
        Whether A is not worse than B by more than the margin, or better by more than the margin; or
        whether the metric of A alone is above the margin.
    answer : {"yes", "no", "not settled"}
        "yes" if the probability is at least `prob`, "no" if it is at most ``1 - prob``.
    probability : float
        The posterior probability that the answer is yes.
    margin : float
        The margin.
    prob : float
        The probability that is required, now if there is a plan.
    names : tuple of str
        The names of A and B, or of A alone.
    metric : str
        The name of the metric.
    applies_to : str
        Which models or learners the answer is about, in a sentence; "" if that is not known.
    plan : Plan or None
        How many items or instances there are now, and how many were planned.
    n_more : int or None
        With a plan, how many more a yes requires if the difference stays as it is; None if more
        than planned, and if the answer is settled.

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
    names: tuple[str, ...] = ("A", "B")
    metric: str = "score"
    applies_to: str = ""
    plan: Plan | None = None
    n_more: int | None = None

    def __bool__(self) -> bool:
        return self.answer == "yes"

    @property
    def settled(self) -> bool:
        """Whether the answer is yes or no."""
        return self.answer != "not settled"

    def __str__(self) -> str:
        asked, opposite, verdict = self._asked()
        # Early in a plan, what is required is so near 1 that only the items tell how far it is.
        least = percent(self.prob) if self.prob <= 0.9999 else "more than 99.99%"
        about = "" if self.question == "above" else f"{self._called}; "
        basis, probability = f"{about}{least} required", self.probability
        if self.answer == "no":
            verdict, asked, probability = verdict and f"not {verdict}", opposite, 1 - probability
        chance = format_probability(probability, threshold=self.prob)
        sentence = f"{verdict}{asked} with probability {chance}"
        if not self.settled:
            sentence = f"not settled: the probability that {asked} is {chance}"
        if self.plan is not None:
            basis += f" at {self.plan.n_now:,} of {self.plan.planned:,} planned {self.plan.units}"
            if self.n_more is not None:
                basis += f"; {self.n_more:,} more give one if the difference stays as it is"
            elif not self.settled and self.plan.n_now < self.plan.planned:
                basis += "; all of them are too few if the difference stays as it is"
        notes = self._notes("this answer")
        if self.applies_to and not self.trained_on:
            notes.append(self.applies_to)
        return "\n   ".join([f"{sentence} ({basis})", *notes])

    def _asked(self) -> tuple[str, str, str]:
        """Return what is asked as a sentence, its opposite, and how a yes begins."""
        if self.question == "above":
            is_loss = self.metric.startswith("neg_")
            side = f"below {-self.margin:.4g}" if is_loss else f"above {self.margin:.4g}"
            who = f"the {self._called} of {self.names[0]} is"
            return f"{who} {side}", f"{who} not {side}", ""
        by = f" by more than {self.margin:.4g}" if self.margin else ""
        a, b = self.names
        if self.question == "non-inferiority":
            close = f"at most {self.margin:.4g} worse" if self.margin else "not worse"
            return f"{a} is {close} than {b}", f"{a} is worse than {b}{by}", "safe to ship: "
        return f"{a} is better than {b}{by}", f"{a} is not better than {b}{by}", ""


class Plan(NamedTuple):
    """How many items or instances there are, of how many that are planned in all.

    Attributes
    ----------
    n_now, planned : int
        The numbers.
    units : str
        What is counted.

    Examples
    --------
    >>> from skbayeseval.judgement.distribution import Plan
    >>> [round(Plan(n, 2000).score_required(0.95), 2) for n in (200, 1000, 2000)]
    [6.2, 2.77, 1.96]
    """

    n_now: int
    planned: int
    units: str = "instances"

    def score_required(self, prob: float) -> float:
        """Return how many standard deviations beyond the margin the mean has to be now.

        The boundary of O'Brien and Fleming (1979), c / sqrt(t) at a share t of the plan. As data
        come in, the score times sqrt(t) is a Brownian motion, which reaches c until t = 1 with
        probability 2 (1 - Phi(c)), by the reflection principle. So 1 - `prob` holds for any number
        of looks, wherever they are.
        """
        return float(ndtri((1 + prob) / 2)) / math.sqrt(self.n_now / self.planned)


def one_sided(
    question: str,
    difference: Distribution,
    margin: float,
    prob: float,
    names: tuple[str, ...],
    metric: str,
    *,
    shift: float = 0.0,
    plan: Plan | None = None,
) -> OneSidedDecision:
    """Return the answer that the posterior of A minus B, or of the metric of A alone, gives.

    `shift` is how far other random splits could move the difference. With a plan, `prob` is what
    all looks together are to be right with.
    """
    prob, score = check_probability(prob), 0.0
    if plan is not None:
        score = plan.score_required(prob)
        prob = float(ndtr(score))
    # Fewer than ten draws do not tell a probability: the mean must be as far away, too.
    is_far = plan is not None and (1 - prob) * len(difference.draws) < 10
    far = score * difference.sd if is_far else -math.inf
    limit = -margin if question == "non-inferiority" else margin

    def probability(move: float) -> float:
        around = difference.around(Interval(limit - move, limit - move))
        return 1 - around.worse if question == "non-inferiority" else around.better

    def answer(move: float) -> str:
        chance, gain = probability(move), difference.mean + move - limit
        if chance >= prob and gain >= far:
            return "yes"
        return "no" if chance <= 1 - prob and gain <= -far else "not settled"

    now, gain, n_more = answer(0.0), difference.mean - limit, None
    changes = shift != 0 and {answer(move) for move in (-shift, shift)} != {now}
    if plan is not None and now == "not settled" and gain > 0:
        # The score grows as the square root of the number, and what is required falls as it does.
        needed = max(plan.n_now * score * difference.sd / gain, plan.n_now + 1)
        n_more = math.ceil(needed) - plan.n_now if needed <= plan.planned else None
    return OneSidedDecision(
        question, now, probability(0.0), margin, prob, names, metric,
        depends_on_splits=changes, plan=plan, n_more=n_more,
    )  # fmt: skip
