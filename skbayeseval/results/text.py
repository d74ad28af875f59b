"""What a comparison says in words."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from skbayeseval.judgement.decision import format_interval, format_probability
from skbayeseval.judgement.distribution import Distribution
from skbayeseval.judgement.intervals import Interval
from skbayeseval.metrics.confusion import Metric
from skbayeseval.posterior.recipe import Posterior
from skbayeseval.results.few_counts import few_that_carry, what_is_scarce
from skbayeseval.results.observed import is_pooled, means_of_splits, positive_class
from skbayeseval.splitting.collect import CrossValidation

__all__ = ["applies_to", "describe_comparison", "words_of_sizes"]

# Fewer groups, positives or instances than this are few.
FEW_UNITS = 20


def describe_comparison(
    posterior: Posterior,
    metrics: Mapping[str, Metric],
    names: tuple[str, str],
    record: CrossValidation | None,
    warnings: Sequence[str],
) -> str:
    """Return what a comparison says: who is better, by how much, how surely, and on what basis."""
    lines = []
    for name, metric in metrics.items():
        difference = posterior.difference(metric)
        identical = posterior.what_is_identical(metric)
        observed = posterior.observed(metric)
        lines += describe_difference(name, names, difference, observed, identical)
        means = means_of_splits(record, name, names)
        if is_pooled(record, metric, observed, means):
            lines[-1] += f"  ({_on_splits(record, means)})"
        if record is not None and record.estimand == "full":
            lines[-1] += f"  (trained on {record.train_size:,.0f} instances)"
    lines += describe_basis(posterior, metrics, names, record)
    prior = posterior.prior_description
    if "callable" in prior:
        lines.append(f"  prior       {prior['callable']}")
    elif (scarce := what_is_scarce(posterior, metrics.values())) is not None:
        lines.append(f"  prior       matters, because {scarce}: see prior_sensitivity()")
    lines += [f"  warning     {warning}" for warning in warnings]
    lines.append(
        "  Use decision(rope=r) to compare this with the smallest difference r that matters to you."
    )
    return "\n".join(lines)


def describe_difference(
    metric: str,
    names: tuple[str, str],
    difference: Distribution,
    observed: tuple[float, ...],
    identical: str | None = None,
) -> list[str]:
    """Return lines on who is better, by how much, and how surely."""
    a, b = names
    worse, equal, better = difference.around(Interval(0.0, 0.0))
    ahead, behind, chance = (a, b, better) if better >= worse else (b, a, worse)
    verdict, chance = f"{ahead} is better than {behind}", max(chance, equal)
    if equal >= max(worse, better):
        verdict = f"{a} and {b} are equal"
    sentence = f"{verdict} on {metric} with probability {format_probability(chance, words=True)}."
    if identical is not None:
        sentence = f"{a} and {b} are identical on {metric}: their {identical} are the same."
    return [
        sentence,
        f"  difference  {difference.mean:+.4f}, 95% HDI {format_interval(difference.hdi())}  "
        f"({a} minus {b})",
        f"  observed    {a} {observed[0]:.4f}, {b} {observed[1]:.4f}",
    ]


def _on_splits(record: CrossValidation | None, means: Sequence[float] | None) -> str:
    """Return that splits are pooled, and their means, to be compared with `cross_validate`."""
    pooled = "splits pooled" if record is None else f"{record.n_splits} splits pooled"
    if means is None:
        return pooled
    return f"{pooled}; mean of splits {' and '.join(f'{mean:.4f}' for mean in means)}"


def describe_draws(posterior: Posterior) -> str:
    """Return how many draws of which kind there are, such as "20,000 independent draws"."""
    kind = "independent" if posterior.has_independent_draws else posterior.engine
    if posterior.evidence.family == "systems":
        kind = "Markov chain"
    return f"{posterior.n_draws:,} {kind} draws"


def describe_basis(
    posterior: Posterior,
    metrics: Mapping[str, Metric],
    names: tuple[str, str],
    record: CrossValidation | None,
) -> list[str]:
    """Return lines on what the posterior stands on."""
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
    few = dict.fromkeys(filter(None, (posterior.units(m) for m in metrics.values())))
    told = {one.what: one.number for one in few if one.number < FEW_UNITS}
    lines += [
        f"  few units   only {number} {what}: intervals are widened for this, and approximate"
        for what, number in told.items()
    ]
    for name, metric in metrics.items():
        carried = few_that_carry(posterior, metric)
        if carried is not None and len(told) == 0:
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
    if any(metric.is_macro for metric in metrics.values()):
        lines += _classes_averaged(posterior, names)
    if posterior.prevalence is not None:
        shares = ", ".join(f"{share:.3g}" for share in posterior.prevalence)
        labels = list(posterior.counts[0].labels)
        lines.append(f"  prevalence  {shares} of {labels}; observed scores are plain")
    lines += [f"  applies to  {words}" for words in applies_to(posterior, record)]
    results = {} if record is None else record.results
    for name in names:
        chosen = results.get(name, {}).get("best_params")
        if chosen is not None:
            lines.append(f"  chosen by   {name}: {_tally(chosen)}")
    return lines


def _classes_averaged(posterior: Posterior, names: Sequence[str]) -> Iterator[str]:
    """Yield a line on macro averages if a label is predicted but never true."""
    if all(counts.possible.all() for counts in posterior.counts):
        return
    numbers = ", ".join(
        f"{name} {counts.averaged.sum()}"
        for name, counts in zip(names, posterior.counts, strict=True)
    )
    words = "over classes that occur in y_true or that the classifier predicts"
    yield f"  averages    {words}: {numbers}"


def applies_to(posterior: Posterior, record: CrossValidation | None) -> Iterator[str]:
    """Yield which learners a cross-validated result applies to."""
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
    elif posterior.evidence.train_share is not None:
        share = posterior.evidence.train_share
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
