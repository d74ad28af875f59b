"""`count_scorer`: confusion counts as scores, so that a search leaves more than means behind."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.metrics import get_scorer, get_scorer_names

from skbayeseval._labels import check_labels, resolve_pos_label
from skbayeseval.compare.targets import score_by_scores, score_counts
from skbayeseval.evidence.counts import ConfusionCounts
from skbayeseval.metrics.confusion import Metric
from skbayeseval.metrics.instance_scores import SCORE_METRICS
from skbayeseval.metrics.registry import get_metric

__all__ = ["CountScorer", "count_key", "count_scorer", "known_metric"]

MOST_CLASSES = 30


def count_scorer(
    labels: ArrayLike, *, also: str | Iterable[str] = (), pos_label: Any = None
) -> CountScorer:
    """Return a scorer that puts the confusion counts of every split in `cv_results_`.

    For ``scoring=`` of scikit-learn's searches and of `cross_validate`. Counts stand under
    ``count_<i>_<j>``, i being the position in `labels` of the true class and j that of the
    predicted one, beside ordinary scores. `report_search` reads them. The scorer never raises:
    where an estimator cannot predict, or a label is not in `labels`, everything is NaN.

    Parameters
    ----------
    labels : array-like of shape (n_classes,)
        All classes that occur, at most 30.
    also : str or list of str, default=()
        Names of scikit-learn's scorers to record as well. The first is also recorded as ``score``,
        the one key that the halving searches look at; without any, accuracy is.
    pos_label : object, default=None
        The positive class for metrics such as F1; by default 1, if it is one of the classes.

    Returns
    -------
    scorer : CountScorer
        As it records several scores, a search needs ``refit="score"``, the name of one of `also`,
        `refit_simplest` or False.

    See Also
    --------
    report_search : What the counts of a finished search say.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.model_selection import cross_validate
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from skbayeseval import count_scorer
    >>> X, y = load_iris(return_X_y=True)
    >>> scorer = count_scorer([0, 1, 2], also="f1_macro")
    >>> found = cross_validate(GaussianNB(), X, y, scoring=scorer, cv=3)
    >>> found["test_count_1_2"]
    array([3., 2., 0.])
    >>> found["test_f1_macro"].round(3)
    array([0.919, 0.939, 0.961])
    """
    return CountScorer(labels, also=also, pos_label=pos_label)


class CountScorer:
    """A scorer of confusion counts; made by `count_scorer`.

    Attributes
    ----------
    labels : tuple
        The classes, in the order of the counts.
    also : tuple of str
        The scorers recorded beside the counts.
    pos_label : object
        The positive class of two, if there is one.

    Examples
    --------
    >>> from skbayeseval import count_scorer
    >>> count_scorer(["no", "yes"], also=["f1", "accuracy"], pos_label="yes")
    count_scorer(['no', 'yes'], also=['f1', 'accuracy'], pos_label='yes')
    """

    def __init__(
        self, labels: ArrayLike, *, also: str | Iterable[str] = (), pos_label: Any = None
    ) -> None:
        self.labels = check_labels(labels)
        if len(self.labels) > MOST_CLASSES:
            raise ValueError(
                f"labels has {len(self.labels)} classes, and counts of more than {MOST_CLASSES} "
                "would flood cv_results_. Search with ordinary scores, and give the data to the "
                "report: report_search(search, X, y)."
            )
        self.pos_label = resolve_pos_label(self.labels, pos_label)
        self.also = _check_names(also)
        for name in self.also:
            self._check(get_metric(name) if name in SCORE_METRICS else known_metric(name), name)

    @property
    def main(self) -> str:
        """What is recorded as ``score``."""
        return self.also[0] if self.also else "accuracy"

    def __call__(self, estimator: Any, X: Any, y: Any) -> dict[str, float]:
        """Return counts and scores of the estimator's predictions."""
        names = dict.fromkeys((self.main, *self.also))
        try:
            counts = ConfusionCounts.from_labels(
                y, estimator.predict(X), labels=self.labels, pos_label=self.pos_label
            )
        except Exception:
            table, scores = np.full((len(self.labels),) * 2, np.nan), dict.fromkeys(names, np.nan)
        else:
            table = counts.table
            scores = {name: self._score(name, counts, estimator, X, y) for name in names}
        found = {"score": scores[self.main]} | {name: scores[name] for name in self.also}
        cells = {count_key(i, j): float(count) for (i, j), count in np.ndenumerate(table)}
        return found | cells

    def __repr__(self) -> str:
        also = f", also={list(self.also)}" if self.also else ""
        positive = "" if self.pos_label in (None, 1) else f", pos_label={self.pos_label!r}"
        return f"count_scorer({list(self.labels)}{also}{positive})"

    def __eq__(self, other: object) -> bool:
        return vars(self) == vars(other) if isinstance(other, CountScorer) else NotImplemented

    def __hash__(self) -> int:
        return hash((self.labels, self.also, self.pos_label))

    def _score(self, name: str, counts: ConfusionCounts, estimator: Any, X: Any, y: Any) -> float:
        """Return one score: from the counts if they hold it, else by scikit-learn's scorer."""
        metric = known_metric(name)
        if metric is not None:
            return score_counts(metric, counts)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                if name in SCORE_METRICS:
                    of_scores = get_metric(name)
                    return score_by_scores(of_scores, self.labels, self.pos_label, estimator, X, y)
                return float(get_scorer(name)(estimator, X, y))
        except Exception:
            return math.nan

    def _check(self, metric: Metric | None, name: str) -> None:
        """Raise if the classes do not have what the metric needs."""
        if metric is None or not metric.needs_positive:
            return
        if len(self.labels) > 2:
            if metric.source == "instances":  # an average over classes
                return
            raise ValueError(
                f"also={name!r} is of one of two classes, but labels has {len(self.labels)}. Use "
                f"an average, such as '{name}_macro'."
            )
        if self.pos_label is None:
            raise ValueError(
                f"also={name!r} is about one of the two classes {list(self.labels)}, so say which "
                "with pos_label=."
            )


def known_metric(name: Any) -> Metric | None:
    """Return the metric of confusion counts of that name, None if it needs more than counts."""
    try:
        metric = name if isinstance(name, Metric) else get_metric(name)
    except (TypeError, ValueError):
        return None
    return metric if metric.source == "tables" else None


def count_key(i: int, j: int) -> str:
    """Return the key of the count of true class i and predicted class j."""
    return f"count_{i}_{j}"


def _check_names(also: Any) -> tuple[str, ...]:
    names = (also,) if isinstance(also, str) or not isinstance(also, Iterable) else tuple(also)
    if not all(isinstance(name, str) for name in names):
        raise TypeError(f"also must be the name of a scorer or a list of names, got {also!r}.")
    for name in names:
        if known_metric(name) is None and name not in get_scorer_names():
            raise ValueError(
                f"also={name!r} is not a known scorer. Use sklearn.metrics.get_scorer_names() to "
                "get valid names."
            )
    if len(set(names)) < len(names):
        raise ValueError(f"also names a scorer twice: {list(names)}.")
    return names
