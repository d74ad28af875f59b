"""Scores of the splits of a cross-validation, where nothing else is known of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from skbayeseval._validation import check_probability
from skbayeseval.evidence.base import Evidence, ObservedArray, letter
from skbayeseval.judgement.frequentist import (
    SignificanceTest,
    corrected_resampled_t,
    paired_t,
    sign_test,
)
from skbayeseval.metrics.confusion import Metric

__all__ = ["DataSetScores", "SplitMargin", "SplitScores", "check_scores", "check_test_fraction"]

Array = NDArray[Any]


@dataclass(frozen=True)
class SplitMargin:
    """The scores of one estimator; it answers as `ConfusionCounts` does."""

    total: float
    labels: tuple[Any, ...] = ()
    pos_label: Any = None
    positive: int | None = None
    weight: float = 1.0
    table: Array | None = None
    has_true_negatives: bool = False


class _Scores(Evidence):
    """What scores of splits share, of one data set or of several."""

    scores: Mapping[str, Array]
    test_fraction: float | None
    is_of_splits = True
    has_class_counts = False

    def check_metric(self, metric: Metric) -> None:
        """Raise unless the splits were scored by the metric."""
        if metric.source != "splits" or metric.name not in self.scores:
            raise ValueError(
                f"The splits were not scored by {metric.name!r}, only by {list(self.scores)}, and "
                "nothing else is known of them."
            )

    def saved(self) -> dict[str, Any]:
        """Return what `restored` needs."""
        return {"scores": dict(self.scores), "test_fraction": self.test_fraction}

    def _observed_data(self, prefix: str, dims: tuple[str, ...]) -> dict[str, ObservedArray]:
        return {
            f"{prefix}_{name.replace('/', '_')}_{letter(k)}": ObservedArray(dims, scores)
            for name, of_all in self.scores.items()
            for k, scores in enumerate(of_all)
        }


@dataclass(frozen=True, eq=False)
class SplitScores(_Scores):
    """Scores of several estimators in the same splits.

    Parameters
    ----------
    scores : mapping of str to ndarray of shape (n_estimators, n_splits)
        For each metric.
    test_fraction : float
        The share of the instances that a split tests: the correlation between splits
        (Nadeau and Bengio 2003).

    Examples
    --------
    >>> from skbayeseval.evidence.split_scores import SplitScores
    >>> evidence = SplitScores({"r2": [[0.5, 0.6, 0.7], [0.4, 0.6, 0.5]]}, test_fraction=1 / 3)
    >>> evidence.n_splits
    3
    """

    scores: Mapping[str, Array]
    test_fraction: float

    kind = "splits"
    family = "splits"

    def __post_init__(self) -> None:
        object.__setattr__(self, "scores", _frozen(self.scores))

    @property
    def n_classifiers(self) -> int:  # type: ignore[override]
        """The number of estimators."""
        return len(next(iter(self.scores.values())))

    @property
    def train_share(self) -> float:
        """The share of the data that a split trains on."""
        return 1 - self.test_fraction

    @property
    def n_splits(self) -> int:
        """The number of splits."""
        return next(iter(self.scores.values())).shape[-1]

    def margin(self, classifier: int) -> SplitMargin:
        """Return what is known of one estimator."""
        return SplitMargin(float(self.n_splits))

    def observed(self, metric: Metric) -> tuple[float, ...]:
        """Return the mean score of each estimator."""
        return tuple(self.scores[metric.name].mean(axis=-1).tolist())

    def describe(self) -> str:
        """Return what there is, in words."""
        return f"{self.n_splits:,} splits with a correlation of {self.test_fraction:.3g}"

    @classmethod
    def restored(cls, saved: Mapping[str, Any]) -> SplitScores:
        """Put the scores together again."""
        return cls(saved["scores"], saved["test_fraction"])

    def observed_data(self) -> dict[str, ObservedArray]:
        """Return the scores of each estimator."""
        return self._observed_data("splits", ("split",))

    def split_tests(self, metric: str) -> list[tuple[str, str, str, SignificanceTest]]:
        """Return the corrected resampled t-test of two estimators."""
        share = self.test_fraction
        test = corrected_resampled_t(*self.scores[metric], n_train=1 - share, n_test=share)
        return [(test.name, "splits", "Nadeau and Bengio (2003)", test)]

    def pair(self, i: int, j: int) -> SplitScores:
        """Return the scores of two of them."""
        return SplitScores(
            {n: values[[i, j]] for n, values in self.scores.items()}, self.test_fraction
        )


@dataclass(frozen=True, eq=False)
class DataSetScores(_Scores):
    """Scores of two estimators on several data sets, in the same splits of each.

    Parameters
    ----------
    scores : mapping of str to ndarray of shape (2, n_data_sets, n_splits)
        For each metric.
    test_fraction : float or None
        As in `SplitScores`; None where it is not known.

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
    is_of_difference = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "scores", _frozen(self.scores))

    @property
    def n_data_sets(self) -> int:
        """The number of data sets."""
        return next(iter(self.scores.values())).shape[1]

    def margin(self, classifier: int) -> SplitMargin:
        """Return what is known of one estimator."""
        return SplitMargin(float(self.n_data_sets))

    def observed(self, metric: Metric) -> tuple[float, ...]:
        """Return the mean score of each estimator over data sets."""
        return tuple(self.of_metric(metric.name).mean(axis=(1, 2)).tolist())

    def of_metric(self, name: str) -> Array:
        """Return the scores of a metric; for the difference on a further data set, of the first."""
        return self.scores.get(name, next(iter(self.scores.values())))

    def pair(self, i: int, j: int) -> DataSetScores:
        """Return the scores with the two estimators in the order i, j."""
        scores = {name: values[[i, j]] for name, values in self.scores.items()}
        return DataSetScores(scores, self.test_fraction)

    def describe(self) -> str:
        """Return what there is, in words."""
        return f"{self.n_data_sets:,} data sets"

    @classmethod
    def restored(cls, saved: Mapping[str, Any]) -> DataSetScores:
        """Put the scores together again."""
        return cls(saved["scores"], saved["test_fraction"])

    def observed_data(self) -> dict[str, ObservedArray]:
        """Return the scores of each estimator."""
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
    """Return scores as a vector of at least two finite numbers."""
    try:
        array = np.asarray(scores, dtype=float)
    except (TypeError, ValueError) as error:
        raise TypeError(f"{name} must hold numbers, got {scores!r}.") from error
    if array.ndim != 1:
        raise ValueError(
            f"{name} must hold one score a split, got an array of shape {array.shape}."
        )
    if len(array) < 2:
        raise ValueError(f"{name} must hold the scores of at least two splits, got {len(array)}.")
    if not np.isfinite(array).all():
        raise ValueError(f"Input {name} contains NaN or infinity: leave out splits that failed.")
    return array


def check_test_fraction(test_fraction: Any) -> float:
    """Return the share of the instances that a split tests, strictly between 0 and 1."""
    if test_fraction is None:
        raise ValueError(
            "The correlated t-test needs test_fraction=, the share of the instances that a split "
            "tests: 1 / k for k folds."
        )
    return check_probability(test_fraction, "test_fraction")
