"""In which subgroups A is better than B, whether that differs between them, and the largest gap.

The largest gap between groups is large by chance where there are many groups. The highest of
several scores minus the lowest is positive in every draw, also if all groups are equal, so an
interval of these draws never contains 0. With 8 equal groups of 50 instances, the share of the
draws above 0.05 was 95% or more in 59% of data sets: there is no probability here that the largest
gap exceeds a margin, but an interval whose lower end may be 0.

The upper end is a quantile of the draws: what the gap is at most. The lower end is the gap of means
minus the range of the errors of all groups that is exceeded with probability 5%. Since the range of
a sum is at most the sum of the ranges, the true gap is below it no more often than that, whichever
groups are the highest and the lowest (Tukey 1953). Pooled means are drawn together, by which real
gaps are hidden, so that it is that of the pooled means or that of each group alone, whichever is
larger. A group alone is taken to be no surer than its size and the other groups lead one to expect,
since the highest score has the smallest variance: without this, up to 10% of data sets of equal,
small or unequal groups had a gap. benchmarks/group_gaps.py measures the coverage.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple

import numpy as np
import pandas as pd
from scipy.special import chdtrc

from skbayeseval._arrays import Array
from skbayeseval._validation import check_probability
from skbayeseval.judgement.decision import Decision, InWords, basis_of, format_probability, percent
from skbayeseval.judgement.intervals import Interval


@dataclass(frozen=True, repr=False)
class SubgroupDecision(InWords):
    """The decisions about all subgroups; `str` and `repr` return them as sentences.

    Attributes
    ----------
    subgroups : dict of object to Decision
        The decision about the pooled difference in each subgroup.
    too_few : dict of object to str
        The subgroups with too few instances to say anything, and the reason.
    p_alike : float
        The probability that no two subgroups are farther apart than the ROPE is wide; NaN if there
        are fewer than two to compare. Only a high one says something: pooling takes some variation
        for granted, so that it is near 0 for many small subgroups, alike or not.
    farthest : tuple of (object, object) or None
        The two subgroups that are farthest apart, the one with the higher difference first.
    p_farthest : float
        The probability that these two are farther apart than the ROPE is wide, in this order.
    rope : Interval
        The region of practical equivalence.
    names : tuple of str
        The names of A and B.
    metric : str
        The name of the metric.
    prob : float
        The mass of the HDI of each subgroup, and the probability that is required of `varies`.
    column : str or None
        The name of the column that makes the subgroups.
    incomplete : dict of object to str
        The subgroups in which some classes do not occur, so that an average over classes is not
        about the same classes as elsewhere, and which classes these are.

    Examples
    --------
    >>> import numpy as np
    >>> from skbayeseval import compare_predictions
    >>> y, site = np.arange(800) % 2, np.repeat(["north", "south"], 400)
    >>> b = np.where((site == "north") & (np.arange(800) % 4 == 0), 1 - y, y)  # misses some
    >>> decision = compare_predictions(y, y, b, random_state=0).by(site).decision(rope=0.05)
    >>> decision.subgroups["north"].label
    'significantly better'
    >>> decision.varies
    True
    """

    subgroups: Mapping[Any, Decision]
    too_few: Mapping[Any, str]
    p_alike: float
    farthest: tuple[Any, Any] | None
    p_farthest: float
    rope: Interval
    names: tuple[str, str] = ("A", "B")
    metric: str = "score"
    prob: float = 0.95
    column: str | None = None
    incomplete: Mapping[Any, str] = field(default_factory=dict)
    _to_ask: ClassVar[str] = "decision.varies, decision.settled or the decisions in subgroups"

    @property
    def varies(self) -> bool | None:
        """Whether the difference varies between subgroups; None if that is not settled.

        It does if the two subgroups that are farthest apart surely are; it does not if surely no
        two are.
        """
        if self.p_farthest >= self.prob:
            return True
        return False if self.p_alike >= self.prob else None

    @property
    def settled(self) -> bool:
        """Whether the decision about each subgroup is settled."""
        return not self.too_few and all(one.settled for one in self.subgroups.values())

    def __str__(self) -> str:
        a, b = self.names
        basis = basis_of(self._called, self.prob, self.rope, self.names)
        cases: dict[str, list[str]] = {
            f"{a} significantly better": [],
            "practically equivalent": [],
            f"{a} significantly worse": [],
            "not settled": [],
            "too few to say": [f"{name} ({why})" for name, why in self.too_few.items()],
            "averages without some classes": [
                f"{name} ({why})" for name, why in self.incomplete.items()
            ],
        }
        for name, decision in self.subgroups.items():
            if decision.settled:
                case = decision.label if decision.code == "~" else f"{a} {decision.label}"
                cases[case].append(str(name))
            else:
                cases["not settled"].append(f"{name} ({decision.chances()})")
        said = [f"{a} compared with {b} in {name_subgroups(self.column)} ({basis}):"]
        said += [f"  {case}: {', '.join(names)}" for case, names in cases.items() if names]
        return "\n".join([*said, f"  {self.on_variation()}"])

    def _chance(self, probability: float, *, words: bool = False) -> str:
        return format_probability(probability, words=words, threshold=self.prob)

    def on_variation(self) -> str:
        """Return a sentence on whether the difference varies between subgroups."""
        where = f"the difference varies between {name_subgroups(self.column)}"
        if self.farthest is None:
            return f"Whether {where} cannot be told from fewer than two of them."
        width = self.rope.high - self.rope.low
        width_of_rope = f"{width:.4g}, the width of the ROPE,"
        by = f" by more than {width_of_rope}" if width else ""
        high, low = self.farthest
        higher = f"it is higher in {high} than in {low}"
        chance = self._chance(self.p_farthest, words=True)
        if self.varies:
            return f"T{where[1:]}: {higher}{by} with probability {chance}."
        if self.varies is False:
            chance = self._chance(self.p_alike, words=True)
            return (
                f"No sign that {where}: no two of them are farther apart than {width_of_rope} with "
                f"probability {chance}."
            )
        return (
            f"Not settled whether {where}: {higher} (the two farthest apart){by} with probability "
            f"{chance}; {percent(self.prob)} would settle it."
        )


def name_subgroups(column: str | None) -> str:
    """Return what the subgroups are called in a sentence."""
    return "subgroups" if column is None else f"subgroups of {column}"


def farthest_apart(
    draws: pd.DataFrame, width: float
) -> tuple[float, tuple[Any, Any] | None, float]:
    """Return `p_alike`, `farthest` and `p_farthest` of `SubgroupDecision`.

    Parameters
    ----------
    draws : pandas.DataFrame
        Joint draws of the differences, with one column per subgroup.
    width : float
        The width.

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> from skbayeseval.judgement.subgroup_decision import farthest_apart
    >>> draws = np.random.default_rng(0).normal([0.0, 0.3, 0.1], 0.05, (1000, 3))
    >>> farthest_apart(pd.DataFrame(draws, columns=["x", "y", "z"]), 0.1)[1]
    ('y', 'x')
    """
    if draws.shape[1] < 2:
        return np.nan, None, np.nan
    values = draws.to_numpy()
    means, covariance = values.mean(axis=0), np.cov(values.T)
    variances = np.diag(covariance)
    variance = np.maximum(variances[:, None] + variances - 2 * covariance, 0)
    np.fill_diagonal(variance, 1.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        distance = np.nan_to_num((means[:, None] - means - width) / np.sqrt(variance))
    np.fill_diagonal(distance, -np.inf)
    high, low = divmod(int(np.argmax(distance)), len(means))
    return (
        float(np.mean(np.ptp(values, axis=1) <= width)),
        (draws.columns[high], draws.columns[low]),
        float(np.mean(values[:, high] - values[:, low] > width)),
    )


class Scores(NamedTuple):
    """The scores of all groups in one metric.

    Attributes
    ----------
    labels : tuple
        The groups.
    observed : ndarray of shape (n_groups,)
        The observed scores.
    pooled, alone : ndarray of shape (n_groups, n_draws)
        Draws of the scores given all groups, and given each group alone.
    sizes : ndarray of shape (n_groups,)
        The numbers of instances that the scores rest on.
    """

    labels: tuple[Any, ...]
    observed: Array
    pooled: Array
    alone: Array
    sizes: Array

    def expected_sd(self) -> Array:
        """Return the standard deviation of each group alone that its size leads one to expect."""
        return np.asarray(np.sqrt((self.alone.var(axis=1) * self.sizes).mean() / self.sizes))

    def errors(self) -> Array:
        """Return draws of the errors of the groups alone, none of them smaller than expected."""
        own = self.alone.std(axis=1)
        larger = np.divide(self.expected_sd(), own, out=np.ones_like(own), where=own > 0)
        errors = self.alone - self.alone.mean(axis=1)[:, None]
        return np.asarray(errors * np.maximum(larger, 1.0)[:, None])

    def p_value(self) -> float:
        """Return the p-value of the test that all groups are equal (Cochran 1954)."""
        sd, means = self.expected_sd(), self.alone.mean(axis=1)
        if not sd.all():
            return float(np.ptp(means) == 0)
        off = (means - np.average(means, weights=self.sizes)) / sd
        return float(chdtrc(len(means) - 1, off @ off))


@dataclass(frozen=True, repr=False)
class LargestGap(InWords):
    """The largest gap between groups; `str` and `repr` return a sentence.

    Attributes
    ----------
    estimate : float
        The gap between the highest and the lowest mean of the groups, partially pooled.
    interval : Interval
        The interval of the largest gap. Its lower end is 0 if groups may be equal.
    highest, lowest : object
        The groups with the highest and the lowest mean.
    observed : float
        The largest observed gap, which is too large on average.
    by_chance : float
        The largest gap that would be observed on average if all groups were equal.
    p_value : float
        The p-value of the test of homogeneity: how probable it is that equal groups of these sizes
        differ as much. It looks at all groups, the interval at two of them, so that one may show
        what the other does not.
    metric : str
        The name of the metric, or of several.
    prob : float
        The probability mass of the interval.
    of_metric : str
        The metric in which the gap is largest, if there are several.
    draws : ndarray of shape (n_draws,)
        Draws of the largest gap. All of them are positive, also if groups are equal.

    Examples
    --------
    >>> import numpy as np
    >>> from skbayeseval import score_posterior
    >>> y, sex = np.arange(800) % 2, np.repeat(["f", "m"], 400)
    >>> said = np.where((sex == "f") & (np.arange(800) % 10 == 1), 1 - y, y)  # misses some
    >>> gap = score_posterior(y, said, scoring="recall", random_state=0).by(sex).gap()
    >>> round(gap.observed, 3), gap.highest, gap.lowest
    (0.2, 'm', 'f')
    """

    estimate: float
    interval: Interval
    highest: Any
    lowest: Any
    observed: float
    by_chance: float
    p_value: float
    metric: str
    prob: float = 0.95
    of_metric: str = ""
    draws: Array = field(default_factory=lambda: np.empty(0), compare=False)
    _to_ask: ClassVar[str] = "its estimate, or whether its interval.low is positive"

    def __str__(self) -> str:
        low, high = self.interval
        where = f"in {self.of_metric} " if self.of_metric else ""
        observed = f"{self.observed:.3f}" if np.isfinite(self.observed) else "not defined"
        return (
            f"The largest gap in {self._called} is {self.estimate:.3f} ({percent(self.prob)} "
            f"interval {low:.3f} to {high:.3f}), {where}between {self.highest} and {self.lowest}. "
            f"Observed: {observed}; equal groups of these sizes would show "
            f"{self.by_chance:.3f} on average, by chance (test of homogeneity: "
            f"p = {self.p_value:.2g})."
        )


def largest_gap(by_metric: Mapping[str, Scores], prob: float = 0.95) -> LargestGap:
    """Return the largest gap between groups in any of the metrics.

    Parameters
    ----------
    by_metric : mapping of str to Scores
        The scores of two or more groups, by the name of the metric.
    prob : float, default=0.95
        The probability mass of the interval.

    Examples
    --------
    >>> import numpy as np
    >>> from skbayeseval.judgement.subgroup_decision import Scores, largest_gap
    >>> observed = np.array([0.7, 0.8, 0.9])
    >>> draws = np.random.default_rng(0).normal(observed[:, None], 0.02, (3, 4000))
    >>> sizes = np.full(3, 300)
    >>> gap = largest_gap({"recall": Scores(("x", "y", "z"), observed, draws, draws, sizes)})
    >>> print(gap)
    The largest gap in recall is 0.201 (95% interval 0.135 to 0.255), between z and x. Observed:
    0.200; equal groups of these sizes would show 0.034 on average, by chance (test of homogeneity:
    p = 1.1e-11).
    """
    prob = check_probability(prob)
    means = {name: scores.pooled.mean(axis=1) for name, scores in by_metric.items()}
    of_metric = max(means, key=lambda name: np.ptp(means[name]))
    estimate, labels = float(np.ptp(means[of_metric])), by_metric[of_metric].labels
    draws = _widest([scores.pooled for scores in by_metric.values()])
    errors = _widest([s.pooled - means[name][:, None] for name, s in by_metric.items()])
    by_chance = _widest([scores.errors() for scores in by_metric.values()])
    alone = max(float(np.ptp(scores.alone.mean(axis=1))) for scores in by_metric.values())
    lower = (estimate, errors), (alone, by_chance)
    least_p = min(scores.p_value() for scores in by_metric.values())
    return LargestGap(
        estimate,
        Interval(
            max(0.0, *(gap - float(np.quantile(of_gap, prob)) for gap, of_gap in lower)),
            float(np.quantile(draws, (1 + prob) / 2)),
        ),
        labels[int(np.argmax(means[of_metric]))],
        labels[int(np.argmin(means[of_metric]))],
        max(float(np.ptp(scores.observed)) for scores in by_metric.values()),
        float(by_chance.mean()),
        min(1.0, len(by_metric) * least_p),  # Bonferroni
        " or ".join(by_metric),
        prob,
        of_metric if len(by_metric) > 1 else "",
        draws=draws,
    )


def _widest(draws: list[Array]) -> Array:
    """Return the greatest range over groups of each draw, of any metric."""
    return np.asarray(np.max([np.ptp(of_one, axis=0) for of_one in draws], axis=0))
