"""The figures of a comparison: which display shows what."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from scipy.stats import norm

from skbayeseval._arrays import in_short
from skbayeseval.evidence import Evidence
from skbayeseval.judgement.distribution import Distribution, decision_of
from skbayeseval.judgement.intervals import Interval
from skbayeseval.judgement.rope import check_rope
from skbayeseval.metrics.confusion import FBETA, RATIOS, Metric
from skbayeseval.metrics.curves import CURVES
from skbayeseval.metrics.registry import get_metric
from skbayeseval.metrics.scoring import per_class
from skbayeseval.posterior.chains import mixing
from skbayeseval.posterior.curves import (
    check_thresholds,
    curve_bands,
    net_benefit_difference,
    reference_line,
    summary_metric,
)
from skbayeseval.posterior.prior_odds import (
    bayes_factor,
    prior_density_at_zero,
    prior_difference_draws,
)
from skbayeseval.posterior.recipe import Posterior
from skbayeseval.results.base import PosteriorView
from skbayeseval.splitting.collect import CrossValidation

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from skbayeseval.display import (
        ClassesDisplay,
        CurveDisplay,
        FactorDisplay,
        JointDisplay,
        LearningCurveDisplay,
        PosteriorDisplay,
        ScoresDisplay,
        TraceDisplay,
    )
    from skbayeseval.display.style import Display

__all__ = ["ComparisonFigures"]

Names = tuple[str, str]


class ComparisonFigures(PosteriorView):
    """The figures of a comparison of two classifiers."""

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
            - "learning_curve": the difference at the two training sizes of ``estimand="full"``, and
              extrapolated to all instances.
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
        return comparison_display(
            kind,
            self._posterior,
            self._cross_validation,
            which,
            (self._names[0], self._names[1]),
            None if rope is None else check_rope(rope, which),
            prob,
            thresholds,
        ).plot(ax=ax, **style)

    def _of_classes(self, rope: Any, prob: float, metric: str | Metric | None) -> ClassesDisplay:
        """Return the display of the difference in each class, not yet drawn."""
        name = next(iter(self._metrics)) if metric is None else getattr(metric, "name", metric)
        name = _class_metric_name(str(name))
        region, names = None, (self._names[0], self._names[1])
        if rope is not None:
            region = check_rope(
                rope.get(name, rope) if isinstance(rope, dict) else rope, get_metric(name)
            )
        of_types = self._posterior.of_types(get_metric(name))
        if of_types:
            differences = {kind: one.difference(get_metric(name)) for kind, one in of_types.items()}
            return classes_display(differences, names, name, region, prob)
        of_classes = per_class(name).of(self.labels)
        if not self.evidence.has_class_counts:
            raise ValueError(
                "kind='classes' requires predictions or confusion matrices, which this result "
                "does not have. Pass them, or list a metric such as 'f1_macro' in scoring=."
            )
        if not all(one.has_true_negatives for one in self._posterior.counts):
            raise ValueError(
                "kind='classes' requires the counts of each class or type of chunk, but only the "
                "(tp, fp, fn) of all chunks are known. Compare one type at a time, with "
                "chunk_counter(..., types=)."
            )
        for one in of_classes:
            self._posterior.check_metric(one)
        self._posterior.draw_together(of_classes)
        differences = {
            label: self._posterior.difference(one)
            for label, one in zip(self.labels, of_classes, strict=True)
        }
        return classes_display(differences, names, name, region, prob)


def _class_metric_name(name: str) -> str:
    """Return the metric of one class that a metric is or averages; "f1" if there is none."""
    base = re.split(r"[\[_]", name, maxsplit=1)[0]
    return base if base in RATIOS or re.fullmatch(FBETA, base) else "f1"


def comparison_display(
    kind: str,
    posterior: Posterior,
    record: CrossValidation | None,
    metric: Metric,
    names: Names,
    rope: Interval | None,
    prob: float,
    thresholds: Any = None,
) -> Any:
    """Return the display of that kind, not yet drawn."""
    displays: dict[str, Callable[[], Any]] = {
        "posterior": lambda: posterior_display(posterior, metric, names, rope, prob),
        "joint": lambda: joint_display(posterior, metric, names, rope),
        "factor": lambda: factor_display(posterior, metric, names),
        "scores": lambda: scores_display(posterior.evidence, record, metric, names),
        "learning_curve": lambda: learning_curve_display(posterior, metric, names, rope, prob),
        "trace": lambda: trace_display(posterior, metric, names),
    }
    displays |= {
        one: lambda: curve_display(posterior, kind, names, prob, thresholds) for one in CURVES
    }
    if not isinstance(kind, str) or kind not in displays:
        known = [*displays, "classes"]
        raise ValueError(f"kind={in_short(kind)} is not a known kind. Valid kinds are {known}.")
    return displays[kind]()


def posterior_display(
    posterior: Posterior,
    metric: Metric,
    names: Names,
    rope: Interval | None,
    prob: float,
) -> PosteriorDisplay:
    """Return the display of the posterior of the difference."""
    from skbayeseval.display import PosteriorDisplay

    difference = posterior.difference(metric)
    return PosteriorDisplay(
        difference,
        names=names,
        metric=metric.name,
        rope=rope,
        prob=prob,
        identical=posterior.what_is_identical(metric),
    )


def joint_display(
    posterior: Posterior, metric: Metric, names: Names, rope: Interval | None
) -> JointDisplay:
    """Return the display of draws of A against draws of B, with the weight of their difference."""
    from skbayeseval.display import JointDisplay

    posterior.value(metric, 0)  # raises where there is no posterior of A and B alone
    return JointDisplay(
        *posterior.draws(metric),
        names=names,
        metric=metric.name,
        rope=rope,
        difference=posterior.difference(metric),
    )


def factor_display(posterior: Posterior, metric: Metric, names: Names) -> FactorDisplay:
    """Return the display of the prior and posterior density at 0."""
    from skbayeseval.display import FactorDisplay

    factor = bayes_factor(posterior, metric)
    posterior = posterior.under_published_prior()
    exact = prior_density_at_zero(posterior.prior, metric)
    return FactorDisplay(
        posterior.difference(metric).draws,
        prior_difference_draws(posterior.prior, metric),
        factor=factor,
        prior_at_zero=None if exact is None else math.exp(exact.log),
        names=names,
        metric=metric.name,
    )


def scores_display(
    evidence: Evidence, record: CrossValidation | None, metric: Metric, names: Names
) -> ScoresDisplay:
    """Return the display of the split scores of both."""
    from skbayeseval.display import ScoresDisplay

    of_splits = evidence.of_splits(metric.name)
    if of_splits is None and record is None:
        raise ValueError(
            "kind='scores' requires the split scores of a cross-validation, which this result "
            "does not have. Use bayesian_cross_validate or BayesianComparer."
        )
    if of_splits is None and record is not None:
        if metric.name not in record.scores:
            raise ValueError(
                f"There are no split scores of {metric.name!r}, only of {list(record.scores)}."
            )
        of_splits = tuple(record.scores[metric.name][name] for name in names)
    a, b = of_splits
    return ScoresDisplay(a, b, names=names, metric=metric.name)


def learning_curve_display(
    posterior: Posterior, metric: Metric, names: Names, rope: Interval | None, prob: float
) -> LearningCurveDisplay:
    """Return the display of the difference against the number of training instances."""
    from skbayeseval.display import LearningCurveDisplay

    full = posterior.full_size(metric)
    if full is None:
        raise ValueError(
            "kind='learning_curve' requires fits on training sets of two sizes, which this result "
            "does not have. Cross-validate with estimand='full'."
        )
    difference = posterior.difference(metric)
    a, b = posterior.observed(metric)
    # The variance of the difference in the splits, and in those with another training size.
    variance = max(difference.draws.var() - full.shifts.var(), 0.0) / full.inflation
    reach = norm.ppf((1 + prob) / 2) * np.sqrt(variance * np.array([1.0, full.further]))
    means = np.array([a - b, a - b + full.step])
    order = [0, 1] if full.sizes.splits < full.sizes.further else [1, 0]
    hdi = difference.hdi(prob)
    return LearningCurveDisplay(
        [*np.array(full.sizes[:2])[order], full.sizes.all],
        [*means[order], difference.mean],
        [*(means - reach)[order], hdi.low],
        [*(means + reach)[order], hdi.high],
        names=names,
        metric=metric.name,
        rope=rope,
        prob=prob,
    )


def trace_display(posterior: Posterior, metric: Metric, names: Names) -> TraceDisplay:
    """Return the display of the draws in the order in which they were drawn."""
    from skbayeseval.display import TraceDisplay

    draws = posterior.difference(metric).draws
    mixed = mixing(posterior, draws)
    return TraceDisplay(
        draws.reshape(posterior.n_chains, -1),
        names=names,
        metric=metric.name,
        note=f"{posterior.n_draws:,} independent draws"
        if mixed is None
        else f"effective sample size {mixed.ess:,.0f}, R-hat {mixed.r_hat:.3f}",
    )


def classes_display(
    differences: Mapping[Any, Distribution],
    names: Names,
    metric: str,
    rope: Interval | None,
    prob: float,
) -> ClassesDisplay:
    """Return the display of the difference in each class, or type of chunk."""
    from skbayeseval.display import ClassesDisplay

    region = Interval(0.0, 0.0) if rope is None else rope
    rows = []
    for difference in differences.values():
        decision = decision_of(difference, region, prob, names, metric)
        rows.append((difference.mean, *decision.hdi, decision.code))
    table = pd.DataFrame(
        rows,
        columns=["mean", "hdi_low", "hdi_high", "decision"],
        index=pd.Index(list(differences), name="class"),
    )
    return ClassesDisplay(table, names=names, metric=metric, rope=rope, prob=prob)


def curve_display(
    posterior: Posterior, kind: str, names: Names, prob: float, thresholds: Any = None
) -> CurveDisplay:
    """Return the display of the curves of both, or of the difference in net benefit, with bands."""
    from skbayeseval.display import CurveDisplay
    from skbayeseval.display.style import finding_of

    if kind.startswith("net_benefit"):
        difference, p_higher = net_benefit_difference(posterior, prob, thresholds)
        better = [
            f"{name} better at {share:.0%} of the thresholds"
            for name, share in zip(names, (p_higher >= 0.95).mean(axis=0), strict=True)
            if share
        ]
        said = " and ".join(better) or "neither better at any threshold"
        finding = f"net benefit: {said} with probability 95%"
    else:
        metric = summary_metric(posterior, kind)
        said = finding_of(
            posterior.difference(metric), None, prob, names, posterior.what_is_identical(metric)
        )
        finding = f"{metric.name}: {said}"
    if kind == "net_benefit_difference":
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
