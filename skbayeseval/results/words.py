"""A result in words: a sentence and facts for each metric, and facts about the whole.

What is printed, `details`, `explain` and pages are made of these, so that no two of them can say
different things. Functions of one classifier, of a pair and of many stand side by side.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from skbayeseval.evidence.split_scores import SplitScores
from skbayeseval.evidence.unit_numbers import cell_influence, effective_number
from skbayeseval.judgement.decision import (
    CLEARLY,
    PLANNED,
    PROBABLY,
    Lead,
    digits_of,
    expected_loss,
    format_interval,
    format_probability,
)
from skbayeseval.judgement.distribution import lead_of
from skbayeseval.judgement.intervals import Interval
from skbayeseval.judgement.ranking_decision import number_of_copies, who_is_best
from skbayeseval.metrics.metric import Metric
from skbayeseval.metrics.registry import in_headings, sign_in_headings
from skbayeseval.posterior.build import N_CALLS, N_DRAWS, default_draws
from skbayeseval.posterior.posterior import Posterior
from skbayeseval.results.text_tables import (
    decimals,
    in_tiers,
    table_of_many,
    table_of_one,
    with_letters,
    within,
)


class Fact(NamedTuple):
    """What is known, on a line or in a sentence.

    Attributes
    ----------
    keyword, words : str
        What it is about, and what is known.
    call : str
        What to call, which follows the words where Python runs, but not on pages.
    """

    keyword: str
    words: str
    call: str = ""


# How the sentence with each keyword begins; the others begin with the keyword.
BEGINNINGS = {
    "estimate": "The estimate is",
    "model": "The probabilities come from the model",
    "worth": "Cross-validated predictions are worth",
    "weights": "Weights:",
    "splits": "Splits:",
    "large": "With many instances,",
    "averages": "Averages are",
    "prior": "The prior is",
    "copies": "Copies:",
    "metrics": "Metrics:",
    "observed": "Observed:",
    "missing": "Missing scores:",
    "caution": "Caution:",
    "prevalence": "The prevalence is",
    "applies to": "This applies to",
    "note": "Note:",
    "difference": "Difference:",
    "ship now": "If one ships now:",
    "": "",
}

# What is printed below the verdict, besides the first caution; `details` has the rest.
PRINTED = ("estimate", "missing", "note", "prevalence", "applies to", "ship now")

# Splits that balance so many classes with fewer instances each overstate scores.
MANY_CLASSES, FEW_PER_CLASS = 8, 40

# Fewer groups, positives or instances than this are few.
FEW_UNITS = 20

# The observed values of so many classifiers are told.
MOST_VALUES = 4

# Of more classifiers than this, tiers are a column, and only the best are compared in pairs.
MOST_IN_PAIRS = 8

# A class is scarce if it has less than this share of all instances.
SCARCE = 0.25

R = "with r the largest difference that does not matter to you"
WITHOUT_A_ROPE = f"decision(rope=r), {R}"


def as_lines(facts: Iterable[Fact]) -> list[str]:
    """Return facts as lines to print."""
    return [f"  {keyword:<11} {words}{call}" for keyword, words, call in facts]


def as_sentences(
    facts: Iterable[Fact], but: Sequence[str] = (), *, calls: bool = True
) -> list[str]:
    """Return facts as sentences, but for those with some keywords, and with what to call or not."""
    said = []
    for keyword, words, call in facts:
        if keyword not in but:
            words = " ".join(f"{words}{call if calls else ''}".rstrip(".").split())
            said.append(f"{BEGINNINGS.get(keyword, keyword.capitalize())} {words}.".lstrip())
    return said


def in_brief(facts: Sequence[Fact], most_cautions: int = 1) -> list[Fact]:
    """Return what nobody should miss: a caution or so, and what the result applies to."""
    cautions = [fact for fact in facts if fact.keyword == "caution"]
    shown, more = cautions[:most_cautions], len(cautions) - most_cautions
    if more > 0:
        last = shown[-1]
        shown[-1] = last._replace(call=f"{last.call} ({more} more in details())")
    return shown + [fact for fact in facts if fact.keyword in PRINTED]


def facts_of(result: Any, *, basis: bool = True) -> list[Fact]:
    """Return what the posterior stands on, what to be careful about, and what it applies to."""
    remarks = [Fact(*remark) for remark in result.evidence.remarks(result._names)]
    known = [*remarks, *cautions_of(result), *_scope(result)]
    return [*_basis(result), *known] if basis else known


def _basis(result: Any) -> Iterator[Fact]:
    posterior, metrics = result._posterior, result._metrics
    inferred, evidence = posterior.weights, posterior.evidence
    if inferred is not None:
        evidence = evidence.with_weight(1.0)
    independence = "independent" if posterior.trace is None else posterior.engine
    if evidence.family == "systems":
        independence = "Markov chain"
    draws = f"{posterior.n_draws:,} {independence} draws from {evidence.describe()}"
    called = [name for name, metric in metrics.items() if metric.calls_per_draw]
    if called and posterior.n_draws == N_CALLS:
        default = f"by default {N_CALLS:,} and not {N_DRAWS:,}"
        draws += f" ({default}, as {' and '.join(called)} must be called for each)"
    elif posterior.n_draws == default_draws(evidence) < N_DRAWS:
        number = len(posterior.counts[0].labels)
        draws += f" (by default not {N_DRAWS:,}, as there are {number:,} classes)"
    yield Fact("model", f"{posterior.model.name}, {draws}")
    units = "groups" if getattr(posterior.scored, "grouped", False) else "instances"
    resampled = [
        name for name, metric in metrics.items() if metric.own and metric.own.how == "resampling"
    ]
    by_weights = [name for name, metric in metrics.items() if metric.weighs_instances]
    by_weights = [name for name in by_weights if name not in resampled]
    if by_weights and posterior.evidence.has_class_counts:
        yield Fact("model", f"weights of {units} for {', '.join(by_weights)}")
    if resampled:
        yield Fact("model", f"{units} drawn anew with replacement for {', '.join(resampled)}")
    if inferred is not None:
        for name, metric in metrics.items():
            weight, each = inferred.difference(metric), inferred.each(metric)
            words = f"{weight.median:.2g}"
            if len(each) > 1:
                medians = [of_classifier.median for of_classifier in each]
                words = " to ".join(dict.fromkeys(f"{end(medians):.2g}" for end in (min, max)))
            elif not math.isinf(weight.df):
                low, high = weight.interval()
                words = f"{words} ({low:.2g} to {high:.2g})"
            which = f" in {name}" if len(metrics) > 1 else ""
            worth = "independent instances per test prediction"
            yield Fact("worth", f"{words} {worth}{which}, {inferred.basis}")
    together = [name for name, metric in metrics.items() if posterior.sums_of_many(metric)]
    if together:
        words = "instances far from the mean are weighted one by one, the others by a normal sum"
        yield Fact("large", f"{', '.join(together)}: {words}")
    if posterior.prior_name is not None:
        yield Fact("prior", f"the user's function {posterior.prior_name}")
    if len(result._names) > 2:
        metric = next(iter(metrics.values()))
        source: Any = (posterior.scored if metric.weighs_instances else None) or evidence
        yield from copies_of(posterior.first_copies(metric), source.identical_in)
    if len(metrics) > 1:
        yield Fact("metrics", "each is judged on its own")


def copies_of(first: Sequence[int], what: str) -> list[Fact]:
    """Return how many are copies of others, given for each the first one that it is a copy of."""
    number = sum(size for size in Counter(first).values() if size > 1)
    words = f"{number} of {len(first)} have exactly the same {what} as others"
    return [Fact("copies", f"{words}: copies count once and share one P(best)")] if number else []


def _which(metrics: Mapping[str, Metric], name: str) -> str:
    return "" if len(metrics) == 1 else f"{name}: "


def cautions_of(result: Any) -> Iterator[Fact]:
    """Yield what makes the result less reliable than it looks."""
    posterior, metrics = result._posterior, result._metrics
    yield from (Fact("caution", warning) for warning in result.warnings)
    units = dict.fromkeys(filter(None, map(posterior.units, metrics.values())))
    few = [unit for unit in units if unit.number < FEW_UNITS]
    in_blocks = posterior.evidence.block_length is not None
    and_are = "may still be too short" if in_blocks else "approximate"
    for many in dict.fromkeys(f"{unit.number} {unit.what}" for unit in few):
        yield Fact("caution", f"only {many}: intervals are widened for this, and {and_are}")
    for name, metric in metrics.items():
        carried = few_that_carry(posterior, metric)
        if carried is not None and not few:
            words = f"{_which(metrics, name)}{carried}: its interval may be too narrow"
            yield Fact("caution", words)
    for name, metric in metrics.items():
        if metric.own is not None and metric.own.caution:
            yield Fact("caution", f"{_which(metrics, name)}{metric.own.caution}")
        if not np.isfinite(posterior.observed(metric)).all():
            words = "an observed value is infinite or undefined, so that the prior says how far"
            yield Fact("caution", f"{_which(metrics, name)}{words} draws go")
    record = result._cross_validation
    if record is not None:
        for words in dict.fromkeys(record.cautions.values()):
            names = [name for name, caution in record.cautions.items() if caution == words]
            more = len(names) - MOST_VALUES
            who = "; ".join(names[:MOST_VALUES]) + (f"; {more} more" if more > 0 else "")
            yield Fact("caution", f"{who}: {words}; intervals may be too narrow")
        number, n_classes = record.n_instances or math.inf, len(posterior.counts[0].labels)
        if n_classes >= MANY_CLASSES and number < FEW_PER_CLASS * n_classes:
            words = f"{number / n_classes:.0f} instances per class: where splits balance so many "
            words += "classes, scores are too high, by one standard deviation or two"
            yield Fact("caution", words)
    scarce = what_is_scarce(posterior, metrics.values())
    if scarce is not None and posterior.prior_name is None:
        of_pair = "" if hasattr(result, "prior_sensitivity") else " of a pair"
        call = f": see prior_sensitivity(){of_pair}"
        yield Fact("caution", f"the prior matters, because {scarce}", call)


def _scope(result: Any) -> Iterator[Fact]:
    """Yield what metrics are of, and what the result applies to."""
    posterior, metrics = result._posterior, result._metrics
    is_average = any(metric.is_macro for metric in metrics.values())
    if is_average and not all(counts.possible.all() for counts in posterior.counts):
        numbers = ", ".join(
            f"{name} {counts.averaged.sum()}"
            for name, counts in zip(result._names, posterior.counts, strict=True)
        )
        words = "over classes that occur in y_true or that the classifier predicts"
        yield Fact("averages", f"{words}: {numbers}")
    if posterior.prevalence is not None:
        shares = ", ".join(f"{share:.3g}" for share in posterior.prevalence)
        labels = list(posterior.counts[0].labels)
        yield Fact("prevalence", f"{shares} of {labels}; observed scores are plain")
    length = posterior.evidence.block_length
    in_blocks = "" if length is None else f" (blocks of {length:,} consecutive rows)"
    words, call = applies_to(result)
    yield Fact("applies to", words + in_blocks, call)
    yield from to_ship(result)
    record = result._cross_validation
    if getattr(result, "_of_many", None) is not None:
        number = result._of_many.number
        words = f"one pair of {number} classifiers, allowing for all of them"
        yield Fact("note", words, "; .alone is the pair by itself")
    if record is not None:
        yield Fact("splits", f"{record.n_splits} ({record.splitter})")
    for name in result._names:
        chosen = record and record.results.get(name, {}).get("best_params")
        if chosen is not None:
            yield Fact("chosen by", f"{name}: {_tally(chosen)}")


def trained_on(result: Any) -> str:
    """Return a sentence on what the result of a cross-validation applies to; else ""."""
    if result._cross_validation is None:
        return ""
    return f"Applies to {''.join(applies_to(result))}."


def applies_to(result: Any) -> tuple[str, str]:
    """Return which learners or models the result applies to, and how to ask about others."""
    record, evidence = result._cross_validation, result.evidence
    if record is not None:
        number, size = record.n_instances, f"{record.train_size:,.0f}"
        if record.estimand == "full":
            return (
                f"models refitted on all {number:,} instances (measured by training on {size})",
                "",
            )
        learners = f"learners trained on {size} instances"
        if number is None or evidence.is_of_splits:
            return f"{learners}, not models refitted on all data", ""
        # Not after splits such as those of time series, which leave out what came later.
        if not record.for_all or record.train_size + (record.test_size or 0) < 0.99 * number:
            return f"{learners}, not models refitted on all {number:,}", ""
        words = f"{learners}, not models refitted on all {number:,}"
        return words, f": for these, use {record.for_all}"
    if isinstance(evidence, SplitScores):
        share = 1 - evidence.test_fraction
        return f"learners trained on {share:.3g} of the data, not models refitted on all of it", ""
    if evidence.is_of_splits:
        which, derived = "data sets like these", result._posterior.model.derived_metrics
        if derived and result.metrics[0] in derived:
            which, call = "one further data set like these, not their average", ""
        else:
            call = f" (metric={derived[0]!r}: a single one)" if derived else ""
            which += " on average" if derived else ""
        return f"{which}, and training as it was done on them", call
    return "what was tested, on instances like these; not to models trained again", ""


def to_ship(result: Any) -> list[Fact]:
    """Return which model to ship by the expected loss, if the result is about models that ship."""
    record, names, metric = result._cross_validation, result._names, result._metric(None)
    is_of_models = not result.evidence.is_of_splits if record is None else record.estimand == "full"
    if not is_of_models or len(result._metrics) > 1 or len(names) < 2 or not metric.has_mean:
        return []
    if len(names) == 2 and hasattr(result, "pairs"):
        return to_ship(result.pairs[0, 1])
    none, each = (0.0,) * len(names), (1.0,) * len(names)
    loss = expected_loss(result._rivals(metric), none, each, names, in_headings(metric))
    if len(names) == 2:
        found = lead(result, metric)
        if isinstance(found, str):
            return []
        if not found.sign or found.ahead != loss.choice:  # of a skewed difference, too
            return [Fact("ship now", "either; neither is ahead")]
    return [Fact("ship now", loss.in_short())]


def on_more_training(result: Any, metric: Metric, rope: Interval) -> str:
    """Return how the difference changes with the training size; "" if both are on one side.

    It is known for half of the data, and for what the splits train on.
    """
    record, at_half = result._cross_validation, result._posterior.at_half(metric)
    if at_half is None or record is None or record.n_instances is None:
        return ""
    difference, (small, sd) = result._posterior.difference(metric), at_half
    is_noise = abs(difference.mean - small) < 2 * math.hypot(difference.draws.std(), sd)
    sides, said, (a, b) = set[int](), list[str](), result.names
    for size, mean in ((record.n_instances / 2, small), (record.train_size, difference.mean)):
        side = int(mean > rope.high) - int(mean < rope.low)
        words = f"{a if mean > 0 else b} is ahead by {abs(mean):.3f}"
        if side == 0:
            words = f"{a} and {b} differ by {mean:+.3f}"
        sides.add(side)
        said.append(f"on {size:,.0f}{'' if said else ' instances'}, {words}")
    if is_noise or len(sides) == 1:
        return ""
    return f"More training data changes the estimate: trained {'; '.join(said)}."


def _tally(chosen: Sequence[Mapping[str, Any] | None]) -> str:
    """Return how often a search chose which parameters, the most frequent first."""
    words = Counter(
        ", ".join(f"{k}={v}" for k, v in (parameters or {}).items()) for parameters in chosen
    )
    shown = "; ".join(f"{w} in {n} of {len(chosen)} splits" for w, n in words.most_common(3))
    return shown + ("; ..." if len(words) > 3 else "")


def observed_values(result: Any, metric: Metric) -> str:
    """Return the observed values of the classifiers, in words, and those with estimates."""
    sign, said = sign_in_headings(metric), []
    for values in filter(None, (result._posterior.observed(metric), result.evidence.completed)):
        shown = list(zip(result._names, values, strict=True))[:MOST_VALUES]
        more = f" and {len(values) - MOST_VALUES} more" if len(values) > MOST_VALUES else ""
        said.append(", ".join(f"{name} {in_figures(sign * one)}" for name, one in shown) + more)
    return "; completed: ".join(said)


def in_figures(value: float) -> str:
    """Return an observed value as text."""
    return f"{value:z.4f}" if abs(value) < 100 else f"{value:.1f}"


def observed_of(result: Any, metric: Metric) -> str:
    """Return the observed values, and what they are of after a cross-validation."""
    words, means = observed_values(result, metric), means_of_splits(result, metric)
    if means is not None:
        sign = sign_in_headings(metric)
        shown = [f"{sign * means[name]:z.4f}" for name in result._names[:MOST_VALUES] if means]
        more = len(result._names) - MOST_VALUES
        shown += [f"{more} more"] if shown and more > 0 else []
        of_splits = f"; mean of splits {' and '.join(shown)}" if shown else ""
        words += f" (all {result.n_splits} splits together{of_splits})"
    return words


def means_of_splits(result: Any, metric: Metric) -> dict[str, float] | None:
    """Return the mean of the split scores of each classifier, if other values were observed.

    Observed values of predictions are of all splits together. None if there are no splits, or if
    both agree in all digits that are shown; empty if split scores are not known.
    """
    record = result._cross_validation
    if record is None or metric.source != "tables":
        return None
    scores, means = record.scores.get(metric.name, {}), {}
    for name in result._names:
        if name not in scores or not np.isfinite(scores[name]).all():
            return {}
        means[name] = float(np.mean(scores[name]))
    pairs = zip(result._posterior.observed(metric), means.values(), strict=True)
    alike = all(f"{value:.4f}" == f"{mean:.4f}" for value, mean in pairs)
    return None if alike else means


# Fewer errors, or instances of a class, than this are few.
FEW = 20

# Fewer than this carry an estimate where it is told: as many as of 30 instances that vary normally.
FEW_CARRIERS = 10


def what_is_scarce(posterior: Posterior, metrics: Iterable[Metric]) -> str | None:
    """Return what was seen so rarely that the prior matters, in words; None if nothing was.

    Errors of all classifiers are added up. Of two classes, the scarcer one is looked at as well,
    unless all metrics count instances of both classes alike. Weighted counts are taken for what
    they are worth.
    """
    of_tables = [metric for metric in metrics if metric.source in ("tables", "items")]
    evidence = posterior.evidence
    if not (of_tables and evidence.family in ("classes", "chunks", "right or wrong")):
        return None
    count_weight = posterior.weight
    if posterior.weights is not None:
        count_weight = posterior.weights.difference(of_tables[0]).median
    wrong = (float(counts.total - np.nansum(counts.hits)) for counts in posterior.counts)
    errors = count_weight * sum(wrong)
    if errors < FEW:
        return _seen(errors, "errors", "error", count_weight)
    labels = posterior.counts[0].labels
    by_class = any(metric.counts_alike != "instances" for metric in of_tables)
    if by_class and len(labels) == 2:
        tables = [np.nan_to_num(counts.table) for counts in posterior.counts]
        true = count_weight * np.max([table.sum(axis=1) for table in tables], axis=0)
        if not posterior.has_true_negatives:
            true[0] = np.inf  # not all instances of the negative class are counted
        scarce = int(true.argmin())
        if true[scarce] < FEW:
            of_class = f"of class {labels[scarce]!r}"
            return _seen(
                true[scarce], f"instances {of_class}", f"instance {of_class}", count_weight
            )
    return None


def few_that_carry(posterior: Posterior, metric: Metric) -> str | None:
    """Return that few instances carry the estimate of one classifier or of a difference, in words.

    None if they are not few, or if it is not known. Of counts, it is known where the classes have
    known proportions: then the few errors of a common class may outweigh all others.
    """
    n_classifiers = posterior.evidence.n_classifiers
    carriers, what = np.inf, "this estimate" if n_classifiers == 1 else "the difference"
    if n_classifiers == 1 and posterior.prevalence is not None and metric.source == "tables":
        carriers = _carriers_of_table(posterior, metric)
    elif n_classifiers <= 2:
        carriers = posterior.carried_by(metric, 0 if n_classifiers == 1 else None)
    if carriers >= FEW_CARRIERS:
        return None
    units = "items" if posterior.evidence.is_of_items else "instances"
    units = posterior.evidence.noun_of_groups if posterior.evidence.n_groups else units
    return f"few {units} carry {what} (effective number {carriers:.0f})"


def _carriers_of_table(posterior: Posterior, metric: Metric) -> float:
    """Return the effective number of instances where classes have known proportions."""
    counts = posterior.counts[0]
    table = np.nan_to_num(counts.table)
    sizes = np.maximum(table.sum(axis=1, keepdims=True), 1.0)
    # The share of the population that each instance stands for.
    share = np.array(posterior.prevalence)[:, None] / sizes
    positive = 1 if counts.positive is None else counts.positive
    influence = share * cell_influence(metric, table.sum() * share * table, positive)
    # The proportions of the classes are known, so that instances vary within them only.
    return effective_number(
        influence - (influence * table).sum(axis=1, keepdims=True) / sizes, table
    )


def _seen(number: float, plural: str, singular: str, count_weight: float) -> str:
    if count_weight != 1:
        return f"the {plural} count as only {number:.2g} independent ones"
    if number == 0:
        return f"no {plural} were seen"
    return f"only 1 {singular} was seen" if number == 1 else f"only {number:.0f} {plural} were seen"


def called(result: Any, metric: Metric) -> str:
    """Return what a metric is called in a sentence, with the positive class unless it is 1."""
    posterior, name, label = result._posterior, in_headings(metric), None
    scored: Any = posterior.scored
    if metric.source == "instances" and scored is not None:
        if len(scored.labels) == 2 and scored.truth.ndim == 1:
            label = scored.labels[1 if scored.positive is None else scored.positive]
    elif metric.needs_positive and posterior.positive is not None:
        label = posterior.counts[0].labels[posterior.positive]
    if label is None or label == 1:
        return f"the {name}" if metric.name in posterior.model.derived_metrics else name
    return f"{name} of class {label!r}"


def printed(result: Any, verdict: Sequence[str], then: str = WITHOUT_A_ROPE) -> str:
    """Return what is printed: the verdict, what nobody should miss, and what to call next."""
    facts = [*in_brief(facts_of(result, basis=False)), Fact("next", then)]
    return "\n".join([*verdict, *as_lines(facts)])


def headline_of_one(result: Any, metric: Metric) -> str:
    """Return a sentence on what a metric says of one classifier."""
    sign, (shift, _) = sign_in_headings(metric), result._posterior.resplitting(metric)
    low, high = (in_figures(sign * end) for end in result.hdi(metric=metric)[::sign])
    observed = in_figures(sign * result._posterior.observed(metric)[0])
    splits = f"; other splits move this by up to {shift:.2g}" if shift else ""
    return (
        f"The {called(result, metric)} of {result.name} lies between {low} and {high} with "
        f"probability 95% (observed {observed}{splits})."
    )


def verdict_of_one(result: Any) -> list[str]:
    """Return the lines that are printed first of one classifier."""
    if len(result.metrics) == 1:
        return [headline_of_one(result, result._metric(None))]
    table = table_of_one(result).drop(columns=["mean", "std"])
    return [f"The performance of {result.name}:", table.rename_axis(None).to_string()]


def lead(result: Any, metric: Metric) -> Lead | str:
    """Return who of two is ahead; why they are identical, if they are."""
    identical = result._posterior.what_is_identical(metric)
    if identical is not None:
        return str(identical)
    shift, _ = result._posterior.resplitting(metric)
    return lead_of(result._distribution(metric), result.names, shift=shift)


def pair_in_words(result: Any, metric: Metric) -> tuple[str, str]:
    """Return who is better and how surely, in a sentence, and by how much."""
    found, where, (a, b) = lead(result, metric), f" on {called(result, metric)}", result.names
    if isinstance(found, Lead):
        return f"{found.verdict(where)}.", found.amount()
    most = max(map(abs, result._distribution(metric).hdi()))
    amount = f"at most {most:.4f} either way on other instances, with probability 95%"
    return f"{a} and {b} are identical{where}: their {found} are the same.", amount


def verdict_of_pair(result: Any) -> tuple[list[str], str]:
    """Return the lines that are printed first of two classifiers, and what to call next."""
    if len(result._metrics) > 1:
        return [_count(result), within(table_of_metrics(result))], WITHOUT_A_ROPE
    metric = result._metric(None)
    found, units, (headline, amount) = (
        lead(result, metric), units_of(result, metric), pair_in_words(result, metric)
    )  # fmt: skip
    words = f"{amount} (observed: {observed_values(result, metric)})"
    said = [headline, *as_lines([Fact("difference", words)])]
    is_clear = isinstance(found, str) or max(found.probability, found.equal) >= CLEARLY
    if is_clear or not units.startswith(PLANNED):
        return said, WITHOUT_A_ROPE
    more = (
        f"more {units} would make it clearer; required_sample_size(rope=r) estimates how many, {R}"
    )
    return said, more


def _count(result: Any) -> str:
    """Return a sentence on how many metrics each classifier is better on."""
    letters, said = with_letters(result.names), Counter[str]()
    for metric in result._metrics.values():
        found = lead(result, metric)
        if isinstance(found, str):
            said[f"identical ({found})"] += 1
        elif not found.sign or found.probability < PROBABLY:
            said["no clear difference"] += 1
        else:
            word = "better" if found.probability >= CLEARLY else "probably better"
            said[f"{letters[found.sign < 0]} {word}"] += 1
    counts = (f"{what} on {number}" for what, number in said.most_common())
    return f"Of {len(result.metrics)} metrics: {', '.join(counts)}."


def table_of_metrics(result: Any) -> pd.DataFrame:
    """Return the observed values and the differences, one row per metric, as text."""
    rows = []
    for metric in result._metrics.values():
        difference, observed = result._distribution(metric), result._posterior.observed(metric)
        chance = format_probability(difference.around(Interval(0.0, 0.0)).better)
        cells, hdi = list(map(in_figures, observed)), difference.hdi()
        middle = f"{difference.middle:+.{digits_of(hdi)}f}"
        rows.append([*cells, middle, format_interval(hdi), chance])
    columns = ["A", "B", "A minus B", "95% interval", "P(A better)"]
    return pd.DataFrame(rows, result.metrics, columns)


def units_of(result: Any, metric: Metric) -> str:
    """Return what more evidence consists of that could settle a metric, if anything could.

    If it rests on the instances of a class that has few of all, this class is named.
    """
    posterior, evidence = result._posterior, result.evidence
    if metric.name in posterior.model.derived_metrics:
        return ""  # a further data set deviates, however many are known
    if evidence.n_groups:
        return str(evidence.noun_of_groups)
    if evidence.is_of_items:
        return "items"
    if evidence.is_of_splits:
        return "evidence"
    if evidence.noun == "chunks":
        return "sentences"
    scored: Any = posterior.scored
    labels: Any = ()
    if metric.source == "instances" and scored is not None and scored.truth.ndim == 1:
        labels, positive = scored.labels, 1 if scored.positive is None else scored.positive
        true = np.bincount(scored.truth, minlength=len(labels))
    elif metric.source == "tables" and evidence.family == "classes":
        counts = posterior.counts[0]
        labels, positive, true = counts.labels, counts.positive, counts.true
    units = "instances"
    if evidence.family == "classes" and not metric.weighs_instances:
        units = "labelled instances"
    if not len(labels):
        return units
    needed = metric.class_needed(positive)
    classes = [] if needed is None else [needed]
    if len(labels) == 2 and metric.needs_classes == "several":
        classes = [0, 1]
    rare = [c for c in classes if true[c] < SCARCE * true.sum()]
    return f"{units} of class {labels[min(rare, key=lambda c: true[c])]}" if rare else units


def headline_of_many(ranking: Any, metric: Metric) -> str:
    """Return a sentence on the first row of the table."""
    table, where = ranking.ranking(metric=metric), f" on {called(ranking, metric)}"
    best, p_best = str(table.index[0]), table["p_best"].iloc[0]
    copies = number_of_copies(table, best)
    return f"{who_is_best(best, len(table), p_best, where, copies)}."


def choice(ranking: Any, metric: Metric) -> list[Fact]:
    """Return what being chosen as the best of three or more makes of its score."""
    table = ranking.ranking(metric=metric)
    if len(table) < 3:
        return []
    best = table.iloc[0]
    digits = decimals((best["hdi_high"] - best["hdi_low"]) / 4)
    known = "completed" if "completed" in table else "observed"
    sign = sign_in_headings(metric)
    observed, mean = (f"{sign * best[name]:z.{digits}f}" for name in (known, "mean"))
    why = f"it allows for being chosen as the best of {len(table)}"
    if sign * float(mean) < sign * float(observed):
        why = f"the best score of {len(table)} is usually partly luck"
    return [Fact("estimate", f"{mean} for {table.index[0]} ({observed} {known}): {why}")]


def is_board(ranking: Any) -> bool:
    """Return whether there are so many that tiers are a column, and not lists of names."""
    return len(ranking.names) > MOST_IN_PAIRS


def verdict_of_many(ranking: Any, rope: Any = None) -> list[str]:
    """Return the lines that are printed first of several classifiers."""
    lines = []
    for metric in ranking._metrics.values():
        labels = {metric.name: in_headings(metric)} if sign_in_headings(metric) < 0 else {}
        table = table_of_many(ranking, metric=metric, labels=labels).drop(columns="std")
        table = table.rename(columns=dict.fromkeys(labels.values(), "observed"))
        facts = choice(ranking, metric)
        if is_board(ranking):
            tiers = ranking.tiers(rope or 0.0, metric=metric)
            table = in_tiers(table, tiers)
            by = "" if tiers.rope.low else "; any difference counts"
            facts = [Fact("tiers", f"{tiers.rule}{by}"), *facts]
        lines += [headline_of_many(ranking, metric), within(table), *as_lines(facts)]
    return lines
