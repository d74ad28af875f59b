"""Split scores of cross-validations, without the predictions behind them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from skbayeseval._arrays import as_numbers
from skbayeseval._validation import check_probability
from skbayeseval.evidence.base import Evidence, ObservedArray, letter, stored_numbers
from skbayeseval.evidence.confusion import Margin
from skbayeseval.judgement.frequentist import (
    SignificanceTest,
    corrected_resampled_t,
    paired_t,
    sign_test,
)
from skbayeseval.metrics.confusion import Metric

__all__ = ["DataSetScores", "SplitScores", "check_scores", "check_test_fraction"]

Array = NDArray[Any]


class _Scores(Evidence):
    """Base class of split scores on one data set or on several."""

    scores: Mapping[str, Array]
    test_fraction: float | None
    is_of_splits = True
    has_class_counts = False

    def check_metric(self, metric: Metric) -> None:
        """Raise unless there are split scores of the metric."""
        if metric.source != "splits" or metric.name not in self.scores:
            raise ValueError(
                f"There are no split scores of {metric.name!r}, only of {list(self.scores)}, and "
                "no predictions to compute it from."
            )

    def _observed_data(self, prefix: str, dims: tuple[str, ...]) -> dict[str, ObservedArray]:
        return {
            f"{prefix}_{name.replace('/', '_')}_{letter(k)}": ObservedArray(dims, scores)
            for name, of_all in self.scores.items()
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
    halves : mapping of str to ndarray of shape (n_estimators, n_comparisons), default=None
        Differences of the mean scores between disjoint halves of the data, for each metric.
    steps : mapping of str to float, default=None
        The smallest possible difference of two split scores, for metrics of which it is known:
        1 / n_test for a share of n_test instances. Otherwise, the smallest one that was seen.

    Examples
    --------
    >>> from skbayeseval.evidence.split_scores import SplitScores
    >>> evidence = SplitScores({"r2": [[0.5, 0.6, 0.7], [0.4, 0.6, 0.5]]}, test_fraction=1 / 3)
    >>> evidence.n_splits
    3
    """

    scores: Mapping[str, Array]
    test_fraction: float
    halves: Mapping[str, Array] | None = None
    steps: Mapping[str, float] | None = None

    kind = "splits"
    family = "splits"
    of_each = ("scores", "halves")

    def __post_init__(self) -> None:
        object.__setattr__(self, "scores", _frozen(self.scores))

    @property
    def n_classifiers(self) -> int:
        """The number of estimators."""
        return len(next(iter(self.scores.values())))

    @property
    def train_share(self) -> float:
        """The fraction of the data in a training set."""
        return 1 - self.test_fraction

    def of_splits(self, metric: str) -> Array:
        """Return the split scores of each estimator."""
        return self.scores[metric]

    @property
    def n_splits(self) -> int:
        """The number of splits."""
        return next(iter(self.scores.values())).shape[-1]

    def margin(self, classifier: int) -> Margin:
        """Return the size of the evidence of one estimator."""
        return Margin(float(self.n_splits))

    def observed(self, metric: Metric) -> tuple[float, ...]:
        """Return the mean score of each estimator."""
        return tuple(self.scores[metric.name].mean(axis=-1).tolist())

    def what_is_identical(self, metric: str) -> str | None:
        """Return "split scores" if those of all estimators are equal."""
        scores = self.scores[metric]
        return "split scores" if (scores == scores[0]).all() else None

    def describe(self) -> str:
        """Return a short description of the scores."""
        words = f"{self.n_splits:,} splits with a correlation of {self.test_fraction:.3g}"
        if not self.halves:
            return words
        return f"{words} and {next(iter(self.halves.values())).shape[1]} comparisons of halves"

    @classmethod
    def restored(cls, saved: Mapping[str, Any]) -> SplitScores:
        """Return the scores from the output of `saved`."""
        scores, halves, steps = (saved[name] for name in ("scores", "halves", "steps"))
        n, n_splits = next(iter(scores.values())).shape
        for name, values in scores.items():
            stored_numbers(values, f"split scores of {name!r}", (n, n_splits))
        for name, values in (halves or {}).items():
            stored_numbers(values, f"halves of {name!r}", (n, None))
        if not all(0 < step < np.inf for step in (steps or {}).values()):
            raise ValueError(f"steps must be positive, got {steps}.")
        if n_splits < 2 or any(set(one) - set(scores) for one in (halves or {}, steps or {})):
            raise ValueError("split scores must be of two splits or more, and of known metrics.")
        return cls(
            scores, check_probability(saved["test_fraction"], "test_fraction"), halves, steps
        )

    def observed_data(self) -> dict[str, ObservedArray]:
        """Return the split scores of each estimator."""
        return self._observed_data("splits", ("split",))

    def split_tests(self, metric: str) -> list[tuple[str, str, str, SignificanceTest]]:
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

    kind = "data sets"
    family = "data sets"
    n_classifiers = 2
    of_each = ("scores",)
    is_of_difference = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "scores", _frozen(self.scores))

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

    @classmethod
    def restored(cls, saved: Mapping[str, Any]) -> DataSetScores:
        """Return the scores from the output of `saved`."""
        scores, share = saved["scores"], saved["test_fraction"]
        _, n_sets, n_splits = next(iter(scores.values())).shape
        for name, values in scores.items():
            stored_numbers(values, f"scores of {name!r}", (2, n_sets, n_splits))
        return cls(scores, None if share is None else check_probability(share, "test_fraction"))

    def observed_data(self) -> dict[str, ObservedArray]:
        """Return the split scores of each estimator."""
        return self._observed_data("datasets", ("data_set", "split"))

    def split_tests(self, metric: str) -> list[tuple[str, str, str, SignificanceTest]]:
        """Return the sign test and the paired t-test over data sets."""
        a, b = self.of_metric(metric).mean(axis=-1)
        tests = (sign_test(a, b), paired_t(a, b))
        return [(f"{test.name} of data sets", "data sets", "", test) for test in tests]


def _frozen(scores: Mapping[str, ArrayLike]) -> dict[str, Array]:
    frozen = {}
    for name, values in scores.items():
        array = np.array(values, dtype=float)
        array.flags.writeable = False
        frozen[name] = array
    return frozen


def check_scores(scores: ArrayLike, name: str) -> Array:
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
