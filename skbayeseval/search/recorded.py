"""Build a report from the counts or the split scores recorded in `cv_results_`."""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skbayeseval._labels import check_labels
from skbayeseval._validation import check_probability, check_size
from skbayeseval.compare.split_scores import rank_scores
from skbayeseval.evidence.confusion import ConfusionCounts
from skbayeseval.evidence.counts import as_evidence
from skbayeseval.judgement.pooling import pool_scores
from skbayeseval.judgement.ranking_decision import first_alike
from skbayeseval.judgement.rope import check_rope_around_zero
from skbayeseval.metrics.confusion import Metric
from skbayeseval.metrics.registry import resolve_scoring, table_metric
from skbayeseval.models.multiclass import Recalls
from skbayeseval.models.split_scores import without_noise
from skbayeseval.posterior.build import check_true_classes, make_posterior
from skbayeseval.posterior.inferred_weight import (
    WeightPosterior,
    common_weight,
    infer_weight,
)
from skbayeseval.results.facts import POOLED, Fact, cautions_of, copies_of
from skbayeseval.results.ranking import Ranking
from skbayeseval.search.candidates import Recorded, name_candidates
from skbayeseval.search.noise import (
    N_BEST,
    draws_of_splits,
    first_copies,
    own_share,
    share_noise,
    spread_of_tables,
)
from skbayeseval.search.report import SearchReport
from skbayeseval.splitting.block_cv import (
    SplitProportions,
    cautious_proportions,
    split_proportions,
    splitter_name,
    weight_of_fraction,
)

Array = NDArray[Any]

# A child of the entropy; planning/sample_size.py lists the others.
_POOLING = 5


class Unknown:
    """Stands for a splitter that the user did not specify, in copies, too."""


class RecordedOnly(str):
    """The name of a score that is known only by its recorded values."""


# Bounds on the draws per candidate, and on the total, if n_draws is None.
FEWEST_DRAWS, MOST_DRAWS, AFFORDABLE = 2000, 20_000, 400_000


