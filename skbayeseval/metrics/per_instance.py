"""Metrics that are means of a user-supplied function of each instance."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from skbayeseval._arrays import in_short
from skbayeseval.metrics.confusion import Metric, from_confusion

__all__ = ["PerInstance", "from_instances"]

Array = NDArray[Any]


@dataclass(frozen=True)
class PerInstance:
    """The mean of a function of each instance, created by `from_instances`.

    Examples
    --------
    >>> from skbayeseval import metrics
    >>> metrics.from_instances(lambda y_true, y_pred: -abs(y_true - y_pred), "neg_error").name
    'neg_error'
    """

    function: Callable[[Array, Array], ArrayLike]
    name: str

    def values(self, y_true: Array, y_pred: Array) -> Array:
        """Return the value of each instance; raise unless each has a value of its own."""
        found = self._call(y_true, y_pred)
        some = (len(y_true) + 1) // 2
        again, rounding = self._call(y_true[:some], y_pred[:some]), 1e-9 * np.abs(found).max()
        if not np.allclose(again, found[:some], rtol=1e-6, atol=rounding):
            raise ValueError(
                f"The function of metric {self.name!r} gives instances other values when it is "
                "called with fewer instances. The value of an instance must depend on its own "
                "y_true and y_pred alone."
            )
        return found

    def _call(self, y_true: Array, y_pred: Array) -> Array:
        given = self.function(y_true, y_pred)
        try:
            found = np.asarray(given, dtype=float)
        except (TypeError, ValueError) as error:
            raise ValueError(
                f"The function of metric {self.name!r} must return numbers, got {in_short(given)}."
            ) from error
        if found.shape != (len(y_true),):
            raise ValueError(
                f"The function of metric {self.name!r} must return one number per instance, an "
                f"array of shape ({len(y_true)},), got shape {found.shape}. If it accepts only one "
                "instance, wrap it in np.vectorize."
            )
        if not np.isfinite(found).all():
            where = int(np.flatnonzero(~np.isfinite(found))[0])
            raise ValueError(
                f"The function of metric {self.name!r} must return finite numbers, got "
                f"{found[where]} for y_true={y_true[where]!r} and y_pred={y_pred[where]!r}."
            )
        return found

    def of(self, labels: Sequence[Any]) -> Metric:
        """Return the metric for class labels, or for numbers if there are no labels."""
        if not labels:
            return Metric(self.name, self.values, source="numbers")
        classes = np.asarray(labels)
        m = len(classes)
        values = self.values(np.repeat(classes, m), np.tile(classes, m)).reshape(m, m)
        return from_confusion(partial(_mean_over_cells, values), self.name)


def from_instances(function: Callable[[Array, Array], ArrayLike], name: str) -> PerInstance:
    """Create a metric from a function that gives each instance a number, higher being better.

    The metric is the mean of these numbers over instances.

    Parameters
    ----------
    function : callable
        Maps arrays of true and predicted labels, or numbers, of shape (n,) to values of shape
        (n,). The value of an instance may depend on its own label and prediction only. Wrap a
        function of one instance in `numpy.vectorize`.
    name : str
        The name of the metric in results.

    Returns
    -------
    metric : PerInstance
        The metric, for the parameter `scoring`. Of class labels, the function is evaluated for each
        pair of labels, and the metric is one of confusion tables. Predictions are numbers where
        regressors are compared, another metric of `scoring` is one of numbers, or `y_true` or a
        prediction is not a whole number.

    See Also
    --------
    from_confusion : Any function of the confusion table.

    Examples
    --------
    A prediction is good if it is at most 10% off:

    >>> import numpy as np
    >>> from skbayeseval import compare_predictions, metrics
    >>> close = metrics.from_instances(lambda y, p: np.abs(p - y) <= 0.1 * np.abs(y), "within_10%")
    >>> y = np.linspace(1.5, 9.5, 50)
    >>> result = compare_predictions(y, 1.05 * y, 1.2 * y, scoring=close, random_state=0)
    >>> result.observed_a, result.observed_b
    (1.0, 0.0)
    """
    if not callable(function):
        raise TypeError(f"function must be callable, got {in_short(function)}.")
    if not isinstance(name, str):
        raise TypeError(f"name must be a string, got {in_short(name)}.")
    return PerInstance(function, name)


def _mean_over_cells(values: Array, tables: Array) -> Array:
    return np.einsum("...ij,ij->...", tables, values)
