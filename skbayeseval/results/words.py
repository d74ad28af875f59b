"""A result in words: what was found, in sentences, and facts, which are printed and explained.

Functions of one classifier, of a pair and of many stand side by side; pages say more (`page`).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from skbayeseval.evidence.split_scores import SplitScores
from skbayeseval.evidence.unit_numbers import cell_influence, effective_number
from skbayeseval.judgement.decision import PLANNED, digits_of, format_interval, format_probability
from skbayeseval.judgement.intervals import Interval
from skbayeseval.judgement.ranking_decision import number_of_copies, who_is_best
from skbayeseval.metrics.metric import Metric
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

# A keyword, and words that go with it on a line or in a sentence.
Fact = tuple[str, str]

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
}

# What is printed below the verdict, besides the first caution; `details` has the rest.
PRINTED = ("estimate", "missing", "note", "prevalence", "applies to")

# Fewer groups, positives or instances than this are few.
FEW_UNITS = 20

# The observed values of so many classifiers are told.
MOST_VALUES = 4

# Of more classifiers than this, tiers are a column, and only the best are compared in pairs.
MOST_IN_PAIRS = 8

# A class is scarce if it has less than this share of all instances.
SCARCE = 0.25

R = "with r the smallest difference that matters to you"
WITHOUT_A_ROPE = f"decision(rope=r), {R}"


def as_lines(facts: Iterable[Fact]) -> list[str]:
    """Return facts as lines to print."""
    return [f"  {keyword:<11} {words}" for keyword, words in facts]


def as_sentences(facts: Iterable[Fact], but: Sequence[str] = ()) -> list[str]:
    """Return facts as sentences, but for those with some keywords."""
    return [
        f"{BEGINNINGS.get(keyword, keyword.capitalize())} {' '.join(words.rstrip('.').split())}."
        for keyword, words in facts
        if keyword not in but
    ]


def in_brief(facts: Sequence[Fact], most_cautions: int = 1) -> list[Fact]:
    """Return what nobody should miss: a caution or so, and what the result applies to."""
    cautions = [words for keyword, words in facts if keyword == "caution"]
    shown = [("caution", words) for words in cautions[:most_cautions]]
    more = len(cautions) - len(shown)
    if more > 0:
        shown[-1] = ("caution", f"{cautions[len(shown) - 1]} ({more} more in details())")
    return shown + [fact for fact in facts if fact[0] in PRINTED]


def facts_of(result: Any) -> list[Fact]:
    """Return what the posterior stands on, what it applies to, and what to be careful about."""
    return [*_basis(result), *cautions_of(result), *_scope(result)]


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
    yield "model", f"{posterior.model.name}, {draws}"
    units = "groups" if getattr(posterior.scored, "grouped", False) else "instances"
    resampled = [name for name, metric in metrics.items() if metric.takes_counts]
    by_weights = [name for name, metric in metrics.items() if metric.weighs_instances]
    by_weights = [name for name in by_weights if name not in resampled]
    if by_weights and posterior.evidence.has_class_counts:
        yield "model", f"weights of {units} for {', '.join(by_weights)}"
    if resampled:
        yield "model", f"{units} drawn anew with replacement for {', '.join(resampled)}"
    if inferred is not None:
        for name, metric in metrics.items():
            weight, each = inferred.difference(metric), inferred.each(metric)
            words = f"{weight.median:.2g}"
            if len(each) > 1:
                medians = [of_classifier.median for of_classifier in each]
                words = f"{min(medians):.2g} to {max(medians):.2g}"
            elif not math.isinf(weight.df):
                low, high = weight.interval()
                words = f"{words} ({low:.2g} to {high:.2g})"
            which = f" in {name}" if len(metrics) > 1 else ""
            worth = "independent instances per test prediction"
            yield "worth", f"{words} {worth}{which}, {inferred.basis}"
    together = [name for name, metric in metrics.items() if posterior.sum_of_means(metric)]
    if together:
        words = "instances far from the mean are weighted one by one, the others by a normal sum"
        yield "large", f"{', '.join(together)}: {words}"
    if posterior.prior_name is not None:
        yield "prior", f"the user's function {posterior.prior_name}"
    yield from evidence.remarks(result._names)
    if len(result._names) > 2:
        metric = next(iter(metrics.values()))
        source: Any = (posterior.scored if metric.weighs_instances else None) or evidence
        yield from copies_of(posterior.first_copies(metric), source.identical_in)
    if len(metrics) > 1:
        yield "metrics", "each is judged on its own"


def copies_of(first: Sequence[int], what: str) -> list[Fact]:
    """Return how many are copies of others, given for each the first one that it is a copy of."""
    number = sum(size for size in Counter(first).values() if size > 1)
    words = f"{number} of {len(first)} have exactly the same {what} as others"
    return [("copies", f"{words}: copies count once and share one P(best)")] if number else []


def _which(metrics: Mapping[str, Metric], name: str) -> str:
    return "" if len(metrics) == 1 else f"{name}: "


def cautions_of(result: Any) -> Iterator[Fact]:
    """Yield what makes the result less reliable than it looks."""
    posterior, metrics = result._posterior, result._metrics
    yield from (("caution", warning) for warning in result.warnings)
    units = dict.fromkeys(filter(None, map(posterior.units, metrics.values())))
    few = [unit for unit in units if unit.number < FEW_UNITS]
    in_blocks = posterior.evidence.block_length is not None
    and_are = "may still be too short" if in_blocks else "approximate"
    for many in dict.fromkeys(f"{unit.number} {unit.what}" for unit in few):
        yield "caution", f"only {many}: intervals are widened for this, and {and_are}"
    for name, metric in metrics.items():
        carried = few_that_carry(posterior, metric)
        if carried is not None and not few:
            words = f"{_which(metrics, name)}{carried}: its interval may be too narrow"
            yield "caution", words
    for name, metric in metrics.items():
        if metric.own is not None and metric.own.caution:
            yield "caution", f"{_which(metrics, name)}{metric.own.caution}"
        if not np.isfinite(posterior.observed(metric)).all():
            words = "an observed value is infinite or undefined, so that the prior says how far"
            yield "caution", f"{_which(metrics, name)}{words} draws go"
    yield from _cautions_of_learners(result)
    scarce = what_is_scarce(posterior, metrics.values())
    if scarce is not None and posterior.prior_name is None:
        of_pair = "" if hasattr(result, "prior_sensitivity") else " of a pair"
        yield "caution", f"the prior matters, because {scarce}: see prior_sensitivity(){of_pair}"


# Splits that balance so many classes with fewer instances each overstate scores.
MANY_CLASSES, FEW_PER_CLASS = 8, 40


def _cautions_of_learners(result: Any) -> Iterator[Fact]:
    """Yield what makes a cross-validation less reliable than it looks."""
    record, n_classes = result._cross_validation, len(result.labels)
    if record is None:
        return
    for words in dict.fromkeys(record.cautions.values()):
        names = [name for name, caution in record.cautions.items() if caution == words]
        more = len(names) - MOST_VALUES
        who = "; ".join(names[:MOST_VALUES]) + (f"; {more} more" if more > 0 else "")
        yield "caution", f"{who}: {words}; intervals may be too narrow"
    number = record.n_instances or math.inf
    if n_classes >= MANY_CLASSES and number < FEW_PER_CLASS * n_classes:
        yield (
            "caution",
            f"{number / n_classes:.0f} instances per class: where splits balance so many classes, "
            "scores are too high, by one standard deviation or two",
        )


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
        yield "averages", f"{words}: {numbers}"
    if posterior.prevalence is not None:
        shares = ", ".join(f"{share:.3g}" for share in posterior.prevalence)
        yield "prevalence", f"{shares} of {list(result.labels)}; observed scores are plain"
    length = posterior.evidence.block_length
    in_blocks = "" if length is None else f" (blocks of {length:,} consecutive rows)"
    yield "applies to", applies_to(result) + in_blocks
    record = result._cross_validation
    if getattr(result, "_of_many", None) is not None:
        number = result._of_many.number
        yield "note", f"one pair of {number}, allowing for the others; .alone is the pair by itself"
    if record is not None:
        yield "splits", f"{record.n_splits} ({record.splitter})"
    for name in result._names:
        chosen = (result.cv_results or {}).get(name, {}).get("best_params")
        if chosen is not None:
            yield "chosen by", f"{name}: {_tally(chosen)}"


def trained_on(result: Any) -> str:
    """Return a sentence on how many instances learners were trained on, if not on all; else ""."""
    record = result._cross_validation
    if record is None or record.estimand != "learner":
        return ""
    return f"Applies to learners trained on {record.train_size:,.0f} instances{_of_all(result)}."


def _of_all(result: Any) -> str:
    """Return how to ask about the model that ships, if that is possible."""
    record = result._cross_validation
    number = None if record is None else record.n_instances
    if number is None or record is None or result.evidence.is_of_splits:
        return ", not models refitted on all data"
    # Not after splits such as those of time series, which leave out what came later.
    if not record.for_all or record.train_size + (record.test_size or 0) < 0.99 * number:
        return f", not models refitted on all {number:,}"
    return f"; for models refitted on all {number:,}, use {record.for_all}"


def applies_to(result: Any) -> str:
    """Return which learners or models the result applies to."""
    record, evidence = result._cross_validation, result.evidence
    if record is not None and record.estimand == "full":
        return (
            f"models refitted on all {record.n_instances:,} instances (measured by training on "
            f"{record.train_size:,.0f})"
        )
    if record is not None:
        return f"learners trained on {record.train_size:,.0f} instances{_of_all(result)}"
    if isinstance(evidence, SplitScores):
        share = 1 - evidence.test_fraction
        return f"learners trained on {share:.3g} of the data, not models refitted on all of it"
    if evidence.is_of_splits:
        which, derived = "data sets like these", result._posterior.model.derived_metrics
        if derived and result.metrics[0] in derived:
            which = "one further data set like these, not their average"
        elif derived:
            which += f" on average (metric={derived[0]!r}: a single one)"
        return f"{which}, and training as it was done on them"
    return "what was tested, on instances like these; not to models trained again"


def _tally(chosen: Sequence[Mapping[str, Any] | None]) -> str:
    """Return how often a search chose which parameters, the most frequent first."""
    words = Counter(
        ", ".join(f"{k}={v}" for k, v in (parameters or {}).items()) for parameters in chosen
    )
    shown = "; ".join(f"{w} in {n} of {len(chosen)} splits" for w, n in words.most_common(3))
    return shown + ("; ..." if len(words) > 3 else "")


def observed_values(result: Any, metric: Metric) -> str:
    """Return the observed values of the classifiers, in words, and those with estimates."""
    completed = result.evidence.completed
    more = "" if completed is None else f"; completed: {_values(result, completed)}"
    return _values(result, result._posterior.observed(metric)) + more


def _values(result: Any, values: Sequence[float]) -> str:
    shown = list(zip(result._names, values, strict=True))[:MOST_VALUES]
    more = ", ..." if len(values) > MOST_VALUES else ""
    return ", ".join(f"{name} {in_figures(value)}" for name, value in shown) + more


def in_figures(value: float) -> str:
    """Return an observed value as text."""
    return f"{value:.4f}" if abs(value) < 100 else f"{value:.1f}"


def observed_of(result: Any, metric: Metric) -> str:
    """Return the observed values, and what they are of after a cross-validation."""
    words, means = observed_values(result, metric), means_of_splits(result, metric)
    if means is not None:
        shown = [f"{means[name]:.4f}" for name in result._names[:MOST_VALUES] if means]
        more = ", ..." if len(result._names) > MOST_VALUES else ""
        of_splits = f"; mean of splits {' and '.join(shown)}{more}" if shown else ""
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


def positive_class(posterior: Posterior, metric: Metric) -> Any:
    """Return the positive class of two, if the metric depends on it; None if it is 1, as usual.

    Metrics of instance scores always have one, as in scikit-learn: that which the scores are of.
    """
    label = None
    scored: Any = posterior.scored
    if metric.source == "instances" and scored is not None:
        if len(scored.labels) == 2 and scored.truth.ndim == 1:
            label = scored.labels[1 if scored.positive is None else scored.positive]
    elif metric.needs_positive and posterior.positive is not None:
        label = posterior.counts[0].labels[posterior.positive]
    return None if label is None or label == 1 else label


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
    by_class = any(metric.weighs_classes for metric in of_tables)
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
    positive = positive_class(result._posterior, metric)
    return metric.name if positive is None else f"{metric.name} of class {positive!r}"


def on(result: Any, metric: Metric) -> str:
    """Return "on" and the metric, such as " on the next data set"."""
    derived = metric.name in result._posterior.model.derived_metrics
    return f" on {'the ' if derived else ''}{called(result, metric)}"


def printed(result: Any, verdict: Sequence[str], then: str = WITHOUT_A_ROPE) -> str:
    """Return what is printed: the verdict, what nobody should miss, and what to call next."""
    return "\n".join([*verdict, *as_lines([*in_brief(facts_of(result)), ("next", then)])])


def headline_of_one(result: Any, metric: Metric) -> str:
    """Return a sentence on what a metric says of one classifier."""
    low, high = result.hdi(metric=metric)
    return (
        f"The {called(result, metric)} of {result.name} lies between {low:.4f} and {high:.4f} with "
        f"probability 95% (observed {result._posterior.observed(metric)[0]:.4f})."
    )


def verdict_of_one(result: Any) -> list[str]:
    """Return the lines that are printed first of one classifier."""
    if len(result.metrics) == 1:
        return [headline_of_one(result, result._metric(None))]
    table = table_of_one(result).drop(columns=["mean", "std"])
    return [f"The performance of {result.name}:", table.rename_axis(None).to_string()]


def headline_of_pair(result: Any, metric: Metric) -> str:
    """Return a sentence on who is better, and how surely."""
    a, b = result.names
    identical = result._posterior.what_is_identical(metric)
    if identical is not None:
        where = on(result, metric)
        return f"{a} and {b} are identical{where}: their {identical} are the same."
    difference = result._distribution(metric)
    worse, equal, better = difference.around(Interval(0.0, 0.0))
    ahead, behind = (a, b) if difference.lead > 0 else (b, a)
    verdict = f"{ahead} is better than {behind}"
    if equal >= max(worse, better):
        verdict = f"{a} and {b} are equal"
    elif not difference.lead:
        where = on(result, metric)
        return f"Neither {a} nor {b} is ahead{where}: each is better with the same probability."
    chance = format_probability(max(worse, equal, better), words=True)
    return f"{verdict}{on(result, metric)} with probability {chance}."


def verdict_of_pair(result: Any) -> list[str]:
    """Return the lines that are printed first of two classifiers."""
    if len(result.metrics) > 1:
        return [_count(result), within(_table_of_metrics(result))]
    metric = result._metric(None)
    words = f"{lead(result, metric)} (observed: {observed_values(result, metric)})"
    return [headline_of_pair(result, metric), *as_lines([("difference", words)])]


def next_of_pair(result: Any) -> str:
    """Return what to call next: for more evidence, if that is what one metric lacks."""
    metric = result._metric(None)
    if len(result.metrics) > 1 or result._posterior.what_is_identical(metric) is not None:
        return WITHOUT_A_ROPE
    around, units = result._distribution().around(Interval(0.0, 0.0)), units_of(result, metric)
    if max(around) >= 0.95 or not units.startswith(PLANNED):
        return WITHOUT_A_ROPE
    return f"more {units} would tell; required_sample_size(rope=r) estimates how many, {R}"


def lead(result: Any, metric: Metric) -> str:
    """Return who is ahead by how much; of identical classifiers, how much they may differ."""
    difference = result._distribution(metric)
    (low, high), mean = difference.hdi(), difference.mean
    if result._posterior.what_is_identical(metric) is not None:
        most = max(abs(low), abs(high))
        return f"at most {most:.4f} either way on other instances, with probability 95%"
    ahead, digits = result.names[0], digits_of(Interval(low, high))
    if difference.lead < 0:
        ahead, mean, low, high = result.names[1], -mean, -high, -low
    estimate, *ends = (f"{abs(value):.{digits}f}" for value in (mean, low, high))
    if not difference.lead or mean <= 0 or float(estimate) == 0:  # of a skewed difference, too
        return f"hardly any; 95% interval: {ahead} {ends[0]} behind to {ends[1]} ahead"
    between = f"{ends[0]} to {ends[1]}"
    if low < 0:
        between = f"from {ends[0]} behind to {ends[1]} ahead"
    return f"{ahead} ahead by {estimate}, 95% interval {between}"


def _count(result: Any) -> str:
    """Return a sentence on how many metrics each classifier is ahead on."""
    metrics, letters = list(result._metrics.values()), with_letters(result.names)
    identical = {result._posterior.what_is_identical(metric) for metric in metrics}
    same = "both" if len(metrics) == 2 else f"all {len(metrics)}"
    if None not in identical:
        said = " and ".join(map(str, identical))
        return f"{letters[0]} and {letters[1]} are identical on {same} metrics: same {said}."
    leads = [
        0 if result._posterior.what_is_identical(metric) else result._distribution(metric).lead
        for metric in metrics
    ]
    first, second = (1, -1) if leads.count(1) >= leads.count(-1) else (-1, 1)
    if not any(leads):
        return f"Neither {letters[0]} nor {letters[1]} is ahead on any of {len(metrics)} metrics."
    n = leads.count(first)
    total = "both" if n == len(leads) == 2 else f"{n} of {len(leads)}"
    rest = f", behind on {leads.count(second)}" if second in leads else ""
    rest += f", level on {leads.count(0)}" if 0 in leads else ""
    ahead, behind = letters if first == 1 else letters[::-1]
    return f"{ahead} is ahead of {behind} on {total} metrics{rest}."


def _table_of_metrics(result: Any) -> pd.DataFrame:
    """Return the observed values and the differences, one row per metric, as text."""
    rows = []
    for metric in result._metrics.values():
        difference, observed = result._distribution(metric), result._posterior.observed(metric)
        chance = format_probability(difference.around(Interval(0.0, 0.0)).better)
        cells, hdi = list(map(in_figures, observed)), difference.hdi()
        mean = f"{difference.mean:+.{digits_of(hdi)}f}"
        rows.append([*cells, mean, format_interval(hdi), chance])
    columns = ["A", "B", "A minus B", "95% interval", "P(A better)"]
    return pd.DataFrame(rows, result.metrics, columns)


def _scarce_class(posterior: Posterior, metric: Metric) -> Any:
    """Return the class on whose instances a metric rests and which has few of all; None if none."""
    scored: Any = posterior.scored
    if metric.source == "instances" and scored is not None and scored.truth.ndim == 1:
        labels, positive = scored.labels, 1 if scored.positive is None else scored.positive
        true = np.bincount(scored.truth, minlength=len(labels))
    elif metric.source == "tables" and posterior.evidence.family == "classes":
        counts = posterior.counts[0]
        labels, positive, true = counts.labels, counts.positive, counts.true
    else:
        return None
    needed = metric.class_needed(positive)
    classes = [] if needed is None else [needed]
    if len(labels) == 2 and metric.needs_classes == "several":
        classes = [0, 1]
    rare = min(classes, key=lambda c: true[c], default=None)
    return None if rare is None or not true[rare] < SCARCE * true.sum() else labels[rare]


def units_of(result: Any, metric: Metric) -> str:
    """Return what more evidence consists of that could settle a metric, if anything could."""
    if metric.name in result._posterior.model.derived_metrics:
        return ""  # a further data set deviates, however many are known
    if result.evidence.n_groups:
        return result.evidence.noun_of_groups
    if result.evidence.is_of_items:
        return "items"
    if result.evidence.is_of_splits:
        return "evidence"
    if result.evidence.noun == "chunks":
        return "sentences"
    label = _scarce_class(result._posterior, metric)
    of_class = "" if label is None else f" of class {label}"
    if result.evidence.family == "classes" and not metric.weighs_instances:
        return f"labelled instances{of_class}"
    return f"instances{of_class}"


def headline_of_many(ranking: Any, metric: Metric, prob: float = 0.95) -> str:
    """Return a sentence on the first row of the table."""
    table, where = ranking.ranking(metric=metric), on(ranking, metric)
    best, p_best = str(table.index[0]), table["p_best"].iloc[0]
    copies = number_of_copies(table, best)
    return f"{who_is_best(best, len(table), p_best, prob, where, copies)}."


def choice(ranking: Any, metric: Metric) -> list[Fact]:
    """Return what being chosen as the best of three or more makes of its score."""
    table = ranking.ranking(metric=metric)
    if len(table) < 3:
        return []
    best = table.iloc[0]
    digits = decimals((best["hdi_high"] - best["hdi_low"]) / 4)
    known = "completed" if "completed" in table else "observed"
    observed, mean = (f"{best[name]:.{digits}f}" for name in (known, "mean"))
    why = f"it allows for being chosen as the best of {len(table)}"
    if float(mean) < float(observed):
        why = f"the best of {len(table)} looks better than it is"
    return [("estimate", f"{mean} for {table.index[0]} ({observed} {known}): {why}")]


def is_board(ranking: Any) -> bool:
    """Return whether there are so many that tiers are a column, and not lists of names."""
    return len(ranking.names) > MOST_IN_PAIRS


def verdict_of_many(ranking: Any, rope: Any = None) -> list[str]:
    """Return the lines that are printed first of several classifiers."""
    lines = []
    for metric in ranking._metrics.values():
        table = table_of_many(ranking, metric=metric).drop(columns="std")
        facts = choice(ranking, metric)
        if is_board(ranking):
            tiers = ranking.tiers(rope or 0.0, metric=metric)
            table = in_tiers(table, tiers)
            by = "" if tiers.rope.low else "; any difference counts"
            facts = [("tiers", f"{tiers.rule}{by}"), *facts]
        lines += [headline_of_many(ranking, metric), within(table), *as_lines(facts)]
    return lines
