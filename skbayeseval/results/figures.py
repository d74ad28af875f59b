"""The figures of a comparison: which display shows what."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import pandas as pd
from scipy.stats import norm

from skbayeseval._arrays import in_short
from skbayeseval.display import (
    ClassesDisplay,
    CurveDisplay,
    FactorDisplay,
    JointDisplay,
    LearningCurveDisplay,
    PosteriorDisplay,
    SplitScoresDisplay,
    TraceDisplay,
)
from skbayeseval.display.style import Display, finding_of
from skbayeseval.judgement.distribution import Distribution, decision_of
from skbayeseval.judgement.intervals import Interval
from skbayeseval.judgement.rope import check_rope
from skbayeseval.metrics.curves import CURVES
from skbayeseval.metrics.metric import Metric
from skbayeseval.metrics.registry import get_metric, per_class, per_class_name
from skbayeseval.posterior.chains import mixing
from skbayeseval.posterior.curves import (
    check_thresholds,
    curve_bands,
    curve_difference,
    reference_line,
    summary_metric,
)
from skbayeseval.posterior.posterior import Posterior
from skbayeseval.posterior.prior_odds import (
    bayes_factor,
    prior_density_at_zero,
    prior_difference_draws,
)
from skbayeseval.results.difference import DifferenceAnswers
from skbayeseval.splitting.collect import CrossValidation

if TYPE_CHECKING:
    from matplotlib.axes import Axes

KINDS = ("posterior", "joint", "factor", "scores", "learning_curve", "trace", *CURVES, "classes")


class ComparisonFigures(DifferenceAnswers):
    """Base class of comparisons of two classifiers: answers, and `plot`."""

    def plot(
        self,
        kind: str = "posterior",
        *,
        rope: Any = None,
        prob: float = 0.95,
        metric: str | Metric | None = None,
        thresholds: tuple[float, float] | None = None,
        ax: Axes | None = None,
        **style: Any,
    ) -> Display:
        """Plot the result.

        Parameters
        ----------
        kind : str, default="posterior"
            The kind of plot:

            - "posterior": the posterior of the difference.
            - "joint": the draws of A against the draws of B.
            - "factor": the prior and posterior density of the difference at 0.
            - "scores": the split scores of a cross-validation.
            - "learning_curve": the difference between learners trained on half of the data, and on
              as many instances as the splits do, with ``estimand="full"`` or ``calibrate=True``.
            - "trace": the draws of the difference in the order in which they were drawn.
            - "classes": the difference in each class, in F1 unless `metric` is, or averages,
              "precision", "recall", "jaccard" or another F-beta. Where weights are inferred, it
              takes as long as one metric for each class. For tags, it is the difference in each
              type of chunk, with the weight that all chunks have; groups and loaded results do
              not keep types.
            - "roc", "precision_recall", "calibration", "net_benefit": the curves of A and B with
              pointwise bands, for binary problems with instance scores (the last two:
              probabilities). The bands come from the same random weights of instances as ROC AUC,
              but are not widened for few instances: with fewer than 20 positives or negatives,
              they are approximate.
            - "net_benefit_difference": the net benefit of A minus that of B, with such a band.
            - "calibration_difference": how much more positives there are than predicted, A minus B,
              in bins of probabilities that both have in common, with such a band.
        rope : float, str, (float, float) or dict, default=None
            The region of practical equivalence, for "posterior", "joint" and "classes".
        prob : float, default=0.95
            The probability mass of the HDI or of the band.
        metric : str or Metric, default=None
            The metric. By default, the first metric of the result.
        thresholds : (float, float), default=None
            The range of thresholds of "net_benefit" and "net_benefit_difference": those at which
            somebody might act. By default, from 0.01 to 0.99.
        ax : matplotlib Axes, default=None
            The axes to draw on. By default, a new figure is created.
        **style
            Options of the display: `title`, `colors`, `labels`, `line_kw`, `fill_kw`, `text_kw`,
            and for "posterior" `draw`, which is "hist" or "density". See `display.Display.plot`.

        Returns
        -------
        display : Display
            The display, with attributes `ax_`, `figure_`, `line_`, `fill_` and `text_`, as in
            scikit-learn.

        Examples
        --------
        >>> from skbayeseval import compare_counts
        >>> result = compare_counts((88, 10, 12), (80, 14, 20), random_state=0)
        >>> display = result.plot(rope=0.01, draw="density", colors=["black", "grey"])
        >>> display.ax_.get_title()
        'not settled: A is better by more than 0.01 with probability 91.9%'
        """
        if isinstance(kind, str):
            check_thresholds(thresholds, kind)
            if kind == "classes":
                return self._of_classes(rope, prob, metric).plot(ax=ax, **style)
        which = self._metric(metric)
        region = None if rope is None else self._rope(rope, which)
        if not isinstance(kind, str) or kind not in KINDS:
            raise ValueError(
                f"kind={in_short(kind)} is not a known kind. Valid kinds are {list(KINDS)}."
            )
        posterior = self._posterior
        about: dict[str, Any] = {"names": self.names, "metric": which.name}
        shown: Display
        if kind in CURVES:
            shown = _curves(posterior, kind, self.names, prob, thresholds)
        elif kind == "factor":
            shown = FactorDisplay(**_densities_at_zero(posterior, which), **about)
        elif kind == "scores":
            shown = SplitScoresDisplay(*self._split_scores(which), **about)
        elif kind == "learning_curve":
            points = _learning_curve(posterior, which, self._cross_validation, prob)
            shown = LearningCurveDisplay(*points, rope=region, prob=prob, **about)
        elif kind == "trace":
            draws = posterior.difference(which).draws
            mixed, note = mixing(posterior, draws), f"{self.n_draws:,} independent draws"
            if mixed is not None:
                note = f"effective sample size {mixed.ess:,.0f}, R-hat {mixed.r_hat:.3f}"
            shown = TraceDisplay(draws.reshape(posterior.n_chains, -1), note=note, **about)
        elif kind == "joint":
            posterior.value(which, 0)  # raises where there is no posterior of A and B alone
            draws, difference = posterior.draws(which), posterior.difference(which)
            shown = JointDisplay(*draws, rope=region, difference=difference, **about)
        else:
            shown = PosteriorDisplay(
                posterior.difference(which),
                rope=region,
                prob=prob,
                identical=posterior.what_is_identical(which),
                **about,
            )
        return shown.plot(ax=ax, **style)

    def _of_classes(self, rope: Any, prob: float, metric: str | Metric | None) -> ClassesDisplay:
        """Return the display of the difference in each class or type of chunk, not yet drawn."""
        asked = next(iter(self._metrics.values())) if metric is None else metric
        name = per_class_name(asked) or "f1"
        region, of_class = None, get_metric(name)
        if rope is not None:
            region = check_rope(rope.get(name, rope) if isinstance(rope, dict) else rope, of_class)
        of_types = self._posterior.of_types(of_class)
        if of_types:
            differences = {name: of_type.difference(of_class) for name, of_type in of_types.items()}
        else:
            differences = self._differences_in_classes(name)
        rows = []
        for difference in differences.values():
            decision = decision_of(difference, region or Interval(0.0, 0.0), prob, self.names, name)
            rows.append((difference.mean, *decision.hdi, decision.code))
        table = pd.DataFrame(
            rows,
            columns=["mean", "hdi_low", "hdi_high", "decision"],
            index=pd.Index(list(differences), name="class"),
        )
        return ClassesDisplay(table, names=self.names, metric=name, rope=region, prob=prob)

    def _differences_in_classes(self, name: str) -> dict[Any, Distribution]:
        """Return the difference in each class, given the name of the metric of a class."""
        if not self.evidence.has_class_counts:
            raise ValueError(
                "kind='classes' requires predictions or confusion matrices, which this result "
                "does not have. Pass them, or list a metric such as 'f1_macro' in scoring=."
            )
        if not all(counts.has_true_negatives for counts in self._posterior.counts):
            raise ValueError(
                "kind='classes' requires the counts of each class or type of chunk, but only the "
                "(tp, fp, fn) of all chunks are known. Compare one type at a time, with "
                "chunk_counter(..., types=)."
            )
        metrics = per_class(name).of(self.labels)
        for metric in metrics:
            self._posterior.check_metric(metric)
        self._posterior.draw_together(metrics)
        differences = map(self._posterior.difference, metrics)
        return dict(zip(self.labels, differences, strict=True))

    def _split_scores(self, metric: Metric) -> Iterable[Any]:
        """Return the split scores of A and B; raise if they are not known."""
        scores, record = self.evidence.of_splits(metric.name), self._cross_validation
        if scores is not None:
            return scores
        if record is None:
            raise ValueError(
                "kind='scores' requires the split scores of a cross-validation, which this result "
                "does not have. Use bayesian_cross_validate or BayesianComparer."
            )
        if metric.name not in record.scores:
            raise ValueError(
                f"There are no split scores of {metric.name!r}, only of {list(record.scores)}."
            )
        return [record.scores[metric.name][name] for name in self.names]


def _densities_at_zero(posterior: Posterior, metric: Metric) -> dict[str, Any]:
    """Return the Bayes factor, with draws of the prior and posterior and the density at 0."""
    factor = bayes_factor(posterior, metric)
    posterior = posterior.under_published_prior()
    exact = prior_density_at_zero(posterior.prior, metric)
    return {
        "draws": posterior.difference(metric).draws,
        "prior_draws": prior_difference_draws(posterior.prior, metric),
        "factor": factor,
        "prior_at_zero": None if exact is None else math.exp(exact.log),
    }


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
            "does not have. Cross-validate with estimand='full', or with calibrate=True."
        )
    difference, (small, sd) = posterior.difference(metric), at_half
    hdi, reach = difference.hdi(prob), norm.ppf((1 + prob) / 2) * sd
    return [
        [record.n_instances / 2, record.train_size],
        [small, difference.mean],
        [small - reach, hdi.low],
        [small + reach, hdi.high],
    ]


def _curves(
    posterior: Posterior, kind: str, names: tuple[str, str], prob: float, thresholds: Any
) -> CurveDisplay:
    """Return the display of the curves of both, or of their difference, with bands."""
    if kind.startswith("net_benefit"):
        difference, p_higher = curve_difference(posterior, kind, prob, thresholds)
        better = [
            f"{name} better at {share:.0%} of the thresholds"
            for name, share in zip(names, (p_higher >= 0.95).mean(axis=0), strict=True)
            if share
        ]
        verdict = " and ".join(better) or "neither better at any threshold"
        finding = f"net benefit: {verdict} with probability 95%"
    else:
        metric = summary_metric(posterior, kind)
        verdict = finding_of(
            posterior.difference(metric), None, prob, names, posterior.what_is_identical(metric)
        )
        finding = f"{metric.name}: {verdict}"
    if kind == "calibration_difference":
        difference, _ = curve_difference(posterior, kind, prob)
    if kind.endswith("_difference"):
        curves = {f"{names[0]} minus {names[1]}": difference}
        return CurveDisplay(curves, kind=kind, finding=finding, prob=prob)
    bands = curve_bands(posterior, kind, prob, thresholds)
    return CurveDisplay(
        dict(zip(names, bands, strict=True)),
        kind=kind,
        reference=reference_line(posterior, kind, thresholds),
        finding=finding,
        prob=prob,
    )
