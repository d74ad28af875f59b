"""What a comparison says in words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from skbayeseval.evidence.instance_scores import ScoredInstances
from skbayeseval.evidence.split_scores import DataSetScores, SplitScores
from skbayeseval.judgement.decision import Probabilities, format_interval
from skbayeseval.judgement.intervals import Interval
from skbayeseval.metrics.confusion import Metric
from skbayeseval.posterior.recipe import Posterior
from skbayeseval.splitting.collect import CrossValidation

__all__ = ["tell_basis", "tell_difference"]


def tell_difference(
    metric: str,
    names: tuple[str, str],
    probabilities: Probabilities,
    mean: float,
    interval: Interval,
    observed: tuple[float, float],
) -> list[str]:
    """Return lines on who is better, by how much, and how surely."""
    a, b = names
    worse, equal, better = probabilities
    ahead, behind, chance = (a, b, better) if better >= worse else (b, a, worse)
    verdict, chance = f"{ahead} is better than {behind}", max(chance, equal)
    if equal >= max(worse, better):
        verdict = f"{a} and {b} are equal"
    return [
        f"{verdict} on {metric} with probability "
        f"{'more than 99.9%' if chance >= 0.9995 else format(chance, '.1%')}.",
        f"  difference  {mean:+.4f}, 95% HDI {format_interval(interval)}  ({a} minus {b})",
        f"  observed    {a} {observed[0]:.4f}, {b} {observed[1]:.4f}",
    ]


def tell_basis(
    posterior: Posterior,
    metrics: Mapping[str, Metric],
    names: tuple[str, str],
    record: CrossValidation | None,
) -> list[str]:
    """Return lines on what the posterior stands on."""
    lines = [
        f"  model       {posterior.model.name}, {posterior.n_draws:,} {posterior.engine} draws "
        f"from {_evidence(posterior)}"
    ]
    by_weights = [name for name, metric in metrics.items() if metric.source == "instances"]
    if by_weights and not isinstance(posterior.evidence, ScoredInstances):
        lines.append(f"              {', '.join(by_weights)}: weights of instances")
    if posterior.prevalence is not None:
        shares = ", ".join(f"{share:.3g}" for share in posterior.prevalence)
        labels = list(posterior.counts[0].labels)
        lines.append(f"  prevalence  {shares} of {labels}; observed scores are plain")
    lines += [f"  speaks of   {words}" for words in _learners(posterior, record)]
    results = {} if record is None else record.results
    for name in names:
        chosen = results.get(name, {}).get("best_params")
        if chosen is not None:
            lines.append(f"  chosen by   {name}: {_tally(chosen)}")
    return lines


def _evidence(posterior: Posterior) -> str:
    sizes = dict.fromkeys(counts.total for counts in posterior.counts)
    number = " and ".join(f"{size:,.0f}" for size in sizes)
    evidence = posterior.evidence
    if isinstance(evidence, SplitScores):
        return f"{number} splits with a correlation of {evidence.test_fraction:.3g}"
    if isinstance(evidence, DataSetScores):
        return f"{number} data sets"
    what = "counts"
    if isinstance(evidence, ScoredInstances):
        groups = f" in {len(evidence.shape):,} groups" if evidence.grouped else ""
        what = f"scored instances{groups}"
    worth = "" if posterior.weight == 1 else f", each worth {posterior.weight:.4g} of one"
    return f"{number} {what}{worth}"


def _learners(posterior: Posterior, record: CrossValidation | None) -> Iterator[str]:
    if record is not None:
        yield (
            f"learners trained on {record.train_size:,.0f} instances ({record.splitter}, "
            f"{record.n_splits} splits), not models refitted on all data"
        )
    elif isinstance(posterior.evidence, SplitScores):
        share = 1 - posterior.evidence.test_fraction
        yield f"learners trained on {share:.3g} of the data, not models refitted on all of it"


def _tally(chosen: Sequence[Mapping[str, Any] | None]) -> str:
    """Return how often a search chose which parameters, the most frequent first."""
    words = Counter(", ".join(f"{k}={v}" for k, v in (one or {}).items()) for one in chosen)
    shown = "; ".join(f"{w} in {n} of {len(chosen)} splits" for w, n in words.most_common(3))
    return shown + ("; ..." if len(words) > 3 else "")
