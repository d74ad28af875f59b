"""What a difference and a decision mean, in sentences for readers who know no statistics."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from skbayeseval.judgement.decision import Decision, format_probability
from skbayeseval.judgement.intervals import Interval
from skbayeseval.judgement.ranking_decision import RankingDecision

# More names than this are not all told.
MOST_NAMES = 12


def how_much(names: tuple[str, str], mean: float, hdi: Interval) -> str:
    """Return a sentence on the size of the difference and how far it is known."""
    ahead, behind = names if mean >= 0 else names[::-1]
    low, high = hdi if mean >= 0 else (-hdi.high, -hdi.low)
    estimate = f"The best estimate is that {ahead} is ahead by {abs(mean):.4f}"
    if low >= 0:
        return f"{estimate}; with probability 95%, its lead is between {low:.4f} and {high:.4f}."
    return (
        f"{estimate}, but with probability 95% it is anything from {behind} ahead by {-low:.4f} to "
        f"{ahead} ahead by {high:.4f}."
    )


def meaning_of(decision: Decision) -> Iterator[str]:
    """Yield sentences on what was declared too small to matter, and what is settled."""
    a, b = decision.names
    rope, (worse, equivalent, better) = decision.rope, decision.probabilities
    sure, none = f"{100 * decision.prob:.3g}%", rope.low == rope.high == 0
    beyond = "" if none else " by more than that" if rope.low <= 0 <= rope.high else " beyond that"
    if none:
        yield "No difference was declared too small to matter."
    elif rope.low == -rope.high:
        yield f"Differences of up to {rope.high:.4g} were declared too small to matter."
    else:
        limits = f"from {rope.low:+.4g} to {rope.high:+.4g}"
        yield f"Differences ({a} minus {b}) {limits} were declared too small to matter."

    def chance(probability: float) -> str:
        return format_probability(probability, words=True, threshold=decision.prob)

    if decision.code == "~":
        yield (
            f"All of the {sure} most credible differences lie inside this range, so for practical "
            f"purposes {a} and {b} are equivalent: this is settled. It does not mean that they are "
            "exactly equal."
        )
    elif decision.settled:
        first, second = (a, b) if decision.code == ">>" else (b, a)
        yield (
            f"{first} is better than {second}{beyond} with probability "
            f"{chance(max(worse, better))}, and all of the {sure} most credible differences agree: "
            "this is settled."
        )
    else:
        cases = [(better, f"{a} is better{beyond}"), (worse, f"{b} is better{beyond}")]
        cases += [] if none else [(equivalent, "the difference is too small to matter")]
        chances = [f"{words} with probability {chance(p)}" for p, words in sorted(cases)[::-1]]
        yield f"This is not settled: {_joined(chances)}. More {decision.units} could settle it."
    if decision.depends_on_splits:
        yield "Another choice of splits of the same data could change what is settled."


def meaning_of_ranking(decision: RankingDecision) -> Iterator[str]:
    """Yield sentences on who is as good as the best, who is surely worse, and who is open."""
    behind, prob = -decision.rope.low, 100 * decision.prob
    beyond = " by more than that" if behind else ""
    yield (
        f"Being behind the best by up to {behind:.4g} was declared too small to matter."
        if behind
        else "No difference was declared too small to matter."
    )
    if decision.best_alone is not None:
        yield f"The best is {decision.best_alone}."
    elif decision.equivalent:
        names = _joined(decision.equivalent)
        sure = f"with probability {prob:.3g}% or more"
        yield f"The best, or as good as the best for practical purposes, {sure}: {names}."
    if decision.worse:
        sure = f"with probability {50 + prob / 2:.4g}% or more"
        yield f"Worse than the best{beyond}, {sure}: {_joined(decision.worse)}."
    if decision.open:
        yield f"Not settled: {_joined(decision.open)}. More data could settle it."
    else:
        yield "Nothing is left open."


def _joined(words: Sequence[str]) -> str:
    """Return words as a sentence lists them."""
    if len(words) > MOST_NAMES:
        return f"{', '.join(words[: MOST_NAMES - 2])} and {len(words) - MOST_NAMES + 2} more"
    return " and ".join(filter(None, [", ".join(words[:-1]), words[-1]]))
