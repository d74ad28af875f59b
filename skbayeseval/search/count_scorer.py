"""`count_scorer`: a scorer that records confusion counts in `cv_results_`."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.metrics import get_scorer, get_scorer_names

from skbayeseval._arrays import wrong
from skbayeseval._labels import check_labels, resolve_pos_label
from skbayeseval.compare.targets import score_counts, score_learner
from skbayeseval.evidence.counts import ConfusionCounts
from skbayeseval.metrics.instance_scores import SCORE_METRICS
from skbayeseval.metrics.registry import get_metric, table_metric

MOST_CLASSES = 30


def count_scorer(
    labels: ArrayLike, *, also: str | Iterable[str] = (), pos_label: Any = None
) -> CountScorer:
    """Return a scorer that records the confusion counts of every split in `cv_results_`.

    Pass it as ``scoring=`` to `cross_validate` or to one of scikit-learn's searches. In addition
    to ordinary scores it records each cell of the confusion matrix as ``count_<i>_<j>``, where i
    is the position of the true class in `labels` and j that of the predicted class.
    `report_search` reads these counts. The scorer never raises: if an estimator cannot predict, or
    predicts a label that is not in `labels`, all recorded values are NaN.

    Parameters
    ----------
    labels : array-like of shape (n_classes,)
        All classes in the data, at most 30.
    also : str or list of str, default=()
        Names of scikit-learn scorers to record in addition. The first one is also recorded as
        ``score``, the only key that halving searches use. If `also` is empty, ``score`` is the
        accuracy.
    pos_label : object, default=None
        The positive class, for metrics such as F1. Defaults to 1 if that is one of the classes.

    Returns
    -------
    scorer : CountScorer
        A callable scorer. Because it records several scores, the search needs
        ``refit="score"``, a name in `also`, `refit_simplest`, or False.

    See Also
    --------
    report_search : Report a fitted search from its recorded counts.

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
    classes = check_labels(labels)
    if len(classes) > MOST_CLASSES:
        raise ValueError(
            f"labels has {len(classes)} classes, but count_scorer records the counts of at most "
            f"{MOST_CLASSES}. Use an ordinary scorer in the search, and pass the data to the "
            "report: report_search(search, X, y)."
        )
    positive = resolve_pos_label(classes, pos_label)
    names = (also,) if isinstance(also, str) or not np.iterable(also) else tuple(also)
    for name in names:
        if not isinstance(name, str):
            raise wrong("also", "the name of a scorer or a list of names", also, TypeError)
        metric = get_metric(name) if name in SCORE_METRICS else table_metric(name)
        if metric is None and name not in get_scorer_names():
            raise ValueError(
                f"also={name!r} is not a known scorer. Use sklearn.metrics.get_scorer_names() to "
                "get valid names."
            )
        if metric is None or not metric.needs_positive:
            continue
        if len(classes) > 2 and metric.source != "instances":  # which are averaged over classes
            raise ValueError(
                f"also={name!r} requires two classes, but labels has {len(classes)}. Use an "
                f"averaged metric, such as '{name}_macro'."
            )
        if len(classes) == 2 and positive is None:
            raise ValueError(
                f"also={name!r} needs a positive class, but neither of {list(classes)} is 1. "
                "Specify it with pos_label=."
            )
    return CountScorer(classes, tuple(dict.fromkeys(names)), positive)


@dataclass(frozen=True, repr=False)
class CountScorer:
    """A scorer that records confusion counts; created by `count_scorer`.

    Attributes
    ----------
    labels : tuple
        The classes, in the order of the recorded counts.
    also : tuple of str
        The names of the scorers that are recorded in addition to the counts.
    pos_label : object
        The positive class of a two-class problem, or None.

    Examples
    --------
    >>> from skbayeseval import count_scorer
    >>> count_scorer(["no", "yes"], also=["f1", "accuracy"], pos_label="yes")
    count_scorer(['no', 'yes'], also=['f1', 'accuracy'], pos_label='yes')
    """

    labels: tuple[Any, ...]
    also: tuple[str, ...]
    pos_label: Any

    @property
    def main(self) -> str:
        """The name of the metric that is recorded as ``score``."""
        return self.also[0] if self.also else "accuracy"

    def __call__(self, estimator: Any, X: Any, y: Any) -> dict[str, float]:
        """Return the confusion counts and the scores of the estimator's predictions."""
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
        recorded = {"score": scores[self.main]} | {name: scores[name] for name in self.also}
        cells = {count_key(i, j): float(count) for (i, j), count in np.ndenumerate(table)}
        return recorded | cells

    def __repr__(self) -> str:
        also = f", also={list(self.also)}" if self.also else ""
        positive = "" if self.pos_label in (None, 1) else f", pos_label={self.pos_label!r}"
        return f"count_scorer({list(self.labels)}{also}{positive})"

    def _score(self, name: str, counts: ConfusionCounts, estimator: Any, X: Any, y: Any) -> float:
        """Return one score, from the counts if possible, otherwise by scikit-learn's scorer."""
        metric = table_metric(name)
        if metric is not None:
            return score_counts(metric, counts)
        try:
            if name in SCORE_METRICS:
                of_scores = get_metric(name)
                return score_learner(of_scores, self.labels, self.pos_label, estimator, X, y)
            return float(get_scorer(name)(estimator, X, y))
        except Exception:
            return math.nan


def count_key(i: int, j: int) -> str:
    """Return the key of the count of true class i and predicted class j."""
    return f"count_{i}_{j}"
