"""What a result means, in plain sentences that claim no more than its numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from skbayeseval.judgement.decision import Decision, format_probability, on_other_splits
from skbayeseval.judgement.intervals import Interval
from skbayeseval.judgement.ranking_decision import RankingDecision
from skbayeseval.metrics.confusion import Metric
from skbayeseval.metrics.registry import in_plain_words
from skbayeseval.results.text import (
    cautions,
    decimals,
    join_words,
    means_of_splits,
    plain,
    positive_class,
    what_it_applies_to,
    what_was_tested,
    where_probabilities_come_from,
)

if TYPE_CHECKING:
    from skbayeseval.results.base import PosteriorView
    from skbayeseval.results.comparison import ComparisonResult
    from skbayeseval.results.ranking import Ranking
    from skbayeseval.results.single import ScoreResult

# With more metrics than this, only the first are explained.
MOST_METRICS = 4

# The values of so many classifiers are told.
MOST_VALUES = 4

# From this probability on, one classifier is called better; below, both probabilities are told.
CLEAR = 0.95


# What is said of several metrics.
ON_ITS_OWN = "Each metric is judged on its own."


def explain_comparison(
    result: ComparisonResult, rope: Any = None, *, beside_a_table: bool = False
) -> str:
    """Return what a comparison means: a paragraph on the question, each metric and the limits.

    Beside a table of all metrics, only the first metric has a paragraph.
    """
    paragraphs, unstable = [], []
    for name in result.metrics[:MOST_METRICS]:
        which = result._metric(name)
        sentences = [*_difference(result, which)]
        if rope is not None:
            decision = result.decision(rope, metric=which)
            sentences.append(_declared(decision.rope, decision.names))
            if result._posterior.what_is_identical(which) is None or decision.settled:
                sentences += _relevance(decision)
            else:
                chance = _chance(decision.probabilities.equivalent, decision.prob)
                sentences.append(
                    f"The difference is that small with probability {chance}: too few data were "
                    "seen to settle that they are equivalent."
                )
            if decision.depends_on_splits:
                unstable.append(on_other_splits(decision.n_repeats, "what is settled"))
        paragraphs.append(" ".join(sentences))
    remarks = []
    if rope is None:
        remarks.append(
            "Whether a difference of this size matters is not for statistics to say: pass rope=r, "
            "the largest difference r that does not matter to you, to have it taken into account."
        )
    if len(result.metrics) > 1:
        remarks.append(ON_ITS_OWN)
    if beside_a_table:
        paragraphs = paragraphs[:1]
    else:
        remarks += _on_other_metrics(result, "summary()")
    return _explained(result, paragraphs, remarks, "two models", last=unstable[:1])


def explain_score(result: ScoreResult) -> str:
    """Return what the posterior of one classifier means."""
    paragraphs = []
    for name in result.metrics[:MOST_METRICS]:
        which = result._metric(name)
        low, high = hdi = result.hdi(metric=which)
        digits = decimals(hdi)
        observed = plain(result._posterior.observed(which)[0], digits)
        known = (
            f"Allowing for chance, the {name} on many more instances like these is between "
            f"{plain(low, digits)} and {plain(high, digits)} with probability 95%."
        )
        paragraphs.append(" ".join([*_seen(which, result, [observed]), known]))
    return _explained(result, paragraphs, _on_other_metrics(result, "summary()"), "model")


def explain_ranking(result: Ranking, rope: Any = None, *, beside_a_table: bool = False) -> str:
    """Return what a ranking means: who is best, who is as good, who is surely worse.

    Beside a table of all metrics, only the first metric has a paragraph.
    """
    paragraphs = []
    for name in result.metrics[: 1 if beside_a_table else MOST_METRICS]:
        which = result._metric(name)
        sentences = [*_leader(result, which)]
        if rope is not None:
            sentences += _groups(result.decision(rope, metric=which))
        paragraphs.append(" ".join(sentences))
    remarks = []
    if rope is None:
        remarks.append(
            "Which differences matter is not for statistics to say: pass rope=r, the largest "
            "difference r that does not matter to you, to have it taken into account."
        )
    if len(result.names) > 2:
        remarks.append(
            "Of several equal classifiers some look better by chance, so differences were shrunk "
            "for ranks and decisions: these may be more cautious than the comparison of a pair."
        )
    if len(result.metrics) > 1:
        remarks.append(ON_ITS_OWN)
    if not beside_a_table:
        remarks += _on_other_metrics(result, "summary(metric=...)")
    see = "pairs[i, j].prior_sensitivity()"
    return _explained(result, paragraphs, remarks, "models", see=see)


def _explained(
    result: PosteriorView,
    paragraphs: Sequence[str],
    remarks: Sequence[str],
    models: str,
    *,
    see: str = "prior_sensitivity()",
    last: Sequence[str] = (),
) -> str:
    """Return paragraphs on what was tested, on each metric, and on the limits of the result."""
    explained = [result._metric(name) for name in result.metrics[:MOST_METRICS]]
    limits = [
        *remarks,
        *what_it_applies_to(result, models),
        where_probabilities_come_from(result),
        *cautions(result, explained, see),
        *last,
    ]
    return "\n\n".join([" ".join(what_was_tested(result)), *paragraphs, " ".join(limits)])


def _on_other_metrics(result: PosteriorView, where: str) -> list[str]:
    """Return a sentence on where the metrics are that are not explained, if there are any."""
    more = len(result.metrics) - MOST_METRICS
    return [f"{where} has the other {more} metrics."] if more > 0 else []


def _difference(result: ComparisonResult, metric: Metric) -> Iterator[str]:
    """Yield sentences on who is better, by how much, and how surely."""
    a, b = result.names
    difference = result._distribution(metric)
    observed = result._posterior.observed(metric)
    low, high = difference.hdi()
    digits = decimals(Interval(low, high))
    values = [f"{plain(observed[0], digits)} for {a}", f"{plain(observed[1], digits)} for {b}"]
    yield from _seen(metric, result, values)
    means = means_of_splits(result, metric, digits)
    if means:
        yield (
            "That is of all splits pooled; the mean of the scores of the splits is "
            f"{plain(means[a], digits)} for {a} and {plain(means[b], digits)} for {b}."
        )
    identical = result._posterior.what_is_identical(metric)
    if identical is not None:
        yield (
            f"Their {identical} are the same, so nothing here tells {a} and {b} apart; with "
            "probability 95% or more, their difference on other instances is at most "
            f"{plain(max(-low, high), digits)} in either direction."
        )
        return
    worse, equal, better = difference.around(Interval(0.0, 0.0))
    first, second = (a, b) if better >= worse else (b, a)
    of_first, of_second = _chance(max(worse, better)), _chance(min(worse, better))
    if equal >= max(worse, better):
        yield (
            f"{a} and {b} are equal with probability {_chance(equal)}; {first} is better with "
            f"probability {of_first}, {second} with {of_second}."
        )
    elif max(worse, better) >= CLEAR:
        yield f"Allowing for chance, {first} is better than {second} with probability {of_first}."
    else:
        yield (
            f"Allowing for chance, it is not clear which one is better: {first} with probability "
            f"{of_first}, {second} with {of_second}."
        )
    yield _how_much((a, b), difference.mean, Interval(low, high), digits)


def _how_much(names: tuple[str, str], mean: float, hdi: Interval, digits: int) -> str:
    """Return a sentence on the size of the difference and how far it is known."""
    ahead, behind = names if mean >= 0 else names[::-1]
    low, high = hdi if mean >= 0 else (-hdi.high, -hdi.low)
    estimate = f"The best estimate is that {ahead} is ahead by {plain(abs(mean), digits)}"
    if low >= 0:
        return (
            f"{estimate}; with probability 95%, its lead is between {plain(low, digits)} and "
            f"{plain(high, digits)}."
        )
    return (
        f"{estimate}, but with probability 95% it is anything from {behind} ahead by "
        f"{plain(-low, digits)} to {ahead} ahead by {plain(high, digits)}."
    )


def _relevance(decision: Decision) -> Iterator[str]:
    """Yield sentences on what the ROPE means for the difference, and what would settle it."""
    a, b = decision.names
    rope = decision.rope
    worse, equivalent, better = decision.probabilities
    point = rope.low == rope.high == 0
    sure = f"{100 * decision.prob:.3g}%"
    beyond = "" if point else " by more than that" if rope.low <= 0 <= rope.high else " beyond that"
    if decision.code == "~":
        yield (
            f"All of the {sure} most credible differences lie inside this range, so for practical "
            f"purposes {a} and {b} are equivalent: this is settled. It does not mean that they "
            "are exactly equal."
        )
    elif decision.settled:
        first, second = (a, b) if decision.code == ">>" else (b, a)
        chance = _chance(max(worse, better), decision.prob)
        yield (
            f"{first} is better than {second}{beyond} with probability {chance}, and all of the "
            f"{sure} most credible differences agree: this is settled."
        )
    else:
        cases = [(better, f"{a} is better{beyond}"), (worse, f"{b} is better{beyond}")]
        if not point:
            cases.append((equivalent, "the difference is too small to matter"))
        cases.sort(key=lambda case: -case[0])
        told = [
            f"{words} with probability {_chance(chance, decision.prob)}" for chance, words in cases
        ]
        yield f"This is not settled: {join_words(told)}."
        if cases[0][0] >= decision.prob:
            yield f"Not all of the {sure} most credible differences agree on the first."
        yield f"More {decision.units} could settle it."


def _declared(rope: Interval, names: tuple[str, str]) -> str:
    """Return a sentence on what was declared to be too small to matter."""
    if rope.low == rope.high == 0:
        return "No difference was declared too small to matter."
    if rope.low == -rope.high:
        return f"Differences of up to {rope.high:.4g} were declared too small to matter."
    a, b = names
    return (
        f"Differences ({a} minus {b}) from {rope.low:+.4g} to {rope.high:+.4g} were declared too "
        "small to matter."
    )


def _leader(result: Ranking, metric: Metric) -> Iterator[str]:
    """Yield sentences on who is most probably the best, and who could be instead."""
    table = result.ranking(metric=metric)
    order = table["p_best"].sort_values(ascending=False, kind="stable")
    best = order.index[0]
    row = table.loc[best]
    digits = decimals(Interval(row["hdi_low"], row["hdi_high"]))
    seen = table["observed"][order.index[:MOST_VALUES]]
    values = [f"{plain(value, digits)} for {name}" for name, value in seen.items()]
    if len(table) > MOST_VALUES:
        values.append(f"other values for {len(table) - MOST_VALUES} more")
    yield from _seen(metric, result, values)
    others = [f"{name} with {_chance(p)}" for name, p in order.iloc[1:].items() if p >= 0.05]
    chance = f"Allowing for chance, {best} is the best with probability {_chance(order.iloc[0])}"
    if others:
        yield f"{chance}; the best could also be {join_words(others, last=' or ')}."
    else:
        yield f"{chance}, and no other one with 5% or more."
    yield (
        f"The {metric.name} of {best} is between {plain(row['hdi_low'], digits)} and "
        f"{plain(row['hdi_high'], digits)} with probability 95%."
    )


def _groups(decision: RankingDecision) -> Iterator[str]:
    """Yield sentences on who is as good as the best, who is surely worse, and who is open."""
    behind = -decision.rope.low
    yield (
        f"Being behind the best by up to {behind:.4g} was declared too small to matter."
        if behind
        else "No difference was declared too small to matter."
    )
    sure = f"with probability {100 * decision.prob:.3g}% or more"
    if decision.best_alone is not None:
        yield f"The best is {decision.best_alone}."
    elif decision.equivalent:
        yield (
            "The best, or as good as the best for practical purposes, "
            f"{sure}: {_named(decision.equivalent)}."
        )
    if decision.worse:
        yield f"Worse than the best by more than that, {sure}: {_named(decision.worse)}."
    if decision.open:
        yield f"Not settled: {_named(decision.open)}. More data could settle it."
    else:
        yield "Nothing is left open."


def _seen(metric: Metric, result: PosteriorView, values: Sequence[str]) -> Iterator[str]:
    """Yield a sentence on what was observed, and what the metric measures."""
    meaning = in_plain_words(metric, chunks=result.evidence.family == "chunks")
    explained = f" ({meaning})" if meaning else ""
    yield f"In this test, {metric.name}{explained} was {join_words(values)}."
    positive = positive_class(result._posterior, [metric])
    if positive is not None:
        yield f"The positive class is {positive!r}."


def _named(names: Sequence[str]) -> str:
    if len(names) > 12:
        return f"{', '.join(names[:10])} and {len(names) - 10} more"
    return join_words(names)


def _chance(probability: float, threshold: float = CLEAR) -> str:
    return format_probability(probability, words=True, threshold=threshold)