@dataclass
class Settings:
    """The options of a report on recorded results, which are checked."""

    rope: Any
    prob: float
    measure: Any
    key: str | None
    cv: Any
    test_fraction: float | None
    labels: Any
    pos_label: Any
    n_draws: int | None
    entropy: int
    instances: str = "the instances"

    def __post_init__(self) -> None:
        self.prob = check_probability(self.prob)
        if self.test_fraction is not None:
            self.test_fraction = check_probability(self.test_fraction, "test_fraction")
        if self.n_draws is not None:
            self.n_draws = check_size(self.n_draws, "n_draws", 16, minimum=100)

    @property
    def table_metric(self) -> Metric | None:
        """The metric, if it is one of confusion matrices."""
        return None if isinstance(self.measure, RecordedOnly) else table_metric(self.measure)

    @property
    def rng(self) -> np.random.Generator:
        """The source of randomness for pooling."""
        return np.random.default_rng(np.random.SeedSequence(self.entropy, spawn_key=(_POOLING,)))

    def draws_of(self, n_candidates: int) -> int:
        """Return the number of draws per candidate; fewer for many candidates if not given."""
        if self.n_draws is not None:
            return self.n_draws
        return max(FEWEST_DRAWS, min(MOST_DRAWS, AFFORDABLE // n_candidates))

    def proportions(self, n_splits: int, sizes: Array | None = None) -> SplitProportions:
        """Return what is known about the splits; `sizes` has the test instances per class."""
        if self.cv is Unknown and self.test_fraction is None:
            return cautious_proportions(n_splits, sizes)
        known = SplitProportions() if self.cv is Unknown else split_proportions(self.cv, n_splits)
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
            warnings.warn(
                f"{metric.name!r} needs a positive class, and the recorded scores do not "
                "determine it. The second of the counted classes is assumed. Specify it with "
                "labels= and pos_label=.",
                UserWarning,
                stacklevel=2,
            )
    evidence = tuple(
        ConfusionCounts(table, labels, proportions.weight, pos_label)
        for table in of_splits.sum(axis=1)
    )
    present = np.flatnonzero(evidence[0].table.sum(axis=1))
    check_true_classes([labels[i] for i in present], "cv_results_")
    candidates = recorded.parameters(kept)
    first, distinct = first_copies(of_splits)
    weight = _inferred_weight(metric, of_splits[distinct], evidence[0].positive, proportions)
    own = own_share(weight, len(distinct), n_splits)
    posterior = make_posterior(
        as_evidence(evidence).with_weight(weight.median),
        Recalls() if len(labels) > 2 else "auto",
        "exact",
        None,
        settings.draws_of(len(kept)),
        settings.entropy,
        weights=common_weight(
            weight, f"from the spread of {n_splits} splits, for most learners", len(evidence)
        ),
    )
    ranking = Ranking(
        posterior, tuple(name_candidates(candidates)), resolve_scoring(settings.measure, labels)
    )
    facts = [
        (
            "based on",
            f"the confusion counts of {n_splits} splits ({_splits_name(settings.cv)}), with "
            f"weight {weight.median:.2g} per count, inferred from their spread",
        )
    ]
    if len(kept) > 1:
        alike = f"correlated by {1 - own:.2g}, as in the splits"
        facts.append(("candidates", f"are assumed {'independent' if own == 1 else alike}"))
    rng = settings.rng
    draws = share_noise(ranking.draws, own, rng)[first]
    return make_report(
        ranking, recorded, candidates, settings, "counts", failed,
        [*facts, *_training(proportions, settings)], draws, pool_scores(draws, rng),
    )  # fmt: skip


def _inferred_weight(
    metric: Metric, of_splits: Array, positive: int | None, proportions: SplitProportions
) -> WeightPosterior:
    """Return one weight for all candidates, inferred from how differences between the best vary.

    Candidates are modelled as independent, which makes differences too uncertain rather than too
    certain; so the weight is never more than the published one.
    """
    assert proportions.weight is not None
    n_splits = of_splits.shape[1]
    n_folds = (
        0 if proportions.test_fraction is None else round(min(1 / proportions.test_fraction, 1e9))
    )
    # Random test sets count less than as many folds.
    if not n_folds or n_splits % n_folds or n_splits * proportions.weight < 0.99 * n_folds:
        n_folds = n_splits
    which = 1 if positive is None else positive
    values = metric(of_splits.sum(axis=1), which)
    best = np.argsort(-values, kind="stable")[:N_BEST]
    spread = spread_of_tables(metric, of_splits[best], which, n_folds, proportions.weight)
    if not spread.test_noise:  # all candidates differ by as much in every split
        return WeightPosterior(proportions.weight, 1.0, math.inf)
    inferred = infer_weight(spread, by_class=metric.weighs_classes)
    return inferred._replace(most=proportions.weight)


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
    name, n_splits = getattr(settings.measure, "name", settings.measure), recorded.n_splits
    if settings.key is None:
        raise ValueError(
            f"scoring={name!r} was not recorded, and there are no confusion counts to compute it "
            f"from. Use one of {recorded.keys}, or pass X and y."
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
    candidates, scores = recorded.parameters(kept), scores[~bad]
    ranking = rank_scores(
        dict(zip(name_candidates(candidates), scores, strict=True)),
        test_fraction=rho,
        scoring=str(name),
        n_draws=settings.draws_of(len(kept)),
        random_state=settings.entropy,
    )
    splits = f"the scores of {n_splits} splits ({_splits_name(settings.cv)})"
    facts = [("based on", f"{splits}, with correlation {rho:.3g} between splits")]
    draws = pooled = ranking.draws
    if len(kept) > 2:
        facts.append(("candidates", "are assumed to vary equally and to be equally correlated"))
    if len(kept) > 1:
        rng, inflation = settings.rng, 1 / n_splits + rho / (1 - rho)
        first, distinct = first_copies(scores)
        draws, covariance = draws_of_splits(
            without_noise(scores, scores)[distinct], inflation, ranking.n_draws, rng
        )
        position = np.searchsorted(distinct, first)
        draws = draws[position]
        pooled = pool_scores(draws, rng, covariance[np.ix_(position, position)])
    return make_report(
        ranking, recorded, candidates, settings, "scores", failed,
        [*facts, *_training(proportions, settings)], draws, pooled,
    )  # fmt: skip


def make_report(
    ranking: Ranking,
    recorded: Recorded,
    candidates: Mapping[int, Any],
    settings: Settings,
    source: str,
    failed: Sequence[int],
    facts: Sequence[Fact],
    draws: Array,
    pooled: Array,
) -> SearchReport:
    """Return the report on a ranking of candidates, with further facts."""
    n_tried, n_compared, more = len(recorded.positions), len(candidates), []
    metric = ranking._metric(None)
    if n_compared + len(failed) < n_tried:
        promising = f"are the {n_compared} most promising of {n_tried} candidates"
        more.append(
            ("compared", f"{promising}: simplest() chooses among these, top={n_tried} compares all")
        )
    if recorded.n_dropped:
        dropped = f"{recorded.n_dropped} other candidates before the last iteration of the search"
        more.append(("dropped", f"{dropped}, which are not compared"))
    if failed:
        shown = ", ".join(map(str, failed[:10])) + ", ..." * (len(failed) > 10)
        more.append(("left out", f"because a fit or a score failed: candidates {shown}"))
    if pooled is not draws:
        more.append(POOLED)
    what = source if source == "predictions" else f"{source} in all splits"
    more += copies_of(first_alike(pooled).tolist(), what)
    return SearchReport(
        ranking,
        candidates,
        rope=check_rope_around_zero(settings.rope, metric, ranking._reference(metric)),
        source=source,
        _unpooled=draws,
        draws=pooled,
        prob=settings.prob,
        failed=tuple(failed),
        _facts=[*facts, *more, *cautions_of(ranking)],
    )


def _unknown_proportions(cv: Any, what: str) -> ValueError:
    return ValueError(
        f"cv={cv!r} does not determine {what}. Pass test_fraction=, the share of test instances "
        "among the test and training instances of one split."
    )


def _splits_name(cv: Any) -> str:
    return "splitter not specified" if cv is Unknown else splitter_name(cv)


def _training(proportions: SplitProportions, settings: Settings) -> list[Fact]:
    share = proportions.train_share
    if share is None:
        return []
    return [("applies to", f"learners trained on {share:.0%} of {settings.instances}")]
