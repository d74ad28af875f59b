"""Scores of the splits of a cross-validation, where nothing else is known of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from skbayeseval._validation import check_probability

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


@dataclass(frozen=True, eq=False)
class SplitScores:
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
    >>> evidence.means("r2")
    (0.6, 0.5)
    """

    scores: Mapping[str, Array]
    test_fraction: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "scores", _frozen(self.scores))

    @property
    def n_classifiers(self) -> int:
        """The number of estimators."""
        return len(next(iter(self.scores.values())))

    @property
    def n_splits(self) -> int:
        """The number of splits."""
        return next(iter(self.scores.values())).shape[-1]

    def margin(self, classifier: int) -> SplitMargin:
        """Return what is known of one estimator."""
        return SplitMargin(float(self.n_splits))

    def means(self, metric: str) -> tuple[float, ...]:
        """Return the mean score of each estimator."""
        return tuple(self.scores[metric].mean(axis=-1).tolist())

    def pair(self, i: int, j: int) -> SplitScores:
        """Return the scores of two of them."""
        return SplitScores(
            {n: values[[i, j]] for n, values in self.scores.items()}, self.test_fraction
        )


@dataclass(frozen=True, eq=False)
class DataSetScores:
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
    >>> scores.means("r2")
    (0.625, 0.375)
    """

    scores: Mapping[str, Array]
    test_fraction: float | None
    n_classifiers: ClassVar[int] = 2

    def __post_init__(self) -> None:
        object.__setattr__(self, "scores", _frozen(self.scores))

    @property
    def n_data_sets(self) -> int:
        """The number of data sets."""
        return next(iter(self.scores.values())).shape[1]

    def margin(self, classifier: int) -> SplitMargin:
        """Return what is known of one estimator."""
        return SplitMargin(float(self.n_data_sets))

    def means(self, metric: str) -> tuple[float, ...]:
        """Return the mean score of each estimator over data sets."""
        scores = self.scores.get(metric, next(iter(self.scores.values())))
        return tuple(scores.mean(axis=(1, 2)).tolist())


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
