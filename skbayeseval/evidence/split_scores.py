"""Scores of splits and of data sets, without the predictions behind them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from skbayeseval._arrays import Array, as_numbers, check_entries, check_magnitude, choices
from skbayeseval._validation import check_probability
from skbayeseval.evidence.counts import Margin, frozen
from skbayeseval.evidence.interface import Evidence, ObservedArray, letter, variable_names
from skbayeseval.judgement.frequentist import (
    SignificanceTest,
    corrected_resampled_t,
    paired_t,
    sign_test,
)
from skbayeseval.metrics.metric import Metric

# What the observed value of a system is, where scores are missing.
OWN_DATA_SETS = "the mean over the data sets that a system was run on"

# What is said of data sets that are only counted.
ROWS_ARE_DATA_SETS = "rows are taken for data sets; with test_fraction=, for splits of one data set"

# Of a classical test: its name, what its units are, a note, and the test.
TestRow = tuple[str, str, str, SignificanceTest]


class _Scores(Evidence):
    """Base class of scores in splits, on one data set or on several."""

    scores: Any
    test_fraction: float | None

    is_of_splits = True
    has_class_counts = False
    identical_in = "split scores"
    of_each: ClassVar[tuple[str, ...]] = ("scores",)
    # The names of the observed data, and of its dimensions.
    prefix: ClassVar[str] = "datasets"
    dims: ClassVar[tuple[str, ...]] = ("data_set", "split")

    def __post_init__(self) -> None:
        scores = {
            name: frozen(np.array(values, dtype=float)) for name, values in self.scores.items()
        }
        for name, values in scores.items():
            check_magnitude(values, f"Scores in {name}")
        object.__setattr__(self, "scores", scores)
        self._check()

    def _check(self, missing: bool = False) -> None:
        """Raise unless scores have one shape, and the test fraction is one."""
        arrays = list(self._by_metric.values())
        shape = (*[None] * (1 + len(self.dims)),)
        for scores in arrays:
            check_entries(scores, "scores", shape, missing=missing)
            shape = scores.shape
        if not arrays or 0 in shape:
            raise ValueError("scores must not be empty.")
        if self.test_fraction is not None:
            check_test_fraction(self.test_fraction)

    @property
    def _by_metric(self) -> Mapping[str, Array]:
        scores: Mapping[str, Array] = self.scores
        return scores

    @property
    def n_classifiers(self) -> int:
        """The number of estimators."""
        return len(next(iter(self._by_metric.values())))

    def check_metric(self, metric: Metric) -> None:
        """Raise unless there are scores of the metric."""
        if metric.source != "splits" or metric.name not in self._by_metric:
            raise ValueError(
                f"There are no {self.identical_in} of {metric.name!r}, only of "
                f"{choices(metric.name, self._by_metric)}, and no predictions to compute it from."
            )

    def observed_data(self) -> dict[str, ObservedArray]:
        """Return the scores of each estimator."""
        called = variable_names(self._by_metric)
        return {
            f"{self.prefix}_{called[name]}_{letter(k)}": (self.dims, scores)
            for name, of_all in self._by_metric.items()
            for k, scores in enumerate(of_all)
        }


@dataclass(frozen=True, eq=False)
class SplitScores(_Scores):
    """Split scores of several estimators in the same splits.

    Parameters
    ----------
    scores : mapping of str to ndarray of shape (n_estimators, n_splits)
        The split scores of each metric.
    test_fraction : float
        The fraction of the instances in a test set, which is used as the correlation between
        splits (Nadeau and Bengio 2003).
    steps : mapping of str to float, default=None
        The smallest possible difference of two split scores, for metrics of which it is known:
        1 / n_test for a share of n_test instances. Otherwise, the smallest one that was seen.
    noise : mapping of str to ndarray of shape (n_estimators, n_estimators), default=None
        The covariance of the mean scores, where it was learned from more than these scores.
    df : float, default=inf
        Its degrees of freedom.

    Examples
    --------
    >>> from skbayeseval.evidence.split_scores import SplitScores
    >>> evidence = SplitScores({"r2": [[0.5, 0.6, 0.7], [0.4, 0.6, 0.5]]}, test_fraction=1 / 3)
    >>> evidence.n_splits
    3
    """

    scores: Mapping[str, Array]
    test_fraction: float
    steps: Mapping[str, float] | None = None
    noise: Mapping[str, Array] | None = None
    df: float = np.inf

    family = "splits"
    prefix = "splits"
    dims = ("split",)

    def pair(self, i: int, j: int) -> SplitScores:
        """Return the scores of two of the estimators."""
        noise = self.noise
        if noise is not None:
            noise = {name: of_all[np.ix_([i, j], [i, j])] for name, of_all in noise.items()}
        scores = {name: of_all[[i, j]] for name, of_all in self.scores.items()}
        return replace(self, scores=scores, noise=noise)

    @property
    def n_splits(self) -> int:
        """The number of splits."""
        return next(iter(self.scores.values())).shape[-1]

    @property
    def depends_on_others(self) -> bool:
        """Whether the scores of an estimator depend on the others: they tell the smallest step."""
        return True

    def margin(self, classifier: int) -> Margin:
        """Return the size of the evidence of one estimator."""
        return Margin(float(self.n_splits))

    def observed(self, metric: Metric) -> tuple[float, ...]:
        """Return the mean score of each estimator."""
        return tuple(self.scores[metric.name].mean(axis=-1).tolist())

    def are_copies(self, i: int, j: int, metric: str) -> bool:
        """Return whether two estimators have the same scores in all splits."""
        return np.array_equal(self.scores[metric][i], self.scores[metric][j])

    def describe(self) -> str:
        """Return a short description of the scores."""
        return f"{self.n_splits:,} splits with a correlation of {self.test_fraction:.3g}"

    def split_tests(self, metric: str) -> list[TestRow]:
        """Return the corrected resampled t-test of two estimators."""
        share = self.test_fraction
        test = corrected_resampled_t(*self.scores[metric], n_train=1 - share, n_test=share)
        return [(test.name, "splits", "Nadeau and Bengio (2003)", test)]


@dataclass(frozen=True, eq=False)
class DataSetScores(_Scores):
    """Split scores of two estimators on several data sets, in the same splits.

    Parameters
    ----------
    scores : mapping of str to ndarray of shape (2, n_data_sets, n_splits)
        The split scores of each metric.
    test_fraction : float or None
        As in `SplitScores`; None if unknown.

    Examples
    --------
    >>> from skbayeseval.evidence.split_scores import DataSetScores
    >>> scores = DataSetScores({"r2": [[[0.5, 0.75]], [[0.25, 0.5]]]}, test_fraction=0.5)
    >>> scores.n_data_sets
    1
    """

    scores: Mapping[str, Array]
    test_fraction: float | None

    family = "data sets"
    is_of_difference = True

    @property
    def n_data_sets(self) -> int:
        """The number of data sets."""
        return next(iter(self.scores.values())).shape[1]

    def margin(self, classifier: int) -> Margin:
        """Return the size of the evidence of one estimator."""
        return Margin(float(self.n_data_sets))

    def observed(self, metric: Metric) -> tuple[float, ...]:
        """Return the mean score of each estimator over all data sets."""
        return tuple(self.of_metric(metric.name).mean(axis=(1, 2)).tolist())

    def of_metric(self, name: str) -> Array:
        """Return the scores of a metric; those of the first metric for derived quantities."""
        return self.scores.get(name, next(iter(self.scores.values())))

    def describe(self) -> str:
        """Return a short description of the scores."""
        return f"{self.n_data_sets:,} data sets"

    def split_tests(self, metric: str) -> list[TestRow]:
        """Return the sign test and the paired t-test over data sets."""
        return _tests_over_data_sets(*self.of_metric(metric).mean(axis=-1))


@dataclass(frozen=True, eq=False)
class SystemScores(_Scores):
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
    >>> from skbayeseval.evidence.split_scores import SystemScores
    >>> scores = np.array([[[0.5], [0.75], [0.25]], [[0.25], [np.nan], [0.5]]])
    >>> SystemScores(scores, "accuracy", ("iris", "wine", "digits"), None).describe()
    '3 data sets, 1 of 6 scores missing'
    """

    scores: Array
    metric: str
    data_sets: tuple[str, ...]
    test_fraction: float | None

    identical_in = "scores"
    family = "systems"
    dims = ("data_set", "run")

    def __post_init__(self) -> None:
        frozen(self.scores)
        self._check(missing=True)

    @property
    def _by_metric(self) -> Mapping[str, Array]:
        return {self.metric: self.scores}

    @cached_property
    def n_runs(self) -> Array:
        """The number of runs of each system on each data set, of shape (n_systems, n_data_sets)."""
        return np.isfinite(self.scores).sum(axis=2)

    @cached_property
    def means(self) -> Array:
        """The scores averaged over runs, of shape (n_systems, n_data_sets); NaN where missing."""
        sums = np.where(np.isfinite(self.scores), self.scores, 0.0).sum(axis=2)
        return np.where(self.n_runs > 0, sums / np.maximum(self.n_runs, 1), np.nan)

    @property
    def is_complete(self) -> Array:
        """Which data sets all systems were run on."""
        return np.asarray(np.isfinite(self.means).all(axis=0))

    def margin(self, classifier: int) -> Margin:
        """Return the number of data sets that one system was run on."""
        return Margin(float((self.n_runs[classifier] > 0).sum()))

    def observed(self, metric: Metric) -> tuple[float, ...]:
        """Return the mean score of each system over the data sets that it was run on."""
        return tuple(np.nanmean(self.means, axis=1).tolist())

    def are_copies(self, i: int, j: int, metric: str) -> bool:
        """Return whether two systems have the same mean scores on all data sets."""
        return np.array_equal(self.means[i], self.means[j], equal_nan=True)

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

    def remarks(self, names: Sequence[str] = ()) -> list[tuple[str, str]]:
        """Return what observed values are, if some are missing, and rows, if they have no names."""
        said = [("note", f"observed: {OWN_DATA_SETS}")] if (self.n_runs == 0).any() else []
        if self.data_sets == tuple(map(str, range(len(self.data_sets)))) and not self.test_fraction:
            said.append(("note", ROWS_ARE_DATA_SETS))
        return said

    def split_tests(self, metric: str) -> list[TestRow]:
        """Return the sign test and the paired t-test over the data sets that both were run on.

        The t-test is about the mean. Of a further data set, there is the sign test only.
        """
        a, b = self.means[:, self.is_complete]
        tests = _tests_over_data_sets(a, b) if len(a) > 1 else []
        return tests if metric == self.metric else tests[:1]


def _tests_over_data_sets(a: Array, b: Array) -> list[TestRow]:
    tests = (sign_test(a, b), paired_t(a, b))
    return [(f"{test.name} of data sets", "data sets", "", test) for test in tests]


def check_split_scores(scores: ArrayLike, name: str) -> Array:
    """Return split scores as a vector of at least two finite numbers."""
    array = as_numbers(scores, name)
    if array.ndim != 1:
        raise ValueError(
            f"{name} must contain one score per split, got an array of shape {array.shape}."
        )
    if len(array) < 2:
        raise ValueError(
            f"{name} must contain the scores of at least two splits, got {len(array)}."
        )
    if not np.isfinite(array).all():
        raise ValueError(f"Input {name} contains NaN or infinity. Remove failed splits.")
    return array


def check_test_fraction(test_fraction: Any) -> float:
    """Return the fraction of the instances in a test set, strictly between 0 and 1."""
    if test_fraction is None:
        raise ValueError(
            "The correlated t-test requires test_fraction=, the fraction of the instances in a "
            "test set: 1 / k for k folds."
        )
    return check_probability(test_fraction, "test_fraction")
