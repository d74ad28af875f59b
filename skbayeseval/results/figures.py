"""The figures of results: which display shows what, and curves with bands."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import permutations
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy.stats import norm

from skbayeseval._arrays import Array, choices, in_short, wrong
from skbayeseval.display import (
    ClassesDisplay,
    CriticalDifferenceDisplay,
    CurveDisplay,
    FactorDisplay,
    JointDisplay,
    LearningCurveDisplay,
    PairsDisplay,
    PosteriorDisplay,
    RankingDisplay,
    SplitScoresDisplay,
    TiersDisplay,
    TraceDisplay,
)
from skbayeseval.display.style import Display, finding_of
from skbayeseval.evidence.instance_scores import ScoredInstances
from skbayeseval.evidence.split_scores import SplitScores
from skbayeseval.judgement.distribution import Distribution, decision_of
from skbayeseval.judgement.frequentist import critical_difference
from skbayeseval.judgement.intervals import Interval
from skbayeseval.judgement.ranking_decision import behind_the_best
from skbayeseval.judgement.rope import check_rope
from skbayeseval.metrics import curves
from skbayeseval.metrics.curves import CURVES
from skbayeseval.metrics.metric import Metric
from skbayeseval.metrics.registry import get_metric, per_class
from skbayeseval.models.blocks import stream_blocks
from skbayeseval.models.gammas import GammaRows
from skbayeseval.posterior.inferred_weight import spread_out
from skbayeseval.posterior.posterior import Posterior
from skbayeseval.posterior.prior_odds import (
    bayes_factor,
    prior_density_at_zero,
    prior_difference_draws,
)
from skbayeseval.results.classical_tests import ranks_over_data_sets
from skbayeseval.splitting.collect import CrossValidation

# The number of draws of weights that a band is made of, and the largest block of weights.
BAND_DRAWS, BLOCK_BYTES = 2000, 2**24


class Band(NamedTuple):
    """A mean curve with a pointwise band; each of shape (n_points,)."""

    x: Array
    mean: Array
    low: Array
    high: Array


def check_thresholds(thresholds: Any, kind: str) -> Array:
    """Return 99 thresholds over a range (low, high), by default from 0.01 to 0.99."""
    if thresholds is None:
        return np.linspace(0.01, 0.99, 99)
    if not kind.startswith("net_benefit"):
        raise ValueError(
            f"thresholds={in_short(thresholds)} was given, but kind={kind!r} has no thresholds. "
            "Pass kind='net_benefit' or 'net_benefit_difference'."
        )
    try:
        low, high = (float(end) for end in thresholds)
    except (TypeError, ValueError) as error:
        wanted = "a pair (low, high) of probabilities, such as (0.05, 0.4)"
        raise wrong("thresholds", wanted, thresholds, TypeError) from error
    if not 0 < low < high < 1:
        raise ValueError(f"thresholds=({low:g}, {high:g}) must have 0 < low < high < 1.")
    return np.linspace(low, high, 99)


class Curves:
    """Curves of one kind, of both classifiers or of their difference, with pointwise bands.

    Instances, or groups, get the random weights of the Bayesian bootstrap that metrics of instance
    scores have, and curves are computed within runs as those metrics are. Unlike the metrics, bands
    are not widened for few units: with fewer than 20 positives or negatives, they are too narrow.

    Parameters
    ----------
    posterior : Posterior
        The posterior, with instance scores of a binary problem.
    kind : str
        The kind of curve, one of `CURVES`.
    prob : float, default=0.95
        The probability mass of the band at each point.
    thresholds : (float, float), default=None
        The range of thresholds of net benefits; by default, from 0.01 to 0.99.
    """

    def __init__(
        self, posterior: Posterior, kind: str, prob: float = 0.95, thresholds: Any = None
    ) -> None:
        self.posterior, self.kind, self.prob = posterior, kind, prob
        self.scored, self.truth = _check(posterior, kind)
        self.thresholds = check_thresholds(thresholds, kind)

    def bands(self) -> list[Band]:
        """Return the curve of each classifier."""
        each = enumerate(map(self._curve, range(self.scored.n_classifiers)))
        return [self._band(points, self._draws(heights, k)) for k, (points, heights) in each]

    def difference(self) -> tuple[Band, Array]:
        """Return the difference of the curves of two classifiers, A minus B, at each point.

        It is that of the net benefit at each threshold, or of how much more positives there are
        than predicted in each bin of probabilities, where both have instances. Both have the same
        random weights of instances in a draw.

        Returns
        -------
        band : Band
            The mean difference and its band.
        p_higher : ndarray of shape (n_points, 2)
            The probabilities that the curve of A, and that of B, is the higher one.
        """
        (points, of_a), (_, of_b) = map(self._curve, range(2))
        draws = self._draws(lambda weights: of_a(weights) - of_b(weights), None)
        known = np.isfinite(draws).all(axis=1)
        if not known.any():
            raise ValueError(
                f"kind={self.kind!r} requires probabilities that both classifiers predict, but "
                "they have no bin of probabilities in common. Use kind='calibration'."
            )
        points, draws = points[known], draws[known]
        p_higher = np.stack([(draws > 0).mean(axis=1), (draws < 0).mean(axis=1)], axis=1)
        return self._band(points, draws), p_higher

    def display(
        self, names: tuple[str, str], difference_in: Callable[[Metric], Distribution]
    ) -> CurveDisplay:
        """Return the display of both curves, or of their difference, and what a metric says."""
        is_difference = self.kind.endswith("_difference")
        if self.kind.startswith("net_benefit"):
            difference, p_higher = self.difference()
            better = [
                f"{name} better at {share:.0%} of the thresholds"
                for name, share in zip(names, (p_higher >= 0.95).mean(axis=0), strict=True)
                if share
            ]
            verdict = " and ".join(better) or "neither better at any threshold"
            finding = f"net benefit: {verdict} with probability 95%"
        else:
            metric, of = self.metric(), self.posterior
            identical = of.what_is_identical(metric)
            found = difference_in(metric)
            verdict = finding_of(found, None, self.prob, names, identical)
            finding = f"{metric.name}: {verdict}"
            if is_difference:
                difference, _ = self.difference()
        about: dict[str, Any] = {"kind": self.kind, "finding": finding, "prob": self.prob}
        if is_difference:
            return CurveDisplay({" minus ".join(names): difference}, **about)
        bands = dict(zip(names, self.bands(), strict=True))
        return CurveDisplay(bands, reference=self._reference(), **about)

    def metric(self) -> Metric:
        """Return the metric that sums up the curve, or else one of the same scores."""
        needs, name = CURVES[self.kind]
        known = all(needs in one for one in self.scored.responses)
        return get_metric(name if known else "roc_auc_ovr")

    def _reference(self) -> tuple[Array, Array]:
        """Return the line to compare the curves with; that of "treat all" for the net benefit."""
        share = float(np.average(self.truth, weights=self.scored.sample_weight))
        diagonal, at = np.array([0.0, 1.0]), self.thresholds
        if self.kind == "precision_recall":
            return diagonal, np.full(2, share)
        if self.kind == "net_benefit":
            return at, share - (1 - share) * at / (1 - at)
        return diagonal, diagonal

    def _curve(self, k: int) -> tuple[Array, Callable[[Array], Array]]:
        """Return the points of the curve of a classifier, and its heights over all runs.

        The heights, of shape (n_points, n_draws), are a function of the weights of units.
        """
        scored, kind, at = self.scored, self.kind, self.thresholds
        (needs, _), response = CURVES[kind], scored.responses[k]
        scores = response[needs if needs in response else "probability"]
        part: Callable[..., curves.Part]
        runs: list[Any] = [slice(None)]  # net benefits and bins are of all runs together
        values, places = self.truth, scores
        if kind == "calibration":
            # Bins hold about equally many instances; equal probabilities share a bin.
            _, places = np.unique(np.searchsorted(_edges(scores), scores), return_inverse=True)
            at = np.bincount(places, scores) / np.bincount(places)
            part = partial(curves.calibration, n_bins=len(at))
        elif kind == "calibration_difference":  # in bins that both have in common
            pooled = np.concatenate([one["probability"] for one in scored.responses])
            edges = _edges(pooled)
            of_pooled, places = np.searchsorted(edges, pooled), np.searchsorted(edges, scores)
            times = np.bincount(of_pooled, minlength=len(edges) + 1)
            at = np.bincount(of_pooled, pooled, len(times)) / np.maximum(times, 1)
            values, part = values - scores, partial(curves.calibration, n_bins=len(times))
        elif kind.startswith("net_benefit"):
            part = partial(curves.net_benefit, thresholds=at)
        else:
            runs = [np.flatnonzero(scored.run == run) for run in np.unique(scored.run)]
            at, part = curves.FALSE_POSITIVE_RATES, curves.roc
            if kind == "precision_recall":
                at, part = curves.RECALLS, curves.precision_recall

        def heights(weights: Array) -> Array:
            weights = weights[scored.unit]
            if scored.sample_weight is not None:
                weights = weights * scored.sample_weight[:, None]
            return _ratio([part(values[rows], places[rows], weights[rows]) for rows in runs])

        return at, heights

    def _draws(self, heights: Callable[[Array], Array], k: int | None) -> Array:
        """Return draws of the heights of a classifier; without k, of the difference of two."""
        inferred, rng, scored = None, self.posterior.rng(), self.scored
        if (known := self.posterior.weights) is not None:
            metric = self.metric()
            of_metric = known.difference(metric)
            inferred = of_metric if k is None else known.quantity(metric, k).weight
            scored = scored.with_weight(inferred.of_tests)
        gammas = GammaRows(np.asarray(scored.shape, dtype=float))
        block = max(1, BLOCK_BYTES // (8 * 4 * len(scored.truth)))

        def draw(rng: np.random.Generator, n_draws: int) -> Array:
            return heights(gammas.draw(rng, n_draws)[gammas.place])

        draws = np.concatenate(list(stream_blocks(draw, rng, BAND_DRAWS, block)), axis=1)
        if inferred is None:
            return draws
        unbounded = k is None or self.kind.startswith("net_benefit")
        extent = (-np.inf, np.inf) if unbounded else (0.0, 1.0)
        return spread_out(
            draws, inferred.factors(rng, BAND_DRAWS, inferred.of_tests), extent, together=False
        )

    def _band(self, points: Array, draws: Array) -> Band:
        tail = (1 - self.prob) / 2
        low, high = np.nanquantile(draws, [tail, (1 + self.prob) / 2], axis=1)
        return Band(points, np.nanmean(draws, axis=1), low, high)


def _edges(scores: Array) -> Array:
    """Return the edges of bins with about equally many scores."""
    return np.unique(np.quantile(scores, np.linspace(0, 1, curves.N_BINS + 1))[1:-1])


def _ratio(parts: Sequence[curves.Part]) -> Array:
    """Return the curve that all runs make up."""
    top, bottom = (sum(column) for column in zip(*parts, strict=True))
    with np.errstate(divide="ignore", invalid="ignore"):
        return top / bottom


def _check(posterior: Posterior, kind: str) -> tuple[ScoredInstances, Array]:
    """Return the scores and the truth as 0 and 1; raise if the curve cannot be computed."""
    needs, metric = CURVES[kind]
    scored = posterior.scored
    what = "probabilities" if needs == "probability" else "scores"
    known = [{needs, "probability"} & {*of_one} for of_one in getattr(scored, "responses", [()])]
    if not isinstance(scored, ScoredInstances) or not all(known):
        raise ValueError(
            f"kind={kind!r} requires instance {what}, but only predictions are available. Pass "
            "y_score_a= and y_score_b= (scores= to compare_many), or list a metric such as "
            f"{metric!r} in scoring= of a cross-validation of estimators with predict_proba or "
            "decision_function."
        )
    if scored.truth.ndim == 2 or len(scored.labels) != 2:
        raise ValueError(
            f"kind={kind!r} requires a binary problem, got {len(scored.labels)} "
            f"{'labels' if scored.truth.ndim == 2 else 'classes'}."
        )
    if needs == "probability":
        given = [one.get("probability") for one in scored.responses]
        if any(one is None or one.min() < 0 or one.max() > 1 for one in given):
            raise ValueError(
                f"kind={kind!r} requires predicted probabilities of the positive class, but "
                "there are other scores only. Pass probabilities as y_score_a= and y_score_b=, or "
                f"add {metric!r} to scoring= of the cross-validation."
            )
    positive = 1 if scored.positive is None else scored.positive
    return scored, (scored.truth == positive).astype(int)


KINDS = ("posterior", "joint", "factor", "scores", "learning_curve", "trace", *CURVES, "classes")
PLOTS = ("ranking", "tiers", "pairs", "nemenyi")


def figure_of_pair(
    result: Any,
    kind: str,
    rope: Any,
    prob: float,
    metric: str | Metric | None,
    thresholds: tuple[float, float] | None,
) -> tuple[Display, Metric]:
    """Return the display of two classifiers, not yet drawn, and the metric that it shows."""
    if not isinstance(kind, str) or kind not in KINDS:
        raise ValueError(
            f"kind={in_short(kind)} is not a known kind. Valid kinds are "
            f"{choices(kind, KINDS)}, which help(result.plot) explains."
        )
    check_thresholds(thresholds, kind)
    if kind == "classes":
        of_classes = _of_classes(result, rope, prob, metric)
        return of_classes, get_metric(of_classes.metric)
    which = result._metric(metric)
    region = None if rope is None else result._rope(rope, which)
    posterior = result._posterior
    about: dict[str, Any] = {"names": result.names, "metric": which.name}
    shown: Display
    if kind in CURVES:
        curves_of_both = Curves(posterior, kind, prob, thresholds)
        shown = curves_of_both.display(result.names, result._distribution)
    elif kind == "factor":
        shown = _factor(posterior, which, about)
    elif kind == "scores":
        shown = SplitScoresDisplay(*_split_scores(result, which), **about)
    elif kind == "learning_curve":
        points = _learning_curve(posterior, which, result._cross_validation, prob)
        shown = LearningCurveDisplay(*points, rope=region, prob=prob, **about)
    elif kind == "trace":
        draws = posterior.difference(which).draws
        mixed, note = posterior.mixing(draws), f"{result.n_draws:,} independent draws"
        if mixed is not None:
            note = f"effective sample size {mixed.ess:,.0f}, R-hat {mixed.r_hat:.3f}"
        shown = TraceDisplay(draws.reshape(posterior.n_chains, -1), note=note, **about)
    elif kind == "joint":
        a, b = (result._distribution(which, of) for of in "ab")  # raises where there are none
        draws = posterior.draws(which) if result.alone is result else (a.draws, b.draws)
        shown = JointDisplay(*draws, rope=region, difference=result._distribution(which), **about)
    else:
        shown = PosteriorDisplay(
            result._distribution(which),
            rope=region,
            prob=prob,
            identical=posterior.what_is_identical(which),
            **about,
        )
    return shown, which


def figure_of_many(ranking: Any, kind: str, rope: Any, prob: float, metric: Metric) -> Display:
    """Return the display of several classifiers, not yet drawn."""
    if not isinstance(kind, str) or kind not in PLOTS:
        raise ValueError(
            f"kind={in_short(kind)} is not a known kind. Valid kinds are {list(PLOTS)}."
        )
    if kind == "ranking":
        return forest(ranking, rope, prob, metric)
    if kind == "nemenyi":
        evidence = ranking.evidence
        if evidence.family != "systems":
            raise ValueError(
                "kind='nemenyi' shows mean ranks over data sets, but this ranking is of "
                f"{evidence.describe()}. Pass scores on several data sets to compare_scores."
            )
        ranks, n = ranks_over_data_sets(evidence)
        critical = critical_difference(len(ranks), n, prob)
        of_each = pd.Series(ranks, index=list(ranking.names))
        return CriticalDifferenceDisplay(of_each, critical, metric=evidence.metric)
    region = 0.0 if rope is None else rope
    if kind == "tiers":
        table = ranking.ranking(prob=prob, metric=metric)
        tiers = ranking.tiers(region, prob, metric=metric)
        return TiersDisplay(table, tiers=tiers, metric=metric.name, prob=prob)
    region = ranking._rope(region, metric)
    decisions = {
        (i, j): ranking._pair(i, j).decision(region, prob, metric=metric)
        for i, j in permutations(range(len(ranking.names)), 2)
    }
    return PairsDisplay(decisions, names=ranking.names, metric=metric.name)


def forest(
    ranking: Any, rope: Any, prob: float, metric: Metric, most: int | None = None
) -> RankingDisplay:
    """Return the display of the table, or of so many of its first rows."""
    table = ranking.ranking(prob=prob, metric=metric)
    decision = None if rope is None else ranking.decision(rope, prob, metric=metric)
    behind = behind_the_best(ranking._rivals(metric), prob).set_axis(list(ranking.names))
    return RankingDisplay(
        pd.DataFrame({**table, **behind}, index=table.index)[:most],
        metric=metric.name,
        prob=prob,
        states=None if decision is None else decision.states(),
        rope=None if decision is None else -decision.rope.low,
        total=len(table),
    )


def _of_classes(result: Any, rope: Any, prob: float, metric: str | Metric | None) -> ClassesDisplay:
    """Return the display of the difference in each class or type of chunk, not yet drawn."""
    asked = next(iter(result._metrics)) if metric is None else metric
    if isinstance(asked, str):
        asked = result._metrics.get(asked) or get_metric(asked)
    name = asked.class_ratio or "f1"
    region, of_class = None, get_metric(name)
    if rope is not None:
        region = check_rope(rope.get(name, rope) if isinstance(rope, dict) else rope, of_class)
    of_types, rows = result._posterior.of_types(of_class), []
    differences = {kind: of_type.difference(of_class) for kind, of_type in of_types.items()}
    differences = differences or _differences_in_classes(result, name)
    for difference in differences.values():
        decision = decision_of(difference, region or Interval(0.0, 0.0), prob, result.names, name)
        rows.append((difference.mean, *decision.hdi, decision.code))
    table = pd.DataFrame(
        rows,
        columns=["mean", "hdi_low", "hdi_high", "decision"],
        index=pd.Index(list(differences), name="class"),
    )
    return ClassesDisplay(table, names=result.names, metric=of_class.name, rope=region, prob=prob)


def _differences_in_classes(result: Any, name: str) -> dict[Any, Distribution]:
    """Return the difference in each class, given the name of the metric of a class."""
    if not result.evidence.has_class_counts:
        raise ValueError(
            "kind='classes' requires predictions or confusion matrices, which this result "
            "does not have. Pass them, or list a metric such as 'f1_macro' in scoring=."
        )
    if not all(counts.has_true_negatives for counts in result._posterior.counts):
        raise ValueError(
            "kind='classes' requires the counts of each class or type of chunk, but only the "
            "(tp, fp, fn) of all chunks are known. Compare one type at a time, with "
            "chunk_counter(..., types=)."
        )
    metrics = per_class(name).of(result.labels)
    for metric in metrics:
        result._posterior.check_metric(metric)
    result._posterior.draw_together(metrics)
    differences = map(result._distribution, metrics)
    return dict(zip(result.labels, differences, strict=True))


def _split_scores(result: Any, metric: Metric) -> Iterable[Any]:
    """Return the split scores of A and B; raise if they are not known."""
    evidence, record = result.evidence, result._cross_validation
    if isinstance(evidence, SplitScores):
        return evidence.scores[metric.name]
    if record is None:
        raise ValueError(
            "kind='scores' requires the split scores of a cross-validation, which this result "
            "does not have. Use bayesian_cross_validate or BayesianComparer."
        )
    if metric.name not in record.scores:
        raise ValueError(
            f"There are no split scores of {metric.name!r}, only of "
            f"{choices(metric.name, record.scores)}."
        )
    return [record.scores[metric.name][name] for name in result.names]


def _factor(posterior: Posterior, metric: Metric, about: dict[str, Any]) -> FactorDisplay:
    """Return the display of the Bayes factor, with the densities of prior and posterior at 0."""
    changed, exact = posterior.under_published_prior(), None
    if posterior.has_proper_prior(metric):
        exact = prior_density_at_zero(changed.prior, metric)
    factor = bayes_factor(posterior, metric, method="kde" if exact is None else None)
    draws, of_prior = changed.difference(metric).draws, changed.prior
    at_zero = None if exact is None else math.exp(exact.log)
    prior_draws = prior_difference_draws(of_prior, metric)
    return FactorDisplay(draws, prior_draws, factor=factor, prior_at_zero=at_zero, **about)


def _learning_curve(
    posterior: Posterior, metric: Metric, record: CrossValidation | None, prob: float
) -> list[list[float]]:
    """Return training sizes, and the mean and the ends of the interval of the difference at each.

    The sizes are half of the data, and that of the splits.
    """
    at_half = posterior.at_half(metric)
    if at_half is None or record is None or record.n_instances is None:
        raise ValueError(
            "kind='learning_curve' requires fits on training sets of two sizes, which this result "
            "does not have. Cross-validate with estimand='full'."
        )
    difference, (small, sd) = posterior.difference(metric), at_half
    hdi, reach = difference.hdi(prob), norm.ppf((1 + prob) / 2) * sd
    return [
        [record.n_instances / 2, record.train_size],
        [small, difference.mean],
        [small - reach, hdi.low],
        [small + reach, hdi.high],
    ]
