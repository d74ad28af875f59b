"""The largest gap between groups, which is large by chance where there are many groups.

The highest of several scores minus the lowest is positive in every draw, also if all groups are
equal, so an interval of these draws never contains 0. With 8 equal groups of 50 instances, the
share of the draws above 0.05 was 95% or more in 59% of data sets: there is no probability here that
the largest gap exceeds a margin, but an interval whose lower end may be 0.

The upper end is a quantile of the draws: what the gap is at most. The lower end is the gap of the
pooled means minus the range of the errors of all groups that is exceeded with probability 5%. Since
the range of a sum is at most the sum of the ranges, the true gap is below it no more often than
that, whichever groups are the highest and the lowest (Tukey 1953). benchmarks/group_gaps.py
measures the coverage.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from skbayeseval._arrays import Array
from skbayeseval._validation import check_probability
from skbayeseval.judgement.decision import InWords, percent
from skbayeseval.judgement.intervals import Interval


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
    """

    labels: tuple[Any, ...]
    observed: Array
    pooled: Array
    alone: Array


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
    metric : str
        The name of the metric.
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
    metric: str
    prob: float = 0.95
    of_metric: str = ""
    draws: Array = field(default_factory=lambda: np.empty(0), compare=False)

    def __str__(self) -> str:
        low, high = self.interval
        where = f"in {self.of_metric} " if self.of_metric else ""
        return (
            f"The largest gap in {self.metric} is {self.estimate:.3f} ({percent(self.prob)} "
            f"interval {low:.3f} to {high:.3f}), {where}between {self.highest} and {self.lowest}. "
            f"Observed: {self.observed:.3f}; equal groups of these sizes would show "
            f"{self.by_chance:.3f} on average, by chance."
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
    >>> from skbayeseval.judgement.largest_gap import Scores, largest_gap
    >>> observed = np.array([0.7, 0.8, 0.9])
    >>> draws = np.random.default_rng(0).normal(observed[:, None], 0.02, (3, 4000))
    >>> gap = largest_gap({"recall": Scores(("x", "y", "z"), observed, draws, draws)})
    >>> print(gap)
    The largest gap in recall is 0.201 (95% interval 0.135 to 0.255), between z and x. Observed:
    0.200; equal groups of these sizes would show 0.034 on average, by chance.
    """
    prob = check_probability(prob)
    means = {name: scores.pooled.mean(axis=1) for name, scores in by_metric.items()}
    of_metric = max(means, key=lambda name: np.ptp(means[name]))
    estimate, labels = float(np.ptp(means[of_metric])), by_metric[of_metric].labels
    draws = _widest([scores.pooled for scores in by_metric.values()])
    errors = _widest([s.pooled - means[name][:, None] for name, s in by_metric.items()])
    by_chance = _widest([s.alone - s.alone.mean(axis=1)[:, None] for s in by_metric.values()])
    return LargestGap(
        estimate,
        Interval(
            max(0.0, estimate - float(np.quantile(errors, prob))),
            float(np.quantile(draws, (1 + prob) / 2)),
        ),
        labels[int(np.argmax(means[of_metric]))],
        labels[int(np.argmin(means[of_metric]))],
        max(float(np.ptp(scores.observed)) for scores in by_metric.values()),
        float(by_chance.mean()),
        " or ".join(by_metric),
        prob,
        of_metric if len(by_metric) > 1 else "",
        draws,
    )


def _widest(draws: list[Array]) -> Array:
    """Return the greatest range over groups of each draw, of any metric."""
    return np.asarray(np.max([np.ptp(of_one, axis=0) for of_one in draws], axis=0))
