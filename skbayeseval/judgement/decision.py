"""Decisions from the HDI of a difference and a region of practical equivalence (ROPE).

`expected_loss` chooses by what the wrong choice would lose instead.

Decisions know of other splits. The variance between repeats, divided by their number, is that of
the same data split anew (measured: within 30%). A decision that changes if the difference moves as
far as 94% of other splits would move it says so. What other splits do to the width is left out,
which is why some changes are missed (docs/calibration.md).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from numbers import Real
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from skbayeseval._arrays import wrong
from skbayeseval._html import block, lines, shares
from skbayeseval._validation import as_float
from skbayeseval.judgement.intervals import Interval


@dataclass(frozen=True, repr=False, kw_only=True)
class InWords:
    """Base class of what is decided: `repr` and notebooks show the sentences of `str`.

    Attributes
    ----------
    called : str
        What sentences call the metric; its name if empty.
    depends_on_splits : bool
        Whether other random splits of the same data could change what is decided.
    n_repeats : int
        The number of repeats of the cross-validation; 1 if there are none.
    more_repeats : str
        Which `cv` has more repeats of the same splits, as code; "" if none is known.
    trained_on : str
        After a cross-validation, which learners or models it applies to; otherwise "".
    other_metrics : tuple of str
        Further metrics of the result, if this is about the first of them only because no other one
        was asked for.
    """

    called: str = ""
    depends_on_splits: bool = False
    n_repeats: int = 1
    more_repeats: str = ""
    trained_on: str = ""
    other_metrics: tuple[str, ...] = field(default=(), compare=False)
    # What to ask instead of whether it is true.
    _to_ask: ClassVar[str]

    def __bool__(self) -> bool:
        raise TypeError(
            f"A {type(self).__name__} is neither true nor false. Ask for {self._to_ask}."
        )

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        return block(lines(str(self)))

    @property
    def _called(self) -> str:
        """What sentences call the metric."""
        return self.called or str(vars(self)["metric"])

    def _notes(self, what: str = "this decision") -> list[str]:
        """Return what else must be known: that splits matter, and that there are other metrics."""
        notes = []
        if self.depends_on_splits:
            notes = [on_other_splits(self.n_repeats, what, self.more_repeats)]
        if self.other_metrics:
            which = " or ".join(map(repr, self.other_metrics))
            if len(self.other_metrics) > 3:
                which = f" one of the {len(self.other_metrics)} others"
            notes.append(f"Only about {self._called}; for other metrics, pass metric={which}.")
        return [*notes, self.trained_on] if self.trained_on else notes


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


# From these probabilities of the one who is ahead on, sentences say "probably better" and "better".
PROBABLY, CLEARLY = 0.9, 0.975


def on_the_scale(
    probability: float, ahead: str, what: str, unclear: str, more: str = "", leads: str = "ahead"
) -> str:
    """Return who is ahead, on the scale of words that all sentences share.

    Parameters
    ----------
    probability : float
        The probability of the one who is ahead.
    ahead, what, unclear : str
        Who is ahead; what that one is, if this is clear; what is said if it is not.
    more : str, default=""
        What else is known of the probability.
    leads : str, default="ahead"
        What the probability is of, if it is not clear.

    Examples
    --------
    >>> from skbayeseval.judgement.decision import on_the_scale
    >>> for probability in (0.56, 0.92, 0.996):
    ...     on_the_scale(probability, "B", "better than A", "No clear difference")
    'No clear difference (B ahead with probability 56.0%)'
    'B is probably better than A (probability 92.0%)'
    'B is better than A (probability 99.6%)'
    """
    threshold = PROBABLY if probability < (PROBABLY + CLEARLY) / 2 else CLEARLY
    chance = format_probability(probability, words=True, threshold=threshold) + more
    if probability < PROBABLY:
        return f"{unclear} ({ahead} {leads} with probability {chance})"
    return (
        f"{ahead} is {'' if probability >= CLEARLY else 'probably '}{what} (probability {chance})"
    )


@dataclass(frozen=True)
class Lead:
    r"""Who of two is ahead, how surely and by how much: what sentences about them are made of.

    Attributes
    ----------
    names : tuple of str
        The names of A and B.
    sign : {1, -1, 0}
        1 if A is ahead, -1 if B is, 0 if neither is.
    probability : float
        The probability of the one who is ahead.
    equal : float
        The probability that both are exactly equal.
    mean : float
        The mean difference, A minus B; the median if a few draws carry the mean.
    hdi : Interval
        The interval of the difference, A minus B.
    prob : float
        The mass of the interval.
    over_splits : tuple of float
        The lowest and the highest probability over other splits of the same data, if these could
        change what is said; otherwise empty.

    Examples
    --------
    >>> from skbayeseval.judgement import Interval
    >>> from skbayeseval.judgement.decision import Lead
    >>> lead = Lead(("A", "B"), -1, 0.996, 0.0, -0.025, Interval(-0.043, -0.007))
    >>> print(lead.verdict(" on f1"), lead.amount(), sep="\n")
    B is better than A on f1 (probability 99.6%)
    B ahead by 0.025, 95% interval 0.007 to 0.043
    """

    names: tuple[str, str]
    sign: int
    probability: float
    equal: float
    mean: float
    hdi: Interval
    prob: float = 0.95
    over_splits: tuple[float, ...] = ()

    @property
    def ahead(self) -> str:
        """The name of the one who is ahead; of A, if neither is."""
        return self.names[self.sign < 0]

    def verdict(self, where: str = "") -> str:
        """Return who is better, without a full stop; `where` is such as " on f1"."""
        a, b = self.names
        unclear = f"No clear difference between {a} and {b}{where}"
        if self.equal >= self.probability:
            return f"{unclear} (equal with probability {format_probability(self.equal)})"
        if not self.sign:
            return f"{unclear} (neither is ahead)"
        over = " and ".join(format_probability(chance) for chance in self.over_splits)
        more = f", between {over} over other splits" if over else ""
        what = f"better than {self.names[self.sign > 0]}{where}"
        return on_the_scale(self.probability, self.ahead, what, unclear, more)

    def amount(self) -> str:
        """Return by how much the one is ahead, seen from there, from the worst to the best."""
        (low, high), mean = self.hdi, self.mean
        if self.sign < 0:
            low, high, mean = -high, -low, -mean
        digits = digits_of(self.hdi)
        estimate, *ends = (f"{abs(value):.{digits}f}" for value in (mean, low, high))
        interval = f"{percent(self.prob)} interval"
        if not self.sign or mean <= 0 or float(estimate) == 0:  # of a skewed difference, too
            return f"hardly any; {interval}: {self.ahead} {ends[0]} behind to {ends[1]} ahead"
        between = f"{ends[0]} to {ends[1]}"
        if low < 0:
            between = f"from {ends[0]} behind to {ends[1]} ahead"
        return f"{self.ahead} ahead by {estimate}, {interval} {between}"


@dataclass(frozen=True, repr=False)
class Decision(InWords):
    """The decision about the difference A minus B; `str` and `repr` return it as a sentence.

    A decision is settled if the HDI is beyond the ROPE or inside it. Otherwise the code tells only
    which side of the ROPE has more probability, and the sentence gives the probabilities.

    Attributes
    ----------
    code : {"<<", "<", "~", ">", ">>", "?"}
        The decision as an ASCII code.
    hdi : Interval
        The highest-density interval of the difference.
    rope : Interval
        The region of practical equivalence.
    probabilities : Probabilities
        The posterior probabilities that the difference is below, inside and above the ROPE.
    lead : Lead
        Who is ahead and by how much, in words.
    names : tuple of str
        The names of A and B.
    metric : str
        The name of the metric.
    prob : float
        The probability mass of the HDI.
    units : str
        What there must be more of to settle the decision: "labelled instances", "instances",
        "items", "groups", "blocks", or "evidence" of another kind; "" if nothing could. Where one
        class is scarce, its name follows, as in "labelled instances of class 1".
    turn : str
        What changes with the number of training instances; "" if that is nothing, or not known.

    Examples
    --------
    >>> from skbayeseval import compare_counts
    >>> result = compare_counts((900, 50, 60), (700, 150, 260), random_state=0)
    >>> decision = result.decision(rope=0.01)
    >>> decision.code, decision.label, decision.settled
    ('>>', 'significantly better', True)
    """

    code: str
    hdi: Interval
    rope: Interval
    probabilities: Probabilities
    lead: Lead
    names: tuple[str, str] = ("A", "B")
    metric: str = "score"
    prob: float = 0.95
    units: str = "evidence"
    turn: str = ""
    _to_ask: ClassVar[str] = (
        "its code, such as decision.code == '>>', or for superiority(margin) or "
        "non_inferiority(margin), which are true if the answer is yes"
    )

    @property
    def symbol(self) -> str:
        """The decision as a symbol for display."""
        return WORDS[self.code][0]

    @property
    def label(self) -> str:
        """The decision in words."""
        return WORDS[self.code][1]

    @property
    def settled(self) -> bool:
        """Whether A is significantly better or worse, or practically equivalent."""
        return self.code in SETTLED

    @property
    def settled_code(self) -> str:
        """The code of what is settled, otherwise "?"."""
        return self.code if self.settled else "?"

    def __str__(self) -> str:
        notes = [self._missing(), " ".join(self._notes())]
        if self.turn:  # four lines at most
            notes = [" ".join(filter(None, notes))]
        first, *below = filter(None, [self.turn, self.in_short(), *notes])
        return "\n   ".join([first, *below])

    def in_short(self) -> str:
        """Return the decision and what it is based on, without advice."""
        lead = self.lead.amount()
        basis = f"{self._called}: {lead}; {in_rope(self.rope, self.names)}"
        return f"{self.headline(limits=True)}{' ' if self.settled else chr(10) + '   '}({basis})"

    def headline(self, *, limits: bool = False) -> str:
        """Return what is decided, or the probabilities of the three cases if nothing is."""
        if not self.settled:
            # Without the symbol: "<" and ">" would read as if they were decisions.
            return f"not settled: {self.chances(limits=limits)}"
        a, b = self.names
        than = "to" if self.code == "~" else "than"
        return f"{self.symbol}  {a} {self.label} {than} {b}"

    def chances(self, *, limits: bool = False) -> str:
        """Return the probabilities, that of the one who is ahead first, with or without limits."""
        a, b = self.names
        worse, equivalent, better = self.probabilities
        low, high = (
            f" by more than {end:.4g}" * (limits and end > 0)
            for end in (-self.rope.low, self.rope.high)
        )
        said = [
            f"{self._chance(better)} {a} better{high}",
            f"{self._chance(worse)} {b} better{low}",
        ]
        if self.lead.sign < 0:
            said.reverse()
        if self.rope.low < self.rope.high:
            said.insert(1, f"{self._chance(equivalent)} equivalent")
        return ", ".join(said)

    def _missing(self) -> str:
        """Return what would settle the decision; an empty string if it is settled."""
        if self.settled:
            return ""
        low, high = self.rope
        where = "outside what is equivalent (one is better) or inside (they are equivalent)"
        if low == -high:
            where = (
                where.replace("what is equivalent", f"±{high:.4g}") if high else "on one side of 0"
            )
        needed = f"Settled once the whole {percent(self.prob)} interval is {where}"
        if not self.units:
            return f"{needed}."
        is_planned = self.units.startswith(PLANNED)
        how_many = "; required_sample_size estimates how many" if is_planned else ""
        return f"{needed}: more {self.units} could settle it{how_many}."

    def _repr_html_(self) -> str:
        a, b = self.names
        worse, equivalent, better = self.probabilities
        parts = [
            (f"{self._chance(worse)} {b} better", worse, "#d55e00"),
            (f"{self._chance(equivalent)} equivalent", equivalent, "#009e73"),
            (f"{self._chance(better)} {a} better", better, "#0072b2"),
        ]
        return block(lines(str(self)), shares(parts))

    def _chance(self, probability: float) -> str:
        return format_probability(probability, threshold=self.prob)


def in_rope(rope: Interval, names: tuple[str, str] | None = None) -> str:
    """Return in words which differences are in the ROPE; of A minus B if these have no names.

    Examples
    --------
    >>> from skbayeseval.judgement import Interval
    >>> from skbayeseval.judgement.decision import in_rope
    >>> in_rope(Interval(-0.01, 0.01))
    'differences up to 0.01 are equivalent'
    >>> in_rope(Interval(-0.01, 0.03), ("new", "old"))
    'from old ahead by 0.01 to new ahead by 0.03 is equivalent'
    """
    low, high = rope
    if low == high == 0:
        return "any difference counts"
    if low == -high:
        return f"differences up to {high:.4g} are equivalent"
    a, b = names or ("A", "B")
    ends = (f"{a if end > 0 else b} ahead by {abs(end):.4g}" if end else "equal" for end in rope)
    return f"from {' to '.join(ends)} is equivalent"


def on_other_splits(n_repeats: int, what: str, more_repeats: str) -> str:
    """Return a sentence that other random splits could change what was decided."""
    words = f"Other random splits could change {what}"
    if n_repeats >= MANY_REPEATS:
        return f"{words}, even after {n_repeats} repeats."
    advice = f"; more repeats would help, such as {more_repeats}" if more_repeats else ""
    return f"{words}{advice}."


# The units whose number `required_sample_size` can estimate.
PLANNED = ("labelled instances", "items")

# A percentage has so many digits after the point at most.
MOST_DIGITS = 8

# The codes of settled decisions.
SETTLED = ("<<", "~", ">>")

# So many repeats of a cross-validation are advised, if there are fewer.
MANY_REPEATS = 7

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

# A decision as tables show it: the symbol of what is settled, otherwise words.
IN_TABLES = {code: symbol if code in SETTLED else label for code, (symbol, label) in WORDS.items()}

# What summaries have in the place of a code if no ROPE was given.
NO_ROPE = "no ROPE"


def code_of(hdi: Interval, rope: Interval, probabilities: Probabilities, mean: float) -> str:
    """Compare the HDI with the ROPE (Zhang et al. 2016, section 3.2.2)."""
    return str(_codes(*hdi, rope, probabilities.better - probabilities.worse, mean))


def codes_given_hdi(
    draws: NDArray[Any], low: NDArray[Any], high: NDArray[Any], rope: Interval
) -> NDArray[Any]:
    """Return the decision code for each row of draws, whose HDIs have these ends."""
    better, worse = (draws > rope.high).mean(axis=1), (draws < rope.low).mean(axis=1)
    return _codes(low, high, rope, better - worse, draws.mean(axis=1))


def _codes(low: Any, high: Any, rope: Interval, lean: Any, mean: Any) -> Any:
    lean = np.where(lean == 0, mean, lean)
    inside = (rope.low <= low) & (high <= rope.high)
    otherwise = np.ones_like(inside)
    holds = [inside, high < rope.low, low > rope.high, lean < 0, lean > 0, otherwise]
    # The first that holds; for a single decision, np.select takes several times as long.
    return np.array(["~", "<<", ">>", "<", ">", "?"])[np.argmax(holds, axis=0)]


def format_probability(
    probability: float, *, words: bool = False, threshold: float = 0.95, digits: int = 1
) -> str:
    """Format a probability as a percentage that never claims certainty.

    There are more digits where it would be rounded to the other side of the threshold, or of 1
    minus the threshold: below 0.95, 0.9496 is 94.96%.

    Parameters
    ----------
    probability : float
        The probability.
    words : bool, default=False
        Whether to write "more than" in the place of ">".
    threshold : float, default=0.95
        The probability that is required.
    digits : int, default=1
        The number of digits of the percentage after the point.
    """
    least = 0.5 * 10.0 ** -(digits + 2)
    if probability >= 1 - least:
        return f"{'more than ' if words else '>'}{100 - 10.0**-digits:.{digits}f}%"
    if probability < least:
        return f"{'less than ' if words else '<'}{10.0**-digits:.{digits}f}%"
    text = f"{100 * probability:.{digits}f}"
    for limit in (threshold, 1 - threshold):
        while (float(text) >= 100 * limit) != (probability >= limit) and digits < MOST_DIGITS:
            digits += 1
            text = f"{100 * probability:.{digits}f}"
    return f"{text}%"


def percent(prob: float) -> str:
    """Return a probability that was asked for, such as "95%"."""
    return f"{100 * prob:.{3 if prob < 0.99 else 6}g}%"


def basis_of(called: str, prob: float, rope: Interval, names: Any = None) -> str:
    """Return what decisions are based on: the metric, the intervals and the ROPE."""
    return f"{called}, {percent(prob)} intervals; {in_rope(rope, names)}"


def format_interval(interval: Interval, sign: bool = True) -> str:
    """Format the interval with a number of digits that depends on its width."""
    digits = digits_of(interval)
    ends = (f"{end + 0.0:{'+' if sign and end else ''}.{digits}f}" for end in interval)
    return f"[{', '.join(ends)}]"


def digits_of(interval: Interval) -> int:
    """Return how many digits after the point an interval and what lies in it are shown with."""
    width = interval.high - interval.low
    magnitude = math.floor(math.log10(width)) if 0 < width < math.inf else 0
    return min(max(1 - magnitude, 3 if magnitude < 1 else 0), 8)


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
    largest : tuple of float
        The loss of choosing each classifier that is exceeded with a probability of 2.5% only.
    p_best : float
        The probability that the choice loses nothing.

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
    largest: tuple[float, ...] = (0.0, 0.0)
    p_best: float = 1.0
    _to_ask: ClassVar[str] = "its choice, or its losses"

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

    def in_short(self) -> str:
        """Return what to choose, and what another choice may cost, without a full stop."""
        name, other, *_ = sorted(self.names, key=lambda one: self.losses[self.names.index(one)])
        worse = self.names.index(other)
        more = self.losses[worse] - self.waiting
        if more == 0:
            return f"either {name} or {other}, which cost the same"
        unit = f" in {self._called}" if set(self.cost) == {1.0} else ""
        on_average = f"{other} would cost {_written(more)}{unit} on average"
        if more < self.waiting:
            return f"either, {name} by a hair; {on_average}"
        if self.p_best < CLEARLY:
            return f"{name}; {on_average}, and may cost up to {_written(self.largest[worse])}"
        return f"{name}; {on_average}"

    def __str__(self) -> str:
        losses = sorted(zip(self.losses, self.names, strict=True), key=lambda one: one[0])
        shown = [f"{_written(loss)} with {name}" for loss, name in losses[: MOST_NAMES + 1]]
        if len(losses) > len(shown):
            shown.append(f"more with {len(losses) - len(shown)} others")
        what, costs = f"loss in {self._called}", ""
        if set(self.cost) != {1.0}:
            each = [f"{c:,.12g} with {of}" for c, of in zip(self.cost, self.names, strict=True)]
            together = f"{self.cost[0]:,.12g}" if len(set(self.cost)) == 1 else " and ".join(each)
            what = "cost"
            costs = f", where a loss of 1 in {self._called} costs {together}"
        known = "the difference is known" if len(self.names) == 2 else "it is known who is the best"
        sentence = (
            f"Choose {self.in_short()}. The expected {what} is {', '.join(shown)}{costs}. To wait "
            f"until {known} would save {_written(self.waiting)} on average, at most."
        )
        return " ".join([sentence, *self._notes()])


def expected_loss(
    draws: NDArray[Any],
    allowed: Sequence[float],
    cost: tuple[float, ...],
    names: tuple[str, ...],
    metric: str,
) -> ExpectedLoss:
    """Return the expected losses.

    Parameters
    ----------
    draws : ndarray of shape (n_classifiers, n_draws)
        Draws of the metric of each classifier.
    allowed : sequence of float
        By how much each classifier may be behind the best without a loss.
    cost, names, metric
        As in `ExpectedLoss`.
    """
    behind = draws.max(axis=0) - draws
    lost = np.where(behind > np.asarray(allowed)[:, None], behind, 0.0)
    losses, largest = lost.mean(axis=1) * cost, np.quantile(lost, CLEARLY, axis=1) * cost
    p_best = float((lost[np.argmin(losses)] == 0).mean())
    return ExpectedLoss(
        tuple(losses.tolist()), names, metric, cost, tuple(largest.tolist()), p_best
    )


def _written(loss: float) -> str:
    """Return a loss with as many digits as differences have, or two, without an exponent."""
    if loss >= 100:
        return f"{loss:,.0f}"
    if 0.01 <= round(loss, 3) < 1:
        return f"{loss:.3f}"
    return np.format_float_positional(loss, 2, fractional=False, trim="-")


def check_cost(cost: Any, number: int = 2) -> tuple[float, ...]:
    """Return the cost of wrongly choosing each of so many classifiers."""
    each = (cost,) * number if isinstance(cost, Real) else cost
    try:
        costs = tuple(as_float(one) for one in each)
    except (TypeError, ValueError):
        costs = ()
    if len(costs) != number:
        wanted = f"a number, or {number} numbers, one per classifier"
        raise wrong("cost", wanted, cost, TypeError)
    if not all(0 < one < np.inf for one in costs):
        raise wrong("cost", "positive and finite", cost)
    return costs
