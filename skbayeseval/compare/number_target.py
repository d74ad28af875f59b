"""Cross-validation that compares predictions of numbers, instance by instance."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_classifier

from skbayeseval.compare.targets import CollectedEvidence, group_codes
from skbayeseval.evidence.predicted_numbers import PredictedNumbers, check_numbers
from skbayeseval.evidence.validated_rows import ScoreRows
from skbayeseval.metrics.confusion import Metric
from skbayeseval.metrics.scoring import is_of_numbers, resolve_scoring
from skbayeseval.splitting.collect import Collection, Observe
from skbayeseval.splitting.out_of_fold import OutOfFold

__all__ = ["NumberTarget", "score_numbers"]

Array = NDArray[Any]


class NumberTarget:
    """Numbers that regressors predict. Metrics are computed within splits and averaged."""

    # Numbers are no classes.
    class_codes = None

    def __init__(
        self,
        y: Any,
        estimators: Mapping[str, Any],
        labels: Any,
        pos_label: Any,
        scoring: Any,
        groups: Any = None,
    ) -> None:
        if labels is not None or pos_label is not None:
            raise ValueError(
                "labels and pos_label do not apply to metrics of numbers. Omit them, or choose a "
                "metric of classes."
            )
        classifiers = [
            name
            for name, one in estimators.items()
            if hasattr(one, "__sklearn_tags__") and is_classifier(one)
        ]
        if classifiers and not is_of_numbers(scoring):
            raise ValueError(
                f"Estimator {classifiers[0]!r} is a classifier, but another one is a regressor. "
                "Compare estimators of the same kind, or pass a metric of numbers, such as "
                "scoring='neg_mean_absolute_error'."
            )
        self.names = tuple(estimators)
        self.truth = check_numbers(y, "y")
        self.groups = None if groups is None else group_codes(groups)
        # As the score method of scikit-learn's regressors.
        self.metrics = resolve_scoring("r2" if scoring is None else scoring)

    def observer(self, name: str) -> Observe:
        """Return the function that keeps the predicted numbers."""
        return _observe_numbers

    def check_split(self, split: int, test: Array) -> None:
        """Raise where a metric is not defined for a test set."""
        perfect = self._numbers(test, dict.fromkeys(self.names[:1], self.truth[test]))
        for metric in self.metrics.values():
            perfect.check_metric(metric)
            try:
                perfect.observed(metric)
            except ValueError as error:
                raise ValueError(
                    f"{error} This is so in the test set of split {split}: use fewer splits, or "
                    "another metric."
                ) from error

    def rehearsal(self) -> CollectedEvidence:
        """Return what regressors without an error would give."""
        rows = np.arange(len(self.truth))
        perfect = dict.fromkeys(self.names, self.truth)
        return self._collected(rows, perfect, 1.0, np.zeros(len(rows), dtype=int))

    def collected(self, collection: Collection) -> CollectedEvidence:
        """Return the evidence of the splits that did not fail."""
        predictions = {name: collection.pooled(name) for name in self.names}
        return self._collected(
            collection.test_indices(), predictions, collection.weight, collection.split_numbers()
        )

    def _collected(
        self, rows: Array, predictions: Mapping[str, Array], weight: float, split: Array
    ) -> CollectedEvidence:
        numbers = self._numbers(rows, predictions, weight, split)
        units = rows if self.groups is None else self.groups[rows]
        return CollectedEvidence(numbers, numbers, None, ScoreRows(rows, units, split, numbers))

    def _numbers(
        self,
        rows: Array,
        predictions: Mapping[str, Array],
        weight: float = 1.0,
        split: Array | None = None,
    ) -> PredictedNumbers:
        return PredictedNumbers.from_predictions(
            self.truth[rows],
            {f"Predictions of {name!r}": one for name, one in predictions.items()},
            weight=weight,
            groups=None if self.groups is None else self.groups[rows],
            instances=rows,
            run=split,
        )

    def split_scores(self, name: str, collection: Collection) -> dict[str, Array]:
        """Return for each metric its value in each split, NaN where a fit failed."""
        runs = collection.runs[name]
        found = {key: np.full(len(runs), np.nan) for key in self.metrics}
        for i, run in enumerate(runs):
            if run.error is None:
                numbers = self._numbers(collection.splits[i][1], {name: run.observed["predict"]})
                for key, metric in self.metrics.items():
                    found[key][i] = numbers.observed(metric)[0]
        return found

    def predicted(self, observed: Mapping[str, Any]) -> Any:
        """Return the predicted numbers; None if the fit failed."""
        return observed.get("predict")

    def out_of_fold(self, collection: Collection) -> OutOfFold:
        """Return the predicted numbers."""
        return collection.out_of_fold(len(self.truth))


def score_numbers(metric: Metric, y_true: Any, y_pred: Any) -> float:
    """Return the metric value of predicted numbers."""
    return PredictedNumbers.from_predictions(y_true, {"y_pred": y_pred}).observed(metric)[0]


def _observe_numbers(estimator: Any, X_test: Any, y_test: Any) -> dict[str, Any]:
    """Return the predicted numbers."""
    n_test = X_test.shape[0] if hasattr(X_test, "shape") else len(X_test)
    said = check_numbers(estimator.predict(X_test), "predict")
    if len(said) != n_test:
        raise ValueError(f"predict returned {len(said)} numbers for {n_test} instances")
    return {"predict": said}
