"""What a comparison says in words."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from skbayeseval.evidence.base import effective_number
from skbayeseval.evidence.validated_rows import cell_influence
from skbayeseval.judgement.decision import format_interval, format_probability
from skbayeseval.judgement.intervals import Interval
from skbayeseval.judgement.ranking_decision import who_is_best
from skbayeseval.metrics.confusion import Metric
from skbayeseval.posterior.recipe import Posterior
from skbayeseval.splitting.collect import CrossValidation

if TYPE_CHECKING:
    from skbayeseval.results.base import PosteriorView
    from skbayeseval.results.comparison import ComparisonResult


def decimals(interval: Interval) -> int:
    """Return how many decimals are worth writing, given how far a quantity is known."""
    width = interval.high - interval.low
    magnitude = math.floor(math.log10(width)) if 0 < width < math.inf else 0
    return min(max(1 - magnitude, 3), 8) if magnitude < 1 else 1


def plain(value: float, digits: int) -> str:
    """Return a number with so many decimals, without a minus sign before zero."""
    return f"{round(float(value), digits) + 0.0:,.{digits}f}"


def join_words(words: Sequence[str], last: str = " and ") -> str:
    """Return "a", "a and b", or "a, b and c"."""
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])}{last}{words[-1]}"


def positive_class(posterior: Posterior, metrics: Iterable[Metric]) -> Any:
    """Return the positive class of two, if a metric depends on it; None if it is 1, as usual.

    Metrics of instance scores always have one, as in scikit-learn: that which the scores are of.
    """
    label = None
    for metric in metrics:
        scored: Any = posterior.scored
        if metric.source == "instances" and scored is not None:
            if len(scored.labels) == 2 and scored.truth.ndim == 1:
                label = scored.labels[1 if scored.positive is None else scored.positive]
        elif metric.needs_positive and posterior.positive is not None:
            label = posterior.counts[0].labels[posterior.positive]
    return None if label is None or label == 1 else label


def means_of_splits(
    result: PosteriorView, metric: Metric, digits: int = 4
) -> dict[str, float] | None:
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
    alike = all(f"{value:.{digits}f}" == f"{mean:.{digits}f}" for value, mean in pairs)
    return None if alike else means


# Fewer errors, or instances of a class, than this are few.
FEW = 20


# Fewer than this carry an estimate where it is told: as many as of 30 instances that vary normally.
FEW_CARRIERS = 10


# Metrics that do not depend on how well a scarce class is known.
_OF_ALL_INSTANCES = ("accuracy", "f1_micro", "precision_micro", "recall_micro", "jaccard_micro")


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
    weight = posterior.weight
    if posterior.weights is not None:
        weight = posterior.weights.difference(of_tables[0]).median
    wrong = (float(counts.total - np.nansum(counts.hits)) for counts in posterior.counts)
    errors = weight * sum(wrong)
    if errors < FEW:
        return _seen(errors, "errors", "error", weight)
    labels = posterior.counts[0].labels
    by_class = any(metric.formula not in _OF_ALL_INSTANCES for metric in of_tables)
    if by_class and len(labels) == 2:
        tables = [np.nan_to_num(counts.table) for counts in posterior.counts]
        true = weight * np.max([table.sum(axis=1) for table in tables], axis=0)
        if not posterior.has_true_negatives:
            true[0] = np.inf  # not all instances of the negative class are counted
        scarce = int(true.argmin())
        if true[scarce] < FEW:
            of_class = f"of class {labels[scarce]!r}"
            return _seen(true[scarce], f"instances {of_class}", f"instance {of_class}", weight)
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
    units = "groups" if posterior.evidence.n_groups else "instances"
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


def _seen(number: float, several: str, one: str, weight: float) -> str:
    if weight != 1:
        return f"the {several} count as only {number:.2g} independent ones"
    if number == 0:
        return f"no {several} were seen"
    return f"only 1 {one} was seen" if number == 1 else f"only {number:.0f} {several} were seen"


# Fewer groups, positives or instances than this are few.
FEW_UNITS = 20


def describe_comparison(result: ComparisonResult) -> str:
    """Return what a comparison says: who is better, by how much, how surely, and on what basis."""
    posterior, record, (a, b) = result._posterior, result._cross_validation, result.names
    lines = []
    for metric in result._metrics.values():
        difference, observed = result._distribution(metric), posterior.observed(metric)
        lines += [
            who_is_better(result, metric),
            f"  difference  {difference.mean:+.4f}, 95% HDI {format_interval(difference.hdi())}  "
            f"({a} minus {b})",
            f"  observed    {a} {observed[0]:.4f}, {b} {observed[1]:.4f}",
        ]
        means = means_of_splits(result, metric)
        if means is not None:
            told = f"; mean of splits {means[a]:.4f} and {means[b]:.4f}" if means else ""
            lines[-1] += f"  ({result.n_splits} splits pooled{told})"
        if record is not None and record.estimand == "full":
            lines[-1] += f"  (trained on {record.train_size:,.0f} instances)"
    lines += describe_basis(result)
    if "callable" in result.prior:
        lines.append(f"  prior       {result.prior['callable']}")
    elif (scarce := what_is_scarce(posterior, result._metrics.values())) is not None:
        lines.append(f"  prior       matters, because {scarce}: see prior_sensitivity()")
    lines += [f"  warning     {warning}" for warning in result.warnings]
    lines.append(
        "  Use decision(rope=r) to compare this with the smallest difference r that matters to you."
    )
    return "\n".join(lines)


def who_is_better(result: ComparisonResult, metric: Metric) -> str:
    """Return a sentence on who is better, and how surely."""
    a, b = result.names
    identical = result._posterior.what_is_identical(metric)
    if identical is not None:
        return f"{a} and {b} are identical on {metric.name}: their {identical} are the same."
    worse, equal, better = result._distribution(metric).around(Interval(0.0, 0.0))
    ahead, behind = (a, b) if better >= worse else (b, a)
    verdict = f"{ahead} is better than {behind}"
    if equal >= max(worse, better):
        verdict = f"{a} and {b} are equal"
    chance = format_probability(max(worse, equal, better), words=True)
    return f"{verdict} on {metric.name} with probability {chance}."


def who_is_first(ranking: pd.DataFrame, metric: str) -> str:
    """Return a sentence on who is most probably the best."""
    p_best = ranking["p_best"]
    on = f" on {metric}"
    return f"{who_is_best(str(p_best.idxmax()), len(p_best), p_best.max(), on=on)}."


def few_units(posterior: Posterior, metrics: Iterable[Metric]) -> dict[str, int]:
    """Return the number of groups, positives or instances that are few, by what they are."""
    units = dict.fromkeys(filter(None, map(posterior.units, metrics)))
    return {unit.what: unit.number for unit in units if unit.number < FEW_UNITS}


def describe_draws(posterior: Posterior) -> str:
    """Return how many draws of which kind there are, such as "20,000 independent draws"."""
    kind = "independent" if posterior.has_independent_draws else posterior.engine
    if posterior.evidence.family == "systems":
        kind = "Markov chain"
    return f"{posterior.n_draws:,} {kind} draws"


def describe_basis(result: PosteriorView) -> list[str]:
    """Return lines on what the posterior stands on."""
    posterior, metrics = result._posterior, result._metrics
    weights, evidence = posterior.weights, posterior.evidence
    if weights is not None:
        evidence = evidence.with_weight(1.0)
    lines = [
        f"  model       {posterior.model.name}, {describe_draws(posterior)} from "
        f"{evidence.describe()}"
    ]
    if weights is not None:
        for name, metric in metrics.items():
            weight = weights.difference(metric)
            words = f"{weight.median:.2g} per count"
            if not math.isinf(weight.df):
                low, high = weight.interval()
                words = f"{weight.median:.2g} per count ({low:.2g} to {high:.2g})"
            which = "" if len(metrics) == 1 else f"{name}: "
            lines.append(f"  weight      {which}{words}, {weights.basis}")
    lines += [f"  {keyword:<11} {words}" for keyword, words in evidence.remarks()]
    few = few_units(posterior, metrics.values())
    lines += [
        f"  few units   only {number} {what}: intervals are widened for this, and approximate"
        for what, number in few.items()
    ]
    for name, metric in metrics.items():
        carried = few_that_carry(posterior, metric)
        if carried is not None and not few:
            which = "" if len(metrics) == 1 else f"{name}: "
            lines.append(f"  few units   {which}{carried}: its interval may be too narrow")
    together = [name for name, metric in metrics.items() if posterior.sum_of_means(metric)]
    if together:
        lines.append(
            f"  large       {', '.join(together)}: instances far from the mean are weighted one by "
            "one, the others by a normal sum"
        )
    by_weights = [name for name, metric in metrics.items() if metric.weighs_instances]
    if by_weights and posterior.evidence.has_class_counts:
        units = "groups" if getattr(posterior.scored, "grouped", False) else "instances"
        lines.append(f"  model       {', '.join(by_weights)}: weights of {units}")
    positive = positive_class(posterior, metrics.values())
    if positive is not None:
        lines.append(f"  positive    class {positive!r}")
    is_average = any(metric.is_macro for metric in metrics.values())
    if is_average and not all(counts.possible.all() for counts in posterior.counts):
        numbers = ", ".join(
            f"{name} {counts.averaged.sum()}"
            for name, counts in zip(result._names, posterior.counts, strict=True)
        )
        words = "over classes that occur in y_true or that the classifier predicts"
        lines.append(f"  averages    {words}: {numbers}")
    if posterior.prevalence is not None:
        shares = ", ".join(f"{share:.3g}" for share in posterior.prevalence)
        lines.append(f"  prevalence  {shares} of {list(result.labels)}; observed scores are plain")
    lines += [f"  applies to  {words}" for words in applies_to(result)]
    for name in result._names:
        chosen = (result.cv_results or {}).get(name, {}).get("best_params")
        if chosen is not None:
            lines.append(f"  chosen by   {name}: {_tally(chosen)}")
    return lines


def applies_to(result: PosteriorView) -> Iterator[str]:
    """Yield which learners a cross-validated result applies to."""
    record, share = result._cross_validation, result.evidence.train_share
    if record is not None and record.estimand == "fitted":
        yield (
            f"the {record.n_splits} models of each kind fitted here on {record.train_size:,.0f} "
            f"instances ({record.splitter}), on average; not to other training sets"
        )
    elif record is not None and record.estimand == "full":
        yield (
            f"learners trained on all {record.n_instances:,} instances, extrapolated from "
            f"{words_of_sizes(record)} ({record.splitter}, {record.n_splits} splits)"
        )
    elif record is not None:
        yield (
            f"learners trained on {record.train_size:,.0f} instances ({record.splitter}, "
            f"{record.n_splits} splits), not models refitted on all data"
        )
    elif share is not None:
        yield f"learners trained on {share:.3g} of the data, not models refitted on all of it"


def words_of_sizes(record: CrossValidation) -> str:
    """Return the two training sizes from which a result was extrapolated, such as "50 and 75"."""
    sizes = sorted((record.train_size, record.further_size or record.train_size))
    return " and ".join(f"{size:,.0f}" for size in sizes)


def _tally(chosen: Sequence[Mapping[str, Any] | None]) -> str:
    """Return how often a search chose which parameters, the most frequent first."""
    words = Counter(", ".join(f"{k}={v}" for k, v in (one or {}).items()) for one in chosen)
    shown = "; ".join(f"{w} in {n} of {len(chosen)} splits" for w, n in words.most_common(3))
    return shown + ("; ..." if len(words) > 3 else "")


def what_was_tested(result: PosteriorView) -> Iterator[str]:
    """Yield sentences on which classifiers were tested on what."""
    posterior, record, names = result._posterior, result._cross_validation, result._names
    evidence = posterior.evidence
    all_names = join_words(names) if len(names) <= 8 else f"{len(names)} classifiers"
    were = "was" if len(names) == 1 else "were"
    groups = f" in {evidence.n_groups:,} groups" if evidence.n_groups else ""
    sizes = list(dict.fromkeys(round(counts.total) for counts in posterior.counts))
    if record is not None:
        number = ""
        if record.test_size is not None:
            number = f" ({record.train_size + record.test_size:,.0f} instances)"
        yield (
            f"{all_names} {were} trained and tested on {record.n_splits} splits of the same data"
            f"{number}, each time with about {record.train_size:,.0f} instances for "
            "training."
        )
        if groups:
            yield f"The instances are{groups}, and groups, not instances, count as independent."
        if posterior.weights is not None or posterior.weight != 1 or evidence.is_of_splits:
            yield "Splits of the same data resemble each other, which is allowed for."
    elif evidence.is_of_splits:
        yield f"{all_names} {were} compared by their scores on {evidence.describe()}."
        if evidence.train_share is not None:
            yield "The correlation is what splits of the same data are taken to have in common."
    elif evidence.family == "chunks" and evidence.is_paired:
        found = round(float(posterior.counts[0].true[posterior.counts[0].positive]))
        yield f"{all_names} {were} tested on the same sentences, with {found:,} chunks to find."
    elif len(names) == 1:
        kind = "instances" if posterior.has_true_negatives else "counts"
        yield f"{all_names} {were} tested on {sizes[0]:,} {kind}{groups}."
    elif evidence.is_paired:
        yield f"{all_names} {were} tested on the same {sizes[0]:,} instances{groups}."
    else:
        each = " each" if len(sizes) == 1 else ""
        yield (
            f"{all_names} {were} compared by their counts of right and wrong predictions "
            f"({join_words([f'{size:,}' for size in sizes])} counts{each}); it is not known which "
            "instances both got right."
        )
    if record is None and posterior.weight != 1 and not evidence.is_of_splits:
        yield f"Each count is taken for {posterior.weight:.2g} of an independent one."


def what_it_applies_to(result: PosteriorView, models: str) -> Iterator[str]:
    """Yield a sentence on which models and which instances the result applies to."""
    record, evidence = result._cross_validation, result.evidence
    if record is not None and record.estimand == "fitted":
        yield (
            f"This applies to the {record.n_splits} models of each kind that were fitted here, on "
            "average, and to instances like those of the data; other training data could give "
            "models that compare differently."
        )
    elif record is not None and record.estimand == "full":
        yield (
            f"This applies to training on all {record.n_instances:,} instances, or as many like "
            f"these. It was extrapolated from training on {words_of_sizes(record)} instances."
        )
    elif record is not None:
        yield (
            f"This applies to training on {record.train_size:,.0f} instances like these; models "
            "trained on all of the data, or on more, may score and compare differently."
        )
    elif evidence.train_share is not None:
        yield (
            f"This applies to training on {evidence.train_share:.0%} of the data; models trained "
            "on all of it may score and compare differently."
        )
    elif evidence.is_of_splits:
        yield "This applies to data sets like these, and to training as it was done on them."
    elif evidence.is_paired or evidence.n_classifiers == 1:
        these = "this" if models == "model" else "these"
        yield (
            f"This applies to {these} {models} as tested and to instances like those of the test; "
            "it does not tell how training again would turn out."
        )
    else:
        yield (
            "This applies to the models that gave these counts and to instances like those that "
            "they were tested on."
        )


def where_probabilities_come_from(result: PosteriorView) -> str:
    """Return a sentence on what the probabilities rest on."""
    posterior, metric = result._posterior, result._metric(None)
    concludes = (
        f'The probabilities are what the model "{posterior.model_name(metric)}" concludes from'
    )
    if not posterior.has_proper_prior(metric):
        return f"{concludes} the data."
    return f"{concludes} the data and from its prior, the assumptions made before seeing the data."


def cautions(
    result: PosteriorView, metrics: Sequence[Metric], see: str = "prior_sensitivity()"
) -> Iterator[str]:
    """Yield sentences on what makes the result less reliable than it looks."""
    posterior = result._posterior
    if "callable" in posterior.prior_description:
        yield "The prior was supplied by the user."
    elif (scarce := what_is_scarce(posterior, metrics)) is not None:
        yield (
            f"Caution: {scarce}, so the prior has an influence on the answer; {see} shows how much."
        )
    for what, number in few_units(posterior, metrics).items():
        yield (
            f"Caution: there are only {number} {what}, so the probabilities are approximate, "
            "although they allow for this."
        )
    for metric in metrics:
        carried = few_that_carry(posterior, metric)
        if carried is not None:
            yield f"Caution: {carried} in {metric.name}, so that its interval may be too narrow."
    if posterior.prevalence is not None:
        shares = ", ".join(f"{share:.3g}" for share in posterior.prevalence)
        yield (
            f"The classes {list(result.labels)} are taken to occur in shares of "
            f"{shares}; the values seen in the test are not corrected for that."
        )
    for warning in result.warnings:
        yield f"Caution: the simulation has not been reliable. {warning}"
