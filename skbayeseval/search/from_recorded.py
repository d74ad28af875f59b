"""Reports on the counts or the split scores that a search recorded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from numbers import Integral
from typing import Any

import numpy as np

from skbayeseval._arrays import Array, choices
from skbayeseval._labels import check_labels
from skbayeseval._validation import check_probability, check_size, warn_caller
from skbayeseval.evidence.counts import ConfusionCounts, MarginalCounts
from skbayeseval.evidence.split_scores import SplitScores
from skbayeseval.judgement.ranking_decision import first_alike
from skbayeseval.judgement.rope import check_rope_around_zero
from skbayeseval.metrics.metric import Metric
from skbayeseval.metrics.registry import split_metric, table_metric
from skbayeseval.metrics.scoring import resolve_scoring
from skbayeseval.models.multiclass import Recalls
from skbayeseval.models.split_scores import LEAST_STEPS, step_seen, without_noise
from skbayeseval.posterior.build import N_DRAWS, check_true_classes, make_posterior
from skbayeseval.results.ranking import Ranking
from skbayeseval.results.words import Fact, cautions_of, choice, copies_of
from skbayeseval.search.noise import RecordedSplits, TableWeights
from skbayeseval.search.recorded import Recorded, name_candidates
from skbayeseval.search.report import SearchReport
from skbayeseval.splitting.splits import (
    SplitProportions,
    cautious_proportions,
    split_proportions,
    splitter_name,
    weight_of_fraction,
)

ALL_INSTANCES = "the instances"

# Bounds on the draws per candidate, and on the total, if n_draws is None.
FEWEST_DRAWS, MOST_DRAWS, AFFORDABLE = 2000, N_DRAWS, 300_000


@dataclass
class Settings:
    """The options of a report on recorded results, which are checked."""

    rope: Any
    prob: float
    test_fraction: float | None
    labels: Any
    pos_label: Any
    n_draws: int | None
    entropy: int = 0
    cv: Any = None
    measure: Any = None
    key: str | None = None
    instances: str = ALL_INSTANCES

    def __post_init__(self) -> None:
        self.prob = check_probability(self.prob)
        if self.test_fraction is not None:
            self.test_fraction = check_probability(self.test_fraction, "test_fraction")
        if self.n_draws is not None:
            self.n_draws = check_size(self.n_draws, "n_draws", 16, minimum=100)

    @property
    def name(self) -> str:
        """The name of the metric."""
        known = self.key if self.measure is None else self.measure
        return str(getattr(known, "name", known))

    @property
    def table_metric(self) -> Metric | None:
        """The metric, if it is one of confusion matrices."""
        return None if self.measure is None else table_metric(self.measure)

    def draws_of(self, n_candidates: int) -> int:
        """Return the number of draws per candidate; fewer for many candidates if not given."""
        if self.n_draws is not None:
            return self.n_draws
        return max(FEWEST_DRAWS, min(MOST_DRAWS, AFFORDABLE // n_candidates))

    def proportions(self, n_splits: int, sizes: Array | None = None) -> SplitProportions:
        """Return what is known about the splits; `sizes` has the test instances per class."""
        if self.cv is None and self.test_fraction is None:
            return cautious_proportions(n_splits, sizes)
        known = SplitProportions() if self.cv is None else split_proportions(self.cv, n_splits)
        declared = _declared_splits(self.cv)
        if declared not in (None, n_splits):
            raise ValueError(f"cv={self.cv!r} has {declared} splits, but {n_splits} were recorded.")
        fraction = self.test_fraction
        if fraction is None:
            return known
        weight = known.weight
        if weight is None:
            weight = weight_of_fraction(self.cv, fraction, n_splits, sizes)
        return SplitProportions(fraction, weight, known.train_share)


def report_recorded(recorded: Recorded, settings: Settings) -> SearchReport:
    """Report on `cv_results_`, from confusion counts if possible, otherwise from split scores."""
    metric = settings.table_metric
    if metric is not None and recorded.n_classes:
        return _from_counts(recorded, settings, metric)
    return _from_scores(recorded, settings)


def _from_counts(recorded: Recorded, settings: Settings, metric: Metric) -> SearchReport:
    n_splits, n_classes = recorded.n_splits, recorded.n_classes
    labels = tuple(range(n_classes)) if settings.labels is None else check_labels(settings.labels)
    if len(labels) != n_classes:
        raise ValueError(f"labels has {len(labels)} classes, but the counts have {n_classes}.")
    bad = recorded.failed()
    kept, failed = recorded.without(bad)
    of_splits = np.rint(recorded.tables()[~bad])
    proportions = settings.proportions(n_splits, of_splits[0].sum(axis=2))
    if proportions.weight is None:
        raise _unknown_proportions(settings.cv, "the weight of a pooled count")
    pos_label = settings.pos_label
    if pos_label is None and metric.needs_positive:
        if settings.key is not None and len(labels) == 2:
            scores = recorded.scores(settings.key)[~bad]
            pos_label = _recorded_positive(settings.key, labels, metric, of_splits, scores)
        elif settings.labels is None:
            warn_caller(
                f"{metric.name!r} needs a positive class, and the recorded scores do not "
                "determine it. The second of the counted classes is assumed. Specify it with "
                "labels= and pos_label=."
            )
    tables = of_splits.sum(axis=1)
    evidence = MarginalCounts(
        tuple(ConfusionCounts(table, labels, proportions.weight, pos_label) for table in tables)
    )
    present = np.flatnonzero(evidence[0].true)
    check_true_classes([labels[i] for i in present], "cv_results_")
    positive = evidence[0].positive
    weights = TableWeights(
        of_splits, 1 if positive is None else positive, RecordedSplits.of(proportions, n_splits)
    )
    posterior = make_posterior(
        evidence.with_weight(weights.difference(metric).median),
        Recalls() if len(labels) > 2 else "auto",
        "exact",
        settings.draws_of(len(kept)),
        settings.entropy,
        weights=weights,
    )
    candidates = recorded.parameters(kept)
    ranking = Ranking(
        posterior, tuple(name_candidates(candidates)), resolve_scoring(settings.measure, labels)
    )
    facts = _facts(f"the confusion counts of {n_splits} splits", settings, proportions)
    return make_report(ranking, recorded, candidates, settings, "counts", failed, facts)


def _recorded_positive(
    key: str, labels: tuple[Any, ...], metric: Metric, of_splits: Array, scores: Array
) -> Any:
    """Return the positive class that reproduces the recorded scores."""
    for position in (1, 0):
        if np.allclose(metric(of_splits, position), scores, atol=1e-9):
            return labels[position]
    raise ValueError(
        f"The recorded {key!r} does not match the recorded counts for either of the classes "
        f"{list(labels)} as the positive class. Specify it with pos_label=."
    )


def _declared_splits(cv: Any) -> int | None:
    """Return the number of splits of a splitter, or None if it depends on the data."""
    if isinstance(cv, Integral):
        return int(cv)
    try:
        return int(cv.get_n_splits())
    except (AttributeError, TypeError, ValueError):
        return None


def _from_scores(recorded: Recorded, settings: Settings) -> SearchReport:
    name, n_splits = settings.name, recorded.n_splits
    if settings.key is None:
        raise ValueError(
            f"scoring={name!r} was not recorded, and cannot be computed from confusion counts of "
            f"the search. Choose one of {choices(name, recorded.keys)}, pass the search a scoring= "
            f"with {name!r} in it, or X and y to report_search."
        )
    if n_splits < 2:
        raise ValueError(
            "The scores of a single split do not show how much they vary. Record counts with "
            "count_scorer, or pass X and y to report_search."
        )
    proportions = settings.proportions(n_splits)
    rho = proportions.test_fraction
    if rho is None:
        raise _unknown_proportions(settings.cv, "the correlation between its splits")
    scores = recorded.scores(settings.key)
    bad = ~np.isfinite(scores.sum(axis=1))
    kept, failed = recorded.without(bad, settings.key)
    scores = without_noise(scores[~bad], scores[~bad])
    evidence = SplitScores({name: scores}, rho)
    if len(scores) > 2:
        least = (LEAST_STEPS * step_seen(scores)) ** 2
        splits = RecordedSplits.of(proportions, n_splits)
        noise, df = splits.noise_of_scores(scores, least)
        evidence = replace(evidence, noise={name: noise}, df=df)
    posterior = make_posterior(
        evidence, "auto", "exact", settings.draws_of(len(kept)), settings.entropy
    )
    candidates = recorded.parameters(kept)
    ranking = Ranking(posterior, tuple(name_candidates(candidates)), {name: split_metric(name)})
    facts = _facts(f"the scores of {n_splits} splits", settings, proportions)
    return make_report(ranking, recorded, candidates, settings, "scores", failed, facts)


def make_report(
    ranking: Ranking,
    recorded: Recorded,
    candidates: Mapping[int, Any],
    settings: Settings,
    source: str,
    failed: Sequence[int],
    facts: Sequence[Fact],
) -> SearchReport:
    """Return the report on a ranking of candidates, with further facts."""
    n_tried, n_compared, more = len(recorded.positions), len(candidates), []
    metric = ranking._metric(None)
    if n_compared + len(failed) < n_tried:
        promising = f"these are the {n_compared} most promising of {n_tried} candidates"
        more.append(
            Fact("note", f"{promising}: simplest() chooses among these, top={n_tried} compares all")
        )
    if recorded.n_dropped:
        dropped = f"{recorded.n_dropped} other candidates before the last iteration of the search"
        more.append(Fact("dropped", f"{dropped}, which are not compared"))
    if failed:
        shown = ", ".join(map(str, failed[:10])) + ", ..." * (len(failed) > 10)
        more.append(Fact("note", f"left out because a fit or a score failed: candidates {shown}"))
    what = source if source == "predictions" else f"{source} in all splits"
    more += [
        *choice(ranking, metric),
        *copies_of(first_alike(ranking._rivals(metric)).tolist(), what),
    ]
    return SearchReport(
        ranking,
        candidates,
        rope=check_rope_around_zero(settings.rope, metric, ranking._reference(metric)),
        source=source,
        prob=settings.prob,
        failed=tuple(failed),
        _facts=[*facts, *more, *cautions_of(ranking)],
        _times=recorded.times(np.array([*candidates])),
    )


def _unknown_proportions(cv: Any, what: str) -> ValueError:
    return ValueError(
        f"cv={cv!r} does not determine {what}. Pass test_fraction=, the share of test instances "
        "among the test and training instances of one split."
    )


def _facts(based_on: str, settings: Settings, proportions: SplitProportions) -> list[Fact]:
    """Return what a report is based on, and what it applies to."""
    cv, share = settings.cv, proportions.train_share
    name = "splitter not specified" if cv is None else splitter_name(cv)
    facts = [Fact("based on", f"{based_on} ({name})")]
    if share is not None and cv is None:
        assumed = f"splits are assumed to test {1 - share:.0%} of the instances each, to be on the"
        facts.append(
            Fact("caution", f"{assumed} safe side: if you know better, pass test_fraction=")
        )
    elif share is not None:
        learners = f"learners trained on {share:.0%} of {settings.instances}"
        facts.append(Fact("applies to", f"{learners}, not models refitted on all data"))
    return facts
