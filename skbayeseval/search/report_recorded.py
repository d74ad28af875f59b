"""Build a report from the counts or the split scores recorded in `cv_results_`.

How much these vary by chance is known as far as the splits tell. A variance from five splits is
known to within a factor of three, and a correlation hardly at all: the sample covariance of many
candidates is mostly noise, and singular. So each candidate keeps a variance of its own, drawn on
the scale of logarithms towards those of the candidates with about the same score (as Smyth 2004
does for genes). What many candidates tell well is how much differences between them vary, relative
to their variances; these ratios are drawn towards those of candidates with about the same scores,
too. No candidate has the noise of another, and hopeless ones do not make good ones vague.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np
from scipy.special import digamma

from skbayeseval._arrays import Array, choices
from skbayeseval._labels import check_labels
from skbayeseval._validation import check_probability, check_size
from skbayeseval.evidence.joint_counts import as_evidence
from skbayeseval.evidence.one_classifier import ConfusionCounts
from skbayeseval.evidence.split_scores import SplitScores
from skbayeseval.evidence.unit_numbers import cell_influence
from skbayeseval.evidence.validated_rows import Spread
from skbayeseval.judgement.ranking_decision import first_alike
from skbayeseval.judgement.rope import check_rope_around_zero
from skbayeseval.metrics.metric import Metric
from skbayeseval.metrics.registry import split_metric, table_metric
from skbayeseval.metrics.scoring import resolve_scoring
from skbayeseval.models.multiclass import Recalls
from skbayeseval.models.split_scores import LEAST_STEPS, step_seen, without_noise
from skbayeseval.posterior.build import N_DRAWS, check_true_classes, make_posterior
from skbayeseval.posterior.inferred_weight import (
    OF_FOLDS,
    STABLE,
    QuantityWeight,
    WeightPosterior,
    Weights,
    infer_weight,
)
from skbayeseval.results.ranking import Ranking
from skbayeseval.results.words import Fact, cautions_of, choice, copies_of
from skbayeseval.search.candidates import Recorded, RecordedOnly, name_candidates
from skbayeseval.search.search_report import SearchReport
from skbayeseval.splitting.splits import (
    SplitProportions,
    cautious_proportions,
    split_proportions,
    splitter_name,
    weight_of_fraction,
)

# The variances of candidates with about the same score count as much as so many splits, the ratios
# of the differences between such candidates as so many, and independence as so many.
DF_VARIANCE, DF_RATIO, DF_INDEPENDENT = 12.0, 8.0, 2.0


def alike(means: Array, variances: Array) -> Array:
    """Return the share of each candidate among those with about the score of each one."""
    scale = np.sqrt(variances[:, None] * variances)
    off = (means[:, None] - means) ** 2
    apart = np.divide(off, scale, out=np.where(off > 0, np.inf, 0.0), where=scale > 0)
    near = 1 / (1 + apart) ** 2
    return np.asarray(near / near.sum(axis=1, keepdims=True))


def moderated(means: Array, variances: Array, df: float) -> Array:
    """Return variances of split scores, drawn towards those of candidates with about the same mean.

    Examples
    --------
    >>> import numpy as np
    >>> from skbayeseval.search.report_recorded import moderated
    >>> variances = np.array([1.0, 2.0, 9.0, 900.0]) / 1e4
    >>> (1e4 * moderated(np.array([0.9, 0.9, 0.9, 0.2]), variances, df=4.0)).round(1)
    array([   2.8,    3.1,    4.8, 1107.6])
    """
    with np.errstate(divide="ignore"):
        logs = np.log(variances) - digamma(df / 2) + np.log(df / 2)
    scales = np.exp(alike(means, variances) @ np.maximum(logs, np.log(np.finfo(float).tiny)))
    return np.asarray((DF_VARIANCE * scales + df * variances) / (DF_VARIANCE + df))


def shared_covariance(
    means: Array, variances: Array, off: Array, df: float, least: float = 0.0
) -> Array:
    """Return the covariance of candidates with given variances, from how their differences vary.

    `off`, of shape (n_candidates, n_splits), are the deviations of splits from the mean of a pass,
    with `df` degrees of freedom. What is seen moves in steps, and varies by `least` or more.

    Examples
    --------
    >>> import numpy as np
    >>> from skbayeseval.search.report_recorded import shared_covariance
    >>> off = np.array([[-1.0, 0.0, 1.0], [-1.0, 0.5, 0.5], [-0.5, -0.5, 1.0]])
    >>> shared_covariance(np.zeros(3), np.ones(3), off, 2.0).round(2)
    array([[1.  , 0.63, 0.63],
           [0.63, 1.  , 0.57],
           [0.63, 0.57, 1.  ]])
    """
    seen = off @ off.T / df
    both = variances[:, None] + variances
    differing = np.diag(seen)[:, None] + np.diag(seen) - 2 * seen
    differing = np.where(np.eye(len(seen)) > 0, 0.0, np.maximum(differing, 2 * least))
    ratios = np.divide(differing, both, out=np.zeros_like(both), where=both > 0)
    shares = alike(means, variances)
    # A candidate does not differ from itself, which says nothing about others.
    others = np.maximum(1 - shares @ shares.T, 1e-9)
    ratios = (df * ratios + DF_RATIO * (shares @ ratios @ shares.T / others)) / (df + DF_RATIO)
    number = 1 / (shares**2).sum(axis=1)
    strength = df * np.sqrt(number[:, None] * number) / 2
    ratios = np.minimum(ratios, 1.0) ** (strength / (strength + DF_INDEPENDENT))
    covariance = both / 2 * (1 - ratios)
    np.fill_diagonal(covariance, variances)
    # The nearest that is a covariance, with these variances.
    values, vectors = np.linalg.eigh(covariance)
    projected = vectors * np.maximum(values, 0.0) @ vectors.T
    sd = np.sqrt(np.diag(projected))
    factor = np.divide(np.sqrt(variances), sd, out=np.zeros_like(sd), where=sd > 0)
    return np.asarray(factor[:, None] * projected * factor)


class RecordedSplits(NamedTuple):
    """What is known of the splits that were recorded.

    They pass over the data `n_passes` times; once if their test sets were drawn at random. Counts
    have the variance of test noise at `published_weight`, and that of a mean score is `inflation`
    times that of a split score. In `are_halves`, each half of the data is tested by what was
    trained on the other.
    """

    n_splits: int
    n_passes: int
    published_weight: float
    inflation: float
    are_halves: bool

    @classmethod
    def of(cls, proportions: SplitProportions, n_splits: int) -> RecordedSplits:
        """Return what the proportions of test sets tell."""
        share, weight = proportions.test_fraction, proportions.weight or 1.0
        n_folds = n_splits if share is None else max(round(min(1 / share, 1e9)), 1)
        # Random test sets count less than as many folds.
        is_whole = n_folds > 1 and n_splits % n_folds == 0
        if is_whole and n_splits * weight > 0.99 * n_folds:
            n_passes = n_splits // n_folds
            return cls(n_splits, n_passes, 1 / n_passes, 1 / n_folds, n_folds == 2)
        # The mean of test sets with instances in common (Nadeau and Bengio 2003).
        inflation = 1 / n_splits + (0.0 if share is None else share / (1 - share))
        return cls(n_splits, 1, weight, inflation, False)

    def kappa(self, metric: Metric, instability: float) -> WeightPosterior:
        """Return the weight of the counts of one candidate, with what training sets add."""
        spread = Spread(1.0, self.published_weight, instability, 0.0, self.n_passes)
        return infer_weight(
            spread,
            instability=[instability] if self.are_halves else [],
            by_class=metric.weighs_classes,
        )

    def deviations(self, values: Array) -> tuple[Array, float]:
        """Return how splits deviate from the mean of their pass, and the degrees of freedom."""
        by_pass = values.reshape(len(values), self.n_passes, -1)
        off = (by_pass - by_pass.mean(axis=2, keepdims=True)).reshape(values.shape)
        return off, float(self.n_splits - self.n_passes)

    def noise_of_scores(self, scores: Array, least: float) -> tuple[Array, float]:
        """Return the covariance of mean scores, and its degrees of freedom.

        `least` is the least variance of a split score. Scores of halves vary by much of what
        training sets add to test noise, those of folds do not.
        """
        _, first, place = np.unique(scores, axis=0, return_index=True, return_inverse=True)
        off, df = self.deviations(scores[first])  # copies tell nothing more
        means, sample = scores[first].mean(axis=1), np.maximum((off**2).sum(axis=1) / df, least)
        covariance = shared_covariance(means, moderated(means, sample, df), off, df, least)
        factor = self.inflation * (STABLE[1] if self.are_halves else OF_FOLDS)
        return factor * covariance[np.ix_(place.ravel(), place.ravel())], df


@dataclass(frozen=True, eq=False)
class TableWeights(Weights):
    """Weights of recorded counts: each candidate has its own, and all vary together.

    Counts do not tell who was right on the same instances, but how alike candidates vary from split
    to split.

    Parameters
    ----------
    tables : ndarray of shape (n_candidates, n_splits, n_classes, n_classes)
        The confusion counts of each split.
    positive : int
        The position of the positive class.
    splits : RecordedSplits
        What is known of the splits.
    """

    tables: Array
    positive: int
    splits: RecordedSplits
    chosen: tuple[int, int] | None = None

    are_own = False

    @property
    def n_classifiers(self) -> int:  # type: ignore[override]
        """The number of candidates."""
        return len(self.tables)

    @property
    def basis(self) -> str:  # type: ignore[override]
        """What the weights rest on, in words."""
        return f"from the counts of {self.splits.n_splits} splits"

    @cached_property
    def _distinct(self) -> tuple[Array, Array]:
        """The candidates that are no copies of others, and the place of each among them."""
        rows = self.tables.reshape(len(self.tables), -1)
        _, first, place = np.unique(rows, axis=0, return_index=True, return_inverse=True)
        return first, place.ravel()

    def _in_splits(self, metric: Metric) -> tuple[Array, Array, float, Array]:
        """Return how the metric deviates in splits, with its degrees of freedom, and test noise.

        They are the metric of each candidate, its deviations in each split from the mean of the
        pass, their degrees of freedom, and the variance of a split due to test noise, by pass.
        """
        pooled, passes = self.tables.sum(axis=1), (len(self.tables), self.splits.n_passes, -1)
        slopes = np.stack([cell_influence(metric, table, self.positive) for table in pooled])[
            :, None
        ]
        sizes = self.tables.sum(axis=(2, 3))
        values = (self.tables * slopes).sum(axis=(2, 3)) / sizes
        squares = (self.tables * slopes**2).sum(axis=(2, 3)) / sizes
        noise = (squares - values**2) / np.maximum(sizes - 1, 1)
        off, df = self.splits.deviations(values)
        return metric(pooled, self.positive), off, df, noise.reshape(passes).mean(axis=2)

    def each(self, metric: Metric) -> list[WeightPosterior]:
        """Return the weight of each candidate."""
        _, off, _, noise = self._in_splits(metric)
        ratios = np.ones_like(noise)
        if self.splits.are_halves:
            between = 2 * off.reshape(*noise.shape, 2)[..., 0] ** 2
            np.divide(between, noise, out=ratios, where=noise > 0)
        return [self.splits.kappa(metric, ratio) for ratio in ratios.mean(axis=1).tolist()]

    def difference(self, metric: Metric) -> WeightPosterior:
        """Return the mean of the weights."""
        each = self.each(metric)
        scale = float(np.mean([each[k].scale for k in self.chosen or range(len(each))]))
        return each[0]._replace(scale=scale)

    def _of(self, metric: Metric, i: int, j: int | None) -> QuantityWeight:
        return QuantityWeight(self.each(metric)[i] if j is None else self.difference(metric))

    def together(self, metric: Metric, draws: Array, rng: np.random.Generator) -> Array:
        """Return the draws in an order with the correlations of the splits (Iman, Conover 1982)."""
        first, place = self._distinct
        means, off, df, noise = self._in_splits(metric)
        if not df:  # a single split does not tell it
            return draws[first][place]
        means, off, noise = means[first], off[first], noise[first].mean(axis=1)
        ratios = np.divide(
            (off**2).sum(axis=1) / df, noise, out=np.ones_like(noise), where=noise > 0
        )
        variances = noise * np.maximum(alike(means, noise) @ ratios, 1.0)
        least = float((LEAST_STEPS / self.tables[0].sum(axis=(1, 2)).mean()) ** 2)
        values, vectors = np.linalg.eigh(shared_covariance(means, variances, off, df, least))
        root = vectors * np.sqrt(np.maximum(values, 0.0)) @ vectors.T
        normal = root @ rng.standard_normal((len(first), draws.shape[1]))
        ranks = normal.argsort(axis=1).argsort(axis=1)
        return np.take_along_axis(np.sort(draws[first], axis=1), ranks, axis=1)[place]


class Unknown:
    """Stands for a splitter that the user did not specify, in copies, too."""


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
    cv: Any = Unknown
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
        return str(getattr(self.measure, "name", self.measure))

    @property
    def table_metric(self) -> Metric | None:
        """The metric, if it is one of confusion matrices."""
        return None if isinstance(self.measure, RecordedOnly) else table_metric(self.measure)

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
                stacklevel=2,
            )
    evidence = tuple(
        ConfusionCounts(table, labels, proportions.weight, pos_label)
        for table in of_splits.sum(axis=1)
    )
    present = np.flatnonzero(evidence[0].table.sum(axis=1))
    check_true_classes([labels[i] for i in present], "cv_results_")
    positive = evidence[0].positive
    weights = TableWeights(
        of_splits, 1 if positive is None else positive, RecordedSplits.of(proportions, n_splits)
    )
    posterior = make_posterior(
        as_evidence(evidence).with_weight(weights.difference(metric).median),
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
            ("note", f"{promising}: simplest() chooses among these, top={n_tried} compares all")
        )
    if recorded.n_dropped:
        dropped = f"{recorded.n_dropped} other candidates before the last iteration of the search"
        more.append(("dropped", f"{dropped}, which are not compared"))
    if failed:
        shown = ", ".join(map(str, failed[:10])) + ", ..." * (len(failed) > 10)
        more.append(("note", f"left out because a fit or a score failed: candidates {shown}"))
    what = source if source == "predictions" else f"{source} in all splits"
    more += [
        *choice(ranking, metric),
        *copies_of(first_alike(ranking._pooled(metric)).tolist(), what),
    ]
    return SearchReport(
        ranking,
        candidates,
        rope=check_rope_around_zero(settings.rope, metric, ranking._reference(metric)),
        source=source,
        prob=settings.prob,
        failed=tuple(failed),
        _facts=[*facts, *more, *cautions_of(ranking)],
    )


def _unknown_proportions(cv: Any, what: str) -> ValueError:
    return ValueError(
        f"cv={cv!r} does not determine {what}. Pass test_fraction=, the share of test instances "
        "among the test and training instances of one split."
    )


def _facts(based_on: str, settings: Settings, proportions: SplitProportions) -> list[Fact]:
    """Return what a report is based on, and what it applies to."""
    cv, share = settings.cv, proportions.train_share
    name = "splitter not specified" if cv is Unknown else splitter_name(cv)
    facts = [("based on", f"{based_on} ({name})")]
    if share is not None and cv is Unknown:
        assumed = f"splits are assumed to test {1 - share:.0%} of the instances each, to be on the"
        facts.append(("caution", f"{assumed} safe side: if you know better, pass test_fraction="))
    elif share is not None:
        facts.append(("applies to", f"learners trained on {share:.0%} of {settings.instances}"))
    return facts
