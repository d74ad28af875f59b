"""Predictions of numbers, from which metrics such as R2 are computed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from skbayeseval._arrays import (
    Array,
    as_numbers,
    check_frame,
    check_magnitude,
    check_same_length,
    number_of_samples,
)
from skbayeseval.evidence.counts import Margin
from skbayeseval.evidence.instance_scores import WeightedInstances
from skbayeseval.evidence.unit_numbers import UnitNumbers, count_units
from skbayeseval.evidence.units import check_sample_weight
from skbayeseval.metrics.instance_scores import Prepared
from skbayeseval.metrics.metric import Metric
from skbayeseval.splitting.out_of_fold import OutOfFold


@dataclass(frozen=True, eq=False)
class PredictedNumbers(WeightedInstances):
    """Numbers that several regressors predicted for the same instances, in one or more runs.

    Parameters
    ----------
    truth : ndarray of shape (n_rows,)
        The true numbers.
    predictions : ndarray of shape (n_regressors, n_rows)
        The predictions of each regressor.
    sample_weight : ndarray of shape (n_rows,)
        How much each row counts in a metric, as in scikit-learn.
    run, unit, shape, weight, grouped, instances, block_length
        As in `WeightedInstances`.

    Examples
    --------
    >>> from skbayeseval import metrics
    >>> from skbayeseval.evidence.predicted_numbers import PredictedNumbers
    >>> numbers = PredictedNumbers.from_predictions([3.0, -0.5, 2.0], {"a": [2.5, 0.0, 2.0]})
    >>> numbers.observed(metrics.get_metric("neg_median_absolute_error"))
    (-0.5,)
    """

    truth: Array
    predictions: Array
    sample_weight: Array = field(kw_only=True)

    identical_in = "predictions"
    of_each = ("predictions",)
    labels = ()
    pos_label = None

    @property
    def _is_of_items(self) -> bool:
        """Whether the predictions are items of any kind, kept as objects."""
        return bool(self.truth.dtype == object)

    @property
    def noun(self) -> str:  # type: ignore[override]
        """What there is one of per row."""
        return "items" if self._is_of_items else "predicted numbers"

    @property
    def family(self) -> str:
        """The family of models that fit: "numbers" or "grouped scores"."""
        return "grouped scores" if self.grouped else "numbers"

    @classmethod
    def from_predictions(
        cls,
        y_true: Any,
        predictions: Mapping[str, Any],
        *,
        weight: float = 1.0,
        groups: ArrayLike | None = None,
        sample_weight: Any = None,
        instances: Array | None = None,
        run: Array | None = None,
    ) -> PredictedNumbers:
        """Return the evidence of predictions, given by the names of their arguments."""
        truth = check_numbers(y_true, "y_true")
        said = [check_numbers(values, name, len(truth)) for name, values in predictions.items()]
        check_magnitude(np.stack([truth, *said]), ", ".join(["y_true", *predictions]))
        units = cls._units(len(truth), weight, groups, instances, run)
        shares = check_sample_weight(sample_weight, len(truth))
        shares = np.ones(len(truth)) if shares is None else shares
        return cls(truth, np.stack(said), sample_weight=shares, **units)

    @classmethod
    def from_items(
        cls, y_true: Any, predictions: Mapping[str, Any], *, weight: float, groups: Any
    ) -> PredictedNumbers:
        """Return the evidence of items of any kind, which are kept as objects."""
        if not predictions:
            raise ValueError("Metrics of items require predictions, but these are None.")
        truth = _as_objects(y_true, "y_true")
        said = [_as_objects(items, name) for name, items in predictions.items()]
        check_same_length(y_true=truth, **dict(zip(predictions, said, strict=True)))
        units = cls._units(len(truth), weight, groups, None, None)
        return cls(truth, np.stack(said), sample_weight=np.ones(len(truth)), **units)

    def margin(self, classifier: int) -> Margin:
        """Return the size, as `ConfusionCounts` has it."""
        return Margin(float(len(self.truth)), weight=self.weight)

    def given(self, names: Sequence[str]) -> OutOfFold:
        """Return the true numbers, and those that each regressor predicted."""
        return OutOfFold.of_rows(self.truth, dict(zip(names, self.predictions, strict=True)))

    def row_losses(self) -> Array | None:
        """Return the absolute errors of each regressor; None for items of any kind."""
        if self._is_of_items:
            return None
        return self.sample_weight * np.abs(self.predictions - self.truth)

    def of_rows(self, rows: Array) -> PredictedNumbers:
        """Return the predictions of some of the rows, given by their positions."""
        return replace(
            self,
            truth=self.truth[rows],
            predictions=self.predictions[:, rows],
            **self._units_of_rows(rows),
        )

    def are_copies(self, i: int, j: int, metric: str) -> bool:
        """Return whether two regressors predicted the same."""
        if self._is_of_items:
            return all(map(np.array_equal, self.predictions[i], self.predictions[j]))
        return np.array_equal(self.predictions[i], self.predictions[j])

    def _prepare(self, metric: Metric, rows: Array) -> list[Prepared]:
        truth, weight = self.truth[rows], self.sample_weight[rows]
        predictions, told = self.predictions[:, rows], self._told(metric, rows)
        try:
            return [metric.function(truth, said, weight, **told) for said in predictions]
        except ValueError as error:
            if not metric.is_registered:
                raise
            raise ValueError(f"scoring={metric.name!r} cannot be computed: {error}") from error

    def check_metric(self, metric: Metric) -> None:
        """Raise unless the metric is one of numbers, or of items."""
        if self._is_of_items and not (metric.own is not None and metric.own.of_items):
            raise ValueError(
                f"scoring={metric.name!r} is not a metric of items, such as metrics.over_items "
                "makes. Compare the two kinds of metrics in separate calls."
            )
        if metric.source != "numbers":
            raise ValueError(
                f"scoring={metric.name!r} requires class labels, but the predictions are numbers. "
                "Use a metric of numbers, such as 'r2' or 'neg_mean_absolute_error', or compare "
                "the two kinds of metrics in separate calls."
            )

    def unit_numbers(self, metric: Metric) -> UnitNumbers:
        """Return how many units the metric rests on: all."""
        shares = self.sample_weight / self.sample_weight.mean()
        masses = np.bincount(self.unit, weights=shares, minlength=len(self.shape))
        return count_units(masses, self.shape, self.weight, self.units_in_words)


def _as_objects(items: Any, name: str) -> Array:
    """Return a vector with one object per item."""
    check_frame(items, name)
    objects = np.empty(number_of_samples(items, name), dtype=object)
    if not len(objects):
        raise ValueError(f"Found array with 0 sample(s): {name} is empty.")
    for method in ("to_numpy", "toarray"):  # not the names of columns, and no sparse rows
        items = getattr(items, method)() if hasattr(items, method) else items
    for i, item in enumerate(items):
        objects[i] = item
    return objects


def check_numbers(values: Any, name: str, length: int | None = None) -> Array:
    """Return numbers as a vector of floats, one per instance, without missing values."""
    array = as_numbers(values, name)
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.ndim != 1:
        raise ValueError(
            f"{name} must be a 1-D array, with one number per instance, got shape {array.shape}. "
            "Compare several outputs one by one."
        )
    if not len(array):
        raise ValueError(f"Found array with 0 sample(s): {name} is empty.")
    if not np.isfinite(array).all():
        raise ValueError(f"Input {name} contains NaN or infinity.")
    if length is not None:
        check_same_length(y_true=range(length), **{name: array})
    return array
