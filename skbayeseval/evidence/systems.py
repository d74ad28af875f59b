"""Scores of several systems on several data sets, of which some may be missing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skbayeseval._validation import check_probability
from skbayeseval.evidence.base import Evidence, ObservedArray, letter
from skbayeseval.evidence.confusion import Margin
from skbayeseval.judgement.frequentist import SignificanceTest, paired_t, sign_test
from skbayeseval.metrics.confusion import Metric

__all__ = ["SystemScores"]

Array = NDArray[Any]

# What the observed value of a system is, where scores are missing.
OWN_DATA_SETS = "the mean over the data sets that a system was run on"


@dataclass(frozen=True, eq=False)
class SystemScores(Evidence):
    """Scores of several systems on several data sets.

    Parameters
    ----------
    scores : ndarray of shape (n_systems, n_data_sets, n_runs)
        The scores of each run or split; NaN where there are fewer runs, or none.
    metric : str
        The name of the score.
    data_sets : tuple of str
        The names of the data sets.
    test_fraction : float or None
        The fraction of the instances in a test set, if runs are splits of a cross-validation.

    Examples
    --------
    >>> import numpy as np
    >>> from skbayeseval.evidence.systems import SystemScores
    >>> scores = np.array([[[0.5], [0.75], [0.25]], [[0.25], [np.nan], [0.5]]])
    >>> SystemScores(scores, "accuracy", ("iris", "wine", "digits"), None).describe()
    '3 data sets, 1 of 6 scores missing'
    """

    scores: Array
    metric: str
    data_sets: tuple[str, ...]
    test_fraction: float | None

    kind = "systems"
    family = "systems"
    of_each = ("scores",)
    is_of_splits = True
    has_class_counts = False

    def __post_init__(self) -> None:
        self.scores.flags.writeable = False

    @cached_property
    def n_runs(self) -> Array:
        """The number of runs of each system on each data set, of shape (n_systems, n_data_sets)."""
        return np.isfinite(self.scores).sum(axis=2)

    @cached_property
    def means(self) -> Array:
        """The scores averaged over runs, of shape (n_systems, n_data_sets); NaN where missing."""
        sums = np.where(np.isfinite(self.scores), self.scores, 0.0).sum(axis=2)
        return np.where(self.n_runs > 0, sums / np.maximum(self.n_runs, 1), np.nan)

    def margin(self, classifier: int) -> Margin:
        """Return the number of data sets that one system was run on."""
        return Margin(float((self.n_runs[classifier] > 0).sum()))

    def observed(self, metric: Metric) -> tuple[float, ...]:
        """Return the mean score of each system over the data sets that it was run on."""
        return tuple(np.nanmean(self.means, axis=1).tolist())

    def check_metric(self, metric: Metric) -> None:
        """Raise unless the metric is the score."""
        if metric.source != "splits" or metric.name != self.metric:
            raise ValueError(
                f"There are no scores of {metric.name!r}, only of {self.metric!r}, and no "
                "predictions to compute it from."
            )

    def what_is_identical(self, metric: str) -> str | None:
        """Return "scores" if all systems have the same mean scores."""
        first = np.broadcast_to(self.means[0], self.means.shape)
        return "scores" if np.array_equal(self.means, first, equal_nan=True) else None

    def describe(self) -> str:
        """Return the numbers of data sets, of missing scores and of runs."""
        words = f"{len(self.data_sets):,} data sets"
        missing = int((self.n_runs == 0).sum())
        if missing:
            words += f", {missing:,} of {self.n_runs.size:,} scores missing"
        least, most = self.n_runs[self.n_runs > 0].min(), self.n_runs.max()
        if most > 1:
            number = most if least == most else f"{least} to {most}"
            words += f", with {number} {'splits' if self.test_fraction else 'runs'} each"
        return words

    def heading(self) -> str:
        """Return a line on all of the evidence."""
        words = f"{self.n_classifiers:,} systems on {self.describe()}."
        return f"{words} Observed: {OWN_DATA_SETS}." if (self.n_runs == 0).any() else words

    def remarks(self) -> list[tuple[str, str]]:
        """Return a line on what the observed values are, if scores are missing."""
        return [("note", f"observed: {OWN_DATA_SETS}")] if (self.n_runs == 0).any() else []

    def observed_data(self) -> dict[str, ObservedArray]:
        """Return the scores of each system."""
        return {
            f"datasets_{self.metric.replace('/', '_')}_{letter(k)}": ObservedArray(
                ("data_set", "run"), of_one
            )
            for k, of_one in enumerate(self.scores)
        }

    def split_tests(self, metric: str) -> list[tuple[str, str, str, SignificanceTest]]:
        """Return the sign test and the paired t-test over the data sets that both were run on."""
        a, b = self.means[:, np.isfinite(self.means).all(axis=0)]
        if len(a) < 2:
            return []
        tests = (sign_test(a, b), paired_t(a, b))
        return [(f"{test.name} of data sets", "data sets", "", test) for test in tests]

    @classmethod
    def restored(cls, saved: Mapping[str, Any]) -> SystemScores:
        """Return the scores from the output of `saved`."""
        scores, data_sets, share = (saved[key] for key in ("scores", "data_sets", "test_fraction"))
        if not isinstance(scores, np.ndarray) or scores.dtype != np.float64 or scores.ndim != 3:
            raise ValueError("scores must be an array of numbers with three dimensions.")
        if np.isinf(scores).any() or not np.isfinite(scores).any(axis=(1, 2)).all():
            raise ValueError("scores must be finite, with at least one score of each system.")
        if not isinstance(saved["metric"], str):
            raise ValueError(f"metric must be a text, got {saved['metric']!r}.")
        fits = isinstance(data_sets, list) and all(isinstance(one, str) for one in data_sets)
        if not fits or len(set(data_sets)) != len(data_sets) or len(data_sets) != scores.shape[1]:
            raise ValueError("data_sets must be the names of the data sets, all different.")
        share = None if share is None else check_probability(share, "test_fraction")
        return cls(scores, saved["metric"], tuple(data_sets), share)
